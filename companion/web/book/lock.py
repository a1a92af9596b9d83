"""The lock on the chart book: everybody reads it; devices that hold a seat write, and those that know its passphrase.

A book that any stranger on the Wi-Fi could write in would change every table's charts. The passphrase is made at the
first start and printed there, so nobody else can be the first to set one. Whoever knows it may also take the right to
write from the seats, as for a convention, where every player has one.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from contextlib import suppress
from typing import Any

from flask import Response, request

from companion.books import played
from companion.engine.errors import Mistake, NotYours, Unreadable
from companion.store import Store
from companion.web.current import held, tables
from companion.web.seats import YEAR, held_seats
from companion.web.security import ALPHABET

SETTING = played.LOCK
COOKIE = "book-key"
SHORTEST, LONGEST = 6, 200
COST = {"n": 2**14, "r": 8, "p": 1}
GROUPS, LETTERS = 3, 4
"""Of a passphrase made here: 60 bits, short enough to be typed on a phone."""
MOST_TABLES = 40
"""How many tables of a device are asked for a seat."""


class TooMany(Mistake):
    """Somebody guesses."""

    status = 429


# -- the passphrase ---------------------------------------------------------------------------------------


def put_passphrase(store: Store, words: str, *, seats: bool) -> None:
    """Give the book this passphrase; the one before, and the devices that knew it, are shut out.

    :param seats: whether a seat at any table is enough to write
    """
    store.setting_put(SETTING, _lock_for(words, seats))


def _lock_for(words: str, seats: bool) -> dict[str, Any]:
    salt = secrets.token_hex(16)
    return {"salt": salt, "hash": _digest(words, salt), "seats": seats}


def _random_words() -> str:
    return "-".join("".join(secrets.choice(ALPHABET) for _ in range(LETTERS)) for _ in range(GROUPS))


def first_passphrase(store: Store, *, seats: bool = True) -> str | None:
    """Make the book's passphrase if it has none, and return it: nobody can read it later.

    :param seats: whether a seat at any table is enough to write; not where any stranger may found a table
    """
    if store.setting_get(SETTING):
        return None
    words = _random_words()
    mine = _lock_for(words, seats)
    # Of two machines that start at once, one tells its words.
    return words if store.setting_once(SETTING, mine) == mine else None


def new_passphrase(store: Store) -> str:
    """Make a new passphrase and return it; who may write without it stays as it was."""
    words = _random_words()
    put_passphrase(store, words, seats=played.seats_write(store))
    return words


def _digest(words: str, salt: str) -> str:
    return hashlib.scrypt(words.strip().encode(), salt=bytes.fromhex(salt), **COST, dklen=32).hex()


# -- this device ------------------------------------------------------------------------------------------


def _lock() -> dict[str, Any] | None:
    found: dict[str, Any] | None = tables().store.setting_get(SETTING)
    return found


def _key(lock: dict[str, Any]) -> str:
    """The cookie that opens this lock; a new passphrase makes the old ones useless."""
    secret: bytes = held("secret")
    return hmac.digest(secret, b"book\0" + str(lock["hash"]).encode(), "sha256").hex()


def is_keeper() -> bool:
    """Whether this device gave the passphrase."""
    lock = _lock()
    given = request.cookies.get(COOKIE, "").encode("utf-8", "replace")
    return lock is not None and hmac.compare_digest(given, _key(lock).encode())


def seats_write() -> bool:
    """Whether a seat at a table is enough to write."""
    return played.seats_write(tables().store)


def may_edit() -> bool:
    """Whether this device may write in the book."""
    return is_keeper() or (seats_write() and _has_seat())


def _has_seat() -> bool:
    codes = [name.removeprefix("seats-") for name in request.cookies if name.startswith("seats-")]
    for code in codes[:MOST_TABLES]:
        with suppress(LookupError, Mistake):  # a table of another installation, or of a game no longer here
            if held_seats(code):
                return True
    return False


def require_edit() -> None:
    """Let only a device pass that may write.

    :raises NotYours: when the book is locked
    """
    if not may_edit():
        raise NotYours(
            "The chart book is locked. Unlock it with its passphrase at the foot of the chart book's page"
            + (", or sit down at a table." if seats_write() else ".")
        )


def change_lock(words: str, *, seats: bool) -> None:
    """Change the passphrase (blank: keep it), and whether seats write without it.

    :raises NotYours: when this device has not given the present one
    """
    if not is_keeper():
        raise NotYours("Only a device that gave the passphrase can change it.")
    if not words.strip():
        tables().store.setting_put(SETTING, {**(_lock() or {}), "seats": seats})
        return
    if not SHORTEST <= len(words.strip()) <= LONGEST:
        raise Unreadable(f"A passphrase has {SHORTEST} to {LONGEST} characters", field="passphrase")
    put_passphrase(tables().store, words, seats=seats)


def unlock(words: str) -> None:
    """Check the passphrase.

    :raises NotYours: when it is wrong
    """
    lock = _lock()
    limit, who = held("guesses"), f"book {request.remote_addr}"
    if limit.wait(who) > 0:
        raise TooMany(
            f"Too many wrong passphrases from here. Try again in {int(limit.wait(who)) + 1} seconds."
        )
    if lock is None or not hmac.compare_digest(
        _digest(words[: LONGEST * 2], str(lock["salt"])), str(lock["hash"])
    ):
        limit.failed(who)
        raise NotYours("That is not the passphrase of this chart book.")


def hand_key(response: Response) -> Response:
    """Let this device write from now on."""
    lock = _lock()
    if lock is not None:
        response.set_cookie(
            COOKIE,
            _key(lock),
            max_age=YEAR,
            httponly=True,
            samesite="Lax",
            secure=request.is_secure,
            path="/book",
        )
    return response
