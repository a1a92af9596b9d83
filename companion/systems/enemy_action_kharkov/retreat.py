"""Retreats: which neighbouring hexes a stack may fall back to, by priority, and what each costs [9.7]."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, NamedTuple

from companion.engine.errors import NotNow, Unreadable
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Choice, Context, Flag, HexId, UnitRef
from companion.engine.play.worksheet import Breakdown
from companion.engine.positions.situation import board
from companion.engine.record import events as e
from companion.engine.record.changes import move
from companion.engine.record.game import Game

from .base import AREA_NAMES, GERMAN, SIDES, SOVIET, SOVIET_ARMIES, ask_step, fits, on_record, rules
from .ending import conclude
from .fight import answered, current, in_hand
from .posts import enemy_zone
from .supply import hex_supplied, owner, towns

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


def can_end(game: Game, units: list[Unit], hex_id: str) -> bool:
    """Whether the stack can end there [7.4, 9.71]."""
    there = [u for u in game.units_at(hex_id) if u.id not in {x.id for x in units}]
    return fits([*there, *units])


def in_area(game: Game, units: Iterable[Unit], hex_id: str) -> bool:
    """Inside the front area of every Soviet unit, as far as the map book tells [7.6]."""
    for unit in units:
        area = board(game).book.named("area", AREA_NAMES.get(SOVIET_ARMIES.get(unit.formation, ""), ""))
        if unit.side == SOVIET and area and hex_id not in area:
            return False
    return True


def best(game: Game, units: list[Unit], options: list[Way], *, last: bool) -> list[Way]:
    """The ways of the highest priority that is open; `last`: the stack must fit there."""
    open_ = [w for w in options if w.priority and (not last or can_end(game, units, w.hex))]
    if game["retreat-boundary"] == "boundary-first":
        open_ = [w for w in open_ if in_area(game, units, w.hex)] or open_
    if not open_:
        return []
    top = min(w.priority for w in open_)
    chosen = [w for w in open_ if w.priority == top]
    return [w for w in chosen if not w.dniepr] or chosen


def routes(game: Game, units: list[Unit], length: int) -> list[Route]:
    """Routes with the steps they cost; lesser ones only where the best would kill the stack [9.7, 9.72, 9.75]."""
    side, start = units[0].side, units[0].place
    zone = enemy_zone(game, side)
    spare = sum(u.steps - 1 for u in units)  # what can be lost without losing a unit [9.72]

    def search(strict: bool) -> list[Route]:
        def step(place: str, last: bool) -> list[Way]:
            options = [w for w in ways(game, side, place, zone) if w.priority and w.hex != start]
            if last and length == 2:
                options = [w for w in options if game.maps.distance(start, w.hex) == 2]
            if strict:
                return best(game, units, options, last=last)
            return [w for w in options if not last or can_end(game, units, w.hex)]

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


def _defenders(ctx: Context) -> list[Unit]:
    fight = current(ctx.game)
    return on_record(ctx.game, fight.defenders) if fight else []


def _open_routes(ctx: Context) -> list[tuple[str, str]]:
    """The routes by the priorities, each with its price."""
    fight = current(ctx.game)
    stack = [u for u in _defenders(ctx) if u.on_map and fight is not None and u.place == fight.target]
    if fight is None or not stack:
        return []
    found = []
    for way, cost in routes(ctx.game, stack, fight.retreat or 1):
        hexes = [w.hex for w in way]
        price = f", costs {cost} step{'s' if cost > 1 else ''}" if cost else ""
        found.append(("-".join(hexes), " then ".join(hexes) + price))
    return found


@rules.action(
    phase="command",
    by="any",
    rule="9.7",
    label="Retreat",
    group="units",
    when=lambda game: bool(current(game)),
)
def retreat(
    game: Game,
    route: Annotated[
        str, Choice(label="Where to", options=_open_routes, when=lambda c: bool(_open_routes(c)))
    ] = "",
    path: Annotated[
        tuple[str, ...], HexId(label="Other hexes", many=True, when=lambda c: not c.values.get("route"))
    ] = (),
    units: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Units",
            many=True,
            pick=_defenders,
            help="none chosen: all",
            quiet=lambda c: len(_defenders(c)) < 2,
        ),
    ] = (),
    anyway: Annotated[
        bool, Flag(label="Although the companion objects", when=lambda c: bool(c.values.get("path")))
    ] = False,
) -> Events:
    """Move the defenders back by the priorities; some hexes cost a step."""
    path = tuple(route.split("-")) if route else path
    fight = in_hand(game)
    ids = units or tuple(u for u in fight.defenders if game.units[u].on_map)
    stack = [game.units[u] for u in ids]
    if not stack or not 1 <= len(path) <= 2:
        raise Unreadable("name one or two hexes, and units on record", field="path", rule="9.7")
    table = {tuple(w.hex for w in way): cost for way, cost in routes(game, stack, len(path))}
    if path not in table and not anyway:
        known = "; ".join(" ".join(p) for p in table) or "none"
        raise NotNow(f"that is no route by the priorities; open: {known}", field="path", rule="9.7")
    yield from answered(game, "retreat")
    for unit in stack:
        yield move(game, unit.id, path[-1], reason="retreat", rule="9.7")
        if any(u.side == unit.side and u.id not in ids for u in game.units_at(path[-1])):
            yield e.Marked(unit.id, "fell-back", True, rule="9.74")
    for number in range(1, table.get(path, 0) + 1):
        text = f"Retreat into an enemy zone: lose a step ({path[number - 1] if len(path) > 1 else path[0]})"
        yield ask_step(game, f"paid-{number}", fight.defender, text, "9.7", ids)
    yield from conclude(game, fight)
