"""The map of a table: picture, hexes, lines of supply.

Positions are entered in `entering`, the ground in `mapbook`; their pages hang on the same blueprint.
"""

from __future__ import annotations

import gzip
import hashlib
from functools import partial
from typing import Any

from flask import Blueprint, Response, make_response, render_template, request, url_for
from markupsafe import Markup

from companion.engine.errors import Mistake, NotYours, Unreadable
from companion.engine.guard import Guard
from companion.engine.hexes.grid import Grid
from companion.engine.hexes.ground import FIXED, MapBook
from companion.engine.hexes.trace import Answer
from companion.engine.positions import supply as supplycheck
from companion.engine.positions.ranges import FAR, within
from companion.engine.positions.situation import grid as scenario_grid
from companion.engine.positions.situation import map_book
from companion.engine.record.game import Game
from companion.engine.seat.view import mark_words
from companion.systems import System
from companion.web.current import tables
from companion.web.intake import number
from companion.web.map import base as mapbase
from companion.web.map import overlay as mapsvg
from companion.web.map.canvas import SIZE, Canvas, canvas_of
from companion.web.map.counters import stacks, unit_words
from companion.web.seats import WATCH, require

bp = Blueprint("map", __name__)
FOREVER = "public, max-age=31536000, immutable"


def is_htmx() -> bool:
    return "HX-Request" in request.headers


def target() -> str:
    return request.headers.get("HX-Target", "")


def reply(body: str, status: int = 200) -> Response:
    """A page that depends on who asks, and on which part of it."""
    response = make_response(body, status)
    response.headers["Vary"] = "Cookie, HX-Request, HX-Target"
    return response


def seated(code: str, seat: str) -> str:
    """The table's code as it is stored, when the device may sit there."""
    code = tables().normal(code)
    tables().store.table(code)
    require(code, seat)
    return code


# -- the ground ------------------------------------------------------------------------------------------


def ground(system: System) -> MapBook:
    """The rulebook's facts under the owner's."""
    book = MapBook.from_json(system.kit.map_facts)
    return book.merge(MapBook.from_json(tables().book(system).map))


def grids(system: System) -> tuple[Grid, ...]:
    """The game's maps, numbered as its owner says they are."""
    maps = tables().book(system).maps or system.kit.maps
    return maps.grids


_versions: dict[tuple[str, int], tuple[object, Grid, str, MapBook]] = {}


def version(system: System, index: int) -> tuple[str, MapBook]:
    """The address and the facts of a base map, worked out once while book and grid stay the same."""
    held, here = _versions.get((system.id, index)), grids(system)[index]
    owner = tables().book(system).map
    if held is None or held[0] is not owner or held[1] is not here:
        book = ground(system)
        held = _versions[system.id, index] = (owner, here, mapbase.version(here, book), book)
    return held[2], held[3]


def base_url_of(system: System, index: int) -> str:
    return url_for("map.base_map", system=system.id, index=index, name=version(system, index)[0])


@bp.get("/map/<system>/<int:index>/<name>.svg")
def base_map(system: str, index: int, name: str) -> Response:
    """The ground and its numbers; its address changes with it, so a browser keeps it for good."""
    found = tables().system(system)
    if index >= len(grids(found)):
        raise Unreadable(f"{found.kit.system.name} has no map {index}", given=index)
    now, book = version(found, index)
    body = mapbase.base_gzip(grids(found)[index], book, now)
    response = Response(body, mimetype="image/svg+xml")
    response.headers["Content-Encoding"] = "gzip"
    response.headers["Cache-Control"] = FOREVER if name == now else "no-store"
    if "gzip" not in request.headers.get("Accept-Encoding", ""):
        response.set_data(gzip.decompress(body))
        del response.headers["Content-Encoding"]
    return response


# -- the picture -----------------------------------------------------------------------------------------


def chosen_map(game: Game) -> int:
    """Which of the game's maps is shown: the scenario's, or the one asked for."""
    asked = number(request.args.get("map"))
    if asked is not None and asked < len(game.maps.grids):
        return asked
    here = scenario_grid(game)
    return next(i for i, grid in enumerate(game.maps.grids) if grid is here)


def layer_choices(game: Game, seat: str, rules: Any) -> list[tuple[str, str]]:
    """The layers a seat can switch on."""
    found = [(f"zoc-{s.id}", f"{s.name} zones") for s in game.kit.sides]
    found.append(("control", "Control"))
    if rules.supply is not None and any(supplycheck.may_trace(game, seat, s) for s in game.sides):
        found.append(("supply", "Supply"))
    return found


def layers(game: Game, rules: Any, view: dict[str, Any], seat: str, wanted: list[str]) -> mapsvg.Layers:
    """What the switched-on layers show."""
    found, guard = mapsvg.Layers(), Guard()
    sides = [s for s in game.sides if f"zoc-{s}" in wanted]
    if sides:
        zones = guard.part("Zones of control", lambda: supplycheck.zones_of_control(rules, game), {})
        found.zones = {s: zones.get(s, []) for s in sides}
    if "control" in wanted:
        owned = {h: str(m["owner"]) for h, m in view["hexes"].items() if "owner" in m}
        owned |= {
            u["place"]: u["side"] for u in view["units"] if u["place"] and not u["place"].startswith("box:")
        }
        found.control = {s: [h for h, side in owned.items() if side == s] for s in game.sides}
    if "supply" in wanted and rules.supply is not None:
        rows = [
            row
            for s in game.sides
            if supplycheck.may_trace(game, seat, s)
            for row in guard.part("Supply", partial(supplycheck.lines, rules, game, s), [])
        ]
        found.cut = sorted({row.unit.place for row in rows if not row.answer.supplied})
        found.fed = sorted({row.unit.place for row in rows if row.answer.supplied} - set(found.cut))
    view["faults"] += guard.faults
    return found


def marker_signs(game: Game) -> dict[str, str]:
    """The letters on each marker's pill."""
    return {m.id: m.symbol for m in game.kit.markers if m.id != "owner"}


def map_context(code: str, seat: str) -> dict[str, Any]:
    """The page, or its live part."""
    system, game = tables().system_of(code), tables().game(code)
    view = tables().view(code, seat)
    index = chosen_map(game)
    grid = game.maps.grids[index]
    choices = layer_choices(game, seat, system.rules)
    wanted = [name for name, _ in choices if name in request.args.getlist("layer")]
    drawn = mapsvg.overlay(view, grid, marker_signs(game), layers(game, system.rules, view, seat, wanted))
    canvas = canvas_of(grid)
    off_map = [
        u for u in view["units"] if u["place"] and u["place"] not in grid.index and u["place"][:4] != "box:"
    ]
    return {
        "v": view,
        "code": code,
        "seat": seat,
        "here": "map",
        "grid": grid,
        "index": index,
        "maps": [(i, g.name or g.prefixes[0]) for i, g in enumerate(game.maps.grids)],
        "choices": choices,
        "wanted": wanted,
        "query": "&".join([f"map={index}", *(f"layer={w}" for w in wanted)]),
        "view_box": canvas.view_box,
        "size": (canvas.width, canvas.height),
        "shape": canvas.shape(0.97),
        "start": start_of(canvas, view, seat),
        "base": base_url_of(system, index),
        "overlay": Markup(drawn),
        "stacks": stacks(view, grid),
        "words": unit_words,
        "off_map": len(off_map),
        "pick": Markup(""),
        "asks": bool(grid.question) and not answered(system, grid),
        "may_act": seat != WATCH,
    }


def start_of(canvas: Canvas, view: dict[str, Any], seat: str) -> tuple[int, int] | None:
    """Where a device looks first: where its side's units, or all, stand closest."""
    on_map = [u for u in view["units"] if u["place"] in canvas.grid.index]
    own = {u["place"] for u in on_map if u["side"] == seat} or {u["place"] for u in on_map}
    if not own:
        return None
    points = sorted(canvas.at(place) for place in own)
    near = 9 * SIZE
    x, y = max(points, key=lambda p: sum(abs(p[0] - q[0]) + abs(p[1] - q[1]) < near for q in points))
    return round(x), round(y)


def answered(system: System, grid: Grid) -> bool:
    """Whether the owner answered the map's one-look question."""
    body = tables().store.book_get(system.id, "grid") or {}
    return bool(body.get(grid.prefixes[0], {}).get("answer"))


@bp.get("/t/<code>/<seat>/map")
def map_page(code: str, seat: str) -> Response:
    """The map as this seat sees it, or only what moves on it when htmx asks."""
    code = seated(code, seat)
    asked = request.args.get("hex", "")
    shown = hashlib.sha256(request.query_string).hexdigest()[
        :16
    ]  # an address may hold any bytes, a header not
    tag = f'"{tables().store.latest(code)}-{seat}-{shown}"'
    if target() == "live" and request.headers.get("If-None-Match") == tag:
        return Response(status=304)
    context = map_context(code, seat)
    if target() == "live":
        response = reply(render_template("map_live.html", **context))
        response.headers["ETag"] = tag
        response.headers["Cache-Control"] = "no-cache"
        return response
    if asked:  # without JavaScript a tapped hex is a page of its own
        context |= hex_context(code, seat, asked, context)
    return reply(render_template("map.html", **context))


# -- a hex -----------------------------------------------------------------------------------------------


def told(answer: Answer) -> dict[str, Any]:
    """A line of supply as a page tells it: hexes only, never who stands in them."""
    return {
        "supplied": answer.supplied,
        "path": answer.path,
        "cut": answer.cut,
        "units_only": answer.from_units_only,
    }


def hex_context(code: str, seat: str, text: str, context: dict[str, Any] | None = None) -> dict[str, Any]:
    """What there is to know and to do about a hex."""
    system, game = tables().system_of(code), tables().game(code)
    hex_id = game.maps.parse(text)
    grid = game.maps.grid_of(hex_id)
    view = context["v"] if context else tables().view(code, seat)
    guard = Guard()
    line, traced_unit = guard.part("Supply", lambda: _line(system, game, seat, hex_id), (None, ""))
    view["faults"] = guard.faults
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
    chosen = mapsvg.Pick(
        hex_id,
        line["path"] if line else (),
        line["cut"] if line else {},
        within(game, hex_id, reach) if reach is not None else (),
        grid.line(hex_id, to) if distance is not None else (),
    )
    in_reach = [h for h in stacks(view, grid) if h in set(chosen.reach)]
    return {
        "hex": hex_id,
        "v": view,
        "code": code,
        "seat": seat,
        "facts": hex_facts(game, hex_id),
        "marks": mark_words(game, view["hexes"].get(hex_id, {})),
        "piles": stacks(view, grid).get(hex_id, []),
        "line": line,
        "traced_unit": traced_unit,
        "line_note": _line_note(system, game, seat, hex_id, line),
        "reach": reach,
        "reach_hexes": len(chosen.reach),
        "in_reach": in_reach,
        "to": to,
        "distance": distance,
        "problem": problem,
        "pick": Markup(mapsvg.pick(grid, chosen)),
        "view_box": canvas_of(grid).view_box,
        "may_act": seat != WATCH,
        "oob": is_htmx(),
        "words": unit_words,
        "traces": system.rules.supply is not None,
    }


def _line(system: System, game: Game, seat: str, hex_id: str) -> tuple[dict[str, Any] | None, str]:
    """The line of supply of the unit that was tapped, or of the hex's top one."""
    wanted = request.args.get("unit", "")
    if wanted and system.rules.supply is not None:
        unit = game.units.get(supplycheck.shown_ids(game, seat).get(wanted, ""))
        if unit is not None and unit.place == hex_id and supplycheck.may_trace(game, seat, unit.side):
            answer = system.rules.supply(game, unit.side).get(unit.id)
            if answer is not None:
                return {**told(answer), "side": unit.side}, wanted
    found = supplycheck.line_of(system.rules, game, seat, hex_id)
    return ({**told(found[1]), "side": found[0]} if found else None), ""


def _line_note(system: System, game: Game, seat: str, hex_id: str, line: dict[str, Any] | None) -> str:
    if line is not None or not game.units_at(hex_id):
        return ""
    if system.rules.supply is None:
        return "This game's supply is not traced here: mark units by hand."
    return "Its supply is for its own side to ask."


def marker_label(game: Game, marker: str) -> str:
    return next((m.label for m in game.kit.markers if m.id == marker), marker)


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


@bp.get("/t/<code>/<seat>/map/hex/<text>")
def hex_sheet(code: str, seat: str, text: str) -> Response:
    """A hex's stack, ground and actions, with its line of supply drawn on the map."""
    code = seated(code, seat)
    try:
        context = hex_context(code, seat, text)
    except Mistake as mistake:
        body = render_template("sheet_error.html", message=mistake.message, code=code, seat=seat)
        return make_response(body, 422)
    if is_htmx():
        return reply(render_template("map_hex.html", **context))
    full = map_context(code, seat)
    return reply(render_template("map.html", **{**full, **context}))


# -- who is in supply ------------------------------------------------------------------------------------


def supply_context(code: str, seat: str) -> dict[str, Any]:
    """All units of a side with their lines, compared with the marks on the table."""
    system, game = tables().system_of(code), tables().game(code)
    allowed = [s for s in game.sides if supplycheck.may_trace(game, seat, s)]
    asked = request.values.get("side", "")
    side = asked if asked in allowed else allowed[0] if allowed else ""
    view = tables().view(code, seat)
    shown = {real: name for name, real in supplycheck.shown_ids(game, seat).items()}
    seen = {u["id"]: u for u in view["units"]}
    rows, guard = [], Guard()
    lines = guard.part("Supply", lambda: supplycheck.lines(system.rules, game, side) if side else [], [])
    view["faults"] = guard.faults
    for row in lines:
        unit = seen[shown[row.unit.id]]
        rows.append(
            {
                "id": unit["id"],
                "name": unit_words(unit),
                "hex": row.unit.place,
                "marked": bool(row.marked),
                "differs": row.differs,
                **told(row.answer),
            }
        )
    marker, _ = supplycheck.marker_of(system.rules, game)
    return {
        "v": view,
        "code": code,
        "seat": seat,
        "here": "units",
        "side": side,
        "allowed": allowed,
        "traces": system.rules.supply is not None,
        "blank": any(r["units_only"] for r in rows),
        "out": [r for r in rows if not r["supplied"]],
        "fed": [r for r in rows if r["supplied"]],
        "differ": [r for r in rows if r["differs"]],
        "marker": marker_label(game, marker),
        "problem": "",
        "done": [],
    }


@bp.get("/t/<code>/<seat>/supply")
def supply_page(code: str, seat: str) -> Response:
    """Who is in supply, along which hexes, or what cuts him off."""
    code = seated(code, seat)
    if seat == WATCH:
        raise NotYours("Lines of supply are for the players to ask.", given=seat)
    context = supply_context(code, seat)
    return reply(render_template("supply_live.html" if target() == "live" else "supply.html", **context))


@bp.post("/t/<code>/<seat>/supply")
def apply_supply(code: str, seat: str) -> Response:
    """Change the confirmed marks and no others."""
    code = seated(code, seat)
    given = request.form
    raw = {
        "side": given.get("side", ""),
        "out": "\n".join(given.getlist("out")),
        "back": "\n".join(given.getlist("back")),
    }
    problem, done, status = "", [], 200
    try:
        done = tables().act(code, seat, "apply-supply", raw, action_id=given.get("action_id", "")).lines
    except Mistake as mistake:
        problem, status = mistake.message, mistake.status if mistake.status in {409, 422} else 422
    context = supply_context(code, seat) | {"problem": problem, "done": done}
    if target() == "live" and done:  # the next refresh must not wipe it away unread
        context["toast"] = done[0] if len(done) == 1 else f"{done[0]}, and {len(done) - 1} more"
    return reply(
        render_template("supply_live.html" if target() == "live" else "supply.html", **context), status
    )
