"""A phase's checklist: acts have a box, what the companion did ticks itself off, a reminder is only read."""

from __future__ import annotations

import pytest
from harness import Bench


@pytest.fixture
def table() -> Bench:
    return Bench("second-kharkov", "historical")


def line(table: Bench, action: str) -> bool:
    (found,) = [check for check in table.view("soviet").phase.checklist if check.action == action]
    return found.done


def test_doing_it_ticks_its_line_off(table: Bench) -> None:
    table.until("soviet-move")
    assert not line(table, "take-hex")
    table.do("soviet", "take-hex", hexes="3510", side="soviet")
    assert line(table, "take-hex")


def test_a_line_ticked_by_hand_stays_ticked(table: Bench) -> None:
    table.until("soviet-move")
    (check,) = [c for c in table.view("soviet").phase.checklist if c.action == "take-hex"]
    table.do("soviet", "tick", item=check.item, done=True)
    table.do("soviet", "take-hex", hexes="3510", side="soviet")
    assert line(table, "take-hex")


def test_a_reminder_is_no_act(table: Bench) -> None:
    table.until("soviet-move")
    reminders = [c for c in table.view("soviet").phase.checklist if not c.act and not c.action]
    assert any("8.7" in check.rule for check in reminders)
