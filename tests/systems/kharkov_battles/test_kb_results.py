"""Result codes [12.6], the loser's options, losses, retreats [12.7], advances [12.8]."""

import pytest
from harness import refused
from kb_bench import answer, battle, designate, duties, enrol, fight, jump, mapped, options, table, warned

from companion.engine.errors import NotNow, NotYours, Unreadable
from companion.systems.kharkov_battles.results import Share, parse


@pytest.mark.parametrize(
    ("code", "shares"),
    [
        ("D(2)r2", [Share("D", 2, 2)]),
        ("Ar1", [Share("A", 0, 1)]),
        ("A(3)r2", [Share("A", 3, 2)]),
        ("D(1)", [Share("D", 1, 0)]),
        ("A(1) D(1)r2", [Share("D", 1, 2), Share("A", 1, 0)]),  # 12.65: the loser first
        ("A(1)/Dr1", [Share("D", 0, 1), Share("A", 1, 0)]),
        ("NE", []),
    ],
)
def test_codes_are_taken_apart(code, shares):
    assert parse(code) == shares


@pytest.mark.parametrize("code", ["X1", "D", "A", "r2", "D(1)r2 banana"])
def test_a_code_that_is_none_is_refused(code):
    with refused(Unreadable, rule="12.6", field="result", given=code):
        parse(code)


def test_the_options_of_the_rulebooks_example():
    """12.62: D(2)r2 after its two mandatory steps."""
    assert parse("D(2)r2")[0].options() == [(2, 0), (1, 1), (0, 2)]


def fought(die="7", scenario="operation-star"):
    """An Axis attack on two rifle divisions; 7 gives D(1)r2 in the synthetic table, 8 D(1)r3."""
    t = table(scenario)
    jump(t, "axis-combat", 1)
    first = enrol(t, "axis", "LAH 1", "panzergrenadier", "KB3010", size="III", formation="LAH", strength=20)
    one = enrol(t, "soviet", "6 Rifle", "rifle", "KB3011", strength=2)
    two = enrol(t, "soviet", "7 Rifle", "rifle", "KB3011", strength=2)
    fight(t, "KB3011", first, die=die)
    return t, first, one, two


def units_asked(t, seat, action):
    return t.game.asked[duties(t, seat, action)[0]["id"]].units


def test_the_defender_chooses_and_the_victor_advances_as_far_as_was_retreated():
    t, first, one, two = fought("7")
    ask = t.asked("soviet")[0]
    assert "lose 1 step" in ask["text"] and "retreat 2" in ask["text"]
    t.answer("soviet", more=1)  # both steps there are: nobody is left to retreat the other hex
    answer(t, "soviet", "take-losses", how=f"{one}:1+{two}:1", no_line=True)
    assert [t.game.units[u].place for u in (one, two)] == ["box:dead", "box:dead"]
    assert not t.asked("soviet")
    assert [a["text"] for a in t.asked("axis")] == ["Axis: advance up to 1 hex?"]


def test_counters_on_record_fall_back_and_follow():
    """12.7, 12.8"""
    t, first, one, two = fought("7")
    t.answer("soviet", more=0)
    answer(t, "soviet", "take-losses", how=f"{one}:1")
    assert t.game.units[one].place == "box:pool"
    with refused(NotNow, rule="12.71", field="hex"):
        t.answer("soviet", to="map", hex="KB3010")
    assert "KB3013" in options(t, "soviet", "fall-back", "to")
    t.answer("soviet", to="KB3013")
    assert t.game.units[two].place == "KB3013"
    ask = t.asked("axis")[0]
    with refused(NotYours, given="soviet"):
        t.do("soviet", "advance", _asked=ask["id"], units=[first], hex="KB3011")
    with warned("12.82", "KB3014 is 4 away"):
        t.answer("axis", units=[first], hex="KB3014")
    t.answer("axis", units=[first])
    assert t.game.units[first].place == "KB3011" and not t.asked("axis")


def test_every_hex_that_is_offered_is_accepted():
    """12.72: as far from the attackers as can be; whatever the card offers is a way."""
    t, _, one, _ = fought("7")
    t.answer("soviet", more=0)
    answer(t, "soviet", "take-losses", how=f"{one}:1")
    before = t.game.revision
    for hex_id in options(t, "soviet", "fall-back", "to"):
        t.answer("soviet", to=hex_id)
        t.do("axis", "take-back", to=before)
    assert duties(t, "soviet", "fall-back")


def test_example_1_two_one_step_units_and_r3():
    """12.81: both die to satisfy D(1)r3: two hexes of the obligation remain for the advance."""
    t, _, one, two = fought("8")
    t.answer("soviet", more=1)
    answer(t, "soviet", "take-losses", how=f"{one}:1+{two}:1")
    assert [a["text"] for a in t.asked("axis")] == ["Axis: advance up to 2 hexes?"]


def test_more_steps_than_there_are_cannot_be_chosen_on_any_screen():
    """12.62, 12.81: else the advance of two hexes would be lost."""
    t, _, one, two = fought("8")
    for seat in ("soviet", "table"):
        assert list(options(t, seat, "settle-result", "more")) == ["0", "1"]
        with refused(Unreadable, field="more", given="3"):
            answer(t, seat, "settle-result", more=3)
    answer(t, "table", "settle-result", more=1)
    answer(t, "table", "take-losses", how=f"{one}:1+{two}:1")
    assert [a["text"] for a in t.asked("axis")] == ["Axis: advance up to 2 hexes?"]


def test_steps_that_the_table_cannot_count_still_leave_the_advance():
    """12.81: the table does not see that a chit is reduced; what was not paid in steps remains to be followed."""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    first = enrol(t, "axis", "LAH 1", "panzergrenadier", "KB3010", size="III", formation="LAH", strength=9)
    alone = enrol(t, "soviet", "3 Tank", "tank", "KB3011", size="XXX", rating="B")
    t.do("soviet", "lose-steps", unit=alone)
    fight(t, "KB3011", first, die="8")  # D(1)r3
    assert list(options(t, "table", "settle-result", "more")) == ["0", "1", "2"]
    assert list(options(t, "soviet", "settle-result", "more")) == ["0", "1"]
    answer(t, "table", "settle-result", more=2)
    assert t.game.units[alone].place == "box:dead"
    assert [a["text"] for a in t.asked("axis")] == ["Axis: advance up to 2 hexes?"]


def test_example_2_of_the_rulebook():
    """12.81: a lone full-strength unit takes D(1)r2 wholly in steps and dies: nobody advances."""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    first = enrol(t, "axis", "LAH 1", "panzergrenadier", "KB3010", size="III", formation="LAH", strength=20)
    alone = enrol(t, "soviet", "3 Tank", "tank", "KB3011", size="XXX", rating="B")
    fight(t, "KB3011", first, die="7")  # D(1)r2
    t.answer("soviet", more=2)
    assert t.game.units[alone].place == "box:dead"
    assert not t.asked("axis") and not t.asked("soviet")


def test_enemy_zones_cost_steps_besides():
    """12.73: the card says so before, and they are asked for after."""
    t, first, one, two = fought("7")
    for hex_id in ("KB3013", "KB3211", "KB2811"):
        enrol(t, "axis", hex_id, "infantry", hex_id, strength=3)
    t.answer("soviet", more=0)
    answer(t, "soviet", "take-losses", how=f"{one}:1")
    ways = options(t, "soviet", "fall-back", "to")
    hex_id, words = next(iter(ways.items()))
    assert "lose" in words
    t.answer("soviet", to=hex_id)
    assert "on the way back" in t.asked("soviet")[0]["text"]
    answer(t, "soviet", "take-losses", how=f"{two}:1")
    assert not t.game.units[two].on_map
    assert [a["text"] for a in t.asked("axis")] == ["Axis: advance up to 2 hexes?"]


def test_the_other_side_cannot_choose_for_the_loser():
    t, *_ = fought("7")
    ask = t.asked("soviet")[0]
    with refused(NotYours, given="axis"):
        t.do("axis", "settle-result", _asked=ask["id"], more=0)


def test_an_attacker_loses_a_mechanized_unit_first():
    """12.63; a Tiger that shifted goes before all others [15.3]."""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    foot = enrol(t, "axis", "320 Inf", "infantry", "KB3010", strength=6)
    mech = enrol(t, "axis", "LAH 1", "panzergrenadier", "KB3010", size="III", formation="LAH", strength=6)
    enrol(t, "soviet", "6 Rifle", "rifle", "KB3011", strength=6)
    fight(t, "KB3011", foot, mech, die="1")  # A(1)r1
    t.answer("axis", more=0)
    assert not t.game.units[mech].on_map  # no choice: it is the only one that may lose the first step
    assert t.game.units[foot].on_map and t.game["regiments-lost"] == 1


@pytest.mark.parametrize(
    ("fields", "mech", "others"),
    [
        ({"hexes": 3}, 3, 3),
        ({"hexes": 0}, 0, 0),
        ({"hexes": 3, "first_city": True}, 1, 1),
        ({"hexes": 3, "first_major": True}, 1, 1),
        ({"hexes": 3, "encirclement": True}, 3, 1),
        ({"hexes": 3, "first_ezoc": True}, 3, 1),
    ],
)
def test_advance_lengths(fields, mech, others):
    sheet = table("operation-star").calc("advance-length", **fields)
    assert (sheet.facts["mechanized"], sheet.facts["others"]) == (mech, others)


def test_fall_blaus_errata_drop_the_encirclement_limit():
    assert table("january-campaign").calc("advance-length", hexes=3, encirclement=True).facts["others"] == 3


def ringed(kind, **facts):
    """A defender who can only retreat through zones."""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    first = enrol(t, "axis", "LAH 1", "panzergrenadier", "KB3010", size="III", formation="LAH", strength=9)
    unit = enrol(t, "soviet", "3 Tank", kind, "KB3011", size="XXX", **facts)
    for hex_id in ("KB3013", "KB3211", "KB2811"):
        enrol(t, "axis", hex_id, "infantry", hex_id, strength=3)
    fight(t, "KB3011", first, die="6")  # Dr1
    t.answer("soviet", more=0)
    return t, unit


def test_a_breakout_is_for_defenders_that_could_infiltrate():
    """12.73: asked before the way is chosen, and what it costs is then the players' word."""
    t, _ = ringed("rifle", strength=2)
    assert not duties(t, "soviet", "breakout") and duties(t, "soviet", "fall-back")
    t, unit = ringed("tank", rating="A")
    assert [a["action"] for a in duties(t, "soviet")] == ["breakout"]
    answer(t, "soviet", "breakout", die="7")
    assert battle(t).facts["breakout"] == "free" and battle(t).result == "Dr1"
    way = next(iter(options(t, "soviet", "fall-back", "to")))
    answer(t, "soviet", "fall-back", to=way, steps=0)
    assert t.game.units[unit].place == way and not duties(t, "soviet", "take-losses")


def test_a_breakout_that_is_declined_leaves_the_price():
    t, unit = ringed("tank", rating="A")
    t.do("soviet", "dismiss", ask=duties(t, "soviet", "breakout")[0]["id"])
    t.answer("soviet", to=next(iter(options(t, "soviet", "fall-back", "to"))))
    assert t.game.mark(unit, "cadre")  # a zone, and a second one before the first free hex [12.74]
    assert battle(t).facts["back"] == 1  # which the victor does not follow


def split_hex():
    """Two units of one hex attack two hexes; only the first attack is rolled, for Ar2."""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    more = {"size": "III", "formation": "LAH", "strength": 9, "steps": 2, "half": True}
    a = enrol(t, "axis", "D1", "panzergrenadier", "KB3010", **more)
    b = enrol(t, "axis", "R1", "breakdown regiment", "KB3010", size="III", strength=3)
    enrol(t, "soviet", "6 Rifle", "rifle", "KB3011", strength=2)
    enrol(t, "soviet", "7 Rifle", "rifle", "KB3009", strength=2)
    designate(t, "KB3011", a)
    designate(t, "KB3009", b)
    one, two = [d["id"] for d in duties(t, "axis", "begin-assault")]
    t.do("axis", "begin-assault", _asked=one)
    answer(t, "axis", "roll-assault", die="0")  # Ar2
    return t, two, a, b


def test_results_wait_for_a_split_hex():
    """12.23: said, not enforced."""
    t, two, *_ = split_hex()
    with warned("12.23", "Attack on KB3009"):
        answer(t, "axis", "settle-result", more=0)
    t.do("axis", "begin-assault", _asked=two)  # the exception to one after the other
    answer(t, "axis", "roll-assault", die="4")  # no effect
    answer(t, "axis", "settle-result", more=0)
    assert duties(t, "axis", "fall-back")


def test_units_of_a_split_hex_follow_their_own_result():
    """12.23, 12.63"""
    t, two, a, b = split_hex()
    assert battle(t).facts.get("beside", []) == [] and battle(t).units("axis") == (b,)
    t.do("axis", "begin-assault", _asked=two)
    answer(t, "axis", "roll-assault", die="4")
    answer(t, "axis", "settle-result", more=0)
    assert units_asked(t, "axis", "fall-back") == (a,)


def test_the_loser_sees_his_options_in_words():
    """12.62: the card itself lists them, as far as there are steps."""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    t.do("axis", "resolve-assault", attack=20, defence=5, die="7")
    assert list(options(t, "soviet", "settle-result", "more").values()) == [
        "Lose 1 step, retreat 2 hexes",
        "Lose 2 steps, retreat 1 hex",
        "Lose 3 steps, stand fast",
    ]


def test_mixed_results_settle_the_loser_first_then_the_victor():
    """12.65: and the victor advances last."""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    t.do("axis", "resolve-assault", attack=20, defence=5, terrain="marsh", die="3")
    t.answer("axis", result="A(1) D(1)r2")
    ask = next(a for a in t.asked("axis") if a["action"] == "take-losses")
    assert not ask["live"] and "retreat 2" in t.asked("soviet")[0]["text"]
    with refused(NotNow, rule="12.62"):
        t.do("axis", "take-losses", _asked=ask["id"])
    t.answer("soviet", more=0)
    told = [x.text for x in t.events if x.KIND == "noted"]
    assert {"Axis loses 1 step", "Axis may advance up to 2 hexes"} <= set(told)
    assert not duties(t, "axis")  # nobody on record, so nothing to close


def test_bystanders_share_the_result_but_not_the_first_loss():
    """12.63"""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    one = enrol(t, "axis", "320 Inf", "infantry", "KB3010", strength=4)
    idle = enrol(t, "axis", "298 Inf", "infantry", "KB3010", strength=4)
    enrol(t, "soviet", "6 Rifle", "rifle", "KB3011", strength=6)
    fight(t, "KB3011", one, die="1")  # A(1)r1
    t.answer("axis", more=0)
    assert not t.game.units[one].on_map and t.game.units[idle].on_map
    assert units_asked(t, "axis", "fall-back") == (idle,)


def test_a_unit_attacks_once_a_phase():
    """12.0: also after its die has fallen."""
    t, first, *_ = fought("4")  # no effect
    enrol(t, "soviet", "9 Rifle", "rifle", "KB3009", strength=2)
    with warned("12.0", "LAH 1 attacks KB3011"):
        designate(t, "KB3009", first)
    with warned("12.0", "KB3011 is attacked already"):
        designate(t, "KB3011")


def test_the_first_loss_falls_on_the_defender_that_fought():
    """6.22, 12.63: of two multi-step units one defends; the other only shares the result."""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    first = enrol(t, "axis", "LAH 1", "panzergrenadier", "KB3010", size="III", formation="LAH", strength=20)
    fights = enrol(t, "soviet", "3 Tank", "tank", "KB3011", size="XXX", strength=2, steps=2)
    idle = enrol(t, "soviet", "6 Cav", "cavalry", "KB3011", size="XXX", strength=2, steps=2)
    designate(t, "KB3011", first)
    answer(t, "axis", "begin-assault")
    with refused(Unreadable, rule="6.22", field="units"):
        answer(t, "soviet", "announce-strength")
    with warned("6.21"):
        answer(t, "soviet", "announce-strength", units=[fights, idle])
    answer(t, "soviet", "announce-strength", units=[fights])
    answer(t, "axis", "roll-assault", die="7")
    t.answer("soviet", more=1)
    ways = options(t, "soviet", "take-losses", "how")
    assert set(ways.values()) == {"3 Tank \u22122", "3 Tank \u22121, 6 Cav \u22121"}
    with refused(Unreadable, field="how", given=f"{idle}:2"):
        answer(t, "soviet", "take-losses", how=f"{idle}:2")
    answer(t, "soviet", "take-losses", how=f"{fights}:1+{idle}:1")
    assert t.game.mark(idle, "cadre") and t.game.mark(fights, "cadre")


def test_losses_of_many_units_are_taken_at_once_by_chips():
    """12.63: with more ways than buttons each unit and number is a chip; the first loss still says whose it is."""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    first = enrol(t, "axis", "LAH 1", "panzergrenadier", "KB3010", size="III", formation="LAH", strength=20)
    fights = enrol(t, "soviet", "3 Tank", "tank", "KB3011", size="XXX", strength=2, steps=3)
    others = [
        enrol(t, "soviet", f"{n} Cav", "cavalry", "KB3011", size="XXX", strength=2, steps=3) for n in (6, 7)
    ]
    designate(t, "KB3011", first)
    answer(t, "axis", "begin-assault")
    answer(t, "soviet", "announce-strength", units=[fights])
    answer(t, "axis", "roll-assault", die="9")  # D(2)r3
    t.answer("soviet", more=2)
    with refused(Unreadable, rule="12.61", field="who", given=3):
        answer(t, "soviet", "take-losses", who=[f"{fights}:3"])
    with refused(NotNow, rule="12.63", field="who"):
        answer(t, "soviet", "take-losses", who=[f"{others[0]}:2", f"{others[1]}:2"])
    answer(t, "soviet", "take-losses", who=[f"{fights}:2", f"{others[0]}:1", f"{others[1]}:1"])
    assert [t.game.units[u].steps for u in (fights, *others)] == [1, 2, 2]


@pytest.mark.parametrize(
    ("fact", "rule"),
    [(("city", "KB3011", "", "C"), "12.82, 12.85"), (("side", "KB3010", "KB3011", "major river"), "12.82")],
)
def test_a_city_or_a_major_river_ends_the_advance(fact, rule):
    """12.82: no further than the first hex."""
    t = mapped(fact)
    jump(t, "axis-combat", 1)
    first = enrol(t, "axis", "LAH 1", "panzergrenadier", "KB3010", size="III", formation="LAH", strength=30)
    two = [enrol(t, "soviet", n, "rifle", "KB3011", strength=2) for n in ("6 Rifle", "7 Rifle")]
    fight(t, "KB3011", first, die="7", terrain="clear")  # D(1)r2
    t.answer("soviet", more=0)
    answer(t, "soviet", "take-losses", how=f"{two[0]}:1")
    t.answer("soviet", to="KB3013")
    with warned(rule):
        t.answer("axis", units=[first], hex="KB3012")
    t.answer("axis", units=[first], hex="KB3011")
    assert t.game.units[first].place == "KB3011"


def test_the_advance_starts_with_the_vacated_hex():
    """12.82: the first hex entered is the one the enemy left; a No means that nobody goes."""
    t, first, one, two = fought("7")
    t.answer("soviet", more=0)
    answer(t, "soviet", "take-losses", how=f"{one}:1")
    t.answer("soviet", to="KB3013")
    ask = duties(t, "axis", "advance")[0]
    assert next(f for f in ask["form"] if f["name"] == "hex")["value"] == "KB3011"
    t.do("axis", "dismiss", ask=ask["id"])
    assert t.game.units[first].place == "KB3010" and not t.asked("axis") and not t.game.fighting
