"""Impulses: playing a card, saying what it does, passing, drawing up, and the end of the command phase [4-IV, 5]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, Flag, Text, Whole
from companion.engine.play.actions import Chance, Events
from companion.engine.play.duties import LEFT
from companion.engine.play.phases import advance
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov import command as c
from companion.systems.enemy_action_kharkov.base import FORMATION_NAMES, GERMAN, SIDES, SOVIET, rules, titled
from companion.systems.enemy_action_kharkov.deck import Deck
from companion.systems.enemy_action_kharkov.manifest import (
    KINDS,
    card,
    chosen_card,
    cup_is_real,
    kind_unknown,
    remember,
)
from companion.systems.enemy_action_kharkov.orders import (
    ACTIVATIONS,
    Also,
    Event,
    Formations,
    Marker,
    Order,
    Reach,
    Steps,
    Units,
    against_command,
    command_choices,
    give,
)
from companion.systems.enemy_action_kharkov.stacking import owe_reductions

IMPULSE_MARKS = ("active", "moved", "attacked", "struck", "fell-back", "kg")


def first_side(turn: int) -> str:
    """The Soviet side begins up to turn 6, the German side after that [4-IV]."""
    return SOVIET if turn <= 6 else GERMAN


@rules.entering("command")
def begin_command(game: Game) -> Events:
    """Whose impulse is first; what was barred and used last turn no longer counts [6.1, 6.3]."""
    begins = first_side(game.turn)
    if game["impulse"] != begins:
        yield e.Set("impulse", begins, was=game["impulse"], reason="first impulse")
    for side in (SOVIET, GERMAN):
        if game[f"last-{side}"]:
            yield e.Set(f"last-{side}", "", reason="new game-turn [6.3]")


@dataclass(frozen=True)
class Pass:
    """A side's right to pass [5.1], and why it has none."""

    allowed: bool
    hands: str
    """Its hand against the other, where the hands decide."""
    why: str


def must_draw(game: Game, side: str) -> bool:
    """All cards went as tactics and the pile is not empty: nothing to play, and no right to pass [5.1]."""
    own = Deck(game, side)
    return not own.count("hand") and bool(own.count("draw"))


def may_pass(game: Game, side: str) -> Pass:
    own, other = Deck(game, side), Deck(game, game.other(side))
    if own.count("draw"):
        name = game.side_name(side)
        return Pass(False, "", f"{name} may not pass while cards are left in the draw pile [5.1]")
    mine, theirs = own.count("hand"), other.count("hand")
    hands = f"{mine} to {theirs}"
    if side == SOVIET:
        least = "Soviet may pass only with fewer cards than the German hand"
        return Pass(mine < theirs, hands, f"{least}: {hands} [5.1]")
    least = "German may pass only with no more cards than the Soviet hand"
    return Pass(mine <= theirs, hands, f"{least}: {hands} [5.1]")


def _may_pass(game: Game) -> bool | str:
    if c.in_command(game):
        return "a card is being played"
    if int(game["cards-prepared"]) < game.turn:
        return "prepare this turn's cards first"
    right = may_pass(game, game.active)
    return right.allowed or right.why


def _hand(ctx: Context) -> list[tuple[str, str]]:
    game = ctx.game
    mine = ctx.seat == game.active and game.active in game.sides
    return Deck(game, game.active).labelled("hand") if mine else []


def _box(ctx: Context) -> list[tuple[str, str]]:
    game = ctx.game
    return Deck(game, game.active).real_box if game.active in game.sides else []


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
    """Whether the chosen card's manifest row leaves this open; nothing is asked before a card is chosen."""
    known = chosen_card(ctx)
    return known is not None and not getattr(known, what)


def _asks_value(ctx: Context) -> bool:
    """Only chits that the companion judges look at the command value, and only in an activation's attacks [9.4]."""
    attacks = ctx.values.get("what") in ("", None, "activate", "units", "kg")
    return attacks and not cup_is_real(ctx.game) and _unknown(ctx, "value")


# What the manifest leaves open is asked when the card is played, once a table: commands and the bar hang on the
# type [5.2-5.5, 6.3].
CardType = Annotated[
    str,
    Choice(
        label="Type of card",
        options=lambda ctx: c.types_of(ctx.game.active) if ctx.game.active in ctx.game.sides else [],
        when=lambda ctx: _unknown(ctx, "type"),
    ),
]
CardValue = Annotated[
    int | None,
    Whole(label="Command value", help="upper left; some chits ask for it", low=1, high=9, when=_asks_value),
]


def _played(game: Game, number: str, order: Order) -> e.Noted:
    """One line that says it all: who plays which card, and for what."""
    named = [FORMATION_NAMES.get(f, f) for f in (*order.formations, *order.also)]
    parts = named or [titled(order.event)]
    for_what = f": {', '.join(filter(None, [c.COMMANDS[order.what], *parts]))}" if order.what else ""
    return e.Noted(f"{game.side_name(game.active)} plays {card(game, number).label}{for_what}", rule="5.1")


def _lay_open(game: Game, card: str, **face: Any) -> Events:
    """The card lies in front of its player, with what was told of its face."""
    told = {name: value for name, value in face.items() if value not in ("", None)}
    yield from Deck(game, game.active).lay(card, "in-use")
    yield e.Set("command", {"card": card, **told})
    yield from remember(game, card, told)


@rules.action(
    phase="command",
    by="active",
    rule="5.1",
    label="Play as command",
    group="card",
    secret=True,
    when=lambda game: _may_play(game, real=False),
    warns=against_command,
)
def play_card(
    game: Game,
    card: Annotated[str, Choice(label="Card", options=_hand, quiet=lambda ctx: bool(ctx.values.get("card")))],
    what: Annotated[str, Choice(label="Command", options=command_choices)] = "",
    type: CardType = "",
    value: CardValue = None,
    hex: Marker = "",
    reach: Reach = None,
    units: Units = (),
    formations: Formations = (),
    also: Also = (),
    event: Event = "",
    steps: Steps = 1,
) -> Events:
    """Lay the card open and say what it does."""
    order = Order(what, hex, reach, units, formations, also, event, steps)
    yield _played(game, card, order)
    yield from _lay_open(game, card, type=type, value=value)
    if what and what not in dict(c.commands(game, c.played(game))):
        raise Unreadable(
            f"that type of card is not played for: {c.COMMANDS[what]}", field="type", rule="5.2-5.5"
        )
    if what:
        yield from give(game, order)


@rules.action(
    phase="command",
    by="active",
    rule="5.1",
    label="Play a card",
    primary=True,
    when=lambda game: _may_play(game, real=True),
    warns=against_command,
)
def play_real_card(
    game: Game,
    card: Annotated[str, Choice(label="Card number", options=_box)],
    kind: Annotated[str, Choice(label="It is", options=KINDS, when=lambda ctx: _unknown(ctx, "kind"))] = "",
    type: CardType = "",
    value: CardValue = None,
    what: Annotated[
        str, Choice(label="Command", options=command_choices, when=lambda ctx: bool(command_choices(ctx)))
    ] = "",
    hex: Marker = "",
    reach: Reach = None,
    units: Units = (),
    formations: Formations = (),
    also: Also = (),
    event: Event = "",
    steps: Steps = 1,
) -> Events:
    """Enter the real card that is played, and its command."""
    if _unknown(Context(game, values={"card": card}), "kind") and not kind:
        raise kind_unknown()
    order = Order(what, hex, reach, units, formations, also, event, steps)
    yield _played(game, card, order)
    yield from _lay_open(game, card, kind=kind, type=type, value=value)
    if what:
        yield from give(game, order)


def _may_end(game: Game) -> bool | str:
    said = c.in_command(game)
    if not said:
        return "play a card, or pass"
    return "what" in said or "say first what the card is played for: give the command"


# -- the end of an impulse -----------------------------------------------------------------------------------


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
    activated = list(said.get("for", [])) if said["what"] in ACTIVATIONS else []
    if not activated and not game["pass-clears"]:
        activated = c.last(game, side)
    yield from _over(game, chance, activated)


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
        yield e.Set(f"last-{side}", ", ".join(activated), reason="barred in its next impulse [6.3]")
    yield from Deck(game, side).draw_up(chance)
    if not any(Deck(game, s).left for s in game.sides):
        yield e.Noted("Both draw piles and both hands are empty: the command phase is over", rule="4-IV.3")
        yield from advance(rules, game)
        return
    yield e.Set("impulse", game.other(side), was=side, reason=IN_PASSING)
    following = Deck(game, game.other(side))
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
