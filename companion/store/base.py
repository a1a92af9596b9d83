"""What the SQL of a store needs to know of its database: the same statements serve SQLite and PostgreSQL."""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol


class Db(Protocol):
    """A connection; statements mark their parameters by question marks."""

    def execute(self, sql: str, parameters: Any = None, /) -> Any:
        """Run a statement and return its cursor."""


class Connections(Protocol):
    """The connections to one database, and the few things in which SQLite and PostgreSQL differ."""

    row_lock: str
    """What makes a `select` lock its row until the transaction ends; empty where a writer is alone anyway."""
    as_bytes: str
    """How a text column is read as its bytes, `{}` for its name."""

    def reading(self) -> AbstractContextManager[Db]:
        """Lend a connection for reading what is committed."""

    def writing(self, *what: str) -> AbstractContextManager[Db]:
        """Hold a write transaction for the block.

        :param what: names what two writers must not change at once, where no table's row stands for it
        """

    def atomic(self, db: Db) -> AbstractContextManager[Any]:
        """What is done in the block is done whole or not at all, also when the transaction goes on."""

    def many(self, db: Db, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement for each row."""

    def put_new(self, db: Db, sql: str, row: Sequence[Any]) -> bool:
        """Run an insert that does nothing on conflict; return whether it did anything."""

    def is_open(self, db: Db) -> bool:
        """Whether a transaction is under way."""

    def alone(self, db: Db) -> None:
        """Let nobody else write anything until the transaction ends."""

    def let_go_of_parts(self, db: Db) -> None:
        """In this transaction a table may go before what belongs to it."""

    def close(self) -> None:
        """Give up every connection."""
