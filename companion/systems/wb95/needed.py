"""Fields without which an action cannot be done although they have no value of their own: not to be called optional."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from companion.engine.forms.fields import Context, Field, HexId, SideRef, UnitRef


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


def unless(*names: str) -> Callable[[Context], bool]:
    """As long as none of the other fields is filled in."""
    return lambda ctx: not any(ctx.values.get(name) for name in names)
