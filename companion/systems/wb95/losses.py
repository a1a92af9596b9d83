"""Losses: combat efficiency levels go, units leave the map, and who may choose [1.2, 5.1.8]."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, UnitRef, Whole
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import has_units, learn, owe, units_of
from companion.engine.positions import pieces
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import change, fogged
from companion.engine.record.game import Game
from companion.engine.record.sight import seen_units
from companion.systems.wb95.base import ATTACK, LOSSES, is_hq, rules, somebody_there, touchable
from companion.systems.wb95.hq import open_pool
from companion.systems.wb95.strength import label
from companion.systems.wb95.telling import came_of

HELD, EMPTY = "held", "empty"


def remove(game: Game, unit: str, reason: str, rule: str = "") -> Events:
    """A unit leaves the game with its markers; a headquarters gives the enemy its shifts [9.1.6]."""
    held = game.units[unit]
    place, on_map = held.place, held.on_map
    yield from pieces.eliminate(game, held, "dead", reason, rule)
    if is_hq(held) and on_map:
        yield from open_pool(game, held.side, place)


def take_level(game: Game, unit: str, amount: int, reason: str, rule: str = "") -> Events:
    """A unit loses so many CEL; the last one eliminates it [1.2].

    Its reverse is weaker: how weak is asked when it fights next.
    """
    held = game.units[unit]
    left = held.steps - amount
    if left > 0:
        other = {name: value for name, value in held.factors.items() if name not in ("A", "D")}
        facts = {"steps": left, "factors": other}
        # Only stacks that fight may be looked into [16.1.3]; losses on the march stay under cover.
        yield change(game, unit, facts, reason=reason, rule=rule, public=game.phase in ATTACK)
    else:
        yield from remove(game, unit, reason, rule)


def fallen(game: Game, unit: Unit, amount: int) -> str:
    """Who loses how much, as everybody may read it."""
    gone = ", destroyed" if unit.steps <= amount else ""
    return f"{label(game, unit)}{f' {amount}' if amount > 1 and not gone else ''}{gone}"


def shares(units: list[Unit], cel: int) -> dict[str, int]:
    """CEL dealt round the units one by one until all are dealt or none is left; the owner names them [5.1.8]."""
    taken = {u.id: 0 for u in units}
    left = cel
    while left and any(taken[u.id] < u.steps for u in units):
        for unit in units:
            if left and taken[unit.id] < unit.steps:
                taken[unit.id] += 1
                left -= 1
    return {unit: amount for unit, amount in taken.items() if amount}


# -- what is owed ----------------------------------------------------------------------------------


def owe_losses(
    game: Game,
    side: str,
    amount: int,
    units: Iterable[str],
    why: str,
    rule: str,
    battle: Battle | None = None,
    step: int = LOSSES,
    hexes: Iterable[str] = (),
    *,
    closed: bool = False,
) -> Events:
    """The owner chooses who takes losses [5.1.8].

    :param closed: the stack was not opened by a combat, so that nobody else learns who stands there [16.1.1]
    """
    if not amount:
        return
    ids = list(units)
    only = fogged(game, side) if closed and ids else ()
    where = ", ".join(hexes)
    text = f"{game.side_name(side)}: lose {amount} CEL{f' at {where}' if where else ''} ({why})"
    if battle is not None and _stars_owed(game, battle, side):
        text += "; at least 1 from units that used a star or fortification bonus"
    yield owe(
        game,
        side,
        text,
        take_losses,
        battle=battle,
        step=step,
        units=ids,
        rule=rule,
        only=only,
        cel=amount,
        why=why,
    )


def _stars_owed(game: Game, battle: Battle, side: str) -> bool:
    """Whether those who used a star have not shared a loss yet [15.1.7, 15.4.3]."""
    used = battle.facts.get("starred", {}).get(side)
    return bool(used) and side not in battle.facts.get("star_paid", ())


def _takers(ctx: Context) -> list[Unit]:
    return units_of(ctx.game, ctx.duty) if ctx.duty else []


def _cel(ctx: Context) -> int:
    return int(ctx.args.get("cel") or 0)


def _chooses(ctx: Context) -> bool:
    """Whether it makes a difference who is named."""
    force = _takers(ctx)
    return len(force) > 1 and sum(u.steps for u in force) > _cel(ctx)


def _asks_whether_empty(ctx: Context) -> bool:
    """Of an assaulted hex without units on record only its owner knows whether anybody is left [5.4.10]."""
    battle = ctx.battle
    if battle is None or ctx.duty is None or battle.facts.get("kind") != "combat":
        return False
    return battle.defender in ctx.duty.to and not battle.units(battle.defender)


def _hex_states(ctx: Context) -> list[tuple[str, str]]:
    where = ", ".join(ctx.battle.hexes) if ctx.battle and ctx.battle.hexes else "the hex"
    lost = f"Lose {_cel(ctx)} CEL"
    return [(HELD, f"{lost}, {where} is held"), (EMPTY, f"{lost}, {where} is empty now")]


def _no_choice(ctx: Context) -> Mapping[str, Any] | None:
    return None if _chooses(ctx) or _asks_whether_empty(ctx) else {}


@rules.follow_up(rule="5.1.8", label="Lose CEL", still=has_units, alone=_no_choice)
def take_losses(
    game: Game,
    duty: e.Asked,
    battle: Battle | None,
    units: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Taken by", many=True, pick=_takers, when=_chooses, help="each loses one, then round again"
        ),
    ] = (),
    hex_is: Annotated[str, Choice(label="The hex", options=_hex_states, when=_asks_whether_empty)] = HELD,
    seat: str = "",
) -> Events:
    """Take CEL off units as their owner chooses; each named unit loses one, then round again."""
    cel, why = int(duty.args["cel"]), str(duty.args["why"])
    force = units_of(game, duty)
    side = next(s for s in duty.to if s in game.sides)
    chosen = [game.units[u] for u in units] or force
    _check_choice(game, seat, force, chosen if units else [], cel)
    if battle is not None:
        yield from _share_of_stars(game, battle, side, force, chosen)
    taken = shares(chosen, cel)
    if not force:
        yield came_of(battle, f"{game.side_name(side)} loses {cel} CEL ({why})", "5.1.8")
    elif battle is not None:
        # Of a stack that no combat opened nobody else learns who stood there [16.1.1].
        who = [] if duty.only else [fallen(game, game.units[u], n) for u, n in taken.items()]
        names = f": {', '.join(who)}" if who else ""
        words = f"{game.side_name(side)} loses {sum(taken.values())} CEL{names}"
        yield came_of(battle, words, "5.1.8", told=True)
    for unit, amount in taken.items():
        yield from take_level(game, unit, amount, why, "5.1.8")
    if battle is not None and hex_is == EMPTY:
        yield from learn(game, battle, gone=True)


def _check_choice(game: Game, seat: str, force: list[Unit], named: list[Unit], cel: int) -> None:
    """All that is owed must fall on somebody, as long as there is anybody."""
    owed = min(cel, sum(u.steps for u in force))
    if not named and len(force) > 1 and owed < sum(u.steps for u in force):
        names = _names(game, seat, force)
        raise Unreadable(f"choose who takes the losses: {names}", field="units", accepted=names, rule="5.1.8")
    missing = owed - sum(shares(named or force, cel).values())
    if missing > 0:
        names = _names(game, seat, [u for u in force if u not in named])
        raise Unreadable(f"{missing} CEL more must be named: {names}", field="units", rule="5.1.8")


def _share_of_stars(game: Game, battle: Battle, side: str, force: list[Unit], chosen: list[Unit]) -> Events:
    """Once in a battle a user of a star is among those who lose [15.1.7]."""
    if not _stars_owed(game, battle, side):
        return
    starry = {u.id for u in force} & set(battle.facts["starred"][side])
    if starry and not starry & {u.id for u in chosen}:
        raise Unreadable(
            "at least one CEL must come from a unit that used its star", field="units", rule="15.1.7"
        )
    if starry or "" in battle.facts["starred"][side]:
        yield from learn(game, battle, star_paid=[*battle.facts.get("star_paid", ()), side])


def _names(game: Game, seat: str, units: Iterable[Unit]) -> str:
    """The units as far as a seat may know them; the shared screen does not name what lies in a stack [16.1.1]."""
    there = list(units)
    seen = [f"{u.name} ({u.steps})" for u in seen_units(game, there, seat)]
    more = [f"the others on the {game.side_name(there[0].side)} phone"] if len(seen) < len(there) else []
    return ", ".join([*seen, *more])


# -- by hand ---------------------------------------------------------------------------------------


@rules.action(rule="5.1.8", label="Take CEL off", group="units", order=20, when=somebody_there)
def lose_cel(
    game: Game,
    units: Annotated[tuple[str, ...], UnitRef(label="Units", many=True, pick=touchable)],
    cel: Annotated[int, Whole(label="CEL, dealt round", low=1, high=30)] = 1,
) -> Events:
    """Take CEL off units by hand: each loses one, then round again."""
    for unit, amount in shares([game.units[u] for u in units], cel).items():
        yield from take_level(game, unit, amount, "by hand", "5.1.8")
