"""Set-up: the units that the rulebook or the owner's roster names [3.1-3.4]."""

from __future__ import annotations

from dataclasses import replace

from companion.engine.errors import Mistake, NotNow
from companion.engine.people.units import set_up as plain_set_up
from companion.engine.play.actions import Events
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING, change
from companion.engine.record.game import Game
from companion.systems.second_kharkov.base import rules
from companion.systems.second_kharkov.units import full_strength


def _at_the_start(game: Game) -> bool | str | Mistake:
    if game.turn > 1:
        return NotNow("the game has begun: type where units stand now under Enter positions", rule="3.1")
    return plain_set_up.when(game) if plain_set_up.when else True


@rules.action(by="any", label="Set up the scenario", group="setup", rule="3.1", when=_at_the_start)
def set_up(game: Game) -> Events:
    """Put every known unit on record, on its set-up hex or waiting for its turn."""
    here = [u for u in game.roster if u.place and not u.turn]
    rest = len(game.roster) - len(here)
    yield e.Noted(f"{len(here)} units are on their set-up hexes, {rest} wait under Units", rule="3.1")
    for event in plain_set_up.fn(game):  # which of them stand where is on the map, and nobody's news
        yield replace(event, reason=IN_PASSING) if isinstance(event, e.Placed) else event
    for unit in list(game.units.values()):  # a roster need not say how many steps a whole unit has
        if unit.full < (full := full_strength(unit.side, unit.name)):
            facts = {"steps": full, "full": full}
            yield change(game, unit.id, facts, reason=IN_PASSING, rule="2.13, 3.4")
