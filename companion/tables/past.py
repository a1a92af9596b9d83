"""What is known of a table's past, kept beside its game: nothing of it changes while the record only grows.

Every screen of a table asks again what Undo would undo and how the last lines of the log read, each time something
happens. Without this, each of them would read hundreds of events again after a set-up of 200 units.
"""

from __future__ import annotations

import marshal
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache, partial
from operator import attrgetter
from typing import Any

from companion.store import Store, StoredEvent, Tx
from companion.tables.backwards import Backwards, LastAct, LastUndo, last_counting, last_undo, taken_back

KEPT = 90
"""So many actions a seat: more than a screen looks back at."""
LATELY = 60
"""Lines of the record within which what one seat has read is looked for by the others."""
ACTS = 5
"""Revisions: whoever takes something back comes to one that was asked about a moment ago."""
UNPACKED = 24
"""Actions whose events are at hand: a new one is looked at several times for each screen."""
MANY = 40
"""Lines that are read again rather than remembered: a set-up of hundreds of units."""


@dataclass(eq=False, slots=True)
class Deed:
    """One action as a seat may read it, without what depends on the moment it is read.

    Seats that read the same are given the very same one, so that what is made of it serves them all.
    """

    first: int
    last: int
    at: str
    seat: str
    name: str
    """Empty where the action itself is a secret."""
    told: bytes
    """Its `bodies`, packed: so they take a fifth, and once they are put into words hardly anybody looks at them again."""
    lines: int
    """How many lines there are in all."""
    kinds: list[str]
    turn: int
    phase: str
    about_seats: bool
    """It tells who sits where, which no undo takes back."""
    battle: int = 0
    """The battle it belongs to."""
    is_open: bool = False
    """Nothing of it is hidden from anybody: every seat reads the same."""

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """Its events that have a line, in the order they are told; of a long one the first."""
        return [{**body} for body in _bodies(self)]


_first = attrgetter("first")


@lru_cache(UNPACKED)
def _bodies(deed: Deed) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = marshal.loads(deed.told)
    return found


_said = attrgetter(*(one.name for one in fields(Deed) if one.name != "told"))


def _same(one: Deed, other: Deed) -> bool:
    """Whether they say the same; packed, the same may be other bytes."""
    return bool(_said(one) == _said(other)) and (one.told == other.told or one.bodies == other.bodies)


class Past:
    """One table's past."""

    def __init__(self, store: Store, code: str) -> None:
        self.store, self.code = store, code
        self._acts: dict[int, LastAct | None] = {}
        """Of the last revisions that were asked about, in that order."""
        self._redo: tuple[int, LastUndo | None] | None = None
        self._void: tuple[int, list[tuple[int, int]]] | None = None
        self._deeds: dict[str, list[Deed]] = {}
        self._lately: dict[int, list[Deed]] = {}
        self._newest: tuple[tuple[int, int], list[StoredEvent]] | None = None

    def last_act(self, latest: int) -> LastAct | None:
        """The newest action that counts, which Undo undoes; None when there is none."""
        if latest not in self._acts or self._redo is None or self._redo[0] != latest:
            known = {at: act for at, act in self._acts.items() if at < latest}
            floor = max(known, default=max(0, latest - 20))
            # The first look is nobody else's.
            read = self.events if known else partial(self.store.events, self.code)
            lines = Backwards(self.store, self.code, floor, read(floor, latest))
            # Both look at the newest lines: read once, and kept together.
            self._redo = (latest, last_undo(lines, latest))
            self._acts.pop(latest, None)
            self._acts = {
                **dict([*self._acts.items()][1 - ACTS :]),
                latest: last_counting(lines, latest, known),
            }
        return self._acts[latest]

    def last_undo(self, latest: int) -> LastUndo | None:
        """The take-back that Redo would put back; None when play has gone on since."""
        self.last_act(latest)
        return self._redo[1] if self._redo else None

    def taken_back(self, latest: int) -> list[tuple[int, int]]:
        """Spans of the record that were taken back and count no longer."""
        known = self._void
        if known is None or known[0] != latest:
            spans = self._and_since(*known, latest) if known is not None and known[0] < latest else None
            if spans is None:
                spans = taken_back(self.store, self.code, latest)
            known = self._void = (latest, spans)
        return known[1]

    def _and_since(
        self, line: int, spans: list[tuple[int, int]], latest: int
    ) -> list[tuple[int, int]] | None:
        """Those known at a line with what was taken back since; None where that put something back."""
        if latest - line > MANY:
            return None
        for undo in self.events(line, latest):
            if undo.kind == "undone":
                to = int(undo.body["to"])
                if any(low < to < high for low, high in spans):
                    return None
                spans = [(to, undo.seq), *(span for span in spans if span[1] <= to)]
        return spans

    def events(self, after: int, upto: int) -> list[StoredEvent]:
        """The newest lines, read once for all seats."""
        known = self._newest
        if known is None or known[0] != (after, upto):
            known = (after, upto), self.store.events(self.code, after, upto)
            self._newest = known if len(known[1]) <= MANY else None
        return known[1]

    def wrote(self, after: int, tx: Tx) -> None:
        """Lines were written after one: whoever asks for them need not read them."""
        if tx.latest - after <= MANY:
            self._newest = (after, tx.latest), tx.written

    def deeds(self, seat: str) -> Sequence[Deed]:
        """The newest actions that were read for a seat before, oldest first, without a gap."""
        return self._deeds.get(seat, ())

    def share(self, deed: Deed) -> Deed:
        """An action just read; where another seat has read the same, the one that it has."""
        alike = self._lately.get(deed.first)
        if alike is None:
            if len(self._lately) >= LATELY:
                newest = deed.first - LATELY // 2
                self._lately = {first: one for first, one in self._lately.items() if first > newest}
            self._lately[deed.first] = [deed]
            return deed
        known = next((one for one in alike if _same(one, deed)), None)
        if known is None:
            alike.append(deed)
        return known or deed

    def shared(self, first: int, last: int) -> Deed | None:
        """An action of which nothing is hidden, as it was read for another seat."""
        return next((d for d in self._lately.get(first, ()) if d.is_open and d.last == last), None)

    def beginning(self, seat: str, first: int) -> Deed | None:
        """The action that began with this event, if it was read before."""
        deeds = self.deeds(seat)
        at = bisect_left(deeds, first, key=_first)
        return deeds[at] if at < len(deeds) and deeds[at].first == first else None

    def keep(self, seat: str, deeds: Sequence[Deed]) -> None:
        """Remember the newest actions, oldest first."""
        self._deeds[seat] = list(deeds[-KEPT:])
