"""What players read off their printed charts and counters in play goes into the owner's book, marked as such."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from companion.books.played import keep_played, seats_write
from companion.books.roster import RosterBook
from companion.engine.record import events as e
from companion.engine.record.changes import OFF_COUNTER, OFF_IN_PASSING
from companion.store import Store, StoreError, TableRow
from companion.systems import System

logger = logging.getLogger(__name__)

OFF = (OFF_COUNTER, OFF_IN_PASSING)


def keep_what_was_read(
    store: Store, system: System, row: TableRow, events: Sequence[e.Event], known: Mapping[str, str], at: str
) -> bool:
    """Write chart cells and counters that an action's events tell into the book; whether anything was written.

    :param known: the cells that the table had read before
    """
    try:
        cells = _cells(store, system, row, events, known, at)
        return _counters(store, system, row, events, at) or cells
    except StoreError:  # the table has it; the book is not worth a failed answer
        logger.warning("table %s: what was read in play could not be written into the book", row.code)
        return False


def _cells(
    store: Store, system: System, row: TableRow, events: Sequence[e.Event], known: Mapping[str, str], at: str
) -> bool:
    read = [event.value for event in events if isinstance(event, e.Set) and event.name == "cells"]
    told: Mapping[str, str] = read[-1] if read else {}
    new = {key: text for key, text in told.items() if known.get(key) != text}
    return bool(new) and keep_played(store, system, new, row.code, at)


def _counters(store: Store, system: System, row: TableRow, events: Sequence[e.Event], at: str) -> bool:
    seen = [event for event in events if isinstance(event, e.Placed) and event.reason in OFF]
    if not seen or not seats_write(store):
        return False
    roster = RosterBook(store, system, row.scenario)
    return any([roster.seen_in_play(event.unit, event.facts, row.code, at) for event in seen])
