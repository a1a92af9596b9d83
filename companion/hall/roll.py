"""The roll of the hall's tables: their numbers, who sits where, in which order, and whether they are played at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

State = Literal["open", "paused", "closed"]


@dataclass(frozen=True)
class HallTable:
    """A table that the organiser set up; the game itself is the table's own record, found by its code."""

    code: str
    number: int
    """What is printed on its card; in one round no two tables that are not closed have the same."""
    system: str
    scenario: str
    players: Mapping[str, str] = field(default_factory=dict)
    """Who plays, by side, in the order of the sides; a side without a name is not in it."""
    round: int = 0
    """The round that it was founded for; 0 when it belongs to none."""
    state: State = "open"
    name: str = ""
    why: str = ""
    """What the players are told of a pause or a closing."""

    @property
    def title(self) -> str:
        """What it is called in lists and on its screens."""
        return f"Table {self.number}{f': {self.name}' if self.name else ''}"

    @property
    def against(self) -> str:
        """Who plays, in words."""
        return " – ".join(self.players.values())


def same_name(name: str) -> str:
    """A player's name as it is compared: Anna  Berg is anna berg."""
    return " ".join(name.split()).casefold()
