"""Odds columns [12.0, 12.64]: rounding in the defender's favour, shifting, and the two ends of the table."""

from __future__ import annotations

from companion.engine.forms.ladder import Ladder, worth
from companion.engine.once import once
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import books

LOWEST, HIGHEST = "1-6", "12-1"
COLUMNS = ("1-6", "1-5", "1-4", "1-3", "1-2", "1-1", "3-2", *(f"{n}-1" for n in range(2, 13)))
AUTOMATIC = {HIGHEST: "D(3)r4", LOWEST: "A(3)r2"}
"""No die at the ends of the table [12.64]."""


@once
def ladder(game: Game) -> Ladder:
    """The columns shifts move along; beyond the ends too, when the table plays it so."""
    printed = books.printed_odds(game, COLUMNS)
    if game["odds-cap"] == "beyond":
        printed = [*(f"1-{n}" for n in range(40, 6, -1)), *printed, *(f"{n}-1" for n in range(13, 61))]
    return Ladder(tuple(printed))


def on_table(column: str) -> str:
    """A column beyond the ends is the end."""
    if worth(column) >= worth(HIGHEST):
        return HIGHEST
    return LOWEST if worth(column) <= worth(LOWEST) else column
