"""What players feel: from a tap to all three screens, beside the floor of the same run. `python -m bench.felt [--quick]`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path
from statistics import median
from typing import NamedTuple
from urllib.parse import urlencode

import gevent

from bench.crowd import Felt, Link, Screen, Table, Tap, cpu_of, drive
from bench.hall import SAMPLES, Place, found

CPU, P50 = 4.0, 3.0
"""How many times the floor a tap may cost, and its outcome be awaited."""
BYTES = 6_000
"""To all devices, for one tap."""
FORM, PREVIEW = 12.0, 8.0
"""How many constant pages a form and a preview may cost."""
MEMORY = 120
"""MB with the hall full."""
TURNS = 5
"""In which the floor and the companion are measured."""
ONCE = 80
"""Taps a second before that, one at each table."""


class Row(NamedTuple):
    """One line of the table."""

    what: str
    figure: str
    against: str
    target: str
    met: bool


class Scale(NamedTuple):
    """How much is measured."""

    tables: int
    """In the hall; a quarter of them is the small hall."""
    small: Sequence[int]
    """Taps a second in the small hall."""
    large: Sequence[int]
    seconds: float
    singles: int
    """How often each page is asked for; even, so that who walks comes home."""
    aged: int
    """Tables of each game with 5,000 events."""
    rest: float = 4.0
    """Seconds before the memory is read."""


FULL = Scale(200, (5, 10, 20, 40, 80), (10, 20, 40, 80), 5.0, 40, 8)
QUICK = Scale(20, (10,), (20,), 1.0, 4, 1, 0.5)


class Server:
    """A server in a process of its own, on loopback."""

    def __init__(self, module: str, folder: Path, port: int) -> None:
        self.port = port
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, str(folder), str(port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.pid = self.process.pid
        deadline = time.monotonic() + 60
        while True:
            try:
                Link(port).sock.close()
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"{module} did not start") from None
                time.sleep(0.02)

    def memory(self) -> float:
        """Resident memory in MB."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(next(x for x in status.splitlines() if x.startswith("VmRSS")).split()[1]) / 1024

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(10)


def free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def sitting(tables: Sequence[Table]) -> Iterator[Sequence[Table]]:
    """Every device of these tables shows its screen and listens."""
    screens = [screen for table in tables for screen in table.screens.values()]
    for screen in screens:
        screen.open()
    try:
        yield tables
    finally:
        for screen in screens:
            screen.close()


def seated(server: Server, place: Place, number: int) -> Table:
    seats = place.seats.items()
    return Table(
        {s: Screen(server.port, f"/t/{place.code}/{s}", token, n) for n, (s, token) in enumerate(seats)},
        place.taps(number),
    )


def bare(server: Server, number: int) -> Table:
    """Three devices at a table of the floor."""
    screens = {str(n): Screen(server.port, f"/F{number}", "", n) for n in range(3)}
    return Table(screens, repeat(Tap("0", "tap", {})))


# -- tap to three screens --------------------------------------------------------------------------------


def _against(felt: Felt, floor: Felt) -> str:
    return (
        f"{felt.cpu / felt.taps * 1e3:.1f} against {floor.cpu / floor.taps * 1e3:.1f} ms CPU a tap; "
        f"p50 {felt.quantile(0.5):.1f} / {floor.quantile(0.5):.1f}, p95 {felt.quantile(0.95):.1f} / "
        f"{floor.quantile(0.95):.1f} ms; {felt.bytes / felt.taps / 1e3:.1f} KB a tap; "
        f"{felt.late} held up; {len(felt.errors)} errors"
    )


def ratios(what: str, felt: Felt, floor: Felt, most: float = 0.0) -> Row:
    """CPU and waiting as multiples of the floor.

    :param most: milliseconds for nineteen of twenty taps
    """
    cpu = felt.cpu / felt.taps / (floor.cpu / floor.taps)
    half = felt.quantile(0.5) / floor.quantile(0.5)
    size, late = felt.bytes / felt.taps, felt.quantile(0.95)
    met = (
        cpu <= CPU
        and half <= P50
        and size <= BYTES
        and not felt.errors
        and not felt.late
        and (not most or late <= most)
    )
    target = f"<= {CPU:g}x, p50 <= {P50:g}x, <= {BYTES / 1e3:g} KB" + (
        f", p95 <= {most:g} ms" if most else ""
    )
    for error in felt.errors[:3]:
        print(f"{what}: {error}", file=sys.stderr)
    return Row(what, f"{cpu:.1f}x, p50 {half:.1f}x", _against(felt, floor), target, met)


class Hall:
    """The companion and the floor side by side, with the same tables."""

    def __init__(self, folder: Path, scale: Scale) -> None:
        from companion.web.app import create_app

        self.scale, self.asking = scale, list[Screen]()
        app = create_app(folder / "data")
        each = scale.tables // len(SAMPLES)
        self.fresh = [[found(app, sample) for _ in range(each)] for sample in SAMPLES]
        self.aged = [[found(app, sample, rolls=5_000) for _ in range(scale.aged)] for sample in SAMPLES]
        app.extensions["companion"]["store"].close()
        self.server = Server("bench.server", folder / "data", free_port())
        self.floor = Server("bench.floor", folder / "floor", free_port())
        places = [place for group in (*self.fresh, *self.aged) for place in group]
        self.seated = {place.code: seated(self.server, place, n) for n, place in enumerate(places)}

    def stop(self) -> None:
        for screen in self.asking:
            screen.link.sock.close()
        self.server.stop()
        self.floor.stop()

    def drive(self, places: Sequence[Place], rate: float) -> tuple[Felt, Felt]:
        """The same taps on both, in turns: whatever else goes on in the machine slows both."""
        seconds, found = self.scale.seconds / TURNS, (Felt(), Felt())
        with (
            sitting([bare(self.floor, n) for n in range(len(places))]) as bares,
            sitting([self.seated[place.code] for place in places]) as tables,
        ):
            both = ((bares, self.floor.pid, found[1]), (tables, self.server.pid, found[0]))
            for sat, pid, _ in both:  # what is read or made once is read and made
                drive(sat, pid, ONCE, len(sat) / ONCE)
            for turn in range(TURNS):
                first = int(turn * seconds * rate) % len(places)
                for sat, pid, felt in both:
                    felt.add(drive([*sat[first:], *sat[:first]], pid, rate, seconds))
        return found

    def games(self) -> list[Row]:
        """Each game by itself, fresh and with a long record."""
        rows = []
        for sample, fresh, aged in zip(SAMPLES, self.fresh, self.aged, strict=True):
            rows.append(ratios(f"{sample.system}, set up, 10 taps/s", *self.drive(fresh, 10)))
            rows.append(ratios(f"{sample.system}, after 5,000 events, 10 taps/s", *self.drive(aged, 10)))
        return rows

    def crowds(self) -> list[Row]:
        """All games together, at a small and at a large hall."""
        rows = []
        small = [place for places in self.fresh for place in places[: len(places) // 4 or 1]]
        large = [place for places in self.fresh for place in places]
        for rate in self.scale.small:
            most = 60 if rate == 40 else 0
            rows.append(
                ratios(f"{len(small)} tables x 3, {rate} taps/s", *self.drive(small, rate), most=most)
            )
        for rate in self.scale.large:
            most = 150 if rate == 80 else 0
            rows.append(
                ratios(f"{len(large)} tables x 3, {rate} taps/s", *self.drive(large, rate), most=most)
            )
        return rows

    def memory(self) -> Row:
        """After pages were looked at and every table was tapped, with every device there and at rest.

        Tables with a long record come afterwards: they are more than those that the target is for.
        """
        places = [place for places in self.fresh for place in places]
        with sitting([self.seated[place.code] for place in places]):
            gevent.sleep(self.scale.rest)  # what six hundred pages took is given back
            held = self.server.memory()
        what = f"memory with {len(places)} tables, {3 * len(places)} devices"
        return Row(
            what,
            f"{held:.0f} MB",
            f"{self.floor.memory():.0f} MB of the floor",
            f"<= {MEMORY} MB",
            held <= MEMORY,
        )

    # -- single pages ------------------------------------------------------------------------------------

    def alone(self, screen: Screen) -> Screen:
        """A device that only asks, without a stream; it leaves when the hall closes."""
        self.asking.append(screen.connect())
        return screen

    def singles(self) -> list[Row]:
        """Forms, pages and taps one at a time, by the server's processor time."""
        floor = self.alone(bare(self.floor, 0).screens["0"])
        page = self.cost(self.floor, lambda _: floor.look())
        tap = self.cost(self.floor, lambda _: floor.tap(Tap("0", "tap", {})))
        watcher = self.alone(Screen(self.server.port, "/", "", 0))
        rows = [
            _row("the hall", self.cost(self.server, lambda _: watcher.ask("GET", "/hall", target="")), page)
        ]
        for places in self.fresh:
            rows += self._pages(places[-1], page)
            rows += self._taps(places[-1], tap)
        return rows

    def _pages(self, place: Place, page: float) -> list[Row]:
        sample = place.sample
        base, name = f"/t/{place.code}/{sample.seat}", sample.system
        mine = self.alone(Screen(self.server.port, base, place.seats[sample.seat], 0))
        typed = urlencode({**sample.form, "rev": 1}).encode()
        form, preview = f"{base}/do/{sample.combat}", f"{base}/preview/{sample.combat}"
        asked: list[tuple[str, float, Callable[[int], object]]] = [
            ("opening a combat form", FORM, lambda _: mine.ask("GET", form, target="sheet")),
            ("a preview", PREVIEW, lambda _: mine.ask("POST", preview, typed, "sheet")),
            ("the map", 0, lambda _: mine.ask("GET", f"{base}/map", target="")),
            ("the units", 0, lambda _: mine.ask("GET", f"{base}/units", target="")),
            ("the log", 0, lambda _: mine.ask("GET", f"{base}/log", target="")),
        ]
        return [_row(f"{name}: {what}", self.cost(self.server, ask), page, most) for what, most, ask in asked]

    def _taps(self, place: Place, tap: float) -> list[Row]:
        """A combat and a move on the map by themselves, without the screens that follow."""
        sample = place.sample
        screens = {s: Screen(self.server.port, f"/t/{place.code}/{s}", t, 0) for s, t in place.seats.items()}
        mine, table = self.alone(screens[sample.seat]), self.alone(screens["table"])

        def settle() -> None:
            table.look()
            if table.asked:
                table.tap(Tap("table", "do/dismiss", {"ask": table.asked}))

        combat = urlencode({**sample.form, "anyway": "on"}).encode()
        fought = self.cost(
            self.server,
            lambda _: mine.ask("POST", f"{mine.base}/do/{sample.combat}", combat, "sheet"),
            between=settle,
        )
        moves = [urlencode({"units": place.walker, "hex": h}).encode() for h in reversed(place.hexes)]
        moved = self.cost(
            self.server, lambda n: mine.ask("POST", f"{mine.base}/map/move", moves[n % 2], "sheet")
        )
        against = "of a bare tap"
        return [
            _row(f"{sample.system}: a resolved combat", fought, tap, against=against),
            _row(f"{sample.system}: a move on the map", moved, tap, against=against),
        ]

    def cost(
        self, server: Server, ask: Callable[[int], object], between: Callable[[], None] = lambda: None
    ) -> float:
        """Seconds of the server for one answer, in the middle of many.

        :param between: what makes the same possible again, and does not count
        """
        used = []
        for number in range(self.scale.singles):
            before = cpu_of(server.pid)
            ask(number)
            gevent.sleep(0.002)  # what it does after its answer counts, too
            used.append(cpu_of(server.pid) - before)
            between()
        return median(used)


def _row(what: str, cost: float, floor: float, most: float = 0, against: str = "of a constant page") -> Row:
    ratio = cost / floor
    detail = f"{cost * 1e3:.1f} ms against {floor * 1e3:.2f} ms {against}, CPU"
    return Row(what, f"{ratio:.1f}x", detail, f"<= {most:g}x" if most else "-", not most or ratio <= most)


def main(quick: bool = False, scale: Scale | None = None) -> list[Row]:
    """All of it: some minutes, or half a minute when it is quick."""
    with tempfile.TemporaryDirectory() as name:
        hall = Hall(Path(name), scale or (QUICK if quick else FULL))
        try:
            return [*hall.singles(), *hall.crowds(), hall.memory(), *hall.games()]
        finally:
            hall.stop()


def show(rows: Sequence[Row]) -> None:
    """The table, as docs/bench.md has it."""
    print("| measured | figure | side by side | target | met |")
    print("|---|---|---|---|---|")
    for row in rows:
        print(f"| {row.what} | {row.figure} | {row.against} | {row.target} | {'yes' if row.met else 'NO'} |")


if __name__ == "__main__":
    measured = main("--quick" in sys.argv)
    show(measured)
    sys.exit(0 if all(row.met for row in measured) else 1)
