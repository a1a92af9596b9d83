"""The organiser's hall: who needs somebody, and nothing that is anybody's secret."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from flask import Flask
from toykit import Device

from companion.tables.tables import Tables
from companion.web.app import create_app


@pytest.fixture
def code(tables: Tables) -> str:
    code = tables.new("toy", "skirmish", {}, "Friday <night>")
    tables.act(code, "table", "set-up", {})
    return code


def board(app: Flask, query: str = "") -> str:
    answer = Device(app).get(f"/hall{query}")
    assert answer.status_code == 200, answer.text
    return answer.text


def codes(page: str) -> list[str]:
    return re.findall(r'<li class="hall-table[^"]*" id="hall-(\w+)"', page)


def test_an_empty_hall_says_so(app: Flask) -> None:
    assert "No table yet" in board(app)


def test_a_table_shows_its_turn_phase_and_title(app: Flask, code: str) -> None:
    page = board(app)
    assert codes(page) == [code]
    assert "Friday &lt;night&gt;" in page and "Toy Kharkov" in page and "0 min" in page
    assert "1</b> in play" in page and "waiting for a judge" not in page


def test_a_judge_is_called_and_has_been(app: Flask, tables: Tables, code: str, red: Device) -> None:
    other = tables.new("toy", "skirmish", {})
    assert "Call a judge" in red.get("more").text
    red.do("call-judge", about="rule 7.1 <b>")
    page = board(app)
    assert codes(page)[0] == code and set(codes(page)) == {code, other}
    assert "Judge: rule 7.1 &lt;b&gt;" in page and "/desk/" not in page and "1 waiting for a judge" in page
    assert "Waiting for a judge: rule 7.1" in red.get().text
    assert "Judge: rule 7.1" in red.get("log").text
    assert red.do("call-judge", about="again").status_code == 409
    red.do("judge-has-been")
    assert "Judge:" not in board(app) and "Waiting for a judge" not in red.get().text
    assert red.do("judge-has-been").status_code == 409


def test_quiet_tables_come_before_busy_ones(app: Flask, tables: Tables, code: str) -> None:
    busy = tables.new("toy", "skirmish", {}, "busy")
    long_ago = (datetime.now(UTC) - timedelta(minutes=45)).isoformat()
    with tables.store._pool.writing() as db:  # type: ignore[attr-defined]
        db.execute("update game set changed_at = ? where code = ?", [long_ago, code])
    page = board(app)
    assert codes(page) == [code, busy]
    assert "Idle 45 min" in page and "1 idle" in page
    assert "Idle 45" not in board(app, "?quiet=60")
    assert Device(app).get("/hall?quiet=soon").status_code == 422


def test_the_board_is_filtered_by_game_and_refreshed_in_place(app: Flask, code: str) -> None:
    assert codes(board(app, "?game=toy")) == [code]
    assert codes(board(app, "?game=other")) == [] and "No table fits" in board(app, "?game=other")
    fragment = Device(app).get("/hall", "live").text
    assert "<html" not in fragment and codes(fragment) == [code]


@pytest.mark.parametrize(
    ("system", "scenario", "score"),
    [
        ("second-kharkov", "historical", "Soviet 0, German 0 VP"),
        ("second-kharkov", "alternative", "Soviet 0 of 3 Kharkov hexes"),
        ("kharkov-battles", "second-kharkov-k", "Draw as it stands"),
        ("kharkov-battles", "third-kharkov-l", "Axis 0 of 4 goals"),
        ("kharkov-battles", "operation-star", ""),
        ("panzer-keil", "winter-1943", ""),
        ("enemy-action-kharkov", "campaign", "Soviet 2 VP"),
        ("wb95", "kharkov-1943", "German 0, Soviet 0 VP"),
    ],
)
def test_scores(tmp_path: Path, system: str, scenario: str, score: str) -> None:
    tables: Tables = create_app(tmp_path, testing=True).extensions["companion"]["tables"]
    assert tables.row(tables.new(system, scenario, {})).summary["score"] == score


def test_nothing_hidden_is_on_the_board(app: Flask, tables: Tables, code: str) -> None:
    tables.act(code, "red", "whisper", {"text": "SECRET-WORD"})
    tables.act(code, "red", "draw-card", {})
    page = board(app)
    assert "SECRET-WORD" not in page
    for link in re.findall(r'href="([^"]*)"', page):
        assert "/j/" not in link
