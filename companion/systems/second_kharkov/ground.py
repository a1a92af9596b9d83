"""What the map book tells of a hex or hexside, in this game's words [11.10-11.15]."""

from __future__ import annotations

from companion.engine.positions.situation import board
from companion.engine.record.game import Game
from companion.systems.second_kharkov.supply import CROSSING

TERRAINS = (("clear", "clear"), ("forest", "forest"), ("marsh", "marsh"), ("town", "town"), ("city", "city"))
MINOR, MAJOR = "minor", "major"


def terrain(game: Game, hex_id: str) -> str:
    """The terrain of a hex; empty when the map book does not tell. Towns and cities are clear [11.11]."""
    here = board(game)
    for place in ("city", "town"):
        if hex_id in here.places[place]:
            return place
    return here.ground(hex_id)


def river(game: Game, a: str, b: str) -> str:
    """The river between two adjacent hexes: '', 'minor', 'major' (no crossing) or 'crossing'."""
    features = board(game).side(a, b)
    if features & CROSSING:
        return "crossing"
    if "major river" in features:
        return MAJOR
    return MINOR if "minor river" in features else ""


def unbridged(game: Game, a: str, b: str) -> bool:
    return river(game, a, b) == MAJOR
