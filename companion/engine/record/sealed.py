"""Sealed choices: each seat commits in secret, and all are revealed at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from companion.engine.record import events as e
from companion.engine.record.game import Game


def seal(game: Game, name: str, seat: str, value: Any, needed: tuple[str, ...] = ()) -> Iterator[e.Event]:
    """Commit a seat's choice; when every needed seat (both sides by default) has, lay all of them open."""
    yield e.Sealed(name, seat, value, only=(seat,))
    wanted = needed or tuple(game.sides)
    chosen = game.sealed.get(name, {})
    if all(s in chosen for s in wanted):
        yield e.Revealed(name, dict(chosen))
