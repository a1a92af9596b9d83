"""A table of Second Kharkov with an owner's book that these tests invent; no printed chart is copied."""

from __future__ import annotations

from typing import Any

import pytest
from harness import SCENARIOS, Bench

from companion.engine.hexes.ground import Fact, MapBook
from companion.engine.kit.book import Book
from companion.systems import find_system


def invented_book(
    result: str = "",
    ground: tuple[tuple[str, str, str, str], ...] = (),
    faces: dict[str, dict[str, int]] | None = None,
) -> Book:
    """A chart whose every blank cell holds `result`, map facts (kind, a, b, value), and faces of counters."""
    kit = find_system("second-kharkov", SCENARIOS).kit
    chart = kit.charts["crt"]
    if result:
        chart = chart.fill({f"{row}|{column}": result for row in chart.rows for column in chart.columns})
    book = MapBook()
    for fact in ground:
        book.add(Fact(*fact))
    return Book(charts={"crt": chart}, tables={"faces": faces or {}}, map=book.to_json())


class Kharkov(Bench):
    """A table that units can be entered on in one line."""

    def enter(
        self,
        name: str,
        side: str,
        hex: str,
        *,
        army: str = "",
        kind: str = "",
        steps: int = 0,
        **factors: int,
    ) -> str:
        """Put a unit on record with what its counter shows (af=, df=, mf=); returns its id."""
        turn, phase = self.game.turn, self.game.phase
        steps = steps or (4 if side == "german" else 1)
        before = set(self.game.units)
        self.do("table", "add-unit", side=side, name=name, hex=hex, steps=steps, kind=kind)
        unit = next(iter(set(self.game.units) - before))
        counter = {k: v for k, v in {"kind": kind, "army": army, **factors}.items() if v != ""}
        if side == "soviet" and factors:
            self.do("table", "go-to", turn=turn, phase="soviet-combat")  # 2.14: turned over in battle only
        if counter:
            self.do(side, "copy-counter", unit=unit, **counter)
        if self.game.phase != phase:
            self.do("table", "go-to", turn=turn, phase=phase)
        return unit


@pytest.fixture
def table() -> Any:
    """`table("alternative", turn=3, phase="german-combat", result="1/2", ground=..., units=...)`."""

    def open_table(
        scenario: str = "historical",
        *,
        turn: int = 1,
        phase: str = "",
        result: str = "",
        ground: tuple[tuple[str, str, str, str], ...] = (),
        faces: dict[str, dict[str, int]] | None = None,
        units: tuple[dict[str, Any], ...] = (),
        **options: Any,
    ) -> Kharkov:
        bench = Kharkov("second-kharkov", scenario, invented_book(result, ground, faces), **options)
        if turn > 1 or phase:
            bench.do("table", "go-to", turn=turn, phase=phase or "soviet-move")
        for unit in units:
            bench.enter(**unit)
        return bench

    return open_table
