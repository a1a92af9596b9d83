"""What may be meant by a line of an entry while it is still being typed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from companion.engine.kit.roster import Unit
from companion.engine.positions.names import closest, key_of
from companion.engine.positions.reader import Reader, may_touch
from companion.engine.record.game import Game
from companion.engine.record.sight import may_see_unit


@dataclass(frozen=True)
class Hints:
    """What may be meant by a line that is still being typed."""

    units: tuple[Unit, ...] = ()
    hexes: tuple[str, ...] = ()
    about: str = ""
    """The hex that the hexes lie around."""
    typed: str = ""
    """The words at the end of the line that a unit's name would complete."""


def hints(game: Game, seat: str, text: str, most: int = 12) -> Hints:
    """Units whose names begin as the last line does, or the hexes around the one it speaks of."""
    last = re.split(r"[;,\n]", text)[-1]
    typed = last.lstrip().lstrip("+-").lstrip()
    if (side := typed.split(" ")[0]) and side.casefold() in game.sides:
        typed = typed[len(side) :].lstrip()
    words = typed.split()
    reader = Reader(game, seat, seat if seat in game.sides else "")
    mine = [u for u in game.units.values() if may_touch(game, seat, u) and may_see_unit(game, u, seat)]
    if not words:
        return Hints()
    if (here := reader.hex_of(words[-1])) is not None:
        return Hints(hexes=(here, *game.maps.neighbours(here)), about=here)
    key = key_of(" ".join(words))
    found = closest(key, [u for u in mine if u.name])
    meant = [u for u in found if key_of(u.name) == key] or found
    places = {u.place for u in meant if u.on_map and reader.hex_of(u.place)}
    if last.endswith(" ") and len(places) == 1:
        place = places.pop()
        return Hints(tuple(meant[:most]), (place, *game.maps.neighbours(place)), place, typed)
    return Hints(tuple(found[:most]), typed=typed)
