"""Combat tactics: cards played in a combat, and the bonus of STAVKA and Von Manstein [9.2]."""

from __future__ import annotations

from typing import Annotated

from companion.engine.errors import NotNow, NotYours
from companion.engine.play.actions import Events
from companion.engine.play.fields import Choice, Context, Flag, SideRef
from companion.engine.record import events as e
from companion.engine.record.game import Game

from .base import GERMAN, SOVIET, TACTICS, ask, names_for, rules, side_at, side_of
from .deck import Deck
from .fight import Fight, answered, attacker_of, current, in_hand, save, waiting
from .manifest import (
    KINDS,
    Card,
    card,
    chosen_card,
    cup_is_real,
    kind_unknown,
    listed,
    remember,
    tactic_turns,
)
from .situations import TOWNS

OVER = "nobody"
"""Nobody's tactics any more."""
WILD = ("front", "stavka", "german army", "army group")
"""Cards that serve as any tactic [9.22]; Von Manstein's as the table reads it."""
JOINING = ("reinforce battle", "assault coordination")


def _asked_side(game: Game) -> str:
    fight = current(game)
    return fight.tactics_by if fight and fight.tactics_by in game.sides else "any"


def before_the_chits(game: Game) -> bool | str:
    fight = current(game)
    if fight is None:
        return "tactics are played in a combat: declare one first"
    if fight.drawn or fight.hits:
        return "chits are being drawn: it is too late for tactics [9.0]"
    return True


def _kind(game: Game, *, real: bool) -> bool | str:
    state = before_the_chits(game)
    if state is not True or (game["cards-run"] == "real") is not real:
        return state if state is not True else False
    return _asked_side(game) in game.sides or _why_over(game)


def _why_over(game: Game) -> str:
    fight = current(game)
    if fight is not None and not (fight.attacker_tactics_open and fight.defender_tactics_open):
        return (
            "no tactics now: a side without supplied, undispersed or supported units plays none [9.2, 10.42]"
        )
    return "both sides have had their tactics: draw chits [9.0]"


def _hand(ctx: Context) -> list[tuple[str, str]]:
    return Deck(ctx.game, ctx.seat).labelled("hand") if ctx.seat in ctx.game.sides else []


def _box(ctx: Context) -> list[tuple[str, str]]:
    side = side_of(ctx)
    return Deck(ctx.game, side).real_box if side in ctx.game.sides else []


def tactic_choices(ctx: Context) -> list[tuple[str, str]]:
    """Tactics on the chosen card that count on this turn; all of the side's for wild and unknown cards."""
    game, known = ctx.game, chosen_card(ctx)
    if known is None:
        return _usable(game, side_of(ctx), names_for(side_of(ctx), TACTICS))
    printed = listed(known.tactics, game.turn)
    wild = known.type in WILD or (known.manstein and bool(game["manstein-wild"]))
    if wild or printed is None or "any" in printed:
        every = names_for(known.side, TACTICS)
        return _usable(game, known.side, [(n, t) for n, t in every if game.turn in tactic_turns(game, n)])
    return _usable(game, known.side, [(n, n.capitalize()) for n in printed])


def _usable(game: Game, side: str, names: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """What this combat already has is not offered again, nor Screen to an attacker [9.21, 9.3]."""
    fight = current(game)
    if fight is None:
        return names
    attacking = side == fight.attacker
    closed = {*fight.attack_tactics, "screen"} if attacking else {*fight.defence_tactics}
    return [(n, label) for n, label in names if n not in closed]


def _kinds(ctx: Context) -> list[tuple[str, str]]:
    stavka = ctx.game.turn >= 7 and side_of(ctx) == SOVIET
    return [*KINDS, ("stavka", "STAVKA: leaves the game")] if stavka else KINDS  # [15.35]


def _asks_kind(ctx: Context) -> bool:
    known = chosen_card(ctx)
    return known is not None and not known.kind


def _playing(ctx: Context) -> str:
    """At the table: the side whose tactics are being played."""
    fight = current(ctx.game)
    if ctx.seat == "table" and fight is not None and fight.tactics_by in (fight.attacker, fight.defender):
        return fight.tactics_by
    return side_at(ctx)


def _second(ctx: Context) -> bool:
    """Von Manstein's card gives two; an unnamed German card may be his [9.2]."""
    known = chosen_card(ctx)
    return known is not None and (known.manstein or (known.side == GERMAN and _unnamed(known)))


def _maybe_stavka(ctx: Context) -> bool:
    """From turn 7 on an unnamed Soviet card may be the one that leaves the game [15.35]."""
    known = chosen_card(ctx)
    return known is not None and ctx.game.turn >= 7 and known.side == SOVIET and _unnamed(known)


def _unnamed(known: Card) -> bool:
    return not known.type and not known.name


Tactic = Annotated[str, Choice(label="Tactic", options=tactic_choices)]
Second = Annotated[
    str, Choice(label="Second tactic", options=tactic_choices, help="Von Manstein only", when=_second)
]


@rules.action(
    phase="command",
    by=_asked_side,
    rule="9.2",
    label="Play as tactic",
    group="card",
    secret=True,
    when=lambda game: _kind(game, real=False),
)
def play_tactic(
    game: Game,
    card: Annotated[str, Choice(label="Card", options=_hand, quiet=lambda ctx: bool(ctx.values.get("card")))],
    tactic: Tactic,
    second: Second = "",
    stavka: Annotated[bool, Flag(label="It is STAVKA: leaves the game", when=_maybe_stavka)] = False,
    seat: str = "",
) -> Events:
    """Play a card of your hand as a combat tactic."""
    yield from _play(game, seat, card, "stavka" if stavka else "", tactic, second)


@rules.action(
    phase="command",
    by=_asked_side,
    rule="9.2",
    label="Play a tactic card",
    when=lambda game: _kind(game, real=True),
)
def play_real_tactic(
    game: Game,
    side: Annotated[str, SideRef(label="Played by", start=_playing, quiet=lambda c: c.seat != "table")],
    card: Annotated[str, Choice(label="Card number", options=_box)],
    tactic: Tactic,
    second: Second = "",
    kind: Annotated[str, Choice(label="It is", options=_kinds, when=_asks_kind)] = "",
    seat: str = "",
) -> Events:
    """Enter the number of a real card that is played as a combat tactic."""
    if seat in game.sides and seat != side:
        raise NotYours(
            "each side enters its own tactics, or the table does", field="side", given=side, rule="9.2"
        )
    if not kind and _asks_kind(Context(game, values={"card": card})):
        raise kind_unknown()
    if not Deck(game, side).count("hand"):
        raise NotNow(f"{game.side_name(side)} has no card in hand", field="card", rule="9.2")
    if kind in dict(KINDS):
        yield from remember(game, card, {"kind": kind})
    yield from _play(game, side, card, kind, tactic, second)


def _play(game: Game, side: str, number: str, kind: str, tactic: str, second: str) -> Events:
    fight = in_hand(game)
    names = [tactic, *filter(None, [second])]
    _check(game, fight, side, names)
    what = " and ".join(names)
    yield e.Noted(f"{game.side_name(side)} plays {card(game, number).label}: {what}", rule="9.2")
    yield from Deck(game, side).lay(number, "tactics")
    fight.cards[number] = kind
    yield from _apply(game, fight, side, names)


def _check(game: Game, fight: Fight, side: str, names: list[str]) -> None:
    attacking = side == fight.attacker
    if not (fight.attacker_tactics_open if attacking else fight.defender_tactics_open):
        raise NotNow(
            "no tactics here: no supplied, undispersed or supported unit to play them for", rule="9.2, 10.42"
        )
    if fight.tactics_by and fight.tactics_by != side:
        first = "the attacker plays his tactics first" if fight.tactics_by == fight.attacker else "too late"
        raise NotNow("your tactics are over" if attacking else first, rule="9.0")
    have = fight.attack_tactics if attacking else fight.defence_tactics
    twice = [n for n in names if n in have] or ([names[0]] if len(set(names)) < len(names) else [])
    if twice:
        raise NotNow(f"{twice[0]} counts once in a combat", field="tactic", given=twice[0], rule="9.21")
    guns = {"artillery", "fixed artillery"}
    if not game["fixed-and-artillery"] and len(guns & {*have, *names}) > 1:
        raise NotNow("this table does not combine artillery and fixed artillery", field="tactic", rule="9.21")
    if "screen" in names and attacking:
        raise NotNow("screen is for the defence", field="tactic", given="screen", rule="9.3")


def _apply(game: Game, fight: Fight, side: str, names: list[str]) -> Events:
    attacking = side == fight.attacker
    (fight.attack_tactics if attacking else fight.defence_tactics).extend(names)
    if "combat engineers" in names:
        yield from _engineers(game, fight, attacking)
    yield save(fight, f"{game.side_name(side)}: {', '.join(names)}")
    if any(n in JOINING for n in names):
        text = "Bring units into the combat; they cannot advance afterwards"
        yield ask(game, "join", (side, "table"), text, "join-combat", "9.1, 9.8", side=side)


def _engineers(game: Game, fight: Fight, attacking: bool) -> Events:
    """The attacker's clear a position, the defender's make one [12.21, 12.24]."""
    if attacking:
        fight.ip = False
        if fight.target and game.mark(fight.target, "ip"):
            yield e.Marked(fight.target, "ip", None, reason="combat engineers", rule="12.24")
        return
    cleared = "combat engineers" in fight.attack_tactics and game["both-engineers"] == "none"
    if fight.terrain not in TOWNS and not cleared:
        fight.ip = True
        if fight.target and not game.mark(fight.target, "ip"):
            yield e.Marked(fight.target, "ip", fight.defender, reason="combat engineers", rule="12.21")


def _bonus_open(game: Game) -> bool | str:
    fight = current(game)
    if fight is not None and not fight.bonus:
        return "this attack has no free tactic"
    return before_the_chits(game)


def _free_tactics(ctx: Context) -> list[tuple[str, str]]:
    side = attacker_of(ctx.game)
    return _usable(ctx.game, side, names_for(side, TACTICS))


@rules.action(
    phase="command",
    by=attacker_of,
    rule="9.23",
    label="Name the free tactic",
    when=_bonus_open,
)
def bonus_tactic(game: Game, tactic: Annotated[str, Choice(label="Tactic", options=_free_tactics)]) -> Events:
    """Choose the wild tactic that STAVKA or Von Manstein gives to this attack."""
    fight = in_hand(game)
    _check(game, fight, fight.attacker, [tactic])
    fight.bonus -= 1
    if not fight.bonus:
        yield from answered(game, "bonus")
    yield from _apply(game, fight, fight.attacker, [tactic])


# -- attacker first, then defender, then the chits [9.0] --------------------------------------------------------


def invite(game: Game, fight: Fight) -> Events:
    """Ask the next side for its tactics; when both have had their say, the chits are drawn [9.0, 9.2]."""
    order = [
        (fight.attacker, fight.attacker_tactics_open, "Attacker: play tactics, or none"),
        (fight.defender, fight.defender_tactics_open, "Defender: play tactics, or none"),
    ]
    if fight.tactics_by:
        order = order[1:] if fight.tactics_by == fight.attacker else []
    yield from answered(game, "tactics")
    for side, open_, text in order:
        if open_ and Deck(game, side).count("hand"):
            fight.tactics_by = side
            yield save(fight, "")
            if game["cards-run"] != "real":
                text += " (tap cards in your hand)"
            yield ask(game, "tactics", (side, "table"), text, "no-tactics", "9.2")
            return
    fight.tactics_by = OVER
    yield save(fight, "")
    action = "enter-chits" if cup_is_real(game) else "draw-chits"
    chits = "1 chit" if fight.missing == 1 else f"{fight.missing} chits"
    yield ask(game, "draw", (fight.attacker, "table"), f"Attacker: draw {chits}", action, "9.3")


@rules.action(
    phase="command",
    by=_asked_side,
    rule="9.2",
    label="No more tactics",
    group="hidden",
    when=lambda game: _asked_side(game) in game.sides or "nobody is asked for tactics",
)
def no_tactics(game: Game) -> Events:
    """Say that you play no more tactics: the other side follows, or the chits."""
    fight = in_hand(game)
    yield e.Noted(f"{game.side_name(fight.tactics_by)} plays no more tactics", rule="9.2")
    yield from invite(game, fight)


@rules.watch
def tactics_go_on(game: Game) -> Events:
    """A question for tactics that was waved away means none: the other side follows, or the chits."""
    fight = current(game)
    if fight is None or fight.tactics_by not in game.sides or fight.drawn:
        return
    if not waiting(game, "tactics"):
        yield from invite(game, fight)
