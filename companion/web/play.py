"""A table's pages, as each seat sees them: table, phone, units, log, settings. Forms of actions are in `forms`."""

from __future__ import annotations

from collections.abc import Callable

from flask import Blueprint, Response, render_template, request, url_for

from companion.engine.seat.shapes import UnitView
from companion.engine.seat.view import SeatView
from companion.tables.log import LONGEST
from companion.web.intake import number
from companion.web.page import (
    Toast,
    is_htmx,
    live_template,
    page_context,
    see_other,
    target,
    toast_of,
    unless_known,
    with_effect,
)
from companion.web.seats import WATCH, DeviceVisit, require, visit

bp = Blueprint("play", __name__)
TABS = ("units", "map", "log", "more")
SETTINGS_GROUPS = ("settings", "fix")


@bp.get("/t/<code>")
def any_seat(code: str) -> Response:
    """The first seat this device holds, or a place to watch."""
    found = visit(code)
    seat = found.held[0] if found.held else WATCH
    return see_other(url_for("play.seat_page", code=found.code, seat=seat))


@bp.get("/t/<code>/<seat>")
def seat_page(code: str, seat: str) -> Response | str:
    """A seat's main screen, or only its live part when htmx asks."""
    visit = require(code, seat)
    if target() == "live":
        return unless_known(
            f"{visit.row.revision}-{seat}",
            lambda: render_template(live_template(seat), **page_context(visit)),
        )
    context = page_context(visit, _said(visit))
    return render_template("table.html" if seat in {"table", WATCH} else "phone.html", **context)


@bp.get("/t/<code>/<seat>/head")
def head(code: str, seat: str) -> Response:
    """The frame of any other page of a seat: where the table is, who is awaited, and the tab bar."""
    visit = require(code, seat)
    here = request.args.get("here", "")
    here = here if here in TABS else "more"
    return unless_known(
        f"{visit.row.revision}-{seat}-{here}",
        lambda: render_template("head.html", v=visit.view, code=visit.code, seat=seat, here=here),
    )


def _said(visit: DeviceVisit) -> Toast | None:
    """What a plain form did before it led back here: the newest action, while it is the newest."""
    said = number(request.args.get("said"))
    if said is None or said != visit.row.revision or visit.seat == WATCH or is_htmx():
        return None
    lines = visit.last_words(said)
    return toast_of(visit, lines, 0) if lines else None


@bp.get("/t/<code>/<seat>/units")
def units_page(code: str, seat: str) -> str:
    """Units by hex, with filters."""
    visit = require(code, seat)
    show = request.args.get("show", "")
    groups = _unit_groups(visit.view, show, seat)
    return render_template(
        "units_live.html" if target() == "live" else "units.html",
        show=show,
        groups=groups,
        signs=with_effect(sign for _, units in groups for unit in units for sign in unit.signs),
        **page_context(visit),
    )


def _unit_groups(view: SeatView, show: str, seat: str) -> list[tuple[str, list[UnitView]]]:
    labels = {b.id: b.label for b in view.boxes}
    tests: dict[str, Callable[[UnitView], bool]] = {
        "oos": lambda u: any(m.startswith("oos") or m in ("isolated", "supply") for m in u.marks),
        "reduced": lambda u: u.steps < u.full,
        "mine": lambda u: u.side == seat,
        "waiting": lambda u: not u.place,
    }
    keep = tests.get(show)
    groups: dict[str, list[UnitView]] = {}
    for unit in sorted(view.units, key=lambda u: -u.order):
        if keep is None or keep(unit):
            place = labels.get(unit.place, unit.place or "Not on the map yet")
            groups.setdefault(place, []).append(unit)
    return sorted(groups.items(), key=lambda item: (not item[0][:1].isdigit(), item[0]))


@bp.get("/t/<code>/<seat>/log")
def log_page(code: str, seat: str) -> str:
    """The whole log, newest first."""
    visit = require(code, seat)
    side, kind = request.args.get("side", ""), request.args.get("kind", "")
    entries = visit.log(80, before=number(request.args.get("before")), most=LONGEST)
    return render_template(
        "log.html",
        rows=[e for e in entries if (not side or e.seat == side) and (not kind or kind in e.kinds)],
        side=side,
        kind=kind,
        phases={p.id: p.name for p in visit.view.phases},
        older=entries[-1].first if entries and entries[-1].first > 1 else None,
        **page_context(visit),
    )


@bp.get("/t/<code>/<seat>/more")
def more_page(code: str, seat: str) -> str:
    """Everything that is not on the main screen."""
    visit = require(code, seat)
    return render_template("more.html", sheets=visit.rules.worksheets.values(), **page_context(visit))


@bp.get("/t/<code>/<seat>/settings")
def settings_page(code: str, seat: str) -> str:
    """Modes, corrections, dice seed, export."""
    visit = require(code, seat)
    game = visit.game
    return render_template(
        "settings.html",
        readings=[(o, game[o.id]) for o in (*game.kit.options, *game.scenario.options)],
        entropy={s: bool(game[f"entropy-{s}"]) for s in game.sides},
        seed=visit.row.seed if game.record_open else "",
        groups=[a for a in visit.view.actions if a.group in SETTINGS_GROUPS],
        **page_context(visit),
    )
