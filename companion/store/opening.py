"""Opening a store: is it ours, is it of this version, and if it is older, bring it up to date."""

import sqlite3
from pathlib import Path

from sqlite_utils import Database

from companion.store.copying import copy_database
from companion.store.errors import NotAStore, StoreError, StoreReadOnly
from companion.store.health import check_not_emptied, check_sound
from companion.store.interface import Store
from companion.store.pool import PATIENCE, Pool
from companion.store.schema import migrations
from companion.store.sqlite import SqliteStore

# STRICT tables arrived in this version.
_NEEDED = (3, 37, 0)


def open_store(path: str | Path, *, readonly: bool = False, patience: float = PATIENCE) -> SqliteStore:
    """Open the store in this file, making the file and its folder when they are missing.

    An older file is copied to `NAME.before-STEP.db` beside it and then brought up to date; when that fails
    the file stays as it was.

    :param readonly: never write, not even to bring the file up to date
    :param patience: seconds to wait for a lock before `StoreBusy`
    :raises NotAStore: if the file is something else, or was written by a newer version
    :raises StoreDamaged: if it is broken; the message names the newest copy and how to put it back
    """
    path = Path(path)
    _check_place(path, readonly)
    check_not_emptied(path)
    pool = Pool(path, readonly=readonly, patience=patience)
    try:
        with pool.exclusive() as db:
            pool.insist(lambda: _check_ours(db, path))
            pool.insist(lambda: check_sound(db, path))
            if not readonly:
                # Without WAL a reader would stop the writer.
                pool.insist(db.enable_wal)
            pending = pool.insist(lambda: migrations.pending(db))
        if pending and readonly:
            raise NotAStore(
                f"{path} was written by an older version: open it once without read-only to update it"
            )
        if pending:
            _upgrade(pool)
        return SqliteStore(pool)
    except BaseException:
        pool.close()
        raise


def is_address(place: str | Path) -> bool:
    """Whether a place is the address of a PostgreSQL database, and not a file or folder."""
    return str(place).startswith(("postgresql://", "postgres://"))


def open_any(place: str | Path) -> Store:
    """Open the store at a database's address, or in a file.

    :raises StoreError: if PostgreSQL is asked for and its driver is not installed
    """
    if not is_address(place):
        return open_store(place)
    try:
        from companion.store.postgres.store import open_postgres  # only here: SQLite must not need it
    except ImportError as error:
        raise StoreError(
            f"PostgreSQL needs psycopg, which is not installed ({error}): pip install 'kharkov-companion[postgres]'"
        ) from error
    return open_postgres(str(place))


def backup_name(path: Path, step: str) -> Path:
    """Return where the copy goes that is made before a schema step."""
    return path.with_name(f"{path.stem}.before-{step}.db")


def _check_place(path: Path, readonly: bool) -> None:
    if sqlite3.sqlite_version_info < _NEEDED:
        raise StoreError(
            f"SQLite {sqlite3.sqlite_version} is too old, 3.37 or newer is needed: install a newer Python"
        )
    if path.is_dir():
        raise NotAStore(f"{path} is a folder: name a file in it")
    if readonly and not path.exists():
        raise NotAStore(f"{path} does not exist: check the name, or the folder given with --data")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreReadOnly(
            f"{path.parent} cannot be made ({error.strerror}): choose another folder with --data"
        ) from error


def _check_ours(db: Database, path: Path) -> None:
    tables = db.table_names()
    applied = [step.name for step in migrations.applied(db)] if migrations.migrations_table in tables else []
    if tables and not applied:
        raise NotAStore(f"{path} is another program's database: choose another file or folder with --data")
    newer = [name for name in applied if name not in _steps()]
    if newer:
        raise NotAStore(
            f"{path} was written by a newer version of the companion (its schema has the unknown step "
            f"{newer[-1]!r}): update the companion, or restore an older backup"
        )


def _steps() -> set[str]:
    """Return the names of every step this version knows."""
    empty = Database(memory=True, execute_plugins=False)
    try:
        return {step.name for step in migrations.pending(empty)}
    finally:
        empty.close()


def _upgrade(pool: Pool) -> None:
    with pool.writing() as db:
        # Another process may have done it while this one waited for the lock.
        pending = [step.name for step in migrations.pending(db)]
        if not pending:
            return
        if migrations.applied(db):
            # Through a second connection: it sees what is committed, and nobody can write meanwhile.
            with pool.reading() as reader:
                copy_database(reader.conn, backup_name(pool.path, pending[0]))
        # Inside the transaction each step becomes a savepoint, so all steps are kept or none.
        migrations.apply(db)
