"""What a Mobile Assault does [11.26, 11.27]: the attacker moves the beaten stack, or stops Disorganized."""

from __future__ import annotations

import re
from typing import Any

from companion.engine.play.actions import Events
from companion.engine.record import events as e
from companion.engine.record.changes import put_mark
from companion.engine.record.game import Game
from companion.systems.kharkov_battles.base import rules, some, to_side
from companion.systems.kharkov_battles.retreats import ask_static
from companion.systems.kharkov_battles.units import STATIC

RESULT = re.compile(r"(?:D(?:\((\d)\))?(?:r(\d))?|A(?:\((\d)\))?D|AD(?:\((\d)\))?)")


def parse(result: str) -> tuple[int, int, bool, int]:
    """Defender's steps, defender's retreat, attacker Disorganized, attacker's steps."""
    found = RESULT.fullmatch(result.replace(" ", ""))
    if not found:
        return 0, 0, False, 0
    if result.startswith("D"):
        return int(found[1] or 0), int(found[2] or 0), False, 0
    return 0, 0, True, int(found[3] or found[4] or 0)


@rules.outcome("mobile-assault")
def mobile_outcome(game: Game, sheet: dict[str, Any], result: str) -> Events:
    """Steps first, then the retreat that the attacker conducts; AD stops and disorganizes him."""
    facts = sheet.get("facts", {})
    attacker = str(facts.get("attacker") or game.active)
    defender = game.other(attacker)
    unit, target = str(facts.get("unit") or ""), str(facts.get("target") or "")
    number = int(facts.get("combat") or 0)
    steps, retreat, disorganized, own = parse(result)
    args: dict[str, Any]
    if steps:
        args = {"side": defender, "steps": steps, "combat": number, "role": "D"}
        text = f"{game.side_name(defender)}: lose {some(steps, 'step')}"
        name = f"ma-loss-{game.revision}"
        yield e.Asked(name, to_side(game, defender), text, "take-losses", args, rule="11.26")
    if retreat:
        held = [u for u in game.units_at(target) if u.side == defender] if target else []
        args = {"side": defender, "role": "D", "combat": number if held else 0}
        if unit and target:
            args |= {"assault": unit, "vacated": target}
        where = f" from {target}" if target else ""
        text = f"{game.side_name(attacker)} moves the defenders{where} {some(retreat, 'hex')}"
        name = f"ma-retreat-{game.revision}"
        if not held or any(u.kind not in STATIC for u in held):
            yield e.Asked(name, to_side(game, attacker), text, "fall-back", args, rule="11.26")
        yield from ask_static(game, defender, held)
    if disorganized:
        if unit:
            yield put_mark(game, unit, "disorganized", True, rule="11.27")
        else:
            yield e.Noted("the attacking unit stops and is Disorganized", rule="11.27")
    if own:
        args = {"side": attacker, "steps": own, "combat": number, "role": "A", "first": True}
        text = f"{game.side_name(attacker)}: the attacking unit loses {some(own, 'step')}"
        name = f"ma-own-{game.revision}"
        yield e.Asked(name, to_side(game, attacker), text, "take-losses", args, rule="11.27")
