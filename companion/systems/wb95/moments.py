"""Moments of the game as markers name them: `day 3 phase 10`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from companion.engine.record.game import Game
from companion.systems.wb95.base import ATTACK

_TEXT = re.compile(r"(?:day )?(\d+)(?: phase |/)(\d+)")


@dataclass(frozen=True)
class Moment:
    """A phase of a day."""

    day: int
    phase: str
    """Its printed number."""

    def __str__(self) -> str:
        return f"day {self.day} phase {self.phase}"

    @classmethod
    def read(cls, text: str) -> Moment | None:
        """The moment that was written so; early records say 3/10."""
        found = _TEXT.fullmatch(text)
        return cls(int(found[1]), found[2]) if found else None


def when(game: Game, turn: int, phase: str) -> Moment:
    """A phase, by its name, of a day."""
    found = game.phase_def(phase)
    return Moment(turn, found.code if found else phase)


def now(game: Game) -> Moment:
    return when(game, game.turn, game.phase)


def next_attacks(game: Game) -> tuple[Moment, Moment]:
    """The next two combat phases after this moment [9.1.6]."""
    names = [p.id for p in game.kit.phases]
    here = names.index(game.phase) if game.phase in names else -1
    coming = [when(game, game.turn, p) for p in ATTACK if names.index(p) > here]
    coming += [when(game, game.turn + 1, p) for p in ATTACK]
    return coming[0], coming[1]
