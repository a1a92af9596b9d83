"""The Flask application: one factory, no global state."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from flask import Flask, Response, jsonify, render_template, request
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge

from companion.engine.errors import Mistake
from companion.resources import SCENARIOS, STATIC, TEMPLATES
from companion.secret import BadSecret, installation_secret
from companion.store import (
    ActionIdReused,
    NoTable,
    SeatRevoked,
    StoreError,
    StoreFull,
    TableExists,
    open_store,
)
from companion.tables import Tables
from companion.web import compress, curtain, fonts, security
from companion.web.current import tables as tables  # noqa: F401 - handlers ask for it here
from companion.web.live import Hub

STATUS = {NoTable: 404, TableExists: 409, ActionIdReused: 409, SeatRevoked: 403, StoreFull: 507}


def create_app(
    data: Path,
    *,
    site: Any = None,
    scenarios: Path = SCENARIOS,
    testing: bool = False,
) -> Flask:
    """The companion's web app over the data folder.

    :param site: where the server can be reached (server.Site); None in tests.
    """
    app = Flask("companion", template_folder=str(TEMPLATES), static_folder=str(STATIC))
    app.config["TESTING"] = testing
    app.config["SEND_FILE_MAX_AGE_DEFAULT"] = 3600
    # A long game as one file fits; form fields have limits of their own.
    app.config["MAX_CONTENT_LENGTH"] = 8 * 1024 * 1024
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
        "data": data,
    }
    security.init_app(
        app,
        hosts=site.hosts if site else ("localhost", "table.test"),
        public_url=site.public_url if site else None,
    )
    compress.init_app(app)
    curtain.init_app(app)
    fonts.init_app(app)
    _errors(app)
    _filters(app)
    from companion.web import (
        api,
        book,
        bookwalk,
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
    )

    app.extensions["companion"]["waiting"] = restoring.Waiting()
    carryon.init_app(app)
    for module in (lobby, restoring, hall, play, seatpages, saving, live, api, book, bookwalk, map, sheets):
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


def _wants_json() -> bool:
    return request.path.startswith("/api/")


def _errors(app: Flask) -> None:
    @app.errorhandler(Mistake)
    def mistake(error: Mistake) -> tuple[Response | str, int]:
        if _wants_json():
            return jsonify(error.to_json()), error.status
        if request.headers.get("HX-Target") == "sheet" and error.status in {409, 422}:
            place = request.view_args or {}
            return render_template("sheet_error.html", message=error.message, **place), error.status
        return render_template("error.html", message=error.message, status=error.status), error.status

    @app.errorhandler(StoreError)
    def store_trouble(error: StoreError) -> tuple[Response | str, int]:
        status = next((code for cls, code in STATUS.items() if isinstance(error, cls)), 503)
        if status >= 500:
            logging.getLogger("companion").error("%s", error)
        message = error.public  # the log's words name files of this machine
        if _wants_json():
            return jsonify({"error": message, "field": "", "given": None, "accepted": ""}), status
        return render_template("error.html", message=message, status=status), status

    @app.errorhandler(HTTPException)
    def http(error: HTTPException) -> tuple[Response | str, int]:
        status = error.code or 500
        message = error.description or error.name
        if isinstance(error, RequestEntityTooLarge):
            message = "That is too much at once: at most 8 MB can be sent."
        if status == 404 and not error.description.startswith("There is"):
            message = f"There is no page {request.path[:80]}."
        if _wants_json():
            return jsonify({"error": message, "field": "", "given": None, "accepted": ""}), status
        return render_template("error.html", message=message, status=status), status
