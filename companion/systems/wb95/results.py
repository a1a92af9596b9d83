"""What a combat result asks of each side, in its order: losses, retreat or its price, pursuit, tests [5.2.1]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import NotNow, Unreadable
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.worksheet import Breakdown, Line
from companion.engine.record import events as e
from companion.engine.record.changes import put_mark
from companion.engine.record.game import Game
from companion.systems.wb95 import airmarks, grammar, oos
from companion.systems.wb95.base import ATTACK, at_hexes, own, rules
from companion.systems.wb95.combats import combats_of, fought, next_combat
from companion.systems.wb95.front import EnemyHexes
from companion.systems.wb95.losses import ask_losses
from companion.systems.wb95.retreat import ask_retreat
from companion.systems.wb95.shaken import ask_tests, disturb, exposed, shake


def _closed(game: Game) -> bool | str:
    return bool(game["fog"]) or "stacks lie open at this table: resolve the combat"


@rules.action(phase=ATTACK, by="active", rule="16.1.3", label="Declare an attack", order=5, when=_closed)
def declare_attack(
    game: Game,
    target: Annotated[tuple[str, ...], EnemyHexes(label="Defending hexes", many=True)],
) -> Events:
    """Name the hexes of the next combat: their stacks lie open until the phase is over."""
    for hex_id in target:
        yield e.Marked(hex_id, "attacked", True, reason="attack declared", rule="16.1.3")


def begin(
    game: Game,
    sheet: Breakdown,
    target: Sequence[str],
    attackers: Sequence[str],
    guns: Sequence[str],
    pay: Sequence[str],
) -> Events:
    """Book who fights, paid levels at once [10.2.5], support flown, rest disturbed."""
    number = next_combat(game)
    sheet.facts["combat"] = number
    yield from _book(game, number, target, attackers, guns)
    for unit in pay:
        yield from oos.raise_level(game, unit, 1, "full attack", "10.2.3")
    side = game.active
    yield from disturb(game, [game.units[u] for u in attackers])
    yield from disturb(game, at_hexes(game, game.other(side), target))
    places = {*target, *(game.units[u].place for u in attackers)}
    yield from airmarks.use_up(game, side, "support", places)
    yield from airmarks.use_up(game, game.other(side), "defence", places)
    if sheet.result:
        shares = grammar.combat(sheet.result)
        sheet.effects = [
            Line(game.side_name(side), shares[0].words(), "tables"),
            Line(game.side_name(game.other(side)), shares[1].words(), "tables"),
        ]


def _book(
    game: Game, number: int, target: Sequence[str], attackers: Sequence[str], guns: Sequence[str]
) -> Events:
    """Everybody fights once a phase [5.1.1]; guns suffer results only beside the enemy [6.3.4, 6.3.5]."""
    for unit in (*attackers, *guns):
        if game.mark(unit, "fought"):
            name = game.units[unit].name
            raise Unreadable(f"{name} has fought in this phase", field="attackers", given=unit, rule="5.1.1")
    for unit in attackers:
        yield put_mark(game, unit, "fought", fought(number), rule="5.1.1")
    for unit in guns:
        if any(game.maps.distance(game.units[unit].place, h) <= 1 for h in target):
            yield put_mark(game, unit, "fought", fought(number), rule="6.3.5")
        else:
            yield put_mark(game, unit, "fought", "support", rule="6.3.4")
    for hex_id in target:
        if not game.mark(hex_id, "attacked"):
            yield e.Marked(hex_id, "attacked", True, rule="5.1.4")


@dataclass(frozen=True)
class Part:
    """One side of a combat that was rolled for."""

    side: str
    share: grammar.Part
    hexes: list[str]
    units: list[Unit]
    starred: bool
    """Its stars counted, so that their users share losses [15.1.7]."""
    fixed: bool = False
    """It defended a fixed position from its front [7.3.6]."""
    helpless: bool = False
    """It cannot fall back [5.1.9, 6.6.4]."""


def _parts(game: Game, facts: dict[str, Any], result: str) -> tuple[Part, Part]:
    """The attacker and the defender, with what the result says of each."""
    attack, defence = grammar.combat(result)
    side = str(facts.get("attacker") or game.active)
    hexes, number = list(facts.get("hexes", ())), int(facts.get("combat", 0))
    mine = [u for u in own(game, side) if number and number in combats_of(game, u.id)]
    return (
        Part(side, attack, list(facts.get("from", ())), mine, bool(facts.get("attack_stars"))),
        Part(
            game.other(side),
            defence,
            hexes,
            at_hexes(game, game.other(side), hexes),
            bool(facts.get("defence_stars")),
            fixed=bool(facts.get("fp")),
            helpless=bool(facts.get("helpless")),
        ),
    )


@rules.outcome("combat")
def combat_outcome(game: Game, sheet: dict[str, Any], result: str) -> Events:
    """Losses first, then retreats, then pursuit; tests come last [5.2.1]."""
    facts = sheet.get("facts", {})
    parts = attacker, defender = _parts(game, facts, result)
    number = int(facts.get("combat", 0))
    yield from oos.after_combat(game, attacker.units, defender.units, defender.share.retreat > 0)
    for part in parts:
        yield from ask_losses(
            game, part.side, part.share.loss, part.hexes, f"result {result}", "5.2.1", part.starred
        )
    for part in parts:
        ordered = part.share.retreat
        if ordered and part.helpless:
            yield from ask_losses(
                game, part.side, ordered, part.hexes, "cannot fall back", "5.1.9, 6.6.4", part.starred
            )
        elif ordered:
            yield ask_retreat(
                game, part.side, part.share, part.hexes, starred=part.starred, fixed=part.fixed, combat=number
            )
    for part in parts:
        if part.share.disorganised and (not part.share.retreat or game["bought-off"]):
            yield from shake(game, exposed(game, part.units, direct=True), f"result {result}")
    if attacker.share.test:
        yield from ask_tests(game, attacker.side, 1, f"result {result}", "5.6.1", number, attacker.hexes)


def _unfinished(game: Game) -> Events:
    """A combat phase ends when losses and retreats are dealt with, or put away."""
    for ask in game.asked.values():
        if ask.action in {"lose-cel", "retreat", "enter-result"}:
            raise NotNow(f"still to do before the phase ends, or to put away: {ask.text}", given=ask.id)
    yield from ()


for _phase in ATTACK:
    rules.leaving(_phase)(_unfinished)
