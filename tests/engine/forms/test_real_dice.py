"""Real dice on record: each of them or their sum, as it was told, and nothing made up."""

from typing import Annotated, Any

import pytest
from harness import bare
from toykit import Table, toy_kit

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Dice, Roll
from companion.engine.record import events as e
from companion.engine.record.game import Game, replay
from companion.engine.seat.words import describe
from companion.systems import new_rules


def rolled(table: Table, **given: Any) -> e.Rolled:
    event = table.do("red", "roll-dice", **given)[0]
    assert isinstance(event, e.Rolled)
    return event


@pytest.mark.parametrize(
    ("given", "values", "told", "total", "words"),
    [
        ("12", (), 12, 12, "2d6 rolled 12 (by hand)"),
        ("11", (), 11, 11, "2d6 rolled 11 (by hand)"),
        ("7", (), 7, 7, "2d6 rolled 7 (by hand)"),
        ("1 2", (1, 2), None, 3, "2d6 rolled 1, 2 = 3 (by hand)"),
        ([6, 6], (6, 6), None, 12, "2d6 rolled 6, 6 = 12 (by hand)"),
    ],
)
def test_the_record_says_what_was_told(
    given: Any, values: tuple[int, ...], told: int | None, total: int, words: str
) -> None:
    table = Table()
    event = rolled(table, dice="2d6", result=given)
    assert (event.values, event.sum, event.mode, event.index) == (values, told, "physical", None)
    assert describe(event.seen_by("blue"), table.game) == words
    last = table.sees("blue")["last_roll"]
    assert (last["values"], last.get("sum"), last["total"]) == (list(values), told, total)


def test_a_plus_is_added_to_the_sum_that_was_told() -> None:
    table = Table()
    assert rolled(table, dice="2d6+1", result="12").sum == 12
    assert table.sees("red")["last_roll"]["total"] == 13


def test_a_sum_on_record_replays_and_keeps_through_a_snapshot() -> None:
    table = Table()
    rolled(table, dice="2d6", result="9")
    stored = [e.Event.from_json(event.to_json()) for event in table.events]
    assert stored == table.events
    again = replay(Game(toy_kit(), "skirmish"), stored)
    assert again.dump() == table.game.dump()
    assert Game(toy_kit(), "skirmish").restore(table.game.dump()).last_roll == table.game.last_roll


def test_a_roll_recorded_before_sums_were_known_still_reads() -> None:
    old = {"kind": "rolled", "dice": "2d6", "values": [1, 2], "mode": "physical"}
    assert e.Event.from_json(old).to_json() == old | {"values": (1, 2)}


def test_a_secret_sum_stays_with_its_seat() -> None:
    event = e.Rolled("2d6", (), "ambush", "physical", sum=12, only=("red",))
    assert "sum" not in event.seen_by("blue")
    assert event.seen_by("red")["sum"] == 12


def scan(each: bool) -> Table:
    rules = new_rules("toy")

    @rules.action()
    def bomb(game: Game, dice: Annotated[Roll, Dice(spec="2d6", each=each)]) -> Any:
        """Bomb."""
        yield e.Noted(f"{dice.total}")

    return Table(rules=rules)


def test_a_rule_that_needs_the_total_only_gets_it() -> None:
    assert scan(each=False).do("red", "bomb", dice="12")[1] == e.Noted("12")


@pytest.mark.parametrize("given", ["12", "11", "66", 12])
def test_where_each_die_counts_a_single_number_is_asked_back(given: Any) -> None:
    with pytest.raises(Unreadable, match="one number for 2 dice, and here each die counts") as raised:
        scan(each=True).do("red", "bomb", dice=given)
    assert raised.value.field == "dice"
    assert raised.value.accepted == "2 numbers from 1 to 6"
    assert scan(each=True).do("red", "bomb", dice="6 6")[1] == e.Noted("12")


@pytest.mark.parametrize(
    ("dice", "each", "expected"),
    [
        ("2d6", False, {"count": 2, "min": 1, "max": 6, "plus": 0, "sum": [2, 12]}),
        ("2d6", True, {"count": 2, "min": 1, "max": 6, "plus": 0, "sum": None}),
        ("1d10z+1", False, {"count": 1, "min": 0, "max": 9, "plus": 1, "sum": None}),
        ("banana", False, {}),
    ],
)
def test_a_form_learns_which_dice_to_ask_for(dice: str, each: bool, expected: dict[str, Any]) -> None:
    assert Dice(spec=dice, each=each).describe(bare(toy_kit())) == {"dice": dice, "mode": "either"} | expected


def test_no_view_without_a_roll_speaks_of_one() -> None:
    table = Table()
    assert table.view("watch").last_roll is None
