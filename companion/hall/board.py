"""The hall board: every table at a glance, those that need somebody first. It tells only what a watcher may see."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from companion.hall.roll import HallTable
from companion.store import TableRow
from companion.systems import System

QUIET, STUCK = 30, 90
"""Minutes without an action, and in one phase, after which a table is worth a look."""
State = Literal["judge", "quiet", "stuck", "", "new", "paused", "ended"]
FIRST: tuple[State, ...] = ("judge", "quiet", "stuck", "", "new", "paused", "ended")
"""The order in which tables want somebody."""


@dataclass(frozen=True)
class Player:
    """A side of a table, and who plays it where the organiser said so."""

    side: str
    side_name: str
    name: str
    awaited: bool


@dataclass(frozen=True)
class Row:
    """One table on the board."""

    code: str
    number: int
    """Its number in the hall; 0 where the organiser gave it none."""
    title: str
    system: str
    game: str
    scenario: str
    players: Sequence[Player]
    turn: str
    phase: str
    score: str
    judge: str
    why: str
    """How the game ended, or why it is paused."""
    state: State
    called: int
    """Minutes since the judge was called."""
    waits: int
    """Minutes that the sides to act are awaited."""
    quiet: int
    """Minutes since anything happened."""

    @property
    def words(self) -> str:
        """All that can be searched for."""
        names = " ".join(f"{p.name} {p.side_name}" for p in self.players)
        return f"{self.number or ''} {self.code} {self.title} {self.game} {self.scenario} {names}".casefold()


class Ages:
    """How long ago moments of the record were, anchored when this process first heard of each.

    From there it is counted by a clock that only goes forward: a jump of the time of day makes no table idle.
    """

    def __init__(
        self,
        now: Callable[[], float] = time.monotonic,
        wall: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.now, self.wall = now, wall
        self._known: dict[tuple[str, str], tuple[str, float]] = {}

    def minutes(self, code: str, what: str, at: str) -> int:
        """Whole minutes since a moment of a table, by what it was the moment of."""
        known = self._known.get((code, what))
        if known is None or known[0] != at:
            known = self._known[code, what] = (at, self.now() - self._ago(at))
        return max(0, int((self.now() - known[1]) // 60))

    def _ago(self, at: str) -> float:
        try:
            then = datetime.fromisoformat(at)
        except ValueError:
            return 0.0
        return max(0.0, (self.wall() - (then if then.tzinfo else then.replace(tzinfo=UTC))).total_seconds())


def rows(
    tables: Iterable[TableRow],
    listed: Mapping[str, HallTable],
    systems: Mapping[str, System],
    ages: Ages,
    quiet: int = QUIET,
    stuck: int = STUCK,
) -> list[Row]:
    """Every table that is not closed, in no order."""
    found = []
    for table in tables:
        system, own = systems.get(table.system), listed.get(table.code)
        if system is not None and (own is None or own.state != "closed"):
            found.append(_row(table, own, system, ages, quiet, stuck))
    return found


def _row(table: TableRow, own: HallTable | None, system: System, ages: Ages, quiet: int, stuck: int) -> Row:
    kit, summary = system.kit.system, table.summary
    scenario = system.kit.scenarios.get(table.scenario)
    idle = ages.minutes(table.code, "changed", table.changed_at)
    waits = ages.minutes(table.code, "since", str(summary.get("since") or table.changed_at))
    phase = ages.minutes(table.code, "phase", str(summary.get("phase_since") or table.changed_at))
    names = own.players if own else {}
    active = summary.get("active")
    awaited = [] if table.ended else summary.get("awaited") or ([active] if active else [])
    last = f" of {summary['last']}" if summary.get("last") else ""
    return Row(
        table.code,
        own.number if own else 0,
        (own.name if own else "") or table.title,
        table.system,
        kit.name,
        scenario.name if scenario else table.scenario,
        [Player(s.id, s.name, str(names.get(s.id, "")), s.id in awaited) for s in kit.sides],
        f"{kit.turn_name} {summary.get('turn', '')}{last}",
        str(summary.get("phase", "")),
        str(summary.get("score", "")),
        str(summary.get("judge", "")),
        str(summary.get("ended") or "ended") if table.ended else own.why if own else "",
        _state(table, own, idle >= quiet, phase >= stuck),
        ages.minutes(table.code, "judge", str(summary.get("judge_since") or table.changed_at)),
        waits,
        idle,
    )


def _state(table: TableRow, own: HallTable | None, quiet: bool, stuck: bool) -> State:
    if table.ended:
        return "ended"
    if table.summary.get("judge"):
        return "judge"
    if own is not None and own.state == "paused":
        return "paused"
    if not table.summary.get("played", True):
        return "new"  # set up days before, it is not idle
    return "quiet" if quiet else "stuck" if stuck else ""


def _pressing(row: Row) -> int:
    """How long a table that needs somebody has needed him."""
    return row.called if row.state == "judge" else row.quiet if row.state in ("quiet", "stuck") else 0


ORDERS: dict[str, tuple[str, Callable[[Row], tuple[object, ...]]]] = {
    "needs": ("Who needs somebody", lambda r: (FIRST.index(r.state), -_pressing(r))),
    "table": ("Table", lambda r: ()),
    "game": ("Game", lambda r: (r.game,)),
    "waits": ("Longest wait", lambda r: (r.state in ("new", "paused", "ended"), -r.waits)),
}
"""How the board can be sorted: its label, and what comes before the table's number."""
SHOWN = {
    "": "All",
    "judge": "Judge called",
    "quiet": "Idle",
    "stuck": "Stuck",
    "play": "In play",
    "new": "Not begun",
    "ended": "Ended",
}
"""Which tables are shown."""


@dataclass(frozen=True)
class Wanted:
    """What of the board is looked at."""

    game: str = ""
    shown: str = ""
    order: str = "needs"
    text: str = ""

    @property
    def filters(self) -> bool:
        """Whether it is anything but the whole board in its own order."""
        return self != Wanted()

    def of(self, found: Iterable[Row]) -> list[Row]:
        """The rows that are wanted, sorted."""
        sort = ORDERS[self.order][1]
        words = self.text.casefold().split()
        kept = [row for row in found if self._fits(row) and all(word in row.words for word in words)]
        return sorted(kept, key=lambda r: (*sort(r), not r.number, r.number, r.code))

    def _fits(self, row: Row) -> bool:
        if self.game and row.system != self.game:
            return False
        return (
            not self.shown
            or row.state == self.shown
            or (self.shown == "play" and row.state not in ("new", "ended"))
        )


def counted(found: Iterable[Row]) -> Counter[str]:
    """How many tables are in which state."""
    return Counter(str(row.state) for row in found)
