"""What a seat may know of a battle while its form is filled in: typed, on record, or on the map."""

from __future__ import annotations

from collections.abc import Sequence

from companion.engine.forms.fields import Context
from companion.engine.kit.roster import Unit
from companion.engine.once import once
from companion.engine.record.game import Game
from companion.engine.record.sight import may_see_unit
from companion.systems.second_kharkov import air, ground
from companion.systems.second_kharkov.base import FIGHT, GERMAN, SOVIET, in_play
from companion.systems.second_kharkov.units import factor

PLAIN_TURN = 3
"""The turn of a battle without a table unless it is typed: nothing is special about its combat."""


def attacking_side(ctx: Context) -> str:
    """The battle's own attacker; else the side whose combat phase it is, or without a table the one chosen."""
    if ctx.battle is not None:
        return ctx.battle.attacker
    if ctx.game.phase in FIGHT.values():
        return ctx.game.active
    return str(ctx.values.get("attacker") or ctx.game.active or SOVIET)


def defending_side(ctx: Context) -> str:
    return ctx.game.other(attacking_side(ctx))


def turn(ctx: Context) -> int:
    """The turn in which the battle was declared, or the table's; without a table, the one typed."""
    if ctx.battle is not None:
        return ctx.battle.turn
    return ctx.game.turn if in_play(ctx.game) else int(ctx.values.get("turn") or PLAIN_TURN)


def fights_first(ctx: Context) -> bool:
    """Whether the German fights before he moves [5.7]: as the battle was declared, or without a table ticked."""
    now = ctx.battle is None and ctx.game["german-order"] == "fight-move"
    return attacking_side(ctx) == GERMAN and (now or bool(ctx.values.get("fight_move")))


def free_aircraft(ctx: Context) -> int:
    """How many aircraft could join this battle; without a table, all that have come by its turn [10.4]."""
    if in_play(ctx.game):
        return int(ctx.game[air.FREE])
    return air.ALL if turn(ctx) > 1 else 0


def target(ctx: Context) -> str:
    """The hex attacked."""
    return str(ctx.values.get("target") or "")


def opened(ctx: Context) -> bool:
    """Whether an attack was declared and aircraft settled, so that both stacks lie open [7.6, 12.17]."""
    return ctx.battle is not None and "aircraft" in ctx.battle.facts


def attackers(ctx: Context) -> list[Unit]:
    """The attackers on record that are still there: those picked, or named when the attack was declared."""
    named = [ctx.game.units[name] for name in ctx.values.get("attackers") or ()]
    return [u for u in named if u.on_map]


def holders(ctx: Context) -> list[Unit]:
    """All units on record in the target hex [12.2, 12.6], whether this seat may look at them or not.

    Of an opened stack those that were opened: whoever is put there later stays as hidden as he was.
    """
    hex_id, side = target(ctx), defending_side(ctx)
    there = _standing(ctx.game, hex_id, side) if hex_id else ()
    if ctx.battle is not None and opened(ctx):
        return [u for u in there if u.id in ctx.battle.units(side)]
    return list(there)


@once
def _standing(game: Game, hex_id: str, side: str) -> tuple[Unit, ...]:
    return tuple(u for u in game.units_at(hex_id) if u.side == side)


@once
def _is_hidden(game: Game, hex_id: str, side: str, seat: str) -> bool:
    """Whether a seat may not look at all units of a side in a hex."""
    return any(not may_see_unit(game, u, seat) for u in _standing(game, hex_id, side))


def is_closed(ctx: Context) -> bool:
    """Whether units on record in the target hex may not be looked at yet [7.6]."""
    hex_id = target(ctx)
    return bool(hex_id) and not opened(ctx) and _is_hidden(ctx.game, hex_id, defending_side(ctx), ctx.seat)


def defenders(ctx: Context) -> list[Unit]:
    """The units in the target hex, once this seat may look at all of them."""
    return [] if is_closed(ctx) else holders(ctx)


def blank(ctx: Context, units: Sequence[Unit], name: str) -> list[Unit]:
    """The units whose factor the record does not give: it is asked of each of them."""
    return [u for u in units if factor(ctx.game, u, name) is None]


def terrain(ctx: Context) -> str:
    return str(ctx.values.get("terrain") or "") or mapped_terrain(ctx) or "clear"


def mapped_terrain(ctx: Context) -> str:
    return ground.terrain(ctx.game, target(ctx))


def river(ctx: Context) -> str:
    return str(ctx.values.get("river") or "") or mapped_river(ctx)


def mapped_river(ctx: Context) -> str:
    """What every attacker on record crosses, or 'none' when one of them crosses nothing [12.14]."""
    hex_id, places = target(ctx), {u.place for u in attackers(ctx)}
    crossed = {ground.river(ctx.game, place, hex_id) for place in places}
    if not crossed or "" in crossed:
        return "none"
    return "minor" if crossed == {ground.MINOR} else "major"  # for combat a crossing is a major river
