"""Seats: a secret in a QR link becomes an HttpOnly cookie; one device may hold several seats."""

from __future__ import annotations

import secrets

from flask import Response, abort, current_app, request

from companion.engine.errors import NotYours
from companion.store import Generation
from companion.web import curtain
from companion.web.current import tables
from companion.web.security import TOKEN_LENGTH, is_seat_token, seat_token

WATCH = "watch"
YEAR = 365 * 24 * 3600
MOST_SEATS = 6


DEVICE = "device"
"""The cookie that tells one device from another; it opens nothing."""


def seat_ids(code: str) -> list[str]:
    """The seats of a table that act: the shared screen and each side."""
    return ["table", *(s.id for s in tables().system_of(code).kit.system.sides)]


def cookie_name(code: str) -> str:
    return f"seats-{code}"


def token(code: str, seat: str) -> str:
    """The current secret of a seat's link."""
    generation = tables().store.seat_generations(code).get(seat, Generation())
    secret: bytes = current_app.extensions["companion"]["secret"]
    return seat_token(secret, code, seat, generation.number)


def seat_of_token(code: str, given: str) -> str | None:
    """The seat a token opens, or None; revoked seats open to nobody."""
    generations = tables().store.seat_generations(code)
    secret: bytes = current_app.extensions["companion"]["secret"]
    for seat in seat_ids(code):
        generation = generations.get(seat, Generation())
        if not generation.revoked and is_seat_token(given, secret, code, seat, generation.number):
            return seat
    return None


def held_seats(code: str) -> list[str]:
    """The seats this device holds at a table, by its cookie or bearer token."""
    # Ours holds a secret a seat; each costs some hashing, and anybody may send a cookie of thousands.
    given = request.cookies.get(cookie_name(code), "")[: MOST_SEATS * (TOKEN_LENGTH + 1)].split(".")[
        :MOST_SEATS
    ]
    bearer = request.headers.get("Authorization", "")
    if bearer.lower().startswith("bearer "):
        given.append(bearer[7:].strip())
    found = [seat_of_token(code, one) for one in given if one]
    return [seat for seat in seat_ids(code) if seat in found]


def by_bearer() -> bool:
    """Whether the request is a program's, with a token of its own."""
    return request.headers.get("Authorization", "").lower().startswith("bearer ")


def require(code: str, seat: str, *, shows: bool = True) -> None:
    """Let only a device that holds the seat pass. Watching is open to all who know the code.

    :param shows: whether the answer shows what the seat may see; then a shared device must be handed over first.
    """
    if seat == WATCH:
        curtain.fall(code)
        return
    if seat not in seat_ids(code):
        abort(404, f"There is no seat {seat[:40]!r} at table {code}: {', '.join(seat_ids(code))} or watch.")
    held = held_seats(code)
    if seat not in held:
        raise NotYours(
            f"This device does not hold the {seat} seat of table {code}: it was never taken here, or it got a new code "
            "or was closed since. Scan the seat's code to sit down (Seats, on any device of the table), or watch the "
            f"table by its code {code} from the lobby.",
            given=seat,
        )
    if seat == "table":
        curtain.fall(code)
    elif shows and not by_bearer() and curtain.is_drawn(code, seat, held):
        raise curtain.CurtainDrawn(code, seat)


def sit_down(response: Response, code: str, seats: list[str]) -> Response:
    """Give the device the secrets of these seats, besides those it has."""
    kept = [s for s in held_seats(code) if s not in seats]
    device = request.cookies.get(DEVICE, "")[:40] or secrets.token_urlsafe(12)
    tables().seating.sit_down(code, seats, device, device_kind(request.headers.get("User-Agent", "")))
    value = ".".join(token(code, seat) for seat in [*kept, *seats])
    for name, held in ((cookie_name(code), value), (DEVICE, device)):
        response.set_cookie(name, held, max_age=YEAR, httponly=True, samesite="Lax", secure=request.is_secure)
    return response


def stand_up(response: Response, code: str) -> Response:
    """Take all seats of a table from this device."""
    tables().seating.stand_up(code, held_seats(code), request.cookies.get(DEVICE, "")[:40])
    response.delete_cookie(cookie_name(code), httponly=True, samesite="Lax")
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
    site = current_app.extensions["companion"]["site"]
    if site and site.public_url:
        return str(site.public_url).rstrip("/")
    host = request.host.split(":")[0].strip("[]")
    if site and host in {"localhost", "127.0.0.1", "::1"}:
        return str(site.url).rstrip("/")
    return request.host_url.rstrip("/")
