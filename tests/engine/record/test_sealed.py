"""Sealed choices: made in secret, laid open together."""

import json
from typing import Any

import pytest
from toykit import Table

from companion.engine.record.changes import seal


def commit(table: Table, seat: str, value: Any, **how: Any) -> list[str]:
    done = []
    for event in seal(table.game, "mission", seat, value, **how):
        table.game.apply(event)
        table.events.append(event)
        done.append(event.KIND)
    return done


@pytest.mark.parametrize("order", [("red", "blue"), ("blue", "red")])
def test_the_last_choice_lays_all_open_at_once(order: tuple[str, str]) -> None:
    table = Table()
    assert commit(table, order[0], f"{order[0]} waits") == ["sealed"]
    assert table.sees(order[1])["sealed"] == {"mission": [order[0]]}, "that it was made is known"
    assert commit(table, order[1], f"{order[1]} strikes") == ["sealed", "revealed"]
    assert table.game.revealed["mission"] == {order[0]: f"{order[0]} waits", order[1]: f"{order[1]} strikes"}
    assert table.game.sealed == {}


def test_a_seat_sees_its_own_sealed_choice_and_may_change_it() -> None:
    table = Table()
    commit(table, "red", "wait")
    assert commit(table, "red", "strike") == ["sealed"]
    assert table.sees("red")["my_sealed"] == {"mission": "strike"}
    assert table.sees("blue")["my_sealed"] == {}
    commit(table, "blue", "flee")
    assert table.game.revealed["mission"]["red"] == "strike"


@pytest.mark.parametrize("seat", ["blue", "table", "watch"])
def test_a_choice_changed_before_the_reveal_is_never_shown(seat: str) -> None:
    table = Table()
    commit(table, "red", "first-thought")
    commit(table, "red", "second-thought")
    commit(table, "blue", "flee")
    text = json.dumps([table.sees(seat), table.hears(seat)])
    assert "first-thought" not in text
    assert "second-thought" in text


@pytest.mark.parametrize("nothing", ["", [], {}, 0, False, None])
def test_choosing_nothing_is_a_choice(nothing: Any) -> None:
    table = Table()
    commit(table, "red", nothing)
    assert json.dumps(table.replayed().sealed) == json.dumps({"mission": {"red": nothing}})
    assert commit(table, "blue", "flee") == ["sealed", "revealed"]
    assert table.game.revealed["mission"]["red"] == nothing


def test_only_the_needed_seats_are_waited_for() -> None:
    table = Table()
    assert commit(table, "blue", "alone", needed=("blue",)) == ["sealed", "revealed"]


def test_a_reveal_is_remembered_and_the_next_round_starts_empty() -> None:
    table = Table()
    commit(table, "red", "a")
    commit(table, "blue", "b")
    assert commit(table, "red", "c") == ["sealed"]
    assert table.sees("watch")["revealed"] == {"mission": {"red": "a", "blue": "b"}}
