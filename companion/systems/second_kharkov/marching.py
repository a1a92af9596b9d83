"""Moves made on record: the stack goes where its sheet leads, and takes what it passes [3.5, 11.1, 11.5-11.8]."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from companion.engine.errors import NotNow, Unreadable
from companion.engine.forms.fields import Context, HexId, UnitRef
from companion.engine.forms.worksheet import Breakdown
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.rules import Rules
from companion.engine.positions.moving import enemies
from companion.engine.positions.pieces import on_map
from companion.engine.record.changes import IN_PASSING, move, put_mark
from companion.engine.record.game import Game
from companion.systems.second_kharkov.armies import released_by_passing
from companion.systems.second_kharkov.base import GERMAN, MOVE, rules
from companion.systems.second_kharkov.control import take
from companion.systems.second_kharkov.declaring import movement_has_begun
from companion.systems.second_kharkov.movement import MF, SPENT, force_of, no_unit, path_of, type_mf, work_out
from companion.systems.second_kharkov.route import Mover, enemy_zone, find_way
from companion.systems.second_kharkov.units import mechanised, seen_by
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
class Goal(HexId):
    """Where a march ends: the hexes around its start without enemies are offered [11.1], any other may be typed."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        force = force_of(ctx)
        around = ctx.game.maps.neighbours(force[0].place) if force else ()
        near = [h for h in around if not enemies(ctx.game, force[0].side, h)]
        plain = {**super().describe(ctx), "required": not ctx.values.get("hexes")}
        return {**plain, "choices": [{"value": h, "label": h} for h in near]}


def _factor_is_open(ctx: Context) -> bool:
    return not no_unit(ctx) and type_mf(ctx)


@dataclass(frozen=True)
class MarchForm:
    """Who moves, and which way."""

    unit: Annotated[tuple[str, ...], UnitRef(label="Units", many=True, pick=_movable, suggest=_together)]
    to: Annotated[str, Goal(label="To hex", when=lambda c: not no_unit(c))] = ""
    hexes: Annotated[
        tuple[str, ...],
        HexId(
            label="By way of", many=True, help="in order, as many as matter", when=lambda c: not no_unit(c)
        ),
    ] = ()
    mf: Annotated[int | None, replace(MF, when=_factor_is_open)] = None


@unlisted.worksheet(rule="11.0", title="Movement")
def march(ctx: Context, form: MarchForm) -> Breakdown:
    """What the move costs, and how far it gets."""
    force = force_of(replace(ctx, values={**ctx.values, **vars(form)}))
    way = way_of(ctx.game, force, form)
    sheet = work_out(ctx, force, form.mf, path_of(ctx.game, force, way))
    sheet.facts["way"] = way
    return sheet


def way_of(game: Game, force: Sequence[Unit], form: MarchForm) -> list[str]:
    """Every hex that they enter: gaps between those named are filled in the cheapest way.

    :raises Unreadable: when none is named, or there is no way between two of them
    """
    stops = [*form.hexes, *([form.to] if form.to else [])]
    if not stops:
        raise Unreadable("say where they go", field="to", rule="11.1")
    slowest = next((u for u in force if mechanised(u)), force[0])
    found: list[str] = []
    here = slowest.place
    for stop in stops:
        mover = Mover(
            slowest.side, mechanised(slowest), None, not found and here in enemy_zone(game, slowest.side)
        )
        leg = [stop] if stop in game.maps.neighbours(here) else find_way(game, mover, here, stop)
        if not leg:
            words = f"there is no way from {here} to {stop}: name the hexes one by one"
            raise Unreadable(words, field="to" if stop == form.to else "hexes", given=stop, rule="11.1")
        found += leg
        here = stop
    return found


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
    label="Move units",
    order=11,
    when=lambda game: (
        bool(on_map(game, game.active)) or NotNow("nobody is on record on the map", rule="11.1")
    ),
    warns=_against,
)
def make_move(game: Game, sheet: Breakdown, form: MarchForm) -> Events:
    """Move a unit or a stack hex by hex; hexes passed change hands, and what it cost is remembered for the phase."""
    side, way = game.active, [str(h) for h in sheet.facts["way"]]
    *passed, goal = way
    if side == GERMAN:
        yield from movement_has_begun(game)
    for name in form.unit:
        yield move(game, name, goal, reason=f"by {' '.join(passed)}" if passed else "", rule="11.1")
        used = int(game.mark(name, SPENT) or 0) + int(sheet.facts["costs"][name])
        yield put_mark(game, name, SPENT, used, reason=IN_PASSING, rule="11.2")
    for hex_id in way:
        yield from take(game, hex_id, side, "entered")
    if side != GERMAN:
        yield from released_by_passing(game, way)
        yield from perimeter_passed(game, way)
