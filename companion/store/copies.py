"""Copies of the whole file: a backup when something changed, and a backup put back in its place.

Nothing here goes through a store's pool, so that it may run in a thread of the operating system beside it.
"""

import hashlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from companion.store.copying import copy_database
from companion.store.errors import NotAStore, StoreBusy, StoreDamaged, StoreError, translated
from companion.store.opening import backup_name, open_store

# Whatever is kept changes a row of these; events and snapshots come with their game's revision.
_CHANGING = (
    "select code, revision, stream, ended, archived, changed_at from game order by code",
    "select * from seat order by game, seat",
    "select * from book order by system, name",
    "select * from setting order by key",
)


def mark_of(path: Path) -> str:
    """Return a digest of the file's contents that differs when anything was kept or changed in between."""
    digest = hashlib.sha256()
    with _reading(path) as db:
        for sql in _CHANGING:
            for row in db.execute(sql):
                digest.update(repr(row).encode())
    return digest.hexdigest()


def copy_file(path: Path, target: Path) -> None:
    """Write a complete copy of a database, also while it is in use."""
    with _reading(path) as db:
        copy_database(db, target)


@dataclass(frozen=True)
class PutBack:
    """What putting a backup in its place came to."""

    games: int
    aside: Path | None
    """Where the file lies that was there before."""


def put_back(source: Path, target: Path, *, force: bool, now: datetime) -> PutBack:
    """Make a backup the database of a folder again; what was there is kept under a dated name.

    :param force: also when there are games in its place already
    :raises NotAStore: if the backup is no companion database
    :raises StoreDamaged: if the backup's contents are broken
    :raises StoreBusy: if a companion is running on the folder
    """
    if not source.is_file():
        raise NotAStore(f"there is no file {source}")
    if target.exists() and target.samefile(source):
        raise NotAStore(f"{source} is the database itself: name a backup of it")
    aside = None
    if target.exists():
        _free_to_go(target, force)
        aside = target.with_name(f"{target.stem}.before-restore-{now:%Y%m%d-%H%M%S}.db")
    games = _prepare(source, waiting := target.with_name(target.name + ".restoring"))
    try:
        if aside is not None:
            for end in ("", "-wal", "-shm"):  # a damaged file may have left its log
                with suppress(FileNotFoundError):
                    os.replace(f"{target}{end}", f"{aside}{end}")
        os.replace(waiting, target)
    except OSError as error:
        raise StoreBusy(
            f"{target} cannot be replaced ({error.strerror}): is a companion running on this folder? Stop it first"
        ) from error
    return PutBack(games, aside)


def _prepare(source: Path, copy: Path) -> int:
    """Copy the backup beside its place, bring the copy up to date, and count its games."""
    with _reading(source) as db:
        found = db.execute("pragma quick_check(1)").fetchone()[0]
        if found != "ok":
            raise StoreDamaged(f"{source} is damaged ({found}): take an older backup")
        copy_database(db, copy)
    try:
        store = open_store(copy)
        try:
            return len(store.tables()) + len(store.tables(archived=True))
        finally:
            store.close()
    except StoreError as error:
        copy.unlink(missing_ok=True)
        # The message names the copy; its reader knows the backup.
        raise type(error)(str(error).replace(str(copy), str(source))) from None
    finally:
        for old in copy.parent.glob(backup_name(copy, "*").name):  # the backup itself is that copy
            old.unlink()


def _free_to_go(target: Path, force: bool) -> None:
    """Refuse to replace a database in use, and one that holds anything unless forced to."""
    try:
        with translated(target), closing(sqlite3.connect(target, timeout=0.2, isolation_level=None)) as db:
            # Leaving WAL needs the file for oneself, and folds the log into it.
            held = db.execute("pragma journal_mode = delete").fetchone()[0] != "delete"
            games = db.execute("select count(*) from game").fetchone()[0]
            books = db.execute("select count(*) from book").fetchone()[0]
    except StoreBusy:
        held, games, books = True, 0, 0
    except StoreError as error:
        if force:
            return
        raise type(error)(f"{target} is there already and cannot be read: --force puts it aside") from None
    if held:
        raise StoreBusy(f"a companion is running on {target.parent}: stop it, then restore")
    if (games or books) and not force:
        what = f"{games} game{'s' if games != 1 else ''}" if games else "a chart book"
        raise StoreError(
            f"{target.parent} holds {what} already: --force puts the old file aside, and restores"
        )


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a file that must be there for reading only: never make an empty one."""
    # Without a write-ahead log nobody has it open: read it as it lies, from a write-protected stick too.
    alone = not path.with_name(path.name + "-wal").exists()
    uri = f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if alone else ''}"
    with translated(path), closing(sqlite3.connect(uri, uri=True, timeout=5)) as db:
        yield db
