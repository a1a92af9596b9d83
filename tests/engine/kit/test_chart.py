"""Charts: known cells, doubtful cells, and blank ones that stay blank until their owner fills them in."""

import pytest
from toykit import toy_kit

from companion.engine.errors import Unreadable
from companion.engine.kit.chart import BLANK, Chart


@pytest.fixture
def crt() -> Chart:
    return toy_kit().charts["crt"]


@pytest.mark.parametrize(
    ("row", "column", "value", "source"),
    [
        ("1", "1:2", "AE", "rulebook"),
        ("3", "1:1", "NE", "doubtful"),
        ("6", "1:1", "", ""),
        ("6", "2:1", "DE", "rulebook"),
    ],
)
def test_a_cell_says_what_it_is_and_where_from(
    crt: Chart, row: str, column: str, value: str, source: str
) -> None:
    cell = crt.cell(row, column)
    assert (cell.value, cell.source, bool(cell)) == (value, source, bool(value))


def test_a_blank_chart_is_all_blank() -> None:
    chart = Chart("x", "X", ("1",), ("a",)).shipped("")
    assert chart.cell("1", "a") is BLANK
    assert (chart.filled, chart.size) == (0, 1)


@pytest.mark.parametrize(
    ("row", "column", "words"),
    [("7", "1:1", "has no row '7': 1, 2"), ("1", "1:3", "has no column '1:3': 1:2, 1:1, 2:1. Did you mean")],
)
def test_a_head_that_is_not_there_is_named_with_the_known_ones(
    crt: Chart, row: str, column: str, words: str
) -> None:
    with pytest.raises(Unreadable, match=words):
        crt.cell(row, column)


def test_the_owner_fills_blank_and_doubtful_cells_but_never_the_rulebooks(crt: Chart) -> None:
    filled = crt.fill({"6|1:1": "DR", "3|1:1": "AR", "1|1:2": "DE", "9|1:1": "DE", "5|1:1": ""})
    assert (filled.cell("6", "1:1").value, filled.cell("6", "1:1").source) == ("DR", "owner")
    assert filled.cell("3", "1:1").value == "AR"
    assert filled.cell("1", "1:2").value == "AE"
    assert not filled.cell("5", "1:1")
    assert crt.cell("6", "1:1") is BLANK, "the kit itself stays as it was"
    assert filled.filled == crt.filled + 1


def test_a_cell_takes_only_the_charts_codes(crt: Chart) -> None:
    assert crt.check("6", "1:1", "  DR ") == "DR"
    assert crt.check("6", "1:1", "") == ""
    with pytest.raises(Unreadable) as raised:
        crt.check("6", "1:1", "BOOM")
    assert raised.value.message.endswith(
        "row 6, column 1:1: 'BOOM' is not a result of this chart (AE, AR, NE, DR, DE)"
    )
    assert raised.value.field == "6|1:1"


def test_known_results_become_buttons(crt: Chart) -> None:
    assert crt.known_values() == ["AE", "AR", "DE", "DR", "NE"]
