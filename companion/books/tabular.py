"""A sheet of the chart book as a spreadsheet: written, and read back cell by cell."""

from __future__ import annotations

from companion.books.book import ChartSheet, ListSheet
from companion.books.sheet import Edit, Outcome, Sheet
from companion.books.spreadsheet import date_hint, write_table
from companion.engine.errors import Mistake, Unreadable, did_you_mean
from companion.limits import PROBLEMS


def to_csv(sheet: Sheet) -> str:
    """The sheet as a spreadsheet: heads first, blank cells empty, a question mark after doubtful ones."""
    corner = (
        sheet.id if isinstance(sheet, ChartSheet) else sheet.shape.key if isinstance(sheet, ListSheet) else ""
    )
    lines = [[corner, *(c.id for c in sheet.columns)]]
    lines += [[row, *(_marked(sheet, row, c.id) for c in sheet.columns)] for row in sheet.rows()]
    return write_table(lines)


def _marked(sheet: Sheet, row: str, column: str) -> str:
    spot = sheet.spot(row, column)
    return f"{spot.text}?" if spot.source == "doubtful" else spot.text


def from_table(sheet: Sheet, table: list[list[str]], at: str) -> tuple[Outcome, list[str]]:
    """Take a spreadsheet's cells over; blank cells change nothing. Problems that no cell can show come apart."""
    heads, problems = _heads(sheet, [h.strip() for h in table[0][1:]])
    edits: list[Edit] = []
    known = sheet.rows()
    new: list[str] = []
    for number, line in enumerate(table[1:], 2):
        if len(problems) >= PROBLEMS:
            problems.append(f"line {number}: this line and those after it were not read any more")
            break
        row = line[0].strip() if line else ""
        filled = [
            (heads[n], text)
            for n, text in enumerate(line[1:])
            if n < len(heads) and heads[n] and text.strip()
        ]
        if not row and not filled:
            continue
        if row not in known and row not in new:
            match = [k for k in known if k.casefold() == row.casefold() or k.lstrip("0") == row.lstrip("0")]
            if len(match) == 1:
                row = match[0]
            elif isinstance(sheet, ListSheet) and sheet.shape.open:
                try:
                    row = sheet.new_key(row, [*known, *new])
                    new.append(row)
                except Mistake as mistake:
                    problems.append(f"line {number}: {mistake.message}")
                    continue
            else:
                near = did_you_mean(row[:60], known) or f" Rows are {', '.join(known[:30])}."
                problems.append(f"line {number}: no row {row[:40]!r}.{near}{date_hint(row)}")
                continue
        extra = [t for t in line[1 + len(heads) :] if t.strip()]
        if extra:
            problems.append(f"line {number}, row {row}: {extra[0][:40]!r} stands under no column head")
        # A doubtful cell that comes back with its question mark was not looked at.
        edits += [
            Edit(row, column, text)
            for column, text in filled
            if not (text.strip().endswith("?") and text.strip() == _marked(sheet, row, column))
        ]
    if new and isinstance(sheet, ListSheet):
        sheet.add(new, at)
    outcome = sheet.save(edits, at)
    outcome.saved += len(new)
    return outcome, problems


def _heads(sheet: Sheet, given: list[str]) -> tuple[list[str], list[str]]:
    """Column ids by position (empty for an unknown one) and what is wrong with the first line."""
    by_name = {n.casefold(): c.id for c in sheet.columns for n in (c.label, c.id)}
    found = [by_name.get(" ".join(h.split()).casefold(), "") for h in given]
    unknown = [h for h, name in zip(given, found, strict=True) if h and not name]
    if unknown and len(given) == len(sheet.columns) and all(date_hint(h) for h in unknown):
        return [c.id for c in sheet.columns], []  # a spreadsheet program took 1:3 for a time; the order tells
    names = [c.id for c in sheet.columns]
    if not any(found):
        first = to_csv(sheet).splitlines()[0]
        raise Unreadable(
            f"line 1: none of its columns belongs to {sheet.title}. The first line should be {first[:300]}"
        )
    known = f" Columns are {', '.join(names)}."
    problems = [
        f"line 1: {sheet.title} has no column {h[:40]!r}.{did_you_mean(h[:60], names) or known}"
        for h in unknown
    ]
    return found, problems
