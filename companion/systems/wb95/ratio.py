"""The combat ratio: rounding, columns, and shifts with their caps [1.5-1.7]."""

from __future__ import annotations

COLUMNS = ("1:4", "1:3", "1:2", "1:1", "2:1", "3:1", "4:1", "5:1", "6:1", "7:1", "8:1", "9:1", "10:1")
EVEN = COLUMNS.index("1:1")
TOP = len(COLUMNS) - 1


def nearest(over: int, under: int) -> int:
    """over/under to the nearest whole number, halves up, in whole numbers so that `6.49` stays 6 [1.7]."""
    return (2 * over + under) // (2 * under)


def start_column(attack: int, defence: int, weak: str = "nearest") -> int:
    """The index of the column before any shift; values off the table are held at its ends [1.5]."""
    if defence <= 0:
        return TOP
    if attack <= 0:
        return 0
    if attack >= defence:
        return EVEN + min(10, nearest(attack, defence)) - 1
    if weak == "literal" and 2 * attack >= defence:
        return EVEN
    return EVEN + 1 - min(4, max(1, nearest(defence, attack)))


def shifted(column: int, attacker: int, defender: int) -> tuple[int, int]:
    """The column after the attacker's shifts, held at 10:1, then after the defender's, held at 1:4 [1.6]."""
    after = min(TOP, column + attacker)
    return after, max(0, after - defender)
