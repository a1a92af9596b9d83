"""What is worked out once about a table stays until something changes that it looked at."""

from typing import Any

import pytest
from toykit import toy_kit

from companion.engine import once as once_module
from companion.engine.once import once
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.engine.record.state import CHANGES


@pytest.fixture
def looks() -> list[str]:
    return []


def test_it_is_worked_out_once_for_each_way_it_is_asked(looks: list[str]) -> None:
    game = Game(toy_kit(), "skirmish")

    @once
    def named(game: Game, side: str) -> str:
        looks.append(side)
        return game.side_name(side)

    assert [named(game, "red"), named(game, "red"), named(game, "blue")] == ["Red", "Red", "Blue"]
    assert looks == ["red", "blue"]
    assert (
        named(Game(toy_kit(), "skirmish"), "red") == "Red" and looks[-1] == "red"
    )  # another table's is its own


def test_a_change_of_what_it_looked_at_and_every_restored_state_drops_it(looks: list[str]) -> None:
    game = Game(toy_kit(), "skirmish")

    @once
    def turn(game: Game) -> int:
        looks.append("turn")
        return game.turn

    before = turn(game)
    game.apply(e.Advanced(before + 1, game.phase))
    assert turn(game) == before + 1
    game.restore({**game.dump(), "turn": before + 2})
    assert turn(game) == before + 2 and len(looks) == 3


def test_stacks_follow_every_move() -> None:
    game = Game(toy_kit(), "skirmish")
    game.apply(e.Placed("one", "0101", facts={"side": "red", "name": "One"}, side="red"))
    assert list(game.stacks()) == ["0101"]
    game.apply(e.Placed("one", "0202", "0101", side="red"))
    assert list(game.stacks()) == ["0202"]


def test_what_it_did_not_look_at_leaves_it_alone(looks: list[str]) -> None:
    game = Game(toy_kit(), "skirmish")

    @once
    def about(game: Game) -> tuple[int, int]:
        looks.append("about")
        return game["vp"], len(game.units)

    once_checked, once_module.checking = once_module.checking, None  # it would look again to compare
    try:
        about(game)
        game.apply(e.Rolled("2d6", (3, 4), "test"))
        game.apply(e.Set("reserve", 3))
        game.apply(e.Advanced(2, game.phase))
        assert about(game) == (3, 0) and looks == ["about"]
        game.apply(e.Set("vp", 2))
        assert about(game) == (2, 0)
        game.apply(e.Placed("one", "0101", facts={"side": "red", "name": "One"}, side="red"))
        assert about(game) == (2, 1) and len(looks) == 3
    finally:
        once_module.checking = once_checked


def test_what_it_is_made_of_counts_too_even_when_that_was_kept() -> None:
    game = Game(toy_kit(), "skirmish")

    @once
    def inner(game: Game) -> int:
        return len(game.units)

    @once
    def outer(game: Game) -> int:
        return inner(game) + 1

    inner(game)
    assert outer(game) == 1
    game.apply(e.Placed("one", "0101", facts={"side": "red", "name": "One"}, side="red"))
    assert outer(game) == 2


def test_a_look_that_fails_is_tried_again_and_leaves_the_game_as_it_was(looks: list[str]) -> None:
    game = Game(toy_kit(), "skirmish")

    @once
    def failing(game: Game) -> int:
        looks.append("once more")
        raise ValueError(game.turn)

    for _ in range(2):
        with pytest.raises(ValueError):
            failing(game)
    assert len(looks) == 2 and type(game) is Game


def test_what_is_kept_too_long_fails_its_test() -> None:
    game, outside = Game(toy_kit(), "skirmish"), [1]

    @once
    def blind(game: Game) -> int:
        return outside[0]

    blind(game)
    outside[0] = 2
    game.apply(e.Rolled("2d6", (3, 4), "test"))
    with pytest.raises(AssertionError, match="nothing it looked at"):
        blind(game)


@pytest.mark.parametrize("kind", sorted(e.KINDS))
def test_every_kind_of_event_says_what_it_changes(kind: str) -> None:
    assert set(CHANGES[kind].split()) <= Game.PARTS


def test_what_nobody_asks_for_any_more_goes() -> None:
    game = Game(toy_kit(), "skirmish")

    @once
    def same(game: Game, number: int) -> int:
        return number

    for number in range(10 * once_module.MOST):
        assert same(game, number) == number
        assert same(game, -1) == -1
        game.apply(e.Rolled("2d6", (3, 4), "test"))
    assert len(game.worked) <= 2 * once_module.MOST


def test_each_kind_of_marker_counts_by_itself(looks: list[str]) -> None:
    game = Game(toy_kit(), "skirmish")

    @once
    def about(game: Game) -> tuple[Any, dict[str, Any]]:
        looks.append("about")
        return game.mark("one", "oos"), game.marked("oos")

    once_checked, once_module.checking = once_module.checking, None
    try:
        assert about(game) == (None, {})
        game.apply(e.Marked("one", "posture", "attack"))
        assert about(game) == (None, {}) and looks == ["about"]
        game.apply(e.Marked("one", "oos", 2))
        assert about(game) == (2, {}) and len(looks) == 2  # nobody of that name is on record to carry it
    finally:
        once_module.checking = once_checked


def test_who_is_on_record_counts_apart_from_where_he_stands() -> None:
    game = Game(toy_kit(), "skirmish")
    game.apply(e.Marked("one", "oos", 2))  # before there is such a unit, it lies where it does not belong

    @once
    def cut_off(game: Game) -> dict[str, Any]:
        return game.marked("oos")

    assert cut_off(game) == {}
    game.apply(e.Placed("one", "0101", facts={"side": "red", "name": "One"}, side="red"))
    assert cut_off(game) == {"one": 2}


def test_each_unit_counts_by_itself(looks: list[str]) -> None:
    game = Game(toy_kit(), "skirmish")

    @once
    def where(game: Game, unit: str) -> tuple[str, int]:
        looks.append(unit)
        return (game.units[unit].place if unit in game.units else ""), len(game.units)

    once_checked, once_module.checking = once_module.checking, None
    try:
        assert where(game, "one") == ("", 0)
        game.apply(e.Placed("one", "0101", facts={"side": "red"}, side="red"))
        assert where(game, "one") == ("0101", 1)
        game.apply(e.Placed("two", "0101", facts={"side": "red"}, side="red"))
        assert where(game, "one") == ("0101", 2) and where(game, "two") == ("0101", 2)
        game.apply(e.Placed("two", "0202", "0101", side="red"))
        assert where(game, "one") == ("0101", 2) and looks == ["one", "one", "one", "two"]
        assert where(game, "two") == ("0202", 2)
    finally:
        once_module.checking = once_checked
