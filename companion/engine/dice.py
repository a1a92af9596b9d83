"""The fair random stream: anyone can recompute every digital roll once the seed is revealed.

Number n of a game is taken from HMAC-SHA256(key, "n:attempt"), where the key is the game's seed followed by
the entropy both sides added. The seed's SHA-256 is published when the game starts.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from companion.engine.errors import Unreadable

_SPEC = re.compile(r"^\s*(\d{0,2})\s*[dk]\s*(\d{1,3})(z?)\s*([+-]\s*\d{1,3})?\s*$", re.I)
_APART = re.compile(r"[\s,;+/&-]+")
"""What may stand between the dice of a text; digits that touch are one number."""


class Told(NamedTuple):
    """What a player said about real dice: each of them, or their sum alone."""

    values: tuple[int, ...]
    sum: int | None = None
    """The dice together before any plus, when nothing more was said; `values` is then empty."""


@dataclass(frozen=True)
class Spec:
    """Dice to roll: `2d6+1`; a `z` marks dice that count from zero (`1d10z` shows 0-9)."""

    count: int
    sides: int
    zero: bool = False
    plus: int = 0

    @classmethod
    @lru_cache(200)
    def parse(cls, text: str) -> Spec:
        """Read `d6`, `2d6`, `1d10z`, `2d6-1`."""
        found = _SPEC.match(text)
        if not found:
            raise Unreadable(
                f"{text!r} is not a roll: write it like 1d6, 2d6+1 or 1d10z (0-9)", field="dice", given=text
            )
        count, sides = int(found[1] or 1), int(found[2])
        if not 1 <= count <= 20 or not 2 <= sides <= 100:
            raise Unreadable(
                f"{text!r}: 1 to 20 dice of 2 to 100 sides can be rolled", field="dice", given=text
            )
        return cls(count, sides, bool(found[3]), int((found[4] or "0").replace(" ", "")))

    @property
    def lowest(self) -> int:
        return 0 if self.zero else 1

    @property
    def highest(self) -> int:
        return self.sides - 1 if self.zero else self.sides

    def __str__(self) -> str:
        plus = f"{self.plus:+d}" if self.plus else ""
        return f"{self.count}d{self.sides}{'z' if self.zero else ''}{plus}"

    @property
    def sums(self) -> tuple[int, int]:
        """The least and the most that the dice can come to, before the plus."""
        return self.count * self.lowest, self.count * self.highest

    def accepted(self, by_sum: bool = False) -> str:
        """What `read` takes, in words."""
        each = f"{self.count} number{'s' if self.count > 1 else ''} from {self.lowest} to {self.highest}"
        before = f", before the {self.plus:+d}" if self.plus else ""
        if by_sum and self.count > 1:
            return f"{each}, or their sum from {self.sums[0]} to {self.sums[1]}{before}"
        return f"{each}{before}"

    def read(self, given: object, by_sum: bool = False) -> Told:
        """The real dice a player tells: '3 5' and [3, 5] are dice; one number for several is their sum, never split."""
        listed = isinstance(given, list | tuple)
        parts = [str(g).strip() for g in given] if isinstance(given, list | tuple) else _apart(str(given))
        if all(p.isdecimal() and len(p) <= 9 for p in parts):  # int() has a limit of its own
            numbers = tuple(map(int, parts))
            if len(numbers) == self.count and all(self.lowest <= n <= self.highest for n in numbers):
                return Told(numbers)
            if by_sum and not listed and len(numbers) == 1 and self.sums[0] <= numbers[0] <= self.sums[1]:
                return Told((), numbers[0])
        raise self._refusal(given, [p for p in parts if p], by_sum)

    def _refusal(self, given: object, entered: Sequence[str], by_sum: bool) -> Unreadable:
        listed = isinstance(given, list | tuple)
        raw = (" ".join(entered) if listed else str(given).strip())[:40]
        why = f"{raw!r} is not a roll of {self}"
        if not entered:
            die = "each die" if self.count > 1 else "the die"
            why = f"roll first, then say what {die} shows, {self.lowest} to {self.highest}"
        elif listed and len(entered) < self.count:
            why = f"only {len(entered)} of {self.count} dice {'is' if len(entered) == 1 else 'are'} entered"
        elif len(entered) == 1 < self.count and not by_sum:
            why = f"{raw!r} is one number for {self.count} dice, and here each die counts"
        accepted = self.accepted(by_sum)
        return Unreadable(f"{why}: {accepted}" if entered else why, given=raw, accepted=accepted)


def _apart(text: str) -> list[str]:
    return _APART.split(text.strip().rstrip(",;"))


def commitment(seed: str) -> str:
    """What is shown at the start: it binds us to the seed without telling it."""
    return hashlib.sha256(bytes.fromhex(seed)).hexdigest()


@dataclass
class Stream:
    """The numbers of one game, from a position onward; the position never goes back."""

    seed: str
    position: int = 0
    entropy: Sequence[str] = field(default_factory=list)

    def below(self, limit: int) -> int:
        """A fair number from 0 to limit-1; uses one position."""
        key = bytes.fromhex(self.seed) + "\0".join(self.entropy).encode()
        ceiling = 2**32 - 2**32 % limit
        attempt = 0
        while True:
            digest = hmac.digest(key, f"{self.position}:{attempt}".encode(), "sha256")
            number = int.from_bytes(digest[:4], "big")
            if number < ceiling:
                self.position += 1
                return number % limit
            attempt += 1  # a number past the last whole multiple would favour the low faces

    def roll(self, spec: Spec) -> tuple[int, ...]:
        """Fair values of these dice, without the spec's plus."""
        return tuple(self.below(spec.sides) + spec.lowest for _ in range(spec.count))

    def pick(self, tokens: Iterable[str], count: int) -> tuple[str, ...]:
        """Draw without replacement; the tokens are sorted first so that a replay draws the same."""
        left = sorted(tokens)
        return tuple(left.pop(self.below(len(left))) for _ in range(min(count, len(left))))
