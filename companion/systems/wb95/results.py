"""What a combat result asks of each side: losses, retreat or its price, pursuit, tests [5.3, 5.4, 5.6]."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import NotNow, NotYours, Unreadable
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Choice, Context, Flag, HexId, SideRef, UnitRef, Whole
from companion.engine.play.worksheet import Breakdown, Line
from companion.engine.record import events as e
from companion.engine.record.changes import BY_SEQUENCE, move, put_mark
from companion.engine.record.game import Game
from companion.systems.wb95 import airmarks, grammar, oos
from companion.systems.wb95.base import (
    ATTACK,
    STACKING,
    at_hexes,
    by_combat,
    fought_in,
    in_transport,
    is_gun,
    is_hq,
    is_regular,
    is_towed,
    next_combat,
    on_a_phone,
    own,
    rules,
    seated,
    touchable,
)
from companion.systems.wb95.combat_form import EnemyHexes
from companion.systems.wb95.losses import ask_losses, remove
from companion.systems.wb95.shaken import ask_tests, disturb, exposed, involved, shake, stays_shaken
from companion.systems.wb95.zones import zones


def _closed(game: Game) -> bool | str:
    return bool(game["fog"]) or "stacks lie open at this table: resolve the combat"


@rules.action(phase=ATTACK, by="active", rule="16.1.3", label="Declare an attack", order=5, when=_closed)
def declare_attack(
    game: Game,
    target: Annotated[tuple[str, ...], EnemyHexes(label="Defending hexes", many=True)],
) -> Events:
    """Name the hexes of the next combat: their stacks lie open until the phase is over."""
    for hex_id in target:
        yield e.Marked(hex_id, "attacked", True, reason="attack declared", rule="16.1.3")


def begin(
    game: Game,
    sheet: Breakdown,
    target: Sequence[str],
    attackers: Sequence[str],
    guns: Sequence[str],
    pay: Sequence[str],
) -> Events:
    """Book who fights: once a phase [5.1.1], paid levels at once [10.2.5], support flown, rest disturbed."""
    number = next_combat(game)
    sheet.facts["combat"] = number
    for unit in (*attackers, *guns):
        if game.mark(unit, "fought"):
            raise Unreadable(
                f"{game.units[unit].name} has fought in this phase [5.1.1]", field="attackers", given=unit
            )
    for unit in attackers:
        yield put_mark(game, unit, "fought", f"combat {number}", rule="5.1.1")
    for unit in guns:
        # 6.3.4, 6.3.5: guns suffer results only beside the enemy.
        place = game.units[unit].place
        beside = any(game.maps.distance(place, h) <= 1 for h in target)
        yield put_mark(
            game,
            unit,
            "fought",
            f"combat {number}" if beside else "support",
            rule="6.3.5" if beside else "6.3.4",
        )
    for hex_id in target:
        if not game.mark(hex_id, "attacked"):
            yield e.Marked(hex_id, "attacked", True, rule="5.1.4")
    for unit in pay:
        yield from oos.raise_level(game, unit, 1, "full attack", "10.2.3")
    side = game.active
    yield from disturb(game, [game.units[u] for u in attackers])
    yield from disturb(game, at_hexes(game, game.other(side), target))
    places = {*target, *(game.units[u].place for u in attackers)}
    yield from airmarks.use_up(game, side, "support", places)
    yield from airmarks.use_up(game, game.other(side), "defence", places)
    if sheet.result:
        shares = grammar.combat(sheet.result)
        sheet.effects = [
            Line(game.side_name(side), shares[0].words(), "tables"),
            Line(game.side_name(game.other(side)), shares[1].words(), "tables"),
        ]


@rules.outcome("combat")
def combat_outcome(game: Game, sheet: dict[str, Any], result: str) -> Events:
    """Losses first, then retreats, then pursuit; tests come last [5.2.1]."""
    attack, defence = grammar.combat(result)
    facts = sheet.get("facts", {})
    side = str(facts.get("attacker") or game.active)
    other = game.other(side)
    hexes, origin = list(facts.get("hexes", ())), list(facts.get("from", ()))
    number = int(facts.get("combat", 0))
    mine = [u for u in own(game, side) if number and number in fought_in(game, u.id)]
    theirs = at_hexes(game, other, hexes)
    yield from oos.after_combat(game, mine, theirs, defence.retreat > 0)
    parts = (
        (side, attack, origin, bool(facts.get("attack_stars")), False, mine),
        (other, defence, hexes, bool(facts.get("defence_stars")), bool(facts.get("fp")), theirs),
    )
    for who, share, where, starred, _, _ in parts:
        yield from ask_losses(game, who, share.loss, where, f"result {result}", "5.2.1", starred)
    for who, share, where, starred, fixed, _ in parts:
        if share.retreat and who == other and facts.get("helpless"):
            yield from ask_losses(
                game, who, share.retreat, where, "cannot fall back", "5.1.9, 6.6.4", starred
            )
        elif share.retreat:
            yield _ask_retreat(game, who, share, where, starred, fixed, number)
    for _who, share, _where, _, _, units in parts:
        if share.disorganised and (not share.retreat or game["bought-off"]):
            yield from shake(game, exposed(game, units, direct=True), f"result {result}")
    if attack.test:
        yield from ask_tests(game, side, 1, f"result {result}", "5.6.1", number, origin)


def _ask_retreat(
    game: Game, side: str, share: grammar.Part, hexes: list[str], starred: bool, fixed: bool, combat: int
) -> e.Asked:
    where = f" from {', '.join(hexes)}" if hexes else ""
    pay = "" if not fixed else ", the first free in a fixed position"
    text = f"{game.side_name(side)}: fall back {share.retreat}{where}, or pay 1 CEL a hex{pay}"
    args: dict[str, Any] = {"side": side, "ordered": share.retreat, "hexes": hexes, "combat": combat}
    args |= {"fixed": fixed, "starred": starred, "shaken": share.disorganised and not game["bought-off"]}
    return e.Asked(f"retreat-{game.revision}", (side, "table"), text, "retreat", args, rule="5.3.7")


def _retreaters(ctx: Context) -> list[Unit]:
    side, hexes = ctx.values.get("side"), ctx.values.get("hexes")
    return [u for u in touchable(ctx) if (not side or u.side == side) and (not hexes or u.place in hexes)]


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
        if game is None or side not in game.sides or not hexes:
            return known
        gone = int(ctx.values.get("go") or ctx.values.get("ordered") or 1)
        closed = {u.place for u in own(game, game.other(side))}
        found = {h for start in hexes for h in game.maps.grid_of(start).ring(start, gone)} - closed
        return {**known, "choices": [{"value": h, "label": h} for h in sorted(found)]}


@rules.action(phase=ATTACK, rule="5.3", label="Retreat", group="book-keeping", order=21)
def retreat(
    game: Game,
    side: Annotated[str, SideRef(label="Side", start=seated, quiet=on_a_phone)],
    ordered: Annotated[int, Whole(label="Hexes ordered", low=1, high=5, quiet=by_combat)],
    fixed: Annotated[bool, Flag(label="In a fixed position", quiet=by_combat)] = False,
    go: Annotated[
        str, Choice(label="You go", options=_ways, start=lambda c: str(c.values.get("ordered") or ""))
    ] = "",
    hexes: Annotated[tuple[str, ...], HexId(label="From", many=True, quiet=by_combat)] = (),
    to: Annotated[
        str, WayBack(label="To hex", help="where the counters end; the path is yours", when=_goes)
    ] = "",
    units: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Units that go",
            many=True,
            pick=_retreaters,
            help="empty: all that can",
            when=lambda c: bool(_retreaters(c)),
            quiet=lambda c: len(_retreaters(c)) < 2 or not _goes(c),
        ),
    ] = (),
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
        raise NotYours("the side that falls back chooses", field="side", given=seat, accepted=side)
    gone = int(go or ordered)
    if to and hexes and all(game.maps.distance(h, to) > gone for h in hexes):
        raise Unreadable(f"{to} is more than {gone} hexes away [5.3.2]", field="to", given=to)
    price = dict(grammar.retreat_choices(ordered, fixed))[gone]
    going = _who_goes(game, side, hexes, units, combat) if gone else []
    if going and not to:
        where = ", ".join(sorted({u.place for u in going}))
        raise Unreadable(f"say where the counters at {where} end their retreat", field="to")
    for unit in going:
        value = f"{gone} in combat {combat}" if combat else str(gone)
        yield put_mark(game, unit.id, "retreated", value, rule="5.3.10")
        if to:
            yield move(game, unit.id, to, reason=f"retreat {gone}", rule="5.3.2")
            yield from stays_shaken(game, unit.id, to)
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
        other = game.other(side)
        where = f" into {' or '.join(hexes)}, then on" if hexes else ""
        text = f"{game.side_name(other)}: may pursue{where}, up to {gone} hex{'es' if gone > 1 else ''}"
        args = {"side": other, "through": list(hexes), "limit": gone, "combat": combat}
        yield e.Asked(f"pursuit-{game.revision}", (other, "table"), text, "pursue", args, rule="5.4")


def _doubts(game: Game, side: str, to: str) -> Events:
    """What looks wrong about the end of a retreat; the board decides."""
    if not to:
        return
    others = [u for u in at_hexes(game, side, [to]) if not game.mark(u.id, "retreated")]
    if to in zones(game, game.other(side)) and not others:
        yield e.Noted(f"{to} seems to lie in an enemy zone: no retreat there", rule="5.3.3")
    if sum(u.steps for u in at_hexes(game, side, [to])) > STACKING:
        yield e.Noted(f"{to} holds more than {STACKING} CEL: no retreat may end there", rule="5.3.6")


def _who_goes(game: Game, side: str, hexes: Sequence[str], units: Sequence[str], combat: int) -> list[Unit]:
    """All units that can; guns in firing position stay [6.2.3], so does a headquarters alone [5.1.9]."""
    stuck = [game.units[u] for u in units if is_gun(game.units[u]) and not in_transport(game, game.units[u])]
    if stuck:
        raise Unreadable(f"{stuck[0].name} is in firing position and cannot fall back [6.2.4]", field="units")
    meant = [game.units[u] for u in units] or involved(game, side, combat, hexes)
    return [u for u in meant if not is_gun(u) or in_transport(game, u)]


def _pursuers(ctx: Context) -> list[Unit]:
    return [u for u in touchable(ctx) if not is_towed(u)]


def _victors(ctx: Context) -> list[Unit]:
    """Those beside the hexes that were left; all of the side when none is named."""
    game, hexes, side = ctx.game, ctx.values.get("through") or (), ctx.values.get("side")
    able = [u for u in _pursuers(ctx) if not is_hq(u) and (not side or u.side == side)]
    number = int(ctx.values.get("combat") or 0)
    if game and number:
        able = [u for u in able if number in fought_in(game, u.id)]
    return [
        u for u in able if not hexes or (game and any(game.maps.distance(u.place, h) <= 1 for h in hexes))
    ]


def _emptied(ctx: Context) -> str:
    """The hex that was left, where there is just one."""
    hexes = list(ctx.values.get("through") or ())
    return str(hexes[0]) if len(hexes) == 1 else ""


@rules.action(phase=ATTACK, rule="5.4", label="Pursue", group="book-keeping", order=22)
def pursue(
    game: Game,
    side: Annotated[str, SideRef(label="Side", start=seated, quiet=on_a_phone)],
    units: Annotated[
        tuple[str, ...], UnitRef(label="Pursuing units", many=True, pick=_pursuers, suggest=_victors)
    ] = (),
    to: Annotated[str, HexId(label="Ending in", start=_emptied)] = "",
    through: Annotated[tuple[str, ...], HexId(label="Hexes entered", many=True)] = (),
    limit: Annotated[int, Whole(label="At most hexes", low=1, high=5, quiet=by_combat)] = 5,
    combat: Annotated[int, Whole(label="Combat", high=10_000_000, hidden=True)] = 0,
    seat: str = "",
) -> Events:
    """Follow the beaten side; guns and headquarters left alone in hexes that are entered are lost."""
    if seat not in {side, "table"}:
        raise NotYours("the pursuer chooses", field="side", given=seat, accepted=side)
    wrong = [game.units[u].name for u in units if game.units[u].side != side]
    if wrong:
        raise Unreadable(f"{wrong[0]} is not of this side", field="units")
    far = [u for u in units if to and game.maps.distance(game.units[u].place, to) > limit]
    if far:
        raise Unreadable(
            f"{game.units[far[0]].name} would go more than {limit} hexes [5.4.6]", field="to", given=to
        )
    for unit in units:
        if to:
            yield move(game, unit, to, reason="pursuit", rule="5.4")
    entered = [*through, *([to] if to else [])] if units else []
    yield from overrun(game, game.other(side), entered)


def overrun(game: Game, victim: str, hexes: Iterable[str]) -> Events:
    """Guns and headquarters without a regular unit die when the enemy enters [6.1.7, 9.1.5]."""
    for hex_id in dict.fromkeys(hexes):
        here = at_hexes(game, victim, [hex_id])
        if here and not any(is_regular(u) for u in here):
            for unit in here:
                rule = "9.1.5" if is_hq(unit) else "6.1.7"
                yield from remove(game, unit.id, "overrun", rule)


def _unfinished(game: Game) -> Events:
    """A combat phase ends when losses and retreats are dealt with, or put away."""
    for ask in game.asked.values():
        if ask.action in {"lose-cel", "retreat", "enter-result"}:
            raise NotNow(f"still to do before the phase ends, or to put away: {ask.text}", given=ask.id)
    yield from ()


for _phase in ATTACK:
    rules.leaving(_phase)(_unfinished)


def _clear_retreats(game: Game) -> Events:
    """A unit may dig in again once its own next movement phase is over [5.3.10]."""
    for target in list(game.marked("retreated")):
        if target in game.units and game.units[target].side == game.active:
            yield put_mark(game, target, "retreated", None, reason=BY_SEQUENCE)


rules.leaving("move-a")(_clear_retreats)
rules.leaving("move-b")(_clear_retreats)
