"""The installation's own books (charts, rosters, cards its owner copied in) and its settings."""

from collections.abc import Callable
from typing import Any

from companion.store.base import Connections, Db
from companion.store.codec import dump, dump_object, load
from companion.store.interface import BookRow, Json


class Library:
    """The library's part of a store."""

    _pool: Connections

    def book_get(self, system: str, name: str) -> Json | None:
        """Return a book of the installation's library, or None when its owner never wrote one."""
        with self._pool.reading() as db:
            return _book(db, system, name)

    def book_change(self, system: str, name: str, change: Callable[[Json | None], Json], at: str) -> Json:
        """Rewrite a book from what it holds in one transaction, so that two editors lose nothing."""
        with self._pool.writing("book", system, name) as db:
            body = change(_book(db, system, name))
            db.execute(
                """insert into book (system, name, body, changed_at) values (?, ?, ?, ?)
                   on conflict (system, name) do update
                   set body = excluded.body, changed_at = excluded.changed_at, revision = book.revision + 1""",
                [system, name, dump_object(body, f"book {name!r}"), at],
            )
            return body

    def book_list(self, system: str) -> list[BookRow]:
        """Return the system's books by name."""
        with self._pool.reading() as db:
            sql = "select name, changed_at from book where system = ? order by name"
            return [BookRow(*row) for row in db.execute(sql, [system]).fetchall()]

    def setting_get(self, key: str) -> Any:
        """Return an installation setting, or None when it was never set."""
        with self._pool.reading() as db:
            return _setting(db, key)

    def setting_put(self, key: str, value: Any) -> None:
        """Set an installation setting to any JSON value; None takes it away."""
        self.setting_change(key, lambda _: value)

    def setting_change(self, key: str, change: Callable[[Any], Any]) -> Any:
        """Rewrite a setting from what it is in one transaction, so that two writers lose nothing; None takes it away."""
        with self._pool.writing("setting", key) as db:
            value = change(_setting(db, key))
            if value is None:
                db.execute("delete from setting where key = ?", [key])
                return None
            db.execute(
                """insert into setting (key, value) values (?, ?)
                   on conflict (key) do update set value = excluded.value""",
                [key, dump(value)],
            )
            return value

    def setting_once(self, key: str, value: Any) -> Any:
        """Set an installation setting unless it is set already, and return what it is now."""
        with self._pool.writing() as db:
            db.execute(
                "insert into setting (key, value) values (?, ?) on conflict (key) do nothing",
                [key, dump(value)],
            )
            return _setting(db, key)


def _book(db: Db, system: str, name: str) -> Json | None:
    row = db.execute("select body from book where system = ? and name = ?", [system, name]).fetchone()
    body: Json | None = None if row is None else load(row[0])
    return body


def _setting(db: Db, key: str) -> Any:
    row = db.execute("select value from setting where key = ?", [key]).fetchone()
    return None if row is None else load(row[0])
