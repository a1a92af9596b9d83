"""What stands along the front: hexes to attack, who can attack them, guns in reach."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Any

from companion.engine.forms.fields import Context, HexId
from companion.engine.kit.roster import Unit
from companion.engine.once import once
from companion.engine.positions.pieces import on_map
from companion.engine.record.game import Game
from companion.systems.wb95.base import (
    GUN_RANGE,
    active_units,
    at_hexes,
    idle,
    is_gun,
    is_hq,
    is_regular,
    is_towed,
    level,
    touchable,
)
from companion.systems.wb95.obligations import duties


def front(ctx: Context) -> list[tuple[str, str]]:
    """Enemy hexes that units of the active side touch, with fortification and duty [5.1.2, 5.1.4]."""
    game, side = ctx.game, ctx.game.active
    if not side:
        return []
    beside = _beside(game, side)
    named = {u.place for u in at_hexes(game, game.other(side), ctx.values.get("target") or ())}
    return sorted({**{h: _words(game, side, h) for h in named - beside.keys()}, **beside}.items())


@once
def _beside(game: Game, side: str) -> dict[str, str]:
    """The enemy hexes next to regular units of a side, in words."""
    enemy = {u.place for u in on_map(game, game.other(side))}
    mine = {u.place for u in on_map(game, side) if is_regular(u)}
    found = {h for place in mine for h in game.maps.neighbours(place) if h in enemy}
    return {h: _words(game, side, h) for h in found}


def _words(game: Game, side: str, hex_id: str) -> str:
    must = any(u.place == hex_id for u in duties(game, side).must_be_attacked)
    fort = str(game.mark(hex_id, "fort") or "").upper()
    return ", ".join([f"{hex_id} {fort}".strip(), *(["must"] if must else [])])


@dataclass(frozen=True)
class EnemyHexes(HexId):
    """Hexes to attack: those along the front to tap where units are on record, any others typed."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        rows = front(ctx)
        known = super().describe(ctx)
        return {**known, "choices": [{"value": v, "label": text} for v, text in rows]} if rows else known


def able(ctx: Context) -> list[Unit]:
    """Towed guns do not attack, headquarters do not fight [5.1.10]."""
    return list(_able(ctx.game, ctx.seat))


@once
def _able(game: Game, seat: str) -> tuple[Unit, ...]:
    units = active_units(Context(game, seat))
    return tuple(u for u in units if not is_towed(u) and not is_hq(u))


@once
def _guns(game: Game, seat: str) -> tuple[Unit, ...]:
    return tuple(u for u in touchable(Context(game, seat)) if is_gun(u))


def _away(ctx: Context, units: list[Unit], hexes: Container[int]) -> list[Unit]:
    """Those that stand so many hexes from one that is named."""
    distance, target = ctx.game.maps.distance, ctx.values.get("target") or ()
    return [u for u in units if any(distance(u.place, h) in hexes for h in target)]


def fresh(ctx: Context) -> list[Unit]:
    """Those beside the hexes named that have not fought in this phase [5.1.1, 5.1.2]."""
    game = ctx.game
    beside = {h for target in ctx.values.get("target") or () for h in game.maps.neighbours(target)}
    near = [u for u in able(ctx) if u.place in beside] if beside else []
    return [u for u in near if not game.mark(u.id, "fought")]


def offered(ctx: Context) -> list[Unit]:
    """Who can attack, and whoever was named: what the sum counts is seen and can be taken out."""
    return _with_named(ctx, fresh(ctx), "attackers")


def _with_named(ctx: Context, units: list[Unit], field: str) -> list[Unit]:
    chosen = [ctx.game.units[u] for u in ctx.values.get(field) or ()]
    return [*units, *(u for u in chosen if u not in units)]


def only_target(ctx: Context) -> list[str]:
    """The one hex that can be attacked, where there is but one."""
    found = [hex_id for hex_id, _ in front(ctx)]
    return found if len(found) == 1 else []


def all_fresh(ctx: Context) -> list[str]:
    """Whoever can attack the hex that is named, or the only one, is ticked to begin with."""
    target = ctx.values.get("target") or only_target(ctx)
    return [u.id for u in fresh(ctx.also(target=target))]


def starved(ctx: Context) -> list[Unit]:
    """Attackers and guns with them that are out of supply, who may pay a level [10.2.3]."""
    named = [*(ctx.values.get("attackers") or ()), *(ctx.values.get("attack_guns") or ())]
    return [ctx.game.units[u] for u in named if level(ctx.game, u)]


@dataclass(frozen=True)
class Guns:
    """The guns of one side of a combat."""

    attack: bool

    def known(self, ctx: Context) -> list[Unit]:
        """Those that the seat may choose; in reach of the named hexes where there are any."""
        active = ctx.game.active
        mine = [u for u in _guns(ctx.game, ctx.seat) if (u.side == active) == self.attack]
        return self._near(ctx, mine) or mine

    def ready(self, ctx: Context) -> list[Unit]:
        """Those in reach, in combat setup, that have not fired."""
        return [u for u in self._near(ctx, self.known(ctx)) if idle(ctx.game, u)]

    def offered(self, ctx: Context) -> list[Unit]:
        """Those, and whichever were named."""
        return _with_named(ctx, self.ready(ctx), "attack_guns")

    def _near(self, ctx: Context, guns: list[Unit]) -> list[Unit]:
        """An attacking hex is beside the target, so its guns stand at most one hex further off [6.3.2]."""
        return _away(ctx, guns, range(GUN_RANGE + (2 if self.attack else 1)))
