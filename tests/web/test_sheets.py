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
    assert line.sub("", text_of(browser.get(f"/t/{code}/german/takedown"))) == sheet


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
    assert "3 × Tank brigade" in page, "counters alike are one line"
    assert hall.clients["watch"].get("/scenario/second-kharkov/nonsense/setup").status_code == 404


# -- set-up sheets in the game's own words


def set_up(hall, scenario):
    page = text_of(hall.clients["watch"].get(f"/scenario/{scenario}/setup"))
    return re.sub(
        r"\s+", " ", re.sub(r"<[^>]+>", " ", page[page.index("<article") : page.index("</article")])
    )


def test_markers_stand_at_their_hexes_in_words(hall):
    page = set_up(hall, "wb95/kharkov-1942")
    assert "0501 202/75 INF-R, 2 CEL Fortification improved (IF)" in page
    assert "Fortification if" not in page and "Fortification ff" not in page
    assert re.search(r"Markers in hexes without units Bridge held by the Soviets 1602-1603, 1902-1903", page)


def test_the_first_turn_gives_the_starting_air(hall):
    """[WB-95 8.1.1] The Soviets fly with 8 on the first day."""
    page = set_up(hall, "wb95/kharkov-1942")
    assert "Soviet air SP 8" in page and "Soviet air SP 0" not in page
    assert re.search(r"At 0: German air SP, ", page)


def test_what_only_counts_on_is_one_line(hall):
    page = set_up(hall, "panzer-keil/winter-1943")
    assert "Voronezh 1 to 14 (14)" in page and "Voronezh 2 " not in page
    assert page.count("B14.2") < 4, "a note of many units is told once"


def test_what_lies_on_the_turn_track_is_not_told_twice(hall):
    page = set_up(hall, "wb95/kharkov-1942")
    assert page.count("576/305 INF-R") == 1
    assert "German units of turn 2" in set_up(hall, "second-kharkov/historical")


def test_no_sheet_has_raw_words(hall):
    for system in hall.tables.systems.values():
        kit = system.kit.system
        raw = {f"{m.label} {v}" for m in kit.markers for v, word in m.words.items() if v != word}
        for name in system.kit.scenarios:
            page = set_up(hall, f"{system.id}/{name}")
            assert not [words for words in raw if re.search(rf"{re.escape(words)}\b", page)], name


def test_a_take_down_sheet_counts_what_waits(tmp_path):
    hall = Hall(tmp_path, "panzer-keil", "winter-1943")
    hall.act("table", "set-up")
    page = text_of(hall.get("table", "takedown"))
    assert "Don 1 to 41" in page and "Don 17" not in page
    assert page.index("S.West 1 to 44") and "Turn 4" in page
