"""The supply phase: one tap traces every path and marks who is out, or players mark by hand [6.1, B6.2]."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from companion.engine.errors import NotNow
from companion.engine.forms.fields import Context, HexId, UnitRef
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import on_map
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game
from companion.systems.panzer_keil import states
from companion.systems.panzer_keil.base import FRONTS, SOVIET, is_sixth, named, out_of_supply, phases, rules
from companion.systems.panzer_keil.condition import any_on_map, many_on_map, own_on_map
from companion.systems.panzer_keil.points import fill_fronts, front_alive
from companion.systems.panzer_keil.railroad import retreat_railhead
from companion.systems.panzer_keil.supply import hq_of, in_grace, root_known, supply


def _traceable(game: Game) -> bool | str:
    if not on_map(game, game.active):
        return "no unit of this side is on the map: mark supply by hand"
    if game.active == SOVIET and not any(hq_of(game, front) for front in FRONTS):
        return "no headquarters is on record: place them, or mark supply by hand [B6.2.2]"
    known = root_known(game, game.active)
    return known or "enter your railroads in the map book first, or mark supply by hand"


def is_judged(game: Game) -> bool:
    """Whether this phase's supply is judged."""
    return bool(game["supply-phase"] == [game.turn, game.phase])


def _judged(game: Game) -> Events:
    """Note that this phase's supply is judged."""
    yield e.Set("supply-phase", [game.turn, game.phase])


@rules.due_in(*phases("supply"))
def _unjudged(game: Game) -> Iterable[str]:
    """Every supply phase judges its side's units [6.1]; said where the record can do it in one tap."""
    if is_judged(game):
        return
    if _traceable(game) is True:
        yield "Check supply [6.1]"
    elif out := [u.id for u in on_map(game, game.active) if out_of_supply(game, u.id)]:
        yield f"Judge supply anew: {named(game, out)} went without a turn ago [6.1.6]"


def _missing_hqs(ctx: Context) -> list[str]:
    """Headquarters that are not on record though they live: their units would all be out of supply [B8.2.1]."""
    game = ctx.game
    missing = [n for f, n in FRONTS.items() if front_alive(game, f) and hq_of(game, f) is None]
    words = (
        f"not on record, so that their units are out of supply: {', '.join(missing)} headquarters [B8.2.1]"
    )
    return [words] if missing and game.active == SOVIET else []


@rules.action(
    phase=phases("supply"),
    by="active",
    rule="6.1, B6.2",
    label="Check supply",
    primary=True,
    when=lambda game: "supply is judged for this phase [6.1.6]" if is_judged(game) else _traceable(game),
    warns=_missing_hqs,
)
def check_supply(game: Game) -> Events:
    """Trace every path and mark who is out of supply until this side's next supply phase."""
    yield from _checked(game)


@rules.action(
    phase=phases("supply"),
    by="active",
    rule="6.1, B6.2",
    label="Check supply again",
    group="book-keeping",
    when=lambda game: _traceable(game) if is_judged(game) else "supply is not judged yet",
    warns=_missing_hqs,
)
def check_supply_again(game: Game) -> Events:
    """Trace every path once more, after a unit or the map was put right."""
    yield from _checked(game, again=True)


def _checked(game: Game, again: bool = False) -> Events:
    side = game.active
    yield from _judged(game)
    if side == SOVIET:
        yield from retreat_railhead(game)
    answers = supply(game, side)
    cut = [name for name, answer in answers.items() if not answer.supplied]
    back = [name for name in answers if name not in cut and out_of_supply(game, name)]
    text = f"Out of supply: {named(game, cut)}" if cut else f"Every {game.side_name(side)} unit is in supply"
    yield e.Noted(f"{text}. In supply again: {named(game, back)}" if back else text, rule="6.1.6")
    for name, answer in answers.items():
        trigger = states.find_supply if answer.supplied else states.lose_supply
        yield from states.put(game, name, trigger, reason=IN_PASSING)
    if side == SOVIET:
        yield from fill_fronts(game, again)


def _cut_off(ctx: Context) -> list[str]:
    """Hexes that were out of supply up to now: the likely ones to be so again."""
    return sorted({u.place for u in own_on_map(ctx) if out_of_supply(ctx.game, u.id)})


def _listed(ctx: Context) -> list[Unit]:
    return [] if many_on_map(ctx) else [u for u in own_on_map(ctx) if not is_sixth(u)]


@rules.action(
    phase=phases("supply"),
    by="active",
    rule="6.1.6",
    label="Mark supply by hand",
    order=5,
    when=any_on_map,
)
def mark_supply(
    game: Game,
    hexes: Annotated[
        tuple[str, ...],
        HexId(label="Hexes out of supply", help="every unit of yours there", many=True, start=_cut_off),
    ] = (),
    out: Annotated[
        tuple[str, ...],
        UnitRef(label="or single units", many=True, pick=own_on_map, suggest=_listed),
    ] = (),
) -> Events:
    """Mark who is out of supply; everybody else of the side is in supply."""
    yield from _judged(game)
    for unit in on_map(game, game.active):
        if unit.id in out and is_sixth(unit):
            raise NotNow(
                f"{unit.name}: the 6th Army is always in supply", field="out", given=unit.id, rule="B13.1.1"
            )
        free = (unit.id not in out and unit.place not in hexes) or in_grace(game, unit)
        yield from states.put(game, unit.id, states.find_supply if free else states.lose_supply)
