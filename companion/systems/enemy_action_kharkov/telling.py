"""What nobody has told of a unit that fights: asked at that unit, and kept on it [9.3, 9.4]."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, Whole
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import drop, learn, owe, units_of
from companion.engine.positions.pieces import count
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import read_off
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import called, rules, steps_untold, told_steps
from companion.systems.enemy_action_kharkov.cup import draw_chits, owe_chits
from companion.systems.enemy_action_kharkov.fight import STRENGTH
from companion.systems.enemy_action_kharkov.numbers import Tapped
from companion.systems.enemy_action_kharkov.record import unknown_units, untold


def ask_of_units(game: Game, battle: Battle) -> Events:
    """Steps, type and strength decide over chits, losses and the advance: what is not known is asked [9.3, 9.4]."""
    open_ = {unit for duty in game.duties(battle, "tell-strength") for unit in duty.units}
    for unit in unknown_units(game, battle):
        if unit.id not in open_:
            yield _ask(game, battle, unit)


def _ask(game: Game, battle: Battle, unit: Unit) -> e.Asked:
    what = untold(game, battle, unit)
    at = "" if "steps" in what or "strength" not in what else f" at {count(unit.steps, 'step')}"
    text = f"{game.side_name(unit.side)}: {_listed(what)} of {called(unit)}{at}"
    return owe(
        game, unit.side, text, tell_strength, battle=battle, step=STRENGTH, units=[unit.id], rule="9.4"
    )


def _listed(words: Sequence[str]) -> str:
    """'steps', 'steps and type', 'steps, strength and type'."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _asks(what: str) -> Callable[[Context], bool]:
    return lambda c: bool(
        c.duty and c.battle and any(what in untold(c.game, c.battle, u) for u in units_of(c.game, c.duty))
    )


def _not_known(game: Game, duty: e.Asked) -> bool:
    battle = game.battles.get(duty.battle)
    return battle is not None and any(untold(game, battle, u) for u in units_of(game, duty))


@rules.follow_up(rule="9.4", label="Enter the counter", still=_not_known)
def tell_strength(
    game: Game,
    duty: e.Asked,
    battle: Battle,
    steps: Annotated[
        int | None, Tapped(label="Steps", usual=range(1, 4), low=1, high=6, when=_asks("steps"))
    ] = None,
    points: Annotated[int | None, Whole(label="Printed strength", high=30, when=_asks("strength"))] = None,
    kind: Annotated[
        str,
        Choice(label="Type", options=lambda c: [(k, k) for k in c.game.kit.unit_kinds], when=_asks("type")),
    ] = "",
) -> Events:
    """Enter what is printed on the counter; it is kept."""
    unit = game.units[duty.units[0]]
    if steps is None and steps_untold(game, unit):
        raise Unreadable("how many steps has the counter?", field="steps", rule="9.3")
    facts: dict[str, Any] = {"kind": kind} if kind else {}
    if steps is not None:
        yield from _counted(game, battle, unit, steps)
        facts |= {"steps": steps, "full": steps}
    if points is not None:
        facts["factors"] = {**unit.factors, f"CS{steps or unit.steps}": points}
    if not facts:
        raise Unreadable("what is printed on the counter?", field="points", rule="9.4")
    yield read_off(game, unit.id, facts, "9.4", public=True)
    yield from ask_of_units(game, game.battles[duty.battle])


def _counted(game: Game, battle: Battle, unit: Unit, steps: int) -> Events:
    """The combat counted it as one step until somebody told: the chits that are due change with it [9.3]."""
    yield from told_steps(game, unit, steps)
    facts, typed = battle.facts, battle.facts.get("typed", {})
    changed: dict[str, Any] = {}
    if unit.side == battle.defender and not typed.get("steps"):
        changed["steps"] = facts.get("steps", 0) + steps - unit.steps
    if unit.side == battle.attacker and steps >= 3 and not typed.get("attackers"):
        changed |= {"small": facts.get("small", 0) - 1, "large": facts.get("large", 0) + 1}
    if changed:
        battle = yield from learn(game, battle, **changed)
        yield from drop(game, draw_chits, battle=battle, why="counted anew")
        yield owe_chits(game, battle)
