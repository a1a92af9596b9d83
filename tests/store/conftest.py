"""A store of each kind, tables to put in it, and programs that use it from outside."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.store import NewTable, Store, open_any, open_store

ROOT = Path(__file__).parents[2]
NOON = "1942-05-12T12:00:00Z"


@pytest.fixture
def db_path(tmp_path: Path) -> Path:
    return tmp_path / "companion.db"


@pytest.fixture(scope="session")
def pg_database(cluster: Any) -> str:
    """A database that the tests of a worker share, each finding it empty."""
    url = str(cluster.database())
    open_any(url).close()
    return url


@pytest.fixture
def empty_pg(pg_database: str) -> str:
    import psycopg

    with psycopg.connect(pg_database, autocommit=True) as conn:
        conn.execute("truncate game, event, action, snapshot, seat, book, setting, deleted")
    return pg_database


@pytest.fixture
def open_again(request: pytest.FixtureRequest, db_path: Path) -> Iterator[Callable[[], Store]]:
    """Opens the same store once more, as another process would: SQLite's, unless a test is for both."""
    opened: list[Store] = []
    kind = getattr(request, "param", "sqlite")
    url = request.getfixturevalue("empty_pg") if kind == "postgres" else ""

    def opener() -> Store:
        opened.append(open_any(url) if url else open_store(db_path, patience=2))
        return opened[-1]

    yield opener
    for each in opened:
        each.close()


@pytest.fixture
def store(open_again: Callable[[], Store]) -> Store:
    return open_again()


@pytest.fixture
def new_table() -> Callable[..., NewTable]:
    def make(code: str = "K7QX", **changes: Any) -> NewTable:
        fields: dict[str, Any] = {
            "system": "second-kharkov",
            "scenario": "campaign",
            "title": "Friday night",
            "seed": "c0ffee",
            "options": {"dice": "digital"},
            "created_at": NOON,
        }
        return NewTable(code=code, **(fields | changes))

    return make


@pytest.fixture
def table(store: Store, new_table: Callable[..., NewTable]) -> str:
    """The code of a table without events."""
    store.create(new_table())
    return "K7QX"


@pytest.fixture
def append() -> Callable[..., int]:
    """Append events, by default one roll by the Soviet player, in a transaction of its own."""

    def do(store: Store, code: str, act: str, *bodies: dict[str, Any], **changes: Any) -> int:
        fields: dict[str, Any] = {"at": NOON, "seat": "soviet", "name": "roll", "answer": {"act": act}}
        with store.transaction(code) as tx:
            fields["stream"] = tx.stream
            return tx.append(bodies or ({"kind": "rolled", "values": [3]},), act=act, **(fields | changes))

    return do


@pytest.fixture
def program() -> Iterator[Callable[..., "subprocess.Popen[str]"]]:
    """Start a Python program that can import the companion; whatever still runs at the end is stopped."""
    running: list[subprocess.Popen[str]] = []

    def start(source: str, *args: object) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-c", source, *map(str, args)],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        running.append(process)
        return process

    yield start
    for process in running:
        if process.poll() is None:
            process.kill()
        process.communicate()
