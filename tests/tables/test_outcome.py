"""What a finished table says of itself: winner, level, victory points."""

import json

import pytest
from harness import Bench, refused
from toykit import all_agree

from companion.engine.errors import Unreadable
from companion.engine.record import events as e
from companion.resources import SCENARIOS
from companion.systems import find_system
from companion.tables.outcome import outcome
from companion.tables.savefile import checksum
from companion.tables.tables import Tables
from companion.tables.transfer import export_table, import_table


@pytest.fixture
def code(tables: Tables) -> str:
    return tables.new("toy", "skirmish", {}, "")


def end(tables: Tables, code: str, **how: str) -> None:
    tables.act(code, "table", "end-game", how, revision=tables.store.latest(code))
    all_agree(tables, code)


def test_a_table_in_play_has_no_result(tables: Tables, code: str) -> None:
    assert tables.row(code).summary["result"] is None


def test_a_finished_table_tells_winner_and_level_with_its_row(tables: Tables, code: str) -> None:
    """Nothing has to be folded for it: the hall reads rows."""
    end(tables, code, winner="red", level="decisive")
    assert tables.row(code).summary["result"] == {"winner": "red", "level": "decisive", "vp": {}, "clock": {}}


@pytest.mark.parametrize(
    ("level", "kept"), [("", "draw"), ("minor", "draw, minor"), ("Draw by time", "Draw by time")]
)
def test_a_draw_that_was_agreed_on_says_so(tables: Tables, code: str, level: str, kept: str) -> None:
    """Unlike an end at which nobody could count: that one has to be settled by hand."""
    end(tables, code, winner="nobody", level=level)
    assert tables.row(code).summary["result"] == {"winner": "", "level": kept, "vp": {}, "clock": {}}


def test_an_ending_that_is_taken_back_takes_its_result_along(tables: Tables, code: str) -> None:
    line = tables.store.latest(code)
    end(tables, code, winner="red")
    tables.act(code, "red", "take-back", {"to": line})
    all_agree(tables, code)
    assert tables.row(code).summary["result"] is None


@pytest.mark.parametrize(
    ("name", "scenario", "given", "counted"),
    [
        (
            "second-kharkov",
            "historical",
            [e.Set("vp-soviet", 7), e.Set("vp-german", 4)],
            {"soviet": 7, "german": 4},
        ),
        ("second-kharkov", "alternative", [], {}),
        ("enemy-action-kharkov", "campaign", [e.Set("vp", 12)], {"soviet": 12}),
        (
            "wb95",
            "kharkov-1942",
            [e.Set("city-vp-german", 3), e.Set("city-vp-soviet", 2)],
            {"german": 3, "soviet": 2},
        ),
        ("panzer-keil", "winter-1943", [], {}),
        ("kharkov-battles", "second-kharkov-k", [], {}),
    ],
)
def test_each_game_counts_its_own_points(
    name: str, scenario: str, given: list[e.Event], counted: dict[str, int]
) -> None:
    """Ended by hand, as when the time is up: the points are those on record; games without any have none."""
    system = find_system(name, SCENARIOS)
    game = Bench(system, scenario).game
    for event in [*given, e.Ended(game.sides[0], "", "time is up")]:
        game.apply(event)
    assert outcome(system, game) == {"winner": game.sides[0], "level": "", "vp": counted, "clock": {}}


def test_points_counted_for_the_end_itself_come_first() -> None:
    """Panzer Keil's players may type what they hold [B15]; then that was counted, not the record."""
    system = find_system("second-kharkov", SCENARIOS)
    game = Bench(system, "historical").game
    game.apply(e.Ended("german", "narrow", "", "B15.4", {"soviet": 20, "german": 22}))
    found = outcome(system, game)
    assert found is not None
    assert found["vp"] == {"soviet": 20, "german": 22}


@pytest.mark.parametrize(
    "vp", [{"red": "many"}, {"green": 3}, {"red": 10**9}, {"red": True}, "red", [["red", 1]]]
)
def test_points_that_are_none_are_not_imported(tables: Tables, code: str, vp: object) -> None:
    end(tables, code, winner="red")
    copy = export_table(tables, code)
    ending = next(event for event in copy["events"] if event["body"]["kind"] == "ended")
    ending["body"]["vp"] = vp
    copy["checksum"] = checksum(copy)
    with refused(Unreadable):
        import_table(tables, json.dumps(copy), operator=True)


def test_points_counted_for_the_end_are_imported(tables: Tables, code: str) -> None:
    end(tables, code, winner="red")
    copy = export_table(tables, code)
    next(event for event in copy["events"] if event["body"]["kind"] == "ended")["body"]["vp"] = {"red": 3}
    copy["checksum"] = checksum(copy)
    again = import_table(tables, json.dumps(copy), operator=True)
    assert tables.row(again).summary["result"]["vp"] == {"red": 3}


def test_a_table_with_clocks_tells_each_sides_time(tables: Tables, code: str) -> None:
    """Durations of the clocks, which no jump of the machine's own clock changes."""
    tables.act(code, "table", "start-clocks", {})
    tables.act(code, "table", "set-clock", {"side": "red", "minutes": 41})
    end(tables, code, winner="red")
    clock = tables.row(code).summary["result"]["clock"]
    assert clock["red"] >= 41 * 60 > clock["blue"]
