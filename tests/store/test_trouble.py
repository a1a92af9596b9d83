"""Read-only, locked, full and failing disks: a clear error, nothing lost, and work goes on afterwards."""

import os
import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from companion.store import StoreBusy, StoreError, StoreFull, StoreReadOnly, StoreUnreachable, open_store
from companion.store.errors import translate

NOBODY = 65534


def test_a_read_only_store_reads_and_refuses_to_write(store, table, append, db_path):
    append(store, table, "a1")
    with open_store(db_path, readonly=True) as reader:
        assert len(reader.events(table)) == 1
        with pytest.raises(StoreReadOnly, match="is read-only: give the companion's account the right"):
            append(reader, table, "a2")
        assert len(reader.events(table)) == 1
        reader.backup(db_path.with_name("copy.db"))
        append(store, table, "a2")
        assert reader.latest(table) == 2


def test_read_only_makes_no_file(db_path):
    with pytest.raises(StoreError, match="does not exist"):
        open_store(db_path, readonly=True)
    assert not db_path.exists()


@pytest.fixture
def foreign_folder(new_table):
    """A folder with a store that this process may read and not write, as long as the test runs."""
    if not hasattr(os, "geteuid"):
        pytest.skip("this system has no file owners to take the right to write from")
    folder = Path(tempfile.mkdtemp())
    with open_store(folder / "companion.db") as store:
        store.create(new_table())
    (folder / "companion.db").chmod(0o444)
    folder.chmod(0o555)
    root = os.geteuid() == 0
    if root:
        # Root may write anything, so step down to a user who may not.
        os.seteuid(NOBODY)
    try:
        yield folder
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_a_folder_that_may_not_be_written_is_named(foreign_folder):
    for path in (
        foreign_folder / "companion.db",
        foreign_folder / "new.db",
        foreign_folder / "sub" / "new.db",
    ):
        with pytest.raises(StoreReadOnly, match=foreign_folder.name):
            open_store(path)


def test_a_file_locked_by_another_program_is_waited_for_and_then_named(db_path, new_table, append):
    with open_store(db_path, patience=0.1) as store, closing(sqlite3.connect(db_path)) as other:
        store.create(new_table())
        other.execute("begin immediate")
        with pytest.raises(StoreBusy, match="is locked by another program"):
            append(store, "K7QX", "a1")
        assert store.latest("K7QX") == 0
        other.rollback()
        assert append(store, "K7QX", "a1") == 1


def test_a_full_disk_loses_nothing_and_appends_work_again_later(store, table, append):
    append(store, table, "a1")
    with store._pool.exclusive() as db:
        pages = db.execute("pragma page_count").fetchone()[0]
        db.execute(f"pragma max_page_count = {pages + 2}")
    with pytest.raises(StoreFull, match="the disk is full: free some space"):
        append(store, table, "a2", *[{"kind": "noted", "text": "x" * 10_000}] * 10)
    with pytest.raises(StoreFull), store.transaction(table) as tx:
        tx.append([], at="", seat="s", act="a3", name="n", stream=0, answer={"text": "x" * 100_000})
    assert [event.act for event in store.events(table)] == ["a1"]
    assert append(store, table, "a4") == 2
    with store._pool.exclusive() as db:
        db.execute("pragma max_page_count = 1000000")
    assert append(store, table, "a2", *[{"kind": "noted", "text": "x" * 10_000}] * 10) == 12


def test_a_swallowed_disaster_is_not_taken_for_a_commit(store, table):
    with pytest.raises(StoreError, match="rolled back by an earlier error"), store.transaction(table) as tx:
        tx._db.execute("rollback")
        with pytest.raises(RuntimeError, match="over"):
            tx.append([{"kind": "set"}], at="", seat="s", act="a", name="n", stream=0, answer={})
    assert store.latest(table) == 0


def test_a_disk_error_costs_only_the_connection(store, table, append, monkeypatch):
    def failing():
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR_WRITE
        raise error

    with pytest.raises(StoreUnreachable, match="check that the disk"), store.transaction(table) as tx:
        tx.append([{"kind": "set"}], at="", seat="s", act="a1", name="n", stream=0, answer={})
        monkeypatch.setattr(tx._db, "commit", failing)
        monkeypatch.setattr(tx._db, "rollback", failing)
    assert store.latest(table) == 0
    assert append(store, table, "a1") == 1
    store.poll_others()


def test_news_of_others_survives_a_new_connection(store, table, append, open_again):
    told = []
    store.subscribe(lambda *news: told.append(news))
    append(open_again(), table, "a1")
    store._pool._drop_writer()
    store.poll_others()
    assert told == [(table, 1)]


@pytest.mark.parametrize(
    "name", ["BUSY", "LOCKED", "READONLY", "CANTOPEN", "PERM", "FULL", "IOERR", "CORRUPT", "NOTADB"]
)
def test_every_error_names_the_file_and_a_remedy(name):
    error = sqlite3.OperationalError("anything")
    error.sqlite_errorcode = getattr(sqlite3, f"SQLITE_{name}") | 5 << 8
    message = str(translate(error, Path("games.db")))
    assert message.startswith("games.db ") and ": " in message


def test_an_unknown_error_keeps_its_own_words():
    assert (
        str(translate(sqlite3.OperationalError("no such table: x"), Path("g.db")))
        == "g.db refused: no such table: x"
    )


def test_a_backup_never_overwrites_the_store_itself(store, table, db_path):
    for overwrite in (False, True):
        with pytest.raises(FileExistsError):
            store.backup(db_path, overwrite=overwrite)
    assert store.table(table)


def test_a_backup_cut_short_leaves_no_file(store, tmp_path):
    (tmp_path / "taken").mkdir()
    with pytest.raises(StoreReadOnly, match="taken"):
        store.backup(tmp_path / "taken", overwrite=True)
    assert not list(tmp_path.glob("*.unfinished"))
