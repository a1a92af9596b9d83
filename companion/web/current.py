"""What the running app holds, for request handlers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Flask, current_app, g

from companion.hall.clock import Strip, strip
from companion.hall.desk import Desk
from companion.tables.tables import Tables

_app: Callable[[], Flask] = current_app._get_current_object  # type: ignore[attr-defined]
noted: Callable[[], Any] = g._get_current_object
"""What is noted of a request or a push while it lasts: each look at Flask's stand-in for it takes three calls."""


def parts_of_app() -> dict[str, Any]:
    """The parts of the app: tables, store, hub, desk, secret, site, guesses, founding, data, waiting, private, keep_days."""
    found: dict[str, Any] = _app().extensions["companion"]
    return found


def held(name: str) -> Any:
    """One of them."""
    return _app().extensions["companion"][name]


def tables() -> Tables:
    """The tables of the running app."""
    found: Tables = _app().extensions["companion"]["tables"]
    return found


def desk() -> Desk:
    """The organiser's record."""
    found: Desk = _app().extensions["companion"]["desk"]
    return found


def strip_now() -> Strip:
    """What every screen shows of the hall at this moment."""
    hall = desk().state()
    return strip(hall.clock, hall.announcements, held("countdown"))


def hold_still(code: str) -> None:
    """Let nobody else act at a table until the request is over: its game is looked at."""
    lock = tables().standing_still(code)
    lock.acquire()
    noted().setdefault("standing_still", []).append(lock)


def let_go() -> None:
    """Let the tables go on that were held still: what follows is slow, or looks at them for itself."""
    for lock in reversed(noted().pop("standing_still", ())):
        lock.release()


def init_app(app: Flask) -> None:
    """Let every table go on when the request is over."""

    @app.teardown_appcontext
    def over(_: BaseException | None) -> None:
        let_go()
