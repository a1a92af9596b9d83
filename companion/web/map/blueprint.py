"""What the map's pages share: their blueprint, and how an answer goes out."""

from __future__ import annotations

from flask import Blueprint, Response, make_response

bp = Blueprint("map", __name__)


def reply(body: str, status: int = 200) -> Response:
    """A page that depends on who asks, and on which part of it."""
    response = make_response(body, status)
    response.headers["Vary"] = "Cookie, HX-Request, HX-Target"
    return response
