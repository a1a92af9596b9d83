"""Filling a list one by one: one question a page, mostly one tap an answer, and on to the next open one."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, make_response, render_template, request, url_for

from companion.books.book import ListSheet
from companion.books.sheet import Edit, Outcome
from companion.engine.errors import Mistake, Unknown, Unreadable
from companion.engine.kit import walk
from companion.engine.kit.lists import Column, Unfilled
from companion.tables.tables import utc_now
from companion.web.book.lock import may_edit, require_edit
from companion.web.book.view import progress_of
from companion.web.current import tables
from companion.web.elsewhere import see_other

bp = Blueprint("bookwalk", __name__)
At = tuple[str, str]


def _open(system: str, name: str) -> ListSheet:
    sheet = ListSheet(tables().store, tables().system(system), name)
    if not walk.walked(sheet.shape):
        raise Unknown(f"{sheet.title} is not filled one by one. Its page takes everything.")
    return sheet


def _question(sheet: ListSheet, row: str, column: str) -> At | None:
    """The question asked for, or the first open one; None when all is filled."""
    if not row:
        return walk.first_missing(sheet.shape, sheet.rows(), sheet.merged())
    sheet.check_row(row)
    asked = [c.id for c in walk.steps(sheet.shape, sheet.merged().get(row, {}))]
    left = [c.id for c in walk.missing(sheet.shape, sheet.merged().get(row, {}))]
    return row, column if column in asked else (left or asked)[0]


def _context(sheet: ListSheet, at: At | None, outcome: Outcome | None = None) -> dict[str, Any]:
    held, rows = sheet.merged(), sheet.rows()
    context: dict[str, Any] = {
        "sheet": sheet,
        "shape": sheet.shape,
        "system": sheet.system.kit.system,
        "url": url_for("bookwalk.walk_page", system=sheet.system.id, name=sheet.id),
        "list_url": url_for("book.sheet_page", system=sheet.system.id, kind="list", name=sheet.id),
        "progress": progress_of(sheet),
        # Midway only what contradicts itself; what is blank is being filled.
        "to_do": [line for line in sheet.to_do() if at is None or not isinstance(line, Unfilled)],
        "at": at,
        "may_edit": may_edit(),
    }
    if at is None:
        return context
    row, column_id = at
    values = held.get(row, {})
    part = walk.part_of(sheet.shape, column_id)
    column = next(c for c in part.asked if c.id == column_id)
    first = column is part.asked[0]
    known = walk.known(sheet.shape, held, part) if first and len(part.asked) > 1 else []
    index = rows.index(row)
    previous = rows[index - 1] if index else ""
    return context | {
        "row": row,
        "number": index + 1,
        "column": column,
        "part": part,
        "label": _label(part, column),
        "spot": sheet.spot(row, column_id, outcome),
        "facts": [
            _fact(sheet, p, c, row, c is column)
            for p in walk.parts(sheet.shape)
            for c in p.asked
            if c.asked_of(values)
        ],
        "ticks": [
            {"id": c.id, "label": _label(part, c), "on": bool(values.get(c.id))}
            for c in (*part.ticks, *walk.loose_ticks(sheet.shape))
        ],
        "lines": [
            (text, label, [(n, k.words) for n, k in enumerate(known) if column.write(k.values[0]) == text])
            for text, label in walk.taps(sheet.shape, column, values, held)
        ],
        "known": known,
        "same": previous if previous and not walk.missing(sheet.shape, held.get(previous, {})) else "",
        "before": walk.before(sheet.shape, rows, held, row, column_id),
    }


def _label(part: walk.Part, column: Column) -> str:
    """A column's name where its part is named already."""
    return column.label.removeprefix(f"{part.name.lower()} ") if part.name else column.label


def _fact(sheet: ListSheet, part: walk.Part, column: Column, row: str, here: bool) -> dict[str, Any]:
    spot = sheet.spot(row, column.id)
    name = _label(part, column)
    return {
        "id": column.id,
        "label": name if name == part.name or not part.name else f"{part.name} {name}",
        "text": "" if spot.value is None else column.show(spot.value),
        "here": here,
    }


def _answer(sheet: ListSheet, at: At | None, outcome: Outcome | None = None) -> Response:
    wrong = bool(outcome and outcome.problems)
    context = _context(sheet, at, outcome)
    fragment = "HX-Request" in request.headers
    if not fragment and not wrong and request.method == "POST":
        row, column = at or ("", "")
        where = url_for(
            "bookwalk.walk_page", system=sheet.system.id, name=sheet.id, row=row or None, at=column or None
        )
        return see_other(where)
    page = render_template("book_walk_step.html" if fragment else "book_walk.html", **context)
    return make_response(page, 422 if wrong else 200)


@bp.get("/book/<system>/list/<name>/walk")
def walk_page(system: str, name: str) -> Response:
    """One question of a list, or that all is filled."""
    sheet = _open(system, name)
    return _answer(sheet, _question(sheet, request.args.get("row", ""), request.args.get("at", "")))


@bp.post("/book/<system>/list/<name>/walk")
def walk_answer(system: str, name: str) -> Response:
    """One answer: a value, a whole part that was there before, a tick, the row before again, or none."""
    require_edit()
    sheet = _open(system, name)
    form = request.form
    row, column = _question(sheet, form.get("row", ""), form.get("at", "")) or ("", "")
    if not row:
        return _answer(sheet, None)
    if "skip" in form:
        return _answer(sheet, _next(sheet, row, column))
    try:
        edits = _edits(sheet, row, column)
    except Mistake as mistake:
        return _answer(sheet, (row, column), Outcome(problems={sheet.key(row, column): mistake.message}))
    outcome = sheet.save(edits, utc_now())
    tables().book_changed()
    if outcome.problems or "tick" in form:
        return _answer(sheet, (row, column), outcome)
    return _answer(sheet, _next(sheet, row, _last(sheet, column, edits)))


def _next(sheet: ListSheet, row: str, column: str) -> At | None:
    return walk.following(sheet.shape, sheet.rows(), sheet.merged(), row, column)


def _last(sheet: ListSheet, column: str, edits: list[Edit]) -> str:
    """The last of the questions that the edits answered."""
    order = [c.id for part in walk.parts(sheet.shape) for c in part.asked]
    return max((e.column for e in edits if e.column in order), key=order.index, default=column)


def _edits(sheet: ListSheet, row: str, column: str) -> list[Edit]:
    form, held = request.form, sheet.merged()
    if "tick" in form:
        name = sheet.split(f"{row}|{form['tick']}")[1]
        return [Edit(row, name, "" if held.get(row, {}).get(name) else "yes")]
    if "same" in form:
        sheet.check_row(form["same"])
        earlier = held.get(form["same"], {})
        return [
            Edit(row, c.id, c.write(earlier.get(c.id)))
            for c in walk.walked(sheet.shape)
            if _free(sheet, row, c)
        ]
    if "known" in form:
        part = walk.part_of(sheet.shape, column)
        found = {str(n): k for n, k in enumerate(walk.known(sheet.shape, held, part))}.get(form["known"])
        if found is None:
            raise Unreadable("That answer is not on the list any more. Choose again", field="known")
        pairs = zip((*part.asked, *part.ticks), found.values, strict=True)
        return [Edit(row, c.id, c.write(value)) for c, value in pairs if _free(sheet, row, c)]
    text = form.get("value", "") or form.get("text", "")
    if not text.strip():
        raise Unreadable("Tap an answer, or type one", field="text", given="nothing")
    return [Edit(row, column, text)]


def _free(sheet: ListSheet, row: str, column: Column) -> bool:
    """Whether the rulebook leaves the cell to the owner."""
    return not sheet.shape.locked(row, column.id)
