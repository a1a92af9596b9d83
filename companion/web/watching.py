"""Which of the things that a screen is made of each part of it looks at: unless one of them changed, it need not be drawn.

A part is kept for one seat of one table, with the names of all that was looked at while it was drawn, and the screen keeps
those things themselves: before it is drawn again, each is compared once with what it is now, and the parts go that looked
at one that is no longer equal. What is looked at is noted by itself, so nobody has to say what a part depends on. It is
made anew by whoever tells it (a view, a log) and not changed afterwards.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, ClassVar

from companion.engine.seat.view import SeatView
from companion.web.moment import Moment

SCREENS = 1_200
"""Kept at most: those of 400 tables."""
FRAME = ""
"""The frame among the parts."""
STEADY = frozenset({"v.system", "v.scenario", "v.sides", "v.seat_name"})
"""What never changes at a table for one seat."""
AT = "\x01"
"""Stands for the revision in what is drawn: it alone changes every time, and would change every part with a form."""
HERE = "\x02"
"""Stands for the address of the seat in what is drawn once for all of them."""


@dataclass(slots=True)
class Kept:
    """A part as it was drawn last."""

    looked_at: frozenset[str]
    sign: str
    """What the page knows it by; of a frame, all of it. The parts themselves are not kept: a hall of screens is much, and
    most seats have one device."""
    stands: bool = True
    """Whether all that it looked at is as it was."""


@dataclass(slots=True)
class Sheet:
    """Parts that are looked through together, as they were drawn last."""

    parts: dict[str, Kept] = field(default_factory=dict)
    """By name."""
    seen: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What they were drawn from: whose attribute, which, and what it was; by no attribute, what is watched as one."""


@dataclass(slots=True)
class Screen:
    """One screen as it was drawn last."""

    inner: Sheet = field(default_factory=Sheet)
    """Its parts."""
    frame: Sheet = field(default_factory=Sheet)
    """What stands round them, looked through after they are drawn: it tells what could not be made of them."""


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
def _same_names(names: frozenset[str]) -> frozenset[str]:
    """The same object for the same names: thousands of parts look at the same things."""
    return names


class Watch:
    """One drawing of a screen: notes what each part looks at.

    :param things: what it is made of, by name
    """

    EACH: ClassVar[dict[str, type[_Attributes]]]
    """Those whose attributes are watched one by one."""

    def __init__(self, screen: Screen, things: Mapping[str, Any] = MappingProxyType({})) -> None:
        self._screen, self._things = screen, things
        self._looked: set[str] = set()
        self._compare(screen.inner)

    def watched(self) -> dict[str, Any]:
        """The things for a template."""
        found = self._things.items()
        return {n: self.EACH.get(n, _Whole)(self, n, thing) for n, thing in found}

    def look(self, name: str) -> None:
        """The part that is being drawn looks at something."""
        self._looked.add(name)

    def kept(self, part: str) -> Kept | None:
        """A part as it was drawn before, if all that it looked at is as it was then."""
        found = self._screen.inner.parts.get(part)
        return found if found is not None and found.stands else None

    def kept_frame(self) -> Kept | None:
        """The same of the frame, when all parts are drawn."""
        self._compare(self._screen.frame)
        found = self._screen.frame.parts.get(FRAME)
        return found if found is not None and found.stands else None

    def draw(self, part: str, caller: Callable[[], str], signed: Callable[[str], str]) -> tuple[str, str]:
        """The part drawn anew, with its sign."""
        self._looked = set()
        drawn = caller()
        sign = signed(drawn)
        self._note(self._screen.frame if part == FRAME else self._screen.inner, part, sign)
        return drawn, sign

    def _compare(self, sheet: Sheet) -> None:
        """No part stands that looked at something that is another now."""
        changed = set()
        for owner, known in sheet.seen.items():
            thing = self._things[owner]
            for attribute, before in known.items():
                now = getattr(thing, attribute) if attribute else thing
                if now is not before:
                    known[attribute] = now
                    if now != before:
                        changed.add(f"{owner}.{attribute}" if attribute else owner)
        if changed:
            for kept in sheet.parts.values():
                kept.stands = kept.stands and changed.isdisjoint(kept.looked_at)

    def _note(self, sheet: Sheet, part: str, sign: str) -> None:
        """Keep a part, and what all parts look at now."""
        looked_at = self._looked - STEADY
        kept = sheet.parts.get(part)
        if kept is not None and kept.looked_at == looked_at:
            kept.sign, kept.stands = sign, True
            return
        sheet.parts[part] = Kept(_same_names(frozenset(looked_at)), sign)
        before = kept.looked_at if kept is not None else frozenset()
        for name in looked_at ^ before:
            owner, _, attribute = name.partition(".")
            known = sheet.seen.setdefault(owner, {})
            if name not in before:
                thing = self._things[owner]
                known[attribute] = getattr(thing, attribute) if attribute else thing
            elif not any(name in one.looked_at for one in sheet.parts.values()):
                del known[attribute]


class _Attributes:
    """Something a template is given, whose attributes are watched one by one."""

    __slots__ = ("_thing", "_watch")

    def __init__(self, watch: Watch, name: str, thing: Any) -> None:
        self._watch, self._thing = watch, thing

    @classmethod
    def of(cls, name: str, kind: type[Any], **instead: Any) -> type[_Attributes]:
        """Those of a kind of thing, each a property: Python is quicker there than at what it must miss first.

        :param name: what the thing is called in a template
        :param instead: what stands for one of them, whatever it is
        """
        each = {one: _noted(name, one) for one in dir(kind) if not one.startswith("_")}
        return type(f"_{kind.__name__}", (cls,), {"__slots__": (), **each, **instead})


def _noted(name: str, attribute: str) -> property:
    told = f"{name}.{attribute}"

    def look(watched: _Attributes) -> Any:
        watched._watch._looked.add(told)
        return getattr(watched._thing, attribute)

    return property(look)


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


Watch.EACH = {"v": _Attributes.of("v", SeatView, revision=AT), "moment": _Attributes.of("moment", Moment)}
