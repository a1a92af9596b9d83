"""The organiser's first page: the hall's tables."""

from __future__ import annotations

from flask import render_template

from companion.web.current import desk
from companion.web.desk.blueprint import bp


@bp.get("")
def overview() -> str:
    """Every table the organiser set up."""
    return render_template("desk/tables.html", hall=desk().state())
