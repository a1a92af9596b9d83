"""Events from a file that anybody may have written, held against what the companion itself would write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from companion.engine.record.events import KINDS, needed

_READABLE: dict[str, Callable[[Any], bool]] = {
    "str": lambda v: isinstance(v, str),
    "str | None": lambda v: v is None or isinstance(v, str),
    "int": lambda v: type(v) is int,
    "int | None": lambda v: v is None or type(v) is int,
    "bool": lambda v: isinstance(v, bool),
    "tuple[str, ...]": lambda v: isinstance(v, list | tuple) and all(isinstance(i, str) for i in v),
    "tuple[int, ...]": lambda v: isinstance(v, list | tuple) and all(type(i) is int for i in v),
    "Mapping[str, Any]": lambda v: isinstance(v, Mapping),
    "Mapping[str, Sequence[str]]": lambda v: (
        isinstance(v, Mapping) and all(_READABLE["tuple[str, ...]"](names) for names in v.values())
    ),
    "Any": lambda v: True,
}
"""How a field of each annotation may look in a file."""


def misfit(body: Mapping[str, Any]) -> str:
    """What about a stored event's kind, fields or types is not as `to_json` writes them; empty when nothing is.

    Anybody may have written the file; the store's own events are trusted.
    """
    cls = KINDS.get(str(body.get("kind")))
    if cls is None:
        return f"unknown kind of event {str(body.get('kind'))[:40]!r}"
    known = {f.name: str(f.type) for f in fields(cls)}
    strange = [name for name in body if name not in known and name != "kind"]
    if strange:
        return f"{cls.KIND} event has no field {', '.join(sorted(strange))[:80]}"
    missing = sorted(needed(cls.KIND) - set(body))
    if missing:
        return f"{cls.KIND} event lacks {', '.join(missing)}"
    wrong = sorted(
        name for name, value in body.items() if name != "kind" and not _READABLE[known[name]](value)
    )
    return f"{cls.KIND} event: {', '.join(wrong)} of another kind than it should be" if wrong else ""
