"""Packing a game away: everything on the table on paper, hex by hex. Setting one up is in `setupsheet`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from flask import Blueprint, Response, render_template, url_for

from companion.engine.seat.shapes import UnitView
from companion.engine.seat.view import signs
from companion.web import qr
from companion.web.map.blueprint import reply
from companion.web.map.counters import unit_words
from companion.web.seats import WATCH, base_url, require
from companion.web.setupsheet import SetUpLine, merged

bp = Blueprint("sheets", __name__)


@bp.get("/t/<code>/<seat>/takedown")
def take_down(code: str, seat: str) -> Response:
    """Everything on the table as this seat may know it; hidden things print on their owner's own sheet only."""
    visit = require(code, seat)
    code, view = visit.code, visit.view
    labels = {b.id: b.label for b in view.boxes}
    hexes: dict[str, list[UnitView]] = {}
    boxes: dict[str, list[UnitView]] = {}
    waiting: list[UnitView] = []
    for unit in sorted(view.units, key=lambda u: -u.order):
        if not unit.place:
            waiting.append(unit)
        else:
            group = boxes if unit.place in labels else hexes
            group.setdefault(labels.get(unit.place, unit.place), []).append(unit)
    marks = {h: [sign.words for sign in signs(visit.game, held)] for h, held in sorted(view.hexes.items())}
    url = base_url() + url_for("play.any_seat", code=code)
    return reply(
        render_template(
            "print_takedown.html",
            v=view,
            code=code,
            seat=seat,
            hexes=sorted({*hexes, *marks}),
            stacks=hexes,
            marks=marks,
            boxes=boxes,
            waiting=_off_map(waiting, view.system.turn_name),
            hidden=sum(u.hidden for u in view.units),
            words=unit_words,
            row=visit.row,
            url=url,
            qr=qr.svg(url, f"Back to table {code}"),
            watching=seat == WATCH,
        )
    )


def _off_map(units: Iterable[UnitView], turn_name: str) -> list[tuple[str, str, list[SetUpLine]]]:
    """Units that are not on the map by side and turn, those alike or numbered through as one line."""
    found: dict[tuple[str, int], list[UnitView]] = {}
    for unit in sorted(units, key=lambda u: (u.side, u.turn, _by_number(unit_words(u)))):
        found.setdefault((unit.side, unit.turn), []).append(unit)
    return [
        (side, f"{turn_name} {turn}" if turn else "", merged([SetUpLine(unit_words(u)) for u in here]))
        for (side, turn), here in found.items()
    ]


def _by_number(name: str) -> list[tuple[str, int]]:
    """Don 2 before Don 10."""
    return [(text, int(number or 0)) for text, number in re.findall(r"(\D*)(\d*)", name)]
