"""Going back over a table's record to find what an undo would undo, and what was taken back already."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.engine.people.consent import DEEDS
from companion.store import Store, StoredEvent
from companion.tables.seating import is_seat_line


class Backwards:
    """A table's lines for whoever goes back over them: those above `floor` at once, then hundreds at a time."""

    def __init__(self, store: Store, code: str, floor: int) -> None:
        self.store, self.code, self.floor = store, code, floor
        self._held: dict[int, StoredEvent] = {}

    def __getitem__(self, seq: int) -> StoredEvent:
        if seq not in self._held:
            floor = self.floor if seq > self.floor else max(0, seq - 20 - 10 * len(self._held))
            self._held = {item.seq: item for item in self.store.events(self.code, floor, seq)}
        return self._held[seq]


def _is_no_play(body: Mapping[str, Any]) -> bool:
    """Whether a line is nothing that Undo takes back: a joining phone, a request for consent, what a take-back entails."""
    asks = str(body.get("by", "")) in DEEDS or str(body.get("id", "")).startswith(
        tuple(f"{d}-" for d in DEEDS)
    )
    words = str(body.get("name", "")).startswith("entropy-")
    return is_seat_line(body) or asks or words or body["kind"] == "reseeded"


def last_counting(store: Store, code: str, latest: int, known: tuple[int, int | None] | None) -> int | None:
    """The line before the newest action that counts; None when there is none to undo.

    :param known: an earlier revision, and the answer that was found there
    """
    lines, seq = Backwards(store, code, known[0] if known else max(0, latest - 20)), latest
    while seq > 0:
        if known and seq == known[0]:
            return known[1]
        here = lines[seq]
        if here.body["kind"] == "undone":
            seq = min(int(here.body["to"]), seq - 1)
            continue
        if _is_no_play(here.body):
            seq -= 1
            continue
        bottom = known[0] if known and known[0] < seq else 0  # no action goes on beyond a revision
        while seq > bottom and lines[seq].act == here.act:
            seq -= 1
        return seq if here.act != f"open-{code}" and seq >= 2 else None
    return None


def taken_back(store: Store, code: str, latest: int) -> list[tuple[int, int]]:
    """Spans of the record that later undos made void; an undo that was itself taken back voids nothing."""
    seq, spans = latest, []
    for undo in reversed(store.events(code, 0, latest, kinds=("undone",))):
        if undo.seq <= seq:
            spans.append((int(undo.body["to"]), undo.seq))
            seq = min(int(undo.body["to"]), undo.seq - 1)
    return spans
