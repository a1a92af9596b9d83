"""Sheets for paper: pack a game away hex by hex, and set a scenario up in the order hands do it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, Response, render_template, url_for

from companion.engine.errors import Unknown
from companion.engine.hexes.ground import MapBook
from companion.engine.kit.blocks import Kit, Scenario
from companion.engine.kit.roster import UnitDef
from companion.engine.people.units import arrival_id
from companion.engine.seat.shapes import UnitView
from companion.engine.seat.view import signs
from companion.web import qr
from companion.web.current import tables
from companion.web.map.blueprint import reply
from companion.web.map.counters import unit_words
from companion.web.seats import WATCH, base_url, require

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
            waiting=sorted(waiting, key=lambda u: (u.side, u.turn, unit_words(u))),
            hidden=sum(u.hidden for u in view.units),
            words=unit_words,
            row=visit.row,
            url=url,
            qr=qr.svg(url, f"Back to table {code}"),
            watching=seat == WATCH,
        )
    )


@bp.get("/scenario/<system>/<scenario>/setup")
def set_up_sheet(system: str, scenario: str) -> Response:
    """A scenario's set-up as a person does it: tracks, cups, hexes side by side, then what comes later."""
    kit = tables().system(system).kit
    if scenario not in kit.scenarios:
        raise Unknown(
            f"{kit.system.name} has no scenario {scenario[:40]!r}: {', '.join(kit.scenarios)}", given=scenario
        )
    found = kit.scenarios[scenario]
    units = tables().book(tables().system(system)).roster.get(scenario, found.units)
    return reply(
        render_template(
            "print_setup.html",
            kit=kit.system,
            scenario=found,
            values=_starting(kit, found),
            piles=[(p.label, len(p.tokens) or p.count, p.rule) for p in kit.system.piles],
            sides=[_side(kit, units, side.id, side.name) for side in kit.system.sides],
            arrivals=_arrivals(found),
            hex_marks=[
                (h, [_mark_words(kit, m, v) for m, v in marks.items()])
                for h, marks in sorted(found.hex_marks.items())
            ],
            towns=_towns(kit),
        )
    )


def _starting(kit: Kit, scenario: Scenario) -> list[tuple[str, str, str]]:
    rows = [
        (t.label, str(scenario.start.get(t.id, t.start)), t.rule) for t in kit.system.tracks if not t.hidden
    ]
    for dial in (d for d in kit.system.dials if not d.hidden):
        value = scenario.start.get(dial.id, dial.start or dial.values[0].id)
        rows.append(
            (dial.label, next((v.label for v in dial.values if v.id == value), str(value)), dial.rule)
        )
    return rows


def _side(kit: Kit, listed: Sequence[UnitDef], side: str, name: str) -> dict[str, Any]:
    """A side's units: by hex down the map, boxes, those its owner places, those that come later."""
    units = [u for u in listed if u.side == side]
    boxes = {f"box:{b.id}": b.label for b in kit.system.boxes} | {b.id: b.label for b in kit.system.boxes}
    now = [u for u in units if not u.turn]
    by_place: dict[str, list[UnitDef]] = {}
    for unit in now:
        if unit.place:
            by_place.setdefault(boxes.get(unit.place, unit.place), []).append(unit)
    return {
        "id": side,
        "name": name,
        "count": len(units),
        "places": sorted(by_place.items(), key=lambda item: (not item[0][-4:].isdigit(), item[0])),
        "free": [u for u in now if not u.place],
        "later": sorted((u for u in units if u.turn), key=lambda u: (u.turn, u.name)),
    }


def _arrivals(scenario: Scenario) -> list[dict[str, Any]]:
    rows = [
        {
            "id": arrival_id(a, i),
            "turn": a.turn,
            "side": a.side,
            "text": a.text,
            "entry": a.entry,
            "rule": a.rule,
        }
        for i, a in enumerate(scenario.arrivals)
    ]
    return sorted(rows, key=lambda r: (int(str(r["turn"])), str(r["side"])))


def _mark_words(kit: Kit, marker: str, value: Any) -> str:
    label = next((m.label for m in kit.system.markers if m.id == marker), marker)
    return label if value is True else f"{label} {value}"


def _towns(kit: Kit) -> list[tuple[str, list[str]]]:
    found: dict[str, list[str]] = {}
    for hex_id, name in sorted(MapBook.from_json(kit.map_facts).places().items()):
        found.setdefault(name, []).append(hex_id)
    return sorted(found.items())
