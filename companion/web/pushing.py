"""The screen itself, sent down the stream: a tap then costs the other devices no request.

A page that asks for it (`stream?screen`) is sent the parts that changed, as the answer to its own request would be: drawn
for this device, by the cookies that the stream was opened with, so that a seat that was closed gets nothing, nor does a
device that several players share, which may have been handed over since. The page takes it only if it shows what the
server believes; otherwise it asks, as without a stream.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from flask import Flask, Response, current_app, g, request

from companion.engine.errors import Mistake
from companion.store import StoreError
from companion.web.current import tables
from companion.web.curtain import CurtainDrawn
from companion.web.page import screen
from companion.web.seats import WATCH, require

logger = logging.getLogger("companion")
HEADER = "X-Page"
"""The name that a page gave its stream, told with every request of it."""

DEVICE = (
    "REQUEST_METHOD", "SCRIPT_NAME", "PATH_INFO", "SERVER_NAME", "SERVER_PORT", "SERVER_PROTOCOL", "REMOTE_ADDR",
    "HTTP_HOST", "HTTP_COOKIE", "HTTP_AUTHORIZATION", "wsgi.url_scheme",
)  # fmt: skip
"""What is kept of a request for as long as its stream lasts: who asks, and by which address."""


@dataclass(slots=True)
class Showing:
    """What a page shows, as far as it was told."""

    revision: int
    parts: Mapping[str, str] | None = None
    """The signs of its parts; None while they are not known, and all of them are sent."""
    asking: int = 0
    """Requests under way whose answer will be its screen."""
    missed: int = 0
    """What the stream kept back meanwhile."""

    def draw(self, app: Flask, environ: Mapping[str, Any], code: str, seat: str) -> str | None:
        """The parts that changed as the stream's next event; None when this device may not be shown any."""
        again = app.request_context(dict(environ))
        again.match_request = lambda: None  # type: ignore[method-assign]  # it was found when it was opened
        with again:
            g.parts = dict(self.parts or {})
            try:
                visit = require(code, seat)
                if len(visit.held) > 1:
                    return None
                body = screen(visit)
            except (Mistake, StoreError, CurtainDrawn):
                return None
            except Exception:
                logger.exception("table %s: a screen could not be pushed", code)
                return None
            before = "*" if self.parts is None else self.revision
            self.revision, self.parts = visit.game.revision, g.parts_now
        lines = f"{before} {self.revision}\n{body.rstrip()}".replace("\r\n", "\n").replace("\r", "\n")
        return "event: screen\ndata: " + lines.replace("\n", "\ndata: ") + "\n\n"


class Pages:
    """The pages that are sent their screen, by table, seat and the name they chose."""

    def __init__(self) -> None:
        self._showing: dict[tuple[str, ...], tuple[Showing, Callable[[int], None]]] = {}

    def open(
        self, key: tuple[str, ...], told: tuple[Mapping[str, str], int | None], poke: Callable[[int], None]
    ) -> Showing:
        """A page listens.

        :param told: the signs of what it shows, and of which revision that is
        :param poke: tells its stream to look again
        """
        parts, revision = told
        showing = Showing(revision or 0, parts if parts and revision else None)
        self._showing[key] = (showing, poke)
        return showing

    def close(self, key: tuple[str, ...], showing: Showing) -> None:
        if key in self._showing and self._showing[key][0] is showing:
            del self._showing[key]

    def find(self, key: tuple[str, ...]) -> tuple[Showing, Callable[[int], None]] | None:
        return self._showing.get(key)


def device_of(environ: Mapping[str, Any]) -> dict[str, Any]:
    """The request of a device for its screen, as far as it is needed to draw that again and again."""
    kept = {name: environ[name] for name in DEVICE if name in environ}
    return {**kept, "HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "live"}


def key_of(code: str, seat: str, name: str) -> tuple[str, ...]:
    """Whose page it is. A watcher is nobody in particular, so his address counts."""
    return (code, seat, name, (request.remote_addr or "") if seat == WATCH else "")


def _mine() -> tuple[Showing, Callable[[int], None]] | None:
    """The page that this request comes from, if it is sent its screen."""
    name, place = request.headers.get(HEADER, "")[:64], request.view_args or {}
    if not name or "code" not in place or "seat" not in place:
        return None
    pages: Pages = current_app.extensions["companion"]["pages"]
    return pages.find(key_of(tables().normal(place["code"]), place["seat"], name))


def is_pushed() -> bool:
    """Whether the page that asks will be sent its screen anyway."""
    return _mine() is not None


def init_app(app: Flask) -> None:
    """Know what each page shows from the answers that it gets; nothing is pushed to one that is being answered."""
    app.extensions["companion"]["pages"] = Pages()

    @app.before_request
    def ask() -> None:
        if request.headers.get("HX-Target") == "live" and (mine := _mine()):
            mine[0].asking += 1
            g.asking = mine

    @app.after_request
    def answered(response: Response) -> Response:
        if "asking" in g and "parts_now" in g:
            showing: Showing = g.asking[0]
            showing.revision, showing.parts = g.visit.game.revision, g.parts_now
        return response

    @app.teardown_request
    def over(_: BaseException | None) -> None:
        if "asking" in g:
            showing, poke = g.pop("asking")
            showing.asking -= 1
            if showing.missed > showing.revision:
                poke(showing.missed)
