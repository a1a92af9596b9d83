"""The card preparation phase: one tap deals for both sides, or counts what the players deal [4-II]."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated

from companion.engine.errors import Several, Unreadable
from companion.engine.forms.fields import Context, Whole
from companion.engine.kit.when import Turns, holds
from companion.engine.play.actions import Chance, Events
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
from companion.systems.enemy_action_kharkov.numbers import Needed

GERMAN_FIRST = 2  # supplementals that the German draws on turn 1 [4-II]
GERMAN_FIRST_HAND = 4  # [4-II, 5.0]


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


def _asked(known: Callable[[Game], int | None]) -> Callable[[Context], bool]:
    """A number is asked for while nothing tells it; heavy mud needs none [15.34]."""
    return lambda ctx: ctx.game["ground"] != "heavy-mud" and known(ctx.game) is None


def _ask_supplementals(side: str) -> Whole:
    return Needed(
        label=f"{side.capitalize()} supplementals this turn",
        help="the number in this turn's space of the calendar",
        high=23,
        when=_asked(lambda game: supplementals(game, side)),
    )


def _ask_entering(side: str, kind: str) -> Whole:
    return Whole(
        label=f"New {side.capitalize()} {kind} cards",
        help="cards with this turn's number in the upper right corner",
        high=13,
        when=_asked(lambda game: entering(game, side, kind)),
    )


def _undone(game: Game) -> bool | str:
    return int(game["cards-prepared"]) < game.turn or "the cards of this turn are prepared already"


@rules.due_in("cards", stays=True)
def cards_to_prepare(game: Game) -> Iterator[str]:
    """Nobody has a hand before they are [4-II]."""
    if _undone(game) is True:
        yield f"the cards of turn {game.turn} are not prepared [4-II]"


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
        Needed(
            label="German hand this turn",
            help="the number in this turn's space of the calendar",
            high=23,
            when=_asked(german_hand),
        ),
    ] = None,
    soviet_primary: Annotated[int, _ask_entering(SOVIET, "primary")] = 0,
    soviet_supplemental: Annotated[int, _ask_entering(SOVIET, "supplemental")] = 0,
    german_primary: Annotated[int, _ask_entering(GERMAN, "primary")] = 0,
    german_supplemental: Annotated[int, _ask_entering(GERMAN, "supplemental")] = 0,
) -> Events:
    """Bring in new cards, draw supplementals, return discards and deal the hands, in the printed order."""
    decide(game)
    told = {
        "soviet_supplementals": _or(soviet_supplementals, supplementals(game, SOVIET)),
        "german_supplementals": _or(german_supplementals, supplementals(game, GERMAN)),
        "german_hand_size": _or(german_hand_size, german_hand(game)),
    }
    mud = game["ground"] == "heavy-mud"
    missing = [name for name, number in told.items() if number is None and not mud]
    if missing:
        raise Several(_read_calendar(name) for name in missing)
    yield e.Noted(f"Cards prepared for game-turn {game.turn}", rule="4-II")
    yield from settle_mode(game)
    hands = {SOVIET: SOVIET_HAND, GERMAN: told["german_hand_size"]}
    given = {SOVIET: (soviet_primary, soviet_supplemental), GERMAN: (german_primary, german_supplemental)}
    for side, (primary, supplemental) in given.items():
        if not mud and game[f"{side}-hand-size"] != hands[side]:
            yield e.Set(f"{side}-hand-size", hands[side], was=game[f"{side}-hand-size"], reason=IN_PASSING)
        plan = Plan(
            told[f"{side}_supplementals"] or 0,
            _or(entering(game, side, "primary"), primary) or 0,
            _or(entering(game, side, "supplemental"), supplemental) or 0,
        )
        yield from Deck(game, side).prepare(plan, chance)
    yield e.Set("cards-prepared", game.turn, reason=IN_PASSING)
    yield from _all_done(game)


def _all_done(game: Game) -> Iterator[e.Event]:
    """One tap does all five steps: their lines are ticked with it."""
    phase = game.phase_def("cards")
    for index, check in enumerate(phase.checklist if phase else ()):
        item, due = f"{game.turn}/cards/{index}", game.turn in Turns(check.turns)
        if (check.act or check.action) and due and holds(check.when, game.values) and item not in game.ticked:
            yield e.Ticked(item, True, IN_PASSING)


def _or(number: int | None, other: int | None) -> int | None:
    """A number, or another where there is none; nought is one."""
    return other if number is None else number


def _read_calendar(name: str) -> Unreadable:
    return Unreadable(
        f"{name.replace('_', ' ')}: read this turn's space of your calendar", field=name, rule="4-II"
    )
