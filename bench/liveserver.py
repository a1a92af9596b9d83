"""The companion in a process of its own, on loopback: for drills, and for the tests that are short forms of them."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

STARTS_WITHIN = 60
LOST = (OSError, http.client.HTTPException)
"""What a client sees when the server dies on it: refused, reset, or cut off in the middle of an answer."""


class Refused(Exception):
    """The server answered, but with an error."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(f"{status} {words[:200]}")
        self.status, self.words = status, words


class LiveServer:
    """`companion serve` over a data folder, started, killed and started again at will."""

    def __init__(
        self, data: Path, *args: str, prepare: Callable[[], None] | None = None, database: str = ""
    ) -> None:
        """:param prepare: called in the new process before the companion runs in it
        :param database: the address of a PostgreSQL database, in which the games are instead
        """
        self.data, self.args, self.prepare = data, args, prepare
        self.place = ["--database", database] if database else ["--data", str(data)]
        self.log = data.parent / f"{data.name}.log"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> LiveServer:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> LiveServer:
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
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*command, *self.place, *self.args],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONUNBUFFERED": "1"},
                preexec_fn=self.prepare,
            )
        deadline = time.monotonic() + STARTS_WITHIN
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/api/openapi.json", timeout=5):
                    return self
            except urllib.error.HTTPError as answer:
                answer.close()
                return self
            except OSError:
                time.sleep(0.05)
        self.kill()
        raise AssertionError(f"the server did not start:\n{self.said()}")

    def kill(self) -> None:
        """Pull the plug."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask it to end, and return its exit code."""
        if self.process is None:
            return 0
        self.process.send_signal(number)
        return self.process.wait(20)

    def said(self) -> str:
        """Everything it printed."""
        return self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""

    def call(self, path: str, body: dict[str, Any] | None = None, token: str = "") -> dict[str, Any]:
        """An API call.

        :raises Refused: when the answer is an error
        """
        headers = {"Content-Type": "application/json"}
        headers |= {"Authorization": f"Bearer {token}"} if token else {}
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.url + path, data, headers)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                found: dict[str, Any] = json.load(answer)
                return found
        except urllib.error.HTTPError as error:
            with error:
                raise Refused(error.code, error.read().decode("utf-8", "replace")) from None


class LiveTable:
    """A table on a live server, and its record."""

    def __init__(
        self, server: LiveServer, system: str = "second-kharkov", scenario: str = "historical"
    ) -> None:
        self.server = server
        found = server.call("/api/tables", {"system": system, "scenario": scenario})
        self.code: str = found["code"]
        self.tokens: dict[str, str] = found["seats"]

    def roll(self, act: str, seat: str = "soviet", server: LiveServer | None = None) -> dict[str, Any]:
        """A tap that anybody can find again in the record: a die rolled for the purpose `act`."""
        path = f"/api/tables/{self.code}/actions/roll-dice"
        body = {"dice": "1d6", "purpose": act, "action_id": act}
        return (server or self.server).call(path, body, self.tokens[seat])

    def rolled(self) -> list[str]:
        """The purpose of every roll on record, in order."""
        found: list[str] = []
        since = 0
        while True:
            page = self.server.call(f"/api/tables/{self.code}/events?since={since}")["events"]
            if not page:
                return found
            found += [event["purpose"] for event in page if event["kind"] == "rolled"]
            since = page[-1]["seq"]


class LiveOrganiser:
    """The organiser of a live server that was started with one, signed in by the passphrase that it printed."""

    def __init__(self, server: LiveServer) -> None:
        self.server = server
        words = re.search(r"Organiser's passphrase: (\S+)", server.said())
        if words is None:
            raise AssertionError(f"no passphrase was printed:\n{server.said()}")
        self.cookie = ""
        self.cookie = self._ask("/desk/sign-in", {"passphrase": words[1]})[1].split(";")[0]

    def _ask(self, path: str, form: dict[str, str] | None = None) -> tuple[str, str]:
        """What is answered, and the cookie that comes with it."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=120)
        headers = {"Origin": self.server.url, "Cookie": self.cookie}
        if form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        body = urllib.parse.urlencode(form) if form is not None else None
        connection.request("POST" if form is not None else "GET", path, body, headers)
        with contextlib.closing(connection), connection.getresponse() as answer:
            text = answer.read().decode("utf-8", "replace")
            if answer.status >= 400:
                raise Refused(answer.status, text)
            return text, answer.headers["Set-Cookie"] or ""

    def get(self, path: str) -> str:
        """A page of the desk."""
        return self._ask(path)[0]

    def post(self, path: str, **form: str) -> None:
        """A form of the desk."""
        self._ask(path, form)

    def found(self, count: int) -> None:
        """Set up so many tables of all five games from a list."""
        games = (
            "second-kharkov,historical",
            "panzer-keil,",
            "kharkov-battles,operation-star",
            "enemy-action-kharkov,campaign",
            "wb95,kharkov-1942",
        )
        lines = [f"{n},{games[n % 5]},First {n},Second {n}" for n in range(1, count + 1)]
        self.post("/desk/new", list="\n".join(lines), do="found")
