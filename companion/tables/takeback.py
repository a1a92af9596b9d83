"""What a take-back must not bring about: secrets shown, words lost from the dice, rolls of a seen seed, time won."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from copy import copy

from companion.engine import dice
from companion.engine.errors import NotNow
from companion.engine.once import follow
from companion.engine.people.clocks import SPENT
from companion.engine.people.talk import SHOWN
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game
from companion.engine.record.hindsight import Hindsight
from companion.engine.wayback import WayBack


def gone_back(game: Game, line: int, load: Callable[[int], Game]) -> tuple[Game, Game]:
    """The game as it was, for what must be compared, and as it stood after a line of the record.

    :param load: folds it from the record, where too much was done since for the game to know the way back
    """
    if game.way_back.leads_to(line):
        now, then = copy(game), game
        now.values = dict(game.values)
        then.way_back.go(then, line)
        then.hindsight = Hindsight()
    else:
        now, then = game, load(line)
        follow(then, now)
        now.way_back = WayBack()  # what was worked out of it is the other's now
    then.way_back.begin(line)
    return now, then


def after_take_back(now: Game, then: Game, seed: str) -> tuple[str, list[e.Event]]:
    """The seed to go on with after a take-back, and the events that must follow it.

    :param now: the game before the take-back
    :param then: the game as it stands after it; changed by the events
    :raises NotNow: if it leads to where something lay open that is closed now
    """
    _refuse_to_reveal(now, then)
    events: list[e.Event] = [
        e.Set(name, now[name], reason="stays in the dice")
        for name in (f"entropy-{side}" for side in now.sides)
        if now[name] and not then[name]
    ]
    for name in (SPENT, SHOWN):  # no time is won, and nobody's side is laid before the judge again
        if now[name] != then[name]:
            events.append(e.Set(name, now[name], reason=IN_PASSING))
    # What was asked then has been answered since, or is answered by this take-back.
    events += [e.Answered(ask.id, "taken back") for ask in then.asked.values() if ask.is_consent]
    if now.record_open and not then.record_open:
        new = secrets.token_hex(32)
        events.append(e.Reseeded(dice.commitment(new), revealed=seed))
    else:
        new = seed
        if then.commitment != dice.commitment(seed):  # it went back past the change to this seed
            events.append(e.Reseeded(dice.commitment(seed)))
    for event in events:
        then.apply(event)
    return new, events


def _refuse_to_reveal(now: Game, then: Game) -> None:
    if then.ended and not now.ended:
        raise NotNow(
            "The game had ended there, and play has gone on since. End it again instead.", field="to"
        )
    if now["fog"] and not then["fog"] and not now["solo"]:
        raise NotNow(
            "The fog of war was lifted there. Lift it again in the table's settings instead.", field="to"
        )
