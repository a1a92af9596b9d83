"""The German order of phases: move then fight, or fight then move (5.3, 5.7)."""

from __future__ import annotations

from typing import Annotated

from companion.engine import events as e
from companion.engine.actions import Events
from companion.engine.fields import Choice
from companion.engine.game import Game
from companion.systems.second_kharkov.base import FIGHT, GERMAN, MOVE, put, rules

ORDERS = (("move-fight", "move, then fight"), ("fight-move", "fight, then move (-1 on every attack)"))


@rules.entering("turn")
def order_is_open_again(game: Game) -> Events:
    yield from put(game, "german-order", "undeclared", "a new turn", "5.3")


@rules.entering(MOVE[GERMAN])
def ask_for_the_order(game: Game) -> Events:
    """5.3: the German player turn opens with the declaration."""
    if game["german-order"] == "undeclared":
        name, to = f"order-{game.revision}", (GERMAN, "table")
        yield e.Asked(name, to, "Declare the order of this player turn", "declare-order", rule="5.3")


@rules.action(
    by=GERMAN,
    phase=MOVE[GERMAN],
    rule="5.3",
    label="Declare the order",
    primary=True,
    when=lambda game: game["german-order"] == "undeclared" or "the order of this turn is declared (5.3)",
)
def declare_order(game: Game, order: Annotated[str, Choice(label="Order", options=ORDERS)]) -> Events:
    """Say once, for all units, whether they move or fight first."""
    yield from put(game, "german-order", order, "declared", "5.3")
    for ask in [a for a in game.asked.values() if a.action == "declare-order"]:
        yield e.Answered(ask.id, order)
    if order == "fight-move":
        yield e.Advanced(game.turn, FIGHT[GERMAN], reason="the German fights first")
        yield from rules.run("enter", game)


@rules.leaving(MOVE[GERMAN])
def moving_first_is_an_order(game: Game) -> Events:
    """Whoever moved without a word has chosen to move first."""
    if game["german-order"] == "undeclared":
        yield from put(game, "german-order", "move-fight", "moved first", "5.3")
