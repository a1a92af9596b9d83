"""Imports go one way, storey by storey: docs/design.md draws the house, this list is it."""

import ast
import re
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "companion"

STOREYS = (
    "limits",
    "engine.errors engine.cells engine.guard engine.dice engine.pile engine.once engine.plain engine.alike "
    "engine.wayback",
    "engine.hexes",
    "engine.kit",
    "engine.record",
    "engine.forms",
    "engine.play",
    "engine.people",
    "engine.seat",
    "engine.positions",
    "resources systems",
    "store",
    "books",
    "tables",
    "hall",
    "web",
    "cli keeping serving moving",
)
"""From the cellar up: a module may import its own storey and those below it."""

KNOWS_NOTHING_OF = {"store": "engine systems"}
"""The store keeps what it is given: it lies above the games and could look down on them, but must not."""

WEB_WORLD = {"flask", "werkzeug", "jinja2", "gevent", "qrcode", "platformdirs"}
SQL_WORLD = {"sqlite3", "sqlite_utils", "psycopg"}
MODULES = sorted(p for p in PACKAGE.rglob("*.py") if p.parent != PACKAGE or not p.stem.startswith("__"))


def dotted(path: Path) -> str:
    """A module's name below `companion`."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def within(name: str, part: str) -> bool:
    return name == part or name.startswith(f"{part}.")


def storey(name: str) -> int | None:
    """How high a module lies; None for a package that only holds others."""
    found = (i for i, names in enumerate(STOREYS) if any(within(name, part) for part in names.split()))
    return next(found, None)


@cache
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


def own_imports(path: Path) -> set[str]:
    return {name.removeprefix("companion.") for name in imports(path) if name.startswith("companion.")}


def breaches(path: Path, banned: set[str]) -> list[str]:
    return sorted(name for name in imports(path) if any(within(name, b) for b in banned))


def faults(paths: Iterable[Path], fault: Callable[[Path], object]) -> dict[str, object]:
    """What is wrong, by module."""
    found = {dotted(path): fault(path) for path in paths}
    return {name: wrong for name, wrong in found.items() if wrong}


def test_a_module_imports_only_its_own_storey_and_those_below() -> None:
    def reaches_up(path: Path) -> set[str]:
        here = storey(dotted(path))
        if here is None:
            return own_imports(path)  # a package that only holds others imports nothing
        secret = KNOWS_NOTHING_OF.get(dotted(path).split(".")[0], "").split()
        return {
            name
            for name in own_imports(path)
            if (storey(name) or 0) > here or any(within(name, part) for part in secret)
        }

    assert faults(MODULES, reaches_up) == {}


def test_every_module_lies_on_a_storey() -> None:
    assert [dotted(path) for path in MODULES if storey(dotted(path)) is None] == ["engine"]


def test_the_engine_is_pure() -> None:
    """No clock, no global random, nothing from outside the standard library."""
    banned = {"random", "secrets", "time", "datetime", "os", "socket", "threading", "uuid", *SQL_WORLD}
    known = {*sys.stdlib_module_names, "companion"}

    def impure(path: Path) -> set[str]:
        clock = set()
        if path.stem == "dates":  # counts on from a written date, and asks no clock
            clock = set(re.findall(r"\b(now|today|utcnow|fromtimestamp)\b", path.read_text(encoding="utf-8")))
        strangers = {name for name in imports(path) if name.split(".")[0] not in known}
        return (
            clock
            | strangers
            | set(breaches(path, banned - ({"datetime"} if path.stem == "dates" else set())))
        )

    assert faults((PACKAGE / "engine").rglob("*.py"), impure) == {}


def test_a_game_knows_the_engine_and_itself_only() -> None:
    def others(path: Path) -> set[str]:
        own = f"systems.{path.parent.name}"
        found = {name for name in own_imports(path) if within(name, "systems") and not within(name, own)}
        return found - {"systems", "systems.new_rules"}

    assert faults((PACKAGE / "systems").glob("*/*.py"), others) == {}


@pytest.mark.parametrize(
    ("world", "home"), [(SQL_WORLD, "store"), (WEB_WORLD - {"gevent", "qrcode", "platformdirs"}, "web")]
)
def test_only_the_store_speaks_sql_and_only_the_web_http(world: set[str], home: str) -> None:
    assert [dotted(p) for p in MODULES if breaches(p, world) and not within(dotted(p), home)] == []


def test_the_check_itself_sees_imports() -> None:
    """A relative import counts as the module it names."""
    assert "companion.systems.wb95.base" in imports(PACKAGE / "systems" / "wb95" / "combat.py")
    assert breaches(PACKAGE / "web" / "app.py", {"flask"}) == ["flask"]


def test_the_design_draws_these_storeys_from_the_roof_down() -> None:
    drawn = (PACKAGE.parent / "docs" / "house.svg").read_text(encoding="utf-8")
    listed = [", ".join(name.removeprefix("engine.") for name in names.split()) for names in STOREYS]
    assert re.findall(r'font-weight="bold">([^<]+)<', drawn) == listed[::-1]
