"""Mobile Assaults [11.2] and Overruns [11.3]."""

import pytest
from harness import refused
from kb_bench import answer, battle, designate, enrol, jump, mapped, synthetic_book, table, total, warned

from companion.engine.errors import NotNow, NotYours, Unreadable
from companion.systems.kharkov_battles.mobile_results import parse


def moving(*facts, scenario="operation-star", phase="axis-move", **options):
    t = mapped(*facts, scenario=scenario, **options)
    jump(t, phase, 2)
    t.do("table", "correct", name="weather", value="clear")
    unit = enrol(t, "axis", "LAH 1", "panzer", "KB3010", size="III", formation="LAH", strength=9, steps=2)
    enemy = enrol(t, "soviet", "6 Rifle", "rifle", "KB3011", strength=3)
    return t, unit, enemy


@pytest.mark.parametrize(
    ("code", "meaning"),
    [
        ("Dr3", (0, 3, False, 0)),
        ("D(1)r3", (1, 3, False, 0)),
        ("AD", (0, 0, True, 0)),
        ("A(1)D", (0, 0, True, 1)),
        ("A(2)D", (0, 0, True, 2)),
    ],
)
def test_codes(code, meaning):
    assert parse(code) == meaning


def test_exact_odds_bring_their_own_modifier():
    """27.2: 4-1 is not also 3-1."""
    t, *_ = moving()
    sheet = t.calc("mobile-odds", attack=9, defence=3)
    assert sheet.column == "3-1" and sheet.modifier == 2
    assert t.calc("mobile-odds", attack=14, defence=3).modifier == 3


def test_the_rulebooks_cost_example():
    """Leaving an enemy zone 3, one clear hex 1, the assault 2+1: seven in all."""
    t, *_ = moving()
    assert t.calc("mobile-odds", attack=9, defence=3, terrain_cost=1).facts["cost"] == 3
    with warned("11.2", "3 MP are needed, 2 are left"):
        t.do("axis", "mobile-assault", attack=9, defence=3, mp_left=2, die="4")


def test_a_success_moves_the_defender_by_the_attackers_hand():
    t, unit, enemy = moving()
    t.do("axis", "mobile-assault", unit=unit, target="KB3011", attack=9, defence=3, die="5")  # 7: Dr3
    assert battle(t).result == "Dr3"
    assert t.asked("axis")[0]["text"] == "Axis: move the defenders from KB3011, 3 hexes"
    assert not t.asked("soviet")
    with refused(NotYours, given="soviet"):
        t.do("soviet", "fall-back", _asked=t.asked("axis")[0]["id"], to="KB3014")
    t.answer("axis", to="KB3014")
    assert t.game.units[enemy].place == "KB3014"
    assert t.game.units[unit].place == "KB3011"  # 11.2: into the vacated hex
    assert not t.game.fighting


def test_the_attacker_moves_them_also_when_nobody_is_on_record():
    """11.26: 14 to 5 and a 5: the Soviet attacker is asked, and his answer is taken."""
    line = {f"r{n}": "Dr1" for n in range(10)}
    t = table(
        "operation-star", synthetic_book(**{"ma-table": {"all": {"below": "AD", **line, "above": "Dr1"}}})
    )
    jump(t, "soviet-move", 2)
    t.do("table", "correct", name="weather", value="clear")
    t.do("soviet", "mobile-assault", attack=14, defence=5, die="5")
    assert t.asked("soviet")[0]["text"] == "Soviet: move the defenders, 1 hex" and not t.asked("axis")
    t.answer("soviet")
    assert not t.asked("table") and not t.game.fighting


def test_a_declared_assault_asks_for_air_and_strength_and_is_rolled():
    """11.2: air, chits, odds, die; the entire hex defends."""
    t, unit, enemy = moving()
    more = [enrol(t, "soviet", f"{n} Rifle", "rifle", "KB3011", strength=3, steps=2) for n in (7, 8)]
    for side in ("axis", "soviet"):
        t.do("table", "correct", name=f"air-{side}", value="1")
    with warned("11.2", "LAH 1 is not adjacent to KB3020"):
        t.do("axis", "declare-mobile", unit=unit, target="KB3020")
    with refused(Unreadable, field="points", given="2"):
        t.do("axis", "declare-mobile", unit=unit, target="KB3011", points=2)
    t.do("axis", "declare-mobile", unit=unit, target="KB3011", points=1)
    with warned("11.2", "finish the Mobile Assault on KB3011"):
        t.do("axis", "declare-mobile", unit=unit, target="KB3011")
    answer(t, "soviet", "commit-air", points=0)
    assert set(battle(t).units("soviet")) == {enemy, *more}
    assert (total(t, "attack"), total(t, "defence")) == (9, 9)
    answer(t, "axis", "roll-mobile", die="0")
    assert t.game["air-axis"] == 0 and t.game["air-soviet"] == 1
    with warned("11.2", "has made its Mobile Assault"):
        t.do("axis", "declare-mobile", unit=unit, target="KB3011")


def test_a_failure_disorganizes_and_halves_until_the_combat_phase_is_over():
    """11.27, 11.28"""
    t, unit, _ = moving()
    t.do("axis", "mobile-assault", unit=unit, target="KB3011", attack=4, defence=3, die="0")  # AD
    assert t.game.mark(unit, "disorganized")
    t.until("axis-combat", 2)
    designate(t, "KB3011", unit)
    answer(t, "axis", "begin-assault")
    assert total(t, "attack") == 4
    t.next()
    assert not t.game.mark(unit, "disorganized")


def test_a_failure_may_cost_the_attacking_unit_a_step():
    """11.27: A(1)D; one unit, so there is nothing to choose."""
    t, unit, _ = moving()
    t.do("axis", "mobile-assault", unit=unit, target="KB3011", attack=4, defence=3, die="3")
    assert t.game.mark(unit, "disorganized") and t.game.mark(unit, "cadre") and not t.asked("table")


def test_after_an_ad_everybody_is_told_that_the_unit_stops():
    """11.27: in the log, and beside the map until the phase is over."""
    t, unit, _ = moving()
    t.do("axis", "mobile-assault", unit=unit, target="KB3011", attack=4, defence=3, die="0")  # AD
    words = [event.text for event in t.events if event.KIND == "noted"]
    assert "LAH 1 stops: it moves no further this phase, and is Disorganized" in words
    panel = next(p for p in t.sees("axis")["panels"] if p["title"] == "Moves no further")
    assert [r["label"] for r in panel["rows"]] == ["LAH 1"]
    t.until("axis-combat", 2)
    assert "Moves no further" not in [p["title"] for p in t.sees("axis")["panels"]]


def test_below_even_odds_there_is_no_die():
    """11.21"""
    t, unit, _ = moving()
    done = t.do("axis", "mobile-assault", unit=unit, target="KB3011", attack=2, defence=3)
    assert not [x for x in done if x.KIND == "rolled"]
    assert t.game.mark(unit, "disorganized")


def test_once_a_unit_and_twice_a_hex():
    """11.2, 11.24"""
    t, unit, _ = moving()
    t.do("axis", "mobile-assault", unit=unit, target="KB3011", attack=9, defence=3, die="0")
    with warned("11.2"):
        t.do("axis", "mobile-assault", unit=unit, target="KB3011", attack=9, defence=3, die="0")
    others = [
        enrol(t, "axis", f"{n}", "panzer", "KB3012", size="III", formation=f"{n}", strength=9, steps=2)
        for n in "ab"
    ]
    t.do("axis", "mobile-assault", unit=others[0], target="KB3011", attack=9, defence=3, die="0")
    with warned("11.24"):
        t.do("axis", "mobile-assault", unit=others[1], target="KB3011", attack=9, defence=3, die="0")


@pytest.mark.parametrize(
    "fact",
    [
        ("town", "KB3011", "", "T"),
        ("terrain", "KB3011", "", "marsh"),
        ("terrain", "KB3010", "", "marsh"),
        ("side", "KB3010", "KB3011", "major river"),
    ],
)
def test_ground_that_forbids_it(fact):
    t, unit, _ = moving(fact)
    with warned("11.22"):
        t.do("axis", "mobile-assault", unit=unit, target="KB3011", attack=9, defence=3, die="5")


def test_only_from_the_zone_of_the_target_alone():
    t, unit, _ = moving()
    enrol(t, "soviet", "7 Rifle", "rifle", "KB3110", strength=3)
    with warned("11.2"):
        t.do("axis", "mobile-assault", unit=unit, target="KB3011", attack=9, defence=3, die="5")


@pytest.mark.parametrize(
    ("marker", "value", "rule"),
    [("ls", "on", "9.4"), ("supply", "oos", "11.2"), ("infiltrated", "on", "11.2")],
)
def test_units_that_may_not(marker, value, rule):
    t, unit, _ = moving()
    t.do("table", "mark", marker=marker, units=[unit], value=value)
    with warned(rule):
        t.do("axis", "mobile-assault", unit=unit, target="KB3011", attack=9, defence=3, die="5")


def test_no_mobile_assaults_in_mud_nor_by_soviets_in_second_kharkov():
    t, unit, _ = moving()
    t.do("table", "correct", name="weather", value="mud")
    with refused(NotNow, given="mobile-assault"):
        t.do("axis", "mobile-assault", attack=9, defence=3, die="5")
    k = table("second-kharkov-k")
    jump(k, "soviet-move", 2)
    with refused(NotNow, given="mobile-assault"):
        k.do("soviet", "mobile-assault", attack=9, defence=3, die="5")


def test_blank_modifiers_and_tables_are_left_to_the_players():
    t = table("operation-star", synthetic_book(**{"ma-drm": {}, "ma-table": {}}))
    jump(t, "axis-move", 2)
    t.do("table", "correct", name="weather", value="clear")
    t.do("axis", "mobile-assault", attack=9, defence=3, die="5")
    assert "odds 3-1" in t.asked("axis")[0]["text"]
    t.answer("axis", result="D(1)r3")
    assert t.asked("axis")[0]["action"] == "fall-back"  # the step is taken on the board


def test_the_winter_bonus_is_not_for_mobile_assaults():
    """14.2"""
    t, *_ = moving(phase="soviet-move")
    t.do("table", "correct", name="weather", value="freeze")
    tank = enrol(t, "soviet", "3 Tank", "tank", "KB3510", size="XXX", rating="A")
    enrol(t, "axis", "320 Inf", "infantry", "KB3511", strength=3)
    t.do("soviet", "declare-mobile", unit=tank, target="KB3511")
    number = int(t.game.piles["chits"][f"at:{tank}"][0][1:])
    assert total(t, "attack") == number + 3


# -- overrun -----------------------------------------------------------------------------------------------


def test_a_lone_hq_is_overrun_and_comes_back_after_five_turns():
    t, unit, enemy = moving()
    hq = enrol(t, "soviet", "6 Army", "hq army", "KB3015", reach=5)
    with warned("11.31", "6 Rifle has a zone of control"):
        t.do("axis", "overrun", victim=enemy, by_unit=unit)
    t.do("axis", "overrun", victim=hq, by_unit=unit)
    assert t.game.units[hq].place == "box:track" and t.game.units[hq].turn == 7


def test_popov_and_bobkin_never_return():
    """15.13"""
    t, unit, _ = moving()
    hq = enrol(t, "soviet", "Group Popov", "hq army", "KB3015", reach=5)
    t.do("axis", "overrun", victim=hq, by_unit=unit)
    assert t.game.units[hq].place == "box:dead"


def test_forced_displacement():
    """11.32"""
    t, unit, enemy = moving()
    hq = enrol(t, "soviet", "6 Army", "hq army", "KB3012", reach=5)
    t.do("axis", "overrun", victim=hq, by_unit=unit)
    answer(t, "soviet", "overrun-fate", fate="KB3011")
    assert t.game.units[hq].place == "KB3011"


def test_a_hq_in_a_fortified_zone_cannot_be_overrun():
    """18.12: it has a zone there."""
    t, unit, _ = moving()
    hq = enrol(t, "soviet", "6 Army", "hq army", "KB3015", reach=5)
    t.do("table", "mark", marker="fz", hexes=["KB3015"], value="soviet")
    with refused(NotNow, given="overrun"):
        t.do("axis", "overrun", victim=hq, by_unit=unit)


@pytest.mark.parametrize(
    ("side", "kind", "scenario", "turn", "barred"),
    [
        ("axis", "panzer", "operation-star", 2, ""),
        ("axis", "infantry", "operation-star", 2, "11.1"),
        ("soviet", "cavalry", "operation-star", 2, ""),
        ("soviet", "rifle", "operation-star", 2, "11.1"),
        ("soviet", "tank", "second-kharkov-k", 1, ""),
        ("soviet", "tank", "second-kharkov-k", 2, "20.2"),
        ("soviet", "tank", "january-campaign", 62, "27.2"),
        ("axis", "panzer", "january-campaign", 62, ""),
    ],
)
def test_who_may_infiltrate(side, kind, scenario, turn, barred):
    """11.1, 20.2, 27.2"""
    t = table(scenario)
    jump(t, f"{side}-move", turn)
    prefix = t.game.scenario.extra["map"]
    unit = enrol(t, side, "U", kind, f"{prefix}2010", size="XXX", formation="X")
    if barred:
        with warned(barred, "U does not infiltrate"):
            t.do(side, "infiltrate", units=[unit], hex=f"{prefix}2011")
    else:
        t.do(side, "infiltrate", units=[unit], hex=f"{prefix}2011")
        assert t.game.units[unit].place == f"{prefix}2011"
        assert t.game.mark(unit, "infiltrated")


def test_a_mobile_assault_that_kills_the_last_defender_carries_the_attacker_in():
    """11.2: the target hex is vacated, however it came to be."""
    t, unit, enemy = moving()
    t.do("axis", "mobile-assault", unit=unit, target="KB3011", attack=9, defence=3, die="7")  # 9: D(1)r3
    answer(t, "soviet", "take-losses", how=f"{enemy}:1")
    assert not t.asked("axis")
    assert t.game.units[unit].place == "KB3011"


def test_the_way_back_from_a_mobile_assault_costs_steps():
    """11.26, 12.71, 12.73: zones entered and hexes not found cost the defender steps, as after any combat."""
    t, unit, enemy = moving()
    other = enrol(t, "soviet", "7 Rifle", "rifle", "KB3011", strength=3)
    t.do("axis", "mobile-assault", unit=unit, target="KB3011", attack=9, defence=3, die="5")  # 7: Dr3
    t.answer("axis", to="map", hex="KB3014", steps=1)
    assert "lose 1 step on the way back" in t.asked("soviet")[0]["text"]
    t.answer("soviet", how=f"{other}:1")
    assert t.game.units[other].place == "box:pool" and t.game.units[enemy].place == "KB3014"


@pytest.mark.parametrize("action", ["declare-mobile", "mobile-assault"])
def test_a_mobile_assault_commits_the_whole_colour(action):
    """13.12: being attacked is enough."""
    t = table("second-kharkov-k")
    jump(t, "weather", 1)
    unit = enrol(t, "axis", "3 Pz", "panzer", "KH3010", size="III", formation="3 Pz", strength=9, steps=2)
    near = enrol(t, "soviet", "A", "rifle", "KH3011", formation="green", strength=3)
    far = enrol(t, "soviet", "B", "rifle", "KH2020", formation="green", strength=3)
    t.do("table", "setup-uncommitted", colours=["green"])
    jump(t, "axis-move", 2)
    fields = {"attack": 9, "defence": 3, "die": "5"} if action == "mobile-assault" else {}
    t.do("axis", action, unit=unit, target="KH3011", **fields)
    assert not t.game.mark(near, "uncommitted") and not t.game.mark(far, "uncommitted")


def test_only_multi_step_units_overrun_and_not_over_a_major_river():
    """11.31, 11.33"""
    t, unit, _ = moving(("side", "KB3009", "KB3010", "major river"))
    hq = enrol(t, "soviet", "6 Army", "hq army", "KB3009", reach=5)
    weak = enrol(t, "axis", "Alarm", "infantry", "KB3008", size="II", strength=1)
    with warned("11.31"):
        t.do("axis", "overrun", victim=hq, by_unit=weak)
    with warned("11.33"):
        t.do("axis", "overrun", victim=hq, by_unit=unit)


def test_a_unit_is_displaced_only_to_a_friend_whose_zone_covers_it():
    """11.32: its owner chooses, and may let it go."""
    t, unit, enemy = moving()
    hq = enrol(t, "soviet", "6 Army", "hq army", "KB3012", reach=5)
    enrol(t, "soviet", "far", "rifle", "KB3020", strength=3)
    t.do("axis", "overrun", victim=hq, by_unit=unit)
    assert t.game.units[hq].place == "KB3012"  # until its owner has said
    with refused(NotYours, given="axis"):
        t.do("axis", "overrun-fate", fate="lost", _asked=t.asked("soviet")[0]["id"])
    with refused(Unreadable, field="fate", given="KB3020"):
        answer(t, "soviet", "overrun-fate", fate="KB3020")
    answer(t, "soviet", "overrun-fate", fate="lost")
    assert t.game.units[hq].place == "box:track"
