"""What a map's owner read off his own sheet: the answer to the one-look question, and the true limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from companion.engine.errors import Unreadable
from companion.engine.hexes.grid import Grid
from companion.engine.hexes.maps import Maps

LIMITS = ("columns", "rows")


def owner_maps(maps: Maps, body: Mapping[str, Any]) -> Maps:
    """The maps with the owner's answers; one that no longer fits its map is left aside."""
    return replace(maps, grids=tuple(owner_grid(g, body.get(g.prefixes[0], {})) for g in maps.grids))


def owner_grid(grid: Grid, entry: Mapping[str, Any]) -> Grid:
    """One map with its owner's answers."""
    try:
        if entry.get("answer"):
            grid = grid.answered(str(entry["answer"]))
        if all(entry.get(name) for name in LIMITS):
            grid = grid.with_bounds(*(pair(entry[name]) for name in LIMITS))
    except (ValueError, TypeError):
        return grid
    return grid


def pair(value: Any) -> tuple[int, int]:
    """Two numbers, lowest first."""
    low, high = (int(n) for n in value)
    return low, high


def read_limits(grid: Grid, given: Mapping[str, str]) -> dict[str, list[int]]:
    """The limits typed into a form, checked on the map they are meant for."""
    found: dict[str, list[int]] = {}
    for name in LIMITS:
        words = [str(given.get(f"{name}_{end}", "")).strip() for end in ("low", "high")]
        if not all(w.isdecimal() and len(w) <= 2 for w in words):
            raise Unreadable(f"{name}: two whole numbers from 0 to 99", field=name, given=" ".join(words))
        found[name] = [int(w) for w in words]
    try:
        grid.with_bounds(pair(found["columns"]), pair(found["rows"]))
    except ValueError as error:
        raise Unreadable(str(error), field="columns") from None
    return found
