"""Files that wait for their keys, so that nobody has to choose a file twice; few, and not for long."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from companion.engine.errors import Unknown
from companion.store import Store

MINUTES = 30
GONE = "This file is no longer kept. Choose it again in the lobby, under Restore."


class Waiting:
    """In memory, for the one process that serves."""

    def __init__(self, most: int = 24 * 1024 * 1024, clock: Callable[[], float] = time.monotonic) -> None:
        self.most, self.clock = most, clock
        self._files: OrderedDict[str, tuple[float, str, str]] = OrderedDict()

    def put(self, text: str, here: str) -> str:
        """Keep a file and return its ticket; the oldest give way when there are too many."""
        self._forget()
        ticket = secrets.token_urlsafe(12)
        self._files[ticket] = (self.clock() + MINUTES * 60, text, here)
        while len(self._files) > 1 and sum(len(text) for _, text, _ in self._files.values()) > self.most:
            self._files.popitem(last=False)
        return ticket

    def get(self, ticket: str) -> tuple[str, str]:
        """A waiting file and the table where its game still is.

        :raises Unknown: when it is no longer kept
        """
        self._forget()
        if ticket not in self._files:
            raise Unknown(GONE)
        return self._files[ticket][1:]

    def drop(self, ticket: str) -> None:
        """The file is done with."""
        self._files.pop(ticket, None)

    def _forget(self) -> None:
        for ticket in [t for t, (until, *_) in self._files.items() if until < self.clock()]:
            del self._files[ticket]


class SharedWaiting(Waiting):
    """In the store, for several processes: the keys may be given to another than the file."""

    PLACES = 40
    LIST = "waiting"

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        super().__init__(clock=clock)
        self.store = store

    def put(self, text: str, here: str) -> str:
        """Keep a file in a free place, or in that of the one which waits for longest."""
        taken: list[str] = []

        def take(places: dict[str, float] | None) -> dict[str, float]:
            now = self.clock()
            taken_until = {place: until for place, until in (places or {}).items() if until > now}
            free = [str(n) for n in range(self.PLACES) if str(n) not in taken_until]
            taken[:] = [free[0] if free else min(taken_until, key=lambda place: taken_until[place])]
            return {**taken_until, taken[0]: now + MINUTES * 60}

        self.store.setting_change(self.LIST, take)
        ticket = f"{taken[0]}-{secrets.token_urlsafe(12)}"
        file = {"ticket": ticket, "until": self.clock() + MINUTES * 60, "text": text, "here": here}
        self.store.setting_put(self._key(ticket), file)
        return ticket

    def get(self, ticket: str) -> tuple[str, str]:
        """A waiting file and the table where its game still is."""
        found: dict[str, Any] | None = self.store.setting_get(self._key(ticket))
        if found is None or found["ticket"] != ticket or found["until"] < self.clock():
            raise Unknown(GONE)
        return str(found["text"]), str(found["here"])

    def drop(self, ticket: str) -> None:
        """The file is done with; another that has its place by now stays."""
        self.store.setting_change(
            self._key(ticket), lambda file: file if file and file["ticket"] != ticket else None
        )

    def _key(self, ticket: str) -> str:
        place = ticket.partition("-")[0]
        return f"{self.LIST}-{place if place.isdecimal() and len(place) < 4 else 'none'}"
