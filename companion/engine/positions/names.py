"""Names of units as players shorten them, and the ids that stand for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeVar

from companion.engine.kit.roster import Unit, UnitDef
from companion.engine.record.game import Game
from companion.limits import UNITS

MOST_NAME = 40

Named = TypeVar("Named", Unit, UnitDef)


@lru_cache(4 * UNITS)
def key_of(name: str) -> str:
    """A name without what fingers leave out: case, spaces, points, ordinal endings."""
    return re.sub(r"[\W_]+", "", re.sub(r"(?<=\d)(st|nd|rd|th)\b", "", name.casefold()))


def digits(key: str) -> list[str]:
    """The numbers in a key: they tell units apart."""
    return re.findall(r"\d+", key)


def shortens(key: str, name: str) -> bool:
    """Whether a key is a name with letters left out: 3pz for 3panzer, but not for 23panzer."""
    letters = iter(name)
    return len(key) > 2 and digits(key) == digits(name) and all(letter in letters for letter in key)


def closest(key: str, units: Sequence[Named]) -> list[Named]:
    """The units a key may mean: by the beginning of the name, else of a word in it, else by its letters."""
    tests: tuple[Callable[[Named], bool], ...] = (
        lambda u: key_of(u.name).startswith(key) or key_of(u.id).startswith(key),
        lambda u: any(word.startswith(key) for word in _words(u.name)),
        lambda u: shortens(key, key_of(u.name)),
    )
    return next((found for test in tests if (found := [u for u in units if test(u)])), [])


def _words(name: str) -> list[str]:
    return [key_of(w) for w in name.split() if key_of(w)]


def is_unnamed(unit: Unit) -> bool:
    """Whether a unit stands for a counter that nobody cared to name."""
    return not unit.name and unit.kind == "unit"


def free_id(game: Game, wanted: str) -> str:
    """An id that no unit has: the wanted one, or it with the next number."""
    stem, _, last = wanted.rpartition("-")
    base, number = (stem, int(last)) if last.isdecimal() and stem else (wanted, 1)
    unit_id = wanted
    while unit_id in game.units:
        number += 1
        unit_id = f"{base}-{number}"
    return unit_id
