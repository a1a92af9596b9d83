"""The store is the only door to the database, and knows nothing of rules or pages."""

import re
from pathlib import Path

import pytest

from companion.store import SqliteStore, Store

PACKAGE = Path(__file__).parents[2] / "companion"
OPENS_A_TRANSACTION = re.compile(r"\bbegin\s+(immediate|exclusive|deferred|transaction)\b", re.IGNORECASE)


def test_one_line_in_the_companion_opens_a_write_transaction():
    found = [
        f"{path.relative_to(PACKAGE).as_posix()}: {line.strip()}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if OPENS_A_TRANSACTION.search(line)
    ]
    assert len(found) == 1, found
    assert found[0].startswith("store/pool.py: ")


IMPORTS = re.compile(r"^\s*(?:from|import)\s+([\w.]+)", re.MULTILINE)


def imported(path: Path) -> set[str]:
    return set(IMPORTS.findall(path.read_text(encoding="utf-8")))


def test_nothing_else_speaks_to_the_database():
    for path in PACKAGE.rglob("*.py"):
        if "store" not in path.relative_to(PACKAGE).parts:
            assert not {"sqlite3", "sqlite_utils"} & {name.split(".")[0] for name in imported(path)}, path


@pytest.mark.parametrize("path", sorted((PACKAGE / "store").glob("*.py")), ids=lambda path: path.name)
def test_the_store_imports_nothing_of_the_companion_but_itself(path):
    own = {name for name in imported(path) if name.startswith(("companion", "."))}
    assert all(name.startswith("companion.store") for name in own)


def test_sqlite_has_every_method_of_the_contract():
    promised = {name for name in vars(Store) if not name.startswith("_")}
    assert promised <= set(dir(SqliteStore))
