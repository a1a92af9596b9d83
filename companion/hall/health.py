"""How the machine is: what an organiser should know before the players do."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from companion.tables.backups import EVERY, found_in, made_at

Mark = Literal["good", "look", "bad"]
LITTLE, VERY_LITTLE = 1_000_000_000, 100_000_000
"""Free bytes of a disk: a full convention writes some hundred MB with its backups."""
OVERDUE = 3 * EVERY
"""Seconds without a backup in which something was surely played."""


@dataclass(frozen=True)
class Fact:
    """One thing about the machine, whether it is well, and what to do where it is not."""

    label: str
    value: str
    mark: Mark = "good"
    advice: str = ""


def size(count: float) -> str:
    """A number of bytes in words."""
    units = ["bytes", "KB", "MB", "GB"]
    while count >= 1000 and len(units) > 1:
        count /= 1000
        units.pop(0)
    return f"{count:.1f} {units[0]}" if count < 10 and units[0] != "bytes" else f"{count:,.0f} {units[0]}"


def ago(seconds: float) -> str:
    """A time that has passed, in words."""
    minutes = int(max(0, seconds) // 60)
    if minutes < 1:
        return "just now"
    if minutes < 120:
        return f"{minutes} min ago"
    return f"{minutes // 60} h ago" if minutes < 48 * 60 else f"{minutes // (24 * 60)} days ago"


def disk(data: Path, free: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free) -> Fact:
    """The room on the disk of the data folder."""
    try:
        left = free(data)
    except OSError:
        return Fact(
            "Disk", "the data folder cannot be reached", "bad", "Put it back; nothing is accepted until then."
        )
    words = f"{size(left)} free"
    if left < VERY_LITTLE:
        return Fact("Disk", words, "bad", "Make room now: a full disk accepts no action.")
    if left < LITTLE:
        return Fact("Disk", words, "look", "Make room before the next round.")
    return Fact("Disk", words)


def database(path: Path, tables: int) -> Fact:
    """The file that all games are in."""
    kept = f"{tables} table{'' if tables == 1 else 's'}"
    parts = [path, path.with_name(f"{path.name}-wal")]
    if not path.exists():
        return Fact("Database", kept)  # kept elsewhere
    return Fact("Database", f"{size(sum(p.stat().st_size for p in parts if p.exists()))}, {kept}")


def backup(path: Path, changed_at: str, now: datetime, *, kept: bool, trouble: str = "") -> Fact:
    """The newest automatic backup, and whether it is old though something was played since.

    :param changed_at: when something was last done at any table; empty when nothing ever was
    :param kept: whether this server makes backups by itself
    :param trouble: why the last one failed
    """
    newest = found_in(path.parent / "backups")[-1:]
    if not kept:
        return Fact("Newest backup", "none is made", "look", "Start the companion without --backups 0.")
    if not newest and trouble:
        return Fact("Newest backup", "none", "bad", trouble)
    if not newest:
        waits = "The first is made within 15 minutes, or now by the button below."
        return Fact("Newest backup", "none yet", "look" if changed_at else "good", waits)
    made = made_at(newest[0])
    words = f"{ago((now - made).total_seconds())}, {size(newest[0].stat().st_size)}, {newest[0].name}"
    if trouble:
        return Fact("Newest backup", words, "bad", trouble)
    behind = (now - made).total_seconds() > OVERDUE and changed_at > made.isoformat(timespec="seconds")
    if behind:
        return Fact(
            "Newest backup", words, "look", "It is old: look at what the companion printed on its machine."
        )
    return Fact("Newest backup", words)
