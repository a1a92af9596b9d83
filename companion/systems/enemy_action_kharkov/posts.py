"""Improved positions, withdrawal and stacking: what units do on the ground after they fought [7.4, 8.1, 12.2]."""

from __future__ import annotations

from typing import Annotated

from companion.engine.errors import NotNow, Unreadable
from companion.engine.hexes.board import zoc
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Choice, Flag, HexId, UnitRef
from companion.engine.record import events as e
from companion.engine.record.changes import move
from companion.engine.record.game import Game

from .base import SOVIET, ask_step, called, fits, in_order, isolated, on_map, rules
from .command import in_command
from .supply import edge_vp_hexes, hex_supplied, owner, scene, towns
from .support import in_support


def overstacked(game: Game) -> dict[str, str]:
    """Hexes with more than three units or six steps [7.4]."""
    return {
        hex_id: f"{len(stack)} units, {sum(u.steps for u in stack)} steps"
        for hex_id, stack in game.stacks().items()
        if not fits(stack)
    }


def enemy_zone(game: Game, side: str) -> set[str]:
    """The hexes in enemy zones of control [8.0]."""
    here = scene(game)
    enemies = [u for u in here.units if u.side != side]
    return zoc(here.board, enemies).get(game.other(side), set())


def _own(game: Game, hex_id: str, side: str) -> list[Unit]:
    return [u for u in game.units_at(hex_id) if u.side == side]


def check_ip(game: Game, hex_id: str, side: str) -> None:
    """Where no IP can be placed [12.22]."""
    stack = _own(game, hex_id, side)
    wrong = ""
    if hex_id in towns(game):
        wrong = f"{hex_id} is a town or city"
    elif game.mark(hex_id, "ip"):
        wrong = f"{hex_id} has one already"
    elif stack and not any(in_order(game, u) for u in stack):
        wrong = f"{hex_id}: dispersed or unsupplied units build nothing"
    elif side == SOVIET and in_support(game, hex_id) is False:
        wrong = f"{hex_id} is outside Soviet support"
    if wrong:
        raise NotNow(wrong, field="hexes", given=hex_id, rule="12.22")


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


def _activation(game: Game) -> bool | str:
    if game["combat"]:
        return "finish the combat first"
    busy = in_command(game).get("what") in ("activate", "units", "kg", "one-unit")
    return busy or "only in an activation: play a card for one first"


@rules.action(
    phase="command", by="active", rule="12.21", label="Build improved positions", order=5, when=_activation
)
def build_ip(game: Game, hexes: Annotated[tuple[str, ...], HexId(label="Hexes", many=True)]) -> Events:
    """At the end of an activation: one Soviet position, or any number of German ones."""
    said, side = in_command(game), game.active
    if side == SOVIET and len(hexes) + int(said.get("built", 0)) > 1:
        raise NotNow("a Soviet activation builds one position", field="hexes", rule="12.21")
    for hex_id in hexes:
        check_ip(game, hex_id, side)
        if not _idle(game, hex_id, side):
            raise NotNow(
                f"{hex_id}: no active unit there that stood still", field="hexes", given=hex_id, rule="12.21"
            )
        yield e.Marked(hex_id, "ip", _value(game, hex_id, side), reason="built", rule="12.21")
    built = int(said.get("built", 0)) + len(hexes)
    yield e.Set("command", {**said, "built": built}, reason=f"{len(hexes)} improved positions built")


@rules.action(phase="command", by="active", rule="12.21, 12.24", label="Engineers event", group="hidden")
def engineers(
    game: Game,
    what: Annotated[str, Choice(label="Do", options=[("place", "Place"), ("remove", "Remove enemy ones")])],
    hexes: Annotated[tuple[str, ...], HexId(label="Up to three hexes", many=True)],
) -> Events:
    """Place up to three positions with supplied friends, or remove up to three beside your units."""
    if len(hexes) > 3:
        raise Unreadable("three hexes at most", field="hexes", rule="12.21")
    for hex_id in hexes:
        value = None
        if what == "place":
            check_ip(game, hex_id, game.active)
            value = _value(game, hex_id, game.active)
        yield e.Marked(hex_id, "ip", value, reason="engineers", rule="12.21" if value else "12.24")


@rules.watch
def abandoned(game: Game) -> Events:
    """A position that was manned and is empty now comes off [12.24]."""
    for hex_id, who in game.marked("ip").items():
        if who in game.sides and not _own(game, hex_id, who):
            yield e.Marked(hex_id, "ip", None, reason="left empty", rule="12.24")


def check_withdrawal(game: Game, units: list[Unit], target: str) -> None:
    """Whether a stack may withdraw to a hex [8.1]."""
    side, place = units[0].side, units[0].place

    def refuse(why: str, rule: str = "8.1") -> NotNow:
        return NotNow(why, field="hex", given=target, rule=rule)

    if len({u.place for u in units}) > 1:
        raise refuse("one stack at a time")
    for unit in units:
        if isolated(game, unit):
            raise refuse(f"{called(unit)} is isolated")
        if game.mark(unit.id, "dispersed") and not game["dispersed-withdraw"]:
            raise refuse(f"{called(unit)} is dispersed", "9.9")
        if has_moved(game, unit) or game.mark(unit.id, "attacked"):
            raise refuse(f"{called(unit)} moved or attacked")
    around = game.maps.neighbours(place)
    if target not in around:
        raise refuse(f"{target} is not next to {place}")
    zone, enemy = enemy_zone(game, side), game.other(side)
    free = [h for h in around if h not in zone and not _own(game, h, enemy)]
    if free:
        raise refuse(f"not surrounded: {', '.join(free)} is open")
    if _own(game, target, enemy):
        raise refuse(f"{target} is enemy-occupied")
    if target in towns(game) and owner(game, target) != side:
        raise refuse(f"{target} is an enemy town or city")
    if target in edge_vp_hexes(game) and not game["withdraw-edge"]:
        raise refuse(f"{target} is a VP hex of the map edge, closed at this table")
    if hex_supplied(game, side, target) is False:
        raise refuse(f"no supply from {target}")
    if not fits([*game.units_at(target), *units]):
        raise refuse(f"{target} would hold too many units or steps", "7.4")


def _may_withdraw(game: Game) -> bool | str:
    own = on_map(game, game.active)
    return _activation(game) if own else "no unit is on record: withdraw on the map [8.1]"


@rules.action(
    phase="command",
    by="active",
    rule="8.1",
    label="Withdraw a surrounded stack",
    group="units",
    when=_may_withdraw,
)
def withdraw(
    game: Game,
    units: Annotated[
        tuple[str, ...],
        UnitRef(label="Units", many=True, pick=lambda c: on_map(c.game, c.game.active)),
    ],
    hex: Annotated[str, HexId(label="To hex")],
    anyway: Annotated[bool, Flag(label="Although the companion objects")] = False,
) -> Events:
    """Move a surrounded stack one hex; without a supplied friend there it pays a step."""
    stack = [game.units[u] for u in units]
    if not anyway:
        check_withdrawal(game, stack, hex)
    side = stack[0].side
    friend = any(not game.mark(u.id, "supply") for u in _own(game, hex, side))
    for unit in stack:
        yield move(game, unit.id, hex, reason="withdrawal", rule="8.1")
        yield e.Marked(unit.id, "moved", True, reason="withdrew", rule="12.21")
    if not friend:
        yield ask_step(game, "withdrew", side, "Withdrawal: the stack loses one step", "8.1", units)
