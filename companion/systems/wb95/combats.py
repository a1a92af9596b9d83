"""The number of a combat, as the markers of the units that were in it write it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from companion.engine.kit.roster import Unit
from companion.engine.record.game import Game
from companion.systems.wb95.base import at_hexes, own

_NUMBER = re.compile(r"(?:\d+ in )?combat (\d+)")


def fought(combat: int) -> str:
    """The marker of a unit that fought."""
    return f"combat {combat}"


def fell_back(hexes: int, combat: int) -> str:
    """The marker of a unit that fell back; 0 is a retreat that no combat on record ordered."""
    return f"{hexes} in combat {combat}" if combat else str(hexes)


def combats_of(game: Game, unit: str) -> set[int]:
    """The combats where a unit fought, or from which it fell back."""
    found = (_NUMBER.fullmatch(str(game.mark(unit, m))) for m in ("fought", "retreated"))
    return {int(match[1]) for match in found if match}


def next_combat(game: Game) -> int:
    """A small number that no marker and no open question bears."""
    used = {n for m in ("fought", "retreated") for u in game.marked(m) for n in combats_of(game, u)}
    used |= {int(a.args.get("combat") or 0) for a in game.asked.values()}
    for ask in game.asked.values():  # a result still to be read off the printed chart
        used.add(int(dict(ask.args.get("sheet") or {}).get("facts", {}).get("combat") or 0))
    return max(used, default=0) + 1


def involved(game: Game, side: str, combat: int, hexes: Iterable[str]) -> list[Unit]:
    """Who is meant: the side's units that fought or fell back in this combat, else those in the hexes."""
    found = [u for u in own(game, side) if combat and combat in combats_of(game, u.id)]
    return found or at_hexes(game, side, hexes)
