"""Retreats: where a side goes, what it pays instead, and what follows [5.3]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import NotYours, Unreadable
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Choice, Context, Flag, HexId, SideRef, UnitRef, Whole
from companion.engine.record import events as e
from companion.engine.record.changes import move, put_mark
from companion.engine.record.game import Game
from companion.systems.wb95 import grammar
from companion.systems.wb95.base import (
    ATTACK,
    MOVE,
    STACKING,
    ask,
    at_hexes,
    by_combat,
    in_transport,
    is_gun,
    on_a_phone,
    own,
    rules,
    seated,
    take_off_own,
)
from companion.systems.wb95.combats import fell_back, involved
from companion.systems.wb95.losses import ask_losses, candidates
from companion.systems.wb95.pursuit import ask_pursuit
from companion.systems.wb95.shaken import ask_tests, exposed, shake, stays_shaken
from companion.systems.wb95.zones import zones


def ask_retreat(
    game: Game, side: str, share: grammar.Part, hexes: list[str], *, starred: bool, fixed: bool, combat: int
) -> e.Asked:
    """The side that was beaten chooses how far it goes [5.3.7]."""
    where = f" from {', '.join(hexes)}" if hexes else ""
    pay = "" if not fixed else ", the first free in a fixed position"
    text = f"{game.side_name(side)}: fall back {share.retreat}{where}, or pay 1 CEL a hex{pay}"
    args: dict[str, Any] = {"side": side, "ordered": share.retreat, "hexes": hexes, "combat": combat}
    args |= {"fixed": fixed, "starred": starred, "shaken": share.disorganised and not game["bought-off"]}
    return ask(game, "retreat", side, text, "retreat", args, "5.3.7")


def _ways(ctx: Context) -> list[tuple[str, str]]:
    """Every split of a retreat into hexes gone and CEL paid [5.3.7]."""
    ways = grammar.retreat_choices(int(ctx.values.get("ordered") or 5), bool(ctx.values.get("fixed")))
    return [
        (str(go), f"{f'{go} back' if go else 'stay'}{f', pay {pay} CEL' if pay else ''}") for go, pay in ways
    ]


def _goes(ctx: Context) -> bool:
    return str(ctx.values.get("go")) != "0"


@dataclass(frozen=True)
class WayBack(HexId):
    """Where a retreat can end: so many hexes away and not among the enemy; zones are the players' to see."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        game, known = ctx.game, super().describe(ctx)
        side, hexes = str(ctx.values.get("side") or ""), ctx.values.get("hexes") or ()
        if side not in game.sides or not hexes:
            return known
        gone = int(ctx.values.get("go") or ctx.values.get("ordered") or 1)
        closed = {u.place for u in own(game, game.other(side))}
        found = {h for start in hexes for h in game.maps.grid_of(start).ring(start, gone)} - closed
        return {**known, "choices": [{"value": h, "label": h} for h in sorted(found)]}


Way = Annotated[
    str, Choice(label="You go", options=_ways, start=lambda c: str(c.values.get("ordered") or ""))
]
Goal = Annotated[str, WayBack(label="To hex", help="where the counters end; the path is yours", when=_goes)]
Goers = Annotated[
    tuple[str, ...],
    UnitRef(
        label="Units that go",
        many=True,
        pick=candidates,
        help="empty: all that can",
        when=lambda c: bool(candidates(c)),
        quiet=lambda c: len(candidates(c)) < 2 or not _goes(c),
    ),
]


@rules.action(phase=ATTACK, rule="5.3", label="Retreat", group="book-keeping", order=21)
def retreat(
    game: Game,
    side: Annotated[str, SideRef(label="Side", start=seated, quiet=on_a_phone)],
    ordered: Annotated[int, Whole(label="Hexes ordered", low=1, high=5, quiet=by_combat)],
    fixed: Annotated[bool, Flag(label="In a fixed position", quiet=by_combat)] = False,
    go: Way = "",
    hexes: Annotated[tuple[str, ...], HexId(label="From", many=True, quiet=by_combat)] = (),
    to: Goal = "",
    units: Goers = (),
    in_zones: Annotated[
        int, Whole(label="Hexes in enemy zones, through own units: 1 CEL each", high=5, when=_goes)
    ] = 0,
    starred: Annotated[bool, Flag(label="Used stars", hidden=True)] = False,
    shaken: Annotated[bool, Flag(label="Disorganised if it goes", hidden=True)] = False,
    combat: Annotated[int, Whole(label="Combat", high=10_000_000, hidden=True)] = 0,
    seat: str = "",
) -> Events:
    """Go back some or all of the hexes and pay one CEL for each hex not gone."""
    if seat not in {side, "table"}:
        raise NotYours(
            "the side that falls back chooses", field="side", given=seat, accepted=side, rule="5.3.7"
        )
    gone = int(go or ordered)
    if to and hexes and all(game.maps.distance(h, to) > gone for h in hexes):
        raise Unreadable(f"{to} is more than {gone} hexes away", field="to", given=to, rule="5.3.2")
    price = dict(grammar.retreat_choices(ordered, fixed))[gone]
    going = _who_goes(game, side, hexes, units, combat) if gone else []
    yield from _fall_back(game, going, gone, to, combat)
    yield e.Noted(f"{game.side_name(side)}: back {gone} of {ordered} hexes, pays {price} CEL", rule="5.3.7")
    yield from _doubts(game, side, to)
    stayed = hexes if not to or any(at_hexes(game, side, [h]) for h in hexes) else (to,)
    yield from ask_losses(game, side, price, stayed, "hexes not gone back", "5.3.7", starred)
    yield from ask_losses(game, side, in_zones, (to,) if to else hexes, "through enemy zones", "5.3.4")
    if shaken and gone:
        yield from shake(game, exposed(game, going, direct=True), "combat result")
    tests = grammar.retreat_tests(gone)
    if side == game.active and not game["attacker-tests"]:
        tests = 0
    yield from ask_tests(game, side, tests, f"fell back {gone}", "5.3.9", combat, (to,) if to else hexes)
    if gone:
        yield ask_pursuit(game, game.other(side), hexes, gone, combat)


def _who_goes(game: Game, side: str, hexes: Sequence[str], units: Sequence[str], combat: int) -> list[Unit]:
    """All units that can; guns in firing position stay [6.2.3]."""
    stuck = [game.units[u] for u in units if is_gun(game.units[u]) and not in_transport(game, game.units[u])]
    if stuck:
        raise Unreadable(
            f"{stuck[0].name} is in firing position and cannot fall back", field="units", rule="6.2.4"
        )
    meant = [game.units[u] for u in units] or involved(game, side, combat, hexes)
    return [u for u in meant if not is_gun(u) or in_transport(game, u)]


def _fall_back(game: Game, going: list[Unit], gone: int, to: str, combat: int) -> Events:
    """The counters go where they end; who fell back does not dig in next [5.3.2, 5.3.10]."""
    if going and not to:
        where = ", ".join(sorted({u.place for u in going}))
        raise Unreadable(f"say where the counters at {where} end their retreat", field="to", rule="5.3.2")
    for unit in going:
        yield put_mark(game, unit.id, "retreated", fell_back(gone, combat), rule="5.3.10")
        yield move(game, unit.id, to, reason=f"retreat {gone}", rule="5.3.2")
        yield from stays_shaken(game, unit.id, to)


def _doubts(game: Game, side: str, to: str) -> Events:
    """What looks wrong about the end of a retreat; the board decides [5.3.3, 5.3.6]."""
    if not to:
        return
    others = [u for u in at_hexes(game, side, [to]) if not game.mark(u.id, "retreated")]
    if to in zones(game, game.other(side)) and not others:
        yield e.Noted(f"{to} seems to lie in an enemy zone: no retreat there", rule="5.3.3")
    if sum(u.steps for u in at_hexes(game, side, [to])) > STACKING:
        yield e.Noted(f"{to} holds more than {STACKING} CEL: no retreat may end there", rule="5.3.6")


def _clear_retreats(game: Game) -> Events:
    """A unit may dig in again once its own next movement phase is over [5.3.10]."""
    yield from take_off_own(game, "retreated")


for _phase in MOVE:
    rules.leaving(_phase)(_clear_retreats)
