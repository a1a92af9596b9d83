"""Supply lines and lines to headquarters [8.1, 9.31]: what they may cross, and who reaches a source."""

from __future__ import annotations

from companion.engine.hexes.trace import (
    Ban,
    Policy,
    Situation,
    Stage,
    SupplyLine,
    Trace,
    ZoneRule,
    chain,
    trace,
)
from companion.engine.kit.roster import Unit
from companion.engine.once import once
from companion.engine.positions.situation import board, grid
from companion.engine.positions.situation import situation as plain_situation
from companion.engine.record.game import Game
from companion.systems.kharkov_battles.base import AXIS, SOVIET, L, fall_blau, rules, scenario
from companion.systems.kharkov_battles.ground import BRIDGES, out_of_play, pontoons, stacks, zones
from companion.systems.kharkov_battles.units import has_zoc

ZONE = ZoneRule(frozenset({"impassable", "dnepr"}), frozenset({"pontoon"}), none_from_cities=True)
"""How the map page draws zones [7.14, 7.15]; lines use the fuller `ground.zones`."""
_IMPASSABLE = Ban(frozenset({"impassable"}), "impassable hexside [8.11]")


def _policy(game: Game, side: str, limit: int | None = None, along: frozenset[str] = frozenset()) -> Policy:
    """What a line may cross: rivers by a bridge, a Major River also first of all; no enemy zone [8.11]."""
    laid = pontoons(game)

    def unbridged(situation: Situation, a: str, b: str) -> bool:
        return frozenset({a, b}) not in laid  # a pontoon carries supply over either river [18.21]

    dnepr = Ban(
        frozenset({"dnepr"}),
        "Dnepr without a bridge [8.11]",
        unless=BRIDGES,
        when=unbridged if laid else None,
    )
    major = Ban(
        frozenset({"major river"}),
        "Major River without a bridge [8.11]",
        unless=BRIDGES,
        when=unbridged if laid else None,
        beside_unit=True,
    )
    closed = closed_hexes(game, side)
    return Policy(
        side=side,
        zone=ZONE,
        ezoc="open",  # zones are among the closed hexes: rivers and pontoons are beyond the engine's zone rule
        bans=(major, dnepr, _IMPASSABLE),
        blocks=lambda situation: closed,
        limit=limit,
        along=along,
        source_in_ezoc=True,
        source_if_held=True,  # possession has no effect on tracing [2.3]
    )


def closed_hexes(game: Game, side: str) -> dict[str, str]:
    """Enemy zones close a hex unless a friend stands there [7.41, 7.42], and so do rows out of play [20.3]."""
    friends = stacks(game, side)
    enemy = game.other(side)
    found = {h: "enemy zone of control [7.41]" for h in zones(game, enemy) if h not in friends}
    if game.scenario.extra.get("rows"):
        found |= {h: "out of play [20.3]" for h in grid(game).ids if out_of_play(game, h)}
    return found


def sources(game: Game, side: str) -> list[str]:
    """The map book's sources, and what the scenario adds [8.2]."""
    book = board(game).book
    found = book.named("source", side)
    if scenario(game) == L:
        found = (
            soviet_arc(game) if side == SOVIET else [*found, *book.named("source", f"{side} third kharkov")]
        )
    return [h for h in dict.fromkeys(found) if not out_of_play(game, h)]


def soviet_arc(game: Game) -> list[str]:
    """Round the northern, eastern and southern edge of the play area from KB4820 to KB3022 [20.3]."""
    sheet = grid(game)
    found = []
    east = max(sheet.column_row(h)[0] for h in sheet.ids)
    for h in sheet.ids:
        column, row = sheet.column_row(h)
        if (
            (row == 48 and column >= 20)
            or (row == 30 and column >= 22)
            or (column == east and 30 <= row <= 48)
        ):
            found.append(h)
    return found


def situation(game: Game) -> Situation:
    return plain_situation(game, zoc=lambda unit: has_zoc(game, unit))


@once
def supply(game: Game, side: str) -> Trace | None:
    """The side's supply lines; None when they cannot be judged."""
    start = sources(game, side)
    if fall_blau(game) or not start:
        return None
    return trace(situation(game), _policy(game, side), start)


rules.supply_marker = "supply=oos"


@rules.supplies
def supplies(game: Game, side: str) -> dict[str, SupplyLine]:
    """Every unit's supply line, as far as sources and positions are known."""
    found = supply(game, side)
    return found.answers() if found else {}


def can_trace(game: Game, unit: Unit) -> bool | None:
    """Whether a unit has a supply line where it stands; None when that is not known."""
    if not unit.on_map:
        return None
    answer = supplies(game, unit.side).get(unit.id)
    return answer.supplied if answer else None


def hex_in_supply(game: Game, side: str, hex_id: str) -> bool | None:
    """Whether a line runs to a hex [20.1]; None when it cannot be judged."""
    found = supply(game, side)
    if found is None or hex_id not in found.grid.index or not game.units:
        return None
    return found.supplied(hex_id)


def hq_on_road(game: Game, hq: Unit) -> bool | None:
    """An HQ within three hexes of a road that leads to a source; None without a map [9.31]."""
    start = sources(game, AXIS)
    if not any("road" in classes for classes in board(game).links.values()) or not start or fall_blau(game):
        return None
    stages = [Stage(_policy(game, AXIS, along=frozenset({"road"}))), Stage(_policy(game, AXIS, limit=3))]
    return chain(situation(game), stages, start).supplied(hq.place)


def reach_of(game: Game, hq: Unit) -> Trace:
    """Where an HQ's full support can be traced to: lines no longer than its Command Range."""
    return trace(situation(game), _policy(game, AXIS, limit=hq.factors.get("CR", 0)), [hq.place])
