"""Lookup tables with known and blank cells. A blank cell stays blank until its owner copies it in."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from companion.engine.errors import Mistake, Several, Unreadable, did_you_mean


@dataclass(frozen=True)
class Cell:
    """One cell: its text, and where the text comes from."""

    value: str = ""
    source: str = ""
    """'rulebook', 'owner', 'play' (read off the printed chart at this table), 'doubtful', or empty for a blank cell."""
    rule: str = ""

    def __bool__(self) -> bool:
        return bool(self.value)


BLANK = Cell()


def cell_key(chart: str, row: str, column: str) -> str:
    """How a chart cell that was read in play is kept in the record."""
    return f"{chart}|{row}|{column}"


@dataclass(frozen=True)
class Chart:
    """A printed chart: row and column heads, cells, and the codes that may stand in a cell."""

    id: str
    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    codes: str = ".*"
    examples: str = ""
    rule: str = ""
    where: str = ""
    row_label: str = ""
    column_label: str = ""
    taps: tuple[str, ...] = ()
    """Codes offered as buttons when a cell is blank and its owner reads the printed chart."""
    cell_rules: Mapping[str, Any] = field(default_factory=dict)
    """Rule numbers of single cells: {"3|3:1" = "12.18"}."""
    cells: Mapping[tuple[str, str], Cell] = field(default_factory=dict)

    def cell(self, row: str, column: str) -> Cell:
        """The cell, blank when nobody has filled it; unknown heads are a mistake."""
        for name, given, known in (("row", row, self.rows), ("column", column, self.columns)):
            if given not in known:
                raise Unreadable(
                    f"{self.title} has no {name} {given!r}: {', '.join(known)}.{did_you_mean(given, known)}",
                    given=given,
                    accepted=", ".join(known),
                )
        return self.cells.get((row, column), BLANK)

    @property
    def declared(self) -> tuple[str, ...]:
        """The codes that the kit names one by one: its taps, or a pattern that is nothing but a list of them."""
        plain = self.codes.split("|")
        return self.taps or (tuple(plain) if all(re.fullmatch(r"[\w -]+", code) for code in plain) else ())

    def known_values(self) -> list[str]:
        """Every code that stands somewhere on the chart, for result buttons."""
        return sorted({c.value for c in self.cells.values() if c})

    @property
    def filled(self) -> int:
        return sum(1 for c in self.cells.values() if c)

    @property
    def size(self) -> int:
        return len(self.rows) * len(self.columns)

    def check(self, row: str, column: str, text: str) -> str:
        """The cleaned text of a cell, or a mistake naming row, column and the accepted codes."""
        value = " ".join(text.split())
        self.cell(row, column)
        if value and not re.fullmatch(self.codes, value):
            accepted = self.examples or self.codes
            raise Unreadable(
                f"{self.title}, row {row}, column {column}: {value!r} is not a result of this chart ({accepted})",
                field=f"{row}|{column}",
                given=value,
                accepted=accepted,
            )
        return value

    def fill(self, owner: Mapping[str, str]) -> Chart:
        """The chart with the owner's cells ('row|column' -> text) laid over blank and doubtful ones."""
        cells = dict(self.cells)
        for key, text in owner.items():
            row, _, column = key.partition("|")
            if row not in self.rows or column not in self.columns:
                continue  # the chart's shape changed since the owner typed it; other cells still count
            if text and cells.get((row, column), BLANK).source != "rulebook":
                cells[row, column] = Cell(text, "owner")
        return replace(self, cells=cells)

    def read_in_play(self, told: Mapping[str, str]) -> Chart:
        """The chart with blank cells filled by what players read off their printed one ('row|column' -> text)."""
        cells = dict(self.cells)
        for key, text in told.items():
            row, _, column = key.partition("|")
            if row in self.rows and column in self.columns and not cells.get((row, column)):
                cells[row, column] = Cell(text, "play")
        return replace(self, cells=cells)

    def shipped(self, text: str) -> Chart:
        """The chart with the cells a kit's CSV tells; a trailing '?' marks a doubtful one."""
        try:
            re.compile(self.codes)
        except re.error as error:
            raise Several(
                [Unreadable(f"{self.id}: codes {self.codes!r} is not a pattern: {error}")]
            ) from None
        if not text.strip():
            return self
        table = list(csv.reader(io.StringIO(text)))
        cells: dict[tuple[str, str], Cell] = {}
        problems: list[Mistake] = []
        for line in table[1:]:
            for head, value in zip(table[0][1:], line[1:], strict=False):
                if not value.strip():
                    continue
                doubtful = value.strip().endswith("?")
                try:
                    known = self.check(line[0], head, value.strip().removesuffix("?"))
                except Mistake as mistake:
                    problems.append(mistake)
                    continue
                rule = str(self.cell_rules.get(f"{line[0]}|{head}", self.rule))
                cells[line[0], head] = Cell(known, "doubtful" if doubtful else "rulebook", rule)
        if problems:
            raise Several(problems)
        return replace(self, cells=cells)
