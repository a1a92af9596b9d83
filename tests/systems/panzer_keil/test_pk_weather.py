"""Weather: the roll, the owner's track, its end [B5]."""

from __future__ import annotations

from dataclasses import replace

import pytest
from harness import refused
from systems.panzer_keil.pk_bench import go, owners_book, table

from companion.engine.errors import NotNow, NotYours, Unreadable
from companion.engine.kit.book import Book
from companion.systems.panzer_keil.weather import ground, squares_moved


@pytest.mark.parametrize(("die", "squares"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3)])
def test_die_moves_the_marker(die: int, squares: int) -> None:
    assert squares_moved(die) == squares  # B5.1


@pytest.mark.parametrize(
    ("weather", "mechanized", "column"),
    [
        ("snow", True, "good"),
        ("freeze", True, "good"),
        ("thaw", True, "worse"),
        ("mud", True, "worse"),
        ("thaw", False, "good"),
        ("mud", False, "good"),
    ],
)
def test_ground(weather: str, mechanized: bool, column: str) -> None:
    assert ground(weather, mechanized) == column  # B5.2


def test_a_filled_track_tells_the_weather_by_itself() -> None:
    t = table(owners_book(), units=False)
    t.do("soviet", "roll-weather", die="5")
    assert (t.game["weather-square"], t.game["weather"], t.game["final-turn"]) == (3, "freeze", "no")
    assert not t.asked("soviet")


def test_a_ticked_starting_square_is_where_the_marker_begins() -> None:
    book = owners_book()
    tables = {**book.tables, "weather": {**book.tables["weather"], "2": {"weather": "snow", "start": True}}}
    t = table(Book(book.charts, tables, book.map), units=False)
    assert t.game["weather-square"] == 2
    t.do("soviet", "roll-weather", die="1")
    assert t.game["weather"] == "freeze"


def test_a_starting_square_ticked_after_the_table_was_opened_counts() -> None:
    t = table(units=False)
    book = owners_book()
    rows = {**book.tables["weather"], "4": {"weather": "snow", "start": "yes"}}
    t.book = replace(book, tables={**book.tables, "weather": rows})
    t.refold()
    t.do("soviet", "roll-weather", die="1")
    assert t.game["weather-square"] == 5  # B5.1


def test_a_blank_track_asks_what_the_square_shows() -> None:
    t = table(units=False)
    t.do("soviet", "roll-weather", die="3")
    assert [a["text"] for a in t.asked("soviet")] == [
        "Weather: move the marker 2 squares on: what does it show?"
    ]
    assert t.asked("soviet")[0]["args"]["codes"] == ["snow", "freeze", "thaw", "mud", "mud, last square"]
    with refused(Unreadable, rule="B5.1", field="result"):
        t.answer("soviet", result="fog")
    t.answer("soviet", result="thaw")
    assert (t.game["weather"], t.game["weather-square"]) == ("thaw", 2)
    assert "mechanized units move by the worse column" in str(t.sees("german")["notes"])


def test_weather_is_rolled_once_a_turn_by_the_soviet() -> None:
    t = table(owners_book(), units=False)
    with refused(NotYours, given="german"):
        t.do("german", "roll-weather", die="1")
    t.do("soviet", "roll-weather", die="1")
    with refused(NotNow, given="roll-weather"):
        t.do("soviet", "roll-weather", die="1")
    t.until("weather", 2)
    t.do("soviet", "roll-weather", die="1")
    assert t.game["weather-square"] == 2


@pytest.mark.parametrize("die", ["1", "3", "6"])
def test_the_last_square_is_never_passed(die: str) -> None:
    t = table(owners_book(track=["snow", "mud"]), units=False)
    t.do("soviet", "roll-weather", die="1")
    t.until("weather", 2)
    t.do("soviet", "roll-weather", die=die)
    assert (t.game["weather-square"], t.game["weather"], t.game["final-turn"]) == (2, "mud", "yes")


def test_the_last_turn_is_played_out_and_then_scored() -> None:
    t = table(owners_book(track=["mud"]), units=False)
    t.do("soviet", "roll-weather", die="1")
    with refused(NotNow, given="score-game"):
        t.do("table", "score-game", held="0941", foot=3)
    t.until("scoring")
    assert t.game.turn == 1
    t.do("table", "score-game", held="0941", foot=3)
    assert t.game.ended and (t.game.ended.winner, t.game.ended.level) == ("soviet", "tactical")


def test_scoring_is_offered_when_its_phase_has_come() -> None:
    t = table(owners_book(track=["snow", "mud"]), units=False)
    t.do("soviet", "roll-weather", die="6")
    assert "score-game" not in {
        a["name"] for a in t.sees("table")["actions"]
    }  # B5.1.1: the turn is played out
    t.until("scoring")
    assert "score-game" in {a["name"] for a in t.sees("table")["actions"]}


def test_the_panel_says_how_long_the_track_runs_at_least() -> None:
    t = table(owners_book(track=["snow"] * 7 + ["mud"]), units=False)
    t.do("soviet", "roll-weather", die="1")
    panel = next(p for p in t.sees("table")["panels"] if p["title"] == "Weather track")
    assert [r["value"] for r in panel["rows"]] == ["7", "3"]  # three squares a turn at most [B5.1]


def test_by_another_reading_the_game_stops_at_once() -> None:
    t = table(owners_book(track=["mud"]), units=False, weather_end="at-once")
    t.do("soviet", "roll-weather", die="1")
    assert t.game.phase == "scoring"


def test_without_the_end_of_the_track_nobody_scores() -> None:
    t = table(owners_book(), units=False)
    with refused(NotNow, given="score-game"):
        t.do("table", "score-game")
    t.until("weather", 2)  # the scoring phase is passed over
    go(t, "scoring")
    t.next()
    assert t.game.ended and t.game.ended.winner == "nobody"


def test_last_turns_weather_is_over_before_this_turns_roll() -> None:
    """B5.1"""
    t = table(owners_book(), units=False)
    go(t, "weather", 1)
    t.do("soviet", "roll-weather", die="1")
    assert t.game["weather"] == "snow"
    go(t, "german-recovery")
    t.next()
    assert (t.game.turn, t.game.phase, t.game["weather"]) == (2, "weather", "unknown")
    t.do("soviet", "roll-weather", die="1")
    assert t.game["weather"] == "snow"
