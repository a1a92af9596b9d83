"""Losses: combat efficiency levels go, units leave the map, and who may choose [1.2, 5.1.8]."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from companion.engine.errors import NotYours, Unreadable
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Context, Flag, HexId, SideRef, Text, UnitRef, Whole
from companion.engine.record import events as e
from companion.engine.record.changes import change
from companion.engine.record.game import Game
from companion.engine.record.sight import seen_units
from companion.systems.wb95.base import ATTACK, ask, at_hexes, is_hq, on_a_phone, rules, seated, touchable
from companion.systems.wb95.hq import open_pool

PASSING = (
    "oos",
    "disorganised",
    "strategic",
    "bridgework",
    "retreated",
    "fought",
    "barrage-fired",
    "transport",
)


def remove(game: Game, unit: str, reason: str, rule: str = "") -> Events:
    """A unit leaves the game with its markers; a headquarters gives the enemy its shifts [9.1.6]."""
    held = game.units[unit]
    place, on_map = held.place, held.on_map
    for marker in PASSING:
        held_mark = game.marks.get(unit, {}).get(marker)
        if held_mark is not None:  # what was secret stays so to the end
            yield e.Marked(unit, marker, None, reason=reason, only=held_mark.only)
    yield e.Placed(unit, "box:dead", was=place, reason=reason, rule=rule, side=held.side)
    if is_hq(held) and on_map:
        yield from open_pool(game, held.side, place)


def take_level(game: Game, unit: str, amount: int, reason: str, rule: str = "") -> Events:
    """A unit loses so many CEL; the last one eliminates it [1.2]."""
    left = game.units[unit].steps - amount
    if left > 0:
        # Only stacks that fight may be looked into [16.1.3]; losses on the march stay under cover.
        yield change(game, unit, {"steps": left}, reason=reason, rule=rule, public=game.phase in ATTACK)
    else:
        yield from remove(game, unit, reason, rule)


def ask_losses(
    game: Game, side: str, amount: int, hexes: Iterable[str], why: str, rule: str, starred: bool = False
) -> Events:
    """Ask the owner to choose who takes losses [5.1.8]."""
    if amount:
        where = list(hexes)
        must = "; at least 1 from units that used a star or fortification bonus" if starred else ""
        place = f" at {', '.join(where)}" if where else ""
        text = f"{game.side_name(side)}: lose {amount} CEL{place} ({why}){must}"
        args = {"side": side, "cel": amount, "hexes": where, "starred": starred, "reason": why}
        yield ask(game, "losses", side, text, "lose-cel", args, rule)


def candidates(ctx: Context) -> list[Unit]:
    """Units that a seat may name, of the side and in the hexes that were told."""
    side, hexes = ctx.values.get("side"), ctx.values.get("hexes")
    return [u for u in touchable(ctx) if (not side or u.side == side) and (not hexes or u.place in hexes)]


@rules.action(rule="5.1.8", label="Lose CEL", group="units", order=20)
def lose_cel(
    game: Game,
    side: Annotated[str, SideRef(label="Side", start=seated, quiet=on_a_phone)],
    cel: Annotated[int, Whole(label="CEL to lose", low=0, high=30)],
    hexes: Annotated[tuple[str, ...], HexId(label="In hexes", many=True)] = (),
    units: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Taken by",
            many=True,
            pick=candidates,
            help="each loses one, then round again; empty when there is no choice",
            quiet=lambda c: not candidates(c),
        ),
    ] = (),
    starred: Annotated[bool, Flag(label="At least 1 from a unit that used its star", hidden=True)] = False,
    reason: Annotated[str, Text(label="Why", most=120, hidden=True)] = "combat",
    seat: str = "",
) -> Events:
    """Take CEL off units as their owner chooses; each named unit loses one, then round again."""
    if seat not in {side, "table"}:
        raise NotYours(
            "the owner chooses his own losses", field="side", given=seat, accepted=side, rule="5.1.8"
        )
    chosen = [game.units[u] for u in units] or _forced(game, seat, side, hexes, cel)
    starry = {u.id for u in at_hexes(game, side, hexes) if game.mark(u.id, "star")}
    if starred and units and starry and not starry & {u.id for u in chosen}:
        raise Unreadable("at least one CEL must come from a unit with a star", field="units", rule="15.1.7")
    taken = shares(chosen, cel)
    if not chosen:
        yield e.Noted(f"{game.side_name(side)} loses {cel} CEL ({reason})", rule="5.1.8")
    spare = [u for u in at_hexes(game, side, hexes) if u.id not in taken]
    if chosen and sum(taken.values()) < cel and spare:
        missing = cel - sum(taken.values())
        names = _names(game, seat, spare)
        raise Unreadable(f"{missing} CEL more must be named: {names}", field="units", rule="5.1.8")
    before = {u.place for u in chosen}
    for unit, amount in taken.items():
        yield from take_level(game, unit, amount, reason, "5.1.8")
    emptied = sorted(h for h in before if not at_hexes(game, side, [h]))
    if emptied and game.phase in ATTACK:
        other = game.other(side)
        where = ", ".join(emptied)
        text = f"{game.side_name(other)}: {where} is empty; victors may enter and go one hex further"
        args = {"side": other, "through": emptied, "limit": 2}
        yield ask(game, "pursuit", other, text, "pursue", args, "5.4.10")


def _forced(game: Game, seat: str, side: str, hexes: tuple[str, ...], cel: int) -> list[Unit]:
    """Nobody named: fine when there is nothing to choose."""
    here = at_hexes(game, side, hexes)
    if len(here) <= 1 or sum(u.steps for u in here) <= cel:
        return here
    names = _names(game, seat, here)
    raise Unreadable(f"choose who takes the losses: {names}", field="units", accepted=names, rule="5.1.8")


def _names(game: Game, seat: str, units: Iterable[Unit]) -> str:
    """The units as far as a seat may know them; the shared screen does not name what lies in a stack [16.1.1]."""
    there = list(units)
    seen = [f"{u.name} ({u.steps})" for u in seen_units(game, there, seat)]
    more = [f"the others on the {game.side_name(there[0].side)} phone"] if len(seen) < len(there) else []
    return ", ".join([*seen, *more])


def shares(units: list[Unit], cel: int) -> dict[str, int]:
    """CEL dealt round the units one by one until all are dealt or none is left."""
    taken = {u.id: 0 for u in units}
    left = cel
    while left and any(taken[u.id] < u.steps for u in units):
        for unit in units:
            if left and taken[unit.id] < unit.steps:
                taken[unit.id] += 1
                left -= 1
    return {unit: amount for unit, amount in taken.items() if amount}
