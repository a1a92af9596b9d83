"""Lists that an owner copies from his components: card manifests, chit sheets, calendars, tracks.

Rows are keys (a card, a chit, a turn), columns have types. What the rulebook tells is shipped and locked; the rest
stays blank until its owner fills it in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.engine.errors import Mistake, Unreadable, did_you_mean

TYPES = ("text", "whole", "choice", "flag")
TEXT_LIMIT = 200
YES, NO = ("yes", "y", "x", "1", "on", "true", "ja"), ("no", "n", "0", "off", "false", "nein", "-")


class Unfilled(str):
    """A check's line that only says what is blank: who fills the list step by step sees that anyway."""


@dataclass(frozen=True)
class Column:
    """One column of a list: how its cells are read and written."""

    id: str
    label: str
    type: str = "text"
    choices: tuple[tuple[Any, str], ...] = ()
    min: int | None = None
    max: int | None = None
    help: str = ""
    required: bool = False
    part: str = ""
    """Which side of the thing it stands on, when a row has several alike: a chit's front and back."""
    when: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Asked only where another column of the row holds one of these."""
    taps: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Usual texts that are offered for a tap, by the value of the column in `when`; "" for any."""

    @classmethod
    def from_toml(cls, table: Mapping[str, Any]) -> Column:
        """A column of a [[book]] block; the ValueError says what is wrong with it."""
        known = cls.__dataclass_fields__
        for key in table:
            if key not in known:
                raise ValueError(f"unknown key {key!r}.{did_you_mean(key, known)}")
        if not table.get("id"):
            raise ValueError("a column needs an id")
        pairs = tuple(
            (c["value"], str(c.get("label", c["value"]))) if isinstance(c, Mapping) else (c, str(c))
            for c in table.get("choices", ())
        )
        kind = table.get("type", "choice" if pairs else "text")
        if kind not in TYPES:
            raise ValueError(
                f"type {kind!r} is not one of {', '.join(TYPES)}.{did_you_mean(str(kind), TYPES)}"
            )
        if kind == "choice" and not pairs:
            raise ValueError("a choice needs choices = [...]")
        return cls(
            id=str(table["id"]),
            label=str(table.get("label", table["id"])),
            type=str(kind),
            choices=pairs,
            min=table.get("min"),
            max=table.get("max"),
            help=str(table.get("help", "")),
            required=bool(table.get("required", False)),
            part=str(table.get("part", "")),
            when={str(k): tuple(v) for k, v in table.get("when", {}).items()},
            taps=_by_value(table.get("taps", {})),
        )

    def asked_of(self, row: Mapping[str, Any]) -> bool:
        """Whether the column means anything in this row."""
        return all(row.get(name) in values for name, values in self.when.items())

    def usual(self, row: Mapping[str, Any]) -> tuple[str, ...]:
        """Texts worth a button here."""
        for name in self.when:
            if str(row.get(name)) in self.taps:
                return self.taps[str(row.get(name))]
        return self.taps.get("", ())

    @property
    def accepted(self) -> str:
        """What may stand in a cell, in words."""
        if self.type == "choice":
            return ", ".join(label for _, label in self.choices)
        if self.type == "flag":
            return "yes or no"
        if self.type == "whole":
            low, high = self.min, self.max
            if low is not None and high is not None:
                return f"a whole number from {low} to {high}"
            return "a whole number" + (
                f" from {low}" if low is not None else f" up to {high}" if high is not None else ""
            )
        return f"text of at most {TEXT_LIMIT} characters"

    def read(self, text: str) -> Any:
        """The value of a typed text, None when it is blank; a mistake says what would do."""
        word = " ".join(text.split())
        if not word:
            return None
        if len(word) > TEXT_LIMIT:
            raise self._wrong(f"{word[:24]!r}… is too long, {len(word):,} characters")
        if any(ord(c) < 32 or ord(c) == 127 or 0xD800 <= ord(c) < 0xE000 for c in word):
            raise self._wrong(f"{word[:40]!r} holds a character that cannot be printed")
        reader = {"whole": self._read_whole, "choice": self._read_choice, "flag": self._read_flag}.get(
            self.type
        )
        return reader(word) if reader else word

    def _wrong(self, what: str) -> Unreadable:
        return Unreadable(f"{what}: {self.accepted}", field=self.id, accepted=self.accepted)

    def _read_whole(self, word: str) -> int:
        digits = word.replace("\N{MINUS SIGN}", "-").replace("\N{EN DASH}", "-").removeprefix("+")
        if not re.fullmatch(r"-?[0-9]{1,6}", digits):
            raise self._wrong(f"{word[:40]!r} is not a number that fits")
        value = int(digits)
        if (self.min is not None and value < self.min) or (self.max is not None and value > self.max):
            raise self._wrong(f"{value} is out of range")
        return value

    def _read_choice(self, word: str) -> Any:
        low = word.casefold()
        exact = [v for v, label in self.choices if low in (str(v).casefold(), label.casefold())]
        begun = [
            v
            for v, label in self.choices
            if label.casefold().startswith(low) or str(v).casefold().startswith(low)
        ]
        found = exact or begun
        if len(found) == 1 or exact:
            return found[0]
        near = did_you_mean(word[:60], [label for _, label in self.choices])
        raise self._wrong(
            f"{word[:40]!r} is not one of the choices.{near}" if not found else f"{word!r} could be several"
        )

    def _read_flag(self, word: str) -> bool:
        if word.casefold() in YES:
            return True
        if word.casefold() in NO:
            return False
        raise self._wrong(f"{word[:40]!r} is neither")

    def accepts(self, value: Any) -> bool:
        """Whether a stored value still fits; the column may have changed since it was typed."""
        try:
            return bool(self.read(self.write(value)) == value)
        except Mistake:
            return False

    def write(self, value: Any) -> str:
        """The value as `read` reads it."""
        if value is None:
            return ""
        if self.type == "flag":
            return "yes" if value else "no"
        return str(value)

    def show(self, value: Any) -> str:
        """The value as a player reads it."""
        return next((label for v, label in self.choices if v == value), self.write(value))


def _by_value(taps: Any) -> dict[str, tuple[str, ...]]:
    if isinstance(taps, Mapping):
        return {str(value): tuple(map(str, texts)) for value, texts in taps.items()}
    return {"": tuple(map(str, taps))}


@dataclass(frozen=True)
class Given:
    """What the rulebook tells of one cell."""

    value: Any
    doubtful: bool = False
    rule: str = ""


@dataclass(frozen=True)
class BookList:
    """A list's shape and what the kit ships of it."""

    id: str
    title: str
    key: str
    columns: tuple[Column, ...]
    rows: tuple[str, ...] = ()
    more: bool = False
    """Rows may be added to the given ones."""
    rule: str = ""
    help: str = ""
    where: str = ""
    shipped: Mapping[str, Mapping[str, Given]] = field(default_factory=dict)
    walk: tuple[str, ...] = ()
    """The columns that filling it one by one asks for; the required ones when not said."""

    @property
    def key_plural(self) -> str:
        """What several rows are called: hexes, chits."""
        return self.key + ("es" if self.key.endswith(("x", "s", "ch", "sh")) else "s")

    @property
    def open(self) -> bool:
        """Whether the owner may add rows."""
        return self.more or not self.rows

    def column(self, name: str) -> Column:
        """A column by its id or label, in any case."""
        wanted = " ".join(name.split()).casefold()
        for column in self.columns:
            if wanted in (column.id.casefold(), column.label.casefold()):
                return column
        names = [c.id for c in self.columns]
        raise Unreadable(
            f"{self.title} has no column {name[:40]!r}: {', '.join(names)}.{did_you_mean(name[:60], names)}"
        )

    def keys(self, owner: Iterable[str] = ()) -> list[str]:
        """Every row: the fixed ones, the shipped ones, then the owner's in his order."""
        extra = [key for key in owner if self.open]
        return list(dict.fromkeys((*self.rows, *self.shipped, *extra)))

    def given(self, key: str, column: str) -> Given | None:
        return self.shipped.get(key, {}).get(column)

    def locked(self, key: str, column: str) -> bool:
        """Whether the rulebook's word stands here."""
        given = self.given(key, column)
        return given is not None and not given.doubtful

    def merged(self, owner: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
        """Every row with something in it: the rulebook's cells, the owner's over blank and doubtful ones."""
        found: dict[str, dict[str, Any]] = {}
        for key in self.keys(owner):
            row = {name: given.value for name, given in self.shipped.get(key, {}).items()}
            held = owner.get(key, {})
            for column in self.columns:
                value = held.get(column.id)
                if value is not None and not self.locked(key, column.id) and column.accepts(value):
                    row[column.id] = value
            if row:
                found[key] = row
        return found

    def complete(self, key: str, row: Mapping[str, Any]) -> bool:
        """Whether a row is filled: what it requires or a walk asks for, or else anything the rulebook left open."""
        needed = [
            c.id
            for c in self.columns
            if c.required or (c.id in self.walk and c.type != "flag" and c.asked_of(row))
        ]
        if needed:
            return all(row.get(name) is not None for name in needed)
        asked = [c for c in self.columns if c.type in ("whole", "choice")] or list(self.columns)
        left = [c.id for c in asked if not self.locked(key, c.id)]
        return not left or any(name in row for name in left)


def build_list(shape: Any, table: list[list[str]]) -> tuple[BookList, list[str]]:
    """A list of the kit from its [[book]] block and its CSV, with everything that is wrong with them."""
    wrong: list[str] = []
    columns: list[Column] = []
    for number, block in enumerate(shape.columns, 1):
        try:
            columns.append(Column.from_toml(block))
        except (ValueError, KeyError, TypeError) as error:
            wrong.append(f"column {block.get('id') or number}: {error}")
    for twice in sorted({c.id for c in columns if [d.id for d in columns].count(c.id) > 1}):
        wrong.append(f"column {twice!r} is there twice")
    blank = BookList(
        shape.id,
        shape.title,
        shape.key,
        tuple(columns),
        tuple(shape.rows),
        shape.more,
        shape.rule,
        shape.help,
        shape.where,
        walk=tuple(shape.walk),
    )
    names = {c.id for c in columns}
    for column in columns:
        wrong += [f"column {column.id}: when names no column {n!r}" for n in column.when if n not in names]
    wrong += [f"walk names no column {n!r}.{did_you_mean(n, names)}" for n in shape.walk if n not in names]
    shipped, more = _shipped(blank, table)
    return BookList(**{**blank.__dict__, "shipped": shipped}), [*wrong, *more]


def _shipped(shape: BookList, table: list[list[str]]) -> tuple[dict[str, dict[str, Given]], list[str]]:
    found: dict[str, dict[str, Given]] = {}
    wrong: list[str] = []
    if not table:
        return found, wrong
    columns = {c.id: c for c in shape.columns}
    heads = [h.strip() for h in table[0][1:]]
    for head in heads:
        if head not in columns and head != "rule":
            wrong.append(f"line 1: no column {head!r}.{did_you_mean(head, columns)}")
    for number, line in enumerate(table[1:], 2):
        key, cells = line[0].strip() if line else "", dict(zip(heads, line[1:], strict=False))
        if not key:
            continue
        if shape.rows and not shape.more and key not in shape.rows:
            wrong.append(f"line {number}: no row {key!r}.{did_you_mean(key, shape.rows)}")
            continue
        row = found.setdefault(key, {})
        rule = cells.get("rule", "").strip() if "rule" not in columns else ""
        for name, text in cells.items():
            if name not in columns:
                continue
            word = text.strip()
            doubtful = word.endswith("?") and columns[name].type != "text"
            try:
                value = columns[name].read(word.removesuffix("?") if doubtful else word)
            except Mistake as mistake:
                wrong.append(f"line {number}, column {name}: {mistake.message}")
                continue
            if value is not None:
                row[name] = Given(value, doubtful, rule or shape.rule)
    return found, wrong
