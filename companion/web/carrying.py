"""Streams without a greenlet of their own: between two pieces there is only a socket, and what its page shows.

A greenlet that waits holds its stacks, a handler, a reader and the request, 40 KB in all; six hundred devices wait nearly
all of the time. One is made for each piece instead, and ends with it. So a device that does not take what it is sent
holds up nobody but itself.
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator
from typing import Any, Protocol

import gevent

from companion.web import telling as telling_module
from companion.web.compress import Packer
from companion.web.hands import Hands
from companion.web.telling import News, Telling

SEND_SECONDS = 60.0
"""A device that takes none of its answer for so long has gone."""
_BEAT = -1
"""No revision: it is time to say that the stream is there."""
_TELLERS = Hands()


def at_once(sock: Any, data: bytes) -> bytes:
    """Send what is taken without waiting, mostly all of it: no timer need be started for that. The rest comes back."""
    try:
        sent: int = sock.send(data, 0, 0.0)
    except BlockingIOError:
        return data
    return data[sent:]


class Held(Protocol):
    """A connection, as far as a stream is concerned."""

    sock: Any

    def close(self) -> None: ...


class Carried:
    """One stream, on a connection that is its alone from its first piece to its end."""

    __slots__ = (
        "_beat", "_chunked", "_connection", "_is_told", "_news", "_pack", "_readable", "_telling", "begun"
    )  # fmt: skip

    def __init__(self, connection: Held) -> None:
        self._connection = connection
        self._telling: Telling | None = None
        self._pack: Packer | None = None
        self._news: list[News] = []
        self._is_told = True
        """Whether somebody is at it: at first whoever answers the request."""
        self._beat: Any = None
        self._readable: Any = None
        self._chunked = True
        self.begun = False
        """Whether the answer has begun, so that the stream can go on."""

    def put(self, news: News, /) -> None:
        """Tell the page, when all before it is told."""
        self._news.append(news)
        if not self._is_told:
            self._is_told = True
            _TELLERS.do(self._tell)

    def begin(self, first: str, telling: Telling, *, packed: bool) -> Iterator[bytes]:
        """The first piece, for the answer to the request."""
        self._telling, self._pack = telling, Packer() if packed else None
        return self._first(first)

    def _first(self, first: str) -> Iterator[bytes]:
        if self._pack:
            yield Packer.HEAD
        yield self._pack(first.encode()) if self._pack else first.encode()
        self.begun = True

    def go_on(self, *, chunked: bool) -> None:
        """The answer has begun: from now on the stream is by itself."""
        self._chunked = chunked
        loop = gevent.get_hub().loop
        self._readable = loop.io(self._connection.sock.fileno(), 1)
        self._readable.start(_TELLERS.do, self._look)
        seconds = telling_module.BEAT
        self._beat = loop.timer(seconds, seconds)
        self._beat.start(self.put, _BEAT)
        self._tell()

    def _tell(self) -> None:
        """Say all that there is to say."""
        done = False
        try:
            while self._news and self._telling is not None:
                news = self._news.pop(0)
                if news is None:
                    self._send(b"", last=True)
                    return
                text = self._telling.beat() if news == _BEAT else self._telling.hear(news)
                if text:
                    self._send(self._pack(text) if self._pack else text)
            done = True
        except OSError:
            pass  # it has gone
        finally:
            if done and self._telling is not None:
                self._beat.again(self.put, _BEAT)
                self._is_told = False
            else:
                self._connection.close()

    def _send(self, data: bytes, *, last: bool = False) -> None:
        if self._chunked:
            data = b"%x\r\n%b\r\n" % (len(data), data)
        elif last:
            return
        sock = self._connection.sock
        if rest := at_once(sock, data):
            with gevent.Timeout(SEND_SECONDS, BrokenPipeError(errno.EPIPE, "the stream is not taken")):
                sock.sendall(rest)

    def _look(self) -> None:
        """The device has said something, which is none of a stream's business, or it has gone."""
        if self._telling is None:
            return
        self._readable.stop()
        try:
            gone = not self._connection.sock.recv(1, socket.MSG_PEEK)
        except OSError:
            gone = True
        if gone:
            self._connection.close()

    def leave(self) -> None:
        """The connection has ended."""
        for watcher in (self._beat, self._readable):
            if watcher is not None:
                watcher.stop()
                watcher.close()
        self._beat = self._readable = None
        if self._telling is not None:
            self._telling.leave()
            self._telling = None
