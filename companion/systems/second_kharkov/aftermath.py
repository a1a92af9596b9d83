"""What a battle's result brings about, in its order: losses, the defender's first, then who moves in [12.19-12.22]."""

from __future__ import annotations

from typing import Any

from companion.engine.play.actions import Events
from companion.engine.play.duties import offer, owe
from companion.engine.positions.pieces import count
from companion.engine.record.battle import Battle
from companion.engine.record.game import Game
from companion.systems.second_kharkov.base import GERMAN, SOVIET, rules
from companion.systems.second_kharkov.odds import steps_of

AIR, TYPE, ROLL, DEFENDER, RETREAT, ATTACKER, ADVANCE, EXPLOIT = range(1, 9)
"""The order of a battle: aircraft before stacks are opened [12.17], the roll [12.18], the defender's losses before
the attacker's [12.19], then who moves in and on [12.21, 12.22]."""
LOSSES = {SOVIET: "soviet-losses", GERMAN: "german-losses"}


@rules.outcome("combat")
def combat_outcome(game: Game, sheet: dict[str, Any], result: str, battle: Battle) -> Events:
    """The defender takes his losses first, then the attacker [12.19]."""
    for side, lost, words in losses_of(game, battle, result):
        step = DEFENDER if side == battle.defender else ATTACKER
        units = battle.units(side)
        yield owe(
            game,
            side,
            words,
            LOSSES[side],
            battle=battle,
            step=step,
            units=units,
            rule="12.19, 12.20",
            steps=lost,
        )


def losses_of(game: Game, battle: Battle, result: str) -> list[tuple[str, int, str]]:
    """Who loses how much, defender first: (side, steps, in words)."""
    steps = steps_of(result)
    where = f" at {battle.hexes[0]}" if battle.hexes else ""
    found = []
    for role in ("defender", "attacker"):
        if steps[role]:
            side = battle.side_in(role)
            words = f"{game.side_name(side)} {role}: lose {count(steps[role], 'step')}{where}"
            found.append((side, steps[role], words))
    return found


def target_of(battle: Battle | None) -> str:
    """The hex attacked, where it is on record."""
    return battle.hexes[0] if battle and battle.hexes else ""


def vacated(game: Game, battle: Battle) -> Events:
    """The target hex is empty, so the attackers may move in [12.21]."""
    where = target_of(battle) or "the target hex"
    text = f"{where} is empty: attackers may move in"
    units = battle.units(battle.attacker)
    yield offer(
        game, battle.attacker, text, "advance", battle=battle, step=ADVANCE, units=units, rule="12.21"
    )
