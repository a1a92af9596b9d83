"""Plain values: copies that nobody else can change, and the small fixed types that a view is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, fields, is_dataclass
from functools import lru_cache
from sys import intern
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

Same = TypeVar("Same")
_PLAIN = frozenset({str, int, float, bool, type(None)})


def copied(value: Any) -> Any:
    """The value with everything in it, as `dataclasses.asdict` copies; most are plain, and for these it is quick."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is tuple or kind is list:
        return kind(value if all(type(one) in _PLAIN for one in value) else map(copied, value))
    if kind is dict or isinstance(value, Mapping):
        return {key: one if type(one) in _PLAIN else copied(one) for key, one in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: copied(getattr(value, one.name)) for one in fields(value)}
    return deepcopy(value)


def altered(thing: Same, **fields: Any) -> Same:
    """The same with other values in some of its fields, where it does nothing when it is made: `dataclasses.replace`,
    without looking at each field, in a quarter of the time."""
    found = object.__new__(type(thing))
    vars(found).update(vars(thing), **fields)
    return found


def shared(value: Any) -> Any:
    """The same object for equal words and numbers by name: the units of a game are at every table that plays it."""
    if type(value) is str:
        return intern(value)
    if type(value) is dict and all(type(one) is int for one in value.values()):
        return _numbers(tuple(value.items()))
    return value


@lru_cache(4_000)
def _numbers(items: tuple[tuple[str, int], ...]) -> dict[str, int]:
    return dict(items)


def plain(value: Any, words: Sequence[str] | None = None) -> Any:
    """A part of a view as the API answers it.

    :param words: the only fields to answer
    """
    if isinstance(value, list | tuple):
        return [plain(one, words) for one in value]
    if words:
        return {name: getattr(value, name) for name in words}
    if hasattr(value, "to_json"):
        return value.to_json()
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


@dataclass_transform(frozen_default=True)
class Shown:
    """A thing as one seat may see it, a frozen dataclass: templates and the API know it by its fields."""

    NAMES: ClassVar[tuple[str, ...]] = ()
    UNSAID: ClassVar[tuple[str, ...]] = ()
    """Fields that the API does not name where they are None."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)
        cls.NAMES = tuple(cls.__dataclass_fields__)  # type: ignore[attr-defined]

    @classmethod
    def of(cls, source: object, **own: Any) -> Self:
        """Take over the fields that a thing of the kit or the game has by the same name, and add the view's own."""
        known = own | {n: getattr(source, n) for n in cls.NAMES if n not in own}
        if len(known) > len(cls.NAMES):
            raise TypeError(f"{cls.__name__} has no {', '.join(known.keys() - set(cls.NAMES))}")
        found = object.__new__(cls)
        object.__setattr__(found, "__dict__", known)  # all at once, in a third of the time of its own making
        return found

    def to_json(self) -> dict[str, Any]:
        found = {name: plain(getattr(self, name)) for name in self.NAMES}
        return {name: value for name, value in found.items() if value is not None or name not in self.UNSAID}
