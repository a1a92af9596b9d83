"""Aircraft over a hex: the marker's text, read and written ('support 4, attack 3') [8.2.1]."""

from __future__ import annotations

from collections.abc import Iterable

from companion.engine.play.actions import Events
from companion.engine.record import events as e
from companion.engine.record.game import Game

Missions = dict[str, int]
"""Mission -> strength points; for crossing attacks the number of attacks."""


def over(game: Game, side: str, hex_id: str) -> Missions:
    """A side's missions over a hex."""
    found: Missions = {}
    for part in str(game.mark(hex_id, f"air-{side}") or "").split(", "):
        name, _, amount = part.rpartition(" ")
        if name:
            found[name] = int(amount)
    return found


def everywhere(game: Game, side: str) -> dict[str, Missions]:
    """All hexes with a side's aircraft."""
    return {hex_id: over(game, side, hex_id) for hex_id in game.marked(f"air-{side}")}


def write(side: str, hex_id: str, missions: Missions, reason: str = "", rule: str = "8.2") -> e.Marked:
    """The marker for these missions; none takes it off."""
    value = ", ".join(f"{name} {amount}" for name, amount in missions.items() if amount)
    return e.Marked(hex_id, f"air-{side}", value or None, reason=reason, rule=rule)


def use_up(game: Game, side: str, mission: str, hexes: Iterable[str]) -> list[e.Event]:
    """The mission was flown: take it off these hexes."""
    done: list[e.Event] = []
    for hex_id in hexes:
        missions = over(game, side, hex_id)
        if missions.pop(mission, 0):
            done.append(write(side, hex_id, missions, "flown"))
    return done


def overhead(game: Game, duty: e.Asked) -> bool:
    """Whether the aircraft of an attack that is owed are still there."""
    args = duty.args
    return str(args.get("mission")) in over(game, str(args.get("side")), str(args.get("over")))


def spent(game: Game, duty: e.Asked, how: str) -> Events:
    """Rolled on the map, or not flown: the mission is over."""
    args = duty.args
    yield from use_up(game, str(args["side"]), str(args["mission"]), [str(args["over"])])
