"""What players read off charts, cards, chits and counters in play goes into the owner's book, marked as such."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.books.played import keep_faces, keep_played, seats_write
from companion.books.roster import RosterBook
from companion.engine.record import events as e
from companion.engine.record.changes import OFF_COUNTER, OFF_IN_PASSING
from companion.engine.record.game import Game
from companion.store import Store, StoreError
from companion.systems import System

logger = logging.getLogger(__name__)

OFF = (OFF_COUNTER, OFF_IN_PASSING)


@dataclass(frozen=True)
class Known:
    """What a table had read before an action, and whether everything hidden lay open."""

    cells: Mapping[str, str]
    faces: Mapping[str, Any]
    all_open: bool

    @classmethod
    def of(cls, game: Game) -> Known:
        return cls(dict(game["cells"]), dict(game["faces"]), game.record_open)


def keep_what_was_read(
    store: Store, system: System, code: str, events: Sequence[e.Event], game: Game, known: Known, at: str
) -> bool:
    """Write chart cells, faces and counters that an action's events tell into the book; whether anything was written.

    A face that one side told of a thing that lies hidden is written when the record is laid open, and not before:
    everybody reads the book.

    :param game: the game after the action
    """
    try:
        cells = _new(events, "cells", known.cells)
        faces = _new(events, "faces", known.faces)
        if game.record_open and not known.all_open:
            for side in game.sides:
                faces |= game[f"faces-{side}"]
        wrote = [
            bool(cells) and keep_played(store, system, cells, code, at),
            bool(faces) and keep_faces(store, system, faces, code, at),
            _counters(store, system, code, game.scenario.id, events, at),
        ]
        return any(wrote)
    except StoreError:  # the table has it; the book is not worth a failed answer
        logger.warning("table %s: what was read in play could not be written into the book", code)
        return False


def _new(events: Sequence[e.Event], name: str, known: Mapping[str, Any]) -> dict[str, Any]:
    """What the last event about a value tells that was not known before."""
    read = [event.value for event in events if isinstance(event, e.Set) and event.name == name]
    told: Mapping[str, Any] = read[-1] if read else {}
    return {key: value for key, value in told.items() if known.get(key) != value}


def _counters(
    store: Store, system: System, code: str, scenario: str, events: Sequence[e.Event], at: str
) -> bool:
    seen = [event for event in events if isinstance(event, e.Placed) and event.reason in OFF]
    if not seen or not seats_write(store):
        return False
    roster = RosterBook(store, system, scenario)
    return any([roster.seen_in_play(event.unit, event.facts, code, at) for event in seen])
