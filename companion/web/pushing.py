"""The screen itself, sent down the stream: a tap then costs the other devices no request.

A page that asks for it (`stream?screen`) is sent the parts that changed, as the answer to its own request would be: drawn
for this device, by the secrets that it opened the stream with, so that a seat that was closed gets nothing, nor does a
device that several players share, which may have been handed over since. No request is made up for that. The page takes
it only if it shows what the server believes; otherwise it asks, as without a stream.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from flask import Flask, Response

from companion.engine.errors import Mistake
from companion.store import Standing, StoreError
from companion.web.current import held, noted, tables
from companion.web.exchange import asked
from companion.web.page import screen, target
from companion.web.seats import WATCH, Device, DeviceVisit, again

logger = logging.getLogger("companion")
HEADER = "HTTP_X_PAGE"
"""`X-Page`: the name that a page gave its stream, told with every request of it."""


@dataclass(slots=True)
class Showing:
    """What a page shows, as far as it was told."""

    device: Device
    revision: int
    parts: Mapping[str, str] | None = None
    """The signs of its parts; None while they are not known, and all of them are sent."""
    asking: int = 0
    """Requests under way whose answer will be its screen."""
    missed: int = 0
    """What the stream kept back meanwhile."""

    def draw(self, app: Flask, code: str, seat: str, news: int) -> bytes | None:
        """The parts that changed as the stream's next event; None when this device may not be shown any.

        :param news: the revision that there is to show
        """
        with app.app_context():
            pages: Pages = app.extensions["companion"]["pages"]
            now = noted()
            now.parts = dict(self.parts or {})
            try:
                known = pages.common(code, news)
                visit = again(code, seat, self.device, known)
                if visit is None:
                    return None
                if not known:
                    pages.note(visit)
                body = screen(visit)
            except (Mistake, StoreError):
                return None
            except Exception:
                logger.exception("table %s: a screen could not be pushed", code)
                return None
            before = "*" if self.parts is None else self.revision
            self.revision, self.parts = visit.game.revision, now.parts_now
        lines = body.rstrip()
        if b"\r" in lines:
            lines = lines.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        head = f"event: screen\ndata: {before} {self.revision}\ndata: "
        return b"%b%b\n\n" % (head.encode(), lines.replace(b"\n", b"\ndata: "))


class Pages:
    """The pages that are sent their screen, by table, seat and the name they chose."""

    def __init__(self) -> None:
        self._showing: dict[tuple[str, ...], tuple[Showing, Callable[[int], None]]] = {}
        self._stood: tuple[Standing, dict[str, Any]] | None = None

    def note(self, visit: DeviceVisit) -> None:
        """How the table stands that was looked at last: all its screens are drawn one after the other."""
        self._stood = visit.standing, visit.common

    def common(self, code: str, revision: int) -> Mapping[str, Any]:
        """What was read of a table, if that was at this revision; who closes a seat or gives it a new code writes a line."""
        if self._stood is not None:
            standing, common = self._stood
            if (standing.code, standing.revision) == (code, revision):
                return common
        return {}

    def open(
        self,
        key: tuple[str, ...],
        device: Device,
        told: tuple[Mapping[str, str], int | None],
        poke: Callable[[int], None],
    ) -> Showing:
        """A page listens.

        :param device: who asks for it
        :param told: the signs of what it shows, and of which revision that is
        :param poke: tells its stream to look again
        """
        parts, revision = told
        showing = Showing(device, revision or 0, parts if parts and revision else None)
        self._showing[key] = (showing, poke)
        return showing

    def close(self, key: tuple[str, ...], showing: Showing) -> None:
        if key in self._showing and self._showing[key][0] is showing:
            del self._showing[key]

    def find(self, key: tuple[str, ...]) -> tuple[Showing, Callable[[int], None]] | None:
        return self._showing.get(key)


def key_of(code: str, seat: str, name: str) -> tuple[str, ...]:
    """Whose page it is. A watcher is nobody in particular, so his address counts."""
    return (code, seat, name, (asked().remote_addr or "") if seat == WATCH else "")


def _mine() -> tuple[Showing, Callable[[int], None]] | None:
    """The page that this request comes from, if it is sent its screen."""
    asker = asked()
    name, place = asker.environ.get(HEADER, "")[:64], asker.view_args or {}
    if not name or "code" not in place or "seat" not in place:
        return None
    pages: Pages = held("pages")
    return pages.find(key_of(tables().normal(place["code"]), place["seat"], name))


def is_pushed() -> bool:
    """Whether the page that asks will be sent its screen anyway."""
    return _mine() is not None


def hand_on(visit: DeviceVisit) -> None:
    """Spare the screens that an act is pushed to what was read for it, if the table was as it had been read."""
    if visit.standing.revision == visit.revision:
        pages: Pages = held("pages")
        pages.note(visit)


def init_app(app: Flask) -> None:
    """Know what each page shows from the answers that it gets; nothing is pushed to one that is being answered."""
    app.extensions["companion"]["pages"] = Pages()

    @app.before_request
    def ask() -> None:
        if target() == "live" and (mine := _mine()):
            mine[0].asking += 1
            noted().asking = mine

    @app.after_request
    def answered(response: Response) -> Response:
        now = noted()
        if "asking" in now and "parts_now" in now:
            showing: Showing = now.asking[0]
            showing.revision, showing.parts = now.visit.game.revision, now.parts_now
        return response

    @app.teardown_request
    def over(_: BaseException | None) -> None:
        now = noted()
        if "asking" in now:
            showing, poke = now.pop("asking")
            showing.asking -= 1
            if showing.missed > showing.revision:
                poke(showing.missed)
