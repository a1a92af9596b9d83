"""How many snapshots stay, and that a long game opens as fast as a short one."""

import sqlite3
from contextlib import closing

import pytest
from sqlite_utils import Database


def kept(db_path):
    with closing(sqlite3.connect(db_path)) as conn:
        return [row["seq"] for row in Database(conn).table("snapshot").rows_where(order_by="seq")]


def test_the_newest_three_and_one_a_thousand_stay(store, table, append, db_path):
    append(store, table, "a1", *[{"kind": "set"}] * 3300)
    for seq in range(50, 3301, 50):
        store.save_snapshot(table, seq, {"seq": seq})
    assert kept(db_path) == [50, 1000, 2000, 3000, 3200, 3250, 3300]
    assert store.snapshot_before(table, 2999) == (2000, {"seq": 2000})


def test_thinning_one_table_leaves_the_others(store, table, append, new_table, db_path):
    store.create(new_table("M2ZZ"))
    append(store, table, "a1", *[{"kind": "set"}] * 9)
    append(store, "M2ZZ", "a1")
    store.save_snapshot("M2ZZ", 1, {})
    for seq in range(1, 10):
        store.save_snapshot(table, seq, {})
    assert kept(db_path) == [1, 1, 7, 8, 9]


def test_a_snapshot_joins_the_commit_of_its_events(store, table):
    with store.transaction(table) as tx:
        seq = tx.append([{"kind": "set"}], at="", seat="s", act="a1", name="n", stream=0, answer={})
        tx.save_snapshot(seq, {"turn": 1})
        assert store.snapshot_before(table, 1) is None
    assert store.snapshot_before(table, 1) == (1, {"turn": 1})


def test_opening_a_long_game_scans_no_more_than_a_short_one(store, table, append):
    """Every look-up made on opening is a search of an index, never a scan, whatever the game's length."""
    append(store, table, "a1", *[{"kind": "set"}] * 10_000)
    store.save_snapshot(table, 9990, {"turn": 40})
    asked = []
    with store._pool.reading() as db:
        db.conn.set_trace_callback(asked.append)
    assert store.latest(table) == 10_000
    assert store.snapshot_before(table, 10_000) == (9990, {"turn": 40})
    assert len(store.events(table, after=9990)) == 10
    with store._pool.reading() as db:
        db.conn.set_trace_callback(None)
        plans = [row[3] for sql in asked for row in db.execute("explain query plan " + sql).fetchall()]
    assert len(plans) >= 3
    assert all(plan.startswith("SEARCH") for plan in plans), plans


@pytest.mark.parametrize(
    "harm",
    [
        "state = '{\"turn\":9}'",
        "state = 'not json'",
        "state = cast(x'ff00fe' as text)",
        "state = ''",
        "digest = ''",
        "digest = 'made up'",
        "seq = 29",
    ],
)
def test_a_snapshot_that_is_not_what_was_written_is_passed_over(store, table, append, db_path, harm, caplog):
    append(store, table, "a1", *[{"kind": "set"}] * 40)
    store.save_snapshot(table, 10, {"turn": 1})
    store.save_snapshot(table, 30, {"turn": 3})
    with closing(sqlite3.connect(db_path)) as conn:
        conn.execute(f"update snapshot set {harm} where seq = 30")
        conn.commit()
    assert store.snapshot_before(table, 40) == (10, {"turn": 1})
    assert "is doubtful and was not used" in caplog.text
    store.save_snapshot(table, 30, {"turn": 3})
    assert store.snapshot_before(table, 40) == (30, {"turn": 3})


def test_a_snapshot_of_another_table_is_not_this_ones(store, table, append, new_table, db_path):
    store.create(new_table("M2ZZ"))
    append(store, table, "a1")
    append(store, "M2ZZ", "a1")
    store.save_snapshot(table, 1, {"turn": 1})
    with closing(sqlite3.connect(db_path)) as conn:
        conn.execute("insert into snapshot select 'M2ZZ', seq, state, digest from snapshot")
        conn.commit()
    assert store.snapshot_before("M2ZZ", 1) is None
