"""What a result costs: losses first, then markers and retreats for those who are left [9.6]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from companion.engine.errors import Unreadable
from companion.engine.play.actions import Events
from companion.engine.play.fields import Choice, HexId, Text, UnitRef
from companion.engine.record.game import Game
from companion.systems.panzer_keil import states
from companion.systems.panzer_keil.base import named, rules
from companion.systems.panzer_keil.followup import ask, remind, those
from companion.systems.panzer_keil.results import ATTACKER, RESULTS, Result
from companion.systems.panzer_keil.retreat import ask_retreat

CODES = [(code, code) for code in RESULTS]


def suffer(game: Game, code: str, units: Sequence[str], attacker: str, battle: str) -> Events:
    """Apply a code to the units it hits: losses first, then markers and retreats [9.6]."""
    result = RESULTS[code]
    here = [u for u in units if game.units[u].on_map]
    owner = attacker if result.sufferer == ATTACKER else game.other(attacker)
    if result.all_lost or (here and len(here) <= result.losses):
        for unit in here:
            yield from states.eliminate(game, unit, code, "9.6")
    elif result.losses and here:
        text = f"{code}: lose {result.losses} of {named(game, here)}"
        args = {"among": here, "result": code, "attacker": attacker, "battle": battle}
        yield ask(game, owner, text, "lose-units", args, "9.6")
    elif here:
        yield from push(game, result, here, attacker, battle)
    else:
        yield remind(game, owner, f"{code}: {result.text}", "9.6")


def push(game: Game, result: Result, units: Sequence[str], attacker: str, battle: str) -> Events:
    """Markers and the retreat of those who are left."""
    if result.disrupts:
        trigger = states.repulsed if result.sufferer == ATTACKER else states.hit
        for unit in units:
            yield from states.put(game, unit, trigger, reason=result.code)
    if result.retreat:
        mover = attacker if result.by == ATTACKER else game.other(attacker)
        yield from ask_retreat(game, mover, units, result.retreat, battle, result.disrupts)


@rules.action(by="any", rule="9.6", label="Lose units", group="hidden")
def lose_units(
    game: Game,
    units: Annotated[tuple[str, ...], UnitRef(label="Units lost", many=True, suggest=those("among"))],
    among: Annotated[tuple[str, ...], UnitRef(label="Of these", many=True, hidden=True)] = (),
    result: Annotated[str, Choice(label="Result", options=CODES, hidden=True)] = "",
    attacker: Annotated[str, Text(label="Attacking side", most=20, hidden=True)] = "",
    battle: Annotated[str, HexId(label="Battle hex", hidden=True)] = "",
) -> Events:
    """Eliminate the units that a result costs; the others then suffer the rest of it."""
    wanted = RESULTS[result].losses if result else len(units)
    if among and not set(units) <= set(among):
        raise Unreadable("only units of this battle can be lost here", field="units", rule="9.6")
    if len(units) != wanted:
        raise Unreadable(f"choose {wanted}, not {len(units)}", field="units", given=len(units), rule="9.6")
    for unit in units:
        yield from states.eliminate(game, unit, result or "lost", "9.6")
    rest = [u for u in among if u not in units]
    if result and rest:
        yield from push(game, RESULTS[result], rest, attacker, battle)
