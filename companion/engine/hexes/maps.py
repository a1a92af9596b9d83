"""Grids as files: reading a [[grid]] table with all its mistakes at once, and several maps of one game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from companion.engine.errors import meant, near_names
from companion.engine.hexes.grid import Grid, Layout
from companion.engine.hexes.typed import HexError, split_text

# What the file may say beside the fields of Grid: notes for the reader, kept out of the geometry.
NOTES = ("evidence",)
LAYOUT_KEYS = ("say", "shifted", "shift_toward", "tops")
NUMBERS, WORDS = ("columns", "rows"), ("prefixes", "missing", "extra", "pair_names")


def read_grid(table: Mapping[str, Any]) -> Grid:
    """Build a Grid from its TOML table.

    :raises ValueError: naming every problem, separated by semicolons.
    """
    known = [f.name for f in fields(Grid)]
    problems = [_unknown(key, [*known, *NOTES]) for key in table if key not in known and key not in NOTES]
    values: dict[str, Any] = {}
    for key in known:
        if key not in table:
            if key in ("columns", "rows"):
                problems.append(f"{key} is missing, expected the lowest and highest number, such as [14, 42]")
            continue
        value = table[key]
        if key == "answers":
            values[key] = _layouts(value, table, problems)
        elif key in NUMBERS:
            if _is_list(value, int) and len(value) == 2:
                values[key] = tuple(value)
            else:
                problems.append(f"{key} is {value!r}, expected two whole numbers, such as [14, 42]")
        elif key in WORDS:
            if _is_list(value, str) and (key != "pair_names" or len(value) == 2):
                values[key] = tuple(value)
            else:
                problems.append(f"{key} is {value!r}, expected a list of quoted words")
        elif isinstance(value, str):
            values[key] = value
        else:
            problems.append(f"{key} is {value!r}, expected quoted words")
    grid = None
    try:
        grid = Grid(**values)
        for layout in grid.answers:
            grid.answered(layout.say)
    except ValueError as error:
        problems.append(str(error))
    if problems or grid is None:
        raise ValueError("; ".join(problems))
    return grid


def _is_list(value: Any, kind: type) -> bool:
    return isinstance(value, list) and all(type(item) is kind for item in value)


def _unknown(key: str, known: list[str]) -> str:
    return f"{key!r} is not a setting of a grid.{meant(near_names(key, known, 1))}"


def _layouts(value: Any, table: Mapping[str, Any], problems: list[str]) -> tuple[Layout, ...]:
    if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
        problems.append("answers should be [[grid.answers]] blocks")
        return ()
    layouts = []
    for number, item in enumerate(value, 1):
        wrong = [key for key in item if key not in LAYOUT_KEYS]
        if wrong or "say" not in item:
            keys = ", ".join(LAYOUT_KEYS)
            problems.append(f"answer {number}: expected the keys {keys}, found {', '.join(item)}")
            continue
        # A key left out of an answer is as in the grid itself.
        words = {key: str(item.get(key, table.get(key, ""))) for key in LAYOUT_KEYS}
        layouts.append(Layout(**words))
    return tuple(layouts)


@dataclass(frozen=True)
class Maps:
    """The maps of one game; an id finds its map by the longest prefix that fits."""

    grids: tuple[Grid, ...]
    home: str = ""
    """The prefix assumed for an id typed without one."""

    @classmethod
    def from_toml(cls, tables: Iterable[Mapping[str, Any]], home: str = "") -> Maps:
        """Read all [[grid]] tables of a file; the ValueError names each bad one by its number."""
        grids, problems = [], []
        for number, table in enumerate(tables, 1):
            try:
                grids.append(read_grid(table))
            except ValueError as error:
                problems.append(f"grid {number} ({table.get('name', 'no name')}): {error}")
        seen: set[str] = set()
        for prefix in (prefix for grid in grids for prefix in grid.prefixes):
            if prefix in seen:
                problems.append(f"prefix {prefix!r} is claimed by two grids")
            seen.add(prefix)
        if not grids and not problems:
            problems.append("no [[grid]] block found")
        if problems:
            raise ValueError("; ".join(problems))
        return cls(tuple(grids), home or grids[0].prefixes[0])

    @cached_property
    def by_prefix(self) -> dict[str, Grid]:
        """Every accepted prefix and its map."""
        return {prefix: grid for grid in self.grids for prefix in grid.prefixes}

    def grid_of(self, text: str) -> Grid:
        """The map that an id belongs to."""
        # split_text reads all letters at once, so KB3617 can never be taken for a K map's B3617.
        prefix, digits = split_text(text)
        grid = self.grids[0] if len(self.grids) == 1 else self.by_prefix.get(prefix or self.home)
        if grid is None:
            near = tuple(p + digits for p in near_names(prefix, self.by_prefix, 2, 0.3))
            accepted = ", ".join(p or "none" for p in self.by_prefix)
            raise HexError(f"{prefix}{digits} is on no map here: prefixes are {accepted}.{meant(near)}", near)
        return grid

    def parse(self, text: str) -> str:
        """Normalise an id of any of the maps."""
        return self.grid_of(text).parse(text)

    def neighbours(self, hex_id: str) -> tuple[str, ...]:
        """The adjacent hexes on the same map."""
        found = self._around.get(hex_id)
        if found is None:
            grid = self.grid_of(hex_id)
            found = grid.neighbours(hex_id)
            if hex_id in grid.index:  # and not what somebody typed in another way
                self._around[hex_id] = found
        return found

    @cached_property
    def _around(self) -> dict[str, tuple[str, ...]]:
        """The hexes around those that were asked about."""
        return {}

    def distance(self, a: str, b: str) -> int:
        """The number of steps between two hexes of one map."""
        return self._shared(a, b).distance(a, b)

    def span(self, a: str, b: str) -> list[str]:
        """The hexes from a to b along one printed row or column."""
        return self._shared(a, b).span(a, b)

    def hexside(self, a: str, b: str) -> str:
        """The name of the side that two adjacent hexes share."""
        return self._shared(a, b).hexside(a, b)

    def _shared(self, a: str, b: str) -> Grid:
        grid, other = self.grid_of(a), self.grid_of(b)
        if grid is not other:
            raise HexError(f"{a} and {b} are on different maps: give two ids of one map")
        return grid
