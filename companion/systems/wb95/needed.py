"""Fields without which an action cannot be done although they have no value of their own: not to be called optional."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from companion.engine.forms.fields import Context, Field, HexId, SideRef, UnitRef
from companion.systems.wb95.base import in_transport


def _always(ctx: Context) -> bool:
    return True


@dataclass(frozen=True)
class Needed(Field):
    """What must be filled in as long as `needed` holds: nothing else says it."""

    needed: Callable[[Context], bool] = _always

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {**super().describe(ctx), "required": self.needed(ctx)}


@dataclass(frozen=True)
class NeededHex(Needed, HexId):
    """A hex that must be told."""


@dataclass(frozen=True)
class NeededSide(Needed, SideRef):
    """A side that must be told."""


@dataclass(frozen=True)
class NeededUnits(Needed, UnitRef):
    """Units that must be tapped unless something else says who is meant."""


@dataclass(frozen=True)
class Flipped(NeededUnits):
    """Guns to turn over, each with the side that lies up now [6.2.2]."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        rows = super().describe(ctx)
        for choice in rows["choices"]:
            if in_transport(ctx.game, ctx.game.units[choice["value"]]):
                choice["label"] += ", transport"
        return rows


def unless(*names: str) -> Callable[[Context], bool]:
    """As long as none of the other fields is filled in."""
    return lambda ctx: not any(ctx.values.get(name) for name in names)
