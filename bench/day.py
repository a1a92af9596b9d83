"""A convention's day: an organiser pairs a hall, its tables play with every device connected, report, and are paired again.

Everything goes through a real server's pages on loopback, also the organiser's; between founding and play it is restarted.
What the results must be is worked out here by itself, from what the players did.
"""

from __future__ import annotations

import csv
import io
import os
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlencode

import gevent
from gevent.pool import Pool

from bench.crowd import Failed, Felt, Link, Screen, Table, Tap, drive
from bench.drills import Outcome
from bench.hall import SAMPLES, Place, Sample, made_ready
from bench.liveserver import LiveServer

WIN, DRAW, BYE = 3, 1, 3
"""What a result is worth unless the organiser says otherwise."""


class Organiser:
    """The organiser's browser."""

    def __init__(self, server: LiveServer) -> None:
        self.server, self.cookie = server, ""
        words = re.search(r"Organiser's passphrase: (\S+)", server.said())
        if words is None:
            raise Failed("no passphrase was printed")
        self.post("sign-in", passphrase=words[1])

    def _ask(self, method: str, page: str, body: bytes = b"") -> str:
        link = Link(self.server.port)
        link.sock.settimeout(120)  # founding a hall takes some seconds
        headers = {"Origin": self.server.url, **({"Cookie": self.cookie} if self.cookie else {})}
        link.send(method, f"/desk/{page}", headers, body)
        status, answer = link.answer()
        link.sock.close()
        if status >= 400:
            raise Failed(f"{method} /desk/{page}: {status} {re.sub(r'<[^>]*>', ' ', answer.decode())[-300:]}")
        key = re.search(rb"set-cookie: (organiser-key=[0-9a-f]+)", link.head)
        self.cookie = key[1].decode() if key else self.cookie
        return answer.decode()

    def post(self, page: str, **form: str) -> None:
        self._ask("POST", page, urlencode(form).encode())

    def table(self, page: str) -> list[dict[str, str]]:
        """A spreadsheet."""
        return list(csv.DictReader(io.StringIO(self._ask("GET", page))))


@dataclass
class Day:
    """What was done and what came of it."""

    founded: float = 0.0
    paired: float = 0.0
    felt: Felt = field(default_factory=Felt)
    wrong: list[str] = field(default_factory=list)
    others: float = 0.0
    """The part of the machine that other programs used while it was measured."""
    again: int = 0
    """Players on the same side twice running."""

    def expect(self, good: bool, words: str) -> None:
        if not good:
            self.wrong.append(words)


def _players(sample: Sample, tables: int, odd: bool) -> list[str]:
    return [f"{sample.system} {n:03d}" for n in range(2 * tables + odd)]


def _enter(organiser: Organiser, each: int) -> None:
    """A tournament for each game; an odd number in the first, so that somebody has a bye."""
    lines = []
    for sample in SAMPLES:
        organiser.post(
            "players/tournament", name=sample.system, scenario=f"{sample.system}/{sample.scenario}"
        )
        lines += [f"{n},{sample.system}" for n in _players(sample, each, sample is SAMPLES[0])]
    organiser.post("players", list="\n".join(lines))


def _ready(data: Path, rows: Sequence[dict[str, str]]) -> dict[str, Place]:
    """The founded tables set up at a phase with combats, while no server runs; by code."""
    from companion.web.app import create_app

    app = create_app(data)
    samples = {sample.system: sample for sample in SAMPLES}
    try:
        return {row["code"]: made_ready(app, samples[row["game"]], row["code"]) for row in rows}
    finally:
        app.extensions["companion"]["store"].close()


def _named(taps: Iterator[Tap], code: str, said: list[str]) -> Iterator[Tap]:
    """The same taps, with a name for every roll and note by which it is found again."""
    words = {"do/roll-dice": "purpose", "do/note": "text"}
    for number, tap in enumerate(taps):
        if tap.path in words:
            said.append(f"{code}-{number}")
            tap = replace(tap, fields={**tap.fields, words[tap.path]: said[-1]})
        yield tap


@contextmanager
def _everybody(
    server: LiveServer, places: dict[str, Place], said: dict[str, list[str]]
) -> Iterator[dict[str, Table]]:
    """Three devices at every table, joined by their links, and two boards of the hall."""
    tables = {}
    boards = [Screen(server.port, "/hall", "", n) for n in range(2)]
    for number, (code, place) in enumerate(places.items()):
        screens = {
            s: Screen(server.port, f"/t/{code}/{s}", t, n) for n, (s, t) in enumerate(place.seats.items())
        }
        tables[code] = Table(screens, _named(place.taps(number), code, said.setdefault(code, [])))
    everywhere = [*boards, *(screen for table in tables.values() for screen in table.screens.values())]

    def sit_down(screen: Screen) -> None:
        if screen not in boards:
            token = screen.headers["Authorization"].split()[1]
            link = Link(server.port)
            link.send("GET", f"/j/{screen.base.split('/')[2]}/{token}", {})
            if link.answer()[0] != 303:
                raise Failed(f"{screen.base}: the link does not open")
            link.sock.close()
        screen.open()

    Pool(8).map(sit_down, everywhere)
    gevent.sleep(0.5)
    try:
        yield tables
    finally:
        for screen in everywhere:
            screen.close()


def _machine() -> tuple[float, float]:
    """Seconds that all cores of this machine have worked, and those that have passed for them."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    idle = ticks[3] + ticks[4]
    second = os.sysconf("SC_CLK_TCK")
    return (sum(ticks) - idle) / second, sum(ticks) / second


def _measured(day: Day, tables: Sequence[Table], pid: int, rate: float, seconds: float) -> None:
    """Taps at this rate, and how much of the machine others used meanwhile."""
    busy, passed, own = *_machine(), time.process_time()
    day.felt = drive(tables, pid, rate, seconds)
    busy, passed, own = _machine()[0] - busy, _machine()[1] - passed, time.process_time() - own
    day.others = max(0.0, busy - own - day.felt.cpu) / max(passed, 0.01)


# -- the end of a round ----------------------------------------------------------------------------------


def _end(table: Table, sides: Sequence[str], winner: str) -> None:
    """One player says how it ended, the other agrees."""
    one, other = (table.screens[side] for side in sides)
    one.tap(Tap(sides[0], "do/end-game", {"winner": winner, "why": "time is up"}, sheet=True))
    deadline = time.monotonic() + 20
    while True:
        page = other.ask("GET", other.base, target="").decode()
        asked = re.search(r'name="ask" value="(end[^"]*)"', page)
        if asked:
            break
        if time.monotonic() > deadline:
            raise Failed(f"{other.base} is not asked to agree")
        gevent.sleep(0.2)
    other.tap(Tap(sides[1], "do/agree", {"ask": asked[1], "yes": "on"}))


def _score(rows: Sequence[dict[str, str]], winners: dict[str, str]) -> Counter[str]:
    """Everybody's points after one round, by the hall's own arithmetic."""
    points: Counter[str] = Counter()
    for row in rows:
        names = {row["side 1"]: row["player 1"], row["side 2"]: row["player 2"]}
        winner = names.get(winners[row["code"]], "")
        for name in names.values():
            points[name] += WIN if name == winner else DRAW if not winner else 0
    return points


def _check_results(day: Day, organiser: Organiser, winners: dict[str, str]) -> None:
    rows = [row for row in organiser.table("results.csv") if row["round"] == "1"]
    day.expect(len(rows) == len(winners), f"{len(rows)} results of {len(winners)} tables")
    for row in rows:
        names = {row["side 1"]: row["player 1"], row["side 2"]: row["player 2"], "nobody": "draw"}
        right = names[winners[row["code"]]]
        day.expect(row["winner"] == right, f"table {row['table']}: {row['winner']!r} instead of {right!r}")
    points = _score(rows, winners)
    for name in [
        n for row in organiser.table("rounds/1.csv") if not row["player 2"] for n in [row["player 1"]]
    ]:
        points[name] += BYE
    told = {row["player"]: float(row["points"]) for row in organiser.table("standings.csv")}
    day.expect(told == {name: float(points[name]) for name in told}, "the standings are not what was played")
    day.expect(len(told) == 2 * len(winners) + 1, f"{len(told)} players in the standings")


def _check_next(day: Day, organiser: Organiser) -> None:
    first, second = (organiser.table(f"rounds/{n}.csv") for n in (1, 2))
    seated = Counter(name for row in second for name in (row["player 1"], row["player 2"]) if name)
    day.expect(set(seated.values()) == {1}, "somebody plays twice in round 2")
    before = {frozenset((row["player 1"], row["player 2"])) for row in first}
    day.expect(
        all({r["player 1"], r["player 2"]} not in before for r in second), "somebody meets somebody again"
    )
    sides = {row[p]: p for row in first if row["player 2"] for p in ("player 1", "player 2")}
    day.again = sum(
        sides.get(row[p]) == p for row in second if row["player 2"] for p in ("player 1", "player 2")
    )


# -- the day ---------------------------------------------------------------------------------------------


def _check_record(day: Day, server: LiveServer, tables: dict[str, Table], said: dict[str, list[str]]) -> None:
    """Every roll and note is on record once, and every screen shows the end of it."""
    for code, table in tables.items():
        events, since = [], 0
        while page := server.call(f"/api/tables/{code}/events?since={since}")["events"]:
            events += page
            since = page[-1]["seq"]
        words = [event.get("purpose") or event.get("text") or "" for event in events]
        kinds = [event["kind"] for event in events]
        named = [
            word
            for kind, word in zip(kinds, words, strict=True)
            if kind in ("rolled", "noted") and word.startswith(f"{code}-")
        ]
        day.expect(
            named == said[code], f"{code}: {len(said[code])} rolls were made, {len(named)} are on record"
        )
        late = [screen.base for screen in table.screens.values() if screen.shown != since]
        day.expect(not late, f"{late} do not show line {since}")


def live(folder: Path, tables: int, rate: float, seconds: float) -> Day:
    """A day with so many tables, so many taps a second for so many seconds."""
    day, said = Day(), dict[str, list[str]]()
    with LiveServer(folder / "data", "--organiser") as server:
        organiser = Organiser(server)
        _enter(organiser, max(2, tables // len(SAMPLES)))  # two who met have nobody else in a field of two
        organiser.post("rounds/pair")
        began = time.monotonic()
        organiser.post("rounds/publish", round="1")
        day.founded = time.monotonic() - began
        rows = organiser.table("results.csv")
        server.stop()
        places = _ready(folder / "data", rows)
        server.start()
        pid = server.process.pid if server.process else 0
        with _everybody(server, places, said) as sitting:
            drive(list(sitting.values()), pid, rate, min(5.0, seconds / 4))  # what is read once is read
            _measured(day, list(sitting.values()), pid, rate, seconds)
            day.wrong += day.felt.errors[:5]
            gevent.sleep(1)
            _check_record(day, server, sitting, said)
            winners = {}
            for number, row in enumerate(rows):
                winners[row["code"]] = (row["side 1"], row["side 2"], "nobody")[number % 3]
            ending = Pool(8)
            for row in rows:
                sides = row["side 1"], row["side 2"]
                ending.spawn(_end, sitting[row["code"]], sides, winners[row["code"]])
            ending.join(raise_error=True)
        _check_results(day, organiser, winners)
        began = time.monotonic()
        organiser.post("rounds/pair")
        day.paired = time.monotonic() - began
        organiser.post("rounds/publish", round="2")
        _check_next(day, organiser)
        day.expect("Traceback" not in server.said(), "the server has stumbled")
    return day


def convention_day(
    folder: Path, tables: int = 10, rate: float = 10.0, seconds: float = 2.0, most: float = 0.0
) -> Outcome:
    """The drill.

    :param most: milliseconds within which nineteen of twenty taps must be on all three screens; 0 for any
    """
    day = live(folder, tables, rate, seconds)
    felt, late = day.felt, day.felt.quantile(0.95)
    did = (
        f"{tables} tables, {3 * tables} devices, {len(felt.waits)} taps at {rate:g}/s, a restart, two rounds"
    )
    found = (
        f"p50 {felt.quantile(0.5):.0f}, p95 {late:.0f} ms ({day.others:.0%} of the machine used by others), "
        f"{felt.cpu / felt.taps * 1e3:.1f} ms CPU a tap; founded in {day.founded:.1f} s, paired in {day.paired:.2f} s; "
        f"{day.again} on the same side again; {'; '.join(day.wrong[:3]) or 'nothing lost, doubled or miscounted'}"
    )
    return Outcome(did, found, not day.wrong and not felt.late and (not most or late <= most))
