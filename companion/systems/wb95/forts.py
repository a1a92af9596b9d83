"""Field and improved fortifications: dug, entered, left empty [7.1, 7.2]."""

from __future__ import annotations

from typing import Annotated

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Context, Flag, HexId
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.wb95.base import (
    ATTACK,
    BARRAGE,
    MOVE,
    STRATEGIC,
    SUPPLY,
    active_units,
    is_regular,
    occupants,
    rules,
    units_to_tap,
)
from companion.systems.wb95.terrain import printed


def _diggers(ctx: Context) -> list[Unit]:
    return [u for u in active_units(ctx) if is_regular(u)]


def _unsheltered(ctx: Context) -> list[Unit]:
    """Those without a fortification that are not set aside to move later."""
    mark = ctx.game.mark
    return [u for u in _diggers(ctx) if not mark(u.place, "fort") and not mark(u.id, "strategic")]


def _fell_back(ctx: Context) -> bool:
    """Asked only where one of the named units fell back."""
    return any(ctx.game.mark(u, "retreated") for u in ctx.values.get("units") or ())


@rules.action(phase=MOVE, by="active", rule="7.1.2", label="Dig in", order=20)
def dig_in(
    game: Game,
    hexes: Annotated[tuple[str, ...], HexId(label="In hexes", many=True)] = (),
    units: Annotated[
        tuple[str, ...], units_to_tap("or units that stay and dig", _diggers, _unsheltered)
    ] = (),
    hemmed: Annotated[bool, Flag(label="Fell back and cannot leave an enemy zone", when=_fell_back)] = False,
) -> Events:
    """Build field fortifications for all the movement of units that do not move."""
    if not units and not hexes:
        raise Unreadable("say who digs: units, or hexes", field="units")
    for name in units:
        if game.mark(name, "retreated") and not hemmed:  # [7.1.3]
            unit = game.units[name].name
            raise Unreadable(
                f"{unit} fell back in the last combat phase and cannot dig",
                field="units",
                given=name,
                rule="7.1.2",
            )
    for hex_id in dict.fromkeys([*(game.units[u].place for u in units), *hexes]):
        if "swamp" in printed(game, hex_id):
            raise Unreadable(f"{hex_id} is swamp: no digging", field="hexes", given=hex_id, rule="7.1.8")
        if game.mark(hex_id, "fort") == "fp":
            raise Unreadable(f"{hex_id} has a fixed position", field="hexes", given=hex_id, rule="7.1.9")
        if not game.mark(hex_id, "fort"):
            yield e.Marked(hex_id, "fort", "ff", reason="dug in", rule="7.1.4")


@rules.watch
def taken_forts(game: Game) -> Events:
    """A fortification belongs to the side that stands in it, and is gone when the enemy enters [7.1.6]."""
    held = occupants(game)
    if not held:
        return
    for hex_id, kind in list(game.marked("fort").items()):
        side, owner = held.get(hex_id), game.mark(hex_id, "fort-of")
        if side and not owner:
            yield e.Marked(hex_id, "fort-of", side)
        elif side and owner != side and kind != "fp":
            yield e.Marked(hex_id, "fort", None, reason="entered by the enemy", rule="7.1.6")
            yield e.Marked(hex_id, "fort-of", None)


def _abandoned(game: Game) -> Events:
    """Field fortifications without a unit go at the end of a phase; improved ones stay [7.1.5, 7.2.1]."""
    held = occupants(game)
    if not held:
        return
    for hex_id, kind in list(game.marked("fort").items()):
        if kind == "ff" and hex_id not in held:
            yield e.Marked(hex_id, "fort", None, reason="nobody is there", rule="7.1.5")
            if game.mark(hex_id, "fort-of"):
                yield e.Marked(hex_id, "fort-of", None)


for _phase in (*BARRAGE, *MOVE, *ATTACK, *STRATEGIC, *SUPPLY):
    rules.leaving(_phase)(_abandoned)
