"""The toy's tables and an organiser's desk, without the web."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from toykit import install

from companion.hall.desk import Desk
from companion.store import open_store
from companion.tables.tables import Tables


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tables]:
    store = open_store(tmp_path / "companion.db")
    yield Tables(store, install(monkeypatch))
    store.close()


@pytest.fixture
def desk(tables: Tables) -> Desk:
    return Desk(tables.store)
