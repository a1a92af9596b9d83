"""The lock on the chart book: everybody reads it; devices that hold a seat write, and those that know its passphrase.

A book that any stranger on the Wi-Fi could write in would change every table's charts. Whoever knows the passphrase
may also take the right to write from the seats, as for a convention, where every player has one.
"""

from __future__ import annotations

from contextlib import suppress

from flask import Response, request

from companion.books import played
from companion.engine.errors import Mistake, NotYours, Unreadable
from companion.store import Store
from companion.web.current import tables
from companion.web.passphrase import LONGEST, SHORTEST, Passphrase
from companion.web.seats import held_seats

BOOK = Passphrase("book", played.LOCK, "book-key", "/book", "this chart book")
MOST_TABLES = 40
"""How many tables of a device are asked for a seat."""


# -- the passphrase ---------------------------------------------------------------------------------------


def first_passphrase(store: Store, *, seats: bool = True) -> str | None:
    """Make the book's passphrase if it has none, and return it: nobody can read it later.

    :param seats: whether a seat at any table is enough to write; not where any stranger may found a table
    """
    return BOOK.first(store, seats=seats)


def new_passphrase(store: Store) -> str:
    """Make a new passphrase and return it; who may write without it stays as it was."""
    return BOOK.new(store, seats=played.seats_write(store))


def let_seats_write(store: Store, *, seats: bool) -> None:
    """Let a seat at any table be enough to write, or only the passphrase."""
    kept = store.setting_get(BOOK.setting)
    if kept is not None:
        store.setting_put(BOOK.setting, {**kept, "seats": seats})


# -- this device ------------------------------------------------------------------------------------------


def is_keeper() -> bool:
    """Whether this device gave the passphrase."""
    return BOOK.is_known()


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
        let_seats_write(tables().store, seats=seats)
        return
    if not SHORTEST <= len(words.strip()) <= LONGEST:
        raise Unreadable(f"A passphrase has {SHORTEST} to {LONGEST} characters", field="passphrase")
    BOOK.put(tables().store, words, seats=seats)


def unlock(words: str) -> None:
    """Check the passphrase.

    :raises NotYours: when it is wrong
    """
    BOOK.check(words)


def hand_key(response: Response) -> Response:
    """Let this device write from now on."""
    return BOOK.hand_key(response)
