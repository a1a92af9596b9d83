"""Improved positions, withdrawal and stacking: what units do on the ground after they fought (7.4, 8.1, 12.2)."""

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
from companion.systems.enemy_action_kharkov.base import LIMIT_STEPS, LIMIT_UNITS, SOVIET, ask, on_map, rules
from companion.systems.enemy_action_kharkov.command import in_command
from companion.systems.enemy_action_kharkov.supply import edge_vp_hexes, hex_supplied, owner, scene, towns
from companion.systems.enemy_action_kharkov.support import in_support


def overstacked(game: Game) -> dict[str, str]:
    """7.4: hexes with more than three units or six steps."""
    found = {}
    for hex_id, stack in game.stacks().items():
        steps = sum(u.steps for u in stack)
        if len(stack) > LIMIT_UNITS or steps > LIMIT_STEPS:
            found[hex_id] = f"{len(stack)} units, {steps} steps"
    return found


def enemy_zone(game: Game, side: str) -> set[str]:
    """The hexes in enemy zones of control (8.0)."""
    here = scene(game)
    enemies = [u for u in here.units if u.side != side]
    return zoc(here.board, enemies).get(game.other(side), set())


def ip_mistake(game: Game, hex_id: str, *, side: str) -> str:
    """12.22: why no IP can be placed in a hex, or an empty string."""
    if hex_id in towns(game):
        return f"{hex_id} is a town or city [12.22]"
    if game.mark(hex_id, "ip"):
        return f"{hex_id} has one already [12.22]"
    stack = [u for u in game.units_at(hex_id) if u.side == side]
    if stack and all(game.mark(u.id, "supply") or game.mark(u.id, "dispersed") for u in stack):
        return f"{hex_id}: dispersed or unsupplied units build nothing [12.22]"
    if side == SOVIET and in_support(game, hex_id) is False:
        return f"{hex_id} is outside Soviet support [12.22]"
    return ""


def _idle(game: Game, hex_id: str, side: str) -> bool:
    """12.21: an active unit there, in supply and in order, that neither moved, attacked nor withdrew."""
    stack = [u for u in game.units_at(hex_id) if u.side == side]
    return not stack or any(
        game.mark(u.id, "active")
        and not any(game.mark(u.id, marker) for marker in ("attacked", "supply", "dispersed"))
        and not has_moved(game, u)
        for u in stack
    )


def has_moved(game: Game, unit: Unit) -> bool:
    """Whether a unit moved in this activation: marked so, or no longer where it was activated."""
    start = in_command(game).get("from", {}).get(unit.id, unit.place)
    return bool(game.mark(unit.id, "moved")) or start != unit.place


def _value(game: Game, hex_id: str, side: str) -> str:
    return side if any(u.side == side for u in game.units_at(hex_id)) else "on"


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
        raise NotNow("a Soviet activation builds one position [12.21]", field="hexes")
    for hex_id in hexes:
        wrong = ip_mistake(game, hex_id, side=side) or (
            "" if _idle(game, hex_id, side) else f"{hex_id}: no active unit there that stood still [12.21]"
        )
        if wrong:
            raise NotNow(wrong, field="hexes", given=hex_id)
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
        raise Unreadable("three hexes at most [12.21]", field="hexes")
    for hex_id in hexes:
        wrong = ip_mistake(game, hex_id, side=game.active) if what == "place" else ""
        if wrong:
            raise NotNow(wrong, field="hexes", given=hex_id)
        value = _value(game, hex_id, game.active) if what == "place" else None
        yield e.Marked(hex_id, "ip", value, reason="engineers", rule="12.21" if value else "12.24")


@rules.watch
def abandoned(game: Game) -> Events:
    """12.24: a position that was manned and is empty now comes off."""
    for hex_id, who in game.marked("ip").items():
        if who in game.sides and not any(u.side == who for u in game.units_at(hex_id)):
            yield e.Marked(hex_id, "ip", None, reason="left empty", rule="12.24")


def withdrawal_mistake(game: Game, units: list[Unit], target: str) -> str:
    """8.1: why a stack cannot withdraw to a hex, or an empty string."""
    side, place = units[0].side, units[0].place
    if len({u.place for u in units}) > 1:
        return "one stack at a time"
    for unit in units:
        if game.mark(unit.id, "supply") == "isolated":
            return f"{unit.name or unit.id} is isolated [8.1]"
        if game.mark(unit.id, "dispersed") and not game["dispersed-withdraw"]:
            return f"{unit.name or unit.id} is dispersed [9.9]"
        if has_moved(game, unit) or game.mark(unit.id, "attacked"):
            return f"{unit.name or unit.id} moved or attacked [8.1]"
    if target not in game.maps.neighbours(place):
        return f"{target} is not next to {place}"
    zone = enemy_zone(game, side)
    free = [
        h
        for h in game.maps.neighbours(place)
        if h not in zone and not any(u.side != side for u in game.units_at(h))
    ]
    if free:
        return f"not surrounded: {', '.join(free)} is open [8.1]"
    if any(u.side != side for u in game.units_at(target)):
        return f"{target} is enemy-occupied [8.1]"
    if target in towns(game) and owner(game, target) != side:
        return f"{target} is an enemy town or city [8.1]"
    if target in edge_vp_hexes(game) and not game["withdraw-edge"]:
        return f"{target} is a VP hex of the map edge, closed at this table [8.1]"
    if hex_supplied(game, side, target) is False:
        return f"no supply from {target} [8.1]"
    stack = [*game.units_at(target), *units]
    if len(stack) > LIMIT_UNITS or sum(u.steps for u in stack) > LIMIT_STEPS:
        return f"{target} would hold too many units or steps [7.4]"
    return ""


@rules.action(
    phase="command",
    by="active",
    rule="8.1",
    label="Withdraw a surrounded stack",
    group="units",
    when=lambda game: (
        _activation(game)
        if any(u.on_map and u.side == game.active for u in game.units.values())
        else "no unit is on record: withdraw on the map [8.1]"
    ),
)
def withdraw(
    game: Game,
    units: Annotated[
        tuple[str, ...],
        UnitRef(label="Units", many=True, pick=lambda c: on_map(c.game, c.game.active) if c.game else []),
    ],
    hex: Annotated[str, HexId(label="To hex")],
    anyway: Annotated[bool, Flag(label="Although the companion objects")] = False,
) -> Events:
    """Move a surrounded stack one hex; without a supplied friend there it pays a step."""
    stack = [game.units[u] for u in units]
    wrong = withdrawal_mistake(game, stack, hex)
    if wrong and not anyway:
        raise NotNow(wrong, field="hex", given=hex)
    side = stack[0].side
    friend = any(u.side == side and not game.mark(u.id, "supply") for u in game.units_at(hex))
    for unit in stack:
        yield move(game, unit.id, hex, reason="withdrawal", rule="8.1")
        yield e.Marked(unit.id, "moved", True, reason="withdrew", rule="12.21")
    if not friend:
        args = {"units": list(units), "penalty": True} if len(units) == 1 else {"penalty": True}
        text = "Withdrawal: the stack loses one step"
        yield ask(game, "withdrew", (side, "table"), text, "lose-steps", "8.1", **args)
