"""The JSON API, made from the same action definitions as the forms."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from flask import Blueprint, Response, jsonify, request

from companion.engine.errors import Mistake, NotYours, Unknown, Unreadable, did_you_mean
from companion.engine.forms.fields import Context
from companion.engine.record.game import Game
from companion.limits import FORM_FIELDS, JSON_DEPTH
from companion.tables.options import common_options
from companion.tables.reading import EDGE, seen_record
from companion.tables.tables import utc_now
from companion.web import curtain
from companion.web.current import tables
from companion.web.flood import founded, may_found
from companion.web.intake import depth, number
from companion.web.openapi import document
from companion.web.seatpages import seats
from companion.web.seats import WATCH, DeviceVisit, by_bearer, token, visit

bp = Blueprint("api", __name__, url_prefix="/api")


def body() -> dict[str, Any]:
    """The request's JSON object, or a clear refusal."""
    if not request.data:
        return {}
    try:
        found = request.get_json(force=True, silent=False)
    except Exception:  # noqa: BLE001 - werkzeug's own message is for programmers
        raise Unreadable(
            'the body is not JSON: send an object like {"dice": "2d6"}', given=request.data[:40]
        ) from None
    if depth(found) > JSON_DEPTH:
        raise Unreadable(f"the body is nested too deep: at most {JSON_DEPTH} levels")
    if isinstance(found, dict) and len(found) > FORM_FIELDS:
        raise Unreadable(f"{len(found):,} fields are too many: at most {FORM_FIELDS:,}")
    if not isinstance(found, dict):
        raise Unreadable(f"the body must be a JSON object, not {type(found).__name__}", given=str(found)[:40])
    return found


def calling(code: str) -> DeviceVisit:
    """The visit of the seat the bearer acts for: `?seat=` among those it holds, else its only one, else watching."""
    found = visit(code)
    code, mine = found.code, found.held
    wanted = request.args.get("seat", "")
    if wanted and wanted != WATCH and wanted not in mine:
        raise NotYours(
            f"this token does not open the seat {wanted[:40]!r} of table {code}",
            field="seat",
            given=wanted,
            accepted=", ".join(mine),
        )
    seat = found.seat = wanted or (mine[0] if mine else WATCH)
    if not by_bearer() and curtain.is_drawn(found):
        raise NotYours(f"this device is shared: open the {seat} seat's page on it first", given=seat)
    if by_bearer() and seat != WATCH and seat not in tables().seating.taken(code):
        tables().store.claim_seat(code, seat, utc_now())  # a program holds a seat as a phone does
    return found


def playing(code: str, what: str) -> DeviceVisit:
    """The visit of a bearer who holds a seat.

    :param what: what a seat is needed for
    """
    found = calling(code)
    if found.seat == WATCH:
        raise NotYours(f"a seat's token is needed to {what}: send it as 'Authorization: Bearer ...'")
    return found


@bp.get("/systems")
def systems() -> Response:
    """Games, scenarios, options, worksheets."""
    found = []
    for system in tables().systems.values():
        kit = system.kit.system
        found.append(
            {
                "id": kit.id,
                "name": kit.name,
                "sides": [s.id for s in kit.sides],
                "scenarios": [
                    {"id": s.id, "name": s.name, "first": s.first, "last": s.last, "partial": s.partial}
                    for s in system.kit.scenarios.values()
                ],
                "options": [
                    {
                        "id": o.id,
                        "label": o.label,
                        "default": o.default,
                        "choices": [c.id for c in o.choices],
                        "rule": o.rule,
                    }
                    for o in (*common_options(), *kit.options)
                ],
                "worksheets": {
                    w.name: {"title": w.title, "rule": w.rule, "fields": list(w.fields)}
                    for w in system.rules.worksheets.values()
                },
            }
        )
    return jsonify({"systems": found})


@bp.post("/tables")
def new_table() -> tuple[Response, int]:
    """Found a table; the answer holds each seat's secret."""
    given = body()
    for name in ("system", "scenario"):
        if name not in given:
            raise Unreadable(f"{name} is missing", field=name, accepted="see /api/systems")
    options = given.get("options", {})
    if not isinstance(options, dict):
        raise Unreadable("options must be an object", field="options", given=options)
    may_found()
    code = tables().new(str(given["system"]), str(given["scenario"]), options, str(given.get("title", "")))
    founded()
    found = visit(code)
    secrets = {seat: token(code, seat) for seat in found.seats}
    return jsonify({"code": code, "revision": found.revision, "seats": secrets}), 201


@bp.get("/tables/<code>")
def table(code: str) -> Response:
    """The table as the bearer's seat sees it."""
    found = calling(code)
    clocks = found.clocks
    return jsonify({"code": found.code, "clocks": asdict(clocks) if clocks else None, **found.view.to_json()})


@bp.get("/tables/<code>/actions")
def actions(code: str) -> Response:
    """What this seat may do now, with fields."""
    found = calling(code)
    offered = [] if found.seat == WATCH else found.view.actions
    forms = [{**action.to_json(), "fields": found.fields(action.name)} for action in offered]
    return jsonify({"seat": found.seat, "revision": found.revision, "actions": forms})


@bp.post("/tables/<code>/actions/<name>")
def act(code: str, name: str) -> Response:
    """Do something. `action_id` makes a repeat harmless; `revision` is needed for phase changes."""
    found = playing(code, "act")
    given = body()
    action_id = given.pop("action_id", None)
    revision = given.pop("revision", None)
    if revision is not None and not isinstance(revision, int):
        raise Unreadable("revision must be a whole number", field="revision", given=revision)
    made = "" if action_id is None else str(action_id)
    return jsonify(found.act(name, given, action_id=made, revision=revision).to_json())


@bp.get("/tables/<code>/seats")
def who_sits_where(code: str) -> Response:
    """Every seat with who holds it; the link only of a free seat that the bearer's may hand out."""
    found = playing(code, "see the seats")
    rows = [
        {"id": s.id, "name": s.name, "state": s.state, "devices": s.devices, "link": s.link}
        for s in seats(found)
    ]
    return jsonify({"seat": found.seat, "revision": found.revision, "seats": rows})


@bp.get("/tables/<code>/events")
def events(code: str) -> Response:
    """Events after `since`, as the bearer's seat may see them."""
    visited = calling(code)
    asked = request.args.get("since", "0")
    since = number(asked)
    if since is None:
        raise Unreadable(
            f"since={asked[:20]!r} is not an event number", field="since", given=asked, accepted="0 or more"
        )
    stored = tables().store.events(visited.code, max(0, since - EDGE), since + 500 + EDGE)
    found = seen_record(visited.rules, stored, visited.seat)
    return jsonify(
        {
            "revision": visited.revision,
            "events": [
                {"seq": s.seq, "at": s.at, "seat": s.seat, "action": s.name, **s.body}
                for s in found
                if since < s.seq <= since + 500
            ],
        }
    )


@bp.post("/calc/<system>/<worksheet>")
def calc(system: str, worksheet: str) -> Response:
    """Work a worksheet without a table."""
    found = tables().system(system)
    sheets = found.rules.worksheets
    if worksheet not in sheets:
        raise Unknown(
            f"{found.kit.system.name} has no worksheet {worksheet[:40]!r}: {', '.join(sheets) or 'none'}."
            f"{did_you_mean(worksheet, sheets)}",
            field="worksheet",
            given=worksheet,
            accepted=", ".join(sheets),
        )
    return jsonify(
        sheets[worksheet].work(body(), Context(Game.bare(found.kit, tables().book(found)))).to_json()
    )


@bp.get("/openapi.json")
def openapi() -> Response:
    """This API, described for machines."""
    return jsonify(document(tables()))


@bp.errorhandler(Mistake)
def mistake(error: Mistake) -> tuple[Response, int]:
    return jsonify(error.to_json()), error.status
