"""A battle told in one sentence, and an action in a few words; from events as a seat may read them, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from companion.engine.alike import each_once
from companion.engine.dice import Spec
from companion.engine.record.battle import Battle
from companion.engine.record.game import Game
from companion.engine.seat.words import describe

Body = Mapping[str, Any]
MOST_TOLD = 5
"""So many things that followed a battle are told in its sentence; the others unfold."""


def battle_of(body: Body, seq: int) -> int:
    """The battle an event belongs to; 0 for none. The one that begins it is known by its own number."""
    return seq if body["kind"] == "engaged" and not body.get("battle") else int(body.get("battle") or 0)


def dice_words(body: Body) -> str:
    """Dice as they fell: die 4, dice 3 + 5; nothing where they are hidden."""
    if body.get("sum") is not None:
        return f"dice {body['sum']}"
    values = [str(v) for v in body.get("values", ())]
    plus = Spec.parse(str(body["dice"])).plus
    fell = (", " if body.get("each") else " + ").join(values) + (f" {plus:+d}" if plus else "")
    return f"{'die' if len(values) == 1 else 'dice'} {fell}" if values else ""


def lowered(text: str, title: bool = False) -> str:
    """Words as they go on in a sentence: Attack becomes attack; ZOC stays, in a title also a term like Mobile Assault."""
    term = title and text.partition(" ")[2][:1].isupper()
    return text[:1].lower() + text[1:] if text[1:2].islower() and not term else text


def battle_story(bodies: Sequence[Body], number: int, game: Game) -> str:
    """'Soviet attack on 2408, 3:1 -1, die 4: 1/2. 44 ID: 1 step, 2408 to 2307.'"""
    begun = next((b for b in bodies if b["kind"] == "engaged" and not b.get("battle")), None)
    held = None if begun else game.battles.get(number)
    title = str(begun["title"]) if begun else held.title if held else "Battle"
    attacker = str(begun["attacker"]) if begun else held.attacker if held else ""
    side = game.side_name(attacker) if attacker else ""
    head = f"{side} {lowered(title, title=True)}" if side and not title.startswith(side) else title
    told = [*_known(held), *bodies] if begun is None and held else bodies
    return f"{head}{_odds(told)}.{_after(bodies, game)}"


def _known(battle: Battle) -> list[Body]:
    """What everybody knows of a battle that began before the lines at hand."""
    rolls: list[Body] = [body for body in battle.rolls if not body.get("only")]
    if not battle.sheet or battle.sheet_for:
        return rolls
    told = {"worksheet": battle.worksheet, "breakdown": battle.sheet, "result": battle.result}
    return [*rolls, {"kind": "resolved", **told}]


def _odds(bodies: Sequence[Body]) -> str:
    """What the battle came to: odds, the last dice, the result."""
    sheets = [b for b in bodies if b["kind"] == "resolved"]
    # A test that follows from it has a calculation of its own; a chart read by its owner comes as a second one.
    worked = next((b for b in reversed(sheets) if b.get("worksheet") == sheets[0].get("worksheet")), {})
    sheet = worked.get("breakdown", {})
    column = f", {sheet['column']}" if sheet.get("column") else ""
    modifier = f" {sheet['modifier']:+d}" if sheet.get("modifier") else ""
    rolled = [words for b in bodies if b["kind"] == "rolled" and (words := dice_words(b))]
    dice = f", {rolled[0]}" if rolled else ""
    ended = next((b for b in reversed(bodies) if b["kind"] == "engaged" and b.get("result")), {})
    result = worked.get("result") or ended.get("result") or ""
    return f"{column}{modifier}{dice}{f': {_plain(result)}' if result else ''}"


def _plain(result: str) -> str:
    return "no effect" if result == "-" else result


def _after(bodies: Sequence[Body], game: Game) -> str:
    """What became of the units, each once, then what else came of it; with nobody on record, all that was said."""
    placed = [(b, line) for b in bodies if b["kind"] == "placed" and (line := describe(b, game))]
    lines = each_once((str(b.get("unit", "")), *line.partition(": ")[::2]) for b, line in placed)
    more = f"; and {len(lines) - MOST_TOLD} more units" if len(lines) > MOST_TOLD else ""
    units = f" {'; '.join(lines[:MOST_TOLD])}{more}." if lines else ""
    return units + "".join(f" {words}." for words in _said(bodies, game, of_battle=bool(lines)))


def _said(bodies: Sequence[Body], game: Game, of_battle: bool) -> list[str]:
    """The notes that follow a battle's result.

    :param of_battle: only those that say so themselves
    """
    kinds = [b["kind"] for b in bodies]
    since = bodies[kinds.index("resolved") :] if "resolved" in kinds else ()
    noted = (b for b in since if b["kind"] == "noted" and (b.get("battle") or not of_battle))
    found = (describe(b, game) for b in noted)
    return [line.rstrip(".") for line in dict.fromkeys(found) if line]


def act_words(bodies: Iterable[Body], label: str) -> str:
    """What an action is called where it may be undone: 'attack on 2408', 'die 4', else its label."""
    found = list(bodies)
    begun = next((b for b in found if b["kind"] == "engaged" and not b.get("battle")), None)
    if begun:
        title, side = str(begun["title"]), str(begun.get("attacker", ""))
        own = side and title.casefold().startswith(side)  # a nation's name stays
        return title if own else lowered(title, title=True)
    rolled = [words for b in found if b["kind"] == "rolled" and (words := dice_words(b))]
    return rolled[-1] if rolled else lowered(label)
