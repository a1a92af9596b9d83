"""German divisions broken down into regiments and put together again [15.2]; Ersatz battalions [20.1]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from companion.engine.forms.fields import Context, HexId, UnitRef, Whole
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import count, on_map
from companion.engine.record.changes import create, move, put_mark
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import books, chits, ground
from companion.systems.kharkov_battles.base import (
    AXIS,
    SOVIET,
    STAR,
    K,
    Objection,
    add,
    done,
    rules,
    scenario,
    tick,
)
from companion.systems.kharkov_battles.losses import come_back
from companion.systems.kharkov_battles.units import (
    is_cadre,
    label,
    nation,
    printed_number,
    supply_state,
)

UNDER_STRENGTH = (57, 68, 88, 168)


def whole(game: Game, unit: Unit) -> Objection | None:
    """Why a unit cannot break down, or nothing: a full German infantry division away from the enemy may [15.21, 15.23].

    Four divisions of Second Kharkov have fewer than three regiments [20.2].
    """
    division = unit.side == AXIS and unit.kind == "infantry" and unit.size == "XX"
    if not division or nation(game, unit) != "german":
        return Objection("is no German infantry division", rule="15.21")
    if is_cadre(game, unit):
        return Objection("is a cadre", rule="15.23")
    if chits.status(game, unit) == "reduced":
        return Objection("has a reduced chit", rule="15.21")
    if supply_state(game, unit) == "isolated":
        return Objection("is Isolated", rule="15.23")
    if ground.in_ezoc(game, unit):
        return Objection("is in an enemy zone", rule="15.21")
    if scenario(game) == K and printed_number(unit.name) in UNDER_STRENGTH:
        return Objection("has fewer than three regiments", rule="20.2")
    return None


def may_break_down(game: Game, unit: Unit) -> bool:
    return whole(game, unit) is None


def _divisible(game: Game) -> list[Unit]:
    return [u for u in on_map(game, AXIS) if may_break_down(game, u)]


def _no_division(ctx: Context) -> Iterator[Objection]:
    game, unit = ctx.game, ctx.game.units[str(ctx.values["unit"])]
    why = whole(game, unit)
    if why:
        yield Objection(f"{label(unit)} {why.words}", rule=why.rule)
    total = books.limit(game, "breakdown regiments")
    in_use = [u for u in _regiments(game) if u.on_map]
    if total is not None and len(in_use) + 3 > total:
        yield Objection(f"the counter mix has {count(total, 'breakdown regiment')}", rule="15.23")


def broken_down(game: Game) -> list[Unit]:
    """The divisions in the Breakdown Pool."""
    return [u for u in game.units.values() if u.place == "box:breakdown"]


def _regiments(game: Game) -> list[Unit]:
    return [u for u in game.units.values() if u.kind == "breakdown regiment"]


@rules.action(
    phase="maintenance",
    by=AXIS,
    rule="15.21",
    label="Break down a division",
    secret=True,
    order=3,
    warns=_no_division,
    when=lambda game: (
        any(u.kind == "infantry" for u in on_map(game, AXIS)) or "no infantry division is on record"
    ),
)
def break_down(
    game: Game,
    unit: Annotated[
        str,
        UnitRef(
            label="Division",
            pick=lambda c: on_map(c.game, AXIS),
            suggest=lambda c: _divisible(c.game),
        ),
    ],
) -> Events:
    """The division goes to the Breakdown Pool, its chit to the cup, three regiments take its place."""
    held = game.units[unit]
    idle = [u for u in game.units.values() if u.place == "box:regiments"]
    place = held.place
    state = game.mark(unit, "supply")
    yield from chits.give_back(game, held, "broken down")
    yield move(game, unit, "box:breakdown", reason="broken down", rule="15.21")
    for number in range(3):
        if number < len(idle):
            name = idle[number].id
            yield come_back(game, idle[number], place, f"from {label(held)}", "15.21")
        else:
            new = len(_regiments(game)) + 1
            name = f"axis-regiment-{new}"
            kind = {"side": AXIS, "name": f"Regiment {new}", "kind": "breakdown regiment", "size": "III"}
            facts = {**kind, "factors": printed_on_regiments(game)}
            yield create(game, name, place, facts, reason=f"from {label(held)}")
        if state:
            yield put_mark(game, name, "supply", state, rule="8.3")


def printed_on_regiments(game: Game) -> dict[str, int]:
    """What is printed on breakdown regiments: they are generic, so one that is known tells it of all [15.22]."""
    return next((dict(u.factors) for u in _regiments(game) if u.factors.get("CS")), {})


def _three(game: Game, hex_id: str) -> list[Unit]:
    return [u for u in game.units_at(hex_id) if u.kind == "breakdown regiment"][:3]


class Depot(HexId):
    """A hex where regiments stand; those with three are offered."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        places = dict.fromkeys(u.place for u in _regiments(ctx.game) if len(_three(ctx.game, u.place)) == 3)
        return {**super().describe(ctx), "choices": [{"value": h, "label": h} for h in places if h]}


def _cannot_recombine(ctx: Context) -> Iterator[Objection]:
    game, hex_id = ctx.game, str(ctx.values["hex"])
    here = _three(game, hex_id)
    if len(here) < 3:
        words = f"{count(len(here), 'breakdown regiment')} on record in {hex_id}, three are needed"
        yield Objection(words, rule="15.22")
    if any(supply_state(game, u) == "isolated" for u in here):
        yield Objection("Isolated units cannot recombine", rule="15.23")
    if here and ground.in_ezoc(game, here[0]):
        yield Objection(f"{hex_id} is in an enemy zone", rule="15.22")


@rules.action(
    phase="maintenance",
    by=AXIS,
    rule="15.22",
    label="Recombine a division",
    order=4,
    warns=_cannot_recombine,
    when=lambda game: bool(broken_down(game)) or "the Breakdown Pool is empty",
)
def recombine(
    game: Game,
    hex: Annotated[str, Depot(label="Hex with three regiments")],
    division: Annotated[
        str,
        UnitRef(
            label="Division from the pool",
            pick=lambda c: broken_down(c.game),
        ),
    ],
) -> Events:
    """Three regiments in one hex, away from the enemy, become any division of the Breakdown Pool."""
    here = _three(game, hex)
    state = next((s for u in here if (s := supply_state(game, u))), "")
    for unit in here:
        yield move(game, unit.id, "box:regiments", reason="recombined", rule="15.22")
    yield move(game, division, hex, reason="recombined", rule="15.22")
    if state:  # what its regiments were judged this turn
        yield put_mark(game, division, "supply", state, rule="8.3")


def _in_hand(game: Game) -> list[Unit]:
    return [u for u in game.units.values() if u.place == "box:ersatz"]


def _no_depot(ctx: Context) -> Iterator[Objection]:
    game, hex_id = ctx.game, str(ctx.values["hex"])
    if game.mark(hex_id, "owner") == SOVIET:
        yield Objection(f"{hex_id} is Soviet-owned", rule="20.1")
    if ground.known_map(game) and ground.size(game, hex_id) not in ("town", "city"):
        yield Objection(f"{hex_id} is no town or city by your map book", rule="20.1")


@rules.action(
    phase="reinforcement",
    by=AXIS,
    rule="20.1",
    label="Place an Ersatz battalion",
    order=3,
    warns=_no_depot,
    when=lambda game: (
        (scenario(game) == STAR and bool(game["ersatz"]) and not done(game, "ersatz"))
        or "no Ersatz battalion is available, or one was placed this turn [20.1]"
    ),
)
def place_ersatz(
    game: Game,
    hex: Annotated[str, HexId(label="Owned town or city")],
    strength: Annotated[
        int,
        Whole(
            label="Printed strength",
            high=9,
            help="or when it first fights",
            when=lambda c: not _in_hand(c.game),
        ),
    ] = 0,
) -> Events:
    """Put one available Ersatz battalion into an Axis-owned town or city; one a turn."""
    waiting = _in_hand(game)
    if waiting:
        yield come_back(game, waiting[0], hex, "Ersatz", "20.1")
    else:
        number = sum(1 for u in game.units.values() if u.kind == "ersatz") + 1
        facts = {
            "side": AXIS,
            "name": f"Ersatz {number}",
            "kind": "ersatz",
            "size": "II",
            "factors": {"CS": strength} if strength else {},
        }
        yield create(game, f"axis-ersatz-{number}", hex, facts, reason="Ersatz")
    yield from add(game, "ersatz", -1, "placed", "20.1")
    yield tick(game, "ersatz")
