"""Every field that a kit's file may hold is read by something: what nothing reads would be written in vain."""

import ast
import re
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from companion.engine.kit import blocks
from companion.resources import SCENARIOS
from companion.systems import load_systems

ROOT = Path(__file__).parents[2]
KIT = ROOT / "companion" / "engine" / "kit"
MAKES_THE_KIT = {"blocks.py", "load.py", "lists.py"}
"""They make of the blocks what is played; the rest of kit/ only says and checks what a block is."""
FOR_READERS = {"rule", "what"}
"""The rule that a block follows and what a memo is for: told to whoever reads the kit."""
KINDS = ("reading", "rule", "help")


def _names(path: Path) -> set[str]:
    """Attributes that a module reads, and fields of its own types that take a block's over by name."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    read = {n.attr for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)}
    shown = path.parent.name == "seat"
    return read | {
        n.target.id
        for n in nodes
        if shown and isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)
    }


def _read() -> set[str]:
    modules = [p for p in (ROOT / "companion").rglob("*.py") if p.parent != KIT or p.name in MAKES_THE_KIT]
    found = {name for path in modules for name in _names(path)}
    for template in (ROOT / "templates").glob("*.html"):
        found |= set(re.findall(r"\.(\w+)", template.read_text(encoding="utf-8")))
    return found


READ = _read()
BLOCKS = [
    cls for cls in vars(blocks).values()
    if isinstance(cls, type) and is_dataclass(cls) and cls.__module__ == blocks.__name__
]  # fmt: skip


@pytest.mark.parametrize("block", BLOCKS, ids=lambda cls: cls.__name__)
def test_every_field_of_a_block_is_read(block: type) -> None:
    assert [f.name for f in fields(block) if f.name not in READ | FOR_READERS] == []


def test_the_founding_page_shows_options_of_every_kind() -> None:
    """An option of another kind would be on no page."""
    kits = [system.kit for system in load_systems(SCENARIOS).values()]
    options = [o for kit in kits for part in (kit.system, *kit.scenarios.values()) for o in part.options]
    assert {o.kind for o in options} <= set(KINDS)
    assert all(
        f'("{kind}", ' in (ROOT / "templates" / "new_table.html").read_text(encoding="utf-8")
        for kind in KINDS
    )
