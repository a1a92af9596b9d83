"""The desk: the organiser's record, one document of the store, read and changed as a whole.

It is kept as a book of the reserved system `hall`, so that every kind of store keeps it, and every backup has it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property

from companion.hall.clock import Announcement, RoundClock
from companion.hall.kept import read, written
from companion.hall.roll import HallTable
from companion.hall.rounds import Contest
from companion.hall.wifi import Wifi
from companion.store import Store

SYSTEM, NAME = "hall", "desk"

logger = logging.getLogger("companion")


@dataclass(frozen=True)
class Hall:
    """All that the organiser's record holds; each part is a dataclass of the module that knows it."""

    version: int = 0
    """One more with every change."""

    tables: tuple[HallTable, ...] = ()
    """In the organiser's order."""

    contest: Contest = Contest()
    """Tournaments, rounds and results."""

    clock: RoundClock = RoundClock()
    announcements: tuple[Announcement, ...] = ()
    """Oldest first."""

    wifi: Wifi = Wifi()
    """What the tables' cards say about it."""

    @cached_property
    def by_code(self) -> dict[str, HallTable]:
        """The tables by their codes."""
        return {table.code: table for table in self.tables}


Listener = Callable[[Hall], None]


def now() -> str:
    """The moment of a change, fine enough that two changes have different ones."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


class Desk:
    """The organiser's record in this process: read once, and again when another process changed it."""

    def __init__(self, store: Store, clock: Callable[[], str] = now) -> None:
        self.store, self.clock = store, clock
        self._hall: Hall | None = None
        self._changed_at = ""
        self._listeners: dict[object, Listener] = {}
        self._lock = threading.Lock()

    def state(self) -> Hall:
        """The record as it was last known: no question to the store but the first."""
        return self._hall or self._read()

    def change(self, change: Callable[[Hall], Hall]) -> Hall:
        """Rewrite the record from what it holds, in one transaction; whoever listens is told afterwards.

        :param change: quick, and without use of the store; what it raises leaves everything as it was
        """
        made: list[Hall] = []
        at = self.clock()

        def rewrite(body: dict[str, object] | None) -> dict[str, object]:
            old = read(Hall, body)
            made[:] = [replace(change(old), version=old.version + 1)]
            return written(made[0])

        self.store.book_change(SYSTEM, NAME, rewrite, at)
        self._take(made[0], at)
        return made[0]

    def subscribe(self, callback: Listener) -> Callable[[], None]:
        """Call back with the new record after every change, also another process's; return the unsubscriber."""
        ticket = object()
        self._listeners[ticket] = callback

        def unsubscribe() -> None:
            self._listeners.pop(ticket, None)

        return unsubscribe

    def look(self) -> None:
        """Notice what another process changed; asked once a second, so it reads one line where nothing did."""
        row = next((row for row in self.store.book_list(SYSTEM) if row.name == NAME), None)
        if row is not None and row.changed_at != self._changed_at:
            self._take(read(Hall, self.store.book_get(SYSTEM, NAME)), row.changed_at)

    def _read(self) -> Hall:
        row = next((row for row in self.store.book_list(SYSTEM) if row.name == NAME), None)
        hall = read(Hall, self.store.book_get(SYSTEM, NAME))
        with self._lock:
            if self._hall is None:
                self._hall, self._changed_at = hall, row.changed_at if row else ""
            return self._hall

    def _take(self, hall: Hall, at: str) -> None:
        """Keep the newer record and tell of it; two changes may arrive here in either order."""
        with self._lock:
            known = self._hall.version if self._hall else -1
            if hall.version >= known:
                self._hall, self._changed_at = hall, at
            if hall.version <= known:
                return
        for callback in list(self._listeners.values()):
            try:
                callback(hall)
            except Exception:
                logger.exception("a listener failed on the organiser's record")
