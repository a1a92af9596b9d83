"""Falling back [12.7]: where a beaten stack may go, what the way costs it, and breaking out [12.73]."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Annotated, Any

from companion.engine.errors import NotNow
from companion.engine.forms.fields import Choice, Context, Dice, HexId, Roll, Whole
from companion.engine.forms.worksheet import Breakdown
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import learn, offer, owe, units_of
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import IN_PASSING, move
from companion.engine.record.game import Game
from companion.systems.kharkov_battles.advances import offer_advance
from companion.systems.kharkov_battles.base import D10, hex_count, read_row, rules
from companion.systems.kharkov_battles.battles import (
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
from companion.systems.kharkov_battles.deeds import names, show, tell
from companion.systems.kharkov_battles.lines import can_trace
from companion.systems.kharkov_battles.losses import eliminate
from companion.systems.kharkov_battles.units import STATIC, is_hq, label, no_infiltration
from companion.systems.kharkov_battles.ways import Way, connected, way_along, ways_back

ELSEWHERE = "map"


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
            yield from show(game, battle, f"{label(unit)} cannot retreat and is lost", "20.1, 27.4")
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
            and ways_back(game, battle, stack, origin, back)[0].tolls
        ):
            yield _offer_breakout(game, battle, stack, BREAKOUT)
        deed = "retreat" if to == side else "move the defenders"
        text = f"{game.side_name(to)}: {deed} from {origin}, {hex_count(back)}"
        yield owe(
            game, to, text, fall_back, battle=battle, step=RETREAT, units=[u.id for u in stack],
            rule="12.72" if to == side else "11.26", origin=origin, back=back, role=letter,
        )  # fmt: skip


def _offer_breakout(game: Game, battle: Battle, stack: Sequence[Unit], step: int) -> e.Asked:
    text = f"{game.side_name(battle.defender)}: try to break out, to lose no step to enemy zones?"
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
        yield from tell(game, battle, f"{who} takes no retreat: no advance", "12.8")
        return
    if not battle.units(side_of(battle, letter)):
        if "extra" not in battle.facts:  # else it was told as it was chosen
            yield from tell(game, battle, f"{who} retreats {hex_count(back)}", "12.7")
        if letter == "D":  # nobody on record can say whether it could
            words = f"{who} may roll for a Breakout where its way leads through enemy zones"
            yield from show(game, battle, words, "12.73")
    battle = yield from learn(game, battle, loser=letter, back=back)
    yield from offer_advance(game, battle)


# -- falling back ------------------------------------------------------------------------------------------


def _stack(ctx: Context) -> list[Unit]:
    """Those of the stack who have not left the hex yet."""
    if ctx.duty is None:
        return []
    return [u for u in units_of(ctx.game, ctx.duty) if u.place == ctx.args.get("origin", u.place)]


def ways(ctx: Context) -> dict[str, Way]:
    """The ways of a stack by what stands for them in its answer: the end hex, or where two lead there the whole path."""
    if ctx.battle is None or not ctx.args.get("origin"):
        return {}
    found: dict[str, Way] = {}
    for way in ways_back(ctx.game, ctx.battle, _stack(ctx), str(ctx.args["origin"]), int(ctx.args["back"])):
        found["-".join(way.path) if way.end in found else way.end] = way
    return found


def _choices(ctx: Context) -> list[tuple[str, str]]:
    return [*((key, way.words) for key, way in ways(ctx).items()), (ELSEWHERE, "Elsewhere, by the map")]


def _told_apart(ctx: Context) -> bool:
    """Whether a card is about a way that the players take on the map: its hexes are asked, not its end."""
    return bool(ctx.args.get("elsewhere"))


def _by_hand(ctx: Context) -> bool:
    return bool(_stack(ctx)) and (_told_apart(ctx) or ctx.values.get("to") == ELSEWHERE)


def _on_the_card(ctx: Context) -> bool:
    """The first card shows its ways as buttons and nothing else."""
    return not _told_apart(ctx) and not _broken_out(ctx)


def _broken_out(ctx: Context) -> bool:
    return ctx.battle is not None and bool(ctx.battle.facts.get("breakout"))


def _prices(ctx: Context) -> bool:
    """The players say the price where a breakout changed it [12.73], or where nobody told each hex of the way."""
    told = ctx.values.get("hex") or ()
    unseen = _by_hand(ctx) and not connected(ctx.game, str(ctx.args.get("origin")), told)
    return unseen or _broken_out(ctx)


def _taken(ctx: Context, to: str, path: Sequence[str]) -> Way | None:
    """The way that was chosen, or told hex by hex."""
    stack = _stack(ctx)
    if to == ELSEWHERE and stack and path:
        return way_along(ctx.game, stack[0].side, str(ctx.args["origin"]), path, int(ctx.args["back"]))
    return ways(ctx).get(to)


def _price(ctx: Context) -> int:
    way = _taken(ctx, str(ctx.values.get("to") or ""), ctx.values.get("hex") or ())
    return len(way.tolls) if way else 0


def _only_way(ctx: Context) -> Mapping[str, Any] | None:
    """Nobody is left in the hex, or there is one way and it costs nothing."""
    if ctx.args.get("origin") and not _stack(ctx):
        return {"to": ELSEWHERE}
    found = {} if _told_apart(ctx) else ways(ctx)
    free = len(found) == 1 and not any(way.tolls for way in found.values())
    return {"to": next(iter(found))} if free and not _prices(ctx) else None


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
    to: Annotated[
        str, Choice(label="To", options=_choices, when=lambda c: bool(_stack(c)) and not _told_apart(c))
    ],
    hex: Annotated[
        tuple[str, ...],
        HexId(
            label="Hexes it enters, in order",
            many=True,
            help="empty: move the counters on the map later",
            when=_by_hand,
            quiet=_on_the_card,
        ),
    ] = (),
    steps: Annotated[
        int | None,
        Whole(
            label="Steps it costs",
            high=9,
            when=_prices,
            quiet=_on_the_card,
            start=_price,
            help="one for each enemy zone entered without a friend in it, one for each hex it cannot go",
        ),
    ] = None,
) -> Events:
    """Move the beaten stack along its way back; it moves as a whole, no hex twice."""
    ctx = Context(game, duty=duty)
    if to == ELSEWHERE and _stack(ctx) and not hex and steps is None:
        yield _ask_way(game, battle, duty)
        return
    stack, way = _stack(ctx), _taken(ctx, ELSEWHERE if _told_apart(ctx) else to, hex)
    for h in way.path if way else ():
        if any(u.side != stack[0].side for u in game.units_at(h)):
            raise NotNow(f"{h} holds enemy units", field="hex", given=h, rule="12.71")
    traced = yield from _walk(game, stack, way) if way else _stays()
    if way:
        paths = {**battle.facts.get("paths", {}), way.origin: list(way.path)}
        battle = yield from learn(game, battle, paths=paths)
        battle = yield from show(game, battle, f"{names(stack)}: back to {way.end}", "12.7")
    battle = yield from _gone(game, battle, way.hexes if way else int(duty.args.get("back", 0)))
    price = len(traced) if steps is None else steps
    if price:
        yield from owe_losses(
            game,
            battle,
            str(duty.args.get("role", "D")),
            price,
            TOLL,
            then="gone",
            units=[u.id for u in stack],
            traced=traced[:price],
        )
    elif not stack:
        yield e.Noted("the retreat is done on the map", rule="12.7")
    yield from _done(game, battle)


def _ask_way(game: Game, battle: Battle, duty: e.Asked) -> e.Asked:
    """The hexes of a way that is none of those offered."""
    args = {**duty.args, "elsewhere": True}
    return owe(
        game, duty.to[0], duty.text, fall_back, battle=battle, step=RETREAT, units=duty.units, rule=duty.rule, **args
    )  # fmt: skip


Traced = Generator[e.Event, None, list[bool | None]]


def _walk(game: Game, stack: Sequence[Unit], way: Way) -> Traced:
    """Along the way, looking in each hex that costs a step whether a supply line reaches it there [16.31]."""
    traced: list[bool | None] = []
    for h in dict.fromkeys(way.tolls):
        for unit in stack:
            if game.units[unit.id].place != h:
                yield move(game, unit.id, h, reason=IN_PASSING, rule="12.73")
        traced += [can_trace(game, game.units[stack[0].id])] * way.tolls.count(h)
    for unit in stack:
        if unit.place != way.end:
            yield e.Placed(unit.id, way.end, was=way.origin, reason="retreat", rule="12.7", side=unit.side)
    return traced


def _stays() -> Traced:
    """Nobody on record moves."""
    return []
    yield


def _gone(game: Game, battle: Battle, back: int) -> Any:
    """How far the beaten went: of several stacks the one that went furthest."""
    return (yield from learn(game, battle, back=max(back, int(battle.facts.get("back", 0)))))


@then("gone")
def _done(game: Game, battle: Battle) -> Events:
    """Once every stack has gone and paid, the victor may follow."""
    unpaid = [d for d in game.duties(battle) if d.step == TOLL and d.action == "take-losses"]
    if unpaid or any(d.action == fall_back.name for d in game.duties(battle)):
        return
    if kind_of(battle) == MOBILE:
        yield from NEXT["move-in"](game, battle)
    else:
        yield from retreated(game, battle, str(battle.facts["loser"]), int(battle.facts.get("back", 0)))


# -- breaking out ------------------------------------------------------------------------------------------


@rules.follow_up(rule="12.73", label="Try to break out")
def breakout(game: Game, battle: Battle, die: Annotated[Roll, Dice(spec=D10, purpose="Breakout")]) -> Events:
    """A defending stack with a unit able to infiltrate tries to break out, to lose no step to enemy zones."""
    title = f"Breakout from {target_of(battle)}" if target_of(battle) else "Breakout"
    sheet = Breakdown(title, column="result", dice=D10, roll=die.total)
    read_row(sheet, game.chart("breakout"), str(sheet.roll))
    yield from rules.settle(game, "breakout", sheet, (battle.defender, "table"), "12.73", battle)


@rules.outcome("breakout")
def breakout_outcome(game: Game, sheet: dict[str, Any], result: str, battle: Battle) -> Events:
    """The table's words are for the players to carry out: they say what the way costs."""
    yield e.Noted(f"{sheet['title']}: {result}", rule="12.73")
    yield from learn(game, battle, breakout=result)
