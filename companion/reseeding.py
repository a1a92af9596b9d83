"""A new seed for the dice, where the old one has been seen."""

from __future__ import annotations

import secrets

from companion.engine import dice
from companion.engine import events as e
from companion.engine.errors import NotNow
from companion.engine.game import Game


def reseed(game: Game, seed: str, was_open: bool) -> tuple[str, list[e.Event]]:
    """The seed to go on with after a take-back, and the events that tell of it.

    :param game: the game as it stands after the take-back
    :param was_open: whether the record, and with it the seed, lay open before
    """
    if game.record_open and not was_open:
        raise NotNow(
            "The record lay open there, and play has gone on since. End the game again instead.", field="to"
        )
    if was_open and not game.record_open:
        new = secrets.token_hex(32)
        event = e.Reseeded(dice.commitment(new), revealed=seed)
    elif game.commitment != dice.commitment(seed):  # it went back past the change to this seed
        new, event = seed, e.Reseeded(dice.commitment(seed))
    else:
        return seed, []
    game.apply(event)
    return new, [event]
