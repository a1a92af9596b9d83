"""Events made so that secrets hold in the record too: units under fog of war, sealed choices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from companion.engine.errors import Unreadable
from companion.engine.record import events as e
from companion.engine.record.game import Game


def fogged(game: Game, side: str) -> tuple[str, ...]:
    """Who may see which unit an event is about: everybody, or under fog of war its own side only."""
    return (side,) if game["fog"] and game.kit.enemy_stacks != "all" and side else ()


def create(game: Game, unit: str, place: str, facts: Mapping[str, Any], reason: str = "") -> e.Placed:
    """A new unit comes on record."""
    side = str(facts.get("side", ""))
    return e.Placed(unit, place, facts=facts, reason=reason, side=side, only=fogged(game, side))


def move(
    game: Game, unit: str, place: str, reason: str = "", rule: str = "", *, public: bool = False
) -> e.Placed:
    """A unit goes to a hex or box. A public move (a unit destroyed in battle) is named to all."""
    held = game.units[unit]
    only = () if public else fogged(game, held.side)
    return e.Placed(unit, place, was=held.place, reason=reason, rule=rule, side=held.side, only=only)


def change(
    game: Game, unit: str, facts: Mapping[str, Any], reason: str = "", rule: str = "", *, public: bool = False
) -> e.Placed:
    """Facts of a unit change: steps, factors, status. A public change (losses in battle) is seen by all."""
    held = game.units[unit]
    only = () if public else fogged(game, held.side)
    return e.Placed(unit, facts=facts, reason=reason, rule=rule, side=held.side, only=only)


OFF_COUNTER, OFF_IN_PASSING = "read off the counter", "read off the counter in passing"
"""Why facts of a unit are known: somebody looked at the counter in play, or typed it with something that the log tells
in better words. The owner's roster learns them, too."""


def read_off(
    game: Game,
    unit: str,
    facts: Mapping[str, Any],
    rule: str = "",
    *,
    public: bool = False,
    reason: str = OFF_COUNTER,
) -> e.Placed:
    """What a counter shows that nobody had copied: asked once, at the unit, and kept on it.

    A reduced unit shows its other side, which is not what a roster lists.
    """
    held = game.units[unit]
    whole = held.steps == held.full
    return change(game, unit, facts, reason=reason if whole else IN_PASSING, rule=rule, public=public)


def read_face(
    game: Game, listed: str, row: str, face: Mapping[str, Any], *, side: str = ""
) -> Iterator[e.Set]:
    """What a card, a chit or a play aid shows that the owner's list does not tell: kept, and asked no more.

    :param side: the one side that may see it, while it lies hidden. The owner's book is read by everybody, so it learns
        such a face when the record lies open, and all others at once.
    """
    secret = bool(side) and not game["solo"]
    name = f"faces-{side}" if secret else "faces"
    new = {f"{listed}|{row}|{column}": value for column, value in face.items() if value not in ("", None)}
    held = game[name]
    if any(held.get(key) != value for key, value in new.items()):
        only = (side,) if secret else ()
        yield e.Set(name, {**held, **new}, reason=IN_PASSING, only=only)


def put_mark(
    game: Game,
    target: str,
    marker: str,
    value: Any,
    reason: str = "",
    rule: str = "",
    *,
    public: bool = False,
) -> e.Marked:
    """A marker on a unit or hex; None takes it off.

    :raises Unreadable: when the marker does not belong on such a thing
    """
    unit = game.units.get(target)
    definition = next((m for m in game.kit.markers if m.id == marker), None)
    if value is not None and definition is not None and not game.may_carry(target, definition):
        where = (
            f"in a hex, not on a unit such as {unit.name or unit.id}" if unit else "on a unit, not in a hex"
        )
        raise Unreadable(
            f"{definition.label} lies {where}", given=target, accepted=" or ".join(definition.on)
        )
    only = fogged(game, unit.side) if unit and not public else ()
    return e.Marked(target, marker, value, reason=reason, rule=rule, only=only)


def take_off(game: Game, target: str, marker: str, reason: str = "") -> e.Marked:
    """A marker goes off by itself; nobody learns of it who did not know that it lay there."""
    unit = game.units.get(target)
    held = game.marks[target][marker].only or (fogged(game, unit.side) if unit else ())
    return e.Marked(target, marker, None, reason=reason, only=held)


def seal(game: Game, name: str, seat: str, value: Any, needed: tuple[str, ...] = ()) -> Iterator[e.Event]:
    """Commit a seat's choice; when every needed seat (both sides by default) has, lay all of them open."""
    yield e.Sealed(name, seat, value, only=(seat,))
    wanted = needed or tuple(game.sides)
    chosen = game.sealed.get(name, {})
    if all(s in chosen for s in wanted):
        yield e.Revealed(name, dict(chosen))


BY_SEQUENCE = "cleared by the sequence"
"""Why a marker went off by itself; the log keeps silent about these."""


IN_PASSING = "in passing"
"""Why a marker or chit came or went with something that the log tells in better words: it has no line of its own.
The text of a tick that only the rules need."""


PUT_BACK = "put back"
"""How the reason of a take-back begins that takes an earlier one back: a redo."""
