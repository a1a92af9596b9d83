"""Frozen dataclasses as JSON and back, for the parts of the organiser's record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


def written(part: Any) -> dict[str, Any]:
    """A part of the record as it is stored."""
    return asdict(part)


def read(cls: type[T], body: Mapping[str, Any] | None) -> T:
    """A part of the record as it was stored; what an older version did not write is at its default."""
    kind: Any = cls
    hints = _hints(kind)
    given = {name: _value(hints[name], body[name]) for name in hints if body is not None and name in body}
    return cls(**given)


@cache
def _hints(cls: Any) -> dict[str, Any]:
    found = get_type_hints(cls)
    return {field.name: found[field.name] for field in fields(cls)}


def _value(kind: Any, raw: Any) -> Any:
    """One value, made into what its field is declared as: dataclasses, tuples of them, and mappings to them."""
    origin, args = get_origin(kind), get_args(kind)
    if raw is None:
        return None
    if origin in (Union, UnionType):
        inner = [one for one in args if is_dataclass(one) or get_origin(one)]
        return _value(inner[0], raw) if inner else raw
    if is_dataclass(kind) and isinstance(kind, type):
        return read(kind, raw)
    if origin is tuple:
        each = [args[0]] * len(raw) if args[1:] == (Ellipsis,) else args
        return tuple(_value(one, value) for one, value in zip(each, raw, strict=True))
    if isinstance(raw, Mapping) and len(args) == 2:
        return {key: _value(args[1], value) for key, value in raw.items()}
    return raw
