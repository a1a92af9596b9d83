"""Impulses: whose it is, the right to pass, playing a card and saying what it does [4-IV, 5]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, Whole
from companion.engine.play.actions import Events
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov import command as c
from companion.systems.enemy_action_kharkov.base import (
    FORMATION_NAMES,
    FORMATIONS,
    GERMAN,
    SOVIET,
    rules,
    titled,
)
from companion.systems.enemy_action_kharkov.command import Order
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
    Also,
    Event,
    Formations,
    Marker,
    Reach,
    Steps,
    Units,
    against_command,
    command_choices,
    give,
)


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
    hands = f"{game.side_name(side)} {mine}, {game.side_name(game.other(side))} {theirs}"
    if side == SOVIET:
        least = "Soviet may pass only with fewer cards than the German hand"
        return Pass(mine < theirs, hands, f"{least}: {hands} [5.1]")
    least = "German may pass only with no more cards than the Soviet hand"
    return Pass(mine <= theirs, hands, f"{least}: {hands} [5.1]")


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
@dataclass(frozen=True)
class TypeOfCard(Choice):
    """Asked with the card's number before it."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        known = chosen_card(ctx)
        return {**super().describe(ctx), "label": f"Type of {known.label}" if known else self.label}


CardType = Annotated[
    str,
    TypeOfCard(
        label="Type of card",
        options=lambda ctx: c.types_of(ctx.game.active) if ctx.game.active in ctx.game.sides else [],
        when=lambda ctx: _unknown(ctx, "type"),
    ),
]


def _boxes(ctx: Context) -> list[tuple[str, str]]:
    """What the card can name; an army or corps that is barred is no choice for an activation [6.3]."""
    known, what = chosen_card(ctx), str(ctx.values.get("what") or "")
    if known is None or what not in c.OF_THE_CARD:
        return []
    known = c.told(known, {**ctx.values, "formation": ""})
    closed = c.last(ctx.game, known.side) if what in c.ACTIVATIONS and known.type in c.NAMES_ONE else []
    return [(f, name) for f, name in c.of_the_card(known.side, known.type) if f not in closed]


def _asks_box(ctx: Context) -> bool:
    return _unknown(ctx, "formation") and bool(_boxes(ctx))


CardFormation = Annotated[str, Choice(label="It names", options=_boxes, when=_asks_box)]
CardValue = Annotated[
    int | None,
    Whole(label="Command value", help="upper left; some chits ask for it", low=1, high=9, when=_asks_value),
]


def _played(game: Game, number: str, order: Order) -> e.Noted:
    """One line that says it all: who plays which card, and for what."""
    named = [FORMATION_NAMES.get(f, f) for f in (*order.formations, *order.also)]
    parts = [*named, f"around {order.hex}"] if order.hex else named or [titled(order.event)]
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
    what: Annotated[
        str, Choice(label="Command", options=command_choices, quiet=lambda ctx: bool(ctx.values.get("what")))
    ] = "",
    type: CardType = "",
    value: CardValue = None,
    formation: CardFormation = "",
    hex: Marker = "",
    reach: Reach = None,
    units: Units = (),
    formations: Formations = (),
    also: Also = (),
    event: Event = "",
    steps: Steps = 1,
) -> Events:
    """Lay the card open and say what it does."""
    named = formations or ((formation,) if formation in FORMATIONS[game.active] else ())
    order = Order(what, hex, reach, units, named, also, event, steps)
    yield _played(game, card, order)
    yield from _lay_open(game, card, type=type, value=value, formation=formation)
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
    formation: CardFormation = "",
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
    named = formations or ((formation,) if formation in FORMATIONS[game.active] else ())
    order = Order(what, hex, reach, units, named, also, event, steps)
    yield _played(game, card, order)
    yield from _lay_open(game, card, kind=kind, type=type, value=value, formation=formation)
    if what:
        yield from give(game, order)
