"""The look-ups that several parts of a store share."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from companion.store.base import Db
from companion.store.codec import load, load_kept
from companion.store.errors import NoTable
from companion.store.interface import StoredEvent

_GREATEST = 2**63 - 1
MANY = 20
"""Lines of which a game is made, most likely, and which stay in it."""

T = TypeVar("T")


def find_table(db: Db, code: str, columns: str = "code", lock: str = "") -> tuple[Any, ...]:
    """Return these columns of a table's row, or raise `NoTable`.

    :param lock: what keeps the row to this transaction until it ends
    """
    try:
        row = db.execute(f"select {columns} from game where code = ? {lock}", [code]).fetchone()
    except ValueError as error:
        # Half a character, or none at all, cannot be asked for in SQL, so no table has it in its code.
        raise NoTable(code) from error
    if row is None:
        raise NoTable(code)
    found: tuple[Any, ...] = row
    return found


def of_table(db: Db, code: str, found: Callable[[], T]) -> T:
    """Return what is found of a table; only where that is nothing it has to be asked whether there is such a table."""
    try:
        rows = found()
    except ValueError as error:
        raise NoTable(code) from error
    if not rows:
        find_table(db, code)
    return rows


def select_events(
    db: Db, code: str, after: int, upto: int | None, kinds: Sequence[str] = ()
) -> list[StoredEvent]:
    """Return a range of a table's events by a scan of that range alone; of these kinds only, if any are named."""
    chosen = f"and kind in ({', '.join('?' * len(kinds))})" if kinds else ""
    rows = db.execute(
        f"""select seq, at, seat, act, name, body from event
            where game = ? and seq > ? and seq <= ? {chosen} order by seq""",
        [code, whole(after), _GREATEST if upto is None else whole(upto), *kinds],
    ).fetchall()
    read = load_kept if len(rows) > MANY else load
    return [StoredEvent(seq, at, seat, act, name, read(body)) for seq, at, seat, act, name, body in rows]


def whole(number: int) -> int:
    """Return the number within a database's range, for a client may ask for event 10**30."""
    return max(-_GREATEST, min(number, _GREATEST))
