"""A sheet of the chart book: rows, columns, and cells with a provenance, saved cell by cell.

What cannot be read is handed back with its reason and never costs the others; two devices that write the same cell
are told of each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from companion.books.played import PLAYED
from companion.engine.errors import Mistake, Unreadable
from companion.engine.kit.lists import Column
from companion.store import Store
from companion.systems import System

LOG_LIMIT = 200
SOURCES = {
    "rulebook": "from the rulebook",
    "owner": "yours",
    "doubtful": "doubtful in the rulebook's text",
    "play": "read in play",
    "": "blank",
}


@dataclass
class Spot:
    """One cell as a page shows it."""

    at: str
    row: str
    column: str
    text: str = ""
    source: str = ""
    rule: str = ""
    value: Any = None
    error: str = ""
    disputed: bool = False
    """Whether tables read different things in play."""
    doubt: str = ""
    """What the rulebook's doubtful text says, where the owner wrote something over it."""

    @property
    def locked(self) -> bool:
        return self.source == "rulebook"

    @property
    def origin(self) -> str:
        return SOURCES[self.source]


@dataclass(frozen=True)
class Edit:
    """One cell as somebody typed it; `was` is what the page showed him, when it is known."""

    row: str
    column: str
    text: str
    was: str | None = None


@dataclass
class Outcome:
    """What became of edits: how many were saved, and what could not be, by cell."""

    saved: int = 0
    changed: list[str] = field(default_factory=list)
    """Owner's values that were replaced, in words."""
    problems: dict[str, str] = field(default_factory=dict)
    typed: dict[str, str] = field(default_factory=dict)


class Sheet:
    """A chart or a list of one game with the owner's cells. Subclasses say how cells are named, read and kept."""

    kind = ""
    columns: Sequence[Column]

    def __init__(self, store: Store, system: System, name: str) -> None:
        self.store, self.system, self.id = store, system, name
        self.body: dict[str, Any] = store.book_get(system.id, self.book) or {}

    @property
    def book(self) -> str:
        """The store's name of this sheet's body."""
        raise NotImplementedError

    @property
    def title(self) -> str:
        raise NotImplementedError

    @property
    def filled(self) -> int:
        """How many of its cells or rows are known."""
        raise NotImplementedError

    @property
    def size(self) -> int:
        """How many there are to know."""
        raise NotImplementedError

    def rows(self) -> list[str]:
        raise NotImplementedError

    def key(self, row: str, column: str) -> str:
        return f"{row}|{column}"

    def split(self, at: str) -> tuple[str, str]:
        """Row and column of a cell's key; unknown ones are a mistake."""
        raise NotImplementedError

    def held(self, body: Mapping[str, Any], row: str, column: str) -> Any:
        """The owner's value, None when he wrote none."""
        raise NotImplementedError

    def put(self, body: dict[str, Any], row: str, column: str, value: Any) -> None:
        raise NotImplementedError

    def given(self, row: str, column: str) -> tuple[Any, str, str]:
        """The kit's value, its source ('rulebook', 'doubtful' or '') and rule."""
        raise NotImplementedError

    def read(self, row: str, column: str, text: str) -> Any:
        """The value of a typed text, None for blank; the mistake names row and column."""
        raise NotImplementedError

    def write(self, column: str, value: Any) -> str:
        return "" if value is None else str(value)

    # -- looking -----------------------------------------------------------------------------------------

    def spot(self, row: str, column: str, outcome: Outcome | None = None) -> Spot:
        """A cell with its provenance, and what went wrong with what was typed into it."""
        at = self.key(row, column)
        shipped, source, rule = self.given(row, column)
        value, doubt = shipped, ""
        mine = self.held(self.body, row, column)
        if mine is not None and source != "rulebook":
            doubt = self.write(column, shipped) if source == "doubtful" and shipped != mine else ""
            value, source = mine, "owner"
        elif not source and self.played(at) is not None:
            value, source = self.played(at), "play"
        spot = Spot(at, row, column, self.write(column, value), source, rule, value, doubt=doubt)
        spot.disputed = source == "play" and len(self.body[PLAYED][at]) > 1
        if outcome and at in outcome.problems:
            spot.error, spot.text = outcome.problems[at], outcome.typed.get(at, spot.text)
        return spot

    def played(self, at: str) -> Any:
        """What was read in play, the first answer; None when nobody did."""
        answers = self.body.get(PLAYED, {}).get(at)
        return answers[0]["value"] if answers else None

    def from_play(self) -> list[tuple[Spot, list[Mapping[str, Any]]]]:
        """Cells read in play that the owner has not settled, with every answer; those that contradict each other first."""
        told = self.body.get(PLAYED, {})
        keys = [(row, c.id) for row in self.rows() for c in self.columns if self.key(row, c.id) in told]
        spots = [self.spot(*key) for key in keys]
        found = [(spot, list(told[spot.at])) for spot in spots if spot.source == "play"]
        return sorted(found, key=lambda one: -len(one[1]))

    def where(self, row: str, column: str) -> str:
        return f"row {row}, column {column}"

    @property
    def log(self) -> list[dict[str, Any]]:
        """The newest changes first."""
        return list(reversed(self.body.get("log", [])))

    # -- changing ----------------------------------------------------------------------------------------

    def save(self, edits: Iterable[Edit], at: str) -> Outcome:
        """Keep what can be kept; the rest comes back with its reason."""
        outcome = Outcome()
        good: list[tuple[Edit, Any]] = []
        for edit in edits:
            try:
                value = self.read(edit.row, edit.column, edit.text)
                shipped, source, rule = self.given(edit.row, edit.column)
                if source == "rulebook":
                    if value is not None and value != shipped:
                        raise Unreadable(
                            f"{self.title}, {self.where(edit.row, edit.column)}: the rulebook gives "
                            f"{self.write(edit.column, shipped)!r} ({rule}), so {edit.text[:40]!r} was left out"
                        )
                    continue
            except Mistake as mistake:
                self._refuse(outcome, edit, mistake.message)
            else:
                if (
                    value is None
                    or value != self.held(self.body, edit.row, edit.column)
                    or edit.was is not None
                ):
                    good.append((edit, value))
        if good:
            self.body = self.store.book_change(
                self.system.id, self.book, lambda body: self._changed(body, good, outcome, at), at
            )
        return outcome

    def _refuse(self, outcome: Outcome, edit: Edit, message: str) -> None:
        key = self.key(edit.row, edit.column)
        outcome.problems[key], outcome.typed[key] = message, edit.text[:1000]

    def _changed(
        self, body: Mapping[str, Any] | None, good: list[tuple[Edit, Any]], outcome: Outcome, at: str
    ) -> dict[str, Any]:
        new = dict(body or {})
        log = list(new.get("log", []))
        for edit, value in good:
            here, now = self.where(edit.row, edit.column), self.held(new, edit.row, edit.column)
            shown = self.write(edit.column, now) or self.shipped_text(edit.row, edit.column)
            if now == value and not (
                value is None and self.key(edit.row, edit.column) in new.get(PLAYED, {})
            ):
                continue
            if edit.was is not None and shown != edit.was:
                self._refuse(
                    outcome,
                    edit,
                    f"{self.title}, {here}: another device wrote {shown or 'blank'!r} meanwhile. "
                    f"Save again to put {edit.text.strip() or 'blank'!r} there",
                )
                continue
            if value is None:  # what was read in play was wrong, too
                key = self.key(edit.row, edit.column)
                new[PLAYED] = {k: answers for k, answers in new.get(PLAYED, {}).items() if k != key}
            self.put(new, edit.row, edit.column, value)
            text = self.write(edit.column, value)
            if now is not None:
                outcome.changed.append(f"{here}: {self.write(edit.column, now)} is now {text or 'blank'}")
            log.append({"at": at, "cell": here, "was": self.write(edit.column, now) or shown, "is": text})
            outcome.saved += 1
        new["log"] = log[-LOG_LIMIT:]
        return new

    def shipped_text(self, row: str, column: str) -> str:
        """What a cell shows that the owner has not written himself."""
        given = self.given(row, column)[0]
        return self.write(column, self.played(self.key(row, column)) if given is None else given)
