"""Stacking: three units to a hex, one Soviet corps, headquarters apart [5.1, B4]."""

from __future__ import annotations

from typing import Annotated

from companion.engine import events as e
from companion.engine.actions import Events
from companion.engine.fields import Context, HexId, UnitRef
from companion.engine.game import Game
from companion.engine.roster import Unit
from companion.systems.panzer_keil import states
from companion.systems.panzer_keil.aftermath import STACK
from companion.systems.panzer_keil.base import GERMAN, SOVIET, is_hq, reading, rules
from companion.systems.panzer_keil.condition import any_on_map, own_on_map


def surplus(stack: list[Unit]) -> int:
    """How many units a stack holds too many."""
    counted = [u for u in stack if not is_hq(u)]
    corps = sum(1 for u in counted if u.side == SOVIET and u.size == "XXX")
    return max(0, len(counted) - STACK, corps - 1)


def overstacked(game: Game, side: str) -> dict[str, int]:
    """The hexes where a side stacks too high, with the number of units to remove."""
    found = {h: surplus([u for u in stack if u.side == side]) for h, stack in game.stacks().items()}
    return {h: n for h, n in found.items() if n}


def _ask(game: Game, side: str) -> Events:
    for place, too_many in overstacked(game, side).items():
        yield e.Asked(
            f"stack-{place}-{game.revision}",
            (side, "table"),
            f"{place} holds {too_many} unit{'s' if too_many > 1 else ''} too many",
            "remove-surplus",
            {"at": place},
            rule="5.1.4, B4",
        )


# 5.1.3: the limit counts when movement and combat close; the question comes as the next phase opens.
@rules.entering("soviet-combat")
@rules.entering("soviet-recovery")
def _soviet_stacks(game: Game) -> Events:
    yield from _ask(game, SOVIET)


@rules.entering("german-combat")
@rules.entering("german-mech")
def _german_stacks(game: Game) -> Events:
    yield from _ask(game, GERMAN)


@rules.entering("german-recovery")
def _german_stacks_last(game: Game) -> Events:
    if reading(game, "stack-after-mech"):
        yield from _ask(game, GERMAN)


def _stacked(ctx: Context) -> list[Unit]:
    """Own units in hexes that hold too many, or in the hex just typed."""
    game, at = ctx.game, ctx.values.get("at")
    if game is None:
        return []
    places = {at} if at else set(overstacked(game, game.active))
    return [u for u in own_on_map(ctx) if u.place in places]


@rules.action(by="active", rule="5.1.4", label="Remove surplus units", group="book-keeping", when=any_on_map)
def remove_surplus(
    game: Game,
    *,
    at: Annotated[str, HexId(label="Stack in hex")] = "",
    units: Annotated[
        tuple[str, ...],
        UnitRef(label="Units to remove", many=True, pick=own_on_map, suggest=_stacked),
    ],
) -> Events:
    """Eliminate units that a stack holds beyond its limit."""
    for unit in units:
        yield from states.eliminate(game, unit, "over the stacking limit", "5.1.4")
