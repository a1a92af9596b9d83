"""Odds, halvings and chart rows: arithmetic alone, no table needed [1.5, 12.7-12.9]."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from companion.engine.forms.worksheet import halve
from companion.systems.second_kharkov.base import Reason

BEST, WORST = 6, 3
AUTOMATIC = "2/0"  # worse than 1:3 [12.9]
OOS = Reason("out of supply", "9.9")
HASTE = Reason("freed early, as if out of supply", "13.4")
INTO = {"marsh": Reason("mechanised into marsh", "12.13"), "city": Reason("mechanised into a city", "12.16")}
"""The ground that halves mechanised attackers."""


@dataclass(frozen=True)
class Odds:
    """A ratio as the rules write it: `number`:1, or 1:`number` when `poor`."""

    number: int
    poor: bool = False

    def __str__(self) -> str:
        if self.poor and not self.number:
            return f"below 1:{WORST}"  # nothing attacks: no ratio can be written
        return f"1:{self.number}" if self.poor else f"{self.number}:1"

    @property
    def automatic(self) -> bool:
        """Worse than 1:3 is not rolled for [12.9]."""
        return self.poor and (self.number > WORST or not self.number)

    @property
    def surplus(self) -> int:
        """How many multiples above 6:1 [12.9]."""
        return 0 if self.poor else max(0, self.number - BEST)

    @property
    def column(self) -> str:
        return str(Odds(BEST)) if self.surplus else str(self)


def odds(attack: int, defence: int) -> Odds:
    """Good odds round down [12.7], poor odds up [12.8]. Both favour the defender."""
    if defence < 1:
        raise ValueError("odds need at least one defence factor")
    if attack >= defence:
        return Odds(attack // defence)
    return Odds(-(-defence // attack) if attack else 0, poor=True)


def row(final: int, clamp: bool = False) -> str:
    """The chart row of a modified roll; `clamp` reads rolls below 1 as 1."""
    if final < 1:
        return "1" if clamp else "<1"
    return ">6" if final > 6 else str(final)


@dataclass(frozen=True)
class Group:
    """Factors that are halved for the same causes, stack by stack."""

    stacks: tuple[int, ...]
    causes: tuple[Reason, ...] = ()
    """One halving a cause."""

    def total(self, by_stack: bool = True) -> int:
        """Sum, halve, round up once [1.5]; two causes halve twice."""
        sums: Sequence[int] = self.stacks if by_stack else [sum(self.stacks)]
        for _ in self.causes:
            sums = [halve(s) for s in sums]
        return sum(sums)

    def arithmetic(self, by_stack: bool = True) -> str:
        """How the total comes about, as a player would write it: '9 + 6', 'half of 9 + half of 6'."""
        sums = list(self.stacks) if by_stack else [sum(self.stacks)]
        if not self.causes:
            return " + ".join(map(str, sums)) if len(sums) > 1 else ""
        part = "half" if len(self.causes) == 1 else "half of half"
        return " + ".join(f"{part} of {s}" for s in sums)


def grouped(parts: Iterable[tuple[str, int, tuple[Reason, ...]]]) -> list[Group]:
    """Units as (stack, factor, causes of halving) -> one group per set of causes, its stacks summed."""
    found: dict[tuple[Reason, ...], dict[str, int]] = {}
    for stack, factor, causes in parts:
        sums: dict[str, int] = found.setdefault(causes, {})
        sums[stack] = sums.get(stack, 0) + factor
    return [Group(tuple(sums.values()), causes) for causes, sums in found.items()]


def total(groups: Iterable[Group], by_stack: bool = True) -> int:
    return sum(group.total(by_stack) for group in groups)


def steps_of(result: str) -> Mapping[str, int]:
    """'2/3' -> the attacker loses 2 steps, the defender 3 [12.19]."""
    attacker, _, defender = result.partition("/")
    return {"attacker": int(attacker), "defender": int(defender)}
