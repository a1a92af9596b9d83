"""Files as nobody honest writes them: a copy of a saved game with something in it changed at random."""

from __future__ import annotations

import copy as copying
import random
from typing import Any

NASTY: tuple[Any, ...] = (
    None, True, False, 0, -1, 7, 10**9, 10**30, 1.5, "", "x", "0101", "9999", "\ud800", "a\nb", "=1+1", "<b>", "x" * 30_000,
    [], [[]], ["x"], [1], ["x"] * 5_000, {}, {"x": 1}, {"": {"": {}}}, "red", "table", "box:nowhere", "kind", "2026-13-45",
)  # fmt: skip


def _spots(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to everything inside a value."""
    found = [path] if path else []
    if isinstance(value, dict):
        for key in value:
            found += _spots(value[key], (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found += _spots(item, (*path, index))
    return found


def mutated(copy: dict[str, Any], chance: random.Random, changes: int = 1) -> dict[str, Any]:
    """The copy with some things replaced, lost, doubled or renamed."""
    forged = copying.deepcopy(copy)
    for _ in range(changes):
        *way, last = chance.choice(_spots(forged))
        holder: Any = forged
        for step in way:
            holder = holder[step]
        what = chance.choice(("replace", "replace", "replace", "lose", "double", "rename"))
        if what == "replace":
            holder[last] = copying.deepcopy(chance.choice(NASTY))  # a shared one could come to hold itself
        elif what == "lose":
            del holder[last]
        elif what == "double" and isinstance(holder, list):
            holder.insert(last, copying.deepcopy(holder[last]))
        elif isinstance(holder, dict):
            holder[str(chance.choice(NASTY))[:50]] = holder.pop(last)
    return forged
