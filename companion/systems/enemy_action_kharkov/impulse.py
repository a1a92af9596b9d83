"""Impulses: playing a card, saying what it does, passing, drawing up, and the end of the command phase (4-IV, 5)."""

from __future__ import annotations

from typing import Annotated

from companion.engine import events as e
from companion.engine.actions import Chance, Events
from companion.engine.common import advance
from companion.engine.errors import NotNow, Unreadable
from companion.engine.fields import Choice, Context, Flag, Text, Whole
from companion.engine.game import Game
from companion.systems.enemy_action_kharkov import command as c
from companion.systems.enemy_action_kharkov.base import (
    GERMAN,
    SOVIET,
    rules,
)
from companion.systems.enemy_action_kharkov.deck import Deck
from companion.systems.enemy_action_kharkov.fight import cleanup
from companion.systems.enemy_action_kharkov.manifest import card
from companion.systems.enemy_action_kharkov.orders import ACTIVATIONS

TYPES = [(t, t.capitalize()) for t in c.BY_TYPE]
IMPULSE_MARKS = ("active", "moved", "attacked", "struck", "fell-back", "kg")
KINDS = [("primary", "Primary"), ("supplemental", "Supplemental")]


def first_side(turn: int) -> str:
    """4-IV: the Soviet side begins up to turn 6, the German side after that."""
    return SOVIET if turn <= 6 else GERMAN


@rules.entering("command")
def begin_command(game: Game) -> Events:
    """Whose impulse is first; what was barred and used last turn no longer counts (6.1, 6.3)."""
    yield e.Set("impulse", first_side(game.turn), was=game["impulse"], reason="first impulse")
    for side in (SOVIET, GERMAN):
        if game[f"last-{side}"]:
            yield e.Set(f"last-{side}", "", reason="new game-turn [6.3]")


def may_pass(game: Game, side: str) -> str:
    """5.1: why a side cannot pass now, or an empty string when it can."""
    own, other = Deck(game, side), Deck(game, game.other(side))
    name = game.side_name(side)
    if own.count("hand") == 0 and own.count("draw") and game["empty-hand"] == "null-impulse":
        return ""
    if own.count("draw"):
        return f"{name} may not pass while cards are left in the draw pile [5.1]"
    mine, theirs = own.count("hand"), other.count("hand")
    if side == SOVIET and mine >= theirs:
        return f"Soviet may pass only with fewer cards than the German hand: {mine} to {theirs} [5.1]"
    if side == GERMAN and mine > theirs:
        return f"German may pass only with no more cards than the Soviet hand: {mine} to {theirs} [5.1]"
    return ""


def _hand(ctx: Context) -> list[tuple[str, str]]:
    game = ctx.game
    if game is None or ctx.seat != game.active or game.active not in game.sides:
        return []
    return [(n, card(game, n).label) for n in Deck(game, game.active).tokens("hand")]


def _box(ctx: Context) -> list[tuple[str, str]]:
    game = ctx.game
    if game is None or game.active not in game.sides:
        return []
    return [(n, card(game, n).label) for n in Deck(game, game.active).tokens("box")]


def _may_play(game: Game, *, real: bool) -> bool | str:
    if int(game["cards-prepared"]) < game.turn:
        return "prepare this turn's cards first"
    deck = Deck(game, game.active)
    if deck.real != real:
        return False
    if deck.tokens("in-use"):
        return "a card is being played already: end the impulse first"
    return bool(deck.count("hand")) or "there is no card in hand"


def _unknown(ctx: Context, what: str) -> bool:
    known = card(ctx.game, str(ctx.values.get("card") or "")) if ctx.game else None
    return known is None or not getattr(known, what)


@rules.action(
    phase="command",
    by="active",
    rule="5.1",
    label="Play a card",
    primary=True,
    secret=True,
    when=lambda game: _may_play(game, real=False),
)
def play_card(game: Game, card: Annotated[str, Choice(label="Card", options=_hand)]) -> Events:
    """Lay one card of your hand open for a command."""
    yield from Deck(game, game.active).lay(card, "in-use", "played for a command")
    yield e.Set("command", {"card": card}, reason="card laid open")


@rules.action(
    phase="command",
    by="active",
    rule="5.1",
    label="Play a real card",
    primary=True,
    when=lambda game: _may_play(game, real=True),
)
def play_real_card(
    game: Game,
    card: Annotated[str, Choice(label="Card number", options=_box)],
    kind: Annotated[str, Choice(label="It is", options=KINDS, when=lambda c: _unknown(c, "kind"))] = "",
    type: Annotated[
        str, Choice(label="Type", options=TYPES, help="optional", when=lambda c: _unknown(c, "type"))
    ] = "",
    value: Annotated[
        int | None, Whole(label="Command value", help="optional", high=9, when=lambda c: _unknown(c, "value"))
    ] = None,
) -> Events:
    """Enter the number of the real card that is played for a command."""
    if _unknown(Context(game, values={"card": card}), "kind") and not kind:
        raise Unreadable("is the card primary or supplemental? The manifest does not tell", field="kind")
    yield from Deck(game, game.active).lay(card, "in-use", "played for a command")
    said = {"card": card, "kind": kind, "type": type, "value": value}
    yield e.Set("command", {k: v for k, v in said.items() if v not in ("", None)}, reason="card laid open")


# -- the end of an impulse -----------------------------------------------------------------------------------


@rules.action(
    phase="command",
    by="active",
    rule="5.1",
    label="Pass",
    fresh=True,
    when=lambda game: "a card is being played" if c.in_command(game) else may_pass(game, game.active) or True,
)
def pass_impulse(game: Game, chance: Chance) -> Events:
    """Play no card in this impulse; you may play again later in the turn."""
    yield e.Noted(f"{game.side_name(game.active)} passes", rule="5.1")
    yield from _over(game, chance, [] if game["pass-clears"] else c.last(game, game.active))


@rules.action(
    phase="command",
    by="active",
    rule="4-IV",
    label="End the impulse",
    primary=True,
    fresh=True,
    when=lambda game: bool(c.in_command(game)) or "play a card, or pass",
)
def end_impulse(game: Game, chance: Chance) -> Events:
    """Discard, undisperse, draw up to the hand limit, and hand over to the other side."""
    said, side = c.in_command(game), game.active
    if "what" not in said:
        raise NotNow("say first what the card is played for: give the command")
    yield from cleanup(game)
    known = c.played(game)
    yield from Deck(game, side).discard(known.id, "in-use", known.kind, stavka=known.stavka)
    activated = list(said.get("for", [])) if said["what"] in ACTIVATIONS else []
    if not activated and not game["pass-clears"]:
        activated = c.last(game, side)
    yield from _over(game, chance, activated)


@rules.leaving("command")
def tidy_up(game: Game) -> Events:
    """A table that leaves the phase early: the combat and the card in hand are put away first."""
    yield from cleanup(game)
    if c.in_command(game):
        known = c.played(game)
        yield from Deck(game, known.side).discard(known.id, "in-use", known.kind, stavka=known.stavka)
        yield e.Set("command", {}, reason="phase over")
    for marker in IMPULSE_MARKS:
        for target in list(game.marked(marker)):
            yield e.Marked(target, marker, None, reason="phase over")


def _over(game: Game, chance: Chance, activated: list[str]) -> Events:
    side = game.active
    yield from _undisperse(game)
    for marker in IMPULSE_MARKS:
        for target in list(game.marked(marker)):
            yield e.Marked(target, marker, None, reason="impulse over")
    if c.in_command(game):
        yield e.Set("command", {}, reason="impulse over")
    for question in list(game.asked.values()):
        if question.by != "take-back":
            yield e.Answered(question.id, "impulse over")
    if ", ".join(activated) != str(game[f"last-{side}"] or ""):
        yield e.Set(f"last-{side}", ", ".join(activated), reason="barred in the next impulse [6.3]")
    yield from Deck(game, side).draw_up(chance)
    if not any(Deck(game, s).left for s in game.sides):
        yield e.Noted("Both draw piles and both hands are empty: the command phase is over", rule="4-IV.3")
        yield from advance(rules, game)
        return
    yield e.Set("impulse", game.other(side), was=side, reason="impulse over")
    following = Deck(game, game.other(side))
    if not following.count("hand") and game["empty-hand"] == "draw-first":
        yield from following.draw_up(chance)


def _undisperse(game: Game) -> Events:
    """9.9: active units recover, except those that this activation's own attacks dispersed."""
    for target, how in game.marked("dispersed").items():
        if how == "fresh":
            yield e.Marked(target, "dispersed", "on", rule="9.9")
        elif game.mark(target, "active"):
            yield e.Marked(target, "dispersed", None, reason="activated", rule="9.9")


@rules.action(by="any", rule="6.3", label="Correct the barred formations", group="fix")
def set_barred(
    game: Game,
    side: Annotated[str, Choice(label="Side", options=[(SOVIET, "Soviet"), (GERMAN, "German")])],
    formations: Annotated[
        tuple[str, ...],
        Choice(
            label="Barred next impulse",
            many=True,
            options=lambda ctx: (
                c.formation_choices(ctx.game, str(ctx.values.get("side") or SOVIET)) if ctx.game else []
            ),
        ),
    ] = (),
    nothing: Annotated[bool, Flag(label="None barred")] = False,
    reason: Annotated[str, Text(label="Why", most=200)] = "",
) -> Events:
    """Say which formations a side may not activate in its next impulse."""
    text = "" if nothing else ", ".join(formations)
    yield e.Set(f"last-{side}", text, was=game[f"last-{side}"], reason=reason or "corrected by hand")
