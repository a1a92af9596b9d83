"""Gzip for text answers: a hall full of phones shares a few radio channels."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from functools import lru_cache

from flask import Flask, Response, request

KINDS = {
    "text/html",
    "text/css",
    "text/javascript",
    "application/javascript",
    "application/json",
    "image/svg+xml",
}
SMALLEST = 800


@lru_cache(maxsize=64)
def _kept(tag: str, body: bytes) -> bytes:
    """Static files are packed once."""
    return gzip.compress(body, 9, mtime=0)


def is_packed() -> bool:
    """Whether the answer may be packed."""
    return "gzip" in request.headers.get("Accept-Encoding", "")


def flowing(pieces: Iterable[str]) -> Iterator[bytes]:
    """A stream, each piece packed by itself and sent at once: nothing has to be remembered for it in between."""
    yield b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
    yield from map(_packed, pieces)


def _packed(piece: str) -> bytes:
    # A packer takes a quarter of a megabyte: it must be gone while the stream waits.
    packer = zlib.compressobj(5, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(piece.encode()) + packer.flush(zlib.Z_SYNC_FLUSH)


def init_app(app: Flask) -> None:
    """Compress what is text, large enough, and asked for compressed."""

    @app.after_request
    def pack(response: Response) -> Response:
        if (
            response.mimetype not in KINDS
            or response.status_code not in (200, 201, 409, 422)
            or "Content-Encoding" in response.headers
            or not is_packed()
            or request.method == "HEAD"
        ):
            return response
        static = request.endpoint == "static"
        if response.is_streamed and not static:
            return response
        response.direct_passthrough = False
        body = response.get_data()
        if len(body) < SMALLEST:
            return response
        response.set_data(_kept(request.path, body) if static else gzip.compress(body, 5, mtime=0))
        response.headers["Content-Encoding"] = "gzip"
        response.headers.add("Vary", "Accept-Encoding")
        return response
