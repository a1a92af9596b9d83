"""Who is in supply: a side's lines beside the marks on the table, and the marks put right."""

from __future__ import annotations

from typing import Any

from flask import Response, render_template, request

from companion.engine.errors import Mistake, NotYours
from companion.engine.hexes.trace import SupplyLine
from companion.engine.positions.supply import lines, marker_of, may_trace, shown_ids
from companion.engine.record.game import Game
from companion.tables.visit import Visit
from companion.web.map.blueprint import bp, reply
from companion.web.map.counters import unit_words
from companion.web.page import target
from companion.web.seats import WATCH, require


def told(answer: SupplyLine) -> dict[str, Any]:
    """A line of supply as a page tells it: hexes only, never who stands in them."""
    return {
        "supplied": answer.supplied,
        "path": answer.path,
        "cut": answer.cut,
        "units_only": answer.from_units_only,
    }


def supply_context(visit: Visit) -> dict[str, Any]:
    """All units of a side with their lines, compared with the marks on the table."""
    system, game, seat, view = visit.system, visit.game, visit.seat, visit.view
    allowed = [s for s in game.sides if may_trace(game, seat, s)]
    asked = request.values.get("side", "")
    side = asked if asked in allowed else allowed[0] if allowed else ""
    shown = {real: name for name, real in shown_ids(game, seat).items()}
    seen = {u.id: u for u in view.units}
    rows = []
    found = view.guard.part("Supply", lambda: lines(system.rules, game, side) if side else [], [])
    for row in found:
        unit = seen[shown[row.unit.id]]
        rows.append(
            {
                "id": unit.id,
                "name": unit_words(unit),
                "hex": row.unit.place,
                "marked": bool(row.marked),
                "differs": row.differs,
                **told(row.answer),
            }
        )
    marker, _ = marker_of(system.rules, game)
    return {
        "v": view,
        "code": visit.code,
        "seat": seat,
        "here": "units",
        "side": side,
        "allowed": allowed,
        "traces": system.rules.supply is not None,
        "blank": any(r["units_only"] for r in rows),
        "untold": not rows and any(u.side == side and u.place in game.stacks() for u in seen.values()),
        "out": [r for r in rows if not r["supplied"]],
        "fed": [r for r in rows if r["supplied"]],
        "differ": [r for r in rows if r["differs"]],
        "marker": marker_label(game, marker),
        "problem": "",
        "done": [],
        "toast": "",
    }


def marker_label(game: Game, marker: str) -> str:
    return next((m.label for m in game.kit.markers if m.id == marker), marker)


@bp.get("/t/<code>/<seat>/supply")
def supply_page(code: str, seat: str) -> Response:
    """Who is in supply, along which hexes, or what cuts him off."""
    visit = require(code, seat)
    if seat == WATCH:
        raise NotYours("Lines of supply are for the players to ask.", given=seat)
    context = supply_context(visit)
    return reply(render_template("supply_live.html" if target() == "live" else "supply.html", **context))


@bp.post("/t/<code>/<seat>/supply")
def apply_supply(code: str, seat: str) -> Response:
    """Change the confirmed marks and no others."""
    visit = require(code, seat)
    given = request.form
    raw = {
        "side": given.get("side", ""),
        "out": "\n".join(given.getlist("out")),
        "back": "\n".join(given.getlist("back")),
    }
    problem, done, status = "", [], 200
    try:
        done = visit.act("apply-supply", raw, action_id=given.get("action_id", "")).lines
    except Mistake as mistake:
        problem, status = mistake.message, mistake.status if mistake.status in {409, 422} else 422
    context = supply_context(visit) | {"problem": problem, "done": done}
    if target() == "live" and done:  # the next refresh must not wipe it away unread
        context["toast"] = done[0] if len(done) == 1 else f"{done[0]}, and {len(done) - 1} more"
    return reply(
        render_template("supply_live.html" if target() == "live" else "supply.html", **context), status
    )
