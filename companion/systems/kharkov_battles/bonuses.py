"""Tigers [15.3] and Combined Arms [12.4]: what the composition of a force is worth."""

from __future__ import annotations

from collections.abc import Iterable

from companion.engine.kit.roster import Unit
from companion.engine.record.battle import Battle
from companion.engine.record.game import Game
from companion.systems.kharkov_battles.base import AXIS
from companion.systems.kharkov_battles.battles import attack_of
from companion.systems.kharkov_battles.units import (
    STATIC,
    brings_shift,
    is_cadre,
    is_hq,
    is_mech,
    printed_number,
    trait,
)


def tiger_shifts(game: Game, units: Iterable[Unit]) -> int:
    """One for each Tiger unit that can use its own [15.3]."""
    return sum(brings_shift(game, unit) for unit in units)


def combined_arms(
    game: Game, units: list[Unit], battle: Battle | None = None, stack_only: bool = False
) -> bool:
    """Yellow band; blue band with infantry beside it; both regiments of 60. Motorized [12.41, 12.42]."""
    for unit in units:
        band = trait(game, unit, "band")
        if is_cadre(game, unit):
            continue
        if band == "yellow":
            return True
        if band == "blue":
            for friend in game.units_at(unit.place):
                foot = not is_mech(friend) or friend.kind in ("panzergrenadier", "motorized", "mechanized")
                fights = attack_of(game, friend, battle)
                other_fight = fights is not None and (battle is None or fights.id != battle.id)
                static = friend.kind in STATIC and not stack_only
                if friend.id != unit.id and not is_hq(friend) and foot and not other_fight and not static:
                    return True
    sixty = [u for u in units if u.side == AXIS and is_mech(u) and printed_number(u.formation) == 60]
    return len(sixty) >= 2
