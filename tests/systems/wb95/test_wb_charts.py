"""Every cell of the shipped charts against the figures copied from the rulebook's tables."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from harness import SCENARIOS

from companion.systems import find_system
from companion.systems.wb95 import grammar

with (Path(__file__).parent / "figures.csv").open(encoding="utf-8", newline="") as file:
    FIGURES = [(r["table"], r["row"], r["column"], r["value"], r["flag"]) for r in csv.DictReader(file)]
"""Copied from the rulebook's tables and lists, not from the kit."""
KIT = find_system("wb95", SCENARIOS).kit
CHARTS = [f for f in FIGURES if f[0] in KIT.charts]


def of(table: str) -> list[tuple[str, str, str, str]]:
    return [f[1:] for f in FIGURES if f[0] == table]


@pytest.mark.parametrize(("chart", "row", "column", "value", "flag"), CHARTS)
def test_cell(chart: str, row: str, column: str, value: str, flag: str) -> None:
    cell = KIT.charts[chart].cell(row, column)
    assert cell.value == value
    assert cell.source == ("" if flag == "blank" else flag or "rulebook")


def test_every_cell_is_in_the_fixture() -> None:
    for name, chart in KIT.charts.items():
        assert len([f for f in CHARTS if f[0] == name]) == chart.size


def test_ten_combat_cells_stay_blank() -> None:
    chart = KIT.charts["combat"]
    assert chart.size - chart.filled == 10
    blank = {(r, c) for r in chart.rows for c in chart.columns if not chart.cell(r, c)}
    assert {r for r, _ in blank} == {"3", "4", "11"}


def test_every_known_result_can_be_read() -> None:
    for value in KIT.charts["combat"].known_values():
        grammar.combat(value)
    for name in ("air", "fire"):
        for value in KIT.charts[name].known_values():
            grammar.part(value)


@pytest.mark.parametrize(("scenario", "turn", "points", "side"), of("air-sp"))
def test_air_points_of_every_day(scenario: str, turn: str, points: str, side: str) -> None:
    assert KIT.scenarios[scenario].by_turn[f"air-{side}"][turn] == int(points)


@pytest.mark.parametrize("scenario", sorted(KIT.scenarios))
def test_rosters(scenario: str) -> None:
    found = KIT.scenarios[scenario]
    sizes = {column: int(value) for name, column, value, _ in of("units") if name == scenario}
    assert (len(found.units), len(found.arrivals)) == (sizes["rows"], sizes["arrivals"])
    for name, side, entries, _ in of("entries"):
        if name == scenario:
            listed = {"-".join(u.id.split("-")[:3]) for u in found.units if u.side == side and not u.turn}
            assert len(listed) == int(entries)
    doubtful = next(value.split() for name, _, value, _ in of("doubtful-units") if name == scenario)
    assert sorted(u.id for u in found.units if u.doubtful) == doubtful
    forts = {h: m["fort"] for h, m in found.hex_marks.items() if "fort" in m}
    for name, kind, hexes, _ in of("forts"):
        if name == scenario:
            assert sorted(h for h, k in forts.items() if k == kind) == hexes.split()


def test_no_hex_is_held_by_both_sides() -> None:
    for scenario in KIT.scenarios.values():
        sides: dict[str, set[str]] = {}
        for unit in scenario.units:
            if unit.place:
                sides.setdefault(unit.place, set()).add(unit.side)
        assert all(len(s) == 1 for s in sides.values())
