"""Dice: what can be rolled, and that every digital roll is fair and can be recomputed."""

import hashlib
import hmac
from collections import Counter
from typing import Any

import pytest

from companion.engine.dice import Spec, Stream, commitment
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
        # two dice, however they are set apart
        ("2d6", "3 5", (3, 5)),
        ("2d6", "3,5", (3, 5)),
        ("2d6", "35", (3, 5)),
        ("2d6", 35, (3, 5)),
        ("2d6", [3, 5], (3, 5)),
        ("2d6", ["3", "5"], (3, 5)),
        ("2d6+1", "6+6", (6, 6)),
        ("1d10z", "0", (0,)),
        ("2d10z", "09", (0, 9)),
        ("1d20", "17", (17,)),
    ],
)
def test_real_dice_are_typed_in_as_they_lie(spec: str, given: Any, values: tuple[int, ...]) -> None:
    assert Spec.parse(spec).read(given) == values


@pytest.mark.parametrize(
    ("spec", "given"),
    [
        ("1d6", "0"),
        ("1d6", "7"),
        ("1d6", "3 5"),
        ("1d6", ""),
        ("1d6", "six"),
        ("2d6", "3"),
        ("2d6", "37"),
        ("2d6", "355"),
        ("2d20", "35"),
        ("1d10z", "10"),
        ("1d6", "9" * 5_000),
        ("2d6", [9 * 10**80, 1]),
    ],
)
def test_dice_that_cannot_have_fallen_are_refused(spec: str, given: Any) -> None:
    read = Spec.parse(spec)
    with pytest.raises(Unreadable) as raised:
        read.read(given)
    assert f"from {read.lowest} to {read.highest}" in raised.value.accepted
    assert len(raised.value.message) < 300


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

    class Digest:
        def __init__(self, text: bytes) -> None:
            self.text = text

        def digest(self) -> bytes:
            asked.append(self.text)
            return b"\xff\xff\xff\xff" if self.text.endswith(b":0") else b"\x00\x00\x00\x05"

    monkeypatch.setattr(hmac, "new", lambda key, text, how: Digest(text))
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
