"""Coming to the organiser's desk with the passphrase, and leaving it."""

from __future__ import annotations

from flask import Response, request

from companion.engine.errors import Mistake
from companion.web.desk.blueprint import ORGANISER, ask_for_words, bp
from companion.web.page import see_other

HOME = "/desk"


def _own(address: str) -> str:
    """An address of the desk; never one elsewhere."""
    return address if address == HOME or address.startswith((f"{HOME}/", f"{HOME}?")) else HOME


@bp.post("/sign-in")
def sign_in() -> Response:
    """Let this device organise from now on."""
    to = _own(request.form.get("to", ""))
    try:
        ORGANISER.check(request.form.get("passphrase", ""))
    except Mistake as mistake:
        return ask_for_words(to, mistake.message, mistake.status)
    return ORGANISER.hand_key(see_other(to))


@bp.post("/sign-out")
def sign_out() -> Response:
    """Let this device organise no longer."""
    response = see_other("/")
    response.delete_cookie(ORGANISER.cookie, path=ORGANISER.path, httponly=True, samesite="Lax")
    return response
