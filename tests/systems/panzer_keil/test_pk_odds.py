"""Strengths, odds, armour and exchange: the rulebook's examples and cases derived from its rules."""

from __future__ import annotations

from fractions import Fraction

import pytest

from companion.systems.panzer_keil.odds import (
    Armour,
    Attack,
    armour_shift,
    attack_strength,
    column,
    exchange_loss,
    half_up,
    odds,
)


@pytest.mark.parametrize(
    ("attack", "strength", "rule"),
    [
        (Attack(full=(8,), river=(3,)), 9, "9.6 example: 3 over a river is 1, with 8 that is 9"),
        (Attack(river=(3, 3)), 2, "9.2.1: each hex is rounded by itself"),
        (Attack(river=(6,)), 3, "9.2.1: stack-mates are summed first, 3+3"),
        (Attack(marsh=(5,)), 2, "9.2.2"),
        (Attack(major=(7,)), 3, "B10.3: a major river halves like a river"),
        (Attack(oos=(5,)), 2, "9.2.3, rounding as 9.2.1"),
        (Attack(full=(4, 2), oos=(3,), marsh=(1,)), 7, "9.2: groups add up"),
        (Attack(river=(1,)), 0, "9.2.1: a strength of 1 is worth nothing over a river"),
    ],
)
def test_attack_strength(attack: Attack, strength: int, rule: str) -> None:
    assert attack_strength(attack) == strength, rule


def test_out_of_supply_may_keep_its_half_point_by_a_reading() -> None:
    assert attack_strength(Attack(oos=(5,)), "exact") == Fraction(5, 2)


@pytest.mark.parametrize(("printed", "counts"), [(0, 0), (1, 1), (4, 2), (5, 3), (7, 4)])
def test_disrupted_defenders_count_half_rounded_up(printed: int, counts: int) -> None:
    assert half_up(printed) == counts  # 9.2.5


@pytest.mark.parametrize(
    ("attack", "defence", "literal", "ratio"),
    [
        (9, 4, "2:1", "2:1"),  # 9.6 example
        (4, 4, "1:1", "1:1"),
        (11, 4, "2:1", "2:1"),
        (12, 4, "3:1", "3:1"),
        (4, 9, "1:2", "1:3"),  # 9.3(2), both readings
        (3, 4, "1:1", "1:2"),
        (2, 4, "1:2", "1:2"),
        (Fraction(5, 2), 5, "1:2", "1:2"),
        (0, 3, "1:99", "1:99"),
    ],
)
def test_odds(attack: int, defence: int, literal: str, ratio: str) -> None:
    assert odds(attack, defence) == literal
    assert odds(attack, defence, "ratio") == ratio


@pytest.mark.parametrize(
    ("ratio", "shift", "lands"),
    [
        ("2:1", 1, "3:1"),  # 9.6 example
        ("1:1", -1, "1:2"),
        ("1:2", 1, "1:1"),
        ("20:1", 0, "6:1"),
        ("20:1", -1, "5:1"),  # the column first, then the shift
        ("6:1", 1, "6:1"),  # no column beyond the last
        ("1:99", 0, "1:3"),
        ("1:99", -1, "1:3"),
    ],
)
def test_column_within_the_printed_ends(ratio: str, shift: int, lands: str) -> None:
    assert column(ratio, shift, "1:3", "6:1") == lands


CASES = [
    (Armour(attacker="free"), 1, "9.4: attacker's armour"),
    (Armour(defender=True), -1, "9.4.1: defender's armour"),
    (Armour(attacker="free", defender=True), 0, "9.4.3: both sides"),
    (Armour(attacker="free", clear=False), 0, "9.4.4: clear hex only"),
    (Armour(defender=True, clear=False), 0, "9.4.4: clear hex only"),
    (Armour(attacker="hindered", hindered_attack=True), 0, "9.4.4: over a river or out of a marsh"),
    (
        Armour(attacker="free", hindered_attack=True),
        1,
        "9.6 example: the infantry crosses, the armour does not",
    ),
    (Armour(defender=True, hindered_attack=True), -1, "9.4.4 hinders the attacker, suggested reading"),
    (Armour(defender=True, grenadiers=True, german="attacker"), 0, "B11.3: grenadiers attack"),
    (Armour(attacker="free", grenadiers=True, german="defender"), 0, "B11.3: grenadiers defend"),
    (
        Armour(attacker="free", grenadiers=True, german="attacker"),
        1,
        "B11.3: they take nothing from their own side",
    ),
    (Armour(attacker="free", defender=True, grenadiers=True), 0, "9.4.3 before B11.3, suggested reading"),
    (Armour(grenadiers=True), 0, "B11.3: grenadiers give no effect"),
    (Armour(), 0, "no armour"),
]


@pytest.mark.parametrize(("case", "shift", "rule"), CASES)
def test_armour(case: Armour, shift: int, rule: str) -> None:
    assert armour_shift(case).by == shift, rule


@pytest.mark.parametrize(
    ("case", "river", "grenadiers", "shift"),
    [
        (Armour(defender=True, hindered_attack=True), "defender", "none", 0),
        (Armour(attacker="hindered", hindered_attack=True), "defender", "none", 1),
        (Armour(attacker="hindered", hindered_attack=True), "both", "none", 0),
        (Armour(attacker="free", defender=True, grenadiers=True), "attacker", "german", 1),
        (
            Armour(attacker="free", defender=True, grenadiers=True, german="defender"),
            "attacker",
            "german",
            -1,
        ),
    ],
)
def test_armour_by_other_readings(case: Armour, river: str, grenadiers: str, shift: int) -> None:
    assert armour_shift(case, river, grenadiers).by == shift


@pytest.mark.parametrize(
    ("loss", "defenders", "lost", "rule"),
    [
        (2, (3, 4), [], "9.6 example: less than any defender"),
        (2, (3,), [], "9.6 example"),
        (5, (4, 4), [4], "the most that does not exceed 5"),
        (8, (4, 4), [4, 4], "all of it"),
        (9, (4, 4), [4, 4], "more than the whole defence"),
        (7, (2, 3, 4), [4, 3], "an exact match"),
        (3, (3, 5), [3], "an exact match of one"),
        (6, (5, 4, 2), [4, 2], "an exact match of two"),
        (0, (1,), [], "nothing given up"),
    ],
)
def test_exchange(loss: int, defenders: tuple[int, ...], lost: list[int], rule: str) -> None:
    assert sorted(exchange_loss(loss, defenders), reverse=True) == lost, rule


def test_exchange_reading_above_takes_the_least_that_reaches_the_loss() -> None:
    assert exchange_loss(5, (4, 3, 3), between="above") == [3, 3]


def test_exchange_counts_a_stack_halved_as_one() -> None:
    # Two disrupted threes: 2 each alone, together half of 6.
    assert exchange_loss(3, (2, 2), total=3) == [2, 2]
