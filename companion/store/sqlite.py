"""The store on one SQLite file."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlite_utils import Database

from companion.store.codec import dump_object, load
from companion.store.copying import copy_database
from companion.store.errors import TableExists
from companion.store.feed import Feed
from companion.store.interface import Generation, Json, NewTable, Store, StoredEvent, TableRow
from companion.store.library import Library
from companion.store.pool import Pool
from companion.store.rows import find_table, select_events
from companion.store.seats import Seats, put_generations
from companion.store.snapshots import sound_snapshot
from companion.store.transaction import SqliteTx

_COLUMNS = """code, system, scenario, title, seed, options, created_at, changed_at,
              revision, stream, ended, archived, summary"""


class SqliteStore(Seats, Library):
    """Tables, events and snapshots in a file that several processes may have open."""

    def __init__(self, pool: Pool) -> None:
        """Use `open_store`, which checks the file first."""
        self._pool = pool
        with pool.exclusive() as db:
            self._seen = (db, pool.insist(lambda: _data_version(db)))
            self._feed = Feed(pool.insist(lambda: _revisions(db)))

    @property
    def path(self) -> Path:
        """The database file."""
        return self._pool.path

    def create(self, row: NewTable) -> None:
        """Found a table without events."""
        with self.creating(row):
            pass

    @contextmanager
    def creating(self, row: NewTable, seats: Mapping[str, Generation] | None = None) -> Iterator[SqliteTx]:
        """Found a table and yield its first transaction: table and events appear together or not at all."""
        options = dump_object(row.options, "a table's options")

        def prepare(db: Database) -> None:
            _insert(db, row, options)
            put_generations(db, row.code, seats or {})

        with self._write(row.code, prepare) as tx:
            yield tx

    @contextmanager
    def transaction(self, code: str) -> Iterator[SqliteTx]:
        """Open the table's write transaction: the block's end commits, an exception rolls back."""
        with self._write(code, lambda db: None) as tx:
            yield tx

    def tables(self, *, archived: bool = False) -> list[TableRow]:
        """Return the tables in play, or the archived ones instead, newest activity first."""
        with self._pool.reading() as db:
            sql = f"select {_COLUMNS} from game where archived = ? order by changed_at desc, rowid desc"
            return [_table_row(row) for row in db.execute(sql, [archived]).fetchall()]

    def table(self, code: str) -> TableRow:
        """Return one table, archived or not."""
        with self._pool.reading() as db:
            return _table_row(find_table(db, code, _COLUMNS))

    def archive(self, code: str) -> None:
        """Hide a table from the lobby; nothing of it is deleted."""
        self._set_archived(code, True)

    def unarchive(self, code: str) -> None:
        """Show an archived table in the lobby again."""
        self._set_archived(code, False)

    def events(
        self, code: str, after: int = 0, upto: int | None = None, kinds: Sequence[str] = ()
    ) -> list[StoredEvent]:
        """Return the events numbered above `after`, up to and including `upto`; of these kinds only, if any are named."""
        with self._pool.reading() as db:
            find_table(db, code)
            return select_events(db, code, after, upto, kinds)

    def latest(self, code: str) -> int:
        """Return the newest event's number, the table's revision; 0 when it has no events."""
        with self._pool.reading() as db:
            return int(find_table(db, code, "revision")[0])

    def snapshot_before(self, code: str, seq: int) -> tuple[int, Json] | None:
        """Return the newest sound snapshot taken at or before event `seq`, with its number."""
        with self._pool.reading() as db:
            find_table(db, code)
            return sound_snapshot(db, code, seq)

    def save_snapshot(self, code: str, seq: int, state: Json) -> None:
        """Keep the state after event `seq`; older snapshots are thinned out."""
        with self.transaction(code) as tx:
            tx.save_snapshot(seq, state)

    def subscribe(self, callback: Callable[[str, int], None]) -> Callable[[], None]:
        """Call back with (code, revision) after every commit that added events; return the unsubscriber."""
        return self._feed.subscribe(callback)

    def poll_others(self) -> None:
        """Tell subscribers of every table whose revision another process has changed."""
        with self._pool.exclusive() as db:
            # The number counts per connection, so it means nothing without the connection it came from.
            seen = (db, self._pool.insist(lambda: _data_version(db)))
            if seen == self._seen:
                return
            revisions = self._pool.insist(lambda: _revisions(db))
            # Only now, so that a poll that failed is made up for by the next.
            self._seen = seen
        # Outside the lock, because a subscriber may want to write.
        self._feed.catch_up(revisions)

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

    @contextmanager
    def _write(self, code: str, prepare: Callable[[Database], None]) -> Iterator[SqliteTx]:
        with self._pool.writing() as db:
            prepare(db)
            tx = SqliteTx(db, code)
            before = tx.latest
            try:
                yield tx
            finally:
                tx.finish()
        # Only here, after the commit and outside the lock, is the news true and safe to act upon.
        if tx.latest != before:
            self._feed.tell(code, tx.latest)

    def _set_archived(self, code: str, archived: bool) -> None:
        with self._pool.writing() as db:
            find_table(db, code)
            db.execute("update game set archived = ? where code = ?", [archived, code])


def _insert(db: Database, row: NewTable, options: str) -> None:
    if db.execute("select 1 from game where code = ?", [row.code]).fetchone() is not None:
        raise TableExists(row.code)
    db.execute(
        """insert into game (code, system, scenario, title, seed, options, created_at, changed_at)
           values (?, ?, ?, ?, ?, ?, ?, ?)""",
        [row.code, row.system, row.scenario, row.title, row.seed, options, row.created_at, row.created_at],
    )


def _table_row(row: tuple[Any, ...]) -> TableRow:
    code, system, scenario, title, seed, options, created_at, changed_at, *rest = row
    revision, stream, ended, archived, summary = rest
    return TableRow(
        code=code,
        system=system,
        scenario=scenario,
        title=title,
        seed=seed,
        options=load(options),
        created_at=created_at,
        changed_at=changed_at,
        revision=revision,
        stream=stream,
        ended=bool(ended),
        archived=bool(archived),
        summary=load(summary),
    )


def _data_version(db: Database) -> int:
    return int(db.execute("pragma data_version").fetchone()[0])


def _revisions(db: Database) -> dict[str, int]:
    return dict(db.execute("select code, revision from game").fetchall())


if TYPE_CHECKING:
    # The type checker refuses this line when a promise of the interface is missing here.
    _keeps_the_contract: type[Store] = SqliteStore
