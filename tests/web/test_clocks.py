"""The sides' clocks on every page of a table: drawn from the record, counted on by the page."""

import re

import pytest
from flask import Flask
from toykit import Device

from companion.tables.tables import Tables


@pytest.fixture
def code(tables: Tables) -> str:
    code = tables.new("toy", "skirmish", {}, "")
    tables.act(code, "table", "set-up", {})
    return code


def drawn(page: str) -> list[tuple[str, str]]:
    return re.findall(r'data-clock="(\w+)" data-seconds="([\d.-]+)"', page)


PAGES = ("", "units", "log", "more", "settings", "seats")


@pytest.mark.parametrize("page", PAGES)
def test_no_clock_no_line(red: Device, page: str) -> None:
    assert 'id="clocks"' not in red.get(page).text


@pytest.mark.parametrize("page", PAGES)
def test_every_page_of_a_seat_shows_both_clocks(tables: Tables, code: str, red: Device, page: str) -> None:
    now = [100.0]
    tables.stopwatch.now = lambda: now[0]
    red.do("start-clocks", minutes="0")
    now[0] += 75
    found = drawn(red.get(page).text)
    assert [way for way, _ in found] == ["up", "up"] and "75.0" in [seconds for _, seconds in found]


def test_with_a_limit_the_time_left_is_shown_and_what_is_over_stands_out(
    app: Flask, tables: Tables, code: str, red: Device
) -> None:
    now = [100.0]
    tables.stopwatch.now = lambda: now[0]
    red.do("start-clocks", minutes="1")
    now[0] += 75
    page = red.get().text
    assert ("down", "-15.0") in drawn(page) and "clock-over" in page and "\u22120:00:15" in page
    assert 'id="clocks"' in Device(app).get(f"/t/{code}/watch").text


def test_a_refresh_of_the_live_part_brings_the_clocks_up_to_date(
    tables: Tables, code: str, red: Device
) -> None:
    red.do("start-clocks", minutes="10")
    red.do("pause-clocks")
    live = red.get(target="live").text
    assert "paused" in live and "data-counting" not in live
    head = red.get("head").text
    assert "paused" in head


def test_the_clocks_are_found_under_more(red: Device) -> None:
    assert "Start the clocks" in red.get("more").text


def test_programs_are_told_the_clocks(app: Flask, tables: Tables, code: str, red: Device) -> None:
    now, program = [100.0], app.test_client()
    tables.stopwatch.now = lambda: now[0]
    assert program.get(f"/api/tables/{code}").json["clocks"] is None
    red.do("start-clocks", minutes="1")
    now[0] += 75
    clocks = program.get(f"/api/tables/{code}").json["clocks"]
    assert (clocks["limit"], clocks["paused"]) == (60, False)
    assert 75.0 in [side["seconds"] for side in clocks["sides"] if side["counting"]]
