"""Which of the things that a screen is made of each part of it looks at: unless one of them changed, it need not be drawn.

A part is kept for one seat of one table, with the issue of all that was looked at while it was drawn: whatever is no longer
equal to what it was is a new issue. What is looked at is noted by itself, so nobody has to say what a part depends on. It is
made anew by whoever tells it (a view, a log) and not changed afterwards.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import count
from types import MappingProxyType
from typing import Any

SCREENS = 1_200
"""Kept at most: those of 400 tables."""
STEADY = {"v.system", "v.scenario", "v.sides", "v.revision", "v.seat_name"}
"""What never changes at a table for one seat; and the revision, which a page sends as it shows it."""
_STEADY = dict.fromkeys(STEADY, 0)
_issues = count(1)


@dataclass(slots=True)
class Kept:
    """A part as it was drawn last."""

    looked_at: tuple[str, ...]
    issues: tuple[int, ...]
    """Of all that it looked at."""
    sign: str
    """What the page knows it by; of a frame, all of it. The parts themselves are not kept: a hall of screens is much, and
    most seats have one device."""


@dataclass(slots=True)
class Screen:
    """One screen as it was drawn last."""

    parts: dict[str, Kept] = field(default_factory=dict)
    """By name."""
    seen: dict[str, tuple[Any, int]] = field(default_factory=dict)
    """What it was drawn from, each with its issue."""


class Drawn:
    """The parts of all screens as they were drawn last, by table, seat and the address that the device knows us by."""

    def __init__(self, most: int = SCREENS) -> None:
        self.most = most
        self._screens: OrderedDict[tuple[str, ...], Screen] = OrderedDict()

    def screen(self, key: tuple[str, ...]) -> Screen:
        """A screen; the one that was not looked at for longest goes."""
        found = self._screens.setdefault(key, Screen())
        self._screens.move_to_end(key)
        while len(self._screens) > self.most:
            self._screens.popitem(last=False)
        return found

    def forget(self, code: str) -> None:
        """Nobody has the table open."""
        for key in [key for key in self._screens if key[0] == code]:
            del self._screens[key]


@lru_cache(2_000)
def _same_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """The same object for the same names: thousands of parts look at the same things."""
    return names


@cache
def _split(name: str) -> tuple[str, str]:
    owner, _, attribute = name.partition(".")
    return owner, attribute


class Watch:
    """One drawing of a screen: notes what each part looks at.

    :param things: what it is made of, by name
    """

    EACH = ("v", "moment")
    """Those whose attributes are watched one by one."""

    def __init__(self, screen: Screen, things: Mapping[str, Any] = MappingProxyType({})) -> None:
        self.parts, self._known = screen.parts, screen.seen
        self._things = things
        self._now = dict(_STEADY)
        """The issue of each thing that was asked for so far."""
        self._seen: set[str] = set()

    def watched(self) -> dict[str, Any]:
        """The things for a template."""
        found = self._things.items()
        return {n: (_Attributes if n in self.EACH else _Whole)(self, n, thing) for n, thing in found}

    def look(self, name: str) -> None:
        """The part that is being drawn looks at something."""
        self._seen.add(name)

    def _issue(self, name: str) -> int:
        owner, attribute = _split(name)
        value = getattr(self._things[owner], attribute) if attribute else self._things[owner]
        known = self._known.get(name)
        if known is None or known[0] != value:
            known = self._known[name] = (value, next(_issues))
        self._now[name] = known[1]
        return known[1]

    def _issues_of(self, names: tuple[str, ...]) -> tuple[int, ...]:
        now = self._now
        return tuple([now[name] if name in now else self._issue(name) for name in names])

    def kept(self, part: str) -> Kept | None:
        """The part as it was drawn before, if all that it looked at is as it was then."""
        found = self.parts.get(part)
        return found if found is not None and self._issues_of(found.looked_at) == found.issues else None

    def draw(self, part: str, caller: Callable[[], str], signed: Callable[[str], str]) -> tuple[str, str]:
        """The part drawn anew, with its sign."""
        self._seen = set()
        drawn = caller()
        sign = signed(drawn)
        names = _same_names(tuple(sorted(self._seen)))
        self.parts[part] = Kept(names, self._issues_of(names), sign)
        return drawn, sign


class _Attributes:
    """Something a template is given, whose attributes are watched one by one."""

    __slots__ = ("_name", "_thing", "_watch")

    def __init__(self, watch: Watch, name: str, thing: Any) -> None:
        self._watch, self._name, self._thing = watch, name, thing

    def __getattr__(self, name: str) -> Any:
        self._watch.look(f"{self._name}.{name}")
        return getattr(self._thing, name)


class _Whole:
    """Something a template is given, watched as one: a list, words, a flag, or nothing."""

    __slots__ = ("_name", "_thing", "_watch")

    def __init__(self, watch: Watch, name: str, thing: Any) -> None:
        self._watch, self._name, self._thing = watch, name, thing

    def _looked(self) -> Any:
        self._watch.look(self._name)
        return self._thing

    def __getattr__(self, name: str) -> Any:
        return getattr(self._looked(), name)

    def __bool__(self) -> bool:
        return bool(self._looked())

    def __str__(self) -> str:
        return str(self._looked())

    def __len__(self) -> int:
        return len(self._looked())

    def __iter__(self) -> Iterator[Any]:
        return iter(self._looked())

    def __getitem__(self, index: Any) -> Any:
        return self._looked()[index]
