"""Entry hexes of reinforcements: what the rules have against one, what nobody can check, what it costs [10.1]."""

from __future__ import annotations

from dataclasses import replace

from companion.engine.hexes.board import zone_indices
from companion.engine.hexes.trace import Trace
from companion.engine.kit.roster import Unit
from companion.engine.positions.situation import situation
from companion.engine.record.game import Game
from companion.systems.second_kharkov import ground, supply
from companion.systems.second_kharkov.air import interdicted
from companion.systems.second_kharkov.armies import any_restricted
from companion.systems.second_kharkov.base import GERMAN, SOUTH, SOVIET, WEST, area
from companion.systems.second_kharkov.judging import at_start, policy
from companion.systems.second_kharkov.route import Mover, Step, bar, price
from companion.systems.second_kharkov.stacking import overstacked
from companion.systems.second_kharkov.units import ARMIES, SIXTH, is_172_75, mechanised

HELD_BACK = "box:delayed"
PANZER_ARMY = ARMIES[0]
SOVIETS = 8  # [3.2]
LAST_SOVIETS = (6, 2)
"""The turn of the last Soviet arrivals, and how many they are [10.1]."""


def doubts(game: Game, unit: Unit, hex_id: str) -> list[str]:
    """What the rules have against this entry hex [3.2, 7.1, 7.3, 10.1]; players decide."""
    there = game.units_at(hex_id)
    found = [*_wrong_hex(game, unit, hex_id), *_too_many(game, unit)]
    if any(u.side != unit.side for u in there):
        found.append("enemy units are there (7.1)")
    if stop := bar([_first_step(game, unit, hex_id)], 0, Mover(unit.side, mechanised(unit), None)):
        found.append(str(stop))
    crowd = overstacked(unit.side, [*(u for u in there if u.side == unit.side), unit])
    return [*found, *([str(crowd)] if crowd else [])]


def _wrong_hex(game: Game, unit: Unit, hex_id: str) -> list[str]:
    """Edge sources that work, and for Soviets home towns, too [10.1]."""
    sources = _lines(game, unit.side)
    works = hex_id in sources.grid.ids and sources.grid.index[hex_id] in sources.starts
    if is_172_75(unit):
        edge = situation(game).board.book.named("edge", "172/75")
        if hex_id not in edge:
            return ["172/75 enters by 1402 to 2402 only"]
    elif works:
        return _wrong_edge(game, unit, hex_id)
    if works:
        return []
    return (
        _wrong_town(game, sources, hex_id) if unit.side == SOVIET else ["it is no working German edge source"]
    )


def _too_many(game: Game, unit: Unit) -> list[str]:
    """Eight Soviet units arrive in all [3.2], two of them on turn 6 [10.1]."""
    if unit.side != SOVIET or unit.place == HELD_BACK:
        return []
    came = [u for u in game.units.values() if u.side == SOVIET and u.turn and u.place and u.id != unit.id]
    most = SOVIETS if game.turn >= LAST_SOVIETS[0] else SOVIETS - LAST_SOVIETS[1]
    by_then = "" if most == SOVIETS else f" before turn {LAST_SOVIETS[0]}"
    return [f"no more than {most} Soviet units arrive{by_then} (3.2)"] if len(came) >= most else []


def unchecked(game: Game, unit: Unit, hex_id: str) -> list[str]:
    """What the map book does not tell, so that the companion says nothing about it."""
    found = []
    if unit.side == SOVIET and hex_id in situation(game).board.places["town"] and not area(game, WEST):
        found.append("whether the town was Soviet at the start")
    if unit.formation in (SIXTH, PANZER_ARMY) and not is_172_75(unit) and not area(game, SOUTH):
        found.append("the side of the 6th Army Boundary")
    return found


def _first_step(game: Game, unit: Unit, hex_id: str) -> Step:
    """The entry hex costs movement like any other, but no river is crossed [10.1]."""
    iz = unit.side == SOVIET and hex_id in interdicted(game)
    return Step(ground.terrain(game, hex_id) or "clear", iz=iz, hex=hex_id)


def _lines(game: Game, side: str) -> Trace:
    return supply.lines(situation(game, at_start(game)), policy(game, side))


def _wrong_edge(game: Game, unit: Unit, hex_id: str) -> list[str]:
    """6th Army comes in north of its boundary, 1st Panzer south of it [10.1], even after the release as the
    table reads it [6.4]; 17th Army anywhere."""
    south = area(game, SOUTH)
    if (
        not south
        or unit.side == SOVIET
        or (game["boundary-entry"] == "until-release" and not any_restricted(game))
    ):
        return []
    if unit.formation == SIXTH and hex_id in south:
        return ["6th Army enters north of its boundary"]
    if unit.formation == PANZER_ARMY and hex_id not in south:
        return ["1st Panzer Army enters south of the 6th Army Boundary"]
    return []


def _wrong_town(game: Game, sources: Trace, hex_id: str) -> list[str]:
    """A town Soviet from the start, held, supplied and clear of German zones [10.1]."""
    now = sources.situation
    if hex_id not in now.board.places["town"]:
        return ["it is neither a working Soviet edge source nor a town"]
    found = []
    if hex_id in at_start(game)[GERMAN]:
        found.append("the town was not Soviet at the start")
    if now.controls(GERMAN, hex_id):
        found.append("the town is German now")
    zone = zone_indices(now.board, now.enemies(SOVIET), sources.policy.zone)
    if now.board.grid.index[hex_id] in zone:
        found.append("a German zone reaches the town")
    if not sources.supplied(hex_id):
        found.append("the town is out of supply")
    return found


def entry_cost(game: Game, unit: Unit, hex_id: str) -> int:
    """What the entry hex takes of the movement factor [10.1]; ground that is closed to it counts as clear."""
    step, mover = _first_step(game, unit, hex_id), Mover(unit.side, mechanised(unit), None)
    return price(replace(step, terrain="clear") if bar([step], 0, mover) else step, mover)
