"""Result codes and what they ask for: the examples of 5.2.1, 5.3.7, 5.3.9, 7.3.6 and the legend."""

from __future__ import annotations

import pytest
from harness import refused

from companion.engine.errors import Unreadable
from companion.systems.wb95.grammar import Part, combat, part, retreat_choices, retreat_tests


@pytest.mark.parametrize(
    ("code", "meaning"),
    [
        ("-", Part()),
        ("-1", Part(loss=1)),
        ("-1D", Part(loss=1, disorganised=True)),
        ("-2D", Part(loss=2, disorganised=True)),
        ("D2 -1", Part(loss=1, retreat=2)),
        ("D4D", Part(retreat=4, disorganised=True)),
        ("D5D -1", Part(loss=1, retreat=5, disorganised=True)),
        ("A1", Part(retreat=1)),
        ("A1D", Part(retreat=1, disorganised=True)),
        ("A1•", Part(retreat=1, test=True)),
        ("A2D -2", Part(loss=2, retreat=2, disorganised=True)),
        ("D -1", Part(loss=1, disorganised=True)),
        ("•", Part(test=True)),
        (".", Part(test=True)),
        ("-1•", Part(loss=1, test=True)),
        ("D", Part(disorganised=True)),
    ],
)
def test_parts(code: str, meaning: Part) -> None:
    assert part(code) == meaning


@pytest.mark.parametrize("code", ["", "X", "D2D2", "B2", "-", "--1"])
def test_nonsense_is_refused(code: str) -> None:
    if code == "-":
        return
    with refused(Unreadable, given=code):
        part(code)


def test_combat_needs_two_parts() -> None:
    assert combat("-1 / D2") == (Part(loss=1), Part(retreat=2))
    assert combat("A1./-") == (Part(retreat=1, test=True), Part())
    with refused(Unreadable, given="D2"):
        combat("D2")


def test_sustained_retreat() -> None:
    assert retreat_choices(3) == [(3, 0), (2, 1), (1, 2), (0, 3)]  # 5.3.7
    assert retreat_choices(2) == [(2, 0), (1, 1), (0, 2)]  # 5.2.1 example


@pytest.mark.parametrize(("result", "price"), [(1, 0), (2, 1), (3, 2)])  # 7.3.6
def test_fixed_positions_pay_one_less(result: int, price: int) -> None:
    assert dict(retreat_choices(result, fixed_position=True))[0] == price


@pytest.mark.parametrize(("gone", "tests"), [(2, 1), (3, 2), (1, 0), (0, 0)])  # 5.3.9
def test_retreat_tests(gone: int, tests: int) -> None:
    assert retreat_tests(gone) == tests


def test_words() -> None:
    assert (
        Part(loss=1, retreat=2, test=True).words()
        == "lose 1 CEL, fall back 2 or pay in CEL, disorganisation test"
    )
    assert Part().words() == "nothing"
