"""The Flask application: one factory, no global state."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from flask import Flask, Request, Response
from jinja2 import StrictUndefined
from werkzeug.routing import MapAdapter

from companion.hall.board import Ages
from companion.hall.clock import Countdown, strip
from companion.hall.desk import SYSTEM as DESK
from companion.hall.desk import Desk
from companion.hall.running import bar, stopped
from companion.resources import SCENARIOS, STATIC, TEMPLATES
from companion.store import Store, is_address, open_any
from companion.tables.secret import BadSecret, installation_secret
from companion.tables.tables import Tables
from companion.web import (
    api,
    book,
    cards,
    carryon,
    compress,
    current,
    curtain,
    desk,
    errors,
    exchange,
    fonts,
    forms,
    hall,
    hallstrip,
    intake,
    live,
    lobby,
    map,
    pushing,
    restoring,
    saving,
    seatpages,
    security,
    settingspage,
    setupsheet,
    sheets,
    shelf,
    standings,
    unitpages,
)
from companion.web.book import walk
from companion.web.compiling import Templates
from companion.web.drawnonce import kept, side_mark
from companion.web.flood import Allowance
from companion.web.links import LateRule
from companion.web.live import Hub
from companion.web.page import brief_line, clock, hms, revision, seat_tabs, side_clocks, side_name, tally
from companion.web.waiting import SharedWaiting, Waiting
from companion.web.watching import HERE, Drawn

PRIVATE_LETTERS = 8
"""Of a table's code where codes are all that lets strangers watch: a trillion, of which nobody guesses one."""


class Companion(Flask):
    """Flask, for requests and answers as this app has them."""

    jinja_environment = Templates
    url_rule_class = LateRule
    url_map_class = exchange.Ways
    request_class = exchange.Asked
    response_class = exchange.Answer
    session_interface = exchange.NoSession()

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Nothing asks of each function whether it is a coroutine: none is."""
        return func

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """Where a request leads."""
        plain = exchange.bind(self, request) if request is not None else None
        return plain or super().create_url_adapter(request)

    def send_static_file(self, filename: str) -> Response:
        """A script, style, picture or font."""
        return fonts.kept(super().send_static_file(filename))


def create_app(
    data: Path | str,
    *,
    site: Any = None,
    scenarios: Path = SCENARIOS,
    testing: bool = False,
    founding: Allowance | None = None,
    private: bool = False,
    keep_days: int | None = None,
    organiser: bool = False,
) -> Flask:
    """The companion's web app over a data folder, or over the database at an address.

    :param keep_days: after how many quiet days tables are deleted, for the lobby to say so
    :param private: whether a device is told of no table but those where it sits
    :param site: where the server can be reached (server.Site); None in tests.
    :param founding: how many tables one address may found; by default limited, except in tests.
    :param organiser: whether the organiser's pages are open, to whoever knows the passphrase.
    """
    app = Companion("companion", template_folder=str(TEMPLATES), static_folder=str(STATIC))
    app.config["TESTING"] = testing
    app.config["SEND_FILE_MAX_AGE_DEFAULT"] = 3600
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    if testing:  # a name that nothing has fails its test; at a table it is a gap in a page that stands
        app.jinja_env.undefined = StrictUndefined
    folder = None if is_address(data) else Path(data)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    store = open_any(data if folder is None else folder / "companion.db")
    try:
        secret = installation_secret(store, folder)
    except BadSecret:
        store.close()
        raise
    app.extensions["companion"] = {
        **_parts(store, scenarios, PRIVATE_LETTERS if private else 4),
        "organiser": organiser,
        "checked": testing,
        "secret": secret,
        "site": site,
        "guesses": security.FailureLimit(),
        "founding": founding or (None if testing else Allowance()),
        "data": folder,
        "private": private,
        "keep_days": keep_days,
        "waiting": Waiting() if folder is not None else SharedWaiting(store),
    }
    security.init_app(
        app,
        hosts=site.hosts if site else ("localhost", "table.test"),
        public_url=site.public_url if site else None,
    )
    current.init_app(app)
    intake.init_app(app)
    compress.init_app(app)
    curtain.init_app(app)
    pushing.init_app(app)
    errors.init_app(app)
    _filters(app)
    _pages(app)
    app.url_defaults(_version)
    return app


def _parts(store: Store, scenarios: Path, letters: int) -> dict[str, Any]:
    """The tables, the organiser's record over them, and who is told when either changes."""
    found, record, countdown = Tables(store, scenarios, letters=letters), Desk(store), Countdown()
    found.barred = bar(record)
    found.stopwatch.held_up = stopped(record)
    drawn = Drawn()

    def forget(code: str) -> None:
        found.forget(code)
        drawn.forget(code)

    hub = Hub(store, [record.look], forget)
    # Where the database tells of it, nobody waits for the next look.
    store.subscribe_books(lambda system: record.look() if system == DESK else None)
    record.subscribe(lambda hall: hub.hall_changed())
    record.subscribe(lambda hall: hub.say(strip(hall.clock, hall.announcements, countdown).sign))
    return {
        "tables": found,
        "store": store,
        "hub": hub,
        "drawn": drawn,
        "macros": {},
        "plans": {},
        "desk": record,
        "countdown": countdown,
        "ages": Ages(),
    }


def _version(endpoint: str, values: dict[str, Any]) -> None:
    """Scripts and styles are known by what is in them: after an upgrade no phone goes on with an hour-old one."""
    if endpoint == "static" and str(values.get("filename", "")).endswith((".css", ".js")):
        values["v"] = _fingerprint(values["filename"])


@cache
def _fingerprint(name: str) -> str | None:
    try:
        return blake2b((STATIC / name).read_bytes(), digest_size=5).hexdigest()
    except OSError:  # an address that leads nowhere stays one
        return None


def _pages(app: Flask) -> None:
    """Every page and address there is."""
    for module in (
        lobby,
        shelf,
        restoring,
        hall,
        desk,
        standings,
        forms,
        unitpages,
        settingspage,
        seatpages,
        saving,
        live,
        api,
        book,
        walk,
        cards,
        map,
        setupsheet,
        sheets,
    ):
        if module.bp.name not in app.blueprints:  # several modules may share one
            app.register_blueprint(module.bp)


def _filters(app: Flask) -> None:
    """What templates need besides the fields of what they are given."""
    app.jinja_env.globals["seat_tabs"] = seat_tabs
    app.jinja_env.globals["revision"] = revision
    app.jinja_env.globals["side_clocks"] = side_clocks
    app.jinja_env.globals["hall_strip"] = current.strip_now
    app.jinja_env.filters["hms"] = hms
    app.jinja_env.globals["standstill"] = hallstrip.standstill
    app.jinja_env.globals["desk_pages"] = lambda: desk.PAGES
    app.jinja_env.globals["came_from"] = carryon.came_from
    app.jinja_env.filters["clock"] = clock
    app.jinja_env.filters["side_name"] = side_name
    app.jinja_env.filters["tally"] = tally
    app.jinja_env.filters["kept"] = kept
    app.jinja_env.globals["brief_line"] = brief_line
    app.jinja_env.globals["side_mark"] = side_mark
    app.jinja_env.globals["HERE"] = HERE
    app.jinja_env.filters["capitalize_first"] = lambda text: text[:1].upper() + text[1:]
    app.jinja_env.filters["flat"] = lambda args: [
        (k, one)
        for k, v in args.items()
        for one in (v if isinstance(v, list | tuple) else [v])
        if one is not None
    ]
