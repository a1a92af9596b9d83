"""What the fields of a form came to while it is filled in: each is looked at again only when something it looks at changes.

A form is asked again with every key that is pressed, and each time but one of its values is as it was. While a field is
read or described, the form notes which other values that looked at, as a game notes which parts of its state are read
(`engine/once.py`); what looked at none that changed is given again. All of it is kept for one form of one seat, and
only until anything happens at the table (`Worked.meanwhile`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

from companion.engine import once
from companion.engine.forms.fields import Context, Field

Found = TypeVar("Found")

MOST = 40
"""Answers kept of one question; somebody who tries out so many numbers begins anew."""


class Asked(NamedTuple):
    """A field of a form with what was filled in."""

    name: str
    item: Field
    default: Any
    given: Any


class Noted(Mapping[str, Any]):
    """The values of a form, which note the names of those that are read."""

    __slots__ = ("_values", "names")

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values, self.names = values, dict[str, None]()

    def __getitem__(self, name: str) -> Any:
        self.names[name] = None
        return self._values[name]

    def get(self, name: str, default: Any = None) -> Any:
        self.names[name] = None
        return self._values.get(name, default)

    def __contains__(self, name: object) -> bool:
        self.names[str(name)] = None
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        self.names.update(dict.fromkeys(self._values))
        return iter(self._values)

    def __len__(self) -> int:
        self.names.update(dict.fromkeys(self._values))
        return len(self._values)


class Answers:
    """What was found out about the fields of one form that one seat fills in."""

    def __init__(self) -> None:
        self._names: dict[tuple[Any, str], tuple[str, ...]] = {}
        """The values that each question ever looked at."""
        self._found: dict[tuple[Any, str], dict[Any, Any]] = {}
        self.drawn: dict[str, tuple[Sequence[Mapping[str, Any]], Any]] = {}
        """Pieces of the form as they were drawn last, with the descriptions that they were drawn from."""

    def find(self, look: Callable[[Asked, Context], Found], asked: Asked, here: Context) -> Found:
        """What a look at one field comes to, with the values that the form has by now."""
        question, values, given = (look, asked.name), here.values, asked.given
        names = self._names.get(question, ())
        fixed = tuple(given) if isinstance(given, list) else given
        key = (type(given), fixed, *[values.get(name) for name in names])
        try:
            kept = self._found[question][key]
        except (KeyError, TypeError):  # new, or no value that could be looked up
            return self._make(question, fixed, look, asked, here)
        if once.checking is not None:
            now = look(asked, here)
            assert once.checking(kept, now), f"{asked.name} changed, but none of {names}: {kept} and {now}"
        found: Found = kept
        return found

    def _make(
        self,
        question: tuple[Any, str],
        fixed: Any,
        look: Callable[[Asked, Context], Found],
        asked: Asked,
        here: Context,
    ) -> Found:
        noted = Noted(here.values)
        found = look(asked, here.having(noted))
        names, before = self._names.get(question, ()), self._found.get(question)
        if before is None or len(before) >= MOST or not noted.names.keys() <= set(names):
            names = self._names[question] = tuple(dict.fromkeys([*names, *noted.names]))
            before = self._found[question] = {}
        with suppress(TypeError):  # what cannot be looked up is not kept
            before[(type(asked.given), fixed, *[here.values.get(name) for name in names])] = found
        return found
