"""A few connections to one file, shared by any number of threads or greenlets."""

import os
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from sqlite_utils import Database

from companion.store.errors import (
    StoreBusy,
    StoreClosed,
    StoreError,
    StoreUnreachable,
    translate,
    translated,
)
from companion.store.presence import Presence

CACHED_KB = 512
"""Of the file, for each connection. The system has the rest of it at hand: with four times as much a tap is 2 µs quicker."""
READERS = 3
PATIENCE = 10.0
# Long enough that it never falls between two taps, short enough that a copy of the file alone is soon complete.
QUIET = 5.0

T = TypeVar("T")


class Pool:
    """One writing connection behind a lock, and at most three reading ones.

    A connection per thread would be simpler, but 600 greenlets would then open 600 files. All writing goes
    through one connection, so `PRAGMA data_version` on it counts other processes' commits and no others.
    """

    row_lock = ""
    as_bytes = "cast({} as blob)"

    def __init__(self, path: Path, *, readonly: bool = False, patience: float = PATIENCE) -> None:
        """:param patience: seconds to wait for a lock before `StoreBusy`"""
        self.path = path
        self.readonly = readonly
        self._patience = patience
        # Reentrant only so that a nested transaction can be reported instead of waiting for itself.
        self._lock = threading.RLock()
        self._writing = False
        self._writer: Database | None = None
        # A semaphore, but of a kind that needs no condition: under gevent each of those lets everybody else go first.
        self._slots: queue.SimpleQueue[None] = queue.SimpleQueue()
        for _ in range(READERS):
            self._slots.put(None)
        self._idle: list[Database] = []
        self._closed = False
        self._presence = Presence(path)
        # When the last commit was made that may still lie in the write-ahead log alone.
        self._unfolded_since: float | None = None

    def reading(self) -> "Lent":
        """Lend a connection for reading what is committed."""
        return Lent(self._take_reader, self._put_reader_back)

    @contextmanager
    def writing(self, *what: str) -> Iterator[Database]:
        """Hold the write transaction for the block: this is the only place that opens one."""
        with self.exclusive() as db:
            self.insist(lambda: db.conn.execute("BEGIN IMMEDIATE"))
            self._writing = True
            try:
                self._presence.remember_log()
                yield db
                if not db.conn.in_transaction:
                    # SQLite itself rolls back on some errors: who swallowed one must not believe in a commit.
                    raise StoreError(
                        f"{self.path}: the transaction was rolled back by an earlier error in it"
                    )
                self._presence.check_log()
                db.commit()
                self._unfolded_since = time.monotonic()
                # Once more: what went into a file deleted meanwhile must not be taken for saved.
                self._presence.check_log()
            except BaseException:
                self._roll_back(db)
                raise
            finally:
                self._writing = False

    def atomic(self, db: Any) -> "Lent":
        """A savepoint: what is done in the block is done whole or not at all."""
        return Lent(partial(_begin_part, db), _end_part)

    def many(self, db: Any, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement for each row."""
        db.conn.executemany(sql, rows)

    def put_new(self, db: Any, sql: str, row: Sequence[Any]) -> bool:
        """Run an insert that does nothing on conflict; return whether it did anything."""
        return bool(db.conn.execute(sql, row).rowcount)

    def is_open(self, db: Any) -> bool:
        """Whether a transaction is under way."""
        return bool(db.conn.in_transaction)

    def alone(self, db: Any) -> None:
        """Whoever writes is alone."""

    def let_go_of_parts(self, db: Any) -> None:
        """In this transaction a table may go before what belongs to it."""
        db.execute("pragma defer_foreign_keys = on")

    def exclusive(self) -> "Lent":
        """Lend the writing connection outside a transaction; it never waits by itself, so `insist`."""
        return Lent(self._take_writer, self._put_writer_back)

    def insist(self, attempt: Callable[[], T]) -> T:
        """Repeat an attempt while another process has the lock, sleeping so that greenlets may run."""
        deadline = time.monotonic() + self._patience
        pause = 0.001
        while True:
            try:
                return attempt()
            except sqlite3.OperationalError as error:
                busy = (getattr(error, "sqlite_errorcode", 0) & 0xFF) == sqlite3.SQLITE_BUSY
                if not busy or time.monotonic() > deadline:
                    raise
            time.sleep(pause)
            pause = min(pause * 2, 0.02)

    def fold_when_quiet(self) -> bool:
        """Fold the write-ahead log into the file when nobody has written for a while; return whether it did.

        It keeps the file alone a nearly complete copy, and makes the next start and a crash's repair short.
        """
        since = self._unfolded_since
        if self.readonly or since is None or time.monotonic() - since < QUIET:
            return False
        with self.exclusive() as db:
            return self._fold(db)

    def close(self) -> None:
        """Close every connection; those lent out close when they come back."""
        with self._lock:
            if self._writer is not None and not self._closed and not self.readonly:
                # A companion that is killed before this loses nothing: the next start does it.
                with suppress(sqlite3.Error):
                    self._fold(self._writer)
            self._closed = True
            while self._idle:
                self._idle.pop().close()
            # Last, so that SQLite removes the empty write-ahead log.
            self._drop_writer()

    def _take_reader(self) -> Database:
        self._slots.get()
        try:
            self._refuse_if_closed()
            self._presence.check()
            try:
                return self._idle.pop()
            except IndexError:
                with translated(self.path):
                    return self._connect(busy_ms=5000)
        except BaseException:
            self._slots.put(None)
            raise

    def _put_reader_back(self, db: Database, error: BaseException | None) -> None:
        broken = isinstance(error, sqlite3.Error)
        # After an error a fresh connection is cheaper than finding out whether this one still works.
        if broken or self._closed:
            db.close()
        else:
            self._idle.append(db)
        self._slots.put(None)
        if isinstance(error, sqlite3.Error):
            raise translate(error, self.path) from error

    def _take_writer(self) -> Database:
        # SQLite's own waiting stops a whole gevent loop; this lock lets the other greenlets run meanwhile.
        if not self._lock.acquire(timeout=self._patience):
            raise StoreBusy(f"{self.path} was kept busy for {self._patience:g} seconds: try again")
        try:
            if self._writing:
                raise RuntimeError(
                    "a store transaction is already open here: use its Tx instead of a second one"
                )
            self._refuse_if_closed()
            self._presence.check()
            if self._writer is None:
                self._writer = self.insist(lambda: self._connect(busy_ms=0))
            return self._writer
        except BaseException as error:
            self._put_writer_back(None, error)
            raise

    def _put_writer_back(self, _: Database | None, error: BaseException | None) -> None:
        try:
            found = translate(error, self.path) if isinstance(error, sqlite3.Error) else error
            if isinstance(found, StoreUnreachable):
                # After a disk error the connection's view of the file is not to be trusted.
                self._drop_writer()
            if found is not None and found is not error:
                raise found from error
        finally:
            self._lock.release()

    def _fold(self, db: Database) -> bool:
        # It never waits for readers: while some read, it is simply tried again later.
        busy = db.execute("pragma wal_checkpoint(truncate)").fetchone()[0]
        if not busy:
            self._unfolded_since = None
        return not busy

    def _connect(self, busy_ms: int) -> Database:
        # Only the first connection may make the file: a later one would put an empty one in a lost one's place.
        mode = "ro" if self.readonly else "rw" if self._presence.known else "rwc"
        conn = sqlite3.connect(
            f"{_uri(self.path)}?mode={mode}",
            uri=True,
            timeout=busy_ms / 1000,
            check_same_thread=False,
            isolation_level=None,
        )
        try:
            self._presence.remember()
            # It may have been replaced while it was being opened.
            self._presence.check()
            conn.execute("pragma foreign_keys = on")
            conn.execute("pragma synchronous = full")
            conn.execute(f"pragma cache_size = -{CACHED_KB}")
            return Database(conn, execute_plugins=False)
        except BaseException:
            conn.close()
            raise

    def _roll_back(self, db: Database) -> None:
        try:
            db.rollback()
        except sqlite3.Error:
            # Closing rolls back too, and the original error is the one to report.
            self._drop_writer()

    def _drop_writer(self) -> None:
        writer, self._writer = self._writer, None
        self._presence.forget_log()
        if writer is not None:
            writer.close()

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise StoreClosed(f"{self.path} was closed: open the store again")


class Lent:
    """What is taken for a block and put back after it: no generator, which takes thrice as long; a tap has several."""

    __slots__ = ("_db", "_put_back", "_take")

    def __init__(
        self, take: Callable[[], Database], put_back: Callable[[Database, BaseException | None], None]
    ) -> None:
        """:param put_back: is told of the error that ended the block"""
        self._take, self._put_back = take, put_back

    def __enter__(self) -> Database:
        self._db = self._take()
        return self._db

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        self._put_back(self._db, error)


def _begin_part(db: Database) -> Database:
    # Always of the same name, so that its statements need not be compiled each time.
    db.conn.execute("savepoint part")
    return db


def _end_part(db: Database, error: BaseException | None) -> None:
    if error is None:
        db.conn.execute("release part")
    elif db.conn.in_transaction:  # an error of the disk has ended it already
        db.conn.execute("rollback to part")
        db.conn.execute("release part")


def _uri(path: Path) -> str:
    """Return the file's address as SQLite reads it, also for a Windows share, which `Path.as_uri` gives a host."""
    text = quote(os.fsencode(path.absolute().as_posix()), safe="/:")
    return f"file://{text}" if text.startswith("/") else f"file:///{text}"
