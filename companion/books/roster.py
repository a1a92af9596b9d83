"""The owner's counter roster: his units added to what the rulebook lists, or laid over it by id."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from companion.books.spreadsheet import date_hint, write_table
from companion.engine.errors import Mistake, Unreadable, did_you_mean
from companion.engine.kit.blocks import Scenario
from companion.engine.kit.roster import COLUMNS, UnitDef, read_roster, slug
from companion.limits import PROBLEMS, ROSTER_UNITS
from companion.store import Store
from companion.systems import System

LIMITS = {
    "id": 60,
    "name": 60,
    "kind": 40,
    "klass": 40,
    "size": 20,
    "formation": 60,
    "place": 40,
    "entry": 80,
}
NOTE_LIMIT = 300
OTHER_NAMES = {
    "type": "kind",
    "class": "klass",
    "unit": "name",
    "hex": "place",
    "set-up": "place",
    "setup": "place",
    "set-up hex": "place",
    "arrives": "turn",
    "arrival": "turn",
    "step": "steps",
    "army": "formation",
    "notes": "note",
}
FIELDS = {f.name for f in fields(UnitDef)}


@dataclass(frozen=True)
class Line:
    """One unit as the roster page shows it."""

    unit: UnitDef
    source: str
    """'rulebook', 'owner', or 'changed' for the owner's version of a rulebook's unit."""
    differs: tuple[str, ...] = ()
    """What the owner's version says otherwise than the rulebook, in words."""


def _unit(facts: Mapping[str, Any]) -> UnitDef:
    return UnitDef(**{k: v for k, v in facts.items() if k in FIELDS})


def owner_units(body: Mapping[str, Any]) -> list[UnitDef]:
    """The units of a stored roster, in the order they were added."""
    held: Mapping[str, Any] = body.get("units", {})
    order = dict.fromkeys([*body.get("order", []), *sorted(held)])
    return [_unit(held[name]) for name in order if name in held]


def merged_units(scenario: Scenario, body: Mapping[str, Any]) -> tuple[UnitDef, ...]:
    """The scenario's units with the owner's in their places, then his own."""
    mine = {u.id: u for u in owner_units(body)}
    shipped = [mine.pop(u.id, u) for u in scenario.units]
    return (*shipped, *mine.values())


class RosterBook:
    """A scenario's roster as its owner edits it."""

    def __init__(self, store: Store, system: System, scenario: str) -> None:
        found = system.kit.scenarios.get(scenario)
        if found is None:
            known = system.kit.scenarios
            raise Unreadable(
                f"There is no scenario {scenario[:40]!r} in {system.kit.system.name}: {', '.join(known)}."
                f"{did_you_mean(scenario[:60], known)}"
            )
        self.store, self.system, self.scenario = store, system, found
        self.book = f"roster/{scenario}"
        self.body: dict[str, Any] = store.book_get(system.id, self.book) or {}

    @property
    def factors(self) -> list[str]:
        """The factors' names: the game's, then any other a unit has."""
        named = [f for u in self.units() for f in u.factors]
        return list(dict.fromkeys([*self.system.kit.system.unit_factors, *sorted(set(named))]))

    def units(self) -> tuple[UnitDef, ...]:
        return merged_units(self.scenario, self.body)

    def lines(self) -> list[Line]:
        """Every unit with its provenance."""
        shipped = {u.id: u for u in self.scenario.units}
        mine = {u.id for u in owner_units(self.body)}
        lines = []
        for unit in self.units():
            if unit.id not in mine:
                lines.append(Line(unit, "rulebook"))
            elif unit.id not in shipped:
                lines.append(Line(unit, "owner"))
            else:
                lines.append(Line(unit, "changed", _differences(shipped[unit.id], unit)))
        return lines

    @property
    def known(self) -> int:
        """Units whose factors are known."""
        return sum(1 for u in self.units() if u.factors)

    def to_csv(self) -> str:
        """The roster as a spreadsheet that `take` reads back unchanged."""
        heads = [*COLUMNS, *self.factors]
        lines = [[cells.get(h, "") for h in heads] for cells in map(_cells, self.units())]
        return write_table([heads, *lines])

    # -- changing ----------------------------------------------------------------------------------------

    def take(self, table: list[list[str]], at: str, *, replace: bool = False) -> tuple[int, list[str]]:
        """Take a spreadsheet's units over: all of them, or none and what is wrong by line."""
        units, wrong = self.read(table)
        if wrong:
            return 0, wrong
        shipped = {u.id: u for u in self.scenario.units}
        before = {} if replace else {u.id: u for u in owner_units(self.body)}
        after = {**before, **{u.id: u for u in units}}
        after = {k: u for k, u in after.items() if shipped.get(k) != u}
        if len(after) > ROSTER_UNITS:
            return 0, [f"that would be {len(after)} units of your own: at most {ROSTER_UNITS}"]
        held = {u.id: u for u in owner_units(self.body)}
        changed = len([k for k in {*after, *held} if after.get(k) != held.get(k)])
        if changed:
            self._keep(after, at, f"{len(units)} lines read")
        return changed, []

    def seen_in_play(self, unit: str, facts: Mapping[str, Any], table: str, at: str) -> bool:
        """Fill in what was read off a counter at a table, where the roster says nothing; whether that was anything."""
        held = next((u for u in self.units() if u.id == unit), None)
        if held is None:
            return False  # a unit that a table put on record by hand is that table's own
        factors = {**facts.get("factors", {}), **held.factors}
        words = {
            name: facts[name] for name in ("kind", "klass") if facts.get(name) and not getattr(held, name)
        }
        if (
            not held.kind and held.steps == 1 and facts.get("full", 1) > 1
        ):  # one is what an empty cell reads as
            words["steps"] = facts["full"]
        if factors == held.factors and not words:
            return False
        note = " ".join(filter(None, (held.note, f"(from play, table {table})")))[:NOTE_LIMIT]
        seen = replace(
            held, factors=factors, note=note if "from play" not in held.note else held.note, **words
        )
        mine = {u.id: u for u in owner_units(self.body)}
        self._keep({**mine, unit: seen}, at, f"{held.name or unit} read off its counter at table {table}")
        return True

    def remove(self, unit: str, at: str) -> None:
        """Forget the owner's version of a unit; a rulebook's unit is then as the rulebook has it."""
        mine = {u.id: u for u in owner_units(self.body)}
        if unit not in mine:
            raise Unreadable(
                f"you have no unit {unit[:40]!r} of your own here.{did_you_mean(unit[:60], mine)}"
            )
        gone = mine.pop(unit)
        self._keep(mine, at, f"{gone.name or gone.id} removed")

    def _keep(self, units: Mapping[str, UnitDef], at: str, what: str) -> None:
        blank = asdict(UnitDef("", ""))

        def change(body: Mapping[str, Any] | None) -> dict[str, Any]:
            log = [*(body or {}).get("log", []), {"at": at, "cell": "roster", "was": "", "is": what}]
            kept = {
                k: {n: v for n, v in asdict(u).items() if v != blank[n] or n in ("id", "side")}
                for k, u in units.items()
            }
            return {"units": kept, "order": list(units), "log": log[-50:]}

        self.body = self.store.book_change(self.system.id, self.book, change, at)

    # -- reading -----------------------------------------------------------------------------------------

    def read(self, table: list[list[str]]) -> tuple[list[UnitDef], list[str]]:
        """The units of a spreadsheet, blank cells filled from what is known of a unit, and every problem by line."""
        heads = [OTHER_NAMES.get(h.strip().casefold(), h.strip()) for h in table[0]]
        heads = [h.lower() if h.lower() in COLUMNS else h for h in heads]
        rows = [dict(zip(heads, map(_clean, line), strict=False)) for line in table[1:]]
        known = {u.id: u for u in self.units()}
        wrong: list[tuple[int, str]] = []
        seen: dict[str, int] = {}
        for number, row in enumerate(rows, 2):
            if not any(row.values()):
                continue
            if len(wrong) >= PROBLEMS:
                wrong.append((number, "this line and those after it were not read any more"))
                return [], _by_line(wrong)
            wrong += [(number, text) for text in self._prepare(row, known)]
            name = row.get("id", "")
            if name and name in seen:
                wrong.append((number, f"the id {name!r} stands in line {seen[name]} already"))
            seen.setdefault(name, number)
        columns = list(dict.fromkeys([*heads, *COLUMNS, *self.factors])) if "side" in heads else heads
        text = write_table([columns, *([row.get(c, "") for c in columns] for row in rows)])
        units, more = read_roster(text, [s.id for s in self.system.kit.system.sides])
        return units, _by_line([*wrong, *((p.line, p.text + date_hint(p.given)) for p in more)])

    def _prepare(self, row: dict[str, str], known: Mapping[str, UnitDef]) -> list[str]:
        """Fill a line from what is known of its unit, normalise side and place, and say what is wrong."""
        for side in self.system.kit.system.sides:
            if row.get("side", "").casefold() in (side.name.casefold(), side.adjective.casefold() or "-"):
                row["side"] = side.id
        row["id"] = row.get("id") or _same_name(row, known.values())
        held = known.get(row["id"])
        problems = []
        if held:
            for column, text in _cells(held).items():
                row[column] = row.get(column) or text
        elif row["id"] and not re.fullmatch(r"[a-z0-9][a-z0-9-]*", row["id"]):
            problems.append(
                f"id {row['id'][:40]!r}: small letters, digits and hyphens, like {slug(row['id'][:40])!r}"
            )
        problems += _unprintable(row)
        try:
            row["place"] = self._place(row.get("place", ""))
        except Mistake as mistake:
            problems.append(f"place {row['place'][:40]!r}: {mistake.message}")
        turn = row.get("turn", "")
        if turn.isdecimal() and int(turn) > self.scenario.last and not (held and str(held.turn) == turn):
            problems.append(f"turn {turn} comes after the last one, {self.scenario.last}")
        return problems + self._wrong_marks(row.get("marks", ""))

    def _wrong_marks(self, marks: str) -> list[str]:
        markers = {m.id: m for m in self.system.kit.system.markers}
        problems = []
        for mark in marks.split():
            name = mark.partition("=")[0]
            if name not in markers:
                problems.append(f"there is no marker {name[:40]!r}.{did_you_mean(name[:60], markers)}")
            elif "unit" not in markers[name].on:
                problems.append(f"the marker {name!r} lies in a hex, not on a unit")
        return problems

    def _place(self, text: str) -> str:
        if not text:
            return ""
        boxes = {b.id: b for b in self.system.kit.system.boxes}
        name = text.removeprefix("box:").casefold()
        for box in boxes.values():
            if name in (box.id.casefold(), box.label.casefold()):
                return f"box:{box.id}"
        if text.startswith("box:"):
            raise Unreadable(
                f"no such box: {', '.join(boxes) or 'this game has none'}.{did_you_mean(name, boxes)}"
            )
        return self.system.kit.maps.parse(text)


def _clean(text: str) -> str:
    return " ".join(text.split())


def _cells(unit: UnitDef) -> dict[str, str]:
    """What is known of a unit, by column, as a spreadsheet holds it."""
    marks = " ".join(name if value is True else f"{name}={value}" for name, value in unit.marks.items())
    facts = {
        **asdict(unit),
        "marks": marks,
        "turn": unit.turn or "",
        "untried": "yes" if unit.untried else "",
    }
    return {**{c: str(facts[c]) for c in COLUMNS}, **{name: str(n) for name, n in unit.factors.items()}}


def _same_name(row: Mapping[str, str], known: Iterable[UnitDef]) -> str:
    """The id of the one unit of this side that bears the row's name; empty for none or several."""
    name = row.get("name", "").casefold()
    same = [u.id for u in known if u.side == row.get("side") and u.name and u.name.casefold() == name]
    return same[0] if len(same) == 1 else ""


def _unprintable(row: dict[str, str]) -> list[str]:
    """Cells that are too long, cut off, or that hold what cannot be printed."""
    problems = []
    for column, text in row.items():
        limit = LIMITS.get(column, NOTE_LIMIT)
        if len(text) > limit:
            problems.append(f"{column} is too long: {len(text):,} characters, at most {limit}")
            row[column] = text[:limit]
        elif not text.isprintable():
            problems.append(f"{column} {text[:24]!r} holds a character that cannot be printed")
    return problems


def _by_line(problems: Iterable[tuple[int, str]]) -> list[str]:
    return [f"line {number}: {text}" for number, text in sorted(problems, key=lambda p: p[0])]


def _differences(shipped: UnitDef, mine: UnitDef) -> tuple[str, ...]:
    found = []
    old, new = asdict(shipped), asdict(mine)
    for name in COLUMNS:
        if old.get(name) != new.get(name) and old.get(name) not in ("", 0, {}, None):
            found.append(f"{name}: rulebook {old[name]}, yours {new[name]}")
    return tuple(found)
