"""Names that a game's rules use and its kit does not declare, found by reading the rules' source.

`game["wether"]`, a marker nobody declares, a checklist line whose action does not exist: each is a slip that a test
may never reach, so `companion check` looks at every line instead of waiting for one to run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from companion.engine.errors import did_you_mean
from companion.engine.kit.blocks import Kit
from companion.engine.kit.shape import Problem
from companion.engine.play.rules import Rules
from companion.systems import System, package_of

EVENTS = {"Set": ("value", 0), "Marked": ("marker", 1), "Drawn": ("pile", 0), "Returned": ("pile", 0)}
"""Which kind of name an event is given, and in which place."""
CALLS = {
    "mark": ("marker", 1),
    "marked": ("marker", 0),
    "chart": ("chart", 0),
    "put_mark": ("marker", 2),
    "take_off": ("marker", 2),
}
"""Which kind of name a function of the engine is given, and in which place."""
HOLDERS = {"piles": "pile", "tables": "list"}
"""What is looked up by name: `game.piles["cup"]`, `game.book.tables.get("cards")`."""
GAMES = {"game", "g"}


@dataclass(frozen=True)
class Use:
    """A name as a line of code writes it: whole, or a pattern where part of it is worked out."""

    kind: str
    pattern: str
    words: str
    line: int


def undeclared(system: System) -> list[Problem]:
    """Everything the rules and the kit's checklists name that nobody declares."""
    kit, rules = system.kit, system.rules
    return [*_phases(kit, rules), *_actions(kit, rules), *_names(kit, package_of(system.id))]


def _actions(kit: Kit, rules: Rules) -> Iterator[Problem]:
    for phase in kit.system.phases:
        for check in phase.checklist:
            if check.action and check.action not in rules.actions:
                remedy = did_you_mean(check.action, rules.actions)
                yield Problem("system.toml", 0, f"phase {phase.id!r}: no action {check.action!r}.{remedy}")


def _names(kit: Kit, package: str) -> Iterator[Problem]:
    """What the source of a game's rules names; nothing where it has no rules of its own."""
    source = getattr(import_module(package), "__file__", None) if find_spec(package) else None
    if source is None:
        return
    declared = _declared(kit)
    folder = Path(source).parent
    for path in sorted(folder.glob("*.py")):
        module = import_module(package if path.stem == "__init__" else f"{package}.{path.stem}")
        for use in uses(ast.parse(path.read_text(encoding="utf-8")), module):
            known = declared[use.kind]
            if not any(re.fullmatch(use.pattern, name) for name in known):
                remedy = did_you_mean(use.words, known)
                yield Problem(path.name, use.line, f"the kit declares no {use.kind} {use.words!r}.{remedy}")


def _declared(kit: Kit) -> dict[str, set[str]]:
    system = kit.system
    return {
        "value": {name for values in kit.declared.values() for name in values},
        "marker": {m.id for m in system.markers},
        "pile": {p.id for p in system.piles},
        "chart": set(kit.charts),
        "list": set(kit.lists),
        "box": {b.id for b in system.boxes},
    }


def _phases(kit: Kit, rules: Rules) -> Iterator[Problem]:
    known = [p.id for p in kit.system.phases]
    named = [(f"action {a.name!r}", phase) for a in rules.actions.values() for phase in a.phases]
    named += [(f"hook {hook.fn.__name__!r}", hook.phase) for hook in rules.hooks if hook.phase != "turn"]
    for what, phase in named:
        if phase not in known:
            yield Problem("rules", 0, f"{what}: no phase {phase!r}.{did_you_mean(phase, known)}")


def uses(tree: ast.AST, module: ModuleType) -> Iterator[Use]:
    """Every value, marker, pile, chart and box that a module names."""
    joined = {id(part) for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) for part in n.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and _is_game(node.value):
            yield from _use("value", node.slice, module)
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
            if node.value.attr in HOLDERS:
                yield from _use(HOLDERS[node.value.attr], node.slice, module)
        elif isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            kind, place = EVENTS.get(name) or CALLS.get(name) or _looked_up(node.func)
            if kind and len(node.args) > place:
                yield from _use(kind, node.args[place], module)
        elif isinstance(node, ast.JoinedStr | ast.Constant) and id(node) not in joined:
            for use in _use("box", node, module):
                if use.words.startswith("box:") and use.words != "box:":
                    yield replace(use, pattern=use.pattern[4:], words=use.words[4:])


def _looked_up(function: ast.expr) -> tuple[str, int]:
    """`piles.get(...)` and `tables.get(...)`."""
    held = function.value if isinstance(function, ast.Attribute) and function.attr == "get" else None
    return (HOLDERS.get(held.attr, ""), 0) if isinstance(held, ast.Attribute) else ("", 0)


def _is_game(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Name)
        and node.id in GAMES
        or isinstance(node, ast.Attribute)
        and node.attr == "game"
    )


def _use(kind: str, node: ast.expr, module: ModuleType) -> Iterator[Use]:
    """A literal, a constant of the module, or a pattern; a name that only a run can tell is left to the run."""
    if isinstance(node, ast.JoinedStr):
        parts = [p.value if isinstance(p, ast.Constant) else None for p in node.values]
        pattern = "".join(".+" if p is None else re.escape(str(p)) for p in parts)
        words = "".join("..." if p is None else str(p) for p in parts)
        yield Use(kind, pattern, words, node.lineno)
        return
    found: Any = node.value if isinstance(node, ast.Constant) else None
    if isinstance(node, ast.Name):
        found = getattr(module, node.id, None)
    if isinstance(found, str):
        yield Use(kind, re.escape(found), found, node.lineno)
