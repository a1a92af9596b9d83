"""Where automatic copies of the database lie, and what to say when the database itself is damaged."""

from pathlib import Path

FOLDER = "backups"
PATTERN = "companion-*.db"


def newest_backup(path: Path) -> Path | None:
    """Return the newest automatic copy beside the database, or None; their names sort by time."""
    try:
        return max(path.parent.joinpath(FOLDER).glob(PATTERN), key=lambda copy: copy.name, default=None)
    except OSError:
        return None


def advice(path: Path) -> str:
    """Return what its owner can do about a damaged database, with the very command."""
    newest = newest_backup(path)
    if newest is None:
        return f"there is no copy in {path.parent / FOLDER}: put back one of your own with companion restore FILE"
    return f"stop the companion and put the newest copy back with companion restore {newest}"
