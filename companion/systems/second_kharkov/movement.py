"""The movement calculator: can I get there? [11.1-11.19]"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, Flag, HexId, Text, UnitRef, Whole
from companion.engine.forms.worksheet import Breakdown, halve
from companion.engine.kit.roster import Unit
from companion.engine.record.game import Game
from companion.engine.record.sight import may_see_unit
from companion.systems.second_kharkov.air import interdicted
from companion.systems.second_kharkov.armies import frozen, hasty, restricted
from companion.systems.second_kharkov.base import SIDES, SOVIET, WEST, Reason, area, in_play, rules
from companion.systems.second_kharkov.judging import out_of_supply
from companion.systems.second_kharkov.route import (
    WORDS,
    Mover,
    Step,
    Walked,
    enemy_zone,
    read_hexes,
    read_route,
    walk,
)
from companion.systems.second_kharkov.stacking import excess, mixed, over_limit
from companion.systems.second_kharkov.units import armies_of, factor, label, mechanised, seen_by

CLASSES = (("non-mech", "non-mechanised"), ("mech", "mechanised"))
OOS = Reason("out of supply", "9.8")
HASTE = Reason("freed early", "13.4")
SPENT = "spent"
"""The marker that remembers movement points used up in this phase."""


# -- the form --------------------------------------------------------------------------------------


def force_of(ctx: Context) -> list[Unit]:
    """The units on record that a form is about."""
    return [ctx.game.units[name] for name in ctx.values.get("unit") or () if name in ctx.game.units]


def no_unit(ctx: Context) -> bool:
    return not force_of(ctx)


def _side(ctx: Context) -> str:
    force = force_of(ctx)
    return force[0].side if force else str(ctx.values.get("side") or ctx.game.active or SOVIET)


def _on_map(ctx: Context) -> list[Unit]:
    return [u for u in seen_by(ctx) if u.on_map and ctx.seat in ("table", u.side)]


def type_mf(ctx: Context) -> bool:
    """Whether the factor of somebody is not known."""
    force = force_of(ctx)
    return not force or any(factor(ctx.game, u, "MF") is None for u in force)


def _type_supply(ctx: Context) -> bool:
    """On turn 1 everybody is in supply [5.5]; without a table it may be any turn."""
    return no_unit(ctx) and (ctx.game.turn > 1 or not in_play(ctx.game))


def _type_interdiction(ctx: Context) -> bool:
    """Interdiction slows Soviets alone [11.19]; without a table its markers may lie anywhere."""
    possible = bool(ctx.game.marked("interdiction")) or not in_play(ctx.game)
    return possible and no_unit(ctx) and _side(ctx) == SOVIET


@dataclass(frozen=True)
class Ground(Text):
    """A route in words: needed where no path on the map is given."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {**super().describe(ctx), "required": no_unit(ctx)}


MF = Whole(label="Movement factor", help="of a stack: its slowest unit", high=30, when=type_mf)


@dataclass(frozen=True)
class MoveForm:
    """The movement form as it was read: of units on record only their path is asked."""

    unit: Annotated[
        tuple[str, ...],
        UnitRef(label="Units", many=True, pick=_on_map, when=lambda c: bool(_on_map(c))),
    ] = ()
    side: Annotated[str, Choice(label="Side", options=SIDES, when=no_unit, start=lambda c: c.game.active)] = (
        ""
    )
    klass: Annotated[str, Choice(label="Class", options=CLASSES, when=no_unit)] = "non-mech"
    mf: Annotated[int | None, MF] = None
    oos: Annotated[bool, Flag(label="Out of supply", when=_type_supply)] = False
    from_zoc: Annotated[bool, Flag(label="Starts in an enemy zone", when=no_unit)] = False
    from_iz: Annotated[bool, Flag(label="Starts in an interdiction zone", when=_type_interdiction)] = False
    hexes: Annotated[
        tuple[str, ...],
        HexId(label="Path", many=True, help="hexes entered, in order", when=lambda c: not no_unit(c)),
    ] = ()
    route: Annotated[
        str,
        Ground(
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
    force = force_of(here)
    if force:
        steps = path_of(ctx.game, force, form.hexes) or read_route(form.route)
        return work_out(ctx, force, form.mf, steps)
    sheet, steps = Breakdown("Movement"), _some(read_route(form.route))
    mf = None if form.mf is None else _halved(sheet, form.mf, [OOS] if form.oos else [])
    mover = Mover(_side(here), form.klass == "mech", mf, form.from_zoc, form.from_iz)
    _tell(sheet, [walk(sheet, steps, mover)], len(steps), mf)
    return sheet


def _some(steps: list[Step]) -> list[Step]:
    if not steps:
        raise Unreadable(
            "say where: hexes of a path, or the ground entered", field="route", accepted=", ".join(WORDS)
        )
    return steps


def path_of(game: Game, force: Sequence[Unit], hexes: Sequence[str]) -> list[Step]:
    """The steps of units that move together.

    :raises Unreadable: when they do not stand together: a stack begins its move in one hex [11.5]
    """
    start = force[0].place
    if apart := next((u for u in force if u.place != start), None):
        words = f"{label(apart)} is in {apart.place}, not in {start}: only units of one hex move together"
        raise Unreadable(words, field="unit", given=apart.id, rule="11.5")
    return read_hexes(game, force[0].side, start, hexes)


def work_out(ctx: Context, force: Sequence[Unit], mf: int | None, steps: list[Step]) -> Breakdown:
    """The move of units on record: the stack gets as far as the slowest, each paying by its class [11.7, 11.8].

    :param mf: the factor typed for those who have none on record
    """
    sheet = Breakdown("Movement")
    alike: dict[tuple[Mover, tuple[Reason, ...]], list[Unit]] = {}
    for unit in force:
        alike.setdefault((_mover(ctx.game, unit, mf), _causes(ctx.game, unit)), []).append(unit)
    walked: dict[str, Walked] = {}
    known: list[int] = []
    for (mover, causes), units in alike.items():
        who = " and ".join(map(label, units)) if len(alike) > 1 else ""
        if mover.mf is not None:
            known.append(_halved(sheet, mover.mf, causes, who))
            mover = replace(mover, mf=known[-1])
        if mover.spent:
            sheet.add(f"{f'{who}, ' if who else ''}used up in this phase", f"-{mover.spent}", "10.1, 11.2")
        made = walk(sheet, _some(steps), mover, who)
        walked |= {u.id: made for u in units}
    _tell(sheet, list(walked.values()), len(steps), min(known, default=None))
    ahead = max(w.made for w in walked.values())
    if ahead > sheet.facts["steps"]:
        slow = [label(u) for u in force if walked[u.id].made < ahead]
        sheet.add(f"faster units may go on: leave {' and '.join(slow)} behind", "", "11.7")
    for army in armies_of(force):
        if restricted(ctx.game, army) and not area(ctx.game, WEST):
            sheet.add(f"{army} stays on its own side of the front line", "not checked", "6.2")
    sheet.facts["costs"] = {name: w.cost for name, w in walked.items()}
    sheet.warnings += map(str, _doubts(ctx, force, steps))
    return sheet


def _tell(sheet: Breakdown, walked: Sequence[Walked], steps: int, mf: int | None) -> None:
    """How far all of them get together."""
    made = min(w.made for w in walked)
    left = min((w.left for w in walked if w.left is not None), default=None)
    sheet.facts.update(steps=made, mf=mf)
    if made < steps:
        sheet.result = f"stops after {made} of {steps}"
    elif left is None:
        sheet.result = f"costs {max(w.cost for w in walked)} MP"
    else:
        sheet.facts["left"] = left
        sheet.result = f"gets there, {left} MP left"


def _mover(game: Game, unit: Unit, typed: int | None) -> Mover:
    known = factor(game, unit, "MF")
    return Mover(
        unit.side,
        mechanised(unit),
        typed if known is None else known,
        unit.place in enemy_zone(game, unit.side),
        unit.place in interdicted(game),
        int(game.mark(unit.id, SPENT) or 0),
    )


def _causes(game: Game, unit: Unit) -> tuple[Reason, ...]:
    """What halves the movement factor of a unit: want of supply [9.8], haste [13.4]."""
    out, late = out_of_supply(game, [unit]), hasty(game, unit.formation)
    return (*((OOS,) if out else ()), *((HASTE,) if late else ()))


def _halved(sheet: Breakdown, mf: int, causes: Sequence[Reason], who: str = "") -> int:
    """The movement factor once its halvings are done [9.8, 13.4]."""
    sheet.add(f"movement factor{f' of {who}' if who else ''}", str(mf), "11.1")
    for cause in causes:
        sheet.add(f"{cause.words}: half of {mf}", str(halve(mf)), cause.rule)
        mf = halve(mf)
    return mf


def _doubts(ctx: Context, force: Sequence[Unit], steps: Sequence[Step]) -> Iterator[Reason]:
    """What the rules have against this move; the players decide."""
    game, side = ctx.game, force[0].side
    yield from filter(None, (frozen(game, unit, "stays put") for unit in force))
    armies, west = armies_of(force), area(game, WEST)
    if len(armies) > 1:
        yield Reason(f"armies do not move together: {' + '.join(armies)}", "11.18")
    for army in armies:
        beyond = [s.hex for s in steps if s.hex and west and s.hex not in west]
        if restricted(game, army) and beyond:
            yield Reason(f"{army} may not pass the front line: {', '.join(beyond)}", "6.2")
    for step in steps:
        if any(u.side != side for u in game.units_at(step.hex) if u.on_map):
            yield Reason(f"{step.hex} is held by the enemy", "11.4")
    for step in steps:
        friends = [u for u in game.units_at(step.hex) if u.side == side and u not in force]
        crowd = over_limit(side) if excess(side, [*friends, *force]) else None
        open_to_us = [u for u in friends if may_see_unit(game, u, ctx.seat)]
        if step.hex and (crowd := crowd or mixed([*open_to_us, *force])):
            yield Reason(f"{step.hex}: {crowd}; also in passing", "7.2")
