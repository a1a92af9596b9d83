"""Going back over a table's record to find what an undo would undo, and what was taken back already."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.engine.people.consent import DEEDS
from companion.store import Store, StoredEvent
from companion.tables.clocks import is_clock_line
from companion.tables.seating import is_seat_line

MANY = 60
"""Lines; of more that were taken back only those are read that are needed."""

_ASKED = tuple(f"{deed}-" for deed in DEEDS)


@dataclass(frozen=True, slots=True)
class LastAct:
    """The newest action that counts: what Undo would undo."""

    to: int
    """The line before it."""
    seat: str
    name: str


@dataclass(frozen=True, slots=True)
class LastUndo:
    """A take-back since which nothing counts: what Redo would put back."""

    to: int
    """The line before it."""
    by: str
    """The seat that took it back without asking anybody; empty where others had to agree."""


class Backwards:
    """A table's lines for whoever goes back over them: those above `floor` are there, then hundreds at a time."""

    def __init__(self, store: Store, code: str, floor: int, newest: Iterable[StoredEvent]) -> None:
        self.store, self.code, self.floor = store, code, floor
        self._held = {item.seq: item for item in newest}

    def __getitem__(self, seq: int) -> StoredEvent:
        if seq not in self._held:
            floor = self.floor if seq > self.floor else max(0, seq - 20 - 10 * len(self._held))
            self._held = {item.seq: item for item in self.store.events(self.code, floor, seq)}
        return self._held[seq]

    def reach(self, line: int) -> None:
        """Have the lines after this one at hand, too, where they are not many."""
        if 0 < self.floor - line <= MANY:
            self._held |= {item.seq: item for item in self.store.events(self.code, line, self.floor)}
            self.floor = line

    def has_ended(self, after: int, upto: int) -> bool:
        """Whether the game was over between two lines."""
        if after < self.floor:
            return bool(self.store.events(self.code, after, upto, kinds=("ended",)))
        return any(self[seq].kind == "ended" for seq in range(after + 1, upto))


def _is_no_play(body: Mapping[str, Any]) -> bool:
    """Whether a line is nothing that Undo takes back: a joining phone, time, a request, what a take-back entails."""
    asks = str(body.get("by", "")) in DEEDS or str(body.get("id", "")).startswith(_ASKED)
    words = str(body.get("name", "")).startswith("entropy-")
    return is_seat_line(body) or is_clock_line(body) or asks or words or body["kind"] == "reseeded"


def last_counting(lines: Backwards, latest: int, known: Mapping[int, LastAct | None]) -> LastAct | None:
    """The newest action that counts; None when there is none to undo.

    :param known: earlier revisions, and the answers that were found there
    """
    seq = latest
    while seq > 0:
        if seq in known:
            return known[seq]
        here = lines[seq]
        if here.body["kind"] == "undone":
            seq = min(int(here.body["to"]), seq - 1)
            continue
        if _is_no_play(here.body):
            seq -= 1
            continue
        bottom = max((at for at in known if at < seq), default=0)  # no action goes on beyond a revision
        while seq > bottom and lines[seq].act == here.act:
            seq -= 1
        counts = here.act != f"open-{lines.code}" and seq >= 2
        return LastAct(seq, here.seat, here.name) if counts else None
    return None


def last_undo(lines: Backwards, latest: int) -> LastUndo | None:
    """The take-back since which nothing counts, those left out that were put back already; None when there is none."""
    seq = latest
    while seq > 2:
        here = lines[seq]
        if here.body["kind"] == "reseeded" or not (here.body["kind"] == "undone" or _is_no_play(here.body)):
            return None  # play went on; or an ending was taken back, which is brought about again instead
        if here.body["kind"] == "undone":
            to = int(here.body["to"])
            lines.reach(to)
            if lines[to + 1].body["kind"] != "undone":
                by = here.seat if here.name == "take-back" else ""
                return None if lines.has_ended(to, seq) else LastUndo(seq - 1, by)
            seq = to  # this put something back: what was taken back before that is next
            continue
        seq -= 1
    return None


def seats_since(
    store: Store, code: str, line: int, latest: int, void: Sequence[tuple[int, int]]
) -> frozenset[str]:
    """The seats whose actions after a line would be undone by going back to it.

    :param void: spans of the record that were taken back already
    """
    return frozenset(
        item.seat
        for item in store.events(code, max(line, 0), latest)
        if not _is_no_play(item.body)
        and item.kind != "undone"
        and not any(low < item.seq < high for low, high in void)
    )


def taken_back(store: Store, code: str, latest: int) -> list[tuple[int, int]]:
    """Spans of the record that later undos made void; an undo that was itself taken back voids nothing."""
    seq, spans = latest, []
    for undo in reversed(store.events(code, 0, latest, kinds=("undone",))):
        if undo.seq <= seq:
            spans.append((int(undo.body["to"]), undo.seq))
            seq = min(int(undo.body["to"]), undo.seq - 1)
    return spans
