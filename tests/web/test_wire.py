"""Slow and greedy connections at a real server: they are ended in time, and nobody else notices."""

import contextlib
import io
import socket
import subprocess
import sys
import time
import urllib.request
from types import SimpleNamespace

import pytest

from companion.web import wire

TOY = """
import sys
from gevent import monkey
monkey.patch_all()
from flask import Flask, Response, request
from companion.web import carrying, server, wire
import time

wire.HEAD_SECONDS, wire.IDLE_SECONDS, wire.BODY_SECONDS, carrying.SEND_SECONDS = 0.6, 1.2, 0.6, 0.6
wire.BODY_RATE = 1_000_000
wire.is_loopback = lambda address: False
wire.most_connections = lambda: 64
wire.SHARE_OF_ONE_ADDRESS = 4

def toy(site):
    app = Flask("toy")
    app.add_url_rule("/", "look", lambda: "here")
    app.add_url_rule("/", "count", lambda: str(len(request.get_data())), methods=["POST"])
    app.add_url_rule("/ignore", "ignore", lambda: "ignored", methods=["POST"])

    @app.get("/much")
    def much():
        def parts():
            try:
                while True:
                    yield b"x" * 1_000_000
            finally:
                print("gave up", flush=True)
        return Response(parts())

    return app

sys.exit(server.serve(toy, "127.0.0.1", int(sys.argv[1])))
"""
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="stops the server with POSIX signals")


@pytest.fixture(scope="module")
def toy():
    """The port of a server with short times and 16 connections an address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-c", TOY, str(port)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    while b"Ctrl-C" not in (line := process.stdout.readline()):
        assert line, "never opened"
    yield port
    process.terminate()
    told = process.communicate(timeout=10)[0].decode()
    assert "Traceback" not in told, told
    assert "gave up" in told


@contextlib.contextmanager
def connection(port: int):
    with socket.create_connection(("127.0.0.1", port), timeout=10) as made:
        yield made


def until_closed(made: socket.socket) -> tuple[bytes, float]:
    """Everything the server still says, and how long it took to hang up."""
    began, said = time.monotonic(), b""
    with contextlib.suppress(ConnectionError):
        while piece := made.recv(65536):
            said += piece
    return said, time.monotonic() - began


def dripped(made: socket.socket, first: bytes, pace: float = 0.1, most: float = 8.0) -> bytes:
    """Send a byte now and then until the server hangs up, and return what it said."""
    made.sendall(first)
    made.settimeout(pace)
    said, deadline = b"", time.monotonic() + most
    while time.monotonic() < deadline:
        try:
            piece = made.recv(65536)
            if not piece:
                return said
            said += piece
        except TimeoutError:
            with contextlib.suppress(ConnectionError):
                made.send(b"a")
        except ConnectionError:
            return said
    raise AssertionError("the connection was held to the end")


def is_answered(made: socket.socket) -> bool:
    """Ask for the page on an open connection."""
    made.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    said = b""
    while not said.endswith(b"here"):
        piece = made.recv(65536)
        if not piece:
            return False
        said += piece
    return True


def test_a_connection_that_says_nothing_is_ended(toy):
    with connection(toy) as made:
        said, seconds = until_closed(made)
    assert said == b"" and seconds < 5


def test_a_request_line_that_drips_is_ended(toy):
    with connection(toy) as made:
        dripped(made, b"GET /")


def test_headers_that_drip_are_refused_in_words(toy):
    with connection(toy) as made:
        said = dripped(made, b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
    assert said.startswith(b"HTTP/1.1 408") and b"too slowly" in said


@pytest.mark.parametrize("path", [b"/", b"/ignore"])
@pytest.mark.parametrize("kind", [b"Content-Length: 1000", b"Transfer-Encoding: chunked"])
def test_a_body_that_drips_is_ended(toy, path, kind):
    first = b"3e8\r\n" if b"chunked" in kind else b""
    with connection(toy) as made:
        dripped(made, b"POST " + path + b" HTTP/1.1\r\nHost: localhost\r\n" + kind + b"\r\n\r\n" + first)


def test_what_follows_a_cut_body_is_not_taken_for_a_request(toy):
    with connection(toy) as made:
        made.sendall(b"POST /ignore HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n")
        made.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        said, seconds = until_closed(made)
    assert b"ignored" in said and b"here" not in said and seconds < 5


def test_an_idle_connection_is_kept_for_a_while_and_then_ended(toy):
    with connection(toy) as made:
        for _ in range(2):
            assert is_answered(made)
            time.sleep(0.7)
        said, seconds = until_closed(made)
    assert said == b"" and seconds < 5


def test_an_answer_that_is_not_taken_is_given_up(toy):
    with connection(toy) as made:
        made.sendall(b"GET /much HTTP/1.1\r\nHost: localhost\r\n\r\n")
        time.sleep(2)


def test_one_address_cannot_take_all_connections(toy):
    time.sleep(1.5)  # what the other tests left is ended by now
    with contextlib.ExitStack() as stack:
        held = [stack.enter_context(connection(toy)) for _ in range(16)]
        time.sleep(0.2)
        with connection(toy) as one_more:
            said, seconds = until_closed(one_more)
        assert said.startswith(b"HTTP/1.1 503") and b"Close some pages" in said and seconds < 2
        assert is_answered(held[0])
    time.sleep(0.2)
    with urllib.request.urlopen(f"http://127.0.0.1:{toy}/", timeout=5) as answer:
        assert answer.read() == b"here"


def test_honest_requests_are_served_beside_slow_ones(toy):
    with connection(toy) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\n")
        began = time.monotonic()
        data = b"x" * 500_000
        with urllib.request.urlopen(f"http://127.0.0.1:{toy}/", data, timeout=5) as answer:
            assert answer.read() == b"500000"
        assert time.monotonic() - began < 2


def test_requests_that_come_together_are_answered_one_after_the_other(toy):
    asked = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with connection(toy) as made:
        made.sendall(3 * asked + asked[:20])
        said = b""
        while said.count(b"here") < 3:
            said += made.recv(65536)
        made.sendall(asked[20:])
        while said.count(b"here") < 4:
            said += made.recv(65536)
        assert is_answered(made)


class Heard:
    """A socket that remembers what it was given."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    def send(self, data: bytes, *waiting: float) -> int:
        self.sent.append(bytes(data))
        return len(data)

    def settimeout(self, seconds: float | None) -> None:
        """Whoever takes everything at once is not waited for."""


@pytest.mark.parametrize("chunked", [False, True])
def test_an_answer_leaves_with_its_head(chunked: bool) -> None:
    """Each sending is a call to the system, which takes as long as much of the answer."""

    class Handler(wire.TimedHandler):
        def __init__(self) -> None:
            self.socket, self.status, self.response_headers = Heard(), b"200 OK", [(b"A", b"b")]
            self.response_use_chunked, self.response_length = chunked, 0

        def finalize_headers(self) -> None:
            pass

    handler = Handler()
    handler._write_with_headers(b"here")
    body = b"4\r\nhere\r\n" if chunked else b"here"
    assert handler.socket.sent == [b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n" + body]
    handler._write(b"more")
    assert len(handler.socket.sent) == 2, "what comes later leaves when it comes"
    assert handler.response_length == sum(map(len, handler.socket.sent))


@pytest.mark.parametrize("logged", [False, True])
def test_a_request_is_written_down_only_where_that_is_asked_for(logged: bool) -> None:
    lines: list[str] = []

    class Handler(wire.TimedHandler):
        def __init__(self) -> None:
            self.server = SimpleNamespace(is_logged=logged, log=SimpleNamespace(write=lines.append))

        def format_request(self) -> str:
            return "GET /"

    Handler().log_request()
    assert lines == (["GET /\n"] if logged else [])


def test_the_time_is_watched_only_while_something_is_to_come(monkeypatch: pytest.MonkeyPatch) -> None:
    body = wire.TimedInput(io.BytesIO(b"here"), 4)
    assert body.read() == b"here"
    monkeypatch.setattr(wire.gevent, "Timeout", None)
    assert body.read() == b"" and wire.TimedInput(io.BytesIO(), None).read(10) == b""
