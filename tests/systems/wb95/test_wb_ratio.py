"""Rounding, columns and shifts: the examples of 1.5-1.7 and their edges."""

from __future__ import annotations

import pytest

from companion.systems.wb95.base import halve
from companion.systems.wb95.ratio import COLUMNS, shifted, start_column


@pytest.mark.parametrize(
    ("attack", "defence", "column"),
    [
        (8, 5, "2:1"),  # 1.5 example
        (8, 3, "3:1"),  # 1.6 example a
        (18, 4, "5:1"),  # 1.6 example b
        (3, 2, "2:1"),  # 1.7 example a
        (649, 100, "6:1"),  # 1.7 example b
        (17, 8, "2:1"),  # 5.2.1 example
        (7, 7, "1:1"),
        (10, 7, "1:1"),  # 1.43
        (21, 2, "10:1"),
        (400, 1, "10:1"),
        (3, 9, "1:3"),
        (3, 4, "1:1"),
        (2, 3, "1:2"),
        (1, 2, "1:2"),
        (1, 9, "1:4"),
        (5, 0, "10:1"),
    ],
)
def test_start_column(attack: int, defence: int, column: str) -> None:
    assert COLUMNS[start_column(attack, defence)] == column


def test_weak_attacker_read_to_the_letter() -> None:
    assert COLUMNS[start_column(1, 2, "literal")] == "1:1"
    assert COLUMNS[start_column(2, 5, "literal")] == "1:3"


@pytest.mark.parametrize(
    ("start", "plus", "minus", "column"),
    [
        ("3:1", 3, 1, "5:1"),  # 1.6 example a
        ("5:1", 7, 2, "8:1"),  # 1.6 example b: capped at 10:1 before the defender's two
        ("2:1", 2, 1, "3:1"),  # 5.2.1 example
        ("1:3", 0, 5, "1:4"),
        ("10:1", 5, 0, "10:1"),
        ("1:1", 1, 1, "1:1"),
    ],
)
def test_shifts_are_capped_in_order(start: str, plus: int, minus: int, column: str) -> None:
    assert COLUMNS[shifted(COLUMNS.index(start), plus, minus)[1]] == column


@pytest.mark.parametrize(("whole", "half"), [(1, 1), (5, 3), (13, 7), (4, 2), (0, 0)])  # 1.7, 8.2.4
def test_halves_round_up(whole: int, half: int) -> None:
    assert halve(whole) == half
