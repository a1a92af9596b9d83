"""Units coming and going: reinforcements by edge, moves on the map, exits [8.6, 8.8, B14.3-B14.4]."""

from __future__ import annotations

from typing import Annotated

from companion.engine import events as e
from companion.engine.actions import Events
from companion.engine.common import movable, places
from companion.engine.errors import NotNow, Unreadable
from companion.engine.fields import Choice, Flag, HexId, Text, UnitRef
from companion.engine.game import Game
from companion.engine.moves import move, put_mark
from companion.engine.roster import Unit
from companion.systems.panzer_keil import states
from companion.systems.panzer_keil.aftermath import pass_through
from companion.systems.panzer_keil.base import (
    EXIT,
    EXIT_WEST,
    SOVIET,
    disrupted,
    out_of_supply,
    phases,
    rules,
)
from companion.systems.panzer_keil.condition import grace_until, own_on_map, waiting
from companion.systems.panzer_keil.ground import board
from companion.systems.panzer_keil.stalingrad import strays


@rules.action(
    phase=phases("move"), by="active", rule="8.6, B14.3, B14.4", label="Bring in reinforcements", order=10
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
    side = game.active
    if any(u.side != side for u in game.units_at(hex)):
        raise NotNow(f"an enemy stands in {hex} [8.6.3]", field="hex", given=hex)
    for unit in units:
        edge = game.units[unit].entry.removesuffix(" (rail)")
        wanted = entry_hexes(game, edge)
        if wanted and hex not in wanted and not delayed:
            raise Unreadable(
                f"{game.units[unit].name} enters at {edge}: {', '.join(wanted)} [B14]", field="hex", given=hex
            )
        yield move(game, unit, hex, reason=f"enters at {edge}" if edge else "enters", rule="8.6")
        yield e.Marked(unit, "entered", True, rule="8.6")
        if side == SOVIET:
            yield put_mark(game, unit, "grace", grace_until(game), rule="B14.3")
    yield from pass_through(game, side, [hex])


def entry_hexes(game: Game, edge: str) -> list[str]:
    """The hexes of an entry edge as the owner copied them into his map book; W is WN and WS [B14.4]."""
    book = board(game).book
    names = ("WN", "WS") if edge == "W" else (edge,)
    return [h for name in names for h in book.named("edge", name)]


def _faults(game: Game, unit: Unit, hex_id: str) -> list[tuple[str, str]]:
    """What speaks against a move in the own movement phase, as advice."""
    found = []
    marching = game.phase in (f"{unit.side}-move", "german-mech") and unit.side == game.active
    if marching and unit.on_map and disrupted(game, unit.id):
        found.append((f"{unit.name} is disrupted and should not move", "8.5.1"))
    if any(u.side != unit.side for u in game.units_at(hex_id)):
        found.append((f"an enemy stands in {hex_id}", "8"))
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
        for text, rule in _faults(game, held, hex):
            yield e.Noted(text, rule=rule)
    else:
        yield from states.strip(game, unit, keep=("don",))
    yield move(game, unit, hex or box, reason=reason)
    if hex:
        yield from pass_through(game, held.side, [*via, hex])
        if strays(game, game.units[unit]):
            yield e.Noted(f"{held.name} is more than five hexes from Stalingrad", rule="B13.2.2")


@rules.action(
    phase=(*phases("move"), "german-mech"), by="active", rule="8.8, B15.1", label="Leave the map", order=40
)
def exit_map(
    game: Game,
    units: Annotated[tuple[str, ...], UnitRef(label="Units", many=True, pick=own_on_map)],
    west: Annotated[bool, Flag(label="Over the western edge")] = False,
) -> Events:
    """Take units off the map for good; a supplied Soviet unit over the western edge scores 2."""
    for unit in units:
        if disrupted(game, unit):
            raise NotNow(
                f"{game.units[unit].name} is disrupted and cannot move [8.5.1]", field="units", given=unit
            )
        scores = game.active == SOVIET and west and not out_of_supply(game, unit)
        yield from states.strip(game, unit)
        yield move(game, unit, EXIT_WEST if scores else EXIT, reason="left the map", rule="8.8")
        if scores:
            yield e.Set("exits", int(game["exits"]) + 1, was=game["exits"], rule="B15.1")
