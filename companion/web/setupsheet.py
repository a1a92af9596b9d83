"""A scenario's set-up on paper, as hands do it: beside the map, hex by hex, the turn track, what comes later."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flask import Blueprint, Response, render_template

from companion.engine.errors import Unknown
from companion.engine.hexes.ground import MapBook
from companion.engine.kit.blocks import Kit, Scenario
from companion.engine.kit.roster import UnitDef
from companion.web.current import tables
from companion.web.map.blueprint import reply

bp = Blueprint("setupsheet", __name__)
OFTEN = 3
"""A note that stands at so many lines of a side is told once, below them."""


@dataclass(frozen=True)
class SetUpLine:
    """Units alike in one line, with a box to tick."""

    words: str
    count: int = 1
    note: str = ""
    doubtful: str = ""
    sign: str = ""
    """The letter of a note that is told below."""
    marks: tuple[str, ...] = ()


@dataclass(frozen=True)
class SetUpGroup:
    """What is laid in one place: a hex, a box, a square of the turn track, or wherever `place` says."""

    place: str
    lines: Sequence[SetUpLine]
    marks: Sequence[str] = ()
    note: str = ""


@dataclass(frozen=True)
class SetUpSide:
    """One side's counters in the order in which they are laid."""

    id: str
    name: str
    count: int
    places: Sequence[SetUpGroup]
    free: Sequence[SetUpGroup]
    later: Sequence[SetUpGroup]
    notes: Sequence[tuple[str, str]]


@bp.get("/scenario/<system>/<scenario>/setup")
def set_up_sheet(system: str, scenario: str) -> Response:
    """A scenario's set-up as a person does it: tracks, cups, hexes side by side, then what comes later."""
    kit = tables().system(system).kit
    if scenario not in kit.scenarios:
        raise Unknown(
            f"{kit.system.name} has no scenario {scenario[:40]!r}: {', '.join(kit.scenarios)}", given=scenario
        )
    found = kit.scenarios[scenario]
    units = tables().book(tables().system(system)).roster.get(scenario, found.units)
    values = _starting(kit, found)
    marks = _hex_marks(kit, found)
    sides = [_side(kit, units, marks, side.id, side.name) for side in kit.system.sides]
    with_units = {group.place for side in sides for group in side.places}
    alone: dict[str, list[str]] = {}
    for hex_id, words in marks.items():
        for word in words if hex_id not in with_units else ():
            alone.setdefault(word, []).append(hex_id)
    return reply(
        render_template(
            "print_setup.html",
            kit=kit.system,
            scenario=found,
            values=[row for row in values if row[1] != "0"],
            zeros=[label for label, value, _ in values if value == "0"],
            piles=[(p.label, len(p.tokens) or p.count, p.rule) for p in kit.system.piles],
            sides=sides,
            arrivals=_arrivals(kit, found, {u.id for u in units if u.turn}),
            markers=sorted(alone.items()),
            towns=_towns(kit),
        )
    )


# -- beside the map --------------------------------------------------------------------------------------


def _starting(kit: Kit, scenario: Scenario) -> list[tuple[str, str, str]]:
    """Every track and dial as the first turn finds it."""
    first = str(scenario.first)
    rows = []
    for track in (t for t in kit.system.tracks if not t.hidden):
        begins = scenario.start.get(track.id, track.start)
        rows.append((track.label, str(scenario.by_turn.get(track.id, {}).get(first, begins)), track.rule))
    for dial in (d for d in kit.system.dials if not d.hidden):
        value = scenario.start.get(dial.id, dial.start or dial.values[0].id)
        value = scenario.by_turn.get(dial.id, {}).get(first, value)
        rows.append(
            (dial.label, next((v.label for v in dial.values if v.id == value), str(value)), dial.rule)
        )
    return rows


# -- a side's counters -----------------------------------------------------------------------------------


def _side(
    kit: Kit, listed: Sequence[UnitDef], marks: Mapping[str, Sequence[str]], side: str, name: str
) -> SetUpSide:
    """A side's units: by hex down the map, boxes, those its owner places, those that come later."""
    units = [u for u in listed if u.side == side]
    boxes = {f"box:{b.id}": b.label for b in kit.system.boxes} | {b.id: b.label for b in kit.system.boxes}
    often = [note for note, n in Counter(u.note for u in units if u.note).items() if n >= OFTEN]
    signs = {note: chr(ord("a") + i) for i, note in enumerate(often[:26])}

    def lines(of: Iterable[UnitDef]) -> list[SetUpLine]:
        return merged([_line(kit, unit, signs) for unit in of])

    now = [u for u in units if not u.turn]
    placed = _grouped((boxes.get(u.place, u.place), u) for u in now if u.place)
    free = _grouped((u.entry or u.formation, u) for u in now if not u.place)
    later = _grouped(((u.turn, u.entry), u) for u in units if u.turn)
    return SetUpSide(
        side,
        name,
        len(units),
        [
            SetUpGroup(place, lines(here), marks.get(place, ()))
            for place, here in sorted(placed.items(), key=lambda item: (not item[0][-4:].isdigit(), item[0]))
        ],
        [SetUpGroup(where, lines(here)) for where, here in free.items()],
        [
            SetUpGroup(f"{kit.system.turn_name} {turn}", lines(here), note=entry)
            for (turn, entry), here in sorted(later.items())
        ],
        [(sign, note) for note, sign in signs.items()],
    )


def _grouped(pairs: Iterable[tuple[Any, UnitDef]]) -> dict[Any, list[UnitDef]]:
    found: dict[Any, list[UnitDef]] = {}
    for key, unit in pairs:
        found.setdefault(key, []).append(unit)
    return found


def _line(kit: Kit, unit: UnitDef, signs: Mapping[str, str]) -> SetUpLine:
    """A unit in words: no type or size that its name says already."""
    name = unit.name or unit.kind or unit.id
    known = set(re.findall(r"[a-z]+", name.casefold()))
    more = [unit.kind] if unit.kind and not known & set(re.findall(r"[a-z]+", unit.kind.casefold())) else []
    more += [f"{unit.steps} {kit.system.steps_name}"] if unit.steps > 1 else []
    said = (
        m for m in unit.marks.items() if str(m[1]).casefold() not in known
    )  # Romanian troops are called so
    marks = tuple(_mark_words(kit, marker, value) for marker, value in said)
    sign = signs.get(unit.note, "")
    return SetUpLine(", ".join([name, *more]), 1, "" if sign else unit.note, unit.doubtful, sign, marks)


NUMBERED = re.compile(r"(.*\D)(\d+)")


def merged(lines: Sequence[SetUpLine]) -> list[SetUpLine]:
    """Lines alike as one, and such that only count on: 'Don 1 to 41'."""
    found: list[SetUpLine] = []
    first = last = ""
    for line in lines:
        before = found[-1] if found else None
        if before and replace(before, count=1) == line:
            found[-1] = replace(before, count=before.count + 1)
            continue
        if before and before.count == _run(first, last) and _follows(last, line.words):
            told = f"{first} to {NUMBERED.fullmatch(line.words)[2]}"  # type: ignore[index]
            if replace(before, words="", count=1) == replace(line, words=""):
                found[-1] = replace(before, words=told, count=before.count + 1)
                last = line.words
                continue
        found.append(line)
        first = last = line.words
    return found


def _run(first: str, last: str) -> int:
    """How many lines a run of numbers has so far."""
    a, b = NUMBERED.fullmatch(first), NUMBERED.fullmatch(last)
    return int(b[2]) - int(a[2]) + 1 if a and b else 1


def _follows(before: str, after: str) -> bool:
    a, b = NUMBERED.fullmatch(before), NUMBERED.fullmatch(after)
    return bool(a and b and a[1] == b[1] and int(b[2]) == int(a[2]) + 1)


# -- markers, arrivals, towns ----------------------------------------------------------------------------


def _hex_marks(kit: Kit, scenario: Scenario) -> dict[str, list[str]]:
    """What lies in hexes at the start, in words; what only the rules need is not laid."""
    quiet = {m.id for m in kit.system.markers if m.quiet}
    return {
        hex_id: words
        for hex_id, marks in sorted(scenario.hex_marks.items())
        if (words := [_mark_words(kit, m, v) for m, v in marks.items() if m not in quiet])
    }


def _mark_words(kit: Kit, marker: str, value: Any) -> str:
    """A marker with its value as the game calls them."""
    kind = next((m for m in kit.system.markers if m.id == marker), None)
    label = kind.label if kind else marker
    words = {s.id: s.name for s in kit.system.sides} | dict(kind.words if kind else {})
    return label if value is True else f"{label} {words.get(str(value), value)}"


def _arrivals(kit: Kit, scenario: Scenario, laid: set[str]) -> list[dict[str, Any]]:
    """What comes later and does not lie on the turn track as counters."""
    names = {s.id: s.name for s in kit.system.sides}
    rows = [
        {"turn": a.turn, "side": names.get(a.side, ""), "text": a.text, "entry": a.entry, "rule": a.rule}
        for a in scenario.arrivals
        if not (a.units and laid.issuperset(a.units))
    ]
    return sorted(rows, key=lambda r: (int(str(r["turn"])), str(r["side"])))


def _towns(kit: Kit) -> list[tuple[str, list[str]]]:
    """Named places with their hexes; a name that is only a hex number says nothing more."""
    found: dict[str, list[str]] = {}
    for hex_id, name in sorted(MapBook.from_json(kit.map_facts).places().items()):
        if hex_id not in name:
            found.setdefault(name, []).append(hex_id)
    return sorted(found.items())
