"""Entering positions: the line, the keypad, the chips, and whole set-ups from a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Response, make_response, render_template, request

from companion.engine.errors import Mistake, NotYours
from companion.engine.kit.roster import Unit
from companion.engine.positions.hints import hints
from companion.engine.positions.line import BadLines
from companion.engine.positions.moving import said_of_move
from companion.engine.positions.sheets import write_positions
from companion.engine.record.events import Event
from companion.engine.record.sight import may_see_unit
from companion.engine.seat.shapes import UnitView
from companion.tables.visit import Visit
from companion.web.map.blueprint import bp, reply
from companion.web.map.counters import unit_words
from companion.web.map.hexsheet import hex_context
from companion.web.page import is_htmx, target
from companion.web.seats import WATCH, require

RECENT = 10
LOOK_BACK = 120
MOST_MINDED = 12
"""Of a whole set-up typed at once nobody asks what the rules have against each stack."""


def recent_hexes(visit: Visit) -> list[str]:
    """Where units came to lately, newest first."""
    since = max(0, visit.revision - LOOK_BACK)
    found: list[str] = []
    for item in reversed(visit.tables.store.events(visit.code, since, kinds=("placed",))):
        place = str(Event.from_json(item.body).seen_by(visit.seat).get("place") or "")
        if place and not place.startswith("box:") and place not in found:
            found.append(place)
    return found[:RECENT]


def entry_context(visit: Visit, text: str = "") -> dict[str, Any]:
    """What the entry page shows."""
    game, view, seat = visit.game, visit.view, visit.seat
    hexes: dict[str, list[UnitView]] = {}
    boxes: dict[str, list[UnitView]] = {}
    labels = {b.id: b.label for b in view.boxes}
    waiting = []
    for unit in sorted(view.units, key=lambda u: -u.order):
        if not unit.place:
            waiting.append(unit)
        elif unit.place in labels:
            boxes.setdefault(labels[unit.place], []).append(unit)
        else:
            hexes.setdefault(unit.place, []).append(unit)
    return {
        "v": view,
        "code": visit.code,
        "seat": seat,
        "here": "units",
        "text": text,
        "hexes": dict(sorted(hexes.items())),
        "boxes": boxes,
        "box_ids": [b.id for b in game.kit.boxes],
        "waiting": [u for u in waiting if seat in {"table", u.side}],
        "recent": recent_hexes(visit),
        "words": unit_words,
        "side_ids": [s for s in game.sides if seat in {"table", s}],
        "can_set_up": any(a.name == "set-up" for a in view.actions) and bool(game.roster),
        "listed": len(game.roster),
        "hints": None,
        "csv": "",
        "problems": [],
        "done": None,
    }


def _result(mistake: Mistake | None, lines: list[str]) -> dict[str, Any]:
    if mistake is None:
        return {"problems": [], "done": lines}
    problems = [m for _, m in mistake.problems] if isinstance(mistake, BadLines) else [mistake.message]
    return {"problems": problems, "done": None}


@bp.get("/t/<code>/<seat>/entry")
def entry_page(code: str, seat: str) -> Response:
    """Type where units go."""
    visit = require(code, seat)
    if seat == WATCH:
        raise NotYours("Positions are entered by those who play. Sit down at a seat first.", given=seat)
    context = entry_context(visit, request.args.get("text", "")[:2000])
    return reply(render_template("entry_live.html" if target() == "live" else "entry.html", **context))


@bp.get("/t/<code>/<seat>/entry/hints")
def entry_hints(code: str, seat: str) -> str:
    """Units and hexes that the line may go on with."""
    visit = require(code, seat)
    found = hints(visit.game, seat, request.args.get("text", "")[-200:]) if seat != WATCH else None
    return render_template("entry_hints.html", hints=found, recent=recent_hexes(visit))


@bp.post("/t/<code>/<seat>/entry")
def enter(code: str, seat: str) -> Response:
    """Carry out what was typed: all of it, or none and every reason why."""
    return _act(code, seat, "enter-positions", "text", request.form.get("text", ""))


@bp.post("/t/<code>/<seat>/entry/import")
def import_file(code: str, seat: str) -> Response:
    """A whole set-up from a spreadsheet."""
    sent = request.files.get("file")
    text = (
        sent.read().decode("utf-8-sig", "replace") if sent and sent.filename else request.form.get("csv", "")
    )
    return _act(code, seat, "import-positions", "csv", text)


def _act(code: str, seat: str, name: str, field: str, text: str) -> Response:
    visit = require(code, seat)
    mistake, lines, status = None, [], 200
    places = {u.id: u.place for u in visit.game.units.values()}
    try:
        answer = visit.act(name, {field: text}, action_id=request.form.get("action_id", ""))
        lines = [*answer.lines, *_minded(visit, places)]
    except Mistake as wrong:
        mistake, status = wrong, 422 if wrong.status not in {403, 409} else wrong.status
    result = _result(mistake, lines)
    if is_htmx() and target() == "sheet":
        context = hex_context(visit, request.form.get("hex", "")) | result | {"text": text if mistake else ""}
        response = make_response(render_template("map_hex.html", **context), status)
    elif is_htmx():
        response = make_response(render_template("entry_answer.html", **result), status)
    else:
        kept = {field: text} if mistake else {}
        context = entry_context(visit, kept.get("text", "")) | result | {"csv": kept.get("csv", "")}
        response = make_response(render_template("entry.html", **context), status)
    if mistake is None and is_htmx():
        response.headers["HX-Trigger"] = "table-changed, entered"
    return response


def _minded(visit: Visit, places: Mapping[str, str]) -> list[str]:
    """What the rules have against the moves that were typed in: said, not enforced."""
    moved: dict[tuple[str, str], list[Unit]] = {}
    for unit in visit.game.units.values():
        start = places.get(unit.id, "")
        if unit.on_map and unit.place != start and may_see_unit(visit.game, unit, visit.seat):
            moved.setdefault((start, unit.place), []).append(unit)
    said = (
        said_of_move(visit.rules, visit.game, visit.seat, units, start)
        for (start, _), units in list(moved.items())[:MOST_MINDED]
    )
    return list(dict.fromkeys(f"Mind: {words}" for found in said for words in found))


@bp.get("/t/<code>/<seat>/positions.csv")
def positions_csv(code: str, seat: str) -> Response:
    """Every unit this seat may know, as a spreadsheet that can be read in again."""
    visit = require(code, seat)
    text = write_positions(visit.view.units, visit.game.kit.unit_factors)
    response = Response(text, mimetype="text/csv")
    response.headers["Content-Disposition"] = f'attachment; filename="{visit.code}-{seat}-positions.csv"'
    return response
