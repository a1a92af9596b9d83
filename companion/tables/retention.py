"""Tables at which nothing was done for long are deleted, where the host has said after how many days."""

from __future__ import annotations

import logging
import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from companion.store import NoTable, StoreError

if TYPE_CHECKING:
    from companion.tables.tables import Tables

log = logging.getLogger("companion")

EVERY = 3600.0
AT_ONCE = 200
"""So many an hour and process; each is a transaction of its own, so that nobody waits for long."""


def delete_table(tables: Tables, code: str) -> None:
    """Delete a table with all that is kept of it.

    :raises NoTable: if it is gone already
    """
    with tables.standing_still(code):
        tables.store.delete(code)
        tables.seating.forget(code)
        tables.forget(code)


class Retention:
    """Looks once an hour. Several processes may do it at once: who comes second finds the table gone."""

    def __init__(self, tables: Tables, days: int, every: float = EVERY) -> None:
        self.tables, self.days, self.every = tables, days, every

    def start(self) -> None:
        threading.Thread(target=self._run, name="retention", daemon=True).start()

    def once(self, now: datetime) -> list[str]:
        """Delete what nobody touched for so many days, and return the codes."""
        before = (now - timedelta(days=self.days)).isoformat(timespec="seconds")
        gone = []
        for code in self.tables.store.quiet_since(before, most=AT_ONCE):
            with suppress(NoTable):
                delete_table(self.tables, code)
                gone.append(code)
        if gone:
            log.warning("%s deleted: nothing was done there for %s days", ", ".join(gone), self.days)
        return gone

    def _run(self) -> None:
        stop = threading.Event()
        while True:
            try:
                self.once(datetime.now(UTC))
            except StoreError as problem:
                log.warning("no table was deleted: %s", problem)
            stop.wait(self.every)
