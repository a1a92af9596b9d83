"""Live updates: one stream a page that carries the table's revision, nothing else."""

from __future__ import annotations

import queue
import secrets
import threading
import time
from collections.abc import Iterator

from flask import Blueprint, Response, current_app, request

from companion.store import Store
from companion.web.current import tables
from companion.web.seats import require

bp = Blueprint("live", __name__)
BEAT = 10.0
STREAMS_PER_TABLE = 60


class Hub:
    """Who listens to which table."""

    def __init__(self, store: Store) -> None:
        self._listeners: dict[str, dict[str, queue.Queue[int | None]]] = {}
        self._lock = threading.Lock()
        store.subscribe(self.tell)
        self.store = store
        self._poller: threading.Thread | None = None

    def watch_others(self) -> None:
        """Notice commits of other processes on the same file, once a second."""
        if self._poller is None:
            self._poller = threading.Thread(target=self._poll, daemon=True)
            self._poller.start()

    def _poll(self) -> None:
        while True:
            time.sleep(1)
            try:
                self.store.poll_others()
            except Exception:  # noqa: BLE001 - the store is closing, or the disk is away for a moment
                time.sleep(5)

    def tell(self, code: str, revision: int) -> None:
        """A table has changed."""
        with self._lock:
            listeners = list(self._listeners.get(code, {}).values())
        for listener in listeners:
            listener.put(revision)

    def join(self, code: str, page: str) -> queue.Queue[int | None]:
        """Listen; an older stream of the same page ends, and so does the oldest when a table has too many."""
        mine: queue.Queue[int | None] = queue.Queue()
        with self._lock:
            here = self._listeners.setdefault(code, {})
            if page in here:
                here.pop(page).put(None)
            elif len(here) >= STREAMS_PER_TABLE:
                here.pop(next(iter(here))).put(None)
            here[page] = mine
        return mine

    def leave(self, code: str, page: str, mine: queue.Queue[int | None]) -> None:
        with self._lock:
            here = self._listeners.get(code, {})
            if here.get(page) is mine:
                del here[page]
            if not here:
                self._listeners.pop(code, None)

    def count(self) -> int:
        with self._lock:
            return sum(len(here) for here in self._listeners.values())


@bp.get("/t/<code>/<seat>/stream")
def stream(code: str, seat: str) -> Response:
    """The table's revision now, and whenever it changes."""
    code = tables().normal(code)
    require(code, seat, shows=False)
    hub: Hub = current_app.extensions["companion"]["hub"]
    page = request.args.get("page", "")[:64] or f"anonymous-{secrets.token_hex(8)}"
    tables().store.table(code)
    mine = hub.join(code, page)
    latest = tables().store.latest(code)

    def events() -> Iterator[str]:
        shown = latest
        try:
            yield f"retry: 2000\nevent: rev\ndata: {shown}\n\n"
            while True:
                try:
                    revision = mine.get(timeout=BEAT)
                except queue.Empty:
                    yield f"event: beat\ndata: {shown}\n\n"
                    continue
                if revision is None:
                    return
                if revision > shown:
                    shown = revision
                    yield f"event: rev\ndata: {shown}\n\n"
        finally:
            hub.leave(code, page, mine)

    response = Response(
        events(),
        mimetype="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )
    response.call_on_close(lambda: hub.leave(code, page, mine))  # also when it left before the first line
    return response
