"""Strengths, odds and the armour shift: arithmetic alone, no table needed [9.2-9.4, B11.2-B11.3]."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

COLUMNS = ("1:4", "1:3", "1:2", "1:1", "2:1", "3:1", "4:1", "5:1", "6:1", "7:1", "8:1")


@dataclass(frozen=True)
class Hindrance:
    """Something that halves an attack strength, by the name of its field."""

    id: str
    words: str
    rule: str
    unrounded: bool = False
    """The rule names no rounding, so that a reading may keep the half point."""


HINDRANCES = (
    Hindrance("river", "over a river", "9.2.1"),
    Hindrance("major", "over a major river", "9.2.1, B10.3"),
    Hindrance("marsh", "out of a marsh", "9.2.2"),
    Hindrance("oos", "out of supply", "9.2.3", unrounded=True),
)


@dataclass(frozen=True)
class Attack:
    """Attack strengths by what hinders them; one number for each hex, stack-mates summed."""

    full: tuple[int, ...] = ()
    river: tuple[int, ...] = ()
    major: tuple[int, ...] = ()
    marsh: tuple[int, ...] = ()
    oos: tuple[int, ...] = ()

    @property
    def hindered(self) -> bool:
        """Whether anybody attacks over a river or out of a marsh."""
        return bool(self.river or self.major or self.marsh)

    @property
    def given(self) -> bool:
        return any((self.full, self.river, self.major, self.marsh, self.oos))

    @property
    def all_major(self) -> bool:
        """Whether everybody attacks over a major river."""
        return bool(self.major) and not any((self.full, self.river, self.marsh, self.oos))

    def by(self, cause: Hindrance) -> tuple[int, ...]:
        """The strengths that one thing hinders."""
        found: tuple[int, ...] = getattr(self, cause.id)
        return found


def half_down(stacks: Iterable[int]) -> int:
    """Each hex's sum halved, rounded down [9.2.1]."""
    return sum(s // 2 for s in stacks)


def half_up(strength: int) -> int:
    """Disrupted defenders of a hex, summed, halved, rounded up [9.2.5]."""
    return (strength + 1) // 2


def attack_strength(attack: Attack, oos_halving: str = "down") -> Fraction:
    """The whole attack, each hex halved once at most [9.2.1-9.2.4]."""
    total = Fraction(sum(attack.full))
    total += sum(half_down(stacks) for stacks in (attack.river, attack.major, attack.marsh))
    return total + (Fraction(sum(attack.oos), 2) if oos_halving == "exact" else half_down(attack.oos))


def odds(attack: Fraction | int, defence: int, below: str = "literal") -> str:
    """The ratio as the table writes it, beyond its ends too; an attack of 0 has the worst of all [9.3]."""
    if attack >= defence:
        return f"{int(attack / Fraction(defence))}:1"
    if attack <= 0:
        return "1:99"
    ratio = Fraction(defence) / Fraction(attack)
    number = -(-ratio.numerator // ratio.denominator) if below == "ratio" else int(ratio)
    return f"1:{number}"


def rank(text: str) -> int:
    """Odds on one scale: 1:1 is 0, 2:1 is 1, 1:2 is -1."""
    left, _, right = text.partition(":")
    return int(left) - 1 if right == "1" else 1 - int(right)


def column(text: str, shift: int, lowest: str = COLUMNS[0], highest: str = COLUMNS[-1]) -> str:
    """The column of these odds after a shift; both the odds and the shift stay within the printed ends."""
    low, high = rank(lowest), rank(highest)
    at = max(low, min(high, rank(text)))
    at = max(low, min(high, at + shift))
    return f"{at + 1}:1" if at >= 0 else f"1:{1 - at}"


@dataclass(frozen=True)
class Armour:
    """Who has what in one combat, as far as the armour effect goes [9.4, B11.3]."""

    clear: bool = True
    attacker: str = "none"
    """'none', 'free', or 'hindered': all its armour attacks over a river or out of a marsh."""
    defender: bool = False
    german: str = "attacker"
    """Which of the two is the German side: 'attacker' or 'defender'."""
    grenadiers: bool = False
    """German mechanized infantry takes part."""
    hindered_attack: bool = False

    @property
    def soviet(self) -> str:
        return "defender" if self.german == "attacker" else "attacker"


@dataclass(frozen=True)
class Reason:
    """A line about armour: what shifts the column, or what keeps it from doing so."""

    label: str
    rule: str
    counts: bool = False


@dataclass(frozen=True)
class Shift:
    """The columns to shift, with the reasons."""

    by: int = 0
    why: tuple[Reason, ...] = ()


def armour_shift(case: Armour, river: str = "attacker", grenadiers: str = "none") -> Shift:
    """One column for the side whose armour counts; 0 where it cancels or cannot count [9.4.1-9.4.4, B11.3]."""
    attacking, defending = case.attacker != "none", case.defender
    if not attacking and not defending:
        return Shift()
    if not case.clear:
        return Shift(0, (Reason("armour counts only against a clear hex", "9.4.4"),))
    cancelled = case.soviet if case.grenadiers else ""
    if attacking and defending and not (cancelled and grenadiers == "german"):
        return Shift(0, (Reason("armour on both sides", "9.4.3"),))
    why: tuple[Reason, ...] = ()
    if cancelled == "attacker" and attacking or cancelled == "defender" and defending:
        why += (Reason("panzergrenadiers cancel the Soviet effect", "B11.3"),)
        attacking = attacking and cancelled != "attacker"
        defending = defending and cancelled != "defender"
    if attacking and case.attacker == "hindered" and river in ("attacker", "both"):
        why += (Reason("attacking armour over a river or out of a marsh", "9.4.4"),)
        attacking = False
    if defending and case.hindered_attack and river in ("defender", "both"):
        why += (Reason("attack over a river or out of a marsh", "9.4.4"),)
        defending = False
    if attacking:
        return Shift(1, (*why, Reason("attacker's armour", "9.4", counts=True)))
    if defending:
        return Shift(-1, (*why, Reason("defender's armour", "9.4", counts=True)))
    return Shift(0, why)


def exchange_loss(
    loss: int, defenders: Iterable[int], total: int | None = None, between: str = "below"
) -> list[int]:
    """The defending strengths to remove against an attacker's loss in an exchange, largest first [9.6]."""
    values = sorted(defenders, reverse=True)
    whole = sum(values) if total is None else total
    if not values or loss < min(values):
        return []
    if loss >= whole:
        return values
    sums: dict[int, list[int]] = {0: []}
    for value in values:
        for had, chosen in list(sums.items()):
            sums.setdefault(had + value, [*chosen, value])
    if between == "above":
        return sums[min(s for s in sums if s >= loss)] if max(sums) >= loss else values
    return sums[max(s for s in sums if s <= loss)]
