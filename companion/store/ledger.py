"""Tables, events and snapshots by SQL: what every store does alike."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from companion.store.base import Connections, Db
from companion.store.codec import dump_object, load
from companion.store.errors import TableExists
from companion.store.feed import BookListener, Feed, Listener
from companion.store.interface import Generation, Json, NewTable, StoredEvent, TableRow
from companion.store.library import Library
from companion.store.rows import find_table, of_table, select_events
from companion.store.seats import Seats, put_generations
from companion.store.snapshots import sound_snapshot
from companion.store.transaction import TableTx

_COLUMNS = """code, system, scenario, title, seed, options, created_at, changed_at,
              revision, stream, ended, archived, summary"""
# A table's own rows, those that others refer to last.
_PARTS = ("event", "action", "snapshot", "seat")


class Ledger(Seats, Library):
    """The part of a store that does not depend on the database below it."""

    _pool: Connections
    _feed: Feed

    def create(self, row: NewTable) -> None:
        """Found a table without events."""
        with self.creating(row):
            pass

    def creating(
        self, row: NewTable, seats: Mapping[str, Generation] | None = None
    ) -> AbstractContextManager[TableTx]:
        """Found a table and yield its first transaction: table and events appear together or not at all."""
        options = dump_object(row.options, "a table's options")

        def prepare(db: Db) -> None:
            _insert(db, row, options)
            put_generations(db, row.code, seats or {})

        return self._write(row.code, prepare)

    def transaction(self, code: str) -> AbstractContextManager[TableTx]:
        """Open the table's write transaction: the block's end commits, an exception rolls back."""
        return self._write(code)

    def tables(self, *, archived: bool = False, codes: Collection[str] | None = None) -> list[TableRow]:
        """Return the tables in play, or the archived ones instead, newest activity first; of these codes only, if given."""
        chosen = "" if codes is None else f"and code in ({', '.join('?' * len(codes)) or 'null'})"
        with self._pool.reading() as db:
            sql = f"select {_COLUMNS} from game where archived = ? {chosen} order by changed_at desc, rowid desc"
            return [_table_row(row) for row in db.execute(sql, [archived, *(codes or ())]).fetchall()]

    def table(self, code: str) -> TableRow:
        """Return one table, archived or not."""
        with self._pool.reading() as db:
            return _table_row(find_table(db, code, _COLUMNS))

    def quiet_since(self, before: str, *, most: int) -> list[str]:
        """Return the codes of tables at which nothing was done since a time, those quiet for longest first."""
        with self._pool.reading() as db:
            sql = "select code from game where changed_at < ? order by changed_at, rowid limit ?"
            return [code for (code,) in db.execute(sql, [before, most]).fetchall()]

    def born(self, system: str, scenario: str, created_at: str) -> list[str]:
        """Return the codes of the tables that were founded as this game at this time."""
        with self._pool.reading() as db:
            sql = "select code from game where created_at = ? and system = ? and scenario = ? order by rowid"
            return [code for (code,) in db.execute(sql, [created_at, system, scenario]).fetchall()]

    def is_free(self, code: str) -> bool:
        """Whether no table has this code, or ever had."""
        with self._pool.reading() as db:
            sql = "select code from game where code = ? union all select code from deleted where code = ?"
            return not db.execute(sql, [code, code]).fetchall()

    def delete(self, code: str) -> None:
        """Delete a table with everything that is kept of it; no other will ever have its code."""
        with self._pool.writing() as db:
            find_table(db, code, lock=self._pool.row_lock)
            self._pool.let_go_of_parts(db)
            db.execute("delete from game where code = ?", [code])
            for part in _PARTS:
                db.execute(f"delete from {part} where game = ?", [code])
            db.execute("insert into deleted (code) values (?)", [code])

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
            return of_table(db, code, lambda: select_events(db, code, after, upto, kinds))

    def latest(self, code: str) -> int:
        """Return the newest event's number, the table's revision; 0 when it has no events."""
        with self._pool.reading() as db:
            return int(find_table(db, code, "revision")[0])

    def snapshot_before(self, code: str, seq: int) -> tuple[int, Json] | None:
        """Return the newest sound snapshot taken at or before event `seq`, with its number."""
        with self._pool.reading() as db:
            return of_table(db, code, lambda: sound_snapshot(db, code, seq, self._pool.as_bytes))

    def save_snapshot(self, code: str, seq: int, state: Json) -> None:
        """Keep the state after event `seq`; older snapshots are thinned out."""
        with self.transaction(code) as tx:
            tx.save_snapshot(seq, state)

    def subscribe(self, callback: Listener) -> Callable[[], None]:
        """Call back with (code, revision) after every commit that added events; return the unsubscriber."""
        return self._feed.subscribe(callback)

    def subscribe_books(self, callback: BookListener) -> Callable[[], None]:
        """Call back with a system when another process has written one of its books; return the unsubscriber."""
        return self._feed.subscribe_books(callback)

    @contextmanager
    def _write(self, code: str, prepare: Callable[[Db], None] | None = None) -> Iterator[TableTx]:
        with self._pool.writing() as db:
            if prepare is not None:
                prepare(db)
            tx = TableTx(self._pool, db, code)
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
            find_table(db, code, lock=self._pool.row_lock)
            db.execute("update game set archived = ? where code = ?", [archived, code])


def _insert(db: Db, row: NewTable, options: str) -> None:
    burnt = db.execute("select code from deleted where code = ?", [row.code]).fetchall()
    founded = (
        burnt
        or db.execute(
            """insert into game (code, system, scenario, title, seed, options, created_at, changed_at)
           values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (code) do nothing returning code""",
            [
                row.code,
                row.system,
                row.scenario,
                row.title,
                row.seed,
                options,
                row.created_at,
                row.created_at,
            ],
        ).fetchall()
    )
    if burnt or not founded:
        raise TableExists(row.code)


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
