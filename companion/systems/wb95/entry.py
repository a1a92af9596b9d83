"""Reinforcements: entry zones, delays, stacks at one hex, leaving the map, Izjum's reserves [11.0]."""

from __future__ import annotations

import re
from fractions import Fraction
from math import ceil
from typing import Annotated

from companion.engine.errors import Mistake
from companion.engine.forms.fields import Context, Flag, Text, UnitRef, Whole
from companion.engine.forms.panels import Fact, Panel
from companion.engine.forms.worksheet import Breakdown
from companion.engine.kit.roster import Unit
from companion.engine.once import once
from companion.engine.people.units import due, waits
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import count, on_map
from companion.engine.record import events as e
from companion.engine.record.changes import change, move
from companion.engine.record.game import Game
from companion.systems.wb95.base import (
    GERMAN,
    STACKING,
    active_units,
    in_1942,
    marching,
    refusal,
    rules,
)

ZONES = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LAST = "T"
PER_TURN = 3  # [11.2.2]
COST = re.compile(r"[0-9]{1,3}(\.[0-9]{1,3}|/[0-9]{1,2})?|\.[0-9]{1,3}")


def amount(text: str, name: str) -> Fraction:
    """A cost as it is typed: `2`, `0.5` or `1/2`."""
    plain = text.strip().replace(",", ".")
    try:
        if COST.fullmatch(plain) is None:  # Fraction itself would also take 1e999999, and work on it for long
            raise ValueError
        return Fraction(plain)
    except (ValueError, ZeroDivisionError):
        raise refusal(f"{text!r} is not a cost: write 2, 0.5 or 1/2", field=name, given=text) from None


def words(value: Fraction) -> str:
    """A cost as it is printed: `2`, `0.5` or `1/3`."""
    plain = float(value)
    return f"{plain:g}" if value.denominator in (1, 2, 4, 5, 10) else str(value)


@rules.worksheet(rule="11.1.5", title="Entry by stacks")
def stack_entry(
    ctx: Context,
    cost: Annotated[str, Text(label="Cost of the entry hex", most=8, placeholder="0.5")],
    cel: Annotated[int, Whole(label="CEL entering", high=200)] = 0,
    stacks: Annotated[int, Whole(label="or stacks", high=30)] = 0,
    mp: Annotated[int, Whole(label="MP of the slowest", high=30, help="0: leave it out")] = 0,
) -> Breakdown:
    """The first stack pays the hex once, the second twice, and so on."""
    sheet = Breakdown("Entry by stacks")
    least = ceil(cel / STACKING)
    number_of = max(stacks, least)
    if not number_of:
        raise refusal("give the CEL that enter, or the number of stacks", field="cel", rule="11.1.5")
    if cel:
        sheet.add(f"{cel} CEL at {STACKING} to a hex", f"at least {least} stacks", "3.2.1")
    base = amount(cost, "cost")
    costs = [base * n for n in range(1, number_of + 1)]
    for number, price in enumerate(costs, 1):
        late = " (must wait or change zone)" if mp and price > mp else ""
        sheet.add(f"stack {number}", f"{words(price)} MP{late}", "11.1.5")
    sheet.facts = {"stacks": number_of, "costs": [words(c) for c in costs]}
    return sheet


def read_zone(text: str, field: str) -> str:
    """The letter of a zone, written `C` or, as the lists have it, `zone C`."""
    letter = text.strip().upper().removeprefix("ZONE ")
    if len(letter) != 1 or letter not in ZONES:
        raise refusal(f"{text!r} is no entry zone: a letter from A", field=field, given=text, rule="11.2")
    return letter


def zone_distance(a: str, b: str, circle: bool) -> int:
    """Steps between two zones, in a line or, as a table may read it, in a circle [11.2]."""
    apart = abs(ZONES.index(a) - ZONES.index(b))
    return min(apart, ZONES.index(LAST) + 1 - apart) if circle else apart


@rules.worksheet(rule="11.2", title="Change of entry zone")
def zone_change(
    ctx: Context,
    printed: Annotated[str, Text(label="Zone of the list", most=8, placeholder="C")],
    wanted: Annotated[str, Text(label="Zone wanted", most=8, placeholder="D")],
    mp: Annotated[int, Whole(label="Movement points", high=30)] = 7,
) -> Breakdown:
    """The next zone at once with half the movement, or three zones for every turn of waiting."""
    sheet = Breakdown("Change of entry zone")
    apart = zone_distance(
        read_zone(printed, "printed"), read_zone(wanted, "wanted"), ctx.game["zones-circle"]
    )
    wait = ceil(apart / PER_TURN)
    now = mp if apart == 0 else Fraction(mp, 2) if apart == 1 else None
    if apart == 0:
        sheet.add("its own zone", f"{mp} MP now", "11.1.2")
    elif now is not None:
        sheet.add("next zone, this phase", f"{words(Fraction(now))} MP", "11.2.1")
    if apart:
        sheet.add(
            f"{count(apart, 'zone')} away, after {count(wait, 'turn')} of waiting", f"{mp} MP", "11.2.2"
        )
    sheet.facts = {"distance": apart, "wait": wait, "now": None if now is None else words(Fraction(now))}
    return sheet


def _waiting(ctx: Context) -> list[Unit]:
    off = [u for u in _to_enter(ctx.game) if ctx.game.active in {"", u.side}]
    return [u for u in off if ctx.seat in {"table", u.side}]


@once
def _to_enter(game: Game) -> list[Unit]:
    """Units of both sides that wait to enter by a zone."""
    return [u for u in game.units.values() if u.entry.startswith("zone ") and waits(game, u)]


def _due_units(ctx: Context) -> list[Unit]:
    """Those whose day has come; who sends others on their way early may still name them."""
    named = {n for _, a in due(ctx.game) for n in a.units}
    return [u for u in _waiting(ctx) if u.id in named] or _waiting(ctx)


def _somebody_waits(game: Game) -> bool | str:
    return bool(_waiting(Context(game, "table"))) or "nobody waits to enter by a zone"


def _apart(game: Game, unit: Unit, letter: str) -> int:
    """Zones between where the list or a way on lets a unit in, the nearest of several, and another [11.2]."""
    zones = [read_zone(z, "units") for z in unit.entry.removeprefix("zone ").split(" or ")]
    return min(zone_distance(z, letter, game["zones-circle"]) for z in zones)


def _next_door(ctx: Context) -> bool:
    """Whether every unit named may enter by the wanted zone at once [11.2.1]."""
    try:
        letter = read_zone(str(ctx.values.get("zone") or ""), "zone")
    except Mistake:
        return False
    named = [ctx.game.units[u] for u in ctx.values.get("units") or ()]
    today = all(u.turn <= ctx.game.turn for u in named)
    return bool(named) and today and all(_apart(ctx.game, u, letter) == 1 for u in named)


@marching(rule="11.2", label="Send to another zone", order=50, when=_somebody_waits)
def redirect_entry(
    game: Game,
    units: Annotated[
        tuple[str, ...],
        UnitRef(label="Units waiting", many=True, pick=_waiting, suggest=_due_units),
    ],
    zone: Annotated[str, Text(label="To zone", most=8, placeholder="D")],
    now: Annotated[bool, Flag(label="Enter there now, with half the MP", when=_next_door)] = False,
) -> Events:
    """Enter elsewhere: three zones for each turn of waiting, or the next zone at once with half the MP."""
    letter = read_zone(zone, "zone")
    for name in units:
        unit = game.units[name]
        wait = 0 if now else ceil(_apart(game, unit, letter) / PER_TURN)
        facts = {"entry": f"zone {letter}", "turn": max(unit.turn, game.turn) + wait}
        reason = "enters by the next zone, half its MP" if now else f"waits {count(wait, 'turn')}"
        yield change(game, name, facts, reason=reason, rule="11.2.1" if now else "11.2.2")


@rules.warns_of("arrive")
def _against_arriving(ctx: Context) -> list[str]:
    """Nobody enters where the enemy stands [3.1.8, 11.1.4]."""
    arrival = dict(due(ctx.game)).get(str(ctx.values.get("arrival") or ""))
    hex_id = str(ctx.values.get("hex") or "")
    sides = {ctx.game.units[n].side for n in arrival.units if n in ctx.game.units} if arrival else set()
    taken = {u.side for u in ctx.game.units_at(hex_id)} - sides if hex_id and sides else set()
    return [f"the enemy stands in {hex_id} (3.1.8)"] if taken else []


def _leavers(ctx: Context) -> list[Unit]:
    return [u for u in active_units(ctx) if u.side == ctx.game.active]


def _somebody_moves(game: Game) -> bool | str:
    return bool(on_map(game, game.active or "nobody")) or "nobody of this side is on record"


@marching(rule="11.2.3", label="Leave the map", order=51, when=_somebody_moves)
def leave_map(
    game: Game,
    units: Annotated[tuple[str, ...], UnitRef(label="Units", many=True, pick=_leavers)],
    zone: Annotated[str, Text(label="Through zone", most=8, placeholder="S")],
) -> Events:
    """Go off by an entry zone; from the next movement phase the units are reinforcements there."""
    letter = read_zone(zone, "zone")
    facts = {"entry": f"zone {letter}", "turn": game.turn + 1}
    for name in units:
        yield change(game, name, facts, reason="left the map", rule="11.2.3")
        yield move(game, name, "box:off-map", reason=f"left by zone {letter}", rule="11.2.3")


@rules.panel
def waiting_room(game: Game, seat: str) -> Panel | None:
    """A side's own units off the map that were sent elsewhere or left."""
    away = _off_map(game) if seat in game.sides else ()
    rows = [Fact(u.name, f"{u.entry}, from day {u.turn}", "11.2.3") for u in away if u.side == seat]
    return Panel("Off the map", rows) if rows else None


@once
def _off_map(game: Game) -> list[Unit]:
    return [u for u in game.units.values() if u.place == "box:off-map"]


@rules.action(
    rule="Kharkov 1942", label="Report the fall of Izjum", group="book-keeping", order=70,
    when=lambda game: in_1942(game) and game["izjum"] != GERMAN,
)  # fmt: skip
def izjum_falls(game: Game) -> Events:
    """The Germans captured Izjum: from the next day one more Soviet unit a day may enter by T."""
    yield e.Set("izjum", GERMAN, was=game["izjum"], reason="captured", rule="Kharkov 1942")


@rules.entering("turn")
def free_reserves(game: Game) -> Events:
    """One unit a day once Izjum has fallen, even if it is retaken."""
    freed = game["izjum-released"]
    if in_1942(game) and (game["izjum"] == GERMAN or freed) and freed < 5:
        yield e.Set("izjum-released", freed + 1, was=freed, reason="Izjum fell", rule="Kharkov 1942")
