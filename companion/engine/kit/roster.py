"""Units: what is known of them, where they are, and rosters as spreadsheets."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from operator import attrgetter
from typing import Any

from companion.engine.cells import rearm
from companion.engine.errors import did_you_mean
from companion.engine.kit.shape import Problem
from companion.engine.plain import shared
from companion.limits import NUMBER_DIGITS, PROBLEMS, ROSTER_COLUMNS, ROSTER_LINES


@dataclass(frozen=True)
class UnitDef:
    """A unit as a kit or an owner's roster lists it."""

    id: str
    side: str
    name: str = ""
    kind: str = ""
    klass: str = ""
    size: str = ""
    formation: str = ""
    steps: int = 1
    factors: Mapping[str, int] = field(default_factory=dict)
    place: str = ""
    """Set-up hex or box; empty when its owner places it."""
    turn: int = 0
    """Turn of arrival; 0 for the initial set-up."""
    entry: str = ""
    marks: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    doubtful: str = ""
    untried: bool = False
    """Its factors are unknown to all until its first battle."""


@dataclass(slots=True)
class Unit:
    """A unit in play. `place` is a hex, `box:<id>`, or empty when off the record."""

    id: str
    side: str
    name: str = ""
    kind: str = ""
    klass: str = ""
    size: str = ""
    formation: str = ""
    steps: int = 1
    full: int = 1
    factors: Mapping[str, int] = field(default_factory=dict)
    """Never changed in place: units of many tables share them."""
    place: str = ""
    turn: int = 0
    entry: str = ""
    note: str = ""
    doubtful: str = ""
    untried: bool = False
    """Nobody, not even its owner, knows its factors yet."""
    order: int = 0
    """Place in its stack; the highest lies on top."""
    only: tuple[str, ...] = ()
    """Sides that may know what this unit is; empty means all."""

    @property
    def on_map(self) -> bool:
        return bool(self.place) and not self.place.startswith("box:")

    def to_json(self) -> dict[str, Any]:
        names, blanks, all_of = _blank()
        return {name: v for name, v, blank in zip(names, all_of(self), blanks, strict=True) if v != blank}

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> Unit:
        unit = cls(id=shared(facts["id"]), side=shared(facts["side"]), factors=shared({}))
        unit.change({name: value for name, value in facts.items() if name != "id"})
        return unit

    def change(self, facts: Mapping[str, Any]) -> None:
        """Take over facts; unknown names are an error so that a typing slip cannot hide."""
        for name, value in facts.items():
            if name not in self.__dataclass_fields__ or name == "id":
                raise ValueError(f"a unit has no {name!r}")
            setattr(self, name, tuple(value) if name == "only" else shared(value))


@cache
def _blank() -> tuple[tuple[str, ...], list[Any], Callable[[Unit], tuple[Any, ...]]]:
    """A unit's fields, what each holds where nobody has said anything, and how to read them all of one.

    Its id and side are always said.
    """
    names = tuple(f.name for f in fields(Unit))
    return names, [{} if f.default_factory is dict else f.default for f in fields(Unit)], attrgetter(*names)


def unit_facts(definition: UnitDef) -> dict[str, Any]:
    """What a `placed` event carries when it creates the unit."""
    facts = {
        k: v
        for k, v in asdict(definition).items()
        if k not in {"id", "place", "marks"} and v not in ("", 0, {}, None)  # False is 0 here: left out too
    }
    return {**facts, "side": definition.side, "steps": definition.steps, "full": definition.steps}


def slug(text: str) -> str:
    """A unit id from a name: '3rd Pz/XL' -> '3rd-pz-xl'."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "unit"


COLUMNS = (
    "id", "side", "name", "kind", "klass", "size", "formation", "steps", "place", "turn", "entry", "marks", "note",
    "doubtful", "untried",
)  # fmt: skip


def read_roster(text: str, sides: Iterable[str]) -> tuple[list[UnitDef], list[Problem]]:
    """Units of a CSV and everything wrong with it, by line. Columns in capitals are factors (AF, DF, MF)."""
    lines, wrong = read_roster_lines(text, sides)
    return [unit for _, unit in lines], wrong


def read_roster_lines(text: str, sides: Iterable[str]) -> tuple[list[tuple[int, UnitDef]], list[Problem]]:
    """The same, each unit with the number of its line."""
    if text.count("\n") > ROSTER_LINES:
        long = f"that is too long, at most {ROSTER_LINES:,} lines can be read"
        return [], [Problem("", ROSTER_LINES + 1, long)]
    known_sides = list(sides)
    reader = csv.DictReader(io.StringIO(text))
    heads, wrong = _heads(reader)
    found: list[tuple[int, UnitDef]] = []
    used: dict[str, int] = {}
    for number, row in enumerate(_rows(reader, wrong) if heads else (), 2):
        if len(wrong) >= PROBLEMS:
            wrong.append(Problem("", number, "this line and those after it were not read any more"))
            break
        if not any(row.values()):
            continue
        side = row["side"]
        if side not in known_sides:
            told = f"side {side!r} is not one of {', '.join(known_sides)}.{did_you_mean(side, known_sides)}"
            wrong.append(Problem("", number, told, side))
            continue
        numbers = _numbers(row, number, wrong)
        base = row.get("id") or slug(f"{side} {row.get('name') or row.get('kind', '')}")
        used[base] = used.get(base, 0) + 1
        unit_id = base if used[base] == 1 or row.get("id") else f"{base}-{used[base]}"
        found.append((number, _unit(unit_id, row, numbers)))
    return found, wrong


def _heads(reader: csv.DictReader[str]) -> tuple[list[str], list[Problem]]:
    """The columns' names, none when nothing can be read under them, and what is wrong with them."""
    try:
        heads = [h.strip() for h in reader.fieldnames or []]
    except csv.Error as error:
        return [], [Problem("", 1, f"this is not a table: {error}")]
    if len(heads) > ROSTER_COLUMNS:
        return [], [Problem("", 1, f"{len(heads):,} columns are too many, at most {ROSTER_COLUMNS}")]
    if "side" not in heads:
        names = ",".join(COLUMNS)
        return [], [Problem("", 1, f"the first line names the columns: {names} and factors in capitals")]
    strange = [h for h in heads if h not in COLUMNS and not h.isupper()]
    return heads, [Problem("", 1, f"unknown column {h!r}.{did_you_mean(h, COLUMNS)}", h) for h in strange]


def _rows(reader: csv.DictReader[str], wrong: list[Problem]) -> Iterator[dict[str, str]]:
    """The rows of a file as far as they can be read, their cells without blanks around them."""
    try:
        for row in reader:
            cells = ((k, v) for k, v in row.items() if not isinstance(v, list))
            yield {(k or "").strip(): rearm((v or "").strip()) for k, v in cells}
    except csv.Error as error:
        wrong.append(Problem("", reader.line_num, f"this is not a table: {error}"))


def _numbers(row: Mapping[str, str], number: int, wrong: list[Problem]) -> dict[str, int]:
    """Steps, turn and factors of a row; what is no number is added to what is wrong."""
    found: dict[str, int] = {}
    for head, text in row.items():
        if not text or not (head in ("steps", "turn") or head.isupper()):
            continue
        if re.fullmatch(r"\d{1,3}", text):
            found[head] = int(text)
        else:
            wrong.append(Problem("", number, f"{head} {text!r} is not a whole number", text))
    return found


def _unit(unit_id: str, row: Mapping[str, str], numbers: Mapping[str, int]) -> UnitDef:
    return UnitDef(
        id=unit_id,
        side=row["side"],
        name=row.get("name", ""),
        kind=row.get("kind", ""),
        klass=row.get("klass", ""),
        size=row.get("size", ""),
        formation=row.get("formation", ""),
        steps=numbers.get("steps", 1),
        factors={k: v for k, v in numbers.items() if k.isupper()},
        place=row.get("place", ""),
        turn=numbers.get("turn", 0),
        entry=row.get("entry", ""),
        marks=_marks(row.get("marks", "")),
        note=row.get("note", ""),
        doubtful=row.get("doubtful", ""),
        untried=row.get("untried", "").lower() in {"yes", "true", "1"},
    )


def _marks(text: str) -> dict[str, Any]:
    """`oos=2 fort` -> {"oos": 2, "fort": True}."""
    marks: dict[str, Any] = {}
    for part in text.split():
        name, _, value = part.partition("=")
        marks[name] = int(value) if value.isdecimal() and len(value) <= NUMBER_DIGITS else value or True
    return marks
