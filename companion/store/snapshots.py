"""Reading snapshots: a cache of the fold, used only when there is no doubt about it."""

import logging

from companion.store.base import Db
from companion.store.codec import digest, load_kept
from companion.store.interface import Json
from companion.store.rows import whole

logger = logging.getLogger(__name__)


def digest_of(code: str, seq: int, text: str) -> str:
    """Return the fingerprint that ties a state's text to its table and event."""
    return digest("snapshot", code, seq, text)


def sound_snapshot(db: Db, code: str, seq: int, as_bytes: str) -> tuple[int, Json] | None:
    """Return the newest snapshot at or before an event that is still what was written, or None."""
    while (row := _newest(db, code, seq, as_bytes)) is not None:
        found, raw, kept = row
        text = raw.decode(errors="replace")
        if kept == digest_of(code, found, text):
            state: Json = load_kept(text)
            return int(found), state
        logger.warning("table %s: the snapshot of event %s is doubtful and was not used", code, found)
        seq = found - 1
    return None


def _newest(db: Db, code: str, seq: int, as_bytes: str) -> tuple[int, bytes, str] | None:
    # As bytes, because damaged text would make SQLite's driver refuse the whole row.
    row: tuple[int, bytes, str] | None = db.execute(
        f"""select seq, {as_bytes.format("state")}, digest from snapshot
           where game = ? and seq <= ? order by seq desc limit 1""",
        [code, whole(seq)],
    ).fetchone()
    return row
