"""What a refresh of a screen costs: it must not grow with what has happened at the table."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from flask import Flask
from sqlite_utils import Database
from toykit import Device

from companion.engine.forms.worksheet import Worksheet
from companion.engine.record.events import Event
from companion.engine.seat import view
from companion.store import rows
from companion.tables.tables import Tables

MOST_QUERIES = 1
SEATS = ("table", "red")


@pytest.fixture
def code(tables: Tables) -> str:
    return tables.new("toy", "skirmish", {}, "")


class Counted:
    """How often the store was asked, and how many events were read, from its rows and into their types."""

    queries = rows = events = units = 0


@contextmanager
def counting(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counted]:
    found = Counted()
    execute, load, from_json, unit = Database.execute, rows.load, Event.from_json, view._unit

    def count(name, original):
        def counted(*args):
            setattr(found, name, getattr(found, name) + 1)
            return original(*args)

        return counted

    with monkeypatch.context() as patch:
        patch.setattr(Database, "execute", count("queries", execute))
        patch.setattr(rows, "load", count("rows", load))
        patch.setattr(Event, "from_json", staticmethod(count("events", from_json)))
        patch.setattr(view, "_unit", count("units", unit))
        yield found


def refresh(device: Device, page: str = "") -> None:
    assert device.get(page, target="live").status_code == 200


def fill(tables: Tables, code: str, units: int) -> None:
    """Many units come on record, as in a large set-up: one action of as many events."""
    lines = [f"unit-{n},red,Unit {n},inf,{1 + n % 9:02d}{1 + n // 9 % 9:02d}" for n in range(units)]
    tables.act(code, "table", "import-positions", {"csv": "\n".join(["id,side,name,kind,place", *lines])})


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("page", ["", "units", "map"])
def test_a_refresh_reads_nothing_twice_however_much_has_happened(
    app: Flask, tables: Tables, code: str, seat: str, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = Device(app, code, seat)
    found = []
    for units in (3, 200):
        fill(tables, code, units)
        refresh(device, page)
        with counting(monkeypatch) as count:
            refresh(device, page)
        found.append((count.queries, count.rows, count.events))
    assert found[0] == found[1] and found[1][0] <= MOST_QUERIES and found[1][1:] == (0, 0)


@pytest.mark.parametrize("seat", SEATS)
def test_after_an_action_only_its_own_events_are_read(
    app: Flask, tables: Tables, code: str, seat: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = Device(app, code, seat)
    found = []
    for units in (3, 200):
        fill(tables, code, units)
        refresh(device)
        tables.act(code, "red", "note", {"text": "here they come"})
        with counting(monkeypatch) as count:
            refresh(device)
        found.append((count.queries, count.rows, count.events))
    assert found[0] == found[1] and found[1][0] <= MOST_QUERIES + 1 and found[1][1] <= 2


@pytest.mark.parametrize("seat", SEATS)
def test_a_page_without_units_builds_none(
    app: Flask, tables: Tables, code: str, seat: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tables, code, 200)
    device = Device(app, code, seat)
    with counting(monkeypatch) as count:
        for page in ("", "log", "more", "settings", "do/roll-dice"):
            assert device.get(page).status_code == 200
    assert count.units == 0
    refresh(device, "units")


@pytest.mark.parametrize("way", ["form", "preview"])
def test_a_worksheet_is_worked_out_once(
    app: Flask, tables: Tables, code: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables.act(code, "table", "set-up", {})
    while tables.game(code).phase != "red-move":
        tables.act(code, "table", "next-phase", {}, revision=tables.store.latest(code))
    red, worked, answer = Device(app, code, "red"), [], Worksheet.answer
    monkeypatch.setattr(Worksheet, "answer", lambda *args: worked.append(1) or answer(*args))
    page = (
        red.get("do/fight?attack=6&defence=3")
        if way == "form"
        else red.post("preview/fight", attack="6", defence="3")
    )
    assert page.status_code == 200 and "breakdown" in page.text
    assert len(worked) == 1


def test_a_tap_reads_what_stands_at_the_table_once(
    app: Flask, tables: Tables, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One statement before it, those of its transaction, and nothing afterwards: it knows the lines that it wrote."""
    device = Device(app, code, "red")
    asked: list[str] = []
    execute = Database.execute
    for _ in range(2):
        asked.clear()
        with monkeypatch.context() as patch:
            patch.setattr(Database, "execute", lambda db, sql, *a: asked.append(sql) or execute(db, sql, *a))
            assert device.post("do/note", target="live", text="on").status_code == 200
    assert len(asked) == 5 and sum("from seat" in sql or "join seat" in sql for sql in asked) == 2
