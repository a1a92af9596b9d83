"""One unit's strength [2.7, 8.3, 12.3, 14.0]: one halving, the cap, the doubling, never below 1."""

import pytest
from harness import refused
from kb_bench import answer, battle, designate, duties, enrol, fight, jump, mapped
from kb_bench import total as battle_total

from companion.engine.errors import NotNow
from companion.engine.forms.fields import Context
from companion.systems.kharkov_battles.bonuses import combined_arms, tiger_shifts
from companion.systems.kharkov_battles.strength import adjust

H = [("a", "1"), ("b", "2")]


@pytest.mark.parametrize(
    ("printed", "facts", "strength"),
    [
        (7, {}, 7),
        (7, {"halved": H[:1]}, 3),
        (7, {"halved": H}, 3),  # never twice
        (1, {"halved": H[:1]}, 1),  # never below 1
        (7, {"capped": ("Isolated", "8.33")}, 1),
        (7, {"doubled": ("winter", "14.2")}, 14),
        (7, {"halved": H[:1], "doubled": ("winter", "14.2")}, 6),
        (7, {"capped": ("Isolated", "8.33"), "doubled": ("winter", "14.2")}, 2),
        (7, {"capped": ("Isolated", "8.33"), "doubled": ("winter", "14.2"), "cap_last": True}, 1),
        (1, {"halved": H[:1], "doubled": ("winter", "14.2")}, 1),
        (1, {"halved": H[:1], "doubled": ("winter", "14.2"), "early_minimum": True}, 2),
    ],
)
def test_adjustments(printed, facts, strength):
    assert adjust(printed, **facts).strength == strength


def fighting(*facts, weather="clear", scenario="operation-star", phase="soviet-combat", **options):
    t = mapped(*facts, scenario=scenario, **options)
    jump(t, phase, t.game.scenario.first + 1)
    t.do("table", "correct", name="weather", value=weather)
    return t


def total(t, role, target, units, seat):
    sheet = t.system.rules.worksheets["strength"]
    return sheet.fn(Context(t.game, seat), role=role, target=target, units=tuple(units)).facts["total"]


@pytest.mark.parametrize(
    ("weather", "size", "kind", "colour", "popov", "strength"),
    [
        ("freeze", "XXX", "tank", "red", "fuelled", 10),
        ("freeze", "XXX", "mechanized", "red", "fuelled", 10),
        ("clear", "XXX", "tank", "red", "fuelled", 5),
        ("freeze", "X", "tank", "red", "fuelled", 5),
        ("freeze", "XXX", "cavalry", "red", "fuelled", 5),
        ("freeze", "XXX", "tank", "orange", "dry", 5),
        ("freeze", "XXX", "tank", "red", "dry", 10),
    ],
)
def test_the_winter_bonus(weather, size, kind, colour, popov, strength):
    """14.2, 20.1"""
    t = fighting(weather=weather)
    t.do("table", "correct", name="popov", value=popov)
    unit = enrol(t, "soviet", "U", kind, "KB3010", size=size, formation=colour, strength=5)
    assert total(t, "attack", "KB3011", [unit], "soviet") == strength
    assert total(t, "defence", "KB3010", [unit], "soviet") == 5


def test_the_counteroffensive_doubles_in_the_campaigns():
    """27.2, 27.8"""
    for scenario, options, strength in (
        ("january-campaign", {}, 10),
        ("grand-campaign", {}, 5),
        ("grand-campaign", {"counteroffensive": True}, 10),
    ):
        t = fighting(scenario=scenario, **options)
        unit = enrol(t, "soviet", "U", "tank", "A3010", size="XXX", strength=5)
        assert total(t, "attack", "A3011", [unit], "soviet") == strength


def test_supply_states_in_combat():
    """8.32, 8.33"""
    t = fighting()
    unit = enrol(t, "soviet", "U", "rifle", "KB3010", strength=5)
    for state, attack, defence in (("oos", 2, 5), ("isolated", 1, 2)):
        t.do("table", "mark", marker="supply", units=[unit], value=state)
        assert total(t, "attack", "KB3011", [unit], "soviet") == attack
        assert total(t, "defence", "KB3010", [unit], "soviet") == defence


def test_rivers_and_marsh_halve_once():
    """12.31, 12.33, 2.7"""
    t = fighting(("side", "KB3010", "KB3011", "major river"), ("terrain", "KB3011", "", "marsh"))
    unit = enrol(t, "soviet", "U", "tank", "KB3010", size="X", strength=9)
    foot = enrol(t, "soviet", "R", "rifle", "KB3110", strength=9)
    assert total(t, "attack", "KB3011", [unit], "soviet") == 4
    assert total(t, "attack", "KB3011", [foot], "soviet") == 9


def test_nkvd_stand_in_towns():
    """14.1"""
    t = fighting(("town", "KB3010", "", "T"))
    unit = enrol(t, "soviet", "19 NKVD", "rifle", "KB3010", nkvd=True, strength=3)
    assert total(t, "defence", "KB3010", [unit], "soviet") == 6
    t.do("table", "mark", marker="supply", units=[unit], value="isolated")
    assert total(t, "defence", "KB3010", [unit], "soviet") == 2


def test_hqs_add_one_and_cadres_count_one():
    """15.11, 15.12, 2.71"""
    t = fighting()
    hq = enrol(t, "soviet", "6 Army", "hq army", "KB3010", reach=5)
    unit = enrol(t, "soviet", "R", "rifle", "KB3010", strength=4)
    cadre = enrol(t, "soviet", "G", "rifle", "KB3010", strength=5, steps=2, guards=True)
    t.do("soviet", "lose-steps", unit=cadre)
    assert total(t, "defence", "KB3010", [hq], "soviet") == 1
    assert total(t, "defence", "KB3010", [hq, unit, cadre], "soviet") == 6


def test_tigers():
    """15.3, 15.32"""
    t = fighting(phase="axis-combat")
    battalion = enrol(t, "axis", "503 Tiger", "tiger battalion", "KB3010", size="II", strength=4)
    company = enrol(t, "axis", "DR Tiger", "tiger company", "KB3110", size="I", formation="DR")
    units = t.game.units
    assert tiger_shifts(t.game, [units[battalion], units[company]]) == 1
    assert total(t, "defence", "KB3110", [company], "axis") == 1  # alone
    enrol(t, "axis", "DR 1", "panzergrenadier", "KB3110", size="III", formation="DR", strength=5)
    assert tiger_shifts(t.game, [t.game.units[battalion], t.game.units[company]]) == 2
    assert total(t, "attack", "KB3111", [company], "axis") == 0  # its shift only


@pytest.mark.parametrize(
    ("band", "friend", "qualifies"),
    [
        ("yellow", None, True),
        ("blue", None, False),
        ("blue", {"kind": "infantry"}, True),
        ("blue", {"kind": "panzergrenadier"}, True),
        ("blue", {"kind": "hq panzerkorps"}, False),
        ("blue", {"kind": "assault gun"}, False),
        ("", {"kind": "infantry"}, False),
    ],
)
def test_combined_arms(band, friend, qualifies):
    """12.41"""
    t = fighting(phase="axis-combat")
    unit = enrol(
        t,
        "axis",
        "U",
        "panzer",
        "KB3010",
        size="III",
        formation="6 Pz",
        strength=5,
        **({"band": band} if band else {}),
    )
    if friend:
        enrol(t, "axis", "F", hex="KB3010", strength=2, **friend)
    assert combined_arms(t.game, [t.game.units[unit]]) is qualifies


def test_sixty_motorized_needs_both_regiments():
    """12.42: even from different hexes."""
    t = fighting(phase="axis-combat")
    names = [
        enrol(t, "axis", f"{n}/60M", "motorized", f"KB30{c}", size="III", formation="60 Mot", strength=5)
        for n, c in ((92, 10), (120, 12))
    ]
    units = [t.game.units[n] for n in names]
    assert combined_arms(t.game, units) is True
    assert combined_arms(t.game, units[:1]) is False


def test_the_record_fills_in_the_assault():
    """Rivers, encirclement, works, Combined Arms and Tigers come from the map and the counters."""
    t = fighting(
        ("side", "KB3010", "KB3011", "minor river"), ("terrain", "KB3011", "", "woods"), phase="axis-combat"
    )
    one = enrol(t, "axis", "U", "panzer", "KB3010", size="III", formation="6 Pz", strength=9, band="yellow")
    tiger = enrol(t, "axis", "503 Tiger", "tiger battalion", "KB3010", size="II", strength=4)
    enrol(t, "soviet", "R", "rifle", "KB3011", strength=3)
    t.do("table", "mark", marker="fz", hexes=["KB3011"], value="soviet")
    fight(t, "KB3011", one, tiger, die="5")
    sheet = battle(t).sheet
    assert sheet["column"] == "3-1"  # 4-1, river -1, FZ -1, Tiger +1, no Combined Arms
    lines = {line["label"]: line["effect"] for line in sheet["lines"]}
    assert lines["13 : 3, rounded for the defender"] == "4-1"
    assert {"all attackers over rivers", "Fortified Zone", "Tigers attacking", "woods line"} <= set(lines)
    assert "no Combined Arms against a Fortified Zone or city" in lines


def test_a_counter_without_a_strength_is_asked_about_never_taken_for_one():
    """15.2, 2.7: breakdown regiments, and whatever else was enrolled without its number."""
    t = fighting(phase="axis-combat")
    one = enrol(t, "axis", "Regiment 1", "breakdown regiment", "KB3010", size="III")
    two = enrol(t, "axis", "Regiment 2", "breakdown regiment", "KB3010", size="III")
    enemy = enrol(t, "soviet", "R", "rifle", "KB3011")
    designate(t, "KB3011", one, two)
    answer(t, "axis", "begin-assault")
    assert len(duties(t, "axis", "tell-strength")) == 2
    with refused(NotNow, rule="12.0", field="total"):
        answer(t, "axis", "announce-strength")
    answer(t, "axis", "tell-strength", strength=3)  # they are generic [15.22]: one tells it of all
    assert battle_total(t, "attack") == 6 and t.game.units[one].factors["CS"] == 3
    answer(t, "soviet", "tell-strength", strength=4)
    assert battle_total(t, "defence") == 4 and t.game.units[enemy].factors["CS"] == 4


def test_combined_arms_needs_a_partner_who_attacks_nobody_else():
    """12.41: also when the partner's own attack has been rolled."""
    t = fighting(phase="axis-combat")
    tank = enrol(
        t, "axis", "U", "panzer", "KB3010", size="III", formation="6 Pz", strength=9, band="blue", half=True
    )
    foot = enrol(t, "axis", "F", "infantry", "KB3010", strength=4)
    for hex_id in ("KB3009", "KB3011"):
        enrol(t, "soviet", hex_id, "rifle", hex_id, strength=3)
    designate(t, "KB3009", foot)
    designate(t, "KB3011", tank)
    first, second = [d["id"] for d in duties(t, "axis", "begin-assault")]
    t.do("axis", "begin-assault", _asked=first)
    answer(t, "axis", "roll-assault", die="4")  # no effect
    t.do("axis", "begin-assault", _asked=second)
    answer(t, "axis", "roll-assault", die="4")
    labels = [line["label"] for line in t.game.battles[max(t.game.battles)].sheet["lines"]]
    assert "Combined Arms" not in labels


@pytest.mark.parametrize(("formation", "bonus"), [("60.Motorized", True), ("60M", True), ("160 Inf", False)])
def test_sixty_motorized_however_it_is_written(formation, bonus):
    """12.42"""
    t = fighting(phase="axis-combat")
    names = [
        enrol(t, "axis", n, "motorized", "KB3010", size="III", formation=formation, strength=5)
        for n in ("92", "120")
    ]
    assert combined_arms(t.game, [t.game.units[n] for n in names]) is bonus
