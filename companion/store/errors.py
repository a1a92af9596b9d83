"""What can go wrong with a store: each error names the thing and the remedy."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from companion.store.backups import advice, newest_backup


class StoreError(Exception):
    """Anything the store refuses or fails to do; the message may name files and is for the owner's log."""

    told: ClassVar[str] = "The companion could not use its data; nothing was saved. Its log says why."

    @property
    def public(self) -> str:
        """The message for the players' devices: it names no file."""
        return self.told or str(self)


class NoTable(StoreError, LookupError):
    """No table has this code."""

    told = ""

    def __init__(self, code: str) -> None:
        super().__init__(
            f"there is no table {code!r}: check the code on the table's screen, or pick it in the lobby"
        )
        self.code = code


class TableExists(StoreError):
    """The code of a new table is taken."""

    told = ""

    def __init__(self, code: str) -> None:
        super().__init__(
            f"there is already a table {code!r}: choose another code (archived tables keep theirs)"
        )
        self.code = code


class ActionIdReused(StoreError):
    """An action id came back with another seat, action or body, so it is not a repeat of the first."""

    told = ""

    def __init__(self, act: str) -> None:
        # Neither the first action nor its seat: what was done may be a secret.
        super().__init__(
            f"action id {act!r} was already used for something else: make a new id for every new action"
        )
        self.act = act


class SeatRevoked(StoreError):
    """The seat was closed and cannot be taken."""

    told = ""

    def __init__(self, code: str, seat: str) -> None:
        super().__init__(
            f"seat {seat!r} of table {code!r} was revoked: ask for a new link to it at the table"
        )
        self.seat = seat


class StoreBusy(StoreError):
    """Another program held the file locked for too long."""

    told = "The companion's data is in use by another program. Nothing was saved: try again."


class StoreReadOnly(StoreError):
    """The file or its folder may not be written."""

    told = "The companion may not write its data. Nothing was saved: its log says why."


class StoreFull(StoreError):
    """There is no room for more."""

    told = (
        "The companion's disk is full. Nothing was saved; what was saved before is safe. "
        "Free some space and try again."
    )


class StoreUnreachable(StoreError):
    """The disk did not answer."""

    told = "The companion's disk does not answer. Nothing was saved: try again."


class StoreDamaged(StoreError):
    """The file's contents are broken."""

    told = "The companion's data is damaged. Stop it and restore a backup: its log names one."


class StoreGone(StoreError):
    """The file was deleted or moved away while it was open."""

    told = (
        "The companion's data folder is gone. Nothing was saved: put it back where it was, "
        "or restart the companion."
    )


class StoreReplaced(StoreGone):
    """Another file lies where the open one was."""

    told = (
        "Other data lies where the companion's data was. Nothing was saved: put the old data back, "
        "or restart the companion to use the new."
    )


class StoreAway(StoreGone):
    """The database does not answer: it is stopped, starting, or cannot be reached."""

    told = "The companion's database does not answer. Nothing was saved: try again in a moment."


class StoreUnsure(StoreAway):
    """The database broke off while it saved, so that nobody knows whether it did."""

    told = (
        "The companion's database broke off while it saved this: it may be kept or not. Sent again as it is, "
        "it counts once. Look at the table before you do it anew."
    )


class StoreClosed(StoreError):
    """The store was used after it was closed."""

    told = "The companion is stopping. Nothing was saved."


class NotAStore(StoreError):
    """The file is no companion database, or one of another version."""


_KINDS: dict[int, tuple[type[StoreError], str]] = {
    sqlite3.SQLITE_BUSY: (
        StoreBusy,
        "is locked by another program: close it, or wait a moment and try again",
    ),
    sqlite3.SQLITE_LOCKED: (
        StoreBusy,
        "is locked by another program: close it, or wait a moment and try again",
    ),
    sqlite3.SQLITE_READONLY: (
        StoreReadOnly,
        "is read-only: give the companion's account the right to write the file and its folder, "
        "or choose another folder with --data",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        StoreReadOnly,
        "cannot be opened for writing: check that its folder exists and that the companion's account "
        "may write there, or choose another folder with --data",
    ),
    sqlite3.SQLITE_PERM: (
        StoreReadOnly,
        "may not be opened: give the companion's account the right to write it",
    ),
    sqlite3.SQLITE_FULL: (
        StoreFull,
        "cannot grow, the disk is full: free some space and try again; everything saved before is safe",
    ),
    sqlite3.SQLITE_IOERR: (
        StoreUnreachable,
        "could not be read or written (disk error): check that the disk is attached and sound",
    ),
    sqlite3.SQLITE_CORRUPT: (StoreDamaged, "is damaged"),
    sqlite3.SQLITE_NOTADB: (
        NotAStore,
        "is not a companion database: choose another file or folder with --data",
    ),
}


def translate(error: sqlite3.Error, path: Path) -> StoreError:
    """Return the store's own error for one of SQLite's, naming the file and the remedy."""
    # The low byte is the kind; the rest of an extended code only says where it happened.
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    kind, remedy = _KINDS.get(code, (StoreError, f"refused: {error}"))
    if kind is StoreDamaged or (kind is NotAStore and newest_backup(path)):
        # A broken first page looks like a file of another kind.
        remedy += f": {advice(path)}" if kind is StoreDamaged else f"; if it was one, {advice(path)}"
    return kind(f"{path} {remedy}")


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn SQLite's errors inside the block into the store's own."""
    try:
        yield
    except sqlite3.Error as error:
        raise translate(error, path) from error
