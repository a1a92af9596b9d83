"""When a line of a kit holds: sets of turns ('3+', '7-13') and conditions ('weather=mud, !released')."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any


class Turns:
    """A set of turns written as the rulebooks do: '1', '3+', '7-13', '1-2,5'. Empty means all."""

    def __init__(self, text: str = "") -> None:
        self.text = text.strip()
        self.spans: list[tuple[int, float]] = []
        for part in filter(None, (p.strip() for p in self.text.split(","))):
            found = re.fullmatch(r"(\d+)(\+|-(\d+))?", part)
            if not found:
                raise ValueError(f"turns {text!r} cannot be read: write 1, 3+, 7-13 or 1-2,5")
            low = int(found[1])
            high = float("inf") if found[2] == "+" else int(found[3] or low)
            if high < low:
                raise ValueError(f"turns {text!r}: {part} runs backwards")
            self.spans.append((low, high))

    def __contains__(self, turn: int) -> bool:
        return not self.spans or any(low <= turn <= high for low, high in self.spans)


def holds(when: str, values: Mapping[str, Any]) -> bool:
    """Whether a condition such as 'weather=mud, !released' holds; `a=b|c` accepts either, `a.b` is a part of a memo."""
    for part in filter(None, (p.strip() for p in when.split(","))):
        wanted = not part.startswith("!")
        name, equals, value = part.lstrip("!").partition("=")
        name, _, part_of = name.strip().partition(".")
        have = values.get(name)
        if part_of:
            have = have.get(part_of) if isinstance(have, Mapping) else None
        accepted = {v.strip().lower() for v in value.split("|")}
        met = str(have).lower() in accepted if equals else bool(have)
        if met != wanted:
            return False
    return True


def condition_names(when: str) -> list[str]:
    """The values that a condition looks at."""
    return [re.split("[=.]", p.strip().lstrip("!"))[0].strip() for p in when.split(",") if p.strip()]
