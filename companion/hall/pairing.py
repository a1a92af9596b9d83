"""The next round by the Swiss system: like meets like, nobody the same opponent twice, nobody a second bye.

Own code, because the libraries there are pair chess: colours by FIDE's rules, files of their own, or a compiler to build with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from companion.hall.matching import Couples, most_couples


@dataclass(frozen=True)
class Entrant:
    """One who is to be paired: what he has, whom he met, on which sides he played, oldest first."""

    name: str
    points: Decimal = Decimal(0)
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

    The fewest repeats there can be come first; then byes to whoever had the fewest, lowest first; then equal points, sides
    that both are due, and the upper half of equal points against its lower half.
    """
    field = list(entrants)
    bye = _sits_out(field) if len(field) % 2 else None
    if bye is not None:
        field.remove(bye)
    met = _times_met(field)
    couples = [
        _seated(field[a], field[b], sides, number) for number, (a, b) in enumerate(_coupled(field, met, sides))
    ]
    return Draw(tuple(couples), bye.name if bye else "")


def repeats(draw: Draw, entrants: Iterable[Entrant]) -> list[tuple[str, str]]:
    """The couples of a draw who have met before."""
    met = {entrant.name: set(entrant.met) for entrant in entrants}
    return [(a, b) for a, b in draw.couples if b in met.get(a, ()) or a in met.get(b, ())]


def _times_met(field: Sequence[Entrant]) -> list[Counter[int]]:
    place = {entrant.name: n for n, entrant in enumerate(field)}
    return [Counter(place[name] for name in entrant.met if name in place) for entrant in field]


def _strangers(met: Sequence[Counter[int]]) -> list[list[int]]:
    everybody = range(len(met))
    return [[b for b in everybody if b != a and not met[a][b] and not met[b][a]] for a in everybody]


def _sits_out(field: Sequence[Entrant]) -> Entrant:
    """Whoever had the fewest byes, lowest first, unless the others could not be paired without a repeat."""
    strangers = _strangers(_times_met(field))
    everybody = range(len(field))
    all_couples = most_couples(strangers, everybody)
    best: tuple[int, int, int] | None = None
    for place in reversed(everybody):
        byes = field[place].byes
        if best is not None and best[:2] <= (byes, 0):
            continue
        others = [n for n in everybody if n != place]
        left = len(others) - len(most_couples(strangers, others, all_couples))
        if best is None or (byes, left) < best[:2]:
            best = byes, left, place
    return field[best[2] if best else -1]


def _coupled(
    field: Sequence[Entrant], met: Sequence[Counter[int]], sides: tuple[str, str]
) -> list[tuple[int, int]]:
    """From the best down, each with the likeliest opponent who leaves the others paired with no more repeats than need be."""
    strangers = _strangers(met)
    left = list(range(len(field)))
    couples = most_couples(strangers, left)
    spare = (len(left) - len(couples)) // 2
    """Couples who have met and yet must meet again."""
    found = []
    while left:
        one, *others = left
        for other in _by_preference(one, others, field, met, sides):
            again = int(other not in strangers[one])
            if again > spare:
                continue
            rest = [n for n in others if n != other]
            tried: Couples = most_couples(strangers, rest, couples)
            if len(rest) - len(tried) <= 2 * (spare - again):
                couples, spare, left = tried, spare - again, rest
                found.append((one, other))
                break
    return found


def _by_preference(
    one: int, others: Sequence[int], field: Sequence[Entrant], met: Sequence[Counter[int]], sides: tuple[str, str]
) -> list[int]:
    """The opponents of one: those he met least, nearest in points, due the other side, half a group away."""
    points = field[one].points
    equals = [other for other in others if field[other].points == points]
    half = (len(equals) + 1) // 2
    below = {other: n + 1 for n, other in enumerate(equals)}
    lean = _lean(field[one], sides)

    def key(other: int) -> tuple[int, Decimal, int, int, int]:
        theirs = _lean(field[other], sides)
        clash = int(lean[0] * theirs[0] > 0 or (lean[0] == theirs[0] == 0 and lean[1] * theirs[1] > 0))
        away = abs(below[other] - half) if other in below else other
        return max(met[one][other], met[other][one]), abs(field[other].points - points), clash, away, other

    return sorted(others, key=key)


def _lean(entrant: Entrant, sides: tuple[str, str]) -> tuple[int, int]:
    """How often more he had the first side than the second, and which he had last: 1 the first, -1 the second."""
    played = [1 if side == sides[0] else -1 for side in entrant.sides if side in sides]
    return sum(played), played[-1] if played else 0


def _seated(a: Entrant, b: Entrant, sides: tuple[str, str], number: int) -> tuple[str, str]:
    """Who takes which side: the first goes to whoever had it less, then to whoever did not have it last, then turn by turn."""
    mine, theirs = _lean(a, sides), _lean(b, sides)
    if mine == theirs:
        return (a.name, b.name) if number % 2 == 0 else (b.name, a.name)
    return (a.name, b.name) if mine < theirs else (b.name, a.name)
