"""Lists of the hall as they are pasted: lines with columns, the first of which may name them in any order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companion.books.spreadsheet import read_table
from companion.engine.errors import Mistake
from companion.hall.founding import Problem
from companion.limits import HALL_LINES


@dataclass(frozen=True)
class Row:
    """A line of a list by its columns."""

    line: int
    cells: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells.get(column, "")


def plain(cell: str) -> str:
    """A cell as it is compared."""
    return " ".join(cell.replace("_", " ").split()).casefold()


def read_rows(
    text: str, columns: Sequence[str], also: Mapping[str, str] | None = None
) -> tuple[list[Row], list[Problem]]:
    """The lines of a list, blank ones left out, and what is wrong with them as lines.

    :param columns: in the order in which they stand where the first line does not name them
    :param also: other words for a column; with no column, what a list that was written has beside and nobody reads
    """
    first = 1 + text[: len(text) - len(text.lstrip("\r\n"))].count("\n")
    try:
        table = read_table(text)
    except Mistake as mistake:
        return [], [Problem(0, mistake.message)]
    if len(table) > HALL_LINES:
        return [], [Problem(0, f"{len(table)} lines are too many: at most {HALL_LINES}.")]
    words = {**{column: column for column in columns}, **(also or {})}
    heads, wrong = list(columns), list[Problem]()
    if _is_head(table[0], words):
        heads = [words.get(plain(cell), "") for cell in table[0]]
        unknown = [cell for cell in table[0] if cell and plain(cell) not in words]
        wrong = [Problem(first, f"there is no column {c[:40]!r}: {', '.join(columns)}.") for c in unknown]
        table, first = table[1:], first + 1
    rows = []
    for line, cells in enumerate(table, first):
        extra = [cell for cell in cells[len(heads) :] if cell]
        wrong += [Problem(line, f"{extra[0][:40]!r} stands after the last column.")] if extra else []
        if any(cells):
            rows.append(Row(line, {h: c for h, c in zip(heads, cells, strict=False) if h and c}))
    return rows, wrong


def _is_head(cells: Sequence[str], words: Mapping[str, str]) -> bool:
    """Whether a line names columns: more than half of what stands there, and no number."""
    filled = [cell for cell in cells if cell]
    known = sum(plain(cell) in words for cell in filled)
    return known * 2 > len(filled) and not any(cell.isdecimal() for cell in filled)
