"""A sheet of the chart book as its templates draw it."""

from __future__ import annotations

import json
from typing import Any

from companion.books.book import ListSheet
from companion.books.sheet import Outcome, Sheet
from companion.engine.kit.walk import walked


def grid_of(sheet: Sheet, outcome: Outcome | None) -> dict[str, Any]:
    """Rows of cells as templates draw them, and what the plain form compares with."""
    rows = [row_of(sheet, r, row, outcome) for r, row in enumerate(sheet.rows())]
    was = [[c["spot"].at, c["shown"]] for row in rows for c in row["cells"]]
    grid: dict[str, Any] = {
        "rows": rows,
        "was": json.dumps(was, ensure_ascii=False),
        "progress": progress_of(sheet),
        "from_play": from_play_of(sheet),
    }
    if isinstance(sheet, ListSheet):
        grid |= layout_of(sheet)
    grid["errors"] = [c for row in rows for c in row["cells"] if c["spot"].error]
    return grid


def from_play_of(sheet: Sheet) -> list[dict[str, Any]]:
    """What tables read in play: a chart's cells one by one, a list's by row; contradictions first."""
    columns = {column.id: column for column in sheet.columns}
    by_row = isinstance(sheet, ListSheet)
    groups: dict[str, dict[str, Any]] = {}
    for spot, answers in sheet.from_play():
        column = columns[spot.column]
        cell = {
            "at": spot.at,
            "label": column.label if by_row else "",
            "answers": [
                {**a, "text": column.write(a["value"]), "shown": column.show(a["value"])} for a in answers
            ],
        }
        title = (
            f"{sheet.shape.key} {spot.row}"
            if isinstance(sheet, ListSheet)
            else sheet.where(spot.row, spot.column)
        )
        group = groups.setdefault(title, {"title": title, "disputed": [], "agreed": []})
        group["disputed" if len(answers) > 1 else "agreed"].append(cell)
    return list(groups.values())


def seen_of(sheet: ListSheet) -> list[dict[str, Any]]:
    """What was seen in play and has no row, in words."""
    columns = {column.id: column for column in sheet.columns}
    return [
        {
            **one,
            "words": ", ".join(
                f"{columns[name].label} {columns[name].show(value)}"
                for name, value in one["face"].items()
                if name in columns
            ),
        }
        for one in sheet.seen()
    ]


def row_of(sheet: Sheet, r: int, row: str, outcome: Outcome | None) -> dict[str, Any]:
    """One row with its cells; a cell's number is its field's name in the plain form."""
    cells = []
    for c, column in enumerate(sheet.columns):
        spot = sheet.spot(row, column.id, outcome)
        shown = sheet.spot(row, column.id).text if spot.error else spot.text
        cells.append(
            {"spot": spot, "shown": shown, "column": column, "n": r * len(sheet.columns) + c, "r": r, "c": c}
        )
    return {"key": row, "cells": cells, "n": r, **_row_state(sheet, row, cells)}


def _row_state(sheet: Sheet, row: str, spots: list[dict[str, Any]]) -> dict[str, Any]:
    if not isinstance(sheet, ListSheet):
        return {}
    values = {s["column"].id: s["spot"].value for s in spots if s["spot"].value is not None}
    return {
        "complete": sheet.shape.complete(row, values),
        "summary": _summary(sheet, values),
        "mine": sheet.mine(row),
    }


def _summary(sheet: ListSheet, values: dict[str, Any]) -> str:
    """A row in few words: its filled cells, the required columns first."""
    required = any(c.required for c in sheet.columns)
    words = []
    for column in sorted(sheet.columns, key=lambda c: not c.required):
        value = values.get(column.id)
        if value is None or value is False:
            continue
        if column.type == "flag":
            words.append(column.label)
        elif column.type == "whole" and not required:
            words.append(f"{column.label} {value}")
        else:
            words.append(column.show(value))
    return " · ".join(words[:4])


def layout_of(sheet: ListSheet) -> dict[str, Any]:
    """Which columns are tapped in the row itself, which wait behind More, and which can be filled by brush."""
    required = [c.id for c in sheet.columns if c.required]
    few = len(sheet.columns) <= 4
    first = required or [c.id for c in sheet.columns if few]
    brushes = [
        c
        for c in sheet.columns
        if (c.type == "choice" and len(c.choices) <= 12 and (c.required or c.id in first or not first))
        or (
            c.type == "whole"
            and c.id in first
            and c.min is not None
            and c.max is not None
            and c.max - c.min <= 20
        )
    ]
    parts = list(dict.fromkeys(c.part for c in sheet.columns if c.part))
    return {
        "wide": not first,
        "first": first,
        "parts": parts if len(parts) == 2 else [],
        "brushes": brushes if len(sheet.rows()) > 6 else [],
        "to_do": sheet.to_do(),
        "seen": seen_of(sheet),
        "walk": bool(walked(sheet.shape)) and len(sheet.rows()) > 1,
    }


def progress_of(sheet: Sheet) -> dict[str, Any]:
    open_ended = isinstance(sheet, ListSheet) and not sheet.shape.rows and not sheet.shape.shipped
    return {
        "filled": sheet.filled,
        "size": sheet.size,
        "unit": "cells" if sheet.kind == "chart" else "rows",
        "open": open_ended,
    }
