"""Saving a game: the table's sealed file, a side's restore key, and reading copies."""

from __future__ import annotations

import json

from flask import Blueprint, Response, render_template

from companion.tables.sealing import restore_key
from companion.tables.tables import utc_now
from companion.tables.transfer import export_table, save_table
from companion.web.current import held, tables
from companion.web.play import page_context
from companion.web.seats import WATCH, held_seats, require

bp = Blueprint("saving", __name__)


@bp.get("/t/<code>/<seat>/save")
def save_page(code: str, seat: str) -> str:
    """What this seat can save, and for a side the key that is its part of restoring elsewhere."""
    code = tables().normal(code)
    require(code, seat)
    context = page_context(code, seat)
    side = seat not in {"table", WATCH}
    context |= {
        "key": restore_key(held("secret"), code, seat) if side and not context["v"]["solo"] else "",
        "my_sides": [s for s in context["v"]["sides"] if s["id"] in held_seats(code) and s["id"] != seat],
    }
    return render_template("save.html", **context)


@bp.get("/t/<code>/<seat>/export.json")
def export(code: str, seat: str) -> Response:
    """The game as a file: sealed for the table's screen, as it may be read for everybody else."""
    code = tables().normal(code)
    require(code, seat)
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
