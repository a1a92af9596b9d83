"""What the tables of a round came to: their own reports, and the organiser's word where he corrected one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from companion.hall.rounds import Contest, Correction, Pair, Round, key
from companion.hall.standings import Match
from companion.store import NoTable, Store, TableRow
from companion.tables.outcome import outcome
from companion.tables.tables import Tables

OPENING = 60
"""So many lines of a record at most are looked through for the first thing that was done at the table."""


@dataclass(frozen=True)
class Report:
    """A finished table's own word."""

    winner: str
    """A side; empty when nobody won."""
    level: str = ""
    vp: Mapping[str, int] = field(default_factory=dict)
    why: str = ""
    minutes: int | None = None
    """From the first thing done at the table to the end."""
    clock: Mapping[str, float] = field(default_factory=dict)
    """The seconds that each side was awaited, where the table's clocks ran."""

    @property
    def decided(self) -> bool:
        """Whether the table knows who won, or that it is a draw; some games must be counted by hand at the end."""
        return bool(self.winner) or "draw" in self.level.casefold()


@dataclass(frozen=True)
class Line:
    """A table of a published round, and how it stands with its result."""

    round: int
    pair: Pair
    sides: tuple[str, str]
    report: Report | None = None
    correction: Correction | None = None
    row: TableRow | None = None
    """The companion's table; None where it is not here any more."""

    @property
    def key(self) -> str:
        return key(self.round, self.pair.table)

    @property
    def result(self) -> Report | Correction | None:
        """What counts: the organiser's word before the table's, and an undecided one not at all."""
        if self.correction is not None:
            return self.correction
        return self.report if self.report is not None and self.report.decided else None

    @property
    def winner(self) -> str:
        """The winner's name; empty for a draw or while there is no result."""
        return self.by_side.get(self.result.winner, "") if self.result else ""

    @property
    def by_side(self) -> dict[str, str]:
        """The players by their sides."""
        return dict(zip(self.sides, self.pair.players, strict=True))

    @property
    def match(self) -> Match | None:
        """What it means for the standings."""
        if self.result is None:
            return None
        vp = {self.by_side[side]: points for side, points in self.result.vp.items() if side in self.by_side}
        return Match(self.pair.players, self.winner, self.result.level, vp)


class Reports:
    """The reports of the tables of this installation; what was read once of an ended table is kept."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self._kept: dict[str, tuple[int, Report]] = {}

    def sides(self, system: str) -> tuple[str, str]:
        """The two sides of a game."""
        first, second = (side.id for side in self.tables.system(system).kit.system.sides[:2])
        return first, second

    def lines(self, contest: Contest, rounds: Iterable[Round] | None = None) -> list[Line]:
        """The tables of these published rounds, or of all."""
        store = self.tables.store
        rows = {row.code: row for archived in (False, True) for row in store.tables(archived=archived)}
        return [
            Line(
                one.number,
                pair,
                self.sides(pair.system),
                self._report(rows.get(pair.code)),
                contest.results.get(key(one.number, pair.table)),
                rows.get(pair.code),
            )
            for one in (contest.published if rounds is None else rounds)
            for pair in one.tables
        ]

    def matches(self, contest: Contest) -> dict[str, Match]:
        """What counts, by round and table."""
        return {line.key: line.match for line in self.lines(contest) if line.match}

    def _report(self, row: TableRow | None) -> Report | None:
        if row is None or not row.ended:
            return None
        kept = self._kept.get(row.code)
        if kept is None or kept[0] != row.revision:
            kept = self._kept[row.code] = row.revision, self._read(row)
        return kept[1]

    def _read(self, row: TableRow) -> Report:
        told = row.summary.get("result")
        if told is None:  # it ended under a version that did not keep it there
            told = outcome(self.tables.system(row.system), self.tables.game(row.code)) or {}
        return Report(
            str(told.get("winner", "")),
            str(told.get("level", "")),
            dict(told.get("vp", {})),
            str(row.summary.get("ended", "")),
            _minutes(self.tables.store, row.code),
            dict(told.get("clock", {})),
        )


def _minutes(store: Store, code: str) -> int | None:
    """How long a table was played at, by the times of its record."""
    try:
        ended = store.events(code, kinds=("ended",))
        first = next(
            (e for e in store.events(code, 0, OPENING) if e.name != "open" and e.kind != "seated"), None
        )
    except NoTable:
        return None
    if not ended or first is None:
        return None
    taken = datetime.fromisoformat(ended[-1].at) - datetime.fromisoformat(first.at)
    return max(0, round(taken.total_seconds() / 60))
