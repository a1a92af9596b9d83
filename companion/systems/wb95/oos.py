"""Out of supply: levels, what raises them, surrender [10.2]."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import NotYours, Unreadable
from companion.engine.forms.fields import Choice, Context, Dice, HexId, Roll, SideRef, Text, UnitRef, Whole
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import owe, units_of
from companion.engine.positions.pieces import on_map
from companion.engine.positions.supply import may_trace, shown_ids
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING, fogged, put_mark
from companion.engine.record.game import Game
from companion.systems.wb95.base import (
    SUPPLY,
    active_units,
    anybody,
    at_hexes,
    level,
    rolls_itself,
    rules,
    touchable,
    units_to_tap,
    visible,
)
from companion.systems.wb95.losses import remove
from companion.systems.wb95.named import Named, NamedToo, with_new
from companion.systems.wb95.needed import NeededUnits, unless
from companion.systems.wb95.supply import supplies

REGAINED = 4  # [10.2.7]


def raise_level(game: Game, unit: str, by: int, reason: str, rule: str) -> Events:
    """Change a level at once [10.2.5]; at 0 or less the unit is itself again [10.2.8]."""
    now = max(0, level(game, unit) + by)
    yield put_mark(game, unit, "oos", now or None, reason=reason, rule=rule)


def after_combat(
    game: Game, attackers: Iterable[Unit], defenders: Iterable[Unit], driven_back: bool
) -> Events:
    """Units out of supply pay for a failed attack, and for being driven back [10.2.4]."""
    for unit in list(attackers):
        if level(game, unit.id) and not driven_back:
            yield from raise_level(game, unit.id, 1, "attack without a Dx result", "10.2.4")
    for unit in list(defenders):
        if level(game, unit.id) and driven_back:
            yield from raise_level(game, unit.id, 1, "attacked with a Dx result", "10.2.4")


def _cut_off(ctx: Context) -> list[str]:
    """Units of the side whose phase it is that the trace finds cut off [10.1]."""
    game = ctx.game
    return [name for name, answer in supplies(game, game.active).items() if not answer.supplied]


def _closed_and_cut_off(game: Game, seat: str) -> list[str]:
    """What the shared screen cannot tick because it lies hidden there is judged by the trace alone."""
    here = Context(game, seat)
    return [name for name in _cut_off(here) if not visible(here, [game.units[name]])]


def _in_doubt(ctx: Context) -> list[Unit]:
    """Units that the trace finds cut off, and those that were: the others are named by hex."""
    cut = set(_cut_off(ctx))
    return [u for u in active_units(ctx) if u.id in cut or level(ctx.game, u.id)]


@dataclass(frozen=True)
class AlsoCut(HexId):
    """Hexes of further units; the form says what the trace has found by itself."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        found = "" if _in_doubt(ctx) else "positions on record show nobody cut off"
        return {**super().describe(ctx), "help": found}


def checked(game: Game) -> bool:
    """Whether supply was judged in this phase."""
    return bool(game["supply-checked"] == f"{game.turn}/{game.phase}")


def fed(game: Game, unit: Unit) -> bool:
    """Whether a unit's zone takes hold of hexes: supplied; one still above level 0 is a table's reading [4.3.5]."""
    back = game["recovering-controls"] and checked(game) and not game.mark(unit.id, "cut-off")
    return not level(game, unit.id) or bool(back)


def _unchecked(game: Game) -> bool | str:
    return "supply was checked in this phase" if checked(game) else True


def _to_trace(game: Game) -> bool | str:
    nobody = "no unit of this side is on record: name those that are cut off"
    return _unchecked(game) if on_map(game, game.active) else nobody


@rules.due_in(*SUPPLY)
def supply_due(game: Game) -> list[str]:
    """Every unit of the side is traced in its supply phase [10.1.2]."""
    if checked(game) or not on_map(game, game.active):
        return []
    return [f"{game.side_name(game.active)}: supply is not checked yet (10.1.2)"]


@rules.action(
    phase=SUPPLY, by="active", rule="10.1, 10.2", label="Check supply", primary=True, when=_to_trace
)
def trace_supply(game: Game, seat: str = "") -> Events:
    """Set the levels as positions and map book tell; the answer is told where it was asked [10.1.2]."""
    yield from _judge(game, _cut_off(Context(game, game.active)), seat)


@rules.action(
    phase=SUPPLY, by="active", rule="10.1, 10.2", label="Name who is cut off", when=_unchecked, order=1
)
def check_supply(
    game: Game,
    out: Annotated[
        tuple[str, ...],
        units_to_tap(
            "Cannot trace supply",
            active_units,
            _in_doubt,
            help="ticked as far as positions and map book tell",
            start=_cut_off,
        ),
    ] = (),
    hexes: Annotated[
        tuple[str, ...], AlsoCut(label="Also cut off: all units in hexes", many=True, when=anybody)
    ] = (),
    named: NamedToo = "",
    seat: str = "",
) -> Events:
    """Set the levels: 1 for units newly cut off, 4 less for those back in supply; then surrender rolls."""
    side = game.active
    if named:
        out = yield from with_new(game, side, out, named)
    closed = _closed_and_cut_off(game, seat)
    yield from _judge(game, [*out, *closed, *(u.id for u in at_hexes(game, side, hexes))], seat)


def _judge(game: Game, out: Collection[str], seat: str) -> Events:
    """Levels follow from who is cut off, and surrender rolls from levels [10.2.1, 10.2.6, 10.2.7]."""
    side = game.active
    for unit in on_map(game, side):
        had = level(game, unit.id)
        if bool(game.mark(unit.id, "cut-off")) != (unit.id in out):
            yield put_mark(game, unit.id, "cut-off", unit.id in out or None, reason=IN_PASSING, rule="10.2.1")
        if unit.id in out and not had:
            yield from raise_level(game, unit.id, 1, "no line of supply", "10.2.1")
        elif unit.id not in out and had:
            yield from raise_level(game, unit.id, -REGAINED, "line of supply traced", "10.2.7")
    yield e.Set("supply-checked", f"{game.turn}/{game.phase}", reason=IN_PASSING)
    if not out:
        only = fogged(game, side) if seat == side else ()  # whoever asks at the table is told at the table
        yield e.Noted(f"{game.side_name(side)}: nobody is cut off", rule="10.1.2", only=only)
    yield from _owe_surrender(game, [u for u in on_map(game, side) if u.id in out or game["late-surrender"]])


@rules.action(by="any", label="Apply the supply check", group="hidden")
def apply_supply(
    game: Game,
    side: Annotated[str, SideRef(label="Side")],
    out: Annotated[
        str, Text(label="Mark as out of supply", most=20_000, long=True, help="a unit a line")
    ] = "",
    back: Annotated[str, Text(label="Back in supply", most=20_000, long=True, help="a unit a line")] = "",
    seat: str = "",
) -> Events:
    """From the supply page: level 1 for the newly cut off, 4 less for those back; other levels stay."""
    if not may_trace(game, seat, side):
        raise NotYours("supply is judged on that side's phone or at the table", field="side", given=side)
    known = shown_ids(game, seat)
    if not out.strip() and not back.strip():
        raise Unreadable("nothing is ticked: tick the units whose marks are to change", field="out")
    for name in [known.get(line.strip(), "") for line in out.splitlines()]:
        if name and game.units[name].side == side and not level(game, name):
            yield from raise_level(game, name, 1, "no line of supply", "10.2.1")
    for name in [known.get(line.strip(), "") for line in back.splitlines()]:
        if name and game.units[name].side == side and level(game, name):
            yield from raise_level(game, name, -REGAINED, "line of supply traced", "10.2.7")


def _owe_surrender(game: Game, units: Iterable[Unit]) -> Events:
    """A roll for each unit, a stack at a time; two dice never roll less than 2, so levels 1 and 2 need none [10.2.6]."""
    stacks: dict[str, list[Unit]] = {}
    for unit in units:
        if level(game, unit.id) > 2:
            stacks.setdefault(unit.place, []).append(unit)
    for place, stack in stacks.items():
        side = stack[0].side
        kinds = ", ".join(f"{u.kind or 'unit'} level {level(game, u.id)}" for u in stack)
        only = fogged(game, side)  # the shared screen must not tell what stands there
        ids = [u.id for u in stack]
        text = f"{game.side_name(side)}: roll for surrender at {place}: {kinds}"
        yield owe(game, side, text, surrender_tests, units=ids, rule="10.2.6", only=only)


def _cut_off_still(game: Game, duty: e.Asked) -> bool:
    return any(level(game, u.id) > 2 for u in units_of(game, duty))


def _testing(ctx: Context) -> list[Unit]:
    there = units_of(ctx.game, ctx.duty) if ctx.duty else []
    return [u for u in there if level(ctx.game, u.id) > 2]


@rules.follow_up(rule="10.2.6", label="Roll for surrender", still=_cut_off_still, alone=rolls_itself)
def surrender_tests(
    game: Game,
    duty: e.Asked,
    dice: Annotated[
        Roll,
        Dice(
            label="Two dice for each unit",
            spec=lambda c: f"{2 * max(1, len(_testing(c)))}d6",
            each=True,
            purpose="surrender",
        ),
    ],
) -> Events:
    """Level less two dice: above 0 a unit surrenders; the whole stack rolls at once, two dice each in its order."""
    testing = [u for u in units_of(game, duty) if level(game, u.id) > 2]
    for number, unit in enumerate(testing):
        now, rolled = level(game, unit.id), sum(dice.values[2 * number : 2 * number + 2])
        if now > rolled:
            yield from remove(game, unit.id, f"surrendered: level {now}, rolled {rolled}", "10.2.6")
        else:
            yield e.Noted(f"{unit.place}: holds out (level {now}, rolled {rolled})", rule="10.2.6")


WHY = (
    ("move", "full movement (+1)"),
    ("attack", "full attack (+1)"),
    ("failed", "own attack without Dx (+1)"),
    ("hit", "attacked with Dx (+1)"),
    ("air", "supplied from the air (-1)"),
)


def _out(ctx: Context) -> list[Unit]:
    return [u for u in touchable(ctx) if level(ctx.game, u.id)]


def _somebody_out(game: Game) -> bool | str:
    return bool(game.marked("oos")) or "no unit on record is out of supply"


@rules.action(rule="10.2.3", label="Pay a supply level", group="book-keeping", order=51, when=_somebody_out)
def pay_level(
    game: Game,
    units: Annotated[tuple[str, ...], UnitRef(label="Units out of supply", many=True, pick=_out)],
    why: Annotated[str, Choice(label="For", options=WHY)] = "move",
) -> Events:
    """Pay a level for full movement or attack, or book another event, at once."""
    by, rule = (-1, "8.2.26") if why == "air" else (1, "10.2.3")
    for unit in units:
        yield from raise_level(game, unit, by, dict(WHY)[why], rule)


@rules.action(rule="10.2.1", label="Set supply levels", group="book-keeping", order=52)
def set_supply(
    game: Game,
    units: Annotated[
        tuple[str, ...],
        NeededUnits(label="Units", many=True, pick=touchable, when=anybody, needed=unless("named")),
    ] = (),
    named: Named = "",
    now: Annotated[int, Whole(label="Level", high=30, help="0: in supply")] = 1,
    seat: str = "",
) -> Events:
    """Set out-of-supply levels by hand."""
    units = yield from with_new(game, seat, units, named)
    for unit in units:
        yield put_mark(game, unit, "oos", now or None, reason="by hand", rule="10.2.1")
