"""A combat as its chits are judged: what is known of it, the order of its steps, and the chits it allows [9.0, 9.3]."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from companion.engine.errors import NotNow
from companion.engine.forms.worksheet import Breakdown, Line
from companion.engine.play.actions import Events
from companion.engine.play.duties import learn, standing
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game
from companion.engine.seat.shapes import sheet_of
from companion.systems.enemy_action_kharkov.base import GERMAN, SOVIET, rules, titled
from companion.systems.enemy_action_kharkov.deck import Deck
from companion.systems.enemy_action_kharkov.manifest import card

LIGHT_MUD_CAP = 6  # [15.34]
LARGE = {SOVIET: 7, GERMAN: 6}  # [9.4]
STATUS = {
    "good": "in good order, or some are",
    "dispersed": "all dispersed",
    "oos": "all out of supply",
    "dispersed-oos": "all dispersed and out of supply",
    "isolated": "all isolated",
    "mixed": "out of supply and isolated",
    "poor": "each dispersed or unsupplied",
}
"""What may be true of all defenders; it brings extra chits [9.3, 10.21, 10.22]."""

STRENGTH, BONUS, JOIN, TACTICS, DEFENDER_JOINS, DEFENDER_TACTICS, CHITS, AID = range(1, 9)
DEFEND, LOSE, RETREAT, PAY, ATTACK, ATTACKER_LOSES, ADVANCE, FURTHER = range(9, 17)
"""The order of a combat: the attacker's tactics, the defender's, the chits; the defender's hits, the attacker's, the
advance [9.0]. Units that a tactic brings come before the next tactic."""

SUMMED = "+"
"""A real chit whose hits are in the sum that was entered before it."""


@dataclass(frozen=True)
class Fight:
    """What a chit is judged against."""

    attacker: str = SOVIET
    target: str = ""
    units: Sequence[str] = ()
    defenders: Sequence[str] = ()
    small: int = 0
    large: int = 0
    steps: int = 0
    attack: int | None = None
    """None while a strength is not known: no chit that compares strengths applies then."""
    defence: int | None = None
    hexes: int = 0
    """Hexes attacked from; 0 while nobody told, so that neither flank nor one-hex attack is claimed."""
    apart: bool = False
    terrain: str = "clear"
    status: str = "good"
    adjacent: bool = False
    ip: bool = False
    river: bool = False
    attacker_armour: bool = False
    defender_armour: bool = False
    supported: bool = True
    """Whether the Soviet side's part of the combat is in support [10.42]."""
    attacker_tactics_open: bool = True
    defender_tactics_open: bool = True
    value: int | None = None
    """Command value of the activating card."""
    attack_tactics: Sequence[str] = ()
    defence_tactics: Sequence[str] = ()
    nkvd_event: bool = False
    light_mud: bool = False
    fixed_counts: bool = True
    """Whether fixed artillery serves the artillery chits."""
    declared: int | None = None
    chits: Sequence[str] = ()
    """Digital chits in the order of drawing."""
    entered: Sequence[str] = ()
    """Hits of real chits as entered, '' for one that did not apply, SUMMED for one told by the sum before it."""

    @property
    def defender(self) -> str:
        return GERMAN if self.attacker == SOVIET else SOVIET

    @property
    def drawn(self) -> int:
        return len(self.chits) + len(self.entered)

    @property
    def required(self) -> int:
        return self.steps

    @property
    def extra(self) -> int:
        """How many chits may be declared on top of the required ones."""
        return int(draws(self).facts["extra"])

    @property
    def total(self) -> int:
        """Chits this combat will have drawn, as far as decided."""
        return self.required + (self.declared or 0)

    @property
    def missing(self) -> int:
        return max(0, self.total - self.drawn)

    def to_json(self) -> dict[str, Any]:
        """All that is not as it would be anyway."""
        told = {name: value for name, value in vars(self).items() if value != getattr(Fight, name)}
        plain = {name: list(v) if isinstance(v, list | tuple) else v for name, v in told.items()}
        return plain | {"attacker": self.attacker}

    def facts(self) -> dict[str, Any]:
        """What its battle has to remember: who fights where, with which strength and chits, it knows already."""
        known = ("attacker", "target", "units", "defenders", "attack", "defence", "chits", "hexes")
        told = {name: value for name, value in self.to_json().items() if name not in known}
        return told | {"attacked_from": self.hexes}


def headline(game: Game, attacker: str, target: str, tactics: Mapping[str, Sequence[str]]) -> str:
    """A combat with the tactics of both sides in the order they were played, for everybody to read [9.0, 9.2]."""
    played = [
        f"{game.side_name(side)}: {', '.join(map(titled, names))}"
        for side, role in ((attacker, "attack_tactics"), (game.other(attacker), "defence_tactics"))
        if (names := tactics.get(role))
    ]
    return "; ".join([f"Attack on {target}" if target else "Attack", *played])


def tell(
    game: Game, battle: Battle, words: str, *, logged: bool = True, **facts: Any
) -> Generator[e.Event, None, Battle]:
    """How a side took its hits or moved up: read on the battle's card from then on, and a line of the log.

    :param logged: false where the units' own lines say it there
    """
    told = [*battle.facts.get("taken", ()), words]
    return (yield from learn(game, battle, words if logged else "", taken=told, **facts))


@rules.deeds_of_battle
def taken(game: Game, battle: Battle, seat: str) -> list[Line]:
    """What the hits mean and how they were taken: everything in it is done in the open [9.52, 9.8]."""
    return [*sheet_of(battle.sheet).effects, *(Line(str(words)) for words in battle.facts.get("taken", ()))]


def drawn_for(battle: Battle) -> list[str]:
    """The digital chits of a battle, in order."""
    return [t for roll in battle.rolls if roll.get("pile") == "chits" for t in roll["tokens"]]


def current(game: Game) -> Battle | None:
    """The combat whose hits are not known yet, or None."""
    return next((b for b in reversed(game.fighting) if not b.result), None)


def one_at_a_time(game: Game) -> bool | NotNow:
    """Combats are resolved one at a time [9.0]; one that the other side's impulse left open holds nobody up."""
    for battle in [b for b in game.fighting if (b.attacker, b.turn) == (game.active, game.turn)]:
        for duty in sorted(game.duties(battle), key=lambda a: a.step):
            if duty.is_owed:
                return NotNow(f"finish the last combat first: {duty.text}", rule="9.0")
    return True


def draws(fight: Fight, sheet: Breakdown | None = None) -> Breakdown:
    """The maximum with its reasons; `facts` has maximum, required and extra [9.3]."""
    sheet = sheet or Breakdown("Chit draw")
    total = 0

    def count(label: str, number: int, rule: str) -> None:
        nonlocal total
        if number:
            total += number
            sheet.add(label, number, rule)

    count("attackers of one or two steps", fight.small, "9.3")
    count(f"attackers of three steps, two each: {fight.large}", 2 * fight.large, "9.3")
    count(
        f"attacker's tactics: {', '.join(map(titled, fight.attack_tactics))}",
        len(set(fight.attack_tactics)),
        "9.2",
    )
    if fight.status == "isolated":
        count("defenders isolated", 2, "10.22")
    elif fight.status in ("oos", "dispersed-oos", "mixed"):
        count("defenders out of supply", 1, "10.21")
    if "screen" in fight.defence_tactics:
        count("screen", -2, "9.3")
    if fight.light_mud and total > LIGHT_MUD_CAP:
        sheet.add("light mud: never more than six", f"= {LIGHT_MUD_CAP}", "15.34")
        total = LIGHT_MUD_CAP
    total = max(0, total)
    sheet.add("required: one chit for each defending step", f"{fight.required}", "9.3")
    sheet.facts |= {"maximum": total, "required": fight.required, "extra": max(0, total - fight.required)}
    sheet.column = f"{fight.attack}:{fight.defence}" if None not in (fight.attack, fight.defence) else ""
    return sheet


def compare(fight: Fight, ratio: Fraction) -> int | None:
    """Attack against `ratio` times defence, by cross-multiplication: -1, 0 or 1; None while one is unknown [9.4]."""
    if fight.attack is None or fight.defence is None:
        return None
    left, right = Fraction(fight.attack), ratio * fight.defence
    return (left > right) - (left < right)


def clean_up(game: Game, battle: Battle, *, fought: bool) -> Events:
    """Tactic cards are discarded; chits go aside, or into the cup if a dark one was drawn [9.0, 9.41]."""
    for side in game.sides:
        for number in list(game.piles[f"{side}-cards"]["tactics"]):
            known = card(game, number)
            yield from Deck(game, side).discard(number, "tactics", known.kind, stavka=known.stavka)
    tokens = tuple(game.piles["chits"]["drawn"])
    if tokens:
        target, why = ("cup", "a dark chit was drawn") if battle.facts.get("dark") else ("aside", "set aside")
        yield e.Returned("chits", tokens, "drawn", target, len(tokens), reason=f"{why} [9.41]")
    for side, marker in ((battle.attacker, "attacked"), (battle.defender, "struck")):
        for unit in standing(game, battle, side) if fought else ():
            yield e.Marked(unit.id, marker, True, reason=IN_PASSING, rule="9.1")
