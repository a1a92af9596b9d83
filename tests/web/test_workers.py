"""Several processes on one port, with a toy application: who dies is started again, and all end together."""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at processes in /proc")

TOY = """
import os, sys
from companion.web.server import serve, serve_with_workers

def work(worker):
    from gevent import monkey
    monkey.patch_all()
    from flask import Flask

    def toy(site):
        if "--broken" in sys.argv:
            sys.exit(3)
        app = Flask("toy")
        app.add_url_rule("/", view_func=lambda: f"{worker.number} {os.getpid()}")
        return app

    return serve(toy, "127.0.0.1", worker=worker, notes=lambda: [f"notes of {worker.number}"])

sys.exit(serve_with_workers(2, work, "127.0.0.1", int(sys.argv[1]) or None, next_port=True, public_url=None))
"""


class Toy:
    def __init__(self, *args: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", TOY, "0", *args],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
        )
        self.said = ""

    def opened(self) -> "Toy":
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said += line
            if line == "Stop with Ctrl-C.\n":
                break
        self.url = re.search(r"open at (\S+)", self.said)[1]  # type: ignore[index]
        until(lambda: len(self.workers()) == 2)
        return self

    def workers(self) -> list[int]:
        pid = self.process.pid
        return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    def ask(self) -> list[int]:
        """Number and process of whoever answers on a new connection."""
        with urllib.request.urlopen(self.url, timeout=10) as answer:
            return [int(word) for word in answer.read().split()]

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        assert self.process.stdout is not None
        self.said += self.process.stdout.read()
        return self.process.wait(20)


def until(true: Callable[[], Any], within: float = 20) -> Any:
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        found = true()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("it never came true")


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def toy() -> Iterator[Toy]:
    found = Toy().opened()
    yield found
    if found.process.poll() is None:
        found.end(signal.SIGKILL)
    assert found.process.stdout is not None
    found.process.stdout.close()


def test_every_worker_answers_and_one_of_them_speaks(toy: Toy) -> None:
    until(lambda: toy.ask()[0] == 1)
    answered = Counter(toy.ask()[0] for _ in range(100))
    assert min(answered[0], answered[1]) >= 10, f"one of them takes nearly all connections: {answered}"
    assert toy.said.count("open at") == 1 and "notes of 0" in toy.said and "notes of 1" not in toy.said


def test_a_worker_that_dies_is_started_again_while_the_other_serves(toy: Toy) -> None:
    first, second = toy.workers()
    os.kill(first, signal.SIGKILL)
    assert {toy.ask()[1] for _ in range(5)} == {second}
    new = until(lambda: [pid for pid in toy.workers() if pid not in (first, second)])
    until(lambda: toy.ask()[1] == new[0])
    assert toy.end() == 0
    assert "Worker 1 ended; it is started again" in toy.said
    assert toy.said.count("open at") == 1, "it has nothing new to say"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_ends_all(toy: Toy, number: int) -> None:
    workers = toy.workers()
    assert toy.end(number) == 0
    assert not any(map(is_alive, workers))
    assert toy.said.endswith("Stopped. The games are saved.\n")
    assert "Traceback" not in toy.said


def test_no_worker_outlives_the_first_process(toy: Toy) -> None:
    workers = toy.workers()
    toy.process.kill()
    until(lambda: not any(map(is_alive, workers)))


def test_a_first_worker_that_cannot_serve_ends_it_all_with_its_own_code() -> None:
    broken = Toy("--broken")
    assert broken.end(signal.SIGCONT) != 0
    assert "open at" not in broken.said and "started again" not in broken.said
    assert broken.process.stdout is not None
    broken.process.stdout.close()
