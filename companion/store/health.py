"""Whether a database is sound, asked once when it is opened."""

import logging
import sqlite3
import time
from pathlib import Path

from sqlite_utils import Database

from companion.store.backups import advice, newest_backup
from companion.store.errors import StoreDamaged

logger = logging.getLogger(__name__)

# A year of convention games (100 MB) takes well under a second; nobody should wait longer for his table than this.
LONGEST = 3.0
# How many steps of SQLite's machine lie between two looks at the clock: some tenths of a millisecond.
STEPS = 10_000


def check_not_emptied(path: Path) -> None:
    """Refuse a file without a single byte where copies of a fuller one lie.

    :raises StoreDamaged: if it would otherwise be taken for a new installation
    """
    if path.is_file() and path.stat().st_size == 0 and newest_backup(path):
        raise StoreDamaged(f"{path} is empty: {advice(path)}")


def check_sound(db: Database, path: Path) -> None:
    """Look over every page of the file, for a few seconds at most.

    :raises StoreDamaged: naming the newest copy, if something is broken
    """
    deadline = time.monotonic() + LONGEST
    conn = db.conn
    conn.set_progress_handler(lambda: time.monotonic() > deadline, STEPS)
    try:
        found = [str(row[0]) for row in conn.execute("pragma quick_check(1)").fetchall()]
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_INTERRUPT:
            raise
        logger.warning("%s is too large to be looked over in %g seconds: opened unchecked", path, LONGEST)
        return
    finally:
        conn.set_progress_handler(None, 0)
    if found != ["ok"]:
        detail = " ".join(found).replace("*** in database main ***", "").strip()[:120]
        raise StoreDamaged(f"{path} is damaged ({detail}): {advice(path)}")
