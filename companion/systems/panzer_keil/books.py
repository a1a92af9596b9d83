"""The owner's lists: reading their cells, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from companion.systems.panzer_keil.odds import COLUMNS

Table = Mapping[str, Mapping[str, Any]]

WEATHERS = ("snow", "freeze", "thaw", "mud")  # [B5.1]


def number(cell: Any) -> int | None:
    """A whole number out of a cell, however it was stored."""
    text = str(cell if cell is not None else "").strip()
    return int(text) if text.isdecimal() else None


def flag(cell: Any) -> bool:
    """A tick out of a cell."""
    return str(cell if cell is not None else "").strip().lower() in {"1", "true", "yes", "on", "x"}


def bands(table: Table) -> list[tuple[int, int | None, int, int]]:
    """The points table as (from, to, supply, support), nearest first; unfinished lines are left out."""
    found = []
    for row in table.values():
        low, supply, support = number(row.get("from")), number(row.get("supply")), number(row.get("support"))
        if low is not None and supply is not None and support is not None:
            found.append((low, number(row.get("to")), supply, support))
    return sorted(found, key=lambda band: band[0])


def points_at(table: Table, distance: int) -> tuple[int, int] | None:
    """Supply and support points of a headquarters at this distance; None where the table is blank."""
    for low, high, supply, support in bands(table):
        if low <= distance and (high is None or distance <= high):
            return supply, support
    return None


def check_weather(table: Table) -> list[str]:
    """Squares without a gap, known words, mud at the end, one starting square at most [B5.1]."""
    filled = {n: row for key, row in table.items() if (n := number(key)) and str(row.get("weather") or "")}
    wrong = [
        f"square {n}: {row['weather']!r} is no weather: {', '.join(WEATHERS)}"
        for n, row in sorted(filled.items())
        if row["weather"] not in WEATHERS
    ]
    gaps = [n for n in range(1, max(filled, default=0)) if n not in filled]
    wrong += [f"square {n} is empty but a later one is filled in" for n in gaps]
    if filled and filled[max(filled)]["weather"] in WEATHERS and filled[max(filled)]["weather"] != "mud":
        wrong.append(f"square {max(filled)} is the last one, which is mud on the printed track [B5.1.1]")
    starts = sorted(number(key) or 0 for key, row in table.items() if flag(row.get("start")))
    if len(starts) > 1:
        wrong.append(f"the marker starts in one square only, not in {', '.join(map(str, starts))}")
    wrong += [f"square {n} is ticked as start but empty" for n in starts if n not in filled]
    return wrong


def check_front_points(table: Table) -> list[str]:
    """Bands that follow each other without gap or overlap, open-ended only at the last [B6.3.2]."""
    wrong = []
    for key, row in table.items():
        cells = [row.get(name) for name in ("from", "to", "supply", "support")]
        if any(str(c if c is not None else "").strip() for c in cells):
            missing = [n for n in ("from", "supply", "support") if number(row.get(n)) is None]
            if missing:
                wrong.append(f"band {key}: {', '.join(missing)} missing or no whole number")
    found = bands(table)
    for (low, high, *_), (after, *_) in zip(found, found[1:], strict=False):
        if high is None:
            wrong.append(f"the band from {low} has no end, yet one from {after} follows")
        elif after != high + 1:
            wrong.append(f"the band {low}-{high} is followed by one from {after}: expected {high + 1}")
    wrong += [
        f"the band {low}-{high} runs backwards" for low, high, *_ in found if high is not None and high < low
    ]
    return wrong


def check_crt_ends(table: Table) -> list[str]:
    """The lowest odds come before the highest [9.5.1]."""
    wrong = []
    for key, row in table.items():
        low, high = str(row.get("lowest") or ""), str(row.get("highest") or "")
        if low in COLUMNS and high in COLUMNS and COLUMNS.index(low) >= COLUMNS.index(high):
            wrong.append(f"{key}: the lowest odds {low} are not below the highest {high}")
    return wrong


def check_counters(table: Table) -> list[str]:
    """Exhausted values stand only on mechanized units [2.2.1]."""
    wrong = []
    for key, row in table.items():
        kind = str(row.get("kind") or "")
        if kind in ("infantry", "mountain", "hq") and any(
            number(row.get(f)) is not None for f in ("XAF", "XDF", "XMF")
        ):
            wrong.append(f"{key}: {kind} has no exhausted side [2.2.1]")
    return wrong


BOOK_CHECKS: dict[str, Callable[[Table], list[str]]] = {
    "weather": check_weather,
    "front-points": check_front_points,
    "crt-ends": check_crt_ends,
    "counters": check_counters,
}
