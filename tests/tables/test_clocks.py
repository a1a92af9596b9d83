"""A clock for each side: it counts while the side is awaited, is kept in the record, and nothing but play moves it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.engine.errors import Mistake
from companion.engine.people.clocks import time_passed
from companion.store import open_store
from companion.tables.clocks import Clocks
from companion.tables.tables import Tables
from companion.tables.transfer import export_table, import_table
from companion.tables.verify import verify


class Hand:
    """The machine's forward-only clock, moved by a test."""

    def __init__(self, tables: Tables) -> None:
        self.at = 1000.0
        tables.stopwatch.now = lambda: self.at


@pytest.fixture
def hand(tables: Tables) -> Hand:
    return Hand(tables)


@pytest.fixture
def code(tables: Tables, hand: Hand) -> str:
    """Red is to move, and the clocks run."""
    code = tables.new("toy", "skirmish", {"mode-dice": "either"}, "")
    tables.act(code, "table", "set-up", {})
    go_on(tables, code)
    assert tables.game(code).active == "red"
    tables.act(code, "table", "start-clocks", {"minutes": 90})
    return code


def go_on(tables: Tables, code: str, seat: str = "table") -> None:
    tables.act(code, seat, "next-phase", {"anyway": "on"}, revision=tables.store.latest(code))


def clocks(tables: Tables, code: str) -> Clocks:
    found = tables.visit(code, "watch").clocks
    assert found is not None
    return found


def times(tables: Tables, code: str) -> dict[str, float]:
    return {one.side: one.seconds for one in clocks(tables, code).sides}


def test_a_table_has_no_clock_until_somebody_starts_it(tables: Tables, hand: Hand) -> None:
    code = tables.new("toy", "skirmish", {}, "")
    assert tables.visit(code, "red").clocks is None
    before = tables.store.latest(code)
    hand.at += 100
    tables.act(code, "red", "note", {"text": "no clock here"})
    assert tables.store.latest(code) == before + 1  # and nothing is written down besides


def test_the_side_to_move_uses_time_and_the_other_does_not(tables: Tables, hand: Hand, code: str) -> None:
    hand.at += 90
    assert times(tables, code) == {"red": 90, "blue": 0}
    assert [one.counting for one in clocks(tables, code).sides] == [True, False]
    go_on(tables, code, "red")
    assert tables.game(code).active == "blue"
    hand.at += 30
    assert times(tables, code) == {"red": 90, "blue": 30}
    assert clocks(tables, code).limit == 90 * 60


def test_whoever_owes_an_answer_uses_time_though_it_is_not_his_move(
    tables: Tables, hand: Hand, code: str
) -> None:
    tables.act(code, "red", "attack", {"hex": "0505"})
    assert any("blue" in a.to and tables.game(code).is_live(a) for a in tables.game(code).asked.values())
    hand.at += 40
    assert times(tables, code) == {"red": 0, "blue": 40}


def test_nobody_uses_time_in_a_break(tables: Tables, hand: Hand, code: str) -> None:
    hand.at += 10
    tables.act(code, "blue", "pause-clocks", {})
    hand.at += 1000
    assert times(tables, code) == {"red": 10, "blue": 0} and clocks(tables, code).paused
    tables.act(code, "red", "resume-clocks", {})
    hand.at += 5
    assert times(tables, code) == {"red": 15, "blue": 0}
    tables.act(code, "red", "stop-clocks", {})
    assert tables.visit(code, "red").clocks is None


def test_nobody_uses_time_while_the_table_waits_for_a_judge(tables: Tables, hand: Hand, code: str) -> None:
    hand.at += 10
    tables.act(code, "blue", "call-judge", {"about": "7.1"})
    hand.at += 1000
    assert times(tables, code) == {"red": 10, "blue": 0} and clocks(tables, code).paused
    tables.act(code, "red", "judge-has-been", {})
    hand.at += 5
    assert times(tables, code) == {"red": 15, "blue": 0} and not clocks(tables, code).paused


def test_nobody_uses_time_while_play_is_stopped_from_outside(tables: Tables, hand: Hand, code: str) -> None:
    stopped = [False]
    tables.stopwatch.held_up = lambda code: stopped[0]
    hand.at += 10
    stopped[0] = True
    assert times(tables, code) == {"red": 10, "blue": 0} and clocks(tables, code).paused
    hand.at += 1000
    assert times(tables, code) == {"red": 10, "blue": 0}
    stopped[0] = False
    hand.at += 500  # nobody looked since: it is play again only when somebody does
    assert times(tables, code) == {"red": 10, "blue": 0}
    hand.at += 5
    assert times(tables, code) == {"red": 15, "blue": 0}


def test_the_time_is_in_the_record_and_a_restart_counts_for_nobody(
    tables: Tables, hand: Hand, code: str, shelf: Path
) -> None:
    hand.at += 60
    tables.act(code, "red", "note", {"text": "thinking"})
    again = Tables(open_store(tables.store.path), shelf)  # type: ignore[attr-defined]
    other = Hand(again)
    other.at = 7.0  # another boot: this clock begins anywhere
    assert times(again, code) == {"red": 60, "blue": 0}
    other.at += 4
    assert times(again, code) == {"red": 64, "blue": 0}
    again.store.close()


def test_a_jump_of_the_wall_clock_moves_no_clock(tables: Tables, hand: Hand, code: str) -> None:
    hand.at += 60
    for year in ("1970", "2099"):
        tables.clock = lambda year=year: f"{year}-01-01T00:00:00+00:00"
        tables.act(code, "red", "note", {"text": f"it is {year}"})
        assert times(tables, code) == {"red": 60, "blue": 0}


def test_another_process_on_the_same_table_counts_no_second_twice(
    tables: Tables, hand: Hand, code: str, shelf: Path
) -> None:
    there = Tables(open_store(tables.store.path), shelf)  # type: ignore[attr-defined]
    there.stopwatch.now = lambda: hand.at
    times(there, code)
    hand.at += 50
    tables.act(code, "red", "note", {"text": "here"})
    there.act(code, "red", "note", {"text": "there"})
    assert times(tables, code) == times(there, code) == {"red": 50, "blue": 0}
    there.store.close()


def test_a_take_back_gives_no_time_back_and_can_be_put_back(tables: Tables, hand: Hand, code: str) -> None:
    hand.at += 20
    tables.act(code, "red", "note", {"text": "first"})
    hand.at += 20
    tables.act(code, "red", "take-back", {"to": tables.undo_target(code)})
    assert times(tables, code) == {"red": 40, "blue": 0}
    assert tables.visit(code, "red").can_redo
    tables.act(code, "red", "redo", {})
    assert times(tables, code) == {"red": 40, "blue": 0}
    assert tables.log(code, "red")[0].lines == ["put back what was taken back"]


def test_undo_undoes_the_action_not_the_time_beside_it(tables: Tables, hand: Hand, code: str) -> None:
    before = tables.store.latest(code)
    hand.at += 20
    tables.act(code, "red", "note", {"text": "first"})
    assert tables.undo_target(code) == before
    assert tables.log(code, "red")[0].lines == ["first"]
    assert tables.log(code, "red")[0].kinds == ["noted"]


def test_a_device_that_sits_down_takes_no_time_away(tables: Tables, hand: Hand, code: str) -> None:
    hand.at += 20
    tables.seating.sit_down(code, ["blue"], "device", "phone")
    assert times(tables, code) == {"red": 20, "blue": 0}
    tables.act(code, "table", "close-seat", {"which": "blue"})
    entry = tables.log(code, "red")[0]
    assert entry.about_seats and times(tables, code) == {"red": 20, "blue": 0}


def test_a_clock_is_set_by_hand_with_a_reason_and_that_can_be_undone(
    tables: Tables, hand: Hand, code: str
) -> None:
    hand.at += 65
    tables.act(code, "table", "set-clock", {"side": "red", "minutes": 30, "reason": "judge", "limit": 60})
    assert times(tables, code) == {"red": 1800, "blue": 0} and clocks(tables, code).limit == 3600
    assert any("30 minutes used, judge" in line for line in tables.log(code, "red")[0].lines)
    hand.at += 5
    assert times(tables, code)["red"] == 1805
    tables.act(code, "table", "take-back", {"to": tables.undo_target(code)})
    assert times(tables, code)["red"] == 70  # the correction is gone, the time he was awaited is not


def test_a_clock_has_no_side_of_another_game(tables: Tables, code: str) -> None:
    with pytest.raises(Mistake):
        tables.act(code, "table", "set-clock", {"side": "green", "minutes": 30})
    with pytest.raises(Mistake):
        tables.act(code, "watch", "pause-clocks", {})


def test_a_table_is_opened_with_clocks_that_wait(tables: Tables, hand: Hand) -> None:
    code = tables.new("toy", "skirmish", {"clock": "paused", "clock-limit": "120"}, "")
    assert clocks(tables, code).paused and clocks(tables, code).limit == 7200


def test_the_game_over_ends_the_clocks(tables: Tables, hand: Hand, code: str) -> None:
    hand.at += 30
    while not tables.game(code).ended:
        go_on(tables, code)
    now = times(tables, code)
    hand.at += 500
    assert times(tables, code) == now and sum(now.values()) == 30


def test_an_export_with_clocks_is_sound(
    tables: Tables, hand: Hand, code: str, installation: Callable[[], Tables]
) -> None:
    hand.at += 12
    go_on(tables, code, "red")
    hand.at += 3
    go_on(tables, code, "blue")
    copy = export_table(tables, code)
    assert verify(copy, tables).fair
    there = installation()
    assert times(there, import_table(there, json.dumps(copy))) == {"red": 12, "blue": 3}
    forged = next(i for i in copy["events"] if i["body"].get("name") == "spent")
    for wrong in ("long", {"green": 3}, {"red": "long"}, {"red": True}):
        forged["body"]["value"] = wrong
        with pytest.raises(Mistake):
            import_table(installation(), json.dumps(copy))


@given(st.lists(st.tuples(st.sampled_from([(), ("red",), ("blue",), ("red", "blue")]), st.floats(0, 1e5))))
def test_time_is_never_lost_or_made(waits: list[tuple[tuple[str, ...], float]]) -> None:
    from toykit import Table

    game = Table().game
    for sides, seconds in waits:
        fact = time_passed(game, sides, seconds)
        if fact is not None:
            game.apply(fact)
    for side in ("red", "blue"):
        used = sum(round(seconds, 1) for sides, seconds in waits if side in sides)
        assert game["spent"].get(side, 0) == pytest.approx(used, abs=0.1 * len(waits) + 1e-3)
