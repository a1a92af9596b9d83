"""Copying a database while it is in use."""

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from companion.store.errors import StoreReadOnly, translated


def copy_database(source: sqlite3.Connection, target: Path) -> None:
    """Write a complete copy to `target`, replacing it only when the copy is whole."""
    # A copy cut short must never bear the name of a good one.
    unfinished = target.with_name(target.name + ".unfinished")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        unfinished.unlink(missing_ok=True)
        with translated(target), closing(sqlite3.connect(unfinished)) as copy:
            source.backup(copy)
            # One file without a write-ahead log can be mailed, or read from a write-protected stick.
            copy.execute("pragma journal_mode = delete")
        # It holds the dice seeds and the secret of the seats' links: for its owner's eyes.
        with suppress(OSError):
            unfinished.chmod(0o600)
        os.replace(unfinished, target)
    except OSError as error:
        raise StoreReadOnly(f"{target} cannot be written ({error.strerror}): choose another place") from error
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
