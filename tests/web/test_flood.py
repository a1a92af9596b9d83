"""A flood of tables: one address is slowed down, tables in play stay on top, and a table is put away and brought back."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from toykit import Device, install

from companion.limits import LOBBY_PAGE
from companion.tables.tables import Tables
from companion.tables.transfer import export_table
from companion.web.app import create_app
from companion.web.flood import Allowance, put_away_empty


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock) -> Iterator[Flask]:
    """The app with room for three tables at once and one more every twenty seconds."""
    shelf = install(monkeypatch)
    allowance = Allowance(burst=3, every=20, clock=clock)
    app = create_app(tmp_path / "limited", scenarios=shelf, testing=True, founding=allowance)
    yield app
    app.extensions["companion"]["store"].close()


def found(app: Flask, way: str, address: str = "10.0.0.1") -> Any:
    client = app.test_client()
    here = {"environ_base": {"REMOTE_ADDR": address}, "headers": {"Origin": "http://localhost"}}
    if way == "form":
        return client.post("/new/toy/skirmish", data={"players": "two"}, **here)
    if way == "api":
        return client.post("/api/tables", json={"system": "toy", "scenario": "skirmish"}, **here)
    tables: Tables = app.extensions["companion"]["tables"]
    with app.test_request_context():
        kept = app.extensions.setdefault("kept", tables.new("toy", "skirmish", {}))
        body = json.dumps(export_table(tables, kept)).encode()
    return client.post("/import", data={"file": (BytesIO(body), "game.json")}, **here)


# -- how many ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["form", "api", "import"])
def test_one_address_founds_only_so_many_tables(limited: Flask, clock: Clock, way: str) -> None:
    good = {"form": 303, "api": 201, "import": 303}[way]
    assert [found(limited, way).status_code for _ in range(4)] == [good] * 3 + [429]
    refused = found(limited, way)
    assert "Wait 20 seconds" in refused.text
    assert found(limited, way, "10.0.0.2").status_code == good, "the neighbour is not held up"
    clock.now += 20
    assert found(limited, way).status_code == good
    assert found(limited, way).status_code == 429


def test_what_was_refused_for_another_reason_costs_nothing(limited: Flask) -> None:
    for _ in range(10):
        client = limited.test_client()
        assert client.post("/api/tables", json={"system": "toy", "scenario": "d-day"}).status_code == 404
    assert found(limited, "api").status_code == 201


def test_a_served_app_is_limited_without_being_asked(tmp_path: Path) -> None:
    app = create_app(tmp_path)
    assert isinstance(app.extensions["companion"]["founding"], Allowance)
    app.extensions["companion"]["store"].close()


def test_an_allowance_forgets_addresses_that_have_rested(clock: Clock) -> None:
    allowance = Allowance(burst=2, every=1, clock=clock, keys=3)
    for address in "abc":
        allowance.spend(address)
    clock.now += 10
    allowance.spend("d")
    assert allowance.wait("d") == 0
    assert len(allowance._used_until) == 1


# -- the lobby -----------------------------------------------------------------------------------------------


def test_a_flood_of_empty_tables_does_not_push_real_ones_off(app: Flask, tables: Tables) -> None:
    real = tables.new("toy", "skirmish", {}, "Friday night")
    tables.act(real, "table", "note", {"text": "we play"})
    for n in range(300):
        tables.new("toy", "skirmish", {}, f"spam {n}")
    page = Device(app).get("/").text
    assert page.index("Friday night") < page.index("Nothing done yet (300)") < page.index("spam 299")
    assert page.count('class="grow lobby-row"') == 1 + LOBBY_PAGE


def test_tables_of_this_device_come_first(app: Flask, tables: Tables) -> None:
    mine = tables.new("toy", "skirmish", {}, "mine")
    for n in range(LOBBY_PAGE + 5):
        tables.act(tables.new("toy", "skirmish", {}, f"other {n}"), "table", "note", {"text": "x"})
    page = Device(app, mine, "red").get("/").text
    assert page.index("Where this device sits") < page.index(">mine<") < page.index("Other tables")


def test_every_table_can_be_paged_to_and_looked_for(app: Flask, tables: Tables) -> None:
    codes = []
    for n in range(2 * LOBBY_PAGE + 7):
        codes.append(tables.new("toy", "skirmish", {}, f"name {n}"))
        tables.act(codes[-1], "table", "note", {"text": "x"})
    device, seen = Device(app), set()
    for page in (1, 2, 3):
        text = device.get(f"/?show=play&page={page}").text
        seen |= {code for code in codes if f'href="/t/{code}"' in text}
    assert seen == set(codes)
    assert f"1 to {LOBBY_PAGE} of {2 * LOBBY_PAGE + 7}" in device.get("/").text
    assert f'href="/t/{codes[3]}"' in device.get("/?q=name+3").text
    assert f'href="/t/{codes[3]}"' in device.get(f"/?q={codes[3].lower()}").text
    assert "No table like" in device.get("/?q=nowhere").text
    assert device.get("/?show=play&page=9999999999999999999999").status_code == 200


# -- archive and bring back ----------------------------------------------------------------------------------


@pytest.fixture
def code(tables: Tables) -> str:
    code = tables.new("toy", "skirmish", {}, "Friday night")
    tables.act(code, "table", "note", {"text": "we play"})
    return code


def test_who_holds_the_screen_archives_a_table_and_brings_it_back(
    app: Flask, tables: Tables, code: str, table: Device, red: Device
) -> None:
    assert f'href="/t/{code}/archive"' in table.get("/").text
    asked = table.get(f"/t/{code}/archive").text
    assert "Nothing is deleted" in asked and not tables.row(code).archived, "looking changes nothing"
    assert table.post(f"/t/{code}/archive", do="archive").status_code == 303
    assert tables.row(code).archived
    lobby = table.get("/").text
    assert "Archived (1)" in lobby and "Bring back" in lobby
    assert red.get().status_code == 200, "its links open it as before"
    assert table.post(f"/t/{code}/archive", do="restore").status_code == 303
    assert not tables.row(code).archived


def test_nobody_else_archives_a_table(app: Flask, tables: Tables, code: str, red: Device) -> None:
    for device in (red, Device(app, code)):
        assert device.get(f"/t/{code}/archive").status_code == 403
        assert device.post(f"/t/{code}/archive", do="archive").status_code == 403
        assert f'href="/t/{code}/archive"' not in device.get("/").text
    assert not tables.row(code).archived


def test_a_table_that_is_played_at_comes_back_by_itself(tables: Tables, code: str, red: Device) -> None:
    tables.store.archive(code)
    red.do("note", text="still here")
    assert not tables.row(code).archived


def test_a_table_at_which_nothing_was_done_for_a_day_is_put_away(
    app: Flask, tables: Tables, code: str
) -> None:
    empty = tables.new("toy", "skirmish", {}, "nobody came")
    with app.test_request_context():
        assert put_away_empty(datetime.now(UTC) + timedelta(hours=23)) == []
        assert put_away_empty(datetime.now(UTC) + timedelta(hours=25)) == [empty]
    assert tables.row(empty).archived and not tables.row(code).archived, "a game is never put away by itself"
