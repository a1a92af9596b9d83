"""The chart book's pages: what the owner copies once from his own components, for every table of this installation."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from flask import Blueprint, Response, make_response, redirect, render_template, request, url_for

from companion.books.book import ChartSheet, ListSheet, open_sheet, sheets
from companion.books.roster import RosterBook
from companion.books.share import Merge, export_book, merge_book, read_share
from companion.books.sheet import Edit, Outcome, Sheet
from companion.books.spreadsheet import decode, read_table
from companion.books.tabular import from_table, to_csv
from companion.engine.errors import Mistake, Unknown, Unreadable
from companion.systems import System
from companion.tables.tables import utc_now
from companion.web.book import lock as booklock
from companion.web.book.view import grid_of, layout_of, progress_of, row_of
from companion.web.current import tables

bp = Blueprint("book", __name__)
EDITS_AT_ONCE = 5000
NUMBERED_ROWS = 10


@bp.app_template_filter("when")
def when(at: str) -> str:
    """A stored time as a player reads it."""
    return datetime.fromisoformat(at).astimezone().strftime("%d %b %Y, %H:%M") if at else ""


# -- the shelf -------------------------------------------------------------------------------------------


def _game(system: System) -> dict[str, Any]:
    """A game's part of the book: every sheet with what is filled and where it is printed."""
    store = tables().store
    changed = {b.name: b.changed_at for b in store.book_list(system.id)}
    items = []
    for sheet in sheets(store, system):
        chart = sheet.chart if isinstance(sheet, ChartSheet) else None
        shape = sheet.shape if isinstance(sheet, ListSheet) else None
        source = chart or shape
        items.append(
            {
                "title": sheet.title,
                "href": url_for("book.sheet_page", system=system.id, kind=sheet.kind, name=sheet.id),
                "filled": sheet.filled,
                "size": sheet.size,
                "unit": "cells" if chart else "rows",
                "open": bool(shape and not shape.rows and not shape.shipped),
                "where": source.where if source else "",
                "rule": source.rule if source else "",
                "changed_at": changed.get(sheet.book, ""),
                "kind": sheet.kind,
            }
        )
    rosters = []
    for scenario in system.kit.scenarios.values():
        book = RosterBook(store, system, scenario.id)
        rosters.append(
            {
                "title": scenario.name,
                "href": url_for("book.roster_page", system=system.id, scenario=scenario.id),
                "filled": book.known,
                "size": len(book.units()),
                "changed_at": changed.get(book.book, ""),
            }
        )
    facts = (store.book_get(system.id, "map") or {}).get("facts", [])
    return {
        "id": system.id,
        "name": system.kit.system.name,
        "items": items,
        "rosters": rosters,
        "map": {
            "href": f"/book/{system.id}/map",
            "owner": len(facts),
            "rulebook": len(system.kit.map_facts.get("facts", [])),
        },
        "changed_at": max(changed.values(), default=""),
    }


def _access() -> dict[str, Any]:
    return {
        "may_edit": booklock.may_edit(),
        "keeper": booklock.is_keeper(),
        "seats_write": booklock.seats_write(),
    }


@bp.get("/book")
def index(error: str = "", status: int = 200) -> Any:
    """Every game with what is filled in of its charts, lists, rosters and map."""
    games = [_game(system) for system in tables().systems.values()]
    return render_template("book_index.html", games=games, error=error, **_access()), status


@bp.get("/book/<system>")
def game_page(system: str) -> str:
    """One game's sheets, and its sharing."""
    return _game_page(tables().system(system))


def _game_page(system: System, merge: Merge | None = None, text: str = "", error: str = "") -> str:
    return render_template(
        "book_game.html", game=_game(system), kit=system.kit, merge=merge, text=text, error=error, **_access()
    )


# -- the lock --------------------------------------------------------------------------------------------


@bp.post("/book/lock")
def lock() -> Any:
    """Unlock the book for this device, or change its lock."""
    words = request.form.get("passphrase", "")
    what = request.form.get("do", "")
    try:
        if what == "lock":
            booklock.lock(words, seats="seats" in request.form)
        elif what == "unlock":
            booklock.unlock(words)
        else:
            raise Unreadable("Choose to unlock the book or to change its lock")
    except Mistake as mistake:
        return index(mistake.message, mistake.status)
    return booklock.hand_key(redirect(url_for("book.index"), 303))


# -- charts and lists ------------------------------------------------------------------------------------


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
        **_access(),
    }
    template = f"book_{sheet.kind}{'_grid' if fragment else ''}.html"
    return make_response(render_template(template, **context), 422 if wrong else 200)


@bp.get("/book/<system>/<kind>/<name>")
def sheet_page(system: str, kind: str, name: str) -> Any:
    """A chart or list to look at and fill in; with .csv as a spreadsheet."""
    if name.endswith(".csv"):
        if kind == "roster":
            book = RosterBook(tables().store, tables().system(system), name.removesuffix(".csv"))
            return _file(book.to_csv(), f"{system}-roster-{name}", "text/csv")
        sheet = _sheet(system, kind, name.removesuffix(".csv"))
        return _file(to_csv(sheet), f"{system}-{name}", "text/csv")
    return _page(_sheet(system, kind, name))


def _file(text: str, name: str, kind: str) -> Response:
    response = make_response(text)
    response.headers["Content-Type"] = f"{kind}; charset=utf-8"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@bp.post("/book/<system>/<kind>/<name>")
def save_sheet(system: str, kind: str, name: str) -> Response:
    """The plain form: only cells that differ from what the page showed are saved."""
    booklock.require_edit()
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
    booklock.require_edit()
    sheet = _sheet(system, kind, name)
    row, column = sheet.split(request.form.get("at", ""))
    outcome = sheet.save([Edit(row, column, request.form.get("value", ""))], utc_now())
    tables().book_changed()
    if "HX-Request" not in request.headers:
        return _page(sheet, outcome, notice=_saved(outcome))
    grid = {"progress": progress_of(sheet), **(layout_of(sheet) if isinstance(sheet, ListSheet) else {})}
    line = row_of(sheet, sheet.rows().index(row), row, outcome)
    cell = next(c for c in line["cells"] if c["column"].id == column)
    html = render_template("book_cell.html", sheet=sheet, grid=grid, row=line, cell=cell, **_access())
    return html, 422 if outcome.problems else 200


@bp.post("/book/<system>/<kind>/<name>/confirm")
def confirm(system: str, kind: str, name: str) -> Response:
    """The owner looked: a doubtful cell is right as it stands."""
    booklock.require_edit()
    sheet = _sheet(system, kind, name)
    row, column = sheet.split(request.form.get("at", ""))
    outcome = sheet.save([Edit(row, column, sheet.spot(row, column).text)], utc_now())
    tables().book_changed()
    return _page(sheet, outcome, notice=_saved(outcome))


@bp.post("/book/<system>/<kind>/<name>/cells")
def save_cells(system: str, kind: str, name: str) -> Response:
    """A pasted block."""
    booklock.require_edit()
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
    booklock.require_edit()
    sheet = _sheet(system, kind, name)
    text = ""
    try:
        text = _sent()
        outcome, problems = from_table(sheet, read_table(text), utc_now())
    except Mistake as mistake:
        return _page(sheet, problems=[mistake.message], text=text[:200_000])
    tables().book_changed()
    problems += [p for at, p in outcome.problems.items() if sheet.spot(*sheet.split(at)).locked]
    return _page(sheet, outcome, problems=problems, notice=_saved(outcome), text=text[:200_000])


def _sent() -> str:
    """What was sent: a chosen file, or pasted text."""
    file = request.files.get("file")
    text = decode(file.read()) if file and file.filename else request.form.get("text", "")
    if not text.strip():
        raise Unreadable("Choose a file, or paste the table into the box")
    return text


@bp.post("/book/<system>/list/<name>/add")
def add_rows(system: str, name: str) -> Response:
    """New rows of an open list."""
    booklock.require_edit()
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
    return redirect(f"{url_for('book.sheet_page', system=system, kind='list', name=name)}#last", 303)


@bp.post("/book/<system>/list/<name>/remove")
def remove_row(system: str, name: str) -> Response:
    """Take one of the owner's rows away."""
    booklock.require_edit()
    sheet = ListSheet(tables().store, tables().system(system), name)
    try:
        sheet.remove(request.form.get("key", ""), utc_now())
    except Mistake as mistake:
        return _page(sheet, problems=[mistake.message])
    tables().book_changed()
    return redirect(url_for("book.sheet_page", system=system, kind="list", name=name), 303)


# -- rosters ---------------------------------------------------------------------------------------------


@bp.get("/book/<system>/roster/<scenario>")
def roster_page(system: str, scenario: str) -> Any:
    """A scenario's counters: the rulebook's and the owner's."""
    if scenario.endswith(".csv"):
        return sheet_page(system, "roster", scenario)
    return _roster_page(RosterBook(tables().store, tables().system(system), scenario))


def _roster_page(
    book: RosterBook, problems: list[str] | None = None, notice: str = "", text: str = ""
) -> Response:
    page = render_template(
        "book_roster.html",
        book=book,
        lines=book.lines(),
        system=book.system.kit.system,
        problems=problems or [],
        notice=notice,
        text=text if problems else "",
        **_access(),
    )
    return make_response(page, 422 if problems else 200)


@bp.post("/book/<system>/roster/<scenario>/csv")
def import_roster(system: str, scenario: str) -> Response:
    """A roster as a spreadsheet: all of it, or what is wrong by line."""
    booklock.require_edit()
    book = RosterBook(tables().store, tables().system(system), scenario)
    text = ""
    try:
        text = _sent()
        changed, problems = book.take(read_table(text), utc_now(), replace="replace" in request.form)
    except Mistake as mistake:
        changed, problems = 0, [mistake.message]
    if problems:
        return _roster_page(book, problems, text=text[:500_000])
    tables().book_changed()
    return _roster_page(
        book,
        notice=f"{changed} {'unit' if changed == 1 else 'units'} added or changed."
        if changed
        else "Nothing was changed.",
    )


@bp.post("/book/<system>/roster/<scenario>/remove")
def remove_unit(system: str, scenario: str) -> Response:
    """Forget the owner's version of a unit."""
    booklock.require_edit()
    book = RosterBook(tables().store, tables().system(system), scenario)
    try:
        book.remove(request.form.get("unit", ""), utc_now())
    except Mistake as mistake:
        return _roster_page(book, [mistake.message])
    tables().book_changed()
    return redirect(url_for("book.roster_page", system=system, scenario=scenario), 303)


# -- sharing ---------------------------------------------------------------------------------------------


@bp.get("/book/<system>/share.json")
def share(system: str) -> Response:
    """Everything the owner wrote about a game, as one file."""
    found = tables().system(system)
    text = json.dumps(
        export_book(tables().store, found, utc_now()), ensure_ascii=False, indent=1, sort_keys=True
    )
    return _file(text, f"{system}-chart-book.json", "application/json")


@bp.post("/book/<system>/share")
def merge_share(system: str) -> Any:
    """Fill blanks from a shared book; conflicts are listed, and taken over only when they are ticked."""
    booklock.require_edit()
    found = tables().system(system)
    text = ""
    try:
        text = _sent()
        merge = merge_book(
            tables().store, found, read_share(text, found), utc_now(), request.form.getlist("take")
        )
    except Mistake as mistake:
        return _game_page(found, text="", error=mistake.message), mistake.status
    tables().book_changed()
    return _game_page(found, merge=merge, text=text if merge.conflicts else "")
