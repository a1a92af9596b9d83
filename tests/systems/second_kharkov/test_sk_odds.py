"""Odds, halving and chart rows, by rule number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.systems.second_kharkov.base import Reason
from companion.systems.second_kharkov.odds import Group, grouped, odds, row, steps_of, total

OUT = (Reason("out of supply", "9.9"),)


@pytest.mark.parametrize(
    ("attack", "defence", "ratio", "column", "rule"),
    [
        (26, 7, "3:1", "3:1", "12.7 example"),
        (5, 11, "1:3", "1:3", "12.8 example"),
        (8, 1, "8:1", "6:1", "12.9 example"),
        (7, 7, "1:1", "1:1", "12.7: equal totals"),
        (10, 11, "1:2", "1:2", "12.8: just short of even"),
        (13, 7, "1:1", "1:1", "12.7: rounds down"),
        (14, 7, "2:1", "2:1", "12.7"),
        (6, 1, "6:1", "6:1", "12.9: the last column"),
        (48, 7, "6:1", "6:1", "12.9: 6.86 is no seventh multiple"),
        (49, 7, "7:1", "6:1", "12.9"),
        (4, 12, "1:3", "1:3", "12.9: the worst column"),
    ],
)
def test_odds(attack: int, defence: int, ratio: str, column: str, rule: str) -> None:
    found = odds(attack, defence)
    assert (str(found), found.column) == (ratio, column)
    assert not found.automatic


@pytest.mark.parametrize(("attack", "defence"), [(4, 13), (1, 4), (0, 1), (0, 9)])
def test_worse_than_one_to_three_is_not_rolled_for(attack: int, defence: int) -> None:
    """12.9; and no ratio is made up where nothing attacks."""
    found = odds(attack, defence)
    assert found.automatic
    assert attack or str(found) == "below 1:3"


@pytest.mark.parametrize(
    ("attack", "defence", "surplus"), [(6, 1, 0), (7, 1, 1), (8, 1, 2), (100, 7, 8), (5, 6, 0)]
)
def test_multiples_above_six(attack: int, defence: int, surplus: int) -> None:
    """12.9."""
    assert odds(attack, defence).surplus == surplus


def test_no_odds_against_nothing() -> None:
    with pytest.raises(ValueError):
        odds(5, 0)


@given(st.integers(1, 200), st.integers(1, 200))
def test_both_roundings_favour_the_defender(attack: int, defence: int) -> None:
    found = odds(attack, defence)
    exact = attack / defence
    assert (1 / found.number if found.poor else found.number) <= exact


@pytest.mark.parametrize(
    ("stacks", "causes", "by_stack", "sum_", "words"),
    [
        ((9,), 1, True, 5, "half of 9"),
        ((9, 6), 1, True, 8, "half of 9 + half of 6"),
        ((5, 5), 1, True, 6, "half of 5 + half of 5"),
        ((5, 5), 1, False, 5, "half of 10"),
        ((9,), 2, True, 3, "half of half of 9"),
        ((1,), 2, True, 1, "half of half of 1"),
        ((9, 6), 0, True, 15, "9 + 6"),
        ((26,), 0, True, 26, ""),
    ],
)
def test_halving(stacks: tuple[int, ...], causes: int, by_stack: bool, sum_: int, words: str) -> None:
    """1.5: sum, halve, round up once; two causes halve twice."""
    group = Group(stacks, OUT * causes)
    assert group.total(by_stack) == sum_
    assert group.arithmetic(by_stack) == words


def test_units_of_one_stack_are_summed_before_halving() -> None:
    """1.5: 3 and 4 out of supply in one hex are half of 7, not 2 and 2."""
    groups = grouped([("2408", 3, OUT), ("2408", 4, OUT), ("2409", 5, ())])
    assert total(groups) == 4 + 5


@pytest.mark.parametrize(
    ("final", "clamp", "expected"),
    [
        (-3, False, "<1"),
        (0, False, "<1"),
        (0, True, "1"),
        (1, False, "1"),
        (6, False, "6"),
        (7, False, ">6"),
        (11, True, ">6"),
    ],
)
def test_rows(final: int, clamp: bool, expected: str) -> None:
    """12.7 errata names a row above 6; negative modifiers reach below 1."""
    assert row(final, clamp) == expected


def test_result_codes() -> None:
    """12.19: attacker's steps left of the slash."""
    assert steps_of("2/3") == {"attacker": 2, "defender": 3}
