"""WB-95: the three scenarios to their last day, and a table stopped while air missions lie sealed."""

from __future__ import annotations

import random
from typing import Any

from systems.wb95 import conftest
from systems.wb95.test_wb_replay import act, answers, attempt
from systems.wb95.test_wb_victory import VP42, play_out

from ..recorder import Stored
from . import common


class Table(conftest.Table, Stored):
    """The tests' own table, kept in a store."""


def _noisy_days(t: Table, days: int) -> None:
    """Set up, give some counters their strength, and play days on which everything is tried."""
    rng = random.Random(t.scenario)
    t.do("table", "set-up")
    for unit in rng.sample(sorted(t.game.units), 12):
        t.do(t.game.units[unit].side, "set-counter", unit=unit, attack=rng.randint(2, 8))
    t.moment("set up")
    while t.game.turn <= days and not t.game.ended:
        act(t, rng)
        for due in t.sees(t.game.active or "table")["due"]:
            if due["open"]:
                attempt(t, t.game.active, "arrive", arrival=due["id"])
        if t.game.turn == days and t.game.phase == "attack-b":
            t.moment(f"day {days}, second attack")
        if not t.game.ended:
            t.next()
    _battle(t)
    _book_keeping(t)


def _battle(t: Table) -> None:
    """An attack on a lone regiment, by real dice: it falls back, and what follows is answered."""
    t.until("attack-a")
    side = t.game.active
    here, there = _empty_pair(t)
    attacker = t.unit(side, "storm group", here, a=12)
    t.unit(t.game.other(side), "rearguard", there, a=3)
    t.do(side, "resolve-combat", target=there, attackers=attacker, die="3 4")
    t.moment("a battle is won")
    answers(t)


def _empty_pair(t: Table) -> tuple[str, str]:
    """Two neighbouring hexes with nobody in or around them."""
    maps, taken = t.game.maps, set(t.game.stacks())
    for column in range(20, 40):
        here = f"{column}20"
        for there in maps.neighbours(here):
            if not taken & {here, there, *maps.neighbours(here), *maps.neighbours(there)}:
                return here, there
    raise AssertionError("the map is full")


def _book_keeping(t: Table) -> None:
    side, other = t.game.sides
    unit = next(u.id for u in t.game.units.values() if u.side == side and u.on_map)
    t.do(side, "mark", marker="disorganised", units=unit, reason="rolled on the table")
    t.do(side, "lose-cel", units=unit, cel=1)
    common.tidy(t)
    common.tick(t)
    common.roll_taken_back(t, other)
    common.judge_called(t, other)


def kharkov_1942() -> None:
    """Seventeen days; thirteen hexes decide."""
    t = Table("wb95", "kharkov-1942", fog=True)
    common.evening_begins(t)
    _noisy_days(t, 3)
    hexes = VP42.split()
    t.do("table", "set-control", hexes=" ".join(hexes[:7]), by="german")
    t.do("table", "set-control", hexes=" ".join(hexes[7:]), by="soviet")
    play_out(t)


def kharkov_1943() -> None:
    """Twenty-two days of winter; the Soviets hold."""
    t = Table("wb95", "kharkov-1943", fog=False)
    common.evening_begins(t)
    _noisy_days(t, 3)
    play_out(t)


def black_snow() -> None:
    """Seventeen days on real dice, counted by hand."""
    t = Table("wb95", "black-snow", mode_dice="either")
    common.evening_begins(t)
    _noisy_days(t, 2)
    t.do("table", "set-mode", dice="physical", fog=True)
    t.do("german", "roll-dice", dice="2d6", result="3 5")
    t.do("table", "correct", name="izjum", value="german")
    t.do("table", "set-control", hexes="2815 2915 2609 0132 0133 0713 0824 0825 2104", by="soviet")
    t.do("table", "correct", name="city-vp-german", value="10")
    play_out(t)


def sealed_missions() -> None:
    """Kharkov 1943: chosen, chosen again, taken back while sealed, opened together, fought; the next ones stay sealed."""
    t = Table("wb95", "kharkov-1943")
    common.evening_begins(t)
    t.do("table", "set-up")
    t.until("air-a", _both_fly(t))
    _plan(t, "german", "attack", "2020", 2)
    t.moment("one side has chosen")
    before = t.revision
    _plan(t, "german", "support", "2222", 1)
    t.do("german", "take-back", to=before)
    t.moment("back to the first choice")
    _plan(t, "german", "support", "2020", 2)
    _plan(t, "soviet", "support", "2021", 1)
    t.moment("all lie open")
    for ask in [a for a in t.asked("table") if a["action"] == "fight-in-the-air"]:
        t.do("table", "fight-in-the-air", _asked=ask["id"], german_die="5", soviet_die="2")
    t.until("air-b")
    _plan(t, "soviet", "support", "2323", 1)


def _both_fly(t: Table) -> int:
    """The first day on which both sides have aircraft for two air phases."""
    by_turn = t.game.scenario.by_turn
    for turn in range(t.game.scenario.first, t.game.last + 1):
        if all(int(by_turn.get(f"air-{side}", {}).get(str(turn), 0)) >= 3 for side in t.game.sides):
            return turn
    raise AssertionError("no day on which both sides fly")


def _plan(t: Table, side: str, mission: str, over: str, points: int) -> Any:
    return t.do(side, "assign-air", mission_1=mission, hex_1=over, sp_1=points)
