"""When a line of a kit holds: sets of turns ('3+', '7-13') and conditions ('weather=mud, !released')."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple


class Turns:
    """A set of turns written as the rulebooks do: '1', '3+', '7-13', '1-2,5'. Empty means all."""

    def __init__(self, text: str = "") -> None:
        self.text = text.strip()
        self.spans = _spans(self.text)

    def __contains__(self, turn: int) -> bool:
        return not self.spans or any(low <= turn <= high for low, high in self.spans)


@lru_cache(500)
def _spans(text: str) -> tuple[tuple[int, float], ...]:
    spans = []
    for part in filter(None, (p.strip() for p in text.split(","))):
        found = re.fullmatch(r"(\d+)(\+|-(\d+))?", part)
        if not found:
            raise ValueError(f"turns {text!r} cannot be read: write 1, 3+, 7-13 or 1-2,5")
        low = int(found[1])
        high = float("inf") if found[2] == "+" else int(found[3] or low)
        if high < low:
            raise ValueError(f"turns {text!r}: {part} runs backwards")
        spans.append((low, high))
    return tuple(spans)


class _Term(NamedTuple):
    """One part of a condition."""

    name: str
    part_of: str
    accepted: frozenset[str] | None
    """None where the value must only be something."""
    wanted: bool


@lru_cache(2_000)
def _terms(when: str) -> tuple[_Term, ...]:
    """A condition is asked each time something is looked at, and read once."""
    found = []
    for part in filter(None, (p.strip() for p in when.split(","))):
        name, equals, value = part.lstrip("!").partition("=")
        name, _, part_of = name.strip().partition(".")
        accepted = frozenset(v.strip().lower() for v in value.split("|")) if equals else None
        found.append(_Term(name, part_of, accepted, not part.startswith("!")))
    return tuple(found)


def holds(when: str, values: Mapping[str, Any]) -> bool:
    """Whether a condition such as 'weather=mud, !released' holds; `a=b|c` accepts either, `a.b` is a part of a memo."""
    for name, part_of, accepted, wanted in _terms(when):
        have = values.get(name)
        if part_of:
            have = have.get(part_of) if isinstance(have, Mapping) else None
        met = bool(have) if accepted is None else str(have).lower() in accepted
        if met != wanted:
            return False
    return True


def condition_names(when: str) -> list[str]:
    """The values that a condition looks at."""
    return [re.split("[=.]", p.strip().lstrip("!"))[0].strip() for p in when.split(",") if p.strip()]
