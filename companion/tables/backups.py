"""Automatic backups while serving: a copy of all games when something changed, the newest few kept."""

from __future__ import annotations

import logging
import re
import shutil
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from companion.store import StoreError, copy_file, mark_of
from companion.tables.background import in_thread

EVERY = 15 * 60.0
RETRY = 60.0
KEPT = 10
STAMP = "%Y%m%d-%H%M%S"
NAME = re.compile(r"companion-\d{8}-\d{6}\.db")

log = logging.getLogger("companion")


def made_at(backup: Path) -> datetime:
    """When an automatic backup was made, as its name tells."""
    return datetime.strptime(backup.name, f"companion-{STAMP}.db").replace(tzinfo=UTC)


def found_in(folder: Path) -> list[Path]:
    """The automatic backups in a folder, oldest first."""
    try:
        return sorted(path for path in folder.iterdir() if _is_ours(path.name))
    except OSError:
        return []


def _is_ours(name: str) -> bool:
    """Whether a file has the name of an automatic backup, with a day and hour that there are."""
    if not NAME.fullmatch(name):
        return False
    try:
        made_at(Path(name))
    except ValueError:
        return False
    return True


class Backups:
    """Backups of one database; none of its troubles reaches the players."""

    def __init__(
        self,
        database: Path,
        *,
        keep: int = KEPT,
        every: float = EVERY,
        also: Path | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """:param keep: how many are kept; 0 makes none

        :param also: another folder that gets a copy of each, such as a stick for the second machine
        """
        self.database, self.keep, self.every, self.also, self.now = database, keep, every, also, now
        self.folder = database.parent / "backups"
        self._mark = ""
        self._trouble = ""
        self._started = False
        self._stop = threading.Event()
        self._turn = threading.Lock()

    def start(self) -> None:
        """Look every so often whether something changed, until `stop`."""
        if self.keep > 0:
            self._started = True
            threading.Thread(target=self._run, name="backups", daemon=True).start()

    def stop(self) -> None:
        """Make the last one: what was played since the newest backup is in it."""
        self._stop.set()
        if self._started:
            self.once()

    def once(self) -> bool:
        """Back up if anything changed since the newest backup; False when that failed, which is logged."""
        with self._turn:
            try:
                in_thread(self._copy)
            except (StoreError, OSError) as problem:
                if str(problem) != self._trouble:  # a full disk is told once, not every minute
                    log.error("No automatic backup: %s", problem)
                self._trouble = str(problem)
                return False
            self._trouble = ""
            return True

    @property
    def trouble(self) -> str:
        """Why the last one was not made, or not carried to the other folder; empty when all is well."""
        return self._trouble

    def _run(self) -> None:
        pause = self.every
        while not self._stop.wait(pause):
            pause = self.every if self.once() else min(self.every, RETRY)

    def _copy(self) -> None:
        mark = mark_of(self.database)
        if mark != (self._mark or self._mark_of_newest()):
            copy_file(self.database, self.folder / self._name())
            self._thin_out(self.folder)
        self._mark = mark
        self._carry()

    def _name(self) -> str:
        """A name that sorts after all others: a machine whose clock was put back must not lose its newest as its oldest."""
        name = f"companion-{self.now():{STAMP}}.db"
        for newest in found_in(self.folder)[-1:]:
            if name <= newest.name:
                name = f"companion-{made_at(newest) + timedelta(seconds=1):{STAMP}}.db"
        return name

    def _thin_out(self, folder: Path) -> None:
        """Keep the newest few; only once a new one is there: a good old one is worth more than room for one that fails."""
        for old in found_in(folder)[: -self.keep]:
            old.unlink(missing_ok=True)

    def _carry(self) -> None:
        """Copy the newest backup into the other folder too; one that is not there any more is never made anew."""
        if self.also is None:
            return
        if not self.also.is_dir():  # a stick that was pulled out: no folder in its place on the same disk
            raise FileNotFoundError(f"{self.also} is not there; the backup itself lies in {self.folder}")
        for newest in found_in(self.folder)[-1:]:
            if not (self.also / newest.name).exists():
                waiting = self.also / f"{newest.name}.part"
                shutil.copyfile(newest, waiting)
                waiting.replace(self.also / newest.name)
                self._thin_out(self.also)

    def _mark_of_newest(self) -> str:
        """What the newest backup holds, so that a restart alone makes no new one."""
        for newest in found_in(self.folder)[-1:]:
            try:
                return mark_of(newest)
            except StoreError:
                pass  # damaged, or of an older version: make a new one
        return ""
