"""Turns and phases: which are played when, and what comes next."""

import pytest
from toykit import Table

from companion.engine.kit.when import Turns, condition_names, holds
from companion.engine.record import events as e
from companion.engine.record.sequence import first, following, order, skip_reason


@pytest.mark.parametrize(
    ("text", "played"),
    [
        ("", [1, 2, 3, 4, 5, 6, 7, 8, 9]),
        ("1", [1]),
        ("3+", [3, 4, 5, 6, 7, 8, 9]),
        ("4-6", [4, 5, 6]),
        ("1-2,5", [1, 2, 5]),
        (" 2 , 8+ ", [2, 8, 9]),
        ("7-13", [7, 8, 9]),
        ("5-5", [5]),
    ],
)
def test_turns_are_read_as_rulebooks_write_them(text: str, played: list[int]) -> None:
    assert [n for n in range(1, 10) if n in Turns(text)] == played


@pytest.mark.parametrize("text", ["one", "3-", "-3", "+3", "1..3", "3 5", "2-x", "1;2"])
def test_turns_that_cannot_be_read_are_refused_with_examples(text: str) -> None:
    with pytest.raises(ValueError, match="cannot be read: write 1, 3.*7-13") as raised:
        Turns(text)
    assert repr(text) in str(raised.value)


def test_turns_that_run_backwards_are_refused() -> None:
    with pytest.raises(ValueError, match="9-7 runs backwards"):
        Turns("1,9-7")


VALUES = {
    "weather": "Mud",
    "released": True,
    "points": 0,
    "reading": "b",
    "name": "",
    "command": {"what": "event"},
}


@pytest.mark.parametrize(
    ("when", "true"),
    [
        ("", True),
        ("released", True),
        ("!released", False),
        ("points", False),
        ("!points", True),
        ("unheard-of", False),
        ("!unheard-of", True),
        ("weather=mud", True),
        ("weather = clear | mud", True),
        ("weather=clear", False),
        ("!weather=clear", True),
        ("points=0", True),
        ("weather=mud, released", True),
        ("weather=mud, !released", False),
        ("released, reading=a|c", False),
        ("command.what=event|activate", True),
        ("command.what=deploy", False),
        ("!command.card", True),
        ("weather.what=mud", False),
    ],
)
def test_a_condition_looks_at_values(when: str, true: bool) -> None:
    assert holds(when, VALUES) is true


def test_the_values_a_condition_names_are_known() -> None:
    assert condition_names("!released, weather=mud|clear , points") == ["released", "weather", "points"]


def now(table: Table) -> tuple[int, str]:
    return table.game.turn, table.game.phase


def test_a_scenario_begins_with_the_first_phase_played() -> None:
    table = Table(set_up=False)
    assert now(table) == first(table.game) == (1, "weather")


def test_the_whole_game_runs_in_order_and_skips_what_is_not_played() -> None:
    table = Table(set_up=False)
    seen = [now(table)]
    while not table.game.ended:
        table.do("table", "next-phase")
        seen.append(now(table))
    assert seen[:-1] == [
        (1, "weather"), (1, "red-move"), (1, "blue-move"),
        (2, "weather"), (2, "red-move"), (2, "air"), (2, "blue-move"),
        (3, "weather"), (3, "red-move"), (3, "air"), (3, "blue-move"),
    ]  # fmt: skip
    assert following(table.game) is None


@pytest.mark.parametrize(
    ("phase", "turn", "reason"),
    [
        ("weather", 1, ""),
        ("air", 1, "no planes yet"),
        ("air", 2, ""),
        ("bog", 1, "not now"),
    ],
)
def test_a_skipped_phase_says_why(phase: str, turn: int, reason: str) -> None:
    game = Table(set_up=False).game
    assert skip_reason(game, game.phase_def(phase), turn) == reason  # type: ignore[arg-type]


def test_a_phase_bound_to_a_condition_is_played_while_it_holds() -> None:
    table = Table(set_up=False)
    table.game.apply(e.Set("weather", "mud"))
    table.until("blue-move")
    assert following(table.game) == (1, "bog", ())


def test_what_was_passed_over_is_recorded() -> None:
    table = Table(set_up=False).until("red-move")
    done = table.do("table", "next-phase")
    assert e.Advanced(1, "blue-move", ("air",)) in done


def test_a_variant_changes_the_order() -> None:
    table = Table(set_up=False, storm=True)
    assert [p.id for p in order(table.game)] == ["weather", "blue-move", "red-move"]
    table.do("table", "next-phase")
    assert now(table) == (1, "blue-move")


def test_a_phase_outside_the_order_goes_on_with_the_first() -> None:
    """The storm breaks off while its own phases run: nothing is lost, the day starts again from its top."""
    table = Table(set_up=False).until("air", 2)
    table.game.apply(e.Set("storm", True))
    assert following(table.game) == (2, "weather", ())


def test_a_role_is_played_by_the_side_the_scenario_names() -> None:
    table = Table(set_up=False)
    assert table.game.active == ""
    assert table.until("red-move").game.active == "red"
    assert table.until("blue-move").game.active == "blue"
