"""The result codes of the combat, air and fire charts, read into what each side must do."""

from __future__ import annotations

import re
from dataclasses import dataclass

from companion.engine.errors import Unreadable

DOT = "•"
_PART = re.compile(r"(?:[AD](?P<retreat>\d))?(?P<first>[D•.])?\s*(?:-(?P<loss>\d)(?P<second>[D•.])?)?")


@dataclass(frozen=True)
class Part:
    """One side's share of a result."""

    loss: int = 0
    retreat: int = 0
    disorganised: bool = False
    test: bool = False

    def words(self) -> str:
        """The share in plain words."""
        said = []
        if self.loss:
            said.append(f"lose {self.loss} CEL")
        if self.retreat:
            said.append(f"fall back {self.retreat} or pay in CEL")
        if self.disorganised:
            said.append("disorganised")
        if self.test:
            said.append("disorganisation test")
        return ", ".join(said) or "nothing"


def part(text: str) -> Part:
    """Read '-', '-1D', 'D2 -1', 'A1•', 'A2D -2', 'D -1' or a dot."""
    code = text.strip().replace(".", DOT)
    if code == "-":
        return Part()
    found = _PART.fullmatch(code)
    if not code or found is None:
        raise Unreadable(
            f"{text!r} is no result of this chart", given=text, accepted="-, -1, D2, D2 -1, A1D, a dot"
        )
    signs = {found["first"], found["second"]}
    return Part(int(found["loss"] or 0), int(found["retreat"] or 0), "D" in signs, DOT in signs)


def combat(text: str) -> tuple[Part, Part]:
    """The attacker's and the defender's share of a combat result such as '-1 / D2 -1'."""
    attacker, slash, defender = text.partition("/")
    if not slash:
        raise Unreadable(f"{text!r}: a combat result has two parts, such as -1 / D2", given=text)
    return part(attacker), part(defender)


def retreat_choices(hexes: int, fixed_position: bool = False) -> list[tuple[int, int]]:
    """(hexes to go, CEL to pay once) for each choice [5.3.7, 5.3.8]; in a fixed position 1 CEL less [7.3.6]."""
    return [(go, max(0, hexes - go - (1 if fixed_position else 0))) for go in range(hexes, -1, -1)]


def retreat_tests(hexes: int) -> int:
    """Disorganisation tests after a retreat of so many hexes: all but the first [5.3.9]."""
    return max(0, hexes - 1)
