"""Reading a typed hex number, and guessing what a wrong one was meant to be."""

from __future__ import annotations

import re
from functools import lru_cache

from companion.engine.errors import Mistake

HEX_TEXT = re.compile(r"([A-Z]*)([0-9]{3,4})")


class HexError(Mistake):
    """A hex number that cannot be read or is not on the map, with the ids that may have been meant."""

    def __init__(self, message: str, suggestions: tuple[str, ...] = ()) -> None:
        super().__init__(message, accepted=", ".join(suggestions))
        self.suggestions = suggestions


def is_hex_text(text: str) -> bool:
    """Say whether the text has the shape of a hex number, on any map."""
    return HEX_TEXT.fullmatch(text.strip().upper()) is not None


def split_text(text: str) -> tuple[str, str]:
    """Split a typed hex number into prefix and four digits: ' kb 713' is ('KB', '0713')."""
    # Only what is short is looked at: the text may be anything that a browser sends.
    found = _split(text) if len(text) <= 40 else None
    if found is None:
        shown = text if len(text) <= 20 else text[:20] + "..."
        raise HexError(f"{shown!r} is not a hex number: four digits like 2408")
    return found


@lru_cache(8_000)
def _split(text: str) -> tuple[str, str] | None:
    """Read once for every hex of a map: distances ask for the same ones over and over."""
    found = HEX_TEXT.fullmatch("".join(text.split()).upper())
    return (found[1], found[2].zfill(4)) if found else None


def pairs(digits: str) -> tuple[int, int]:
    """The two numbers that four digits hold."""
    return int(digits[:2]), int(digits[2:])


def clamp(value: int, low: int, high: int) -> int:
    """The nearest number inside the limits."""
    return max(low, min(high, value))


def slips(digits: str) -> list[str]:
    """What a slip of the fingers may have meant, likeliest first: one wrong key, or two swapped."""
    a, b = pairs(digits)
    rank: dict[str, int] = {}
    for i in range(4):
        for key in "0123456789":
            text = digits[:i] + key + digits[i + 1 :]
            c, d = pairs(text)
            rank[text] = abs(a - c) + abs(b - d)
    for i in range(3):
        rank[digits[:i] + digits[i + 1] + digits[i] + digits[i + 2 :]] = 2
    rank[digits[2:] + digits[:2]] = 2
    return sorted(rank, key=lambda text: (rank[text], text))
