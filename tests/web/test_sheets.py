"""Sheets for paper: everything that is on the table, in the hands of whom it belongs to."""

import json
import re

import pytest
from hall import Hall, text_of

from companion.tables.tables import Tables
from companion.tables.transfer import export_table, import_table
from companion.web.app import create_app


@pytest.fixture
def hall(tmp_path):
    made = Hall(tmp_path)
    made.act("german", "enter-positions", text="Geheim 2408; 3Pz 2408; 16Pz dead; 3Pz =3; 3Pz oos")
    made.act("table", "enter-positions", text="soviet 2 2713; 2713 owner soviet; 2610 interdiction")
    return made


def test_a_take_down_sheet_names_every_hex_box_marker_and_track(hall):
    page = text_of(hall.get("german", "takedown"))
    assert page.index("3rd Panzer, 3 of 4 steps, Out of supply") < page.index("Geheim"), "top to bottom"
    for words in (
        "Dead pile",
        "16Pz",
        "Controlled by Soviet",
        "Interdiction",
        "Soviet VP",
        "2713",
        hall.code,
    ):
        assert words in page
    assert "German's own sheet" in page and 'aria-label="Back to table' in page
    assert "restore the file in the lobby" in page


def test_hidden_things_print_on_their_owners_sheet_only(hall):
    for seat in ("table", "soviet", "watch"):
        page = text_of(hall.get(seat, "takedown"))
        assert "Geheim" not in page and "a hidden unit" in page
    assert "Public sheet" in text_of(hall.get("table", "takedown"))


def test_a_table_without_positions_still_has_a_sheet(tmp_path):
    assert "No positions are on record" in text_of(Hall(tmp_path).get("table", "takedown"))


def test_a_game_is_rebuilt_in_a_new_installation(hall, tmp_path):
    line = re.compile(r"(?i)record line [^.]*UTC")  # sitting down in the new installation is a line, too
    sheet = line.sub("", text_of(hall.get("german", "takedown")))
    copy = json.dumps(export_table(hall.tables, hall.code))
    other = create_app(tmp_path / "other", testing=True)
    tables: Tables = other.extensions["companion"]["tables"]
    code = import_table(tables, copy)
    assert code == hall.code
    assert tables.game(code).dump() == hall.tables.game(hall.code).dump()
    with other.test_request_context(base_url="http://localhost"):
        from companion.web.seats import token

        link = f"/j/{code}/{token(code, 'german')}"
    browser = other.test_client()
    browser.get(link)
    assert line.sub("", browser.get(f"/t/{code}/german/takedown").get_data(as_text=True)) == sheet


def test_a_set_up_sheet_goes_as_hands_go(hall):
    page = text_of(hall.clients["watch"].get("/scenario/second-kharkov/historical/setup"))
    order = [
        "1. Beside the map",
        "Soviet VP",
        "2719",
        "Tank brigade",
        "Laid on the turn track",
        "3rd Panzer",
        "What comes later",
    ]
    places = [page.index(words) for words in order]
    assert places == sorted(places)
    assert page.count("Tank brigade") >= 3
    assert hall.clients["watch"].get("/scenario/second-kharkov/nonsense/setup").status_code == 404
