"""`make bench`: prints a table of ratios with their targets; exits 1 when one is missed."""

from __future__ import annotations

import http.client
import json
import resource
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench import bench_map, bench_trace, felt
from bench.crowd import cpu_of
from bench.felt import Row


class Server:
    """The companion in a process of its own, on loopback."""

    def __init__(self, folder: Path) -> None:
        self.port = felt.free_port()
        started = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bench.server", str(folder), str(self.port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while True:
            try:
                self.call("GET", "/")
                break
            except OSError:
                if self.process.poll() is not None or time.perf_counter() - started > 30:
                    raise RuntimeError("the server did not start") from None
                time.sleep(0.01)
        self.cold_start = cpu_of(self.process.pid)
        """Seconds of the processor until the first page was there."""

    def link(self) -> http.client.HTTPConnection:
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        link.connect()
        link.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return link

    def call(self, method: str, path: str, body: object = None, token: str = "", link=None) -> dict:
        own = link or self.link()
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        own.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = own.getresponse()
        data = answer.read()
        if link is None:
            own.close()
        if answer.status >= 400:
            raise RuntimeError(f"{method} {path}: {answer.status} {data[:200]!r}")
        return json.loads(data) if answer.headers.get_content_type() == "application/json" else {}

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(10)


def new_table(server: Server) -> dict:
    return server.call("POST", "/api/tables", {"system": "second-kharkov", "scenario": "historical"})


def times(calls: int, *pairs) -> list[list[float]]:
    """Run the given calls in turn, so that both meet the same weather on the machine."""
    found: list[list[float]] = [[] for _ in pairs]
    for _ in range(calls):
        for index, call in enumerate(pairs):
            start = time.perf_counter()
            call()
            found[index].append(time.perf_counter() - start)
    return found


def action_cost(server: Server) -> Row:
    table = new_table(server)
    path, token = f"/api/tables/{table['code']}/actions/roll-dice", table["seats"]["soviet"]
    one, two = server.link(), server.link()
    act, bare = times(
        300,
        lambda: server.call("POST", path, {"dice": "2d6"}, token, one),
        lambda: server.call("POST", "/bench/commit", {}, "", two),
    )
    ratio = statistics.median(act) / statistics.median(bare)
    detail = f"p50 {statistics.median(act) * 1e3:.2f} ms against {statistics.median(bare) * 1e3:.2f} ms"
    return Row("an action POST against a bare durable commit", f"{ratio:.2f}x", detail, "<= 3x", ratio <= 3)


def opening_cost(folder: Path) -> Row:
    from companion.resources import SCENARIOS
    from companion.store import open_store
    from companion.tables.tables import Tables

    tables = Tables(open_store(folder / "opening.db"), SCENARIOS)
    codes = {}
    for size in (100, 10_000):
        code = codes[size] = tables.new("second-kharkov", "historical", {}, f"{size} events")
        while tables.store.latest(code) < size:
            tables.act(code, "soviet", "roll-dice", {"dice": "1d6"})
    cold = {size: Tables(tables.store, SCENARIOS) for size in codes}

    def open_one(size: int) -> None:
        cold[size]._games.clear()
        cold[size].view(codes[size], "soviet")
        cold[size].log(codes[size], "soviet", limit=8)

    small, large = times(60, lambda: open_one(100), lambda: open_one(10_000))
    ratio = statistics.median(large) / statistics.median(small)
    detail = f"p50 {statistics.median(large) * 1e3:.2f} ms against {statistics.median(small) * 1e3:.2f} ms"
    return Row(
        "opening a table of 10,000 events against one of 100",
        f"{ratio:.2f}x",
        detail,
        "<= 1.5x",
        ratio <= 1.5,
    )


class Streams:
    """Many SSE clients in one thread, watched by a selector."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.selector = selectors.DefaultSelector()
        self.sockets: list[socket.socket] = []

    def open(self, code: str, token: str, page: str) -> None:
        sock = socket.create_connection(("127.0.0.1", self.server.port))
        sock.sendall(
            f"GET /t/{code}/soviet/stream?page={page} HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}\r\n"
            f"Authorization: Bearer {token}\r\nAccept: text/event-stream\r\n\r\n".encode()
        )
        self.selector.register(sock, selectors.EVENT_READ, code)
        self.sockets.append(sock)

    def drain(self, seconds: float) -> None:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            for key, _ in self.selector.select(0.05):
                key.fileobj.recv(65536)

    def arrivals(self, code: str, wanted: int, start: float) -> list[float]:
        """When the streams of a table heard, in seconds after start; bounded to five seconds."""
        heard: list[float] = []
        while len(heard) < wanted and time.perf_counter() - start < 5:
            for key, _ in self.selector.select(0.5):
                data = key.fileobj.recv(65536)
                if key.data == code and b"event: rev" in data:
                    heard.append(time.perf_counter() - start)
        return heard

    def close(self) -> None:
        for sock in self.sockets:
            sock.close()


def fan_out(server: Server) -> list[Row]:
    def measure(tables: list[dict], streams: Streams, posts: int) -> list[float]:
        link, found = server.link(), []
        for n in range(posts):
            table = tables[n % len(tables)]
            path = f"/api/tables/{table['code']}/actions/roll-dice"
            start = time.perf_counter()
            server.call("POST", path, {"dice": "1d6"}, table["seats"]["soviet"], link)
            found += streams.arrivals(table["code"], 3, start)
        return found

    few, many = Streams(server), Streams(server)
    lone = [new_table(server)]
    for n in range(3):
        few.open(lone[0]["code"], lone[0]["seats"]["soviet"], f"lone{n}")
    few.drain(1)
    alone = measure(lone, few, 100)
    tables = [new_table(server) for _ in range(200)]
    for table in tables:
        for n in range(3):
            many.open(table["code"], table["seats"]["soviet"], f"p{n}")
    many.drain(3)
    crowded = measure(tables, many, 200)
    few.close()
    many.close()
    p95 = [statistics.quantiles(x, n=20)[18] * 1e3 for x in (crowded, alone)]
    missing = 200 * 3 - len(crowded)
    detail = f"p95 {p95[0]:.1f} ms with 600 streams, {p95[1]:.1f} ms with 3; {missing} not delivered"
    return [
        Row(
            "fan-out among 600 SSE clients against 3",
            f"{p95[0] / p95[1]:.2f}x",
            detail,
            "all delivered",
            missing == 0,
        ),
    ]


def cold_start(server: Server) -> Row:
    """By processor time, which other programs on the machine change less than the clock."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", "import flask, gevent, sqlite_utils"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    bare = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    ratio = server.cold_start / bare
    detail = f"{server.cold_start:.2f} s against {bare:.2f} s CPU for importing Flask, gevent and sqlite-utils alone"
    return Row("cold start to first page", f"{ratio:.1f}x", detail, "<= 2.5x", ratio <= 2.5)


def map_size() -> list[Row]:
    found = bench_map.measure()
    whole = (found["base_bytes"] + found["layered_bytes"]) / 1000
    ratio = found["overlay_ms"] / found["base_ms"]
    return [
        Row(
            "map of 2,368 hexes with 300 units, compressed", f"{whole:.0f} KB", "", "<= 300 KB", whole <= 300
        ),
        Row(
            "what a move redraws against the whole map",
            f"{ratio:.2f}x",
            f"{found['overlay_ms']:.1f} ms, {found['overlay_bytes'] / 1000:.1f} KB against {found['base_ms']:.1f} ms",
            "< 1x",
            ratio < 1,
        ),
    ]


def main(quick: bool = False) -> int:
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = Server(folder / "data")
        try:
            rows.append(action_cost(server))
            rows += fan_out(server)
            rows.append(cold_start(server))
        finally:
            server.stop()
        rows.append(opening_cost(folder))
    rows += [Row(*row) for row in bench_trace.rows()]
    rows += map_size()
    rows += felt.main(quick)
    felt.show(rows)
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main("--quick" in sys.argv))
