"""A scenario's counters in the chart book: the rulebook's and the owner's."""

from __future__ import annotations

from flask import Response, make_response, render_template, request, url_for

from companion.books.roster import RosterBook
from companion.books.spreadsheet import read_table
from companion.engine.errors import Mistake
from companion.tables.tables import utc_now
from companion.web.book.blueprint import access, attachment, bp, sent
from companion.web.book.lock import require_edit
from companion.web.current import tables
from companion.web.elsewhere import see_other


@bp.get("/book/<system>/roster/<scenario>")
def roster_page(system: str, scenario: str) -> Response:
    """A scenario's counters: the rulebook's and the owner's; with .csv as a spreadsheet."""
    book = RosterBook(tables().store, tables().system(system), scenario.removesuffix(".csv"))
    if scenario.endswith(".csv"):
        return attachment(book.to_csv(), f"{system}-roster-{scenario}")
    return _roster_page(book)


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
        **access(),
    )
    return make_response(page, 422 if problems else 200)


@bp.post("/book/<system>/roster/<scenario>/csv")
def import_roster(system: str, scenario: str) -> Response:
    """A roster as a spreadsheet: all of it, or what is wrong by line."""
    require_edit()
    book = RosterBook(tables().store, tables().system(system), scenario)
    text = ""
    try:
        text = sent()
        changed, problems = book.take(read_table(text), utc_now(), replace="replace" in request.form)
    except Mistake as mistake:
        changed, problems = 0, [mistake.message]
    if problems:
        return _roster_page(book, problems, text=text[:500_000])
    tables().book_changed()
    units = "1 unit" if changed == 1 else f"{changed} units"
    return _roster_page(book, notice=f"{units} added or changed." if changed else "Nothing was changed.")


@bp.post("/book/<system>/roster/<scenario>/remove")
def remove_unit(system: str, scenario: str) -> Response:
    """Forget the owner's version of a unit."""
    require_edit()
    book = RosterBook(tables().store, tables().system(system), scenario)
    try:
        book.remove(request.form.get("unit", ""), utc_now())
    except Mistake as mistake:
        return _roster_page(book, [mistake.message])
    tables().book_changed()
    return see_other(url_for("book.roster_page", system=system, scenario=scenario))
