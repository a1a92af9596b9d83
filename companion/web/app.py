"""The Flask application: one factory, no global state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flask import Flask

from companion.resources import SCENARIOS, STATIC, TEMPLATES
from companion.store import open_store
from companion.tables.secret import BadSecret, installation_secret
from companion.tables.tables import Tables
from companion.web import compress, curtain, errors, fonts, intake, security
from companion.web.current import tables as tables  # noqa: F401 - handlers ask for it here
from companion.web.flood import Allowance
from companion.web.live import Hub


def create_app(
    data: Path,
    *,
    site: Any = None,
    scenarios: Path = SCENARIOS,
    testing: bool = False,
    founding: Allowance | None = None,
) -> Flask:
    """The companion's web app over the data folder.

    :param site: where the server can be reached (server.Site); None in tests.
    :param founding: how many tables one address may found; by default limited, except in tests.
    """
    app = Flask("companion", template_folder=str(TEMPLATES), static_folder=str(STATIC))
    app.config["TESTING"] = testing
    app.config["SEND_FILE_MAX_AGE_DEFAULT"] = 3600
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    data.mkdir(parents=True, exist_ok=True)
    store = open_store(data / "companion.db")
    try:
        secret = installation_secret(store, data)
    except BadSecret:
        store.close()
        raise
    found = Tables(store, scenarios)
    hub = Hub(store)
    app.extensions["companion"] = {
        "tables": found,
        "store": store,
        "hub": hub,
        "secret": secret,
        "site": site,
        "guesses": security.FailureLimit(),
        "founding": founding or (None if testing else Allowance()),
        "data": data,
    }
    security.init_app(
        app,
        hosts=site.hosts if site else ("localhost", "table.test"),
        public_url=site.public_url if site else None,
    )
    intake.init_app(app)
    compress.init_app(app)
    curtain.init_app(app)
    fonts.init_app(app)
    errors.init_app(app)
    _filters(app)
    from companion.web import (
        api,
        book,
        cards,
        carryon,
        hall,
        live,
        lobby,
        map,
        play,
        restoring,
        saving,
        seatpages,
        sheets,
        shelf,
    )
    from companion.web.book import walk

    app.extensions["companion"]["waiting"] = restoring.Waiting()
    carryon.init_app(app)
    for module in (
        lobby,
        shelf,
        restoring,
        hall,
        play,
        seatpages,
        saving,
        live,
        api,
        book,
        walk,
        cards,
        map,
        sheets,
    ):
        app.register_blueprint(module.bp)
    return app


def _filters(app: Flask) -> None:
    """What templates need to turn a seat's view into the shapes of the macros."""
    from companion.web.play import breakdown
    from companion.web.seatpages import tabs

    app.jinja_env.globals["seat_tabs"] = tabs
    states = {"now": "current", "to come": "todo"}

    app.jinja_env.filters["steps"] = lambda phases: [
        {**p, "state": states.get(p["state"], p["state"])} for p in phases
    ]
    app.jinja_env.filters["checks"] = lambda items: [{**i, "id": i["item"]} for i in items]
    app.jinja_env.filters["sheet"] = breakdown
    app.jinja_env.filters["flat"] = lambda args: [
        (k, one)
        for k, v in args.items()
        for one in (v if isinstance(v, list | tuple) else [v])
        if one is not None
    ]
