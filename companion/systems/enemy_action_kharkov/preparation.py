"""The card preparation phase, 4-II: one tap deals for both sides, or counts what the players deal."""

from __future__ import annotations

from typing import Annotated

from companion.engine.errors import Mistake, Several, Unreadable
from companion.engine.play.actions import Chance, Events
from companion.engine.play.fields import Context, Whole
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import GERMAN, SOVIET, rules
from companion.systems.enemy_action_kharkov.deck import (
    LIGHT_MUD,
    SOVIET_HAND,
    Deck,
    Plan,
    decide,
    settle_mode,
)
from companion.systems.enemy_action_kharkov.manifest import NUMBERS, calendar, card

GERMAN_FIRST = 2  # 4-II.2: the German draws two supplementals on turn 1
GERMAN_FIRST_HAND = 4  # 4-II.5


def supplementals(game: Game, side: str) -> int | None:
    """How many supplementals a side draws this turn; None when only the printed calendar tells."""
    if game["ground"] == "light-mud":
        return LIGHT_MUD
    if side == GERMAN and game.turn == 1:
        return GERMAN_FIRST
    return calendar(game, game.turn, f"{side}_supplementals")


def german_hand(game: Game) -> int | None:
    return GERMAN_FIRST_HAND if game.turn == 1 else calendar(game, game.turn, "german_hand")


def entering(game: Game, side: str, kind: str) -> int | None:
    """How many cards of a kind enter this turn; None when the manifest does not tell of every card."""
    if game.turn == 1:
        return 0
    cards = [card(game, n) for n in NUMBERS[side]]
    if any(not c.kind or c.turn is None for c in cards):
        return None
    return sum(c.kind == kind and c.turn == game.turn for c in cards)


def _normal(ctx: Context) -> bool:
    return ctx.game is not None and ctx.game["ground"] != "heavy-mud"


def _ask_supplementals(side: str) -> Whole:
    return Whole(
        label=f"{side.capitalize()} supplementals this turn",
        help="the number in this turn's space of the calendar",
        high=23,
        when=lambda c: _normal(c) and c.game is not None and supplementals(c.game, side) is None,
    )


def _ask_entering(side: str, kind: str) -> Whole:
    return Whole(
        label=f"New {side.capitalize()} {kind} cards",
        help="cards with this turn's number in the upper right corner",
        high=13,
        when=lambda c: _normal(c) and c.game is not None and entering(c.game, side, kind) is None,
    )


def _undone(game: Game) -> bool | str:
    return int(game["cards-prepared"]) < game.turn or "the cards of this turn are prepared already"


@rules.action(
    phase=("cards", "supply", "command"),
    by="any",
    rule="4-II",
    label="Prepare the cards",
    primary=True,
    when=_undone,
    fresh=True,
)
def prepare_cards(
    game: Game,
    chance: Chance,
    soviet_supplementals: Annotated[int | None, _ask_supplementals(SOVIET)] = None,
    german_supplementals: Annotated[int | None, _ask_supplementals(GERMAN)] = None,
    german_hand_size: Annotated[
        int | None,
        Whole(
            label="German hand this turn",
            help="the number in this turn's space of the calendar",
            high=23,
            when=lambda c: _normal(c) and c.game is not None and german_hand(c.game) is None,
        ),
    ] = None,
    soviet_primary: Annotated[int, _ask_entering(SOVIET, "primary")] = 0,
    soviet_supplemental: Annotated[int, _ask_entering(SOVIET, "supplemental")] = 0,
    german_primary: Annotated[int, _ask_entering(GERMAN, "primary")] = 0,
    german_supplemental: Annotated[int, _ask_entering(GERMAN, "supplemental")] = 0,
) -> Events:
    """Bring in new cards, draw supplementals, return discards and deal the hands, in the printed order."""
    decide(game)
    asked = {
        "soviet_supplementals": supplementals(game, SOVIET)
        if soviet_supplementals is None
        else soviet_supplementals,
        "german_supplementals": supplementals(game, GERMAN)
        if german_supplementals is None
        else german_supplementals,
        "german_hand_size": german_hand(game) if german_hand_size is None else german_hand_size,
    }
    mud = game["ground"] == "heavy-mud"
    missing: list[Mistake] = [
        Unreadable(f"{name.replace('_', ' ')}: read this turn's space of your calendar", field=name)
        for name, number in asked.items()
        if number is None and not mud
    ]
    if missing:
        raise Several(missing)
    yield e.Noted(f"Cards prepared for game-turn {game.turn}", rule="4-II")
    yield from settle_mode(game)
    hands = {SOVIET: SOVIET_HAND, GERMAN: asked["german_hand_size"]}
    given = {SOVIET: (soviet_primary, soviet_supplemental), GERMAN: (german_primary, german_supplemental)}
    for side in (SOVIET, GERMAN):
        if not mud and game[f"{side}-hand-size"] != hands[side]:
            yield e.Set(f"{side}-hand-size", hands[side], was=game[f"{side}-hand-size"], reason="this turn")
        primary, supplemental = entering(game, side, "primary"), entering(game, side, "supplemental")
        plan = Plan(
            asked[f"{side}_supplementals"] or 0,
            hands[side] or 0,
            given[side][0] if primary is None else primary,
            given[side][1] if supplemental is None else supplemental,
        )
        yield from Deck(game, side).prepare(plan, chance)
    yield e.Set("cards-prepared", game.turn, reason=IN_PASSING)
