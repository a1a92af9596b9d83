"""Chart cells that players read off their printed chart in play: kept in the book as such, until its owner decides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.store import Store
from companion.systems import System

PLAYED = "play"
"""Where a chart's body keeps them: {'row|column': [{value, table, at}, ...]}, the first answer first."""
MOST_ANSWERS = 4
"""So many different answers to one cell are kept: who plays with ten different charts has other troubles."""
LOCK = "book-lock"
"""The setting that says who may write in the book."""


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
    by_chart: dict[str, dict[str, str]] = {}
    for key, text in told.items():
        chart, _, at_cell = key.partition("|")
        if chart in system.kit.charts and text:
            by_chart.setdefault(chart, {})[at_cell] = text
    for name, cells in by_chart.items():
        store.book_change(
            system.id,
            f"chart/{name}",
            lambda body, name=name, cells=cells: _with(  # type: ignore[misc]
                body or {}, {k: v for k, v in cells.items() if _is_blank(system, name, k)}, table, at
            ),
            at,
        )
    return bool(by_chart)


def _is_blank(system: System, chart: str, key: str) -> bool:
    row, _, column = key.partition("|")
    shape = system.kit.charts[chart]
    return row in shape.rows and column in shape.columns and not shape.cells.get((row, column))


def _with(body: Mapping[str, Any], cells: Mapping[str, str], table: str, at: str) -> dict[str, Any]:
    """A chart's body with what a table read."""
    held = {key: list(answers) for key, answers in body.get(PLAYED, {}).items()}
    for key, value in cells.items():
        if body.get("cells", {}).get(key):
            continue  # the owner wrote it himself
        answers = held.setdefault(key, [])
        own = next((n for n, one in enumerate(answers) if one["table"] == table), None)
        others = [one["value"] for n, one in enumerate(answers) if n != own]
        if own is not None:
            answers[own] = {"value": value, "table": table, "at": at}
        elif value not in others and len(answers) < MOST_ANSWERS:
            answers.append({"value": value, "table": table, "at": at})
    return {**body, PLAYED: held}


def played(body: Mapping[str, Any]) -> dict[str, str]:
    """The cells as they count: the first answer to each that the owner has not given himself."""
    mine = body.get("cells", {})
    return {
        key: str(answers[0]["value"])
        for key, answers in body.get(PLAYED, {}).items()
        if answers and not mine.get(key)
    }
