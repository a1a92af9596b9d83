"""Enemy Action: Kharkov: the rules object, and the names the rulebook gives to formations, tactics and events."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from companion.engine.forms.fields import Context
from companion.engine.kit.roster import Unit
from companion.engine.kit.when import Turns, holds
from companion.engine.play.duties import owe
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game
from companion.systems import new_rules

rules = new_rules("enemy-action-kharkov")

SOVIET, GERMAN = "soviet", "german"
SIDES = [(SOVIET, "Soviet"), (GERMAN, "German")]
NOBODY = ("nobody",)
"""An event that no seat may read: a card that goes face down."""

# Armies and corps with the front or army they belong to for commands [2.21].
SOVIET_ARMIES = {"3T": "Voronezh", "40": "Voronezh", "69": "Voronezh", "6": "Southwest", "1G": "Southwest"}
SOVIET_ARMIES |= {"MGP": "Southwest"}
GERMAN_CORPS = {"Raus": "4Pz", "IISS": "4Pz", "XLVIII": "4Pz", "LVII": "4Pz", "III": "1Pz", "XL": "1Pz"}
FORMATIONS = {SOVIET: SOVIET_ARMIES, GERMAN: GERMAN_CORPS}
# For deployment Corps Raus stands alone in its own area [2.1, 2.21].
DEPLOY_AREA = {**SOVIET_ARMIES, **GERMAN_CORPS, "Raus": "Kempf"}
FORMATION_NAMES = {
    "3T": "3rd Tank Army",
    "40": "40th Army",
    "69": "69th Army",
    "6": "6th Army",
    "1G": "1st Guards Army",
    "MGP": "Mobile Group Popov",
    "Raus": "Corps Raus",
    "IISS": "IISS Panzer Corps",
    "XLVIII": "XLVIII Panzer Corps",
    "LVII": "LVII Panzer Corps",
    "III": "III Panzer Corps",
    "XL": "XL Panzer Corps",
    "Voronezh": "Voronezh Front",
    "Southwest": "Southwest Front",
    "4Pz": "4th Panzer Army",
    "1Pz": "1st Panzer Army",
    "Kempf": "Army Detachment Kempf",
}
AREA_NAMES = {
    "Voronezh": "voronezh front",
    "Southwest": "southwest front",
    "4Pz": "4th panzer army",
    "1Pz": "1st panzer army",
    "Kempf": "kempf",
}
"""The names under which the map book holds front and army areas."""
WEST_ZONE, EAST_ZONE = "west support zone", "artillery zone"
"""The map book's areas: what lies behind the West line for the Soviets, and behind the artillery (East) line."""
WEST_LINE, EAST_LINE = "west support line", "artillery line"
"""The map book's areas: hexes that border a line, where forward support may be placed."""

TACTICS = {
    "artillery": "both",
    "fixed artillery": SOVIET,
    "soviet airpower": SOVIET,
    "german airpower": GERMAN,
    "combat engineers": "both",
    "reinforce battle": "both",
    "assault coordination": "both",
    "intelligence": "both",
    "tank brigade": SOVIET,
    "panzer battalion": GERMAN,
    "rifle brigade": "both",
    "battlefield replacements": "both",
    "partisans": SOVIET,
    "nkvd": SOVIET,
    "screen": GERMAN,
}
"""The tactics named in the rulebook [9.2], with the side where it is plain; 'both' where the aid decides."""
ADJUSTING = ("partisans", "nkvd", "rifle brigade", "tank brigade", "battlefield replacements")
"""Tactics that change hits by an amount printed on the aid [9.51]."""
EVENTS = {
    "air supply": "both",
    "engineers": "both",
    "forward support": SOVIET,
    "air interdiction": GERMAN,
    "nkvd": SOVIET,
    "partisan uprising": SOVIET,
    "over extended": GERMAN,
}
"""The command events named in the rulebook [5.4], with who can want them."""

SPELLINGS = [("armour", "arm"), ("armour", "tank"), ("armour", "panzer"), ("armour", "pz")]
SPELLINGS += [
    ("mechanised", "mech"),
    ("mechanised", "mot"),
    ("mechanised", "panzergren"),
    ("mechanised", "pg"),
]
SPELLINGS += [("cavalry", "cav"), ("infantry", "inf"), ("infantry", "rifle"), ("infantry", "foot")]
"""How people write a unit's type: the kit's word, and how such words begin."""
MECHANISED = ("armour", "mechanised", "armoured cavalry")
LIMIT_UNITS, LIMIT_STEPS = 3, 6  # [7.4]


class Reason(NamedTuple):
    """What the rules have against something, and the rule that says so."""

    words: str
    rule: str

    def __str__(self) -> str:
        return f"{self.words} [{self.rule}]"


PROPER = {"nkvd": "NKVD", "stavka": "STAVKA", "von manstein": "Von Manstein", "corps kg": "Corps KG"}
"""Names that a capital letter alone does not make."""


def titled(name: str) -> str:
    """A tactic, an event or a type of card as it is written: Soviet airpower, NKVD."""
    return PROPER.get(name, name[:1].upper() + name[1:])


def names_for(side: str, table: Mapping[str, str]) -> list[tuple[str, str]]:
    """Choices of tactics or events open to a side."""
    return [(name, titled(name)) for name, whose in table.items() if whose in ("both", side)]


def side_at(ctx: Context) -> str:
    """The side a form is filled in for: the seat's own, or the active one at the table."""
    return ctx.seat if ctx.seat in ctx.game.sides else ctx.game.active


def side_of(ctx: Context) -> str:
    """The side that a form is about: the one chosen in it, or the one it is filled in for."""
    return str(ctx.values.get("side") or "") or side_at(ctx)


def kind_of(unit: Unit) -> str:
    """A unit's type [2.21], however it is spelled; nothing when nobody told it."""
    words = re.findall(r"[a-z]+", unit.kind.lower())
    found = [kind for word in words for kind, stem in SPELLINGS if word.startswith(stem)]
    if "armour" in found and "cavalry" in found:
        return "armoured cavalry"
    return next((kind for kind in ("mechanised", "armour", "cavalry", "infantry") if kind in found), "")


def armour(unit: Unit, game: Game) -> bool:
    """Armour and armoured cavalry, unless steps lost took it (klass A3, A2) or it is isolated [2.21, 10.22]."""
    if kind_of(unit) not in ("armour", "armoured cavalry") or isolated(game, unit):
        return False
    least = unit.klass[1:] if unit.klass.startswith("A") else ""
    return not least.isdecimal() or unit.steps >= int(least)


def mechanised(unit: Unit) -> bool:
    return kind_of(unit) in MECHANISED


def strength(unit: Unit) -> int | None:
    """The combat strength at the steps it has left, as far as the roster tells."""
    return unit.factors.get(f"CS{unit.steps}")


def steps_untold(game: Game, unit: Unit) -> bool:
    """A bare name on record: nobody has told how many steps its counter has, and one is only what a record begins with."""
    bare = unit.steps == unit.full == 1 and not kind_of(unit) and not unit.factors
    return bare and unit.id not in game["one-step"]


def told_steps(game: Game, unit: Unit, steps: int) -> Iterator[e.Event]:
    """Remember a counter of one step: of all others the unit itself tells."""
    if steps == 1 and unit.id not in game["one-step"]:
        yield e.Set("one-step", [*game["one-step"], unit.id], reason=IN_PASSING)


def called(unit: Unit) -> str:
    """What players know a unit by."""
    return unit.name or unit.id


def isolated(game: Game, unit: Unit) -> bool:
    return bool(game.mark(unit.id, "supply") == "isolated")


def in_order(game: Game, unit: Unit) -> bool:
    """Supplied and not dispersed [9.2, 12.22]."""
    return not game.mark(unit.id, "supply") and not game.mark(unit.id, "dispersed")


def on_record(game: Game, ids: Iterable[str]) -> list[Unit]:
    """Those of the units that are still known at the table."""
    return [game.units[u] for u in ids if u in game.units]


def fits(units: Sequence[Unit]) -> bool:
    """Whether one hex holds them all [7.4]."""
    return len(units) <= LIMIT_UNITS and sum(u.steps for u in units) <= LIMIT_STEPS


def whole(value: Any) -> int | None:
    """A number out of the owner's book, or None for an empty cell."""
    text = str(value if value is not None else "").strip()
    return int(text) if text.lstrip("-").isdecimal() else None


def yes(value: Any) -> bool:
    """A tick out of the owner's book."""
    return str(value).strip().lower() in {"1", "yes", "true", "on", "x"}


def ticked_off(
    game: Game, action: str, *, all_sides: Iterable[str], left: Iterable[str]
) -> Iterator[e.Event]:
    """The checklist's lines for an action that each side does once, in their order; one line may stand for all."""
    phase, open_ = game.phase_def(), set(left)
    lines = [
        f"{game.turn}/{game.phase}/{index}"
        for index, check in enumerate(phase.checklist if phase else ())
        if check.action == action and game.turn in Turns(check.turns) and holds(check.when, game.values)
    ]
    sides = list(all_sides)
    over = [not open_] if len(lines) < len(sides) else [side not in open_ for side in sides]
    for item, finished in zip(lines, over, strict=False):
        if finished and item not in game.ticked:
            yield e.Ticked(item, True, IN_PASSING)


EVENLY, FREELY = "evenly", "freely"
"""How steps are lost: as a combat's hits [9.61, 9.62], or one step of the owner's choice [8.1, 9.7, 10.23]."""


def owe_a_step(
    game: Game, text: str, units: Sequence[str], rule: str, battle: Battle | None = None, step: int = 0
) -> e.Asked:
    """One step of a stack, outside the order of losses unless the table reads it so."""
    side = game.units[units[0]].side
    reading = game["penalty-order"] if battle else game["surrender-order"]
    return owe(
        game,
        side,
        f"{game.side_name(side)}: {text}",
        "lose-steps",
        battle=battle,
        step=step,
        units=units,
        rule=rule,
        steps=1,
        how=EVENLY if reading == "order" else FREELY,
    )
