"""Seats: a secret in a QR link becomes an HttpOnly cookie; one device may hold several seats."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from flask import Response, abort, current_app, request

from companion.engine.errors import NotYours
from companion.engine.once import lazy
from companion.store import Generation
from companion.tables.seating import is_table_free
from companion.tables.visit import Visit
from companion.web import curtain
from companion.web.current import held, hold_still, noted, tables
from companion.web.exchange import address_of, asked
from companion.web.security import TOKEN_LENGTH, is_seat_token, seat_token

WATCH = "watch"
YEAR = 365 * 24 * 3600
MOST_SEATS = 6
MOST_TABLES = 100
"""At which one device is believed to sit."""


DEVICE = "device"
"""The cookie that tells one device from another; it opens nothing."""


@dataclass(frozen=True, slots=True)
class Device:
    """Who asks, as far as a seat's screen depends on it: kept for as long as a stream lasts."""

    secrets: Sequence[str]
    """What it shows for the table's seats; what they open is looked up each time."""
    base: str
    """The address by which it reaches us, for links to other devices."""


class DeviceVisit(Visit):
    """A visit by a device, with the seats of the table that it holds."""

    LASTS: ClassVar[Set[str]] = {*Visit.LASTS, "device", "held", "seats", "valid"}
    COMMON: ClassVar[Set[str]] = {*Visit.COMMON, "seats", "valid"}

    @lazy
    def device(self) -> Device:
        """Whoever sent the request."""
        return Device(_shown(self.code), base_url())

    @property
    def issues(self) -> dict[str, Generation]:
        """Which issue of each seat's link opens it."""
        return self.standing.seats

    @lazy
    def held(self) -> list[str]:
        """The seats this device holds at the table, by its cookie or bearer token."""
        found = [self.opened_by(one) for one in self.device.secrets]
        return [seat for seat in self.seats if seat in found]

    def opened_by(self, token: str) -> str | None:
        """The seat a token opens, or None; revoked seats open to nobody."""
        return _opened(token, held("secret"), self.code, self.valid)

    @lazy
    def valid(self) -> tuple[tuple[str, int], ...]:
        """The seats that can be opened, each with the issue of its link that counts."""
        issues = {seat: self.issues.get(seat, Generation()) for seat in self.seats}
        return tuple((seat, issue.number) for seat, issue in issues.items() if not issue.revoked)

    @lazy
    def seats(self) -> list[str]:
        """The seats of the table that act: the shared screen and each side."""
        return ["table", *(s.id for s in self.system.kit.system.sides)]

    @property
    def is_table_free(self) -> bool:
        """Whether the table's screen got a new code that nobody has taken yet."""
        return is_table_free(self.issues)


@lru_cache(4_000)
def _opened(token: str, secret: bytes, code: str, valid: Iterable[tuple[str, int]]) -> str | None:
    """The seat a token opens, of those that can be opened, each with the issue of its link that counts.

    Every screen of a device asks the same; whoever guesses learns nothing from how soon he is refused again.
    """
    return next((seat for seat, number in valid if is_seat_token(token, secret, code, seat, number)), None)


def visit(code: str, seat: str = WATCH) -> DeviceVisit:
    """A look at a table, which stands still until the request is over.

    :raises NoTable: if there is none
    """
    here = tables()
    found = DeviceVisit(here, here.normal(code), seat)
    hold_still(found.standing.code)
    noted().visit = found
    return found


def again(code: str, seat: str, device: Device, known: Mapping[str, Any]) -> DeviceVisit | None:
    """A look at a table by a device that asked before, outside any request; None where it may not be shown the seat.

    :param known: what another visit read of the table as it stands, if one has just done so
    """
    noted().visit = found = DeviceVisit(tables(), code, seat)
    found.device = device
    hold_still(code)
    if known:
        vars(found).update(known)
        if found.game.revision != found.standing.revision:  # its seats may be others since
            noted().visit = found = DeviceVisit(found.tables, code, seat)
            found.device = device
    shared = len(found.held) > 1  # it may have been handed over
    return None if shared or (seat != WATCH and seat not in found.held) else found


def cookie_name(code: str) -> str:
    return f"seats-{code}"


def codes_shown() -> list[str]:
    """The tables for which the request shows a cookie; whether that opens anything is another question."""
    named = (name.removeprefix("seats-") for name in request.cookies if name.startswith("seats-"))
    return [code for code in named if code.isascii() and code.isalnum()][:MOST_TABLES]


def token(code: str, seat: str) -> str:
    """The current secret of a seat's link."""
    generation = tables().store.seat_generations(code).get(seat, Generation())
    secret: bytes = current_app.extensions["companion"]["secret"]
    return seat_token(secret, code, seat, generation.number)


def _shown(code: str) -> list[str]:
    """The secrets that the request shows for a table's seats."""
    # Ours holds a secret a seat; each costs some hashing, and anybody may send a cookie of thousands.
    asker = asked()
    cookie = asker.cookies.get(cookie_name(code), "")
    given = cookie[: MOST_SEATS * (TOKEN_LENGTH + 1)].split(".")[:MOST_SEATS]
    bearer: str = asker.environ.get("HTTP_AUTHORIZATION", "")
    if bearer.lower().startswith("bearer "):
        given.append(bearer[7:].strip())
    return [one for one in given if one]


def held_seats(code: str) -> list[str]:
    """The seats this device holds at a table, by its cookie or bearer token."""
    return DeviceVisit(tables(), code, WATCH).held


def by_bearer() -> bool:
    """Whether the request is a program's, with a token of its own."""
    return request.headers.get("Authorization", "").lower().startswith("bearer ")


def require(code: str, seat: str, *, shows: bool = True) -> DeviceVisit:
    """The visit of a device that holds the seat; no other passes. Watching is open to all who know the code.

    :param shows: whether the answer shows what the seat may see; then a shared device must be handed over first.
    """
    found = visit(code, seat)
    code = found.code
    if seat == WATCH:
        curtain.fall(code)
        return found
    if seat not in found.seats:
        abort(404, f"There is no seat {seat[:40]!r} at table {code}: {', '.join(found.seats)} or watch.")
    if seat not in found.held:
        raise NotYours(
            f"This device does not hold the {seat} seat of table {code}: it was never taken here, or it got a new code "
            "or was closed since. Scan the seat's code to sit down (Seats, on any device of the table), or watch the "
            f"table by its code {code} from the lobby.",
            given=seat,
        )
    if seat == "table":
        curtain.fall(code)
    elif shows and not by_bearer() and curtain.is_drawn(found):
        raise curtain.CurtainDrawn(code, seat, found.game.side_name(seat))
    return found


def sit_down(response: Response, visit: DeviceVisit, seats: list[str]) -> Response:
    """Give the device the secrets of these seats, besides those it has."""
    code, kept = visit.code, [s for s in visit.held if s not in seats]
    device = request.cookies.get(DEVICE, "")[:40] or secrets.token_urlsafe(12)
    tables().seating.sit_down(code, seats, device, device_kind(request.headers.get("User-Agent", "")))
    value = ".".join(token(code, seat) for seat in [*kept, *seats])
    for name, worth in ((cookie_name(code), value), (DEVICE, device)):
        response.set_cookie(
            name, worth, max_age=YEAR, httponly=True, samesite="Lax", secure=request.is_secure
        )
    return response


def stand_up(response: Response, visit: DeviceVisit) -> Response:
    """Take all seats of a table from this device."""
    tables().seating.stand_up(visit.code, visit.held, request.cookies.get(DEVICE, "")[:40])
    response.delete_cookie(cookie_name(visit.code), httponly=True, samesite="Lax")
    return response


def device_kind(agent: str) -> str:
    """A browser's own words about itself, as a player would name the thing in his hand."""
    if "iPad" in agent or ("Android" in agent and "Mobile" not in agent):
        return "tablet"
    if "Mobile" in agent or "iPhone" in agent:
        return "phone"
    if any(system in agent for system in ("Windows", "Macintosh", "X11", "CrOS")):
        return "computer"
    return "device"


def base_url() -> str:
    """The address other devices reach us by, for QR codes: the public one if there is one, never 'localhost'."""
    site = held("site")
    if site and site.public_url:
        return str(site.public_url).rstrip("/")
    asker = asked()
    host = asker.host.split(":")[0].strip("[]")
    if site and host in {"localhost", "127.0.0.1", "::1"}:
        return str(site.url).rstrip("/")
    return address_of(asker.scheme, asker.host)
