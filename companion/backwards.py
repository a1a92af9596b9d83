"""Going back over a table's record to find what an undo would undo."""

from __future__ import annotations

from companion.seating import is_seat_line
from companion.store import Store, StoredEvent


class Backwards:
    """A table's lines for whoever goes back over them: a few at first, then hundreds at a time."""

    def __init__(self, store: Store, code: str) -> None:
        self.store, self.code = store, code
        self._held: dict[int, StoredEvent] = {}

    def __getitem__(self, seq: int) -> StoredEvent:
        if seq not in self._held:
            floor = max(0, seq - 20 - 10 * len(self._held))
            self._held = {item.seq: item for item in self.store.events(self.code, floor, seq)}
        return self._held[seq]


def last_counting(store: Store, code: str) -> int | None:
    """The line before the newest action that counts; None when there is none to undo."""
    lines, seq = Backwards(store, code), store.latest(code)
    while seq > 0:
        here = lines[seq]
        if here.body["kind"] == "undone":
            seq = min(int(here.body["to"]), seq - 1)
            continue
        # A joining phone is never what Undo takes back, and a new seed came with the take-back before it.
        if is_seat_line(here.body) or here.body["kind"] == "reseeded":
            seq -= 1
            continue
        while seq > 0 and lines[seq].act == here.act:
            seq -= 1
        return seq if here.act != f"open-{code}" and seq >= 2 else None
    return None
