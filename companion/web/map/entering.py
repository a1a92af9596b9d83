"""Entering positions: the line, the keypad, the chips, and whole set-ups from a file."""

from __future__ import annotations

from typing import Any

from flask import Response, make_response, render_template, request

from companion.engine.errors import Mistake, NotYours
from companion.engine.positions.hints import hints
from companion.engine.positions.line import BadLines
from companion.engine.positions.sheets import write_positions
from companion.engine.record.events import Event
from companion.web.current import tables
from companion.web.map.blueprint import bp, is_htmx, reply, seated, target
from companion.web.map.counters import unit_words
from companion.web.map.hexsheet import hex_context
from companion.web.seats import WATCH

RECENT = 10
LOOK_BACK = 120


def recent_hexes(code: str, seat: str) -> list[str]:
    """Where units came to lately, newest first."""
    latest = tables().store.latest(code)
    found: list[str] = []
    for item in reversed(tables().store.events(code, max(0, latest - LOOK_BACK))):
        if item.kind == "placed":
            place = str(Event.from_json(item.body).seen_by(seat).get("place") or "")
            if place and not place.startswith("box:") and place not in found:
                found.append(place)
    return found[:RECENT]


def entry_context(code: str, seat: str, text: str = "") -> dict[str, Any]:
    """What the entry page shows."""
    game, view = tables().game(code), tables().view(code, seat)
    hexes: dict[str, list[dict[str, Any]]] = {}
    boxes: dict[str, list[dict[str, Any]]] = {}
    labels = {b["id"]: b["label"] for b in view["boxes"]}
    waiting = []
    for unit in sorted(view["units"], key=lambda u: -u.get("order", 0)):
        if not unit["place"]:
            waiting.append(unit)
        elif unit["place"] in labels:
            boxes.setdefault(labels[unit["place"]], []).append(unit)
        else:
            hexes.setdefault(unit["place"], []).append(unit)
    return {
        "v": view,
        "code": code,
        "seat": seat,
        "here": "units",
        "text": text,
        "hexes": dict(sorted(hexes.items())),
        "boxes": boxes,
        "box_ids": [b.id for b in game.kit.boxes],
        "waiting": [u for u in waiting if seat in {"table", u["side"]}],
        "recent": recent_hexes(code, seat),
        "words": unit_words,
        "side_ids": [s for s in game.sides if seat in {"table", s}],
        "can_set_up": any(a["name"] == "set-up" for a in view["actions"]) and bool(game.roster),
        "listed": len(game.roster),
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
    code = seated(code, seat)
    if seat == WATCH:
        raise NotYours("Positions are entered by those who play. Sit down at a seat first.", given=seat)
    context = entry_context(code, seat, request.args.get("text", "")[:2000])
    return reply(render_template("entry_live.html" if target() == "live" else "entry.html", **context))


@bp.get("/t/<code>/<seat>/entry/hints")
def entry_hints(code: str, seat: str) -> str:
    """Units and hexes that the line may go on with."""
    code = seated(code, seat)
    found = hints(tables().game(code), seat, request.args.get("text", "")[-200:]) if seat != WATCH else None
    return render_template("entry_hints.html", hints=found, recent=recent_hexes(code, seat))


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
    code = seated(code, seat)
    mistake, lines, status = None, [], 200
    try:
        answer = tables().act(code, seat, name, {field: text}, action_id=request.form.get("action_id", ""))
        lines = answer.lines
    except Mistake as wrong:
        mistake, status = wrong, 422 if wrong.status not in {403, 409} else wrong.status
    result = _result(mistake, lines)
    if is_htmx() and target() == "sheet":
        context = (
            hex_context(code, seat, request.form.get("hex", "")) | result | {"text": text if mistake else ""}
        )
        response = make_response(render_template("map_hex.html", **context), status)
    elif is_htmx():
        response = make_response(render_template("entry_answer.html", **result), status)
    else:
        context = entry_context(code, seat, text if mistake and field == "text" else "") | result
        response = make_response(render_template("entry.html", **context), status)
    if mistake is None and is_htmx():
        response.headers["HX-Trigger"] = "table-changed, entered"
    return response


@bp.get("/t/<code>/<seat>/positions.csv")
def positions_csv(code: str, seat: str) -> Response:
    """Every unit this seat may know, as a spreadsheet that can be read in again."""
    code = seated(code, seat)
    kit = tables().system_of(code).kit.system
    text = write_positions(tables().view(code, seat)["units"], kit.unit_factors)
    response = Response(text, mimetype="text/csv")
    response.headers["Content-Disposition"] = f'attachment; filename="{code}-{seat}-positions.csv"'
    return response
