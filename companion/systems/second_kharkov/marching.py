"""Moves made on record: the stack goes where its sheet leads, and takes what it passes [3.5, 11.1, 11.5-11.8]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated

from companion.engine.errors import NotNow, Unreadable
from companion.engine.forms.fields import Context, HexId, UnitRef
from companion.engine.forms.worksheet import Breakdown
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.rules import Rules
from companion.engine.positions.pieces import on_map
from companion.engine.record.changes import IN_PASSING, move, put_mark
from companion.engine.record.game import Game
from companion.systems.second_kharkov.armies import released_by_passing
from companion.systems.second_kharkov.base import GERMAN, MOVE, rules
from companion.systems.second_kharkov.control import take
from companion.systems.second_kharkov.declaring import movement_has_begun
from companion.systems.second_kharkov.movement import MF, SPENT, force_of, no_unit, path_of, work_out
from companion.systems.second_kharkov.units import seen_by
from companion.systems.second_kharkov.victory import perimeter_passed

unlisted = Rules("second-kharkov")
"""For a sheet that belongs to its action alone: the calculator beside it asks what it does not."""


def _movable(ctx: Context) -> list[Unit]:
    """Who may move: of a stack once somebody is chosen, those who stand with him [11.5]."""
    return [u for u in seen_by(ctx, ctx.game.active) if u.on_map]


def _together(ctx: Context) -> list[Unit]:
    chosen = {u.place for u in force_of(ctx)}
    return [u for u in _movable(ctx) if not chosen or u.place in chosen]


@dataclass(frozen=True)
class Way(HexId):
    """The hexes of a march: those around where it has come to are offered."""

    def describe(self, ctx: Context) -> dict[str, object]:
        force, gone = force_of(ctx), ctx.values.get("hexes") or ()
        here = gone[-1] if gone else force[0].place if force else ""
        near = [*gone, *(h for h in ctx.game.maps.neighbours(here) if h not in gone)] if here else []
        return {
            **super().describe(ctx),
            "required": True,
            "choices": [{"value": h, "label": h} for h in near],
        }


@dataclass(frozen=True)
class MarchForm:
    """Who moves, and which way."""

    unit: Annotated[tuple[str, ...], UnitRef(label="Units", many=True, pick=_movable, suggest=_together)]
    hexes: Annotated[
        tuple[str, ...], Way(label="Path", many=True, help="in order", when=lambda c: not no_unit(c))
    ] = ()
    mf: Annotated[int | None, replace(MF, when=lambda c: not no_unit(c) and bool(MF.when and MF.when(c)))] = (
        None
    )


@unlisted.worksheet(rule="11.0", title="Movement")
def march(ctx: Context, form: MarchForm) -> Breakdown:
    """What the move costs, and how far it gets."""
    force = force_of(replace(ctx, values={**ctx.values, **vars(form)}))
    if not form.hexes:
        raise Unreadable("say which hexes they enter, in order", field="hexes", rule="11.1")
    return work_out(ctx, force, form.mf, path_of(ctx.game, force, form.hexes))


def _against(ctx: Context) -> Iterator[str]:
    """What the rules have against the move; on the map it may be otherwise."""
    sheet = march.answer(ctx.values, ctx)
    yield from (f"{line.label} ({line.rule})" for line in sheet.lines if line.effect == "stop")
    yield from sheet.warnings


@rules.action(
    by="active",
    phase=tuple(MOVE.values()),
    rule="11.1",
    worksheet=march,
    label="Make this move",
    order=11,
    when=lambda game: (
        bool(on_map(game, game.active)) or NotNow("nobody is on record on the map", rule="11.1")
    ),
    warns=_against,
)
def make_move(game: Game, sheet: Breakdown, form: MarchForm) -> Events:
    """Move a unit or a stack hex by hex; hexes passed change hands, and what it cost is remembered for the phase."""
    side, (*passed, goal) = game.active, form.hexes
    if side == GERMAN:
        yield from movement_has_begun(game)
    for name in form.unit:
        yield move(game, name, goal, reason=f"by {' '.join(passed)}" if passed else "", rule="11.1")
        used = int(game.mark(name, SPENT) or 0) + int(sheet.facts["costs"][name])
        yield put_mark(game, name, SPENT, used, reason=IN_PASSING, rule="11.2")
    for hex_id in form.hexes:
        yield from take(game, hex_id, side, "entered")
    if side != GERMAN:
        yield from released_by_passing(game, form.hexes)
        yield from perimeter_passed(game, form.hexes)
