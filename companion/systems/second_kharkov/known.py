"""What a seat may know of a battle while its form is filled in: typed, on record, or on the map."""

from __future__ import annotations

from collections.abc import Sequence

from companion.engine.kit.roster import Unit
from companion.engine.play.fields import Context
from companion.engine.record.sight import may_see_unit
from companion.systems.second_kharkov import ground
from companion.systems.second_kharkov.base import FIGHT, GERMAN, SOVIET
from companion.systems.second_kharkov.units import factor


def attacking_side(ctx: Context) -> str:
    """The side whose combat phase it is; in other phases, and without a table, the one chosen."""
    game = ctx.game
    if game is not None and game.phase in FIGHT.values():
        return game.active
    chosen = ctx.values.get("attacker") or (game.active if game else "")
    return str(chosen or SOVIET)


def defending_side(ctx: Context) -> str:
    return GERMAN if attacking_side(ctx) == SOVIET else SOVIET


def turn(ctx: Context) -> int:
    return ctx.game.turn if ctx.game else int(ctx.values.get("turn") or 3)


def target(ctx: Context) -> str:
    """The hex attacked: as typed, else the one declared."""
    typed = str(ctx.values.get("target") or "")
    declared = list(ctx.game.marked("target")) if ctx.game else []
    return typed or (declared[0] if len(declared) == 1 else "")


def opened(ctx: Context) -> bool:
    """7.6, 12.17: whether an attack was declared and aircraft settled, so that both stacks lie open."""
    return ctx.game is not None and ctx.game.mark(target(ctx), "target") == "begun"


def attackers(ctx: Context) -> list[Unit]:
    """The attackers on record: those picked, else those named when the attack was declared."""
    game = ctx.game
    if game is None:
        return []
    picked = ctx.values.get("attackers") or ()
    if picked:
        return [game.units[name] for name in picked]
    return declared(ctx)


def declared(ctx: Context) -> list[Unit]:
    """The attackers named when the attack was declared, as far as this seat may know them by now."""
    game = ctx.game
    if game is None or not target(ctx) or not (opened(ctx) or ctx.seat == attacking_side(ctx)):
        return []
    return [game.units[name] for name, hex_id in game.marked("attacking").items() if hex_id == target(ctx)]


def defenders(ctx: Context) -> list[Unit]:
    """12.2: all units on record in the target hex, as far as this seat may look at them now (7.6)."""
    game, hex_id = ctx.game, target(ctx)
    if game is None or not hex_id:
        return []
    there = [u for u in game.units_at(hex_id) if u.side == defending_side(ctx)]
    return there if opened(ctx) or all(may_see_unit(game, u, ctx.seat) for u in there) else []


def all_known(ctx: Context, units: Sequence[Unit], name: str) -> bool:
    """Whether the record gives this factor of every unit, so that nobody has to type it."""
    game = ctx.game
    return game is not None and bool(units) and all(factor(game, u, name) is not None for u in units)


def terrain(ctx: Context) -> str:
    return str(ctx.values.get("terrain") or "") or mapped_terrain(ctx) or "clear"


def mapped_terrain(ctx: Context) -> str:
    return ground.terrain(ctx.game, target(ctx)) if ctx.game and target(ctx) else ""


def mapped_river(ctx: Context) -> str:
    """12.14: what every attacker on record crosses, or 'none' when one of them crosses nothing."""
    game, hex_id = ctx.game, target(ctx)
    places = {u.place for u in attackers(ctx)}
    if game is None or not hex_id or not places:
        return "none"
    crossed = {ground.river(game, place, hex_id) for place in places}
    if "" in crossed:
        return "none"
    return "minor" if crossed == {ground.MINOR} else "major"  # for combat a crossing is a major river
