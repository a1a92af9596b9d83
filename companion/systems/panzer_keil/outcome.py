"""What follows from a combat result: exhaustion, Don binding, losses, retreats, advances [9.6-9.9, B10.3]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Context, Flag, UnitRef
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING, change
from companion.engine.record.game import Game
from companion.systems.panzer_keil import states
from companion.systems.panzer_keil.advance import ask_advance
from companion.systems.panzer_keil.aftermath import suffer
from companion.systems.panzer_keil.base import (
    FOOT,
    SOME_MECHANIZED,
    SOVIET,
    exhausted,
    is_sixth,
    mechanized,
    named,
    rules,
)
from companion.systems.panzer_keil.condition import any_on_map, own_here, own_on_map
from companion.systems.panzer_keil.exchange import ask_exchange
from companion.systems.panzer_keil.followup import ask, remind
from companion.systems.panzer_keil.results import ATTACKER, RESULTS, advance_limit, beside_river, over_river
from companion.systems.panzer_keil.stalingrad import bind


@rules.outcome("combat")
def combat_outcome(game: Game, sheet: dict[str, Any], code: str) -> Events:
    """Carry out a result of the combat table."""
    facts: dict[str, Any] = sheet.get("facts", {})
    side, target = str(facts.get("side") or game.active), str(facts.get("target", ""))
    attackers = [str(u) for u in facts.get("attackers", ())]
    crossers = [str(u) for u in facts.get("crossers", ())]
    defenders = [str(u) for u in facts.get("defenders", ())]
    major = bool(facts.get("major"))
    if target:
        yield e.Marked(target, "fought", True, reason=IN_PASSING, rule="9.1.5")
    if not attackers and not defenders:
        yield from _on_the_map(game, side, code, major, bool(facts.get("all_major")))
        return
    yield from _tire(game, side, attackers)
    if side == SOVIET and any(is_sixth(game.units[d]) for d in defenders):
        yield from bind(game, attackers)
    result = RESULTS[code]
    if code == "EX":
        yield from ask_exchange(game, side, facts)
    elif result.sufferer == ATTACKER and major:
        yield from _thrown_back(game, code, side, attackers, crossers, target, bool(facts.get("all_major")))
    elif result.sufferer == ATTACKER:
        yield from suffer(game, code, attackers, side, target)
    elif result.sufferer:
        yield from suffer(game, code, defenders, side, target)
        all_across = set(attackers) <= set(crossers) if attackers else bool(facts.get("all_major"))
        yield from ask_advance(game, side, attackers, advance_limit(code, all_across), target, crossers)
    yield from _ask_tired(game, side, attackers)


def _on_the_map(game: Game, side: str, code: str, major: bool, all_major: bool) -> Events:
    """Without units on record: everything a result demands in one line."""
    tired = "attacking mechanized units end exhausted"
    if code == "EX":
        text = f"Exchange: what did the attacker give up? Then {tired}"
        yield ask(game, side, text, "exchange-by-hand", {}, "9.6")
        return
    result = RESULTS[code]
    parts = [f"{code}: {_told(game, code, side)}"]
    if result.sufferer == ATTACKER and major:
        worse = over_river(code)
        parts = [f"{worse} over the major river: {_told(game, worse, side)}"]
        if not all_major and game["river-upgrade"] != "all":
            rest = beside_river(code)
            parts.append(f"the others {rest}: {_told(game, rest, side)}")
    limit = advance_limit(code, major and all_major)
    if limit:
        parts.append(f"attackers may advance {limit}")
    if RESULTS[code].sufferer != ATTACKER or over_river(code) != "AE" or not major:
        parts.append(tired)
    yield remind(game, side, "; ".join(parts), "9.6, 9.9")


def _told(game: Game, code: str, side: str) -> str:
    """A result in words, with the player who moves the retreat."""
    result = RESULTS[code]
    if not result.retreat:
        return result.text
    mover = side if result.by == ATTACKER else game.other(side)
    return f"{result.text}, moved by the {game.side_name(mover)} player"


def _tire(game: Game, side: str, attackers: Sequence[str]) -> Events:
    """Attacking mechanized units are exhausted, whatever the result [9.9]."""
    for unit in attackers:
        yield e.Marked(unit, "attacked", True, reason=IN_PASSING, rule="9.1.6")
        if mechanized(game.units[unit]):
            yield from states.put(game, unit, states.attack)
    if not attackers:
        yield remind(game, side, "Turn attacking mechanized units to their exhausted side", "9.9")


def _ask_tired(game: Game, side: str, attackers: Sequence[str]) -> Events:
    """Where the record does not tell who is mechanized, the player does."""
    unknown = [
        u
        for u in attackers
        if game.units[u].on_map and mechanized(game.units[u]) is None and not game.mark(u, "exhausted")
    ]
    if unknown:
        text = f"Which of these are mechanized and end exhausted: {named(game, unknown)}?"
        yield ask(game, side, text, "exhaust", {"among": unknown}, "9.9")


def _attackers(ctx: Context) -> list[Unit]:
    """Those a question is about, else who attacked in this phase and is not exhausted, else the hex just typed."""
    game = ctx.game
    asked = [game.units[u] for u in ctx.values.get("among") or ()]
    if asked:
        return [u for u in asked if u.on_map]
    fought = [u for u in own_on_map(ctx) if game.mark(u.id, "attacked") and not exhausted(game, u.id)]
    return fought or own_here(ctx)


def _living_or_lost(ctx: Context) -> list[Unit]:
    """The acting side's units; a question may name some that were lost since."""
    game = ctx.game
    return [u for u in game.units.values() if u.side == (game.active or u.side)]


@rules.action(by="any", rule="9.9", label="Exhaust units", group="book-keeping", when=any_on_map)
def exhaust(
    game: Game,
    among: Annotated[
        tuple[str, ...], UnitRef(label="Of these", many=True, pick=_living_or_lost, hidden=True)
    ] = (),
    units: Annotated[
        tuple[str, ...],
        UnitRef(label="Mechanized units", many=True, pick=_living_or_lost, suggest=_attackers),
    ] = (),
    none: Annotated[
        bool, Flag(label="None of them is mechanized", when=lambda c: bool(c.values.get("among")))
    ] = False,
) -> Events:
    """Turn mechanized units that attacked to their exhausted side; who they are is remembered."""
    if bool(units) == none:
        raise Unreadable(
            "tick the mechanized units, or that none is" if among else "which units?",
            field="units",
            rule="9.9",
        )
    for unit in units:
        if game.units[unit].on_map and not game.mark(unit, "exhausted"):
            yield e.Marked(unit, "exhausted", True, reason="attacked", rule="9.9")
    for unit in dict.fromkeys((*units, *among)):
        if not game.units[unit].kind:
            kind, why = (SOME_MECHANIZED, "mechanized") if unit in units else (FOOT, "not mechanized")
            yield change(game, unit, {"kind": kind}, reason=why, rule="2.2.1")


def _thrown_back(
    game: Game,
    code: str,
    side: str,
    attackers: Sequence[str],
    crossers: Sequence[str],
    target: str,
    all_major: bool,
) -> Events:
    """The worse result for those over a major river, by the table's reading for all [B10.3.1]."""
    worse = over_river(code)
    rest = [u for u in attackers if u not in crossers]
    if not attackers:
        text = f"{worse}, {RESULTS[worse].text}"
        if all_major or game["river-upgrade"] == "all":
            text = f"All attackers: {text}"
        else:
            text = f"Those over the major river: {text}; the others: {RESULTS[beside_river(code)].text}"
        yield remind(game, side, text, "B10.3.1")
    elif game["river-upgrade"] == "all" or not rest:
        yield from suffer(game, worse, attackers, side, target)
    else:
        yield from suffer(game, worse, crossers, side, target)
        yield from suffer(game, beside_river(code), rest, side, target)
