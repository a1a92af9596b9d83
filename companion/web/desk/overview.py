"""The organiser's first page: every table of the hall, and what is done to many of them at once."""

from __future__ import annotations

from flask import Response, make_response, render_template, request, url_for

from companion.engine.errors import Unreadable
from companion.hall import running
from companion.hall.listing import write_list
from companion.web.current import desk, tables
from companion.web.desk.blueprint import bp
from companion.web.desk.rows import all_rows
from companion.web.intake import number
from companion.web.page import see_other

DONE = {
    "founded": "{n} set up. Print their cards next.",
    "paused": "{n} paused.",
    "open": "{n} opened again.",
    "closed": "{n} closed.",
    "archived": "Archived. It is listed below, and can be restored.",
    "sorted": "In the order of their numbers.",
}


@bp.get("")
def overview() -> str:
    """Every table the organiser set up, those in play first."""
    query = request.args.get("q", "").strip()[:80]
    rows = [row for row in all_rows() if row.has(query)]
    away = [row for row in rows if row.archived or row.table.state == "closed"]
    here = [row for row in rows if row not in away]
    rounds = sorted({row.table.round for row in here}, reverse=True)
    count, done = number(request.args.get("n")) or 0, request.args.get("done", "")
    return render_template(
        "desk/tables.html",
        rows=here,
        by_round=[(n, [row for row in here if row.table.round == n]) for n in rounds],
        q=query,
        away=away,
        notice=DONE.get(done, "").format(n=f"{count} table{'' if count == 1 else 's'}"),
    )


@bp.get("/tables.csv")
def export() -> Response:
    """The tables as the list that they can be founded from."""
    listed = [table for table in desk().state().tables if table.state != "closed"]
    response = make_response(write_list(listed, tables().systems))
    response.headers["Content-Type"] = "text/csv; charset=utf-8"
    response.headers["Content-Disposition"] = "attachment; filename=tables.csv"
    return response


def _chosen() -> list[str]:
    """The tables that a form is about: all that are open to it, or those of one round."""
    wanted = request.values.get("round", "")
    if wanted and number(wanted) is None:
        raise Unreadable(f"{wanted[:20]!r} is no round", field="round", given=wanted[:20])
    return [
        table.code
        for table in desk().state().tables
        if table.state != "closed" and (not wanted or table.round == number(wanted))
    ]


@bp.get("/pause")
def ask_pause() -> str:
    """Ask what the players of all tables are told."""
    codes = [code for code in _chosen() if desk().state().by_code[code].state == "open"]
    return render_template("desk/pause.html", count=len(codes), round=request.args.get("round", ""))


@bp.post("/state")
def set_states() -> Response:
    """Pause tables, or open those that are paused."""
    state = request.form.get("state", "")
    if state not in ("paused", "open"):
        raise Unreadable(f"{state[:20]!r} is neither paused nor open", field="state", given=state[:20])
    changed = running.set_state(tables(), desk(), _chosen(), state, request.form.get("why", ""))  # type: ignore[arg-type]
    return see_other(url_for("desk.overview", done=state, n=len(changed)))


@bp.post("/sort")
def sort() -> Response:
    """Put the tables into the order of their numbers."""
    running.by_number(desk())
    return see_other(url_for("desk.overview", done="sorted"))
