"""Turns a TOML table into frozen dataclasses, reporting every misfit by file, line and remedy."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import lru_cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from companion.engine.errors import did_you_mean


@dataclass(frozen=True)
class Problem:
    """Something wrong in a kit or a roster: where, and what to do."""

    file: str
    line: int
    text: str
    given: str = ""
    """The very text that is wrong, where one is."""

    def __str__(self) -> str:
        where = (self.file, f"line {self.line}" if self.line else "")
        return f"{' '.join(filter(None, where))}: {self.text}"


def block_line(text: str, header: str, index: int) -> int:
    """The line of the nth [[header]] block, 0 when it cannot be found."""
    found = _lines_of(text, header)
    return found[index] if index < len(found) else 0


@lru_cache(maxsize=32)  # asked for every block of a file in turn
def _lines_of(text: str, header: str) -> tuple[int, ...]:
    singular = header.removesuffix("s") if header not in {"boxes", "dies"} else "box"
    pattern = re.compile(rf"^\s*\[\[({re.escape(header)}|{re.escape(singular)})\]\]")
    return tuple(n for n, line in enumerate(text.splitlines(), 1) if pattern.match(line))


_known_hints: dict[type[Any], Mapping[str, Any]] = {}


def _hints(cls: type[Any]) -> Mapping[str, Any]:
    if cls not in _known_hints:
        _known_hints[cls] = get_type_hints(cls)
    return _known_hints[cls]


def build(
    cls: type[Any],
    table: Mapping[str, Any],
    file: str,
    text: str,
    where: str,
    problems: list[Problem],
    line: int = 0,
) -> Any | None:
    """An instance of `cls` from a TOML table; None, with problems added, when it does not fit."""
    hints = _hints(cls)
    before = len(problems)
    values: dict[str, Any] = {}
    for key in table:
        if key not in hints:
            remedy = did_you_mean(key, hints) or f" Known: {', '.join(hints)}."
            problems.append(Problem(file, line, f"{where}unknown key {key!r}.{remedy}"))
    for item in fields(cls):
        if item.name in table:
            values[item.name] = _convert(
                hints[item.name],
                table[item.name],
                file,
                text,
                f"{where}{item.name}",
                problems,
                line,
                item.name,
            )
        elif item.default is MISSING and item.default_factory is MISSING:
            problems.append(Problem(file, line, f"{where}{item.name!r} is missing"))
    return cls(**values) if len(problems) == before else None


_WORDS = {str: "text in quotes", int: "a whole number", bool: "true or false"}


def _convert(
    hint: Any, value: Any, file: str, text: str, where: str, problems: list[Problem], line: int, key: str
) -> Any:
    origin = get_origin(hint)
    if hint is Any:
        return value
    if origin in (Union, UnionType):
        return _convert(get_args(hint)[0], value, file, text, where, problems, line, key)
    if origin is tuple:
        if not isinstance(value, list):
            problems.append(Problem(file, line, f"{where}: a list is needed, not {value!r}"))
            return ()
        inner = get_args(hint)[0]
        return tuple(
            _convert(
                inner,
                v,
                file,
                text,
                f"{key.removesuffix('s')} {_name(v) or n + 1}: " if is_dataclass(inner) else where,
                problems,
                block_line(text, key, n) or line,
                key,
            )
            for n, v in enumerate(value)
        )
    if is_dataclass(hint) and isinstance(hint, type):
        if isinstance(value, str) and "text" in _hints(hint):
            value = {"text": value}  # a checklist line without a rule number
        if isinstance(value, str) and "id" in _hints(hint):
            value = {"id": value, "label": value}
        if not isinstance(value, dict):
            problems.append(Problem(file, line, f"{where}: a block of keys is needed, not {value!r}"))
            return None
        return build(hint, value, file, text, where, problems, line)
    if hint in _WORDS and (not isinstance(value, hint) or (hint is int and isinstance(value, bool))):
        problems.append(Problem(file, line, f"{where}: {_WORDS[hint]} is needed, not {value!r}"))
    return value


def _name(value: Any) -> str:
    return str(value.get("id") or value.get("name") or "") if isinstance(value, dict) else ""
