"""Lines of supply: roads free, off-road points by nation, free links between neighbours [10.1]."""

from __future__ import annotations

from collections.abc import Mapping

from companion.engine.hexes.ground import OWNER, Fact, MapBook
from companion.engine.hexes.trace import Board, Piece, Policy, Situation, SupplyLine, ZoneRule, trace
from companion.engine.kit.roster import Unit
from companion.engine.positions.pieces import on_map
from companion.engine.positions.situation import board, held_hexes
from companion.engine.record.game import Game
from companion.systems.wb95.base import GERMAN, GERMAN_ALLIES, SOVIET, is_regular, rules, troops
from companion.systems.wb95.cities import hexes_of
from companion.systems.wb95.terrain import supply_costs
from companion.systems.wb95.zones import blocks_supply, zones

POINTS = {GERMAN: 10, SOVIET: 8}  # [10.1.7]
ALLIED_POINTS = 7  # [10.1.7]
BIG_RIVER = ZoneRule(stopped_by=frozenset({"doniec", "big river"}))
"""For the picture of zones on the map page [4.1.3]."""


def sources(game: Game, side: str) -> list[str]:
    """The scenario's supply bases that the map book knows [10.1.4]."""
    bases = game.scenario.extra.get("supply", {}).get(side, {})
    book = board(game).book
    edges = [h for edge in bases.get("edges", ()) for h in book.named("edge", str(edge))]
    return [*edges, *(h for place in bases.get("places", ()) for h in hexes_of(game, str(place)))]


def ground(game: Game) -> Board:
    """The board with destroyed bridges taken out and new ones put in [14.1.1]."""
    base = board(game)
    marks = game.marked("bridge")
    changed = tuple(sorted((name, str(value) == "down") for name, value in marks.items() if "-" in name))
    if not changed:
        return base
    key = ("wb95 bridges", changed)
    if key not in base.memo:
        book = MapBook(dict(base.book.facts))
        for name, down in changed:
            a, b = sorted(name.split("-"))
            if down:
                for fact in base.book.on_side(f"{a}-{b}"):
                    if fact.kind == "link" or fact.value == "bridge":
                        book.remove(fact)
            else:
                book.add(Fact("side", a, b, "bridge"), OWNER)
        fresh = Board(base.grid, book)
        fresh.blank = base.blank
        base.memo[key] = fresh
    found: Board = base.memo[key]
    return found


def closed(game: Game, side: str) -> dict[str, str]:
    """Hexes that enemy zones shut, unless a friendly regular unit stands there [10.1.10, 10.1.11]."""
    enemy = game.other(side)
    shut = dict.fromkeys(zones(game, enemy, blocks_supply), "enemy zone of control [10.1.10]")
    if game["town-zones"]:
        held = held_hexes(game)[enemy]
        taken = {u.place for u in on_map(game, side)}
        for town in board(game).book.places():
            if town in held and town not in taken:
                shut.setdefault(town, "enemy town [10.1.11]")
                for beside in game.maps.neighbours(town):
                    shut.setdefault(beside, "beside an enemy town [10.1.11]")
    for unit in on_map(game, side):
        if is_regular(unit):
            shut.pop(unit.place, None)
    return shut


def _points(game: Game, side: str, unit: Unit) -> int:
    return ALLIED_POINTS if troops(game, unit) in GERMAN_ALLIES else POINTS[side]


@rules.supplies
def supplies(game: Game, side: str) -> Mapping[str, SupplyLine]:
    """Every unit of a side on the map whose line can be told.

    With an empty map book only encirclement can be seen: whether the points reach to a road nobody knows [10.1.6]. Where no
    base is known nothing is told at all.
    """
    bases = sources(game, side) if side in game.sides else []
    if not bases:
        return {}
    here = ground(game)
    counters = tuple(Piece(u.id, u.side, u.place) for u in game.units.values() if u.on_map)
    situation = Situation(here, counters, held_hexes(game))
    shut = closed(game, side)
    cost = None if here.blank else supply_costs(game)
    units = on_map(game, side)
    found: dict[str, SupplyLine] = {}
    for limit in sorted({_points(game, side, u) for u in units}):
        policy = Policy(
            side=side,
            zone=BIG_RIVER,
            ezoc="open",  # zones are in `blocks`: they depend on the unit
            blocks=lambda _: shut,
            limit=None if here.blank else limit,
            limit_unit="supply MP",
            cost=cost,
            friends_free=True,  # [10.1.9]
        )
        answers = trace(situation, policy, bases).answers()
        found |= {u.id: answers[u.id] for u in units if u.id in answers and _points(game, side, u) == limit}
    if here.blank:
        found = {name: line for name, line in found.items() if not line.supplied}
    for unit in units:
        if game.mark(unit.place, "fort") == "fp":
            found[unit.id] = SupplyLine(unit.id, unit.place, True)  # [7.3.7]
    return found
