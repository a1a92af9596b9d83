"""Filling an owner's list one row at a time: what to ask next, and what was answered before.

A list is walked over some of its columns. Columns of one `part` (a chit's front, its back) are alike by place, so
whatever was once entered as a front is offered for every later front and back as one tap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.engine.kit.lists import BookList, Column

Row = Mapping[str, Any]
BUTTONS = 25
"""A range of numbers up to this many is a row of buttons; a longer one is typed."""


@dataclass(frozen=True)
class Part:
    """Columns that are asked together, and the ticks that go with them."""

    name: str
    asked: tuple[Column, ...]
    ticks: tuple[Column, ...] = ()


@dataclass(frozen=True)
class Known:
    """What a part held before: values by place, and how they read."""

    values: tuple[Any, ...]
    words: str


def walked(shape: BookList) -> tuple[Column, ...]:
    """The columns a walk asks for, in order; none when the list has no walk."""
    wanted = shape.walk or tuple(c.id for c in shape.columns if c.required)
    return tuple(c for name in wanted for c in shape.columns if c.id == name)


def parts(shape: BookList) -> list[Part]:
    """The walk's columns by part, in order; ticks without a part belong to every one."""
    columns = walked(shape)
    found = []
    for name in dict.fromkeys(c.part for c in columns if c.type != "flag"):
        asked = tuple(c for c in columns if c.part == name and c.type != "flag")
        found.append(Part(name, asked, tuple(c for c in columns if c.part == name and c.type == "flag")))
    return found


def loose_ticks(shape: BookList) -> tuple[Column, ...]:
    """Ticks of the whole row."""
    named = {part.name for part in parts(shape)}
    return tuple(c for c in walked(shape) if c.type == "flag" and c.part not in named)


def part_of(shape: BookList, column: str) -> Part:
    return next(part for part in parts(shape) if any(c.id == column for c in part.asked))


def steps(shape: BookList, row: Row) -> list[Column]:
    """What is asked of a row as it stands: a ratio's number is not asked of a terrain."""
    return [c for part in parts(shape) for c in part.asked if c.asked_of(row)]


def missing(shape: BookList, row: Row) -> list[Column]:
    return [c for c in steps(shape, row) if row.get(c.id) is None]


def first_missing(shape: BookList, rows: Sequence[str], held: Mapping[str, Row]) -> tuple[str, str] | None:
    """The first open question of the whole list, as row and column."""
    return _open_after(shape, rows, held, -1)


def following(
    shape: BookList, rows: Sequence[str], held: Mapping[str, Row], row: str, column: str
) -> tuple[str, str] | None:
    """The next open question after this one; from the end it goes on at the beginning. None: all is filled."""
    values = held.get(row, {})
    order = [c.id for part in parts(shape) for c in part.asked]
    here = order.index(column) if column in order else -1
    left = [c for c in missing(shape, values) if order.index(c.id) > here]
    return (row, left[0].id) if left else _open_after(shape, rows, held, rows.index(row))


def _open_after(
    shape: BookList, rows: Sequence[str], held: Mapping[str, Row], index: int
) -> tuple[str, str] | None:
    for row in (*rows[index + 1 :], *rows[: index + 1]):
        left = missing(shape, held.get(row, {}))
        if left:
            return row, left[0].id
    return None


def before(
    shape: BookList, rows: Sequence[str], held: Mapping[str, Row], row: str, column: str
) -> tuple[str, str]:
    """The question before this one, to look at it or to answer it anew."""
    mine = [c.id for c in steps(shape, held.get(row, {}))]
    at = mine.index(column) if column in mine else 0
    if at > 0:
        return row, mine[at - 1]
    index = rows.index(row)
    if index == 0:
        return row, column
    earlier = rows[index - 1]
    return earlier, steps(shape, held.get(earlier, {}))[-1].id


def known(shape: BookList, held: Mapping[str, Row], part: Part) -> list[Known]:
    """Every whole answer that a part like this had so far, in the order of its choices."""
    found: dict[tuple[Any, ...], Known] = {}
    for row in held.values():
        for one in _alike(shape, part):
            if any(row.get(c.id) is None for c in one.asked if c.asked_of(row)):
                continue
            values = tuple(row.get(c.id) if c.asked_of(row) else None for c in (*one.asked, *one.ticks))
            found.setdefault(values, Known(values, _words(part, values)))
    return sorted(found.values(), key=lambda k: _place(part, k))


def _alike(shape: BookList, part: Part) -> list[Part]:
    kinds = [c.type for c in (*part.asked, *part.ticks)]
    return [p for p in parts(shape) if [c.type for c in (*p.asked, *p.ticks)] == kinds]


def _words(part: Part, values: tuple[Any, ...]) -> str:
    """A part in few words, without its first answer, which stands before it on the page."""
    pairs = list(zip((*part.asked, *part.ticks), values, strict=True))[1:]
    return " \u00b7 ".join(
        column.label if column.type == "flag" else column.show(value)
        for column, value in pairs
        if value is not None and value is not False
    )


def _place(part: Part, one: Known) -> tuple[Any, ...]:
    choices = [value for value, _ in part.asked[0].choices]
    place = choices.index(one.values[0]) if one.values[0] in choices else one.values[0]
    return (place, one.words)


def taps(shape: BookList, column: Column, row: Row, held: Mapping[str, Row]) -> list[tuple[str, str]]:
    """What can be tapped for one question, as (text, label): choices, a short range, usual and earlier texts."""
    if column.type == "choice":
        return [(column.write(value), label) for value, label in column.choices]
    if column.type == "whole":
        low, high = column.min, column.max
        if low is None or high is None or high - low >= BUTTONS:
            return []
        return [(str(n), str(n)) for n in range(low, high + 1)]
    part = part_of(shape, column.id)
    place = part.asked.index(column)
    twins = [p.asked[place] for p in _alike(shape, part)]
    asked = [row.get(name) for name in column.when]
    used = {
        str(other[twin.id])
        for other in held.values()
        for twin in twins
        if other.get(twin.id) and [other.get(name) for name in twin.when] == asked
    }
    return [(text, text) for text in dict.fromkeys((*column.usual(row), *sorted(used)))]
