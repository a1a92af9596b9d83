"""Many tables from a list: pasted or sent as a file, looked over, then founded."""

from __future__ import annotations

from typing import Any

from flask import Response, make_response, render_template, request, url_for

from companion.books.spreadsheet import decode
from companion.engine.errors import Mistake
from companion.hall import founding
from companion.hall.founding import BadList, Problem
from companion.hall.listing import COLUMNS, Found, check_list, write_wanted
from companion.web.current import desk, tables
from companion.web.desk.blueprint import bp
from companion.web.page import see_other


@bp.get("/new")
def new_tables() -> str:
    """The list to be pasted, and how it is written."""
    return _page("")


def _page(text: str, **more: Any) -> str:
    kits = [system.kit for system in tables().systems.values()]
    context: dict[str, Any] = {"problems": [], "wanted": [], "ready": ""}
    return render_template("desk/new.html", text=text, kits=kits, columns=COLUMNS, **{**context, **more})


def _sent() -> str:
    """The list, from the file if there is one."""
    file = request.files.get("file")
    if file is not None and file.filename:
        return decode(file.read())
    return request.form.get("list", "")


@bp.post("/new")
def found_tables() -> Response:
    """Look a list over; and found its tables, when that was asked for and nothing is wrong."""
    text = _sent()
    found = check_list(tables(), desk().state(), text)
    if found.problems:
        return make_response(_page(text, problems=found.problems, lines=_lines(text, found.problems)), 422)
    if request.form.get("do") != "found":
        ready = write_wanted(found.wanted, tables().systems)
        return make_response(_page(text, wanted=_preview(found), ready=ready))
    try:
        made = founding.found(tables(), desk(), found.wanted)
    except BadList as bad:  # another organiser was quicker
        return make_response(_page(text, problems=bad.problems, lines=_lines(text, bad.problems)), 422)
    except Mistake as mistake:
        return make_response(_page(text, problems=[Problem(0, mistake.message)], lines={}), mistake.status)
    return see_other(url_for("desk.overview", done="founded", n=len(made)))


def _lines(text: str, problems: list[Problem]) -> dict[int, str]:
    """The lines that something is wrong with, as they were sent."""
    lines = text.splitlines()
    return {p.line: lines[p.line - 1][:120] for p in problems if 1 <= p.line <= len(lines)}


def _preview(found: Found) -> list[dict[str, Any]]:
    """The tables of a list as they would be founded."""
    rows = []
    for one in found.wanted:
        kit = tables().system(one.system).kit
        names = [(side.id, side.name, one.players.get(side.id, "")) for side in kit.system.sides]
        rows.append(
            {
                "number": one.number,
                "game": kit.system.name,
                "scenario": kit.scenarios[one.scenario].name,
                "players": names,
                "options": " ".join(f"{k}={v}" for k, v in one.options.items()),
                "name": one.name,
            }
        )
    return rows
