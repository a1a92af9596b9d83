"""What a device is told when something goes wrong: words and a way on, never a path or a line of code."""

from __future__ import annotations

import logging

from flask import Flask, Response, jsonify, render_template, request
from werkzeug.exceptions import HTTPException, InternalServerError, RequestEntityTooLarge

from companion.engine.errors import Mistake
from companion.store import ActionIdReused, NoTable, SeatRevoked, StoreError, StoreFull, TableExists
from companion.store.errors import StoreBusy, StoreDamaged, StoreReadOnly, StoreUnreachable
from companion.web.intake import TooMuch, allowed

STATUS = {NoTable: 404, TableExists: 409, ActionIdReused: 409, SeatRevoked: 403, StoreFull: 507}
TROUBLE: dict[type[StoreError], str] = {
    StoreFull: "The companion cannot save this, the disk is full: its host must free some space. "
    "Everything saved before is safe.",
    StoreBusy: "The companion's file is locked by another program. Wait a moment and try again.",
    StoreReadOnly: "The companion may not write to its own file: its host must look at it. "
    "What is there can still be read.",
    StoreUnreachable: "The companion's disk does not answer: its host must check that it is attached.",
    StoreDamaged: "The companion's file is damaged: its host must restore the latest backup.",
}
"""The store's troubles in words for a phone; the host's log names the file and the remedy."""
NO_STORE = "The companion cannot reach its saved games just now. Its host can read why in its log."
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
        return jsonify({"error": message, "field": "", "given": None, "accepted": ""}), status
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
    """What the store refused, in its words; what failed, in ours, because its words name the server's files."""
    status = next((code for cls, code in STATUS.items() if isinstance(error, cls)), 503)
    if status < 500:
        return answer(str(error), status)
    log.error("%s", error)
    return answer(next((words for cls, words in TROUBLE.items() if isinstance(error, cls)), NO_STORE), status)


def http(error: HTTPException) -> tuple[Response | str, int]:
    """A wrong address or method, too much at once, or a fault of ours."""
    message = error.description or error.name
    if isinstance(error, InternalServerError):
        message = UNFORESEEN
    elif isinstance(error, RequestEntityTooLarge) and message == RequestEntityTooLarge.description:
        message = str(TooMuch(allowed()[0]).description)
    elif error.code == 404 and not message.startswith("There is"):
        message = f"There is no page {request.path[:80]}."
    return answer(message, error.code or 500)
