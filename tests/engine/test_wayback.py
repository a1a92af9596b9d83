"""The way back from the last actions: what they changed is put back as it was, and nothing else is touched."""

import pytest
from toykit import plain, toy_kit

from companion.engine import wayback
from companion.engine.once import follow, once
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.engine.record.state import CHANGES
from companion.engine.wayback import WayBack


@pytest.fixture
def game() -> Game:
    """With a unit, a mark and a question, so that there is something to change."""
    game = Game(toy_kit(), "skirmish")
    game.apply(e.Started("toy", "skirmish", {}, "c"))
    game.apply(e.Placed("one", "0101", facts={"side": "red", "name": "One", "steps": 2}, side="red"))
    game.apply(e.Marked("one", "out-of-supply", True))
    game.apply(e.Asked("q", ("red",), "Why?"))
    game.apply(e.Sealed("bid", "red", 3))
    return game


def done(game: Game, *events: e.Event) -> int:
    """Let something happen, and return the line before it."""
    line = game.revision
    game.way_back.begin(line)
    for event in events:
        game.apply(event)
    return line


EVENTS = [
    e.Advanced(2, "move"),
    e.Set("weather", "mud", only=("red",)),
    e.Rolled("2d6", (3, 4), index=0),
    e.Drawn("cup", ("a", "b"), "", "somewhere"),
    e.Placed("one", "0202", "0101", {"steps": 1}),
    e.Placed("two", "0202", facts={"side": "blue"}),
    e.Marked("one", "out-of-supply", None),
    e.Marked("0303", "mine", 2),
    e.Sealed("bid", "blue", 5),
    e.Revealed("bid", {"red": 3}),
    e.Resolved("odds", {"column": "3:1"}, "DR"),
    e.Engaged(0, "Attack", "red", "blue", forces={"red": ("one",)}, opens=True),
    e.Asked("r", ("blue",), "Really?"),
    e.Answered("q", "yes"),
    e.Ticked("1/move/0"),
    e.Noted("so it was"),
    e.Reseeded("d"),
    e.Seated("red", "joined"),
    e.Ended("red"),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.KIND)
def test_every_kind_of_event_is_put_back(game: Game, event: e.Event) -> None:
    before = plain(game)
    line = done(game, event)
    assert game.way_back.leads_to(line)
    game.way_back.go(game, line)
    assert plain(game) == before


def test_no_kind_of_event_is_forgotten_here() -> None:
    assert {event.KIND for event in EVENTS} | {"started", "undone", "returned"} == CHANGES.keys()


def test_it_leads_over_several_actions_and_no_further_than_it_knows(game: Game) -> None:
    states, lines = [], []
    for number in range(wayback.STEPS + 1):
        states.append(plain(game))
        lines.append(done(game, e.Placed("one", f"020{number}"), e.Rolled("1d6", (1,), index=0)))
        game.way_back.begin(game.revision)  # of which nothing comes
    assert [game.way_back.leads_to(line) for line in lines] == [False] * 2 + [True] * (wayback.STEPS - 1)
    for line, state in [*zip(lines, states, strict=True)][:1:-1]:
        game.way_back.go(game, line)
        assert plain(game) == state and not game.way_back.leads_to(line)


def test_what_was_much_is_not_kept(game: Game) -> None:
    small = done(game, e.Placed("one", "0202"))
    much = done(game, *(e.Placed(f"u{n}", "0101", facts={"side": "red"}) for n in range(wayback.MUCH + 1)))
    assert not game.way_back.leads_to(much) and not game.way_back.leads_to(small)
    after = done(game, e.Placed("one", "0303"))
    assert game.way_back.leads_to(after)


def test_nothing_leads_back_where_nobody_said_that_something_begins(game: Game) -> None:
    assert isinstance(game.way_back, WayBack) and not game.way_back.leads_to(game.revision - 1)


def test_what_looked_at_it_looks_again_and_nothing_else_does(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.engine.once.checking", None)
    looks = []

    @once
    def places(game: Game) -> list[str]:
        looks.append("places")
        return [unit.place for unit in game.units.values()]

    @once
    def phase(game: Game) -> str:
        looks.append("phase")
        return game.phase

    line = done(game, e.Placed("one", "0202"), e.Advanced(game.turn, game.phase))
    assert (places(game), phase(game)) == (["0202"], game.phase)
    game.way_back.go(game, line)
    assert (places(game), phase(game)) == (["0101"], game.phase)
    assert looks == ["places", "phase", "places"]  # the phase stands where it stood all the time


def test_a_marker_or_a_unit_that_came_and_went_is_looked_at_again(game: Game) -> None:
    @once
    def cut_off(game: Game) -> dict[str, object]:
        return {target: game.mark(target, "oos") for target in ("one", "two")} | game.marked("oos")

    line = done(game, e.Marked("one", "oos", 2), e.Marked("two", "oos", 1))
    assert cut_off(game) == {"one": 2, "two": 1}
    further = done(game, e.Placed("two", "0101", facts={"side": "red"}), e.Marked("one", "oos", 3))
    assert cut_off(game) == {"one": 3, "two": 1}
    game.way_back.go(game, further)
    assert cut_off(game) == {"one": 2, "two": 1}
    game.way_back.go(game, line)
    assert cut_off(game) == {"one": None, "two": None}


def test_so_it_is_where_a_game_was_folded_anew(game: Game) -> None:
    @once
    def cut_off(game: Game) -> tuple[object, dict[str, object]]:
        return game.mark("one", "oos"), game.marked("oos")

    then = Game(toy_kit(), "skirmish").restore(game.dump())
    game.apply(e.Marked("one", "oos", 2))
    assert cut_off(game) == (2, {"one": 2})
    follow(then, game)
    assert cut_off(then) == (None, {})
