"""One combat from its declaration to the clean-up: what is recorded of it, and the chits it allows [9.0, 9.3]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import Any

from companion.engine.errors import NotNow
from companion.engine.play.worksheet import Breakdown
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game

from .base import GERMAN, SOVIET, on_record
from .deck import Deck
from .manifest import card

LIGHT_MUD_CAP = 6  # [15.34]
LARGE = {SOVIET: 7, GERMAN: 6}  # [9.4]
QUESTIONS = (
    *("tactics", "bonus", "join", "draw", "declare", "aid"),
    *("defend", "attack", "lose", "retreat", "paid", "advance"),
)
"""First words of the ids of what a combat asks."""
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


@dataclass
class Fight:
    """A combat as recorded; what a chit is judged against."""

    attacker: str = SOVIET
    target: str = ""
    units: list[str] = field(default_factory=list)
    defenders: list[str] = field(default_factory=list)
    small: int = 0
    large: int = 0
    steps: int = 0
    attack: int = 0
    defence: int = 0
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
    bonus: int = 0
    """Free wild tactics still to be named [9.23]."""
    attack_tactics: list[str] = field(default_factory=list)
    defence_tactics: list[str] = field(default_factory=list)
    cards: dict[str, str] = field(default_factory=dict)
    """Cards played as tactics, with their kind."""
    nkvd_event: bool = False
    light_mud: bool = False
    fixed_counts: bool = True
    """Whether fixed artillery serves the artillery chits."""
    tactics_by: str = ""
    """Whose tactics are being played: the attacker's, then the defender's, then nobody's [9.0]."""
    declared: int | None = None
    drawn: int = 0
    chits: list[str] = field(default_factory=list)
    """Digital chits in the order of drawing."""
    entered: list[str] = field(default_factory=list)
    """Hits of real chits as entered, '' for one that did not apply."""
    dark: bool = False
    hits: dict[str, int] = field(default_factory=dict)
    """The final totals, once known: {'A': 1, 'D': 3}."""
    lost: dict[str, int] = field(default_factory=dict)
    owed: dict[str, int] = field(default_factory=dict)
    """Step losses still to be assigned, by side."""
    retreat: int | None = None
    concluded: bool = False
    """Whether the advance, or the end of the combat, was offered."""

    @property
    def defender(self) -> str:
        return GERMAN if self.attacker == SOVIET else SOVIET

    @property
    def required(self) -> int:
        return self.steps

    @property
    def maximum(self) -> int:
        return max(0, int(draws(self).facts["maximum"]))

    @property
    def extra(self) -> int:
        """How many chits may be declared on top of the required ones."""
        return max(0, self.maximum - self.required)

    @property
    def total(self) -> int:
        """Chits this combat will have drawn, as far as decided."""
        return self.required + (self.declared or 0)

    @property
    def missing(self) -> int:
        return max(0, self.total - self.drawn)

    @property
    def settled(self) -> bool:
        """Whether all hits are taken: nothing is left but to advance."""
        answered = not self.hits.get("D") or self.retreat is not None
        return bool(self.hits) and answered and not self.hits.get("A") and not self.owed

    def to_json(self) -> dict[str, Any]:
        blank = asdict(Fight())
        return {k: v for k, v in asdict(self).items() if v != blank[k]} | {"attacker": self.attacker}


def current(game: Game) -> Fight | None:
    """The combat being fought, or None."""
    return Fight(**game["combat"]) if game["combat"] else None


def in_hand(game: Game) -> Fight:
    """The combat being fought.

    :raises NotNow: when there is none
    """
    fight = current(game)
    if fight is None:
        raise NotNow("declare a combat first", rule="9.0")
    return fight


def is_fought(game: Game) -> bool | str:
    return current(game) is not None or "there is no combat in hand"


def attacker_of(game: Game) -> str:
    fight = current(game)
    return fight.attacker if fight else "any"


def defender_of(game: Game) -> str:
    fight = current(game)
    return fight.defender if fight else "any"


def save(fight: Fight | None, reason: str) -> e.Set:
    return e.Set("combat", fight.to_json() if fight else {}, reason=reason)


def waiting(game: Game, *names: str) -> list[e.Asked]:
    """What a combat has asked under these names, and nobody answered yet."""
    return [q for q in game.asked.values() if q.id.partition("-")[0] in names]


def answered(game: Game, *names: str, by: str = "") -> Iterator[e.Event]:
    """What a combat asked (of one side) is done, whether by its prompt or not."""
    for question in waiting(game, *names):
        if not by or by in question.to:
            yield e.Answered(question.id, "done")


def steps_text(number: int) -> str:
    return "1 step" if number == 1 else f"{number or 'no'} steps"


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
    count(f"attacker's tactics: {', '.join(fight.attack_tactics)}", len(set(fight.attack_tactics)), "9.2")
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
    sheet.column = f"{fight.attack}:{fight.defence}" if fight.attack or fight.defence else ""
    return sheet


def compare(fight: Fight, ratio: Fraction) -> int:
    """Attack against `ratio` times defence, by cross-multiplication: -1, 0 or 1 [9.4]."""
    left, right = Fraction(fight.attack), ratio * fight.defence
    return (left > right) - (left < right)


def cleanup(game: Game) -> Iterator[e.Event]:
    """Tactic cards are discarded; chits go aside, or into the cup if a dark one was drawn [9.0, 9.41]."""
    fight = current(game)
    if fight is None:
        return
    for number, kind in fight.cards.items():
        side = next(s for s in game.sides if number in game.piles[f"{s}-cards"]["tactics"])
        known = card(game, number)
        yield from Deck(game, side).discard(
            number, "tactics", known.kind or kind, stavka=known.stavka or kind == "stavka"
        )
    tokens = tuple(game.piles["chits"]["drawn"])
    if tokens and fight.dark:
        yield e.Returned("chits", tokens, "drawn", "cup", len(tokens), reason="a dark chit was drawn [9.41]")
    elif tokens:
        yield e.Drawn("chits", tokens, "drawn", "aside", len(tokens), reason="set aside [9.41]")
    for ids, marker in ((fight.units, "attacked"), (fight.defenders, "struck")):
        for unit in on_record(game, ids):
            yield e.Marked(unit.id, marker, True, reason=IN_PASSING, rule="9.1")
    yield from answered(game, *QUESTIONS)
    yield save(None, "over")
