"""Who stands where: points by level of victory, then head to head, opponents' score, victory points."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby


@dataclass(frozen=True)
class Level:
    """What a victory is worth whose level has this word in it."""

    word: str
    win: float
    loss: float

    def covers(self, level: str) -> bool:
        return f" {self.word.casefold()} " in f" {' '.join(level.casefold().split())} "


@dataclass(frozen=True)
class Points:
    """What a result is worth to both; the first level whose word a victory has in its own counts."""

    win: float = 3.0
    draw: float = 1.0
    loss: float = 0.0
    bye: float = 3.0
    levels: tuple[Level, ...] = ()

    def of(self, level: str) -> tuple[float, float]:
        """The winner's and the loser's."""
        found = next((known for known in self.levels if known.covers(level)), None)
        return (found.win, found.loss) if found else (self.win, self.loss)


@dataclass(frozen=True)
class Match:
    """One table's result: its players, the winner's name (nobody's for a draw), and each one's victory points.

    A bye has one player.
    """

    players: tuple[str, ...]
    winner: str = ""
    level: str = ""
    vp: Mapping[str, int] = field(default_factory=dict)

    def worth(self, player: str, points: Points) -> float:
        if len(self.players) == 1:
            return points.bye
        if not self.winner:
            return points.draw
        return points.of(self.level)[player != self.winner]

    def lead(self, player: str) -> int:
        """How many victory points more than the opponent's; where a game counts one side's only, the other lacks them."""
        return sum(points if name == player else -points for name, points in self.vp.items())


@dataclass(frozen=True)
class Standing:
    """One line of the standings."""

    rank: int
    """Equal in everything share one."""
    player: str
    points: float
    played: int
    won: int
    drawn: int
    lost: int
    byes: int
    head_to_head: float | None
    """Points against those with equal points; None where they have not all met."""
    opponents: Fraction
    """The mean of the opponents' points, so that a bye does no harm."""
    vp: int


def standings(players: Iterable[str], matches: Sequence[Match], points: Points) -> list[Standing]:
    """Everybody who entered, best first; those equal in everything by name."""
    table = _Table(players, matches, points)
    rows: list[Standing] = []
    for place, name, equal in table.ranked():
        rows.append(table.line(name, rows[-1].rank if equal else place))
    return rows


class _Table:
    def __init__(self, players: Iterable[str], matches: Sequence[Match], points: Points) -> None:
        self.rules = points
        self.of: dict[str, list[Match]] = {name: [] for name in players}
        for match in matches:
            for name in match.players:
                self.of.setdefault(name, []).append(match)
        self.points = {n: sum((m.worth(n, points) for m in own), 0.0) for n, own in self.of.items()}
        self.vp = {n: sum(m.lead(n) for m in own) for n, own in self.of.items()}
        self.opponents = {n: self._opponents(n) for n in self.of}
        self.against = self._head_to_head()

    def _opponents(self, name: str) -> Fraction:
        met = [self.points[other] for m in self.of[name] for other in m.players if other != name]
        return Fraction(sum(met, 0.0)) / len(met) if met else Fraction(0)

    def _head_to_head(self) -> dict[str, float | None]:
        """Among those with equal points, if each of them has met every other."""
        equals: dict[float, list[str]] = defaultdict(list)
        for name, points in self.points.items():
            equals[points].append(name)
        return {name: own for group in equals.values() for name, own in self._among(group)}

    def _among(self, group: Sequence[str]) -> Iterator[tuple[str, float | None]]:
        here = set(group)
        own: dict[str, float] = {}
        for name in group:
            played = [m for m in self.of[name] if len(m.players) == 2 and here >= set(m.players)]
            if len({other for m in played for other in m.players if other != name}) < len(group) - 1:
                yield from ((each, None) for each in group)
                return
            own[name] = sum((m.worth(name, self.rules) for m in played), 0.0)
        yield from ((each, own[each] if len(group) > 1 else None) for each in group)

    def _merit(self, name: str) -> tuple[float, float, Fraction, int]:
        return self.points[name], self.against[name] or 0.0, self.opponents[name], self.vp[name]

    def ranked(self) -> Iterator[tuple[int, str, bool]]:
        """Place, player, and whether he is equal in everything to the one before."""
        order = sorted(sorted(self.of, key=str.casefold), key=self._merit, reverse=True)
        place = 0
        for _, equal in groupby(order, key=self._merit):
            for number, name in enumerate(equal):
                place += 1
                yield place, name, number > 0

    def line(self, name: str, rank: int) -> Standing:
        met = [m for m in self.of[name] if len(m.players) == 2]
        won = sum(m.winner == name for m in met)
        drawn = sum(not m.winner for m in met)
        return Standing(
            rank,
            name,
            self.points[name],
            len(met),
            won,
            drawn,
            len(met) - won - drawn,
            len(self.of[name]) - len(met),
            self.against[name],
            self.opponents[name],
            self.vp[name],
        )
