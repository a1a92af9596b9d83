"""Gzip for text answers: a hall full of phones shares a few radio channels."""

from __future__ import annotations

import gzip
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


def init_app(app: Flask) -> None:
    """Compress what is text, large enough, and asked for compressed."""

    @app.after_request
    def pack(response: Response) -> Response:
        if (
            response.mimetype not in KINDS
            or response.status_code not in (200, 201, 409, 422)
            or "Content-Encoding" in response.headers
            or "gzip" not in request.headers.get("Accept-Encoding", "")
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
