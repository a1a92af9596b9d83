"""The book's page of a chart tells which cells were read in play, by whom, and lets its owner settle them."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from harness import SCENARIOS
from toykit import Device, serving

from companion.books.played import keep_faces, keep_played
from companion.tables.tables import Tables
from companion.web.app import create_app


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Flask]:
    with serving(monkeypatch, tmp_path) as app:
        yield app


def test_the_owner_sees_who_read_what_and_decides(app: Flask) -> None:
    tables: Tables = app.extensions["companion"]["tables"]
    code = tables.new("toy", "skirmish", {}, "")
    red = Device(app, code, "red")
    for table, text in (("ABCD", "NE"), ("WXYZ", "DR")):
        keep_played(
            tables.store, tables.system("toy"), {"crt|5|1:1": text}, table, "2026-05-12T10:00:00+00:00"
        )
    page = red.get("/book/toy/chart/crt").text
    words = words_of(page)
    assert "Read in play" in words and "tables disagree" in words
    assert "NE table ABCD" in words and "DR table WXYZ" in words
    assert 'class="cell cell-play' in page
    answer = red.client.post(
        "/book/toy/chart/crt/confirm",
        data={"at": "5|1:1", "value": "DR"},
        headers={"Origin": "http://localhost"},
    )
    assert answer.status_code == 200 and "Players tapped these in" not in answer.text
    assert tables.game(code).chart("crt").cell("5", "1:1").value == "DR"


def words_of(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


@pytest.fixture
def real(tmp_path: Path) -> Iterator[Flask]:
    """The web app with the real games and an empty book."""
    app = create_app(tmp_path / "data", scenarios=SCENARIOS, testing=True)
    yield app
    app.extensions["companion"]["store"].close()


AT = "2026-05-12T10:00:00+00:00"


def test_a_list_shows_faces_seen_in_play_and_its_owner_decides(real: Flask) -> None:
    tables: Tables = real.extensions["companion"]["tables"]
    system = tables.system("enemy-action-kharkov")
    red = Device(real, tables.new(system.id, "campaign", {}, ""), "soviet")
    for table, kind in (("ABCD", "primary"), ("WXYZ", "supplemental")):
        told = {"cards|P07|kind": kind, "cards|P07|type": "army", "cards|P07|value": 3}
        keep_faces(tables.store, system, told, table, AT)
    page = "/book/enemy-action-kharkov/list/cards"
    words = words_of(red.get(page).text)
    assert "tables disagree" in words and "Kind Primary table ABCD" in words
    assert "Kind Supplemental table WXYZ" in words and "Value 3, Type army table ABCD" in words
    home = {"Origin": "http://localhost"}
    red.client.post(f"{page}/confirm", data={"at": "P07|kind", "value": "supplemental"}, headers=home)
    answer = red.client.post(f"{page}/confirm", data={"at": ["P07|type", "P07|value"]}, headers=home)
    assert answer.status_code == 200 and "Read in play" not in answer.text
    assert tables.store.book_get(system.id, "book/cards")["rows"]["P07"] == {
        "kind": "supplemental",
        "type": "army",
        "value": 3,
    }


def test_what_was_seen_of_an_open_list_is_added_or_forgotten(real: Flask) -> None:
    tables: Tables = real.extensions["companion"]["tables"]
    system = tables.system("kharkov-battles")
    red = Device(real, tables.new(system.id, "operation-star", {}, ""), "soviet")
    told = {f"chits|axis {n}|full": f"A{n}" for n in (7, 8)}
    keep_faces(tables.store, system, told, "ABCD", AT)
    page = "/book/kharkov-battles/list/chits"
    assert "Full side A7 table ABCD" in words_of(red.get(page).text)
    home = {"Origin": "http://localhost"}
    red.client.post(f"{page}/seen", data={"number": "1", "take": "on"}, headers=home)
    answer = red.client.post(f"{page}/seen", data={"number": "0", "take": ""}, headers=home)
    assert "Seen in play" not in answer.text
    assert tables.store.book_get(system.id, "book/chits")["rows"] == {"1": {"full": "A8"}}
    assert red.client.post(f"{page}/seen", data={"number": "0"}, headers=home).status_code == 422
    assert red.client.post(f"{page}/seen", data={"number": "-1"}, headers=home).status_code == 422
