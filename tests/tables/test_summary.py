"""What the hall is told of a table with every action: whom it waits for and since when, and the score."""

import pytest

from companion.tables.tables import Tables


class Times:
    """The wall clock, a minute later whenever it is looked at by a test."""

    def __init__(self, tables: Tables) -> None:
        self.minute = 0
        tables.clock = lambda: f"2026-06-06T12:{self.minute:02d}:00+00:00"


@pytest.fixture
def times(tables: Tables) -> Times:
    return Times(tables)


@pytest.fixture
def code(tables: Tables, times: Times) -> str:
    code = tables.new("toy", "skirmish", {"mode-dice": "either"}, "")
    tables.act(code, "table", "set-up", {})
    go_on(tables, code)
    return code


def go_on(tables: Tables, code: str) -> None:
    tables.act(code, "table", "next-phase", {"anyway": "on"}, revision=tables.store.latest(code))


def told(tables: Tables, code: str, *names: str) -> list[object]:
    return [tables.row(code).summary[name] for name in names]


def test_who_is_awaited_and_since_when(tables: Tables, times: Times, code: str) -> None:
    times.minute = 5
    tables.act(code, "red", "note", {"text": "still thinking"})
    assert told(tables, code, "awaited", "since") == [["red"], "2026-06-06T12:00:00+00:00"]
    times.minute = 9
    tables.act(code, "red", "attack", {"hex": "0505"})
    assert told(tables, code, "awaited", "since") == [["blue"], "2026-06-06T12:09:00+00:00"]
    assert told(tables, code, "phase_since") == ["2026-06-06T12:00:00+00:00"]


def test_a_new_phase_counts_anew(tables: Tables, times: Times, code: str) -> None:
    times.minute = 20
    go_on(tables, code)
    assert told(tables, code, "awaited", "since", "phase_since") == [
        ["blue"],
        "2026-06-06T12:20:00+00:00",
        "2026-06-06T12:20:00+00:00",
    ]


def test_a_score_that_takes_long_is_worked_out_once_a_phase(
    tables: Tables, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = tables.system("toy").rules
    monkeypatch.setattr(rules, "score", lambda game: f"Red {game.revision} VP")
    monkeypatch.setattr(rules, "score_takes_long", True)
    go_on(tables, code)
    counted = tables.game(code).revision
    for text in ("one", "two"):
        tables.act(code, "blue", "note", {"text": text})
    assert told(tables, code, "score") == [f"Red {counted} VP"]
    tables.act(code, "blue", "take-back", {"to": tables.undo_target(code)})
    assert told(tables, code, "score") == [f"Red {counted + 1} VP"]  # what was counted may not be so any more


def test_any_other_score_is_told_anew_with_whatever_it_looks_at(
    tables: Tables, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables.system("toy").rules, "score", lambda game: f"Red {game.revision} VP")
    for text in ("one", "two"):
        tables.act(code, "red", "note", {"text": text})
        assert told(tables, code, "score") == [f"Red {tables.game(code).revision} VP"]
