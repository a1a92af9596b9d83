"""Moves on the map, and units that leave it [8.3-8.5, 8.8, 10, B12, B13.2.2]."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Annotated

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, Flag, HexId, Text, UnitRef, Whole
from companion.engine.kit.roster import Unit
from companion.engine.people.units import movable, places
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import on_map
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING, change, move
from companion.engine.record.game import Game
from companion.systems.panzer_keil import states
from companion.systems.panzer_keil.arrivals import came_in, entry_faults
from companion.systems.panzer_keil.base import (
    EXIT,
    EXIT_WEST,
    SOME_MECHANIZED,
    SOVIET,
    Fault,
    disrupted,
    don_bound,
    mechanized,
    out_of_supply,
    phases,
    rules,
)
from companion.systems.panzer_keil.condition import (
    KIND,
    WantedUnits,
    any_on_map,
    can_mech_move,
    here_field,
    on_record,
    own_here,
    own_on_map,
    tell_types,
    units_on_record,
)
from companion.systems.panzer_keil.ground import at_the_edge, board, pass_through, supply_zones, zone
from companion.systems.panzer_keil.movement import march
from companion.systems.panzer_keil.points import soviet_now
from companion.systems.panzer_keil.stalingrad import strays


def _setting_out(game: Game, unit: Unit) -> list[Fault]:
    """What speaks against a unit's moving at all in its movement phase [8.5.1, 8.6.2, 10.1, B12.1]."""
    marching = game.phase in (f"{unit.side}-move", "german-mech") and unit.side == game.active
    if not marching or not unit.on_map:
        return []
    if disrupted(game, unit.id):
        return [Fault(f"{unit.name} is disrupted and should not move", "8.5.1")]
    if game.mark(unit.id, "entered") and unit.place in zone(game, game.other(unit.side), supply_zones(game)):
        return [Fault(f"{unit.name} came in beside an enemy and moves no further", "8.6.2")]
    if game.phase == "german-mech" and not can_mech_move(game, unit):
        return [Fault(f"{unit.name} may not make mechanized movement", "10.1, B12.1")]
    if game.phase == "german-mech" and mechanized(unit) is None:
        return [Fault(f"{unit.name}: only mechanized units move now, its type is not on record", "10.1")]
    return []


def _faults(game: Game, unit: Unit, hex_id: str) -> list[Fault]:
    """What speaks against a move to a hex, as advice."""
    found = [*_setting_out(game, unit), *strays(game, unit, hex_id)]
    if any(u.side != unit.side for u in game.units_at(hex_id)):
        found.append(Fault(f"an enemy stands in {hex_id}", "8"))
    return found


def walked(game: Game, unit: str) -> Events:
    """Who has moved on from where it came in does not ride any more [8.7.1]."""
    if game.mark(unit, "entered"):
        yield e.Marked(unit, "entered", None, reason=IN_PASSING, rule="8.7.1")


@rules.action(by="any", label="Move a unit", group="units", rule="8", when=units_on_record)
def place_unit(
    game: Game,
    unit: Annotated[str, UnitRef(label="Unit", pick=movable)],
    hex: Annotated[str, HexId(label="To hex")] = "",
    box: Annotated[str, Choice(label="or to", options=places)] = "",
    via: Annotated[
        tuple[str, ...], HexId(label="Passing", help="enemy hexes taken on the way", many=True)
    ] = (),
    reason: Annotated[str, Text(label="Why", most=200, placeholder="optional")] = "",
) -> Events:
    """Put a unit in a hex or a box; hexes it passes become its side's."""
    if not hex and not box:
        raise Unreadable("say where: a hex number, or a box", field="hex")
    held = game.units[unit]
    enters = bool(hex) and not held.place and bool(held.turn) and game.phase == f"{held.side}-move"
    if hex:
        for fault in [*_faults(game, held, hex), *(entry_faults(game, held, hex) if enters else ())]:
            yield e.Noted(fault.text, rule=fault.rule)
    else:
        yield from states.strip(game, unit, keep=("don",))
    if hex and not held.steps:  # it is not dead after all
        yield change(game, unit, {"steps": held.full}, reason=IN_PASSING)
    scored = (box == EXIT_WEST and not hex) - (held.place == EXIT_WEST)
    yield move(game, unit, hex or box, reason=reason)
    if scored:  # whoever lies in that box counts, however it came there
        yield e.Set("exits", max(0, game["exits"] + scored), was=game["exits"], rule="B15.1")
    if hex:
        yield from came_in(game, unit) if enters else walked(game, unit)
        yield from pass_through(game, held.side, [*via, hex])


TRIGGERS = {"forced": states.forced_march, "one-hex": states.one_hex}
EFFORTS = [("", "no"), ("forced", "forced march"), ("one-hex", "one hex with too few points")]


def _efforts(ctx: Context) -> list[tuple[str, str]]:
    """What may exhaust a unit that moves; no forced march in mechanized movement [10.2]."""
    return [o for o in EFFORTS if not (ctx.game.phase == "german-mech" and o[0] == "forced")]


def _movers(ctx: Context) -> list[Unit]:
    """Own units that may move now: undisrupted, in mechanized movement the able ones."""
    game = ctx.game
    able = [u for u in own_here(ctx) if not disrupted(game, u.id)]
    return [u for u in able if game.phase != "german-mech" or can_mech_move(game, u)]


def _against_moving(ctx: Context) -> list[str]:
    """What the rules have against a move, said before it is made [8.4, 8.5, 10.1, B12.1]."""
    game, way = ctx.game, ctx.values["way"]
    chosen = [game.units[u] for u in ctx.values["units"]]
    path = (chosen[0].place, *way)
    joined = all(b in game.maps.neighbours(a) for a, b in pairwise(path))
    found = march(game, game.active, path)[1] if joined else []
    effort = TRIGGERS.get(ctx.values.get("effort") or "")
    if effort is states.one_hex and (len(way) > 1 or not joined):
        found.append(Fault("with too few points a unit moves one hex", "8.5.3"))
    if effort is states.forced_march:
        found += states.against(game, ctx.values["units"], effort)
    for unit in chosen:
        told = replace(unit, kind=unit.kind or ctx.values.get("kind") or SOME_MECHANIZED)
        found += _faults(game, told, way[-1])
    return list(dict.fromkeys(map(str, found)))


@rules.action(
    phase=(*phases("move"), "german-mech"),
    by="active",
    rule="8",
    label="Move units",
    primary=True,
    order=1,
    when=any_on_map,
    warns=_against_moving,
)
def move_units(
    game: Game,
    *,
    at: Annotated[str, here_field()] = "",
    units: Annotated[tuple[str, ...], UnitRef(label="Units", many=True, pick=own_on_map, suggest=_movers)],
    way: Annotated[
        tuple[str, ...],
        HexId(label="To hex", help="or hex by hex, to have zones and water checked", many=True),
    ],
    effort: Annotated[str, Choice(label="Exhausts them", options=_efforts)] = "",
    kind: Annotated[str, KIND] = "",
) -> Events:
    """Move units of one hex together; hexes they pass become theirs."""
    side = game.active
    if len({game.units[u].place for u in units}) > 1:
        raise Unreadable("move the units of one hex at a time", field="units")
    yield from tell_types(game, units, kind, effort == "one-hex" or game.phase == "german-mech")
    for unit in units:
        if effort:
            yield from states.put(game, unit, TRIGGERS[effort])
        yield move(game, unit, way[-1], rule="8")
        yield from walked(game, unit)
    yield from pass_through(game, side, way)


def _somebody_to_leave(game: Game) -> bool | str:
    return game.active == SOVIET or any_on_map(game)


def _against_leaving(ctx: Context) -> list[str]:
    """Units leave at the edge of the map, to score at its western one; the Don Front stays [8.8, B13.2.2, B15.1]."""
    game, west = ctx.game, board(ctx.game).book.named("edge", "west")
    found: list[Fault] = []
    for unit in (game.units[u] for u in ctx.values["units"]):
        found += _setting_out(game, unit)
        if ctx.values.get("west") and unit.place not in west:
            found.append(Fault(f"{unit.name} in {unit.place} is not at the western edge", "8.8, B15.1"))
        elif not at_the_edge(game, unit.place):
            found.append(Fault(f"{unit.name} in {unit.place} is not at the edge of the map", "8.8"))
        if don_bound(game, unit) and game["stalingrad"] == "besieged":
            found.append(Fault(f"{unit.name} belongs to the Don Front and stays at Stalingrad", "B13.2.2"))
        if ctx.values.get("west") and out_of_supply(game, unit.id):
            found.append(Fault(f"{unit.name} is out of supply and scores nothing", "B15.1"))
    return list(map(str, found))


@rules.action(
    phase=(*phases("move"), "german-mech"),
    by="active",
    rule="8.8",
    label="Leave the map",
    order=40,
    when=_somebody_to_leave,
    warns=_against_leaving,
)
def exit_map(
    game: Game,
    at: Annotated[str, here_field()] = "",
    units: Annotated[
        tuple[str, ...],
        WantedUnits(label="Units", many=True, pick=own_on_map, suggest=own_here, when=on_record),
    ] = (),
    west: Annotated[
        bool,
        Flag(
            label="Over the western edge",
            help="2 points for each supplied unit [B15.1]",
            when=soviet_now,
            start=soviet_now,
        ),
    ] = False,
    count: Annotated[
        int, Whole(label="Supplied units that left", high=20, quiet=on_record, when=soviet_now)
    ] = 0,
) -> Events:
    """Take units off the map for good; a supplied Soviet unit over the western edge scores 2."""
    if not units and not count:
        named = bool(on_map(game, game.active))
        raise Unreadable(
            "choose the units" if named else "how many units left?",
            field="units" if named else "count",
            rule="8.8",
        )
    if not units and not west:
        raise Unreadable("only the western edge scores", field="west", rule="B15.1")
    for unit in units:
        scores = game.active == SOVIET and west and not out_of_supply(game, unit)
        yield from states.strip(game, unit)
        yield move(game, unit, EXIT_WEST if scores else EXIT, reason="left the map", rule="8.8")
        count += scores
    if count and west:
        yield e.Set("exits", game["exits"] + count, was=game["exits"], rule="B15.1")
