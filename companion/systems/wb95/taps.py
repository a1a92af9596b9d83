"""What taps on the map mean here: the form that attacks, and what is said before and after a move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.engine.kit.roster import Unit
from companion.engine.positions.moving import minds_turns, stack_there, too_far
from companion.engine.record.game import Game
from companion.systems.wb95.base import STACKING, rules

rules.attack_by("resolve-combat", hex="target", units="attackers")
minds_turns(rules, "2.1.2")


@rules.minds_moves
def _said(game: Game, units: Sequence[Unit], start: str) -> Iterator[object]:
    """Eight CEL to a hex [3.2.1]; a main road costs a third of a point at best [3.1.12]."""
    cel = sum(u.steps for u in stack_there(game, units))
    if cel > STACKING:
        yield f"{cel} CEL in {units[0].place}, {STACKING} at most [3.2.1]"
    for words in too_far(game, units, start, lambda u: u.factors.get("MP"), a_point=3):
        yield f"{words} [3.1.12]"
