"""What taps on the map mean here: the form that attacks, and what is said of a move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.engine.kit.roster import Unit
from companion.engine.positions.moving import stack_there, too_far
from companion.engine.positions.pieces import count
from companion.engine.record.game import Game
from companion.systems.panzer_keil.base import factor, rules, surplus

rules.attack_by("resolve-combat", hex="target", units="attackers")


@rules.minds_moves
def _said(game: Game, units: Sequence[Unit], start: str) -> Iterator[object]:
    """Three units to a hex and one Soviet corps [5.1, B4]; a road costs half a point [8.2.4]."""
    if too_many := surplus(stack_there(game, units)):
        yield f"{count(too_many, 'unit')} too many in {units[0].place} [5.1.3, B4]"
    for words in too_far(game, units, start, lambda u: factor(game, u, "MF"), a_point=2):
        yield f"{words} [8.2.1]"
