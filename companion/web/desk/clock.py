"""The organiser's round clock and announcements: what every screen of the hall shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from flask import Response, make_response, render_template, request

from companion.engine.errors import Mistake, NotNow, Unreadable
from companion.engine.people.clocks import MOST_MINUTES
from companion.hall import clock
from companion.hall.clock import RoundClock
from companion.hall.desk import Hall
from companion.hall.desk import now as this_moment
from companion.store import NoTable
from companion.tables.background import slices
from companion.web.current import desk, held, strip_now, tables
from companion.web.desk.blueprint import bp
from companion.web.intake import number
from companion.web.page import see_other

HOME = "/desk/clock"
USUAL = 180
"""Minutes of a round, until somebody says otherwise."""


def _left(now: RoundClock) -> float:
    found: float = held("countdown").left(now)
    return found


def _started(now: RoundClock) -> RoundClock:
    return clock.started(request.form.get("label", ""), _minutes("minutes"), this_moment())


DEEDS: dict[str, Callable[[RoundClock], RoundClock]] = {
    "start": _started,
    "pause": lambda now: clock.paused(now, _left(now), this_moment()),
    "resume": lambda now: clock.resumed(now, this_moment()),
    "change": lambda now: clock.changed(now, _left(now), _minutes("by"), this_moment()),
    "off": lambda now: RoundClock(label=now.label),
}
"""What can be done with the clock."""


AT_EVERY_TABLE = {"start": "start-clocks", "pause": "pause-clocks", "resume": "resume-clocks"}
"""What can be done with the sides' clocks of all tables at once."""


def _minutes(field: str) -> int:
    text = request.form.get(field, "").strip().replace("\u2212", "-")
    if not (text.isascii() and text.removeprefix("-").isdecimal()) or len(text) > 6:
        raise Unreadable(f"{text[:20]!r} is no number of minutes", field=field, given=text[:20])
    return int(text)


@bp.get("/clock")
def clock_page() -> Response:
    """The round clock, and what was announced."""
    return _page()


def _page(mistake: Mistake | None = None) -> Response:
    hall = desk().state()
    page = render_template(
        "desk/clock.html",
        hall=hall,
        strip=strip_now(),
        said=list(reversed(hall.announcements)),
        usual=USUAL,
        open_tables=sum(table.state == "open" for table in hall.tables),
        done=number(request.args.get("tables")),
        error=mistake,
        sent=request.form if mistake else {},
    )
    return make_response(page, mistake.status if mistake else 200)


def _changed(change: Callable[[Hall], Hall]) -> Response:
    try:
        desk().change(change)
    except Mistake as mistake:
        return _page(mistake)
    return see_other(HOME)


@bp.post("/clock")
def set_clock() -> Response:
    """Start, pause or change the round clock, or take it away."""
    name = request.form.get("do", "")
    if name not in DEEDS:
        return _page(NotNow(f"there is nothing like {name[:20]!r} to do with the clock", field="do"))
    return _changed(lambda hall: replace(hall, clock=DEEDS[name](hall.clock)))


@bp.post("/side-clocks")
def side_clocks() -> Response:
    """Start, pause or go on with the sides' clocks at every open table of the hall."""
    name = request.form.get("do", "")
    try:
        if name not in AT_EVERY_TABLE:
            raise NotNow(f"there is nothing like {name[:20]!r} to do with the clocks", field="do")
        minutes = _minutes("limit") if name == "start" else 0
        if not 0 <= minutes <= MOST_MINUTES:
            raise Unreadable(
                f"{minutes} minutes: a side has 1 to {MOST_MINUTES}, or 0 for no limit", field="limit"
            )
    except Mistake as mistake:
        return _page(mistake)
    sent = {"minutes": minutes} if name == "start" else {}
    codes = [table.code for table in desk().state().tables if table.state == "open"]
    done = sum(_at_table(code, AT_EVERY_TABLE[name], sent) for code in slices(codes, 5))
    return see_other(f"{HOME}?tables={done}")


def _at_table(code: str, action: str, sent: dict[str, int]) -> bool:
    """Whether it was done; a table whose clocks run already, or whose game is over, is left as it is."""
    try:
        tables().act(code, "table", action, sent)
    except (Mistake, NoTable):
        return False
    return True


@bp.post("/announce")
def announce() -> Response:
    """Tell the whole hall something."""
    text = request.form.get("text", "")
    return _changed(
        lambda hall: replace(hall, announcements=clock.announced(hall.announcements, text, this_moment()))
    )


@bp.post("/withdraw")
def withdraw() -> Response:
    """Show an announcement no longer."""
    wanted = number(request.form.get("id")) or 0
    return _changed(lambda hall: replace(hall, announcements=clock.withdrawn(hall.announcements, wanted)))
