"""What taps on the map mean here: the forms that attack, and what is said before and after a move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.engine.kit.roster import Unit
from companion.engine.positions.moving import minds_turns, stack_there
from companion.engine.record.game import Game
from companion.systems.kharkov_battles.base import rules
from companion.systems.kharkov_battles.stacking import wrong_with

rules.attack_by("declare-assault", hex="target", units="attackers")
rules.attack_by("declare-mobile", hex="target", units="unit")
minds_turns(rules, "4.1")


@rules.minds_moves
def _said(game: Game, units: Sequence[Unit], start: str) -> Iterator[object]:
    """What is too much in one stack [6.0, 6.12-6.14]; what a road costs, only the printed chart says."""
    for words, rule in wrong_with(game, stack_there(game, units)):
        yield f"{words} [{rule}]"
