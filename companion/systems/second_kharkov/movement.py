"""The movement calculator: can I get there? [11.1-11.19]"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, Flag, HexId, Text, UnitRef, Whole
from companion.engine.forms.worksheet import Breakdown, halve
from companion.engine.kit.roster import Unit
from companion.engine.record.game import Game
from companion.systems.second_kharkov.air import interdicted
from companion.systems.second_kharkov.armies import frozen, hasty, restricted
from companion.systems.second_kharkov.base import SIDES, SOVIET, WEST, Reason, area, in_play, rules
from companion.systems.second_kharkov.judging import out_of_supply
from companion.systems.second_kharkov.route import (
    WORDS,
    Mover,
    Step,
    enemy_zone,
    read_hexes,
    read_route,
    walk,
)
from companion.systems.second_kharkov.stacking import overstacked
from companion.systems.second_kharkov.units import factor, mechanised, seen_by

CLASSES = (("non-mech", "non-mechanised"), ("mech", "mechanised"))
OOS = Reason("out of supply", "9.8")
HASTE = Reason("freed early", "13.4")


# -- the form --------------------------------------------------------------------------------------


def _unit(ctx: Context) -> Unit | None:
    return ctx.game.units.get(str(ctx.values.get("unit") or ""))


def _no_unit(ctx: Context) -> bool:
    return _unit(ctx) is None


def _side(ctx: Context) -> str:
    unit = _unit(ctx)
    return unit.side if unit else str(ctx.values.get("side") or ctx.game.active or SOVIET)


def _on_map(ctx: Context) -> list[Unit]:
    return [u for u in seen_by(ctx) if u.on_map and ctx.seat in ("table", u.side)]


def _type_mf(ctx: Context) -> bool:
    unit = _unit(ctx)
    return unit is None or factor(ctx.game, unit, "MF") is None


def _type_supply(ctx: Context) -> bool:
    """On turn 1 everybody is in supply [5.5]; without a table it may be any turn."""
    return _no_unit(ctx) and (ctx.game.turn > 1 or not in_play(ctx.game))


def _type_interdiction(ctx: Context) -> bool:
    """Interdiction slows Soviets alone [11.19]; without a table its markers may lie anywhere."""
    possible = bool(ctx.game.marked("interdiction")) or not in_play(ctx.game)
    return possible and _no_unit(ctx) and _side(ctx) == SOVIET


@dataclass(frozen=True)
class MoveForm:
    """The movement form as it was read: of a unit on record only its path is asked."""

    unit: Annotated[str, UnitRef(label="Unit", pick=_on_map, when=lambda c: bool(_on_map(c)))] = ""
    side: Annotated[
        str, Choice(label="Side", options=SIDES, when=_no_unit, start=lambda c: c.game.active)
    ] = ""
    klass: Annotated[str, Choice(label="Class", options=CLASSES, when=_no_unit)] = "non-mech"
    mf: Annotated[
        int, Whole(label="Movement factor", help="of a stack: its slowest unit", high=30, when=_type_mf)
    ] = 0
    oos: Annotated[bool, Flag(label="Out of supply", when=_type_supply)] = False
    from_zoc: Annotated[bool, Flag(label="Starts in an enemy zone", when=_no_unit)] = False
    from_iz: Annotated[bool, Flag(label="Starts in an interdiction zone", when=_type_interdiction)] = False
    hexes: Annotated[
        tuple[str, ...],
        HexId(label="Path", many=True, help="hexes entered, in order", when=lambda c: not _no_unit(c)),
    ] = ()
    route: Annotated[
        str,
        Text(
            label="Ground entered",
            most=200,
            placeholder="clear, minor forest, iz town",
            help=f"hexes apart by commas; words: {', '.join(WORDS)}",
            when=lambda c: not c.values.get("hexes"),
        ),
    ] = ""


# -- the worksheet ---------------------------------------------------------------------------------


@rules.worksheet(rule="11.0", title="Movement")
def movement(ctx: Context, form: MoveForm) -> Breakdown:
    """Add up what a move costs, hex by hex, and say how far it gets."""
    here = replace(ctx, values={**ctx.values, **vars(form)})
    sheet, unit = Breakdown("Movement"), _unit(here)
    mover = _on_record(sheet, ctx.game, unit, form) if unit else _as_typed(sheet, _side(here), form)
    on_map = read_hexes(ctx.game, mover.side, unit.place, form.hexes) if unit else []
    steps = on_map or read_route(form.route)
    if not steps:
        raise Unreadable(
            "say where: hexes of a path, or the ground entered", field="route", accepted=", ".join(WORDS)
        )
    made = walk(sheet, steps, mover)
    sheet.facts.update(steps=made, mf=mover.mf)
    sheet.result = (
        f"gets there, {sheet.facts['left']} MP left"
        if made == len(steps)
        else f"stops after {made} of {len(steps)}"
    )
    if unit:
        sheet.warnings += map(str, _doubts(ctx.game, unit, steps))
    return sheet


def _as_typed(sheet: Breakdown, side: str, form: MoveForm) -> Mover:
    mf = _halved(sheet, form.mf, [OOS] if form.oos else [])
    return Mover(side, form.klass == "mech", mf, form.from_zoc, form.from_iz)


def _on_record(sheet: Breakdown, game: Game, unit: Unit, form: MoveForm) -> Mover:
    known = factor(game, unit, "MF")
    causes = [OOS] if out_of_supply(game, [unit]) else []
    causes += [HASTE] if hasty(game, unit.formation) else []
    mf = _halved(sheet, form.mf if known is None else known, causes)
    from_zoc, from_iz = unit.place in enemy_zone(game, unit.side), unit.place in interdicted(game)
    return Mover(unit.side, mechanised(unit), mf, from_zoc, from_iz)


def _halved(sheet: Breakdown, mf: int, causes: Sequence[Reason]) -> int:
    """The movement factor once its halvings are done [9.8, 13.4]."""
    sheet.add("movement factor", str(mf), "11.1")
    for cause in causes:
        sheet.add(f"{cause.words}: half of {mf}", str(halve(mf)), cause.rule)
        mf = halve(mf)
    return mf


def _doubts(game: Game, unit: Unit, steps: Sequence[Step]) -> Iterator[Reason]:
    """What the rules have against this move; the players decide."""
    if stuck := frozen(game, unit, "stays put"):
        yield stuck
    if restricted(game, unit.formation):
        west = area(game, WEST)
        beyond = [s.hex for s in steps if s.hex and west and s.hex not in west]
        where = f"may not pass the front line: {', '.join(beyond)}" if beyond else ""
        yield Reason(f"{unit.formation} {where or 'stays on its own side of the front line'}", "6.2")
    for step in steps:
        if any(u.side != unit.side for u in game.units_at(step.hex) if u.on_map):
            yield Reason(f"{step.hex} is held by the enemy", "11.4")
    for step in steps:
        friends = [u for u in game.units_at(step.hex) if u.side == unit.side and u.id != unit.id]
        if step.hex and (crowd := overstacked(unit.side, [*friends, unit])):
            yield Reason(f"{step.hex}: {crowd}; also in passing", "7.2")
