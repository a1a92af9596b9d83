"""Saving a game: the table's sealed file, a side's restore key, and reading copies."""

from __future__ import annotations

import json

from flask import Blueprint, Response, render_template

from companion.tables.sealing import restore_key
from companion.tables.tables import utc_now
from companion.tables.transfer import export_table, save_table
from companion.web.current import held, let_go, tables
from companion.web.page import page_context
from companion.web.seats import WATCH, require

bp = Blueprint("saving", __name__)


@bp.get("/t/<code>/<seat>/save")
def save_page(code: str, seat: str) -> str:
    """What this seat can save, and for a side the key that is its part of restoring elsewhere."""
    visit = require(code, seat)
    side = seat not in {"table", WATCH}
    return render_template(
        "save.html",
        key=restore_key(held("secret"), visit.code, seat) if side and not visit.view.solo else "",
        my_sides=[s for s in visit.view.sides if s.id in visit.held and s.id != seat],
        **page_context(visit),
    )


@bp.get("/t/<code>/<seat>/export.json")
def export(code: str, seat: str) -> Response:
    """The game as a file: sealed for the table's screen, as it may be read for everybody else."""
    code = require(code, seat).code
    let_go()  # a long record is copied bit by bit, and others play on meanwhile
    copy = export_table(tables(), code, seat)
    if copy["copy"] == "whole":
        name = f"{code}-whole"
    elif seat == "table":
        copy = save_table(tables(), code, held("secret"), utc_now())
        name = f"{code}-saved"
    else:
        name = f"{code}-{seat}-reading-copy"
    response = Response(json.dumps(copy, ensure_ascii=False, indent=1), mimetype="application/json")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.json"'
    return response
