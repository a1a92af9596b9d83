"""The next round by the Swiss system: like meets like, nobody the same opponent twice, nobody a second bye.

Own code, because the libraries that there are pair chess players: FIDE's colours, files of their own, or a compiler to
build them with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from companion.hall.matching import most_couples


@dataclass(frozen=True)
class Entrant:
    """One who is to be paired: what he has, whom he met, on which sides he played, oldest first."""

    name: str
    points: float = 0.0
    met: tuple[str, ...] = ()
    sides: tuple[str, ...] = ()
    byes: int = 0


@dataclass(frozen=True)
class Draw:
    """A round as it is proposed: couples with the one on the game's first side first, and who sits out."""

    couples: tuple[tuple[str, str], ...]
    bye: str = ""


def draw(entrants: Sequence[Entrant], sides: tuple[str, str]) -> Draw:
    """Pair them, best first as they are given.

    The fewest repeats there can be come first; then byes to whoever had the fewest, lowest first; then nobody far too often
    on one side, equal points, sides that both are due, and the upper half of equal points against its lower half.
    """
    bye = _sits_out(entrants) if len(entrants) % 2 else None
    field = _Field([one for one in entrants if one is not bye], sides)
    couples = [field.seated(a, b, number) for number, (a, b) in enumerate(field.coupled())]
    return Draw(tuple(couples), bye.name if bye else "")


def repeats(draw: Draw, entrants: Iterable[Entrant]) -> list[tuple[str, str]]:
    """The couples of a draw who have met before."""
    met = {entrant.name: set(entrant.met) for entrant in entrants}
    return [(a, b) for a, b in draw.couples if b in met.get(a, ()) or a in met.get(b, ())]


def _times_met(entrants: Sequence[Entrant]) -> list[Counter[int]]:
    place = {entrant.name: n for n, entrant in enumerate(entrants)}
    return [Counter(place[name] for name in entrant.met if name in place) for entrant in entrants]


def _strangers(met: Sequence[Counter[int]]) -> list[set[int]]:
    found = [set(range(len(met))) - {place} for place in range(len(met))]
    for a, others in enumerate(met):
        for b in others:
            found[a].discard(b)
            found[b].discard(a)
    return found


def _sits_out(entrants: Sequence[Entrant]) -> Entrant:
    """Whoever had the fewest byes, lowest first, unless the others could not be paired without a repeat."""
    strangers = _strangers(_times_met(entrants))
    everybody = range(len(entrants))
    all_couples = most_couples(strangers, everybody)
    best: tuple[int, int, int] | None = None
    for place in reversed(everybody):
        byes = entrants[place].byes
        if best is not None and best[:2] <= (byes, 0):
            continue
        others = [n for n in everybody if n != place]
        left = len(others) - len(most_couples(strangers, others, all_couples))
        if best is None or (byes, left) < best[:2]:
            best = byes, left, place
    return entrants[best[2] if best else -1]


class _Field:
    """An even number of entrants, by their places from the best down."""

    def __init__(self, entrants: Sequence[Entrant], sides: tuple[str, str]) -> None:
        self.entrants = entrants
        self.met = _times_met(entrants)
        self.points = [entrant.points for entrant in entrants]
        self.leans = [_lean(entrant, sides) for entrant in entrants]

    def _willing(self) -> list[set[int]]:
        """Whom each may meet: strangers, and no two who both had one side far too often, unless that made a repeat."""
        strangers = _strangers(self.met)
        far = [(lean > 0) - (lean < 0) if abs(lean) > 1 else 0 for lean, _ in self.leans]
        if not any(far):
            return strangers
        strict = [{b for b in others if far[a] * far[b] <= 0} for a, others in enumerate(strangers)]
        everybody = range(len(strangers))
        enough = len(most_couples(strict, everybody)) == len(most_couples(strangers, everybody))
        return strict if enough else strangers

    def coupled(self) -> list[tuple[int, int]]:
        """From the best down, each with the likeliest opponent who leaves the others no more repeats than need be."""
        willing = self._willing()
        left = list(range(len(willing)))
        couples = most_couples(willing, left)
        spare = (len(left) - len(couples)) // 2  # who have met and yet must meet again
        found = []
        while left:
            one, *others = left
            for other in self._by_preference(one, others):
                again = int(other not in willing[one])
                if again > spare:
                    continue
                rest = [n for n in others if n != other]
                tried = most_couples(willing, rest, couples)
                if len(rest) - len(tried) <= 2 * (spare - again):
                    couples, spare, left = tried, spare - again, rest
                    found.append((one, other))
                    break
        return found

    def _by_preference(self, one: int, others: Sequence[int]) -> list[int]:
        """The opponents of one: those he met least, nearest in points, due the other side, half a group away."""
        points, (balance, last), met = self.points[one], self.leans[one], self.met[one]
        equals = [other for other in others if self.points[other] == points]
        half = (len(equals) - 1) // 2 if equals else 0
        away = {other: abs(n - half) for n, other in enumerate(equals)}

        def key(other: int) -> tuple[int, float, bool, int, int]:
            theirs, their_last = self.leans[other]
            clash = balance * theirs > 0 or (balance == theirs == 0 and last * their_last > 0)
            return met[other], abs(self.points[other] - points), clash, away.get(other, other), other

        return sorted(others, key=key)

    def seated(self, a: int, b: int, number: int) -> tuple[str, str]:
        """The first side goes to whoever had it less, then to whoever did not have it last, then turn by turn."""
        first, second = self.entrants[a].name, self.entrants[b].name
        mine, theirs = self.leans[a], self.leans[b]
        stays = mine < theirs if mine != theirs else number % 2 == 0
        return (first, second) if stays else (second, first)


def _lean(entrant: Entrant, sides: tuple[str, str]) -> tuple[int, int]:
    """How often more he had the first side than the second, and which he had last: 1 the first, -1 the second."""
    played = [1 if side == sides[0] else -1 for side in entrant.sides if side in sides]
    return sum(played), played[-1] if played else 0
