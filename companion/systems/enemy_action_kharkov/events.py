"""Command events: what the companion does of one, and who has to do the rest [5.4]."""

from __future__ import annotations

from companion.engine.errors import Unreadable
from companion.engine.play.actions import Events
from companion.engine.play.duties import owe
from companion.engine.positions.pieces import on_map
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov import command as c
from companion.systems.enemy_action_kharkov.base import titled

FOLLOW_UP = {
    "air supply": ("air-supply", "Choose the unit or stack that is supplied again", "10.3"),
    "engineers": ("engineers", "Place or remove up to three improved positions", "12.21, 12.24"),
    "forward support": ("forward-support", "Place a forward support marker on the line", "10.43"),
    "air interdiction": ("air-interdiction", "Take one forward support marker off", "10.44"),
    "partisan uprising": ("disperse", "Disperse the Germans the aid allows", "9.9"),
    "over extended": ("disperse", "Disperse the Soviets the aid allows", "9.9"),
}


def play_event(game: Game, side: str, event: str, *, told: bool = False) -> Events:
    """What an event does, or who has to do it [5.4]."""
    if not event:
        raise Unreadable("which event?", field="event", rule="5.4")
    said = {**c.in_command(game), "what": "event", "event": event}
    yield e.Set("command", said, reason=IN_PASSING if told else f"event: {titled(event)}")
    if event == "nkvd":
        yield e.Set("nkvd-turn", game.turn, was=game["nkvd-turn"], reason="NKVD chits apply this turn [9.4]")
    elif event in FOLLOW_UP:
        action, text, rule = FOLLOW_UP[event]
        targets = {
            "air-supply": [u for u in on_map(game, side) if game.mark(u.id, "supply")],
            "disperse": on_map(game, game.other(side)),
        }
        known = action if targets.get(action, [True]) else ""  # nobody on record to choose from
        yield owe(game, side, text, known, rule=rule)
    else:
        yield e.Noted(f"{titled(event)}: carry it out as the card and the events aid say", rule="5.4")
