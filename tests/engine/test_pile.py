"""Cups and decks: every token lies in exactly one zone, and none is lost."""

import pytest

from companion.engine.errors import Unknown
from companion.engine.pile import Pile


@pytest.fixture
def cup() -> Pile:
    return Pile({"cup": ["cedar", "amber", "birch"], "drawn": []})


def test_a_draw_moves_a_token_from_zone_to_zone(cup: Pile) -> None:
    cup.move(["birch"], "cup", "drawn")
    assert (cup["cup"], cup["drawn"], cup.where("birch")) == (["amber", "cedar"], ["birch"], "drawn")


def test_there_is_no_hidden_order(cup: Pile) -> None:
    cup.move(["cedar", "amber"], "cup", "drawn")
    cup.move(["cedar"], "drawn", "cup")
    cup.move(["amber"], "drawn", "cup")
    assert cup["cup"] == ["amber", "birch", "cedar"]


def test_a_token_that_is_not_there_cannot_be_drawn_and_nothing_moves(cup: Pile) -> None:
    with pytest.raises(Unknown, match="delta, ember is not in cup"):
        cup.move(["amber", "delta", "ember"], "cup", "drawn")
    assert cup["cup"] == ["amber", "birch", "cedar"]


def test_an_empty_hand_vanishes_but_an_empty_cup_stays(cup: Pile) -> None:
    cup.move(["amber", "birch", "cedar"], "cup", "hand:red")
    assert cup.zones == {"cup": [], "drawn": [], "hand:red": ["amber", "birch", "cedar"]}
    cup.move(["amber", "birch", "cedar"], "hand:red", "drawn")
    assert "hand:red" not in cup.zones


def test_tokens_can_be_added_and_counted(cup: Pile) -> None:
    cup.add(["aspen"], "cup")
    assert cup.count("cup") == 4
    assert cup.tokens() == ["amber", "aspen", "birch", "cedar"]
    assert (cup.count("nowhere"), cup["nowhere"], cup.where("oak")) == (0, [], None)


def test_a_token_named_twice_does_not_become_two(cup: Pile) -> None:
    cup.move(["amber", "amber"], "cup", "drawn")
    assert cup["drawn"] == ["amber"]
    assert cup.tokens() == ["amber", "birch", "cedar"]
