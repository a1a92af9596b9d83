"""The lobby: found a table, go on with one, join by code or link."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, current_app, redirect, render_template, request, url_for

from companion.engine.errors import Mistake, Unknown, Unreadable
from companion.store import NoTable
from companion.tables import common_options
from companion.transfer import import_table
from companion.web import qr
from companion.web.current import tables
from companion.web.flood import founded, may_found
from companion.web.seats import WATCH, base_url, held_seats, seat_ids, seat_of_token, sit_down
from companion.web.shelf import lobby_context

bp = Blueprint("lobby", __name__)


@bp.get("/")
def lobby() -> str:
    """Tables in play, and the way to a new one."""
    url = base_url() + "/"
    return render_template(
        "lobby.html", url=url, qr=qr.svg(url, "Address of this companion"), error="", **lobby_context()
    )


@bp.post("/import")
def import_file() -> Response | tuple[str, int]:
    """Restore a game from an exported file; this device gets its table screen."""
    file = request.files.get("file")
    if file is None or not file.filename:
        raise Unreadable(
            "Choose a file first: a game saved from a table, or made by companion export.", field="file"
        )
    try:
        text = file.read().decode("utf-8")
    except UnicodeDecodeError:
        raise Unreadable(
            f"{file.filename[:60]} is not a companion export: it is not text.", field="file"
        ) from None
    may_found()
    code = import_table(tables(), text)
    founded()
    return sit_down(redirect(url_for("play.seats_page", code=code, seat="table"), 303), code, ["table"])


@bp.get("/new")
def choose_game() -> str:
    """The five games and their scenarios."""
    systems = [s.kit for s in tables().systems.values()]
    return render_template("choose_game.html", systems=systems)


@bp.get("/new/<system>/<scenario>")
def new_table(system: str, scenario: str) -> str:
    """Options of a new table."""
    return _new_form(system, scenario, {}, "")


def _new_form(system: str, scenario: str, values: dict[str, Any], error: str) -> str:
    kit = tables().system(system).kit
    if scenario not in kit.scenarios:
        raise Unknown(f"{kit.system.name} has no scenario {scenario[:40]!r}: {', '.join(kit.scenarios)}")
    chosen = kit.scenarios[scenario]
    options = [*kit.system.options, *chosen.options]
    return render_template(
        "new_table.html",
        kit=kit,
        scenario=chosen,
        options=options,
        modes=common_options(),
        values=values,
        error=error,
    )


@bp.post("/new/<system>/<scenario>")
def create_table(system: str, scenario: str) -> Response | tuple[str, int]:
    """Found the table; this device gets its screen, and every seat when it is played solo."""
    form = request.form.to_dict()
    title = form.pop("title", "")
    players = form.pop("players", "two")
    kit = tables().system(system).kit
    if scenario not in kit.scenarios:
        raise Unknown(f"{kit.system.name} has no scenario {scenario[:40]!r}: {', '.join(kit.scenarios)}")
    flags = [o.id for o in (*kit.system.options, *kit.scenarios[scenario].options) if not o.choices]
    options: dict[str, Any] = {name: name in form for name in flags}
    options |= {k: v for k, v in form.items() if k not in flags and k not in {"action_id", "rev"}}
    options["solo"] = players == "solo"
    options["fog"] = players == "two"
    try:
        may_found()
        code = tables().new(system, scenario, options, title)
        founded()
    except Mistake as mistake:
        return _new_form(system, scenario, request.form.to_dict(), mistake.message), mistake.status
    seats = seat_ids(code) if players in {"solo", "shared"} else ["table"]
    target = url_for("play.seat_page", code=code, seat="table")
    if players == "two":
        target = url_for("play.seats_page", code=code, seat="table")
    return sit_down(redirect(target, 303), code, seats)


@bp.get("/join")
def join() -> Response | tuple[str, int]:
    """Find a table by the code on its screen."""
    code = tables().normal(request.args.get("code", ""))
    limit = current_app.extensions["companion"]["guesses"]
    who = request.remote_addr or "?"
    if limit.wait(who) > 0:
        message = f"Too many wrong codes from here. Try again in {int(limit.wait(who)) + 1} seconds."
        return render_template("error.html", message=message, status=429), 429
    try:
        tables().store.table(code)
    except NoTable:
        limit.failed(who)
        message = f"There is no table {code[:12]!r} here. The code is on the table's screen: four letters or digits."
        return render_template("error.html", message=message, status=404), 404
    seats = held_seats(code)
    return redirect(url_for("play.seat_page", code=code, seat=seats[-1] if seats else WATCH), 303)


@bp.get("/j/<code>/<token>")
def join_link(code: str, token: str) -> Response | tuple[str, int]:
    """Sit down by a seat's QR link."""
    code = tables().normal(code)
    limit = current_app.extensions["companion"]["guesses"]
    who = request.remote_addr or "?"
    if limit.wait(who) > 0:
        message = f"Too many wrong links from here. Try again in {int(limit.wait(who)) + 1} seconds."
        return render_template("error.html", message=message, status=429), 429
    tables().store.table(code)
    seat = seat_of_token(code, token)
    if seat is None:
        limit.failed(who)
        message = "This link no longer opens a seat: it was re-issued or revoked. Scan the new QR code on the table."
        return render_template("error.html", message=message, status=403), 403
    return sit_down(redirect(url_for("play.seat_page", code=code, seat=seat), 303), code, [seat])
