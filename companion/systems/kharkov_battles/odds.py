"""Odds columns [12.0, 12.64]: rounding in the defender's favour, shifting, and the two ends of the table."""

from __future__ import annotations

from fractions import Fraction

from companion.engine.record.game import Game
from companion.systems.kharkov_battles import books

LOWEST, HIGHEST = "1-6", "12-1"
COLUMNS = ("1-6", "1-5", "1-4", "1-3", "1-2", "1-1", "3-2", *(f"{n}-1" for n in range(2, 13)))
AUTOMATIC = {HIGHEST: "D(3)r4", LOWEST: "A(3)r2"}
"""No die at the ends of the table [12.64]."""


def worth(column: str) -> Fraction:
    """'5-1' -> 5, '1-2' -> 1/2."""
    attack, defence = column.split("-")
    return Fraction(int(attack), int(defence))


def ladder(game: Game) -> list[str]:
    """The columns shifts move along; beyond the ends too, when the table plays it so."""
    printed = books.printed_odds(game, COLUMNS)
    if game["odds-cap"] == "beyond":
        return [f"1-{n}" for n in range(40, 6, -1)] + printed + [f"{n}-1" for n in range(13, 61)]
    return printed


def column_of(attack: int, defence: int, columns: list[str]) -> str:
    """The highest column that the ratio reaches; below the lowest, the lowest."""
    ratio = Fraction(max(attack, 1), max(defence, 1))
    reached = [c for c in columns if worth(c) <= ratio]
    return reached[-1] if reached else columns[0]


def shifted(column: str, by: int, columns: list[str]) -> str:
    """Some columns to the right (left when negative), no further than the ladder's ends."""
    index = columns.index(column) + by
    return columns[max(0, min(len(columns) - 1, index))]


def on_table(column: str) -> str:
    """A column beyond the ends is the end."""
    if worth(column) >= worth(HIGHEST):
        return HIGHEST
    return LOWEST if worth(column) <= worth(LOWEST) else column
