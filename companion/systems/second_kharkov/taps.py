"""What taps on the map mean here: the form that attacks, and what is said before and after a move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.engine.kit.roster import Unit
from companion.engine.positions.moving import minds_turns, stack_there, too_far
from companion.engine.record.game import Game
from companion.systems.second_kharkov.base import rules
from companion.systems.second_kharkov.stacking import overstacked
from companion.systems.second_kharkov.units import factor

rules.attack_by("resolve-combat", hex="target", units="attackers")
rules.attack_by("declare-attack", hex="target", units="attackers")
minds_turns(rules, "5.1")


@rules.minds_moves
def _said(game: Game, units: Sequence[Unit], start: str) -> Iterator[object]:
    """A stack too high or of two armies [7.1, 7.3]; a hex costs one point at least [11.11]."""
    stack = stack_there(game, units)
    if wrong := overstacked(stack[0].side, stack):
        yield wrong
    for words in too_far(game, units, start, lambda u: factor(game, u, "MF")):
        yield f"{words} [11.2]"
