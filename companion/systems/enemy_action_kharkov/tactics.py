"""Combat tactics: cards played in a combat, and the bonus of STAVKA and Von Manstein [9.2]."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import NotNow
from companion.engine.forms.fields import Choice, Context, Flag
from companion.engine.play.actions import Events
from companion.engine.play.duties import offer, owe
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import GERMAN, SOVIET, TACTICS, names_for, rules, titled
from companion.systems.enemy_action_kharkov.deck import Deck
from companion.systems.enemy_action_kharkov.fight import (
    BONUS,
    DEFENDER_JOINS,
    DEFENDER_TACTICS,
    JOIN,
    Fight,
    current,
    drawn_for,
    headline,
)
from companion.systems.enemy_action_kharkov.fight import (
    TACTICS as TACTICS_STEP,
)
from companion.systems.enemy_action_kharkov.manifest import (
    KINDS,
    Card,
    card,
    chosen_card,
    kind_unknown,
    listed,
    remember,
    tactic_turns,
)
from companion.systems.enemy_action_kharkov.record import joiners, outside
from companion.systems.enemy_action_kharkov.situations import TOWNS

WILD = ("front", "stavka", "german army", "army group")
"""Cards that serve as any tactic [9.22]; Von Manstein's as the table reads it."""
JOINING = ("reinforce battle", "assault coordination")
GUNS = {"artillery", "fixed artillery"}
ROLES = {"attacker": "attack_tactics", "defender": "defence_tactics"}
"""The fact of a battle that holds a role's tactics."""
NONE_MORE = "no-tactics"
"""The memo of the sides that play no more tactics in this impulse, and what says so."""


# -- attacker first, then defender, then the chits [9.0] --------------------------------------------------


def invite(game: Game, battle: Battle, fight: Fight) -> Events:
    """Offer tactics to the attacker, then to the defender, as far as they have cards and may play them [9.0, 9.2]."""
    for side, open_, step in (
        (battle.attacker, fight.attacker_tactics_open, TACTICS_STEP),
        (battle.defender, fight.defender_tactics_open, DEFENDER_TACTICS),
    ):
        if open_ and Deck(game, side).count("hand") and side not in game[NONE_MORE]:
            text = f"{game.side_name(side)}: play a tactic, or No"
            yield owe(game, side, text, no_tactics, battle=battle, step=step, rule="9.2")


def _still_time(game: Game, duty: e.Asked) -> bool:
    """No chit is drawn yet, and the side has a card left."""
    battle = game.battles.get(duty.battle)
    return _undrawn(battle) and bool(Deck(game, duty.to[0]).count("hand"))


def _undrawn(battle: Battle | None) -> bool:
    return battle is not None and not (battle.result or drawn_for(battle) or battle.facts.get("entered"))


HERE, REST = "here", "rest"
NOT_NOW = [(HERE, "No"), (REST, "None for the rest of this impulse")]


@dataclass(frozen=True)
class Declined(Choice):
    """The plain No first, and how a card is played."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        if ctx.game["cards-run"] == "real":
            return {**super().describe(ctx), "help": "To play one: Play a tactic card, below."}
        how = "To play one, tap a card in your hand."
        return {**super().describe(ctx), "help": how if ctx.seat in ctx.game.sides else ""}


@rules.follow_up(rule="9.2", label="No tactics", still=_still_time)
def no_tactics(
    game: Game,
    duty: e.Asked,
    until: Annotated[str, Declined(label="Tactics", options=NOT_NOW, start=lambda c: HERE)] = REST,
) -> Events:
    """Play no tactics, or no more, in this combat; or none in later ones of this impulse either."""
    side = duty.to[0]
    if until == HERE:
        yield e.Noted(
            f"{game.side_name(side)}: no {'more ' if _has_played(game, duty) else ''}tactics", rule="9.2"
        )
        return
    yield e.Noted(f"{game.side_name(side)}: no tactics for the rest of this impulse", rule="9.2")
    yield e.Set(NONE_MORE, [*game[NONE_MORE], side], reason=IN_PASSING)


def _has_played(game: Game, duty: e.Asked) -> bool:
    battle = game.battles[duty.battle]
    return bool(battle.facts.get(ROLES[battle.role_of(duty.to[0])]))


def playing(game: Game) -> str:
    """The side that may play tactics now, or nobody."""
    live = [d for d in game.duties(action=NONE_MORE) if game.is_live(d)]
    return live[0].to[0] if live else ""


def _player(game: Game) -> str:
    return playing(game) or "any"


def _may_play(game: Game, *, real: bool) -> bool | str:
    if (game["cards-run"] == "real") is not real:
        return False
    if playing(game):
        return True
    battle = current(game)
    if battle is None:
        return "tactics are played in a combat: declare one first"
    if not _undrawn(battle):
        return "chits are being drawn: it is too late for tactics [9.0]"
    return "no tactics now: nobody who may play some is asked [9.2, 10.42]"


# -- what a card can be played as ----------------------------------------------------------------------


def side_of(ctx: Context) -> str:
    """The side a tactic is chosen for: the seat's own, or the one that plays tactics now."""
    return ctx.seat if ctx.seat in ctx.game.sides else playing(ctx.game) or ctx.game.active


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
    return _usable(game, known.side, [(n, titled(n)) for n in printed])


def _usable(game: Game, side: str, names: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """What this combat already has is not offered again, nor Screen to an attacker [9.21, 9.3]."""
    battle = current(game)
    if battle is None:
        return names
    have = {*battle.facts.get(ROLES[battle.role_of(side)], ())}
    closed = have | ({"screen"} if side == battle.attacker else set())
    if side == battle.attacker and outside(game, battle, side) and not joiners(game, battle, side):
        closed |= set(JOINING)  # nothing but the chit would come of it
    if not game["fixed-and-artillery"] and GUNS & have:
        closed |= GUNS
    return [(n, label) for n, label in names if n not in closed]


def _kinds(ctx: Context) -> list[tuple[str, str]]:
    stavka = ctx.game.turn >= 7 and side_of(ctx) == SOVIET
    return [*KINDS, ("stavka", "STAVKA: leaves the game")] if stavka else KINDS  # [15.35]


def _asks_kind(ctx: Context) -> bool:
    known = chosen_card(ctx)
    return known is not None and not known.kind


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
    by=_player,
    rule="9.2",
    label="Play as tactic",
    group="card",
    secret=True,
    when=lambda game: _may_play(game, real=False),
)
def play_tactic(
    game: Game,
    card: Annotated[str, Choice(label="Card", options=_hand, quiet=lambda ctx: bool(ctx.values.get("card")))],
    tactic: Tactic,
    second: Second = "",
    stavka: Annotated[bool, Flag(label="It is STAVKA: leaves the game", when=_maybe_stavka)] = False,
) -> Events:
    """Play a card of your hand as a combat tactic."""
    yield from _play(game, card, tactic, second, {"type": "stavka"} if stavka else {})


@rules.action(
    phase="command",
    by=_player,
    rule="9.2",
    label="Play a tactic card",
    primary=True,
    when=lambda game: _may_play(game, real=True),
)
def play_real_tactic(
    game: Game,
    card: Annotated[str, Choice(label="Card number", options=_box)],
    tactic: Tactic,
    second: Second = "",
    kind: Annotated[str, Choice(label="It is", options=_kinds, when=_asks_kind)] = "",
) -> Events:
    """Enter the number of a real card that is played as a combat tactic."""
    if not kind and _asks_kind(Context(game, values={"card": card})):
        raise kind_unknown()
    told = {"type": "stavka"} if kind == "stavka" else {"kind": kind} if kind else {}
    yield from _play(game, card, tactic, second, told)


def _play(game: Game, number: str, tactic: str, second: str, told: dict[str, str]) -> Events:
    side, battle = playing(game), current(game)
    assert battle is not None  # or nobody would be asked for tactics
    names = [tactic, *filter(None, [second])]
    if len(set(names)) < len(names) or (not game["fixed-and-artillery"] and set(names) == GUNS):
        raise NotNow(f"{second} counts once in a combat", field="second", given=second, rule="9.21")
    yield from remember(game, number, told)
    yield from Deck(game, side).lay(number, "tactics")
    yield from apply(game, battle, side, names, card(game, number).label)


def apply(game: Game, battle: Battle, side: str, names: list[str], source: str) -> Events:
    """What a tactic changes in the combat; both sides read it in the battle's heading and in its lines [9.0]."""
    attacking, role = side == battle.attacker, ROLES[battle.role_of(side)]
    facts: dict[str, Any] = {role: [*battle.facts.get(role, ()), *names]}
    if "combat engineers" in names:
        facts["ip"] = yield from _engineers(game, battle, attacking)
    target = battle.hexes[0] if battle.hexes else ""
    title = headline(game, battle.attacker, target, {**battle.facts, **facts})
    words = f"{game.side_name(side)} plays {source}: {' and '.join(map(titled, names))}"
    yield e.Engaged(battle.id, title=title, facts=facts, reason=words)
    if any(n in JOINING for n in names):
        text = f"{game.side_name(side)}: bring units into the combat; they cannot advance afterwards"
        step = JOIN if attacking else DEFENDER_JOINS
        yield offer(game, side, text, "join-combat", battle=battle, step=step, rule="9.1, 9.8")


def _engineers(game: Game, battle: Battle, attacking: bool) -> Generator[e.Event, None, bool]:
    """The attacker's clear a position, the defender's make one [12.21, 12.24]; whether there is one now."""
    target = battle.hexes[0] if battle.hexes else ""
    if attacking:
        if target and game.mark(target, "ip"):
            yield e.Marked(target, "ip", None, reason="combat engineers", rule="12.24")
        return False
    cleared = (
        "combat engineers" in battle.facts.get("attack_tactics", ()) and game["both-engineers"] == "none"
    )
    if battle.facts.get("terrain") in TOWNS or cleared:
        return bool(battle.facts.get("ip"))
    if target and not game.mark(target, "ip"):
        manned = any(u.side == battle.defender for u in game.units_at(target))
        who = battle.defender if manned else "on"  # of units on record it is told when they leave it
        yield e.Marked(target, "ip", who, reason="combat engineers", rule="12.21")
    return True


# -- the free tactic of STAVKA and Von Manstein [9.23] ---------------------------------------------------


def owe_bonus(game: Game, battle: Battle, label: str) -> Events:
    """It is named before any card is played, so that nobody can pass it by."""
    text = f"{game.side_name(battle.attacker)}: name the free tactic of {label}"
    yield owe(game, battle.attacker, text, bonus_tactic, battle=battle, step=BONUS, rule="9.23")


def _free_tactics(ctx: Context) -> list[tuple[str, str]]:
    side = ctx.battle.attacker if ctx.battle else side_of(ctx)
    every = [
        (n, label) for n, label in names_for(side, TACTICS) if ctx.game.turn in tactic_turns(ctx.game, n)
    ]
    return _usable(ctx.game, side, every)


@rules.follow_up(
    rule="9.23",
    label="Name the free tactic",
    still=lambda game, duty: _undrawn(game.battles.get(duty.battle)),
)
def bonus_tactic(
    game: Game, battle: Battle, tactic: Annotated[str, Choice(label="Tactic", options=_free_tactics)]
) -> Events:
    """Choose the wild tactic that STAVKA or Von Manstein gives to this attack."""
    yield from apply(game, battle, battle.attacker, [tactic], "its free tactic")
