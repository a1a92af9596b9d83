"""Combat tactics: cards played in a combat, the bonus of STAVKA and Von Manstein, and units that join (9.2)."""

from __future__ import annotations

from typing import Annotated

from companion.engine.errors import NotNow, NotYours, Unreadable
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Choice, Context, Flag, SideRef, UnitRef, Whole
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import (
    GERMAN,
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
from companion.systems.enemy_action_kharkov.fight import Fight, answered, current, save
from companion.systems.enemy_action_kharkov.manifest import (
    card,
    cup_is_real,
    listed,
    remember,
    tactic_turns,
)

OVER = "nobody"
"""Nobody's tactics any more."""
WILD = ("front", "stavka", "german army", "army group")
JOINING = ("reinforce battle", "assault coordination")


def attacker_of(game: Game) -> str:
    fight = current(game)
    return fight.attacker if fight else "any"


def _asked_side(game: Game) -> str:
    fight = current(game)
    return fight.tactics_by if fight and fight.tactics_by in game.sides else "any"


def _open(game: Game) -> bool | str:
    fight = current(game)
    if fight is None:
        return "tactics are played in a combat: declare one first"
    if fight.drawn or fight.hits:
        return "chits are being drawn: it is too late for tactics [9.0]"
    return True


def _kind(game: Game, *, real: bool) -> bool | str:
    state = _open(game)
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


def _side(ctx: Context) -> str:
    return str(ctx.values.get("side") or "") or side_at(ctx)


def _hand(ctx: Context) -> list[tuple[str, str]]:
    game = ctx.game
    if game is None or ctx.seat not in game.sides:
        return []
    return [(n, card(game, n).label) for n in Deck(game, ctx.seat).tokens("hand")]


def _box(ctx: Context) -> list[tuple[str, str]]:
    game, side = ctx.game, _side(ctx)
    if game is None or side not in game.sides or not Deck(game, side).real:
        return []  # what a digital deck keeps in its box is nobody's business
    return [(n, card(game, n).label) for n in Deck(game, side).tokens("box")]


def tactic_choices(ctx: Context) -> list[tuple[str, str]]:
    """Tactics on the chosen card that count on this turn; all of the side's for wild and unknown cards."""
    game = ctx.game
    if game is None:
        return [(t, t.capitalize()) for t in TACTICS]
    if not ctx.values.get("card"):
        return _usable(game, _side(ctx), names_for(_side(ctx), TACTICS))
    known = card(game, str(ctx.values["card"]))
    printed = listed(known.tactics, game.turn)
    wild = known.type in WILD or (known.manstein and bool(game["manstein-wild"]))
    if wild or printed is None or "any" in printed:
        every = names_for(known.side, TACTICS)
        return _usable(game, known.side, [(n, t) for n, t in every if game.turn in tactic_turns(game, n)])
    return _usable(game, known.side, [(n, n.capitalize()) for n in printed])


def _usable(game: Game, side: str, names: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """9.21, 9.3: what this combat already has is not offered again, nor Screen to an attacker."""
    fight = current(game)
    if fight is None:
        return names
    attacking = side == fight.attacker
    closed = {*fight.attack_tactics, "screen"} if attacking else {*fight.defence_tactics}
    return [(n, label) for n, label in names if n not in closed]


def _kinds(ctx: Context) -> list[tuple[str, str]]:
    found = [("primary", "Primary"), ("supplemental", "Supplemental")]
    if ctx.game is not None and ctx.game.turn >= 7 and _side(ctx) == SOVIET:
        found.append(("stavka", "STAVKA: leaves the game"))  # 15.35
    return found


def _playing(ctx: Context) -> str:
    """At the table: the side whose tactics are being played."""
    fight = current(ctx.game) if ctx.game else None
    if ctx.seat == "table" and fight is not None and fight.tactics_by in (fight.attacker, fight.defender):
        return fight.tactics_by
    return side_at(ctx)


def _second(ctx: Context) -> bool:
    """9.2: Von Manstein's card gives two; an unnamed German card may be his."""
    if ctx.game is None or not ctx.values.get("card"):
        return False
    known = card(ctx.game, str(ctx.values["card"]))
    return known.manstein or (known.side == GERMAN and not known.type and not known.name)


def _maybe_stavka(ctx: Context) -> bool:
    """15.35: from turn 7 on an unnamed Soviet card may be the one that leaves the game."""
    if ctx.game is None or ctx.game.turn < 7 or not ctx.values.get("card"):
        return False
    known = card(ctx.game, str(ctx.values["card"]))
    return known.side == SOVIET and not known.type and not known.name


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
    tactic: Annotated[str, Choice(label="Tactic", options=tactic_choices)],
    second: Annotated[
        str,
        Choice(label="Second tactic", options=tactic_choices, help="Von Manstein only", when=_second),
    ] = "",
    stavka: Annotated[bool, Flag(label="It is STAVKA: leaves the game", when=_maybe_stavka)] = False,
    seat: str = "",
) -> Events:
    """Play a card of your hand as a combat tactic."""
    yield from _play(game, seat, card, "stavka" if stavka else "", [tactic, *([second] if second else [])])


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
    tactic: Annotated[str, Choice(label="Tactic", options=tactic_choices)],
    second: Annotated[
        str,
        Choice(
            label="Second tactic",
            options=tactic_choices,
            help="Von Manstein only",
            when=_second,
        ),
    ] = "",
    kind: Annotated[
        str,
        Choice(
            label="It is",
            options=_kinds,
            when=lambda c: (
                c.game is not None
                and bool(c.values.get("card"))
                and not _known_kind(c.game, str(c.values["card"]))
            ),
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
    if kind in ("primary", "supplemental"):
        yield from remember(game, card, {"kind": kind})
    yield from _play(game, side, card, kind, [tactic, *([second] if second else [])])


def _known_kind(game: Game, number: str) -> str:
    return card(game, number).kind


def _play(game: Game, side: str, number: str, kind: str, names: list[str]) -> Events:
    fight = current(game)
    if fight is None:
        raise NotNow("declare a combat first")
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
            "no tactics here: no supplied, undispersed or supported unit to play them for [9.2, 10.42]"
        )
    if fight.tactics_by and fight.tactics_by != side:
        turn = "the attacker plays his tactics first" if fight.tactics_by == fight.attacker else "too late"
        raise NotNow(f"{turn if not attacking else 'your tactics are over'} [9.0]")
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
            options=lambda c: (
                _usable(c.game, attacker_of(c.game), names_for(attacker_of(c.game), TACTICS))
                if c.game
                else []
            ),
        ),
    ],
) -> Events:
    """Choose the wild tactic that STAVKA or Von Manstein gives to this attack."""
    fight = current(game)
    if fight is None:
        raise NotNow("declare a combat first")
    _check(game, fight, fight.attacker, [tactic])
    fight.bonus -= 1
    if not fight.bonus:
        yield from answered(game, "bonus")
    yield from _apply(game, fight, fight.attacker, [tactic])


# -- attacker first, then defender, then the chits (9.0) --------------------------------------------------------


def invite(game: Game, fight: Fight) -> Events:
    """Ask the next side for its tactics; when both have had their say, the chits are drawn."""
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
    fight = current(game)
    if fight is None:
        raise NotNow("no combat in hand")
    side = fight.tactics_by
    yield e.Noted(f"{game.side_name(side)} plays no more tactics", rule="9.2")
    yield from invite(game, fight)


@rules.watch
def tactics_go_on(game: Game) -> Events:
    """A question for tactics that was waved away means none: the other side follows, or the chits."""
    fight = current(game)
    if fight is None or fight.tactics_by not in game.sides or fight.drawn:
        return
    if not any(q.startswith("tactics-") for q in game.asked):
        yield from invite(game, fight)


def _beside_active(game: Game, unit: Unit) -> bool:
    near = [u for h in game.maps.neighbours(unit.place) for u in game.units_at(h)]
    return any(u.side != unit.side and game.mark(u.id, "active") for u in near)


def _joiners(ctx: Context) -> list[Unit]:
    game, fight = ctx.game, current(ctx.game) if ctx.game else None
    if game is None or fight is None:
        return []
    return [u for u in on_map(game, _side(ctx)) if u.id not in (*fight.units, *fight.defenders)]


def _by_hand(ctx: Context, attacking: bool) -> bool:
    """Numbers are asked only where no unit on record tells them."""
    fight = current(ctx.game) if ctx.game else None
    return fight is not None and not ctx.values.get("units") and (_side(ctx) == fight.attacker) is attacking


def _count_hexes(game: Game, fight: Fight) -> None:
    """9.4: units that joined may attack from another hex, as far as all of them are on record next to the target."""
    beside = game.maps.neighbours(fight.target) if fight.target else ()
    places = sorted({game.units[u].place for u in fight.units})
    if len(fight.units) == fight.small + fight.large and all(p in beside for p in places):
        fight.hexes = len(places)
        fight.apart = len(places) == 2 and game.maps.distance(*places) > 1


def _crossing(ctx: Context) -> bool:
    fight = current(ctx.game) if ctx.game else None
    return fight is not None and fight.river and _side(ctx) == fight.attacker


@rules.action(phase="command", by="any", rule="9.1", label="Join the combat", group="hidden", when=_open)
def join_combat(
    game: Game,
    side: Annotated[str, SideRef(label="Side", start=side_at, quiet=lambda c: bool(c.values.get("side")))],
    units: Annotated[
        tuple[str, ...],
        UnitRef(label="Units", many=True, pick=_joiners, when=lambda c: bool(_joiners(c))),
    ] = (),
    small: Annotated[
        int, Whole(label="Units with 1 or 2 steps", high=9, when=lambda c: _by_hand(c, True))
    ] = 0,
    large: Annotated[int, Whole(label="Units with 3 steps", high=9, when=lambda c: _by_hand(c, True))] = 0,
    steps: Annotated[int, Whole(label="Their steps", high=9, when=lambda c: _by_hand(c, False))] = 0,
    dry: Annotated[
        bool, Flag(label="They do not attack across the river", when=lambda c: _crossing(c))
    ] = False,
    points: Annotated[
        int, Whole(label="Their strength", high=99, when=lambda c: not c.values.get("units"))
    ] = 0,
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
        _count_hexes(game, fight)
        fight.river = fight.river and not (dry and game["joiners-river"])
        fight.attacker_armour = fight.attacker_armour or any(armour(u, game) for u in chosen)
    else:
        fight.steps += steps + sum(u.steps for u in chosen)
        fight.defence += points
        fight.defenders += units
        fight.defender_armour = fight.defender_armour or any(armour(u, game) for u in chosen)
    yield save(fight, f"{game.side_name(side)} reinforces the combat")
