"""What a result makes the players do: losses, retreats, advances [9.6-9.9, B10.3]."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from companion.engine.errors import NotNow, Unreadable
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Choice, Context, Flag, HexId, Text, UnitRef, Whole
from companion.engine.record import events as e
from companion.engine.record.changes import move
from companion.engine.record.game import Game
from companion.systems.panzer_keil import states
from companion.systems.panzer_keil.base import named, rules, surplus
from companion.systems.panzer_keil.ground import (
    MAJOR,
    SEA,
    WATER,
    barrier,
    board,
    supply_zones,
    terrain,
    zone,
)
from companion.systems.panzer_keil.results import ATTACKER, RESULTS, Result, survivors_lost

CODES = [(code, code) for code in RESULTS]
BEYOND = 4
"""Steps that a retreat is followed past full hexes [9.7.3]."""


def ask(game: Game, to: str, text: str, action: str, args: Mapping[str, object], rule: str) -> e.Asked:
    """A follow-up for one side, with the action that carries it out."""
    return e.Asked(f"{action}-{game.revision}", (to, "table"), text, action, args, rule=rule)


def remind(game: Game, to: str, text: str, rule: str) -> e.Asked:
    """Something to do on the map alone: a line to tap away."""
    return e.Asked(f"map-{game.revision}", (to, "table"), text, rule=rule)


def pass_through(game: Game, side: str, hexes: Iterable[str]) -> Events:
    """5.4: the side that passed last, noted where it can matter: in cities, and where the enemy is on note."""
    book = board(game).book
    towns = {*book.places("city"), *book.places("major city")}
    for hex_id in hexes:
        held = game.mark(hex_id, "owner")
        if held != side and (held or hex_id in towns):
            yield e.Marked(hex_id, "owner", side, reason="passed", rule="5.4")


@rules.watch
def _nobody_left(game: Game) -> Events:
    """A question about units that have all been lost since asks for nothing."""
    for question in list(game.asked.values()):
        units = [str(u) for u in question.args.get("among", ())] if question.args else []
        if units and not any(u in game.units and game.units[u].on_map for u in units):
            yield e.Answered(question.id, "nobody is left")


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
        text = f"{code}: lose {result.losses} of {named(game, here)}"
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


def _those(name: str) -> Callable[[Context], list[Unit]]:
    """The units that a prompt is about, as another field holds them; all while it holds none."""

    def found(ctx: Context) -> list[Unit]:
        if ctx.game is None:
            return []
        named_ones = ctx.values.get(name) or ()
        return [ctx.game.units[u] for u in named_ones] or [u for u in ctx.game.units.values() if u.on_map]

    return found


@rules.action(by="any", rule="9.6", label="Lose units", group="hidden")
def lose_units(
    game: Game,
    units: Annotated[tuple[str, ...], UnitRef(label="Units lost", many=True, suggest=_those("among"))],
    among: Annotated[tuple[str, ...], UnitRef(label="Of these", many=True, hidden=True)] = (),
    result: Annotated[str, Choice(label="Result", options=CODES, hidden=True)] = "",
    attacker: Annotated[str, Text(label="Attacking side", most=20, hidden=True)] = "",
    battle: Annotated[str, HexId(label="Battle hex", hidden=True)] = "",
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
        who = "" if game.units[stack[0]].side == mover else f", moved by the {game.side_name(mover)} player"
        text = f"Retreat {hexes} hex{'es' if hexes > 1 else ''}{who}: {named(game, stack)}"
        args: dict[str, object] = {"units": stack, "among": stack, "owed": hexes, "battle": battle}
        yield ask(game, mover, text, "retreat", {**args, "disrupts": disrupts}, rule)
    if not units:
        yield remind(game, mover, f"{game.side_name(mover)} player retreats the units {hexes}", rule)


@dataclass(frozen=True)
class Reach:
    """The enemy's zones as a retreat meets them: those of its own bank, and all of them [9.7.2, B10.1]."""

    near: frozenset[str]
    full: frozenset[str]

    @classmethod
    def against(cls, game: Game, side: str) -> Reach:
        enemy = game.other(side)
        return cls(frozenset(zone(game, enemy, supply_zones(game))), frozenset(zone(game, enemy)))


def retreat_block(game: Game, side: str, a: str, b: str, reach: Reach) -> str:
    """Why a retreating unit may not step from one hex to the next, or nothing [9.7.2, B10.3.3]."""
    if b not in game.maps.neighbours(a):
        return f"{b} does not touch {a}"
    if any(u.side != side for u in game.units_at(b)):
        return f"an enemy stands in {b} [9.7.2]"
    between = barrier(game, a, b)
    if between == SEA or terrain(game, b) in WATER:
        return f"sea or lake before {b} [9.7.2]"
    # A zone from over a major river does not stop a retreat along one's own bank.
    if b in reach.near:
        return f"{b} is in an enemy zone [9.7.2]"
    if between == MAJOR and a in reach.full and b in reach.full:
        return f"over the river from one enemy zone into another at {b} [B10.1.2, B10.3.3]"
    return ""


Ways = dict[str, tuple[str, ...]]


def retreat_ends(game: Game, units: Sequence[str], owed: int, battle: str = "") -> Ways:
    """Where a stack may end its retreat, each with a way there: as far as it can go [9.7.2-9.7.4]."""
    first = game.units[units[0]]
    if not first.on_map:
        return {}
    reach = Reach.against(game, first.side)
    found: Ways = {}
    for _ in range(owed):
        longer = _one_further(game, first, found or {first.place: ()}, reach)
        if not longer:
            break
        found = longer
    if owed > 1 and found:  # 9.7.4
        far = {end: game.maps.distance(end, battle or first.place) for end in found}
        found = {end: way for end, way in found.items() if far[end] == max(far.values())}
    beyond = found
    for _ in range(BEYOND):  # 9.7.3: where every hex is full, the retreat goes on
        room = {end: way for end, way in beyond.items() if _room(game, end, units)}
        if room or not beyond:
            return room
        beyond = _one_further(game, first, beyond, reach)
    return found


def _one_further(game: Game, first: Unit, ways: Ways, reach: Reach) -> Ways:
    """Every hex one step on from the ends of some ways, by the way with the fewest major rivers."""
    longer = [
        (*way, step)
        for at, way in ways.items()
        for step in game.maps.neighbours(at)
        if step != first.place and step not in way and not retreat_block(game, first.side, at, step, reach)
    ]
    found: Ways = {}
    for way in sorted(longer, key=lambda w: (_crossings(game, first.place, w), w)):
        found.setdefault(way[-1], way)
    return found


def _crossings(game: Game, start: str, way: Sequence[str]) -> int:
    return sum(barrier(game, a, b) == MAJOR for a, b in zip((start, *way), way, strict=False))


def _room(game: Game, hex_id: str, units: Sequence[str]) -> bool:
    """Whether the units fit in beside those who stand there [B4]."""
    there = [u for u in game.units_at(hex_id) if u.id not in units]
    return not surplus([*there, *(game.units[u] for u in units)])


def _retreat_choices(ctx: Context) -> list[tuple[str, str]]:
    game, units = ctx.game, ctx.values.get("units")
    if game is None or not units:
        return []
    ends = retreat_ends(game, units, int(ctx.values.get("owed") or 1), str(ctx.values.get("battle") or ""))
    start = game.units[units[0]].place
    return [
        (end, f"{end}, over a major river" if _crossings(game, start, way) else end)
        for end, way in sorted(ends.items())
    ]


def _way(ctx: Context) -> tuple[str, ...]:
    """The hexes of the retreat as far as they are chosen."""
    game, to = ctx.game, str(ctx.values.get("to") or "")
    if game is not None and to:
        owed, battle = int(ctx.values.get("owed") or 1), str(ctx.values.get("battle") or "")
        return retreat_ends(game, ctx.values["units"], owed, battle)[to]
    return tuple(ctx.values.get("hexes") or ())


def _no_shortfall(ctx: Context) -> bool:
    """Whether nobody has to be chosen for hexes that were not retreated, as far as the form tells."""
    units, owed, way = ctx.values.get("units") or (), int(ctx.values.get("owed") or 1), _way(ctx)
    if not way and _retreat_choices(ctx):
        return True
    return not 0 < survivors_lost(len(units), owed, len(way)) < len(units)


def _prompted(ctx: Context) -> list[Unit]:
    """The units that a prompt is about, ticked or not: they may part company [9.7.1, 9.8]."""
    return _those("among" if ctx.values.get("among") else "units")(ctx)


def _rivers_known(ctx: Context) -> bool:
    return ctx.game is not None and any(MAJOR in found for found in board(ctx.game).features.values())


@rules.action(by="any", rule="9.7", label="Retreat", group="hidden")
def retreat(
    game: Game,
    units: Annotated[tuple[str, ...], UnitRef(label="Units", many=True, suggest=_prompted)],
    among: Annotated[tuple[str, ...], UnitRef(label="Of these", many=True, hidden=True)] = (),
    owed: Annotated[int, Whole(label="Hexes to retreat", high=6, hidden=True)] = 1,
    battle: Annotated[str, HexId(label="Battle hex", hidden=True)] = "",
    to: Annotated[
        str,
        Choice(label="To", options=_retreat_choices, when=lambda c: bool(_retreat_choices(c))),
    ] = "",
    hexes: Annotated[
        tuple[str, ...], HexId(label="or hex by hex", help="as far as they can go", many=True)
    ] = (),
    disrupts: Annotated[bool, Flag(label="The result disrupts", hidden=True)] = False,
    over_river: Annotated[
        bool, Flag(label="Over a major river", help="not at a railroad crossing", quiet=_rivers_known)
    ] = False,
    lost: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Lost for hexes not retreated",
            help="one each [9.7.5]",
            many=True,
            suggest=_those("units"),
            quiet=_no_shortfall,
        ),
    ] = (),
) -> Events:
    """Move retreating units; hexes not retreated cost units, a major river disrupts or kills."""
    if to:
        hexes = retreat_ends(game, units, owed, battle)[to]
    elif not hexes and retreat_ends(game, units, owed, battle):
        raise Unreadable("choose a hex to retreat to", field="to")
    held = [game.units[u] for u in units]
    side, crossed = held[0].side, over_river
    at = held[0].place
    reach = Reach.against(game, side)
    for hex_id in hexes:
        if at:
            blocked = retreat_block(game, side, at, hex_id, reach)
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
    rest = [u for u in among if u not in units and game.units[u].on_map]
    if rest:
        mover = game.other(side) if disrupts else side
        yield from ask_retreat(game, mover, rest, owed, battle, disrupts)


# -- advance -----------------------------------------------------------------------------------------------


def ask_advance(
    game: Game,
    side: str,
    units: Sequence[str],
    limit: int,
    battle: str,
    crossers: Sequence[str],
    again: bool = False,
) -> Events:
    """Offer the advance after combat."""
    here = [u for u in units if game.units[u].on_map]
    if limit and here and set(here) <= set(crossers):
        limit = 1  # B10.3.2
    if limit and here and battle:
        who = f" with {named(game, here)}" if again else ""
        text = f"Advance into {battle}{' and one hex beyond' if limit > 1 else ''}{who}, if you like"
        args: dict[str, object] = {"units": here, "among": here, "limit": limit, "battle": battle}
        if crossers:
            args["crossers"] = list(crossers)
        yield ask(game, side, text, "advance", args, "9.8")
    elif limit:
        yield remind(game, side, f"Attackers may advance up to {limit}, first into the vacated hex", "9.8")


def _advance_choices(ctx: Context) -> list[tuple[str, str]]:
    """The vacated hex, and where a second hex is allowed those beyond [9.8, B10.3.2]."""
    game, units, battle = ctx.game, ctx.values.get("units"), str(ctx.values.get("battle") or "")
    if game is None or not units or not battle:
        return []
    side = game.units[units[0]].side
    found = [(battle, battle)]
    if int(ctx.values.get("limit") or 1) > 1 and not set(units) & set(ctx.values.get("crossers") or ()):
        found += [
            (h, f"{battle}, then {h}")
            for h in sorted(game.maps.neighbours(battle))
            if barrier(game, battle, h) not in (MAJOR, SEA)
            and terrain(game, h) not in WATER
            and all(u.side == side for u in game.units_at(h))
            and h not in {game.units[u].place for u in units}
        ]
    return found


def _only_vacated(ctx: Context) -> str:
    return str(ctx.values.get("battle") or "")


@rules.action(by="any", rule="9.8", label="Advance after combat", group="hidden")
def advance(
    game: Game,
    units: Annotated[tuple[str, ...], UnitRef(label="Units", many=True, suggest=_prompted)],
    among: Annotated[tuple[str, ...], UnitRef(label="Of these", many=True, hidden=True)] = (),
    limit: Annotated[int, Whole(label="Hexes at most", high=2, hidden=True)] = 1,
    battle: Annotated[str, HexId(label="Vacated hex", hidden=True)] = "",
    crossers: Annotated[
        tuple[str, ...], UnitRef(label="Attacked over a major river", many=True, hidden=True)
    ] = (),
    to: Annotated[
        str,
        Choice(
            label="To",
            options=_advance_choices,
            start=_only_vacated,
            when=lambda c: bool(_advance_choices(c)),
        ),
    ] = "",
    hexes: Annotated[
        tuple[str, ...],
        HexId(label="Hexes in order", help="the vacated hex first", many=True, hidden=True),
    ] = (),
) -> Events:
    """Move attackers into the vacated hex, and one further when the result allows."""
    path = hexes or ((battle,) if battle and to in ("", battle) else (battle, to) if battle else ())
    side = game.units[units[0]].side
    if not path or (battle and path[0] != battle):
        raise Unreadable(f"the first hex is the vacated one, {battle} [9.8.1]", field="hexes")
    if len(path) > limit:
        raise NotNow(f"{limit} at most [9.8]", field="hexes", given=len(path))
    if len(path) > 1 and set(units) & set(crossers):
        raise NotNow("who attacked over a major river advances one hex only [B10.3.2]", field="units")
    for hex_id in path:
        if any(u.side != side for u in game.units_at(hex_id)):
            raise NotNow(
                f"the enemy is still in {hex_id}: his retreat first [9.8.1]", field="hexes", given=hex_id
            )
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
    rest = [u for u in among if u not in units]
    if limit > 1 and rest:  # they may go another way, as in the worked example
        yield from ask_advance(
            game, side, rest, limit, battle, [u for u in crossers if u in rest], again=True
        )
