"""Improved positions, withdrawal and stacking: what units do on the ground after they fought [7.4, 8.1, 12.2]."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated

from companion.engine.errors import NotNow
from companion.engine.forms.fields import Choice, Context, HexId, UnitRef
from companion.engine.hexes.board import zoc
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import count, on_map
from companion.engine.positions.situation import board
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING, move
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import (
    AREA_NAMES,
    SOVIET,
    SOVIET_ARMIES,
    Reason,
    called,
    fits,
    in_order,
    isolated,
    owe_a_step,
    rules,
)
from companion.systems.enemy_action_kharkov.command import in_command
from companion.systems.enemy_action_kharkov.fight import one_at_a_time
from companion.systems.enemy_action_kharkov.supply import edge_vp_hexes, hex_supplied, owner, scene, towns
from companion.systems.enemy_action_kharkov.support import in_support


def enemy_zone(game: Game, side: str) -> set[str]:
    """The hexes in enemy zones of control [8.0]."""
    here = scene(game)
    enemies = [u for u in here.units if u.side != side]
    return zoc(here.board, enemies).get(game.other(side), set())


def in_area(game: Game, units: Iterable[Unit], hex_id: str) -> bool:
    """Inside the front area of every Soviet unit, as far as the map book tells [7.6]."""
    for unit in units:
        area = board(game).book.named("area", AREA_NAMES.get(SOVIET_ARMIES.get(unit.formation, ""), ""))
        if unit.side == SOVIET and area and hex_id not in area:
            return False
    return True


def _own(game: Game, hex_id: str, side: str) -> list[Unit]:
    return [u for u in game.units_at(hex_id) if u.side == side]


def against_ip(game: Game, hex_id: str, side: str) -> Iterator[Reason]:
    """What stands against an improved position in a hex [12.22]."""
    stack = _own(game, hex_id, side)
    if hex_id in towns(game):
        yield Reason(f"{hex_id} is a town or city", "12.22")
    if game.mark(hex_id, "ip"):
        yield Reason(f"{hex_id} has one already", "12.22")
    if stack and not any(in_order(game, u) for u in stack):
        yield Reason(f"{hex_id}: dispersed or unsupplied units build nothing", "12.22")
    if side == SOVIET and in_support(game, hex_id) is False:
        yield Reason(f"{hex_id} is outside Soviet support", "12.22")


def _idle(game: Game, hex_id: str, side: str) -> bool:
    """An active unit there, in supply and in order, that neither moved, attacked nor withdrew [12.21]."""
    stack = _own(game, hex_id, side)
    return not stack or any(
        game.mark(u.id, "active")
        and in_order(game, u)
        and not game.mark(u.id, "attacked")
        and not has_moved(game, u)
        for u in stack
    )


def has_moved(game: Game, unit: Unit) -> bool:
    """Whether a unit moved in this activation: marked so, or no longer where it was activated."""
    start = in_command(game).get("from", {}).get(unit.id, unit.place)
    return bool(game.mark(unit.id, "moved")) or start != unit.place


def _value(game: Game, hex_id: str, side: str) -> str:
    return side if _own(game, hex_id, side) else "on"


def _activation(game: Game) -> bool | str | NotNow:
    fighting = one_at_a_time(game)
    if fighting is not True:
        return fighting
    busy = in_command(game).get("what") in ("activate", "units", "kg", "one-unit")
    return busy or "only in an activation: play a card for one first"


def _against_building(ctx: Context) -> Iterator[Reason]:
    game, side, hexes = ctx.game, ctx.game.active, ctx.values["hexes"]
    if side == SOVIET and len(hexes) + int(in_command(game).get("built", 0)) > 1:
        yield Reason("a Soviet activation builds one position", "12.21")
    for hex_id in hexes:
        yield from against_ip(game, hex_id, side)
        if not _idle(game, hex_id, side):
            yield Reason(f"{hex_id}: no active unit there that stood still", "12.21")


@rules.action(
    phase="command",
    by="active",
    rule="12.21",
    label="Build improved positions",
    order=5,
    when=_activation,
    warns=_against_building,
)
def build_ip(game: Game, hexes: Annotated[tuple[str, ...], HexId(label="Hexes", many=True)]) -> Events:
    """At the end of an activation: one Soviet position, or any number of German ones."""
    said, side = in_command(game), game.active
    for hex_id in hexes:
        yield e.Marked(hex_id, "ip", _value(game, hex_id, side), reason="built", rule="12.21")
    built = int(said.get("built", 0)) + len(hexes)
    yield e.Set("command", {**said, "built": built}, reason=f"{count(built, 'improved position')} built")


def _against_engineers(ctx: Context) -> Iterator[Reason]:
    hexes = ctx.values["hexes"]
    if len(hexes) > 3:
        yield Reason("three hexes at most", "12.21")
    if ctx.duty is None:
        return
    side = ctx.duty.to[0]
    for hex_id in hexes:
        if ctx.values.get("what") == "place":
            yield from _against_placing(ctx.game, hex_id, side)
        else:
            yield from _against_clearing(ctx.game, hex_id, side)


def _against_placing(game: Game, hex_id: str, side: str) -> Iterator[Reason]:
    """With a supplied friend in the hex [12.21, 12.22]."""
    yield from against_ip(game, hex_id, side)
    if on_map(game, side) and not any(not game.mark(u.id, "supply") for u in _own(game, hex_id, side)):
        yield Reason(f"{hex_id}: no supplied friendly unit on record there", "12.21")


def _against_clearing(game: Game, hex_id: str, side: str) -> Iterator[Reason]:
    """An enemy's position, beside a unit of one's own [12.24]."""
    enemy, mark = game.other(side), game.mark(hex_id, "ip")
    if not mark:
        yield Reason(f"{hex_id} has no improved position on record", "12.24")
    if mark == side or (on_map(game, enemy) and not _own(game, hex_id, enemy)):
        yield Reason(f"{hex_id}: no enemy unit on record there", "12.24")
    near = [u for h in game.maps.neighbours(hex_id) for u in _own(game, h, side)]
    if on_map(game, side) and not near:
        yield Reason(f"{hex_id} is not beside a friendly unit on record", "12.24")


@rules.follow_up(rule="12.21, 12.24", label="Send the engineers", warns=_against_engineers)
def engineers(
    game: Game,
    duty: e.Asked,
    what: Annotated[str, Choice(label="Do", options=[("place", "Place"), ("remove", "Remove enemy ones")])],
    hexes: Annotated[tuple[str, ...], HexId(label="Up to three hexes", many=True)],
) -> Events:
    """Place up to three positions with supplied friends, or remove up to three beside your units."""
    for hex_id in hexes:
        value = _value(game, hex_id, duty.to[0]) if what == "place" else None
        yield e.Marked(hex_id, "ip", value, reason="engineers", rule="12.21" if value else "12.24")


@rules.watch
def abandoned(game: Game) -> Events:
    """A position that was manned and is empty now comes off [12.24]."""
    for hex_id, who in game.marked("ip").items():
        if who in game.sides and not _own(game, hex_id, who):
            yield e.Marked(hex_id, "ip", None, reason="left empty", rule="12.24")


def against_withdrawal(game: Game, units: list[Unit], target: str) -> Iterator[Reason]:
    """What stands against withdrawing a stack to a hex [8.1]."""
    side, place = units[0].side, units[0].place
    if "built" in in_command(game):
        yield Reason("withdrawals come before improved positions", "6.0")
    if len({u.place for u in units}) > 1:
        yield Reason("one stack at a time", "8.1")
    if left := [called(u) for u in _own(game, place, side) if u not in units]:
        yield Reason(f"{', '.join(left)} would stay behind: the whole stack withdraws", "8.1")
    some_active = any(game.mark(u.id, "active") for u in on_map(game, side))
    for unit in units:
        if some_active and not game.mark(unit.id, "active"):
            yield Reason(f"{called(unit)} is not active", "8.1")
        if isolated(game, unit):
            yield Reason(f"{called(unit)} is isolated", "8.1")
        if game.mark(unit.id, "dispersed") and not game["dispersed-withdraw"]:
            yield Reason(f"{called(unit)} is dispersed", "9.9")
        if has_moved(game, unit) or game.mark(unit.id, "attacked"):
            yield Reason(f"{called(unit)} moved or attacked", "8.1")
    around = game.maps.neighbours(place)
    if target not in around:
        yield Reason(f"{target} is not next to {place}", "8.1")
    zone, enemy = enemy_zone(game, side), game.other(side)
    if free := [h for h in around if h not in zone and not _own(game, h, enemy)]:
        yield Reason(f"not surrounded: {', '.join(free)} is open", "8.1")
    if _own(game, target, enemy):
        yield Reason(f"{target} is enemy-occupied", "8.1")
    if target in towns(game) and owner(game, target) != side:
        yield Reason(f"{target} is an enemy town or city", "8.1")
    if target in edge_vp_hexes(game) and not game["withdraw-edge"]:
        yield Reason(f"{target} is a VP hex of the map edge, closed at this table", "8.1")
    if hex_supplied(game, side, target, units) is False:  # as if all of them stood there
        yield Reason(f"no supply from {target}", "8.1")
    if not fits([*game.units_at(target), *units]):
        yield Reason(f"{target} would hold too many units or steps", "7.4")


def _against_it(ctx: Context) -> Iterable[Reason]:
    units = [ctx.game.units[u] for u in ctx.values["units"]]
    return against_withdrawal(ctx.game, units, str(ctx.values["hex"]))


def _surrounded(ctx: Context) -> list[Unit]:
    """Stacks with nothing but enemies and their zones around; all own units where there is none [8.1]."""
    game, own = ctx.game, on_map(ctx.game, ctx.game.active)
    closed = enemy_zone(game, game.active) | {u.place for u in on_map(game, game.other(game.active))}
    return [u for u in own if all(h in closed for h in game.maps.neighbours(u.place))] or own


def _only_stack(ctx: Context) -> list[str] | None:
    found = _surrounded(ctx)
    return [u.id for u in found] if len({u.place for u in found}) == 1 else None


def _may_withdraw(game: Game) -> bool | str | NotNow:
    own = on_map(game, game.active)
    return _activation(game) if own else "no unit is on record: withdraw on the map [8.1]"


@rules.action(
    phase="command",
    by="active",
    rule="8.1",
    label="Withdraw a surrounded stack",
    group="units",
    when=_may_withdraw,
    warns=_against_it,
)
def withdraw(
    game: Game,
    units: Annotated[
        tuple[str, ...],
        UnitRef(
            label="The whole stack",
            many=True,
            pick=lambda c: on_map(c.game, c.game.active),
            suggest=_surrounded,
            start=_only_stack,
        ),
    ],
    hex: Annotated[str, HexId(label="To hex")],
) -> Events:
    """Move a surrounded stack one hex; without a supplied friend there it pays a step."""
    said = in_command(game)
    friend = any(not game.mark(u.id, "supply") for u in _own(game, hex, game.active))
    for unit in units:
        yield move(game, unit, hex, reason="withdrawal", rule="8.1")
        yield e.Marked(unit, "moved", True, reason="withdrew", rule="12.21")
    yield e.Set("command", {**said, "withdrew": int(said.get("withdrew", 0)) + 1}, reason=IN_PASSING)
    if not friend:
        yield owe_a_step(game, "lose a step for the withdrawal", units, "8.1")
