"""Combat tactics: cards played in a combat, the bonus of STAVKA and Von Manstein, and units that join (9.2)."""

from __future__ import annotations

from typing import Annotated

from companion.engine import events as e
from companion.engine.actions import Events
from companion.engine.errors import NotNow, NotYours, Unreadable
from companion.engine.fields import Choice, Context, Flag, SideRef, UnitRef, Whole
from companion.engine.game import Game
from companion.engine.roster import Unit
from companion.systems.enemy_action_kharkov.base import (
    SOVIET,
    TACTICS,
    armour,
    ask,
    names_for,
    on_map,
    rules,
    side_at,
    strength,
)
from companion.systems.enemy_action_kharkov.deck import Deck
from companion.systems.enemy_action_kharkov.fight import Fight, current, save
from companion.systems.enemy_action_kharkov.manifest import card, listed, tactic_turns

WILD = ("front", "stavka", "german army", "army group")
JOINING = ("reinforce battle", "assault coordination")


def attacker_of(game: Game) -> str:
    fight = current(game)
    return fight.attacker if fight else "any"


def _open(game: Game) -> bool | str:
    fight = current(game)
    if fight is None:
        return "tactics are played in a combat: declare one first"
    if fight.drawn or fight.hits:
        return "chits are being drawn: it is too late for tactics [9.0]"
    return True


def _kind(game: Game, *, real: bool) -> bool | str:
    state = _open(game)
    return state if state is not True else (game["cards-run"] == "real") is real


def _side(ctx: Context) -> str:
    return str(ctx.values.get("side") or "") or side_at(ctx)


def _hand(ctx: Context) -> list[tuple[str, str]]:
    game = ctx.game
    if game is None or ctx.seat not in game.sides:
        return []
    return [(n, card(game, n).label) for n in Deck(game, ctx.seat).tokens("hand")]


def _box(ctx: Context) -> list[tuple[str, str]]:
    game, side = ctx.game, _side(ctx)
    if game is None or side not in game.sides:
        return []
    return [(n, card(game, n).label) for n in Deck(game, side).tokens("box")]


def tactic_choices(ctx: Context) -> list[tuple[str, str]]:
    """Tactics on the chosen card that count on this turn; all of the side's for wild and unknown cards."""
    game = ctx.game
    if game is None or not ctx.values.get("card"):
        return names_for(_side(ctx), TACTICS) if game else [(t, t.capitalize()) for t in TACTICS]
    known = card(game, str(ctx.values["card"]))
    printed = listed(known.tactics, game.turn)
    wild = known.type in WILD or (known.manstein and bool(game["manstein-wild"]))
    if wild or printed is None or "any" in printed:
        return [
            (n, label) for n, label in names_for(known.side, TACTICS) if game.turn in tactic_turns(game, n)
        ]
    return [(n, n.capitalize()) for n in printed]


def _kinds(ctx: Context) -> list[tuple[str, str]]:
    found = [("primary", "Primary"), ("supplemental", "Supplemental")]
    if ctx.game is not None and ctx.game.turn >= 7 and _side(ctx) == SOVIET:
        found.append(("stavka", "STAVKA: leaves the game"))  # 15.35
    return found


def _second(ctx: Context) -> bool:
    return ctx.game is not None and card(ctx.game, str(ctx.values.get("card") or "")).manstein


@rules.action(
    phase="command",
    by="any",
    rule="9.2",
    label="Play a tactic",
    group="hand",
    secret=True,
    when=lambda game: _kind(game, real=False),
)
def play_tactic(
    game: Game,
    card: Annotated[str, Choice(label="Card", options=_hand)],
    tactic: Annotated[str, Choice(label="Tactic", options=tactic_choices)],
    second: Annotated[str, Choice(label="Second tactic", options=tactic_choices, when=_second)] = "",
    seat: str = "",
) -> Events:
    """Play a card of your hand as a combat tactic."""
    yield from _play(game, seat, card, "", [tactic, *([second] if second else [])])


@rules.action(
    phase="command",
    by="any",
    rule="9.2",
    label="Play a real tactic card",
    group="hand",
    when=lambda game: _kind(game, real=True),
)
def play_real_tactic(
    game: Game,
    side: Annotated[str, SideRef(label="Played by", start=side_at)],
    card: Annotated[str, Choice(label="Card number", options=_box)],
    tactic: Annotated[str, Choice(label="Tactic", options=tactic_choices)],
    second: Annotated[
        str, Choice(label="Second tactic", options=tactic_choices, help="Von Manstein only")
    ] = "",
    kind: Annotated[
        str,
        Choice(
            label="It is",
            options=_kinds,
            when=lambda c: c.game is not None and not _known_kind(c.game, str(c.values.get("card") or "")),
        ),
    ] = "",
    seat: str = "",
) -> Events:
    """Enter the number of a real card that is played as a combat tactic."""
    if seat in game.sides and seat != side:
        raise NotYours("each side enters its own tactics, or the table does", field="side", given=side)
    if not kind and not _known_kind(game, card):
        raise Unreadable("is the card primary or supplemental? The manifest does not tell", field="kind")
    if not Deck(game, side).count("hand"):
        raise NotNow(f"{game.side_name(side)} has no card in hand", field="card")
    yield from _play(game, side, card, kind, [tactic, *([second] if second else [])])


def _known_kind(game: Game, number: str) -> str:
    return card(game, number).kind


def _play(game: Game, side: str, number: str, kind: str, names: list[str]) -> Events:
    fight = current(game)
    if fight is None:
        raise NotNow("declare a combat first")
    _check(game, fight, side, names)
    yield from Deck(game, side).lay(number, "tactics", f"tactic: {' and '.join(names)}")
    fight.cards[number] = kind
    yield from _apply(game, fight, side, names)


def _check(game: Game, fight: Fight, side: str, names: list[str]) -> None:
    attacking = side == fight.attacker
    if not (fight.attacker_tactics_open if attacking else fight.defender_tactics_open):
        raise NotNow(
            "no tactics here: no supplied, undispersed or supported unit to play them for [9.2, 10.42]"
        )
    have = fight.attack_tactics if attacking else fight.defence_tactics
    twice = [n for n in names if n in have] or ([names[0]] if len(set(names)) < len(names) else [])
    if twice:
        raise NotNow(f"{twice[0]} counts once in a combat [9.21]", field="tactic", given=twice[0])
    guns = {"artillery", "fixed artillery"}
    if not game["fixed-and-artillery"] and len(guns & {*have, *names}) > 1:
        raise NotNow("this table does not combine artillery and fixed artillery", field="tactic")
    if "screen" in names and attacking:
        raise NotNow("screen is for the defence [9.3]", field="tactic", given="screen")


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
    """12.21, 12.24: the attacker's clear a position, the defender's make one."""
    if attacking:
        fight.ip = False
        if fight.target and game.mark(fight.target, "ip"):
            yield e.Marked(fight.target, "ip", None, reason="combat engineers", rule="12.24")
    elif fight.terrain not in ("town", "city") and not (
        fight.engineers_cleared and game["both-engineers"] == "none"
    ):
        fight.ip = True
        if fight.target and not game.mark(fight.target, "ip"):
            yield e.Marked(fight.target, "ip", fight.defender, reason="combat engineers", rule="12.21")


def _bonus_open(game: Game) -> bool | str:
    fight = current(game)
    if fight is not None and not fight.bonus:
        return "this attack has no free tactic"
    return _open(game)


@rules.action(
    phase="command",
    by=attacker_of,
    rule="9.23",
    label="Name the free tactic",
    when=lambda game: _bonus_open(game),
)
def bonus_tactic(
    game: Game,
    tactic: Annotated[
        str,
        Choice(
            label="Tactic",
            options=lambda c: names_for(attacker_of(c.game), TACTICS) if c.game else [],
        ),
    ],
) -> Events:
    """Choose the wild tactic that STAVKA or Von Manstein gives to this attack."""
    fight = current(game)
    if fight is None:
        raise NotNow("declare a combat first")
    _check(game, fight, fight.attacker, [tactic])
    fight.bonus -= 1
    yield from _apply(game, fight, fight.attacker, [tactic])


@rules.action(phase="command", by="any", rule="9.2", label="No more tactics", group="hidden", when=_open)
def no_tactics(game: Game, seat: str = "") -> Events:
    """Tell the attacker that you play no more tactics and that chits may be drawn."""
    yield e.Noted(f"{game.side_name(seat)} plays no more tactics", rule="9.2")


def _beside_active(game: Game, unit: Unit) -> bool:
    near = [u for h in game.maps.neighbours(unit.place) for u in game.units_at(h)]
    return any(u.side != unit.side and game.mark(u.id, "active") for u in near)


def _joiners(ctx: Context) -> list[Unit]:
    game, fight = ctx.game, current(ctx.game) if ctx.game else None
    if game is None or fight is None:
        return []
    return [u for u in on_map(game, _side(ctx)) if u.id not in (*fight.units, *fight.defenders)]


@rules.action(phase="command", by="any", rule="9.1", label="Join the combat", group="hidden", when=_open)
def join_combat(
    game: Game,
    side: Annotated[str, SideRef(label="Side", start=side_at)],
    units: Annotated[tuple[str, ...], UnitRef(label="Units", many=True, pick=_joiners)] = (),
    small: Annotated[int, Whole(label="Units with 1 or 2 steps", high=9)] = 0,
    large: Annotated[int, Whole(label="Units with 3 steps", high=9)] = 0,
    steps: Annotated[int, Whole(label="Their steps, in defence", high=9)] = 0,
    dry: Annotated[bool, Flag(label="They do not attack across the river")] = False,
    points: Annotated[int, Whole(label="Their strength", high=99)] = 0,
) -> Events:
    """Units brought in by Reinforce Battle or Assault Coordination add to the combat."""
    fight = current(game)
    if fight is None:
        raise NotNow("declare a combat first")
    chosen = [game.units[u] for u in units]
    pinned = [u.name or u.id for u in chosen if side == fight.defender and _beside_active(game, u)]
    if pinned:
        raise NotNow(f"{', '.join(pinned)}: a unit beside an active enemy cannot reinforce", field="units")
    points += sum(strength(u) or 0 for u in chosen)
    if side == fight.attacker:
        fight.small += small + sum(u.steps < 3 for u in chosen)
        fight.large += large + sum(u.steps >= 3 for u in chosen)
        fight.attack += points
        fight.units += units
        fight.river = fight.river and not (dry and game["joiners-river"])
        fight.attacker_armour = fight.attacker_armour or any(armour(u, game) for u in chosen)
    else:
        fight.steps += steps + sum(u.steps for u in chosen)
        fight.defence += points
        fight.defenders += units
        fight.defender_armour = fight.defender_armour or any(armour(u, game) for u in chosen)
    yield save(fight, f"{game.side_name(side)} reinforces the combat")
