"""What other processes have committed, as PostgreSQL tells it: one listening connection a process."""

import time
from contextlib import suppress

import psycopg

from companion.store.errors import StoreClosed
from companion.store.feed import Feed
from companion.store.postgres.pool import PgDb, PgPool
from companion.store.postgres.schema import CHANNEL
from companion.store.postgres.trouble import translated

ASK_EVERY = 10.0
"""A line that fell silent is asked whether it is still there."""
MARGIN = "60 seconds"
"""A change may be committed so much later than it was made; twice what a transaction may lie idle."""


class News:
    """The listening connection, made when first used and made again when it is lost."""

    def __init__(self, pool: PgPool, feed: Feed) -> None:
        self._pool, self._feed = pool, feed
        self._db: PgDb | None = None
        self._closed = False
        self._asked = 0.0
        with pool.reading() as db:
            self._since = db.execute("select clock_timestamp()").fetchone()[0]

    def pass_on(self, within: float) -> None:
        """Tell subscribers what is new, waiting so many seconds for something.

        Notifications that nobody listened to are lost, so after every connecting the tables themselves are asked.

        :raises StoreAway: while the database cannot be reached
        """
        if self._closed:
            raise StoreClosed(f"{self._pool.name} was closed: open the store again")
        try:
            with translated(self._pool.name):
                self._listen(within)
        except BaseException:
            self._hang_up()
            if self._closed:
                raise StoreClosed(f"{self._pool.name} was closed") from None
            raise

    def _listen(self, within: float) -> None:
        if self._db is None:
            self._db = self._pool.connect()
            self._db.execute(f"listen {CHANNEL}")
            self._catch_up(self._db)
        conn = self._db.conn
        if not within or time.monotonic() - self._asked > ASK_EVERY:
            # Every answer brings along what is waiting to be told.
            self._since = conn.execute("select clock_timestamp()").fetchone()[0]  # type: ignore[index]
            self._asked = time.monotonic()
        for note in conn.notifies(timeout=within, stop_after=1):
            self._tell(note)

    def _catch_up(self, db: PgDb) -> None:
        changed = db.execute(
            f"select code, revision from game where touched > ?::timestamptz - interval '{MARGIN}'",
            [self._since],
        ).fetchall()
        self._feed.catch_up(dict(changed))
        for (system,) in db.execute("select distinct system from book").fetchall():
            self._feed.tell_book(system)

    def _tell(self, note: psycopg.Notify) -> None:
        kind, _, rest = note.payload.partition(" ")
        if kind == "game":
            code, _, revision = rest.rpartition(" ")
            self._feed.catch_up({code: int(revision)})
        elif note.pid not in self._pool.pids:
            self._feed.tell_book(rest)

    def _hang_up(self) -> None:
        db, self._db = self._db, None
        if db is not None:
            with suppress(psycopg.Error):
                db.conn.close()

    def close(self) -> None:
        """Listen no more."""
        self._closed = True
        self._hang_up()
