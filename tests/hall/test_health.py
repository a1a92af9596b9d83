"""What the organiser is told of the machine, and when to act."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from companion.hall import health

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("free", "mark"), [(50 * 10**9, "good"), (999_999_999, "look"), (99_999_999, "bad"), (0, "bad")]
)
def test_a_disk_that_fills_up_is_told_before_it_is_full(tmp_path: Path, free: int, mark: str) -> None:
    fact = health.disk(tmp_path, lambda path: free)
    assert fact.mark == mark and bool(fact.advice) == (mark != "good")


def test_a_data_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    assert health.disk(tmp_path / "gone").mark == "bad"


def made(folder: Path, at: datetime) -> None:
    (folder / "backups").mkdir(exist_ok=True)
    (folder / "backups" / f"companion-{at:%Y%m%d-%H%M%S}.db").write_bytes(b"x" * 2048)


@pytest.mark.parametrize(
    ("minutes", "played", "mark"),
    [
        (10, 1, "good"),
        (50, 1, "look"),
        (50, 55, "good"),
    ],
)
def test_a_backup_is_overdue_only_when_something_was_played_since(
    tmp_path: Path, minutes: int, played: int, mark: str
) -> None:
    made(tmp_path, NOON - timedelta(minutes=minutes + 200))
    made(tmp_path, NOON - timedelta(minutes=minutes))
    changed = (NOON - timedelta(minutes=played)).isoformat(timespec="seconds")
    fact = health.backup(tmp_path / "companion.db", changed, NOON, kept=True)
    assert fact.mark == mark and f"{minutes} min ago, 2.0 KB" in fact.value


def test_no_backup_yet_and_none_ever(tmp_path: Path) -> None:
    path = tmp_path / "companion.db"
    assert health.backup(path, "", NOON, kept=True).mark == "good"
    assert health.backup(path, "2026", NOON, kept=True).mark == "look"
    assert health.backup(path, "2026", NOON, kept=False).mark == "look"


def test_a_database_is_told_with_its_log(tmp_path: Path) -> None:
    path = tmp_path / "companion.db"
    assert health.database(path, 3).value == "3 tables"
    path.write_bytes(b"x" * 1_500_000)
    path.with_name("companion.db-wal").write_bytes(b"x" * 500_000)
    assert health.database(path, 1).value == "2.0 MB, 1 table"
