"""Stalingrad: the Don Front's bonds, the fall of the city, the divisions that return [B13, B14.3]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from companion.engine.forms.fields import Context, HexId, UnitRef
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import on_map
from companion.engine.record import events as e
from companion.engine.record.changes import move, put_mark
from companion.engine.record.game import Game
from companion.systems.panzer_keil import states
from companion.systems.panzer_keil.base import (
    DON_GONE,
    DON_RADIUS,
    DON_RESERVE,
    DON_TEN,
    SOVIET,
    STALINGRAD,
    Fault,
    don_bound,
    in_play,
    is_hq,
    is_sixth,
    named,
    rules,
)
from companion.systems.panzer_keil.condition import (
    any_on_map,
    grace_until,
    here_field,
    own_here,
    own_on_map,
)
from companion.systems.panzer_keil.ground import occupier, pass_through


def bind(game: Game, units: Sequence[str]) -> Events:
    """Who attacks the 6th Army belongs to the Don Front for good [B13.2.1]."""
    for unit in units:
        if game.units[unit].side == SOVIET and not don_bound(game, game.units[unit]):
            yield put_mark(game, unit, "don", True, reason="attacked the 6th Army", rule="B13.2.1")


def strays(game: Game, unit: Unit, hex_id: str) -> list[Fault]:
    """What speaks against a Don-bound unit in a hex: further than five from both Stalingrad hexes [B13.2.2]."""
    if not don_bound(game, unit) or game["stalingrad"] == "fallen":
        return []
    far = min(game.maps.distance(hex_id, h) for h in STALINGRAD) > DON_RADIUS
    return [Fault(f"{unit.name} would be more than five hexes from Stalingrad", "B13.2.2")] if far else []


def _besieged_on_record(game: Game) -> bool | str:
    return _still_besieged(game) if any_on_map(game) is True else any_on_map(game)


def _unbound(ctx: Context) -> list[Unit]:
    return [u for u in own_here(ctx) if not don_bound(ctx.game, u)]


@rules.action(
    phase="soviet-combat",
    by=SOVIET,
    rule="B13.2.1",
    label="Bind units to the Don Front",
    group="book-keeping",
    when=_besieged_on_record,
)
def bind_to_don(
    game: Game,
    *,
    at: Annotated[str, here_field()] = "",
    units: Annotated[
        tuple[str, ...],
        UnitRef(label="Units that attacked 6A", many=True, pick=own_on_map, suggest=_unbound),
    ],
) -> Events:
    """Mark units that attacked the 6th Army: from now on they are the Don Front's."""
    yield from bind(game, units)


def sixth_left(game: Game) -> list[str]:
    """The 6th Army units still on the map or not yet set up."""
    return [u.id for u in game.units.values() if is_sixth(u) and in_play(u)]


def fallen(game: Game) -> bool:
    """Both hexes Soviet-occupied and no 6th Army unit left, as far as the record tells [B13.2.3]."""
    if not any(is_sixth(u) for u in game.units.values()) or sixth_left(game):
        return False
    return all(occupier(game, h) == SOVIET for h in STALINGRAD)


def _still_besieged(game: Game) -> bool | str:
    return game["stalingrad"] == "besieged" or "Stalingrad has fallen already"


def _still_there(ctx: Context) -> list[str]:
    left = [u for u in sixth_left(ctx.game) if ctx.game.units[u].on_map]
    return [f"6th Army units are still there: {named(ctx.game, left)} [B13.2.3]"] if left else []


@rules.action(
    by=SOVIET,
    rule="B13.2.3",
    label="Take the Don Front off",
    when=_still_besieged,
    group="book-keeping",
    warns=_still_there,
)
def fall_of_stalingrad(game: Game) -> Events:
    """Take the Don Front off the map; six of its divisions may come back from turn 10."""
    yield from _withdraw(game)


def _withdraw(game: Game) -> Events:
    yield e.Set("stalingrad", "fallen", was=game["stalingrad"], rule="B13.2.3")
    for name in ("don-sp", "don-sap"):
        if game[name]:
            yield e.Set(name, 0, was=game[name], reason="the Don Front is gone", rule="B13.2.3")
    bound = [u for u in game.units.values() if don_bound(game, u) and in_play(u)]
    for unit in bound:
        yield from states.strip(game, unit.id)
        there = DON_RESERVE if unit.id in DON_TEN else DON_GONE
        yield move(game, unit.id, there, reason="Stalingrad retaken", rule="B13.2.3")
    if not bound:
        yield e.Noted("Take every Don Front unit and its headquarters off the map", rule="B13.2.3")


@rules.watch
def _city_retaken(game: Game) -> Events:
    if game["stalingrad"] == "besieged" and not game.ended and fallen(game):
        yield from _withdraw(game)


def _returning(ctx: Context) -> list[Unit]:
    return ctx.game.units_at(DON_RESERVE)


def _may_return(game: Game) -> bool | str:
    if game["stalingrad"] != "fallen":
        return "Stalingrad has not fallen yet [B13.2.3]"
    if game.turn < 10:
        return "they may return on turn 10 or later [B14.3]"
    return bool(_returning(Context(game))) or "no Don division is waiting to return"


def _against_return(ctx: Context) -> list[str]:
    """They come within one hex of a headquarters, and not among Germans [B13.2.3, 8.6.3]."""
    game, place = ctx.game, ctx.values["hex"]
    hqs = [u.place for u in on_map(game, SOVIET) if is_hq(u)]
    found = []
    if any(u.side != SOVIET for u in game.units_at(place)):
        found.append(f"an enemy stands in {place} [8.6.3]")
    if all(game.maps.distance(hq, place) > 1 for hq in hqs):
        found.append(f"no headquarters on record within one hex of {place} [B13.2.3]")
    return found


@rules.action(
    phase="soviet-move",
    by=SOVIET,
    rule="B14.3",
    label="Bring Don divisions back",
    order=15,
    when=_may_return,
    warns=_against_return,
)
def return_don_units(
    game: Game,
    units: Annotated[tuple[str, ...], UnitRef(label="Divisions", many=True, pick=_returning)],
    hex: Annotated[str, HexId(label="Hex within one of a headquarters")],
) -> Events:
    """Bring Don divisions back beside one headquarters, on turn 10 or later."""
    for unit in units:
        yield move(game, unit, hex, reason="returns", rule="B13.2.3")
        yield put_mark(game, unit, "grace", grace_until(game), rule="B14.3")
    yield from pass_through(game, SOVIET, [hex])
    if not _returning(Context(game)):
        yield e.Ticked("arrival/don-10", True, "Don divisions have returned")
