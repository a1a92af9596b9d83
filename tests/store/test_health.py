"""A damaged file is named when it is opened, with the newest copy; and the file alone is a whole copy after a stop."""

import shutil
import time

import pytest

from companion.store import NotAStore, StoreDamaged, health, open_store, pool


@pytest.fixture
def broken(db_path, new_table, append):
    """A database of which the last pages are noise."""
    with open_store(db_path) as store:
        store.create(new_table())
        append(store, "K7QX", "a1", *[{"kind": "noted", "text": "x" * 1000}] * 200)
    content = bytearray(db_path.read_bytes())
    content[20 * 4096 :] = b"\xaa" * (len(content) - 20 * 4096)
    db_path.write_bytes(content)
    return db_path


@pytest.fixture
def copies(tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    for name in (
        "companion-20420511-090000.db",
        "companion-20420512-120000.db",
        "companion-20420512-120000.db.part",
    ):
        (folder / name).write_bytes(b"")
    return folder


def test_a_damaged_file_is_named_with_the_newest_copy_and_the_command(broken, copies):
    with pytest.raises(StoreDamaged) as caught:
        open_store(broken)
    assert str(caught.value).startswith(f"{broken} is damaged (")
    assert str(caught.value).endswith(f"companion restore {copies / 'companion-20420512-120000.db'}")
    assert str(broken.parent) not in caught.value.public


def test_without_a_copy_it_says_where_one_would_be(broken):
    with pytest.raises(StoreDamaged, match="there is no copy in .*backups.*companion restore FILE"):
        open_store(broken)


def test_a_damaged_file_is_not_touched(broken):
    before = broken.read_bytes()
    with pytest.raises(StoreDamaged):
        open_store(broken)
    assert broken.read_bytes() == before


def test_a_broken_first_page_names_the_copy_too(broken, copies):
    broken.write_bytes(b"\xaa" * 8192)
    with pytest.raises(NotAStore, match="companion-20420512-120000.db"):
        open_store(broken)


def test_an_emptied_file_is_not_taken_for_a_new_one_where_copies_lie(db_path, copies):
    db_path.touch()
    with pytest.raises(StoreDamaged, match="is empty: stop the companion and put the newest copy back"):
        open_store(db_path)


def test_the_look_over_ends_in_time(db_path, new_table, append, monkeypatch, caplog):
    with open_store(db_path) as store:
        store.create(new_table())
        append(store, "K7QX", "a1", *[{"kind": "noted", "text": "x" * 1000}] * 500)
    monkeypatch.setattr(health, "LONGEST", -1.0)
    monkeypatch.setattr(health, "STEPS", 1)
    with open_store(db_path) as store:
        assert store.latest("K7QX") == 500
    assert "too large to be looked over" in caplog.text


def test_a_long_game_is_looked_over_fast(db_path, new_table, append):
    with open_store(db_path) as store:
        store.create(new_table())
        append(store, "K7QX", "a1", *[{"kind": "placed", "unit": "x" * 200}] * 10_000)
    began = time.monotonic()
    open_store(db_path).close()
    assert time.monotonic() - began < 1


def elsewhere(db_path, tmp_path):
    """The database file alone, copied to another folder."""
    (tmp_path / "away").mkdir()
    return shutil.copy(db_path, tmp_path / "away" / "companion.db")


def test_after_a_stop_the_file_alone_is_everything(store, table, append, db_path, tmp_path):
    append(store, table, "a1")
    assert len(store.events(table)) == 1
    store.close()
    assert [path.name for path in tmp_path.iterdir()] == ["companion.db"]
    with open_store(elsewhere(db_path, tmp_path)) as copy:
        assert [event.act for event in copy.events(table)] == ["a1"]


def test_a_stop_beside_another_process_leaves_an_empty_log(
    store, table, append, db_path, tmp_path, open_again
):
    other = open_again()
    append(store, table, "a1")
    assert len(other.events(table)) == 1
    store.close()
    assert db_path.with_name("companion.db-wal").stat().st_size == 0
    with open_store(elsewhere(db_path, tmp_path)) as copy:
        assert copy.latest(table) == 1
    assert append(other, table, "a2") == 2


def test_in_quiet_times_the_file_alone_is_everything(store, table, append, db_path, tmp_path, monkeypatch):
    append(store, table, "a1")
    log = db_path.with_name("companion.db-wal")
    store.tidy()
    assert log.stat().st_size > 0, "somebody has just tapped"
    monkeypatch.setattr(pool, "QUIET", 0.0)
    store.tidy()
    assert log.stat().st_size == 0
    with open_store(elsewhere(db_path, tmp_path)) as copy:
        assert copy.latest(table) == 1
    assert append(store, table, "a2") == 2


def test_a_reader_only_puts_tidying_off(store, table, append, db_path, monkeypatch):
    monkeypatch.setattr(pool, "QUIET", 0.0)
    append(store, table, "a1")
    with store._pool.reading() as db:
        db.execute("begin")
        db.execute("select count(*) from event").fetchone()
        store.tidy()
        assert append(store, table, "a2") == 2
        db.execute("rollback")
    store.tidy()
    assert db_path.with_name("companion.db-wal").stat().st_size == 0
