"""The short form of `make bench`: it runs, every tap reaches all three screens, and every figure has its floor."""

import sys

import pytest

if not sys.platform.startswith("linux"):
    pytest.skip("the bench reads Linux's clocks of processes", allow_module_level=True)

from bench.felt import Row, Scale, main
from bench.hall import SAMPLES

pytestmark = pytest.mark.slow
SHORT = Scale(tables=5, small=(), large=(10,), seconds=0.8, singles=2, aged=1, rest=0.2)


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return main(scale=SHORT)


def test_every_game_is_measured_fresh_and_with_a_long_record(rows: list[Row]) -> None:
    taps = [row for row in rows if "taps/s" in row.what]
    for sample in SAMPLES:
        assert len([row for row in taps if row.what.startswith(f"{sample.system},")]) == 2
    assert taps and all(row.against.endswith("; 0 errors") for row in taps), taps


def test_forms_previews_pages_and_memory_are_measured(rows: list[Row]) -> None:
    named = " ".join(row.what for row in rows)
    for what in (
        "combat form",
        "preview",
        "resolved combat",
        "move on the map",
        "the map",
        "the units",
        "the log",
    ):
        assert named.count(what) >= len(SAMPLES), what
    assert "the hall" in named and "memory with 5 tables, 15 devices" in named
