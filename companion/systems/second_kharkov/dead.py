"""The dead pile: whole units eliminated, and their points [2.13, 4.4]."""

from __future__ import annotations

from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.positions import pieces
from companion.engine.record.game import Game
from companion.systems.second_kharkov.base import GERMAN
from companion.systems.second_kharkov.units import label, mechanised
from companion.systems.second_kharkov.victory import score


def step_value(unit: Unit) -> int:
    """Points for one step: 1, or 2 for a German mechanised one [4.4]."""
    return 2 if unit.side == GERMAN and mechanised(unit) else 1


def bury(game: Game, unit: Unit, rule: str) -> Events:
    """The last step is gone [2.13]."""
    yield from pieces.eliminate(game, unit, "dead", rule=rule)


def eliminate(game: Game, unit: Unit, rule: str, counts: bool = True) -> Events:
    """Send a unit to the dead pile; the enemy gets its points [4.4]."""
    points = unit.steps * step_value(unit)
    yield from bury(game, unit, rule)
    if counts:
        yield from score(game, game.other(unit.side), points, f"{label(unit)} eliminated", "4.4")
