"""Headquarters: their range, and the shifts that a fallen one gives the enemy [9.0]."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Context, UnitRef
from companion.engine.forms.panels import Fact, Panel
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import any_unit
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game
from companion.systems.wb95.base import (
    ATTACK,
    at_hexes,
    headquarters,
    hq_range,
    is_hq,
    is_regular,
    rules,
    visible,
)
from companion.systems.wb95.moments import Moment, before, next_attacks, now, written
from companion.systems.wb95.needed import NeededHex, NeededSide

POOL, RADIUS = 5, 8  # [9.1.6, 9.1.7]


@dataclass(frozen=True)
class Pool:
    """Shifts left for a fallen headquarters: where it fell and in which two combat phases they may be used."""

    hex: str
    left: int
    moments: tuple[Moment, Moment]


def pools(game: Game, side: str) -> list[Pool]:
    """What a side may still spend, wherever and whenever."""
    ends = game.marked(f"pool-until-{side}")
    found = []
    for hex_id, left in game.marked(f"hq-pool-{side}").items():
        if hex_id in ends:
            last = Moment.of(int(ends[hex_id]))
            found.append(Pool(hex_id, int(left), (before(game, last), last)))
    return found


@rules.watch
def date_pools(game: Game) -> Events:
    """Shifts laid by hand serve the next two combat phases; those of an early record say themselves when they end."""
    for side in game.sides:
        for hex_id, value in list(game.marked(f"hq-pool-{side}").items()):
            said = written(value)
            if said:
                yield e.Marked(hex_id, f"hq-pool-{side}", int(str(value).split()[0]), reason=IN_PASSING)
            if not game.mark(hex_id, f"pool-until-{side}"):
                yield _ends(side, hex_id, said[-1] if said else next_attacks(game)[-1])
        for hex_id in set(game.marked(f"pool-until-{side}")) - set(game.marked(f"hq-pool-{side}")):
            yield _ends(side, hex_id, None)


def _ends(side: str, hex_id: str, end: Moment | None) -> e.Marked:
    value = int(end) if end else None
    return e.Marked(hex_id, f"pool-until-{side}", value, reason=IN_PASSING, rule="9.1.6")


def usable(game: Game, side: str, hexes: Iterable[str] = ()) -> list[Pool]:
    """The pools that may be used in this phase for a combat at these hexes (anywhere when none is named)."""
    where = list(hexes)
    return [
        pool
        for pool in pools(game, side)
        if now(game) in pool.moments
        and (not where or any(game.maps.distance(pool.hex, h) <= RADIUS for h in where))
    ]


def open_pool(game: Game, victim: str, hex_id: str) -> Events:
    """The enemy of a fallen headquarters gets five shifts for the next two combat phases [9.1.6]."""
    if game.phase not in ATTACK and not game["hq-pool-moving"]:
        return
    side = game.other(victim)
    had = sum(p.left for p in pools(game, side) if p.hex == hex_id)
    yield e.Marked(hex_id, f"hq-pool-{side}", POOL + had, reason="headquarters eliminated", rule="9.1.6")
    yield _ends(side, hex_id, next_attacks(game)[-1])


def spend(game: Game, side: str, amount: int, hexes: Iterable[str], field: str) -> Events:
    """Take shifts from the pools, the one that runs out first before the others."""
    left = amount
    for pool in sorted(usable(game, side, hexes), key=lambda p: p.moments[-1] != now(game)):
        used = min(left, pool.left)
        if used:
            rest = pool.left - used or None
            yield e.Marked(pool.hex, f"hq-pool-{side}", rest, reason=f"{used} used", rule="9.1.6")
            left -= used
    if left:
        raise Unreadable(
            f"only {amount - left} shifts of fallen headquarters can be used here: they serve the next two "
            f"combat phases, within {RADIUS} hexes",
            field=field,
            given=amount,
            rule="9.1.6, 9.1.7",
        )


def covered(ctx: Context, side: str, hexes: Iterable[str]) -> bool:
    """Whether all these hexes are in range of a friendly headquarters that the seat can see [9.2.1].

    Whether one that is attacked alone stands in its own range is a table's reading.
    """
    game, where = ctx.game, [h for h in hexes if h]
    known = visible(ctx, [u for u in headquarters(game) if u.side == side] if side else [])

    def commands(staff: Unit, hex_id: str) -> bool:
        itself = staff.place == hex_id and not any(map(is_regular, at_hexes(game, side, [hex_id])))
        near = game.maps.distance(staff.place, hex_id) <= hq_range(game, staff)
        return near and (not itself or bool(game["hq-own-range"]))

    return bool(where) and all(any(commands(u, h) for u in known) for h in where)


def _expire(game: Game) -> Events:
    """What two combat phases left of the shifts is lost [9.1.6]."""
    for side in game.sides:
        for pool in pools(game, side):
            if pool.moments[-1] <= now(game):
                yield e.Marked(
                    pool.hex, f"hq-pool-{side}", None, reason="its two combat phases are over", rule="9.1.6"
                )


for _phase in ATTACK:
    rules.leaving(_phase)(_expire)


@rules.panel
def fallen(game: Game) -> Panel | None:
    """Shifts that a side may still spend for a fallen headquarters."""
    rows = [
        Fact(
            f"{game.side_name(side)}, within {RADIUS} hexes of {pool.hex}",
            f"{pool.left} shifts in {' and '.join(map(str, pool.moments))}",
            "9.1.6",
        )
        for side in game.sides
        for pool in pools(game, side)
    ]
    return Panel("For a fallen headquarters", rows) if rows else None


def _headquarters(ctx: Context) -> list[Unit]:
    """Those that a seat may change: its own; the table's screen, all."""
    return [u for u in headquarters(ctx.game) if ctx.seat in {"table", u.side}]


def _has_headquarters(ctx: Context) -> bool:
    return any_unit(ctx.game, lambda u: is_hq(u) and u.on_map and ctx.seat in {"table", u.side})


def _unnamed(ctx: Context) -> bool:
    return not ctx.values.get("unit")


@rules.action(rule="9.1.5, 9.1.6", label="Lose a headquarters", group="book-keeping", order=40)
def lose_hq(
    game: Game,
    unit: Annotated[str, UnitRef(label="Headquarters", pick=_headquarters, when=_has_headquarters)] = "",
    side: Annotated[str, NeededSide(label="Whose it was", when=_unnamed)] = "",
    hex: Annotated[str, NeededHex(label="Where it fell", when=_unnamed)] = "",
) -> Events:
    """Take a headquarters off the map and give the enemy its five shifts."""
    from companion.systems.wb95.losses import remove  # losses open the pool too

    if unit:
        yield from remove(game, unit, "eliminated", "9.1.5")
        return
    if not side or not hex:
        raise Unreadable("say whose it was, and where it fell", field="hex" if side else "side", rule="9.1.5")
    yield from open_pool(game, side, hex)
