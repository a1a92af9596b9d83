"""For everybody in the hall: where one plays next, and who stands where. Names and results only."""

from __future__ import annotations

import time
from typing import Any

from flask import Blueprint, current_app, render_template, request

from companion.hall.lists import amount
from companion.hall.rounds import Contest, history
from companion.web.current import desk
from companion.web.desk.contest import contest, reports, shown
from companion.web.desk.standings import all_standings

bp = Blueprint("standings", __name__)
FRESH = 3.0
"""Seconds for which a page is handed out again: a whole hall looks when a round is called."""


def _kept(page: str, live: bool) -> str:
    """A page as it was drawn a moment ago, if nothing was changed at the desk since."""
    drawn: dict[tuple[str, bool], tuple[int, float, str]]
    drawn = current_app.extensions["companion"].setdefault("public standings", {})
    version, now = desk().state().version, time.monotonic()
    there = drawn.get((page, live))
    if there is None or there[0] != version or now - there[1] > FRESH:
        drawn[page, live] = there = version, now, _drawn(page, live)
    return there[2]


def _drawn(page: str, live: bool) -> str:
    state = contest()
    one = state.published[-1] if state.published else None
    lines = reports().lines(state, [one]) if one else []
    return render_template(
        f"{page}_live.html" if live else f"{page}.html",
        round=one,
        lines=[shown(line) for line in lines],
        byes=[pair.players[0] for pair in one.pairs if pair.is_bye] if one else [],
        names=_names(state) if page == "names" else [],
        tables=all_standings(state) if page == "standings" else {},
        amount=amount,
    )


def _names(state: Contest) -> list[dict[str, Any]]:
    """Everybody in the round by name, with where he sits."""
    last = {name: seats[-1] for name, seats in history(state, reports().sides).items()}
    now = len(state.published)
    found = [{"name": name, "seat": seat} for name, seat in last.items() if seat.round == now]
    return sorted(found, key=lambda one: str(one["name"]).casefold())


@bp.get("/standings")
def standings() -> str:
    """Who stands where."""
    return _kept("standings", request.headers.get("HX-Target") == "standings")


@bp.get("/round")
def this_round() -> str:
    """Who plays where in this round."""
    return _kept("pairings", request.headers.get("HX-Target") == "pairings")


@bp.get("/round/names")
def by_name() -> str:
    """The same for whoever looks for a name."""
    return _kept("names", request.headers.get("HX-Target") == "names")
