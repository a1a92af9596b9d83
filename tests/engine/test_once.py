"""What is worked out once about a table is dropped as soon as the table changes."""

import pytest
from toykit import toy_kit

from companion.engine.once import once
from companion.engine.record import events as e
from companion.engine.record.game import Game


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


def test_every_event_and_every_restored_state_drops_it(looks: list[str]) -> None:
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
