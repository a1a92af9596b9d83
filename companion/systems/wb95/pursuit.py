"""Pursuit, and what is overrun on the way [5.4, 6.1.7, 9.1.5]."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

from companion.engine.errors import NotYours, Unreadable
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Context, HexId, SideRef, UnitRef, Whole
from companion.engine.record import events as e
from companion.engine.record.changes import move
from companion.engine.record.game import Game
from companion.systems.wb95.base import (
    ATTACK,
    ask,
    at_hexes,
    by_combat,
    is_hq,
    is_regular,
    is_towed,
    on_a_phone,
    rules,
    seated,
    touchable,
)
from companion.systems.wb95.combats import combats_of
from companion.systems.wb95.losses import remove


def ask_pursuit(game: Game, side: str, hexes: Sequence[str], limit: int, combat: int) -> e.Asked:
    """The enemy of a side that fell back may follow it as far as that went [5.4.6]."""
    where = f" into {' or '.join(hexes)}, then on" if hexes else ""
    text = f"{game.side_name(side)}: may pursue{where}, up to {limit} hex{'es' if limit > 1 else ''}"
    args = {"side": side, "through": list(hexes), "limit": limit, "combat": combat}
    return ask(game, "pursuit", side, text, "pursue", args, "5.4")


def _pursuers(ctx: Context) -> list[Unit]:
    """Towed units do not pursue [5.4.9]."""
    return [u for u in touchable(ctx) if not is_towed(u)]


def _victors(ctx: Context) -> list[Unit]:
    """Those beside the hexes that were left; all of the side when none is named."""
    game, hexes, side = ctx.game, ctx.values.get("through") or (), ctx.values.get("side")
    able = [u for u in _pursuers(ctx) if not is_hq(u) and (not side or u.side == side)]
    number = int(ctx.values.get("combat") or 0)
    if number:
        able = [u for u in able if number in combats_of(game, u.id)]
    return [u for u in able if not hexes or any(game.maps.distance(u.place, h) <= 1 for h in hexes)]


def _emptied(ctx: Context) -> str:
    """The hex that was left, where there is just one."""
    hexes = list(ctx.values.get("through") or ())
    return str(hexes[0]) if len(hexes) == 1 else ""


@rules.action(phase=ATTACK, rule="5.4", label="Pursue", group="book-keeping", order=22)
def pursue(
    game: Game,
    side: Annotated[str, SideRef(label="Side", start=seated, quiet=on_a_phone)],
    units: Annotated[
        tuple[str, ...], UnitRef(label="Pursuing units", many=True, pick=_pursuers, suggest=_victors)
    ] = (),
    to: Annotated[str, HexId(label="Ending in", start=_emptied)] = "",
    through: Annotated[tuple[str, ...], HexId(label="Hexes entered", many=True)] = (),
    limit: Annotated[int, Whole(label="At most hexes", low=1, high=5, quiet=by_combat)] = 5,
    combat: Annotated[int, Whole(label="Combat", high=10_000_000, hidden=True)] = 0,
    seat: str = "",
) -> Events:
    """Follow the beaten side; guns and headquarters left alone in hexes that are entered are lost."""
    if seat not in {side, "table"}:
        raise NotYours("the pursuer chooses", field="side", given=seat, accepted=side, rule="5.4")
    wrong = [game.units[u].name for u in units if game.units[u].side != side]
    if wrong:
        raise Unreadable(f"{wrong[0]} is not of this side", field="units")
    far = [u for u in units if to and game.maps.distance(game.units[u].place, to) > limit]
    if far:
        name = game.units[far[0]].name
        raise Unreadable(f"{name} would go more than {limit} hexes", field="to", given=to, rule="5.4.6")
    for unit in units:
        if to:
            yield move(game, unit, to, reason="pursuit", rule="5.4")
    entered = [*through, *([to] if to else [])] if units else []
    yield from overrun(game, game.other(side), entered)


def overrun(game: Game, victim: str, hexes: Iterable[str]) -> Events:
    """Guns and headquarters without a regular unit die when the enemy enters [6.1.7, 9.1.5]."""
    for hex_id in dict.fromkeys(hexes):
        here = at_hexes(game, victim, [hex_id])
        if here and not any(is_regular(u) for u in here):
            for unit in here:
                rule = "9.1.5" if is_hq(unit) else "6.1.7"
                yield from remove(game, unit.id, "overrun", rule)
