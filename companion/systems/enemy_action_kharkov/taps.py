"""What taps on the map mean here: the form that attacks, and what is said before and after a move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.engine.kit.roster import Unit
from companion.engine.positions.moving import minds_turns, stack_there, too_far
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import LIMIT_STEPS, LIMIT_UNITS, Reason, fits, rules

rules.attack_by("declare-combat", hex="hex", units="units")
minds_turns(rules, "4-IV")


@rules.minds_moves
def _said(game: Game, units: Sequence[Unit], start: str) -> Iterator[object]:
    """Three units and six steps to a hex [7.4]; by road half a point a hex at best [7.5]."""
    stack = stack_there(game, units)
    if not fits(stack):
        yield Reason(f"more than {LIMIT_UNITS} units or {LIMIT_STEPS} steps in {stack[0].place}", "7.4")
    for words in too_far(game, units, start, lambda u: u.factors.get("MA"), a_point=2):
        yield f"{words} [7.5]"
