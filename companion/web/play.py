"""A table's pages, as each seat sees them: main screen, log and the rest. Actions' forms are in `forms`."""

from __future__ import annotations

from urllib.parse import urlencode

from flask import Blueprint, Response, render_template, request, url_for

from companion.engine.play.phases import phase_title
from companion.tables.log import LONGEST, Entry
from companion.web.carryon import remember
from companion.web.intake import number
from companion.web.page import page_context, said, screen, see_other, target, unless_known
from companion.web.seats import WATCH, DeviceVisit, require, visit

bp = Blueprint("play", __name__)
TABS = ("", "units", "map", "log", "more")
LOG_AT_REST, LOG_OLDER = 12, 40
"""Entries on the log's first page, so that a phone holds them on two screens, and on those behind it."""
LOG_LOOKS = 10
"""How often a filtered page looks further back before it offers to go on."""
LOG_KINDS = {
    "rolled": "rolls",
    "resolved": "results",
    "drawn": "draws",
    "placed": "units",
    "set": "values",
    "advanced": "phases",
    "noted": "notes",
    "undone": "take-backs",
}


@bp.get("/t/<code>")
def any_seat(code: str) -> Response:
    """The first seat this device holds, or a place to watch."""
    found = visit(code)
    seat = found.held[0] if found.held else WATCH
    return see_other(url_for("play.seat_page", code=found.code, seat=seat))


@bp.get("/t/<code>/<seat>")
def seat_page(code: str, seat: str) -> Response | bytes:
    """A seat's main screen, or only its live part when htmx asks."""
    remember(code, seat)
    visit = require(code, seat)
    if target() == "live":
        return unless_known(
            f"{visit.revision}-{seat}",
            lambda: screen(visit),
        )
    page = {"table": "table.html", WATCH: "watch.html"}.get(seat, "phone.html")
    return screen(visit, said(visit), page)


@bp.get("/t/<code>/<seat>/head")
def head(code: str, seat: str) -> Response:
    """The frame of any other page of a seat: where the table is, who is awaited, and the tab bar."""
    visit = require(code, seat)
    here = request.args.get("here", "")
    here = here if here in TABS else "more"
    return unless_known(
        f"{visit.revision}-{seat}-{here}",
        lambda: render_template("head.html", v=visit.view, code=visit.code, seat=seat, here=here),
    )


@bp.get("/t/<code>/<seat>/log")
def log_page(code: str, seat: str) -> str:
    """What happened, newest first: a phone's two screens of it, and older ones by the page."""
    visit = require(code, seat)
    side, kind = request.args.get("side", "")[:40], request.args.get("kind", "")[:40]
    before = number(request.args.get("before"))
    rows, older = _story(visit, before, side, kind)
    asked = {"before": before, "side": side, "kind": kind}
    who = next((s.name for s in visit.view.sides if s.id == side), side.capitalize())
    return render_template(
        "log_live.html" if target() == "live" else "log.html",
        rows=rows,
        older=older,
        side=side,
        kind=kind,
        kinds=LOG_KINDS,
        told=", ".join(filter(None, [who, LOG_KINDS.get(kind, "")])),
        asked=f"?{urlencode({k: v for k, v in asked.items() if v})}" if any(asked.values()) else "",
        phases={p.id: phase_title(visit.game, p) for p in visit.game.kit.phases},
        **page_context(visit, said(visit)),
    )


def _story(visit: DeviceVisit, before: int | None, side: str, kind: str) -> tuple[list[Entry], int | None]:
    """Entries of the log that the filters let through, and where older ones begin."""
    most = LOG_OLDER if before else LOG_AT_REST
    found: list[Entry] = []
    for _ in range(LOG_LOOKS):
        entries = visit.log(LOG_OLDER, before=before, most=LONGEST)
        for entry in entries:
            if (not side or entry.seat == side) and (not kind or kind in entry.kinds):
                found.append(entry)
            before = entry.first
            if len(found) == most:
                return found, before if before > 1 else None
        if not entries or entries[-1].first <= 1:
            return found, None
    return found, before


@bp.get("/t/<code>/<seat>/more")
def more_page(code: str, seat: str) -> str:
    """Everything that is not on the main screen."""
    visit = require(code, seat)
    sheets = sorted(visit.rules.worksheets.values(), key=lambda sheet: not sheet.rule)
    return render_template(
        "more_live.html" if target() == "live" else "more.html",
        sheets=sheets,
        **page_context(visit, said(visit)),
    )
