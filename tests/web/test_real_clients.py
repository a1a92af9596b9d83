"""Real clients on a real server: nothing acknowledged is lost, nothing counts twice, whatever happens to the server."""

import http.client
import json
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
CLIENTS, TAPS = 8, 12


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
        self.process = subprocess.Popen(
            [*command, "--data", str(self.data)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                urllib.request.urlopen(f"{self.url}/api/openapi.json", timeout=5).close()
                return self
            except OSError:
                time.sleep(0.05)
        raise AssertionError("the server did not start")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def call(self, path: str, body: dict | None = None, token: str = "") -> dict:
        headers = {"Content-Type": "application/json"} | (
            {"Authorization": f"Bearer {token}"} if token else {}
        )
        data = json.dumps(body).encode() if body is not None else None
        with urllib.request.urlopen(
            urllib.request.Request(self.url + path, data, headers), timeout=10
        ) as answer:
            return json.load(answer)


@pytest.fixture
def server(tmp_path):
    made = Server(tmp_path / "data").start()
    yield made
    made.kill()


def rolls(server: Server, code: str) -> list[dict]:
    """Every roll on record, all pages of the event list."""
    found, since = [], 0
    while True:
        page = server.call(f"/api/tables/{code}/events?since={since}")["events"]
        if not page:
            return [event for event in found if event["kind"] == "rolled"]
        found, since = found + page, page[-1]["seq"]


def test_a_hall_of_clients_taps_at_once_and_some_taps_twice(server):
    table = server.call("/api/tables", {"system": "second-kharkov", "scenario": "historical"})
    path = f"/api/tables/{table['code']}/actions/roll-dice"
    answers: dict[str, list[dict]] = {}
    lock = threading.Lock()

    def player(number: int) -> None:
        token = table["seats"]["soviet" if number % 2 else "german"]
        for tap in range(TAPS):
            act = f"client-{number}-tap-{tap}"
            for _ in range(2 if tap % 3 == 0 else 1):  # an impatient thumb, or a retry over bad Wi-Fi
                answer = server.call(path, {"dice": "1d6", "purpose": act, "action_id": act}, token)
                with lock:
                    answers.setdefault(act, []).append(answer)

    players = [threading.Thread(target=player, args=(n,)) for n in range(CLIENTS)]
    for one in players:
        one.start()
    for one in players:
        one.join(60)
    recorded = rolls(server, table["code"])
    assert sorted(event["purpose"] for event in recorded) == sorted(answers)  # each tap once, none lost
    assert all(first == again for first, *rest in answers.values() for again in rest)
    numbers = [event["seq"] for event in recorded]
    assert numbers == list(range(3, 3 + CLIENTS * TAPS))


def test_pulling_the_plug_loses_nothing_that_was_acknowledged(server):
    table = server.call("/api/tables", {"system": "second-kharkov", "scenario": "historical"})
    path, token = f"/api/tables/{table['code']}/actions/roll-dice", table["seats"]["soviet"]
    acknowledged: list[str] = []
    stop = threading.Event()

    def player(number: int) -> None:
        for tap in range(400):
            act = f"{number}-{tap}"
            try:
                server.call(path, {"dice": "1d6", "purpose": act, "action_id": act}, token)
            except (
                OSError,
                http.client.HTTPException,
            ):  # refused, reset, or cut off in the middle of its answer
                return
            acknowledged.append(act)
            if stop.is_set():
                return

    players = [threading.Thread(target=player, args=(n,)) for n in range(4)]
    for one in players:
        one.start()
    deadline = time.monotonic() + 20
    while len(acknowledged) < 60 and time.monotonic() < deadline:
        time.sleep(0.01)
    server.kill()
    stop.set()
    for one in players:
        one.join(30)
    assert len(acknowledged) >= 60
    server.start()
    kept = {event["purpose"] for event in rolls(server, table["code"])}
    assert set(acknowledged) <= kept
    # The seats' links still work, and a tap that was never answered may simply be sent again.
    again = server.call(
        path, {"dice": "1d6", "action_id": acknowledged[-1], "purpose": acknowledged[-1]}, token
    )
    assert again["revision"] <= server.call(f"/api/tables/{table['code']}", token=token)["revision"]


def test_two_servers_share_one_data_folder(server):
    """A second process on the same file sees what the first one does, and adds to it."""
    other = Server(server.data).start()
    try:
        table = server.call("/api/tables", {"system": "second-kharkov", "scenario": "historical"})
        path, token = f"/api/tables/{table['code']}/actions/roll-dice", table["seats"]["soviet"]
        for turn in range(6):
            (server, other)[turn % 2].call(path, {"dice": "1d6", "action_id": f"tap-{turn}"}, token)
        views = [one.call(f"/api/tables/{table['code']}", token=token) for one in (server, other)]
        assert views[0] == views[1]
        assert views[0]["revision"] == table["revision"] + 6
    finally:
        other.kill()
