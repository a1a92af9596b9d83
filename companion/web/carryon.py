"""Carrying on: the game this device played last stands on top of the lobby."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from flask import Response, after_this_request, request, url_for

from companion.store import NoTable, TableRow
from companion.web.current import tables
from companion.web.seats import WATCH, YEAR, codes_shown, held_seats

COOKIE = "last"


def remember(code: str, seat: str) -> None:
    """Remember the seat whose screen is opened, if it is."""
    if seat == WATCH:
        return

    @after_this_request
    def keep(response: Response) -> Response:
        value = f"{tables().normal(code)}.{seat}"
        if response.status_code == 200 and request.cookies.get(COOKIE) != value:
            response.set_cookie(
                COOKIE, value, max_age=YEAR, httponly=True, samesite="Lax", secure=request.is_secure
            )
        return response


def last_game() -> dict[str, Any] | None:
    """The unfinished game this device played last and where it sits there; None when there is none."""
    code, _, seat = request.cookies.get(COOKIE, "").partition(".")
    for row in _rows(code):
        system = tables().systems.get(row.system)
        seats = held_seats(row.code) if system is not None else []
        if system is None or not seats:
            continue
        kit = system.kit.system
        mine = seat if row.code == code and seat in seats else seats[0]
        return {
            "code": row.code,
            "seat": mine,
            "as": next((side.name for side in kit.sides if side.id == mine), "table's screen"),
            "title": row.title or kit.name,
            "game": kit.name if row.title else "",
            "turn": f"{kit.turn_name} {row.summary.get('turn', '')}",
            "phase": row.summary.get("phase", ""),
        }
    return None


def came_from() -> dict[str, str] | None:
    """The table whose screen this device opened last and still has a seat at, for the way back from the chart book."""
    code, _, seat = request.cookies.get(COOKIE, "").partition(".")
    with suppress(NoTable, LookupError):
        if code and seat in held_seats(code):
            return {"code": code, "href": url_for("play.more_page", code=code, seat=seat)}
    return None


def _rows(code: str) -> list[TableRow]:
    """Tables to try: the one opened last, then those where this device has a seat, newest activity first."""
    store = tables().store
    found = []
    with suppress(NoTable):
        found.append(store.table(code))
    mine = set(codes_shown()) - {code}
    if mine:
        found += store.tables(codes=mine)
    return [row for row in found if not (row.ended or row.archived)]
