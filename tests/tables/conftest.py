"""Installations with the toy alone on the shelf; each test makes its own table there."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from toykit import install

from companion.store import open_store
from companion.tables.tables import Tables


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Path:
    return install(monkeypatch)


@pytest.fixture
def installation(tmp_path: Path, shelf: Path) -> Iterator[Callable[[], Tables]]:
    """A new, empty installation each time."""
    opened: list[Tables] = []

    def opener() -> Tables:
        opened.append(Tables(open_store(tmp_path / f"home-{len(opened)}.db"), shelf))
        return opened[-1]

    yield opener
    for tables in opened:
        tables.store.close()


@pytest.fixture
def tables(installation: Callable[[], Tables]) -> Tables:
    return installation()


@pytest.fixture
def home(tables: Tables) -> Tables:
    """The same, where games leave it for another."""
    return tables
