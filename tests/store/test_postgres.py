"""What is true of PostgreSQL alone: greenlets run while it works, news arrives by itself, and it may go and come back."""

import threading
import time

import pytest

from bench.cluster import Cluster
from companion.store import (
    NotAStore,
    StoreAway,
    StoreBusy,
    StoreClosed,
    StoreError,
    StoreReadOnly,
    StoreUnsure,
    open_any,
)

ROLL = {"kind": "rolled", "values": [3]}

GREENLETS = """
from gevent import monkey
monkey.patch_all()
import sys, time, gevent, psycopg
from companion.store import open_any
from companion.store.postgres import pool
store = open_any(sys.argv[1])
assert psycopg.pq.__impl__ in ("binary", "c", "python")

def sleep():
    with store._pool.reading() as db:
        db.execute("select pg_sleep(0.5)")

def write(n):
    with store.transaction("K7QX") as tx:
        gevent.sleep(0)
        tx.append([{"kind": "rolled"}], at="", seat="s", act=f"g{n}", name="roll", stream=0, answer={})
        assert store.latest("K7QX") == tx.latest - 1

ticks = 0
def tick():
    global ticks
    while True:
        gevent.sleep(0.01)
        ticks += 1

gevent.spawn(tick)
sleeping = [gevent.spawn(sleep) for _ in range(3)]
began = time.monotonic()
gevent.joinall(sleeping, raise_error=True)
together, seen = time.monotonic() - began, ticks
jobs = [gevent.spawn(write if n % 12 == 0 else lambda _: store.events("K7QX"), n) for n in range(600)]
gevent.joinall(jobs, timeout=30, raise_error=True)
assert all(job.successful() for job in jobs)
waiting = gevent.spawn(store.poll_others, 5)
gevent.sleep(0.05)
ticks = 0
gevent.sleep(0.3)
with store._pool.reading() as db:
    count = db.execute("select count(*) from pg_stat_activity where pid = any(?)", [list(store._pool.pids)]).fetchone()[0]
print(store.latest("K7QX"), seen, together < 1.2, ticks > 10, count <= pool.MOST + 1)
store.close()
"""


@pytest.fixture
def store(empty_pg):
    with open_any(empty_pg) as store:
        yield store


def finish(process):
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return out.split()


def test_other_greenlets_run_while_a_statement_does(store, table, empty_pg, program):
    """Also with psycopg's compiled half, whose own waiting would stop the whole loop."""
    latest, ticks, together, ticking, few = finish(program(GREENLETS, empty_pg))
    assert latest == "50"
    assert int(ticks) > 15, "half a second of hundredths"
    assert (together, ticking, few) == ("True", "True", "True")


def test_one_action_is_one_transaction_with_the_tables_row_locked(store, table, empty_pg, append, new_table):
    """Another process waits for its turn, and goes on from what the first one left; other tables wait for nobody."""
    store.create(new_table("M2ZZ"))
    with open_any(empty_pg) as other:
        waiting = threading.Thread(target=lambda: append(other, table, "b1"))
        with store.transaction(table) as tx:
            waiting.start()
            tx.append([ROLL], at="", seat="s", act="a1", name="n", stream=0, answer={})
            waiting.join(0.2)
            assert waiting.is_alive()
            assert (other.latest(table), append(other, "M2ZZ", "b1")) == (0, 1)
            tx.append([ROLL], at="", seat="s", act="a2", name="n", stream=0, answer={})
        waiting.join(5)
        assert [event.act for event in store.events(table)] == ["a1", "a2", "b1"]


def test_news_arrives_by_itself(store, table, empty_pg, append):
    told = []
    store.subscribe(lambda *news: told.append(news))
    store.poll_others()
    with open_any(empty_pg) as other:
        timer = threading.Timer(0.2, lambda: append(other, table, "a1"))
        timer.start()
        began = time.monotonic()
        store.poll_others(within=5)
        took = time.monotonic() - began
        timer.join()
    assert told == [(table, 1)]
    assert took < 1, "it did not wait until the time was over"


def test_a_table_that_somebody_keeps_too_long_is_refused_in_words(
    store, table, empty_pg, append, monkeypatch
):
    from companion.store.postgres import pool

    monkeypatch.setitem(pool.SETTINGS, "lock_timeout", "200ms")
    with open_any(empty_pg) as other, store.transaction(table), pytest.raises(StoreBusy) as caught:
        append(other, table, "b1")
    assert "Nothing was saved" in caught.value.public


def test_events_are_never_changed_nor_deleted_one_by_one(store, table, append):
    append(store, table, "a1")
    for sql in ("update event set body = '{}'", "delete from event"):
        with pytest.raises(StoreError, match="append-only"), store._pool.writing() as db:
            db.execute(sql)
    assert len(store.events(table)) == 1


def test_an_error_that_was_swallowed_is_no_commit(store, table):
    with pytest.raises(StoreError, match="rolled back by an earlier error"), store.transaction(table) as tx:
        tx.append([ROLL], at="", seat="s", act="a1", name="n", stream=0, answer={})
        with pytest.raises(Exception, match="no_such_table"):
            tx._db.execute("select * from no_such_table")
    assert store.latest(table) == 0


def test_a_lost_connection_in_the_middle_leaves_nothing_and_the_next_action_works(store, table, append):
    with pytest.raises(StoreAway) as caught, store.transaction(table) as tx:
        tx.append([ROLL], at="", seat="s", act="a1", name="n", stream=0, answer={})
        with store._pool.reading() as db:
            db.execute("select pg_terminate_backend(?)", [tx._db.conn.info.backend_pid])
        tx.events()
    assert "Nothing was saved" in caught.value.public and "/" not in caught.value.public
    assert append(store, table, "a1") == 1


def test_a_connection_lost_while_it_commits_is_told_as_what_it_is(store, table, append):
    with pytest.raises(StoreUnsure) as caught, store.transaction(table) as tx:
        tx.append([ROLL], at="", seat="s", act="a1", name="n", stream=0, answer={})
        with store._pool.reading() as db:
            db.execute("select pg_terminate_backend(?)", [tx._db.conn.info.backend_pid])
    assert "Nothing was saved" not in caught.value.public, "nobody knows that"
    assert append(store, table, "a1") == 1


def test_the_database_may_go_and_come_back(new_table, append, postgres_there):
    """While it is away everybody is told so; afterwards the same store goes on, and hears what it missed."""
    with Cluster() as cluster:
        url = cluster.database()
        told = []
        with open_any(url) as store, open_any(url) as other:
            store._pool.patience = 0.3
            store.create(new_table())
            append(store, "K7QX", "a1")
            store.subscribe(lambda *news: told.append(news))
            store.poll_others()
            cluster.kill()
            for use in (
                lambda: store.table("K7QX"),
                lambda: append(store, "K7QX", "a2"),
                lambda: store.poll_others(within=1),
                lambda: store.book_get("wb95", "map"),
            ):
                with pytest.raises(StoreAway) as caught:
                    use()
                assert "database does not answer" in caught.value.public
            cluster.start()
            assert append(other, "K7QX", "a2") == 2
            assert [event.act for event in store.events("K7QX")] == ["a1", "a2"]
            told.clear()
            store.poll_others(within=0.1)
            assert told == [("K7QX", 2)], "the notification went to nobody: the tables were asked"


def test_a_closed_store_ends_whoever_waits_for_news(store):
    threading.Timer(0.2, store.close).start()
    began = time.monotonic()
    with pytest.raises(StoreClosed):
        while True:
            store.poll_others(within=1)
    assert time.monotonic() - began < 4


def test_another_programs_database_is_not_touched(postgres):
    import psycopg

    with psycopg.connect(postgres, autocommit=True) as conn:
        conn.execute("create table invoices (id int)")
        with pytest.raises(NotAStore, match="another program's tables"):
            open_any(postgres)
        assert conn.execute("select count(*) from pg_class where relname = 'game'").fetchone() == (0,)


def test_a_newer_versions_database_is_refused(postgres):
    import psycopg

    open_any(postgres).close()
    with psycopg.connect(postgres, autocommit=True) as conn:
        conn.execute("insert into companion_step (name) values ('of-tomorrow')")
    with pytest.raises(NotAStore, match="newer version.*of-tomorrow"):
        open_any(postgres)


def test_a_step_that_fails_leaves_the_database_as_it_was(postgres, monkeypatch):
    from companion.store.postgres import schema

    open_any(postgres).close()
    monkeypatch.setitem(schema.STEPS, "next", ("create table club (id int)", "create table broken ("))
    with pytest.raises(StoreError):
        open_any(postgres)
    monkeypatch.setitem(schema.STEPS, "next", ("create table club (id int)",))
    open_any(postgres).close()
    open_any(postgres).close()


def test_several_processes_may_start_on_a_new_database_at_once(postgres, program):
    opener = "import sys; from companion.store import open_any; print(len(open_any(sys.argv[1]).tables()))"
    starting = [program(opener, postgres) for _ in range(3)]
    assert [finish(process) for process in starting] == [["0"]] * 3


def test_a_role_without_rights_is_told_so(postgres, cluster):
    import psycopg

    open_any(postgres).close()
    with psycopg.connect(postgres, autocommit=True) as conn:
        conn.execute("drop role if exists guest")
        conn.execute("create role guest login")
    with pytest.raises(StoreReadOnly) as caught:
        open_any(postgres.replace("companion@", "guest@"))
    assert "role" in str(caught.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda url: url.replace("/test", "/none"), "does not exist: make it with createdb"),
        (lambda url: "postgresql://x:secret@/y?host=/nowhere", "does not answer"),
        (lambda url: "postgresql://[", "not the address of a database"),
    ],
)
def test_a_wrong_address_is_told_with_the_remedy_and_without_the_password(
    postgres, change, words, monkeypatch
):
    from companion.store.postgres.store import open_postgres

    with pytest.raises(StoreError, match=words) as caught:
        open_postgres(change(postgres), patience=0.1)
    assert "secret" not in str(caught.value)


def test_what_is_acknowledged_is_on_the_disk_whatever_the_servers_setting(store):
    """The tests' own server says synchronous_commit = off."""
    with store._pool.reading() as db:
        assert db.execute("show synchronous_commit").fetchone() == ("on",)
