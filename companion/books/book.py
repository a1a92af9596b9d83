"""The installation's chart book: what its owner copied from his own components, laid over what the kits ship."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from companion.books.played import SEEN, first_answers, played
from companion.books.roster import merged_units
from companion.books.sheet import LOG_LIMIT, Edit, Outcome, Sheet
from companion.books.spreadsheet import date_hint
from companion.engine.errors import Mistake, Unknown, Unreadable, did_you_mean
from companion.engine.kit.book import Book
from companion.engine.kit.chart import Chart
from companion.engine.kit.lists import BookList, Column
from companion.store import Store
from companion.systems import System, own_package

CODE_LIMIT = 60
MOST_CODES = 24
"""Codes offered for a tap."""
KEY_LIMIT = 40
ROW_LIMIT = 500


class ChartSheet(Sheet):
    """A printed chart."""

    kind = "chart"

    def __init__(self, store: Store, system: System, name: str) -> None:
        charts = system.kit.charts
        if name not in charts:
            raise Unknown(
                f"There is no chart {name[:40]!r} in {system.kit.system.name}: {', '.join(charts) or 'it has none'}."
                f"{did_you_mean(name[:60], charts)}"
            )
        self.chart: Chart = charts[name]
        self.columns = [Column(c, c) for c in self.chart.columns]
        super().__init__(store, system, name)

    @property
    def book(self) -> str:
        return f"chart/{self.id}"

    @property
    def title(self) -> str:
        return self.chart.title

    def rows(self) -> list[str]:
        return list(self.chart.rows)

    def split(self, at: str) -> tuple[str, str]:
        row, _, column = at.partition("|")
        self.chart.cell(row[:60], column[:60])
        return row, column

    def held(self, body: Mapping[str, Any], row: str, column: str) -> Any:
        return body.get("cells", {}).get(f"{row}|{column}") or None

    def put(self, body: dict[str, Any], row: str, column: str, value: Any) -> None:
        cells = dict(body.get("cells", {}))
        cells.pop(f"{row}|{column}", None)
        if value is not None:
            cells[f"{row}|{column}"] = value
        body["cells"] = cells

    def given(self, row: str, column: str) -> tuple[Any, str, str]:
        cell = self.chart.cell(row, column)
        return (cell.value or None), cell.source, cell.rule

    def read(self, row: str, column: str, text: str) -> Any:
        value = " ".join(text.split())
        if len(value) > CODE_LIMIT:
            raise Unreadable(
                f"{self.title}, {self.where(row, column)}: {value[:24]!r}… is too long, {len(value):,} characters: "
                f"at most {CODE_LIMIT}"
            )
        for form in _spellings(value):
            if re.fullmatch(self.chart.codes, form):
                value = form
                break
        try:
            return self.chart.check(row, column, value) or None
        except Mistake as mistake:
            mistake.message += date_hint(value)
            raise

    def known_codes(self) -> list[str]:
        """Codes for one-tap entry: those that the kit declares, then what else stands on the chart, the most used first."""
        texts = [s for r in self.chart.rows for c in self.chart.columns if (s := self.spot(r, c).text)]
        typed = sorted(set(texts), key=lambda t: (-texts.count(t), t))
        return list(dict.fromkeys([*self.chart.declared, *typed]))[:MOST_CODES]

    @property
    def filled(self) -> int:
        return sum(1 for r in self.chart.rows for c in self.chart.columns if self.spot(r, c).text)

    @property
    def size(self) -> int:
        return self.chart.size


def _spellings(value: str) -> list[str]:
    """A code as typed, then as it was probably meant: plain hyphens, no blanks around strokes, capitals."""
    plain = re.sub("[\N{MINUS SIGN}\N{EN DASH}\N{EM DASH}]", "-", value)
    close = re.sub(r"\s*([/:])\s*", r"\1", plain)
    return list(dict.fromkeys([value, plain, close, close.upper(), close.lower(), close.replace(" ", "")]))


class ListSheet(Sheet):
    """A list of the owner's components."""

    kind = "list"

    def __init__(self, store: Store, system: System, name: str) -> None:
        lists = system.kit.lists
        if name not in lists:
            raise Unknown(
                f"There is no list {name[:40]!r} in {system.kit.system.name}: {', '.join(lists) or 'it has none'}."
                f"{did_you_mean(name[:60], lists)}"
            )
        self.shape: BookList = lists[name]
        self.columns = self.shape.columns
        self._columns = {c.id: c for c in self.columns}
        self._rows: tuple[object, list[str]] | None = None
        super().__init__(store, system, name)

    @property
    def book(self) -> str:
        return f"book/{self.id}"

    @property
    def title(self) -> str:
        return self.shape.title

    def own_keys(self, body: Mapping[str, Any] | None = None) -> list[str]:
        """The owner's rows in the order he added them."""
        held = self.body if body is None else body
        return list(dict.fromkeys([*held.get("order", []), *sorted(held.get("rows", {}), key=natural)]))

    def rows(self) -> list[str]:
        if self._rows is None or self._rows[0] is not self.body:  # asked for again with every cell
            self._rows = (self.body, self.shape.keys(self.own_keys()))
        return list(self._rows[1])

    def split(self, at: str) -> tuple[str, str]:
        row, _, column = at.rpartition("|")
        self.check_row(row)
        if column not in self._columns:
            self.shape.column(column)
            raise Unreadable(f"{self.title} has no column {column[:40]!r}")
        return row, column

    def check_row(self, row: str) -> None:
        known = self.rows()
        if row not in known:
            raise Unreadable(
                f"{self.title} has no row {row[:40]!r}.{did_you_mean(row[:60], known)}"
                + (" Add it first." if self.shape.open else "")
            )

    def held(self, body: Mapping[str, Any], row: str, column: str) -> Any:
        value = body.get("rows", {}).get(row, {}).get(column)
        return value if value is not None and self._columns[column].accepts(value) else None

    def put(self, body: dict[str, Any], row: str, column: str, value: Any) -> None:
        rows = dict(body.get("rows", {}))
        cells = rows[row] = dict(rows.get(row, {}))
        cells.pop(column, None)
        if value is not None:
            cells[column] = value
        if not cells:
            del rows[row]
        if self.mine(row) and row not in body.get("order", ()):
            body["order"] = list(dict.fromkeys([*self.own_keys(body), row]))
        body["rows"] = rows

    def given(self, row: str, column: str) -> tuple[Any, str, str]:
        given = self.shape.given(row, column)
        if given is None:
            return None, "", ""
        return given.value, "doubtful" if given.doubtful else "rulebook", given.rule

    def read(self, row: str, column: str, text: str) -> Any:
        try:
            value = self._columns[column].read(text)
        except Mistake as mistake:
            hint = date_hint(text)
            message = f"{self.title}, {self.where(row, column)}: {mistake.message}{hint}"
            raise Unreadable(message, field=column, given=text[:200], accepted=mistake.accepted) from None
        return None if value is False else value

    def write(self, column: str, value: Any) -> str:
        return self._columns[column].write(value)

    def where(self, row: str, column: str) -> str:
        return f"{self.shape.key} {row}, {self._columns[column].label}"

    def merged(self) -> dict[str, dict[str, Any]]:
        """Every row with something in it, as the game reads it."""
        return self.shape.merged(self.ordered())

    def ordered(self) -> dict[str, Mapping[str, Any]]:
        """The owner's rows in their order, and below his cells what was seen in play."""
        found: dict[str, Mapping[str, Any]] = {key: {} for key in self.own_keys()}
        for at, value in first_answers(self.body).items():
            row, _, column = at.rpartition("|")
            if row in self.rows():
                found[row] = {**found.get(row, {}), column: value}
        for row, cells in self.body.get("rows", {}).items():
            found[row] = {**found[row], **cells}
        return found

    def to_do(self) -> list[str]:
        """What the game's own checks find, in words."""
        check = book_checks(self.system.id).get(self.id)
        if check is None:
            return []
        try:
            return [line if isinstance(line, str) else str(line) for line in check(self.merged())]
        except Exception:  # a check is advice: a fault in it must not keep the owner from his list
            logging.getLogger("companion").exception("the check of %s/%s failed", self.system.id, self.id)
            return []

    @property
    def filled(self) -> int:
        return sum(1 for key, row in self.merged().items() if self.shape.complete(key, row))

    @property
    def size(self) -> int:
        return len(self.rows())

    # -- rows --------------------------------------------------------------------------------------------

    def seen(self) -> list[Mapping[str, Any]]:
        """What was seen in play and has no row yet: face, table and time. How many of it there are, the owner knows."""
        return list(self.body.get(SEEN, ()))

    def settle_seen(self, number: int, at: str, *, take: bool) -> Outcome:
        """Give what was seen in play a row of its own, or forget it."""
        if not 0 <= number < len(self.seen()):
            raise Unreadable("That is not on the list any more. Look again")
        face = self.seen()[number]["face"]

        def change(body: Mapping[str, Any] | None) -> dict[str, Any]:
            new = dict(body or {})
            new[SEEN] = [one for one in new.get(SEEN, ()) if one["face"] != face]
            return new

        self.body = self.store.book_change(self.system.id, self.book, change, at)
        if not take:
            return Outcome()
        (row,) = self.add([self.next_key()], at)
        return self.save([Edit(row, column, self.write(column, value)) for column, value in face.items()], at)

    def add(self, keys: Iterable[str], at: str) -> list[str]:
        """Add rows of the owner's own; returns their keys."""
        if not self.shape.open:
            raise Unreadable(f"{self.title} has fixed rows: none can be added")
        known, wanted = self.rows(), list[str]()
        for given in keys:
            wanted.append(self.new_key(given, [*known, *wanted]))

        def change(body: Mapping[str, Any] | None) -> dict[str, Any]:
            new = dict(body or {})
            new["order"] = list(dict.fromkeys([*self.own_keys(new), *wanted]))
            return new

        self.body = self.store.book_change(self.system.id, self.book, change, at)
        return wanted

    def new_key(self, given: str, known: Sequence[str]) -> str:
        """A name for a new row as it is kept, when it can be one."""
        key = " ".join(given.split())
        if not key or len(key) > KEY_LIMIT or "|" in key or not key.isprintable():
            raise Unreadable(
                f"{key[:24]!r} cannot name a row: 1 to {KEY_LIMIT} letters, digits or signs, no stroke |",
                field="key",
                given=given[:60],
            )
        if key in known:
            raise Unreadable(f"{self.title} has a row {key!r} already", field="key", given=key)
        if len(known) >= ROW_LIMIT:
            raise Unreadable(f"{self.title} would have more than {ROW_LIMIT} rows", field="key")
        return key

    def next_key(self) -> str:
        """A number for the next row that nobody has yet."""
        numbers = [int(k) for k in self.rows() if k.isdecimal() and len(k) < 6]
        return str(max(numbers, default=0) + 1)

    def mine(self, row: str) -> bool:
        """Whether the owner added this row, so that he may take it away."""
        return self.shape.open and row not in self.shape.rows and row not in self.shape.shipped

    def remove(self, row: str, at: str) -> None:
        """Take one of the owner's rows away; the log keeps what stood in it."""
        self.check_row(row)
        if not self.mine(row):
            raise Unreadable(
                f"{self.title}: row {row!r} belongs to the game and stays. Empty its cells instead"
            )

        def change(body: Mapping[str, Any] | None) -> dict[str, Any]:
            new = dict(body or {})
            cells = new.get("rows", {}).get(row, {})
            new["rows"] = {k: v for k, v in new.get("rows", {}).items() if k != row}
            new["order"] = [k for k in self.own_keys(new) if k != row]
            was = ", ".join(f"{k} {v}" for k, v in cells.items())
            log = [
                *new.get("log", []),
                {"at": at, "cell": f"row {row}", "was": was or "empty", "is": "removed"},
            ]
            new["log"] = log[-LOG_LIMIT:]
            return new

        self.body = self.store.book_change(self.system.id, self.book, change, at)


def natural(key: str) -> list[tuple[int, int | str]]:
    """Sorts 'C2' before 'C10'."""
    return [(0, int(p)) if p.isdecimal() else (1, p) for p in re.findall(r"\d{1,9}|\D+", key)]


def open_sheet(store: Store, system: System, kind: str, name: str) -> ChartSheet | ListSheet:
    """A chart or list of a game with what its owner wrote."""
    return ChartSheet(store, system, name) if kind == "chart" else ListSheet(store, system, name)


def sheets(store: Store, system: System) -> list[ChartSheet | ListSheet]:
    """Every chart and list of a game."""
    charts = [ChartSheet(store, system, name) for name in system.kit.charts]
    return [*charts, *(ListSheet(store, system, name) for name in system.kit.lists)]


Check = Callable[[Mapping[str, Mapping[str, Any]]], list[str]]


def book_checks(system: str) -> Mapping[str, Check]:
    """The game's own checks of its lists: BOOK_CHECKS of its package, {list id: rows -> lines to do}."""
    found: Mapping[str, Check] = getattr(own_package(system), "BOOK_CHECKS", {})
    return found


# -- for the tables --------------------------------------------------------------------------------------


def load_book(store: Store, system: System) -> Book:
    """What the owner filled in for a game, over what the kit ships."""
    charts = {}
    for name, chart in system.kit.charts.items():
        owner = store.book_get(system.id, f"chart/{name}") or {}
        charts[name] = chart.fill(owner.get("cells", {})).read_in_play(played(owner))
    tables = {name: ListSheet(store, system, name).merged() for name in system.kit.lists}
    roster = {
        scenario.id: merged_units(scenario, store.book_get(system.id, f"roster/{scenario.id}") or {})
        for scenario in system.kit.scenarios.values()
    }
    return Book(charts=charts, tables=tables, map=store.book_get(system.id, "map") or {}, roster=roster)
