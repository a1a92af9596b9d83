"""The words tests are written in: `refused` passes for what was asked for and nothing else."""

from __future__ import annotations

import pytest
from harness import refused

from companion.engine.errors import Mistake, NotNow, NotYours, Several, Unknown

LATE = NotNow("the river is frozen", rule="12.19", field="hex", given="0303")


@pytest.mark.parametrize(
    "told", [{}, {"rule": "12.19"}, {"field": "hex"}, {"given": "0303"}, {"rule": "12.19", "field": "hex"}]
)
def test_what_was_told_fits(told: dict[str, str]) -> None:
    with refused(NotNow, **told) as refusal:
        raise LATE
    assert refusal.value is LATE


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (NotYours, {}),
        (Mistake, {}),  # the kind must be the very one
        (NotNow, {"rule": "12.2"}),
        (NotNow, {"rule": ""}),
        (NotNow, {"field": "unit"}),
        (NotNow, {"given": "0304"}),
    ],
)
def test_anything_else_fails_and_says_what_came(kind: type[Mistake], told: dict[str, str]) -> None:
    with (
        pytest.raises(AssertionError, match=r"NotNow\(rule='12.19', field='hex', given='0303'\): the river"),
        refused(kind, **told),
    ):
        raise LATE


def test_one_of_several_is_enough() -> None:
    with refused(NotNow, field="hex") as refusal:
        raise Several([Unknown("no such unit", field="unit"), LATE])
    assert refusal.value is LATE
    with refused(Several, field="unit"):
        raise Several([Unknown("no such unit", field="unit"), LATE])


def test_nothing_refused_is_a_failure() -> None:
    with pytest.raises(pytest.fail.Exception), refused(NotNow):
        pass
