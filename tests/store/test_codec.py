"""JSON as the store writes it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.store.codec import dump, load, load_kept

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=20,
)


@given(VALUES)
def test_every_json_value_comes_back_and_writes_the_same_text(value):
    text = dump(value)
    assert load(text) == value
    assert dump(load(text)) == text


@pytest.mark.parametrize(
    "value", ["\ud800", ["a", "b\udfff"], float("inf"), {1, 2}, {"a": b""}, {1: 2, "a": 3}]
)
def test_what_json_or_utf8_cannot_hold_is_a_value_error(value):
    with pytest.raises(ValueError, match="cannot be stored|not storable"):
        dump(value)


def test_endless_nesting_is_a_value_error():
    nested = []
    nested.append(nested)
    with pytest.raises(ValueError, match="not storable"):
        dump(nested)


@given(VALUES)
def test_what_is_kept_reads_the_same(value):
    assert load_kept(dump(value)) == value


def test_words_that_are_kept_are_one_object():
    first, second = (load_kept('{"unit": {"kind": "Tank brigade"}}') for _ in range(2))
    assert first["unit"]["kind"] is second["unit"]["kind"]


def test_what_is_kept_is_read_to_its_end():
    with pytest.raises(ValueError, match="Extra data"):
        load_kept('{"kind": "rolled"}}')
