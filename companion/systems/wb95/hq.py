"""Headquarters: their range, and the shifts that a fallen one gives the enemy [9.0]."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated

from companion.engine.errors import NotNow, Unreadable
from companion.engine.forms.fields import Context, HexId, SideRef, UnitRef
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.panels import Fact, Panel
from companion.engine.positions.pieces import on_map
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.wb95.base import (
    ATTACK,
    hq_range,
    is_hq,
    rules,
    touchable,
    visible,
)
from companion.systems.wb95.moments import Moment, next_attacks, now

POOL, RADIUS = 5, 8  # [9.1.6, 9.1.7]
_POOL = re.compile(r"(\d+) CM: (.+)")


@dataclass(frozen=True)
class Pool:
    """Shifts left for a fallen headquarters: where it fell and when they may be used."""

    hex: str
    left: int
    moments: tuple[Moment, ...]

    def __str__(self) -> str:
        return f"{self.left} CM: {', '.join(map(str, self.moments))}"

    @classmethod
    def read(cls, hex_id: str, text: str) -> Pool | None:
        """The pool that a marker in a hex writes."""
        match = _POOL.fullmatch(text)
        moments = [Moment.read(part) for part in match[2].split(", ")] if match else []
        return cls(hex_id, int(match[1]), tuple(m for m in moments if m)) if match and all(moments) else None


def pools(game: Game, side: str) -> list[Pool]:
    """What a side may still spend, wherever and whenever."""
    found = (Pool.read(hex_id, str(value)) for hex_id, value in game.marked(f"hq-pool-{side}").items())
    return [pool for pool in found if pool]


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
    pool = Pool(hex_id, POOL + had, next_attacks(game))
    yield e.Marked(hex_id, f"hq-pool-{side}", str(pool), reason="headquarters eliminated", rule="9.1.6")


def spend(game: Game, side: str, amount: int, hexes: Iterable[str], field: str) -> Events:
    """Take shifts from the pools, the one that runs out first before the others."""
    left = amount
    for pool in sorted(usable(game, side, hexes), key=lambda p: p.moments[-1] != now(game)):
        used = min(left, pool.left)
        if used:
            rest = replace(pool, left=pool.left - used)
            value = str(rest) if rest.left else None
            yield e.Marked(pool.hex, f"hq-pool-{side}", value, reason=f"{used} used", rule="9.1.6")
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
    """Whether all these hexes are in range of a friendly headquarters that the seat can see [9.2.1]."""
    game, where = ctx.game, [h for h in hexes if h]
    known = [u for u in visible(ctx, on_map(game, side)) if is_hq(u) and side]
    return bool(where) and all(
        any(game.maps.distance(u.place, h) <= hq_range(game, u) for u in known) for h in where
    )


def _expire(game: Game) -> Events:
    """What two combat phases left of the shifts is lost [9.1.6]."""
    for side in game.sides:
        for pool in pools(game, side):
            if pool.moments[-1] == now(game):
                yield e.Marked(
                    pool.hex, f"hq-pool-{side}", None, reason="its two combat phases are over", rule="9.1.6"
                )


for _phase in ATTACK:
    rules.leaving(_phase)(_expire)


@rules.panel
def fallen(game: Game, seat: str) -> Panel | None:
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
    return [u for u in touchable(ctx) if is_hq(u)]


@rules.action(rule="9.1.5, 9.1.6", label="A headquarters falls", group="book-keeping", order=40)
def lose_hq(
    game: Game,
    unit: Annotated[str, UnitRef(label="Headquarters", pick=_headquarters)] = "",
    side: Annotated[str, SideRef(label="or whose it was")] = "",
    hex: Annotated[str, HexId(label="in hex")] = "",
) -> Events:
    """Take a headquarters off the map and give the enemy its five shifts."""
    from companion.systems.wb95.losses import remove  # losses open the pool too

    if unit:
        yield from remove(game, unit, "eliminated", "9.1.5")
        return
    if not side or not hex:
        raise NotNow("name the headquarters, or its side and hex", field="unit", rule="9.1.5")
    yield from open_pool(game, side, hex)
