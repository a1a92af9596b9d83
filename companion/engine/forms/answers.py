"""What the fields of a form came to while it is filled in: each is looked at again only when something it looks at changes.

A form is asked again with every key that is pressed, and each time but one of its values is as it was. While a field is
read or described, the form notes which other values that looked at, as a game notes which parts of its state are read
(`engine/once.py`); what looked at none that changed is given again. All of it is kept for one form of one seat, and
only until anything happens at the table (`Worked.meanwhile`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, KeysView, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from companion.engine import once
from companion.engine.forms.fields import Context, Field

Found = TypeVar("Found")

LAST = 2
"""Whole forms kept: a field that is left sends once more what was previewed, and a step too far is taken back."""
MOST = 4
"""Answers kept of one question: what is filled in elsewhere leaves one, what somebody tries out changes each time."""
LONGEST = 2_000
"""Characters of all that is filled in; whoever sends more sends a text, and nothing of it is kept."""
_NOTHING: Any = object()

Asked = tuple[str, Field, Any, Any]
"""A field of a form by its name, with its default and what was filled in."""


def is_short(raw: Mapping[str, Any]) -> bool:
    """Whether so little is filled in that it may be kept."""
    return sum(len(name) + len(str(value)) for name, value in raw.items()) <= LONGEST


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

    def keys(self) -> KeysView[str]:
        self.names.update(dict.fromkeys(self._values))
        return self._values.keys()

    def __len__(self) -> int:
        self.names.update(dict.fromkeys(self._values))
        return len(self._values)


class _Question:
    """What a look at one field came to, by what was filled in there and by the values that it ever looked at."""

    __slots__ = ("found", "names")

    def __init__(self) -> None:
        self.names: tuple[str, ...] = ()
        self.found: dict[Any, Any] = {}

    def keep(
        self, found: Any, key: tuple[Any, ...], values: Mapping[str, Any], noted: Mapping[str, None]
    ) -> None:
        new = [name for name in noted if name not in self.names]
        if new or len(self.found) >= MOST:
            self.names, self.found = (*self.names, *new), {}
        with suppress(TypeError):  # what cannot be looked up is not kept
            self.found[(*key, *map(values.get, new))] = found


class Answers:
    """What was found out about the fields of one form that one seat fills in."""

    def __init__(self) -> None:
        self._questions: dict[tuple[Any, str], _Question] = {}
        self._whole: dict[Hashable, Any] = {}
        self.pieces: dict[int, tuple[Any, Any]] = {}
        """How a page drew its fields: each description, which stays the same object, with what was made of it."""

    def whole(self, raw: Mapping[str, Any], make: Callable[[], Found], keeps: Callable[[], bool]) -> Found:
        """What came of the form when the very same was filled in.

        :param keeps: whether what was made now may be given again
        """
        if not is_short(raw):
            return make()
        key = tuple((name, tuple(given) if isinstance(given, list) else given) for name, given in raw.items())
        found: Found
        if key in self._whole:
            found = self._whole[key]
            assert once.checking is None or once.checking(found, make()), f"another form of the same {raw}"
            return found
        found = make()
        if keeps():
            self._whole = dict([*self._whole.items()][1 - LAST :]) | {key: found}
        return found

    def find(self, look: Callable[[Asked, Context], Found], asked: Asked, here: Context) -> Found:
        """What a look at one field comes to, with the values that the form has by now."""
        name, given, values = asked[0], asked[3], here.values
        question = self._questions.get((look, name))
        if question is None:
            question = self._questions[look, name] = _Question()
        kind = type(given)
        key = (kind, tuple(given) if kind is list else given, *map(values.get, question.names))
        try:
            kept = question.found.get(key, _NOTHING)
        except TypeError:  # nothing that could be looked up
            kept = _NOTHING
        if kept is _NOTHING:
            noted = Noted(values)
            kept = look(asked, here.having(noted))
            question.keep(kept, key, values, noted.names)
        elif once.checking is not None:
            now = look(asked, here)
            assert once.checking(kept, now), f"{name} changed, but none of {question.names}: {now}"
        found: Found = kept
        return found
