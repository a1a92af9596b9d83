"""What a device is told when something goes wrong: words and a way on, never a path or a line of code."""

from __future__ import annotations

import logging

from flask import Flask, Response, jsonify, render_template, request
from werkzeug.exceptions import HTTPException, InternalServerError, RequestEntityTooLarge

from companion.engine.errors import Mistake
from companion.store import ActionIdReused, NoTable, SeatRevoked, StoreError, StoreFull, TableExists
from companion.web.exchange import asked
from companion.web.intake import TooMuch, allowed

STATUS = {NoTable: 404, TableExists: 409, ActionIdReused: 409, SeatRevoked: 403, StoreFull: 507}
UNFORESEEN = (
    "Something went wrong inside the companion, and it was written down for its host. "
    "Nothing that was saved is lost. Go back and try again; Undo still works."
)
log = logging.getLogger("companion")


def init_app(app: Flask) -> None:
    """Answer every error with a page, or with JSON where a program asked."""
    app.register_error_handler(Mistake, mistake)
    app.register_error_handler(StoreError, store_trouble)
    app.register_error_handler(HTTPException, http)


def answer(message: str, status: int) -> tuple[Response | str, int]:
    """An error in the form the caller reads."""
    if request.path.startswith("/api/"):
        return jsonify({"error": message, "field": "", "given": None, "accepted": "", "rule": ""}), status
    return render_template("error.html", message=message, status=status), status


def mistake(error: Mistake) -> tuple[Response | str, int]:
    """A player's mistake: what was given and what would do."""
    if request.path.startswith("/api/"):
        return jsonify(error.to_json()), error.status
    if request.headers.get("HX-Target") == "sheet" and error.status in {409, 422}:
        place = {"code": "", "seat": "", **(request.view_args or {})}
        return render_template("sheet_error.html", message=error.message, **place), error.status
    return answer(error.message, error.status)


def store_trouble(error: StoreError) -> tuple[Response | str, int]:
    """What the store refused or failed at, in words for a phone; the host's log names the file and the remedy."""
    status = next((code for cls, code in STATUS.items() if isinstance(error, cls)), 503)
    if status >= 500:
        log.error("%s", error)
    return answer(error.public, status)


def http(error: HTTPException) -> tuple[Response | str, int]:
    """A wrong address or method, too much at once, or a fault of ours."""
    message = error.description or error.name
    if isinstance(error, InternalServerError):
        message = UNFORESEEN
    elif isinstance(error, RequestEntityTooLarge) and message == RequestEntityTooLarge.description:
        message = str(TooMuch(allowed(asked())[0]).description)
    elif error.code == 404 and not message.startswith("There is"):
        message = f"There is no page {request.path[:80]}."
    return answer(message, error.code or 500)
