"""The file's layout, and what happens to files of other kinds and versions."""

import re
import sqlite3
from contextlib import closing

import pytest
from sqlite_utils import Database, Migrations

from companion.store import NotAStore, StoreError, StoreReadOnly, open_store, opening, schema

TABLES = {
    "game": (
        ["code"],
        "code system scenario title seed options created_at changed_at "
        "revision stream ended archived summary",
    ),
    "event": (["game", "seq"], "game seq at seat act name kind body"),
    "action": (["game", "act"], "game act seat name revision answer digest"),
    "snapshot": (["game", "seq"], "game seq state digest"),
    "seat": (["game", "seat"], "game seat generation claimed_at revoked"),
    "book": (["system", "name"], "system name body changed_at revision"),
    "setting": (["key"], "key value"),
    "deleted": (["code"], "code"),
}


@pytest.fixture
def raw(store, db_path):
    with closing(sqlite3.connect(db_path)) as conn:
        yield Database(conn)


def test_the_schema_is_the_expected_one(raw):
    assert set(raw.table_names()) == {*TABLES, "_sqlite_migrations"}
    for name, (keys, columns) in TABLES.items():
        assert [column.name for column in raw.table(name).columns] == columns.split()
        assert raw.table(name).pks == keys
        assert raw.table(name).strict
    assert "without rowid" in raw.table("event").schema
    assert set(raw.triggers_dict) == {"event_is_never_updated", "event_is_never_deleted"}
    assert raw.journal_mode == "wal"


def test_ordinary_use_creates_no_other_table(store, table, append, raw, new_table):
    append(store, table, "a1")
    store.save_snapshot(table, 1, {})
    store.claim_seat(table, "soviet", "")
    store.book_change("wb95", "map", lambda _: {}, "")
    store.setting_put("a", 1)
    store.create(new_table("GONE"))
    store.delete("GONE")
    assert set(raw.table_names()) == {*TABLES, "_sqlite_migrations"}
    assert all(raw.table(name).count == 1 for name in TABLES)


@pytest.mark.parametrize(
    "sql",
    [
        "update event set body = '{}'",
        "update event set seq = seq + 1",
        "delete from event",
        "insert or replace into event select * from event",
        "delete from game",
    ],
)
def test_events_cannot_be_changed_or_deleted(store, table, append, raw, sql):
    append(store, table, "a1")
    raw.execute("pragma foreign_keys = on")
    with pytest.raises(sqlite3.IntegrityError, match="append-only|FOREIGN KEY"):
        raw.execute(sql)
    assert len(store.events(table)) == 1


def test_connections_are_durable_and_keep_references(store):
    with store._pool.writing() as db:
        assert db.execute("pragma synchronous").fetchone() == (2,)
        assert db.execute("pragma cache_size").fetchone() == (-512,)
        assert db.execute("pragma foreign_keys").fetchone() == (1,)


def test_bodies_are_stored_as_canonical_json(store, table, append, raw):
    append(store, table, "a1", {"kind": "noted", "text": "Ж", "a": 1.5})
    assert raw.execute("select kind, body from event").fetchone() == (
        "noted",
        '{"a":1.5,"kind":"noted","text":"Ж"}',
    )


@pytest.mark.parametrize(
    "content", [b"Dear diary, " * 500, b"\x00" * 5000, b"SQLite format 3\x00" + b"\xff" * 5000]
)
def test_garbage_is_refused_and_left_alone(db_path, content):
    db_path.write_bytes(content)
    with pytest.raises(NotAStore, match=re.escape(f"{db_path} is not a companion database: choose")):
        open_store(db_path)
    assert db_path.read_bytes() == content


def test_an_empty_file_becomes_a_store(db_path, new_table):
    db_path.touch()
    with open_store(db_path) as store:
        store.create(new_table())


def test_another_programs_database_is_refused_and_left_alone(db_path):
    with closing(sqlite3.connect(db_path)) as conn:
        conn.execute("create table recipes (name)")
    before = db_path.read_bytes()
    with pytest.raises(NotAStore, match="another program's database"):
        open_store(db_path)
    assert db_path.read_bytes() == before


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(NotAStore, match="is a folder"):
        open_store(tmp_path)


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StoreReadOnly, match="file"):
        open_store(tmp_path / "file" / "companion.db")


def test_missing_folders_are_made(tmp_path):
    open_store(tmp_path / "a" / "b" / "companion.db").close()


def test_a_newer_file_is_refused_and_left_alone(store, db_path, raw):
    raw.table("_sqlite_migrations").insert(
        {"migration_set": "companion", "name": "from_2031", "applied_at": ""}
    )
    with pytest.raises(NotAStore, match="newer version of the companion.*'from_2031'.*update the companion"):
        open_store(db_path)


def test_an_sqlite_without_strict_tables_is_named(monkeypatch, db_path):
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 31, 0))
    with pytest.raises(StoreError, match="too old"):
        open_store(db_path)


def next_version(step):
    """The schema of a later version: today's, then this step."""
    later = Migrations("companion")
    for known in schema.migrations._migrations:
        later(name=known.name)(known.fn)
    later(name="add_club")(step)
    return later


def test_an_older_file_is_copied_before_it_is_updated(db_path, new_table, append, monkeypatch):
    with open_store(db_path) as store:
        store.create(new_table())
        append(store, "K7QX", "a1")
    later = next_version(lambda db: db.execute("alter table game add column club text"))
    monkeypatch.setattr(opening, "migrations", later)
    copy = db_path.with_name("companion.before-add_club.db")
    with pytest.raises(NotAStore, match="older version"):
        open_store(db_path, readonly=True)
    assert not copy.exists()
    with open_store(db_path) as store:
        assert len(store.events("K7QX")) == 1
    with closing(sqlite3.connect(db_path)) as conn:
        assert "club" in Database(conn).table("game").columns_dict
    monkeypatch.undo()
    with open_store(copy) as store:
        assert len(store.events("K7QX")) == 1
    with closing(sqlite3.connect(copy)) as conn:
        assert "club" not in Database(conn).table("game").columns_dict


def test_a_failed_update_leaves_the_file_as_it_was(db_path, new_table, monkeypatch):
    with open_store(db_path) as store:
        store.create(new_table())

    def broken(db):
        db.execute("alter table game add column club text")
        raise ZeroDivisionError

    monkeypatch.setattr(opening, "migrations", next_version(broken))
    with pytest.raises(ZeroDivisionError):
        open_store(db_path)
    monkeypatch.undo()
    with open_store(db_path) as store:
        assert store.table("K7QX").title == "Friday night"
    with closing(sqlite3.connect(db_path)) as conn:
        assert "club" not in Database(conn).table("game").columns_dict


def test_no_update_without_a_copy(db_path, monkeypatch):
    open_store(db_path).close()
    monkeypatch.setattr(opening, "migrations", next_version(lambda db: None))
    db_path.with_name("companion.before-add_club.db.unfinished").mkdir()
    with pytest.raises(StoreReadOnly, match="before-add_club.db cannot be written"):
        open_store(db_path)
    with closing(sqlite3.connect(db_path)) as conn:
        assert [row["name"] for row in Database(conn).table("_sqlite_migrations").rows] == [
            "first",
            "trust",
            "deleting",
        ]


def test_a_new_file_needs_no_copy(db_path, tmp_path):
    open_store(db_path).close()
    assert [path.name for path in tmp_path.iterdir()] == ["companion.db"]


def test_a_file_of_before_the_digests_is_brought_up_to_date(db_path, new_table, append, monkeypatch):
    """Its repeats are still known by seat and name, and its snapshots are passed over."""
    first = Migrations("companion")
    first(name="first")(schema._first)
    with closing(sqlite3.connect(db_path)) as conn:
        old = Database(conn)
        first.apply(old)
        old.execute(
            "insert into game (code, system, scenario, title, seed, options, created_at, changed_at, revision)"
            " values ('K7QX', 'wb95', 's', 't', 'c0ffee', '{}', '', '', 1)"
        )
        old.execute(
            "insert into event values ('K7QX', 1, '', 'soviet', 'a1', 'roll', 'set', '{\"kind\":\"set\"}')"
        )
        old.execute("insert into action values ('K7QX', 'a1', 'soviet', 'roll', 1, '{\"ok\":1}')")
        old.execute("insert into snapshot values ('K7QX', 1, '{\"turn\":1}')")
        conn.commit()
    with open_store(db_path) as store:
        assert store.snapshot_before("K7QX", 1) is None
        with store.transaction("K7QX") as tx:
            assert tx.answer_to("a1", seat="soviet", name="roll", digest="of a body") == {"ok": 1}
    assert db_path.with_name("companion.before-trust.db").exists()
