"""The owner's map book: what the printed map shows, as plain facts with their origin.

A fact is one row (kind, a, b, value); everything else here is a way to ask for facts or to write them down.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from companion.engine.cells import disarmed

RULEBOOK, OWNER = "rulebook", "owner"
COLUMNS = ("kind", "a", "b", "value")
# Every other kind is a place: town, city, or what else the game's [map] table names.
FIXED = ("terrain", "side", "link", "vp", "area", "line", "source", "edge")
GROUND = ("terrain", "side", "link")
NAMED = ("area", "line", "source", "edge")


class Fact(NamedTuple):
    """One thing the map shows: `b` is empty unless the fact is about a hexside or a link."""

    kind: str
    a: str
    b: str
    value: str


Index = dict[str, dict[Fact, None]]
"""Facts by a key in the order of entry; a dictionary of nothing, because facts are struck out one by one."""


class Vocabulary(NamedTuple):
    """The words that one game's map book accepts, from its [map] table."""

    terrains: tuple[str, ...] = ()
    hexsides: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    places: tuple[str, ...] = ("town", "city")

    @classmethod
    def from_toml(cls, table: Mapping[str, Any]) -> Vocabulary:
        """Read a [map] table; the ValueError lists every problem."""
        problems, values = [], {}
        for key in cls._fields:
            words = table.get(key, cls._field_defaults[key])
            if isinstance(words, str) or not all(isinstance(word, str) for word in words):
                problems.append(f"map.{key} is {words!r}, expected a list of quoted words")
            else:
                values[key] = tuple(words)
        if problems:
            raise ValueError("; ".join(problems))
        return cls(**values)


@dataclass
class MapBook:
    """Facts with their provenance, and the shipped facts that the owner struck out."""

    facts: dict[Fact, str] = field(default_factory=dict)
    removed: set[Fact] = field(default_factory=set)

    def add(self, fact: Fact, by: str = OWNER) -> None:
        """Write a fact down; a hex has one terrain, one name and one value, so a new one replaces the old."""
        slot = _slot(fact)
        old = self._slots.get(slot) if slot else None
        if old is not None and old != fact:
            self.remove(old)
        if slot:
            self._slots[slot] = fact
        self.removed.discard(fact)
        if fact not in self.facts:
            for group in self._groups(fact):
                group[fact] = None
        self.facts[fact] = by

    def remove(self, fact: Fact) -> None:
        """Strike a fact out; a rulebook's fact stays struck out when books are merged."""
        if self.facts.pop(fact, None) == RULEBOOK:
            self.removed.add(fact)
        for group in self._groups(fact):
            group.pop(fact, None)
        slot = _slot(fact)
        if slot and self._slots.get(slot) == fact:
            del self._slots[slot]

    def _groups(self, fact: Fact) -> Iterator[dict[Fact, None]]:
        """The fact's places in those indices that were asked for already, so that they need not be made again."""
        keys = {"_by_kind": fact.kind, "_by_side" if fact.b else "_by_hex": _where(fact)}
        for name, key in keys.items():
            if name in self.__dict__:
                yield self.__dict__[name].setdefault(key, {})

    @cached_property
    def _slots(self) -> dict[tuple[str, str], Fact]:
        return {slot: fact for fact in self.facts if (slot := _slot(fact))}

    @cached_property
    def _by_hex(self) -> Index:
        return _group((f.a, f) for f in self.facts if not f.b)

    @cached_property
    def _by_side(self) -> Index:
        return _group((_where(f), f) for f in self.facts if f.b)

    @cached_property
    def _by_kind(self) -> Index:
        return _group((f.kind, f) for f in self.facts)

    # --- asking

    @property
    def blank(self) -> bool:
        """Say whether the owner entered no ground: the rulebooks' names do not tell where rivers run."""
        return not any(by != RULEBOOK and f.kind in GROUND for f, by in self.facts.items())

    def about(self, hex_id: str) -> list[Fact]:
        """Every fact about a hex."""
        return list(self._by_hex.get(hex_id, ()))

    def on_side(self, side: str) -> list[Fact]:
        """Every fact about a hexside '1205-1206'."""
        return list(self._by_side.get(side, ()))

    def terrain(self, hex_id: str) -> str:
        """The terrain of a hex, or '' when it was not entered."""
        return next((f.value for f in self._by_hex.get(hex_id, ()) if f.kind == "terrain"), "")

    def features(self, side: str) -> frozenset[str]:
        """What runs along a hexside: rivers, crossings, bridges."""
        return frozenset(f.value for f in self._by_side.get(side, ()) if f.kind == "side")

    def links(self, side: str) -> frozenset[str]:
        """The classes of road and rail that cross a hexside."""
        return frozenset(f.value for f in self._by_side.get(side, ()) if f.kind == "link")

    def places(self, kind: str = "") -> dict[str, str]:
        """Hexes and names of the towns and cities, or of one kind of them."""
        kinds = [kind] if kind else [k for k in self._by_kind if k not in FIXED]
        return {f.a: f.value for k in kinds for f in self._by_kind.get(k, ())}

    def named(self, kind: str, name: str) -> list[str]:
        """The hexes or hexsides of a named line, area, edge or source list, in the order of entry."""
        found = (f for f in self._by_kind.get(kind, ()) if f.value.casefold() == name.casefold())
        return [f"{f.a}-{f.b}" if f.b else f.a for f in found]

    def names(self, kind: str) -> list[str]:
        """The names in use for lines, areas, edges or sources."""
        return sorted({f.value for f in self._by_kind.get(kind, ())})

    def of_kind(self, kind: str) -> list[Fact]:
        """All facts of one kind."""
        return list(self._by_kind.get(kind, ()))

    # --- keeping

    def merge(self, other: MapBook) -> MapBook:
        """This book with the other laid over it: the other's facts and deletions win."""
        merged = MapBook(dict(self.facts), set(self.removed))
        for fact in other.removed:
            merged.remove(fact)
            merged.removed.add(fact)
        for fact, by in other.facts.items():
            # A fact that both books hold keeps the rulebook as its origin.
            merged.add(fact, RULEBOOK if merged.facts.get(fact) == RULEBOOK else by)
        return merged

    def to_csv(self) -> str:
        """The book as a spreadsheet; struck-out facts have a minus before their kind."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(COLUMNS)
        struck = (Fact("-" + f.kind, f.a, f.b, f.value) for f in self.removed)
        writer.writerows(map(disarmed, (*sorted(self.facts), *sorted(struck))))
        return out.getvalue()

    def to_json(self) -> dict[str, list[list[str]]]:
        """The book as plain lists, provenance included."""
        return {
            "facts": [[*fact, by] for fact, by in sorted(self.facts.items())],
            "removed": [list(fact) for fact in sorted(self.removed)],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> MapBook:
        """Read what `to_json` wrote; the ValueError names the first entry that it did not."""
        book = cls()
        for key, width in (("facts", 5), ("removed", 4)):
            for number, row in enumerate(data.get(key, ()), 1):
                if not isinstance(row, list) or len(row) != width or not all(isinstance(x, str) for x in row):
                    raise ValueError(
                        f"map book, {key} {number}: expected {width} words, found {str(row)[:80]}"
                    )
                if key == "facts":
                    book.facts[Fact(*row[:4])] = row[4]
                else:
                    book.removed.add(Fact(*row))
        return book


def _slot(fact: Fact) -> tuple[str, str] | None:
    """What the fact fills alone: a hex's terrain, its value, or its place name."""
    if fact.kind in ("terrain", "vp"):
        return fact.kind, fact.a
    return None if fact.kind in FIXED else ("place", fact.a)


def _where(fact: Fact) -> str:
    return f"{fact.a}-{fact.b}" if fact.b else fact.a


def _group(pairs: Iterable[tuple[str, Fact]]) -> Index:
    groups: Index = {}
    for key, fact in pairs:
        groups.setdefault(key, {})[fact] = None
    return groups
