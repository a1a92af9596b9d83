"""The server with a toy application, started as the command starts it: in a process of its own."""

import contextlib
import http.client
import io
import platform
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

from companion.web import addresses, server

TOY = """
import sys
if "--no-gevent" in sys.argv:
    sys.modules["gevent"] = None
else:
    from gevent import monkey
    monkey.patch_all()
import gc
import time
from pathlib import Path
from flask import Flask, Response
from companion.web import server
from companion.web.server import serve

server.GIVE_BACK_EVERY = 0.2
kept = []

def resident():
    status = Path("/proc/self/status").read_text()
    return int(next(x for x in status.splitlines() if x.startswith("VmRSS")).split()[1])

def toy(site):
    app = Flask("toy")

    @app.get("/")
    def page():
        return site.url

    @app.get("/games")
    def games():
        before = gc.get_stats()[2]["collections"]
        kept.append([[] for _ in range(300_000)])
        return str(gc.get_stats()[2]["collections"] - before)

    @app.get("/gaps")
    def gaps():
        pieces = [bytes(9_000) for _ in range(4_000)]
        most = resident()
        kept.append(pieces[::20])
        return str(most)

    @app.get("/resident")
    def now():
        return str(resident())

    @app.get("/stream")
    def stream():
        def beats():
            try:
                while True:
                    yield "event: beat\\ndata: 1\\n\\n"
                    time.sleep(0.05)
            finally:
                print("stream closed", flush=True)
        return Response(beats(), mimetype="text/event-stream")

    return app

port = int(sys.argv[1]) or None
sys.exit(serve(toy, "127.0.0.1", port, next_port="--next-port" in sys.argv, data=Path("toy-data")))
"""
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="stops the server with POSIX signals")


class Toy:
    def __init__(self, *args: str, env: dict[str, str] | None = None):
        self.process = subprocess.Popen(
            [sys.executable, "-c", TOY, *args],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=env,
        )
        self.lines: list[str] = []

    def wait_until_open(self) -> str:
        for raw in self.process.stdout:
            line = raw.decode(errors="replace").rstrip("\n")
            self.lines.append(line)
            if line == "Stop with Ctrl-C.":
                return re.search(r"open at (\S+)", self.text)[1]
        raise AssertionError(f"never opened: {self.text}")

    def stop(self, number=signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.finish()

    def finish(self) -> int:
        self.lines += self.process.stdout.read().decode(errors="replace").splitlines()
        return self.process.wait(10)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


@pytest.fixture
def toy():
    with contextlib.ExitStack() as stack:

        def start(*args, **kwargs):
            made = Toy(*args, **kwargs)
            stack.callback(made.process.stdout.close)
            stack.callback(made.process.wait)
            stack.callback(made.process.kill)
            return made

        yield start


@pytest.fixture
def taken():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


def get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=5) as reply:
        return reply.read().decode()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.parametrize("args", [(), ("--no-gevent",)])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_serves_then_stops_cleanly_with_a_stream_open(toy, args, number):
    made = toy(str(free_port()), *args)
    url = made.wait_until_open()
    assert get(url) == url
    with urllib.request.urlopen(url + "stream", timeout=5) as stream:
        assert stream.readline() == b"event: beat\n"
        began = time.monotonic()
        assert made.stop(number) == 0
    assert time.monotonic() - began < 4
    assert "Stopped. The games are saved." in made.text
    assert "Traceback" not in made.text
    assert "GET /" not in made.text


def test_says_the_address_first_then_the_code_then_where_the_games_are(toy):
    made = toy(str(free_port()))
    made.wait_until_open()
    assert made.lines[0].startswith("The companion is open at http://127.0.0.1:")
    assert any("█" in line for line in made.lines)
    assert "Games are kept in toy-data" in made.lines


def test_a_terminal_without_block_characters_is_told_so(toy):
    made = toy(str(free_port()), env={"PYTHONIOENCODING": "ascii"})
    made.wait_until_open()
    assert "cannot draw the QR code" in made.text


def test_without_gevent_it_says_what_it_uses_instead(toy):
    made = toy(str(free_port()), "--no-gevent")
    made.wait_until_open()
    assert "simpler threaded server" in made.text


def test_small_answers_are_not_delayed(toy):
    """A kept-alive connection answers at once; with Nagle's delay ten requests take about 400 ms."""
    url = toy(str(free_port())).wait_until_open()
    connection = http.client.HTTPConnection(url.split("/")[2], timeout=5)
    began = time.monotonic()
    for _ in range(10):
        connection.request("GET", "/")
        assert connection.getresponse().read().decode() == url
    assert time.monotonic() - began < 0.3
    connection.close()


def test_a_hall_full_of_games_is_not_looked_through_while_it_is_played(toy):
    """A full collection stops every table, the longer the more games are in memory."""
    url = toy("0").wait_until_open()
    assert get(f"{url.rstrip('/')}/games") == "0"


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="no other C library is asked")
def test_memory_that_is_not_needed_any_more_is_given_back(toy):
    """36 MB in pieces, of which every twentieth stays: gaps that glibc would keep."""
    url = toy(str(free_port())).wait_until_open()
    most = int(get(url + "gaps"))
    deadline = time.monotonic() + 5
    while int(get(url + "resident")) > most - 15_000:
        assert time.monotonic() < deadline, "it stays as large as it was"
        time.sleep(0.1)


def test_a_taken_port_is_named_with_the_next_free_one(toy, taken):
    made = toy(str(taken))
    assert made.finish() == 1
    assert f"Port {taken} is taken" in made.text
    assert re.search(r"--port (\d+)", made.text)[1] != str(taken)


def test_the_next_port_is_taken_when_allowed(toy, taken):
    made = toy(str(taken), "--next-port")
    url = made.wait_until_open()
    assert f"Port {taken} is taken" in made.lines[0]
    assert get(url) == url


def test_the_default_port_gives_way_by_itself(taken, monkeypatch, capsys):
    monkeypatch.setattr(server, "DEFAULT_PORT", taken)
    with server.choose_port("127.0.0.1", None, next_port=False, say=print) as listener:
        assert listener.getsockname()[1] > taken
    assert f"Port {taken} is taken" in capsys.readouterr().out


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("answer", "accepted"), [("\n", True), ("y\n", True), ("n\n", False)])
def test_at_a_terminal_it_asks(taken, monkeypatch, answer, accepted):
    monkeypatch.setattr(sys, "stdin", Terminal(answer))
    if accepted:
        server.choose_port("127.0.0.1", taken, next_port=False, say=print).close()
    else:
        with pytest.raises(server.CannotServe, match=f"Port {taken} is taken"):
            server.choose_port("127.0.0.1", taken, next_port=False, say=print)


@pytest.mark.parametrize(
    ("host", "port", "words"),
    [
        ("127.0.0.1", 70000, "out of range"),
        ("127.0.0.1", -1, "out of range"),
        ("203.0.113.9", 0, "203.0.113.9"),
        ("no such host", 0, "--host"),
    ],
)
def test_what_cannot_be_served_is_explained(host, port, words, capsys):
    assert server.serve(lambda site: None, host, port) == 1
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("url", ["games", "games.example.org", "ftp://x", "https://", "https://x/companion"])
def test_a_public_url_that_is_none_is_explained(url, capsys):
    assert server.serve(lambda site: None, "127.0.0.1", 0, public_url=url) == 1
    assert "https://games.example.org" in capsys.readouterr().err


def test_all_ports_taken_is_explained(taken, monkeypatch):
    monkeypatch.setattr(server, "PORTS_TO_TRY", 0)
    with pytest.raises(server.CannotServe, match="choose another"):
        server.choose_port("127.0.0.1", taken, next_port=True, say=print)


def test_site_of_one_host():
    site = server.find_site("127.0.0.1", 8123)
    assert site.url == "http://127.0.0.1:8123/"
    assert site.also == ()
    assert "localhost" in site.hosts


def test_site_seen_by_the_whole_network(monkeypatch):
    monkeypatch.setattr(server, "lan_addresses", lambda: ["192.168.4.1", "10.0.0.3"])
    monkeypatch.setattr(server.socket, "gethostname", lambda: "Cafe.lan")
    site = server.find_site("0.0.0.0", 1942)
    assert site.url == "http://192.168.4.1:1942/"
    assert site.also == ("http://10.0.0.3:1942/", "http://cafe.local:1942/")
    assert {"cafe.lan", "cafe.local", "192.168.4.1"} <= set(site.hosts)


def test_the_public_url_comes_first(monkeypatch):
    monkeypatch.setattr(server, "lan_addresses", lambda: [])
    site = server.find_site("0.0.0.0", 1942, "https://games.example.org")
    assert site.url == "https://games.example.org/"
    assert site.also[0] == "http://127.0.0.1:1942/"


def test_real_networks_come_before_bridges_and_self_assigned_addresses(monkeypatch):
    monkeypatch.setattr(addresses, "_routed_addresses", lambda: ["172.17.0.1", "169.254.3.4"])
    monkeypatch.setattr(addresses, "_interface_addresses", lambda: ["192.168.4.1"])
    monkeypatch.setattr(addresses, "_named_addresses", lambda: ["192.168.4.1"])
    assert addresses.lan_addresses() == ["192.168.4.1", "172.17.0.1", "169.254.3.4"]


def test_loopback_is_never_offered():
    assert not [address for address in addresses.lan_addresses() if address.startswith("127.")]
