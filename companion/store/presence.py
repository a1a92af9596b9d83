"""Whether the open database is still the file that lies under its name.

An open file survives its own deletion: SQLite goes on reading and writing what nobody will ever find again.
"""

import os
from pathlib import Path

from companion.store.errors import StoreGone, StoreReplaced

Identity = tuple[int, int]


def identity(path: str) -> Identity | None:
    """Return which file lies under this name (device and inode), or None when there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


class Presence:
    """The file that was opened first; every later look compares with it.

    A look is one `stat` (some microseconds), so each use of the store affords it and nothing has to be remembered.
    """

    def __init__(self, path: Path) -> None:
        # As text, which is looked up in half the time.
        self._path, self._log = str(path), f"{path}-wal"
        self._file: Identity | None = None
        self._wal: Identity | None = None

    @property
    def known(self) -> bool:
        """Whether the database was opened before, so that its file must be there."""
        return self._file is not None

    def remember(self) -> None:
        """Take the file that lies there now for ours; later calls change nothing."""
        if self._file is None:
            self._file = identity(self._path)

    def remember_log(self) -> None:
        """Take the write-ahead log of the writing connection, once it has one."""
        if self._wal is None:
            self._wal = identity(self._log)

    def forget_log(self) -> None:
        """The writing connection was given up: the next one may make a new log."""
        self._wal = None

    def check(self) -> None:
        """Refuse when the file is not there, or is another.

        :raises StoreGone: if there is no file
        :raises StoreReplaced: if another file has taken its place
        """
        if self._file is not None:
            self._compare(self._path, self._file)

    def check_log(self) -> None:
        """Refuse also when the log is not there in which the newest commits lie."""
        self.check()
        if self._wal is not None:
            self._compare(self._log, self._wal)

    def _compare(self, path: str, mine: Identity) -> None:
        there = identity(path)
        if there is None:
            raise StoreGone(f"{path} is gone: put it back, or restart the companion")
        if there != mine:
            raise StoreReplaced(
                f"{path} is no longer the file that was opened: put the old one back, or restart the companion"
            )
