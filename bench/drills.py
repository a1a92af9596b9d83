"""Drills: a real server on loopback, real clients, and something goes wrong. Each is bounded and stops by itself.

A drill returns what it did and what it found. `make proof` runs them long, `tests/test_drills.py` short.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.liveserver import LOST, LiveOrganiser, LiveServer, LiveTable, Refused


@dataclass(frozen=True)
class Outcome:
    """What a drill did and found."""

    did: str
    found: str
    good: bool


class Taps:
    """Players who tap as fast as they can, and remember what the server acknowledged."""

    def __init__(
        self, table: LiveTable, players: int, name: str, servers: list[LiveServer] | None = None
    ) -> None:
        self.table, self.servers = table, servers or [table.server]
        self.name = name
        self.acknowledged: list[str] = []
        self.refused: list[Refused] = []
        self._stop = threading.Event()
        self._players = [threading.Thread(target=self._play, args=(n,), daemon=True) for n in range(players)]

    def _play(self, number: int) -> None:
        seat = "german" if number % 2 else "soviet"
        server = self.servers[number % len(self.servers)]
        for tap in range(5_000):
            if self._stop.is_set():
                return
            act = f"{self.name}-{number}-{tap}"
            try:
                self.table.roll(act, seat, server)
            except Refused as refused:
                self.refused.append(refused)
                time.sleep(0.02)
                continue
            except LOST:
                return
            self.acknowledged.append(act)

    def __enter__(self) -> Taps:
        for player in self._players:
            player.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for player in self._players:
            player.join(40)

    def until(self, count: int, within: float = 40) -> None:
        """Wait until so many taps were acknowledged."""
        deadline = time.monotonic() + within
        while len(self.acknowledged) < count and time.monotonic() < deadline:
            time.sleep(0.005)

    def until_refused(self, within: float = 10) -> float:
        """Wait for the first refusal, and return how long it took."""
        began = time.monotonic()
        while not self.refused and time.monotonic() < began + within:
            time.sleep(0.005)
        return time.monotonic() - began


def _missing(taps: list[str], table: LiveTable) -> tuple[int, int]:
    """How many acknowledged taps the record lacks, and how many stand in it twice."""
    kept = table.rolled()
    return len(set(taps) - set(kept)), len(kept) - len(set(kept))


def kills(folder: Path, times: int = 3, taps: int = 60) -> Outcome:
    """The plug is pulled while four players tap."""
    lost = doubled = total = 0
    with LiveServer(folder / "data") as server:
        table = LiveTable(server)
        acknowledged: list[str] = []
        for number in range(times):
            with Taps(table, 4, f"kill{number}") as players:
                players.until(taps)
                server.kill()
            acknowledged += players.acknowledged
            server.start()
            for act in players.acknowledged[-4:]:  # impatient thumbs tap again
                table.roll(act, "german" if int(act.split("-")[1]) % 2 else "soviet")
        lost, doubled = _missing(acknowledged, table)
        total = len(acknowledged)
    good = not lost and not doubled and total >= times * taps
    return Outcome(
        f"{times} kills under load", f"{total} taps acknowledged, {lost} lost, {doubled} doubled", good
    )


def contention(folder: Path, players: int = 8, taps: int = 100) -> Outcome:
    """Many players tap at one table."""
    with LiveServer(folder / "data") as server:
        table = LiveTable(server)
        with Taps(table, players, "tap") as crowd:
            crowd.until(taps)
        lost, doubled = _missing(crowd.acknowledged, table)
        slow = len(crowd.refused)
    good = not lost and not doubled and not slow and len(crowd.acknowledged) >= taps
    return Outcome(
        f"{players} players at one table",
        f"{len(crowd.acknowledged)} taps, {lost} lost, {doubled} doubled, {slow} refused",
        good,
    )


def two_processes(folder: Path, taps: int = 80) -> Outcome:
    """Two servers share one data folder."""
    with LiveServer(folder / "data") as one, LiveServer(folder / "data") as other:
        table = LiveTable(one)
        with Taps(table, 4, "tap", [one, other]) as players:
            players.until(taps)
        lost, doubled = _missing(players.acknowledged, table)
        views = [s.call(f"/api/tables/{table.code}", token=table.tokens["german"]) for s in (one, other)]
    same = views[0] == views[1]
    good = not lost and not doubled and same and len(players.acknowledged) >= taps
    return Outcome(
        "two servers on one folder",
        f"{len(players.acknowledged)} taps, {lost} lost, {doubled} doubled, views {'equal' if same else 'differ'}",
        good,
    )


def full_disk(folder: Path, taps: int = 20) -> Outcome:
    """The database's files cannot grow any more, and later can again."""
    with LiveServer(folder / "data") as server:
        table = LiveTable(server)
        with Taps(table, 2, "before") as before:
            before.until(taps)
        pid = server.process.pid if server.process else 0
        largest = max(file.stat().st_size for file in server.data.iterdir())
        _limit_files(pid, largest + 4096)
        with Taps(table, 2, "full") as players:
            players.until_refused(20)
        words = _honest(players.refused)
        _limit_files(pid, resource.RLIM_INFINITY)
        again = table.roll("after")
        lost, doubled = _missing([*before.acknowledged, *players.acknowledged, "after"], table)
    good = bool(words) and not lost and not doubled and bool(again)
    return Outcome(
        "the disk is full, then is not", f"refused: {words!r}; {lost} lost; the next tap is taken", good
    )


def _limit_files(pid: int, size: int) -> None:
    hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)[1]
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, hard))


def _honest(refused: list[Refused]) -> str:
    """The words of the first refusal, when it is one that tells a person something and no path."""
    first = refused[0] if refused else None
    if first is None or first.status not in (503, 507) or "/" in first.words or "Traceback" in first.words:
        return ""
    return str(json.loads(first.words)["error"])


def _unprivileged() -> None:
    """Let even root's own process mind the rights of files (Linux: without CAP_DAC_OVERRIDE)."""
    if sys.platform.startswith("linux") and os.geteuid() == 0:
        drop_from_bounding_set, dac_override = 24, 1
        ctypes.CDLL(None).prctl(drop_from_bounding_set, dac_override, 0, 0, 0)


def read_only(folder: Path) -> Outcome:
    """The data folder may not be written any more, and later may again."""
    with LiveServer(folder / "data", prepare=_unprivileged) as server:
        table = LiveTable(server)
        table.roll("before")
        server.kill()  # rights are looked at when a file is opened
        files = [server.data, *server.data.iterdir()]
        rights = {file: file.stat().st_mode for file in files}
        for file in files:
            file.chmod(rights[file] & ~0o222)
        try:
            server.start()
            read = "before" in table.rolled()
            with Taps(table, 1, "closed") as players:
                players.until_refused()
            server.kill()
        finally:
            for file, mode in rights.items():
                file.chmod(mode)
        words = _honest(players.refused)
        server.start()
        table.roll("after")
        lost, _ = _missing(["before", "after"], table)
    good = bool(words) and read and not players.acknowledged and not lost
    return Outcome(
        "a read-only data folder", f"games can be read; taps refused: {words!r}; {lost} lost", good
    )


def _start_refused(server: LiveServer) -> str:
    """What a server says that cannot start."""
    before = len(server.said())
    with contextlib.suppress(AssertionError):
        server.start()
        server.kill()
        return ""
    return server.said()[before:].strip()


def locked(folder: Path, seconds: float = 3.0) -> Outcome:
    """Another program holds the database for a while."""
    with LiveServer(folder / "data") as server:
        table = LiveTable(server)
        other = sqlite3.connect(server.data / "companion.db", isolation_level=None, check_same_thread=False)
        other.execute("begin immediate")
        threading.Timer(seconds, lambda: other.execute("rollback")).start()
        began = time.monotonic()
        table.roll("waits")
        waited = time.monotonic() - began
        other.close()
        lost, doubled = _missing(["waits"], table)
    good = not lost and not doubled and seconds * 0.8 <= waited < seconds + 5
    return Outcome(
        f"another program locks the file for {seconds:g} s",
        f"the tap waited {waited:.1f} s and counts once",
        good,
    )


def damaged(folder: Path) -> Outcome:
    """The database file is damaged while the companion is off."""
    with LiveServer(folder / "data") as server:
        table = LiveTable(server)
        for number in range(60):
            table.roll(f"tap-{number}")
        server.stop()
        backups = server.data / "backups"
        backups.mkdir(exist_ok=True)
        newest = backups / "companion-20260101-000000.db"
        shutil.copy(server.data / "companion.db", newest)
        file = server.data / "companion.db"
        content = bytearray(file.read_bytes())
        for at in range(4096 * 2, len(content), 4096):
            content[at : at + 64] = b"\xa5" * 64
        file.write_bytes(content)
        said = _start_refused(server)
    good = "Traceback" not in said and "damaged" in said and "companion restore" in said
    words = said[said.find("companion.db ") :].replace(str(folder), "")
    return Outcome("a damaged database", f"said at the start: {words[:150]!r}", good)


def deleted(folder: Path) -> Outcome:
    """The data folder is taken away while players tap, and put back."""
    with LiveServer(folder / "data") as server:
        table = LiveTable(server)
        away = folder / "away"
        with Taps(table, 2, "tap") as players:
            players.until(20)
            server.data.rename(away)
            moved = len(players.acknowledged)
            noticed = players.until_refused(10)
            late = len(players.acknowledged) - moved
        words = _honest(players.refused)
        if server.data.exists():
            shutil.rmtree(server.data)
        away.rename(server.data)
        back = _goes_on(table)
        lost, doubled = _missing([*players.acknowledged, "back"], table) if back else (-1, 0)
    good = bool(words) and noticed <= 2 and not lost and not doubled
    return Outcome(
        "the data folder is gone, then back",
        f"refused after {noticed:.1f} s ({late} taps meanwhile, {lost} lost): {words!r}; goes on when it is back",
        good,
    )


def _goes_on(table: LiveTable) -> bool:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with contextlib.suppress(Refused, *LOST):
            table.roll("back")
            return True
        time.sleep(0.1)
    return False


def clean_stop(folder: Path) -> Outcome:
    """After a clean stop the one file is a complete copy."""
    with LiveServer(folder / "data") as server:
        table = LiveTable(server)
        for number in range(30):
            table.roll(f"tap-{number}")
        code = server.stop()
        alone = folder / "alone"
        alone.mkdir()
        shutil.copy(server.data / "companion.db", alone)
    with LiveServer(alone) as again:
        table.server = again
        lost, _ = _missing([f"tap-{n}" for n in range(30)], table)
        table.roll("after")  # the seats' secrets came along
    good = code == 0 and not lost
    return Outcome(
        "stopped, and companion.db alone copied", f"{lost} of 30 taps lost; the seats still open", good
    )


def takeover(folder: Path, tables: int = 12, taps: int = 20) -> Outcome:
    """The machine dies; a second one takes the stick with its backups, and goes on at the same address."""
    stick, other = folder / "stick", folder / "other"
    stick.mkdir()
    with LiveServer(folder / "data", "--organiser", "--backup-to", str(stick)) as server:
        table, boss = LiveTable(server), LiveOrganiser(server)
        boss.found(tables - 1)
        for number in range(taps):
            table.roll(f"tap-{number}")
        boss.post("/desk/machine/backup")
        table.roll("after the backup")
        server.kill()
        began = time.monotonic()
        command = [sys.executable, "-m", "companion", "restore", str(stick), "--data", str(other)]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        restored = time.monotonic() - began
        second = LiveServer(other, "--organiser")
        second.port, second.url = server.port, server.url
        with second:
            table.server = boss.server = second
            table.roll("goes on")  # by the link that the first machine gave
            took = time.monotonic() - began
            lost, _ = _missing([*(f"tap-{n}" for n in range(taps)), "goes on"], table)
            there = boss.get("/desk").count('class="desk-number"')
    good = not lost and there == tables - 1
    return Outcome(
        f"the machine dies, another takes over {tables} tables from its backup",
        f"restored in {restored:.1f} s, played on at the old links after {took:.1f} s; {lost} taps of before the "
        f"backup lost; the organiser still signed in, {there} tables of the list there",
        good,
    )


Drill = Callable[..., Outcome]
DRILLS: dict[str, Drill] = {
    "kill": kills,
    "contention": contention,
    "two processes": two_processes,
    "disk full": full_disk,
    "read-only": read_only,
    "locked": locked,
    "damaged file": damaged,
    "deleted folder": deleted,
    "clean stop": clean_stop,
    "takeover": takeover,
}
