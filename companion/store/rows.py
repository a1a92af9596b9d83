"""The look-ups that several parts of the SQLite store share."""

from collections.abc import Sequence
from typing import Any

from sqlite_utils import Database

from companion.store.codec import load
from companion.store.errors import NoTable
from companion.store.interface import StoredEvent

_GREATEST = 2**63 - 1


def find_table(db: Database, code: str, columns: str = "code") -> tuple[Any, ...]:
    """Return these columns of a table's row, or raise `NoTable`."""
    try:
        row = db.execute(f"select {columns} from game where code = ?", [code]).fetchone()
    except UnicodeEncodeError as error:
        # Half a character cannot be asked for in SQL, so no table has it in its code.
        raise NoTable(code) from error
    if row is None:
        raise NoTable(code)
    found: tuple[Any, ...] = row
    return found


def select_events(
    db: Database, code: str, after: int, upto: int | None, kinds: Sequence[str] = ()
) -> list[StoredEvent]:
    """Return a range of a table's events by a scan of that range alone; of these kinds only, if any are named."""
    chosen = f"and kind in ({', '.join('?' * len(kinds))})" if kinds else ""
    rows = db.execute(
        f"""select seq, at, seat, act, name, body from event
            where game = ? and seq > ? and seq <= ? {chosen} order by seq""",
        [code, whole(after), _GREATEST if upto is None else whole(upto), *kinds],
    ).fetchall()
    return [StoredEvent(seq, at, seat, act, name, load(body)) for seq, at, seat, act, name, body in rows]


def whole(number: int) -> int:
    """Return the number within SQLite's range, for a client may ask for event 10**30."""
    return max(-_GREATEST, min(number, _GREATEST))
