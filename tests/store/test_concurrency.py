"""Real processes, threads and greenlets on one file; and a writer killed in the middle."""

import sqlite3
import threading
from contextlib import closing

import pytest

from companion.store import StoreBusy, open_store

WRITER = """
import sys
from companion.store import open_store
path, who, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
store = open_store(path)
for n in range(count):
    with store.transaction("K7QX") as tx:
        tx.append([{"kind": "rolled", "n": n, "after": tx.latest}], at=str(n), seat=who, act=f"{who}-{n}",
                  name="roll", stream=tx.stream + 1, answer={"n": n})
    print(n, flush=True)
"""

OPENER = """
import sys
from companion.store import open_store
print(len(open_store(sys.argv[1]).tables()))
"""

GREENLETS = """
from gevent import monkey
monkey.patch_all()
import os, sys, gevent
from companion.store import open_store
store = open_store(sys.argv[1])

def write(n):
    with store.transaction("K7QX") as tx:
        gevent.sleep(0)
        tx.append([{"kind": "rolled"}], at="", seat="s", act=f"g{n}", name="roll", stream=0, answer={})
        gevent.sleep(0)

def read(n):
    store.events("K7QX")
    gevent.sleep(0)
    store.latest("K7QX")

told = []
store.subscribe(lambda code, revision: told.append(revision))
jobs = [gevent.spawn(write if n % 12 == 0 else read, n) for n in range(600)]
gevent.joinall(jobs, timeout=20, raise_error=True)
assert all(job.successful() for job in jobs)
open_files = os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else []
links = [os.readlink(f"/proc/self/fd/{fd}") for fd in open_files if os.path.islink(f"/proc/self/fd/{fd}")]
print(store.latest("K7QX"), max(told), len(told), sum(link.endswith("companion.db") for link in links))
"""

WAITER = """
from gevent import monkey
monkey.patch_all()
import sys, gevent
from companion.store import StoreBusy, open_store
store = open_store(sys.argv[1], patience=0.5)
ticks = 0

def tick():
    global ticks
    while True:
        gevent.sleep(0.01)
        ticks += 1

gevent.spawn(tick)
try:
    store.archive("K7QX")
except StoreBusy:
    print(ticks)
"""


def finish(process):
    out, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    return out


def test_three_processes_lose_no_event(store, table, db_path, program):
    writers = [program(WRITER, db_path, who, 100) for who in ("soviet", "axis", "table")]
    for writer in writers:
        finish(writer)
    events = store.events(table)
    assert [event.seq for event in events] == list(range(1, 301))
    assert [event.body["after"] for event in events] == list(range(300))
    for who in ("soviet", "axis", "table"):
        assert [event.body["n"] for event in events if event.seat == who] == list(range(100))
    assert store.table(table).stream == 300


def test_every_acknowledged_append_survives_a_killed_writer(store, table, db_path, program, append):
    writer = program(WRITER, db_path, "soviet", 100_000)
    for _ in range(40):
        writer.stdout.readline()
    writer.kill()
    acknowledged = 40 + len(writer.communicate()[0].splitlines())
    events = store.events(table)
    assert len(events) >= acknowledged
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert append(store, table, "after") == len(events) + 1
    store.close()
    with open_store(db_path) as again:
        assert again.latest(table) == len(events) + 1
    with closing(sqlite3.connect(db_path)) as conn:
        assert conn.execute("pragma integrity_check").fetchone() == ("ok",)


def test_many_processes_may_make_the_file_at_once(db_path, program):
    for process in [program(OPENER, db_path) for _ in range(4)]:
        assert finish(process) == "0\n"


def test_threads_share_a_few_connections(store, table, append):
    failures = []

    def work(who):
        try:
            for n in range(10):
                append(store, table, f"{who}-{n}")
                store.events(table, after=n)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(who,)) for who in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)
    assert failures == []
    assert [event.seq for event in store.events(table)] == list(range(1, 81))
    assert len(store._pool._idle) <= 3


def test_a_transaction_that_never_ends_makes_the_others_give_up(db_path, new_table):
    with open_store(db_path, patience=0.1) as store:
        store.create(new_table())
        refused = []

        def second():
            try:
                store.archive("K7QX")
            except StoreBusy as error:
                refused.append(str(error))

        with store.transaction("K7QX"):
            thread = threading.Thread(target=second)
            thread.start()
            thread.join(timeout=10)
        assert len(refused) == 1 and "kept busy for 0.1 seconds" in refused[0]
        store.archive("K7QX")


def test_six_hundred_greenlets_share_four_connections(store, table, db_path, program):
    pytest.importorskip("gevent")
    latest, greatest, told, files = map(int, finish(program(GREENLETS, db_path)).split())
    assert (latest, greatest, told) == (50, 50, 50)
    assert files <= 4


def test_a_write_in_a_greenlet_waits_without_stopping_the_others(store, table, db_path, program):
    pytest.importorskip("gevent")
    with closing(sqlite3.connect(db_path)) as other:
        other.execute("begin immediate")
        assert int(finish(program(WAITER, db_path))) > 10
        other.rollback()
