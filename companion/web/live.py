"""Live updates: one stream a page that carries the table's revision, and to a seat's main screen what changed on it."""

from __future__ import annotations

import logging
import queue
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import takewhile
from typing import NamedTuple

from flask import Blueprint, Response, current_app, request

from companion.hall.clock import NOTHING
from companion.store import Store, StoreClosed, StoreGone
from companion.web import parts, telling
from companion.web.compress import flowing, is_packed
from companion.web.current import strip_now, tables
from companion.web.intake import number
from companion.web.pushing import Pages, key_of
from companion.web.seats import WATCH, require
from companion.web.telling import CARRIED, Carrier, Hears, News, Telling, spoken

logger = logging.getLogger("companion")

bp = Blueprint("live", __name__)
STREAMS_PER_SEAT = 20
"""A seat's devices with every page they left within the last beat: far more than a player has."""
WATCHERS_PER_TABLE = 60
"""Nobody crowds round one table with more; the others' pages ask every few seconds instead."""

HALL = "/hall"
"""In place of a table's code, for boards that show them all."""
HALL_REST = 1.5
"""Seconds in which a board gathers what happens before it is told again, however many tables are played at."""

QUIET = 30.0
"""Seconds after the last page of a table was left; then it takes no memory until somebody comes back."""


class Page(NamedTuple):
    """Whose stream it is. The name is the page's own choice, so it counts only together with who chose it."""

    seat: str
    address: str
    """Of a watcher; a seat is proven by its secret, from whatever address."""
    name: str


class Hub:
    """Who listens to which table."""

    def __init__(
        self,
        store: Store,
        looks: Iterable[Callable[[], None]] = (),
        forget: Callable[[str], None] = lambda code: None,
    ) -> None:
        """:param looks: what else looks once a second for what other processes changed
        :param forget: called of a table that nobody has open any more
        """
        self._looks = (*looks, store.tidy)
        self._forget = forget
        self._listeners: dict[str, dict[Page, Hears]] = {}
        self._left: dict[str, float] = {}
        """Tables that nobody listens to any more, and since when; the longest first."""
        self._lock = threading.Lock()
        self._said = ""
        self.changes = 0
        """What a board shows is as old as this number."""
        store.subscribe(self.tell)
        self.store = store
        self._poller: threading.Thread | None = None

    def watch_others(self) -> None:
        """Notice commits of other processes, and the store's own fate: a file is looked at once a second."""
        if self._poller is None:
            self._poller = threading.Thread(target=self._poll, daemon=True)
            self._poller.start()

    def _poll(self) -> None:
        gone, due = False, 0.0
        while True:
            try:
                self.store.poll_others(within=1)
                if time.monotonic() >= due:  # news may come many times a second
                    due = time.monotonic() + 1
                    for look in self._looks:
                        look()
                gone = False
            except StoreGone as error:
                if not gone:
                    logger.error("%s", error)
                    # A stream that goes on beating would tell its page that all is well.
                    self.hang_up()
                gone = True
                time.sleep(1)
            except StoreClosed:
                return
            except Exception as error:  # noqa: BLE001 - the disk is away for a moment
                logger.warning("the store could not be looked at: %s", error)
                time.sleep(5)

    def tell(self, code: str, revision: int) -> None:
        """A table has changed."""
        with self._lock:
            listeners = list(self._listeners.get(code, {}).values())
        for listener in listeners:
            listener.put(revision)
        self.hall_changed()

    def hall_changed(self) -> None:
        """What boards show has changed."""
        self.changes += 1
        if HALL not in self._listeners:  # mostly
            return
        with self._lock:
            boards = list(self._listeners.get(HALL, {}).values())
        for board in boards:
            board.put(self.changes)

    def say(self, sign: str) -> None:
        """What every screen shows of the hall: its clock, an announcement. Said again, it is no news."""
        if sign == self._said:
            return
        self._said = sign
        with self._lock:
            everybody = [mine for here in self._listeners.values() for mine in here.values()]
        for mine in everybody:
            mine.put(sign)

    def hang_up(self, code: str = "") -> None:
        """End every stream, or those of one table; the pages ask again, and are told what is wrong."""
        with self._lock:
            tables = [code] if code else list(self._listeners)
            ended = [mine for one in tables for mine in self._listeners.pop(one, {}).values()]
        for mine in ended:
            mine.put(None)

    def join(self, code: str, page: Page, mine: Hears | None = None) -> Hears:
        """Listen; an older stream of the same page ends, and where there are too many, one of the same kind.

        A seat's streams give way to that seat's alone. Watchers' give way to watchers', and among them those of
        the address that has most, so that one device cannot push the others out.

        :param mine: who hears it; a queue of the simple kind otherwise: under gevent the other is made of locks that
            let everybody else go first
        """
        mine = queue.SimpleQueue() if mine is None else mine
        with self._lock:
            here = self._listeners.setdefault(code, {})
            ended = page if page in here else _surplus(here, page)
            if ended is not None:
                here.pop(ended).put(None)
            here[page] = mine
            self._left.pop(code, None)
            quiet = list(takewhile(self._is_quiet, self._left))
            for one in quiet:
                del self._left[one]
        for one in quiet:
            self._forget(one)
        return mine

    def _is_quiet(self, code: str) -> bool:
        return time.monotonic() - self._left[code] > QUIET

    def leave(self, code: str, page: Page, mine: Hears) -> None:
        with self._lock:
            here = self._listeners.get(code, {})
            if here.get(page) is mine:
                del here[page]
            if not here:
                self._listeners.pop(code, None)
                self._left.pop(code, None)
                self._left[code] = time.monotonic()

    def count(self) -> int:
        with self._lock:
            return sum(len(here) for here in self._listeners.values())


def _surplus(here: Mapping[Page, Hears], newcomer: Page) -> Page | None:
    """The oldest stream that has to go when this one comes, or None when there is room."""
    alike = [page for page in here if page.seat == newcomer.seat]
    if len(alike) < (WATCHERS_PER_TABLE if newcomer.seat == WATCH else STREAMS_PER_SEAT):
        return None
    if newcomer.seat != WATCH:
        return alike[0]
    held = Counter(page.address for page in [*alike, newcomer])
    most = max(held.values())
    return next(page for page in alike if held[page.address] == most)


@bp.get("/t/<code>/<seat>/stream")
def stream(code: str, seat: str) -> Response:
    """The table's revision now, and whenever it changes."""
    visit = require(code, seat, shows=False)
    code = visit.code
    hub: Hub = current_app.extensions["companion"]["hub"]
    pages: Pages = current_app.extensions["companion"]["pages"]
    name = request.args.get("page", "")[:64] or f"anonymous-{secrets.token_hex(8)}"
    page = Page(seat, (request.remote_addr or "") if seat == WATCH else "", name)
    carrier: Carrier | None = request.environ[CARRIED]() if CARRIED in request.environ else None
    waiting: queue.SimpleQueue[News] = queue.SimpleQueue()
    mine = hub.join(code, page, waiting if carrier is None else carrier)
    latest, line = tables().store.latest(code), _hall_line()
    key = key_of(code, seat, name)
    told = parts.read(request.args.get("parts", "")), number(request.args.get("rev"))
    showing = pages.open(key, visit.device, told, mine.put) if "screen" in request.args else None

    def leave() -> None:
        hub.leave(code, page, mine)
        if showing:
            pages.close(key, showing)

    app = current_app._get_current_object()  # type: ignore[attr-defined]
    said = Telling((code, seat), latest, (showing, app), leave)
    first = f"retry: 2000\nevent: rev\ndata: {latest}\n\n{line}"
    if carrier is not None:
        return _streamed(carrier.begin(first, said, packed=is_packed()))
    pieces = spoken(first, said, waiting)
    response = _streamed(flowing(pieces) if is_packed() else pieces)
    response.call_on_close(leave)  # also when it left before the first line
    return response


def _hall_line() -> str:
    """What a page that begins to listen must hear of the hall's line: nothing where it shows the right one."""
    sign = strip_now().sign
    return "" if request.args.get("hall", NOTHING) == sign else f"event: hall\ndata: {sign}\n\n"


def _streamed(pieces: Iterator[bytes]) -> Response:
    response = Response(
        pieces,
        mimetype="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )
    if is_packed():
        response.headers["Content-Encoding"] = "gzip"
    return response


@bp.get("/hall/stream")
def hall_stream() -> Response:
    """How often anything has changed in the hall: at once, and then no more often than a board needs it."""
    hub: Hub = current_app.extensions["companion"]["hub"]
    name = request.args.get("page", "")[:64] or f"anonymous-{secrets.token_hex(8)}"
    page = Page(WATCH, request.remote_addr or "", name)
    mine: queue.SimpleQueue[News] = queue.SimpleQueue()
    hub.join(HALL, page, mine)
    line = _hall_line()

    def events() -> Iterator[bytes]:
        told: int | str | None
        try:
            yield f"retry: 2000\nevent: rev\ndata: {hub.changes}\n\n{line}".encode()
            while True:
                try:
                    told = mine.get(timeout=telling.BEAT)
                except queue.Empty:
                    yield b"event: beat\ndata: %d\n\n" % hub.changes
                    continue
                said = told if isinstance(told, str) else ""
                if not said and told is not None:
                    time.sleep(HALL_REST)
                while told is not None and not mine.empty():
                    told = mine.get()
                    said = told if isinstance(told, str) else said
                if said:
                    yield f"event: hall\ndata: {said}\n\n".encode()
                if told is None:
                    return
                yield b"event: rev\ndata: %d\n\n" % hub.changes
        finally:
            hub.leave(HALL, page, mine)

    response = _streamed(flowing(events()) if is_packed() else events())
    response.call_on_close(lambda: hub.leave(HALL, page, mine))
    return response
