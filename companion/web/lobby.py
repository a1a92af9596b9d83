"""The lobby: found a table, go on with one, join by code or link."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, render_template, request, url_for

from companion.engine.errors import Mistake, Unknown
from companion.store import NoTable
from companion.tables.options import common_options
from companion.web import carryon, qr
from companion.web.current import held, tables
from companion.web.flood import founded, may_found
from companion.web.formfield import FormField
from companion.web.page import see_other
from companion.web.seats import WATCH, base_url, sit_down, visit
from companion.web.shelf import lobby_context

bp = Blueprint("lobby", __name__)


@bp.get("/")
def lobby() -> str:
    """Tables in play, and the way to a new one."""
    url = base_url() + "/"
    return render_template(
        "lobby.html",
        url=url,
        qr=qr.svg(url, "Address of this companion"),
        last=carryon.last_game(),
        error="",
        **lobby_context(),
    )


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
        field=FormField,
        modes=[o for o in common_options() if o.id.removeprefix("mode-") in kit.system.uses],
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
    options["fog"] = players != "solo"  # a device that two players share has its curtain
    try:
        may_found()
        code = tables().new(system, scenario, options, title)
        founded()
    except Mistake as mistake:
        return _new_form(system, scenario, request.form.to_dict(), mistake.message), mistake.status
    here = visit(code)
    seats = here.seats if players in {"solo", "shared"} else ["table"]
    target = url_for("play.seat_page", code=code, seat="table")
    if players == "two":
        target = url_for("seatpages.seats_page", code=code, seat="table")
    return sit_down(see_other(target), here, seats)


def _too_many(what: str) -> tuple[str, int] | None:
    """Count a wrong code or link, and the refusal when there were too many from this address.

    Only wrong ones are refused: behind one address many may sit, and a stranger's guesses must not shut out a
    player with the right link. A link's secret (130 bits) needs no such limit, and a code is no secret.
    """
    limit, who = held("guesses"), request.remote_addr or "?"
    wait = limit.wait(who)
    if wait <= 0:
        limit.failed(who)
        return None
    message = f"Too many wrong {what} from here. Try again in {int(wait) + 1} seconds."
    return render_template("error.html", message=message, status=429), 429


@bp.get("/join")
def join() -> Response | tuple[str, int]:
    """Find a table by the code on its screen."""
    code = tables().normal(request.args.get("code", ""))
    try:
        seats = visit(code).held
    except NoTable:
        refused = _too_many("codes")
        if refused:
            return refused
        letters = "eight" if held("private") else "four"
        message = f"There is no table {code[:12]!r} here. The code is on the table's screen: {letters} letters or digits."
        return render_template("error.html", message=message, status=404), 404
    return see_other(url_for("play.seat_page", code=code, seat=seats[-1] if seats else WATCH))


@bp.get("/j/<code>/<token>")
def join_link(code: str, token: str) -> Response | tuple[str, int]:
    """Sit down by a seat's QR link."""
    here = visit(code)
    seat = here.opened_by(token)
    if seat is None:
        refused = _too_many("links")
        if refused:
            return refused
        message = "This link no longer opens a seat: it was re-issued or revoked. Scan the new QR code on the table."
        return render_template("error.html", message=message, status=403), 403
    return sit_down(see_other(url_for("play.seat_page", code=here.code, seat=seat)), here, [seat])
