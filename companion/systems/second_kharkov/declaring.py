"""The German order of phases: move then fight, or fight then move [5.3, 5.7]; the second ends the turn [5.4]."""

from __future__ import annotations

from companion.engine.errors import NotNow
from companion.engine.people.units import arrival_id
from companion.engine.play.actions import Events
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game
from companion.systems.second_kharkov.base import FIGHT, GERMAN, MOVE, put, rules


@rules.entering("turn")
def order_is_open_again(game: Game) -> Events:
    yield from put(game, "german-order", "undeclared", IN_PASSING, "5.3")


def _open(game: Game) -> bool | NotNow:
    return game["german-order"] == "undeclared" or NotNow("the order of this turn is declared", rule="5.3")


@rules.action(by=GERMAN, phase=MOVE[GERMAN], rule="5.3", label="Move first", primary=True, when=_open)
def move_first(game: Game) -> Events:
    """Declare, once and for all units, that they move before they fight."""
    yield from put(game, "german-order", "move-fight", "declared", "5.3")


@rules.action(
    by=GERMAN, phase=MOVE[GERMAN], rule="5.7", label="Fight first: -1", primary=True, order=1, when=_open
)
def fight_first(game: Game) -> Events:
    """Declare, once and for all units, that they fight before they move: -1 on every attack."""
    yield from put(game, "german-order", "fight-move", IN_PASSING, "5.3")  # the phase that begins says it
    yield e.Advanced(game.turn, FIGHT[GERMAN], reason="the German fights first")
    yield from rules.run("enter", game)


@rules.leaving(MOVE[GERMAN])
def movement_has_begun(game: Game) -> Events:
    """Whoever moves without a word has chosen to move first: the order is declared before anything is done."""
    if game.phase == MOVE[GERMAN] and game["german-order"] == "undeclared":
        yield from put(game, "german-order", "move-fight", "moved first", "5.3")


def _arrived(game: Game) -> int:
    """How many German arrivals are in."""
    mine = [arrival_id(a, n) for n, a in enumerate(game.scenario.arrivals) if a.side == GERMAN]
    return sum(f"arrival/{name}" in game.ticked for name in mine)


@rules.entering(MOVE[GERMAN])
def nobody_has_come_yet(game: Game) -> Events:
    yield from put(game, "german-arrivals", _arrived(game), IN_PASSING, "10.1")


@rules.watch
def reinforcements_are_in(game: Game) -> Events:
    """Bringing units in is movement, too, those of earlier turns as well [10.1, 10.2]."""
    if game.phase == MOVE[GERMAN] and _arrived(game) > int(game["german-arrivals"]):
        yield from movement_has_begun(game)
