"""What PostgreSQL refuses or fails at, in the store's own words."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg.conninfo import conninfo_to_dict

from companion.store.errors import (
    NotAStore,
    StoreAway,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreReadOnly,
)

_KINDS: dict[str, tuple[type[StoreError], str]] = {
    "55P03": (StoreBusy, "kept a row locked for too long: wait a moment and try again"),
    "40P01": (StoreBusy, "found two actions waiting for each other: try again"),
    "57014": (StoreBusy, "took too long: try again"),
    "53300": (StoreBusy, "has no connection left: raise its max_connections, or run fewer workers"),
    "53100": (StoreFull, "cannot grow, its disk is full: free some space; everything saved before is safe"),
    "25006": (StoreReadOnly, "takes no writes (a standby?): name the primary"),
    "42501": (StoreReadOnly, "does not let this role do that: give it its own database or schema"),
    "3D000": (NotAStore, "does not exist: make it with createdb"),
    "28000": (NotAStore, "does not let this role in: check the role and pg_hba.conf"),
    "28P01": (NotAStore, "does not take this password"),
    "XX001": (StoreDamaged, "is damaged: restore it from its own backups"),
    "XX002": (StoreDamaged, "has a damaged index: REINDEX, or restore it from its own backups"),
}
# Shut down, crashed, starting up, or the connection is lost.
_AWAY = ("57P", "08", "25P03")


def translate(error: psycopg.Error, where: str) -> StoreError:
    """Return the store's own error for one of PostgreSQL's, naming the database and the remedy."""
    state = error.sqlstate or ""
    words = str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
    if state in _KINDS:
        kind, remedy = _KINDS[state]
        return kind(f"{where} {remedy}")
    for known in _KINDS:  # while connecting there is no code, only words
        if not state and known in ("3D000", "28P01", "28000") and _SAID[known] in words:
            return _KINDS[known][0](f"{where} {_KINDS[known][1]}")
    if state.startswith(_AWAY) or (not state and isinstance(error, psycopg.OperationalError)):
        return StoreAway(f"{where} does not answer ({words}): start it, or wait until it is back")
    return StoreError(f"{where} refused: {words}")


_SAID = {
    "3D000": "does not exist",
    "28P01": "password authentication failed",
    "28000": "no pg_hba.conf entry",
}


@contextmanager
def translated(where: str) -> Iterator[None]:
    """Turn PostgreSQL's errors inside the block into the store's own."""
    try:
        yield
    except psycopg.Error as error:
        raise translate(error, where) from error


def named(url: str) -> str:
    """Return a database's address without its password, for logs.

    :raises NotAStore: if it is none
    """
    try:
        parts = conninfo_to_dict(url)
    except psycopg.Error as error:
        raise NotAStore(
            "this is not the address of a database, such as postgresql://role@host/name"
        ) from error
    host = parts.get("host") or "localhost"
    port = f":{parts['port']}" if parts.get("port") else ""
    user = f"{parts['user']}@" if parts.get("user") else ""
    return f"postgresql://{user}{host}{port}/{parts.get('dbname') or ''}"
