"""Saving and restoring in the browser: the table's file restores, nobody reads more than his own, play is carried on."""

import html
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from toykit import Device, serving, shelf

from companion.tables import sealing
from companion.tables.sealing import restore_key
from companion.tables.tables import Tables
from companion.tables.transfer import export_table
from companion.web.app import create_app
from companion.web.waiting import MINUTES, Waiting

PAGES = ("", "units", "log", "more", "settings", "map", "save", "takedown", "export.json", "seats")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sealing.COST, "n", 2**4)


@pytest.fixture
def code(tables: Tables) -> str:
    code = tables.new("toy", "skirmish", {}, "Friday night")
    tables.act(code, "table", "set-up", {})
    for seat in ("red", "blue"):
        tables.act(code, seat, "draw-card", {})
    tables.act(code, "red", "choose", {"mission": "operation-kremlin"})
    return code


@pytest.fixture
def away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Flask]:
    """Another, empty installation."""
    with serving(monkeypatch, tmp_path / "away") as app:
        yield app


def keys(app: Flask, code: str) -> list[str]:
    secret = app.extensions["companion"]["secret"]
    return [restore_key(secret, code, side) for side in ("red", "blue")]


def upload(device: Device, data: bytes) -> Any:
    return device.client.post(
        "/import", data={"file": (io.BytesIO(data), "game.json")}, headers={"Origin": "http://localhost"}
    )


# -- the table's file ----------------------------------------------------------------------------------------


def test_the_tables_save_restores_on_an_empty_installation_with_both_keys(
    app: Flask, away: Flask, table: Device, tables: Tables, code: str
) -> None:
    saved = table.get("export.json")
    assert f"{code}-saved.json" in saved.headers["Content-Disposition"]
    tablet = Device(away)
    asked = upload(tablet, saved.data)
    assert asked.status_code == 303 and asked.headers["Location"].startswith("/import/")
    page = html.unescape(tablet.get(asked.headers["Location"]).text)
    assert "Restore Friday night" in page and "Red: restore key" in page and "Blue: restore key" in page
    red, blue = keys(app, code)
    done = tablet.post(asked.headers["Location"], **{"key-0": red.lower().replace("-", " "), "key-1": blue})
    assert (done.status_code, done.headers["Location"]) == (303, f"/t/{code}/table/seats")
    assert tablet.get(done.headers["Location"]).status_code == 200, "whoever restores has the table's screen"
    there = export_table(away.extensions["companion"]["tables"], code)
    here = export_table(tables, code)
    *record, joined = there["events"]
    assert (record, there["seed"], there["stream"]) == (here["events"], here["seed"], here["stream"])
    assert joined["body"]["kind"] == "seated", "the restoring device sat down since"


def test_wrong_keys_are_told_and_the_file_is_still_there(
    app: Flask, away: Flask, table: Device, code: str
) -> None:
    tablet = Device(away)
    place = upload(tablet, table.get("export.json").data).headers["Location"]
    red, blue = keys(app, code)
    for typed, words in (
        ({"key-0": red, "key-1": red}, "These keys do not open this file"),
        ({"key-0": red, "key-1": "K7QM"}, "Blue: 'K7QM' is no restore key"),
        ({"key-0": red}, "is no restore key"),
    ):
        answer = tablet.post(place, **typed)
        assert answer.status_code == 422 and words in html.unescape(answer.text)
        assert f'value="{red}"' in answer.text, "what was typed is not lost"
    assert tablet.post(place, **{"key-0": red, "key-1": blue}).status_code == 303
    gone = tablet.get(place)
    assert gone.status_code == 404 and "Choose it again" in gone.text


def test_guessing_keys_is_slowed_down(app: Flask, away: Flask, table: Device, code: str) -> None:
    tablet = Device(away)
    place = upload(tablet, table.get("export.json").data).headers["Location"]
    wrong = {"key-0": keys(app, code)[0], "key-1": "00000-00000"}
    answers = [tablet.post(place, **wrong).status_code for _ in range(15)]
    assert answers[0] == 422 and answers[-1] == 429


def test_beside_the_living_game_one_holder_of_the_file_gets_no_second_table(
    app: Flask, table: Device, tables: Tables, code: str
) -> None:
    tablet = Device(app)
    place = upload(tablet, table.get("export.json").data).headers["Location"]
    page = html.unescape(tablet.get(place).text)
    assert f"still here, as table {code}" in page and f'href="/t/{code}"' in page
    assert len(tables.store.tables()) == 1
    red, blue = keys(app, code)
    assert tablet.post(place, **{"key-0": red, "key-1": blue}).status_code == 303
    assert len(tables.store.tables()) == 2


def test_the_same_installation_restores_a_lost_game_and_the_phones_keep_their_seats(
    app: Flask, table: Device, red: Device, code: str, tmp_path: Path
) -> None:
    """The database was lost but for its secret."""
    saved = table.get("export.json").data
    again = create_app(tmp_path / "again", scenarios=shelf(), testing=True)
    again.extensions["companion"]["secret"] = app.extensions["companion"]["secret"]
    done = upload(Device(again), saved)
    assert done.headers["Location"] == f"/t/{code}/table/seats"
    phone = again.test_client()
    for cookie in (f"seats-{code}",):
        phone.set_cookie(cookie, red.client.get_cookie(cookie).value)
    assert phone.get(f"/t/{code}/red").status_code == 200
    again.extensions["companion"]["store"].close()


@pytest.mark.parametrize("seat", ["red", "watch"])
def test_a_reading_copy_says_so_before_and_after_it_is_downloaded(app: Flask, code: str, seat: str) -> None:
    device = Device(app, code, "" if seat == "watch" else seat)
    device.seat = seat
    for page in ("more", "log", "save"):
        text = device.get(page).text
        link = re.search(r'<a [^>]*export\.json"[^>]*>.*?</a>', text, re.S)
        assert link and "reading copy" in link[0] and "cannot be restored" in link[0], page
    copy = device.get("export.json")
    assert f"{code}-{seat}-reading-copy.json" in copy.headers["Content-Disposition"]
    assert json.loads(copy.data)["copy"] == f"reading copy, as seen by {seat}"
    refused = upload(Device(app), copy.data)
    assert refused.status_code == 422 and "this is a reading copy" in refused.text


def test_the_tables_screen_offers_a_file_that_can_be_restored(table: Device) -> None:
    for page in ("more", "log", "save"):
        assert re.search(r"Save the game as a file.*can be restored", table.get(page).text, re.S), page


# -- restore keys --------------------------------------------------------------------------------------------


def test_a_side_sees_its_own_key_on_its_save_page(app: Flask, red: Device, code: str) -> None:
    assert "save" in red.get("more").text
    assert keys(app, code)[0] in red.get("save").text


@pytest.mark.parametrize("seat", ["table", "red", "blue", "watch"])
def test_a_restore_key_is_in_no_other_seats_page_api_or_file(
    app: Flask, tables: Tables, code: str, seat: str, caplog: pytest.LogCaptureFixture
) -> None:
    device = Device(app, code, "" if seat == "watch" else seat)
    device.seat = seat
    others = [key for side, key in zip(("red", "blue"), keys(app, code), strict=True) if side != seat]
    paths = [
        *PAGES,
        "/",
        f"/t/{code}",
        *(f"/api/tables/{code}{p}?seat={seat}" for p in ("", "/actions", "/events")),
    ]
    for path in paths:
        text = device.get(path).text
        for key in others:
            assert key not in text and key.replace("-", "") not in text, path
    whole = json.dumps(export_table(tables, code)) + caplog.text
    assert all(key not in whole for key in keys(app, code))


@pytest.mark.parametrize("who", ["watch", "blue", "table"])
def test_another_seat_cannot_open_the_page_with_the_key(app: Flask, code: str, who: str) -> None:
    device = Device(app, code, "" if who == "watch" else who)
    assert device.get(f"/t/{code}/red/save").status_code == 403


def test_a_solo_table_has_no_keys_to_note(app: Flask, tables: Tables) -> None:
    code = tables.new("toy", "skirmish", {"solo": True})
    red = Device(app, code, "red")
    assert keys(app, code)[0] not in red.get("save").text
    assert "restore key" not in red.get("more").text


# -- files that wait for their keys --------------------------------------------------------------------------


def test_waiting_files_are_few_and_not_kept_for_long() -> None:
    now = [0.0]
    waiting = Waiting(most=25, clock=lambda: now[0])
    first, second = waiting.put("x" * 20, ""), waiting.put("y" * 20, "TK7M")
    assert waiting.get(second) == ("y" * 20, "TK7M")
    with pytest.raises(ValueError, match="Choose it again"):
        waiting.get(first)
    now[0] = MINUTES * 60 + 1
    with pytest.raises(ValueError, match="Choose it again"):
        waiting.get(second)


# -- carrying on ---------------------------------------------------------------------------------------------


def continued(device: Device) -> str:
    found = re.search(r'<a class="[^"]*btn-continue" href="([^"]+)"', device.get("/").text)
    return found[1] if found else ""


def test_the_game_played_last_stands_on_top_of_the_lobby(
    app: Flask, red: Device, tables: Tables, code: str
) -> None:
    other = tables.new("toy", "skirmish", {}, "Saturday")
    assert continued(Device(app)) == ""
    assert continued(red) == f"/t/{code}/red", "by its seat, before any page was opened"
    with app.test_request_context():
        from companion.web.seats import token

        red.get(f"/j/{other}/{token(other, 'blue')}")
    red.get(f"/t/{other}/blue")
    assert continued(red) == f"/t/{other}/blue"
    red.get(f"/t/{code}/red")
    red.get(f"/t/{other}/watch")
    tables.act(other, "red", "roll-dice", {})
    assert continued(red) == f"/t/{code}/red", "watching is not playing"
    assert "Continue: Friday night" in red.get("/").text and "Day 1: Weather Phase - Red" in red.get("/").text


def test_an_ended_archived_or_given_up_game_is_not_continued(red: Device, tables: Tables, code: str) -> None:
    red.get()
    tables.store.archive(code)
    assert continued(red) == ""
    tables.store.unarchive(code)
    assert continued(red) == f"/t/{code}/red"
    red.post(f"/t/{code}/leave")
    assert continued(red) == ""


@pytest.mark.parametrize("value", ["", ".", "ZZZZ.red", "\xff\xfe.x", "A" * 3000])
def test_a_strange_cookie_does_no_harm(app: Flask, code: str, value: str) -> None:
    device = Device(app, code)
    device.client.set_cookie("last", value)
    assert device.get("/").status_code == 200 and continued(device) == ""
