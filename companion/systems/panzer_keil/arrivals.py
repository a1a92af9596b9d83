"""Units coming and going: reinforcements by edge, moves on the map, exits [8.6, 8.8, B14.3-B14.4]."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from typing import Annotated

from companion.engine.errors import NotNow, Unreadable
from companion.engine.forms.fields import Choice, Context, Flag, HexId, Text, UnitRef, Whole
from companion.engine.kit.roster import Unit
from companion.engine.people.units import arriving, can_arrive, due, movable, places
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import on_map
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING, change, move, put_mark
from companion.engine.record.game import Game
from companion.systems.panzer_keil import states
from companion.systems.panzer_keil.base import (
    EXIT,
    EXIT_WEST,
    SOME_MECHANIZED,
    SOVIET,
    Fault,
    disrupted,
    edge_of,
    mechanized,
    out_of_supply,
    phases,
    rules,
)
from companion.systems.panzer_keil.condition import (
    KIND,
    any_on_map,
    can_mech_move,
    grace_until,
    here_field,
    on_record,
    own_here,
    own_on_map,
    tell_types,
    waiting,
)
from companion.systems.panzer_keil.ground import pass_through, supply_zones, wrong_edge, zone
from companion.systems.panzer_keil.movement import march
from companion.systems.panzer_keil.points import soviet_now
from companion.systems.panzer_keil.stalingrad import note_stray


def _anybody_waiting(game: Game) -> bool | str:
    return bool(waiting(Context(game))) or "nobody on record is waiting to come in [8.6]"


@rules.action(
    phase=phases("move"),
    by="active",
    rule="8.6",
    label="Bring in reinforcements",
    order=10,
    when=_anybody_waiting,
)
def enter_units(
    game: Game,
    units: Annotated[tuple[str, ...], UnitRef(label="Units", many=True, pick=waiting)],
    hex: Annotated[str, HexId(label="Entry hex")],
    delayed: Annotated[
        bool, Flag(label="Beside their edge", help="every entry hex was enemy-held last turn [8.6.4]")
    ] = False,
) -> Events:
    """Put reinforcements on an entry hex of their edge; they may come in any later turn too."""
    yield from _enter(game, game.active, units, hex, delayed)


def _enter(game: Game, side: str, units: Iterable[str], hex_id: str, delayed: bool = False) -> Events:
    if any(u.side != side for u in game.units_at(hex_id)):
        raise NotNow(f"an enemy stands in {hex_id}", field="hex", given=hex_id, rule="8.6.3")
    for unit in units:
        edge = edge_of(game.units[unit])
        wrong = "" if delayed else wrong_edge(game, game.units[unit], hex_id)
        if wrong:
            raise Unreadable(wrong, field="hex", given=hex_id, rule="B14")
        yield move(game, unit, hex_id, reason=f"enters at {edge}" if edge else "enters", rule="8.6")
        yield e.Marked(unit, "entered", True, reason=IN_PASSING, rule="8.6")
        if side == SOVIET:
            yield put_mark(game, unit, "grace", grace_until(game), rule="B14.3")
    yield from pass_through(game, side, [hex_id])
    if hex_id in zone(game, game.other(side), supply_zones(game)):
        yield e.Noted(f"{hex_id} is in an enemy zone: who came in there moves no further", rule="8.6.2")


def _names_units(ctx: Context) -> bool:
    """Whether units of the arrival are on record and can be put in a hex."""
    game = ctx.game
    found = dict(due(game)).get(str(ctx.values.get("arrival") or ""))
    return found is not None and any(u in game.units and not game.units[u].place for u in found.units)


@rules.action(
    by="any",
    label="Reinforcements are in",
    group="arrive",
    rule="8.6",
    when=can_arrive,
)
def arrive(
    game: Game,
    arrival: Annotated[str, Choice(label="Which", options=arriving)],
    hex: Annotated[
        str, HexId(label="Entry hex", help="for all of them; empty: only tick them off", when=_names_units)
    ] = "",
    delayed: Annotated[
        bool,
        Flag(label="Beside their edge", help="every entry hex was enemy-held last turn", when=_names_units),
    ] = False,
) -> Events:
    """A whole formation has entered the map, or is dealt with otherwise."""
    item = dict(due(game))[arrival]
    if hex:
        units = [u for u in item.units if u in game.units and not game.units[u].place]
        yield from _enter(game, item.side, units, hex, delayed)
    yield e.Ticked(f"arrival/{arrival}", True, item.text)


def _faults(game: Game, unit: Unit, hex_id: str) -> list[Fault]:
    """What speaks against a move in the own movement phase, as advice [8.5.1, 10.1, B12.1]."""
    found = []
    marching = game.phase in (f"{unit.side}-move", "german-mech") and unit.side == game.active
    if marching and unit.on_map and disrupted(game, unit.id):
        found.append(Fault(f"{unit.name} is disrupted and should not move", "8.5.1"))
    elif marching and game.phase == "german-mech" and unit.on_map and not can_mech_move(game, unit):
        found.append(Fault(f"{unit.name} may not make mechanized movement", "10.1, B12.1"))
    elif marching and game.phase == "german-mech" and unit.on_map and mechanized(unit) is None:
        found.append(Fault(f"{unit.name}: only mechanized units move now, its type is not on record", "10.1"))
    if any(u.side != unit.side for u in game.units_at(hex_id)):
        found.append(Fault(f"an enemy stands in {hex_id}", "8"))
    return found


@rules.action(by="any", label="Move a unit", group="units", rule="8")
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
    if hex:
        for fault in _faults(game, held, hex):
            yield e.Noted(fault.text, rule=fault.rule)
    else:
        yield from states.strip(game, unit, keep=("don",))
    if hex and not held.steps:  # it is not dead after all
        yield change(game, unit, {"steps": held.full}, reason=IN_PASSING)
    yield move(game, unit, hex or box, reason=reason)
    if hex:
        yield from pass_through(game, held.side, [*via, hex])
        yield from note_stray(game, game.units[unit])


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
            yield from states.put(game, unit, states.forced_march if effort == "forced" else states.one_hex)
        yield move(game, unit, way[-1], rule="8")
        yield from note_stray(game, game.units[unit])
    yield from pass_through(game, side, way)


def _somebody_to_leave(game: Game) -> bool | str:
    return game.active == SOVIET or any_on_map(game)


@rules.action(
    phase=(*phases("move"), "german-mech"),
    by="active",
    rule="8.8",
    label="Leave the map",
    order=40,
    when=_somebody_to_leave,
    warns=lambda c: [
        f"{c.game.units[u].name} is disrupted and cannot move [8.5.1]"
        for u in c.values["units"]
        if disrupted(c.game, u)
    ],
)
def exit_map(
    game: Game,
    at: Annotated[str, here_field()] = "",
    units: Annotated[
        tuple[str, ...],
        UnitRef(label="Units", many=True, pick=own_on_map, suggest=own_here, when=on_record),
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
    for unit in units:
        scores = game.active == SOVIET and west and not out_of_supply(game, unit)
        yield from states.strip(game, unit)
        yield move(game, unit, EXIT_WEST if scores else EXIT, reason="left the map", rule="8.8")
        count += scores
    if count and west:
        yield e.Set("exits", game["exits"] + count, was=game["exits"], rule="B15.1")
