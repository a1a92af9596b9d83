"""Movement: allowances, what a hex costs, strategic marks, overruns, stacking [3.0, 12.0]."""

from __future__ import annotations

from collections.abc import Container
from fractions import Fraction
from math import ceil
from typing import Annotated

from companion.engine.errors import NotNow
from companion.engine.forms.fields import Choice, Context, Flag, HexId, Whole
from companion.engine.forms.panels import Fact, Panel
from companion.engine.forms.worksheet import Breakdown
from companion.engine.kit.roster import Unit
from companion.engine.once import once
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import on_map
from companion.engine.record import events as e
from companion.engine.record.changes import move, put_mark
from companion.engine.record.game import Game
from companion.engine.record.sight import may_see_mark
from companion.systems.wb95.base import (
    ATTACK,
    MOVE,
    STACKING,
    STRATEGIC,
    active_units,
    at_hexes,
    is_gun,
    is_regular,
    marching,
    rules,
    take_off_own,
    units_to_tap,
)
from companion.systems.wb95.entry import words
from companion.systems.wb95.named import Named, with_new
from companion.systems.wb95.needed import NeededUnits, unless
from companion.systems.wb95.pursuit import overrun
from companion.systems.wb95.terrain import CLASSES, GROUND, ROADS, WATER, step_cost
from companion.systems.wb95.zones import zones


@rules.worksheet(rule="3.1.5, 10.2.2, 12.2.3", title="Movement allowance")
def allowance(
    ctx: Context,
    mp: Annotated[int, Whole(label="Movement points", low=1, high=30)],
    out_of_supply: Annotated[bool, Flag(label="Out of supply")] = False,
    pays: Annotated[bool, Flag(label="Pays a level for all of it")] = False,
    strategic: Annotated[bool, Flag(label="Strategic movement")] = False,
    zone_change: Annotated[bool, Flag(label="Enters by the next zone")] = False,
    hindered: Annotated[int, Whole(label="German air SP where it starts", high=2)] = 0,
) -> Breakdown:
    """What a unit has to move with."""
    sheet = Breakdown("Movement allowance")
    left = Fraction(mp)
    sheet.add("printed", f"{mp} MP")
    if out_of_supply and pays:
        sheet.add("out of supply, pays", "+1 level", "10.2.3")
    elif out_of_supply:
        half = left / 2
        left = Fraction(ceil(half)) if ctx.game["half-mp"] == "up" else half
        sheet.add("out of supply", f"{words(left)} MP", "10.2.2")
    if zone_change:
        left = left / 2
        sheet.add("next entry zone", f"{words(left)} MP", "11.2.1")
    if strategic:
        left = max(Fraction(0), left - 2)
        sheet.add("strategic movement", "-2 MP", "12.2.3")
    if hindered:
        left = max(Fraction(0), left - hindered)
        sheet.add("starts under aircraft", f"-{hindered} MP", "8.2.16")
    sheet.result = f"{words(left)} MP"
    sheet.facts = {"mp": words(left)}
    return sheet


@rules.worksheet(rule="3.1.11-3.1.13", title="Cost of a hex")
def hex_cost(
    ctx: Context,
    klass: Annotated[
        str, Choice(label="Unit", options=CLASSES, quiet=lambda c: bool(c.values.get("hq")))
    ] = "foot",
    terrain: Annotated[
        tuple[str, ...], Choice(label="Terrain", options=[(g, g) for g in GROUND], many=True)
    ] = (),
    water: Annotated[
        tuple[str, ...], Choice(label="Across", options=[(w, w) for w in WATER], many=True)
    ] = (),
    road: Annotated[str, Choice(label="By road", options=[("", "no"), *((r, r) for r in ROADS)])] = "",
    leaves_zone: Annotated[bool, Flag(label="Leaves an enemy zone")] = False,
    aircraft: Annotated[int, Whole(label="German air SP on the hex (Soviets)", high=2)] = 0,
    mp: Annotated[int, Whole(label="MP at the start of the phase", high=30, help="0: leave it out")] = 0,
    hq: Annotated[bool, Flag(label="A headquarters")] = False,
) -> Breakdown:
    """Terrain and water add up; one hex never costs more than the unit started with."""
    sheet = Breakdown("Cost of a hex")
    klass = "trucked" if hq else klass  # a headquarters moves like trucks [9.1.2]
    cost = step_cost(ctx.game, klass, terrain, water, road)
    if cost is None:
        if not hq:
            sheet.result = "closed"
            sheet.add(f"{', '.join(terrain)} for {klass}", "closed", "tables")
            return sheet
        cost = Fraction(5)
        sheet.add("headquarters on ground closed to trucks", "5 MP", "9.1.3")
    else:
        sheet.add(road or ", ".join([*(terrain or ("clear",)), *water]), f"{words(cost)} MP", "3.1.12")
    if leaves_zone:
        cost += 1
        sheet.add("leaves an enemy zone", "+1 MP", "4.2.6")
    if aircraft:
        cost += aircraft
        sheet.add("under aircraft", f"+{aircraft} MP", "8.2.13")
    if mp and cost > mp:
        cost = Fraction(mp)
        sheet.add("never more than it started with", f"{mp} MP", "3.1.13")
    sheet.result = f"{words(cost)} MP"
    sheet.facts = {"mp": words(cost)}
    return sheet


def _free(ctx: Context) -> list[Unit]:
    """Units out of enemy zones and not yet set aside [12.2.1]."""
    game = ctx.game
    threat = zones(game, game.other(game.active)) if game.active else {}
    return [u for u in active_units(ctx) if u.place not in threat and not game.mark(u.id, "strategic")]


def _against_setting_aside(ctx: Context) -> list[str]:
    """From an enemy zone nobody moves strategically [12.2.1]."""
    game = ctx.game
    threat = zones(game, game.other(game.active)) if game.active else {}
    named = [game.units[u] for u in ctx.values.get("units") or ()]
    return [f"{u.name} is in an enemy zone (12.2.1)" for u in named if u.place in threat]


@rules.action(
    phase=MOVE, by="active", rule="12.1.4", label="Mark for strategic move", order=10, warns=_against_setting_aside,
    when=lambda game: bool(game["strategic-movement"]) or "strategic movement is not played [12.0]",
)  # fmt: skip
def mark_strategic(
    game: Game,
    units: Annotated[
        tuple[str, ...],
        NeededUnits(
            label="Units that do not move now",
            many=True,
            pick=active_units,
            suggest=_free,
            when=lambda c: bool(active_units(c)),
            needed=unless("named"),
        ),
    ] = (),
    named: Named = "",
    seat: str = "",
) -> Events:
    """Set units aside: they neither move nor fight now, and move after combat with 2 MP less."""
    units = yield from with_new(game, seat, units, named)
    for unit in units:
        yield put_mark(game, unit, "strategic", True, rule="12.1.4")


def _unmark(game: Game) -> Events:
    """Strategic movement is over [12.1.4]."""
    yield from take_off_own(game, "strategic")


for _phase in STRATEGIC:
    rules.leaving(_phase)(_unmark)


@rules.worksheet(rule="6.1.7", title="Overrunning guns")
def overrun_cost(
    ctx: Context,
    guns: Annotated[int, Whole(label="Towed guns alone in the hex", low=1, high=8)],
    fortified: Annotated[bool, Flag(label="Fortified")] = False,
) -> Breakdown:
    """1 MP a battery, and 1 more in all when they are fortified."""
    sheet = Breakdown("Overrunning guns")
    sheet.add(f"{guns} batteries", f"{guns} MP", "6.1.7")
    if fortified:
        sheet.add("fortified", "+1 MP", "6.1.7")
    total = guns + (1 if fortified else 0)
    sheet.result, sheet.facts = f"{total} MP", {"mp": total}
    return sheet


NEAR = 10  # as far as a unit may come in a move, for the list to tap


def _regulars(ctx: Context) -> list[Unit]:
    return [u for u in active_units(ctx) if is_regular(u)]


def _in_reach(ctx: Context) -> list[Unit]:
    """Regular units not too far from the hex that is entered."""
    hex_id = str(ctx.values.get("hex") or "")
    return [u for u in _regulars(ctx) if hex_id and ctx.game.maps.distance(u.place, hex_id) <= NEAR]


@marching(rule="6.1.7, 9.1.5", label="Overrun guns or an HQ", order=25)
def overrun_hex(
    game: Game,
    hex: Annotated[str, HexId(label="Hex entered")],
    unit: Annotated[
        str, units_to_tap("Unit that enters", _regulars, _in_reach, many=False, help="moves there on record")
    ] = "",
) -> Events:
    """A regular unit enters a hex that only guns or headquarters hold: they are eliminated."""
    victim = game.other(game.active)
    here = at_hexes(game, victim, [hex])
    if not here:
        yield e.Noted(f"{hex} entered: guns or headquarters there are lost", rule="6.1.7, 9.1.5")
        if unit:
            yield move(game, unit, hex, reason="overrun", rule="6.1.7")
        return
    guns = sum(1 for u in here if is_gun(u))
    cost = guns + (1 if guns and game.mark(hex, "fort") else 0)
    before = len(here)
    yield from overrun(game, victim, [hex])
    if len(at_hexes(game, victim, [hex])) == before:
        raise NotNow(
            f"a regular unit holds {hex}: it must be attacked", field="hex", given=hex, rule="6.1.7, 9.1.5"
        )
    if cost:
        yield e.Noted(f"Overrun at {hex}: {cost} MP", rule="6.1.7")
    if unit:
        yield move(game, unit, hex, reason="overrun", rule="6.1.7")


@rules.panel
def set_aside(game: Game, seat: str) -> Panel | None:
    """Who may still move after combat: under fog its own side's business, for the marks are hidden too."""
    marked = [game.units[u] for u in game.marked("strategic") if u in game.units and game.units[u].on_map]
    marked = [u for u in marked if may_see_mark(game, u.id, "strategic", seat)]
    if not marked or game.phase not in (*MOVE, *STRATEGIC):
        return None
    rows = [Fact(unit.name, unit.place, "12.1.4") for unit in sorted(marked, key=lambda u: (u.place, u.name))]
    return Panel("Strategic movement", rows, first=game.phase in STRATEGIC)


def _crowded(game: Game, sides: Container[str]) -> dict[str, int]:
    """Hexes with more than 8 CEL of these sides, and how many [3.2.1, 3.2.2]."""
    loads = {place: sum(u.steps for u in stack if u.side in sides) for place, stack in _heavy(game).items()}
    return {place: cel for place, cel in loads.items() if cel > STACKING}


@once
def _heavy(game: Game) -> dict[str, list[Unit]]:
    """Stacks with more than 8 CEL, whose ever."""
    loads: dict[str, int] = {}
    for unit in on_map(game):
        loads[unit.place] = loads.get(unit.place, 0) + unit.steps
    return {place: game.stacks()[place] for place in sorted(p for p in loads if loads[p] > STACKING)}


@rules.due_in(*MOVE, *ATTACK, *STRATEGIC)
def too_many(game: Game) -> list[str]:
    """Nobody's stack is over the limit when a phase ends [3.2.1]; how far over is its owner's business."""
    return [f"{place} holds more than {STACKING} CEL (3.2.1)" for place in _crowded(game, [game.active])]


@rules.panel
def stacking(game: Game, seat: str) -> Panel | None:
    """Hexes over the limit of 8 CEL, of the seat's own side; the tablet sees both."""
    open_book = seat in game.sides or not game["fog"]
    rows = [
        Fact(place, f"{cel} CEL of {STACKING}" if open_book else "too many", "3.2.1")
        for place, cel in _crowded(game, game.sides if seat == "table" else [seat]).items()
    ]
    return Panel("Over the stacking limit", rows, first=True) if rows else None
