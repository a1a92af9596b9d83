"""Imports go one way: web -> store -> engine and systems -> engine; the engine knows nobody."""

import ast
import re
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "companion"
WEB_WORLD = {"flask", "werkzeug", "jinja2", "gevent", "qrcode", "platformdirs"}
SQL_WORLD = {"sqlite3", "sqlite_utils"}


def modules(part: str) -> list[Path]:
    return sorted((PACKAGE / part).rglob("*.py"))


def imports(path: Path) -> set[str]:
    """Every module a file imports, at its top or inside a function, with relative names made whole."""
    package = ("companion", *path.relative_to(PACKAGE).parent.parts)
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(filter(None, (base, node.module)))
            found |= {
                module,
                *(f"{module}.{alias.name}" for alias in node.names if module.startswith("companion")),
            }
    return found


def breaches(path: Path, banned: set[str]) -> list[str]:
    return sorted(
        name for name in imports(path) if any(name == b or name.startswith(f"{b}.") for b in banned)
    )


BELOW_ALL = {"__init__", "__main__", "limits", "resources"}
SERVICES = {f"companion.{path.stem}" for path in PACKAGE.glob("*.py") if path.stem not in BELOW_ALL}
ABOVE = {"companion.web", "companion.cli", *SERVICES, *WEB_WORLD}
RULES = {
    "engine": {"companion.store", "companion.systems", "companion.resources", *ABOVE, *SQL_WORLD},
    "systems": {"companion.store", *ABOVE, *SQL_WORLD},
    "store": {"companion.systems", "companion.engine", *ABOVE},
}


@pytest.mark.parametrize(
    "path", [p for part in RULES for p in modules(part)], ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_a_module_imports_only_what_lies_below_it(path: Path) -> None:
    assert breaches(path, RULES[path.relative_to(PACKAGE).parts[0]]) == []


@pytest.mark.parametrize("path", modules("engine"), ids=lambda p: p.stem)
def test_the_engine_is_pure(path: Path) -> None:
    """No clock, no global random, nothing from outside the standard library."""
    found = imports(path)
    banned = {"random", "secrets", "time", "datetime", "os", "socket", "threading", "uuid"}
    if path.stem == "dates":  # counts on from a written date, and asks no clock
        banned -= {"datetime"}
        assert not re.search(r"\b(now|today|utcnow|fromtimestamp)\b", path.read_text(encoding="utf-8"))
    assert not breaches(path, banned)
    strangers = {name.split(".")[0] for name in found} - set(sys.stdlib_module_names) - {"companion"}
    assert not strangers


@pytest.mark.parametrize("path", modules("systems"), ids=lambda p: str(p.relative_to(PACKAGE / "systems")))
def test_a_game_knows_the_engine_and_itself_only(path: Path) -> None:
    parts = path.relative_to(PACKAGE / "systems").parts
    own = f"companion.systems.{parts[0]}" if len(parts) > 1 else "companion.systems"
    others = {
        name
        for name in imports(path)
        if name.startswith("companion.systems.") and not (name == own or name.startswith(f"{own}."))
    }
    if len(parts) > 1:
        others -= {"companion.systems.new_rules"}
        assert not others


def test_only_the_store_speaks_sql() -> None:
    speakers = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if breaches(path, SQL_WORLD) and path.relative_to(PACKAGE).parts[0] != "store"
    }
    assert speakers == set()


def test_only_the_web_speaks_http() -> None:
    allowed = {"web"}
    speakers = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if breaches(path, {"flask", "werkzeug", "jinja2"})
        and path.relative_to(PACKAGE).parts[0] not in allowed
    }
    assert speakers == set()


def test_the_check_itself_sees_imports() -> None:
    """A relative import counts as the module it names."""
    assert "companion.engine.hexes.board" in imports(PACKAGE / "engine" / "policy.py"), (
        "written as `from .zones import`"
    )
    assert breaches(PACKAGE / "web" / "app.py", {"flask"}) == ["flask"]
