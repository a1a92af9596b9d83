"""What players read off their printed charts, cards and chits in play: kept in the book as such, until its owner decides."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from companion.engine.kit.lists import BookList
from companion.store import Store
from companion.systems import System

PLAYED = "play"
"""Where a sheet's body keeps them: {'row|column': [{value, table, at}, ...]}, the first answer first."""
SEEN = "seen"
"""Where an open list keeps what was seen but has no row: [{face: {column: value}, table, at}, ...]."""
MOST_ANSWERS = 4
"""So many different answers to one cell are kept: who plays with ten different charts has other troubles."""
MOST_SEEN = 200
LOCK = "book-lock"
"""The setting that says who may write in the book."""

Answers = Mapping[str, list[Mapping[str, Any]]]


def seats_write(store: Store) -> bool:
    """Whether a seat at any table is enough to write in the book."""
    lock = store.setting_get(LOCK)
    # A lock of before seats counted was put there to keep everybody out who does not know the words.
    return lock is None or bool(lock.get("seats", False))


def keep_played(store: Store, system: System, told: Mapping[str, str], table: str, at: str) -> bool:
    """Write cells ('chart|row|column' -> text) into the book as read in play; whether anything was written.

    What the rulebook or the owner says stays. The first answer counts; another table's different one stands beside it,
    and a table that thinks again replaces its own.
    """
    if not seats_write(store):
        return False
    charts = system.kit.charts
    by_chart = {name: cells for name, cells in _by_sheet(told).items() if name in charts}
    for name, cells in by_chart.items():
        blank = {key: text for key, text in cells.items() if _is_blank(system, name, key)}

        def change(body: Mapping[str, Any] | None, blank: Mapping[str, Any] = blank) -> dict[str, Any]:
            mine = {key for key, text in (body or {}).get("cells", {}).items() if text}
            return _with(body or {}, blank, mine, table, at)

        store.book_change(system.id, f"chart/{name}", change, at)
    return bool(by_chart)


def keep_faces(store: Store, system: System, told: Mapping[str, Any], table: str, at: str) -> bool:
    """Write faces ('list|row|column' -> value) into the owner's lists as seen in play; whether anything was written.

    What stands in a row that the list has counts as cells of a chart do. Of an open list only its owner can say how many
    rows there are: what was seen is laid before him.
    """
    if not seats_write(store):
        return False
    lists = system.kit.lists
    by_list = {name: cells for name, cells in _by_sheet(told).items() if name in lists}
    for name, cells in by_list.items():
        shape = lists[name]
        good = {key: value for key, value in cells.items() if _fits(shape, key, value)}

        def change(
            body: Mapping[str, Any] | None, shape: BookList = shape, good: Mapping[str, Any] = good
        ) -> dict[str, Any]:
            return _with_faces(body or {}, shape, good, table, at)

        store.book_change(system.id, f"book/{name}", change, at)
    return bool(by_list)


def _by_sheet(told: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for key, value in told.items():
        name, _, at_cell = key.partition("|")
        if value not in ("", None):
            found.setdefault(name, {})[at_cell] = value
    return found


def _is_blank(system: System, chart: str, key: str) -> bool:
    row, _, column = key.partition("|")
    shape = system.kit.charts[chart]
    return row in shape.rows and column in shape.columns and not shape.cells.get((row, column))


def _fits(shape: BookList, key: str, value: Any) -> bool:
    row, _, name = key.partition("|")
    column = next((c for c in shape.columns if c.id == name), None)
    return column is not None and column.accepts(value) and not shape.locked(row, name)


def _with_faces(
    body: Mapping[str, Any], shape: BookList, faces: Mapping[str, Any], table: str, at: str
) -> dict[str, Any]:
    """A list's body with what a table saw: in its rows, or beside them."""
    rows = body.get("rows", {})
    known = shape.keys((*body.get("order", ()), *rows))
    inside = {key: value for key, value in faces.items() if key.partition("|")[0] in known}
    mine = {
        f"{row}|{name}" for row, cells in rows.items() for name, value in cells.items() if value is not None
    }
    new = _with(body, inside, mine, table, at)
    if not shape.open:
        return new
    loose: dict[str, dict[str, Any]] = {}
    for key, value in faces.items():
        row, _, column = key.partition("|")
        if key not in inside:
            loose.setdefault(row, {})[column] = value
    held = [*body.get(SEEN, ())]
    for face in loose.values():
        same = [
            row for row in (*rows.values(), *(one["face"] for one in held)) if face.items() <= row.items()
        ]
        if not same and len(held) < MOST_SEEN:
            held.append({"face": face, "table": table, "at": at})
    return {**new, SEEN: held}


def _with(
    body: Mapping[str, Any], cells: Mapping[str, Any], mine: Collection[str], table: str, at: str
) -> dict[str, Any]:
    """A sheet's body with what a table read, where the owner wrote nothing himself."""
    held = {key: list(answers) for key, answers in body.get(PLAYED, {}).items()}
    for key, value in cells.items():
        if key in mine:
            continue
        answers = held.setdefault(key, [])
        own = next((n for n, one in enumerate(answers) if one["table"] == table), None)
        others = [one["value"] for n, one in enumerate(answers) if n != own]
        if own is not None and value in others:
            del answers[own]
        elif own is not None:
            answers[own] = {"value": value, "table": table, "at": at}
        elif value not in others and len(answers) < MOST_ANSWERS:
            answers.append({"value": value, "table": table, "at": at})
    return {**body, PLAYED: held}


def first_answers(body: Mapping[str, Any]) -> dict[str, Any]:
    """Every cell that was read in play with the answer that counts."""
    return {key: answers[0]["value"] for key, answers in body.get(PLAYED, {}).items() if answers}


def played(body: Mapping[str, Any]) -> dict[str, str]:
    """A chart's cells as they count: the first answer to each that the owner has not given himself."""
    mine = body.get("cells", {})
    return {key: str(value) for key, value in first_answers(body).items() if not mine.get(key)}
