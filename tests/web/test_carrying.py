"""Streams at our own server: nobody waits in them, and they end as they should."""

import http.client
import json
import socket
import subprocess
import sys
import time
import urllib.request
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.web.carrying import at_once

TOY = """
import sys
from gevent import monkey
monkey.patch_all()
import gc, itertools
from pathlib import Path
from flask import request
from gevent import Greenlet
from companion.web import carrying, server, telling
from companion.web.app import create_app

carrying.SEND_SECONDS = 0.6
gc.disable()
number = itertools.count()

def toy(site):
    app = create_app(Path(sys.argv[2]), site=site)
    held = app.extensions["companion"]
    hub, tables = held["hub"], held["tables"]
    code = tables.new("second-kharkov", "historical", {})

    @app.get("/toy/<do>")
    def do(do):
        if do == "note":
            tables.act(code, "table", "note", {"text": "so it was"})
        if do == "hang-up":
            hub.hang_up(code)
        if do == "say":
            hub.say(f"{next(number)} " + "x" * int(request.args["size"]))
        if do == "beat":
            telling.BEAT = float(request.args["seconds"])
        carried = sum(isinstance(one, carrying.Carried) for one in gc.get_objects())
        gc.collect()
        waiting = sum(isinstance(one, Greenlet) and not one.dead for one in gc.get_objects())
        found = {"code": code, "count": hub.count(), "carried": carried, "greenlets": waiting}
        return {**found, "revision": tables.store.latest(code)}

    return app

sys.exit(server.serve(toy, "127.0.0.1", int(sys.argv[1])))
"""
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="stops the server with POSIX signals")


class Toy:
    """A server with one table."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.process = subprocess.Popen(
            [sys.executable, "-c", TOY, str(self.port), str(folder)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert self.process.stdout
        while b"Ctrl-C" not in (line := self.process.stdout.readline()):
            assert line, "never opened"
        self.code = self.do("look")["code"]

    def do(self, what: str) -> dict[str, Any]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/toy/{what}", timeout=10) as answer:
            found: dict[str, Any] = json.load(answer)
            return found

    def settles(self, what: Callable[[dict[str, Any]], bool], within: float = 3.0) -> bool:
        """Whether something is so before long."""
        deadline = time.monotonic() + within
        while time.monotonic() < deadline:
            if what(self.do("look")):
                return True
            time.sleep(0.05)
        return False


class Stream:
    """A device that listens."""

    def __init__(self, toy: Toy, *, version: str = "1.1", headers: str = "", method: str = "GET") -> None:
        self.sock = socket.create_connection(("127.0.0.1", toy.port), timeout=5)
        asked = f"{method} /t/{toy.code}/watch/stream HTTP/{version}\r\nHost: localhost\r\n{headers}\r\n"
        self.sock.sendall(asked.encode())
        self.file = self.sock.makefile("rb")
        lines = list(iter(self.file.readline, b"\r\n"))
        self.status, self.head = lines[0], b"".join(lines[1:]).lower()

    def piece(self) -> bytes:
        """The next chunk; nothing at the end."""
        size = int(self.file.readline(), 16)
        return self.file.read(size + 2)[:-2]

    def close(self) -> None:
        self.file.close()
        self.sock.close()


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toy]:
    made = Toy(tmp_path_factory.mktemp("carrying"))
    yield made
    made.process.terminate()
    told = made.process.communicate(timeout=10)[0].decode()
    assert "Traceback" not in told, told


@pytest.fixture(autouse=True)
def nobody_is_left(toy: Toy) -> Iterator[None]:
    yield
    toy.do("hang-up")
    toy.do("beat?seconds=10")
    assert toy.settles(lambda now: now["count"] == 0)


def test_the_revision_comes_at_once_and_with_every_change(toy: Toy) -> None:
    stream = Stream(toy)
    assert b" 200 " in stream.status and b"text/event-stream" in stream.head
    assert stream.piece() == f"retry: 2000\nevent: rev\ndata: {toy.do('look')['revision']}\n\n".encode()
    for _ in range(3):
        now = toy.do("note")["revision"]
        assert stream.piece() == f"event: rev\ndata: {now}\n\n".encode()
    stream.close()


def test_it_is_packed_for_whoever_unpacks(toy: Toy) -> None:
    stream, unpack = Stream(toy, headers="Accept-Encoding: gzip\r\n"), zlib.decompressobj(47)
    assert b"content-encoding: gzip" in stream.head
    assert unpack.decompress(stream.piece() + stream.piece()).startswith(b"retry:")
    now = toy.do("note")["revision"]
    assert unpack.decompress(stream.piece()) == f"event: rev\ndata: {now}\n\n".encode()
    stream.close()


def test_it_beats_when_all_is_quiet(toy: Toy) -> None:
    toy.do("beat?seconds=0.2")
    stream = Stream(toy)
    stream.piece()
    assert [stream.piece()[:12] for _ in range(3)] == [b"event: beat\n"] * 3
    stream.close()


def test_nobody_waits_in_a_stream_nor_on_a_connection_that_was_used(toy: Toy) -> None:
    before = toy.do("look")["greenlets"]
    streams = [Stream(toy) for _ in range(20)]
    kept = [http.client.HTTPConnection("127.0.0.1", toy.port, timeout=5) for _ in range(20)]
    for _ in range(2):
        for one in kept:
            one.request("GET", "/toy/look")
            assert one.getresponse().read()
    now = toy.do("look")
    assert now["count"] == 20 and now["greenlets"] <= before
    for one in (*streams, *kept):
        one.close()


def test_a_page_that_leaves_is_noticed_before_the_next_beat(toy: Toy) -> None:
    stream = Stream(toy)
    stream.piece()
    now = toy.do("look")
    assert now["count"] == now["carried"] == 1
    stream.close()
    assert toy.settles(lambda now: now["count"] == 0)
    assert toy.do("look")["carried"] == 0, "nothing is left of it, not even for the collector"


def test_who_says_something_down_his_stream_goes_on_listening(toy: Toy) -> None:
    stream = Stream(toy)
    stream.piece()
    stream.sock.sendall(b"GET / HTTP/1.1\r\n")
    time.sleep(0.2)
    toy.do("note")
    assert stream.piece().startswith(b"event: rev")
    stream.close()


def test_a_stream_that_is_ended_says_so_and_hangs_up(toy: Toy) -> None:
    stream = Stream(toy)
    assert b"connection: close" in stream.head
    stream.piece()
    toy.do("hang-up")
    assert stream.piece() == b"" and stream.file.read() == b""
    stream.close()


def test_a_device_that_knows_no_chunks_gets_none(toy: Toy) -> None:
    stream = Stream(toy, version="1.0")
    assert b"chunked" not in stream.head
    assert stream.file.readline() == b"retry: 2000\n"
    now = toy.do("note")["revision"]
    toy.do("hang-up")
    assert stream.file.read().endswith(f"event: rev\ndata: {now}\n\n".encode())
    stream.close()


def test_whoever_asks_for_the_head_alone_listens_to_nothing(toy: Toy) -> None:
    stream = Stream(toy, method="HEAD")
    assert b" 200 " in stream.status
    assert toy.do("look")["count"] == 0
    stream.close()


def test_a_device_that_takes_nothing_holds_up_nobody_and_is_given_up(toy: Toy) -> None:
    slow, quick = Stream(toy), Stream(toy)
    quick.piece()
    for _ in range(12):
        toy.do("say?size=1000000")
        assert len(quick.piece()) > 1_000_000
    assert toy.settles(lambda now: now["count"] == 1)
    toy.do("note")
    assert quick.piece().startswith(b"event: rev")
    slow.close()
    quick.close()


def test_the_server_ends_at_once_however_many_listen(tmp_path: Path) -> None:
    toy = Toy(tmp_path)
    streams = [Stream(toy) for _ in range(5)]
    began = time.monotonic()
    toy.process.terminate()
    told = toy.process.communicate(timeout=10)[0].decode()
    assert toy.process.returncode == 0 and "Traceback" not in told, told
    assert time.monotonic() - began < 3
    for stream in streams:
        stream.close()


def test_what_is_not_taken_at_once_is_left_over() -> None:
    mine, other = socket.socketpair()
    mine.setblocking(False)

    class Near:
        """A socket as gevent has it, which is told with each sending how long to wait."""

        def send(self, data: bytes, flags: int, seconds: float) -> int:
            assert not seconds
            return mine.send(data, flags)

    data = bytes(range(256)) * 40_000
    rest = at_once(Near(), data)
    assert 0 < len(rest) < len(data) and at_once(Near(), rest) == rest
    mine.close()
    with other.makefile("rb") as taken:
        assert taken.read() + rest == data
    other.close()
