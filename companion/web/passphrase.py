"""A passphrase that opens something for a device: made and printed at the first start, checked slowly, kept as a cookie.

Nobody else can be the first to set one, and nobody can read it later. Wrong ones are slowed for the address they come
from; devices that gave the right one before, and every other address, notice nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import Any

from flask import Response, request

from companion.engine.errors import Mistake, NotYours
from companion.store import Store
from companion.tables.background import in_thread
from companion.web.current import held
from companion.web.seats import YEAR
from companion.web.security import ALPHABET

SHORTEST, LONGEST = 6, 200
COST = {"n": 2**14, "r": 8, "p": 1}
GROUPS, LETTERS = 3, 4
"""Of a passphrase made here: 60 bits, short enough to be typed on a phone."""


class TooMany(Mistake):
    """Somebody guesses."""

    status = 429


def digest(words: str, salt: str) -> str:
    """What is kept of a passphrase."""
    return hashlib.scrypt(words.strip().encode(), salt=bytes.fromhex(salt), **COST, dklen=32).hex()


def _random_words() -> str:
    return "-".join("".join(secrets.choice(ALPHABET) for _ in range(LETTERS)) for _ in range(GROUPS))


def _lock(words: str, more: dict[str, Any]) -> dict[str, Any]:
    salt = secrets.token_hex(16)
    return {"salt": salt, "hash": digest(words, salt), **more}


@dataclass(frozen=True)
class Passphrase:
    """One lock of the installation."""

    id: str
    """Part of what its cookie is derived from."""
    setting: str
    cookie: str
    path: str
    """Where the cookie is shown."""
    of: str
    """What it opens, for the words of a refusal."""

    def put(self, store: Store, words: str, **more: Any) -> None:
        """Make this the passphrase; the one before, and the devices that knew it, are shut out.

        :param more: what else is kept with it
        """
        store.setting_put(self.setting, _lock(words, more))

    def new(self, store: Store, **more: Any) -> str:
        """Make a new one and return it."""
        words = _random_words()
        self.put(store, words, **more)
        return words

    def first(self, store: Store, **more: Any) -> str | None:
        """Make one if there is none, and return it: nobody can read it later."""
        if store.setting_get(self.setting):
            return None
        words = _random_words()
        mine = _lock(words, more)
        # Of two machines that start at once, one tells its words.
        return words if store.setting_once(self.setting, mine) == mine else None

    def kept(self) -> dict[str, Any] | None:
        """What is kept of it; None before the first."""
        store: Store = held("store")
        found: dict[str, Any] | None = store.setting_get(self.setting)
        return found

    def key(self, kept: dict[str, Any]) -> str:
        """The cookie that opens this lock; a new passphrase makes the old ones useless."""
        secret: bytes = held("secret")
        return hmac.digest(secret, f"{self.id}\0{kept['hash']}".encode(), "sha256").hex()

    def is_known(self) -> bool:
        """Whether this device gave it."""
        kept = self.kept()
        given = request.cookies.get(self.cookie, "").encode("utf-8", "replace")
        return kept is not None and hmac.compare_digest(given, self.key(kept).encode())

    def check(self, words: str) -> None:
        """Let the right words pass.

        :raises NotYours: when they are wrong
        :raises TooMany: when this address gave too many wrong ones
        """
        kept = self.kept()
        limit, who = held("guesses"), f"{self.id} {request.remote_addr}"
        wait = limit.wait(who)
        if wait > 0:
            raise TooMany(f"Too many wrong passphrases from here. Try again in {int(wait) + 1} seconds.")
        given = "" if kept is None else in_thread(lambda: digest(words[: LONGEST * 2], str(kept["salt"])))
        if kept is None or not hmac.compare_digest(given, str(kept["hash"])):
            limit.failed(who)
            raise NotYours(f"That is not the passphrase of {self.of}.")

    def hand_key(self, response: Response) -> Response:
        """Let this device pass from now on."""
        kept = self.kept()
        if kept is not None:
            response.set_cookie(
                self.cookie,
                self.key(kept),
                max_age=YEAR,
                httponly=True,
                samesite="Lax",
                secure=request.is_secure,
                path=self.path,
            )
        return response
