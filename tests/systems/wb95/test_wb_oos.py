"""Out of supply: levels, events, recovery, surrender [10.2]."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from harness import refused

from companion.engine.errors import NotNow, NotYours, StillOwed
from companion.engine.record import events as e

Make = Callable[..., Any]


def test_a_new_unit_starts_at_one_and_needs_no_roll(table: Make) -> None:
    t = table(phase="supply-a", fog=False)
    a = t.unit("soviet", "lost", "3010")
    t.do("soviet", "check-supply", out=a)
    assert t.mark(a, "oos") == 1  # 10.2.1
    assert "surrender-tests" not in t.asks()
    with refused(NotNow, given="check-supply"):
        t.do("soviet", "check-supply", out=a)


def test_full_move_and_failed_full_attack_cost_three(table: Make) -> None:
    """10.2.4 example, and one more when hit later."""
    t = table(phase="move-a", fog=False)
    a = t.unit("soviet", "lost", "3010", a=4, oos=1)
    d = t.unit("german", "landser", "3011", a=4)
    t.do("soviet", "pay-level", units=a, why="move")
    t.until("attack-a")
    t.do("soviet", "resolve-combat", target="3011", attackers=a, pay=a, die="3 4")  # 1:1, 7: -1 / -1
    assert t.mark(a, "oos") == 4
    t.until("attack-b")
    t.do(
        "german", "resolve-combat", target="3010", attackers=d, attack_sp="4", defence_sp="4", die="3 3"
    )  # 1:1, 6: - / D1
    assert t.mark(a, "oos") == 5


def test_level_does_not_grow_with_time(table: Make) -> None:
    t = table(phase="supply-a", fog=False)
    a = t.unit("soviet", "lost", "3010", oos=2)
    t.do("soviet", "check-supply", out=a)
    assert t.mark(a, "oos") == 2


def test_recovery_from_five_takes_two_phases(table: Make) -> None:
    """10.2.8 example."""
    t = table(phase="supply-a", fog=False)
    a = t.unit("soviet", "lost", "3010", oos=5)
    t.do("soviet", "check-supply", out="")
    assert t.mark(a, "oos") == 1
    t.until("supply-a", 2)
    t.do("soviet", "check-supply", out="")
    assert t.mark(a, "oos") is None


@pytest.mark.parametrize(
    ("level", "die", "gone"),
    [(3, "1 1", True), (3, "1 2", False), (12, "6 6", False), (13, "6 6", True), (9, "4 4", True)],
)
def test_surrender(table: Make, level: int, die: str, gone: bool) -> None:
    """10.2.6: level less the dice above 0."""
    t = table(phase="supply-a", fog=False)
    a = t.unit("soviet", "lost", "3010", oos=level)
    t.do("soviet", "check-supply", out=a)
    t.answer("soviet", dice=die)
    assert (t.game.units[a].place == "box:dead") is gone


def test_late_surrender_is_an_option(table: Make) -> None:
    for late in (False, True):
        t = table(phase="supply-a", fog=False, **{"late-surrender": late})
        t.unit("soviet", "lost", "3010", oos=9)
        t.do("soviet", "check-supply", out="")
        assert ("surrender-tests" in t.asks()) is late


def test_levels_by_hand(table: Make) -> None:
    t = table(fog=False)
    a = t.unit("soviet", "lost", "3010")
    t.do("soviet", "set-supply", units=a, now=4)
    t.do("soviet", "pay-level", units=a, why="air")
    assert t.mark(a, "oos") == 3
    t.do("soviet", "set-supply", units=a, now=0)
    assert t.mark(a, "oos") is None


def test_a_stack_rolls_at_once(table: Make) -> None:
    """10.2.6: two dice for each unit of the stack; another hex is asked for itself."""
    t = table(phase="supply-a", fog=False)
    stack = [t.unit("soviet", n, "3010", oos=level) for n, level in (("one", 8), ("two", 8), ("three", 2))]
    t.unit("soviet", "far", "2020", oos=5)
    t.do("soviet", "check-supply", hexes="3010 2020")
    first, second = t.asked("soviet")
    assert first["text"] == "Soviet: roll for surrender at 3010: INF level 8, INF level 8"
    assert first["form"][0]["dice"] == "4d6" and second["form"][0]["dice"] == "2d6"
    t.answer("soviet", dice="3 4 4 4")
    assert [t.game.units[u].on_map for u in stack] == [False, True, True]


def test_surrender_tests_are_not_dropped_with_the_phase(table: Make) -> None:
    """10.2.6: said before it ends, and still to be rolled after it."""
    t = table(phase="supply-a", fog=False)
    a = t.unit("soviet", "lost", "3010", oos=13)
    t.do("soviet", "check-supply", out=a)
    with refused(StillOwed) as said:
        t.do("soviet", "next-phase")
    assert said.value.said == ["Soviet: roll for surrender at 3010: INF level 13"]
    t.do("soviet", "next-phase", anyway=True)
    t.settle("soviet", "surrender-tests", dice="6 6")
    assert t.game.units[a].place == "box:dead"


def test_a_unit_that_died_meanwhile_is_not_tested(table: Make) -> None:
    t = table(phase="supply-a", fog=False)
    a = t.unit("soviet", "lost", "3010", oos=9)
    t.do("soviet", "check-supply", out=a)
    t.do("soviet", "lose-cel", units=a, cel=2)
    assert t.asks() == []


def test_unchecked_supply_is_said(table: Make) -> None:
    """10.1.2: a side with units on record does not end its supply phase unknowingly."""
    t = table(phase="supply-a", fog=False)
    t.do("soviet", "next-phase")  # nobody on record: nothing to check
    t.until("supply-a", 2)
    t.unit("soviet", "rifles", "3010")
    with refused(StillOwed) as said:
        t.do("soviet", "next-phase")
    assert said.value.said == ["Soviet: supply is not checked yet (10.1.2)"]
    t.do("soviet", "check-supply")
    t.do("soviet", "next-phase")


def test_the_other_side_is_not_checked(table: Make) -> None:
    t = table(phase="supply-a", fog=False)
    g = t.unit("german", "landser", "3011", oos=6)
    t.do("soviet", "check-supply", out="")
    assert t.mark(g, "oos") == 6


def test_surrender_question_stays_with_its_side(table: Make) -> None:
    t = table(phase="supply-a")
    a = t.unit("soviet", "lost", "3010", oos=9)
    t.do("soviet", "check-supply", out=a)
    assert t.asked("soviet")
    assert not t.sees("german")["asked"]


def test_the_supply_page_keeps_levels(table: Make) -> None:
    """The engine's one-tap check would set every level to 1; here a level stays and supply takes 4 off."""
    t = table(phase="supply-a", fog=False)
    old, new, back = (t.unit("soviet", n, h) for n, h in (("old", "3010"), ("new", "3012"), ("back", "3030")))
    t.do("table", "set-supply", units=f"{old},{back}", now=6)
    t.do("soviet", "apply-supply", side="soviet", out=f"{old}\n{new}", back=back)
    assert [t.mark(u, "oos") for u in (old, new, back)] == [6, 1, 2]
    with refused(NotYours, field="side"):
        t.do("german", "apply-supply", side="soviet", out=old)


def test_one_tap_checks_supply_and_tells_what_was_found(table: Make) -> None:
    """[10.1.2] The trace is booked as it is; nobody cut off is said where it was asked, and only to that side under fog."""
    t = table(phase="supply-a")
    t.unit("soviet", "rifles", "3010")
    (offer,) = [a for a in t.sees("soviet")["actions"] if a["name"] == "trace-supply"]
    assert offer["fields"] == 0 and offer["primary"]
    said = t.do("soviet", "trace-supply")
    (noted,) = [one for one in said if isinstance(one, e.Noted)]
    assert noted.rule == "10.1.2" and noted.only == ("soviet",)
    with refused(NotNow, given="check-supply"):
        t.do("soviet", "check-supply")


def test_one_tap_finds_a_pocket(table: Make) -> None:
    """[10.2.1] Ringed by the enemy: level 1, without a form."""
    t = table(phase="supply-a", fog=False)
    inside = t.unit("soviet", "pocket", "3011")
    for hex_id in t.game.maps.neighbours("3011"):
        t.unit("german", f"ring {hex_id}", hex_id)
    t.do("soviet", "trace-supply")
    assert t.game.mark(inside, "oos") == 1


def test_without_counters_nothing_can_be_traced(table: Make) -> None:
    """The pocket is named instead."""
    t = table(phase="supply-a")
    with refused(NotNow, given="trace-supply"):
        t.do("soviet", "trace-supply")
