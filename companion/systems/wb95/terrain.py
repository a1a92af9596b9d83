"""Terrain: what it costs and what it gives the defender, from the season's chart."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import Annotated

from companion.engine.forms.fields import Choice, Context
from companion.engine.hexes.board import NOTHING
from companion.engine.hexes.trace import Board, Cost
from companion.engine.positions.situation import board
from companion.engine.record.game import Game

CLASSES = (("trucked", "Trucked"), ("mechanized", "Mechanized"), ("foot", "Foot or horse"))
GROUND = ("clear", "hills", "forest", "town", "city", "swamp")
WATER = ("river", "doniec")
ROADS = ("main road", "side road")


def cell(game: Game, row: str, column: str) -> str:
    """What the season's chart prints."""
    return game.chart(f"terrain-{game['season']}").cell(row, column).value


def shift(game: Game, terrain: str) -> int:
    """Column shifts for the defender [5.5.1]."""
    value = cell(game, terrain, "CM")
    return int(value) if value.isdecimal() else 0


def halves_attacker(game: Game, terrain: str) -> bool:
    """Summer swamp under the defender halves the attacker."""
    return terrain == "swamp" and cell(game, terrain, "CM") == "half"


def hex_shift(game: Game, terrains: Iterable[str]) -> int:
    """The terrain's shifts of one hex, added up; town and city are the same thing [5.5.2]."""
    names = set(terrains)
    if "city" in names:
        names.discard("town")
    return sum(shift(game, name) for name in names)


def mapped(ctx: Context, hex_id: str) -> bool:
    """The map book tells the ground of a hex, and nothing else was said: no need to ask."""
    return bool(hex_id and not ctx.values.get("terrain") and printed(ctx.game, hex_id))


TargetGround = Annotated[
    tuple[str, ...],
    Choice(
        label="Target's terrain",
        options=[(g, g) for g in GROUND],
        many=True,
        quiet=lambda c: mapped(c, str(c.values.get("target") or "")),
    ),
]


def printed(game: Game, hex_id: str) -> tuple[str, ...]:
    """What the map book says stands in a hex."""
    here = board(game)
    found = [here.book.terrain(hex_id)]
    if hex_id in here.places["city"]:
        found.append("city")
    elif hex_id in here.places["town"]:
        found.append("town")
    return tuple(name for name in found if name in GROUND)


def crossed(game: Game, a: str, b: str) -> frozenset[str]:
    """The water between two adjacent hexes; a 'big river' is the Doniec here."""
    if b not in game.maps.neighbours(a):
        return frozenset()
    features = board(game).book.features(game.maps.hexside(a, b))
    return frozenset(
        "doniec" if f == "big river" else f for f in features if f in {*WATER, "big river", "stream"}
    )


def bridged(game: Game, a: str, b: str) -> bool:
    """Whether a bridge stands between two hexes: on record, or printed and not destroyed [5.3.5, 14.1.1]."""
    state = game.mark("-".join(sorted((a, b))), "bridge")
    if state:
        return bool(state != "down")
    if b not in game.maps.neighbours(a):
        return False
    return "bridge" in board(game).book.features(game.maps.hexside(a, b))


def number(text: str) -> Fraction:
    """A cost as printed: `2`, `1.5`, `1/3`, `+2`."""
    return Fraction(text.lstrip("+").strip())


def step_cost(
    game: Game, klass: str, terrains: Iterable[str], water: Iterable[str], road: str = ""
) -> Fraction | None:
    """What entering a hex costs, None where the class may not go; a road replaces hex and water [3.1.12]."""
    if road:
        return number(cell(game, road, klass))
    names = set(terrains) or {"clear"}
    flat: list[Fraction] = []
    added = Fraction(0)
    for name in names:
        text = cell(game, name, klass)
        if text == "no":
            return None
        if text.startswith("+"):
            added += number(text)
        else:
            flat.append(number(text))
    base = max(flat) if flat else number(cell(game, "clear", klass))
    return base + added + sum((number(cell(game, name, klass)) for name in water), Fraction(0))


def supply_costs(game: Game) -> Cost:
    """Off-road supply points at trucked rates, roads free [10.1.5, 10.1.6, 10.1.8]; one function a price list."""
    swamp = cell(game, "swamp", "trucked")
    closed = swamp == "no" or not game["winter-swamp"]
    names = ("clear", "hills", "forest", "town", "river", "doniec")
    prices = tuple(int(number(cell(game, name, "trucked"))) for name in names)
    return _supply_cost(prices, None if closed else int(number(swamp)))


@lru_cache
def _supply_cost(prices: tuple[int, ...], swamp: int | None) -> Cost:
    clear, hills, forest, town, river, doniec = prices

    def cost(here: Board, i: int, j: int) -> int | None:
        if here.links.get((i, j), NOTHING):
            return 0
        ground = here.terrain.get(j, "clear")
        target = here.grid.ids[j]
        if ground == "mountains" or (ground == "swamp" and swamp is None):
            return None
        if target in here.places["town"] or target in here.places["city"]:
            price = town
        else:
            price = {"hills": hills, "swamp": swamp or 0}.get(ground, clear) + (
                forest if ground == "forest" else 0
            )
        water = here.features.get((i, j), NOTHING)
        if "bridge" not in water:
            price += river if "river" in water else 0
            price += doniec if water & {"doniec", "big river"} else 0
        return price

    return cost


def barred(game: Game, hex_id: str, motorised: bool) -> bool:
    """Whether the ground is closed to motors: swamp in summer, mountains always [4.1.4, 5.3.3]."""
    ground = board(game).book.terrain(hex_id)
    return motorised and (
        ground == "mountains" or (ground == "swamp" and cell(game, "swamp", "trucked") == "no")
    )
