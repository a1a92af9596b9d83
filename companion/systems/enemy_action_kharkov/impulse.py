"""Impulses: playing a card, saying what it does, passing, drawing up, and the end of the command phase (4-IV, 5)."""

from __future__ import annotations

from typing import Annotated

from companion.engine import events as e
from companion.engine.actions import Chance, Events
from companion.engine.common import advance
from companion.engine.errors import NotNow, Unreadable
from companion.engine.fields import Choice, Context, Flag, HexId, Text, UnitRef, Whole
from companion.engine.game import Game
from companion.engine.moves import put_mark
from companion.engine.roster import Unit
from companion.systems.enemy_action_kharkov import command as c
from companion.systems.enemy_action_kharkov.base import (
    FORMATION_NAMES,
    GERMAN,
    SOVIET,
    ask,
    on_map,
    rules,
)
from companion.systems.enemy_action_kharkov.deck import Deck
from companion.systems.enemy_action_kharkov.fight import cleanup
from companion.systems.enemy_action_kharkov.manifest import card

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


# -- the command ---------------------------------------------------------------------------------------------


def _laid(game: Game) -> bool | str:
    said = c.in_command(game)
    if not said:
        return "play a card first"
    return "what" not in said or "the command is given already"


def _what(ctx: Context) -> list[tuple[str, str]]:
    return c.commands(ctx.game, c.played(ctx.game)) if ctx.game and c.in_command(ctx.game) else []


def _formations(ctx: Context) -> list[tuple[str, str]]:
    game = ctx.game
    if game is None or not c.in_command(game):
        return []
    what = str(ctx.values.get("what") or "")
    known = None if what == "one-unit" else c.played(game)
    closed = c.barred(game, game.active, c.played(game), what) if what in ACTIVATIONS else {}
    return [(f, label) for f, label in c.formation_choices(game, game.active, known) if f not in closed]


ACTIVATIONS = ("activate", "units", "kg", "one-unit")



def _own(ctx: Context) -> list[Unit]:
    return on_map(ctx.game, ctx.game.active) if ctx.game else []


def _events(ctx: Context) -> list[tuple[str, str]]:
    return c.event_choices(ctx.game, c.played(ctx.game)) if ctx.game and c.in_command(ctx.game) else []


def _range(ctx: Context) -> int:
    return c.RANGES.get(c.played(ctx.game).type, 2) if ctx.game and c.in_command(ctx.game) else 2


@rules.action(phase="command", by="active", rule="5.2-5.5", label="Give the command", primary=True, when=_laid)
def give_command(
    game: Game,
    what: Annotated[str, Choice(label="Command", options=_what)],
    formations: Annotated[
        tuple[str, ...],
        Choice(
            label="Formations",
            options=_formations,
            many=True,
            help="army or corps; for a Kampfgruppe every corps that takes part",
            when=lambda c: str(c.values.get("what") or "") != "event",
        ),
    ] = (),
    hex: Annotated[
        str, HexId(label="KG marker", when=lambda c: c.values.get("what") == "kg")
    ] = "",
    reach: Annotated[
        int | None, Whole(label="Range", high=3, start=_range, when=lambda c: c.values.get("what") == "kg")
    ] = None,
    units: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Units",
            many=True,
            pick=_own,
            help="only with positions on record: the one unit, the units in two hexes, or those stacked with the army",
            when=lambda c: c.values.get("what") in ("activate", "units", "one-unit"),
        ),
    ] = (),
    event: Annotated[str, Choice(label="Event", options=_events, when=lambda c: c.values.get("what") == "event")] = "",
    steps: Annotated[
        int, Whole(label="Steps", low=1, high=2, when=lambda c: c.values.get("what") == "replace")
    ] = 1,
) -> Events:
    """Say what the card is played for; barred formations are refused."""
    known, side = c.played(game), game.active
    chosen = [game.units[u] for u in units]
    if what == "event":
        if not event:
            raise Unreadable("which event?", field="event")
        yield from _event(game, side, event)
        return
    if what == "kg" and hex:
        reach = _range(Context(game)) if reach is None else reach
        chosen = c.kampfgruppe(game, known, hex, reach)
        yield e.Marked(hex, "kg", reach, reason="Kampfgruppe", rule="6.2")
    if what == "activate":
        chosen = _whole_formation(game, formations, chosen)
    names = tuple(dict.fromkeys([*formations, *(u.formation for u in chosen if u.formation)]))
    if not names:
        raise Unreadable("which formation? Name at least one army or corps", field="formations")
    if what in ACTIVATIONS:
        closed = [f for f in names if f in c.barred(game, side, known, what)]
        if closed:
            raise NotNow(f"{', '.join(closed)} was activated in the last {side} impulse [6.3]", field="formations")
        yield from _activate(game, side, what, names, chosen)
        return
    text = ", ".join(FORMATION_NAMES[f] for f in names)
    yield e.Set("command", {**c.in_command(game), "what": what, "for": list(names), "steps": steps}, reason=text)
    to = (side, "table")
    if what == "deploy":
        yield ask(game, "deploy", to, f"Place the reserves of {text}", "deploy-reserve", "11.1")
    else:
        yield ask(game, "replace", to, f"Assign {steps} step(s) in {text}", "replace-steps", "13.1")


def _whole_formation(game: Game, formations: tuple[str, ...], extra: list[Unit]) -> list[Unit]:
    """5.2: all units of one army or corps, with stacked ones that the card lets come along."""
    if len(formations) != 1:
        raise Unreadable("name the one army or corps that is activated", field="formations")
    own = [u for u in on_map(game, game.active) if u.formation == formations[0]]
    allowed = {u.id for u in c.stacked_with(game, formations[0], c.played(game), ())}
    wrong = [u.name or u.id for u in extra if u.formation != formations[0] and u.id not in allowed]
    if wrong:
        raise Unreadable(f"{', '.join(wrong)} cannot come along: see 5.2", field="units")
    return list({u.id: u for u in [*own, *extra]}.values())


def _activate(game: Game, side: str, what: str, names: tuple[str, ...], chosen: list[Unit]) -> Events:
    if what == "one-unit":
        if len(chosen) > 1 or len(names) > 1:
            raise Unreadable("one unit only [6.1]", field="units")
        yield e.Set(f"one-unit-{side}", game.turn, was=game[f"one-unit-{side}"], reason="used for this turn [6.1]")
    if what == "units" and len({u.place for u in chosen}) > 2:
        raise Unreadable("units in up to two hexes [5.2]", field="units")
    text = ", ".join(FORMATION_NAMES[f] for f in names)
    yield e.Set("command", {**c.in_command(game), "what": what, "for": list(names)}, reason=f"activates {text}")
    for unit in chosen:
        yield put_mark(game, unit.id, "active", "no-attack" if what == "one-unit" else "on", rule="6.0")


FOLLOW_UP = {
    "air supply": ("air-supply", "Choose the unit or stack that is supplied again", "10.3"),
    "engineers": ("engineers", "Place or remove up to three improved positions", "12.21, 12.24"),
    "forward support": ("forward-support", "Place a forward support marker on the line", "10.43"),
    "air interdiction": ("air-interdiction", "Take one forward support marker off", "10.44"),
    "partisan uprising": ("disperse", "Disperse the Germans the aid allows", "9.9"),
    "over extended": ("disperse", "Disperse the Soviets the aid allows", "9.9"),
}


def _event(game: Game, side: str, event: str) -> Events:
    yield e.Set("command", {**c.in_command(game), "what": "event", "event": event}, reason=f"event: {event}")
    if event == "nkvd":
        yield e.Set("nkvd-turn", game.turn, was=game["nkvd-turn"], reason="NKVD chits apply this turn [9.4]")
    elif event in FOLLOW_UP:
        action, text, rule = FOLLOW_UP[event]
        yield ask(game, action, (side, "table"), text, action, rule)
    else:
        yield e.Noted(f"{event.capitalize()}: carry it out as the card and the events aid say", rule="5.4")


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
        if question.action and question.by != "take-back":
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
            options=lambda ctx: c.formation_choices(ctx.game, str(ctx.values.get("side") or SOVIET)) if ctx.game else [],
        ),
    ] = (),
    nothing: Annotated[bool, Flag(label="None barred")] = False,
    reason: Annotated[str, Text(label="Why", most=200)] = "",
) -> Events:
    """Say which formations a side may not activate in its next impulse."""
    text = "" if nothing else ", ".join(formations)
    yield e.Set(f"last-{side}", text, was=game[f"last-{side}"], reason=reason or "corrected by hand")
