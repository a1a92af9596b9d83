"""Moments of the game, the phases of its days: counted, compared, and kept as one number (day 3 phase 10 is 310)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from companion.engine.record.game import Game
from companion.systems.wb95.base import ATTACK

_WRITTEN = re.compile(r"(?:day )?(\d+)(?: phase |/)(\d+)")


@dataclass(frozen=True, order=True)
class Moment:
    """A phase of a day, by its printed number."""

    day: int
    phase: int

    def __str__(self) -> str:
        return f"day {self.day} phase {self.phase}"

    def __int__(self) -> int:
        """How a marker keeps it."""
        return 100 * self.day + self.phase

    @classmethod
    def of(cls, number: int) -> Moment:
        return cls(*divmod(number, 100))


def when(game: Game, turn: int, phase: str) -> Moment:
    """A phase, by its name, of a day."""
    found = game.phase_def(phase)
    return Moment(turn, int(found.code) if found else 0)


def now(game: Game) -> Moment:
    return when(game, game.turn, game.phase)


def next_attacks(game: Game) -> tuple[Moment, Moment]:
    """The next two combat phases after this moment [9.1.6]."""
    days = (game.turn, game.turn + 1)
    coming = [m for day in days for p in ATTACK if (m := when(game, day, p)) > now(game)]
    return coming[0], coming[1]


def before(game: Game, attack: Moment) -> Moment:
    """The combat phase before another."""
    first, second = (when(game, attack.day, p) for p in ATTACK)
    return first if attack == second else when(game, attack.day - 1, ATTACK[1])


def written(text: object) -> list[Moment]:
    """The moments in the words of a marker, as early records kept them: 'until day 3 phase 10', or 3/10."""
    return [Moment(int(day), int(phase)) for day, phase in _WRITTEN.findall(str(text))]
