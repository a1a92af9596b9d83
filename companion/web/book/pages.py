"""A chart or list of the book: looked at, filled in cell by cell, pasted, or read from a spreadsheet."""

from __future__ import annotations

import json
from typing import Any

from flask import Response, make_response, render_template, request, url_for

from companion.books.book import ListSheet, open_sheet
from companion.books.sheet import Edit, Outcome, Sheet
from companion.books.spreadsheet import read_table
from companion.books.tabular import from_table, to_csv
from companion.engine.errors import Mistake, Unknown, Unreadable
from companion.tables.tables import utc_now
from companion.web.book.blueprint import access, attachment, bp, sent
from companion.web.book.lock import require_edit
from companion.web.book.view import grid_of, layout_of, progress_of, row_of
from companion.web.current import tables
from companion.web.elsewhere import see_other

EDITS_AT_ONCE = 5000
NUMBERED_ROWS = 10


def _sheet(system: str, kind: str, name: str) -> Sheet:
    if kind not in ("chart", "list"):
        raise Unknown(f"There is no page {request.path[:80]}.")
    return open_sheet(tables().store, tables().system(system), kind, name)


def _page(
    sheet: Sheet,
    outcome: Outcome | None = None,
    *,
    problems: list[str] | None = None,
    notice: str = "",
    text: str = "",
    fragment: bool = False,
) -> Response:
    """The sheet's page, or only its grid when a pasted block is answered."""
    wrong = bool(problems or (outcome and outcome.problems))
    changed = next(
        (b.changed_at for b in tables().store.book_list(sheet.system.id) if b.name == sheet.book), ""
    )
    context: dict[str, Any] = {
        "sheet": sheet,
        "system": sheet.system.kit.system,
        "grid": grid_of(sheet, outcome),
        "problems": problems or [],
        "notice": notice,
        "text": text if wrong else "",
        "changed_at": changed,
        **access(),
    }
    template = f"book_{sheet.kind}{'_grid' if fragment else ''}.html"
    return make_response(render_template(template, **context), 422 if wrong else 200)


@bp.get("/book/<system>/<kind>/<name>")
def sheet_page(system: str, kind: str, name: str) -> Response:
    """A chart or list to look at and fill in; with .csv as a spreadsheet."""
    if name.endswith(".csv"):
        sheet = _sheet(system, kind, name.removesuffix(".csv"))
        return attachment(to_csv(sheet), f"{system}-{name}")
    return _page(_sheet(system, kind, name))


@bp.post("/book/<system>/<kind>/<name>")
def save_sheet(system: str, kind: str, name: str) -> Response:
    """The plain form: only cells that differ from what the page showed are saved."""
    require_edit()
    sheet = _sheet(system, kind, name)
    edits, problems = [], []
    for n, (at, was) in enumerate(_pairs(request.form.get("was", ""))):
        text = request.form.get(f"f{n}")
        try:
            row, column = sheet.split(at)
            if _differs(sheet, column, text, was):
                edits.append(Edit(row, column, text or "", was))
        except Mistake as mistake:
            problems.append(mistake.message)
    outcome = sheet.save(edits, utc_now())
    tables().book_changed()
    return _page(sheet, outcome, problems=problems, notice=_saved(outcome))


def _differs(sheet: Sheet, column: str, text: str | None, was: str) -> bool:
    """Whether a field says something else than the page showed; an unticked box sends nothing at all."""
    if text is None:
        flag = any(c.id == column and c.type == "flag" for c in sheet.columns)
        return flag and was == "yes"
    return " ".join(text.split()) != was


def _pairs(text: str) -> list[tuple[str, str]]:
    """The [[cell, text], ...] of a page or a pasted block."""
    try:
        pairs = json.loads(text)
        if not isinstance(pairs, list) or len(pairs) > EDITS_AT_ONCE:
            raise ValueError
        return [(str(at), str(value)) for at, value in pairs]
    except (ValueError, TypeError, RecursionError):
        raise Unreadable(
            "The page sent something that cannot be read. Open it again and repeat the last entry"
        ) from None


def _saved(outcome: Outcome) -> str:
    if not outcome.saved:
        return "Nothing was changed." if not outcome.problems else ""
    cells = "1 cell" if outcome.saved == 1 else f"{outcome.saved} cells"
    return f"{cells} saved." + (f" Replaced: {'; '.join(outcome.changed[:12])}." if outcome.changed else "")


@bp.post("/book/<system>/<kind>/<name>/cell")
def save_cell(system: str, kind: str, name: str) -> Any:
    """One cell, saved when it is left; the answer is the cell as it stands, with the progress."""
    require_edit()
    sheet = _sheet(system, kind, name)
    row, column = sheet.split(request.form.get("at", ""))
    outcome = sheet.save([Edit(row, column, request.form.get("value", ""))], utc_now())
    tables().book_changed()
    if "HX-Request" not in request.headers:
        return _page(sheet, outcome, notice=_saved(outcome))
    grid = {"progress": progress_of(sheet), **(layout_of(sheet) if isinstance(sheet, ListSheet) else {})}
    line = row_of(sheet, sheet.rows().index(row), row, outcome)
    cell = next(c for c in line["cells"] if c["column"].id == column)
    html = render_template("book_cell.html", sheet=sheet, grid=grid, row=line, cell=cell, **access())
    return html, 422 if outcome.problems else 200


@bp.post("/book/<system>/<kind>/<name>/confirm")
def confirm(system: str, kind: str, name: str) -> Response:
    """The owner looked: a doubtful cell, or one read in play, is right as it stands; or another answer to it is."""
    require_edit()
    sheet = _sheet(system, kind, name)
    cells = [sheet.split(at) for at in request.form.getlist("at")] or [sheet.split("")]
    told = request.form.get("value") if len(cells) == 1 else None
    edits = [Edit(row, column, told or sheet.spot(row, column).text) for row, column in cells]
    outcome = sheet.save(edits, utc_now())
    tables().book_changed()
    return _page(sheet, outcome, notice=_saved(outcome))


@bp.post("/book/<system>/list/<name>/seen")
def settle_seen(system: str, name: str) -> Response:
    """What was seen in play and has no row: the owner adds it, or it is forgotten."""
    require_edit()
    sheet = ListSheet(tables().store, tables().system(system), name)
    number = request.form.get("number", "")
    try:
        place = int(number) if number.isdecimal() and len(number) < 6 else -1
        outcome = sheet.settle_seen(place, utc_now(), take=bool(request.form.get("take")))
    except Mistake as mistake:
        return _page(sheet, problems=[mistake.message])
    tables().book_changed()
    return _page(sheet, outcome, notice=_saved(outcome) if outcome.saved else "Forgotten.")


@bp.post("/book/<system>/<kind>/<name>/cells")
def save_cells(system: str, kind: str, name: str) -> Response:
    """A pasted block."""
    require_edit()
    sheet = _sheet(system, kind, name)
    edits, problems = [], []
    for at, text in _pairs(request.form.get("cells", "")):
        try:
            edits.append(Edit(*sheet.split(at), text))
        except Mistake as mistake:
            problems.append(mistake.message)
    outcome = sheet.save(edits, utc_now())
    tables().book_changed()
    return _page(sheet, outcome, problems=problems, notice=_saved(outcome), fragment=True)


@bp.post("/book/<system>/<kind>/<name>/csv")
def import_sheet(system: str, kind: str, name: str) -> Response:
    """A spreadsheet, as a file or pasted."""
    require_edit()
    sheet = _sheet(system, kind, name)
    text = ""
    try:
        text = sent()
        outcome, problems = from_table(sheet, read_table(text), utc_now())
    except Mistake as mistake:
        return _page(sheet, problems=[mistake.message], text=text[:200_000])
    tables().book_changed()
    problems += [p for at, p in outcome.problems.items() if sheet.spot(*sheet.split(at)).locked]
    return _page(sheet, outcome, problems=problems, notice=_saved(outcome), text=text[:200_000])


@bp.post("/book/<system>/list/<name>/add")
def add_rows(system: str, name: str) -> Response:
    """New rows of an open list."""
    require_edit()
    sheet = ListSheet(tables().store, tables().system(system), name)
    try:
        if request.form.get("many"):
            first = int(sheet.next_key())
            keys = [str(first + n) for n in range(NUMBERED_ROWS)]
        else:
            keys = [request.form.get("key", "") or sheet.next_key()]
        sheet.add(keys, utc_now())
    except Mistake as mistake:
        return _page(sheet, problems=[mistake.message])
    tables().book_changed()
    return see_other(f"{url_for('book.sheet_page', system=system, kind='list', name=name)}#last")


@bp.post("/book/<system>/list/<name>/remove")
def remove_row(system: str, name: str) -> Response:
    """Take one of the owner's rows away."""
    require_edit()
    sheet = ListSheet(tables().store, tables().system(system), name)
    try:
        sheet.remove(request.form.get("key", ""), utc_now())
    except Mistake as mistake:
        return _page(sheet, problems=[mistake.message])
    tables().book_changed()
    return see_other(url_for("book.sheet_page", system=system, kind="list", name=name))
