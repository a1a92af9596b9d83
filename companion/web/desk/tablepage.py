"""One table of the hall: its number, name and players; paused, closed, restored; new links for lost devices."""

from __future__ import annotations

from typing import Any

from flask import Response, make_response, render_template, request, url_for

from companion.engine.errors import Mistake, Unknown, Unreadable
from companion.hall import running
from companion.hall.roll import HallTable
from companion.hall.running import Details
from companion.hall.telling import new_link
from companion.web.current import desk, tables
from companion.web.desk.blueprint import bp
from companion.web.desk.rows import Row, row_of
from companion.web.intake import number
from companion.web.page import see_other
from companion.web.seatpages import seats
from companion.web.seats import visit

DONE = {
    "saved": "Saved.",
    "paused": "Paused. Its screens say so.",
    "open": "Open again. Its players were told.",
    "closed": "Closed. Its players were told; Restore brings it back as it was.",
    "new-link": "The old link and device no longer work. Scan the new code below, or print it.",
}


def _found(code: str) -> tuple[HallTable, Row]:
    table = running.find(desk().state(), tables().normal(code))
    row = row_of(table, tables().row(table.code))
    if row is None:
        raise Unknown(f"The game of table {table.number} is not on this shelf.")
    return table, row


def _page(code: str, status: int = 200, **more: Any) -> Response:
    table, row = _found(code)
    here = visit(table.code, "table")
    context: dict[str, Any] = {"error": "", "field": "", "values": {}, "notice": ""}
    page = render_template("desk/table.html", row=row, table=table, seats=seats(here), **{**context, **more})
    return make_response(page, status)


@bp.get("/table/<code>")
def table_page(code: str) -> Response:
    """A table and all that the organiser can do about it."""
    return _page(code, notice=DONE.get(request.args.get("done", ""), ""), new=request.args.get("seat", ""))


@bp.post("/table/<code>")
def change_table(code: str) -> Response:
    """Give it another number, name or players."""
    table, row = _found(code)
    sent = request.form.to_dict()
    players = {player.side: sent.get(f"player-{player.side}", "") for player in row.players}
    wanted = number(sent.get("number", "").strip())
    try:
        if wanted is None:
            raise Unreadable(f"{sent.get('number', '')[:20]!r} is no table number", field="number")
        running.change_details(desk(), table.code, Details(wanted, sent.get("name", ""), players))
    except Mistake as mistake:
        return _page(
            table.code, mistake.status, error=mistake.message, field=mistake.field, values=sent, new=""
        )
    return _back(table.code, "saved")


def _back(code: str, done: str, seat: str | None = None) -> Response:
    return see_other(url_for("desk.table_page", code=code, done=done, seat=seat))


@bp.get("/table/<code>/close")
def ask_close(code: str) -> str:
    """Say what closing means for those who play there, and ask what they are told."""
    table, row = _found(code)
    return render_template("desk/close.html", row=row, table=table)


@bp.post("/table/<code>/state")
def set_state(code: str) -> Response:
    """Pause, close, archive or restore it."""
    table, row = _found(code)
    do, why = request.form.get("do", ""), request.form.get("why", "")
    if do == "close" and row.in_play and request.form.get("sure") != "yes":
        return see_other(url_for("desk.ask_close", code=table.code))
    if do == "pause":
        running.set_state(tables(), desk(), [table.code], "paused", why)
        return _back(table.code, "paused")
    if do == "close":
        running.set_state(tables(), desk(), [table.code], "closed", why)
        return _back(table.code, "closed")
    if do == "restore":
        running.restore(tables(), desk(), table.code)
        return _back(table.code, "open")
    if do == "archive":
        running.put_away(tables(), desk(), table.code)
        return see_other(url_for("desk.overview", done="archived"))
    raise Unreadable(f"{do[:20]!r}: pause, close, archive or restore", field="do", given=do[:20])


@bp.post("/table/<code>/move")
def move(code: str) -> Response:
    """Move it up or down in the list."""
    table, _ = _found(code)
    running.move(desk(), table.code, -1 if request.form.get("by") == "up" else 1)
    return see_other(url_for("desk.overview", _anchor=f"table-{table.code}"))


def _seat(code: str, seat: str) -> tuple[HallTable, str]:
    """A table and the name of one of its seats."""
    table, row = _found(code)
    names = {"table": "table's screen", **{p.side: f"{p.side_name} seat" for p in row.players}}
    if seat not in names:
        raise Unknown(f"There is no seat {seat[:40]!r} at table {table.number}: {', '.join(names)}.")
    return table, names[seat]


@bp.get("/table/<code>/link/<seat>")
def ask_link(code: str, seat: str) -> str:
    """Say what a new link means."""
    table, name = _seat(code, seat)
    return render_template(
        "ask_first.html",
        title=f"New link for the {name} of table {table.number}?",
        follows=[
            "The device that holds it is signed out at once, and the code on its card no longer works.",
            "The game goes on as it is: nobody else notices, and nothing is lost.",
        ],
        do="New link",
        address=request.path,
        back=url_for("desk.table_page", code=table.code),
    )


@bp.post("/table/<code>/link/<seat>")
def give_link(code: str, seat: str) -> Response:
    """Give a lost phone or tablet a new link."""
    table, _ = _seat(code, seat)
    new_link(tables(), table.code, seat)
    return _back(table.code, "new-link", seat=seat)
