"""Retreats: which neighbouring hexes a stack may fall back to, by priority, and what each costs [9.7]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, HexId
from companion.engine.forms.worksheet import Breakdown
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import owe, units_of
from companion.engine.positions.pieces import count
from companion.engine.positions.situation import board
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import move, put_mark
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import GERMAN, SIDES, called, fits, owe_a_step, rules
from companion.systems.enemy_action_kharkov.fight import LOSE, PAY, RETREAT, tell
from companion.systems.enemy_action_kharkov.losses import left_the_hex, owe_losses
from companion.systems.enemy_action_kharkov.posts import enemy_zone, in_area
from companion.systems.enemy_action_kharkov.supply import hex_supplied, owner, towns

COST = {1: 0, 2: 0, 3: 1, 4: 1}
"""Steps that a hex costs, by its priority [9.7]."""
PRIORITIES = {
    1: "a hex free of enemy zones",
    2: "an enemy zone with a supplied friend in it",
    3: "an empty hex in an enemy zone, in supply: lose a step",
    4: "an enemy zone without supply, or with unsupplied friends only: lose a step",
}


class Way(NamedTuple):
    """A neighbouring hex as a place to retreat to."""

    hex: str
    priority: int
    """1 to 4, or 0 when it is closed."""
    why: str
    dniepr: bool = False
    """Across an unbridged Dniepr: only if nothing else has the same priority [9.7]."""


Gone = Mapping[str, Sequence[Unit]]
Route = tuple[tuple[Way, ...], int]
"""One or two hexes, and the steps they cost."""


def ways(game: Game, side: str, start: str, zone: set[str]) -> list[Way]:
    """Every neighbour with its priority [9.7]; stacking at the end is looked at by `can_end`."""
    return [_way(game, side, start, h, zone) for h in game.maps.neighbours(start)]


def _way(game: Game, side: str, start: str, hex_id: str, zone: set[str]) -> Way:
    features = board(game).book.features(game.maps.hexside(start, hex_id))
    stack = game.units_at(hex_id)
    if any(u.side != side for u in stack):
        return Way(hex_id, 0, "enemy units")
    if "blocked dniepr" in features:
        return Way(hex_id, 0, "blocked Dniepr [9.71]")
    if hex_id in towns(game) and owner(game, hex_id) != side and not stack:
        return Way(hex_id, 0, "enemy town or city [9.71]")
    over = "dniepr" in features and "bridge" not in features
    if hex_id not in zone:
        return Way(hex_id, 1, "no enemy zone", over)
    if any(not game.mark(u.id, "supply") for u in stack):
        return Way(hex_id, 2, "enemy zone, supplied friend there", over)
    if not stack and hex_supplied(game, side, hex_id) is not False:
        return Way(hex_id, 3, "enemy zone, empty, in supply: one step", over)
    return Way(hex_id, 4, "enemy zone, no supply: one step", over)


def can_end(game: Game, units: list[Unit], hex_id: str, gone: Gone) -> bool:
    """Whether the stack can end there [7.4, 9.71]."""
    there = [u for u in game.units_at(hex_id) if u.id not in {x.id for x in units}]
    return fits([*there, *gone.get(hex_id, ()), *units])


def best(game: Game, units: list[Unit], options: list[Way], gone: Gone, *, last: bool) -> list[Way]:
    """The ways of the highest priority that is open; `last`: the stack must fit there."""
    open_ = [w for w in options if w.priority and (not last or can_end(game, units, w.hex, gone))]
    if game["retreat-boundary"] == "boundary-first":
        open_ = [w for w in open_ if in_area(game, units, w.hex)] or open_
    if not open_:
        return []
    top = min(w.priority for w in open_)
    chosen = [w for w in open_ if w.priority == top]
    return [w for w in chosen if not w.dniepr] or chosen


def routes(game: Game, units: list[Unit], length: int, gone: Gone = MappingProxyType({})) -> list[Route]:
    """Routes with the steps they cost; lesser ones only where the best would kill the stack [9.7, 9.72, 9.75].

    :param gone: parts of the stack that would have gone before, by the hex they went to
    """
    side, start = units[0].side, units[0].place
    zone = enemy_zone(game, side)
    spare = sum(u.steps - 1 for u in units)  # what can be lost without losing a unit [9.72]

    def search(strict: bool) -> list[Route]:
        def step(place: str, last: bool) -> list[Way]:
            options = [w for w in ways(game, side, place, zone) if w.priority and w.hex != start]
            if last and length == 2:
                options = [w for w in options if game.maps.distance(start, w.hex) == 2]
            if strict:
                return best(game, units, options, gone, last=last)
            return [w for w in options if not last or can_end(game, units, w.hex, gone)]

        found: list[Route] = []
        for first in step(start, length == 1):
            if length == 1:
                found.append(((first,), COST[first.priority]))
                continue
            for second in step(first.hex, True):
                found.append(((first, second), COST[first.priority] + COST[second.priority]))
        return found

    proper = search(True)
    survivors = [r for r in proper if r[1] <= spare]
    if survivors:
        return survivors
    least = min((cost for _, cost in proper), default=99)
    lesser = search(False)
    spared = [r for r in lesser if r[1] <= spare] or [r for r in lesser if r[1] < least]
    return spared or proper


@rules.worksheet(rule="9.7", title="Retreat")
def retreat_options(
    ctx: Context,
    hex: Annotated[str, HexId(label="From hex")] = "",
    side: Annotated[str, Choice(label="Side", options=SIDES)] = GERMAN,
    length: Annotated[str, Choice(label="Hexes", options=[("1", "one"), ("2", "two")])] = "1",
) -> Breakdown:
    """The hexes around a stack by retreat priority, and the routes open to it."""
    sheet = Breakdown("Retreat")
    game = ctx.game
    stack = [u for u in game.units_at(hex) if u.side == side]
    if not stack:
        for number, text in PRIORITIES.items():
            sheet.add(text, f"priority {number}", "9.7")
        return sheet
    for one in ways(game, side, hex, enemy_zone(game, side)):
        sheet.add(f"{one.hex}: {one.why}", f"priority {one.priority}" if one.priority else "closed", "9.7")
    found = routes(game, stack, int(length))
    sheet.facts["routes"] = [[w.hex for w in way] for way, _ in found]
    sheet.facts["costs"] = {" ".join(w.hex for w in way): cost for way, cost in found}
    for way, cost in found:
        sheet.add("open: " + " then ".join(w.hex for w in way), f"{cost} steps" if cost else "free", "9.7")
    return sheet


# -- the retreat of a combat's defenders --------------------------------------------------------------


def can_leave(game: Game, units: list[Unit], length: int, gone: Gone = MappingProxyType({})) -> bool:
    """Whether all of them have somewhere to go: together, or apart where stacking wants it [9.71, 9.73]."""
    if not units or routes(game, units, length, gone):
        return True
    return len(units) > 1 and bool(_parts(game, units, length, gone))


def _parts(game: Game, units: list[Unit], length: int, gone: Gone) -> list[tuple[Unit, Route]]:
    """Who may go alone, and by which route, so that the others still can [9.73]."""
    found = []
    for unit in units:
        rest = [u for u in units if u is not unit]
        for route in routes(game, [unit], length, gone):
            end = route[0][-1].hex
            if can_leave(game, rest, length, {**gone, end: [*gone.get(end, ()), unit]}):
                found.append((unit, route))
    return found


def owe_retreat(game: Game, battle: Battle, units: list[Unit], length: int) -> Events:
    """Those who are left leave the hex [9.7]."""
    text = f"{game.side_name(battle.defender)}: retreat {'one hex' if length == 1 else 'two hexes'}"
    ids = [u.id for u in units]
    yield owe(
        game, battle.defender, text, retreat, battle=battle, step=RETREAT, units=ids, rule="9.7", hexes=length
    )


def _going(game: Game, duty: e.Asked) -> list[Unit]:
    """Those of a duty who still stand in the hex that was attacked."""
    battle = game.battles.get(duty.battle)
    target = battle.hexes[0] if battle and battle.hexes else ""
    return [u for u in units_of(game, duty) if u.place == target]


def ways_out(game: Game, duty: e.Asked) -> dict[str, tuple[list[Unit], Route]]:
    """Every answer to a retreat: the whole stack by a route, or where stacking bars that, one unit of it [9.73]."""
    stack, length = _going(game, duty), int(duty.args["hexes"])
    if not stack:
        return {}
    together = {"-".join(w.hex for w in r[0]): (stack, r) for r in routes(game, stack, length)}
    if together or len(stack) == 1:
        return together
    return {
        f"{unit.id} {'-'.join(w.hex for w in r[0])}": ([unit], r)
        for unit, r in _parts(game, stack, length, {})
    }


def _choices(ctx: Context) -> list[tuple[str, str]]:
    found = []
    for value, (units, (way, cost)) in (ways_out(ctx.game, ctx.duty) if ctx.duty else {}).items():
        who = f"{called(units[0])} " if " " in value else ""
        price = f", lose {count(cost, 'step')}" if cost else ""
        found.append((value, f"{who}{'-'.join(w.hex for w in way)}{price}"))
    return found


def _only_way(ctx: Context) -> Mapping[str, Any] | None:
    """With one way out nobody is asked; with none they stand after all."""
    found = _choices(ctx)
    return {"route": found[0][0]} if len(found) == 1 else None if found else {}


def _made_on_the_map(game: Game, duty: e.Asked, how: str) -> Events:
    if battle := game.battles.get(duty.battle):
        yield from left_the_hex(game, battle)


@rules.follow_up(
    rule="9.7",
    label="Retreat",
    still=lambda game, duty: bool(_going(game, duty)),
    alone=_only_way,
    declined=_made_on_the_map,
)
def retreat(
    game: Game,
    duty: e.Asked,
    battle: Battle,
    route: Annotated[
        str, Choice(label="Retreat to", options=_choices, when=lambda c: bool(_choices(c)))
    ] = "",
) -> Events:
    """Move the defenders back by the priorities; some hexes cost a step."""
    open_ways, length = ways_out(game, duty), int(duty.args["hexes"])
    if not open_ways:
        yield e.Noted("No way out: the hits are steps after all", rule="9.7")
        yield owe_losses(game, battle, battle.defender, length, LOSE)
        return
    if not route:
        raise Unreadable("where to?", field="route", rule="9.7")
    stack, (way, cost) = open_ways[route]
    end, ids = way[-1].hex, [u.id for u in stack]
    for unit in stack:
        yield move(game, unit.id, end, reason="retreat", rule="9.7")
        if any(u.side == unit.side and u.id not in ids for u in game.units_at(end)):
            yield e.Marked(unit.id, "fell-back", True, rule="9.74")
        if length == 2:
            yield put_mark(game, unit.id, "dispersed", "on", rule="9.75")
    words = f"{', '.join(map(called, stack))}: back to {end}"
    battle = yield from tell(
        game, battle, words, logged=False, path=[*battle.facts.get("path", ()), way[0].hex]
    )
    for hex_id in [w.hex for w in way if COST[w.priority]]:
        text = f"lose a step for the retreat into {hex_id}"
        yield owe_a_step(game, text, ids, "9.7", battle, PAY)
    if rest := _going(game, duty):
        yield from owe_retreat(game, battle, rest, length)
    yield from left_the_hex(game, battle)
