"""Field and improved fortifications: dug, entered, left empty [7.1, 7.2]."""

from __future__ import annotations

from typing import Annotated

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Context
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import on_map
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.wb95.base import (
    AIR,
    ATTACK,
    BARRAGE,
    MOVE,
    STRATEGIC,
    SUPPLY,
    active_units,
    at_hexes,
    is_regular,
    occupants,
    rules,
    units_to_tap,
)
from companion.systems.wb95.needed import NeededHex
from companion.systems.wb95.terrain import printed


def _diggers(ctx: Context) -> list[Unit]:
    return [u for u in active_units(ctx) if is_regular(u)]


def _unsheltered(ctx: Context) -> list[Unit]:
    """Those without a fortification that are not set aside to move later."""
    mark = ctx.game.mark
    return [u for u in _diggers(ctx) if not mark(u.place, "fort") and not mark(u.id, "strategic")]


def _dug(ctx: Context) -> list[str]:
    """The hexes that are meant: those named, and those of the units."""
    units = [ctx.game.units[u].place for u in ctx.values.get("units") or ()]
    return list(dict.fromkeys([*units, *(ctx.values.get("hexes") or ())]))


def _against_digging(ctx: Context) -> list[str]:
    """Who may not dig, and where nobody does [7.1.2, 7.1.3, 7.1.8, 7.1.9, 12.1.2]."""
    game, hexes = ctx.game, _dug(ctx)
    named, found = ctx.values.get("units") or (), []
    for hex_id in hexes:
        there = [u for u in at_hexes(game, game.active, [hex_id]) if is_regular(u)]
        diggers = [u for u in there if u.id in named] or there
        if diggers and all(game.mark(u.id, "retreated") for u in diggers):
            found.append(f"{hex_id} fell back: it digs only if it cannot leave an enemy zone (7.1.2, 7.1.3)")
        if diggers and all(game.mark(u.id, "strategic") for u in diggers):
            found.append(f"{hex_id} is set aside for strategic movement (12.1.2)")
        if "swamp" in printed(game, hex_id):
            found.append(f"{hex_id} is swamp (7.1.8)")
        if game.mark(hex_id, "fort") == "fp":
            found.append(f"{hex_id} has a fixed position (7.1.9)")
        if on_map(game, game.active) and not there:
            found.append(f"no regular unit of yours is on record in {hex_id} (7.1.2)")
    return found


@rules.action(phase=MOVE, by="active", rule="7.1.2", label="Dig in", order=20, warns=_against_digging)
def dig_in(
    game: Game,
    units: Annotated[tuple[str, ...], units_to_tap("Units that stay and dig", _diggers, _unsheltered)] = (),
    hexes: Annotated[
        tuple[str, ...],
        NeededHex(label="Hexes where somebody digs", many=True, needed=lambda c: not _unsheltered(c)),
    ] = (),
) -> Events:
    """Build field fortifications for all the movement of units that do not move."""
    if not units and not hexes:
        raise Unreadable("say who digs: units, or hexes", field="hexes", accepted="2408")
    for hex_id in dict.fromkeys([*(game.units[u].place for u in units), *hexes]):
        if not game.mark(hex_id, "fort"):
            yield e.Marked(hex_id, "fort", "ff", reason="dug in", rule="7.1.4")


@rules.watch
def taken_forts(game: Game) -> Events:
    """A fortification belongs to the side that stands in it, and is gone when the enemy enters [7.1.6]."""
    held = occupants(game)
    if not held:
        return
    owners = game.marked("fort-of")
    for hex_id, kind in game.marked("fort").items():
        side, owner = held.get(hex_id), owners.get(hex_id)
        if side and not owner:
            yield e.Marked(hex_id, "fort-of", side)
        elif side and owner != side and kind != "fp":
            yield e.Marked(hex_id, "fort", None, reason="entered by the enemy", rule="7.1.6")
            yield e.Marked(hex_id, "fort-of", None)


def _abandoned(game: Game) -> Events:
    """Field fortifications without a unit go at the end of a phase; improved ones stay [7.1.5, 7.2.1]."""
    held = occupants(game)
    for hex_id, kind in list(game.marked("fort").items()):
        # Works that nobody on record ever stood in are the board's business.
        if kind == "ff" and hex_id not in held and game.mark(hex_id, "fort-of"):
            yield e.Marked(hex_id, "fort", None, reason="nobody is there", rule="7.1.5")
            yield e.Marked(hex_id, "fort-of", None)


for _phase in (*AIR, *BARRAGE, *MOVE, *ATTACK, *STRATEGIC, *SUPPLY):
    rules.leaving(_phase)(_abandoned)
