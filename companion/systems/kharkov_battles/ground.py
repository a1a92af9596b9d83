"""The map under the counters: terrain, rivers, bridges, and zones of control with all their exceptions."""

from __future__ import annotations

from companion.engine.hexes.grid import Grid
from companion.engine.kit.roster import Unit
from companion.engine.positions.pieces import on_map
from companion.engine.positions.situation import board
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import books
from companion.systems.kharkov_battles.units import has_zoc

BRIDGES = frozenset({"bridge", "pontoon"})


def known_map(game: Game) -> bool:
    """Whether the owner entered any ground."""
    return not board(game).blank


def pontoons(game: Game) -> set[frozenset[str]]:
    """The hexsides with a pontoon marker on them."""
    return {frozenset(side.split("-")) for side in game.marked("pontoon")}


def features(game: Game, a: str, b: str) -> frozenset[str]:
    """What runs along the side between two hexes; pontoons laid in play are counted in."""
    here = board(game)
    i, j = here.grid.index.get(a), here.grid.index.get(b)
    found = frozenset(here.features.get((i, j), ())) if i is not None and j is not None else frozenset()
    if frozenset({a, b}) in pontoons(game):
        found |= {"pontoon"}
    return found


def links(game: Game, a: str, b: str) -> frozenset[str]:
    """The roads and railways over the side between two hexes."""
    here = board(game)
    i, j = here.grid.index.get(a), here.grid.index.get(b)
    return frozenset(here.links.get((i, j), ())) if i is not None and j is not None else frozenset()


def dnepr_open(game: Game, found: frozenset[str]) -> bool:
    """A pontoon opens a Dnepr hexside to zones and attacks; a printed bridge does by option only [18.21]."""
    return "pontoon" in found or (game["dnepr-bridge"] == "any" and "bridge" in found)


def river(game: Game, a: str, b: str) -> str:
    """What an attack over this side crosses: '', 'minor', 'major' or 'barred' [12.35, 12.36]."""
    found = features(game, a, b)
    if "impassable" in found or ("dnepr" in found and not dnepr_open(game, found)):
        return "barred"
    if "major river" in found or "dnepr" in found:
        return "major"
    return "minor" if "minor river" in found else ""


def size(game: Game, hex_id: str) -> str:
    """'city', 'town', 'village' or nothing, by the map book or the owner's list of places."""
    for kind in ("city", "town"):
        if hex_id in board(game).places[kind]:
            return kind
    return books.word(books.table(game, "places").get(hex_id, {}), "size")


def is_city(game: Game, hex_id: str) -> bool:
    return size(game, hex_id) == "city"


def terrain(game: Game, hex_id: str) -> str:
    """The terrain of a hex, or '' when nobody entered it."""
    return board(game).book.terrain(hex_id)


def grid_at(game: Game, hex_id: str) -> Grid:
    return game.maps.grid_of(hex_id)


def wall(game: Game, a: str, b: str) -> bool:
    """Whether nobody moves over this side without a bridge that is not there [12.83, 12.84]."""
    found = features(game, a, b)
    return "impassable" in found or bool(found & {"major river", "dnepr"} and not found & BRIDGES)


def out_of_play(game: Game, hex_id: str) -> bool:
    """Rows of the map that a scenario leaves out [20.3], and January's area round Stalingrad [27.8]."""
    rows, area = game.scenario.extra.get("rows"), game.scenario.extra.get("prohibited")
    column, row = grid_at(game, hex_id).column_row(hex_id)
    if rows is not None and not rows[0] <= row <= rows[1]:
        return True
    if area is None or not hex_id.startswith(area["map"]):
        return False
    last = area["columns"][1] - row % 2  # odd rows stand half a hex further east
    return bool(area["rows"][0] <= row <= area["rows"][1] and area["columns"][0] <= column <= last)


def beside_the_edge(game: Game, hex_id: str) -> bool:
    """Whether the map may go on beside a hex where the companion's ends: nobody has told its limits."""
    here = grid_at(game, hex_id)
    return bool(here.bounds_note) and len(list(here.neighbours(hex_id))) < 6


def distance(game: Game, a: str, b: str) -> int | None:
    """Hexes between two places on one map, None across maps."""
    grid = grid_at(game, a)
    return grid.distance(a, b) if b in grid.index else None


def blocked(game: Game, a: str, b: str, combat: bool) -> bool:
    """Whether a zone stops at this hexside [7.15, 7.31]."""
    found = features(game, a, b)
    if "impassable" in found or ("dnepr" in found and not dnepr_open(game, found)):
        return True
    return combat and "major river" in found and not found & BRIDGES


def zone_of(game: Game, hex_id: str, stack: list[Unit], combat: bool) -> set[str]:
    """The hexes that a stack controls."""
    if is_city(game, hex_id) or not any(has_zoc(game, u) for u in stack):  # [7.14]
        return set()
    return {h for h in grid_at(game, hex_id).neighbours(hex_id) if not blocked(game, hex_id, h, combat)}


def stacks(game: Game, side: str) -> dict[str, list[Unit]]:
    found: dict[str, list[Unit]] = {}
    for unit in on_map(game, side):
        found.setdefault(unit.place, []).append(unit)
    return found


def zones(game: Game, side: str, combat: bool = False) -> dict[str, set[str]]:
    """Every hex a side controls, with the hexes that control it."""
    found: dict[str, set[str]] = {}
    for hex_id, stack in stacks(game, side).items():
        for h in zone_of(game, hex_id, stack, combat):
            found.setdefault(h, set()).add(hex_id)
    return found


def in_ezoc(game: Game, unit: Unit) -> bool:
    """Whether an enemy zone reaches the unit where it stands; a city's occupant is free of it [7.14]."""
    if not unit.on_map or is_city(game, unit.place):
        return False
    return unit.place in zones(game, game.other(unit.side))


def next_to_enemy(game: Game, unit: Unit) -> bool:
    """An enemy unit of any kind stands beside it [16.1]."""
    enemy = stacks(game, game.other(unit.side))
    return unit.on_map and any(h in enemy for h in grid_at(game, unit.place).neighbours(unit.place))


def encircled(game: Game, hex_id: str, attacker: str) -> bool:
    """One stack, no friend beside it, every usable hex around it taken or controlled by the attacker [12.5]."""
    if is_city(game, hex_id) or beside_the_edge(game, hex_id):
        return False
    defender = game.other(attacker)
    friends, enemies = stacks(game, defender), stacks(game, attacker)
    controlled = zones(game, attacker, combat=True)
    for h in grid_at(game, hex_id).neighbours(hex_id):
        if h in friends:
            return False
        if river(game, hex_id, h) == "barred" or out_of_play(game, h):
            continue  # nobody could go there
        if h not in enemies and h not in controlled:
            return False
    return True
