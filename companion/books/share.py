"""One player's evening serves the club: a game's whole book as one file, merged into another installation's.

Merging fills blanks. Where both wrote something different nothing is overwritten unless somebody says so, cell by cell.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from companion.books.book import sheets
from companion.books.roster import RosterBook, owner_units
from companion.books.sheet import Edit, Sheet
from companion.engine.errors import Mistake, Unreadable
from companion.engine.hexes.ground import FIXED, OWNER, RULEBOOK, Fact, MapBook
from companion.limits import MAP_FACTS, PROBLEMS, ROSTER_UNITS, SHEET_CELLS
from companion.store import Store
from companion.systems import System

FORMAT = 1
KIND = "kharkov-companion chart book"
UNREAD = "and what comes after it was not read any more"


@dataclass(frozen=True)
class Conflict:
    """Something both books tell, differently."""

    id: str
    what: str
    mine: str
    theirs: str


@dataclass
class Merge:
    """What a file would bring: cells that fill blanks, conflicts, and what cannot be used."""

    filled: int = 0
    same: int = 0
    taken: int = 0
    conflicts: list[Conflict] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def export_book(store: Store, system: System, at: str) -> dict[str, Any]:
    """Everything the owner wrote about a game; nothing the kit ships."""
    cells: dict[str, dict[str, Any]] = {}
    for sheet in sheets(store, system):
        mine = {
            sheet.key(row, column.id): sheet.write(column.id, value)
            for row in sheet.rows()
            for column in sheet.columns
            if (value := sheet.held(sheet.body, row, column.id)) is not None
        }
        if mine:
            cells[sheet.book] = mine
    rosters = {}
    for name in system.kit.scenarios:
        units = owner_units(store.book_get(system.id, f"roster/{name}") or {})
        if units:
            rosters[name] = [{k: v for k, v in asdict(u).items() if v not in ("", {}, None)} for u in units]
    own_map = store.book_get(system.id, "map") or {}
    return {
        "kind": KIND,
        "format": FORMAT,
        "system": system.id,
        "made_at": at,
        "sheets": cells,
        "rosters": rosters,
        "map": {k: own_map[k] for k in ("facts", "removed") if k in own_map},
    }


def read_share(text: str, system: System) -> dict[str, Any]:
    """A shared file's content, as far as it can be checked before it is compared."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable("This is not a shared chart book: choose the .json file that Export made") from None
    if not isinstance(data, dict) or data.get("kind") != KIND:
        raise Unreadable("This is not a shared chart book: choose the .json file that Export made")
    if data.get("format") != FORMAT:
        raise Unreadable(
            f"This book was written by another version of the companion (format {data.get('format')!r:.20})"
        )
    if data.get("system") != system.id:
        raise Unreadable(
            f"This book belongs to {str(data.get('system'))[:40]!r}, not to {system.kit.system.name}: open that game's page"
        )
    _check_size(data)
    return data


def _check_size(data: Mapping[str, Any]) -> None:
    """Refuse a book that holds more than any game's components could fill."""
    sizes = [
        ("sheet", SHEET_CELLS, data.get("sheets")),
        ("roster", ROSTER_UNITS, data.get("rosters")),
    ]
    for what, most, parts in sizes:
        for name, part in parts.items() if isinstance(parts, dict) else ():
            if isinstance(part, dict | list) and len(part) > most:
                raise Unreadable(f"The {what} {name[:40]!r} of this book is too long: at most {most:,}")
    own = data.get("map")
    facts = own.get("facts") if isinstance(own, dict) else None
    if isinstance(facts, list) and len(facts) > MAP_FACTS:
        raise Unreadable(f"The map of this book is too long: at most {MAP_FACTS:,} facts")


def merge_book(
    store: Store, system: System, data: Mapping[str, Any], at: str, take: Collection[str] = ()
) -> Merge:
    """Fill blanks from a shared book; conflicts stay as they are unless named in `take` ('all' takes every one)."""
    merge = Merge()
    known = {sheet.book: sheet for sheet in sheets(store, system)}
    for name, cells in _table(data.get("sheets"), "sheets", merge):
        sheet = known.get(name)
        if sheet is None:
            merge.problems.append(f"{name[:60]!r} is no chart or list of {system.kit.system.name}")
            continue
        _merge_sheet(sheet, cells, at, take, merge)
    for name, units in _table(data.get("rosters"), "rosters", merge):
        if name not in system.kit.scenarios:
            merge.problems.append(f"{name[:60]!r} is no scenario of {system.kit.system.name}")
            continue
        _merge_roster(RosterBook(store, system, name), units, at, take, merge)
    _merge_map(store, system, data.get("map") or {}, at, take, merge)
    return merge


def _table(value: Any, name: str, merge: Merge) -> Iterator[tuple[str, Any]]:
    if value is None:
        return
    if not isinstance(value, dict):
        merge.problems.append(f"{name}: a table is needed, not {str(value)[:40]!r}")
        return
    yield from value.items()


def _enough(merge: Merge) -> bool:
    """Whether so much is wrong that this file is no help; the last problem then says so."""
    if len(merge.problems) < PROBLEMS:
        return False
    if merge.problems[-1] != UNREAD:
        merge.problems.append(UNREAD)
    return True


def _wanted(name: str, take: Collection[str]) -> bool:
    return "all" in take or name in take


def _merge_sheet(sheet: Sheet, cells: Any, at: str, take: Collection[str], merge: Merge) -> None:
    edits = []
    for key, text in _table(cells, sheet.title, merge):
        if _enough(merge):
            break
        try:
            row, column = _place(sheet, key, at)
            theirs = sheet.read(row, column, text if isinstance(text, str) else str(text))
        except Mistake as mistake:
            merge.problems.append(mistake.message)
            continue
        spot, words = sheet.spot(row, column), sheet.write(column, theirs)
        name = f"{sheet.book}#{key}"
        if theirs is None or spot.text == words:
            merge.same += 1
        elif spot.locked:
            merge.problems.append(
                f"{sheet.title}, {sheet.where(row, column)}: the rulebook gives {spot.text!r}, the file {words!r}"
            )
        elif spot.source == "owner" and not _wanted(name, take):
            merge.conflicts.append(
                Conflict(name, f"{sheet.title}, {sheet.where(row, column)}", spot.text, words)
            )
        else:
            merge.taken += spot.source == "owner"
            merge.filled += spot.source != "owner"
            edits.append(Edit(row, column, words))
    sheet.save(edits, at)


def _place(sheet: Sheet, key: str, at: str) -> tuple[str, str]:
    """Row and column of a key; an open list gets the row it lacks."""
    from companion.books.book import ListSheet

    row = key.rpartition("|")[0]
    if isinstance(sheet, ListSheet) and sheet.shape.open and row not in sheet.rows():
        sheet.add([row], at)
    return sheet.split(key)


def _merge_roster(book: RosterBook, units: Any, at: str, take: Collection[str], merge: Merge) -> None:
    if not isinstance(units, list) or not all(isinstance(u, dict) for u in units):
        merge.problems.append(f"{book.scenario.name}: a list of units is needed")
        return
    heads = list(dict.fromkeys(k for u in units for k in _flat(u)))
    mine = {u.id: u for u in owner_units(book.body)}
    table = [heads]
    for unit in units:
        flat = _flat(unit)
        name, key = str(unit.get("id", ""))[:60], f"{book.book}#{unit.get('id', '')}"
        line = [str(flat.get(h, "")) for h in heads]
        if name not in mine:
            table.append(line)
            merge.filled += 1
            continue
        held = _flat(asdict(mine[name]))
        if all(str(held.get(h) or "") == str(flat.get(h) or "") for h in heads):
            merge.same += 1
        elif _wanted(key, take):
            table.append(line)
            merge.taken += 1
        else:
            words = [h for h in heads if str(held.get(h) or "") != str(flat.get(h) or "")]
            merge.conflicts.append(
                Conflict(
                    key,
                    f"{book.scenario.name}, unit {mine[name].name or name}",
                    ", ".join(f"{h} {held.get(h) or '-'}" for h in words)[:200],
                    ", ".join(f"{h} {flat.get(h) or '-'}" for h in words)[:200],
                )
            )
    if len(table) > 1:
        changed, wrong = book.take(table, at)
        if wrong:
            merge.problems += [f"{book.scenario.name}, roster {w}" for w in wrong]
            merge.filled -= len(table) - 1


def _flat(unit: Mapping[str, Any]) -> dict[str, Any]:
    """A shared unit as the columns of a roster: factors under their own heads, marks as one cell."""
    factors, marks = unit.get("factors"), unit.get("marks")
    flat = {k: v for k, v in unit.items() if k not in ("factors", "marks")}
    if isinstance(factors, dict):
        flat |= factors
    if isinstance(marks, dict) and marks:
        flat["marks"] = " ".join(n if v is True else f"{n}={v}" for n, v in sorted(marks.items()))
    return flat


def _merge_map(store: Store, system: System, data: Any, at: str, take: Collection[str], merge: Merge) -> None:
    try:
        theirs = MapBook.from_json(data if isinstance(data, dict) else {})
    except (ValueError, TypeError) as error:
        merge.problems.append(f"map: {error}")
        return
    body = store.book_get(system.id, "map") or {}
    mine = MapBook.from_json({k: body[k] for k in ("facts", "removed") if k in body})
    slots = {slot: f for f, by in mine.facts.items() if by != RULEBOOK and (slot := _slot(f))}
    added = 0
    for fact, by in theirs.facts.items():
        if _enough(merge):
            break
        if by == RULEBOOK:
            continue
        try:
            system.kit.maps.parse(fact.a)
            if fact.b:
                system.kit.maps.parse(fact.b)
        except Mistake as mistake:
            merge.problems.append(f"map: {mistake.message}")
            continue
        if max(map(len, fact)) > 80:
            merge.problems.append(f"map, {fact.kind[:20]} {fact.a}: the value is too long")
            continue
        held = slots.get(_slot(fact) or ("", ""))
        name = f"map#{'|'.join(fact)}"
        if mine.facts.get(fact) is not None:
            merge.same += 1
        elif held is not None and not _wanted(name, take):
            merge.conflicts.append(
                Conflict(name, f"Map, hex {fact.a}", f"{held.kind} {held.value}", f"{fact.kind} {fact.value}")
            )
        else:
            merge.taken += held is not None
            merge.filled += held is None
            mine.add(fact, OWNER)
            added += 1
    if added:
        store.book_change(system.id, "map", lambda old: {**(old or {}), **mine.to_json()}, at)


def _slot(fact: Fact) -> tuple[str, str] | None:
    """What a fact fills alone: a hex has one terrain, one value, one place name."""
    if fact.kind in ("terrain", "vp"):
        return fact.kind, fact.a
    return None if fact.kind in FIXED else ("place", fact.a)
