"""Printed hex numbers and the geometry behind them: neighbours, distance, ranges, drawing.

Inside, a hex is a pair of *doubled* coordinates, as described by Red Blob Games: along the straight line of
hexes a step counts two, across it one, so both parities of every layout share one arithmetic. X grows east
and Y grows south, whichever way the printed digits run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from typing import Any

from companion.engine.errors import meant
from companion.engine.hexes.typed import HexError, clamp, pairs, slips, split_text

FLAT_STEPS = {"N": (0, -2), "NE": (1, -1), "SE": (1, 1), "S": (0, 2), "SW": (-1, 1), "NW": (-1, -1)}
POINTY_STEPS = {"NE": (1, -1), "E": (2, 0), "SE": (1, 1), "SW": (-1, 1), "W": (-2, 0), "NW": (-1, -1)}
# A hex lies on a side of the map when nothing is left in these directions.
FLAT_EDGES = {"north": ("N",), "south": ("S",), "east": ("NE", "SE"), "west": ("NW", "SW")}
POINTY_EDGES = {"north": ("NW", "NE"), "south": ("SW", "SE"), "east": ("E",), "west": ("W",)}
SHIFTS = {"flat": ("north", "south"), "pointy": ("east", "west")}
HALF, LONG = sqrt(3) / 2, 1.5


@dataclass(frozen=True)
class Layout:
    """One answer to a map's one-look question, and the stagger that it means."""

    say: str
    shifted: str
    shift_toward: str
    tops: str


@dataclass(frozen=True)
class Grid:
    """One map's numbering: how its printed ids lie on the ground."""

    prefixes: tuple[str, ...] = ("",)
    """The printed prefix, then others accepted in its place."""
    first: str = "column"
    """What the first pair of digits numbers: 'column' or 'row', with north up."""
    columns: tuple[int, int] = (1, 10)
    rows: tuple[int, int] = (1, 10)
    column_grows: str = "east"
    row_grows: str = "south"
    tops: str = "flat"
    """'flat': straight columns, staggered sideways; 'pointy': straight rows."""
    shifted: str = "odd"
    """Which columns (flat) or rows (pointy) are pushed half a hex."""
    shift_toward: str = "south"
    up: str = "north"
    """What lies at the top of the drawing: 'north', or 'east' for a sheet that is read turned."""
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    name: str = ""
    rule: str = ""
    bounds_note: str = ""
    pair_names: tuple[str, str] = ("", "")
    question: str = ""
    answers: tuple[Layout, ...] = ()

    def __post_init__(self) -> None:
        problems = [
            f"{key} is {value!r}, expected one of: {', '.join(allowed)}"
            for key, value, allowed in (
                ("first", self.first, ("column", "row")),
                ("column_grows", self.column_grows, ("east", "west")),
                ("row_grows", self.row_grows, ("south", "north")),
                ("tops", self.tops, tuple(SHIFTS)),
                ("shifted", self.shifted, ("odd", "even")),
                ("shift_toward", self.shift_toward, SHIFTS.get(self.tops, ())),
                ("up", self.up, ("north", "east")),
            )
            if value not in allowed
        ]
        for key, (low, high) in (("columns", self.columns), ("rows", self.rows)):
            if not 0 <= low <= high <= 99:
                problems.append(f"{key} is {low}-{high}, expected two numbers from 0 to 99, lowest first")
        for key, ids in (("missing", self.missing), ("extra", self.extra)):
            for text in ids:
                try:
                    split_text(text)
                except HexError as error:
                    problems.append(f"{key}: {error}")
        if not self.prefixes:
            problems.append('prefixes is empty, expected at least one (it may be "")')
        if problems:
            raise ValueError("; ".join(problems))

    @classmethod
    def from_toml(cls, table: Mapping[str, Any]) -> Grid:
        """Read a [[grid]] table; the ValueError lists everything wrong with it at once."""
        from companion.engine.hexes.maps import read_grid  # here, because gridfile builds Grids

        return read_grid(table)

    def with_parity(self, shifted: str, shift_toward: str = "", tops: str = "") -> Grid:
        """The same numbering on the other stagger."""
        return replace(
            self,
            shifted=shifted,
            shift_toward=shift_toward or self.shift_toward,
            tops=tops or self.tops,
        )

    def answered(self, say: str) -> Grid:
        """The layout that the owner's answer to the one-look question means."""
        for layout in self.answers:
            if layout.say == say:
                return self.with_parity(layout.shifted, layout.shift_toward, layout.tops)
        accepted = "; ".join(layout.say for layout in self.answers) or "this map asks nothing"
        raise ValueError(f"{say!r} is not an answer to {self.question!r}: {accepted}")

    def with_bounds(self, columns: tuple[int, int], rows: tuple[int, int]) -> Grid:
        """The same map with the limits that its owner read off the sheet."""
        return replace(self, columns=columns, rows=rows, bounds_note="")

    # --- every hex, once

    @property
    def steps(self) -> dict[str, tuple[int, int]]:
        """The six compass directions of this map and their doubled steps, clockwise."""
        return FLAT_STEPS if self.tops == "flat" else POINTY_STEPS

    @property
    def directions(self) -> tuple[str, ...]:
        """The compass names of the six neighbours, clockwise."""
        return tuple(self.steps)

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """All ids in printed order; a hex's place here is its index in `adjacency`."""
        one, two = (self.columns, self.rows) if self.first == "column" else (self.rows, self.columns)
        found = {(a, b) for a in range(one[0], one[1] + 1) for b in range(two[0], two[1] + 1)}
        found |= {pairs(split_text(text)[1]) for text in self.extra}
        found -= {pairs(split_text(text)[1]) for text in self.missing}
        return tuple(f"{self.prefixes[0]}{a:02d}{b:02d}" for a, b in sorted(found))

    @cached_property
    def index(self) -> dict[str, int]:
        """Where each id stands in `ids`."""
        return {hex_id: i for i, hex_id in enumerate(self.ids)}

    @cached_property
    def doubled(self) -> tuple[tuple[int, int], ...]:
        """The doubled coordinates of every hex, by index."""
        return tuple(self._double(*self.column_row(hex_id)) for hex_id in self.ids)

    @cached_property
    def _at(self) -> dict[tuple[int, int], int]:
        return {xy: i for i, xy in enumerate(self.doubled)}

    @cached_property
    def adjacency(self) -> tuple[tuple[int, ...], ...]:
        """The indices of each hex's neighbours: the graph on which everything is traced."""
        at, steps = self._at, tuple(self.steps.values())
        return tuple(
            tuple(at[x + dx, y + dy] for dx, dy in steps if (x + dx, y + dy) in at) for x, y in self.doubled
        )

    def _double(self, column: int, row: int) -> tuple[int, int]:
        x = column if self.column_grows == "east" else -column
        y = row if self.row_grows == "south" else -row
        line = column if self.tops == "flat" else row
        pushed = line % 2 == (1 if self.shifted == "odd" else 0)
        push = (1 if self.shift_toward in ("south", "east") else -1) if pushed else 0
        # The constant keeps X + Y even, so that halving in `cube` is exact for both parities.
        push += 0 if self.shifted == "odd" else 1
        return (x, 2 * y + push) if self.tops == "flat" else (2 * x + push, y)

    def column_row(self, hex_id: str) -> tuple[int, int]:
        """The printed column and row of an id."""
        a, b = pairs(hex_id[-4:])
        return (a, b) if self.first == "column" else (b, a)

    # --- reading

    def parse(self, text: str) -> str:
        """Normalise a typed id: ' 713' is '0713'; a HexError says what would be accepted."""
        if text in self.index:
            return text
        prefix, digits = split_text(text)
        if prefix and prefix not in self.prefixes:
            own = " or ".join(p for p in self.prefixes if p)
            likely = self.prefixes[0] + digits
            hint = (likely,) if likely in self.index else ()
            numbers = f"its numbers begin with {own}" if own else "its numbers have no letters"
            raise HexError(f"{prefix}{digits} is not on this map: {numbers}.{meant(hint)}", hint)
        hex_id = self.prefixes[0] + digits
        if hex_id not in self.index:
            hints = self._suggest(digits)
            note = f" {self.bounds_note}" if self.bounds_note else ""
            raise HexError(f"{hex_id} is not on this map: {self.bounds_text}.{note}{meant(hints)}", hints)
        return hex_id

    @property
    def bounds_text(self) -> str:
        """The map's limits in the order in which the digits are printed."""
        limits = {"column": self.columns, "row": self.rows}
        kinds = (self.first, "row" if self.first == "column" else "column")
        return ", ".join(
            f"{name or kind + 's'} {limits[kind][0]:02d}-{limits[kind][1]:02d}"
            for kind, name in zip(kinds, self.pair_names, strict=True)
        )

    def _suggest(self, digits: str) -> tuple[str, ...]:
        """Up to three valid ids: a slip of the fingers, else the nearest place on the map."""
        prefix = self.prefixes[0]
        found = [prefix + text for text in slips(digits) if prefix + text in self.index][:3]
        one, two = (self.columns, self.rows) if self.first == "column" else (self.rows, self.columns)
        a, b = pairs(digits)
        near = f"{prefix}{clamp(a, *one):02d}{clamp(b, *two):02d}"
        return tuple(found) if found or near not in self.index else (near,)

    # --- geometry

    def hexes(self) -> tuple[str, ...]:
        """All ids in printed order."""
        return self.ids

    def neighbour(self, hex_id: str, direction: str) -> str | None:
        """The adjacent hex in a compass direction, or None past the edge."""
        step = self.steps.get(direction.upper())
        if step is None:
            raise ValueError(f"{direction!r} is not a direction here: {', '.join(self.directions)}")
        x, y = self.doubled[self._index_of(hex_id)]
        found = self._at.get((x + step[0], y + step[1]))
        return None if found is None else self.ids[found]

    def neighbours(self, hex_id: str) -> tuple[str, ...]:
        """The adjacent hexes that are on the map, clockwise."""
        return tuple(self.ids[i] for i in self.adjacency[self._index_of(hex_id)])

    def distance(self, a: str, b: str) -> int:
        """The number of steps between two hexes over open ground."""
        (x1, y1), (x2, y2) = self.doubled[self._index_of(a)], self.doubled[self._index_of(b)]
        dx, dy = abs(x1 - x2), abs(y1 - y2)
        across, along = (dx, dy) if self.tops == "flat" else (dy, dx)
        return across + max(0, (along - across) // 2)

    def within(self, hex_id: str, n: int) -> list[str]:
        """Every hex at most n steps away, itself included, in printed order."""
        return [other for other in self.ids if self.distance(hex_id, other) <= n]

    def ring(self, hex_id: str, n: int) -> list[str]:
        """Every hex exactly n steps away, in printed order."""
        return [other for other in self.ids if self.distance(hex_id, other) == n]

    def line(self, a: str, b: str) -> list[str]:
        """The hexes under a straight line from a to b, both included; ties fall the same way each time."""
        steps = self.distance(a, b)
        (x1, y1), (x2, y2) = self.centre(a), self.centre(b)
        path = [a]
        for i in range(1, steps + 1):
            t = i / steps
            # The nudge keeps a line that runs along hexsides from dithering between their two banks.
            x, y = x1 + (x2 - x1) * t + 1e-6, y1 + (y2 - y1) * t + 2e-6
            last = self.index[path[-1]]
            path.append(min((self.ids[j] for j in self.adjacency[last]), key=lambda h: self._off(h, x, y)))
        return path

    def _off(self, hex_id: str, x: float, y: float) -> float:
        cx, cy = self.centre(hex_id)
        return (cx - x) ** 2 + (cy - y) ** 2

    def span(self, a: str, b: str) -> list[str]:
        """The hexes from a to b along one printed row or column: 1402..4202."""
        a, b = self.parse(a), self.parse(b)
        (a1, a2), (b1, b2) = pairs(a[-4:]), pairs(b[-4:])
        if a1 != b1 and a2 != b2:
            raise HexError(f"{a}..{b} is along no row or column: give two ids that share a pair of digits")
        firsts = range(a1, b1 + 1) if a1 <= b1 else range(a1, b1 - 1, -1)
        seconds = range(a2, b2 + 1) if a2 <= b2 else range(a2, b2 - 1, -1)
        wanted = (f"{self.prefixes[0]}{x:02d}{y:02d}" for x in firsts for y in seconds)
        return [hex_id for hex_id in wanted if hex_id in self.index]

    def edge(self, side: str) -> list[str]:
        """The hexes along a compass side of the map; a corner is on two sides."""
        sides = FLAT_EDGES if self.tops == "flat" else POINTY_EDGES
        if side not in sides:
            raise ValueError(f"{side!r} is not a side of the map: {', '.join(sides)}")
        return [h for h in self.ids if all(self.neighbour(h, d) is None for d in sides[side])]

    def hexside(self, a: str, b: str) -> str:
        """The name of the side that two adjacent hexes share: '1205-1206', lower id first."""
        a, b = self.parse(a), self.parse(b)
        if self.index[b] not in self.adjacency[self.index[a]]:
            near = self.neighbours(a)
            raise HexError(f"{a} and {b} share no hexside: {a} touches {', '.join(near)}", near)
        return f"{a}-{b}" if a < b else f"{b}-{a}"

    def _index_of(self, hex_id: str) -> int:
        found = self.index.get(hex_id)
        return self.index[self.parse(hex_id)] if found is None else found

    # --- drawing: one unit is a hex's centre to its corner, y grows downward, the map starts at (0, 0)

    def _turn(self, x: float, y: float) -> tuple[float, float]:
        return (x, y) if self.up == "north" else (y, -x)

    def _raw(self, i: int) -> tuple[float, float]:
        x, y = self.doubled[i]
        return self._turn(x * LONG, y * HALF) if self.tops == "flat" else self._turn(x * HALF, y * LONG)

    @cached_property
    def _corner_steps(self) -> tuple[tuple[float, float], ...]:
        flat = ((1.0, 0.0), (0.5, HALF), (-0.5, HALF), (-1.0, 0.0), (-0.5, -HALF), (0.5, -HALF))
        return tuple(self._turn(*(p if self.tops == "flat" else (p[1], p[0]))) for p in flat)

    @cached_property
    def _frame(self) -> tuple[float, float, float, float]:
        points = [self._raw(i) for i in range(len(self.ids))]
        wide, high = (max(p[k] for p in self._corner_steps) for k in (0, 1))
        xs, ys = [p[0] for p in points], [p[1] for p in points]
        return min(xs) - wide, min(ys) - high, max(xs) + wide, max(ys) + high

    @property
    def extent(self) -> tuple[float, float]:
        """Width and height of the drawing, in hex sizes."""
        left, top, right, bottom = self._frame
        return right - left, bottom - top

    def centre(self, hex_id: str) -> tuple[float, float]:
        """Where the hex is drawn."""
        x, y = self._raw(self._index_of(hex_id))
        return x - self._frame[0], y - self._frame[1]

    def corners(self, hex_id: str) -> tuple[tuple[float, float], ...]:
        """The six corners of the drawn hex, in order round it."""
        x, y = self.centre(hex_id)
        return tuple((x + dx, y + dy) for dx, dy in self._corner_steps)
