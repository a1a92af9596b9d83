"""How long a side was awaited, by a clock that only goes forward; what passes while no server runs is nobody's time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from companion.engine.guard import attempt
from companion.engine.people.clocks import (
    BY_HAND,
    OFF,
    RUNNING,
    SPENT,
    awaited,
    limit_of,
    spent_by,
    time_passed,
)
from companion.engine.people.talk import judge
from companion.engine.play.rules import Rules
from companion.engine.record import events as e
from companion.engine.record.game import Game


def is_clock_line(body: Mapping[str, Any]) -> bool:
    """Whether a stored event only tells how long somebody was awaited."""
    return bool(body["kind"] == "set" and body["name"] == SPENT)


@dataclass(frozen=True)
class SideClock:
    """One side's clock as a screen shows it; the screen counts on by itself."""

    side: str
    name: str
    seconds: float
    """Used until now."""
    counting: bool


@dataclass(frozen=True)
class Clocks:
    """The clocks of a table."""

    paused: bool
    limit: int
    """Seconds a side; 0 without a limit."""
    sides: Sequence[SideClock]


class Stopwatch:
    """When time was last written down at each table, as far as this process has seen it.

    Nothing ticks: what is on record and this moment are enough. A table of which this process never heard begins now,
    so that what passed while no server ran is nobody's time; one that another process wrote on begins when that was heard.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self.now = now
        self._since: dict[str, tuple[tuple[Any, ...], float]] = {}
        self._frozen: dict[str, float] = {}
        self._heard: dict[str, float] = {}
        self.held_up: Callable[[str], bool] = lambda code: False
        """Whether somebody outside the game has stopped play at a table: its clocks stand still."""

    def heard(self, code: str) -> None:
        """Something was written at a table, here or by another process."""
        self._heard[code] = self.now()

    def running(self, code: str, game: Game) -> float:
        """Seconds that are not on record yet; none while the clocks stand still."""
        if _stands(game):
            self._since.pop(code, None)
            self._frozen.pop(code, None)
            return 0.0
        mark = (*game[SPENT].items(), *game[BY_HAND].items())
        known = self._since.get(code)
        if known is None or known[0] != mark:
            self._frozen.pop(code, None)
            known = self._since[code] = (mark, self._heard.get(code, self.now()))
        if self.held_up(code):
            return self._frozen.setdefault(code, max(0.0, self.now() - known[1]))
        if code in self._frozen:
            known = self._since[code] = (mark, self.now() - self._frozen.pop(code))
        return max(0.0, self.now() - known[1])

    def passed(self, code: str, rules: Rules, game: Game) -> e.Set | None:
        """Who was awaited since time was last written down, and how long: goes on record before the game changes."""
        seconds = self.running(code, game)
        return time_passed(game, _awaited(rules, game), seconds) if seconds else None

    def clocks(self, code: str, rules: Rules, game: Game) -> Clocks | None:
        """The clocks as they stand; None where the table has none."""
        if game["clock"] == OFF:
            return None
        seconds = self.running(code, game)
        stands = _stands(game) or self.held_up(code)
        waiting = _awaited(rules, game)
        sides = [
            SideClock(
                side.id,
                side.name,
                round(spent_by(game, side.id) + (seconds if side.id in waiting else 0), 1),
                side.id in waiting and not stands,
            )
            for side in game.kit.sides
        ]
        return Clocks(stands, limit_of(game), sides)


def _stands(game: Game) -> bool:
    """Whether nobody's time counts: the clocks do not run, or the table waits for a judge."""
    return game["clock"] != RUNNING or bool(judge(game))


def _awaited(rules: Rules, game: Game) -> list[str]:
    nobody: list[str] = []
    return attempt("Whom the table waits for", partial(awaited, rules, game), nobody)
