"""The chart book's front pages: every game with what is filled, one game's sheets, the lock, and sharing."""

from __future__ import annotations

import json
from typing import Any

from flask import Response, render_template, request, url_for

from companion.books.book import ChartSheet, ListSheet, sheets
from companion.books.roster import RosterBook
from companion.books.share import Merge, export_book, merge_book, read_share
from companion.engine.errors import Mistake, Unreadable
from companion.systems import System
from companion.tables.tables import utc_now
from companion.web.book.blueprint import access, attachment, bp, sent
from companion.web.book.lock import change_lock, hand_key, require_edit, unlock
from companion.web.book.view import progress_of
from companion.web.current import tables
from companion.web.elsewhere import see_other


def _game(system: System) -> dict[str, Any]:
    """A game's part of the book: every sheet with what is filled and where it is printed."""
    store = tables().store
    changed = {b.name: b.changed_at for b in store.book_list(system.id)}
    facts = (store.book_get(system.id, "map") or {}).get("facts", [])
    rosters = [RosterBook(store, system, name) for name in system.kit.scenarios]
    return {
        "id": system.id,
        "name": system.kit.system.name,
        "items": [_sheet_line(sheet, changed.get(sheet.book, "")) for sheet in sheets(store, system)],
        "rosters": [_roster_line(book, changed.get(book.book, "")) for book in rosters],
        "map": {
            "href": f"/book/{system.id}/map",
            "owner": len(facts),
            "rulebook": len(system.kit.map_facts.get("facts", [])),
        },
        "changed_at": max(changed.values(), default=""),
    }


def _sheet_line(sheet: ChartSheet | ListSheet, changed_at: str) -> dict[str, Any]:
    shape = sheet.chart if isinstance(sheet, ChartSheet) else sheet.shape
    return {
        "title": sheet.title,
        "href": url_for("book.sheet_page", system=sheet.system.id, kind=sheet.kind, name=sheet.id),
        **progress_of(sheet),
        "where": shape.where,
        "rule": shape.rule,
        "changed_at": changed_at,
        "kind": sheet.kind,
        "full": bool(sheet.size) and sheet.filled == sheet.size,
    }


def _roster_line(book: RosterBook, changed_at: str) -> dict[str, Any]:
    return {
        "title": book.scenario.name,
        "href": url_for("book.roster_page", system=book.system.id, scenario=book.scenario.id),
        "filled": book.known,
        "size": len(book.units()),
        "changed_at": changed_at,
    }


@bp.get("/book")
def index(error: str = "", status: int = 200) -> Any:
    """Every game with what is filled in of its charts, lists, rosters and map."""
    games = [_game(system) for system in tables().systems.values()]
    return render_template("book_index.html", games=games, error=error, **access()), status


@bp.get("/book/<system>")
def game_page(system: str) -> str:
    """One game's sheets, and its sharing."""
    return _game_page(tables().system(system))


def _game_page(system: System, merge: Merge | None = None, text: str = "", error: str = "") -> str:
    return render_template(
        "book_game.html", game=_game(system), kit=system.kit, merge=merge, text=text, error=error, **access()
    )


@bp.post("/book/lock")
def lock() -> Any:
    """Unlock the book for this device, or change its lock."""
    words = request.form.get("passphrase", "")
    what = request.form.get("do", "")
    try:
        if what == "lock":
            change_lock(words, seats="seats" in request.form)
        elif what == "unlock":
            unlock(words)
        else:
            raise Unreadable("Choose to unlock the book or to change its lock")
    except Mistake as mistake:
        return index(mistake.message, mistake.status)
    return hand_key(see_other(url_for("book.index")))


@bp.get("/book/<system>/share.json")
def share(system: str) -> Response:
    """Everything the owner wrote about a game, as one file."""
    found = tables().system(system)
    text = json.dumps(
        export_book(tables().store, found, utc_now()), ensure_ascii=False, indent=1, sort_keys=True
    )
    return attachment(text, f"{system}-chart-book.json", "application/json")


@bp.post("/book/<system>/share")
def merge_share(system: str) -> Any:
    """Fill blanks from a shared book; conflicts are listed, and taken over only when they are ticked."""
    require_edit()
    found = tables().system(system)
    text = ""
    try:
        text = sent()
        merge = merge_book(
            tables().store, found, read_share(text, found), utc_now(), request.form.getlist("take")
        )
    except Mistake as mistake:
        return _game_page(found, text="", error=mistake.message), mistake.status
    tables().book_changed()
    return _game_page(found, merge=merge, text=text if merge.conflicts else "")
