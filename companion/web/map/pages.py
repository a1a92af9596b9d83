"""The map of a table: its picture as a seat sees it, and the sheet of a tapped hex on it."""

from __future__ import annotations

import hashlib
from functools import partial
from typing import Any

from flask import Response, make_response, render_template, request
from markupsafe import Markup

from companion.engine.errors import Mistake
from companion.engine.positions import supply
from companion.engine.positions.situation import grid as scenario_grid
from companion.engine.record.game import Game
from companion.engine.seat.view import SeatView
from companion.tables.visit import Visit
from companion.web.intake import number
from companion.web.map.afoot import answers, fought_for
from companion.web.map.blueprint import bp, reply
from companion.web.map.canvas import SIZE, Canvas, canvas_of
from companion.web.map.counters import stacks, unit_words
from companion.web.map.hexsheet import hex_context
from companion.web.map.overlay import Layers, overlay
from companion.web.map.printed import answered, base_url_of
from companion.web.page import is_htmx, target
from companion.web.seats import WATCH, require

ROOM = 1.6 * SIZE
"""Around the outermost counters."""


def chosen_map(game: Game) -> int:
    """Which of the game's maps is shown: the scenario's, or the one asked for."""
    asked = number(request.args.get("map"))
    if asked is not None and asked < len(game.maps.grids):
        return asked
    here = scenario_grid(game)
    return next(i for i, grid in enumerate(game.maps.grids) if grid is here)


def maps_in_play(game: Game, index: int) -> list[int]:
    """The maps on the table: the scenario's (`extra.maps`), any with a counter on it, and the one that is shown."""
    named, here = game.scenario.extra.get("maps"), scenario_grid(game)
    places = {u.place for u in game.units.values()}
    return [
        i
        for i, grid in enumerate(game.maps.grids)
        if i == index
        or (any(p in named for p in grid.prefixes) if named else grid is here)
        or any(p in grid.index for p in places)
    ]


def layer_choices(game: Game, seat: str, rules: Any) -> list[tuple[str, str]]:
    """The layers a seat can switch on."""
    found = [(f"zoc-{s.id}", f"{s.name} zones") for s in game.kit.sides]
    found.append(("control", "Control"))
    if rules.supply is not None and any(supply.may_trace(game, seat, s) for s in game.sides):
        found.append(("supply", "Supply"))
    return found


def layers(visit: Visit, wanted: list[str]) -> Layers:
    """What the switched-on layers show."""
    game, rules, view, guard = visit.game, visit.rules, visit.view, visit.view.guard
    found = Layers()
    sides = [s for s in game.sides if f"zoc-{s}" in wanted]
    if sides:
        zones = guard.part("Zones of control", lambda: supply.zones_of_control(rules, game), {})
        found.zones = {s: zones.get(s, []) for s in sides}
    if "control" in wanted:
        owned = {h: str(m["owner"]) for h, m in view.hexes.items() if "owner" in m}
        owned |= {u.place: u.side for u in view.units if u.place and not u.place.startswith("box:")}
        found.control = {s: [h for h, side in owned.items() if side == s] for s in game.sides}
    if "supply" in wanted and rules.supply is not None:
        rows = [
            row
            for s in game.sides
            if supply.may_trace(game, visit.seat, s)
            for row in guard.part("Supply", partial(supply.lines, rules, game, s), [])
        ]
        found.cut = sorted({row.unit.place for row in rows if not row.answer.supplied})
        found.fed = sorted({row.unit.place for row in rows if row.answer.supplied} - set(found.cut))
    return found


def marker_signs(game: Game) -> dict[str, str]:
    """The letters on each marker's pill."""
    shown = [m for m in game.kit.markers if m.id != "owner"]
    states = {f"{m.id}={value}": words for m in shown for value, words in m.words.items() if len(words) <= 8}
    return {**{m.id: m.symbol for m in shown}, **states}


def map_context(visit: Visit) -> dict[str, Any]:
    """The page, or its live part."""
    system, game, seat, view = visit.system, visit.game, visit.seat, visit.view
    index = chosen_map(game)
    grid = game.maps.grids[index]
    choices = layer_choices(game, seat, system.rules)
    wanted = [name for name, _ in choices if name in request.args.getlist("layer")]
    found, offered = layers(visit, wanted), answers(view, grid)
    found.fought, found.offered = fought_for(view, grid), sorted({a.hex for a in offered})
    drawn = overlay(view, grid, marker_signs(game), found)
    canvas = canvas_of(grid)
    off_map = [u for u in view.units if u.place and u.place not in grid.index and u.place[:4] != "box:"]
    return {
        "v": view,
        "code": visit.code,
        "seat": seat,
        "here": "map",
        "grid": grid,
        "index": index,
        "maps": [
            (i, game.maps.grids[i].name or game.maps.grids[i].prefixes[0]) for i in maps_in_play(game, index)
        ],
        "choices": choices,
        "wanted": wanted,
        "query": "&".join([f"map={index}", *(f"layer={w}" for w in wanted)]),
        "view_box": canvas.view_box,
        "size": (canvas.width, canvas.height),
        "shape": canvas.shape(0.97),
        "frame": frame_of(canvas, view),
        "home": home_of(canvas, view, seat),
        "base": base_url_of(system, index),
        "overlay": Markup(drawn),
        "stacks": stacks(view, grid),
        "fought": found.fought,
        "answers": offered,
        "words": unit_words,
        "off_map": len(off_map),
        "hex": "",
        "pick": Markup(""),
        "asks": bool(grid.question) and not answered(system, grid),
        "may_act": seat != WATCH,
    }


def frame_of(canvas: Canvas, view: SeatView) -> str:
    """What a device looks at first: all counters, as 'x y width height'; nothing on an empty map."""
    points = [canvas.at(u.place) for u in view.units if u.place in canvas.grid.index]
    if not points:
        return ""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    left, top = min(xs) - ROOM, min(ys) - ROOM
    return f"{left:.0f} {top:.0f} {max(xs) + ROOM - left:.0f} {max(ys) + ROOM - top:.0f}"


def home_of(canvas: Canvas, view: SeatView, seat: str) -> str:
    """Where a device looks that is too small for all of them: where its side's units, or all, stand closest."""
    on_map = [u for u in view.units if u.place in canvas.grid.index]
    own = {u.place for u in on_map if u.side == seat} or {u.place for u in on_map}
    points = sorted(canvas.at(place) for place in own)
    if not points:
        return ""
    near = 9 * SIZE
    x, y = max(points, key=lambda p: sum(abs(p[0] - q[0]) + abs(p[1] - q[1]) < near for q in points))
    return f"{x:.0f} {y:.0f}"


@bp.get("/t/<code>/<seat>/map")
def map_page(code: str, seat: str) -> Response:
    """The map as this seat sees it, or only what moves on it when htmx asks."""
    visit = require(code, seat)
    asked = request.args.get("hex", "")
    shown = hashlib.sha256(request.query_string).hexdigest()[
        :16
    ]  # an address may hold any bytes, a header not
    tag = f'"{visit.revision}-{seat}-{shown}"'
    if target() == "live" and request.headers.get("If-None-Match") == tag:
        return Response(status=304)
    context = map_context(visit)
    if target() == "live":
        response = reply(render_template("map_live.html", **context))
        response.headers["ETag"] = tag
        response.headers["Cache-Control"] = "no-cache"
        return response
    if asked:  # without JavaScript a tapped hex is a page of its own
        context |= hex_context(visit, asked)
    return reply(render_template("map.html", **context))


@bp.get("/t/<code>/<seat>/map/hex/<text>")
def hex_sheet(code: str, seat: str, text: str) -> Response:
    """A hex's stack, ground and actions, with its line of supply drawn on the map."""
    visit = require(code, seat)
    try:
        context = hex_context(visit, text)
    except Mistake as mistake:
        body = render_template("sheet_error.html", message=mistake.message, code=visit.code, seat=seat)
        return make_response(body, 422)
    if is_htmx():
        return reply(render_template("map_hex.html", **context))
    full = map_context(visit)
    return reply(render_template("map.html", **{**full, **context}))
