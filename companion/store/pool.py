"""A few connections to one file, shared by any number of threads or greenlets."""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from sqlite_utils import Database

from companion.store.errors import StoreBusy, StoreClosed, StoreError, StoreUnreachable, translated

READERS = 3
PATIENCE = 10.0

T = TypeVar("T")


class Pool:
    """One writing connection behind a lock, and at most three reading ones.

    A connection per thread would be simpler, but 600 greenlets would then open 600 files. All writing goes
    through one connection, so `PRAGMA data_version` on it counts other processes' commits and no others.
    """

    def __init__(self, path: Path, *, readonly: bool = False, patience: float = PATIENCE) -> None:
        """:param patience: seconds to wait for a lock before `StoreBusy`"""
        self.path = path
        self.readonly = readonly
        self._patience = patience
        # Reentrant only so that a nested transaction can be reported instead of waiting for itself.
        self._lock = threading.RLock()
        self._writing = False
        self._writer: Database | None = None
        self._slots = threading.Semaphore(READERS)
        self._idle: list[Database] = []
        self._closed = False

    @contextmanager
    def reading(self) -> Iterator[Database]:
        """Lend a connection for reading what is committed."""
        with self._slots, translated(self.path):
            self._refuse_if_closed()
            try:
                db = self._idle.pop()
            except IndexError:
                db = self._connect(busy_ms=5000)
            sound = True
            try:
                yield db
            except sqlite3.Error:
                sound = False
                raise
            finally:
                # After an error a fresh connection is cheaper than finding out whether this one still works.
                if self._closed or not sound:
                    db.close()
                else:
                    self._idle.append(db)

    @contextmanager
    def writing(self) -> Iterator[Database]:
        """Hold the write transaction for the block: this is the only place that opens one."""
        with self.exclusive() as db:
            self.insist(lambda: db.execute("BEGIN IMMEDIATE"))
            self._writing = True
            try:
                yield db
                if not db.conn.in_transaction:
                    # SQLite itself rolls back on some errors: who swallowed one must not believe in a commit.
                    raise StoreError(
                        f"{self.path}: the transaction was rolled back by an earlier error in it"
                    )
                db.commit()
            except BaseException:
                self._roll_back(db)
                raise
            finally:
                self._writing = False

    @contextmanager
    def exclusive(self) -> Iterator[Database]:
        """Lend the writing connection outside a transaction; it never waits by itself, so `insist`."""
        # SQLite's own waiting stops a whole gevent loop; this lock lets the other greenlets run meanwhile.
        if not self._lock.acquire(timeout=self._patience):
            raise StoreBusy(f"{self.path} was kept busy for {self._patience:g} seconds: try again")
        try:
            if self._writing:
                raise RuntimeError(
                    "a store transaction is already open here: use its Tx instead of a second one"
                )
            self._refuse_if_closed()
            try:
                with translated(self.path):
                    if self._writer is None:
                        self._writer = self.insist(lambda: self._connect(busy_ms=0))
                    yield self._writer
            except StoreUnreachable:
                # After a disk error the connection's view of the file is not to be trusted.
                self._drop_writer()
                raise
        finally:
            self._lock.release()

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

    def close(self) -> None:
        """Close every connection; those lent out close when they come back."""
        with self._lock:
            self._closed = True
            while self._idle:
                self._idle.pop().close()
            # Last, so that SQLite folds the write-ahead log into the file.
            self._drop_writer()

    def _connect(self, busy_ms: int) -> Database:
        if self.readonly:
            target, uri = self.path.absolute().as_uri() + "?mode=ro", True
        else:
            target, uri = str(self.path), False
        conn = sqlite3.connect(
            target, uri=uri, timeout=busy_ms / 1000, check_same_thread=False, isolation_level=None
        )
        try:
            conn.execute("pragma foreign_keys = on")
            conn.execute("pragma synchronous = full")
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
        if writer is not None:
            writer.close()

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise StoreClosed(f"{self.path} was closed: open the store again")
