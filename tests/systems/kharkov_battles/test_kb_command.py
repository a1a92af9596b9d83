"""Soviet command [13.0] and Popov's fuel [20.1]."""

import pytest
from harness import SCENARIOS, refused
from kb_bench import answer, designate, duties, enrol, jump, synthetic_book, table, warned

from companion.engine.errors import NotNow
from companion.engine.record import events as e
from companion.engine.seat.story import dice_words
from companion.engine.seat.words import describe
from companion.systems import find_system
from companion.systems.kharkov_battles.command import must_roll


def scene(scenario="operation-star", **options):
    t = table(scenario, **options)
    jump(t, "soviet-combat", t.game.scenario.first)
    prefix = t.game.scenario.extra["map"]
    enrol(t, "axis", "enemy", "infantry", f"{prefix}3510", strength=3)
    hq = enrol(t, "soviet", "6 Army", "hq army", f"{prefix}3518", formation="red", reach=5)
    return t, prefix, hq


@pytest.mark.parametrize(
    ("column", "colour", "scenario", "rolls"),
    [
        (13, "red", "operation-star", False),  # five hexes from its HQ
        (12, "red", "operation-star", True),  # six hexes
        (13, "green", "operation-star", True),  # another army's HQ
        (13, "beige", "operation-star", False),  # reserves take any
        (13, "green", "third-kharkov-l", False),  # 20.3: any HQ
    ],
)
def test_who_must_roll(column, colour, scenario, rolls):
    t, prefix, _ = scene(scenario)
    enrol(t, "soviet", "U", "rifle", f"{prefix}35{column}", formation=colour, strength=3)
    assert [u.name for u in must_roll(t.game)] == (["U"] if rolls else [])


def test_far_from_the_enemy_nobody_rolls():
    t, prefix, hq = scene()
    enrol(t, "soviet", "U", "rifle", "KB3514", formation="green", strength=3)
    assert not must_roll(t.game)


def test_fortified_units_are_exempt_and_uncommitted_hqs_no_help():
    """13.21, 2.8"""
    t, prefix, hq = scene("second-kharkov-k")
    unit = enrol(t, "soviet", "U", "rifle", "KH3513", formation="red", strength=3)
    t.do("table", "mark", marker="uncommitted", units=[hq])
    assert [u.id for u in must_roll(t.game)] == [unit]
    t.do("table", "mark", marker="fz", hexes=["KH3513"], value="soviet")
    assert not must_roll(t.game)


def test_a_die_for_each_unit_is_no_sum():
    """13.2: two units, two rolls; neither the tray nor the log adds them up."""
    t, prefix, hq = scene()
    for number in (1, 2):
        enrol(t, "soviet", f"U{number}", "rifle", f"{prefix}3512", formation="red", strength=3)
    t.until("soviet-command", 1)
    answer(t, "soviet", "command-rolls", dice="9 8")
    roll = next(event for event in reversed(t.events) if isinstance(event, e.Rolled))
    assert roll.each and t.view("table").last_roll.each
    assert describe(roll.seen_by("table"), t.game) == "Command: 2d10 rolled 9, 8 (by hand)"
    assert dice_words(roll.seen_by("table")) == "dice 9, 8"


def test_the_phase_asks_for_each_roll_and_guards_add_one():
    t, prefix, hq = scene()
    unit = enrol(t, "soviet", "13 Gds", "rifle", "KB3512", formation="red", guards=True, strength=3)
    t.until("soviet-command", 1)
    assert "13 Gds" in duties(t, "soviet", "command-rolls")[0]["text"]
    answer(t, "soviet", "command-rolls", dice="3")  # 4 on the synthetic table: no effect
    assert t.game.mark(unit, "ooc") is None and not duties(t, "soviet", "command-rolls")
    t.do("soviet", "roll-command", unit=unit, die="2")
    assert t.game.mark(unit, "ooc") == "no attack"
    t.until("weather", 2)
    assert t.game.mark(unit, "ooc") is None


def test_an_axis_attack_commits_the_whole_colour():
    """13.12"""
    t = table("second-kharkov-k")
    axis = enrol(t, "axis", "A", "infantry", "KH3010", strength=5)
    units = [
        enrol(t, "soviet", f"U{n}", "rifle", h, formation="yellow", strength=3)
        for n, h in ((1, "KH3011"), (2, "KH3025"))
    ]
    other = enrol(t, "soviet", "V", "rifle", "KH3030", formation="blue", strength=3)
    t.do("table", "setup-uncommitted", colours=["yellow", "blue"])
    jump(t, "axis-combat", 2)
    t.do("axis", "declare-assault", target="KH3011", attackers=[axis])
    assert [bool(t.game.mark(u, "uncommitted")) for u in (*units, other)] == [False, False, True]


def test_popov_runs_dry():
    """20.1"""
    t = table("operation-star", popov_fuel=True)
    enrol(t, "axis", "enemy", "infantry", "KB3510", strength=3)
    enrol(t, "soviet", "Popov", "hq army", "KB3518", formation="orange", reach=9)
    tank = enrol(
        t, "soviet", "3 Tank", "tank", "KB3530", size="XXX", formation="orange", guards=True, rating="A"
    )
    t.until("supply", 5)
    assert not [a for a in t.asked("soviet") if a["action"] == "roll-popov"]
    with refused(NotNow, given="roll-popov"):
        t.do("soviet", "roll-popov", die="0")
    t.until("supply", 6)
    answer(t, "soviet", "roll-popov", die="5")
    assert t.game["popov"] == "fuelled"
    t.until("supply", 7)
    answer(t, "soviet", "roll-popov", die="4")
    assert t.game["popov"] == "dry"
    t.until("soviet-command", 7)
    ask = duties(t, "soviet", "command-rolls")[0]
    assert t.game.asked[ask["id"]].units == (tank,)
    answer(t, "soviet", "command-rolls", dice="6")
    assert t.game.last_result["breakdown"]["row"] == "3"  # -3, no Guards bonus
    t.until("supply", 8)
    assert not [a for a in t.asked("soviet") if a["action"] == "roll-popov"]


def test_popovs_fuel_is_rolled_once_a_turn():
    """20.1: after a roll above four the next one is on the following turn."""
    t = table("operation-star", popov_fuel=True)
    t.until("supply", 6)
    answer(t, "soviet", "roll-popov", die="5")
    with refused(NotNow, given="roll-popov"):
        t.do("soviet", "roll-popov", die="0")


def test_turn_0_asks_for_command_as_soon_as_the_counters_stand():
    """13.2, 20.1: Star begins with the command phase, before any counter is on record."""
    t = table("operation-star")
    assert (t.game.turn, t.game.phase) == (0, "soviet-command")
    enrol(t, "axis", "enemy", "infantry", "KB3510", strength=3)
    enrol(t, "soviet", "6 Army", "hq army", "KB3530", formation="red", reach=5)
    one = enrol(t, "soviet", "U", "rifle", "KB3512", formation="red", strength=3)
    two = enrol(t, "soviet", "V", "rifle", "KB3513", formation="red", strength=3)
    asks = duties(t, "soviet", "command-rolls")
    assert len(asks) == 1 and t.game.asked[asks[0]["id"]].units == (one, two)
    answer(t, "soviet", "command-rolls", dice="2 7")
    assert (t.game.mark(one, "ooc"), t.game.mark(two, "ooc")) == ("no attack", None)


def test_the_last_dead_hq_leaves_everybody_out_of_command():
    """13.2: an HQ that is on record and gone commands nobody; without any on record nobody is asked."""
    t, prefix, hq = scene()
    unit = enrol(t, "soviet", "U", "rifle", "KB3512", formation="red", strength=3)
    t.do("soviet", "eliminate-unit", unit=hq)
    t.until("soviet-command", 1)
    ask = duties(t, "soviet", "command-rolls")[0]
    assert t.game.asked[ask["id"]].units == (unit,)
    bare = table("operation-star")
    enrol(bare, "axis", "enemy", "infantry", "KB3510", strength=3)
    enrol(bare, "soviet", "U", "rifle", "KB3512", formation="red", strength=3)
    assert not duties(bare, "soviet", "command-rolls")


def test_who_comes_into_command_is_asked_no_more():
    t = table("operation-star")
    enrol(t, "axis", "enemy", "infantry", "KB3510", strength=3)
    hq = enrol(t, "soviet", "6 Army", "hq army", "KB3530", formation="red", reach=5)
    enrol(t, "soviet", "U", "rifle", "KB3512", formation="red", strength=3)
    assert duties(t, "soviet", "command-rolls")
    t.do("soviet", "place-unit", unit=hq, hex="KB3515")
    assert not duties(t, "soviet", "command-rolls")


def test_a_unit_out_of_command_is_designated_with_a_word():
    """13.2: what the table said, or that it has still to roll, is said before; the players decide."""
    t, prefix, _ = scene()
    unit = enrol(t, "soviet", "U", "rifle", "KB3511", formation="green", strength=3)
    t.until("soviet-command", 1)
    t.until("soviet-combat", 1)
    with warned("13.2", "has still to roll for command"):
        designate(t, "KB3510", unit)
    answer(t, "soviet", "command-rolls", dice="2")
    with warned("13.2", "out of command: no attack"):
        designate(t, "KB3510", unit)
    designate(t, "KB3510", unit, anyway=True)
    assert duties(t, "soviet", "begin-assault")


@pytest.mark.parametrize("result", ["normal", "No effect", "in command"])
def test_no_effect_by_whichever_word_puts_nobody_out_of_command(result):
    """13.2: read off the owner's table; and its line of the checklist is done with."""
    bare = synthetic_book()
    bare.charts["command"] = find_system("kharkov-battles", SCENARIOS).kit.charts["command"]
    t, prefix, hq = scene(book=bare)
    unit = enrol(t, "soviet", "13 Gds", "rifle", "KB3512", formation="red", strength=3)
    t.until("soviet-command", 1)
    answer(t, "soviet", "command-rolls", dice="3")
    lines = [c["done"] for c in t.sees("soviet")["phase"]["checklist"] if c["action"] == "roll-command"]
    assert lines == [True]
    ask = duties(t, "soviet", "enter-result")[0]
    assert ask["args"]["codes"] == ["No effect", "OOC"]
    t.do("soviet", "enter-result", _asked=ask["id"], result=result)
    assert t.game.mark(unit, "ooc") is None
