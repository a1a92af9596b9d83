"""Greenlets that do one thing after the other.

For each new one the system is asked for memory, which is given back as soon as it ends: as much work again as a small
answer takes to send. A tap needs four, one after the other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextvars import Context
from typing import Any

import gevent

KEPT = 4
"""That wait for something to do; more than that are seldom under way at once."""


class Hands:
    """Those of one kind."""

    def __init__(self, spawn: Callable[[Callable[[], None]], object] = gevent.spawn) -> None:
        """:param spawn: makes a greenlet"""
        self._spawn, self._most = spawn, KEPT
        self._due: deque[Callable[[], None]] = deque()
        self._idle: list[Any] = []

    def do(self, work: Callable[[], None]) -> None:
        """Have something done as soon as whoever asks for it waits."""
        self._due.append(work)
        if self._idle:
            self._wake()
        else:
            self._spawn(self._go_on)

    def _wake(self) -> None:
        gevent.get_hub().loop.run_callback(self._idle.pop().switch)

    def _go_on(self) -> None:
        while self._due:
            Context().run(self._due.popleft())  # nothing is left of what was done before
            if len(self._idle) >= self._most:
                return
            self._idle.append(gevent.getcurrent())
            gevent.get_hub().switch()

    def end(self) -> None:
        """Whoever has nothing to do ends, and so does everybody else afterwards."""
        self._most = 0
        while self._idle:
            self._wake()
