"""The owner's lists and what is said about their mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness import SCENARIOS
from systems.panzer_keil.pk_bench import owners_book

from companion.books.book import ChartSheet
from companion.store import open_store
from companion.systems import find_system
from companion.systems.panzer_keil import BOOK_CHECKS
from companion.systems.panzer_keil.books import flag, number, points_at
from companion.systems.panzer_keil.results import RESULTS

KIT = find_system("panzer-keil", SCENARIOS).kit


def test_every_list_has_its_check() -> None:
    assert set(BOOK_CHECKS) == {b.id for b in KIT.system.books}


def test_the_synthetic_book_is_sound() -> None:
    book = owners_book()
    for name, check in BOOK_CHECKS.items():
        assert check(book.tables.get(name, {})) == [], name


@pytest.mark.parametrize(
    ("name", "rows", "words"),
    [
        ("weather", {"1": {"weather": "snow"}, "3": {"weather": "mud"}}, "square 2 is empty"),
        ("weather", {"1": {"weather": "snow"}, "2": {"weather": "thaw"}}, "B5.1.1"),
        ("weather", {"1": {"weather": "rain"}, "2": {"weather": "mud"}}, "no weather"),
        (
            "weather",
            {"1": {"weather": "mud", "start": True}, "2": {"weather": "mud", "start": "yes"}},
            "one square",
        ),
        ("weather", {"1": {"weather": "mud"}, "4": {"start": True}}, "square 4 is ticked"),
        ("front-points", {"1": {"from": 0, "to": 4, "supply": 5}}, "support missing"),
        (
            "front-points",
            {
                "1": {"from": 0, "to": 4, "supply": 5, "support": 1},
                "2": {"from": 6, "supply": 4, "support": 1},
            },
            "expected 5",
        ),
        (
            "front-points",
            {"1": {"from": 0, "supply": 5, "support": 1}, "2": {"from": 6, "supply": 4, "support": 1}},
            "no end",
        ),
        ("front-points", {"1": {"from": 5, "to": 4, "supply": 5, "support": 1}}, "backwards"),
        ("crt-ends", {"clear": {"lowest": "3:1", "highest": "2:1"}}, "not below"),
        ("counters", {"302id": {"kind": "infantry", "XAF": 2}}, "no exhausted side"),
    ],
)
def test_mistakes_are_named(name: str, rows: dict[str, Any], words: str) -> None:
    assert any(words in text for text in BOOK_CHECKS[name](rows)), BOOK_CHECKS[name](rows)


def test_an_empty_list_is_no_mistake() -> None:
    assert all(check({}) == [] for check in BOOK_CHECKS.values())


@pytest.mark.parametrize(("cell", "value"), [("7", 7), (7, 7), ("", None), (None, None), ("x", None), (0, 0)])
def test_numbers(cell: object, value: int | None) -> None:
    assert number(cell) == value


@pytest.mark.parametrize(
    ("cell", "value"), [(True, True), ("yes", True), ("", False), (None, False), ("no", False)]
)
def test_flags(cell: object, value: bool) -> None:
    assert flag(cell) is value


def test_points_outside_every_band_are_unknown() -> None:
    assert points_at({"1": {"from": 2, "to": 4, "supply": 5, "support": 1}}, 9) is None


def test_only_the_rulebooks_cells_are_shipped() -> None:
    filled = {name: chart.filled for name, chart in KIT.charts.items() if chart.filled}
    assert filled == {"terrain": 9}
    sources = {c.source for c in KIT.charts["terrain"].cells.values()}
    assert sources == {"rulebook", "doubtful"}


@pytest.mark.parametrize(
    ("chart", "codes"),
    [
        *((name, [c for c in RESULTS if c != "AE"]) for name in KIT.charts if name.startswith("crt-")),
        ("support", ["-", "D", "1D"]),
    ],
)
def test_a_table_offers_its_codes_from_the_first_cell(tmp_path: Path, chart: str, codes: list[str]) -> None:
    """7.3.2, 9.6: the codes are the rulebook's, where they stand is the owner's; AE is on no table."""
    store = open_store(tmp_path / "companion.db")
    sheet = ChartSheet(store, find_system("panzer-keil", SCENARIOS), chart)
    assert not sheet.filled and sheet.known_codes() == codes
    assert len(codes) <= 16  # as many as a card shows
    store.close()
