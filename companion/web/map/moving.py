"""Taps on the map that do something: a stack is put down elsewhere, markers are laid."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Response, make_response, render_template, request, url_for

from companion.engine.alike import counted
from companion.engine.errors import Mistake, NotYours, Warned
from companion.engine.kit.blocks import Marker
from companion.engine.kit.when import holds
from companion.engine.positions.moving import said_of_move
from companion.engine.positions.supply import marker_of
from companion.engine.record.game import Game
from companion.engine.seat.shapes import UnitView
from companion.engine.seat.words import mark_label
from companion.web.map.blueprint import bp, reply
from companion.web.map.counters import unit_words
from companion.web.map.hexsheet import closed_units, hex_context
from companion.web.map.pages import map_context
from companion.web.page import Toast, is_htmx, see_other, toast_of
from companion.web.seats import WATCH, DeviceVisit, require

NAMED = 3
"""Units that a toast names."""


# -- moving ----------------------------------------------------------------------------------------------


@bp.post("/t/<code>/<seat>/map/move")
def move_stack(code: str, seat: str) -> Response:
    """Put the chosen units down in a hex; what the rules have against it is said, and hinders nobody."""
    visit = require(code, seat)
    sent, before, game = request.form, visit.revision, visit.game
    names = [n for n in sent.getlist("units") if n in game.units]
    closed = closed_units(visit, sent.get("below", "").upper())
    start = next(iter([*(game.units[n].place for n in names), *(u.place for u in closed)]), "")
    asked = {"units": sent.getlist("units"), "hex": sent.get("hex", ""), "below": sent.get("below", "")}
    said_yes = {"anyway": "on"} if sent.get("anyway") else {}
    try:
        answer = visit.act("move-stack", {**asked, **said_yes}, action_id=_tap())
    except Mistake as mistake:
        again = {"again": asked} if isinstance(mistake, Warned) else {}
        return _refused(
            visit, "map_hex.html", sent.get("from") or start, mistake, {"bar": is_htmx(), **again}
        )
    units = [visit.game.units[n] for n in names]
    if not units:  # closed counters alone, or told by their names
        return _done(visit, answer.lines, before, sent.get("hex", ""))
    target, moved = units[0].place, [u for u in visit.view.units if u.id in names]
    said = said_of_move(visit.rules, visit.game, seat, units, start)
    who = f"{named(moved)}{f' and {len(closed)} hidden' if closed else ''}"
    return _done(visit, [f"{who}: {start or 'off the map'} \u2192 {target}", *said], before, target)


def named(units: Sequence[UnitView]) -> str:
    """Units in one line."""
    more = f" and {len(units) - NAMED} more" if len(units) > NAMED else ""
    return ", ".join(counted(unit_words(u) for u in units[:NAMED])) + more


# -- markers ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Lay:
    """One tap that lays a marker or takes it off."""

    send: str
    """What the tap sends: 'oos=on'."""
    words: str
    on: bool
    """Whether it lies there now, so that the tap takes it off."""


@bp.get("/t/<code>/<seat>/map/marks/<text>")
def marks_sheet(code: str, seat: str, text: str) -> Response:
    """The markers of a hex and of the units in it, one tap each."""
    visit = require(code, seat)
    try:
        context = marks_context(visit, text)
    except Mistake as mistake:
        body = render_template("sheet_error.html", message=mistake.message, code=visit.code, seat=seat)
        return make_response(body, mistake.status)
    return _sheet(visit, "map_marks.html", context)


def marks_context(visit: DeviceVisit, text: str) -> dict[str, Any]:
    """What can be laid in a hex and on this seat's units there."""
    if visit.seat == WATCH:
        raise NotYours("Markers are laid by those who play. Sit down at a seat first.", given=visit.seat)
    game, context = visit.game, hex_context(visit, text)
    first, _ = marker_of(visit.rules, game)
    units, hex_id = context["movers"], context["hex"]
    now = (m for m in game.kit.markers if m.by_hand and not m.quiet and holds(m.when, game.values))
    kinds = sorted(now, key=lambda m: m.id != first)
    sides = {u.side for u in units}
    on_units = [m for m in kinds if "unit" in m.on and any(m.offered(side) for side in sides)]
    lying = visit.view.hexes.get(hex_id, {})
    # What lies on units is laid on them where they are on record, and in their hex where they are not.
    in_hex = [m for m in kinds if "hex" in m.on and (m not in on_units or m.id in lying)]
    return {
        **context,
        "on_units": [lay for m in on_units for lay in lays(game, m, [u.marks for u in units], sides)],
        "in_hex": [lay for m in in_hex for lay in lays(game, m, [lying])],
    }


def lays(game: Game, marker: Marker, held: Sequence[Any], sides: Iterable[str] = ()) -> list[Lay]:
    """The taps that a marker has: on and off, its values, or its number one up and one down.

    :param sides: whose units it would lie on; in a hex all its values are offered
    """
    offered = {value for side in sides for value in marker.offered(side)} or set(marker.values)
    now = [marks.get(marker.id) for marks in held]
    values: list[Any] = [v for v in marker.values if v != "#" and (v in offered or v in now)]
    if "#" in marker.values:
        most = max((int(v) for v in now if isinstance(v, int)), default=0)
        values += [n for n in (most - 1, most, most + 1) if n > 0]
    found = []
    for value in values or [True]:
        lies = all(v == value for v in now)
        send = "off" if lies else "on" if value is True else value
        found.append(Lay(f"{marker.id}={send}", mark_label(game, marker.id, value), lies))
    return found


@bp.post("/t/<code>/<seat>/map/mark")
def lay_marker(code: str, seat: str) -> Response:
    """Lay the tapped marker on the chosen units or in the hex, or take it off."""
    visit = require(code, seat)
    sent, before, hex_id = request.form, visit.revision, request.form.get("hex", "")
    marker, _, value = (sent.get("unit-mark") or sent.get("hex-mark") or "").partition("=")
    where = {"units": sent.getlist("units")} if "unit-mark" in sent else {"hexes": [hex_id]}
    try:
        answer = visit.act("mark", {"marker": marker, "value": value, **where}, action_id=_tap())
    except Mistake as mistake:
        return _refused(visit, "map_marks.html", hex_id, mistake)
    return _done(visit, answer.lines, before, hex_id)


# -- answers ---------------------------------------------------------------------------------------------


def _tap() -> str:
    return request.form.get("action_id", "")


def _done(visit: DeviceVisit, lines: Sequence[str], before: int, hex_id: str) -> Response:
    """No receipt: the sheet closes, a toast says what happened and how to take it back."""
    if not is_htmx():
        return see_other(url_for("map.map_page", code=visit.code, seat=visit.seat, hex=hex_id))
    told = toast_of(visit, lines, before)
    toast = Toast(lines, undo=told.undo if told else None, live=False)
    response = reply(
        render_template("said.html", toast=toast, code=visit.code, seat=visit.seat, fragment=True)
    )
    response.headers["HX-Trigger"] = "table-changed"
    return response


def _refused(
    visit: DeviceVisit, template: str, hex_id: str, mistake: Mistake, more: dict[str, Any] | None = None
) -> Response:
    """The same sheet with what was wrong; a wrong seat gets nothing."""
    if isinstance(mistake, NotYours):
        raise mistake
    make = marks_context if template == "map_marks.html" else hex_context
    context = make(visit, hex_id) | {"problems": [mistake.message]} | (more or {})
    return _sheet(visit, template, context, mistake.status if mistake.status in {409, 422} else 422)


def _sheet(visit: DeviceVisit, template: str, context: dict[str, Any], status: int = 200) -> Response:
    """A sheet over the map, or without JavaScript the map with it."""
    if is_htmx():
        return reply(render_template(template, **context), status)
    page = {**map_context(visit), **context, "sheet": template}
    return reply(render_template("map.html", **page), status)
