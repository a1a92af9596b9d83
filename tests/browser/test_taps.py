"""What an act costs, from rest to rest: every tap and every typed character, on all three devices.

`make taps` runs this file alone, fails over any budget, and writes docs/taps.md. A row that is known to be over its
budget says so (`over`): beside the other tests it is expected to fail, and must be let go of as soon as it does not.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import ownbooks
import pytest
from playwright.sync_api import Locator, Page, expect
from screens import Screens, hand
from tablehand import Table

TARGET = os.environ.get("COMPANION_TAPS", "")
"""Where the table is written."""


class Cost(NamedTuple):
    """Taps, and characters typed."""

    taps: int
    typed: int = 0

    def __str__(self) -> str:
        return f"{self.taps}+{self.typed}" if self.typed else str(self.taps)

    def within(self, budget: Cost) -> bool:
        """A tap may take the place of a typed character, but never the other way round."""
        return sum(self) <= sum(budget) and self.typed <= budget.typed


ACTS: dict[str, tuple[str, Cost]] = {
    "next phase": ("1", Cost(1)),
    "roll a die": ("1", Cost(1)),
    "undo": ("1", Cost(1)),
    "roll weather (digital)": ("3", Cost(1)),
    "draw the chits owed": ("3", Cost(1)),
    "play a card": ("4", Cost(2)),
    "play a tactic": ("4", Cost(2)),
    "Second Kharkov combat, nothing on record": ("14+3", Cost(8, 3)),
    "Second Kharkov combat, three units": ("23+7", Cost(9)),
    "WB-95 combat (a D3), nothing on record": ("19+3", Cost(8, 3)),
    "WB-95 combat (a D3), units": ("20+7", Cost(9, 3)),
    "Enemy Action combat, plain, nothing on record": ("22+6", Cost(10, 4)),
    "Enemy Action combat, units, real cup, loss and retreat": ("23+4", Cost(9)),
    "Kharkov Battles combat, direct": ("11+3", Cost(8, 3)),
    "Kharkov Battles combat, units and chits": ("35+8", Cost(12)),
    "Panzer Keil combat, nothing on record": ("9+6", Cost(8, 4)),
    "Panzer Keil combat, 8 attackers, 3 stacks retreat": ("22", Cost(8)),
    "reinforcement in": ("3", Cost(1)),
    "reinforcement in, with a hex": ("4+4", Cost(2)),
    "mark out of supply": ("4+4 to 10+4", Cost(2)),
    "move a stack": ("6+4 to 12", Cost(2)),
    "correct a value": ("4", Cost(2)),
}
NOW: dict[str, Cost] = {}
"""What each act cost when it was done just now."""


class OverBudget(AssertionError):
    """An act costs more than it may."""


def over(why: str) -> pytest.MarkDecorator:
    """A row that is known to be over its budget, and why: as soon as it is not, this fails and must go."""
    return pytest.mark.xfail(raises=OverBudget, strict=True, reason=why)


@contextlib.contextmanager
def counted(screens: Screens, act: str) -> Iterator[None]:
    """Count what is done on all devices, until they rest, and hold it to the budget."""
    screens.forget()
    yield
    for page in screens.all().values():
        expect(page.locator("#sheet .sheet")).to_have_count(0)
    NOW[act] = cost = Cost(*screens.cost())
    budget = ACTS[act][1]
    assert cost.taps, f"{act}: nothing was counted"
    if not cost.within(budget):
        raise OverBudget(f"{act}: {cost}, and {budget} is allowed")


@pytest.fixture(scope="module", autouse=True)
def table_of_taps() -> Iterator[None]:
    """Write docs/taps.md, where it is wanted."""
    yield
    if TARGET:
        rows = [
            f"| {act} | {was} | {budget} | {told(NOW.get(act), budget)} |"
            for act, (was, budget) in ACTS.items()
        ]
        Path(TARGET).write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")


def told(now: Cost | None, budget: Cost) -> str:
    return "not done" if now is None else str(now) if now.within(budget) else f"**{now}**, over"


HEAD = """# Taps

What an act costs from rest to rest: every tap on all devices, both players', and after `+` every typed character. Written by `make taps`,
which does each act with real clicks on a tablet and two phones and fails where one is over its budget. *Was* is what the act cost before screens were
made for it. A tap may take the place of a typed character, never the other way round.

| act | was | budget | now |
|---|---|---|---|
"""


def type_in(field: Locator, text: str) -> None:
    """Tap a field and type, as a finger must."""
    field.click()
    field.press_sequentially(text)


def changed(table: Table, since: int) -> None:
    """The server has heard of it."""
    assert table.sees("table")["revision"] > since


# -- every minute ---------------------------------------------------------------------------------------------


def test_next_phase_die_and_undo(own_server, device) -> None:
    table = Table(own_server, "second-kharkov", "historical", **{"mode-dice": "digital"})
    screens = Screens(table, device, "soviet", "german")
    tablet = screens.tablet
    before = tablet.locator("#phase").inner_text()
    with counted(screens, "next phase"):
        tablet.get_by_role("button", name=re.compile("Next phase")).click()
        expect(tablet.locator("#phase")).not_to_have_text(before)
    with counted(screens, "undo"):
        tablet.get_by_role("button", name=re.compile("Undo")).click()
        expect(tablet.locator("#phase")).to_have_text(before)
    with counted(screens, "roll a die"):
        screens.phones["german"].get_by_role("button", name="Roll 1d6").click()
        expect(tablet.locator(".dice .die")).to_have_count(1)


def test_weather(own_server, device) -> None:
    """5.1.1 of WB-95; any game's roll that asks nothing else."""
    table = Table(own_server, "wb95", "kharkov-1942", **{"mode-dice": "digital"})
    table.do("table", "go-to", turn=2, phase="weather")
    screens = Screens(table, device, "soviet", "german")
    with counted(screens, "roll weather (digital)"):
        screens.tablet.get_by_role("button", name=re.compile("[Rr]oll.*weather|Roll")).first.click()
        expect(screens.tablet.locator("#toast")).to_contain_text(re.compile("eather|lear|rain|ud", re.I))
