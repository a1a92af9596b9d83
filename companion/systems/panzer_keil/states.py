"""The states of a unit and what changes them: readiness, disruption, supply [2.2.1, 5.3, 6, 11].

Every trigger is one function from state to state; a Mistake says why it cannot happen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from companion.engine.errors import NotNow
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import eliminate
from companion.engine.record import events as e
from companion.engine.record.changes import change, put_mark
from companion.engine.record.game import Game
from companion.systems.panzer_keil.base import DEAD, SOME_MECHANIZED, Fault, is_sixth, mechanized


@dataclass(frozen=True)
class State:
    """Where a unit stands in all three dimensions, and whether it still exists."""

    exhausted: bool = False
    disruption: str = ""
    """'', 'd' (disrupted) or 'ad' (attacker disrupted)."""
    supplied: bool = True
    gone: bool = False


@dataclass(frozen=True)
class Nature:
    """What a unit is, as far as its states depend on it."""

    mechanized: bool | None = True
    """None while its type is not on record: it is asked for where it matters, and nothing happens before."""
    sixth: bool = False
    turn_needs_supply: bool = True
    """Whether AD -> D needs supply; a reading [11.1]."""
    unit: str = ""
    name: str = ""


def _cannot(nature: Nature, why: str, rule: str) -> NotNow:
    """A trigger that cannot be pulled on a unit."""
    return NotNow(f"{nature.name}: {why}", field="units", given=nature.unit, rule=rule)


def forced_march(state: State, nature: Nature) -> State:
    """Flip, then move again: who has no other side, or lies on it, cannot [8.3, 8.3.1]."""
    if nature.mechanized is False:
        raise _cannot(nature, "only mechanized units can force march", "8.3.1")
    if state.exhausted:
        raise _cannot(nature, "it is exhausted already", "8.3.1")
    return replace(state, exhausted=True)


def one_hex(state: State, nature: Nature) -> State:
    """One hex in spite of too few points; it exhausts a mechanized unit [8.5.3]."""
    return replace(state, exhausted=True) if nature.mechanized else state


def attack(state: State, nature: Nature) -> State:
    """Whoever attacked is exhausted when the combat ends, if mechanized [9.9]."""
    return replace(state, exhausted=True) if nature.mechanized else state


def supply_point(state: State, nature: Nature) -> State:
    """One point, back to normal at once [6.3, B6.3.4]."""
    if nature.mechanized is False or not state.exhausted:
        raise _cannot(nature, "it is not exhausted", "B6.3")
    return replace(state, exhausted=False)


def hit(state: State, nature: Nature) -> State:
    """Disrupted as target or defender [5.3.1]; a second time changes nothing [5.3.3]."""
    return state if state.disruption else replace(state, disruption="d")


def repulsed(state: State, nature: Nature) -> State:
    """Disrupted as attacker [9.6]; a second time changes nothing [5.3.3]."""
    return state if state.disruption else replace(state, disruption="ad")


def river_retreat(state: State, nature: Nature) -> State:
    """A plain retreat over a major river disrupts [B10.3.3]."""
    return hit(state, nature)


def river_rout(state: State, nature: Nature) -> State:
    """A disruption result with a retreat over a major river eliminates [B10.3.3]."""
    return replace(state, gone=True)


def recover(state: State, nature: Nature) -> State:
    """D off in supply, AD turned to D first [11.1]; the 6th Army always [B13.1.2]."""
    able = state.supplied or nature.sixth
    if state.disruption == "ad":
        return replace(state, disruption="d") if able or not nature.turn_needs_supply else state
    return replace(state, disruption="") if able else state


def rally(state: State, nature: Nature) -> State:
    """Recovery of a unit that a player names, whose supply he knows better [11.1]."""
    return replace(state, disruption="d" if state.disruption == "ad" else "")


def lose_supply(state: State, nature: Nature) -> State:
    """No path in the own supply phase [6.1.6]; never the 6th Army [B13.1.1]."""
    return state if nature.sixth else replace(state, supplied=False)


def find_supply(state: State, nature: Nature) -> State:
    """A path again, or a place on the source itself [6.1.5]."""
    return replace(state, supplied=True)


Trigger = Callable[[State, Nature], State]

RULES: dict[Trigger, tuple[str, str]] = {
    forced_march: ("forced march", "8.3"),
    one_hex: ("one hex with too few points", "8.5.3"),
    attack: ("attacked", "9.9"),
    supply_point: ("supply point", "B6.3.4"),
    hit: ("disruption result", "5.3.1"),
    repulsed: ("attack thrown back", "9.6"),
    river_retreat: ("retreat over a major river", "B10.3.3"),
    river_rout: ("disrupted and over a major river", "B10.3.3"),
    recover: ("recovery", "11.1"),
    rally: ("recovery", "11.1"),
    lose_supply: ("no supply path", "6.1.6"),
    find_supply: ("supply path", "6.1.5"),
}


UNSUPPLIED: dict[Trigger, str] = {forced_march: "6.2, 8.3.1", supply_point: "6.3.1, B6.3.3"}
UNSETTLED: dict[Trigger, str] = {
    forced_march: "8.3.1",
    one_hex: "8.5.1",
    supply_point: "6.3.2, B6.3.3",
}
"""What is not for units out of supply, and what not for disrupted ones; the markers on the map know better."""


def objections(trigger: Trigger, state: State, nature: Nature) -> list[Fault]:
    """What the rules have against a trigger, to be said before it is pulled [6.2, 6.3.1, 6.3.2, 8.3.1, 8.5.1]."""
    found = []
    if trigger is rally and recover(state, nature) == state:
        found.append(Fault(f"{nature.name} is out of supply and does not recover", "11.1"))
    if not state.supplied and trigger in UNSUPPLIED:
        found.append(Fault(f"{nature.name} is out of supply", UNSUPPLIED[trigger]))
    if state.disruption and trigger in UNSETTLED:
        found.append(Fault(f"{nature.name} is disrupted", UNSETTLED[trigger]))
    return found


def against(game: Game, units: Iterable[str], trigger: Trigger) -> list[Fault]:
    """The same of units at the table."""
    held = [game.units[u] for u in units]
    return [fault for u in held for fault in objections(trigger, state_of(game, u), nature_of(game, u))]


def state_of(game: Game, unit: Unit) -> State:
    """A unit's state as its markers tell."""
    return State(
        bool(game.mark(unit.id, "exhausted")),
        str(game.mark(unit.id, "disrupted") or ""),
        not game.mark(unit.id, "oos"),
        unit.place == f"box:{DEAD}",
    )


def nature_of(game: Game, unit: Unit) -> Nature:
    needs_supply = bool(game["ad-needs-supply"])
    return Nature(mechanized(unit), is_sixth(unit), needs_supply, unit.id, unit.name or unit.id)


def put(game: Game, unit_id: str, trigger: Trigger, reason: str = "") -> Events:
    """Pull a trigger on a unit at the table: the events that change its markers."""
    unit = game.units[unit_id]
    before = state_of(game, unit)
    after = trigger(before, nature_of(game, unit))
    why, rule = RULES[trigger]
    if after.gone and not before.gone:
        yield from eliminate(game, unit, DEAD, reason or why, rule)
        return
    if (
        trigger is forced_march and mechanized(unit) is None
    ):  # only mechanized units can, so it is one [8.3.1]
        yield change(game, unit_id, {"kind": SOME_MECHANIZED}, reason="mechanized", rule="2.2.1")
    if after.exhausted != before.exhausted:
        yield put_mark(game, unit_id, "exhausted", after.exhausted or None, reason or why, rule)
    if after.disruption != before.disruption:
        yield put_mark(game, unit_id, "disrupted", after.disruption or None, reason or why, rule)
    if after.supplied != before.supplied:
        yield put_mark(game, unit_id, "oos", None if after.supplied else True, reason or why, rule)


def strip(game: Game, unit_id: str, keep: tuple[str, ...] = ()) -> Events:
    """Take a unit's markers off."""
    for marker in list(game.marks.get(unit_id, {})):
        if marker not in keep:
            yield e.Marked(unit_id, marker, None, reason="off the map")
