"""Table cards: printed on A4 or Letter, one, two or four to a page, with a QR code for each seat and for the Wi-Fi."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from flask import Response, make_response, render_template, request, url_for
from markupsafe import Markup

from companion.engine.errors import Mistake, Unknown, Unreadable
from companion.hall.roll import HallTable
from companion.hall.wifi import KINDS, Wifi, read_wifi
from companion.limits import HALL_NUMBER
from companion.store import Generation
from companion.tables.background import gently
from companion.web import qr
from companion.web.current import desk, held, tables
from companion.web.desk.blueprint import bp
from companion.web.desk.rows import Row, rows_of
from companion.web.page import see_other
from companion.web.seats import base_url
from companion.web.security import seat_token

PAPERS = {"a4": "A4", "letter": "Letter"}
TO_A_PAGE = {"1": "one", "2": "two", "4": "four"}


@dataclass(frozen=True)
class SeatCode:
    """A seat on a card; one that is taken has no code on it."""

    id: str
    name: str
    player: str
    link: str
    qr: Markup


@dataclass(frozen=True)
class Card:
    """One table's card."""

    row: Row
    seats: list[SeatCode]


def _card(row: Row) -> Card:
    """A table's card, with the codes of the seats that are free."""
    secret: bytes = held("secret")
    issues = tables().store.seat_generations(row.code)
    named = [("table", "Table's screen", ""), *((p.side, p.side_name, p.name) for p in row.players)]
    seats = []
    for seat, name, player in named:
        issue = issues.get(seat, Generation())
        free = not issue.claimed_at and not issue.revoked
        token = seat_token(secret, row.code, seat, issue.number)
        link = base_url() + url_for("lobby.join_link", code=row.code, token=token) if free else ""
        seats.append(
            SeatCode(seat, name, player, link, qr.svg(link, f"Join as {name}") if free else Markup(""))
        )
    return Card(row, seats)


def numbers(text: str) -> list[range]:
    """Table numbers as people write them: 1-12, 15.

    :raises Unreadable: quoting what is none
    """
    found = []
    for word in re.split(r"[\s,;]+", text.strip()) if text.strip() else ():
        told = re.fullmatch(r"(\d{1,4})(?:[-–](\d{1,4}))?", word)
        if told is None or int(told[2] or told[1]) > HALL_NUMBER:
            raise Unreadable(
                f"{word[:20]!r} is no table number: write 1-12, 15", field="tables", given=word[:20]
            )
        found.append(range(int(told[1]), int(told[2] or told[1]) + 1))
    return found


def _chosen() -> list[HallTable]:
    """The tables that cards are wanted for: one by its code, some by number, a round's, or all that are not closed."""
    hall, code = desk().state(), request.args.get("table", "")
    if code:
        table = hall.by_code.get(tables().normal(code))
        if table is None:
            raise Unknown(f"The organiser has no table {code[:12]!r}.", given=code[:12])
        return [table]
    spans, wanted = numbers(request.args.get("tables", "")), request.args.get("round", "")
    return [
        table
        for table in hall.tables
        if table.state != "closed"
        and (not spans or any(table.number in span for span in spans))
        and (not wanted or str(table.round) == wanted)
    ]


def _cards_page(status: int = 200, **more: object) -> Response:
    hall = desk().state()
    open_now = [table for table in hall.tables if table.state != "closed"]
    context: dict[str, object] = {"error": "", "field": "", "notice": "", "sent": hall.wifi}
    page = render_template(
        "desk/cards.html",
        count=len(open_now),
        rounds=sorted({table.round for table in open_now if table.round}),
        wifi=hall.wifi,
        kinds=KINDS,
        papers=PAPERS,
        to_a_page=TO_A_PAGE,
        code=qr.svg(hall.wifi.code(), "Wi-Fi") if hall.wifi.name else "",
        **{**context, **more},
    )
    return make_response(page, status)


@bp.get("/cards")
def cards() -> Response:
    """What is printed on which paper, and the Wi-Fi."""
    return _cards_page(notice="Saved." if request.args.get("done") else "")


@bp.post("/cards")
def save_wifi() -> Response:
    """Put the hall's Wi-Fi on the cards."""
    sent = request.form
    try:
        wifi = read_wifi(
            sent.get("name", ""),
            sent.get("password", ""),
            sent.get("kind", "WPA"),
            hidden="hidden" in sent,
        )
    except Mistake as mistake:
        typed = Wifi(
            sent.get("name", "")[:64], sent.get("password", "")[:63], sent.get("kind", ""), "hidden" in sent
        )
        return _cards_page(mistake.status, error=mistake.message, field=mistake.field, sent=typed)
    desk().change(lambda hall: replace(hall, wifi=wifi))
    return see_other(url_for("desk.cards", done="saved"))


def _one_of(name: str, known: Sequence[str], otherwise: str) -> str:
    given = request.args.get(name, otherwise)
    if given not in known:
        raise Unreadable(f"{given[:20]!r}: {', '.join(known)}", field=name, given=given[:20])
    return given


@bp.get("/cards/print")
def print_cards() -> Response:
    """The cards themselves, sheet by sheet."""
    paper, per = _one_of("paper", [*PAPERS], "a4"), _one_of("per", [*TO_A_PAGE], "1")
    try:
        rows = rows_of(_chosen())
    except Unreadable as mistake:
        return _cards_page(mistake.status, error=mistake.message, field=mistake.field)
    made = [_card(row) for row in gently(rows)]
    step = int(per)
    wifi = desk().state().wifi
    return make_response(
        render_template(
            "desk/cards_print.html",
            sheets=[made[at : at + step] for at in range(0, len(made), step)],
            count=len(made),
            paper=paper,
            per=per,
            wifi=wifi,
            wifi_qr=qr.svg(wifi.code(), f"Wi-Fi {wifi.name}") if wifi.name else "",
            address=base_url(),
        )
    )
