"""German divisions broken down into regiments and put together again [15.2]; Ersatz battalions [20.1]."""

from __future__ import annotations

from typing import Annotated

from companion.engine.errors import NotNow
from companion.engine.forms.fields import HexId, UnitRef, Whole
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import on_map
from companion.engine.record.changes import create, move, put_mark
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import books, chits, ground
from companion.systems.kharkov_battles.base import AXIS, SOVIET, STAR, K, add, done, rules, scenario, tick
from companion.systems.kharkov_battles.losses import come_back
from companion.systems.kharkov_battles.units import (
    is_cadre,
    label,
    nation,
    printed_number,
    supply_state,
)

UNDER_STRENGTH = (57, 68, 88, 168)


def may_break_down(game: Game, unit: Unit) -> bool:
    """A full German infantry division away from enemy zones [15.21], no cadre, not Isolated [15.23].

    Four divisions of Second Kharkov have fewer than three regiments [20.2].
    """
    division = unit.side == AXIS and unit.kind == "infantry" and unit.size == "XX"
    return (
        division
        and nation(game, unit) == "german"
        and not is_cadre(game, unit)
        and chits.status(game, unit) != "reduced"
        and supply_state(game, unit) != "isolated"
        and not ground.in_ezoc(game, unit)
        and not (scenario(game) == K and printed_number(unit.name) in UNDER_STRENGTH)
    )


def _divisible(game: Game) -> list[Unit]:
    return [u for u in on_map(game, AXIS) if may_break_down(game, u)]


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
    when=lambda game: bool(_divisible(game)) or "no division on record may break down now",
)
def break_down(
    game: Game,
    unit: Annotated[
        str,
        UnitRef(
            label="Division",
            pick=lambda c: _divisible(c.game),
        ),
    ],
) -> Events:
    """The division goes to the Breakdown Pool, its chit to the cup, three regiments take its place."""
    held = game.units[unit]
    idle = [u for u in game.units.values() if u.place == "box:regiments"]
    total = books.limit(game, "breakdown regiments")
    if total is not None and len(_regiments(game)) - len(idle) + 3 > total:
        text = f"the counter mix has {total} breakdown regiments"
        raise NotNow(text, field="unit", given=unit, rule="15.23")
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
            facts = {"side": AXIS, "name": f"Regiment {new}", "kind": "breakdown regiment", "size": "III"}
            yield create(game, name, place, facts, reason=f"from {label(held)}")
        if state:
            yield put_mark(game, name, "supply", state, rule="8.3")


@rules.action(
    phase="maintenance",
    by=AXIS,
    rule="15.22",
    label="Recombine a division",
    order=4,
    when=lambda game: bool(broken_down(game)) or "the Breakdown Pool is empty",
)
def recombine(
    game: Game,
    hex: Annotated[str, HexId(label="Hex with three regiments")],
    division: Annotated[
        str,
        UnitRef(
            label="Division from the pool",
            pick=lambda c: broken_down(c.game),
        ),
    ],
) -> Events:
    """Three regiments in one hex, away from the enemy, become any division of the Breakdown Pool."""
    here = [u for u in game.units_at(hex) if u.kind == "breakdown regiment"][:3]
    if len(here) < 3:
        text = f"{hex} holds {len(here)} breakdown regiments, three are needed"
        raise NotNow(text, field="hex", given=hex, rule="15.22")
    if any(supply_state(game, u) == "isolated" for u in here):
        raise NotNow("Isolated units cannot recombine", field="hex", given=hex, rule="15.23")
    if ground.in_ezoc(game, here[0]):
        raise NotNow(f"{hex} is in an enemy zone", field="hex", given=hex, rule="15.22")
    for unit in here:
        yield move(game, unit.id, "box:regiments", reason="recombined", rule="15.22")
    yield move(game, division, hex, reason="recombined", rule="15.22")


@rules.action(
    phase="reinforcement",
    by=AXIS,
    rule="20.1",
    label="Place an Ersatz battalion",
    order=3,
    when=lambda game: (
        (scenario(game) == STAR and bool(game["ersatz"]) and not done(game, "ersatz"))
        or "no Ersatz battalion is available, or one was placed this turn [20.1]"
    ),
)
def place_ersatz(
    game: Game,
    hex: Annotated[str, HexId(label="Owned town or city")],
    strength: Annotated[int, Whole(label="Printed strength", low=1, high=9)] = 1,
) -> Events:
    """Put one available Ersatz battalion into an Axis-owned town or city; one a turn."""
    if game.mark(hex, "owner") == SOVIET:
        raise NotNow(f"{hex} is Soviet-owned", field="hex", given=hex, rule="20.1")
    if ground.known_map(game) and ground.size(game, hex) not in ("town", "city"):
        raise NotNow(f"{hex} is no town or city by your map book", field="hex", given=hex, rule="20.1")
    waiting = [u for u in game.units.values() if u.place == "box:ersatz"]
    if waiting:
        yield come_back(game, waiting[0], hex, "Ersatz", "20.1")
    else:
        number = sum(1 for u in game.units.values() if u.kind == "ersatz") + 1
        facts = {
            "side": AXIS,
            "name": f"Ersatz {number}",
            "kind": "ersatz",
            "size": "II",
            "factors": {"CS": strength or 1},
        }
        yield create(game, f"axis-ersatz-{number}", hex, facts, reason="Ersatz")
    yield from add(game, "ersatz", -1, "placed", "20.1")
    yield tick(game, "ersatz")
