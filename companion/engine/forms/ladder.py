"""The columns of an odds table as a ladder: where a ratio stands on it, and where a shift leads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache


@lru_cache(500)
def worth(column: str) -> Fraction:
    """'5:1' or '5-1' -> 5, '1:2' -> 1/2."""
    attack, defence = column.replace("-", ":").split(":")
    return Fraction(int(attack), int(defence))


def down(ratio: Fraction, columns: Sequence[str]) -> int:
    """The highest column that the ratio reaches: rounding favours the defender."""
    reached = [index for index, column in enumerate(columns) if worth(column) <= ratio]
    return reached[-1] if reached else 0


@dataclass(frozen=True)
class Ladder:
    """Columns from the worst for the attacker to the best."""

    columns: tuple[str, ...]
    round: Callable[[Fraction, Sequence[str]], int] = down
    """Which column a ratio stands in, by its place."""

    def at(self, attack: Fraction | int, defence: int) -> str:
        """The column of these strengths; beyond an end, that end."""
        if defence <= 0:
            return self.columns[-1]
        return self.columns[self.round(Fraction(attack) / defence, self.columns)]

    def shifted(self, column: str, by: int) -> str:
        """Some columns to the right, or to the left when negative, no further than the ends."""
        place = self.columns.index(column) + by
        return self.columns[max(0, min(len(self.columns) - 1, place))]
