"""The lobby's list: where this device sits first, then tables in play, the others folded; searched and by the page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from flask import Blueprint, Response, render_template, request, url_for

from companion.engine.errors import NotYours, Unreadable
from companion.limits import LOBBY_PAGE
from companion.store import TableRow
from companion.tables.retention import delete_table
from companion.web.current import desk, held, tables
from companion.web.intake import number
from companion.web.page import see_other
from companion.web.seats import DeviceVisit, codes_shown, cookie_name, held_seats, require

bp = Blueprint("shelf", __name__)
GROUPS = {
    "mine": "Where this device sits",
    "play": "Other tables",
    "new": "Nothing done yet",
    "ended": "Games that have ended",
    "archived": "Archived",
}
SEARCH_LENGTH = 80


@dataclass
class Group:
    """Tables of one kind: a page of them, and how many there are."""

    id: str
    rows: list[dict[str, Any]] = field(default_factory=list)
    total: int = 0
    page: int = 1

    @property
    def label(self) -> str:
        return GROUPS[self.id]

    @property
    def pages(self) -> int:
        return max(1, -(-self.total // LOBBY_PAGE))


def seats_here(code: str) -> list[str]:
    """The seats this device holds at a table; most tables are none of its business, so the cookie is asked first."""
    return held_seats(code) if cookie_name(code) in request.cookies else []


def group_of(row: TableRow, seats: list[str]) -> str:
    """Under which head of the lobby a table stands; one that the organiser closed is out of the way."""
    listed = desk().state().by_code.get(row.code)
    if row.archived or (listed is not None and listed.state == "closed"):
        return "archived"
    if row.ended:
        return "ended"
    if seats:
        return "mine"
    return "new" if row.summary.get("played") is False else "play"


def lobby_groups(query: str, show: str, page: int) -> list[Group]:
    """The groups that the lobby shows, each with the page of it that was asked for."""
    words = query.casefold().split()
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in GROUPS}
    private = held("private")
    codes = codes_shown() if private else None
    store = tables().store
    for row in (*store.tables(codes=codes), *store.tables(archived=True, codes=codes)):
        told = _told(row)
        if told is None or (private and not told["seats"]):
            continue
        if all(word in told["text"] for word in words):
            found[group_of(row, told["seats"])].append(told)
    groups = []
    for name, rows in found.items():
        if rows and show in {"", name}:
            group = Group(name, total=len(rows))
            group.page = min(max(1, page), group.pages) if show == name else 1
            start = (group.page - 1) * LOBBY_PAGE
            group.rows = rows[start : start + LOBBY_PAGE]
            groups.append(group)
    return groups


def _told(row: TableRow) -> dict[str, Any] | None:
    """A table as the lobby tells of it; None when its game is not on this shelf."""
    system = tables().systems.get(row.system)
    if system is None:
        return None
    scenario = system.kit.scenarios.get(row.scenario)
    name, where = system.kit.system.name, scenario.name if scenario else row.scenario
    listed = desk().state().by_code.get(row.code)
    title = " · ".join(filter(None, [listed.title, listed.against])) if listed else row.title
    return {
        "code": row.code,
        "title": title,
        "game": name,
        "scenario": where,
        "summary": row.summary,
        "turn_name": system.kit.system.turn_name,
        "ended": row.ended,
        "seats": seats_here(row.code),
        "text": f"{row.code} {title} {name} {where}".casefold(),
    }


def lobby_context() -> dict[str, Any]:
    """What the lobby lists, by the words looked for, the group and the page in its address."""
    query = request.args.get("q", "").strip()[:SEARCH_LENGTH]
    show = request.args.get("show", "")
    show = show if show in GROUPS else ""
    groups = lobby_groups(query, show, number(request.args.get("page")) or 1)
    return {
        "groups": groups,
        "q": query,
        "show": show,
        "total": sum(g.total for g in groups),
        "per_page": LOBBY_PAGE,
        "group_names": GROUPS,
        "private": held("private"),
        "keep_days": held("keep_days"),
    }


@bp.get("/t/<code>/archive")
def ask(code: str) -> str:
    """Ask before a table is put away or brought back."""
    row = require(code, "table").row
    return render_template("archive.html", row=row, told=_told(row), code=row.code)


@bp.post("/t/<code>/archive")
def put_away(code: str) -> Response:
    """Take a table off the lobby, or bring it back; its links open it as before."""
    code, store = require(code, "table").code, tables().store
    (store.unarchive if request.form.get("do") == "restore" else store.archive)(code)
    return see_other(url_for("lobby.lobby"))


@bp.get("/t/<code>/delete")
def ask_to_delete(code: str) -> str:
    """Ask before a table is deleted, and say who would have to leave it first."""
    visit = require(code, "table")
    return render_template("delete.html", row=visit.row, code=visit.code, others=_others(visit))


@bp.post("/t/<code>/delete")
def delete(code: str) -> Response:
    """Delete a table with all that is kept of it. No player's game goes without him: he leaves, or it has ended."""
    visit = require(code, "table")
    others = _others(visit)
    if others:
        raise NotYours(
            f"{' and '.join(others)} still {'sits' if len(others) == 1 else 'sit'} at this table. It can be deleted when "
            "they have left (Seats, Leave) or the game has ended."
        )
    typed = request.form.get("code", "")
    if tables().normal(typed) != visit.code:
        raise Unreadable(f"Type the table's code {visit.code} to delete it.", field="code", given=typed[:20])
    delete_table(tables(), visit.code)
    held("hub").hang_up(visit.code)
    response = see_other(url_for("lobby.lobby"))
    response.delete_cookie(cookie_name(visit.code), httponly=True, samesite="Lax")
    return response


def _others(visit: DeviceVisit) -> list[str]:
    """The sides at which somebody else sits, while their game goes on."""
    if visit.row.ended:
        return []
    taken = tables().seating.taken(visit.code)
    return [
        visit.game.side_name(side) for side in visit.game.sides if side in taken and side not in visit.held
    ]
