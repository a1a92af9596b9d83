"""The end of an impulse: passing, drawing up, handing over, and leaving the command phase [4-IV, 5.1]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from companion.engine.forms.fields import Choice, Context, Flag, Text
from companion.engine.play.actions import Chance, Events
from companion.engine.play.duties import LEFT
from companion.engine.play.phases import advance
from companion.engine.positions.pieces import count
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov import command as c
from companion.systems.enemy_action_kharkov.base import SIDES, SOVIET, Reason, rules
from companion.systems.enemy_action_kharkov.deck import Deck
from companion.systems.enemy_action_kharkov.impulse import may_pass, must_draw
from companion.systems.enemy_action_kharkov.stacking import owe_reductions

IMPULSE_MARKS = ("active", "moved", "attacked", "struck", "fell-back", "kg")


def _may_pass(game: Game) -> bool | str:
    if c.in_command(game):
        return "a card is being played"
    if int(game["cards-prepared"]) < game.turn:
        return "prepare this turn's cards first"
    right = may_pass(game, game.active)
    return right.allowed or right.why


def _may_end(game: Game) -> bool | str:
    said = c.in_command(game)
    if not said:
        return "play a card, or pass"
    return "what" in said or "say first what the card is played for: give the command"


@rules.action(
    phase="command",
    by="active",
    rule="5.1",
    label="Pass",
    group="end",
    fresh=True,
    when=_may_pass,
    ends=True,
)
def pass_impulse(game: Game, chance: Chance) -> Events:
    """Play no card in this impulse; you may play again later in the turn."""
    yield e.Noted(f"{game.side_name(game.active)} passes", rule="5.1")
    yield from _over(game, chance, [] if game["pass-clears"] else c.last(game, game.active))


def _may_draw(game: Game) -> bool | str:
    if c.in_command(game):
        return "a card is being played"
    return must_draw(game, game.active) or "there is a card in hand, or none in the draw pile [5.1]"


@rules.action(
    phase="command",
    by="active",
    rule="5.1, 4-IV",
    label="Draw up, no card to play",
    group="end",
    fresh=True,
    when=_may_draw,
    ends=True,
)
def draw_hand(game: Game, chance: Chance) -> Events:
    """An impulse without a card in hand: draw up to the hand limit and hand over. It is no pass."""
    yield e.Noted(f"{game.side_name(game.active)} has no card in hand and draws", rule="5.1")
    yield from _over(game, chance, [] if game["pass-clears"] else c.last(game, game.active))


@rules.action(
    phase="command",
    by="active",
    rule="4-IV",
    label="End the impulse",
    group="end",
    primary=True,
    fresh=True,
    when=_may_end,
    ends=True,
)
def end_impulse(game: Game, chance: Chance) -> Events:
    """Discard, undisperse, draw up to the hand limit, and hand over; what is owed is said first, and goes along."""
    said, side = c.in_command(game), game.active
    yield e.Noted(f"{game.side_name(side)} impulse over", rule="4-IV")
    yield from _discard(game)
    activated = list(said.get("for", [])) if said["what"] in c.ACTIVATIONS else []
    if not activated and not game["pass-clears"]:
        activated = c.last(game, side)
    yield from _over(game, chance, activated)


@rules.warns_of("next-phase")
def leaves_early(ctx: Context) -> Iterator[Reason]:
    """The phase goes on until all piles and hands are empty; whoever leaves before gives the rest away [4-IV.3]."""
    game = ctx.game
    if game.phase != "command":
        return
    if c.in_command(game):
        yield Reason(f"{game.side_name(game.active)}: the impulse is not ended", "4-IV")
    for side in game.sides:
        deck = Deck(game, side)
        if deck.left:
            cards = f"{count(deck.count('hand'), 'card')} in hand, {deck.count('draw')} in the draw pile"
            yield Reason(f"{game.side_name(side)}: {cards} not played, and lost for this turn", "4-IV.3")


@rules.leaving("command")
def tidy_up(game: Game) -> Events:
    """A table that leaves the phase early: the card in hand is put away; a combat that is owed goes along."""
    if c.in_command(game):
        yield from _discard(game)
        yield e.Set("command", {}, reason="phase over")
    yield from owe_reductions(game)
    yield from _clear_marks(game)


def _discard(game: Game) -> Events:
    """The card in play goes to its discards [5.6]."""
    known = c.played(game)
    yield from Deck(game, known.side).discard(known.id, "in-use", known.kind, stavka=known.stavka)


def _clear_marks(game: Game) -> Events:
    if game["no-tactics"]:
        yield e.Set("no-tactics", [], reason=IN_PASSING)
    for marker in IMPULSE_MARKS:
        for target in list(game.marked(marker)):
            yield e.Marked(target, marker, None, reason=IN_PASSING)


def _over(game: Game, chance: Chance, activated: list[str]) -> Events:
    side = game.active
    yield from _undisperse(game)
    yield from _clear_marks(game)
    if c.in_command(game):
        yield e.Set("command", {})
    yield from _untick(game)
    yield from owe_reductions(game)
    for duty in game.duties():
        if not duty.is_owed:
            yield e.Answered(duty.id, LEFT, battle=duty.battle)
    if activated != c.last(game, side):
        yield e.Set(
            f"last-{side}", ", ".join(activated), reason=IN_PASSING
        )  # its panel says who is barred [6.3]
    yield from Deck(game, side).draw_up(chance)
    if not any(Deck(game, s).left for s in game.sides):
        yield e.Noted("Both draw piles and both hands are empty: the command phase is over", rule="4-IV.3")
        yield from advance(rules, game)
        return
    following = Deck(game, game.other(side))
    if not following.left:  # nothing to play and nothing to draw: all it could do is pass [5.1]
        yield e.Noted(f"{game.side_name(game.other(side))} has no card left and passes", rule="5.1")
        return
    yield e.Set("impulse", game.other(side), was=side, reason=IN_PASSING)
    if not following.count("hand") and game["empty-hand"] == "draw-first":
        yield from following.draw_up(chance)


def _untick(game: Game) -> Events:
    """The command checklist begins anew with every impulse."""
    phase = game.phase_def("command")
    for index in range(len(phase.checklist) if phase else 0):
        item = f"{game.turn}/command/{index}"
        if item in game.ticked:
            yield e.Ticked(item, False, IN_PASSING)


def _undisperse(game: Game) -> Events:
    """Active units recover, except those that this activation's own attacks dispersed [9.9]."""
    for target, how in game.marked("dispersed").items():
        if how == "fresh":
            yield e.Marked(target, "dispersed", "on", rule="9.9")
        elif game.mark(target, "active"):
            yield e.Marked(target, "dispersed", None, reason="activated", rule="9.9")


@rules.action(by="any", rule="6.3", label="Correct the barred formations", group="fix")
def set_barred(
    game: Game,
    side: Annotated[str, Choice(label="Side", options=SIDES)],
    formations: Annotated[
        tuple[str, ...],
        Choice(
            label="Barred next impulse",
            many=True,
            options=lambda ctx: c.formation_choices(str(ctx.values.get("side") or SOVIET)),
        ),
    ] = (),
    nothing: Annotated[bool, Flag(label="None barred")] = False,
    reason: Annotated[str, Text(label="Why", most=200)] = "",
) -> Events:
    """Say which formations a side may not activate in its next impulse."""
    text = "" if nothing else ", ".join(formations)
    yield e.Set(f"last-{side}", text, was=game[f"last-{side}"], reason=reason or "corrected by hand")
