"""The columns of an odds table as a ladder: where a ratio stands on it, and where a shift leads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache


def worth(column: str) -> Fraction:
    """'5:1' or '5-1' -> 5, '1:2' -> 1/2."""
    attack, defence = column.replace("-", ":").split(":")
    return Fraction(int(attack), int(defence))


def down(ratio: Fraction, columns: Sequence[str]) -> int:
    """The highest column that the ratio reaches: rounding favours the defender."""
    attack, defence = ratio.numerator, ratio.denominator
    reached = [i for i, (n, d) in enumerate(_whole(tuple(columns))) if n * defence <= attack * d]
    return reached[-1] if reached else 0


@lru_cache(100)
def _whole(columns: tuple[str, ...]) -> list[tuple[int, int]]:
    """What each column is worth, as two whole numbers: to compare fractions takes ten times as long."""
    return [(worth(column).numerator, worth(column).denominator) for column in columns]


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
