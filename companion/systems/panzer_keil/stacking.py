"""Stacking: three units to a hex, one Soviet corps, headquarters apart [5.1, B4]."""

from __future__ import annotations

from typing import Annotated

from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Context, HexId, UnitRef
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.panzer_keil import states
from companion.systems.panzer_keil.base import GERMAN, SOVIET, on_map, rules, surplus


def overstacked(game: Game, side: str) -> dict[str, int]:
    """The hexes where a side stacks too high, with the number of units to remove [5.1.1-5.1.4, B4]."""
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


# The limit counts when movement and combat close; the question comes as the next phase opens [5.1.3].
@rules.entering("soviet-combat")
def _after_soviet_movement(game: Game) -> Events:
    yield from _ask(game, SOVIET)


@rules.entering("german-combat")
def _after_german_movement(game: Game) -> Events:
    yield from _ask(game, GERMAN)


# A retreat may have crowded the defender's hexes too.
@rules.entering("soviet-recovery")
@rules.entering("german-mech")
def _after_combat(game: Game) -> Events:
    for side in (SOVIET, GERMAN):
        yield from _ask(game, side)


@rules.entering("german-recovery")
def _after_mechanized_movement(game: Game) -> Events:
    if game["stack-after-mech"]:
        yield from _ask(game, GERMAN)


def _own(ctx: Context) -> list[Unit]:
    """The units on the map of whoever acts; on the shared screen everybody's."""
    return [u for u in on_map(ctx.game, "") if ctx.seat in ("table", u.side)]


def _stacked(ctx: Context) -> list[Unit]:
    """Own units in hexes that hold too many, or in the hex just typed."""
    game, at = ctx.game, ctx.values.get("at")
    places = {at} if at else {h for side in (SOVIET, GERMAN) for h in overstacked(game, side)}
    return [u for u in _own(ctx) if u.place in places]


def _units_on_record(game: Game) -> bool | str:
    return bool(on_map(game, "")) or "no unit is on record: remove the counters on the map"


@rules.action(
    by="any", rule="5.1.4", label="Remove surplus units", group="book-keeping", when=_units_on_record
)
def remove_surplus(
    game: Game,
    *,
    at: Annotated[str, HexId(label="Stack in hex")] = "",
    units: Annotated[
        tuple[str, ...],
        UnitRef(label="Units to remove", many=True, pick=_own, suggest=_stacked),
    ],
) -> Events:
    """Eliminate units that a stack holds beyond its limit."""
    for unit in units:
        yield from states.eliminate(game, unit, "over the stacking limit", "5.1.4")
