"""Numbers of a combat as they are entered with few taps: chips for small ones, both strengths in one field."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, Options, Text, Whole

Asks = Callable[[Context], bool]


def always(ctx: Context) -> bool:
    return True


@dataclass(frozen=True)
class Needed(Whole):
    """A number that the form calls for while `needed` holds, although an API client may leave it to the record."""

    needed: Asks = always

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {**super().describe(ctx), "required": self.needed(ctx)}


@dataclass(frozen=True)
class Tapped(Choice):
    """A number whose usual values are chips; any other from `low` to `high` may be sent."""

    usual: range = range(10)
    low: int = 0
    high: int = 9
    needed: Asks = always

    def choices(self, ctx: Context) -> Options:
        return [(str(n), str(n)) for n in self.usual]

    def read(self, raw: Any, ctx: Context) -> int:
        return Whole(low=self.low, high=self.high).read(raw, ctx)

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {**super().describe(ctx), "required": self.start is None and self.needed(ctx)}


SUM = r"\d{1,3}(?:\s*\+\s*\d{1,3})*"
BOTH = re.compile(rf"\s*({SUM})(?:\s*[:/,;-]\s*|\s+)({SUM})\s*")


@dataclass(frozen=True)
class Strengths(Text):
    """Attack and defence as the ratio is written: 9:3, or 4+5 : 3."""

    needed: Asks = always

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {**super().describe(ctx), "required": self.needed(ctx)}

    def read(self, raw: Any, ctx: Context) -> str:
        text = super().read(raw, ctx)
        found = BOTH.fullmatch(text)
        if found is None:
            words = f"{text[:40]!r} is not like 9:3, the attack before the defence"
            raise Unreadable(words, given=text[:40], accepted="9:3 or 4+5 : 3")
        attack, defence = (sum(map(int, re.findall(r"\d+", part))) for part in found.groups())
        return f"{attack}:{defence}"
