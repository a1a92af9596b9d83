"""Restoring a game from a file, with a second step for the sides' keys where they are needed."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, render_template, request, url_for

from companion.engine.errors import Mistake, Unreadable
from companion.tables.sealing import Header, NeedsKeys, WrongKeys, header_of
from companion.tables.transfer import import_table, sealed_save
from companion.web.current import held, tables
from companion.web.flood import founded, may_found
from companion.web.page import see_other
from companion.web.seats import sit_down, visit

bp = Blueprint("restoring", __name__)


@bp.post("/import")
def import_file() -> Response:
    """Restore a game from a saved file; this device gets its table screen."""
    file = request.files.get("file")
    if file is None or not file.filename:
        raise Unreadable(
            "Choose a file first: a game saved from the table's screen, or made by companion export.",
            field="file",
        )
    with file.stream as content:  # a long one lies in a file of its own meanwhile
        data = content.read()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise Unreadable(
            f"{file.filename[:60]} is not a companion export: it is not text.", field="file"
        ) from None
    may_found()
    founded()  # also when it comes to nothing: reading a long file is work for everybody
    try:
        code = import_table(tables(), text, held("secret"))
    except NeedsKeys as needed:
        ticket = held("waiting").put(text, needed.here)
        return see_other(url_for("restoring.keys_page", ticket=ticket))
    return _seated(code)


@bp.get("/import/<ticket>")
def keys_page(ticket: str) -> str:
    """Ask for the sides' restore keys."""
    text, here = held("waiting").get(ticket)
    return _keys_form(ticket, _header(text), here, {}, "")


@bp.post("/import/<ticket>")
def give_keys(ticket: str) -> Response | tuple[str, int]:
    """Restore with the keys given; wrong ones cost nothing but time."""
    text, here = held("waiting").get(ticket)
    header = _header(text)
    typed = [request.form.get(f"key-{n}", "")[:200] for n in range(len(header.sides))]
    values = dict(enumerate(typed))
    limit, who = held("guesses"), f"restore {request.remote_addr}"
    if limit.wait(who) > 0:
        message = f"Too many wrong keys from here. Try again in {int(limit.wait(who)) + 1} seconds."
        return _keys_form(ticket, header, here, values, message), 429
    may_found()
    try:
        code = import_table(tables(), text, held("secret"), typed)
    except WrongKeys as mistake:
        limit.failed(who)
        return _keys_form(ticket, header, here, values, mistake.message), mistake.status
    except Mistake:
        held("waiting").drop(ticket)
        raise
    held("waiting").drop(ticket)
    return _seated(code)


def _header(text: str) -> Header:
    save = sealed_save(text)
    if save is None:
        raise Unreadable("this file is not a sealed save")
    return header_of(save)


def _keys_form(ticket: str, header: Header, here: str, values: dict[int, str], error: str) -> str:
    system = tables().systems.get(header.system)
    scenario: Any = system.kit.scenarios.get(header.scenario) if system else None
    return render_template(
        "restore_keys.html",
        ticket=ticket,
        header=header,
        game=system.kit.system.name if system else header.system,
        scenario=scenario.name if scenario else header.scenario,
        here=here,
        values=values,
        error=error,
    )


def _seated(code: str) -> Response:
    """Whoever restores a game has its table's screen, and hands out the other seats."""
    return sit_down(
        see_other(url_for("seatpages.seats_page", code=code, seat="table")), visit(code), ["table"]
    )
