"""What the pages of a seat share: who asks for which part of one, and what every one of them shows."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from flask import Response, g, make_response, redirect, request, url_for

from companion.engine.seat.shapes import MarkView
from companion.web import qr
from companion.web.realdice import gather
from companion.web.seats import WATCH, DeviceVisit, base_url

STRIP = 8
"""Actions on the log strip of a screen, and so many lines at most of one of them."""
STRIP_LINES = 12


def is_htmx() -> bool:
    return "HX-Request" in request.headers


def target() -> str:
    return request.headers.get("HX-Target", "")


def see_other(address: str) -> Response:
    """Send the browser on to another page."""
    return make_response(redirect(address, 303))


def form_values() -> dict[str, Any]:
    """Submitted fields; a name sent several times becomes a list."""
    return gather(
        {
            name: values if len(values) > 1 else values[0]
            for name, values in request.values.lists()
            if name not in {"action_id", "rev", "page", "back", "tap"}
        }
    )


def page_context(visit: DeviceVisit, toast: str = "", bad: bool = False) -> dict[str, Any]:
    """What every page of a seat needs.

    :param toast: what has just happened, or with `bad` what could not be done
    """
    view = visit.view
    join = f"{base_url()}{url_for('lobby.join')}?code={visit.code}"
    return {
        "v": view,
        "code": visit.code,
        "seat": visit.seat,
        "log": view.guard.part("The log", lambda: visit.log(STRIP, most=STRIP_LINES), []),
        "undo_to": visit.undo_target if visit.seat != WATCH else None,
        "table_free": visit.seat in visit.game.sides and visit.is_table_free,
        "join_url": join,
        "toast": toast,
        "bad": bad,
        "qr": qr.svg(join, f"Watch table {visit.code}"),
    }


def tabs() -> list[dict[str, Any]]:
    """One tab for each seat of a device that holds several; none otherwise."""
    visit: DeviceVisit = g.visit
    if len(visit.held) < 2:
        return []
    game, rules = visit.game, visit.rules
    awaited = [] if game.active or not rules.awaited or game.ended else list(rules.awaited(game))
    return [
        {
            "id": one,
            "name": "Table" if one == "table" else game.side_name(one),
            "here": one == visit.seat,
            "asked": one in awaited or any(one in question.to for question in game.asked.values()),
        }
        for one in visit.held
    ]


def clock(at: str) -> str:
    """A moment of the record as the time of day here."""
    return datetime.fromisoformat(at).astimezone().strftime("%H:%M")


def with_effect(signs: Iterable[MarkView]) -> list[MarkView]:
    """Of some markers those whose effect there is to tell, each once."""
    return sorted({sign for sign in signs if sign.effect}, key=lambda sign: sign.words)


def live_template(seat: str) -> str:
    return "table_live.html" if seat in {"table", WATCH} else "phone_live.html"
