"""Retreats: where a stack may go, what it costs, who moves it [9.7, B10.3.3]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, UnitRef
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import learn, owe, units_of
from companion.engine.positions.pieces import count, eliminate
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import move
from companion.engine.record.game import Game
from companion.systems.panzer_keil import states
from companion.systems.panzer_keil.base import DEAD, Fault, named, recorded, rules, surplus, target_of
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
from companion.systems.panzer_keil.results import RETREAT, survivors_lost

BEYOND = 4
"""Steps that a retreat is followed past full hexes [9.7.3]."""


APART, OVER = "apart", "over"
"""What may be said instead of a hex: the stack parts; the way leads over a major river that no map book tells of."""


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
        if room:
            return room
        beyond = _one_further(game, first, beyond, reach) if beyond else {}
    return found  # with nothing open beyond, it ends in the full hex, which is looked at when the phase closes [5.1.3]


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


# -- the duty ----------------------------------------------------------------------------------------------


def owe_retreat(
    game: Game, battle: Battle, mover: str, units: Sequence[str], rule: str = "9.7", **terms: Any
) -> Events:
    """The player who moves them retreats the units, each stack for itself.

    :param terms: `hexes` to go, whether the result `disrupts`, whether the way leads `over` a major river unknown to the map
    """
    far = count(terms["hexes"], "hex", "hexes")
    stacks: dict[str, list[str]] = {}
    for unit in units:
        stacks.setdefault(game.units[unit].place, []).append(unit)
    args = {"over": False, **terms}
    for place, stack in stacks.items():
        names = named(game, stack)
        own = game.units[stack[0]].side == mover
        text = f"Retreat {far}: {names}" if own else f"{game.side_name(mover)}: move {names} back {far}"
        args["place"] = place
        yield owe(game, mover, text, retreat, battle=battle, step=RETREAT, units=stack, rule=rule, **args)
    if not units:
        beaten, target = game.side_name(battle.defender), target_of(battle)
        where = f" in {target}" if target else ""
        marked = "; mark all of them disrupted" if terms["disrupts"] else ""
        text = f"{game.side_name(mover)}: move the {beaten} units{where} back {far}{marked}"
        yield owe(game, mover, text, battle=battle, step=RETREAT, rule=rule)


def _stack(game: Game, duty: e.Asked | None) -> list[str]:
    """Those of a duty who are still where they were beaten."""
    return [u.id for u in units_of(game, duty) if u.place == duty.args.get("place")] if duty else []


def _ends(game: Game, duty: e.Asked | None) -> Ways:
    """Where the stack may go now."""
    stack = _stack(game, duty)
    if duty is None or not stack:
        return {}
    return retreat_ends(game, stack, int(duty.args["hexes"]), target_of(game.battles.get(duty.battle)))


def _managed(game: Game, duty: e.Asked) -> int:
    """How many of the hexes owed the stack can go."""
    return min((len(way) for way in _ends(game, duty).values()), default=0)


def _price(game: Game, duty: e.Asked | None) -> int:
    """How many units the hexes cost that cannot be retreated, counted once for the stack [9.7.5]."""
    stack = _stack(game, duty)
    return survivors_lost(len(stack), int(duty.args["hexes"]), _managed(game, duty)) if duty and stack else 0


def owed_retreat(game: Game, unit: str) -> e.Asked | None:
    """The retreat that a unit owes while it still stands where it was beaten."""
    return next((d for d in game.duties(action=retreat.name) if unit in _stack(game, d)), None)


def against_retreating(game: Game, duty: e.Asked, hex_id: str) -> list[Fault]:
    """What speaks against ending an owed retreat in a hex that somebody points at on the map [9.7.2-9.7.5]."""
    stack, ends = _stack(game, duty), _ends(game, duty)
    first, who = game.units[stack[0]], named(game, stack)
    found = []
    if duty.to[0] != first.side:
        found.append(Fault(f"the {game.side_name(duty.to[0])} player moves {who} back", "9.7"))
    if hex_id not in ends or _price(game, duty):
        block = retreat_block(game, first.side, first.place, hex_id, Reach.against(game, first.side))
        beside = hex_id in game.maps.neighbours(first.place)
        why = block.text if block and beside else f"{hex_id} is not where this retreat may end"
        offers = f"it may go to {', '.join(sorted(ends))}" if ends else "there is no way to go"
        far = count(int(duty.args["hexes"]), "hex", "hexes")
        found.append(Fault(f"{who}: {far} of retreat owed, and {why}; {offers}", "9.7.2, 9.7.4"))
    return found


def _rivers_known(game: Game) -> bool:
    return any(MAJOR in found for found in board(game).features.values())


def _choices(ctx: Context) -> list[tuple[str, str]]:
    """The hexes, and what a major river does on the way there [B10.3.3]; a stack may part [9.7.1]."""
    game, duty, stack = ctx.game, ctx.duty, _stack(ctx.game, ctx.duty)
    if duty is None or not stack:
        return []
    fate = "eliminated" if duty.args["disrupts"] else "disrupted"
    found = []
    for end, way in sorted(_ends(game, duty).items()):
        wet = duty.args["over"] or _crossings(game, game.units[stack[0]].place, way)
        found.append((end, f"{end}, over a major river: {fate}" if wet else end))
    found += [(APART, "Each unit by itself")] if len(stack) > 1 and found else []
    known = duty.args["over"] or _rivers_known(game)
    return found if known or not found else [*found, (OVER, "Over a major river")]


def _some_way(ctx: Context) -> bool:
    return bool(_stack(ctx.game, ctx.duty)) and not _price(ctx.game, ctx.duty)


def _some_die(ctx: Context) -> bool:
    """Whether somebody must be chosen for hexes not retreated, and not all are lost [9.7.5]."""
    return 0 < _price(ctx.game, ctx.duty) < len(_stack(ctx.game, ctx.duty))


def _only_way(ctx: Context) -> Mapping[str, Any] | None:
    """All are lost, or there is one way to go."""
    stack, price = _stack(ctx.game, ctx.duty), _price(ctx.game, ctx.duty)
    if stack and price >= len(stack):
        return {}
    ways = [c for c, _ in _choices(ctx) if c != APART]
    if len(ways) != 1 or price:
        return None
    past_full = len(_ends(ctx.game, ctx.duty)[ways[0]]) > int(
        ctx.args["hexes"]
    )  # where a part of it may stop
    return None if past_full and len(stack) > 1 else {"to": ways[0]}


@rules.follow_up(
    rule="9.7",
    label="Retreat",
    still=lambda game, duty: not duty.units or bool(_stack(game, duty)),
    alone=_only_way,
)
def retreat(
    game: Game,
    duty: e.Asked,
    battle: Battle | None,
    to: Annotated[str | None, Choice(label="To", options=_choices, when=_some_way)],
    lost: Annotated[
        tuple[str, ...] | None,
        UnitRef(
            label="Lost for hexes not retreated",
            help="one each [9.7.5]",
            many=True,
            pick=lambda c: [c.game.units[u] for u in _stack(c.game, c.duty)],
            when=_some_die,
        ),
    ],
) -> Events:
    """Move retreating units; hexes not retreated cost units, a major river disrupts or kills."""
    battle, stack, args = recorded(battle), _stack(game, duty), duty.args
    terms = {name: args[name] for name in ("hexes", "disrupts", "over")}
    again = partial(owe_retreat, game, battle, duty.to[0], rule=duty.rule)
    if _price(game, duty):
        managed, left = _managed(game, duty), _those_left(game, duty, lost or ())
        yield from learn(game, battle, short=True)
        for unit in [u for u in stack if u not in left]:
            yield from eliminate(game, game.units[unit], DEAD, "no room to retreat", "9.7.5")
        if left and managed:
            yield from again(left, **{**terms, "hexes": managed})
    elif to == APART:
        for unit in stack:
            yield from again([unit], **terms)
    elif to == OVER:
        yield from again(stack, **{**terms, "over": True})
    elif to:
        yield from _go(game, stack, _ends(game, duty)[to], args["disrupts"], args["over"])


def _those_left(game: Game, duty: e.Asked, lost: Sequence[str]) -> list[str]:
    """The stack without those lost for the hexes that it cannot go [9.7.5]."""
    stack, price = _stack(game, duty), _price(game, duty)
    gone = stack if price >= len(stack) else lost
    if len(gone) != price:
        short = int(duty.args["hexes"]) - _managed(game, duty)
        words = f"{count(short, 'hex', 'hexes')} short: choose {price} of {named(game, stack)} to lose"
        raise Unreadable(words, field="lost", rule="9.7.5")
    return [u for u in stack if u not in gone]


def _go(game: Game, stack: Sequence[str], way: Sequence[str], disrupts: bool, over: bool) -> Events:
    first = game.units[stack[0]]
    crossed = over or _crossings(game, first.place, way) > 0
    for unit in stack:
        if crossed:
            yield from states.put(game, unit, states.river_rout if disrupts else states.river_retreat)
        if game.units[unit].on_map:
            yield move(game, unit, way[-1], reason="retreat", rule="9.7")
    if any(game.units[u].on_map for u in stack):
        yield from pass_through(game, first.side, way)
