"""The log of a table: its actions newest first, each with the lines that a seat may read."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import partial
from typing import Any

from companion.engine.guard import attempt
from companion.engine.play.rules import Rules
from companion.engine.record.game import Game
from companion.engine.seat.view import seat_name
from companion.engine.seat.words import describe
from companion.store import Store, StoredEvent
from companion.tables.backwards import taken_back
from companion.tables.reading import seen_record
from companion.tables.seating import is_seat_line

LOOK_BACK = 120
UNTOLD = "(something that cannot be put into words)"


@dataclass(frozen=True)
class Entry:
    """One line of the log: an action with what it did."""

    first: int
    last: int
    at: str
    seat: str
    seat_name: str
    label: str
    rule: str
    lines: list[str]
    turn: int
    phase: str
    kinds: list[str]
    undone: bool = False
    about_seats: bool = False
    """It tells who sits where, which no undo takes back."""


def told(seen: list[dict[str, Any]], game: Game) -> list[str]:
    """What happened, in words; the result of a battle comes before the roll and everything that led to it."""
    order = sorted(seen, key=lambda body: body["kind"] != "resolved")
    lines = (attempt("A line of the log", partial(describe, body, game), UNTOLD) for body in order)
    return [line for line in lines if line]


class TableLog:
    """One table's log as one seat reads it."""

    def __init__(self, store: Store, code: str, rules: Rules, game: Game, seat: str) -> None:
        self.store, self.code, self.rules, self.game, self.seat = store, code, rules, game, seat

    def entries(self, limit: int, before: int | None = None) -> list[Entry]:
        """Newest actions first; those that have no line for this seat are left out."""
        top = (before - 1) if before else self.store.latest(self.code)
        stored = self._whole_actions(max(0, top - limit * 4), top)
        groups: OrderedDict[str, list[StoredEvent]] = OrderedDict()
        for item in stored:
            groups.setdefault(item.act, []).append(item)
        first = stored[0].seq - 1 if stored else 0
        turn, phase = self._position(first)
        void = taken_back(self.store, self.code, max(0, first - 100))
        found = []
        for items in groups.values():
            record = seen_record(self.rules, items, self.seat)
            for body in (part.body for part in record):
                if body["kind"] == "advanced":
                    turn, phase = int(body["turn"]), str(body["phase"])
                elif body["kind"] == "undone":
                    turn, phase = self._position(int(body["to"]))
            undone = any(low < items[0].seq < high for low, high in void)
            name = next((part.name for part in record if part.name), "")
            found.append(self._entry(items, [part.body for part in record], name, turn, phase, undone))
        return [entry for entry in reversed(found) if entry.lines][:limit]

    def _entry(
        self,
        items: list[StoredEvent],
        seen: list[dict[str, Any]],
        name: str,
        turn: int,
        phase: str,
        undone: bool,
    ) -> Entry:
        action = self.rules.actions.get(name)
        about_seats = all(is_seat_line(i.body) for i in items)
        return Entry(
            items[0].seq,
            items[-1].seq,
            items[0].at,
            items[0].seat,
            seat_name(self.game, items[0].seat),
            action.label if action else name.capitalize(),
            action.rule if action else "",
            told(seen, self.game),
            turn,
            phase,
            [str(b["kind"]) for b in seen],
            undone and not about_seats,
            about_seats,
        )

    def _whole_actions(self, floor: int, top: int) -> list[StoredEvent]:
        """The events above `floor`, and below it what belongs to the first of them."""
        stored = self.store.events(self.code, floor, top)
        while floor and stored:  # an action cut in half would begin with a line from its middle
            before_it = self.store.events(self.code, max(0, floor - 200), floor)
            if before_it[-1].act != stored[0].act:
                break
            stored = [*(i for i in before_it if i.act == stored[0].act), *stored]
            floor = stored[0].seq - 1
        return stored

    def _position(self, seq: int) -> tuple[int, str]:
        """Turn and phase after a line of the log, with what was taken back left out.

        A phase of hundreds of lines is the one we are in: we look back a little, not to the beginning.
        """
        floor = max(0, seq - LOOK_BACK)
        items = {s.seq: s.body for s in self.store.events(self.code, floor, seq)}
        while seq > floor:
            body = items[seq]
            if body["kind"] == "advanced":
                return int(body["turn"]), str(body["phase"])
            seq = int(body["to"]) if body["kind"] == "undone" else seq - 1
        return (self.game.turn, self.game.phase) if seq > 0 else (self.game.scenario.first, "")
