"""Keeping the lobby usable: how many tables one address may found, and empty ones put away after a day."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from math import ceil

from flask import request

from companion import limits
from companion.engine.errors import Mistake
from companion.web.current import desk, held, tables

EMPTY_FOR = timedelta(days=1)
"""A table at which nothing was done for a day was opened by mistake, or for an evening that did not come."""
SWEPT_AT_ONCE = 50


class TooManyTables(Mistake):
    """One address founds tables faster than people sit down at them."""

    status = 429


class Allowance:
    """So many at once for each key, then one more every so many seconds; kept in memory only."""

    def __init__(
        self,
        burst: int = limits.NEW_TABLES_BURST,
        every: float = limits.NEW_TABLES_EVERY,
        clock: Callable[[], float] = time.monotonic,
        keys: int = 10_000,
    ) -> None:
        self.burst, self.every, self.clock, self.keys = burst, every, clock, keys
        self._used_until: dict[str, float] = {}

    def wait(self, key: str) -> float:
        """Seconds until this key may have another; 0 when it may now."""
        ahead = self._used_until.get(key, 0.0) - self.clock()
        return max(0.0, ahead - (self.burst - 1) * self.every)

    def spend(self, key: str) -> None:
        """Count one against this key."""
        now = self.clock()
        if len(self._used_until) >= self.keys:
            self._used_until = {k: at for k, at in self._used_until.items() if at > now}
        self._used_until[key] = max(self._used_until.get(key, now), now) + self.every


def may_found() -> None:
    """Let an address pass that has not founded too many tables lately.

    :raises TooManyTables: naming how long to wait
    """
    allowance: Allowance | None = held("founding")
    wait = allowance.wait(request.remote_addr or "?") if allowance else 0.0
    if wait > 0:
        raise TooManyTables(
            f"Many tables were opened from here within a short time. Wait {ceil(wait)} seconds for the next, "
            "or go on with one of them in the lobby."
        )


def founded() -> None:
    """Count a new table against its address, and put away tables at which nothing was ever done."""
    allowance: Allowance | None = held("founding")
    if allowance:
        allowance.spend(request.remote_addr or "?")
    if not held(
        "private"
    ):  # where no lobby lists them, nobody looks through thousands of them at each founding
        put_away_empty(datetime.now(UTC))


def put_away_empty(now: datetime) -> list[str]:
    """Archive tables that nobody touched for a day; the first action at one of them brings it back."""
    before = (now - EMPTY_FOR).isoformat(timespec="seconds")
    store, kept = tables().store, desk().state().by_code  # set up on Thursday for Saturday
    empty = [
        t.code
        for t in store.tables()
        if t.summary.get("played") is False and t.changed_at < before and t.code not in kept
    ]
    for code in empty[-SWEPT_AT_ONCE:]:
        store.archive(code)
    return empty[-SWEPT_AT_ONCE:]
