"""Full support by position [9.31-9.35]: which HQ reaches whom, three divisions to a PanzerKorps."""

from __future__ import annotations

from collections.abc import Iterable

from companion.engine.kit.roster import Unit
from companion.engine.positions.pieces import on_map
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import lines
from companion.systems.kharkov_battles.base import AXIS, K, L, scenario
from companion.systems.kharkov_battles.units import (
    is_german_regiment,
    is_hq,
    is_silhouette,
    nation,
    printed_number,
)

MOST_DIVISIONS = 3
"""What a PanzerKorps serves [9.32]."""


def working_hqs(game: Game) -> list[Unit]:
    """Supported HQs that a road links to a source; without a map the road is believed."""
    found = []
    for hq in on_map(game, AXIS):
        supported = game.mark(hq.id, "supported") or scenario(game) == L  # all of them there [20.3]
        if is_hq(hq) and supported and lines.hq_on_road(game, hq) is not False:
            found.append(hq)
    return found


def korps(hq: Unit) -> str:
    """The Korps number in a name: 'XVII. AK' -> 'XVII', '48th PzK' -> '48'."""
    first = hq.name.replace(".", " ").split()
    text = first[0].lower() if first else ""
    return text.removesuffix("th").removesuffix("nd").removesuffix("rd").removesuffix("st").upper()


def is_xvii(game: Game, hq: Unit) -> bool:
    """In Second Kharkov it is ArmeeKorps and PanzerKorps in one [20.2]."""
    return scenario(game) == K and korps(hq) == "XVII"


def serves_panzer(game: Game, hq: Unit) -> bool:
    """PanzerKorps, and XVII. AK in Second Kharkov."""
    return hq.kind == "hq panzerkorps" or is_xvii(game, hq)


def division(unit: Unit) -> str:
    return unit.formation or unit.name


def may_serve(game: Game, hq: Unit, unit: Unit) -> bool:
    """Whether an HQ is of the right kind for a unit, range aside [9.32-9.35, 15.31]."""
    if "begleit" in unit.name.lower():
        return True  # [9.34]
    if is_german_regiment(game, unit) or unit.kind == "tiger company":
        if is_xvii(game, hq):
            return printed_number(division(unit)) in (3, 23)  # [20.2]
        return serves_panzer(game, hq)
    if hq.kind == "hq panzerkorps":
        return False
    return nation(game, unit) == "german" or game["satellite-support"] == "korps"  # [9.33]


def in_range(game: Game, hq: Unit, units: Iterable[Unit]) -> list[Unit]:
    """The units that trace to an HQ within its Command Range [2.8, 9.31]."""
    if not hq.factors.get("CR"):
        return []
    reach = lines.reach_of(game, hq)
    return [
        u for u in units if u.place in reach.grid.index and (u.place == hq.place or reach.supplied(u.place))
    ]


def choose(wishes: dict[str, dict[str, set[str]]], most: int = MOST_DIVISIONS) -> set[str]:
    """The regiments served when every HQ takes at most three divisions.

    `wishes`: HQ -> division -> regiments in its range. Each division gets a place at one HQ if there is any way to
    seat them all; places left over go to regiments that only another HQ reaches.
    """
    seats: dict[str, list[str]] = {hq: [] for hq in wishes}

    def seat(division: str, tried: set[str]) -> bool:
        able = [hq for hq in wishes if division in wishes[hq] and hq not in tried]
        for hq in sorted(able, key=lambda h: -len(wishes[h][division])):
            tried.add(hq)
            if len(seats[hq]) < most:
                seats[hq].append(division)
                return True
            for other in list(seats[hq]):
                seats[hq].remove(other)
                if seat(other, tried):
                    seats[hq].append(division)
                    return True
                seats[hq].append(other)
        return False

    size = {d: max(len(w[d]) for w in wishes.values() if d in w) for w in wishes.values() for d in w}
    for division in sorted(size, key=lambda d: (-size[d], d)):
        seat(division, set())
    served = {r for hq, taken in seats.items() for d in taken for r in wishes[hq][d]}
    for hq, by_division in wishes.items():
        for division, regiments in sorted(by_division.items()):
            if len(seats[hq]) < most and division not in seats[hq] and regiments - served:
                seats[hq].append(division)
                served |= regiments
    return served


def fully_supported_regiments(game: Game) -> set[str]:
    """German mechanized regiments with full support by the positions on record."""
    regiments = [u for u in on_map(game, AXIS) if is_german_regiment(game, u)]
    wishes: dict[str, dict[str, set[str]]] = {}
    extra: set[str] = set()
    for hq in working_hqs(game):
        for unit in in_range(game, hq, [u for u in regiments if may_serve(game, hq, u)]):
            if "begleit" in unit.name.lower():
                extra.add(unit.id)
            else:
                wishes.setdefault(hq.id, {}).setdefault(division(unit), set()).add(unit.id)
    return choose(wishes) | extra


def supported_now(game: Game, unit: Unit) -> bool | None:
    """Full support at the start of the combat phase for everything that is no mechanized regiment.

    None when the record cannot tell.
    """
    if game.mark(unit.id, "full-support"):
        return True
    hqs = [u for u in on_map(game, AXIS) if is_hq(u)]
    if is_german_regiment(game, unit):
        return not game.mark(unit.id, "ls")
    if is_silhouette(game, unit):
        partners = [u for u in game.units_at(unit.place) if is_german_regiment(game, u)]
        if partners:
            return all(not game.mark(u.id, "ls") for u in partners)  # [9.35, 15.31]
    if not hqs or (nation(game, unit) != "german" and game["satellite-support"] == "ask"):
        return None
    able = [hq for hq in working_hqs(game) if may_serve(game, hq, unit)]
    if any(in_range(game, hq, [unit]) for hq in able):
        return True
    return None if any(not hq.factors.get("CR") for hq in able) else False  # a range nobody entered
