"""Falling back [12.7]: where a beaten stack may go, what the way costs it, and breaking out [12.73]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import NotNow
from companion.engine.forms.fields import Choice, Context, Dice, HexId, Roll, Whole
from companion.engine.forms.worksheet import Breakdown
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import learn, offer, owe, units_of
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import move
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import ground
from companion.systems.kharkov_battles.advances import offer_advance
from companion.systems.kharkov_battles.base import D10, hex_count, read_row, rules
from companion.systems.kharkov_battles.battles import (
    ADVANCE,
    BREAKOUT,
    MOBILE,
    RETREAT,
    TOLL,
    kind_of,
    members,
    side_of,
    target_of,
)
from companion.systems.kharkov_battles.casualties import NEXT, owe_losses, then
from companion.systems.kharkov_battles.losses import eliminate
from companion.systems.kharkov_battles.units import STATIC, is_hq, no_infiltration

ELSEWHERE = "map"


# -- where to ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Refuge:
    """A hex where a retreat may end."""

    hex: str
    hexes: int
    """How far it is by the way taken."""
    steps: int
    """What the way costs: enemy zones entered, and hexes that it cannot go [12.71, 12.73]."""

    @property
    def words(self) -> str:
        there = self.hex if self.hexes else f"Stays in {self.hex}"
        return f"{there}, lose {self.steps}" if self.steps else there


def refuges(game: Game, battle: Battle, force: Sequence[Unit], origin: str, back: int) -> list[Refuge]:
    """Where a stack may end: the cheapest ways, as far as can be from who attacked it [12.71-12.73]."""
    if not force:
        return []
    side = force[0].side
    enemy = game.other(side)
    enemies, friends = ground.stacks(game, enemy), ground.stacks(game, side)
    controlled = {h for h in ground.zones(game, enemy, combat=True) if h not in friends}  # [7.32]

    def shut(a: str, b: str) -> bool:
        return b in enemies or ground.river(game, a, b) == "barred" or ground.out_of_play(game, b)

    def walk(path: tuple[str, ...], cost: int, left: int, found: dict[str, int]) -> None:
        if not left:
            found[path[-1]] = min(cost, found.get(path[-1], cost))
            return
        for h in ground.grid_at(game, path[-1]).neighbours(path[-1]):
            if h not in path and not shut(path[-1], h):
                walk((*path, h), cost + (h in controlled), left - 1, found)

    for length in range(back, 0, -1):
        ends: dict[str, int] = {}
        walk((origin,), 0, length, ends)
        if ends:
            return _farthest(game, battle, enemy, ends, length, back - length)
    return [Refuge(origin, 0, back)]


def _farthest(
    game: Game, battle: Battle, enemy: str, ends: Mapping[str, int], length: int, short: int
) -> list[Refuge]:
    cheapest = min(ends.values())
    foes = [u.place for u in members(game, battle, "A" if enemy == battle.attacker else "D")]

    def away(hex_id: str) -> int:
        found = [d for f in foes if (d := ground.distance(game, hex_id, f)) is not None]
        return min(found, default=0)

    best = [h for h, cost in ends.items() if cost == cheapest]
    far = max(map(away, best))
    return [Refuge(h, length, cheapest + short) for h in sorted(best) if away(h) == far]


# -- beginning ---------------------------------------------------------------------------------------------


@then("retreat")
def begin_retreat(game: Game, battle: Battle) -> Events:
    """The loser's losses are taken: who is left falls back, stack by stack [12.72]; who never moves dies [20.1, 27.4]."""
    letter = str(battle.facts["loser"])
    back = _obligation(game, battle, letter)
    left = [u for u in members(game, battle, letter) if u.steps]
    if back and left:
        yield from drive(game, battle, letter, left, back, side_of(battle, letter))
    else:
        yield from retreated(game, battle, letter, back)


def _obligation(game: Game, battle: Battle, letter: str) -> int:
    """Hexes left to go; when nobody is left, what the steps lost did not pay for [12.81]."""
    facts = battle.facts
    paid = int(facts.get("extra", 0))
    if battle.units(side_of(battle, letter)) and not members(game, battle, letter):
        paid = min(paid, max(0, int(facts.get("lost", {}).get(letter, 0)) - int(facts.get("mandatory", 0))))
    return int(facts.get("retreat", 0)) - paid


def drive(game: Game, battle: Battle, letter: str, force: Sequence[Unit], back: int, to: str) -> Events:
    """Ask where each stack goes: its owner, or after a Mobile Assault the attacker [11.26, 12.72]."""
    side = side_of(battle, letter)
    yield from learn(game, battle, vacated=sorted({u.place for u in force}), loser=letter)
    for unit in force:
        if unit.kind in STATIC:
            yield from eliminate(game, unit, True, "cannot retreat")
    stacks: dict[str, list[Unit]] = {}
    for unit in force:
        if unit.kind not in STATIC:
            stacks.setdefault(unit.place, []).append(unit)
    if not stacks:
        yield from _done(game, battle)
    for origin, stack in stacks.items():
        if (
            letter == "D"
            and _may_break_out(game, stack)
            and refuges(game, battle, stack, origin, back)[0].steps
        ):
            yield _offer_breakout(game, battle, stack, BREAKOUT)
        deed = "retreat" if to == side else "move the defenders"
        text = f"{game.side_name(to)}: {deed} from {origin}, {hex_count(back)}"
        yield owe(
            game, to, text, fall_back, battle=battle, step=RETREAT, units=[u.id for u in stack],
            rule="12.72" if to == side else "11.26", origin=origin, back=back, role=letter,
        )  # fmt: skip


def _offer_breakout(game: Game, battle: Battle, stack: Sequence[Unit], step: int) -> e.Asked:
    text = f"{game.side_name(battle.defender)}: try to break out instead of paying for enemy zones?"
    return offer(
        game,
        battle.defender,
        text,
        "breakout",
        battle=battle,
        step=step,
        units=[u.id for u in stack],
        rule="12.73",
    )


def _may_break_out(game: Game, stack: Sequence[Unit]) -> bool:
    return any(not no_infiltration(game, u) for u in stack if not is_hq(u))


def retreated(game: Game, battle: Battle, letter: str, back: int) -> Events:
    """The retreat is over, on record or on the map: the victor may follow as far [12.8, 12.81]."""
    who = game.side_name(side_of(battle, letter))
    if not back:
        yield e.Noted(f"{who} takes no retreat: no advance", rule="12.8")
        return
    if not battle.units(side_of(battle, letter)):
        yield e.Noted(f"{who} retreats {hex_count(back)}", rule="12.7")
        if letter == "D":  # nobody on record can say whether it could
            yield _offer_breakout(game, battle, (), ADVANCE)
    battle = yield from learn(game, battle, loser=letter, back=back)
    yield from offer_advance(game, battle)


# -- falling back ------------------------------------------------------------------------------------------


def _stack(ctx: Context) -> list[Unit]:
    """Those of the stack who have not left the hex yet."""
    if ctx.duty is None:
        return []
    return [u for u in units_of(ctx.game, ctx.duty) if u.place == ctx.args.get("origin", u.place)]


def ways(ctx: Context) -> list[Refuge]:
    if ctx.battle is None or not ctx.args.get("origin"):
        return []
    return refuges(ctx.game, ctx.battle, _stack(ctx), str(ctx.args["origin"]), int(ctx.args["back"]))


def _choices(ctx: Context) -> list[tuple[str, str]]:
    return [*((r.hex, r.words) for r in ways(ctx)), (ELSEWHERE, "Elsewhere, by the map")]


def _by_hand(ctx: Context) -> bool:
    return bool(_stack(ctx)) and ctx.values.get("to") == ELSEWHERE


def _prices(ctx: Context) -> bool:
    """The way's price is said by the players: they know a way of their own, or a breakout changed it [12.73]."""
    return _by_hand(ctx) or (ctx.battle is not None and bool(ctx.battle.facts.get("breakout")))


def _price(ctx: Context) -> int:
    return next((r.steps for r in ways(ctx) if r.hex == ctx.values.get("to")), 0)


def _only_way(ctx: Context) -> Mapping[str, Any] | None:
    """Nobody is left in the hex, or there is one way and it costs nothing."""
    if ctx.args.get("origin") and not _stack(ctx):
        return {"to": ELSEWHERE}
    found = ways(ctx)
    free = len(found) == 1 and not found[0].steps and bool(found[0].hexes)
    return {"to": found[0].hex} if free and not _prices(ctx) else None


def _on_the_map(game: Game, duty: e.Asked, how: str) -> Events:
    battle = game.battles.get(duty.battle)
    if battle is not None:
        yield from _done(game, (yield from _gone(game, battle, int(duty.args.get("back", 0)))))


@rules.follow_up(
    rule="12.7",
    label="Retreat",
    still=lambda game, duty: duty.battle in game.battles,
    alone=_only_way,
    declined=_on_the_map,
)
def fall_back(
    game: Game,
    duty: e.Asked,
    battle: Battle,
    to: Annotated[str, Choice(label="To", options=_choices, when=lambda c: bool(_stack(c)))],
    hex: Annotated[
        str, HexId(label="To hex", help="empty: move the counters on the map later", when=_by_hand)
    ] = "",
    steps: Annotated[
        int,
        Whole(
            label="Steps it costs",
            high=9,
            when=_prices,
            start=_price,
            help="one for each enemy zone entered without a friend in it, one for each hex it cannot go",
        ),
    ] = 0,
) -> Events:
    """Move the beaten stack to where its retreat ends; it moves as a whole, no hex twice."""
    ctx = Context(game, duty=duty)
    stack, back = _stack(ctx), int(duty.args.get("back", 0))
    chosen = next((r for r in ways(ctx) if r.hex == to), None)
    there = hex if to == ELSEWHERE else to
    if there and any(u.side != stack[0].side for u in game.units_at(there)):
        raise NotNow(f"{there} holds enemy units", field="hex", given=there, rule="12.71")
    gone = chosen.hexes if chosen else back
    price = chosen.steps if chosen and not battle.facts.get("breakout") else steps
    for unit in stack if there else ():
        if unit.place != there:
            yield move(game, unit.id, there, reason="retreat", rule="12.7")
    battle = yield from _gone(game, battle, gone)
    if price:
        names = [u.id for u in stack]
        yield from owe_losses(
            game, battle, str(duty.args.get("role", "D")), price, TOLL, then="gone", units=names
        )
    elif not stack:
        yield e.Noted("the retreat is done on the map", rule="12.7")
    yield from _done(game, battle)


def _gone(game: Game, battle: Battle, back: int) -> Any:
    """How far the beaten went: of several stacks the one that went furthest."""
    return (yield from learn(game, battle, back=max(back, int(battle.facts.get("back", 0)))))


@then("gone")
def _done(game: Game, battle: Battle) -> Events:
    """Once every stack has gone and paid, the victor may follow."""
    if any(d.action == fall_back.name or d.step == TOLL for d in game.duties(battle)):
        return
    if kind_of(battle) == MOBILE:
        yield from NEXT["move-in"](game, battle)
    else:
        yield from retreated(game, battle, str(battle.facts["loser"]), int(battle.facts.get("back", 0)))


# -- breaking out ------------------------------------------------------------------------------------------


@rules.follow_up(rule="12.73", label="Try to break out")
def breakout(game: Game, battle: Battle, die: Annotated[Roll, Dice(spec=D10, purpose="Breakout")]) -> Events:
    """A defending stack with a unit able to infiltrate tries to break out instead of paying for enemy zones."""
    title = f"Breakout from {target_of(battle)}" if target_of(battle) else "Breakout"
    sheet = Breakdown(title, column="result", dice=D10, roll=die.total)
    read_row(sheet, game.chart("breakout"), str(sheet.roll))
    yield from rules.settle(game, "breakout", sheet, (battle.defender, "table"), "12.73", battle)


@rules.outcome("breakout")
def breakout_outcome(game: Game, sheet: dict[str, Any], result: str, battle: Battle) -> Events:
    """The table's words are for the players to carry out: they say what the way costs."""
    yield e.Noted(f"{sheet['title']}: {result}", rule="12.73")
    yield from learn(game, battle, breakout=result)
