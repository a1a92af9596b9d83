"""A companion on the internet: nobody is told of other people's tables, and what is deleted is gone."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from flask import Flask
from toykit import Device, install

from companion.store import NoTable
from companion.tables.retention import Retention, delete_table
from companion.tables.tables import Tables
from companion.tables.transfer import export_table, import_table
from companion.web.app import create_app


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Flask]:
    found = create_app(
        tmp_path / "data", scenarios=install(monkeypatch), testing=True, private=True, keep_days=30
    )
    yield found
    found.extensions["companion"]["store"].close()


@pytest.fixture
def code(tables: Tables) -> str:
    return tables.new("toy", "skirmish", {}, "Friday night")


def test_the_lobby_shows_a_device_its_own_tables_alone(
    app: Flask, tables: Tables, code: str, red: Device
) -> None:
    other = tables.new("toy", "skirmish", {}, "Of somebody else")
    stranger = app.test_client()
    assert code not in stranger.get("/").text and other not in stranger.get("/").text
    mine = red.get("/").text
    assert "Friday night" in mine and "Of somebody else" not in mine and "/hall" not in mine
    tables.store.archive(code)
    assert "Friday night" in red.get("/").text
    assert "Of somebody else" not in red.get("/?show=play").text + red.get("/?q=somebody").text


def test_a_cookie_that_opens_nothing_shows_nothing(app: Flask, code: str) -> None:
    forger = app.test_client()
    forger.set_cookie(f"seats-{code}", "0" * 26)
    assert "Friday night" not in forger.get("/").text
    for number in range(150):
        forger.set_cookie(f"seats-X{number}", "0")
    assert forger.get("/").status_code == 200


def test_there_is_no_hall(app: Flask, code: str) -> None:
    asked = app.test_client().get("/hall")
    assert asked.status_code == 404 and "There is no hall" in asked.text and code not in asked.text


def test_codes_are_too_long_to_be_guessed_and_still_let_friends_watch(app: Flask, code: str) -> None:
    assert len(code) == 8
    friend = app.test_client()
    assert friend.get(f"/join?code={code}").headers["Location"].endswith(f"/t/{code}/watch")
    assert friend.get(f"/t/{code}/watch").status_code == 200
    assert "eight letters or digits" in friend.get("/join?code=NONE").text


def test_the_lobby_says_how_long_a_table_is_kept(app: Flask) -> None:
    assert "nothing is done for 30 days is deleted" in app.test_client().get("/").text


# -- delete my table ------------------------------------------------------------------------------------------


def test_whoever_holds_the_screen_deletes_the_table_by_typing_its_code(
    app: Flask, tables: Tables, code: str, table: Device
) -> None:
    assert f'href="/t/{code}/delete"' in table.get(f"/t/{code}/archive").text
    assert "nobody can bring them back" in table.get(f"/t/{code}/delete").text
    assert table.post(f"/t/{code}/delete", code="WRONG").status_code == 422
    assert tables.row(code), "looking and mistyping change nothing"
    done = table.post(f"/t/{code}/delete", code=code.lower())
    assert done.status_code == 303
    with pytest.raises(NoTable):
        tables.row(code)
    assert tables.store.setting_get(f"seats-{code}") is None
    assert table.get(f"/t/{code}/table").status_code == 404
    assert app.test_client().get(f"/t/{code}/watch").status_code == 404


def test_nobody_else_deletes_a_table(app: Flask, tables: Tables, code: str, red: Device) -> None:
    for who in (red, Device(app, code)):
        assert who.post(f"/t/{code}/delete", code=code).status_code == 403
    assert tables.row(code)


def test_nobodys_game_is_deleted_while_he_sits_at_it(
    app: Flask, tables: Tables, code: str, table: Device
) -> None:
    red = Device(app, code, "red")
    assert "Red still sits at this table" in table.get(f"/t/{code}/delete").text
    assert table.post(f"/t/{code}/delete", code=code).status_code == 403
    tables.seating.stand_up(code, ["red"], red.client.get_cookie("device").value)
    assert table.post(f"/t/{code}/delete", code=code).status_code == 303


def test_a_saved_game_comes_back_as_another_table(
    app: Flask, tables: Tables, code: str, table: Device
) -> None:
    """The old code stays burnt: the old links and cookies must not open the new table."""
    saved = json.dumps(export_table(tables, code))
    delete_table(tables, code)
    again = import_table(tables, saved, app.extensions["companion"]["secret"], operator=True)
    assert again != code
    assert table.get(f"/t/{code}/table").status_code == 404


# -- retention ------------------------------------------------------------------------------------------------


def test_tables_that_nobody_touched_for_long_are_deleted(tables: Tables, code: str) -> None:
    now = datetime.now(UTC)
    tables.clock = lambda: (now - timedelta(days=31)).isoformat(timespec="seconds")
    old, revived = tables.new("toy", "skirmish", {}), tables.new("toy", "skirmish", {})
    tables.store.archive(old)
    tables.clock = lambda: (now - timedelta(days=29)).isoformat(timespec="seconds")
    tables.act(revived, "red", "note", {"text": "still here"})
    retention = Retention(tables, 30)
    assert retention.once(now) == [old]
    assert retention.once(now) == []
    assert {row.code for row in tables.store.tables()} == {code, revived}
