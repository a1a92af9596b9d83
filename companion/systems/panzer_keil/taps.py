"""What taps on the map mean here: the form that attacks, and what is said before and after a move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.engine.forms.fields import Context
from companion.engine.kit.roster import Unit
from companion.engine.positions.moving import enemies, out_of_turn, stack_there, too_far
from companion.engine.positions.pieces import count
from companion.engine.record.game import Game
from companion.systems.panzer_keil.advance import may_advance
from companion.systems.panzer_keil.base import Fault, disrupted, factor, rules, surplus
from companion.systems.panzer_keil.movement import march
from companion.systems.panzer_keil.retreat import against_retreating, owed_retreat

rules.attack_by("resolve-combat", hex="target", units="attackers")


@rules.warns_of("move-stack")
def _before(ctx: Context) -> list[str]:
    """A retreat to where none may end [9.7.2], disrupted units [8.5.1], zone to zone [8.4.4], the wrong phase [4.1]."""
    game, hex_id = ctx.game, str(ctx.values["hex"])
    going = [u for u in (game.units[name] for name in ctx.values["units"]) if u.place != hex_id]
    return list(dict.fromkeys(str(words) for unit in going for words in _against(game, unit, hex_id)))


def _against(game: Game, unit: Unit, hex_id: str) -> Iterator[object]:
    """What the rules have against one unit's move: as a retreat where it owes one, as an advance, as a march."""
    duty = owed_retreat(game, unit.id)
    if duty is not None:
        yield from against_retreating(game, duty, hex_id)
        return
    if not unit.on_map or may_advance(game, unit.id, hex_id):
        return
    for words in out_of_turn(game, [unit]):
        yield f"{words} [4.1]"
    if disrupted(game, unit.id):
        yield Fault(f"{unit.name or unit.id} is disrupted and does not move", "8.5.1")
    # Of a longer way nobody tells the hexes; of an enemy in the hex the map speaks by itself.
    if hex_id in game.maps.neighbours(unit.place) and not enemies(game, unit.side, hex_id):
        yield from march(game, unit.side, (unit.place, hex_id))[1]


@rules.minds_moves
def _said(game: Game, units: Sequence[Unit], start: str) -> Iterator[object]:
    """Three units to a hex and one Soviet corps [5.1, B4]; a road costs half a point [8.2.4]."""
    if too_many := surplus(stack_there(game, units)):
        yield f"{count(too_many, 'unit')} too many in {units[0].place} [5.1.3, B4]"
    for words in too_far(game, units, start, lambda u: factor(game, u, "MF"), a_point=2):
        yield f"{words} [8.2.1]"
