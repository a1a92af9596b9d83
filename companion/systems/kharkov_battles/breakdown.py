"""German divisions broken down into regiments and put together again [15.2]; Ersatz battalions [20.1]."""

from __future__ import annotations

from typing import Annotated

from companion.engine.errors import NotNow
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import HexId, UnitRef, Whole
from companion.engine.record.changes import create, move, put_mark
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import books, chits, ground
from companion.systems.kharkov_battles.base import AXIS, SOVIET, STAR, K, add, done, rules, scenario, tick
from companion.systems.kharkov_battles.units import (
    is_cadre,
    label,
    nation,
    on_map,
    printed_number,
    supply_state,
)

UNDER_STRENGTH = (57, 68, 88, 168)


def cannot_break_down(game: Game, unit: Unit) -> str:
    """Why a division cannot break down, or nothing [15.21, 15.23, 20.2]."""
    if unit.side != AXIS or unit.kind != "infantry" or unit.size != "XX" or nation(game, unit) != "german":
        return "is not a German infantry division [15.21]"
    if is_cadre(game, unit):
        return "is a cadre [15.23]"
    if chits.status(game, unit) == "reduced":
        return "has a reduced chit [15.21]"
    if supply_state(game, unit) == "isolated":
        return "is Isolated [15.23]"
    if ground.in_ezoc(game, unit):
        return "is in an enemy zone [15.21]"
    if scenario(game) == K and printed_number(unit.name) in UNDER_STRENGTH:
        return "has fewer than three regiments [20.2]"
    return ""


def _divisible(game: Game) -> list[Unit]:
    return [u for u in on_map(game, AXIS) if not cannot_break_down(game, u)]


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
            pick=lambda c: _divisible(c.game) if c.game else [],
        ),
    ],
) -> Events:
    """The division goes to the Breakdown Pool, its chit to the cup, three regiments take its place."""
    held = game.units[unit]
    idle = [u for u in game.units.values() if u.place == "box:regiments"]
    total = books.limit(game, "breakdown regiments")
    known = [u for u in game.units.values() if u.kind == "breakdown regiment"]
    if total is not None and len(known) - len(idle) + 3 > total:
        raise NotNow(f"the counter mix has {total} breakdown regiments [15.23]", field="unit", given=unit)
    place = held.place
    state = game.mark(unit, "supply")
    yield from chits.give_back(game, held, "broken down")
    yield move(game, unit, "box:breakdown", reason="broken down", rule="15.21")
    for number in range(3):
        if number < len(idle):
            name = idle[number].id
            yield move(game, name, place, reason=f"from {label(held)}", rule="15.21")
        else:
            name = (
                f"axis-regiment-{sum(1 for u in game.units.values() if u.kind == 'breakdown regiment') + 1}"
            )
            facts = {
                "side": AXIS,
                "name": f"Regiment {name.rsplit('-', 1)[1]}",
                "kind": "breakdown regiment",
                "size": "III",
            }
            yield create(game, name, place, facts, reason=f"from {label(held)}")
        if state:
            yield put_mark(game, name, "supply", state, rule="8.3")


@rules.action(
    phase="maintenance",
    by=AXIS,
    rule="15.22",
    label="Recombine a division",
    order=4,
    when=lambda game: (
        any(u.place == "box:breakdown" for u in game.units.values()) or "the Breakdown Pool is empty"
    ),
)
def recombine(
    game: Game,
    hex: Annotated[str, HexId(label="Hex with three regiments")],
    division: Annotated[
        str,
        UnitRef(
            label="Division from the pool",
            pick=lambda c: [u for u in c.game.units.values() if u.place == "box:breakdown"] if c.game else [],
        ),
    ],
) -> Events:
    """Three regiments in one hex, away from the enemy, become any division of the Breakdown Pool."""
    here = [u for u in game.units_at(hex) if u.kind == "breakdown regiment"][:3]
    if len(here) < 3:
        raise NotNow(
            f"{hex} holds {len(here)} breakdown regiments, three are needed [15.22]", field="hex", given=hex
        )
    if any(supply_state(game, u) == "isolated" for u in here):
        raise NotNow("Isolated units cannot recombine [15.23]", field="hex", given=hex)
    if ground.in_ezoc(game, here[0]):
        raise NotNow(f"{hex} is in an enemy zone [15.22]", field="hex", given=hex)
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
    if done(game, "ersatz"):
        raise NotNow("one Ersatz battalion a turn [20.1]")
    if game.mark(hex, "owner") == SOVIET:
        raise NotNow(f"{hex} is Soviet-owned [20.1]", field="hex", given=hex)
    if ground.known_map(game) and ground.size(game, hex) not in ("town", "city"):
        raise NotNow(f"{hex} is no town or city by your map book [20.1]", field="hex", given=hex)
    waiting = [u for u in game.units.values() if u.place == "box:ersatz"]
    if waiting:
        yield move(game, waiting[0].id, hex, reason="Ersatz", rule="20.1")
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
