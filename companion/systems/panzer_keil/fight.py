"""Reading a combat off the record: strengths by hex, rivers, armour, surroundings [9.2, 9.4, B10.3, B11]."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from companion.engine.errors import NotNow
from companion.engine.kit.roster import Unit
from companion.engine.record.game import Game
from companion.systems.panzer_keil.base import (
    GERMAN,
    SOVIET,
    disrupted,
    factor,
    is_ally,
    out_of_supply,
)
from companion.systems.panzer_keil.ground import MAJOR, RIVER, SEA, barrier, surrounded, terrain
from companion.systems.panzer_keil.odds import Attack, half_up


@dataclass
class Fight:
    """One combat as far as the record tells."""

    attack: Attack = field(default_factory=Attack)
    crossers: list[str] = field(default_factory=list)
    """Attackers over a major river, not at a railroad crossing."""
    defence: int | None = None
    weak: int | None = None
    ground: str = ""
    armour: str = ""
    enemy_armour: bool = False
    grenadiers: bool = False
    roll: str = ""
    concentric: bool = False
    defenders: list[str] = field(default_factory=list)
    values: dict[str, int] = field(default_factory=dict)
    """Each unit's own modified strength, for an exchange."""
    no_attack: list[str] = field(default_factory=list)
    """Attackers whose strength is not on record."""
    no_defence: list[str] = field(default_factory=list)
    """Defenders whose strength is not on record."""


def armoured(unit: Unit) -> bool:
    """Soviet mechanized infantry gains the armour effect too [9.4.5]."""
    return unit.kind == "armour" or (unit.side == SOVIET and unit.kind == "mechanized infantry")


def grenadier(unit: Unit) -> bool:
    """German mechanized infantry [B11.3]."""
    return unit.side == GERMAN and unit.kind == "mechanized infantry" and not is_ally(unit)


def roll_column(units: Iterable[Unit]) -> str:
    """Soviets and allies alone roll in the Soviet column; one German lets all use the German one [9.5.2, B11.1]."""
    return GERMAN if any(u.side == GERMAN and not is_ally(u) for u in units) else SOVIET


def check_attackers(game: Game, units: Sequence[Unit], target: str) -> None:
    """Undisrupted, once a phase, not over water; the form offers only units beside the target [9.1.2, 9.1.6, 9.1.7]."""
    for unit in units:
        name = unit.name or unit.id
        if disrupted(game, unit.id):
            raise NotNow(
                f"{name} is disrupted and cannot attack", field="attackers", given=unit.id, rule="9.1.7"
            )
        if game.mark(unit.id, "attacked"):
            raise NotNow(f"{name} has attacked in this phase", field="attackers", given=unit.id, rule="9.1.6")
        if target and barrier(game, unit.place, target) == SEA:
            raise NotNow(
                f"{name} would attack over sea or lake", field="attackers", given=unit.id, rule="9.1.7"
            )


def read_fight(game: Game, names: Sequence[str], target: str) -> Fight:
    """Everything about a combat that positions, counters and the map book tell."""
    found = Fight()
    attackers = [game.units[n] for n in names]
    if attackers:
        check_attackers(game, attackers, target)
        _attack(game, found, attackers, target)
        found.roll = roll_column(attackers)
        side = attackers[0].side
        if target:
            _defence(game, found, game.other(side), target)
            found.concentric = side == GERMAN and surrounded(game, target)
        found.grenadiers = any(grenadier(u) for u in (*attackers, *(game.units[d] for d in found.defenders)))
    elif target:
        _defence(game, found, game.other(game.active), target)
        found.grenadiers = any(grenadier(game.units[d]) for d in found.defenders)
    return found


def _attack(game: Game, found: Fight, attackers: Sequence[Unit], target: str) -> None:
    """Strengths summed hex by hex under what hinders them, once at most [9.2.1-9.2.4]; armour left free [9.4.4]."""
    groups: dict[str, dict[str, int]] = {name: {} for name in ("full", "river", "major", "marsh", "oos")}
    free = False
    for unit in attackers:
        group = "full"
        if target:
            between = barrier(game, unit.place, target)
            if between == MAJOR:
                group = "major"
                found.crossers.append(unit.id)
            elif between == RIVER:
                group = "river"
            elif terrain(game, unit.place) == "marsh":
                group = "marsh"
        free = free or (group == "full" and armoured(unit))
        # Supply matters only where the ground does not [9.2.4].
        if group == "full" and out_of_supply(game, unit.id):
            group = "oos"
        strength = factor(game, unit, "AF")
        if strength is None:
            found.no_attack.append(unit.name or unit.id)
            continue
        groups[group][unit.place] = groups[group].get(unit.place, 0) + strength
        found.values[unit.id] = strength if group == "full" else strength // 2
    found.attack = Attack(**{name: tuple(sums.values()) for name, sums in groups.items()})
    has = any(armoured(u) for u in attackers)
    found.armour = "free" if free else "hindered" if has else "none"


def _defence(game: Game, found: Fight, side: str, target: str) -> None:
    """Everybody in the hex defends, each disrupted unit halved, its stack-mates not [5.3.2, 9.1.2, 9.2.5]."""
    stack = [u for u in game.units_at(target) if u.side == side]
    found.defenders = [u.id for u in stack]
    found.enemy_armour = any(armoured(u) for u in stack)
    word = terrain(game, target)
    found.ground = "" if not word else "clear" if word == "clear" else "other"
    if not stack:
        return
    strong = weak = 0
    for unit in stack:
        strength = factor(game, unit, "DF")
        if strength is None:
            found.no_defence.append(unit.name or unit.id)
        elif disrupted(game, unit.id):
            weak += strength
            found.values[unit.id] = half_up(strength)
        else:
            strong += strength
            found.values[unit.id] = strength
    if not found.no_defence:
        found.defence, found.weak = strong, weak
