"""Plain values and what a view is made of."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from types import SimpleNamespace

import pytest

from companion.engine.plain import Shown


class Stack(Shown):
    hex: str
    height: int = 1


def test_a_view_takes_over_what_a_thing_has_by_the_same_name_and_is_frozen() -> None:
    stack = Stack.of(SimpleNamespace(hex="0101", height=2, secret="x"), height=3)
    assert stack == Stack("0101", 3)
    assert "secret" not in vars(stack)
    with pytest.raises(FrozenInstanceError):
        stack.height = 4  # type: ignore[misc]


def test_a_view_refuses_a_field_that_it_does_not_have() -> None:
    with pytest.raises(TypeError, match="Stack has no colour"):
        Stack.of(SimpleNamespace(hex="0101", height=2), colour="red")
