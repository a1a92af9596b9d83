"""A hex of the map: what lies in it, its ground, its line of supply, and what is in reach."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from flask import request
from markupsafe import Markup

from companion.engine.errors import Mistake
from companion.engine.forms.fields import on_the_form
from companion.engine.hexes.ground import FIXED
from companion.engine.people.units import movable
from companion.engine.positions import supply
from companion.engine.positions.moving import attacks_on
from companion.engine.positions.ranges import FAR, within
from companion.engine.positions.situation import map_book
from companion.engine.record.game import Game
from companion.engine.seat.shapes import UnitView
from companion.engine.seat.view import signs
from companion.systems import System
from companion.tables.visit import Visit
from companion.web.intake import number
from companion.web.map.afoot import answers
from companion.web.map.canvas import canvas_of
from companion.web.map.counters import stacks, unit_words
from companion.web.map.overlay import Pick, pick
from companion.web.map.supply import told
from companion.web.page import is_htmx, target, with_effect
from companion.web.seats import WATCH


def hex_context(visit: Visit, text: str) -> dict[str, Any]:
    """What there is to know and to do about a hex."""
    system, game, seat, view = visit.system, visit.game, visit.seat, visit.view
    hex_id = game.maps.parse(text)
    grid = game.maps.grid_of(hex_id)
    line, traced_unit = view.guard.part("Supply", lambda: _line(system, game, seat, hex_id), (None, ""))
    reach = number(request.args.get("reach"))
    reach = None if reach is None else min(reach, FAR)
    to = request.args.get("to", "").strip()
    problem, distance = "", None
    if to:
        try:
            to = game.maps.parse(to)
            distance = game.maps.distance(hex_id, to)
        except Mistake as mistake:
            problem = mistake.message
    chosen = Pick(
        hex_id,
        line["path"] if line else (),
        line["cut"] if line else {},
        within(game, hex_id, reach) if reach is not None else (),
        grid.line(hex_id, to) if distance is not None else (),
    )
    found = stacks(view, grid)
    offered = [a for a in answers(view, grid) if a.hex == hex_id]
    movers, below = units_to_move(visit, hex_id), closed_units(visit, hex_id)
    here, marks = found.get(hex_id, []), signs(game, view.hexes.get(hex_id, {}))
    in_reach = [h for h in found if h in set(chosen.reach)]
    return {
        "hex": hex_id,
        "v": view,
        "code": visit.code,
        "seat": seat,
        "facts": hex_facts(game, hex_id),
        "marks": marks,
        "effects": with_effect((*marks, *(sign for s in here for u in s.units for sign in u.signs))),
        "piles": here,
        "line": line,
        "traced_unit": traced_unit,
        "line_note": _line_note(system, game, seat, hex_id, line),
        "reach": reach,
        "reach_hexes": len(chosen.reach),
        "in_reach": in_reach,
        "to": to,
        "distance": distance,
        "problem": problem,
        "problems": [],
        "again": None,
        "done": None,
        "text": "",
        "pick": Markup(pick(grid, chosen)),
        "view_box": canvas_of(grid).view_box,
        "may_act": seat != WATCH,
        "oob": is_htmx() and target() != "movers",  # a stack that was put down draws nothing any more
        "words": unit_words,
        "traces": system.rules.supply is not None,
        "bar": bool(movers or below or offered) and "tap" in request.args,
        "movers": movers,
        "below": below,
        "carried": _carried(visit, hex_id),
        "carried_below": _carried_below(visit, hex_id),
        "held": any(s.side != side for s in here for side in _carried_sides(visit, hex_id)),
        "answers": offered,
        "attacks": view.guard.part("Attacks", lambda: _attacks(visit, hex_id), []),
    }


def units_to_move(visit: Visit, hex_id: str) -> list[UnitView]:
    """The units in a hex that this seat may take up, top first."""
    if visit.seat == WATCH:
        return []
    mine = {u.id for u in movable(visit.context)}
    here = [u for u in visit.view.units if u.place == hex_id and u.id in mine]
    return sorted(here, key=lambda u: -u.order)


def closed_units(visit: Visit, hex_id: str) -> list[UnitView]:
    """The counters in a hex that the table's screen moves with the stack and does not read."""
    return [u for u in visit.view.units if u.place == hex_id and u.hidden] if visit.seat == "table" else []


def _carried(visit: Visit, hex_id: str) -> list[UnitView]:
    """The units that were taken up before another stack was tapped."""
    start, chosen = request.args.get("from", ""), request.args.getlist("units")
    return [u for u in units_to_move(visit, start) if u.id in chosen] if start != hex_id else []


def _carried_below(visit: Visit, hex_id: str) -> list[UnitView]:
    """The closed counters that were taken up with them."""
    start = request.args.get("below", "")
    return closed_units(visit, start) if start != hex_id else []


def _carried_sides(visit: Visit, hex_id: str) -> set[str]:
    return {u.side for u in (*_carried(visit, hex_id), *_carried_below(visit, hex_id))}


@dataclass(frozen=True)
class AttackLink:
    """A form that attacks the hex, its target filled in."""

    label: str
    rule: str
    url: str


def _attacks(visit: Visit, hex_id: str) -> list[AttackLink]:
    """The attacks that this seat may make on a hex now, by those that were taken up; of a form that takes one, by one."""
    rules, found = visit.rules, []
    for attack, near in attacks_on(rules, visit.game, visit.seat, hex_id):
        action, carried = rules.actions[attack.action], {u.id for u in _carried(visit, hex_id)}
        many = getattr(action.fields[attack.units], "many", False)
        likely = [
            u.id for u in sorted(near, key=on_the_form) if u.id in carried or (not many and len(near) == 1)
        ]
        given = {attack.hex: [hex_id], attack.units: likely if many else likely[:1]}
        url = f"/t/{visit.code}/{visit.seat}/do/{action.name}?{urlencode(given, doseq=True)}"
        found.append(AttackLink(action.label, action.rule, url))
    return found


def _line(system: System, game: Game, seat: str, hex_id: str) -> tuple[dict[str, Any] | None, str]:
    """The line of supply of the unit that was tapped, or of the hex's top one."""
    wanted = request.args.get("unit", "")
    if wanted and system.rules.supply is not None:
        unit = game.units.get(supply.shown_ids(game, seat).get(wanted, ""))
        if unit is not None and unit.place == hex_id and supply.may_trace(game, seat, unit.side):
            answer = system.rules.supply(game, unit.side).get(unit.id)
            if answer is not None:
                return {**told(answer), "side": unit.side}, wanted
    found = supply.line_at(system.rules, game, seat, hex_id)
    return ({**told(found[1]), "side": found[0]} if found else None), ""


def _line_note(system: System, game: Game, seat: str, hex_id: str, line: dict[str, Any] | None) -> str:
    there = game.units_at(hex_id)
    if line is not None or not there:
        return ""
    if system.rules.supply is None:
        return "This game's supply is not traced here: mark units by hand."
    mine = any(supply.may_trace(game, seat, unit.side) for unit in there)  # then nothing is known of it
    return "" if mine else "Its supply is for its own side to ask."


def hex_facts(game: Game, hex_id: str) -> list[tuple[str, str]]:
    """What the map book says of a hex, in the order a player asks."""
    book = map_book(game)
    about = book.about(hex_id)
    found = [("Ground", book.terrain(hex_id) or "not entered")]
    found += [(f.kind.capitalize(), f.value) for f in about if f.kind not in FIXED]
    for kind, label in (("vp", "Victory points"), ("source", "Source"), ("area", "Area"), ("edge", "Edge")):
        values = [game.side_name(f.value) if kind == "source" else f.value for f in about if f.kind == kind]
        if values:
            found.append((label, ", ".join(values)))
    for other in game.maps.neighbours(hex_id):
        side = f"{hex_id}-{other}" if hex_id < other else f"{other}-{hex_id}"
        words = [*sorted(book.features(side)), *sorted(book.links(side))]
        if words:
            found.append((f"To {other}", ", ".join(words)))
    return found
