"""Formulas in exported spreadsheets are disarmed, and reading the same file gives back what was there."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toykit import Table

from companion.books.spreadsheet import read_table, write_table
from companion.engine.cells import disarm, rearm
from companion.engine.hexes.ground import RULEBOOK, Fact, MapBook, Vocabulary
from companion.engine.hexes.groundtext import read_csv
from companion.engine.positions.sheets import write_positions

FORMULAS = ["=1+1", "=cmd|' /C calc'!A0", "+SUM(A1)", "-2+3+cmd", "@SUM(A1)", "\t=1", "\r=1", "'=1", "''@x"]


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_becomes_text(text: str) -> None:
    assert disarm(text).startswith("'") and rearm(disarm(text)) == text


@pytest.mark.parametrize("text", ["-1", "+2", "-1.5", "-1,5", "-10%", "-", "", "7", "3Pz", "it's", "'tis"])
def test_numbers_and_plain_words_stay_as_they_are(text: str) -> None:
    assert disarm(text) == rearm(text) == text


@given(st.text(alphabet="'=+-@\t\r1a %.,", max_size=8))
def test_reading_gives_back_what_was_written(text: str) -> None:
    assert rearm(disarm(text)) == text


def test_a_chart_book_s_table_goes_round() -> None:
    lines = [["row", "a", "b"], ["1", "=1+1", "-1"], ["2", "@x", "'=x"]]
    written = write_table(lines)
    assert not [c for r in csv.reader(io.StringIO(written)) for c in r if c[:1] in "=@+" and c]
    assert read_table(written) == lines


def test_positions_go_round_with_a_name_that_is_a_formula() -> None:
    table = Table()
    table.do("table", "add-unit", side="red", name="=HYPERLINK(1)", kind="+x", hex="0909")
    text = write_positions(table.view("table").units, table.game.kit.unit_factors)
    assert "'=HYPERLINK(1)" in text and ",=HYPER" not in text
    other = Table(set_up=False)
    other.do("table", "import-positions", csv=text)
    assert "=HYPERLINK(1)" in {u.name for u in other.game.units.values()}
    assert "+x" in {u.kind for u in other.game.units.values()}


def test_a_map_book_goes_round_with_what_was_struck_out() -> None:
    book = MapBook(
        {Fact("town", "0303", "", "=Olkhovatka"): RULEBOOK, Fact("town", "0404", "", "Burluk"): RULEBOOK}
    )
    book.remove(Fact("town", "0404", "", "Burluk"))
    text = book.to_csv()
    assert "'-town" in text and "'=Olkhovatka" in text
    read, problems = read_csv(text, Table().game.maps, Vocabulary())
    assert not problems
    assert set(read.facts) == set(book.facts) and read.removed == book.removed
    old = "kind,a,b,value\n-town,0404,,Burluk\n"
    assert read_csv(old, Table().game.maps, Vocabulary())[0].removed == book.removed, "as written before"
