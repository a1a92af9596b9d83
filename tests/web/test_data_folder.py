"""A real server and its data folder: gone, back, replaced, copied after a stop, damaged at the start."""

import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.liveserver import LiveServer, LiveTable, Refused
from companion.store import open_store

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals, and open files that can be moved"),
    pytest.mark.slow,
]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LiveServer]:
    with LiveServer(tmp_path / "data") as made:
        yield made


def recorded(database: Path, code: str) -> list[str]:
    with open_store(database) as store:
        return [event.body["purpose"] for event in store.events(code) if event.kind == "rolled"]


def refused(server: LiveServer, *attempts: Callable[[], object]) -> None:
    for attempt in attempts:
        with pytest.raises(Refused) as raised:
            attempt()
        assert raised.value.status == 503
        assert "restart the companion" in raised.value.words
        assert str(server.data.parent) not in raised.value.words


def look(table: LiveTable) -> dict[str, Any]:
    return table.server.call(f"/api/tables/{table.code}", token=table.tokens["soviet"])


def test_a_folder_that_goes_is_refused_with_words_and_used_again_when_it_is_back(server):
    table = LiveTable(server)
    table.roll("before")
    away = server.data.with_name("away")
    server.data.rename(away)
    refused(server, lambda: look(table), lambda: table.roll("meanwhile"), lambda: LiveTable(server))
    assert f"{server.data / 'companion.db'} is gone" in server.said()
    assert not server.data.exists(), "nothing is put in its place"
    away.rename(server.data)
    table.roll("after")
    assert server.stop() == 0
    assert recorded(server.data / "companion.db", table.code) == ["before", "after"]


def test_a_deleted_folder_loses_no_acknowledged_tap_silently(server):
    table = LiveTable(server)
    for n in range(20):
        table.roll(str(n))
    shutil.rmtree(server.data)
    refused(server, lambda: look(table), lambda: table.roll("lost"))
    with urllib.request.urlopen(f"{server.url}/static/app.css", timeout=5) as answer:
        assert answer.status == 200, "it keeps running"
    assert server.stop() == 0


def test_other_data_under_the_same_name_is_never_mixed_in(server, tmp_path):
    table = LiveTable(server)
    table.roll("old")
    server.data.rename(server.data.with_name("away"))
    with LiveServer(server.data) as other:
        newer = LiveTable(other)
        newer.roll("new")
        refused(server, lambda: look(table), lambda: table.roll("mixed"))
        assert server.stop() == 0
        newer.roll("newer")
        other.stop()
    assert recorded(server.data / "companion.db", newer.code) == ["new", "newer"]
    assert recorded(tmp_path / "away" / "companion.db", table.code) == ["old"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_after_a_clean_stop_the_database_file_alone_is_everything(server, tmp_path, number):
    table = LiveTable(server)
    for n in range(12):
        table.roll(str(n))
    assert server.stop(number) == 0
    log = server.data / "companion.db-wal"
    assert not log.exists() or log.stat().st_size == 0
    (tmp_path / "copy").mkdir()
    copy = shutil.copy(server.data / "companion.db", tmp_path / "copy" / "companion.db")
    assert recorded(Path(copy), table.code) == [str(n) for n in range(12)]


def test_in_quiet_times_the_log_is_folded_into_the_file(server):
    table = LiveTable(server)
    table.roll("one")
    log = server.data / "companion.db-wal"
    assert log.stat().st_size > 0
    deadline = time.monotonic() + 20
    while log.stat().st_size and time.monotonic() < deadline:
        time.sleep(0.2)
    assert log.stat().st_size == 0
    table.roll("two")


def test_a_damaged_file_is_named_with_the_newest_copy_and_not_served(server):
    table = LiveTable(server)
    for n in range(30):
        table.roll("x" * 50 + str(n))
    assert server.stop() == 0
    database = server.data / "companion.db"
    backup = server.data / "backups" / "companion-20420512-120000.db"
    backup.parent.mkdir(exist_ok=True)
    shutil.copy(database, backup)
    content = bytearray(database.read_bytes())
    content[8 * 4096 :] = b"\xaa" * (len(content) - 8 * 4096)
    database.write_bytes(content)
    process = subprocess.run(
        [sys.executable, "-m", "companion", "serve", "--port", str(server.port), "--data", str(server.data)],
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert process.returncode == 1
    assert f"{database} is damaged" in process.stderr
    assert f"companion restore {backup}" in process.stderr
    assert "Traceback" not in process.stderr


def test_only_the_first_start_prints_the_chart_books_passphrase(server):
    assert server.said().count("Chart book passphrase: ") == 1
    server.stop()
    server.start()
    assert server.said().count("Chart book passphrase: ") == 1
    assert "companion passphrase makes a new one" in server.said().splitlines()[-2]
