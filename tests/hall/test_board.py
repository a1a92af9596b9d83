"""The hall board's rows: who needs somebody first, sorted and filtered, by ages that no jump of the clock changes."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from toykit import toy_kit, toy_rules

from companion.hall.board import Ages, Row, Wanted, counted, rows
from companion.hall.roll import HallTable
from companion.store import TableRow
from companion.systems import System

NOW = datetime(2026, 6, 6, 12, 0, tzinfo=UTC)


def ago(minutes: int) -> str:
    return (NOW - timedelta(minutes=minutes)).isoformat()


def table(code: str, minutes: int = 0, *, ended: bool = False, **summary: object) -> TableRow:
    told = {"turn": 2, "last": 3, "phase": "Red Movement", "active": "red", "awaited": ["red"], **summary}
    return TableRow(code, "toy", "skirmish", "", "s", {}, ago(300), ago(minutes), 9, 0, ended, False, told)


class Hands:
    """Both clocks of the machine, moved by a test."""

    def __init__(self) -> None:
        self.forward, self.day = 500.0, NOW
        self.ages = Ages(lambda: self.forward, lambda: self.day)

    def wait(self, minutes: int) -> None:
        self.forward += 60 * minutes
        self.day += timedelta(minutes=minutes)


@pytest.fixture
def hands() -> Hands:
    return Hands()


def board(hands: Hands, *tables: TableRow, listed: tuple[HallTable, ...] = ()) -> list[Row]:
    return rows(
        tables, {one.code: one for one in listed}, {"toy": System(toy_kit(), toy_rules())}, hands.ages
    )


def codes(found: list[Row]) -> list[str]:
    return [row.code for row in found]


def test_a_row_tells_who_is_awaited_and_since_when(hands: Hands) -> None:
    (row,) = board(
        hands,
        table("AAAA", 3, since=ago(12), score="Red 4 VP"),
        listed=(HallTable("AAAA", 7, "toy", "skirmish", {"red": "Anna", "blue": "Bert"}),),
    )
    assert (row.number, row.turn, row.phase, row.score) == (7, "Day 2 of 3", "Red Movement", "Red 4 VP")
    assert [(p.name, p.awaited) for p in row.players] == [("Anna", True), ("Bert", False)]
    assert (row.waits, row.quiet, row.state) == (12, 3, "")


def test_tables_of_earlier_versions_tell_what_they_can(hands: Hands) -> None:
    old = replace(table("AAAA", 5), summary={"turn": 1, "phase": "Air Phase", "active": "blue"})
    (row,) = board(hands, old)
    assert [p.side for p in row.players if p.awaited] == ["blue"] and row.waits == 5


def test_a_table_of_a_game_that_is_not_here_is_passed_over(hands: Hands) -> None:
    assert board(hands, replace(table("AAAA"), system="gone")) == []


def test_who_needs_somebody_comes_first(hands: Hands) -> None:
    found = board(
        hands,
        table("PLAY"),
        table("OVER", ended=True),
        table("IDLE", 45),
        table("SLOW", 2, phase_since=ago(100)),
        table("CALL", 1, judge="rule 7.1"),
        table("REST", 50),
        listed=(HallTable("REST", 3, "toy", "skirmish", state="paused", why="lunch"),),
    )
    assert codes(Wanted().of(found)) == ["CALL", "IDLE", "SLOW", "PLAY", "REST", "OVER"]
    assert counted(found) == {"judge": 1, "quiet": 1, "stuck": 1, "": 1, "paused": 1, "ended": 1}
    assert next(r.why for r in found if r.code == "REST") == "lunch"


def test_a_table_that_was_set_up_days_ago_is_not_idle_but_not_begun(hands: Hands) -> None:
    found = board(hands, table("AAAA", 5000, played=False), table("BBBB", 1, played=True))
    assert [(r.code, r.state) for r in Wanted().of(found)] == [("BBBB", ""), ("AAAA", "new")]
    assert codes(Wanted(shown="new").of(found)) == ["AAAA"] and codes(Wanted(shown="play").of(found)) == [
        "BBBB"
    ]


def test_a_closed_table_is_not_shown(hands: Hands) -> None:
    shut = HallTable("AAAA", 1, "toy", "skirmish", state="closed")
    assert codes(board(hands, table("AAAA"), table("BBBB"), listed=(shut,))) == ["BBBB"]


def test_it_is_sorted_and_filtered(hands: Hands) -> None:
    listed = (
        HallTable("AAAA", 12, "toy", "skirmish", {"red": "Anna"}),
        HallTable("BBBB", 2, "toy", "skirmish", {"red": "Zoë"}),
    )
    found = board(
        hands,
        table("AAAA", since=ago(20)),
        table("BBBB", since=ago(3)),
        table("CCCC", judge="x"),
        listed=listed,
    )
    assert codes(Wanted(order="table").of(found)) == ["BBBB", "AAAA", "CCCC"]  # those without a number last
    assert codes(Wanted(order="waits").of(found))[0] == "AAAA"
    assert codes(Wanted(shown="judge").of(found)) == ["CCCC"]
    assert codes(Wanted(text="zoë").of(found)) == ["BBBB"]
    assert codes(Wanted(text="toy 12").of(found)) == ["AAAA"]
    assert Wanted(game="other").of(found) == []


def test_a_jump_of_the_time_of_day_makes_no_table_idle(hands: Hands) -> None:
    one = table("AAAA", 5)
    assert board(hands, one)[0].quiet == 5
    hands.day += timedelta(days=400)
    hands.wait(2)
    assert board(hands, one)[0].quiet == 7
    hands.day -= timedelta(days=800)
    assert board(hands, one)[0].quiet == 7
    later = replace(one, changed_at=hands.day.isoformat())
    assert board(hands, later)[0].quiet == 0
