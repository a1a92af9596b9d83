"""The board as the rules see it: rivers, rail crossings, zones, who occupies a hex [5.2, 5.4, B10]."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from companion.engine.hexes.board import NOTHING, zone_indices
from companion.engine.hexes.trace import Board, Situation, ZoneRule
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.positions.situation import board as plain_board
from companion.engine.positions.situation import situation as plain_situation
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.panzer_keil.base import GERMAN, SOVIET, disrupted, edge_of, hexes_of, is_hq

MAJOR, RIVER, SEA, BRIDGE = "major river", "river", "sea or lake", "rail crossing"
WATER = frozenset({"sea", "lake"})
# Zones stop at sea and lake [5.2.1]; over a major river they do reach [B10.1].
ZONES = ZoneRule(stopped_by=frozenset({SEA}), not_into=WATER)
RAIL = frozenset({"rail"})


def board(game: Game) -> Board:
    """The map, its rail crossings of major rivers noted: there the river is an ordinary one [B10.4]."""
    plain = plain_board(game)
    if "rail crossings" not in plain.memo:
        plain.memo["rail crossings"] = _with_crossings(plain)
    found: Board = plain.memo["rail crossings"]
    return found


def _with_crossings(plain: Board) -> Board:
    found = Board(plain.grid, plain.book)
    found.features = {
        pair: features | {BRIDGE} if MAJOR in features and plain.links.get(pair, NOTHING) & RAIL else features
        for pair, features in plain.features.items()
    }
    return found


def has_rails(game: Game) -> bool:
    """Whether the owner has entered any railroad: without one no supply can be traced."""
    return any(RAIL & links for links in board(game).links.values())


def hindrances_known(game: Game) -> bool:
    """Whether the owner has entered any river: else nobody can look for what halves an attack [9.2]."""
    return any(features & {RIVER, MAJOR} for features in board(game).features.values())


def supply_zones(game: Game) -> ZoneRule:
    """Zones as they hurt supply and command: not from over a major river [B10.1.1]."""
    unless = frozenset({BRIDGE}) if game["crossing-zone"] else frozenset()
    return ZoneRule(stopped_by=frozenset({SEA, MAJOR}), unless=unless, not_into=WATER)


def situation(game: Game, any_friend: bool = False) -> Situation:
    """The units on the map; undisrupted friends open a hex in an enemy zone, for command any of them."""
    return plain_situation(
        game,
        on=board(game),
        cancels=lambda u: any_friend or not disrupted(game, u.id),
        relay=lambda u: is_hq(u) and not disrupted(game, u.id),
    )


def zone(game: Game, side: str, rule: ZoneRule = ZONES) -> set[str]:
    """Every hex that a side's zones cover, its units' own hexes included [5.2]."""
    here = board(game)
    stacks = situation(game).occupied.get(side, {})
    return {here.grid.ids[i] for i in (*zone_indices(here, stacks, rule), *stacks)}


def barrier(game: Game, a: str, b: str) -> str:
    """What lies between two adjacent hexes: 'major river', 'river', 'sea or lake' or nothing."""
    here = board(game)
    features = here.features.get((here.grid.index[a], here.grid.index[b]), NOTHING)
    if SEA in features:
        return SEA
    if MAJOR in features:
        return RIVER if BRIDGE in features else MAJOR
    return RIVER if RIVER in features else ""


def terrain(game: Game, hex_id: str) -> str:
    """The terrain of a hex, '' when it was not entered."""
    here = board(game)
    return here.terrain.get(here.grid.index[hex_id], "")


def occupier(game: Game, hex_id: str) -> str:
    """Who occupies a hex: a side, 'contested', or '' when nobody is known to [5.4]."""
    zones_of = {side: zone(game, side) for side in (SOVIET, GERMAN)}
    return occupier_among(game, hex_id, zones_of)


def occupier_among(game: Game, hex_id: str, zones_of: dict[str, set[str]]) -> str:
    """`occupier` with the zones worked out beforehand, for many hexes at once."""
    standing = {u.side for u in game.units_at(hex_id)}
    present = {side for side, covered in zones_of.items() if hex_id in covered}
    if len(present) > 1:
        return "contested"
    passed = str(game.mark(hex_id, "owner") or "")
    if present and not standing and passed and game["occupation"] == "passage":
        return passed
    return next(iter(present), passed)


def cities(game: Game) -> dict[str, str]:
    """Every city and major city on the map, as far as it is entered."""
    book = board(game).book
    return {**book.places("city"), **book.places("major city")}


def pass_through(game: Game, side: str, hexes: Iterable[str]) -> Events:
    """The side that passed last, noted where it can matter: in cities, and where the enemy is on note [5.4]."""
    towns = cities(game)
    for hex_id in hexes:
        held = game.mark(hex_id, "owner")
        if held != side and (held or hex_id in towns):
            yield e.Marked(hex_id, "owner", side, reason="passed", rule="5.4")


def entry_hexes(game: Game, edge: str) -> list[str]:
    """The hexes of an entry edge as the owner copied them into his map book; W is WN and WS [B14.3, B14.4]."""
    book = board(game).book
    names = ("WN", "WS") if edge == "W" else (edge,)
    return [h for name in names for h in book.named("edge", name)]


def wrong_edge(game: Game, unit: Unit, hex_id: str) -> str:
    """Why a reinforcement cannot come in at a hex, or nothing, also while its edge is not entered [8.6.1, B14]."""
    wanted = entry_hexes(game, edge_of(unit))
    return (
        f"{unit.name} enters at {edge_of(unit)}: {', '.join(wanted)}"
        if wanted and hex_id not in wanted
        else ""
    )


def at_the_edge(game: Game, hex_id: str) -> bool:
    """Whether a hex lies at the edge of the map [8.6.1, 8.8]."""
    return len(board(game).grid.neighbours(hex_id)) < 6


def nearest_free(game: Game, wanted: Sequence[str], side: str) -> list[str]:
    """The hexes nearest to some others where no enemy stands, and which are no water [8.6.4]."""
    held, here = hexes_of(game, game.other(side)), board(game)
    ring, seen = set(wanted), set(wanted)
    while ring:
        free = sorted(h for h in ring if h not in held and terrain(game, h) not in WATER)
        if free:
            return free
        ring = {n for h in ring for n in here.grid.neighbours(h)} - seen
        seen |= ring
    return []


def surrounded(game: Game, hex_id: str) -> bool:
    """All six hexes around are German-held or in German zones; off the map counts by a reading [B11.2].

    Disrupted units and those out of supply help too [B11.2.1], and Soviets in those zones spoil nothing [B11.2.2].
    """
    covered = zone(game, GERMAN)
    around = board(game).grid.neighbours(hex_id)
    missing = 6 - len(around)
    wet = [h for h in around if terrain(game, h) in WATER or barrier(game, hex_id, h) == SEA]
    if (missing or wet) and not game["edge-concentric"]:
        return False
    return all(h in covered for h in around if h not in wet)


def near_enemy(game: Game, hexes: Iterable[str], side: str, within: int) -> list[str]:
    """The enemy-held hexes that lie this close to any of some hexes."""
    enemies = hexes_of(game, game.other(side))
    return sorted(h for h in enemies if any(game.maps.distance(h, own) <= within for own in hexes))
