"""Stacking: three units to a hex, one Soviet corps, headquarters apart [5.1, B4]."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import UnitRef
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import owe
from companion.engine.positions.pieces import count, eliminate
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.panzer_keil.base import DEAD, GERMAN, SOVIET, is_hq, phases, rules, surplus


def overstacked(game: Game, side: str) -> dict[str, int]:
    """The hexes where a side stacks too high, with the number of units to remove [5.1.1-5.1.4, B4]."""
    found = {h: surplus([u for u in stack if u.side == side]) for h, stack in game.stacks().items()}
    return {h: n for h, n in found.items() if n}


@rules.due_in(*phases("move"), *phases("combat"), "german-mech", stays=True)
def too_high(game: Game) -> Iterable[str]:
    """Stacks that cost units if the phase ends so [5.1.3]; a retreat may have crowded the defender's too."""
    if game.phase == "german-mech" and not game["stack-after-mech"]:
        return
    for side in game.sides if game.phase in phases("combat") else [game.active]:
        for place, too_many in overstacked(game, side).items():
            yield f"{place} holds {count(too_many, 'unit')} too many [5.1.3, B4]"


def _ask(game: Game, side: str) -> Events:
    asked = [(duty.to[0], duty.args["hex"]) for duty in game.duties(action="remove-surplus") if duty.is_owed]
    for place, too_many in overstacked(game, side).items():
        if (side, place) not in asked:
            text = f"{place} holds {count(too_many, 'unit')} too many: remove {'it' if too_many == 1 else 'them'}"
            yield owe(game, side, text, remove_surplus, rule="5.1.4, B4", hex=place)


# The limit counts when movement and combat close; what is too many goes as the next phase opens [5.1.3].
@rules.entering("soviet-combat")
def _after_soviet_movement(game: Game) -> Events:
    yield from _ask(game, SOVIET)


@rules.entering("german-combat")
def _after_german_movement(game: Game) -> Events:
    yield from _ask(game, GERMAN)


@rules.entering("soviet-recovery")
@rules.entering("german-mech")
def _after_combat(game: Game) -> Events:
    for side in (SOVIET, GERMAN):
        yield from _ask(game, side)


@rules.entering("german-recovery")
def _after_mechanized_movement(game: Game) -> Events:
    if game["stack-after-mech"]:
        yield from _ask(game, GERMAN)


def _too_many(game: Game, duty: e.Asked | None) -> tuple[list[Unit], int]:
    """The units of the duty's stack that count, and how many of them must go."""
    if duty is None or "hex" not in duty.args:
        return [], 0
    stack = [u for u in game.units_at(duty.args["hex"]) if u.side == duty.to[0] and not is_hq(u)]
    return stack, surplus(stack)


@rules.follow_up(
    rule="5.1.4",
    label="Remove",
    still=lambda game, duty: not duty.is_owed or _too_many(game, duty)[1] > 0,
)
def remove_surplus(
    game: Game,
    duty: e.Asked,
    units: Annotated[
        tuple[str, ...],
        UnitRef(label="Units to remove", many=True, pick=lambda c: _too_many(c.game, c.duty)[0]),
    ],
) -> Events:
    """Eliminate the units that a stack holds beyond its limit, no more and no fewer."""
    stack, too_many = _too_many(game, duty)
    if len(units) != too_many or surplus([u for u in stack if u.id not in units]):
        corps = " of corps size" if surplus(stack) and len(units) == too_many else ""
        words = f"{count(too_many, 'unit')}{corps} must go, no more and no fewer"
        raise Unreadable(words, field="units", given=len(units), rule="5.1.4, B4")
    for unit in units:
        yield from eliminate(game, game.units[unit], DEAD, "over the stacking limit", "5.1.4")
