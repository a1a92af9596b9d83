"""Losses that a combat or a pocket owes [12.61-12.63, 8.4]: all of them taken at once, from whom their owner says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any

from companion.engine.errors import NotNow, Unreadable
from companion.engine.forms.fields import Choice, Context, Flag
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Chance, Events
from companion.engine.play.duties import has_units, learn, owe, units_of
from companion.engine.positions.pieces import count
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.game import Game
from companion.systems.kharkov_battles.base import Objection, rules
from companion.systems.kharkov_battles.battles import (
    LOSSES,
    TOLL,
    VICTOR,
    first_to_lose,
    members,
    side_of,
    waits_for,
)
from companion.systems.kharkov_battles.deeds import loss, show, tell
from companion.systems.kharkov_battles.identity import ask_identity, being_asked
from companion.systems.kharkov_battles.lines import can_trace
from companion.systems.kharkov_battles.losses import destination, hit_by_attrition, lose
from companion.systems.kharkov_battles.units import label, rating, steps_left, steps_seen, supply_state

Step = Callable[[Game, Battle], Events]
NEXT: dict[str, Step] = {}
"""What a battle goes on with once losses are taken."""


def then(name: str) -> Callable[[Step], Step]:
    """Name what may come after losses."""

    def define(fn: Step) -> Step:
        NEXT[name] = fn
        return fn

    return define


def owe_losses(
    game: Game,
    battle: Battle,
    letter: str,
    steps: int,
    step: int,
    *,
    then: str = "",
    units: Iterable[str] = (),
    traced: Iterable[bool | None] = (),
) -> Events:
    """A force must lose steps [12.61]; `then` is what its battle goes on with, `traced` whether a line reached each loss."""
    side = side_of(battle, letter)
    names = list(units) or [u.id for u in members(game, battle, letter)]
    way = " on the way back" if step == TOLL else ""
    text = f"{game.side_name(side)}: lose {count(steps, 'step')}{way}"
    first = step in (LOSSES, VICTOR)
    yield from ask_identity(game, [game.units[n] for n in names if n in game.units], battle, step - 1)
    yield owe(
        game, side, text, take_losses, battle=battle, step=step, units=names, rule="12.61, 12.63",
        side=side, steps=steps, role=letter, first=first, then=then, traced=list(traced),
    )  # fmt: skip


def owe_attrition(game: Game, side: str, steps: int, pocket: str) -> Events:
    """A pocket loses steps of its Isolated units [8.4]."""
    text = f"{game.side_name(side)}: lose {count(steps, 'step')} of the Isolated units in {pocket}"
    units = hit_by_attrition(game, side, pocket)
    yield from ask_identity(game, [game.units[n] for n in units])
    yield owe(game, side, text, take_losses, units=units, rule="8.4", side=side, steps=steps)


def bearers(ctx: Context) -> list[Unit]:
    """Those of the record on whom a loss falls and who are still there."""
    here = units_of(ctx.game, ctx.duty) if ctx.duty else []
    return sorted(here, key=lambda u: (u.place, label(u), u.id))


def _must_be_first(ctx: Context) -> list[Unit]:
    """Of whom the first step must come [12.63]; anybody, where it came already."""
    if ctx.battle is None or not ctx.args.get("first"):
        return bearers(ctx)
    here = {u.id for u in bearers(ctx)}
    first = first_to_lose(ctx.game, ctx.battle, str(ctx.args["role"]))
    return [u for u in first if u.id in here] or bearers(ctx)


def _owed(ctx: Context) -> int:
    """As many steps as there are; those beyond come to nothing."""
    return min(int(ctx.args.get("steps", 0)), sum(steps_seen(ctx.game, u, ctx.seat) for u in bearers(ctx)))


BUTTONS = 6
"""Up to so many ways to take losses each gets a button of its own."""


def _ways(ctx: Context) -> list[dict[str, int]]:
    """The ways to take all losses at once, up to one more than there are buttons for."""
    units, wanted = bearers(ctx), _owed(ctx)
    first = {u.id for u in _must_be_first(ctx)}
    have = {u.id: steps_seen(ctx.game, u, ctx.seat) for u in units}
    found: list[dict[str, int]] = []

    def spread(names: list[str], left: int, way: dict[str, int]) -> None:
        if len(found) > BUTTONS:
            return
        if not left:
            if first & way.keys():
                found.append(way)
            return
        if names:
            head, *rest = names
            for n in range(min(have[head], left), -1, -1):
                spread(rest, left - n, {**way, head: n} if n else way)

    spread([u.id for u in units], wanted, {})
    return found if wanted else []


def _key(way: Mapping[str, int]) -> str:
    return "+".join(f"{name}:{n}" for name, n in way.items())


def _said(ctx: Context, name: str, n: int) -> str:
    """A unit and its loss; with its hex, where another has the same name."""
    unit = ctx.game.units[name]
    alike = [u for u in bearers(ctx) if label(u) == label(unit)]
    return f"{label(unit)}{f' ({unit.place})' if len(alike) > 1 else ''} \u2212{n}"


def _buttons(ctx: Context) -> list[tuple[str, str]]:
    return [(_key(way), ", ".join(_said(ctx, n, k) for n, k in way.items())) for way in _ways(ctx)]


def _chips(ctx: Context) -> list[tuple[str, str]]:
    """Each unit with each number of steps that it could lose."""
    most = _owed(ctx)
    found = []
    for unit in bearers(ctx):
        for n in range(1, min(most, steps_seen(ctx.game, unit, ctx.seat)) + 1):
            found.append((f"{unit.id}:{n}", _said(ctx, unit.id, n)))
    return found


def _few(ctx: Context) -> bool:
    return 0 < len(_ways(ctx)) <= BUTTONS


def _many(ctx: Context) -> bool:
    return len(_ways(ctx)) > BUTTONS


def _asks_line(ctx: Context) -> bool:
    """Whether a supply line decides over the box of somebody who may die, and the map cannot tell [16.31]."""
    return any(
        destination(ctx.game, u, True) != destination(ctx.game, u, False)
        and None in (ctx.args.get("traced") or [can_trace(ctx.game, u)])
        for u in bearers(ctx)
        if steps_seen(ctx.game, u, ctx.seat) <= _owed(ctx)
    )


def _cut_off(ctx: Context) -> bool:
    """What is likely where the map cannot tell: a pocket [8.4], an encircled stack [12.5] has no line to anywhere."""
    battle = ctx.battle
    ringed = battle is not None and battle.facts.get("encircled") and ctx.args.get("role") == "D"
    before = ringed and ctx.args.get("first")  # on the way back they have left the ring
    return bool(before) or any(supply_state(ctx.game, u) for u in bearers(ctx))


def _no_choice(ctx: Context) -> Mapping[str, Any] | None:
    """Nobody on record, or one way only and no line to be judged; but not while results wait [12.23]."""
    if (ctx.battle is not None and waits_for(ctx.game, ctx.battle)) or being_asked(ctx.game, bearers(ctx)):
        return None
    ways = _ways(ctx)
    if not ways:
        return {}
    return {"how": _key(ways[0])} if len(ways) == 1 and not _asks_line(ctx) else None


def waiting(ctx: Context) -> Iterator[Objection]:
    """Results wait while another attack from the same hex is still to be rolled [12.23]."""
    for other in waits_for(ctx.game, ctx.battle) if ctx.battle else ():
        yield Objection(f"the {other.title} comes from the same hex and is not rolled yet", rule="12.23")


def _too_early(ctx: Context) -> Iterator[Objection]:
    """Results wait for another attack [12.23], and for what the counters are [2.7]."""
    yield from waiting(ctx)
    if being_asked(ctx.game, bearers(ctx)):
        yield Objection("type and steps of a counter are still to be told", rule="2.7")


def _on_the_map(game: Game, duty: e.Asked, how: str) -> Events:
    """Whatever was done on the map, the battle goes on."""
    battle = game.battles.get(duty.battle)
    if battle is not None:
        yield from _proceed(game, battle, duty)


def _makes_sense(game: Game, duty: e.Asked) -> bool:
    """A pocket's losses end with its units; a battle goes on without them."""
    return duty.battle in game.battles or has_units(game, duty)


@rules.follow_up(
    rule="12.61-12.63",
    label="Take losses",
    still=_makes_sense,
    alone=_no_choice,
    declined=_on_the_map,
    warns=_too_early,
)
def take_losses(
    game: Game,
    duty: e.Asked,
    battle: Battle | None,
    chance: Chance,
    how: Annotated[str, Choice(label="Who loses", options=_buttons, when=_few)] = "",
    who: Annotated[tuple[str, ...], Choice(label="Who loses", options=_chips, many=True, when=_many)] = (),
    no_line: Annotated[
        bool,
        Flag(
            label="The lost have no supply line", when=_asks_line, start=_cut_off, help="they never come back"
        ),
    ] = False,
    seat: str = "",
) -> Events:
    """Take all steps at once, from whom their owner says; the first from one who fought."""
    ctx = Context(game, seat, duty=duty)
    side, steps = str(duty.args["side"]), int(duty.args["steps"])
    way = _chosen(ctx, how, who)
    if not way:
        yield from _on_the_board(game, battle, duty, f"{game.side_name(side)} loses {count(steps, 'step')}")
    taken, on_the_way = 0, list(duty.args.get("traced") or ())
    for name, n in way.items():
        unit = game.units[name]
        before = steps_left(game, unit)
        taken += min(n, before)
        judged = on_the_way[taken - 1 : taken]  # where its last step fell [16.31]
        traced = judged[0] if judged else can_trace(game, unit)
        yield from lose(game, unit, n, not no_line if traced is None else traced, chance, "step loss")
        if rating(game, unit) and before - n == 2:  # the chit turned in secret; that a step went is seen
            yield e.Noted(f"{game.side_name(side)}: {count(n, 'step')} taken", rule="12.61")
        if battle is not None:
            battle = yield from show(game, battle, loss(game, name, min(n, before)), "12.61")
    if battle is None:
        return
    lost = {**battle.facts.get("lost", {})}
    lost[str(duty.args["role"])] = lost.get(str(duty.args["role"]), 0) + taken
    battle = yield from learn(game, battle, lost=lost)
    if way and taken < steps and bearers(ctx):  # a chit that the table could not see was a reduced one
        rest = {**duty.args, "steps": steps - taken, "first": False}
        yield owe(
            game, side, f"{game.side_name(side)}: {count(steps - taken, 'step')} more to lose", take_losses,
            battle=battle, step=duty.step, units=duty.units, rule=duty.rule, **rest,
        )  # fmt: skip
    else:
        yield from _proceed(game, battle, duty)


def _on_the_board(game: Game, battle: Battle | None, duty: e.Asked, words: str) -> Events:
    """Nobody on record bears it; what the loser chose to do is told with his choice [12.62]."""
    if battle is not None and battle.facts.get("loser") != duty.args.get("role"):
        yield from tell(game, battle, words, "12.61")
    elif battle is None:
        yield e.Noted(f"{words} on the board", rule="8.4")


def _chosen(ctx: Context, how: str, who: tuple[str, ...]) -> dict[str, int]:
    """Who loses how many steps, as it was said."""
    if not _ways(ctx):
        return {}
    way: dict[str, int] = {}
    for part in [*(how.split("+") if how else ()), *who]:
        name, _, n = part.rpartition(":")
        way[name] = max(way.get(name, 0), int(n))
    wanted = _owed(ctx)
    if sum(way.values()) != wanted:
        words = f"choose {count(wanted, 'step')}: {sum(way.values())} chosen"
        raise Unreadable(words, field="who" if _many(ctx) else "how", given=sum(way.values()), rule="12.61")
    first = _must_be_first(ctx)
    if not way.keys() & {u.id for u in first}:
        words = f"the first step comes from {' or '.join(label(u) for u in first)}"
        raise NotNow(words, field="who", given=", ".join(way), rule="12.63")
    return way


def _proceed(game: Game, battle: Battle, duty: e.Asked) -> Events:
    """What comes after these losses, as the one who owed them said."""
    go_on = NEXT.get(str(duty.args.get("then") or ""))
    if go_on is not None:
        yield from go_on(game, battle)
