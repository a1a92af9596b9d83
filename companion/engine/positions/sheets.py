"""Positions as spreadsheets: a roster CSV read, put on record, and written."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import replace

from companion.engine.cells import disarmed
from companion.engine.errors import Mistake, NotYours, Unreadable
from companion.engine.kit.roster import UnitDef, read_roster_lines, unit_facts
from companion.engine.play.actions import Events
from companion.engine.positions.line import BadLines
from companion.engine.positions.names import free_id
from companion.engine.positions.reader import Reader, not_here
from companion.engine.record.changes import change, create, move, put_mark
from companion.engine.record.game import Game
from companion.engine.record.sight import may_see_unit
from companion.engine.seat.shapes import UnitView


def read_positions(game: Game, seat: str, text: str) -> tuple[list[UnitDef], list[tuple[int, Mistake]]]:
    """The rows of a roster CSV with their places checked, and everything wrong with it by line."""
    text = text.removeprefix("\ufeff")
    head = text.partition("\n")[0]
    if ";" in head and "," not in head:  # spreadsheets in much of Europe write semicolons
        text = _with_commas(text)
    lines, wrong = read_roster_lines(text, game.sides)
    problems: list[tuple[int, Mistake]] = [(p.line, Unreadable(p.text)) for p in wrong]
    good = []
    for number, unit in lines:
        try:
            good.append(_checked(game, seat, unit))
        except Mistake as mistake:
            problems.append((number, mistake))
    return good, sorted(problems, key=lambda p: p[0])


def _checked(game: Game, seat: str, unit: UnitDef) -> UnitDef:
    """The unit with its place as the table writes it; whatever the seat may not enter is a mistake."""
    called = unit.name or unit.id
    reader = Reader(game, seat, unit.side)
    place = reader.place_of([unit.place]) if unit.place else ""
    if place is None:
        place = reader.place_of(unit.place.removeprefix("box:").split())
    if place is None:
        raise Unreadable(f"{unit.place!r} is neither a hex nor a box", given=unit.place)
    if seat not in {"table", unit.side}:
        raise NotYours(f"{called}: {game.side_name(unit.side)} units are not yours to enter")
    known = game.units.get(unit.id)
    if known is not None and known.side == unit.side and not may_see_unit(game, known, seat):
        raise not_here(called)
    markers = {m.id: m for m in game.kit.markers}
    for name in unit.marks:
        if name not in markers:
            raise Unreadable(f"{called}: there is no marker {name!r}", given=name)
        if "unit" not in markers[name].on:
            raise Unreadable(f"{called}: {markers[name].label} lies in a hex", given=name)
    return replace(unit, place=place)


def _with_commas(text: str) -> str:
    out = io.StringIO()
    try:
        csv.writer(out, lineterminator="\n").writerows(csv.reader(io.StringIO(text), delimiter=";"))
    except csv.Error as error:
        raise Unreadable(f"this is not a table: {error}", field="csv") from None
    return out.getvalue()


def import_units(game: Game, seat: str, text: str) -> Events:
    """Put every row of a roster CSV on record: new units come, known ones move; what fits already stays."""
    units, problems = read_positions(game, seat, text)
    if problems:
        raise BadLines(problems, 2, "csv")
    if not units:
        raise Unreadable("no row of this file names a unit", field="csv")
    for unit in units:
        known = game.units.get(unit.id)
        if known is not None and known.side != unit.side:
            unit = replace(unit, id=free_id(game, f"{unit.side}-{unit.id}"))
            known = None
        if known is None:
            yield create(game, unit.id, unit.place, unit_facts(unit))
        else:
            facts = {k: v for k, v in unit_facts(unit).items() if k not in {"full", "side"}}
            changed = {k: v for k, v in facts.items() if getattr(known, k) != v}
            if changed:
                yield change(game, unit.id, changed, reason="from a file")
            if known.place != unit.place:
                yield move(game, unit.id, unit.place)
        for name, value in unit.marks.items():
            if game.mark(unit.id, name) != value:
                yield put_mark(game, unit.id, name, value)


def write_positions(units: Iterable[UnitView], factors: Sequence[str]) -> str:
    """Units as a seat sees them, as the CSV that `read_positions` reads; hidden ones are left out."""
    columns = ("id", "side", "name", "kind", "klass", "size", "formation", "steps", "place", "turn", "entry")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*columns, "marks", "note", "doubtful", *factors])
    # Stacks keep their order when they are read again from the bottom up.
    for unit in sorted((u for u in units if not u.hidden), key=lambda u: u.order):
        marks = " ".join(n if v is True else f"{n}={v}" for n, v in unit.marks.items())
        row = [getattr(unit, c) if c != "turn" or unit.turn else "" for c in columns]
        numbers = [unit.factors.get(f, "") for f in factors]
        writer.writerow(disarmed([*row, marks, unit.note, unit.doubtful, *numbers]))
    return out.getvalue()
