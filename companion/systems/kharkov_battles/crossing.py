"""What a combat phase takes off: Disorganized markers [11.28], crossings of a Major River that did not attack [7.26]."""

from __future__ import annotations

from typing import Annotated

from companion.engine.forms.fields import UnitRef
from companion.engine.play.actions import Events
from companion.engine.play.duties import owe
from companion.engine.positions.pieces import on_map
from companion.engine.record.changes import IN_PASSING, put_mark
from companion.engine.record.game import Game
from companion.systems.kharkov_battles.base import AXIS, MOVE_PHASES, SOVIET, rules
from companion.systems.kharkov_battles.units import label, on_the_map


@rules.action(
    phase=MOVE_PHASES,
    by="active",
    rule="7.26",
    label="Mark a river crossing",
    group="units",
    when=lambda game: bool(on_map(game, game.active)) or "no counter of the moving side is on record",
)
def river_crossing(
    game: Game,
    units: Annotated[
        tuple[str, ...], UnitRef(label="Units", many=True, pick=on_the_map(lambda g, u: u.side == g.active))
    ],
) -> Events:
    """Note units that crossed a Major River into an enemy zone: they must attack in the combat phase."""
    for name in units:
        yield put_mark(game, name, "must-attack", True, rule="7.26")


@rules.leaving("axis-combat")
@rules.leaving("soviet-combat")
def tidy_combat(game: Game) -> Events:
    """Disorganized comes off [11.28]; a crossing that did not attack goes back [7.26]."""
    side = AXIS if game.phase == "axis-combat" else SOVIET
    for name in list(game.marked("disorganized")):
        if game.units[name].side == side:
            yield put_mark(game, name, "disorganized", None, reason="combat phase over", rule="11.28")
    for name in list(game.marked("must-attack")):
        if game.units[name].side == side:
            yield put_mark(game, name, "must-attack", None, reason=IN_PASSING, rule="7.26")
            if side == AXIS:
                text = f"Axis: {label(game.units[name])} did not attack, retreat it over the river"
                yield owe(game, side, text, units=[name], rule="7.26")
