"""`companion serve --database ... --workers N`: several processes on one port, any of which answers anybody."""

import http.client
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.liveserver import LiveServer, LiveTable

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at processes in /proc"),
]


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(one) for one in found]


def until(true: Callable[[], Any], within: float = 20) -> Any:
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        found = true()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("it never came true")


@pytest.fixture(scope="module")
def server(cluster: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    folder = tmp_path_factory.mktemp("workers")
    with LiveServer(folder / "data", "--workers", "2", database=str(cluster.database())) as server:
        until(lambda: len(children(server.process.pid)) == 2)  # type: ignore[union-attr]
        yield server
        server.stop()


@pytest.fixture(scope="module")
def table(server: LiveServer) -> LiveTable:
    return LiveTable(server)


class Line:
    """A connection of its own, which one worker serves as long as it is kept."""

    def __init__(self, server: LiveServer) -> None:
        self.conn = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        self.conn.connect()
        self.near = self.conn.sock.getsockname()[1]

    def worker(self, server: LiveServer) -> int:
        """The process at the other end, as the system tells it."""
        far = f"{server.port:04X}"
        lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        inode = next(x[9] for x in lines if x[1].endswith(f":{far}") and x[2].endswith(f":{self.near:04X}"))
        for pid in children(server.process.pid):  # type: ignore[union-attr]
            for file in Path(f"/proc/{pid}/fd").iterdir():
                try:
                    if os.readlink(file) == f"socket:[{inode}]":
                        return pid
                except FileNotFoundError:
                    continue
        return 0

    def get(self, path: str, token: str = "") -> tuple[int, str]:
        self.conn.request("GET", path, headers={"Authorization": f"Bearer {token}"} if token else {})
        answer = self.conn.getresponse()
        return answer.status, answer.read().decode()


Lines = Callable[[], list[Line]]


@pytest.fixture
def a_line_to_each(server: LiveServer) -> Iterator[Lines]:
    """Makes a connection to every worker: the system deals them out as it likes."""
    made: list[Line] = []

    def lines() -> list[Line]:
        found: dict[int, Line] = {}

        def more() -> bool:
            made.append(line := Line(server))
            line.get("/api/openapi.json")
            found.setdefault(line.worker(server), line)
            return len(found) == 2

        until(more)
        return list(found.values())

    yield lines
    for line in made:
        line.conn.close()


def test_a_device_at_one_process_hears_at_once_what_another_committed(
    server: LiveServer, table: LiveTable, a_line_to_each: Lines
) -> None:
    """No sticky sessions: the stream is at one worker, the tap may be at the other; both directions are tried."""
    path = f"/api/tables/{table.code}"
    for line in a_line_to_each():
        line.conn.request(
            "GET",
            f"/t/{table.code}/soviet/stream",
            headers={"Authorization": f"Bearer {table.tokens['soviet']}"},
        )
        stream = line.conn.getresponse()
        first = [stream.readline() for _ in range(4)]
        assert first[1] == b"event: rev\n", first
        for other in a_line_to_each():
            before = server.call(path, token=table.tokens["soviet"])["revision"]
            began = time.monotonic()
            other.conn.request(
                "POST",
                f"{path}/actions/roll-dice",
                '{"dice": "1d6", "purpose": "heard"}',
                {"Authorization": f"Bearer {table.tokens['german']}", "Content-Type": "application/json"},
            )
            answer = other.conn.getresponse()
            assert answer.status == 200, answer.read()
            answer.read()
            assert stream.readline() == b"event: rev\n"
            heard = int(stream.readline().split()[1])
            stream.readline()
            assert heard > before
            assert time.monotonic() - began < 1, "at once: a beat comes only every ten seconds"
        stream.close()


def test_a_screen_pushed_by_one_worker_follows_taps_answered_by_another(
    table: LiveTable, a_line_to_each: Lines
) -> None:
    """The page's own taps may be answered elsewhere, under the name that it gave its stream."""
    bearer = {"Authorization": f"Bearer {table.tokens['soviet']}", "X-Page": "mine"}
    for line in a_line_to_each():
        line.conn.request("GET", f"/t/{table.code}/soviet/stream?page=mine&screen=1", headers=bearer)
        stream = line.conn.getresponse()
        shown = int([stream.readline() for _ in range(4)][2].split()[1])
        for other in a_line_to_each():
            body = "dice=1d6&purpose=pushed"
            form = {**bearer, "HX-Request": "true", "Content-Type": "application/x-www-form-urlencoded"}
            other.conn.request("POST", f"/t/{table.code}/soviet/do/roll-dice", body, form)
            answer = other.conn.getresponse()
            assert answer.status < 400, answer.read()[:300]
            answer.read()
            assert stream.readline() == b"event: screen\n"
            _, before, after = stream.readline().split()
            assert before in (b"*", str(shown).encode()) and int(after) == shown + 1
            shown = int(after)
            while stream.readline() != b"\n":
                pass
        stream.close()


def test_every_worker_shows_the_same_game(table: LiveTable, a_line_to_each: Lines) -> None:
    for number in range(6):
        table.roll(f"same-{number}", "german" if number % 2 else "soviet")
    for line in a_line_to_each():
        status, page = line.get(f"/t/{table.code}/german", table.tokens["german"])
        assert status == 200 and "same-5" in page


def test_one_table_tapped_through_both_workers_loses_nothing(table: LiveTable, a_line_to_each: Lines) -> None:
    lines = a_line_to_each()
    done: list[str] = []

    def play(number: int) -> None:
        for tap in range(15):
            act = f"both-{number}-{tap}"
            lines[number].conn.request(
                "POST",
                f"/api/tables/{table.code}/actions/roll-dice",
                f'{{"dice": "1d6", "purpose": "{act}", "action_id": "{act}"}}',
                {"Authorization": f"Bearer {table.tokens['german']}", "Content-Type": "application/json"},
            )
            answer = lines[number].conn.getresponse()
            assert answer.status == 200, answer.read()
            answer.read()
            done.append(act)

    players = [threading.Thread(target=play, args=(number,)) for number in range(2)]
    for player in players:
        player.start()
    for player in players:
        player.join(30)
    kept = [act for act in table.rolled() if act.startswith("both-")]
    assert len(done) == 30 and sorted(kept) == sorted(done)


def test_what_the_host_is_told_is_said_once(server: LiveServer, table: LiveTable) -> None:
    said = server.said()
    assert said.count("The companion is open at") == said.count("Chart book passphrase") == 1
    assert "Games are kept in postgresql://companion@" in said and "2 processes serve." in said


def test_a_stranger_who_founds_a_table_does_not_write_in_everybodys_chart_book(
    server: LiveServer, table: LiveTable
) -> None:
    from companion.books.played import seats_write
    from companion.store import open_any

    store = open_any(server.place[1])
    assert not seats_write(store)
    store.close()


def command(*args: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "companion", "serve", "--host", "127.0.0.1", "--port", "0", *args],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **(env or {})},
    )


def test_a_data_folder_has_one_process(tmp_path: Path) -> None:
    done = command("--data", str(tmp_path), "--workers", "2")
    assert done.returncode == 1
    assert "--workers needs PostgreSQL" in done.stderr and "Traceback" not in done.stderr


def test_a_database_that_is_away_at_the_start_is_told_in_words(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    address = f"postgresql://someone:geheim@/none?host={tmp_path}"
    done = command("--database", address, "--workers", "2")
    assert done.returncode == 1
    assert "does not answer" in done.stderr and "Traceback" not in done.stderr
    assert "geheim" not in done.stderr + done.stdout


def test_without_psycopg_a_database_is_refused_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['psycopg'] = None\n")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", str(Path(__file__).parents[2]))])
    done = command("--database", "postgresql:///x", env={"PYTHONPATH": path})
    assert done.returncode == 1
    assert "pip install 'kharkov-companion[postgres]'" in done.stderr and "Traceback" not in done.stderr


def test_a_data_folder_is_served_without_psycopg(tmp_path: Path) -> None:
    """The wheel installs without it, and whoever does not use it does not load it."""
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['psycopg'] = None\n")
    env = {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(Path(__file__).parents[2])])}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", env["PYTHONPATH"])
        with LiveServer(tmp_path / "data") as server:
            LiveTable(server).roll("a")
            maps = Path(f"/proc/{server.process.pid}/maps").read_text()  # type: ignore[union-attr]
    assert "psycopg" not in maps and "libpq" not in maps
