"""Dice: what can be rolled, and that every digital roll is fair and can be recomputed."""

import hashlib
import hmac
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.engine.dice import Spec, Stream, Told, commitment
from companion.engine.errors import Unreadable

SEED = "0f" * 32


@pytest.mark.parametrize(
    ("text", "count", "sides", "low", "high", "plus", "written"),
    [
        ("d6", 1, 6, 1, 6, 0, "1d6"),
        ("1d6", 1, 6, 1, 6, 0, "1d6"),
        (" 2 D 6 ", 2, 6, 1, 6, 0, "2d6"),
        ("2k6", 2, 6, 1, 6, 0, "2d6"),
        ("2d6+1", 2, 6, 1, 6, 1, "2d6+1"),
        ("2d6 - 2", 2, 6, 1, 6, -2, "2d6-2"),
        ("1d10z", 1, 10, 0, 9, 0, "1d10z"),
        ("d10Z+3", 1, 10, 0, 9, 3, "1d10z+3"),
        ("20d100", 20, 100, 1, 100, 0, "20d100"),
    ],
)
def test_a_roll_is_read_as_players_write_it(
    text: str, count: int, sides: int, low: int, high: int, plus: int, written: str
) -> None:
    spec = Spec.parse(text)
    assert (spec.count, spec.sides, spec.lowest, spec.highest, spec.plus) == (count, sides, low, high, plus)
    assert str(spec) == written
    assert Spec.parse(written) == spec


@pytest.mark.parametrize(
    "text",
    ["", "six", "d", "0d6", "21d6", "1d1", "banana", "1d101", "2d6+", "1d6d6", "-1d6", "1d6; rm", "🎲"],
)
def test_what_is_no_roll_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(Unreadable) as raised:
        Spec.parse(text)
    assert repr(text) in raised.value.message
    assert raised.value.field == "dice"


@pytest.mark.parametrize(
    ("spec", "given", "values"),
    [
        ("1d6", "3", (3,)),
        ("1d6", 3, (3,)),
        # in a text the dice stand apart, somehow
        ("2d6", "3 5", (3, 5)),
        ("2d6", "3,5", (3, 5)),
        ("2d6", "3, 5,", (3, 5)),
        ("2d6", "6/6", (6, 6)),
        ("2d6+1", "6+6", (6, 6)),
        # in a list they do anyhow
        ("2d6", [3, 5], (3, 5)),
        ("2d6", ["3", "5"], (3, 5)),
        ("2d6", (1, 2), (1, 2)),
        ("1d10z", "0", (0,)),
        ("2d10z", "0 9", (0, 9)),
        ("1d20", "17", (17,)),
    ],
)
@pytest.mark.parametrize("by_sum", [False, True])
def test_real_dice_are_typed_in_as_they_lie(
    spec: str, given: Any, values: tuple[int, ...], by_sum: bool
) -> None:
    assert Spec.parse(spec).read(given, by_sum) == Told(values)


@pytest.mark.parametrize(
    ("spec", "given", "total"),
    [
        ("2d6", "12", 12),
        ("2d6", "11", 11),
        ("2d6", "7", 7),
        ("2d6", 12, 12),
        ("2d6", " 2 ", 2),
        ("3d6", "18", 18),
        ("2d10z", "0", 0),
        ("2d10z", "09", 9),
        ("2d6+1", "12", 12),  # the dice alone: the plus is added afterwards
        ("2d20", "35", 35),
    ],
)
def test_one_number_for_several_dice_is_their_sum(spec: str, given: Any, total: int) -> None:
    assert Spec.parse(spec).read(given, by_sum=True) == Told((), total)
    with pytest.raises(Unreadable, match="one number for . dice, and here each die counts"):
        Spec.parse(spec).read(given)


REFUSED: dict[str, list[Any]] = {
    "1d6": ["0", "7", "3 5", "", "six", "-3", "3.5", True, "9" * 5_000],
    "2d6": ["1", "13", "37", "66", "355", "3 7", "3 5 1", "6 + 6 = 12", "9" * 5_000]
    + [[12], ["6", ""], ["", ""], ["3 5", "1"], [9 * 10**80, 1]],
    "2d6+1": ["13"],
    "1d10z": ["10"],
}


@pytest.mark.parametrize(("spec", "given"), [(spec, g) for spec, many in REFUSED.items() for g in many])
@pytest.mark.parametrize("by_sum", [False, True])
def test_dice_that_cannot_have_fallen_are_refused(spec: str, given: Any, by_sum: bool) -> None:
    read = Spec.parse(spec)
    with pytest.raises(Unreadable) as raised:
        read.read(given, by_sum)
    assert f"from {read.lowest} to {read.highest}" in raised.value.accepted
    assert len(raised.value.message) < 300


@pytest.mark.parametrize(
    ("spec", "given", "words"),
    [
        ("2d6", "13", "'13' is not a roll of 2d6: 2 numbers from 1 to 6, or their sum from 2 to 12"),
        ("2d6+1", "13", "2 numbers from 1 to 6, or their sum from 2 to 12, before the +1"),
        ("1d6-1", "0", "1 number from 1 to 6, before the -1"),
        ("3d6", ["4", "", "2"], "only 2 of 3 dice are entered: 3 numbers from 1 to 6"),
        ("2d6", ["", "5"], "only 1 of 2 dice is entered"),
        ("2d6", ["", ""], "roll first, then say what each die shows, 1 to 6"),
        ("1d10z", "", "roll first, then say what the die shows, 0 to 9"),
    ],
)
def test_a_refusal_says_what_would_do(spec: str, given: Any, words: str) -> None:
    with pytest.raises(Unreadable) as raised:
        Spec.parse(spec).read(given, by_sum=True)
    assert words in raised.value.message


@given(
    spec=st.builds(Spec, st.integers(2, 20), st.integers(2, 100), st.booleans(), st.integers(-9, 9)),
    text=st.from_regex(r"\A[0-9]{1,12}\Z"),
)
def test_digits_that_touch_are_never_split(spec: Spec, text: str) -> None:
    """Whatever the dice, a text of digits alone is their sum or is asked back."""
    try:
        assert spec.read(text, by_sum=True) == Told((), int(text))
        assert spec.sums[0] <= int(text) <= spec.sums[1]
    except Unreadable:
        assert not spec.sums[0] <= int(text) <= spec.sums[1] or len(text) > 9
    with pytest.raises(Unreadable):
        spec.read(text)


@given(data=st.data(), spec=st.builds(Spec, st.integers(1, 20), st.integers(2, 100), st.booleans()))
def test_dice_told_apart_stay_as_they_are(data: st.DataObject, spec: Spec) -> None:
    faces = data.draw(
        st.lists(st.integers(spec.lowest, spec.highest), min_size=spec.count, max_size=spec.count)
    )
    for by_sum in (False, True):
        assert spec.read(faces, by_sum) == Told(tuple(faces))
        for mark in (" ", ",", " + ", "; "):
            assert spec.read(mark.join(map(str, faces)), by_sum) == Told(tuple(faces))


def test_the_same_seed_rolls_the_same() -> None:
    rolls = [Stream(SEED, 5).roll(Spec.parse("20d6")) for _ in range(2)]
    assert rolls[0] == rolls[1]
    assert Stream("1f" * 32, 5).roll(Spec.parse("20d6")) != rolls[0]


def test_a_roll_is_what_the_documented_recipe_gives() -> None:
    digest = hmac.new(bytes.fromhex(SEED), b"7:0", hashlib.sha256).digest()
    assert Stream(SEED, 7).below(6) == int.from_bytes(digest[:4], "big") % 6


def test_the_commitment_is_the_seeds_hash() -> None:
    assert commitment(SEED) == hashlib.sha256(bytes.fromhex(SEED)).hexdigest()
    assert SEED not in commitment(SEED)


def test_each_die_uses_one_position() -> None:
    stream = Stream(SEED)
    first = stream.roll(Spec.parse("2d6"))
    second = stream.roll(Spec.parse("3d6"))
    assert stream.position == 5
    assert Stream(SEED).roll(Spec.parse("5d6")) == (*first, *second)


def test_each_sides_words_change_every_roll() -> None:
    spec = Spec.parse("20d6")
    rolls = [
        Stream(SEED, 0, words).roll(spec) for words in ([], ["fox"], ["hen"], ["fox", "hen"], ["hen", "fox"])
    ]
    assert len(set(rolls)) == 5


def test_a_number_past_the_last_whole_multiple_is_thrown_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """2**32 is no multiple of 6: the four numbers at the top would favour the faces 1 to 4."""
    asked: list[bytes] = []

    def digest(key: bytes, text: bytes, how: str) -> bytes:
        asked.append(text)
        return b"\xff\xff\xff\xff" if text.endswith(b":0") else b"\x00\x00\x00\x05"

    monkeypatch.setattr(hmac, "digest", digest)
    stream = Stream(SEED, 3)
    assert stream.below(6) == 5
    assert asked == [b"3:0", b"3:1"]
    assert stream.position == 4, "a thrown-again number still uses one position"


@pytest.mark.parametrize(("sides", "bound"), [(6, 20.5), (10, 27.9)])
def test_no_face_is_favoured(sides: int, bound: float) -> None:
    """Chi-squared of 6,000 throws stays under the one-in-a-thousand bound for this fixed seed."""
    throws = 6_000
    stream = Stream(SEED)
    counts = Counter(stream.below(sides) for _ in range(throws))
    fair = throws / sides
    assert sum((counts[face] - fair) ** 2 / fair for face in range(sides)) < bound


def test_a_draw_takes_each_token_once() -> None:
    tokens = ["delta", "amber", "cedar", "birch"]
    assert sorted(Stream(SEED).pick(tokens, 4)) == sorted(tokens)
    assert sorted(Stream(SEED).pick(tokens, 9)) == sorted(tokens), "no more than there are"
    assert Stream(SEED).pick(tokens, 2) == Stream(SEED).pick(reversed(tokens), 2), (
        "the order in the cup says nothing"
    )
    assert tokens == ["delta", "amber", "cedar", "birch"]
