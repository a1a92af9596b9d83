"""Cities and towns by name, as far as the map book knows their hexes."""

from __future__ import annotations

from companion.engine.positions.situation import board
from companion.engine.record.game import Game

ALIASES = {
    "kharkov": {"kharkov", "kharkow", "charkow", "charków", "kharkiv"},
    "bielgorod": {"bielgorod", "belgorod", "biełgorod"},
    "izjum": {"izjum", "izyum", "izium"},
    "slawiansk": {"slawiansk", "sławiańsk", "slavyansk", "slaviansk"},
    "krasnograd": {"krasnograd"},
}


def hexes_of(game: Game, name: str) -> list[str]:
    """The hexes of a named place, empty when its owner has not entered them."""
    wanted = ALIASES.get(name.casefold(), {name.casefold()})
    return sorted(h for h, label in board(game).book.places().items() if label.casefold() in wanted)


def victory_hexes(game: Game) -> list[str]:
    """The listed hexes, and every hex of the cities that count as far as they are known."""
    listed = [str(h) for h in game.scenario.extra.get("vp", ())]
    cities = [h for city in game.scenario.extra.get("vp_cities", ()) for h in hexes_of(game, str(city))]
    return list(dict.fromkeys([*listed, *cities]))


def unknown_cities(game: Game) -> list[str]:
    """Cities that count hex by hex but whose hexes are not in the map book."""
    return [str(c) for c in game.scenario.extra.get("vp_cities", ()) if not hexes_of(game, str(c))]


def worth_watching(game: Game) -> list[str]:
    """Hexes whose control is kept on record: victory hexes, towns and cities."""
    return sorted({*victory_hexes(game), *board(game).book.places()})
