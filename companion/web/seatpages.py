"""Who sits where: the seats page, new codes, closing and giving up seats, and the curtain between two players."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flask import Blueprint, Response, make_response, render_template, request, url_for
from markupsafe import Markup

from companion.engine.errors import NotYours, Unknown
from companion.engine.record.events import NEW_CODE
from companion.store import Generation
from companion.web import curtain, qr
from companion.web.page import page_context, said, see_other, target
from companion.web.seats import (
    DEVICE,
    WATCH,
    DeviceVisit,
    base_url,
    require,
    sit_down,
    stand_up,
    token,
    visit,
)

bp = Blueprint("seatpages", __name__)

_HELP = "Whoever runs the companion prints all codes on its computer with: companion seats {code}"
"""The last way back, when no seat is left to ask."""


@dataclass(frozen=True)
class Seat:
    """A seat as the seats page shows it to one of the others."""

    id: str
    name: str
    state: str
    """free, taken or closed."""
    mine: bool
    devices: list[str]
    link: str
    """Empty unless this seat may hand it out."""
    qr: Markup


def seats(visit: DeviceVisit) -> list[Seat]:
    """Every seat with who holds it; the link only of a free one, and only for a seat that may hand it out."""
    devices = visit.tables.seating.devices(visit.code)
    mine = visit.held
    found = []
    for seat in visit.seats:
        issue = visit.issues.get(seat, Generation())
        state = "closed" if issue.revoked else "taken" if issue.claimed_at or seat in mine else "free"
        name = "Table's screen" if seat == "table" else visit.game.side_name(seat)
        link = ""
        if state == "free" and may_hand_out(visit.seat, seat, issue):
            link = base_url() + url_for("lobby.join_link", code=visit.code, token=token(visit.code, seat))
        here = [_words(d.kind, d.at, d.id == request.cookies.get(DEVICE)) for d in devices.get(seat, [])]
        if state == "taken" and not here and issue.claimed_at:
            here = [_words("", issue.claimed_at, seat in mine)]
        found.append(Seat(seat, name, state, seat in mine, here, link, _picture(link, name)))
    return found


def may_hand_out(viewer: str, seat: str, issue: Generation) -> bool:
    """The table's screen hands out the sides' seats; the sides hand out the table's when it got a new code."""
    return viewer == "table" or (viewer != WATCH and seat == "table" and issue.number > 1)


def _picture(link: str, name: str) -> Markup:
    return qr.svg(link, f"Join as {name}") if link else Markup("")


def _words(kind: str, at: str, mine: bool) -> str:
    joined = f"joined {datetime.fromisoformat(at).astimezone():%H:%M}"
    return ", ".join(filter(None, [kind, joined, "this device" if mine else ""]))


# -- the page --------------------------------------------------------------------------------------------


@bp.get("/t/<code>/<seat>/seats")
def seats_page(code: str, seat: str) -> Response:
    """Who sits where, the codes of free seats, and what to do about a lost device."""
    visit = _player(code, seat)
    asked = [a for a in visit.game.asked.values() if a.by == NEW_CODE]
    context = page_context(visit, said(visit)) | {"rows": seats(visit), "lost": asked[0] if asked else None}
    response = make_response(
        render_template("seats_live.html" if target() == "live" else "seats.html", **context)
    )
    response.headers["Vary"] = "Cookie, HX-Request, HX-Target"
    return response


def _player(code: str, seat: str) -> DeviceVisit:
    """The visit of a device that plays at the table, not only watches."""
    visit = require(code, seat)
    if seat == WATCH:
        raise NotYours("Seats are for those who play. Scan a side's code on the table's screen to sit down.")
    return visit


def _to_seats(visit: DeviceVisit) -> Response:
    return see_other(_seats_address(visit))


def _seats_address(visit: DeviceVisit) -> str:
    return url_for("seatpages.seats_page", code=visit.code, seat=visit.seat)


# -- asking first ----------------------------------------------------------------------------------------


def _ask(title: str, follows: list[str], do: str, address: str, back: str, **more: Any) -> str:
    """A small page that says what follows before it is done."""
    return render_template(
        "ask_first.html", title=title, follows=follows, do=do, address=address, back=back, **more
    )


def _change(code: str, which: str, what: str) -> tuple[DeviceVisit, str]:
    """The table screen's visit and the seat's name, when there is such a seat to change so."""
    visit = require(code, "table")
    if which not in visit.seats or what not in {"reissue", "revoke"} or (which, what) == ("table", "revoke"):
        raise Unknown(
            f"There is no seat {which[:40]!r} to {what[:20]}: {', '.join(visit.seats)}.", given=which
        )
    return visit, "table's screen" if which == "table" else visit.game.side_name(which)


@bp.get("/t/<code>/table/seats/<which>/<what>")
def ask_change(code: str, which: str, what: str) -> str:
    """Say what a new code or a closed seat means for who sits there."""
    visit, name = _change(code, which, what)
    if which == "table":
        title, do = "New code for the table's screen?", "New code"
        follows = ["Every other device that shows the table's screen is signed out at once. This one stays."]
    elif what == "reissue":
        title, do = f"New code for the {name} seat?", "New code"
        follows = [f"The {name} phone is signed out at once; scan the new code to sit down again."]
    else:
        title, do = f"Close the {name} seat?", "Close this seat"
        follows = [
            f"The {name} phone is signed out at once, and nobody can sit down there.",
            "The seat opens again with a new code, from this page.",
        ]
    return _ask(title, follows, do, request.path, _seats_address(visit))


@bp.post("/t/<code>/table/seats/<which>/<what>")
def change_seat(code: str, which: str, what: str) -> Response:
    """Give a seat a new code (a lost phone) or close it."""
    visit, _ = _change(code, which, what)
    if which == "table":
        visit.act("lost-table", {})
        return sit_down(_to_seats(visit), visit, ["table"])
    visit.act("new-code" if what == "reissue" else "close-seat", {"which": which})
    return _to_seats(visit)


@bp.get("/t/<code>/<seat>/seats/lost-table")
def ask_lost_table(code: str, seat: str) -> str:
    """Say what a new code for the lost table's screen means."""
    visit = _player(code, seat)
    others = _others(visit)
    names = " and ".join(visit.game.side_name(s) for s in others)
    follows = [
        f"{names} is asked to agree, on the own phone. Then the old screen is signed out at once."
        if others
        else "The old screen is signed out at once.",
        "A new code appears on your Seats page: scan it with the device that is to be the table's screen.",
    ]
    if others:
        follows.append(f"Nobody there to agree? {_HELP.format(code=visit.code)}")
    do = "Ask for a new code" if others else "New code"
    return _ask("The table's screen is lost?", follows, do, request.path, _seats_address(visit))


def _others(visit: DeviceVisit) -> list[str]:
    """Whose consent a new code for the table's screen needs: other sides that sit at another device."""
    if visit.game["solo"]:
        return []
    taken = visit.tables.seating.taken(visit.code)
    return [s for s in visit.game.sides if s != visit.seat and s in taken and s not in visit.held]


@bp.post("/t/<code>/<seat>/seats/lost-table")
def lost_table(code: str, seat: str) -> Response:
    """Ask for a new code for the table's screen; a device that holds both sides agrees with itself."""
    visit = _player(code, seat)
    visit.act("lost-table", {})
    if seat == "table":
        return sit_down(_to_seats(visit), visit, ["table"])
    for question in list(visit.game.asked.values()):
        mine = [s for s in visit.held if s in question.to]
        if question.by == NEW_CODE and mine:
            visit.tables.act(visit.code, mine[0], "agree", {"ask": question.id, "yes": "on"})
    return _to_seats(visit)


@bp.get("/t/<code>/leave")
def ask_leave(code: str) -> str:
    """Say what giving up this device's seats means, and how each comes back."""
    here = visit(code)
    held = here.held
    if not held:
        raise NotYours(f"This device holds no seat of table {here.code}.")
    left = _left_over(here)
    follows = []
    if "table" in held:
        how = "shown on the Seats page of every player's phone" if [s for s in left if s != "table"] else ""
        if "table" in left:
            follows.append("Another device still shows the table's screen.")
        elif how:
            follows.append(f"Nobody shows the table's screen then. Its new code is {how}.")
    for side in (s for s in held if s != "table"):
        follows.append(
            f"The {here.game.side_name(side)} seat is free then: its new code is on the table's screen."
        )
    if not left:
        follows = [
            "Nobody sits at this table then, and no page shows its codes any more.",
            _HELP.format(code=here.code),
        ]
    names = [("table's screen" if s == "table" else here.game.side_name(s)) for s in held]
    back = url_for("play.more_page", code=here.code, seat=held[0])
    title = f"Give up this device's seats: {', '.join(names)}?"
    return _ask(title, follows, "Give up", request.path, back)


def _left_over(visit: DeviceVisit) -> list[str]:
    """The seats that other devices go on holding when this one gives up its own."""
    here = visit.tables.seating.devices(visit.code)
    me = request.cookies.get(DEVICE)
    taken = visit.tables.seating.taken(visit.code)
    return [s for s in taken if s not in visit.held or any(d.id != me for d in here.get(s, []))]


@bp.post("/t/<code>/leave")
def leave(code: str) -> Response:
    """Give up this device's seats."""
    return stand_up(see_other(url_for("lobby.lobby")), visit(code))


# -- handing over ----------------------------------------------------------------------------------------


@bp.post("/t/<code>/<seat>/open")
def open_curtain(code: str, seat: str) -> Response:
    """The player of this side holds the device now."""
    code = require(code, seat, shows=False).code
    back = request.form.get("back", "")
    home = url_for("play.seat_page", code=code, seat=seat)
    own = back == home or back.startswith((f"{home}/", f"{home}?"))  # never a page elsewhere
    return curtain.open_for(see_other(back if own else home), code, seat)
