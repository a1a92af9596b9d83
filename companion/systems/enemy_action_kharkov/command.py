"""What a card's command may be, which formations are barred, and who is activated [5.2-5.5, 6]."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import on_map
from companion.engine.record.changes import change
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import EVENTS as ALL_EVENTS
from companion.systems.enemy_action_kharkov.base import (
    FORMATION_NAMES,
    FORMATIONS,
    GERMAN,
    SOVIET,
    SOVIET_ARMIES,
    names_for,
    rules,
    titled,
)
from companion.systems.enemy_action_kharkov.manifest import Card, card, listed

COMMANDS = {
    "activate": "Activate",
    "units": "Units in two hexes",
    "kg": "Kampfgruppe",
    "one-unit": "One unit, no attack",
    "deploy": "Deploy reserves",
    "replace": "Replacements",
    "event": "Event",
}
OF_THE_CARD = ("activate", "units", "kg", "deploy", "replace")
"""Commands for the formation that the card names: where it is one, nobody is asked."""
ACTIVATIONS = ("activate", "units", "kg", "one-unit")
# By type of card [5.2-5.5]; one unit is open to every card [6.1].
BY_TYPE: Mapping[str, tuple[str, ...]] = {
    "army units": ("units", "deploy", "event"),
    "army": ("activate", "deploy", "replace", "event"),
    "front": ("activate", "deploy", "event"),
    "stavka": ("activate", "deploy", "event"),
    "corps": ("activate", "deploy", "replace", "event"),
    "corps kg": ("kg", "deploy", "event"),
    "german army": ("activate", "kg", "deploy", "event"),
    "army group": ("activate", "kg", "deploy", "event"),
    "von manstein": ("activate", "kg", "event"),
}
SOVIET_TYPES = ("army units", "army", "front", "stavka")
WILD = ("front", "stavka", "german army", "army group", "von manstein")
"""Cards that serve as any command event [5.4]."""
RANGES = {"army group": 3}
"""How far a Kampfgruppe reaches from its marker, where it is not USUAL_RANGE [6.2]."""
USUAL_RANGE = 2


@dataclass(frozen=True)
class Order:
    """What a card is played for, as it was said."""

    what: str
    hex: str = ""
    reach: int | None = None
    units: tuple[str, ...] = ()
    formations: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    event: str = ""
    steps: int = 1


def in_command(game: Game) -> dict[str, Any]:
    """The card being played for a command and what was said about it."""
    return dict(game["command"])


def formation_by_name(unit: Unit) -> str:
    """The last part of a designation is the army or corps: `1GC.3T`, `679.333.XL`, `Wes/Wik/XL` [2.21]."""
    part = re.split(r"[./\s-]+", unit.name.strip())[-1].lower()
    return next((f for f in FORMATIONS.get(unit.side, ()) if f.lower() == part), "")


@rules.watch
def formations_by_name(game: Game) -> Events:
    """A unit put on record by hand belongs where its counter says."""
    for unit in [u for u in game.units.values() if not u.formation]:
        found = formation_by_name(unit)
        if found:
            name = FORMATION_NAMES[found]
            yield change(game, unit.id, {"formation": found}, reason=f"{name}, by its name", rule="2.21")


def last(game: Game, side: str) -> list[str]:
    """Formations that a side activated in its last impulse, of this turn [6.3]."""
    return [f for f in game[f"last-{side}"].split(", ") if f]


def types_of(side: str) -> list[tuple[str, str]]:
    """The types of card a side has."""
    names = [t for t in BY_TYPE if (t in SOVIET_TYPES) == (side == SOVIET)]
    return [(t, titled(t)) for t in names]


def commands(game: Game, known: Card) -> list[tuple[str, str]]:
    """What this card may be played for, as far as its type is known."""
    side = known.side
    names = list(BY_TYPE.get(known.type, tuple(COMMANDS))) + ["one-unit"]
    other_sides = "kg" if side == SOVIET else "units"
    names = [n for n in names if n != other_sides]
    primary = known.type == "army" and known.kind == "primary"  # Soviet supplemental army cards only [5.5]
    if primary or game.turn < 3 or known.steps == 0:
        names = [n for n in names if n != "replace"]
    elif known.steps:
        names.append("replace")  # as printed, whatever the type
    if game[f"one-unit-{side}"] == game.turn:
        names = [n for n in names if n != "one-unit"]
    for what in ("activate", "units", "kg"):  # all that the card names is barred [6.3]
        if {f for f, _ in formation_choices(side, known)} <= set(barred(game, side, known, what)):
            names = [n for n in names if n != what]
    if not event_choices(game, known):
        names = [n for n in names if n != "event"]  # none printed, or none valid on this turn [5.4]
    return [(n, COMMANDS[n]) for n in dict.fromkeys(names)]


def event_choices(game: Game, known: Card) -> list[tuple[str, str]]:
    """Events printed on the card; any but special ones for a wild card; all where the manifest is silent [5.4]."""
    every = names_for(known.side, ALL_EVENTS)
    if game.turn < 5:
        every = [(n, label) for n, label in every if n not in ("forward support", "air interdiction")]
    printed = listed(known.events, game.turn)
    if known.type in WILD or (printed is not None and "any" in printed):
        own = [n for n in printed or () if n != "any" and n not in dict(every)]
        return [*every, *((n, titled(n)) for n in own)]
    if printed is not None:
        return [(n, titled(n)) for n in printed]
    return [*every, ("special", "Special event, as printed")]


def formation_choices(side: str, known: Card | None = None) -> list[tuple[str, str]]:
    """The armies or corps a side has, or a card can name."""
    own = FORMATIONS[side]
    if known is not None and known.formation:
        own = {f: of for f, of in own.items() if known.formation in (f, of)} or own
    return [(f, FORMATION_NAMES[f]) for f in own]


NAMES_ONE = ("army units", "army", "corps", "corps kg")
NAMES_SEVERAL = ("front", "german army")
"""Cards of one army or corps, and of all armies of a front or all corps of an army [5.2]."""


def of_the_card(side: str, type: str) -> list[tuple[str, str]]:
    """What a card of a type can have in its big box: an army or corps, or what several of them belong to [2.3]."""
    own = FORMATIONS[side]
    names = list(own) if type in NAMES_ONE else list(dict.fromkeys(own.values()))
    return [(f, FORMATION_NAMES[f]) for f in names] if type in (*NAMES_ONE, *NAMES_SEVERAL) else []


def barred(game: Game, side: str, known: Card, what: str) -> list[str]:
    """Formations that cannot be activated now; Von Manstein's card knows none [6.3]."""
    if known.manstein and (what != "one-unit" or game["manstein-one-unit"]):
        return []
    return last(game, side)


def stacked_with(game: Game, formation: str, known: Card) -> list[Unit]:
    """Soviet units of other armies that a front or STAVKA card may take along [5.2]."""
    places = {u.place for u in on_map(game, SOVIET) if u.formation == formation}
    found = [u for u in on_map(game, SOVIET) if u.place in places and u.formation != formation]
    if known.type == "front" and game["front-extras"] == "front":
        front = SOVIET_ARMIES.get(formation)
        found = [u for u in found if SOVIET_ARMIES.get(u.formation) == front]
    elif known.type not in ("front", "stavka", ""):
        return []
    return found


def kampfgruppe(game: Game, known: Card, hex_id: str, reach: int, corps: tuple[str, ...] = ()) -> list[Unit]:
    """German units of the card, or of some of its corps, within range of the marker that the bar leaves free [6.2, 6.3]."""
    named = {f for f, _ in formation_choices(GERMAN, known) if not corps or f in corps}
    closed = barred(game, GERMAN, known, "kg")
    return [
        u
        for u in on_map(game, GERMAN)
        if u.formation in named and u.formation not in closed and game.maps.distance(u.place, hex_id) <= reach
    ]


def told(known: Card, said: Mapping[str, Any]) -> Card:
    """A card with what was said about it where the manifest is silent."""
    return replace(
        known,
        kind=known.kind or str(said.get("kind") or ""),
        type=known.type or str(said.get("type") or ""),
        value=said.get("value") if known.value is None else known.value,
        formation=known.formation or str(said.get("formation") or ""),
    )


def played(game: Game) -> Card:
    """The card in use for the command."""
    said = in_command(game)
    return told(card(game, str(said.get("card", ""))), said)
