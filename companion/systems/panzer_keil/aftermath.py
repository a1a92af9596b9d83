"""What a result makes the players do: losses, retreats, advances [9.6-9.9, B10.3]."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

from companion.engine import events as e
from companion.engine.actions import Events
from companion.engine.errors import NotNow, Unreadable
from companion.engine.fields import Choice, Flag, HexId, Text, UnitRef, Whole
from companion.engine.game import Game
from companion.engine.moves import move
from companion.systems.panzer_keil import states
from companion.systems.panzer_keil.base import named, rules
from companion.systems.panzer_keil.ground import MAJOR, SEA, WATER, barrier, supply_zones, terrain, zone
from companion.systems.panzer_keil.results import ATTACKER, RESULTS, Result, survivors_lost

CODES = [(code, code) for code in RESULTS]


def ask(game: Game, to: str, text: str, action: str, args: Mapping[str, object], rule: str) -> e.Asked:
    """A follow-up for one side; without units on record it is a line to tap away."""
    return e.Asked(f"{action}-{game.revision}", (to, "table"), text, action, args, rule=rule)


@rules.action(by="any", label="Done on the map", group="hidden")
def carry_out(game: Game, what: Annotated[str, Text(most=200)]) -> Events:
    """Say that a result was carried out on the map."""
    yield e.Noted(what)


def remind(game: Game, to: str, text: str, rule: str) -> e.Asked:
    return ask(game, to, text, "carry-out", {"what": text}, rule)


def pass_through(game: Game, side: str, hexes: Iterable[str]) -> Events:
    """5.4: the side that passed last is noted on each hex."""
    for hex_id in hexes:
        if game.mark(hex_id, "owner") != side:
            yield e.Marked(hex_id, "owner", side, reason="passed", rule="5.4")


# -- suffering a result ------------------------------------------------------------------------------------


def suffer(game: Game, code: str, units: Sequence[str], attacker: str, battle: str) -> Events:
    """Apply a code to the units it hits: losses first, then markers and retreats [9.6]."""
    result = RESULTS[code]
    here = [u for u in units if game.units[u].on_map]
    owner = attacker if result.sufferer == ATTACKER else game.other(attacker)
    if result.all_lost or (here and len(here) <= result.losses):
        for unit in here:
            yield from states.eliminate(game, unit, code, "9.6")
    elif result.losses and here:
        text = f"{code}: choose {result.losses} of {named(game, here)} to lose"
        args = {"among": here, "result": code, "attacker": attacker, "battle": battle}
        yield ask(game, owner, text, "lose-units", args, "9.6")
    elif here:
        yield from push(game, result, here, attacker, battle)
    else:
        yield remind(game, owner, f"{code}: {result.text}", "9.6")


def push(game: Game, result: Result, units: Sequence[str], attacker: str, battle: str) -> Events:
    """Markers and the retreat of those who are left."""
    if result.disrupts:
        trigger = states.repulsed if result.sufferer == ATTACKER else states.hit
        for unit in units:
            yield from states.put(game, unit, trigger, reason=result.code)
    if result.retreat:
        mover = attacker if result.by == ATTACKER else game.other(attacker)
        yield from ask_retreat(game, mover, units, result.retreat, battle, result.disrupts)


@rules.action(by="any", rule="9.6", label="Lose units", group="hidden")
def lose_units(
    game: Game,
    units: Annotated[tuple[str, ...], UnitRef(label="Units lost", many=True)],
    among: Annotated[tuple[str, ...], UnitRef(label="Of these", many=True)] = (),
    result: Annotated[str, Choice(label="Result", options=CODES)] = "",
    attacker: Annotated[str, Text(most=20)] = "",
    battle: Annotated[str, HexId(label="Battle hex")] = "",
) -> Events:
    """Eliminate the units that a result costs; the others then suffer the rest of it."""
    wanted = RESULTS[result].losses if result else len(units)
    if among and not set(units) <= set(among):
        raise Unreadable("only units of this battle can be lost here", field="units")
    if len(units) != wanted:
        raise Unreadable(f"choose {wanted}, not {len(units)}", field="units", given=len(units))
    for unit in units:
        yield from states.eliminate(game, unit, result or "lost", "9.6")
    rest = [u for u in among if u not in units]
    if result and rest:
        yield from push(game, RESULTS[result], rest, attacker, battle)


# -- retreat -----------------------------------------------------------------------------------------------


def ask_retreat(
    game: Game, mover: str, units: Sequence[str], hexes: int, battle: str, disrupts: bool, rule: str = "9.7"
) -> Events:
    """Ask the player who moves them to retreat the units, one question for each stack."""
    stacks: dict[str, list[str]] = {}
    for unit in units:
        stacks.setdefault(game.units[unit].place, []).append(unit)
    for stack in stacks.values():
        text = f"{game.side_name(mover)} retreats {named(game, stack)} {hexes}"
        args: dict[str, object] = {"units": stack, "owed": hexes, "disrupts": disrupts, "battle": battle}
        yield ask(game, mover, text, "retreat", args, rule)
    if not units:
        yield remind(game, mover, f"{game.side_name(mover)} retreats the units {hexes}", rule)


def retreat_block(game: Game, side: str, a: str, b: str) -> str:
    """Why a retreating unit may not step from one hex to the next, or nothing [9.7.2, B10.3.3]."""
    enemy = game.other(side)
    if b not in game.maps.neighbours(a):
        return f"{b} does not touch {a}"
    if any(u.side == enemy for u in game.units_at(b)):
        return f"an enemy stands in {b} [9.7.2]"
    between = barrier(game, a, b)
    if between == SEA or terrain(game, b) in WATER:
        return f"sea or lake before {b} [9.7.2]"
    # A zone from over a major river does not stop a retreat along one's own bank.
    if b in zone(game, enemy, supply_zones(game)):
        return f"{b} is in an enemy zone [9.7.2]"
    if between == MAJOR:
        reach = zone(game, enemy)
        if a in reach and b in reach:
            return f"over the river from one enemy zone into another at {b} [B10.1.2, B10.3.3]"
    return ""


@rules.action(by="any", rule="9.7", label="Retreat", group="hidden")
def retreat(
    game: Game,
    units: Annotated[tuple[str, ...], UnitRef(label="Units", many=True)],
    hexes: Annotated[
        tuple[str, ...], HexId(label="Hexes in order", help="as far as they can go", many=True)
    ] = (),
    owed: Annotated[int, Whole(label="Hexes to retreat", high=6)] = 1,
    disrupts: Annotated[bool, Flag(label="The result disrupts")] = False,
    over_river: Annotated[bool, Flag(label="Over a major river", help="not at a railroad crossing")] = False,
    lost: Annotated[
        tuple[str, ...], UnitRef(label="Lost for hexes not retreated", help="one each [9.7.5]", many=True)
    ] = (),
    battle: Annotated[str, HexId(label="Battle hex")] = "",
) -> Events:
    """Move retreating units; hexes not retreated cost units, a major river disrupts or kills."""
    held = [game.units[u] for u in units]
    side, crossed = held[0].side, over_river
    at = held[0].place
    for hex_id in hexes:
        if at:
            blocked = retreat_block(game, side, at, hex_id)
            if blocked:
                raise NotNow(f"no retreat that way: {blocked}", field="hexes", given=hex_id)
            crossed = crossed or barrier(game, at, hex_id) == MAJOR
        at = hex_id
    price = survivors_lost(len(units), owed, len(hexes))
    gone = tuple(units) if price >= len(units) else lost
    if len(gone) != price:
        raise Unreadable(
            f"{owed - len(hexes)} hexes short: choose {price} of {named(game, units)} to lose [9.7.5]",
            field="lost",
        )
    for unit in gone:
        yield from states.eliminate(game, unit, "no room to retreat", "9.7.5")
    for unit in [u for u in units if u not in gone]:
        if crossed:
            yield from states.put(game, unit, states.river_rout if disrupts else states.river_retreat)
        if hexes and game.units[unit].on_map:
            yield move(game, unit, hexes[-1], reason="retreat", rule="9.7")
    if hexes and any(game.units[u].on_map for u in units):
        yield from pass_through(game, side, hexes)
        if (
            battle
            and owed > 1
            and len(hexes) > 1
            and game.maps.distance(hexes[-1], battle) < min(owed, len(hexes))
        ):
            yield e.Noted(
                f"{hexes[-1]} is nearer to {battle} than a retreat of {owed} should end", rule="9.7.4"
            )


# -- advance -----------------------------------------------------------------------------------------------


def ask_advance(
    game: Game, side: str, units: Sequence[str], limit: int, battle: str, crossers: Sequence[str]
) -> Events:
    """Offer the advance after combat."""
    here = [u for u in units if game.units[u].on_map]
    if limit and here and battle:
        text = f"Advance up to {limit} into {battle}{' and beyond' if limit > 1 else ''}"
        args: dict[str, object] = {"units": here, "limit": limit, "battle": battle}
        if crossers:
            args["crossers"] = list(crossers)
        yield ask(game, side, text, "advance", args, "9.8")
    elif limit:
        yield remind(game, side, f"Attackers may advance up to {limit}, first into the vacated hex", "9.8")


@rules.action(by="any", rule="9.8, B10.3.2", label="Advance after combat", group="hidden")
def advance(
    game: Game,
    units: Annotated[tuple[str, ...], UnitRef(label="Units", many=True)],
    hexes: Annotated[
        tuple[str, ...], HexId(label="Hexes in order", help="the vacated hex first", many=True)
    ] = (),
    limit: Annotated[int, Whole(label="Hexes at most", high=2)] = 1,
    battle: Annotated[str, HexId(label="Vacated hex")] = "",
    crossers: Annotated[tuple[str, ...], UnitRef(label="Attacked over a major river", many=True)] = (),
) -> Events:
    """Move attackers into the vacated hex, and one further when the result allows."""
    path = hexes or ((battle,) if battle else ())
    side = game.units[units[0]].side
    if not path or (battle and path[0] != battle):
        raise Unreadable(f"the first hex is the vacated one, {battle} [9.8.1]", field="hexes")
    if len(path) > limit:
        raise NotNow(f"{limit} at most [9.8]", field="hexes", given=len(path))
    if len(path) > 1 and set(units) & set(crossers):
        raise NotNow("who attacked over a major river advances one hex only [B10.3.2]", field="units")
    for hex_id in path:
        if any(u.side != side for u in game.units_at(hex_id)):
            raise NotNow(f"an enemy stands in {hex_id} [9.8.1]", field="hexes", given=hex_id)
    if len(path) > 1:
        between = barrier(game, path[0], path[1]) if path[1] in game.maps.neighbours(path[0]) else "far"
        if between in (MAJOR, SEA, "far") or terrain(game, path[1]) in WATER:
            raise NotNow(
                f"the second hex may not lie over a major river, sea or lake, nor apart: {path[1]} [B10.3.2]",
                field="hexes",
                given=path[1],
            )
    for unit in units:
        yield move(game, unit, path[-1], reason="advance after combat", rule="9.8")
    yield from pass_through(game, side, path)
