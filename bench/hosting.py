"""What hosting costs: SQLite in one process, PostgreSQL with one worker and with two, side by side in one run.

`python -m bench.hosting [--quick] [--commits]`. The devices, the companion and the database share this machine's cores, so
what counts is the processor time of each for a tap, and the ratios.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import gevent

from bench.cluster import Cluster
from bench.crowd import Failed, Felt, Screen, Table, cpu_of, drive
from bench.felt import sitting
from bench.hall import SAMPLES, Place, found
from bench.hosted import workers_of
from bench.liveserver import LiveServer


class Scale(NamedTuple):
    """How much is measured."""

    tables: int
    rates: Sequence[int]
    seconds: float
    rest: float
    """Seconds after which SQLite has folded its log into the file."""


FULL = Scale(50, (10, 20, 40), 6.0, 8.0)
QUICK = Scale(5, (10,), 1.0, 0.0)


@dataclass
class Host:
    """One way of serving, with its tables."""

    name: str
    servers: list[LiveServer]
    """More than one where each has its own tables, as a proxy deals them out by their codes."""
    cluster: Cluster | None
    places: list[Place]
    folder: Path
    database: str

    def pids(self) -> list[int]:
        """The processes that serve."""
        found = []
        for server in self.servers:
            assert server.process is not None
            found += workers_of(server) if "--workers" in server.args else [server.process.pid]
        return found

    def serving(self) -> float:
        """Seconds of processor time that they have used."""
        return sum(map(cpu_of, self.pids()))

    def storing(self) -> float:
        """Seconds that PostgreSQL's processes have used, also those that ended."""
        if self.cluster is None or self.cluster.process is None:
            return 0.0
        ticks = 0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if self.cluster.process.pid in (int(fields[1]), int(stat.parent.name)):
                ticks += sum(int(field) for field in fields[11:15])
        return ticks / os.sysconf("SC_CLK_TCK")

    def memory(self) -> list[float]:
        """MB of each process that serves, shared pages counted in part."""
        return [_smaps(pid, "Pss") for pid in self.pids()]

    def resident(self) -> list[float]:
        return [_smaps(pid, "Rss") for pid in self.pids()]

    def size(self) -> tuple[float, float]:
        """Bytes kept, and bytes written to PostgreSQL's log."""
        if self.cluster is None:
            return float((self.folder / "data" / "companion.db").stat().st_size), 0.0
        import psycopg

        with psycopg.connect(self.database, autocommit=True) as conn:
            kept: Any = conn.execute(
                """select sum(pg_total_relation_size(part))
                   from unnest(array['event', 'action', 'snapshot', 'game']::regclass[]) part"""
            ).fetchone()
            logged: Any = conn.execute("select pg_current_wal_lsn() - '0/0'").fetchone()
        return float(kept[0]), float(logged[0])

    def table(self, place: Place, number: int) -> Table:
        screens = {
            seat: Screen(self.servers[number % len(self.servers)].port, f"/t/{place.code}/{seat}", secret, n)
            for n, (seat, secret) in enumerate(place.seats.items())
        }
        return Table(screens, place.taps(number))


@contextmanager
def host(name: str, workers: int, servers: int, count: int) -> Iterator[Host]:
    """A companion with so many tables of all games: in a folder, or with workers on PostgreSQL; or several companions."""
    from companion.web.app import create_app

    with ExitStack() as until, tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        cluster = until.enter_context(Cluster()) if workers else None
        database = cluster.database() if cluster else ""
        app = create_app(database or folder / "data")
        places = [found(app, SAMPLES[n % len(SAMPLES)]) for n in range(count)]
        app.extensions["companion"]["store"].close()
        more = ("--workers", str(workers)) if workers > 1 else ("--backups", "0")
        started = [
            until.enter_context(LiveServer(folder / "data", *more, database=database)) for _ in range(servers)
        ]
        while workers > 1 and len(workers_of(started[0])) < workers:
            time.sleep(0.05)
        time.sleep(1)  # all games are read
        yield Host(name, started, cluster, places, folder, database)
        for server in started:
            server.stop()


def as_fast_as_possible(tables: Sequence[Table], seconds: float) -> Felt:
    """Every table plays on as soon as its three screens show the outcome."""
    felt = Felt()
    end = time.perf_counter() + seconds

    def play(table: Table) -> None:
        while time.perf_counter() < end:
            try:
                felt.waits.append(table.play())
            except (Failed, OSError) as error:
                felt.errors.append(str(error))
                return

    gevent.joinall([gevent.spawn(play, table) for table in tables], timeout=seconds + 40)
    return felt


def steady(one: Host, tables: Sequence[Table], rate: int, seconds: float) -> str:
    """Taps at a steady rate."""
    serving, storing = one.serving(), one.storing()
    felt = drive(tables, one.pids()[0], rate, seconds)
    return _line(one, f"{rate} taps/s", felt, serving, storing)


def at_most(one: Host, tables: Sequence[Table], seconds: float) -> tuple[str, int]:
    """As many taps as go through, and how many they were."""
    serving, storing = one.serving(), one.storing()
    began, own = time.perf_counter(), time.process_time()
    felt = as_fast_as_possible(tables, seconds)
    rate = len(felt.waits) / (time.perf_counter() - began)
    devices = (time.process_time() - own) / felt.taps * 1e3
    line = _line(
        one, f"at most: {rate:.0f} taps/s (the devices: {devices:.1f} ms CPU a tap)", felt, serving, storing
    )
    return line, felt.taps


def growth(one: Host, before: tuple[float, float], taps: int) -> str:
    """What is kept of a tap, when the database has come to rest."""
    kept, logged = ((after - old) / taps for after, old in zip(one.size(), before, strict=True))
    return f"| {one.name} | {taps} taps kept | {kept:.0f} bytes a tap; PostgreSQL's log {logged:.0f} bytes a tap | | | |"


def memory(one: Host, empty: Sequence[float], tables: int) -> str:
    """Of each process that serves, with every device there."""
    return (
        f"| {one.name} | memory | a process: {_mb(empty)} MB at the start, {_mb(one.resident())} MB with {tables} tables "
        f"and {3 * tables} devices ({_mb(one.memory())} MB when shared pages are shared out) | | | |"
    )


def _line(one: Host, what: str, felt: Felt, serving: float, storing: float) -> str:
    for error in felt.errors[:2]:
        print(f"{one.name}, {what}: {error}", file=sys.stderr)
    cpu, database = (now / felt.taps * 1e3 for now in (one.serving() - serving, one.storing() - storing))
    return (
        f"| {one.name} | {what} | {felt.quantile(0.5):.0f} / {felt.quantile(0.95):.0f} | {cpu:.1f} | "
        f"{database:.1f} | {felt.late} held up, {len(felt.errors)} errors |"
    )


def _mb(each: Sequence[float]) -> str:
    return " + ".join(f"{one:.0f}" for one in each)


def _smaps(pid: int, what: str) -> float:
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(next(line for line in text.splitlines() if line.startswith(f"{what}:")).split()[1]) / 1024


WRITER = """
import sys, time
from companion.store import NewTable, open_any
place, who, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
store = open_any(place)
store.create(NewTable(who, "second-kharkov", "s", "", "c0ffee", {}, ""))
body, answer = {"kind": "rolled", "text": "x" * 300}, {"lines": ["x" * 60]}
count, end = 0, time.monotonic() + seconds
while time.monotonic() < end:
    with store.transaction(who) as tx:
        tx.answer_to(f"{count}", seat="s", name="n")
        tx.append([body], at="", seat="s", act=f"{count}", name="n", stream=count, answer=answer, summary=answer)
    count += 1
print(count)
"""


def commits(seconds: float) -> list[str]:
    """How many actions the store alone takes a second: writers at tables of their own, each a process, nobody rendering."""
    lines = []
    for name, durable in (("SQLite", None), ("PostgreSQL", True)):
        for writers in (1, 2, 4):
            with ExitStack() as until:
                folder = until.enter_context(tempfile.TemporaryDirectory())
                cluster = until.enter_context(Cluster()) if durable else None
                place = cluster.database() if cluster else f"{folder}/companion.db"
                running = [
                    subprocess.Popen(
                        [sys.executable, "-c", WRITER, place, f"W{n}", str(seconds)],
                        stdout=subprocess.PIPE,
                        text=True,
                    )
                    for n in range(writers)
                ]
                total = sum(int(process.communicate()[0]) for process in running)
            lines.append(
                f"| {name} | {writers} writers | {total / seconds:.0f} actions/s kept durably | | | |"
            )
            print(lines[-1], flush=True)
    return lines


WAYS = (
    ("SQLite", 0, 1),
    ("PostgreSQL, 1 worker", 1, 1),
    ("PostgreSQL, 2 workers", 2, 1),
    ("PostgreSQL, 2 companions by table code", 1, 2),
)


def main(scale: Scale) -> list[str]:
    """The whole table: all ways are open at once and take turns, so that what else the machine does falls on all."""
    lines: list[str] = []

    def say(*more: str) -> None:
        lines.extend(more)
        print(*more, sep="\n", flush=True)

    with ExitStack() as until:
        hosts = [until.enter_context(host(*way, scale.tables)) for way in WAYS]
        empty = [one.resident() for one in hosts]
        seated = [
            until.enter_context(sitting([one.table(place, n) for n, place in enumerate(one.places)]))
            for one in hosts
        ]
        both = list(zip(hosts, seated, strict=True))
        for one, tables in both:
            drive(tables, one.pids()[0], 20, 0.4 * scale.seconds)  # what is read once is read
        for rate in scale.rates:
            for one, tables in both:
                say(steady(one, tables, rate, scale.seconds))
        time.sleep(scale.rest)
        sizes = [one.size() for one in hosts]
        counts = []
        for one, tables in both:
            line, count = at_most(one, tables, scale.seconds)
            counts.append(count)
            say(line)
        time.sleep(scale.rest)
        for one, before, count in zip(hosts, sizes, counts, strict=True):
            say(growth(one, before, count))
        for one, before in zip(hosts, empty, strict=True):
            say(memory(one, before, scale.tables))
    return lines


if __name__ == "__main__":
    print(f"load before: {os.getloadavg()[0]:.1f}", file=sys.stderr)
    print(
        "| | | p50 / p95 ms to all three screens | ms CPU a tap: companion | PostgreSQL | |\n|---|---|---|---|---|---|"
    )
    chosen = QUICK if "--quick" in sys.argv else FULL
    if "--commits" not in sys.argv:
        main(chosen)
    commits(chosen.seconds)
