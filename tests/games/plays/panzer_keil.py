"""Panzer Keil: a whole winter with a made-up owner's book, to its score."""

from __future__ import annotations

from typing import Any
from unittest import mock

from systems.panzer_keil import test_pk_playthrough as whole
from systems.panzer_keil.pk_bench import owners_book

from ..recorder import Stored
from . import common


class Table(Stored):
    """A table that puts down a moment when a turn of interest begins."""

    def do(self, seat: str, action: str, **fields: Any) -> list[Any]:
        done = super().do(seat, action, **fields)
        if self.game.ended:
            self.refold()  # the playthrough compares it with its record, which has lists where it has tuples
        return done

    def next(self, seat: str = "table") -> list[Any]:
        done = super().next(seat)
        if self.game.turn in (2, 6) and self.game.phase == "soviet-combat":
            self.moment(f"turn {self.game.turn}, Soviet combat")
        return done


def winter_1943() -> None:
    """Weather, supply, support, battles with all that follows, reinforcements, recovery, and the count at the end."""
    with mock.patch.object(whole, "started", _started):
        whole.test_a_whole_game_to_its_score()
    common.judge_called(Stored.opened, "soviet")


def _started() -> Table:
    t = Table("panzer-keil", "winter-1943", owners_book(whole.GROUND, counters=whole.COUNTERS))
    common.evening_begins(t)
    t.do("table", "set-up")
    for unit, place in {**whole.GERMANS, **whole.SOVIETS}.items():
        t.do("table", "place-unit", unit=unit, hex=place)
    t.do("table", "mark", marker="disrupted", units="302id", value="d", reason="by hand")
    common.roll_taken_back(t, "german")
    t.moment("set up")
    return t
