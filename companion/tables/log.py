"""The log of a table: its actions newest first, each with the lines that a seat may read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any

from companion.engine.guard import attempt
from companion.engine.play.rules import Rules
from companion.engine.record.game import Game
from companion.engine.seat.view import seat_name
from companion.engine.seat.words import describe
from companion.store import StoredEvent
from companion.tables.past import Deed, Past
from companion.tables.reading import seen_record
from companion.tables.seating import is_seat_line

LOOK_BACK = 120
LONGEST = 60
"""So many lines of one action at most are drawn on any page."""
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
    left_out: int
    """How many more lines there are."""
    turn: int
    phase: str
    kinds: list[str]
    undone: bool
    about_seats: bool
    """It tells who sits where, which no undo takes back."""


def in_order(seen: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Events as they are told: the result of a battle comes before the roll and everything that led to it."""
    return sorted(seen, key=lambda body: body["kind"] != "resolved")


def told(seen: Iterable[dict[str, Any]], game: Game) -> list[str]:
    """What happened, in words."""
    lines = (_line(body, game) for body in in_order(seen))
    return [line for line in lines if line]


def _line(body: dict[str, Any], game: Game) -> str:
    return attempt("A line of the log", partial(describe, body, game), UNTOLD)


class TableLog:
    """One table's log as one seat reads it."""

    def __init__(self, past: Past, rules: Rules, game: Game, seat: str) -> None:
        self.past, self.store, self.code = past, past.store, past.code
        self.rules, self.game, self.seat = rules, game, seat

    def entries(self, limit: int, before: int | None = None, most: int = 0) -> list[Entry]:
        """Newest actions first; those that have no line for this seat are left out.

        :param most: so many lines of an action after its first, no more than LONGEST; all without it
        """
        latest = self.game.revision
        top = min(before - 1, latest) if before else latest
        floor = max(0, top - limit * 4)
        deeds = self._remembered(floor, top) if most and not before else self._read(floor, top, most)
        void = self.past.taken_back(latest)
        return [self._entry(deed, void, most) for deed in reversed(deeds) if deed.lines][:limit]

    def _entry(self, deed: Deed, void: list[tuple[int, int]], most: int) -> Entry:
        action = self.rules.actions.get(deed.name)
        shown = deed.lines if not most or deed.lines <= most + 1 else most
        return Entry(
            deed.first,
            deed.last,
            deed.at,
            deed.seat,
            seat_name(self.game, deed.seat),
            action.label if action else deed.name.capitalize(),
            action.rule if action else "",
            [_line(body, self.game) for body in deed.bodies[:shown]],
            deed.lines - shown,
            deed.turn,
            deed.phase,
            deed.kinds,
            not deed.about_seats and any(low < deed.first < high for low, high in void),
            deed.about_seats,
        )

    def _remembered(self, floor: int, top: int) -> list[Deed]:
        """The actions that end above `floor`, oldest first; only those that were never asked for are read."""
        known = self.past.newest(self.seat, floor, top)
        if known is None:
            fresh = self._read(floor, top, LONGEST)
        else:
            items = self.store.events(self.code, known.last, top) if known.last < top else []
            fresh = self._deeds(items, LONGEST, (known.turn, known.phase))
        older = list[Deed]()
        while known is not None and known.last > floor:
            older.append(known)
            earlier = self.past.deed(self.seat, known.first - 1)
            if earlier is None and known.first - 1 > floor:
                older += reversed(self._read(floor, known.first - 1, LONGEST))
            known = earlier
        found = [*reversed(older), *fresh]
        for deed in found:
            self.past.keep(self.seat, deed)
        return found

    def _read(self, floor: int, top: int, most: int) -> list[Deed]:
        """The actions that end between two lines, from the record."""
        stored = self._whole_actions(floor, top)
        return self._deeds(stored, most, self._position(stored[0].seq - 1 if stored else 0))

    def _deeds(self, stored: list[StoredEvent], most: int, where: tuple[int, str]) -> list[Deed]:
        """Whole actions as this seat may read them.

        :param where: turn and phase before the first of them
        """
        found = []
        for _, group in groupby(stored, key=lambda item: item.act):
            items = list(group)
            record = seen_record(self.rules, items, self.seat)
            for part in record:
                if part.body["kind"] == "advanced":
                    where = int(part.body["turn"]), str(part.body["phase"])
                elif part.body["kind"] == "undone":
                    where = self._position(int(part.body["to"]))
            bodies = [body for body in in_order(part.body for part in record) if _line(body, self.game)]
            deed = Deed(
                items[0].seq,
                items[-1].seq,
                items[0].at,
                items[0].seat,
                next((part.name for part in record if part.name), ""),
                bodies[: most + 1] if most else bodies,
                len(bodies),
                list(dict.fromkeys(str(part.body["kind"]) for part in record)),
                *where,
                about_seats=all(is_seat_line(item.body) for item in items),
            )
            found.append(deed)
        return found

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
        for item in reversed(self.store.events(self.code, floor, seq, kinds=("advanced", "undone"))):
            if item.seq > seq:
                continue
            if item.kind == "advanced":
                return int(item.body["turn"]), str(item.body["phase"])
            seq = int(item.body["to"])
        return (self.game.turn, self.game.phase) if floor and seq > 0 else (self.game.scenario.first, "")
