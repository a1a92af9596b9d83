"""Soviet command [13.0] and Popov's fuel [20.1]."""

import pytest
from harness import refused
from kb_bench import enrol, jump, table

from companion.engine.errors import NotNow
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


def test_the_phase_asks_for_each_roll_and_guards_add_one():
    t, prefix, hq = scene()
    unit = enrol(t, "soviet", "13 Gds", "rifle", "KB3512", formation="red", guards=True, strength=3)
    t.until("soviet-command", 1)
    ask = t.asked("soviet")[0]
    assert ask["args"] == {"unit": unit, "guards": True, "no_fuel": False}
    t.answer("soviet", die="3")  # 4 on the synthetic table: no effect
    assert t.game.mark(unit, "ooc") is None
    t.do("soviet", "roll-command", unit=unit, die="3")
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
    t.answer("soviet", die="5")
    assert t.game["popov"] == "fuelled"
    t.until("supply", 7)
    t.answer("soviet", die="4")
    assert t.game["popov"] == "dry"
    t.until("soviet-command", 7)
    ask = t.asked("soviet")[0]
    assert ask["args"]["unit"] == tank and ask["args"]["no_fuel"]
    t.answer("soviet", die="6")
    assert t.game.last_result["breakdown"]["row"] == "3"  # -3, no Guards bonus
    t.until("supply", 8)
    assert not [a for a in t.asked("soviet") if a["action"] == "roll-popov"]


def test_popovs_fuel_is_rolled_once_a_turn():
    """20.1: after a roll above four the next one is on the following turn."""
    t = table("operation-star", popov_fuel=True)
    t.until("supply", 6)
    t.answer("soviet", die="5")
    with refused(NotNow, given="roll-popov"):
        t.do("soviet", "roll-popov", die="0")
