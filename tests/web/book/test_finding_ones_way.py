"""The chart book's shelf: folded by game and kind, and a way back to the table that one came from."""

import re

import pytest
from hall import Hall, text_of


@pytest.fixture
def hall(tmp_path):
    return Hall(tmp_path, "panzer-keil", "winter-1943")


def test_games_are_folded(hall):
    page = text_of(hall.clients["table"].get("/book"))
    folds = re.findall(r'<details class="flap" id="g-([a-z0-9-]+)"( open)?>', page)
    assert len(folds) == 5 and not any(is_open for _, is_open in folds)


@pytest.mark.parametrize("path", ["/book", "/book/panzer-keil", "/book/panzer-keil/chart/support"])
def test_who_came_from_a_table_finds_the_way_back(hall, path):
    back = f"‹ Back to table {hall.code}"
    assert back not in text_of(hall.clients["german"].get(path))
    hall.get("german", "")
    hall.clients["german"].get(f"/t/{hall.code}/german")
    page = text_of(hall.clients["german"].get(path))
    assert back in page and f'href="/t/{hall.code}/german/more"' in page
    assert back not in text_of(hall.clients["watch"].get(path))


@pytest.mark.parametrize(
    ("chart", "codes"),
    [("support", ["-", "D", "1D"]), ("crt-german-clear", ["AL2", "AL", "A2D"])],
)
def test_codes_that_the_kit_declares_are_offered_from_the_first_cell(hall, chart, codes):
    page = text_of(hall.clients["german"].get(f"/book/panzer-keil/chart/{chart}"))
    found = re.search(r'data-codes="(\[.*?\])"', page)
    assert found
    offered = re.findall(r"&#34;([^&]+)&#34;", found[1])
    assert offered[: len(codes)] == codes


def test_where_the_kit_declares_none_what_stands_there_is_offered(hall):
    chart = hall.tables.system("panzer-keil").kit.charts["terrain"]
    assert chart.declared == ()
    page = text_of(hall.clients["german"].get("/book/panzer-keil/chart/terrain"))
    assert "&#34;1/2&#34;" in re.search(r'data-codes="(\[.*?\])"', page)[1]


def test_the_faces_of_a_chit_stand_side_by_side(tmp_path):
    hall = Hall(tmp_path, "enemy-action-kharkov", "initial-assault")
    page = text_of(hall.clients["table"].get("/book/enemy-action-kharkov/list/chits"))
    assert "brows-faces" in page
    first = re.search(r'data-key="C01".*?</li>', page, re.S)[0]
    assert first.count("bf-part-1") == first.count("bf-part-2") == 4


def test_several_hexes_are_hexes(tmp_path):
    hall = Hall(tmp_path, "kharkov-battles", "operation-star")
    shape = hall.tables.system("kharkov-battles").kit.lists
    assert shape["places"].key_plural == "hexes" and shape["chits"].key_plural == "chits"
    page = text_of(hall.clients["table"].get("/book/kharkov-battles/list/places"))
    assert "hexs" not in page
