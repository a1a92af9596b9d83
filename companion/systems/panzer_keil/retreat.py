"""Retreats: where a stack may go, what it costs, who moves it [9.7, B10.3.3]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

from companion.engine.errors import NotNow, Unreadable
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Choice, Context, Flag, HexId, UnitRef, Whole
from companion.engine.record import events as e
from companion.engine.record.changes import move
from companion.engine.record.game import Game
from companion.systems.panzer_keil import states
from companion.systems.panzer_keil.base import Fault, named, rules, surplus
from companion.systems.panzer_keil.followup import ask, prompted, remind, those
from companion.systems.panzer_keil.ground import (
    MAJOR,
    SEA,
    WATER,
    barrier,
    board,
    pass_through,
    supply_zones,
    terrain,
    zone,
)
from companion.systems.panzer_keil.results import survivors_lost

BEYOND = 4
"""Steps that a retreat is followed past full hexes [9.7.3]."""


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


def retreat_block(game: Game, side: str, a: str, b: str, reach: Reach) -> Fault | None:
    """Why a retreating unit may not step from one hex to the next, or nothing [9.7.2, B10.3.3]."""
    if b not in game.maps.neighbours(a):
        return Fault(f"{b} does not touch {a}", "9.7")
    if any(u.side != side for u in game.units_at(b)):
        return Fault(f"an enemy stands in {b}", "9.7.2")
    between = barrier(game, a, b)
    if between == SEA or terrain(game, b) in WATER:
        return Fault(f"sea or lake before {b}", "9.7.2")
    # A zone from over a major river does not stop a retreat along one's own bank.
    if b in reach.near:
        return Fault(f"{b} is in an enemy zone", "9.7.2")
    if between == MAJOR and a in reach.full and b in reach.full:
        return Fault(f"over the river from one enemy zone into another at {b}", "B10.1.2, B10.3.3")
    return None


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
    if owed > 1 and found:  # [9.7.4]
        far = {end: game.maps.distance(end, battle or first.place) for end in found}
        found = {end: way for end, way in found.items() if far[end] == max(far.values())}
    beyond = found
    for _ in range(BEYOND):  # where every hex is full, the retreat goes on [9.7.3]
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
    return sum(barrier(game, a, b) == MAJOR for a, b in pairwise((start, *way)))


def _room(game: Game, hex_id: str, units: Sequence[str]) -> bool:
    """Whether the units fit in beside those who stand there [B4]."""
    there = [u for u in game.units_at(hex_id) if u.id not in units]
    return not surplus([*there, *(game.units[u] for u in units)])


def _ends(ctx: Context) -> Ways:
    """Where the units named so far may go."""
    units, battle = ctx.values.get("units"), str(ctx.values.get("battle") or "")
    return retreat_ends(ctx.game, units, _owed(ctx), battle) if units else {}


def _owed(ctx: Context) -> int:
    return int(ctx.values.get("owed") or 1)


def _retreat_choices(ctx: Context) -> list[tuple[str, str]]:
    game, ends = ctx.game, _ends(ctx)
    if not ends:
        return []
    start = game.units[ctx.values["units"][0]].place
    return [
        (end, f"{end}, over a major river" if _crossings(game, start, way) else end)
        for end, way in sorted(ends.items())
    ]


def _any_choice(ctx: Context) -> bool:
    return bool(_ends(ctx))


def _no_shortfall(ctx: Context) -> bool:
    """Whether nobody has to be chosen for hexes that were not retreated, as far as the form tells."""
    units, to = ctx.values.get("units") or (), str(ctx.values.get("to") or "")
    way = _ends(ctx)[to] if to else tuple(ctx.values.get("hexes") or ())
    if not way and _any_choice(ctx):
        return True
    return not 0 < survivors_lost(len(units), _owed(ctx), len(way)) < len(units)


def _rivers_known(ctx: Context) -> bool:
    return any(MAJOR in found for found in board(ctx.game).features.values())


@rules.action(by="any", rule="9.7", label="Retreat", group="hidden")
def retreat(
    game: Game,
    units: Annotated[tuple[str, ...], UnitRef(label="Units", many=True, suggest=prompted)],
    among: Annotated[tuple[str, ...], UnitRef(label="Of these", many=True, hidden=True)] = (),
    owed: Annotated[int, Whole(label="Hexes to retreat", high=6, hidden=True)] = 1,
    battle: Annotated[str, HexId(label="Battle hex", hidden=True)] = "",
    to: Annotated[
        str,
        Choice(label="To", options=_retreat_choices, when=_any_choice),
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
            suggest=those("units"),
            quiet=_no_shortfall,
        ),
    ] = (),
) -> Events:
    """Move retreating units; hexes not retreated cost units, a major river disrupts or kills."""
    ends = {} if hexes and not to else retreat_ends(game, units, owed, battle)
    if ends and not to:
        raise Unreadable("choose a hex to retreat to", field="to", rule="9.7")
    way = ends[to] if to else hexes
    side = game.units[units[0]].side
    crossed = _walk(game, units[0], way) or over_river
    gone = _shortfall(game, units, owed, way, lost)
    for unit in gone:
        yield from states.eliminate(game, unit, "no room to retreat", "9.7.5")
    for unit in [u for u in units if u not in gone]:
        if crossed:
            yield from states.put(game, unit, states.river_rout if disrupts else states.river_retreat)
        if way and game.units[unit].on_map:
            yield move(game, unit, way[-1], reason="retreat", rule="9.7")
    if way and any(game.units[u].on_map for u in units):
        yield from pass_through(game, side, way)
        yield from _too_near(game, way, owed, battle)
    rest = [u for u in among if u not in units and game.units[u].on_map]
    if rest:
        mover = game.other(side) if disrupts else side
        yield from ask_retreat(game, mover, rest, owed, battle, disrupts)


def _walk(game: Game, unit: str, way: Sequence[str]) -> bool:
    """Check each step of a retreat; whether it goes over a major river [9.7.2, B10.3.3]."""
    side, start = game.units[unit].side, game.units[unit].place
    if not start:  # a unit that was never on the map is put where the player says
        way, start = way[1:], way[0] if way else ""
    reach = Reach.against(game, side)
    for a, b in pairwise((start, *way)):
        blocked = retreat_block(game, side, a, b, reach)
        if blocked:
            raise NotNow(f"no retreat that way: {blocked.text}", field="hexes", given=b, rule=blocked.rule)
    return _crossings(game, start, way) > 0


def _shortfall(
    game: Game, units: Sequence[str], owed: int, way: Sequence[str], chosen: Sequence[str]
) -> Sequence[str]:
    """Who is lost for the hexes that were not retreated [9.7.5]."""
    price = survivors_lost(len(units), owed, len(way))
    gone = units if price >= len(units) else chosen
    if len(gone) != price:
        raise Unreadable(
            f"{owed - len(way)} hexes short: choose {price} of {named(game, units)} to lose",
            field="lost",
            rule="9.7.5",
        )
    return gone


def _too_near(game: Game, way: Sequence[str], owed: int, battle: str) -> Events:
    """A retreat of two hexes ends as far from the battle as it can [9.7.4]."""
    if battle and owed > 1 and len(way) > 1 and game.maps.distance(way[-1], battle) < min(owed, len(way)):
        yield e.Noted(f"{way[-1]} is nearer to {battle} than a retreat of {owed} should end", rule="9.7.4")
