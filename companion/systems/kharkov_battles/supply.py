"""Supply states [8.3]: Operational, Out of Supply, Isolated; how they change, and pocket attrition."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from companion.engine.errors import NotNow
from companion.engine.forms.fields import Choice, Context, Dice, Flag, HexId, Roll, SideRef, UnitRef, Whole
from companion.engine.forms.worksheet import Breakdown
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import owe
from companion.engine.positions.pieces import on_map
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING, put_mark
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import lines
from companion.systems.kharkov_battles.base import (
    AXIS,
    D10,
    JANUARY,
    Objection,
    done,
    only_its_own,
    own_phone,
    own_side,
    read_row,
    rules,
    scenario,
    tick,
    tick_line,
)
from companion.systems.kharkov_battles.casualties import owe_attrition
from companion.systems.kharkov_battles.units import is_cadre, is_mech, label, supply_state

ORDER = {"": 0, "oos": 1, "isolated": 2}
WORSE = {"": "oos", "oos": "isolated", "isolated": "isolated"}


def traces(game: Game, unit: Unit) -> bool:
    """Uncommitted units neither trace nor suffer [13.11]."""
    return unit.on_map and not game.mark(unit.id, "uncommitted")


def cut_off(game: Game, side: str) -> list[str]:
    """The side's units without a supply line by the positions on record."""
    return [
        name for name, answer in lines.supplies(game, side).items()
        if not answer.supplied and traces(game, game.units[name])
    ]  # fmt: skip


def next_state(game: Game, unit: Unit, cut: bool) -> str:
    """The state after this supply phase [8.3, 8.31]."""
    state = str(game.mark(unit.id, "supply") or "")
    if not cut:
        return ""
    starts_oos = scenario(game) == JANUARY and game.turn == 61 and game["j-24tank"] != "isolated"
    return "oos" if starts_oos and state == "oos" else WORSE[state]


def _next_side(ctx: Context) -> str:
    """A phone judges its own side, the table's screen whoever is left."""
    if own_phone(ctx):
        return own_side(ctx)
    return next((s for s in ctx.game.sides if not done(ctx.game, f"supply/{s}")), AXIS)


def _judged(ctx: Context) -> str:
    return str(ctx.values.get("side") or _next_side(ctx))


def _to_judge(ctx: Context) -> list[Unit]:
    return [u for u in on_map(ctx.game, _judged(ctx)) if traces(ctx.game, u)]


def _not_judged(ctx: Context) -> Iterator[Objection]:
    """Uncommitted units trace no supply and suffer no effects [13.11]."""
    for unit in (ctx.game.units[n] for n in ctx.values.get("cut") or ()):
        if not traces(ctx.game, unit):
            yield Objection(f"{label(unit)} is uncommitted: it is not judged", rule="13.11")


def _left(game: Game) -> str:
    """Whoever has still to judge."""
    late = [side for side in game.sides if not done(game, f"supply/{side}")]
    return late[0] if len(late) == 1 else "any"


@rules.action(
    phase="supply",
    by=_left,
    rule="8.3",
    label="Judge supply",
    primary=True,
    ticks=False,
    warns=_not_judged,
    when=lambda game: (
        any(not done(game, f"supply/{side}") for side in game.sides)
        or "both sides are judged for this turn; correct single units by marking them"
    ),
)
def judge_supply(
    game: Game,
    side: Annotated[str, SideRef(label="Side", start=_next_side, quiet=own_phone)],
    cut: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Units without a supply line",
            many=True,
            pick=lambda c: on_map(c.game, _judged(c)),
            suggest=_to_judge,
            start=lambda c: cut_off(c.game, _judged(c)),
            when=lambda c: bool(on_map(c.game, _judged(c))),
            help="filled in from the map where positions and sources are known",
        ),
    ] = (),
    hexes: Annotated[
        tuple[str, ...],
        HexId(label="Hexes without a supply line", many=True, help="stacks whose counters are not on record"),
    ] = (),
    seat: str = "",
) -> Events:
    """Move every unit of a side one step along Operational, OOS, Isolated; note who owes attrition."""
    only_its_own(game, seat, side, "judges its own supply")
    if done(game, f"supply/{side}"):
        text = f"{game.side_name(side)} supply is judged for this turn; correct single units by marking them"
        raise NotNow(text, field="side", given=side, rule="8.3")
    cut = (*cut, *(u.id for h in hexes for u in game.units_at(h) if u.side == side))  # those on record, too
    hexes = tuple(h for h in hexes if not any(u.side == side for u in game.units_at(h)))
    owing: dict[str, None] = {}
    for unit in [u for u in on_map(game, side) if traces(game, u)]:
        before = str(game.mark(unit.id, "supply") or "")
        after = next_state(game, unit, unit.id in cut)
        if before == after == "isolated":
            owing[unit.place] = None
        if before != after:
            why = "" if after else "Operational again"
            yield put_mark(game, unit.id, "supply", after or None, reason=why, rule="8.3")
            if after == "isolated" and game["attrition-who"] == "old":
                yield tick(game, f"isolated/{unit.id}")
        if after:
            yield from stop_work(game, unit)
    marker = f"supply-{side}"
    for h in dict.fromkeys((*game.marked(marker), *hexes)):
        before = str(game.mark(h, marker) or "")
        after = WORSE[before] if h in hexes else ""
        if before == after == "isolated":
            owing[h] = None
        if before != after:
            why = "" if after else "Operational again"
            yield e.Marked(h, marker, after or None, reason=why, rule="8.3")
    yield tick(game, f"supply/{side}", f"{game.side_name(side)} supply judged")
    if all(done(game, f"supply/{s}") for s in game.sides):
        yield from tick_line(game, "judge-supply")
    for h in owing:
        text = f"Attrition: roll for the pocket in {h}"
        yield owe(game, side, text, roll_attrition, rule="8.4", side=side, hex=h)


@rules.due_in("supply")
def supply_due(game: Game) -> list[str]:
    """Each side with counters or marked stacks on record is judged once a turn [8.3]."""
    sides = [s for s in game.sides if on_map(game, s) or game.marked(f"supply-{s}")]
    return [f"judge {game.side_name(s)} supply [8.3]" for s in sides if not done(game, f"supply/{s}")]


def stop_work(game: Game, unit: Unit) -> Iterator[e.Event]:
    """A builder out of supply lays down the spade [18.16]."""
    here = game.mark(unit.id, "builder")
    if here:
        yield e.Marked(str(here), f"building-{unit.side}", None, reason="builder out of supply", rule="18.16")
        yield put_mark(game, unit.id, "builder", None, reason="builder out of supply", rule="18.16")


@rules.watch
def forget_supply(game: Game) -> Events:
    """A unit off the map has no supply state: whoever comes back from a box is Operational [8.31]."""
    for name in list(game.marked("supply")):
        unit = game.units.get(name)
        if unit is not None and not unit.on_map:
            yield put_mark(game, name, "supply", None, reason=IN_PASSING, rule="8.31")


def attrition_roll(game: Game, die: int) -> int:
    """One more in Freeze, never above 9 [19.22]."""
    return min(9, die + 1) if game["weather"] == "freeze" else die


@rules.follow_up(rule="8.4", label="Roll attrition")
def roll_attrition(
    game: Game, duty: e.Asked, die: Annotated[Roll, Dice(spec=D10, purpose="Attrition")]
) -> Events:
    """One roll for a stack that was Isolated before and still is."""
    side, hex = str(duty.args["side"]), str(duty.args["hex"])
    sheet = Breakdown(f"Attrition in {hex}", column="result", dice=D10, roll=die.total)
    final = attrition_roll(game, die.total)
    sheet.add("die", str(die.total), "8.4")
    if final != die.total or game["weather"] == "freeze":
        sheet.add("Freeze, at most 9", final - die.total, "19.22")
    sheet.facts = {"side": side, "hex": hex}
    read_row(sheet, game.chart("attrition"), str(final))
    yield from rules.settle(game, "attrition", sheet, (side, "table"), "8.4")


@rules.outcome("attrition")
def attrition_outcome(game: Game, sheet: dict[str, Any], result: str) -> Events:
    """A number is steps to lose; anything else is for the players to carry out."""
    side, hex_id = str(sheet["facts"]["side"]), str(sheet["facts"]["hex"])
    digits = "".join(c for c in result if c.isdecimal())
    if digits and int(digits[0]) and len(digits) == 1:
        yield from owe_attrition(game, side, int(digits), hex_id)
    elif result.strip() not in {"-", "0", "NE", "none"}:
        yield owe(game, side, f"Attrition in {hex_id}: {result}", rule="8.4")


def best(game: Game, states: list[str]) -> str:
    """The most beneficial of some states [8.34]."""
    if "" in states or game["shared-oos"] != "strict":
        return min(states, key=lambda s: ORDER[s])
    return ""


@rules.leaving("axis-move")
def share_supply(game: Game) -> Events:
    """Units of one mechanized division stacked together take the better state [8.34]."""
    for stack in game.stacks().values():
        groups: dict[str, list[Unit]] = {}
        for unit in stack:
            if unit.side == AXIS and is_mech(unit) and unit.formation:
                groups.setdefault(unit.formation, []).append(unit)
        for formation, group in groups.items():
            states = [str(game.mark(u.id, "supply") or "") for u in group]
            if len(set(states)) < 2 or (game["shared-oos"] == "strict" and "" not in states):
                continue
            for unit, state in zip(group, states, strict=True):
                if state != best(game, states):
                    better = best(game, states) or None
                    yield put_mark(
                        game, unit.id, "supply", better, reason=f"stacked with {formation}", rule="8.34"
                    )


def allowance(
    printed: int, mech: bool, state: str, limited: bool, cadre_homeward: bool = False
) -> tuple[int, str]:
    """The movement allowance and the rule that made it [8.32, 8.33, 9.4, 9.42]."""
    if state:
        rule = "8.32" if state == "oos" else "8.33"
        if mech:
            return (3 if state == "oos" else 1), rule
        return printed // 2, rule
    if limited and not cadre_homeward:
        return (printed + 1) // 2, "9.4"
    return printed, "9.42" if limited else "10.53"


def _unit(ctx: Context) -> Unit | None:
    return ctx.game.units.get(str(ctx.values.get("unit") or ""))


def _unnamed(ctx: Context) -> bool:
    return _unit(ctx) is None


def _unprinted(ctx: Context) -> bool:
    unit = _unit(ctx)
    return unit is None or not unit.factors.get("MP")


def _may_go_home(ctx: Context) -> bool:
    """A cadre with Limited Support [9.42]."""
    unit = _unit(ctx)
    if unit is None:
        return bool(ctx.values.get("limited"))
    return is_cadre(ctx.game, unit) and bool(ctx.game.mark(unit.id, "ls"))


@rules.worksheet(rule="8.32, 8.33, 9.4", title="Movement allowance")
def movement(
    ctx: Context,
    unit: Annotated[
        str, UnitRef(label="Unit", pick=lambda c: on_map(c.game), when=lambda c: bool(on_map(c.game)))
    ] = "",
    printed: Annotated[int, Whole(label="Printed allowance", high=30, when=_unprinted)] = 0,
    mech: Annotated[bool, Flag(label="Mechanized", when=_unnamed)] = False,
    state: Annotated[
        str,
        Choice(
            label="Supply",
            options=(("ok", "Operational"), ("oos", "OOS"), ("isolated", "Isolated")),
            when=_unnamed,
        ),
    ] = "ok",
    limited: Annotated[bool, Flag(label="Limited Support", when=_unnamed)] = False,
    homeward: Annotated[bool, Flag(label="Cadre moving toward a source or HQ", when=_may_go_home)] = False,
) -> Breakdown:
    """How far a unit may go this turn: a counter on record tells all but what nobody copied from it."""
    found = ctx.game.units.get(unit)
    if found is not None:
        printed, mech = found.factors.get("MP") or printed, is_mech(found)
        state = supply_state(ctx.game, found) or "ok"
        limited = bool(ctx.game.mark(found.id, "ls"))
        homeward = homeward and is_cadre(ctx.game, found)
    if not printed:
        raise NotNow("enter the allowance printed on the counter", field="printed", rule="10.53")
    points, rule = allowance(printed, mech, "" if state == "ok" else state, limited, homeward)
    sheet = Breakdown("Movement allowance" + (f", {label(found)}" if found else ""))
    sheet.add("printed", str(printed), "10.53")
    if points != printed:
        why = {"8.32": "OOS", "8.33": "Isolated", "9.4": "Limited Support, rounded up"}[rule]
        sheet.add(why, f"{points} MP", rule)
    if state != "ok":
        sheet.add("no Strategic Movement, no Overrun", "", rule)
    sheet.facts = {"mp": points}
    sheet.result = f"{points} MP"
    return sheet
