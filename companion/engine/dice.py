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

from companion.engine.errors import Unreadable

_SPEC = re.compile(r"^\s*(\d{0,2})\s*[dk]\s*(\d{1,3})(z?)\s*([+-]\s*\d{1,3})?\s*$", re.I)


@dataclass(frozen=True)
class Spec:
    """Dice to roll: `2d6+1`; a `z` marks dice that count from zero (`1d10z` shows 0-9)."""

    count: int
    sides: int
    zero: bool = False
    plus: int = 0

    @classmethod
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

    def read(self, text: object) -> tuple[int, ...]:
        """The dice a player says he rolled: '3', '3 5', '35' for two six-siders, or a list."""
        raw = " ".join(map(str, text)) if isinstance(text, list | tuple) else str(text)
        parts = re.findall(r"\d+", raw)
        if len(parts) == 1 and self.count > 1 and len(parts[0]) == self.count and self.highest <= 9:
            parts = list(parts[0])
        accepted = f"{self.count} number{'s' if self.count > 1 else ''} from {self.lowest} to {self.highest}"
        possible = [
            len(p) <= 9 and self.lowest <= int(p) <= self.highest for p in parts
        ]  # int() has its own limit
        if len(parts) != self.count or not all(possible):
            raise Unreadable(
                f"{raw[:40]!r} is not a roll of {self}: {accepted}", given=raw[:40], accepted=accepted
            )
        return tuple(int(p) for p in parts)


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
            digest = hmac.new(key, f"{self.position}:{attempt}".encode(), hashlib.sha256).digest()
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
