"""A whole installation copied from one store to another, of whatever kind: all of it, or nothing."""

from collections.abc import Callable, Iterator
from typing import Any

from companion.store.base import Db
from companion.store.errors import StoreError
from companion.store.ledger import Ledger

_GAME = (
    "code, system, scenario, title, seed, options, created_at, changed_at, "
    "revision, stream, ended, archived, summary"
)
_OF_A_TABLE = {
    "event": "game, seq, at, seat, act, name, kind, body",
    "action": "game, act, seat, name, revision, answer, digest",
    "snapshot": "game, seq, state, digest",
    "seat": "game, seat, generation, claimed_at, revoked",
}
_OF_ALL = {
    "book": "system, name, body, changed_at, revision",
    "setting": "key, value",
    "deleted": "code",
}
_BOOLEAN = {"ended", "archived", "revoked"}


def copy_all(source: Ledger, target: Ledger, each: Callable[[str], None] = lambda code: None) -> list[str]:
    """Copy every table, book and setting as it lies there, answers and links included, and return the tables' codes.

    Nobody can write to the source meanwhile.

    :param each: called with a table's code when it was copied
    :raises StoreError: if the target holds games or books already; they are never mixed
    """
    with source._pool.writing() as old, target._pool.writing() as new:
        source._pool.alone(old)
        target._pool.alone(new)
        for what, words in (("game", "games"), ("book", "a chart book")):
            if new.execute(f"select 1 from {what} limit 1").fetchone() is not None:
                raise StoreError(f"the place to move to holds {words} already: name an empty one")
        new.execute("delete from setting")  # where somebody served it before anything was kept there
        codes = []
        for row in _rows(old, "game", _GAME, "order by rowid"):
            _put(target, new, "game", _GAME, [row])
            for part, columns in _OF_A_TABLE.items():
                _put(target, new, part, columns, _rows(old, part, columns, "where game = ?", row[0]))
            codes.append(row[0])
            each(row[0])
        for part, columns in _OF_ALL.items():
            _put(target, new, part, columns, _rows(old, part, columns))
    return codes


def _rows(db: Db, part: str, columns: str, which: str = "", *given: str) -> list[tuple[Any, ...]]:
    cursor = db.execute(f"select {columns} from {part} {which}", list(given) or None)
    return [tuple(_as_is(columns, row)) for row in cursor.fetchall()]


def _as_is(columns: str, row: tuple[Any, ...]) -> Iterator[Any]:
    """A row with SQLite's numbers for yes and no as what they mean."""
    for name, value in zip(columns.split(", "), row, strict=True):
        yield bool(value) if name in _BOOLEAN else value


def _put(target: Ledger, db: Db, part: str, columns: str, rows: list[tuple[Any, ...]]) -> None:
    marks = ", ".join("?" * len(columns.split(", ")))
    try:
        target._pool.many(db, f"insert into {part} ({columns}) values ({marks})", rows)
    except ValueError as error:  # a null character in a text, which SQLite takes and PostgreSQL does not
        raise StoreError(f"{part} {rows[0][0]}: {error}") from error
