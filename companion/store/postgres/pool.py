"""A few connections to PostgreSQL, shared by any number of greenlets or threads; made when needed, and made again.

psycopg waits through Python's own `select`, so under gevent other greenlets run while a statement does.
"""

import queue
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, NoReturn

import psycopg
from psycopg.pq import TransactionStatus

from companion.store.errors import StoreAway, StoreBusy, StoreClosed, StoreError, StoreUnsure
from companion.store.postgres.trouble import named, translate, translated

# A process works on one core: while a few of its actions wait for the disk, it has enough to do with the others.
MOST = 8
# An action reads while it writes, so that some places must be left to readers.
WRITERS = 5
PATIENCE = 5.0
# A line that was cut without a word looks alive: one that lay idle for so long is asked first.
IDLE = 20.0

SETTINGS = {
    "lock_timeout": "10s",
    "statement_timeout": "60s",
    # A process that was stopped in the middle must not keep a table to itself.
    "idle_in_transaction_session_timeout": "30s",
    "client_min_messages": "warning",
}
CONNECTING: dict[str, Any] = {
    "application_name": "companion",
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "tcp_user_timeout": 20_000,
}


@lru_cache(256)
def _marked(sql: str) -> str:
    """A statement with psycopg's marks for its parameters."""
    return sql.replace("?", "%s")


@contextmanager
def _storable() -> Iterator[None]:
    """Say of a text with a null character in it, which never leaves this machine, that it is the caller's mistake."""
    try:
        yield
    except psycopg.DataError as error:
        if error.sqlstate is None:
            raise ValueError(f"PostgreSQL cannot hold this: {error}") from error
        raise


class PgDb:
    """A connection as the store's SQL uses it."""

    def __init__(self, conn: "psycopg.Connection[tuple[Any, ...]]") -> None:
        self.conn = conn
        self.used = time.monotonic()

    def execute(self, sql: str, parameters: Any = None, /) -> Any:
        """Run a statement and return its cursor."""
        with _storable():
            return self.conn.execute(_marked(sql), parameters or None)

    @property
    def status(self) -> TransactionStatus:
        return self.conn.info.transaction_status


class PgPool:
    """Connections of one process to one database."""

    row_lock = "for update"
    as_bytes = "convert_to({}, 'UTF8')"

    def __init__(self, url: str, *, patience: float = PATIENCE) -> None:
        """:param patience: seconds to wait for the database before `StoreAway`"""
        self.url, self.name = url, named(url)
        self.patience = patience
        self._places: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._writers: queue.SimpleQueue[None] = queue.SimpleQueue()
        for _ in range(MOST):
            self._places.put(None)
        for _ in range(WRITERS):
            self._writers.put(None)
        self._idle: list[PgDb] = []
        self._writing: set[int] = set()
        self._away_since: float | None = None
        self._closed = False
        self.pids: set[int] = set()
        """The processes of PostgreSQL that served this pool: their news is ours."""

    @contextmanager
    def reading(self) -> Iterator[PgDb]:
        """Lend a connection for reading what is committed."""
        with self._lent() as db:
            yield db

    @contextmanager
    def writing(self, *what: str) -> Iterator[PgDb]:
        """Hold a write transaction for the block: this is the only place that opens one."""
        me = threading.get_ident()
        if me in self._writing:
            raise RuntimeError("a store transaction is already open here: use its Tx instead of a second one")
        with self._place(self._writers), self._lent() as db:
            self._writing.add(me)
            try:
                db.execute("begin")
                if what:
                    db.execute("select pg_advisory_xact_lock(hashtextextended(?, 0))", ["\n".join(what)])
                yield db
                self._commit(db)
            except BaseException:
                with suppress(psycopg.Error):
                    if db.status != TransactionStatus.IDLE:
                        db.conn.rollback()
                raise
            finally:
                self._writing.discard(me)

    def _commit(self, db: PgDb) -> None:
        if db.status != TransactionStatus.INTRANS:
            # Commit would only roll back: who swallowed the error must not believe in it.
            raise StoreError(f"{self.name}: the transaction was rolled back by an earlier error in it")
        try:
            db.execute("commit")
        except psycopg.OperationalError as error:
            found = translate(error, self.name)
            if isinstance(found, StoreAway):
                self._forget_idle()
                raise StoreUnsure(f"{found}; it broke off while it was asked to save") from error
            raise

    @contextmanager
    def atomic(self, db: Any) -> Iterator[None]:
        """A savepoint; its statements travel together."""
        try:
            with db.conn.pipeline():
                db.execute("savepoint part")
                yield
                db.execute("release savepoint part")
        except BaseException:
            with suppress(psycopg.Error):
                if db.status in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
                    db.execute("rollback to savepoint part")
            raise

    def many(self, db: Any, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement for each row."""
        with _storable(), db.conn.cursor() as cursor:
            cursor.executemany(_marked(sql), rows)

    def put_new(self, db: Any, sql: str, row: Sequence[Any]) -> bool:
        """Run an insert that does nothing on conflict; return whether it did anything."""
        # Statements travel together: none has a count yet.
        return bool(db.execute(f"{sql} returning 1", row).fetchall())

    def is_open(self, db: Any) -> bool:
        """Whether a transaction is under way."""
        return bool(db.status == TransactionStatus.INTRANS or db.conn.pgconn.pipeline_status)

    def alone(self, db: Any) -> None:
        """Let nobody else write anything until the transaction ends."""
        db.execute("lock table game, event, action, snapshot, seat, book, setting, deleted in exclusive mode")
        db.execute("set local statement_timeout = 0")
        db.execute("set local idle_in_transaction_session_timeout = 0")

    def let_go_of_parts(self, db: Any) -> None:
        """In this transaction a table may go before what belongs to it."""
        db.execute("set constraints all deferred")

    def close(self) -> None:
        """Close every connection; those lent out close when they come back."""
        self._closed = True
        self._forget_idle()

    @contextmanager
    def _lent(self) -> Iterator[PgDb]:
        """Lend a connection that works, and take it back if it still does."""
        with self._place(self._places):
            db = self._living() or self.connect()
            sound = False
            try:
                with translated(self.name):
                    yield db
                sound = True
            except StoreAway:
                self._forget_idle()  # what broke this one broke them all
                raise
            except BaseException:
                sound = not db.conn.closed and db.status == TransactionStatus.IDLE
                raise
            finally:
                if sound and not self._closed and db.status == TransactionStatus.IDLE:
                    db.used = time.monotonic()
                    self._idle.append(db)
                else:
                    db.conn.close()

    @contextmanager
    def _place(self, places: "queue.SimpleQueue[None]") -> Iterator[None]:
        if self._closed:
            raise StoreClosed(f"{self.name} was closed: open the store again")
        try:
            places.get(timeout=self.patience * 2)
        except queue.Empty:
            raise StoreBusy(f"{self.name}: all connections were busy for too long: try again") from None
        try:
            yield
        finally:
            places.put(None)

    def _living(self) -> PgDb | None:
        """The connection used last, if there is one that still answers."""
        while self._idle:
            db = self._idle.pop()
            try:
                # It reads what has arrived and waits for nothing: PostgreSQL's farewell, then the line's end.
                db.conn.pgconn.consume_input()
                db.conn.pgconn.consume_input()
                if time.monotonic() - db.used > IDLE:
                    db.execute("select 1")
                return db
            except psycopg.Error:
                db.conn.close()
        return None

    def connect(self) -> PgDb:
        """Make a new connection, patiently when the database was there a moment ago.

        :raises StoreAway: if it does not come
        """
        if self._closed:
            raise StoreClosed(f"{self.name} was closed: open the store again")
        while True:
            try:
                conn = psycopg.connect(self.url, autocommit=True, **CONNECTING)
            except psycopg.Error as error:
                self._be_patient(error)
                continue
            self._away_since = None
            try:
                for name, value in SETTINGS.items():
                    conn.execute(f"set {name} = '{value}'")
                # What is acknowledged is on the disk, whatever the server's own setting; a stricter one stays.
                conn.execute(
                    """select set_config('synchronous_commit', 'on', false)
                       where current_setting('synchronous_commit') = 'off'"""
                )
            except psycopg.Error as error:
                conn.close()
                self._be_patient(error)
                continue
            self.pids.add(conn.info.backend_pid)
            return PgDb(conn)

    def _be_patient(self, error: psycopg.Error) -> None:
        """Wait a moment for a database that is away, or give up."""
        found = translate(error, self.name)
        now = time.monotonic()
        if self._away_since is None:
            self._away_since = now
        if not isinstance(found, StoreAway) or now - self._away_since > self.patience:
            self._give_up(found, error)
        time.sleep(0.1)

    def _give_up(self, found: StoreError, error: psycopg.Error) -> NoReturn:
        raise found from error

    def _forget_idle(self) -> None:
        while self._idle:
            self._idle.pop().conn.close()
