"""What a combat form need not ask: answers that the record holds, and questions that cannot apply."""

from __future__ import annotations

from collections.abc import Callable

from companion.engine.play.fields import Context
from companion.systems.kharkov_battles import air
from companion.systems.kharkov_battles.base import AXIS

Quiet = Callable[[Context], bool]


def told(marker: str) -> Quiet:
    """Whether the hex under attack carries the answer: declared, announced."""

    def test(ctx: Context) -> bool:
        game, target = ctx.game, str(ctx.values.get("target") or "")
        return bool(target) and game.mark(target, marker) is not None

    return test


def announced(marker: str) -> Callable[[Context], int | None]:
    """The announced total; otherwise the field begins empty."""

    def find(ctx: Context) -> int | None:
        found = ctx.game.mark(str(ctx.values.get("target") or ""), marker)
        return int(found) if found is not None else None

    return find


def no_air(attacking: bool) -> Quiet:
    """A side without Air Points, or that has declared them."""
    declared = told("attack-air" if attacking else "defence-air")
    return lambda c: declared(c) or not air.air_left(c, attacking)


def no_tigers(attacking: bool) -> Quiet:
    """Only German forces have Tigers [15.3]."""
    return lambda c: (c.game.active == AXIS) != attacking
