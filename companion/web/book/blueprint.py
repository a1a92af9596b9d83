"""What the chart book's pages share: their blueprint, what was sent, files and what a device may do."""

from __future__ import annotations

from datetime import datetime

from flask import Blueprint, Response, make_response, request

from companion.books.spreadsheet import decode
from companion.engine.errors import Unreadable
from companion.web.book.lock import is_keeper, may_edit, seats_write

bp = Blueprint("book", __name__)


@bp.app_template_filter("when")
def when(at: str) -> str:
    """A stored time as a player reads it."""
    return datetime.fromisoformat(at).astimezone().strftime("%d %b %Y, %H:%M") if at else ""


def access() -> dict[str, bool]:
    """What this device may do with the book, for templates."""
    return {"may_edit": may_edit(), "keeper": is_keeper(), "seats_write": seats_write()}


def sent() -> str:
    """What was sent: a chosen file, or pasted text."""
    file = request.files.get("file")
    text = decode(file.read()) if file and file.filename else request.form.get("text", "")
    if not text.strip():
        raise Unreadable("Choose a file, or paste the table into the box")
    return text


def attachment(text: str, name: str, kind: str = "text/csv") -> Response:
    """A file to keep."""
    response = make_response(text)
    response.headers["Content-Type"] = f"{kind}; charset=utf-8"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
