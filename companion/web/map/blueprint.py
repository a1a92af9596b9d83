"""What the map's pages share: their blueprint, who asks, and how an answer goes out."""

from __future__ import annotations

from flask import Blueprint, Response, make_response, request

from companion.web.current import tables
from companion.web.seats import require

bp = Blueprint("map", __name__)


def is_htmx() -> bool:
    return "HX-Request" in request.headers


def target() -> str:
    return request.headers.get("HX-Target", "")


def reply(body: str, status: int = 200) -> Response:
    """A page that depends on who asks, and on which part of it."""
    response = make_response(body, status)
    response.headers["Vary"] = "Cookie, HX-Request, HX-Target"
    return response


def seated(code: str, seat: str) -> str:
    """The table's code as it is stored, when the device may sit there."""
    code = tables().normal(code)
    tables().store.table(code)
    require(code, seat)
    return code
