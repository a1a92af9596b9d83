"""The installation's secret lies in the database, so that a backup opens every seat."""

import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.store import SqliteStore, open_store
from companion.tables.secret import BadSecret, installation_secret


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with open_store(tmp_path / "companion.db") as store:
        yield store


def test_the_secret_is_made_once_and_kept_in_the_database(store: SqliteStore, tmp_path: Path) -> None:
    secret = installation_secret(store, tmp_path)
    assert len(secret) == 32
    assert installation_secret(store, tmp_path) == secret
    assert not (tmp_path / "secret.key").exists()
    with open_store(tmp_path / "companion.db") as again:
        assert installation_secret(again, tmp_path) == secret


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_the_database_is_for_its_owner_only(store: SqliteStore, tmp_path: Path) -> None:
    installation_secret(store, tmp_path)
    store.backup(tmp_path / "copy.db")
    for name in ("companion.db", "companion.db-wal", "copy.db"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600, name


def test_the_secret_of_an_older_version_is_adopted(store: SqliteStore, tmp_path: Path) -> None:
    (tmp_path / "secret.key").write_bytes(b"k" * 32)
    assert installation_secret(store, tmp_path) == b"k" * 32
    (tmp_path / "secret.key").write_bytes(b"garbled")
    assert installation_secret(store, tmp_path) == b"k" * 32


@pytest.mark.parametrize("held", [b"", b"abc", b"k" * 33])
def test_a_damaged_file_of_an_older_version_is_named(store: SqliteStore, tmp_path: Path, held: bytes) -> None:
    (tmp_path / "secret.key").write_bytes(held)
    with pytest.raises(BadSecret, match=rf"secret\.key holds {len(held)} bytes instead of 32\. .*delete it"):
        installation_secret(store, tmp_path)
    assert store.setting_get("secret") is None


@pytest.mark.parametrize("value", ["abc", "00", 5, ["x"], ""])
def test_a_secret_changed_by_hand_is_told(store: SqliteStore, tmp_path: Path, value: object) -> None:
    store.setting_put("secret", value)
    with pytest.raises(BadSecret, match="restore the newest backup"):
        installation_secret(store, tmp_path)


def test_of_two_that_start_at_once_the_first_ones_secret_holds(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = installation_secret(store, tmp_path)
    monkeypatch.setattr(store, "setting_get", lambda key: None)
    assert installation_secret(store, tmp_path) == first
