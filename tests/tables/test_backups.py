"""Automatic backups: when something changed, the newest few, and never a player's trouble."""

import logging
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import companion.tables.backups
from companion.store import NewTable, SqliteStore, StoreFull, open_store
from companion.tables.backups import Backups, found_in

NOON = "1942-05-12T12:00:00Z"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with open_store(tmp_path / "companion.db") as store:
        yield store


class Clock:
    def __init__(self) -> None:
        self.time = datetime(1942, 5, 12, 4, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.time += timedelta(minutes=15)
        return self.time


@pytest.fixture
def backups(store: SqliteStore) -> Backups:
    return Backups(store.path, keep=3, now=Clock())


def found(store: SqliteStore, code: str) -> None:
    store.create(NewTable(code, "toy", "skirmish", "", "00", {}, NOON))


def test_a_backup_is_made_when_something_changed_and_only_then(store: SqliteStore, backups: Backups) -> None:
    found(store, "AAAA")
    assert backups.once() and backups.once()
    (first,) = found_in(backups.folder)
    assert first.name == "companion-19420512-041500.db"
    with open_store(first) as copy:
        assert copy.table("AAAA").code == "AAAA"


CHANGES = {
    "a table": lambda s: found(s, "BBBB"),
    "a seat": lambda s: s.claim_seat("AAAA", "red", NOON),
    "a new link": lambda s: s.reissue_seat("AAAA", "red"),
    "a setting": lambda s: s.setting_put("x", 1),
    "a chart": lambda s: s.book_change("toy", "crt", lambda _: {"a": 1}, NOON),
    "a corrected chart": lambda s: s.book_change("toy", "old", lambda _: {"a": 2}, NOON),
    "an archived table": lambda s: s.archive("AAAA"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_every_kind_of_change_counts(store: SqliteStore, backups: Backups, what: str) -> None:
    found(store, "AAAA")
    store.book_change("toy", "old", lambda _: {"a": 1}, NOON)
    backups.once()
    CHANGES[what](store)
    backups.once()
    assert len(found_in(backups.folder)) == 2


def test_events_count_as_a_change(store: SqliteStore, backups: Backups) -> None:
    found(store, "AAAA")
    backups.once()
    with store.transaction("AAAA") as tx:
        tx.append([{"kind": "noted"}], at=NOON, seat="red", act="1", name="note", stream=0, answer={})
    backups.once()
    assert len(found_in(backups.folder)) == 2


def test_the_newest_are_kept_and_nothing_else_is_touched(store: SqliteStore, backups: Backups) -> None:
    backups.folder.mkdir()
    mine = backups.folder / "before-the-campaign.db"
    mine.write_bytes(b"keep")
    for n in range(6):
        store.setting_put("n", n)
        backups.once()
    names = [path.name for path in found_in(backups.folder)]
    assert names == [f"companion-19420512-05{m:02}00.db" for m in (0, 15, 30)]
    assert mine.read_bytes() == b"keep"


def test_a_restart_alone_makes_no_new_one(store: SqliteStore, backups: Backups) -> None:
    found(store, "AAAA")
    backups.once()
    again = Backups(store.path, keep=3, now=backups.now)
    again.once()
    assert len(found_in(backups.folder)) == 1
    found_in(backups.folder)[0].write_bytes(b"damaged")
    assert Backups(store.path, keep=3, now=backups.now).once()
    assert len(found_in(backups.folder)) == 2


def test_trouble_is_logged_once_retried_and_costs_no_older_backup(
    store: SqliteStore, backups: Backups, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    found(store, "AAAA")
    backups.once()
    found(store, "BBBB")

    def full(source: Path, target: Path) -> None:
        raise StoreFull(f"{target.parent} cannot grow, the disk is full")

    with monkeypatch.context() as broken, caplog.at_level(logging.ERROR):
        broken.setattr(companion.tables.backups, "copy_file", full)
        assert [backups.once() for _ in range(3)] == [False] * 3
        assert store.table("AAAA").code == "AAAA"
    assert caplog.text.count("the disk is full") == 1
    assert len(found_in(backups.folder)) == 1
    assert backups.once()
    assert len(found_in(backups.folder)) == 2


def test_a_folder_taken_away_is_not_made_anew(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    assert not Backups(gone / "companion.db").once()
    assert not gone.exists()


def test_it_runs_by_itself_and_makes_a_last_one_when_stopped(store: SqliteStore) -> None:
    backups = Backups(store.path, keep=5, every=0.05, now=Clock())
    found(store, "AAAA")
    backups.start()
    deadline = time.monotonic() + 20
    while not found_in(backups.folder) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert len(found_in(backups.folder)) == 1
    backups.every = 3600
    time.sleep(0.1)
    found(store, "BBBB")
    backups.stop()
    assert len(found_in(backups.folder)) == 2


def test_none_are_made_where_none_are_wanted_or_nothing_was_started(store: SqliteStore) -> None:
    off = Backups(store.path, keep=0)
    off.start()
    off.stop()
    Backups(store.path).stop()
    assert found_in(off.folder) == []


BUSY = """
from gevent import monkey
monkey.patch_all()
import gevent, time
from companion.tables.background import in_turn
ticks = 0
def tick():
    global ticks
    while True:
        gevent.sleep(0.01)
        ticks += 1
gevent.spawn(tick)
in_turn(lambda: monkey.get_original("time", "sleep")(0.5))
print(ticks)
"""


def test_slow_work_does_not_hold_up_the_servers_loop() -> None:
    done = subprocess.run(
        [sys.executable, "-c", BUSY], capture_output=True, text=True, timeout=60, check=True
    )
    assert int(done.stdout) > 5


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM")
@pytest.mark.parametrize(("options", "made"), [((), 1), (("--backups", "0"), 0)])
def test_a_served_evening_ends_with_a_backup(tmp_path: Path, options: tuple[str, ...], made: int) -> None:
    """A real server under gevent, stopped as a service is."""
    command = [sys.executable, "-m", "companion", "serve", "--host", "127.0.0.1", "--port", "0"]
    with subprocess.Popen(
        [*command, "--data", str(tmp_path), *options],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
    ) as server:
        try:
            assert server.stdout is not None
            url = server.stdout.readline().split()[-1]
            request = urllib.request.Request(
                f"{url}api/tables",
                b'{"system": "second-kharkov", "scenario": "historical"}',
                {"Content-Type": "application/json"},
            )
            urllib.request.urlopen(request, timeout=20).close()
        finally:
            server.send_signal(signal.SIGTERM)
            assert server.wait(20) == 0
    copies = found_in(tmp_path / "backups")
    assert len(copies) == made
    for copy in copies:
        with open_store(copy) as store:
            assert len(store.tables()) == 1
            assert store.setting_get("secret") and store.setting_get("address") == url


# -- the second machine ---------------------------------------------------------------------------------------


def test_every_backup_is_carried_to_another_folder_too_and_thinned_out_there(
    store: SqliteStore, tmp_path: Path
) -> None:
    stick = tmp_path / "stick"
    stick.mkdir()
    (stick / "holiday.jpg").touch()
    backups = Backups(store.path, keep=2, also=stick, now=Clock())
    for code in ("AAAA", "BBBB", "CCCC"):
        found(store, code)
        assert backups.once()
    names = [path.name for path in found_in(backups.folder)]
    assert [path.name for path in found_in(stick)] == names and len(names) == 2
    assert {path.name for path in stick.iterdir()} == {*names, "holiday.jpg"}


def test_a_stick_that_was_pulled_out_is_told_and_gets_the_backup_when_it_is_back(
    store: SqliteStore, tmp_path: Path
) -> None:
    stick = tmp_path / "stick"
    backups = Backups(store.path, also=stick, now=Clock())
    found(store, "AAAA")
    assert not backups.once()
    assert "stick is not there" in backups.trouble and len(found_in(backups.folder)) == 1
    assert not stick.exists(), "nothing is written in its place"
    stick.mkdir()
    assert backups.once() and backups.trouble == ""
    assert len(found_in(stick)) == 1


def test_a_clock_that_was_put_back_costs_no_new_backup(store: SqliteStore) -> None:
    """A small machine without a battery: its clock may jump, and the newest backup must stay the newest by name."""
    clock = Clock()
    backups = Backups(store.path, keep=2, now=clock)
    for number in range(4):
        found(store, f"AAA{number}")
        assert backups.once()
        clock.time -= timedelta(days=1)
    names = [path.name for path in found_in(backups.folder)]
    assert names == ["companion-19420512-041502.db", "companion-19420512-041503.db"]
    with open_store(found_in(backups.folder)[-1]) as newest:
        assert len(newest.tables()) == 4


def test_a_file_that_only_looks_like_a_backup_is_left_alone(store: SqliteStore, backups: Backups) -> None:
    backups.folder.mkdir()
    (backups.folder / "companion-20269999-999999.db").touch()
    found(store, "AAAA")
    assert backups.once() and len(found_in(backups.folder)) == 1
