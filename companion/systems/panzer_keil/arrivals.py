"""Reinforcements: who waits, where they may come in, and what keeps them out [8.6, B14.3-B14.4]."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

from companion.engine.forms.fields import Choice, Context, HexId, UnitRef
from companion.engine.kit.roster import Unit
from companion.engine.people.units import arriving, can_arrive, due
from companion.engine.play.actions import Events
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING, move, put_mark
from companion.engine.record.game import Game
from companion.systems.panzer_keil.base import (
    SOVIET,
    Fault,
    edge_of,
    hexes_of,
    phases,
    rules,
)
from companion.systems.panzer_keil.condition import grace_until, waiting
from companion.systems.panzer_keil.ground import (
    at_the_edge,
    entry_hexes,
    nearest_free,
    pass_through,
    supply_zones,
    wrong_edge,
    zone,
)

BARRED = "barred"
"""The marker of reinforcements whose entry hexes were all enemy-held when their movement phase closed [8.6.4]."""


def _anybody_waiting(game: Game) -> bool | str:
    return bool(waiting(Context(game))) or "nobody on record is waiting to come in [8.6]"


# -- where -------------------------------------------------------------------------------------------------


def shut_out(game: Game, unit: Unit) -> bool:
    """Whether an enemy stands in every entry hex of a reinforcement; a zone alone does not close one [8.6.2, 8.6.4]."""
    wanted = entry_hexes(game, edge_of(unit))
    return bool(wanted) and set(wanted) <= hexes_of(game, game.other(unit.side))


@rules.leaving("soviet-move")
@rules.leaving("german-move")
def _delayed(game: Game) -> Events:
    """Who could not come in anywhere is delayed, and may come in beside the edge a turn later [8.6.4]."""
    for unit in waiting(Context(game)):
        if shut_out(game, unit):
            yield e.Marked(unit.id, BARRED, game.turn, reason=IN_PASSING, rule="8.6.4")


def entry_faults(game: Game, unit: Unit, hex_id: str) -> list[Fault]:
    """What speaks against a reinforcement's coming in at a hex [8.6.1, 8.6.3, 8.6.4, B14.3, B14.4]."""
    if any(u.side != unit.side for u in game.units_at(hex_id)):
        return [Fault(f"an enemy stands in {hex_id}", "8.6.3")]
    wrong = wrong_edge(game, unit, hex_id)
    if not wrong:
        known = bool(entry_hexes(game, edge_of(unit)))
        inland = not known and not at_the_edge(game, hex_id)
        return [Fault(f"{hex_id} is not at the edge of the map", "8.6.1")] if inland else []
    if not shut_out(game, unit):
        return [Fault(wrong, "B14")]
    if not game.mark(unit.id, BARRED) or game.mark(unit.id, BARRED) == game.turn:
        words = (
            f"every entry hex of {unit.name} is enemy-held: it comes in next turn, in the nearest free hex"
        )
        return [Fault(words, "8.6.4")]
    near = nearest_free(game, entry_hexes(game, edge_of(unit)), unit.side)
    return (
        [] if hex_id in near else [Fault(f"{unit.name} comes in at the nearest free hex: {near[0]}", "8.6.4")]
    )


def _against(game: Game, units: Iterable[str], hex_id: str) -> list[str]:
    found = [fault for unit in units for fault in entry_faults(game, game.units[unit], hex_id)]
    return list(dict.fromkeys(map(str, found)))


def _enter(game: Game, side: str, units: Sequence[str], hex_id: str) -> Events:
    for unit in units:
        edge = edge_of(game.units[unit])
        yield move(game, unit, hex_id, reason=f"enters at {edge}" if edge else "enters", rule="8.6")
        yield from came_in(game, unit)
    yield from pass_through(game, side, [hex_id])
    yield from note_zone(game, side, hex_id)


def came_in(game: Game, unit: str) -> Events:
    """What a reinforcement carries from its entry: that it came this turn, and its automatic supply [8.7.1, B14.3]."""
    yield e.Marked(unit, "entered", True, reason=IN_PASSING, rule="8.6")
    if game.mark(unit, BARRED):
        yield e.Marked(unit, BARRED, None, reason=IN_PASSING, rule="8.6.4")
    if game.units[unit].side == SOVIET:
        yield put_mark(game, unit, "grace", grace_until(game), rule="B14.3")


def note_zone(game: Game, side: str, hex_id: str) -> Events:
    """Whoever comes in beside an enemy stays there [8.6.2]."""
    if hex_id in zone(game, game.other(side), supply_zones(game)):
        yield e.Noted(f"{hex_id} is in an enemy zone: who came in there moves no further", rule="8.6.2")


# -- coming in ---------------------------------------------------------------------------------------------


@rules.action(
    phase=phases("move"),
    by="active",
    rule="8.6",
    label="Bring in reinforcements",
    order=10,
    when=_anybody_waiting,
    warns=lambda c: _against(c.game, c.values["units"], c.values["hex"]),
)
def enter_units(
    game: Game,
    units: Annotated[tuple[str, ...], UnitRef(label="Units", many=True, pick=waiting)],
    hex: Annotated[str, HexId(label="Entry hex")],
) -> Events:
    """Put reinforcements on an entry hex of their edge; they may come in any later turn too."""
    yield from _enter(game, game.active, units, hex)


def _newcomers(ctx: Context) -> list[str]:
    """The units of the chosen arrival that are on record and wait to be put in a hex."""
    units = ctx.game.units
    found = dict(due(ctx.game)).get(str(ctx.values.get("arrival") or ""))
    return [u for u in found.units if u in units and not units[u].place] if found else []


@rules.action(
    by="any",
    label="Reinforcements are in",
    group="arrive",
    rule="8.6",
    when=can_arrive,
    warns=lambda c: _against(c.game, _newcomers(c), c.values["hex"]) if c.values.get("hex") else [],
)
def arrive(
    game: Game,
    arrival: Annotated[str, Choice(label="Which", options=arriving)],
    hex: Annotated[
        str,
        HexId(
            label="Entry hex",
            help="for all of them; empty: only tick them off",
            when=lambda c: bool(_newcomers(c)),
        ),
    ] = "",
) -> Events:
    """A whole formation has entered the map, or is dealt with otherwise."""
    item = dict(due(game))[arrival]
    if hex:
        units = _newcomers(Context(game, values={"arrival": arrival}))
        yield from _enter(game, item.side, units, hex)
    yield e.Ticked(f"arrival/{arrival}", True, item.text)


@rules.warns_of("next-phase")
def not_in_yet(ctx: Context) -> Iterable[Fault]:
    """What the turn brings comes in with the movement, or waits knowingly [8.6.1]; said in its own turn only."""
    game = ctx.game
    if game.phase in phases("move"):
        for _, arrival in due(game):
            here = [game.units[u] for u in arrival.units if u in game.units]
            if (arrival.side, arrival.turn) != (game.active, game.turn):
                continue
            if not here or not all(u.place for u in here):
                yield Fault(f"{arrival.text}: not in yet, and due from now on", "8.6.1")
