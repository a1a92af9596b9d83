"""What a table's stream says to one page, whoever carries it: any server by `spoken`, our own without a greenlet for each.

Our own server (wire.py) offers with every request to carry a stream (carrying.py); where there is no such offer, a
generator waits for the news, as WSGI has it.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from typing import Protocol

from flask import Flask

from companion.web.pushing import Showing

BEAT = 10.0
"""Seconds of silence after which a stream says that it is there."""
CARRIED = "companion.carried"
"""In a request's environment: gives a `Carrier`, if the server has any."""

News = int | str | None
"""A revision; the sign of what the hall tells every screen; or the end."""


class Hears(Protocol):
    """Who is told the news."""

    def put(self, news: News, /) -> None: ...


class Carrier(Hears, Protocol):
    """A server's way to carry a stream."""

    def begin(self, first: str, telling: Telling, *, packed: bool) -> Iterator[bytes]:
        """The answer as it begins; when it is sent, the stream goes on by itself."""


class Telling:
    """What one page is told of its table."""

    __slots__ = ("_app", "_code", "_seat", "_showing", "_shown", "leave")

    def __init__(
        self,
        place: tuple[str, str],
        shown: int,
        screen: tuple[Showing | None, Flask],
        leave: Callable[[], None],
    ) -> None:
        """:param place: the table's code and the seat
        :param shown: the revision that the page knows of
        :param screen: what it shows, if it is sent its screen; and the app that draws it
        :param leave: to be called when nobody listens any more; more than once does no harm
        """
        self._code, self._seat = place
        self._shown = shown
        self._showing, self._app = screen
        self.leave = leave

    def hear(self, news: int | str) -> bytes:
        """The next event; nothing where there is nothing to say."""
        if isinstance(news, str):
            return f"event: hall\ndata: {news}\n\n".encode()
        showing = self._showing
        self._shown = max(self._shown, showing.revision if showing else 0)
        if showing and showing.asking:  # that answer is its screen
            showing.missed = max(showing.missed, news)
            return b""
        if news <= self._shown:
            return b""
        self._shown = news
        pushed = showing.draw(self._app, self._code, self._seat, news) if showing else None
        return pushed or b"event: rev\ndata: %d\n\n" % news

    def beat(self) -> bytes:
        """Nothing has happened, and the stream is there."""
        return b"event: beat\ndata: %d\n\n" % self._shown


def spoken(first: str, telling: Telling, mine: queue.SimpleQueue[News]) -> Iterator[bytes]:
    """The stream on a server that knows nothing of it: whoever asks for the next piece waits for the news."""
    try:
        yield first.encode()
        while True:
            try:
                news = mine.get(timeout=BEAT)
            except queue.Empty:
                yield telling.beat()
                continue
            if news is None:
                return
            if piece := telling.hear(news):
                yield piece
    finally:
        telling.leave()
