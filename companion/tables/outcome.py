"""How a table's game ended, for whoever keeps results: only what everybody knows."""

from __future__ import annotations

from typing import Any

from companion.engine.guard import attempt
from companion.engine.people.clocks import OFF, spent_by
from companion.engine.record.game import Game
from companion.systems import System


def outcome(system: System, game: Game) -> dict[str, Any] | None:
    """Winner, level, each side's victory points where the game counts them, and its time; None while it is played."""
    if game.ended is None:
        return None
    tally = system.tally
    counted = attempt("The victory points", lambda: dict(tally(game)) if tally else {}, {})
    return {
        "winner": game.ended.winner if game.ended.winner in game.sides else "",
        "level": game.ended.level,
        "vp": dict(game.ended.vp) or counted,
        "clock": {side: spent_by(game, side) for side in game.sides} if game["clock"] != OFF else {},
    }
