"""The hall board: every table of this installation at a glance, for a projector and the organiser's phone."""

from __future__ import annotations

from datetime import datetime

from flask import Blueprint, abort, render_template, request

from companion.engine.errors import Unreadable
from companion.hall.board import ORDERS, QUIET, SHOWN, STUCK, Wanted, counted, rows
from companion.web.current import desk, held, tables
from companion.web.desk.blueprint import is_organiser
from companion.web.intake import number

bp = Blueprint("hall", __name__)
LONGEST_WAIT = 9999


def _minutes(name: str, usual: int) -> int:
    """A number of minutes from the address."""
    asked = request.args.get(name) or str(usual)
    found = number(asked)
    if found is None or not 1 <= found <= LONGEST_WAIT:
        raise Unreadable(f"{name}={asked[:20]!r}: minutes, 1 to {LONGEST_WAIT}", field=name, given=asked[:20])
    return found


def _wanted() -> Wanted:
    """What of the board is asked for; what nobody knows is all of it."""
    shown, order = request.args.get("show", ""), request.args.get("sort", "")
    return Wanted(
        request.args.get("game", "")[:60],
        shown if shown in SHOWN else "",
        order if order in ORDERS else "needs",
        request.args.get("q", "")[:60],
    )


def ago(minutes: int) -> str:
    """How long, in few words."""
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // (24 * 60)} days"


@bp.get("/hall")
def hall() -> str:
    """The board; it holds nothing that a watcher of a table may not see."""
    if held("private"):
        abort(404, "There is no hall here: this companion tells nobody of other people's tables.")
    quiet, stuck, wanted = _minutes("quiet", QUIET), _minutes("stuck", STUCK), _wanted()
    changes: int = held("hub").changes  # before looking, so that what happens meanwhile is looked at again
    found = rows(
        tables().store.tables(), desk().state().by_code, tables().systems, held("ages"), quiet, stuck
    )
    live = request.headers.get("HX-Target") == "live"
    return render_template(
        "hall_live.html" if live else "hall.html",
        rows=wanted.of(found),
        everything=len(found),
        games={r.system: r.game for r in sorted(found, key=lambda r: r.game)},
        wanted=wanted,
        quiet=quiet,
        stuck=stuck,
        wall="wall" in request.args,
        orders={name: label for name, (label, _) in ORDERS.items()},
        shown=SHOWN,
        count=counted(found),
        ago=ago,
        changes=changes,
        organiser=is_organiser(),
        rounds=len(desk().state().contest.published),
        query=request.query_string.decode("ascii", "replace"),
        now=datetime.now().astimezone().strftime("%H:%M"),
    )


@bp.get("/hall/strip")
def strip() -> str:
    """The line on top of every page: the round clock and the newest announcement."""
    return render_template("round.html")
