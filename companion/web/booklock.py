"""A passphrase on the chart book, for clubs and conventions: everybody reads it, who knows the words writes."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import Any

from flask import Response, request

from companion.engine.errors import Mistake, NotYours, Unreadable
from companion.web.current import held, tables
from companion.web.seats import YEAR

SETTING = "book-lock"
COOKIE = "book-key"
SHORTEST, LONGEST = 6, 200
COST = {"n": 2**14, "r": 8, "p": 1}


class TooMany(Mistake):
    """Somebody guesses."""

    status = 429


def _lock() -> dict[str, Any] | None:
    found: dict[str, Any] | None = tables().store.setting_get(SETTING)
    return found


def _digest(words: str, salt: str) -> str:
    return hashlib.scrypt(words.strip().encode(), salt=bytes.fromhex(salt), **COST, dklen=32).hex()


def _key(lock: dict[str, Any]) -> str:
    """The cookie that opens this lock; a new passphrase makes the old ones useless."""
    secret: bytes = held("secret")
    return hmac.digest(secret, b"book\0" + str(lock["hash"]).encode(), "sha256").hex()


def locked() -> bool:
    """Whether the book has a passphrase at all."""
    return _lock() is not None


def may_edit() -> bool:
    """Whether this device may write in the book."""
    lock = _lock()
    return lock is None or hmac.compare_digest(request.cookies.get(COOKIE, "").encode(), _key(lock).encode())


def require_edit() -> None:
    """Let only a device pass that may write.

    :raises NotYours: when the book is locked
    """
    if not may_edit():
        raise NotYours(
            "The chart book is locked. Unlock it with its passphrase at the foot of the chart book's page."
        )


def lock(words: str) -> None:
    """Put a passphrase on the book, or change it."""
    require_edit()
    if not SHORTEST <= len(words.strip()) <= LONGEST:
        raise Unreadable(f"A passphrase has {SHORTEST} to {LONGEST} characters", field="passphrase")
    salt = secrets.token_hex(16)
    tables().store.setting_put(SETTING, {"salt": salt, "hash": _digest(words, salt)})


def unlock(words: str) -> None:
    """Check the passphrase.

    :raises NotYours: when it is wrong
    """
    lock = _lock()
    if lock is None:
        return
    limit, who = held("guesses"), f"book {request.remote_addr}"
    if limit.wait(who) > 0:
        raise TooMany(
            f"Too many wrong passphrases from here. Try again in {int(limit.wait(who)) + 1} seconds."
        )
    if not hmac.compare_digest(_digest(words[: LONGEST * 2], str(lock["salt"])), str(lock["hash"])):
        limit.failed(who)
        raise NotYours("That is not the passphrase of this chart book.")


def remove() -> None:
    """Take the passphrase off."""
    require_edit()
    tables().store.setting_put(SETTING, None)


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
