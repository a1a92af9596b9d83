"""The store on PostgreSQL."""

from pathlib import Path
from typing import TYPE_CHECKING

from companion.store.errors import StoreError
from companion.store.feed import Feed
from companion.store.interface import Store
from companion.store.ledger import Ledger
from companion.store.postgres.news import News
from companion.store.postgres.pool import PATIENCE, PgPool
from companion.store.postgres.schema import bring_up_to_date

AT_THE_START = 1.0
"""Whoever starts the companion wants to know soon that its database is not there; whoever plays waits for it longer."""


class PostgresStore(Ledger):
    """Tables, events and snapshots in a database that any number of processes and machines share."""

    _pool: PgPool

    def __init__(self, pool: PgPool) -> None:
        """Use `open_postgres`, which checks the database first."""
        self._pool = pool
        self._feed = Feed({})
        self._news = News(pool, self._feed)

    @property
    def address(self) -> str:
        """The database, without its password."""
        return self._pool.name

    def poll_others(self, within: float = 0) -> None:
        """Tell subscribers of what other processes have changed, as soon as PostgreSQL tells it."""
        self._news.pass_on(within)

    def tidy(self) -> None:
        """PostgreSQL keeps its files in order by itself."""

    def backup(self, path: str | Path, *, overwrite: bool = False) -> None:
        """PostgreSQL is copied by its own tools."""
        raise StoreError(
            f"{self.address} is copied by PostgreSQL's own tools: pg_dump --format=custom --file={path} {self.address}"
        )

    def close(self) -> None:
        """Give up every connection; later calls raise `StoreClosed`."""
        self._news.close()
        self._pool.close()

    def __enter__(self) -> "PostgresStore":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_postgres(url: str, *, patience: float = PATIENCE) -> PostgresStore:
    """Open the store in this database, making its tables when they are missing and bringing older ones up to date.

    :param patience: seconds to wait for the database, once it was there
    :raises NotAStore: if the database is something else, or of a newer version
    :raises StoreAway: if it does not answer
    """
    pool = PgPool(url, patience=min(patience, AT_THE_START))
    try:
        bring_up_to_date(pool)
        store = PostgresStore(pool)
        pool.patience = patience
        return store
    except BaseException:
        pool.close()
        raise


if TYPE_CHECKING:
    # The type checker refuses this line when a promise of the interface is missing here.
    _keeps_the_contract: type[Store] = PostgresStore
