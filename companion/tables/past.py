"""What is known of a table's past, kept beside its game: nothing of it changes while the record only grows.

Every screen of a table asks again what Undo would undo and how the last lines of the log read, each time something
happens. Without this, each of them would read hundreds of events again after a set-up of 200 units.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from companion.store import Store
from companion.tables.backwards import Backwards, LastAct, LastUndo, last_counting, last_undo, taken_back

KEPT = 300
"""So many actions, as one seat or another reads them: the log strips of all screens of a table."""


@dataclass(frozen=True)
class Deed:
    """One action as a seat may read it, without what depends on the moment it is read."""

    first: int
    last: int
    at: str
    seat: str
    name: str
    """Empty where the action itself is a secret."""
    bodies: Sequence[dict[str, Any]]
    """Its events that have a line, in the order they are told; of a long one the first."""
    lines: int
    """How many lines there are in all."""
    kinds: list[str]
    turn: int
    phase: str
    about_seats: bool
    """It tells who sits where, which no undo takes back."""
    battle: int = 0
    """The battle it belongs to."""


class Past:
    """One table's past."""

    def __init__(self, store: Store, code: str) -> None:
        self.store, self.code = store, code
        self._undo: tuple[int, LastAct | None] | None = None
        self._redo: tuple[int, LastUndo | None] | None = None
        self._void: tuple[int, list[tuple[int, int]]] | None = None
        self._deeds: OrderedDict[tuple[str, int], Deed] = OrderedDict()

    def last_act(self, latest: int) -> LastAct | None:
        """The newest action that counts, which Undo undoes; None when there is none."""
        if self._undo is None or self._undo[0] != latest:
            known = self._undo if self._undo and self._undo[0] < latest else None
            lines = Backwards(self.store, self.code, known[0] if known else max(0, latest - 20))
            # Both look at the newest lines: read once, and kept together.
            self._redo = (latest, last_undo(lines, latest))
            self._undo = (latest, last_counting(lines, latest, known))
        return self._undo[1]

    def last_undo(self, latest: int) -> LastUndo | None:
        """The take-back that Redo would put back; None when play has gone on since."""
        self.last_act(latest)
        return self._redo[1] if self._redo else None

    def taken_back(self, latest: int) -> list[tuple[int, int]]:
        """Spans of the record that were taken back and count no longer."""
        if self._void is None or self._void[0] != latest:
            self._void = (latest, taken_back(self.store, self.code, latest))
        return self._void[1]

    def deed(self, seat: str, last: int) -> Deed | None:
        """The action that ended with this event, if it was read before."""
        return self._deeds.get((seat, last))

    def beginning(self, seat: str, first: int) -> Deed | None:
        """The action that began with this event, if it was read before."""
        return next((d for (one, _), d in self._deeds.items() if one == seat and d.first == first), None)

    def newest(self, seat: str, floor: int, top: int) -> Deed | None:
        """The newest action read before that ends between two lines."""
        lasts = [last for one, last in self._deeds if one == seat and floor < last <= top]
        return self._deeds[seat, max(lasts)] if lasts else None

    def keep(self, seat: str, deed: Deed) -> None:
        """Remember an action; the one not kept anew for longest goes."""
        self._deeds[seat, deed.last] = deed
        self._deeds.move_to_end((seat, deed.last))
        while len(self._deeds) > KEPT:
            self._deeds.popitem(last=False)
