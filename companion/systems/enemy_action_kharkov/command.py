"""What a card's command may be, which formations are barred, and who is activated: 5.2-5.5 and 6."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
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
    on_map,
    rules,
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
# 5.2-5.5 by type of card; one unit is open to every card.
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
"""5.4, 9.22: cards that serve as any command event."""
RANGES = {"corps kg": 2, "german army": 2, "army group": 3, "von manstein": 2}


def in_command(game: Game) -> dict[str, Any]:
    """The card being played for a command and what was said about it."""
    return dict(game["command"] or {})


def formation_by_name(unit: Unit) -> str:
    """2.21: the last part of a designation is the army or corps: 1GC.3T, 679.333.XL, Wes/Wik/XL."""
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
    """Formations that a side activated in its last impulse, of this turn."""
    return [f for f in str(game[f"last-{side}"] or "").split(", ") if f]


def types_of(side: str) -> list[tuple[str, str]]:
    """The types of card a side has."""
    names = [t for t in BY_TYPE if (t in SOVIET_TYPES) == (side == SOVIET)]
    return [(t, {"stavka": "STAVKA", "corps kg": "Corps KG"}.get(t, t.capitalize())) for t in names]


def commands(game: Game, known: Card) -> list[tuple[str, str]]:
    """What this card may be played for, as far as its type is known."""
    side = known.side
    names = list(BY_TYPE.get(known.type, tuple(COMMANDS))) + ["one-unit"]
    other_sides = "kg" if side == SOVIET else "units"
    names = [n for n in names if n != other_sides]
    if known.type == "army" and known.kind == "primary":
        names = [n for n in names if n != "replace"]  # 5.5: Soviet supplemental army cards only
    if game.turn < 3 or known.steps == 0:
        names = [n for n in names if n != "replace"]
    if game[f"one-unit-{side}"] == game.turn:
        names = [n for n in names if n != "one-unit"]
    return [(n, COMMANDS[n]) for n in dict.fromkeys(names)]


def event_choices(game: Game, known: Card) -> list[tuple[str, str]]:
    """5.4: events printed on the card, or any of the side's for a wild card; all when the card is unknown."""
    every = names_for(known.side, ALL_EVENTS)
    if game.turn < 5:
        every = [(n, label) for n, label in every if n not in ("forward support", "air interdiction")]
    printed = listed(known.events, game.turn)
    if known.type in WILD or printed is None or "any" in printed:
        return [*every, ("special", "Special event, as printed")]
    return [*((n, n.capitalize()) for n in printed if n != "any"), ("special", "Special event, as printed")]


def formation_choices(game: Game, side: str, known: Card | None = None) -> list[tuple[str, str]]:
    """The armies or corps a card can name."""
    own = FORMATIONS[side]
    if known is not None and known.formation:
        named = [f for f in own if f == known.formation or own[f] == known.formation]
        own = {f: own[f] for f in named} or own
    return [(f, FORMATION_NAMES[f]) for f in own]


def barred(game: Game, side: str, known: Card | None = None, what: str = "") -> dict[str, str]:
    """6.3: formations that cannot be activated now, each with the reason; Von Manstein's card knows none."""
    if known is not None and known.manstein and (what != "one-unit" or game["manstein-one-unit"]):
        return {}
    return {f: "activated in the last impulse [6.3]" for f in last(game, side)}


def stacked_with(game: Game, formation: str, known: Card, closed: Iterable[str]) -> list[Unit]:
    """5.2: Soviet units of other armies that a front or STAVKA card may take along."""
    places = {u.place for u in on_map(game, SOVIET) if u.formation == formation}
    found = [u for u in on_map(game, SOVIET) if u.place in places and u.formation != formation]
    if known.type == "front" and game["front-extras"] == "front":
        front = SOVIET_ARMIES.get(formation)
        found = [u for u in found if SOVIET_ARMIES.get(u.formation) == front]
    elif known.type not in ("front", "stavka", ""):
        return []
    return [u for u in found if u.formation not in set(closed)]


def kampfgruppe(game: Game, known: Card, hex_id: str, reach: int) -> list[Unit]:
    """6.2: German units of the card within range of the marker that 6.3 leaves free."""
    named = {f for f, _ in formation_choices(game, GERMAN, known)}
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
        kind=known.kind or str(said.get("kind", "")),
        type=known.type or str(said.get("type", "")),
        value=said.get("value") if known.value is None else known.value,
    )


def played(game: Game) -> Card:
    """The card in use for the command."""
    said = in_command(game)
    return told(card(game, str(said.get("card", ""))), said)
