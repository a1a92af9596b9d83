"""What the organiser's pages share: their blueprint, and the gate that only the organiser passes."""

from __future__ import annotations

from flask import Blueprint, Response, make_response, render_template, request

from companion.engine.errors import NotYours, Unknown
from companion.store import Store
from companion.web.current import held
from companion.web.passphrase import Passphrase

ORGANISER = Passphrase("organiser", "organiser-lock", "organiser-key", "/", "this hall's organiser")
OPEN_TO_ALL = {"desk.sign_in"}

PAGES = (
    ("/desk", "Tables"),
    ("/desk/cards", "Cards"),
    ("/desk/players", "Players"),
    ("/desk/rounds", "Rounds"),
    ("/desk/standings", "Standings"),
    ("/desk/clock", "Clock"),
    ("/desk/judge", "Judge"),
    ("/hall", "Board"),
    ("/desk/machine", "Machine"),
)
"""The organiser's pages for the bar on top of each, in the order of the day."""

bp = Blueprint("desk", __name__, url_prefix="/desk")


def is_organiser() -> bool:
    """Whether this device gave the organiser's passphrase, to a companion that has an organiser."""
    return bool(held("organiser")) and ORGANISER.is_known()


def first_passphrase(store: Store) -> str | None:
    """Make the organiser's passphrase if there is none, and return it: nobody can read it later."""
    return ORGANISER.first(store)


@bp.before_request
def only_the_organiser() -> Response | None:
    """Ask whoever comes here for the passphrase, unless this device gave it before."""
    if not held("organiser"):
        raise Unknown("The organiser's pages are closed: start the companion with --organiser to open them.")
    if request.endpoint in OPEN_TO_ALL or ORGANISER.is_known():
        return None
    if request.method != "GET":
        raise NotYours("Only the organiser can do this. Give the passphrase at /desk first.")
    return ask_for_words(request.full_path.rstrip("?"))


def ask_for_words(to: str, error: str = "", status: int = 403) -> Response:
    """The page that asks for the passphrase.

    :param to: where it leads then
    """
    return make_response(render_template("desk/sign_in.html", to=to, error=error), status)
