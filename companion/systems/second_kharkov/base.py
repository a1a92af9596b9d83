"""The names that all of Second Kharkov's rules share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, NamedTuple

from companion.engine.forms.fields import Text
from companion.engine.positions.situation import board
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems import new_rules

rules = new_rules("second-kharkov")

SOVIET, GERMAN = "soviet", "german"
SIDES = ((SOVIET, "Soviet"), (GERMAN, "German"))
KHARKOV = ("2306", "2406", "2407")  # [4.2]
MOVE = {SOVIET: "soviet-move", GERMAN: "german-move"}
FIGHT = {SOVIET: "soviet-combat", GERMAN: "german-combat"}
PHASES = ("air-placement", "soviet-move", "soviet-combat", "air-removal", "german-move", "german-combat")

# Areas that the owner may copy from the printed lines into his map book; without them players press a button.
WEST = "west"
"""The German side of the initial front line [3.5]."""
SOUTH = "south"
"""South of the 6th Army Boundary Line [5.5, 6.3, 10.1]."""
PERIMETER = "perimeter"
"""Inside the Kharkov outer perimeter line [4.3]."""

Crosser = Annotated[str, Text(label="Who crossed", most=60, placeholder="optional")]
"""Who passed a printed line, where a player tells it."""


class Reason(NamedTuple):
    """Why something counts or may not be, and the rule that says so."""

    words: str
    rule: str

    def __str__(self) -> str:
        return f"{self.words} ({self.rule})"


def in_play(game: Game) -> bool:
    """Whether a table stands behind a game. On a bare one no phase has begun, and what is typed decides."""
    return bool(game.phase)


def historical(game: Game) -> bool:
    """Whether section 4 decides the game; the Alternative scenario ignores it [13.5]."""
    return game.scenario.id == "historical"


def area(game: Game, name: str) -> frozenset[str]:
    """The hexes of an area in the map book; empty when the owner has not entered it."""
    return frozenset(board(game).book.named("area", name))


def first_german_phase(game: Game) -> str:
    """The phase that opens the German player turn in the declared order [5.3]."""
    return FIGHT[GERMAN] if game["german-order"] == "fight-move" else MOVE[GERMAN]


def german_player_turn(game: Game) -> bool:
    return game.phase in (MOVE[GERMAN], FIGHT[GERMAN])


def put(game: Game, name: str, value: object, reason: str, rule: str) -> Iterator[e.Event]:
    """Set a track or dial, unless it already has the value."""
    if game[name] != value:
        yield e.Set(name, value, was=game[name], reason=reason, rule=rule)
