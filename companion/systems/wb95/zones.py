"""Zones of control on the record's positions [4.1]; for supply lines nearly everybody has one [10.1.11]."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from companion.engine.hexes.board import NOTHING, Board
from companion.engine.kit.roster import Unit
from companion.engine.once import once
from companion.engine.positions.pieces import on_map
from companion.engine.positions.situation import board
from companion.engine.record.game import Game
from companion.systems.wb95.base import held, in_transport, is_hq, is_kind, is_motorised, is_regular
from companion.systems.wb95.terrain import cell

Zones = dict[str, list[Unit]]
"""Hex -> the units whose zone it lies in."""
_BIG = frozenset({"big river"})
_BIG_AND_DONIEC = _BIG | {"doniec"}


def has_zone(game: Game, unit: Unit) -> bool:
    """Regular units have one; guns, headquarters, resilience groups do not [4.1.2, 6.1.5, 9.1.1, 15.2.2]."""
    return is_regular(unit) and not is_kind(unit, "RG")


def blocks_supply(game: Game, unit: Unit) -> bool:
    """For lines of supply all units count but guns in transport setup and headquarters [10.1.11]."""
    return not is_hq(unit) and not in_transport(game, unit)


def _reach(here: Board, place: str, motors: bool, swamp_closed: bool, big: frozenset[str]) -> tuple[str, ...]:
    """The hexes around a unit that its zone covers: not over a big river, not into closed ground [4.1.3, 4.1.4]."""
    key = ("wb95 zone", place, motors, motors and swamp_closed, big)
    if key not in here.memo:
        i = here.grid.index.get(place)
        found = []
        for j in here.grid.adjacency[i] if i is not None else ():
            ground = here.terrain.get(j)
            closed = motors and ((ground == "swamp" and swamp_closed) or ground == "mountains")
            if not closed and not here.features.get((i or 0, j), NOTHING) & big:
                found.append(here.grid.ids[j])
        here.memo[key] = tuple(found)
    hexes: tuple[str, ...] = here.memo[key]
    return hexes


@once
def zones(game: Game, side: str, counts: Callable[[Game, Unit], bool] = has_zone) -> Zones:
    """All zones of a side's units on the map."""
    return _cover(game, (unit for unit in on_map(game, side) if counts(game, unit)))


@once
def pressing(game: Game, side: str) -> Zones:
    """The zones of a side's units that stand beside the enemy, which are all that he is in."""
    near = touching(game, side)
    return _cover(game, (u for u in on_map(game, side) if u.place in near and has_zone(game, u)))


@once
def touching(game: Game, side: str) -> frozenset[str]:
    """The hexes from which units of a side touch the enemy."""
    around, free = _around(board(game)), held(game, game.other(side)).isdisjoint
    return frozenset(hex_id for hex_id in held(game, side) if not free(around.get(hex_id, ())))


def _around(here: Board) -> dict[str, list[str]]:
    """The hexes next to each."""
    if "wb95 around" not in here.memo:
        ids = here.grid.ids
        rows = ([ids[j] for j in row] for row in here.grid.adjacency)
        here.memo["wb95 around"] = dict(zip(ids, rows, strict=True))
    found: dict[str, list[str]] = here.memo["wb95 around"]
    return found


def _cover(game: Game, units: Iterable[Unit]) -> Zones:
    found: Zones = {}
    here, big = board(game), _BIG_AND_DONIEC if game["doniec-is-big"] else _BIG
    swamp_closed = cell(game, "swamp", "trucked") == "no"
    for unit in units:
        for hex_id in _reach(here, unit.place, is_motorised(unit), swamp_closed, big):
            found.setdefault(hex_id, []).append(unit)
    return found
