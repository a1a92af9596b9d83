"""Trial of a restored game: nothing in it may later break a page, however the file came about.

A file's events are facts that no rule has looked at. Their shape is checked by `savefile`; here each is held against
the game it claims to be of, and the end is looked at from every seat before anything is stored.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import Any

from companion import limits
from companion.engine.dice import Spec
from companion.engine.errors import Mistake, Unreadable
from companion.engine.forms.worksheet import Breakdown
from companion.engine.kit.roster import Unit
from companion.engine.people.clocks import BY_HAND, CLOCK_STATES, MOST_MINUTES, SPENT
from companion.engine.people.talk import SHOWN
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.engine.seat.view import view
from companion.engine.seat.words import describe
from companion.systems import System
from companion.tables.background import slices

logger = logging.getLogger(__name__)

Scalar = str | int | float | bool | None
_UNIT_TYPES = {f.name: str(f.type) for f in fields(Unit)}
_SHEET_TYPES = {f.name: str(f.type) for f in fields(Breakdown)}


def check_events(game: Game, events: Iterable[e.Event]) -> None:
    """Each event could be of this game; what it once asked for, the game may have forgotten.

    :raises Unreadable: naming the first that could not
    """
    for number, event in slices(enumerate(events, 1)):
        try:
            _CHECKS.get(type(event), _nothing)(game, event)
            _check_size(event.to_json())
        except (ValueError, TypeError, LookupError) as error:
            words = error.message if isinstance(error, Mistake) else str(error)
            raise Unreadable(f"this export's event {number} cannot be replayed: {words[:200]}") from None


def check_sight(system: System, game: Game, events: Iterable[e.Event]) -> None:
    """Every seat can look at the game and at its log.

    :raises Unreadable: when something in it cannot be shown
    """
    if len(game.units) > limits.UNITS:
        raise Unreadable(f"this export has {len(game.units)} units: at most {limits.UNITS} can be on a table")
    if len(game.asked) > limits.OPEN_QUESTIONS or len(game.marks) > limits.MARKS:
        raise Unreadable(
            f"this export has {len(game.asked)} open questions and markers on {len(game.marks)} units and hexes: "
            f"at most {limits.OPEN_QUESTIONS} and {limits.MARKS} can be on a table"
        )
    try:
        for seat in ("table", *game.sides, "watch"):
            view(system.rules, game, seat).to_json()
        for event in slices(events):
            describe(event.seen_by("table"), game)
    except Exception as error:  # noqa: BLE001 - whatever cannot be shown must not be stored
        logger.warning("an imported game could not be shown", exc_info=True)
        raise Unreadable(f"this export cannot be shown: {str(error)[:200]}") from None


def _nothing(game: Game, event: e.Event) -> None:
    pass


def _check_size(value: Any, depth: int = 0) -> None:
    if depth > limits.JSON_DEPTH:
        raise ValueError(f"it is nested more than {limits.JSON_DEPTH} deep")
    if isinstance(value, str) and len(value) > limits.TEXT:
        raise ValueError(f"a text of {len(value)} characters: at most {limits.TEXT}")
    if isinstance(value, int) and abs(value) > 10**limits.NUMBER_DIGITS:
        raise ValueError("a number too large to be one")
    if isinstance(value, Mapping | list | tuple):
        if len(value) > limits.IMPORT_ITEMS:
            raise ValueError(f"a list of {len(value)}: at most {limits.IMPORT_ITEMS}")
        for item in (*value, *value.values()) if isinstance(value, Mapping) else value:
            _check_size(item, depth + 1)


def _of_type(value: Any, annotation: str) -> bool:
    """Whether a value read from JSON is what an annotation of ours says."""
    if annotation in _PLAIN:
        return isinstance(value, _PLAIN[annotation]) and (annotation == "bool" or not isinstance(value, bool))
    if annotation.startswith(("list[Line]",)):
        return isinstance(value, list | tuple) and all(
            isinstance(v, Mapping) and all(isinstance(x, str) for x in v.values()) for v in value
        )
    if annotation.startswith(("list[str]", "tuple[str")):
        return isinstance(value, list | tuple) and all(isinstance(v, str) for v in value)
    if annotation in ("dict[str, int]", "dict[str, float]"):
        return isinstance(value, Mapping) and all(
            isinstance(v, int | float) and not isinstance(v, bool) for v in value.values()
        )
    return isinstance(value, Mapping)


_PLAIN: dict[str, Any] = {"str": str, "int": int, "bool": bool, "int | None": int | None}


def _started(game: Game, event: e.Started) -> None:
    if (event.system, event.scenario) != (game.kit.id, game.scenario.id):
        raise ValueError(f"it opens {event.system[:40]!r}, {event.scenario[:40]!r}: another game")
    for name, value in event.options.items():
        _value(game, name, value)


def _advanced(game: Game, event: e.Advanced) -> None:
    if game.phase_def(event.phase) is None or not 0 <= event.turn <= 999:
        raise ValueError(f"there is no phase {event.phase[:40]!r} on turn {event.turn}")


def _set(game: Game, event: e.Set) -> None:
    _value(game, event.name, event.value)


def _value(game: Game, name: str, value: Any) -> None:
    """A track holds a number, a dial and an option one of their positions; other names are the games' own."""
    if any(t.id == name for t in game.kit.tracks):
        good = type(value) is int
    elif name in ("solo", "fog"):
        good = isinstance(value, bool)
    elif name in (SPENT, BY_HAND):
        good = isinstance(value, Mapping) and all(
            side in game.sides and type(gone) in (int, float) and abs(gone) < 1e9
            for side, gone in value.items()
        )
    elif name == SHOWN:
        good = isinstance(value, list | tuple) and set(value) <= set(game.sides)
    elif name == "clock":
        good = value in [state for state, _ in CLOCK_STATES]
    elif name == "clock-limit":
        good = isinstance(value, str) and value.isdecimal() and int(value[:9]) <= MOST_MINUTES
    elif name.startswith(("mode-", "entropy-")) or name in ("judge", "record", "effort"):
        good = isinstance(value, str)
    else:
        places = [d.values for d in game.kit.dials if d.id == name]
        places += [o.choices for o in (*game.kit.options, *game.scenario.options) if o.id == name]
        good = not places or (value in [v.id for v in places[0]] if places[0] else isinstance(value, bool))
    if not good:
        raise ValueError(f"{name[:40]} cannot be {str(value)[:40]!r}")


def _rolled(game: Game, event: e.Rolled) -> None:
    spec = Spec.parse(event.dice)
    faces = len(event.values) == spec.count and all(spec.lowest <= v <= spec.highest for v in event.values)
    low, high = spec.sums
    told = event.mode == "physical" and not event.values and low <= (event.sum or 0) <= high
    if not (told or (faces and event.sum is None)):
        raise ValueError(f"{event.dice} cannot fall {', '.join(map(str, event.values))[:40] or event.sum}")


def _drawn(game: Game, event: e.Drawn) -> None:
    if event.pile not in {p.id for p in game.kit.piles}:
        raise ValueError(f"there is no pile {event.pile[:40]!r}")


def _placed(game: Game, event: e.Placed) -> None:
    for name, value in event.facts.items():
        if name not in _UNIT_TYPES or name == "id":
            raise ValueError(f"a unit has no {name[:40]!r}")
        if not _of_type(value, _UNIT_TYPES[name]):
            raise ValueError(f"a unit's {name} cannot be {str(value)[:40]!r}")
    if not {event.facts.get("side"), event.side} <= {*game.sides, "", None}:
        raise ValueError(f"there is no side {str(event.facts.get('side', event.side))[:40]!r}")
    place = event.place or ""
    if place.startswith("box:"):
        if place[4:] not in {b.id for b in game.kit.boxes}:
            raise ValueError(f"there is no box {place[4:][:40]!r}")
    elif place:
        game.maps.parse(place)


def _marked(game: Game, event: e.Marked) -> None:
    if not isinstance(event.value, Scalar):
        raise ValueError(f"a marker cannot be {str(event.value)[:40]!r}")


def _sealed(game: Game, event: e.Sealed) -> None:
    if event.seat not in game.sides:
        raise ValueError(f"there is no seat {event.seat[:40]!r}")


def _asked(game: Game, event: e.Asked) -> None:
    strangers = {*event.to, *event.only} - {"table", *game.sides}
    if strangers:
        raise ValueError(f"there is no seat {sorted(strangers)[0][:40]!r}")


def _engaged(game: Game, event: e.Engaged) -> None:
    strangers = {event.attacker, event.defender, *event.forces} - {"", *game.sides}
    if strangers:
        raise ValueError(f"there is no side {sorted(strangers)[0][:40]!r}")
    if not event.battle and not (event.title and event.attacker and event.defender):
        raise ValueError("a battle without its title or its sides")
    for units in event.forces.values():
        if not isinstance(units, list | tuple) or not all(isinstance(u, str) for u in units):
            raise ValueError("a battle's units must be a list of names")
    for hex_id in event.hexes:
        game.maps.parse(str(hex_id))


def _resolved(game: Game, event: e.Resolved) -> None:
    for name, value in event.breakdown.items():
        if name not in _SHEET_TYPES or not _of_type(value, _SHEET_TYPES[name]):
            raise ValueError(f"a worksheet's {str(name)[:40]} cannot be {str(value)[:40]!r}")
    if "title" not in event.breakdown:
        raise ValueError("a worksheet without its title")


def _ended(game: Game, event: e.Ended) -> None:
    if not all(side in game.sides and type(vp) is int and abs(vp) < 1e6 for side, vp in event.vp.items()):
        raise ValueError(f"its victory points cannot be {str(event.vp)[:40]}")


_CHECKS: dict[type[e.Event], Callable[[Game, Any], None]] = {
    e.Started: _started,
    e.Advanced: _advanced,
    e.Set: _set,
    e.Rolled: _rolled,
    e.Drawn: _drawn,
    e.Returned: _drawn,
    e.Placed: _placed,
    e.Marked: _marked,
    e.Sealed: _sealed,
    e.Asked: _asked,
    e.Engaged: _engaged,
    e.Resolved: _resolved,
    e.Ended: _ended,
}
