"""Every cell of the shipped charts against the figures copied from the rulebook's tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from harness import SCENARIOS

from companion.systems import find_system
from companion.systems.wb95 import grammar

FIGURES = json.loads((Path(__file__).parent / "figures.json").read_text(encoding="utf-8"))
KIT = find_system("wb95", SCENARIOS).kit


def combat_cells() -> list[tuple[str, str, str | None]]:
    chart = FIGURES["combat"]
    return [
        (roll, column, value)
        for roll, row in chart["rows"].items()
        for column, value in zip(chart["columns"], row, strict=True)
    ]


@pytest.mark.parametrize(("roll", "column", "value"), combat_cells())
def test_combat_cell(roll: str, column: str, value: str | None) -> None:
    cell = KIT.charts["combat"].cell(roll, column)
    assert cell.value == (value or "")
    doubtful = [roll, column] in FIGURES["combat"]["doubtful"]
    assert cell.source == ("doubtful" if doubtful else "rulebook" if value else "")


def test_ten_combat_cells_stay_blank() -> None:
    chart = KIT.charts["combat"]
    assert chart.size - chart.filled == 10
    blank = {(r, c) for r in chart.rows for c in chart.columns if not chart.cell(r, c)}
    assert {r for r, _ in blank} == {"3", "4", "11"}


@pytest.mark.parametrize("name", ["air", "fire", "objects"])
def test_band_charts(name: str) -> None:
    figures, chart = FIGURES[name], KIT.charts[name]
    assert set(chart.columns) == set(figures["bands"])
    for band, cells in figures["bands"].items():
        for roll, value in zip(figures["rolls"], cells, strict=True):
            cell = chart.cell(str(roll), band)
            assert (cell.value, roll, band) == (value, roll, band)
            assert (cell.source == "doubtful") == ([str(roll), band] in figures["doubtful"])


@pytest.mark.parametrize("name", ["terrain-summer", "terrain-winter"])
def test_terrain_charts(name: str) -> None:
    chart = KIT.charts[name]
    for terrain, cells in FIGURES[name].items():
        assert [chart.cell(terrain, c).value for c in ("trucked", "mechanized", "foot", "CM")] == cells
    assert chart.cell("river", "CM").source == "doubtful"
    assert chart.cell("doniec", "CM").source == "doubtful"


def test_every_known_result_can_be_read() -> None:
    for value in KIT.charts["combat"].known_values():
        grammar.combat(value)
    for name in ("air", "fire"):
        for value in KIT.charts[name].known_values():
            grammar.part(value)


@pytest.mark.parametrize("scenario", sorted(FIGURES["air-sp"]))
def test_air_points_of_every_day(scenario: str) -> None:
    by_turn = KIT.scenarios[scenario].by_turn
    for turn, (german, soviet) in FIGURES["air-sp"][scenario].items():
        assert (by_turn["air-german"][turn], by_turn["air-soviet"][turn]) == (german or 0, soviet or 0)


@pytest.mark.parametrize("scenario", sorted(FIGURES["counts"]))
def test_rosters(scenario: str) -> None:
    wanted, found = FIGURES["counts"][scenario], KIT.scenarios[scenario]
    assert len(found.units) == wanted["rows"]
    for side, entries in wanted["entries"].items():
        listed = {"-".join(u.id.split("-")[:3]) for u in found.units if u.side == side and not u.turn}
        assert len(listed) == entries
    assert sorted(u.id for u in found.units if u.doubtful) == wanted["doubtful"]
    forts = {h: m["fort"] for h, m in found.hex_marks.items() if "fort" in m}
    for kind, hexes in wanted["forts"].items():
        assert sorted(h for h, k in forts.items() if k == kind) == hexes
    assert len(found.arrivals) == wanted["arrivals"]


def test_no_hex_is_held_by_both_sides() -> None:
    for scenario in KIT.scenarios.values():
        sides: dict[str, set[str]] = {}
        for unit in scenario.units:
            if unit.place:
                sides.setdefault(unit.place, set()).add(unit.side)
        assert all(len(s) == 1 for s in sides.values())
