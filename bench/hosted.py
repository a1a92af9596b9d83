"""Drills with PostgreSQL and two workers: workers are killed, then the database is; and one table tapped through both.

Everything runs here, on loopback; the database makes sure of every commit, as it does at a host's.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bench.cluster import Cluster
from bench.drills import Outcome, Taps, _honest, _missing
from bench.liveserver import LOST, LiveServer, LiveTable, Refused

WORKERS = 2


def workers_of(server: LiveServer) -> list[int]:
    """The processes that serve."""
    pid = server.process.pid if server.process else 0
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@contextmanager
def hosted(folder: Path, workers: int = WORKERS, *args: str) -> Iterator[tuple[Cluster, LiveServer]]:
    """A database and a companion that serves it with so many processes."""
    folder.mkdir(parents=True, exist_ok=True)
    with (
        Cluster() as cluster,
        LiveServer(folder / "data", "--workers", str(workers), *args, database=cluster.database()) as server,
    ):
        if workers > 1:
            _until(lambda: len(workers_of(server)) == workers)
        yield cluster, server
        server.stop()


def _until(true: Callable[[], bool], within: float = 30) -> None:
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        with suppress(Refused, OSError, *LOST):
            if true():
                return
        time.sleep(0.05)
    raise AssertionError("it never came true")


def _tapped_again(table: LiveTable, acts: list[str]) -> None:
    """Impatient thumbs send a tap once more, whatever they were answered."""
    for act in acts:
        _until(lambda act=act: bool(table.roll(act, "german" if int(act.split("-")[1]) % 2 else "soviet")))  # type: ignore[misc]


def worker_kills(cluster: Cluster, server: LiveServer, times: int = 1, taps: int = 40) -> Outcome:
    """Both workers are killed while four players tap; the first process starts them again."""
    acknowledged: list[str] = []
    table = LiveTable(server)
    for number in range(times):
        with Taps(table, 4, f"kill{number}") as players:
            players.until(taps)
            old = workers_of(server)
            for pid in old:
                os.kill(pid, signal.SIGKILL)
        acknowledged += players.acknowledged
        _until(lambda old=old: len(new := workers_of(server)) == WORKERS and not set(new) & set(old))  # type: ignore[misc]
        _tapped_again(table, players.acknowledged[-4:])
    lost, doubled = _missing(acknowledged, table)
    total = len(acknowledged)
    return Outcome(
        f"PostgreSQL, {WORKERS} workers: both killed {times} times under load",
        f"{total} taps acknowledged, {lost} lost, {doubled} doubled",
        not lost and not doubled and total >= times * taps,
    )


def database_kills(cluster: Cluster, server: LiveServer, times: int = 1, taps: int = 40) -> Outcome:
    """The database is killed while four players tap, and started again."""
    acknowledged: list[str] = []
    words, away = "", 0.0
    table = LiveTable(server)
    for number in range(times):
        with Taps(table, 4, f"base{number}") as players:
            players.until(taps)
            cluster.kill()
            players.until_refused(15)
            cluster.start()
            began, before = time.monotonic(), len(players.acknowledged)
            players.until(before + 4)
            away = max(away, time.monotonic() - began)
        acknowledged += players.acknowledged
        words = words or _honest(players.refused)
        _tapped_again(table, players.acknowledged[-4:])
    lost, doubled = _missing(acknowledged, table)
    alive = len(workers_of(server)) == WORKERS
    total = len(acknowledged)
    return Outcome(
        f"PostgreSQL killed and started again {times} times under load",
        f"{total} taps acknowledged, {lost} lost, {doubled} doubled; refused: {words!r}; taps again {away:.1f} s later",
        not lost and not doubled and total >= times * taps and bool(words) and alive and away < 10,
    )


def contention(cluster: Cluster, server: LiveServer, players: int = 8, taps: int = 60) -> Outcome:
    """Many players tap at one table through both workers."""
    table = LiveTable(server)
    with Taps(table, players, "tap") as crowd:
        began = time.monotonic()
        crowd.until(taps)
        rate = len(crowd.acknowledged) / (time.monotonic() - began)
    lost, doubled = _missing(crowd.acknowledged, table)
    views = {str(server.call(f"/api/tables/{table.code}", token=table.tokens["german"])) for _ in range(8)}
    slow, count = len(crowd.refused), len(crowd.acknowledged)
    return Outcome(
        f"PostgreSQL, {WORKERS} workers: {players} players at one table",
        f"{count} taps ({rate:.0f}/s), {lost} lost, {doubled} doubled, {slow} refused, "
        f"views {'equal' if len(views) == 1 else 'differ'}",
        not lost and not doubled and not slow and len(views) == 1 and count >= taps,
    )


DRILLS: dict[str, Callable[..., Outcome]] = {
    "workers killed": worker_kills,
    "database killed": database_kills,
    "one table, two workers": contention,
}


def alone(drill: Callable[..., Outcome]) -> Callable[..., Outcome]:
    """The drill with a database and a companion of its own."""

    def run(folder: Path, **sizes: int) -> Outcome:
        with hosted(folder) as (cluster, server):
            return drill(cluster, server, **sizes)

    return run


HOSTED = {name: alone(drill) for name, drill in DRILLS.items()}
