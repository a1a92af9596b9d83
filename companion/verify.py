"""Verification: every digital roll and draw of an exported game, recomputed from its seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from companion.engine import dice
from companion.engine import events as e
from companion.engine.errors import Unreadable
from companion.engine.game import Game, replay
from companion.savefile import check_shape
from companion.tables import Tables


def verify(copy: Mapping[str, Any], tables: Tables) -> Iterator[tuple[int, str, bool]]:
    """Recompute every digital roll and draw: (event number, words, whether it is the fair stream's)."""
    if "seed" not in copy:
        raise Unreadable("this copy does not hold the dice seed: it is revealed when the game has ended")
    check_shape(copy)
    seed = str(copy["seed"])
    first = copy["events"][0]["body"]
    yield 1, "the seed fits the commitment shown at the start", dice.commitment(seed) == first["commitment"]
    system = tables.system(str(copy["system"]))
    done: list[e.Event] = []
    game = Game(system.kit, str(copy["scenario"]))
    position = 0
    for item in copy["events"]:
        event = e.Event.from_json(item["body"])
        if isinstance(event, e.Rolled | e.Drawn) and event.mode == "digital" and event.index is not None:
            words = [str(game[f"entropy-{s}"]) for s in game.sides if game[f"entropy-{s}"]]
            stream = dice.Stream(seed, event.index, words)
            in_order = event.index >= position
            if isinstance(event, e.Rolled):
                fair = stream.roll(dice.Spec.parse(event.dice)) == tuple(event.values)
                text = f"{event.dice} rolled {', '.join(map(str, event.values))}"
            else:
                held = game.piles[event.pile][event.source]
                fair = stream.pick(held, len(event.tokens)) == tuple(event.tokens)
                text = f"{len(event.tokens)} drawn from {event.pile}"
            position = stream.position
            yield int(item["seq"]), text, fair and in_order
        done.append(event)
        if isinstance(event, e.Undone):
            game = replay(Game(system.kit, str(copy["scenario"])), done)
        else:
            game.apply(event)
