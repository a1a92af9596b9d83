"""The store on one SQLite file."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

from sqlite_utils import Database

from companion.store.copying import copy_database
from companion.store.feed import Feed
from companion.store.interface import Store
from companion.store.ledger import Ledger
from companion.store.pool import Pool


class SqliteStore(Ledger):
    """Tables, events and snapshots in a file that several processes may have open."""

    _pool: Pool

    def __init__(self, pool: Pool) -> None:
        """Use `open_store`, which checks the file first."""
        self._pool = pool
        with pool.exclusive() as db:
            self._seen = (db, pool.insist(lambda: _data_version(db)))
            self._feed = Feed(pool.insist(lambda: _revisions(db)))
            self._books = pool.insist(lambda: _books(db))

    @property
    def path(self) -> Path:
        """The database file."""
        return self._pool.path

    def poll_others(self, within: float = 0) -> None:
        """Tell subscribers of what other processes have changed: SQLite tells nobody, so look when the time is over."""
        if within:
            time.sleep(within)
        with self._pool.exclusive() as db:
            # The number counts per connection, so it means nothing without the connection it came from.
            seen = (db, self._pool.insist(lambda: _data_version(db)))
            if seen == self._seen:
                return
            revisions = self._pool.insist(lambda: _revisions(db))
            books = self._pool.insist(lambda: _books(db))
            changed = [system for system, count in books.items() if self._books.get(system) != count]
            # Only now, so that a poll that failed is made up for by the next.
            self._seen, self._books = seen, books
        # Outside the lock, because a subscriber may want to write.
        self._feed.catch_up(revisions)
        for system in changed:
            self._feed.tell_book(system)

    def tidy(self) -> None:
        """Bring the file in order when nobody has written for some seconds; call it now and then."""
        self._pool.fold_when_quiet()

    def backup(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Copy the whole store to one file while it is in use."""
        target = Path(path)
        if target.exists() and (not overwrite or target.samefile(self.path)):
            raise FileExistsError(f"{target} exists already: name a new file for the backup")
        with self._pool.reading() as db:
            copy_database(db.conn, target)

    def close(self) -> None:
        """Give up every connection; later calls raise `StoreClosed`."""
        self._pool.close()

    def __enter__(self) -> "SqliteStore":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _data_version(db: Database) -> int:
    return int(db.execute("pragma data_version").fetchone()[0])


def _revisions(db: Database) -> dict[str, int]:
    return dict(db.execute("select code, revision from game").fetchall())


def _books(db: Database) -> dict[str, int]:
    """How often each system's books were written."""
    return dict(db.execute("select system, count(*) + sum(revision) from book group by system").fetchall())


if TYPE_CHECKING:
    # The type checker refuses this line when a promise of the interface is missing here.
    _keeps_the_contract: type[Store] = SqliteStore
