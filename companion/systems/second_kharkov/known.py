"""What a seat may know of a battle while its form is filled in: typed, on record, or on the map."""

from __future__ import annotations

from collections.abc import Sequence

from companion.engine.kit.roster import Unit
from companion.engine.play.fields import Context
from companion.engine.record.sight import may_see_unit
from companion.systems.second_kharkov import air, ground
from companion.systems.second_kharkov.base import FIGHT, GERMAN, SOVIET, in_play
from companion.systems.second_kharkov.units import factor

PLAIN_TURN = 3
"""The turn of a battle without a table unless it is typed: nothing is special about its combat."""


def attacking_side(ctx: Context) -> str:
    """The side whose combat phase it is; in other phases, and without a table, the one chosen."""
    if ctx.game.phase in FIGHT.values():
        return ctx.game.active
    return str(ctx.values.get("attacker") or ctx.game.active or SOVIET)


def defending_side(ctx: Context) -> str:
    return ctx.game.other(attacking_side(ctx))


def turn(ctx: Context) -> int:
    """The table's turn; without a table, the one typed."""
    return ctx.game.turn if in_play(ctx.game) else int(ctx.values.get("turn") or PLAIN_TURN)


def fights_first(ctx: Context) -> bool:
    """Whether the German fights before he moves [5.7]: declared, or without a table ticked."""
    return attacking_side(ctx) == GERMAN and (
        ctx.game["german-order"] == "fight-move" or bool(ctx.values.get("fight_move"))
    )


def free_aircraft(ctx: Context) -> int:
    """How many aircraft could join this battle; without a table, all that have come by its turn [10.4]."""
    if in_play(ctx.game):
        return int(ctx.game[air.FREE])
    return air.ALL if turn(ctx) > 1 else 0


def target(ctx: Context) -> str:
    """The hex attacked: as typed, else the one declared."""
    typed = str(ctx.values.get("target") or "")
    declared = list(ctx.game.marked("target"))
    return typed or (declared[0] if len(declared) == 1 else "")


def opened(ctx: Context) -> bool:
    """Whether an attack was declared and aircraft settled, so that both stacks lie open [7.6, 12.17]."""
    return bool(ctx.game.mark(target(ctx), "target") == "begun")


def attackers(ctx: Context) -> list[Unit]:
    """The attackers on record: those picked, else those named when the attack was declared."""
    picked = ctx.values.get("attackers") or ()
    return [ctx.game.units[name] for name in picked] or declared(ctx)


def declared(ctx: Context) -> list[Unit]:
    """The attackers named when the attack was declared, as far as this seat may know them by now."""
    here = target(ctx)
    if not here or not (opened(ctx) or ctx.seat == attacking_side(ctx)):
        return []
    return [ctx.game.units[name] for name, hex_id in ctx.game.marked("attacking").items() if hex_id == here]


def defenders(ctx: Context) -> list[Unit]:
    """All units on record in the target hex [12.2, 12.6], as far as this seat may look at them now [7.6]."""
    there = [u for u in ctx.game.units_at(target(ctx)) if u.on_map and u.side == defending_side(ctx)]
    return there if opened(ctx) or all(may_see_unit(ctx.game, u, ctx.seat) for u in there) else []


def all_known(ctx: Context, units: Sequence[Unit], name: str) -> bool:
    """Whether the record gives this factor of every unit, so that nobody has to type it."""
    return bool(units) and all(factor(ctx.game, u, name) is not None for u in units)


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
