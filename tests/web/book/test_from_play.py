"""The book's page of a chart tells which cells were read in play, by whom, and lets its owner settle them."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from toykit import Device, serving

from companion.books.played import keep_played
from companion.tables.tables import Tables


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
    words = " ".join(re.sub(r"<[^>]+>", " ", page).split())
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
