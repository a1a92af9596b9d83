"""Gzip for text answers: a hall full of phones shares a few radio channels."""

from __future__ import annotations

import gzip
import threading
import zlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import ClassVar
from weakref import WeakSet

from flask import Flask, Response, request

from companion.web.exchange import asked

KINDS = {
    "text/html",
    "text/css",
    "text/javascript",
    "application/javascript",
    "application/json",
    "image/svg+xml",
}
SMALLEST = 800
LEVEL = 3
"""The next one makes an answer smaller by six bytes in a hundred and a piece of a stream by up to a quarter, but takes a
third longer for the one and three quarters longer for the other."""
REMEMBERED = 10 * 1024
"""Bytes of a stream; with them a piece takes less than half as much. Each KB more makes it smaller by three in a hundred,
but takes as much longer, and 600 KB for as many streams."""
MEMORY = 6
"""Of the packer of a stream, as zlib counts it: 160 KB. With more it is no better, and takes longer to begin."""
FEW = 160
"""Streams whose packers are kept: those of fifty tables."""


@lru_cache(maxsize=64)
def _kept(tag: str, body: bytes) -> bytes:
    """Static files are packed once."""
    return gzip.compress(body, 9, mtime=0)


def is_packed() -> bool:
    """Whether the answer may be packed."""
    return "gzip" in request.headers.get("Accept-Encoding", "")


class Packer:
    """Packs a stream piece by piece, each with the end of those before it as its dictionary.

    Whoever unpacks it still has that in his window, so much of a screen that is sent again costs nothing. To begin anew
    with a dictionary takes as long as to pack the piece, but to keep a packer takes memory: that is done for few streams.
    """

    HEAD: ClassVar = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
    """What comes before the first piece."""
    _all: ClassVar[WeakSet[Packer]] = WeakSet()
    _turn: ClassVar = threading.Lock()
    __slots__ = ("__weakref__", "_kept", "_sent")

    def __init__(self) -> None:
        self._sent = b""
        self._kept: zlib._Compress | None = None
        with self._turn:
            self._all.add(self)
            if len(self._all) > FEW:
                for packer in self._all:
                    packer._kept = None

    def __call__(self, piece: bytes) -> bytes:
        packer = self._kept or self._begun()
        packed = packer.compress(piece) + packer.flush(zlib.Z_SYNC_FLUSH)
        self._sent = (self._sent + piece)[-REMEMBERED:]
        self._kept = packer if len(self._all) <= FEW else None
        return packed

    def _begun(self) -> zlib._Compress:
        return zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS, MEMORY, zdict=self._sent)


def flowing(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """A stream, each piece packed and sent at once."""
    yield Packer.HEAD
    pack = Packer()
    for piece in pieces:
        yield pack(piece)


def init_app(app: Flask) -> None:
    """Compress what is text, large enough, and asked for compressed."""

    @app.after_request
    def pack(response: Response) -> Response:
        asker = asked()
        if (
            response.mimetype not in KINDS
            or response.status_code not in (200, 201, 409, 422)
            or "gzip" not in asker.environ.get("HTTP_ACCEPT_ENCODING", "")
            or asker.method == "HEAD"
            or "Content-Encoding" in response.headers
        ):
            return response
        static = asker.endpoint == "static"
        if response.is_streamed and not static:
            return response
        response.direct_passthrough = False
        body = response.get_data()
        if len(body) < SMALLEST:
            return response
        response.set_data(_kept(asker.path, body) if static else gzip.compress(body, LEVEL, mtime=0))
        response.headers.add("Content-Encoding", "gzip")
        response.headers.add("Vary", "Accept-Encoding")
        return response
