"""The ground and the units on it as the tracer sees them, and zones of control."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from companion.engine.hexes.grid import Grid
from companion.engine.hexes.ground import MapBook

Links = tuple[tuple[int, ...], ...]
Between = Mapping[tuple[int, int], frozenset[str]]
"""What lies between two hex indices, both ways round. A board is shared: nobody changes it once it is made."""
NOTHING: frozenset[str] = frozenset()


class Piece(NamedTuple):
    """A unit or a whole stack, for tracing: only where it is and what it does to a path."""

    id: str
    side: str
    hex: str
    zoc: bool = True
    """Whether it has a zone of control at all."""
    cancels: bool = True
    """Whether it keeps its hex open to its own side's paths inside an enemy zone (undisrupted, regular)."""
    relay: bool = False
    """Whether supply is handed on from here: a headquarters."""


class Board:
    """A grid and its map book, indexed once for many searches."""

    def __init__(self, grid: Grid, book: MapBook | None = None) -> None:
        self.grid = grid
        self.book = book or MapBook()
        self.blank = self.book.blank
        self.terrain: dict[int, str] = {
            i: f.value for f in self.book.of_kind("terrain") if (i := grid.index.get(f.a)) is not None
        }
        self.features = self._sides("side")
        self.links = self._sides("link")
        self.places = {kind: frozenset(self.book.places(kind)) for kind in ("town", "city")}
        self.memo: dict[Any, Any] = {}
        """What searches worked out that holds as long as the map does."""

    def _sides(self, kind: str) -> Between:
        found: dict[tuple[int, int], set[str]] = {}
        for fact in self.book.of_kind(kind):
            a, b = self.grid.index.get(fact.a), self.grid.index.get(fact.b)
            if a is not None and b is not None:
                found.setdefault((a, b), set()).add(fact.value)
                found.setdefault((b, a), set()).add(fact.value)
        return {pair: frozenset(values) for pair, values in found.items()}

    def ground(self, hex_id: str) -> str:
        """The terrain of a hex; empty where the map book does not tell."""
        return self.terrain.get(self.grid.index.get(hex_id, -1), "")

    def side(self, a: str, b: str) -> frozenset[str]:
        """What runs along the side between two hexes: rivers and their crossings."""
        return self.features.get((self.grid.index.get(a, -1), self.grid.index.get(b, -1)), NOTHING)

    def ways(self, a: str, b: str) -> frozenset[str]:
        """The roads and railways over the side between two hexes."""
        return self.links.get((self.grid.index.get(a, -1), self.grid.index.get(b, -1)), NOTHING)

    def along(self, classes: frozenset[str]) -> Links:
        """The graph of one or more road or rail classes."""
        return tuple(
            tuple(j for j in row if self.links.get((i, j), NOTHING) & classes)
            for i, row in enumerate(self.grid.adjacency)
        )

    def costs(self, cost: Cost) -> list[dict[int, int]]:
        """What each step costs, worked out once per board because the ground does not move."""
        if cost not in self.memo:
            table: list[dict[int, int]] = []
            for i, row in enumerate(self.grid.adjacency):
                prices = ((j, cost(self, i, j)) for j in row)
                table.append({j: price for j, price in prices if price is not None})
            self.memo[cost] = table
        found: list[dict[int, int]] = self.memo[cost]
        return found

    def hexside(self, i: int, j: int) -> str:
        """The printed name of the side between two indices."""
        a, b = self.grid.ids[i], self.grid.ids[j]
        return f"{a}-{b}" if a < b else f"{b}-{a}"


Cost = Callable[[Board, int, int], "int | None"]
"""The price of the step from one hex index to the next, or None where no path may go."""


@dataclass(frozen=True)
class ZoneRule:
    """What a zone of control is in one game: always the six hexes around, less these exceptions."""

    stopped_by: frozenset[str] = frozenset()
    """Hexside features that a zone does not cross."""
    unless: frozenset[str] = frozenset()
    """Features that let it cross after all: a bridge."""
    not_into: frozenset[str] = frozenset()
    """Terrains into which no zone reaches."""
    none_from_cities: bool = False


@dataclass(frozen=True)
class Situation:
    """One moment of a table: the board, the units on it, and who holds what."""

    board: Board
    units: tuple[Piece, ...]
    held: Mapping[str, AbstractSet[str]] = field(default_factory=dict)
    """Hexes known to be controlled by each side, besides those its units stand in."""

    @cached_property
    def occupied(self) -> dict[str, dict[int, list[Piece]]]:
        """Per side, the units by hex index; units in boxes off the map are left out."""
        index = self.board.grid.index
        found: dict[str, dict[int, list[Piece]]] = {}
        for unit in self.units:
            i = index.get(unit.hex)
            if i is not None:
                found.setdefault(unit.side, {}).setdefault(i, []).append(unit)
        return found

    def enemies(self, side: str) -> dict[int, list[Piece]]:
        """The units that are not of this side, by hex index."""
        found: dict[int, list[Piece]] = {}
        for other, stacks in self.occupied.items():
            if other != side:
                found.update({i: found.get(i, []) + units for i, units in stacks.items()})
        return found

    def controls(self, side: str, hex_id: str) -> bool:
        """Say whether a side is known to control a hex: whoever stands in it does, whatever was noted."""
        i = self.board.grid.index.get(hex_id, -1)
        standing = [other for other, stacks in self.occupied.items() if i in stacks]
        return side in standing if standing else hex_id in self.held.get(side, NOTHING)


def zone_indices(board: Board, stacks: Mapping[int, Iterable[Piece]], rule: ZoneRule) -> set[int]:
    """The hex indices in the zones of these stacks."""
    rows, ids, cities = board.grid.adjacency, board.grid.ids, board.places["city"]
    found: set[int] = set()
    for i, units in stacks.items():
        if not any(unit.zoc for unit in units) or (rule.none_from_cities and ids[i] in cities):
            continue
        if not rule.stopped_by and not rule.not_into:
            found.update(rows[i])
            continue
        for j in rows[i]:
            features = board.features.get((i, j), NOTHING)
            stopped = features & rule.stopped_by and not features & rule.unless
            if not stopped and board.terrain.get(j) not in rule.not_into:
                found.add(j)
    return found


def zoc(board: Board, units: Iterable[Piece], rule: ZoneRule | None = None) -> dict[str, set[str]]:
    """Every side's zones of control, as hex ids."""
    situation = Situation(board, tuple(units))
    ids = board.grid.ids
    return {
        side: {ids[i] for i in zone_indices(board, stacks, rule or ZoneRule())}
        for side, stacks in situation.occupied.items()
    }
