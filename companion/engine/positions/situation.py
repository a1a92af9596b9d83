"""From a game's record to a board: what zones of control and tracing work on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet

from companion.engine.hexes.board import Board, Piece, Situation
from companion.engine.hexes.grid import Grid
from companion.engine.hexes.ground import MapBook
from companion.engine.kit.roster import Unit
from companion.engine.record.game import Game


def grid(game: Game) -> Grid:
    """The map this scenario is played on: the scenario's own (`extra.map`, a prefix), or the game's first."""
    prefix = str(game.scenario.extra.get("map", ""))
    return game.maps.by_prefix[prefix] if prefix else game.maps.grids[0]


_boards: dict[tuple[int, int], tuple[object, object, Board]] = {}


def board(game: Game) -> Board:
    """The grid with the map book on it; kept as long as both stay the same."""
    here, book = grid(game), game.book.map
    key = (id(here), id(book))
    held = _boards.get(key)
    if held is None or held[0] is not here or held[1] is not book:
        while len(_boards) > 20:
            _boards.pop(next(iter(_boards)))
        held = _boards[key] = (here, book, Board(here, map_book(game)))
    return held[2]


def map_book(game: Game) -> MapBook:
    """The owner's entries over the rulebook's."""
    return MapBook.from_json(game.map_facts).merge(MapBook.from_json(game.book.map))


def held_hexes(game: Game, at_start: Mapping[str, AbstractSet[str]] | None = None) -> dict[str, set[str]]:
    """Hexes each side is known to control: the `owner` marks, over what it held at the start."""
    found = {side: set((at_start or {}).get(side, ())) for side in game.sides}
    owned = game.marked("owner") if any(m.id == "owner" for m in game.kit.markers) else {}
    for target, side in owned.items():
        for other in game.sides:
            found[other].discard(target)
        if side in found:
            found[side].add(target)
    return found


def situation(
    game: Game,
    at_start: Mapping[str, AbstractSet[str]] | None = None,
    *,
    on: Board | None = None,
    zoc: Callable[[Unit], bool] = lambda unit: True,
    cancels: Callable[[Unit], bool] = lambda unit: True,
    relay: Callable[[Unit], bool] = lambda unit: False,
) -> Situation:
    """The units on the map with what they do to paths: exert a zone, cancel one, relay a line.

    :param on: the board they stand on, where a game adds to the plain one
    """
    units = tuple(
        Piece(u.id, u.side, u.place, zoc(u), cancels(u), relay(u)) for u in game.units.values() if u.on_map
    )
    return Situation(on or board(game), units, held_hexes(game, at_start))
