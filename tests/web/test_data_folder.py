"""A real server and its data folder: gone, back, replaced, copied after a stop, damaged at the start."""

import json
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from companion.store import open_store

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals, and open files that can be moved"),
    pytest.mark.slow,
]


class Server:
    """The companion in a process of its own, on loopback."""

    def __init__(self, data: Path) -> None:
        self.data = data
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def start(self) -> "Server":
        command = [
            sys.executable,
            "-m",
            "companion",
            "serve",
            "--host",
            "127.0.0.1",
            "--port",
            str(self.port),
        ]
        with self.data.with_name("server.log").open("ab") as log:
            self.process = subprocess.Popen([*command, "--data", str(self.data)], stdout=log, stderr=log)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                urllib.request.urlopen(f"{self.url}/api/openapi.json", timeout=5).close()
                return self
            except OSError:
                time.sleep(0.05)
        raise AssertionError(f"the server did not start: {self.log()}")

    def log(self) -> str:
        return self.data.with_name("server.log").read_text(errors="replace")

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(15)

    def call(
        self, path: str, body: dict[str, Any] | None = None, token: str = ""
    ) -> tuple[int, dict[str, Any]]:
        headers = {"Content-Type": "application/json"} | (
            {"Authorization": f"Bearer {token}"} if token else {}
        )
        data = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(
                urllib.request.Request(self.url + path, data, headers), timeout=15
            ) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)


@pytest.fixture
def server(tmp_path):
    made = Server(tmp_path / "data").start()
    yield made
    if made.process.poll() is None:
        made.process.kill()
        made.process.wait()


class Table:
    def __init__(self, server: Server) -> None:
        self.server = server
        made = server.call("/api/tables", {"system": "second-kharkov", "scenario": "historical"})[1]
        self.code, self.token = made["code"], made["seats"]["soviet"]

    def tap(self, act: str) -> tuple[int, dict[str, Any]]:
        body = {"dice": "1d6", "purpose": act, "action_id": act}
        return self.server.call(f"/api/tables/{self.code}/actions/roll-dice", body, self.token)

    def look(self) -> tuple[int, dict[str, Any]]:
        return self.server.call(f"/api/tables/{self.code}", token=self.token)


def recorded(database: Path, code: str) -> list[str]:
    with open_store(database) as store:
        return [event.body["purpose"] for event in store.events(code) if event.kind == "rolled"]


def refused(server: Server, *answers: tuple[int, dict[str, Any]]) -> None:
    for status, body in answers:
        assert status == 503, body
        assert "restart the companion" in body["error"] and str(server.data.parent) not in body["error"]


def test_a_folder_that_goes_is_refused_with_words_and_used_again_when_it_is_back(server):
    table = Table(server)
    assert table.tap("before")[0] == 200
    away = server.data.with_name("away")
    server.data.rename(away)
    founding = {"system": "second-kharkov", "scenario": "historical"}
    refused(server, table.look(), table.tap("meanwhile"), server.call("/api/tables", founding))
    assert f"{server.data / 'companion.db'} is gone" in server.log()
    assert not server.data.exists(), "nothing is put in its place"
    away.rename(server.data)
    assert table.tap("after")[0] == 200
    assert server.stop() == 0
    assert recorded(server.data / "companion.db", table.code) == ["before", "after"]


def test_a_deleted_folder_loses_no_acknowledged_tap_silently(server):
    table = Table(server)
    for n in range(20):
        assert table.tap(str(n))[0] == 200
    shutil.rmtree(server.data)
    refused(server, table.look(), table.tap("lost"))
    with urllib.request.urlopen(f"{server.url}/static/app.css", timeout=5) as answer:
        assert answer.status == 200, "it keeps running"
    assert server.stop() == 0


def test_other_data_under_the_same_name_is_never_mixed_in(server, tmp_path):
    table = Table(server)
    table.tap("old")
    server.data.rename(server.data.with_name("away"))
    other = Server(server.data).start()
    try:
        newer = Table(other)
        assert newer.tap("new")[0] == 200
        refused(server, table.look(), table.tap("mixed"))
        assert server.stop() == 0
        assert newer.tap("newer")[0] == 200
    finally:
        other.stop()
    assert recorded(server.data / "companion.db", newer.code) == ["new", "newer"]
    assert recorded(tmp_path / "away" / "companion.db", table.code) == ["old"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_after_a_clean_stop_the_database_file_alone_is_everything(server, tmp_path, number):
    table = Table(server)
    for n in range(12):
        assert table.tap(str(n))[0] == 200
    assert server.stop(number) == 0
    log = server.data / "companion.db-wal"
    assert not log.exists() or log.stat().st_size == 0
    (tmp_path / "copy").mkdir()
    copy = shutil.copy(server.data / "companion.db", tmp_path / "copy" / "companion.db")
    assert recorded(Path(copy), table.code) == [str(n) for n in range(12)]


def test_in_quiet_times_the_log_is_folded_into_the_file(server):
    table = Table(server)
    table.tap("one")
    log = server.data / "companion.db-wal"
    assert log.stat().st_size > 0
    deadline = time.monotonic() + 20
    while log.stat().st_size and time.monotonic() < deadline:
        time.sleep(0.2)
    assert log.stat().st_size == 0
    assert table.tap("two")[0] == 200


def test_a_damaged_file_is_named_with_the_newest_copy_and_not_served(server):
    table = Table(server)
    for n in range(30):
        table.tap("x" * 50 + str(n))
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
    assert server.log().count("Chart book passphrase: ") == 1
    server.stop()
    server.start()
    assert server.log().count("Chart book passphrase: ") == 1
    assert "companion passphrase makes a new one" in server.log().splitlines()[-2]
