"""Frozen dataclasses as JSON and back, for the parts of the organiser's record.

A mapping is written as a list of pairs: a store sorts the keys of an object, and the order of a table's sides counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


def written(part: Any) -> dict[str, Any]:
    """A part of the record as it is stored."""
    return {field.name: _plain(getattr(part, field.name)) for field in fields(part)}


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return written(value)
    if isinstance(value, Mapping):
        return [[key, _plain(one)] for key, one in value.items()]
    return [_plain(one) for one in value] if isinstance(value, tuple | list) else value


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
    if origin is Literal:
        return raw
    if origin is tuple:
        each = [args[0]] * len(raw) if args[1:] == (Ellipsis,) else args
        return tuple(_value(one, value) for one, value in zip(each, raw, strict=True))
    if origin is not None and issubclass(origin, Mapping):
        pairs = raw.items() if isinstance(raw, Mapping) else raw
        return {key: _value(args[1], value) for key, value in pairs}
    return raw
