"""What is worked out once for as long as nothing that it looked at changes, however many seats ask.

`@once` keeps what a look at the game came to, together with the parts of the state that were read on the way; `Game.apply`
tells which parts an event changes. Nobody has to say what a look depends on: while something is worked out, the game
notes what is read of it. Whoever changes what is no part of the state (the owner's book) drops everything. Whoever is
given such a thing must not change it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, ItemsView, Iterable, Iterator, Mapping, ValuesView
from functools import cache, lru_cache, partial, wraps
from types import FunctionType
from typing import Any, ClassVar, Concatenate, Generic, ParamSpec, Protocol, TypeVar

from companion.engine.guard import Guard

Asked = ParamSpec("Asked")
Found = TypeVar("Found")

MOST = 100
"""Kept of one game; then those go that nobody asked for lately."""
_PLAIN = frozenset({str, int, bool, type(None), FunctionType})
LATELY = 24
"""Changes of the state."""
MEANWHILE = 8
"""Forms that may be filled in at one table at once; then all of them begin anew."""
NOT_THERE = object()
"""Where there is no such thing in a part."""
checking: Callable[[Any, Any], bool] | None = None
"""Whether what was kept equals what would be worked out now; the tests set it, and so find what is kept too long."""


class Keeps(Protocol):
    """A game, as far as this is concerned."""

    PARTS: ClassVar[frozenset[str]]
    """Its attributes that are the state."""
    worked: Worked


Kept = TypeVar("Kept", bound=Keeps)


class _Kept:
    """What was worked out, what it looked at, and when that was last known not to have changed."""

    __slots__ = ("at", "looked", "value")

    def __init__(self, value: Any, looked: frozenset[str], at: int) -> None:
        self.value, self.looked, self.at = value, looked, at


@lru_cache(2_000)
def one(part: str, name: str = "") -> str:
    """A part within a part of the state: one of the values or units, or one kind of marker wherever it lies.

    :param name: empty for which of them there are at all
    """
    return f"{part}={name}"


class Worked:
    """What was worked out of one game."""

    def __init__(self, now: int = 0) -> None:
        self._kept: dict[Hashable, _Kept] = {}
        self._changed: dict[str, int] = {}
        """When each part of the state changed last, the newest last."""
        self._since: dict[int, set[str]] = {}
        """What has changed since a moment that is asked about, until the next change."""
        self._now = now
        self._most = MOST
        self._looked: set[str] | None = None
        """What is looked at by what is being worked out, if anything is."""
        self._meanwhile: dict[Hashable, Any] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def clear(self) -> None:
        """Anything may have changed."""
        self._kept.clear()
        self._meanwhile.clear()

    def changed(self, parts: Iterable[str]) -> None:
        """These parts of the state are not as they were."""
        self._now += 1
        for part in parts:
            self._changed.pop(part, None)
            self._changed[part] = self._now
        self._since.clear()
        self._meanwhile.clear()

    def meanwhile(self, key: Hashable, make: Callable[[], Found]) -> Found:
        """What lasts only until anything happens at all, such as a form that is being filled in."""
        if key not in self._meanwhile and len(self._meanwhile) >= MEANWHILE:
            self._meanwhile.clear()
        found: Found = self._meanwhile.setdefault(key, make())
        return found

    def look(self, part: str) -> None:
        """Whatever is being worked out depends on a part of the state."""
        if self._looked is not None:
            self._looked.add(part)

    def find(self, game: Keeps, key: Hashable, make: Callable[[], Found]) -> Found:
        """What was made for the key, unless something it looked at has changed since."""
        found: Found = self.hold(game, key, make).value
        return found

    def hold(self, game: Keeps, key: Hashable, make: Callable[[], Any]) -> _Kept:
        """The same, with what it looked at."""
        held = self._kept.get(key)
        if held is None or (held.at != self._now and not self._stands(held)):
            held = self._make(game, key, make)
        elif checking is not None and held.at != self._now:
            game.worked = Worked(-1)  # as one would who knows nothing yet
            try:
                now = make()
            finally:
                game.worked = self
            assert checking(held.value, now), f"{key} changed, but nothing it looked at: {held.looked}"
        held.at = self._now
        if self._looked is not None:
            self._looked |= held.looked
        return held

    def recall(self, key: Hashable) -> _Kept | None:
        """What was made for the key and stands: most of what is asked for. In the tests it is made again and compared."""
        held = self._kept.get(key)
        if held is None:
            return None
        if held.at != self._now:
            if checking is not None or not self._stands(held):
                return None
            held.at = self._now
        if self._looked is not None:
            self._looked |= held.looked
        return held

    def drop(self, key: Hashable) -> None:
        """What was made cannot be kept."""
        self._kept.pop(key, None)

    def _stands(self, held: _Kept) -> bool:
        """Whether nothing that it looked at has changed since it was asked for."""
        changed = self._since.get(held.at)
        if changed is None:
            changed = self._since[held.at] = set()
            for part, at in reversed(self._changed.items()):
                if at <= held.at:
                    break
                changed.add(part)
        return changed.isdisjoint(held.looked)

    def _make(self, game: Keeps, key: Hashable, make: Callable[[], Any]) -> _Kept:
        kind, began, outer, before = type(game), self._now, self._looked, self._kept.get(key)
        looked: set[str] = set()
        self._looked = looked
        if outer is None:  # else it notes already
            game.__class__ = _noting(kind)
        try:
            value = make()
        except BaseException:
            if outer is not None:  # whoever tries something else has looked at it
                outer |= looked
            raise
        finally:
            self._looked = outer
            if outer is None:
                game.__class__ = kind
        if before is not None and before.looked == looked:  # as nearly always
            held = _Kept(value, before.looked, began)
        else:
            held = _Kept(value, _same(frozenset(looked)), began)
        self._kept[_common(key) if before is None else key] = held
        if len(self._kept) > self._most:
            self._kept = {k: one for k, one in self._kept.items() if one.at > self._now - LATELY}
            self._most = max(MOST, len(self._kept) + MOST // 4)
        return held


@lru_cache(8_000)
def _same(thing: Any) -> Any:
    """The same object for equal keys and names: every table is asked the same, and thousands of looks are at the same."""
    return thing


def _common(key: Hashable) -> Hashable:
    """A key that every table of a game may have, once for all of them; one with things of a table's own as it is."""
    return _same(key) if isinstance(key, tuple) and {type(one) for one in key} <= _PLAIN else key


@cache
def _noting(kind: type[Any]) -> type[Any]:
    """The same kind of game, which notes what is read of its state. Everything else in it is as quick as ever."""
    if kind.__name__.startswith("Noting"):
        return kind
    return type(f"Noting{kind.__name__}", (kind,), {name: _noted(name) for name in kind.PARTS})


def _noted(name: str) -> property:
    def read(game: Any) -> Any:
        state = game.__dict__
        looked = state["worked"]._looked
        if looked is not None:
            looked.add(name)
        return state[name]

    def read_each(game: Any) -> Any:
        return _Each(name, game.__dict__[name], game.worked)

    write = partial(_write, name)
    return property(read_each if name in ("values", "units") else read, write)


def _write(name: str, game: Any, value: Any) -> None:
    game.__dict__[name] = value


class _Each(Mapping[str, Any]):
    """The named values or the units, each a part of the state by itself."""

    __slots__ = ("_part", "_things", "_worked")

    def __init__(self, part: str, things: Mapping[str, Any], worked: Worked) -> None:
        self._part, self._things, self._worked = part, things, worked

    def _look(self, name: str) -> None:
        looked = self._worked._looked
        if looked is not None and self._part not in looked:
            looked.add(one(self._part, name))

    def _all(self) -> Mapping[str, Any]:
        self._worked.look(self._part)
        return self._things

    def __getitem__(self, name: str) -> Any:
        self._look(name)
        return self._things[name]

    def get(self, name: str, default: Any = None) -> Any:
        self._look(name)
        return self._things.get(name, default)

    def __contains__(self, name: Any) -> bool:
        self._look(name)
        return name in self._things

    def __len__(self) -> int:
        self._look("")
        return len(self._things)

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def values(self) -> ValuesView[Any]:
        return self._all().values()

    def items(self) -> ItemsView[str, Any]:
        return self._all().items()


class lazy(Generic[Found]):
    """Something of an object, made when it is first asked for: `cached_property` without the lock that it had until
    Python 3.12, which took longer than most of what is made here."""

    def __init__(self, make: Callable[[Any], Found]) -> None:
        self.make, self.__doc__ = make, make.__doc__

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self.name = name

    def __get__(self, thing: Any, _: type[Any] | None = None) -> Found:
        if thing is None:  # the class is looked at
            return self  # type: ignore[return-value]
        found = thing.__dict__[self.name] = self.make(thing)
        return found


def once(
    look: Callable[Concatenate[Kept, Asked], Found],
) -> Callable[Concatenate[Kept, Asked], Found]:
    """Work something out once; what else it is asked with must be hashable."""

    @wraps(look)
    def kept(game: Kept, /, *args: Asked.args, **named: Asked.kwargs) -> Found:
        key = (look, *args, *sorted(named.items())) if named else (look, *args)
        held = game.worked.recall(key)
        if held is None:
            held = game.worked.hold(game, key, partial(look, game, *args, **named))
        found: Found = held.value
        return found

    return kept


@once
def has_something(game: Kept, look: Callable[[Kept], Iterable[Any]]) -> bool:
    """Whether there is anything in what a look at the game comes to."""
    return next(iter(look(game)), None) is not None


def within(part: str, name: str, was: Any, now: Any) -> set[str]:
    """Which parts within a part of the state differ, where one thing of it was and is so."""
    if part == "marks":
        lay, lie = ({} if held is NOT_THERE else held for held in (was, now))
        return {one(part, m) for m in lay.keys() | lie.keys() if lay.get(m) != lie.get(m)}
    if part not in ("values", "units"):
        return set()
    return {one(part, name), one(part)} if NOT_THERE is was or NOT_THERE is now else {one(part, name)}


def follow(game: Keeps, before: Keeps) -> None:
    """A game that was folded anew takes over what was worked out of the one before it, as far as both are the same."""
    old, new = vars(before), vars(game)
    parts = {part for part in game.PARTS if old[part] != new[part]}
    for part in parts & {"values", "marks", "units"}:
        for name in old[part].keys() | new[part].keys():
            was, now = old[part].get(name, NOT_THERE), new[part].get(name, NOT_THERE)
            if was != now:
                parts |= within(part, name, was, now)
    game.worked = before.worked
    game.worked.changed(parts)


class Looks(Protocol):
    """Who looks at a game from a seat."""

    seat: str
    guard: Guard
    _game: Any


class Part(Generic[Found]):
    """A part of what a seat sees, made when it is first asked for and kept until something it looks at changes."""

    def __init__(self, make: Callable[[Any], Found]) -> None:
        self.make = make

    def __get__(self, seen: Looks, _: type[Any]) -> Found:
        worked, key = seen._game.worked, (self.make, seen.seat)
        held = worked.recall(key)
        if held is None:
            faults = len(seen.guard.faults)
            held = worked.hold(seen._game, key, partial(self.make, seen))
            if len(seen.guard.faults) > faults:  # the next one to look is to hear of it, too
                worked.drop(key)
        found: Found = held.value
        return found


class ForAll(Part[Found]):
    """A part that no seat sees otherwise than the others: it is made of the game alone, once for all of them."""

    def __get__(self, seen: Looks, _: type[Any]) -> Found:
        game = seen._game
        held = game.worked.recall(self.make)
        if held is None:
            held = game.worked.hold(game, self.make, partial(self.make, game))
        found: Found = held.value
        return found


def guarded(
    name: str, instead: Callable[[], Any]
) -> Callable[[Callable[[Any, str], Found]], Callable[[Looks], Found]]:
    """Make a part that must not take the page down when it fails."""

    def of(make: Callable[[Any, str], Found]) -> Callable[[Looks], Found]:
        @wraps(make)
        def part(seen: Looks) -> Found:
            return seen.guard.part(name, lambda: make(seen._game, seen.seat), instead())

        return part

    return of


class Direct(Part[Found]):
    """A part that is read off the game in less time than it takes to keep it."""

    def __get__(self, seen: Looks, _: type[Any]) -> Found:
        return self.make(seen)
