"""What a Mobile Assault does [11.26, 11.27]: the attacker moves the beaten stack, or stops Disorganized."""

from __future__ import annotations

import re
from typing import Any

from companion.engine.errors import Unreadable
from companion.engine.play.actions import Events
from companion.engine.play.duties import learn, owe
from companion.engine.positions.pieces import count
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import move, put_mark
from companion.engine.record.game import Game
from companion.systems.kharkov_battles.base import hex_count, rules
from companion.systems.kharkov_battles.battles import LOSSES, RETREAT, members, target_of
from companion.systems.kharkov_battles.casualties import owe_losses, then
from companion.systems.kharkov_battles.retreats import drive, fall_back
from companion.systems.kharkov_battles.units import label

RESULT = re.compile(r"(?:NE|-|D(?:\((\d)\))?(?:r(\d))?|A(?:\((\d)\))?D|AD(?:\((\d)\))?)")


def parse(result: str) -> tuple[int, int, bool, int]:
    """Defender's steps, defender's retreat, attacker Disorganized, attacker's steps."""
    text = result.replace(" ", "")
    found = RESULT.fullmatch(text)
    if not found:
        words = f"{result!r} is not a Mobile Assault's result: write it like Dr3, D(1)r3, AD or A(1)D"
        raise Unreadable(words, field="result", given=result, rule="11.26, 11.27")
    if text[0] != "A":
        return int(found[1] or 0), int(found[2] or 0), False, 0
    return 0, 0, True, int(found[3] or found[4] or 0)


def in_words(game: Game, battle: Battle, result: str) -> list[tuple[str, str]]:
    """What a result means, for the battle's card, with the rules."""
    steps, retreat, disorganized, own = parse(result)
    found = []
    if steps or retreat:
        lost = f"loses {count(steps, 'step')}" if steps else ""
        back = f"is driven back {hex_count(retreat)}" if retreat else ""
        words = " and ".join(filter(None, (lost, back)))
        found.append((f"{game.side_name(battle.defender)} {words}", "11.26"))
    if disorganized:
        loses = f", and loses {count(own, 'step')}" if own else ""
        found.append((f"the attacking unit stops, Disorganized{loses}", "11.27"))
    return found


@rules.outcome("mobile-assault")
def mobile_outcome(game: Game, sheet: dict[str, Any], result: str, battle: Battle) -> Events:
    """Steps first, then the retreat that the attacker conducts; AD stops and disorganizes him."""
    steps, retreat, disorganized, own = parse(result)
    if steps or retreat:
        battle = yield from learn(game, battle, loser="D", retreat=retreat)
    if steps:
        yield from owe_losses(game, battle, "D", steps, LOSSES, then="drive-out")
    elif retreat:
        yield from drive_out(game, battle, retreat)
    if disorganized:
        unit = next((game.units[n] for n in battle.units(battle.attacker)), None)
        who = label(unit) if unit else "the attacking unit"
        yield e.Noted(f"{who} stops: it moves no further this phase, and is Disorganized", rule="11.27")
        if unit is not None:
            yield put_mark(game, unit.id, "disorganized", True, rule="11.27")
    if own:
        yield from owe_losses(game, battle, "A", own, LOSSES)


def drive_out(game: Game, battle: Battle, back: int) -> Events:
    """The attacker moves the beaten defenders; steps do not pay for these hexes [11.26]."""
    force = [u for u in members(game, battle, "D") if u.steps]
    if force:
        yield from drive(game, battle, "D", force, back, battle.attacker)
    elif battle.units(battle.defender):
        yield from move_in(game, battle)
    else:
        where = f" from {target_of(battle)}" if target_of(battle) else ""
        text = f"{game.side_name(battle.attacker)}: move the defenders{where}, {hex_count(back)}"
        yield owe(
            game,
            battle.attacker,
            text,
            fall_back,
            battle=battle,
            step=RETREAT,
            rule="11.26",
            back=back,
            role="D",
        )


@then("drive-out")
def _after_losses(game: Game, battle: Battle) -> Events:
    back = int(battle.facts.get("retreat", 0))
    yield from drive_out(game, battle, back) if back else move_in(game, battle)


@then("move-in")
def move_in(game: Game, battle: Battle) -> Events:
    """A Mobile Assault that empties its target carries the attacker into it [11.2]."""
    target = target_of(battle)
    unit = next((game.units[n] for n in battle.units(battle.attacker) if n in game.units), None)
    held = any(u.side == battle.defender for u in game.units_at(target)) if target else True
    if unit is not None and unit.on_map and target and not held and unit.place != target:
        yield move(game, unit.id, target, reason="moves into the vacated hex", rule="11.2")
        yield e.Noted(
            f"{label(unit)} may go on if it has movement left and no enemy zone holds it", rule="11.2"
        )
