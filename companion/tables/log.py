"""The log of a table: its actions newest first, each with the lines that a seat may read."""

from __future__ import annotations

import marshal
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Any

from companion.engine.alike import gathered
from companion.engine.guard import attempt
from companion.engine.play.rules import Rules
from companion.engine.record.game import Game
from companion.engine.seat.story import act_words, battle_of, battle_story, lowered
from companion.engine.seat.view import seat_name
from companion.engine.seat.words import describe
from companion.store import StoredEvent
from companion.tables.backwards import LastAct
from companion.tables.clocks import is_clock_line
from companion.tables.past import KEPT, Deed, Past
from companion.tables.reading import Seen, seen_record
from companion.tables.seating import is_seat_line

LOOK_BACK = 120
"""So many lines of the record at least are looked through for a screen's strip."""
LONGEST = 60
"""So many lines of one action at most are drawn on any page."""
LAST = attrgetter("last")
UNTOLD = "(something that cannot be put into words)"


@dataclass(eq=False)  # not frozen: that would take longer to make than to read; nobody changes it
class Entry:
    """One line of the log: an action with what it did. Two are the same only if they are one."""

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
    battle: int = 0
    """The battle it tells of from beginning to end, in a sentence and then line by line; 0 for an action."""


def in_order(seen: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Events as they are told: the result of a battle before everything that led to it, and dice after what they came to.

    What was asked and answered in one breath is nobody's to do.
    """
    bodies = list(seen)
    settled = {body["id"] for body in bodies if body["kind"] == "answered"}
    open_still = (body for body in bodies if body["kind"] != "asked" or body["id"] not in settled)
    return sorted(open_still, key=lambda body: {"resolved": 0, "rolled": 2}.get(body["kind"], 1))


def told(seen: Iterable[dict[str, Any]], game: Game) -> list[str]:
    """What happened, in words."""
    lines = (_line(body, game) for body in in_order(seen))
    return [line for line in lines if line]


def _line(body: dict[str, Any], game: Game) -> str:
    return attempt("A line of the log", partial(describe, body, game), UNTOLD)


def _battle(record: list[Seen]) -> int:
    """The battle an action belongs to: it declares it, or answers something of it. Ending a phase only leaves it."""
    if any(part.body["kind"] == "advanced" for part in record):
        return 0
    first = battle_of(record[0].body, record[0].seq)
    declared = (battle_of(part.body, part.seq) for part in record if part.body["kind"] == "engaged")
    return first or next(declared, 0)


Void = Callable[[Deed], bool]
"""Whether an action was taken back."""


def _void(spans: list[tuple[int, int]]) -> Void:
    """:param spans: of the record, none of which reaches into another"""
    ordered = sorted(spans)
    begins = [low for low, _ in ordered]

    def is_void(deed: Deed) -> bool:
        index = bisect_left(begins, deed.first) - 1
        return index >= 0 and deed.first < ordered[index][1] and not deed.about_seats

    return is_void


def _by_battle(deeds: Iterable[Deed], void: Void, limit: int) -> list[tuple[list[Deed], bool]]:
    """Actions with those of one battle together, where its newest stands; what was taken back stays by itself.

    :param deeds: newest first
    :return: each with whether it was taken back
    """
    groups: dict[tuple[str, int, bool], list[Deed]] = {}
    begun = sys.maxsize
    """The line with which the oldest of their battles began: nothing older belongs to any of them."""
    for deed in deeds:
        if len(groups) == limit:
            if deed.last < begun:
                break
            if not deed.battle:
                continue
        taken_back = void(deed)
        key = ("battle", deed.battle, taken_back) if deed.battle else ("act", deed.first, taken_back)
        if key in groups or len(groups) < limit:
            groups.setdefault(key, []).append(deed)
            begun = min(begun, deed.battle or begun)
    return [(group, taken_back) for (_, _, taken_back), group in groups.items()]


def _between(deeds: Sequence[Deed], floor: int, top: int = sys.maxsize) -> list[Deed]:
    """Those of some actions, oldest first, that end after one line and not after another."""
    first = bisect_right(deeds, floor, key=LAST)
    return list(
        deeds[first : bisect_right(deeds, top, first, key=LAST) if deeds and deeds[-1].last > top else None]
    )


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
        floor = max(0, top - max(limit * 4, LOOK_BACK))  # one battle may be forty lines of the record
        if before or not most:
            return self._entries(self._read(floor, top, most), limit, most, floor)
        deeds = self._remembered(floor, top)
        told: dict[tuple[Any, ...], list[Entry]] = self.game.worked.meanwhile("strips", dict)
        key = (latest, limit, most, *deeds)
        if key not in told:  # otherwise a seat that reads the same was told it
            told[key] = self._entries(deeds, limit, most, floor)
        return told[key]

    def _entries(self, deeds: list[Deed], limit: int, most: int, floor: int) -> list[Entry]:
        """What was done above a line, in words."""
        void = _void([span for span in self.past.taken_back(self.game.revision) if span[1] > floor])
        told = (deed for deed in reversed(deeds) if deed.lines)
        return [self._worded(group, undone, most) for group, undone in _by_battle(told, void, limit)]

    def _worded(self, deeds: list[Deed], undone: bool, most: int) -> Entry:
        """An entry, put into words again only when something has changed that they look at."""
        if not most:
            return self._entry(deeds, undone, most)
        named = [self._undone(body) for deed in deeds if "undone" in deed.kinds for body in deed.bodies]
        key, worked = ("entry", *deeds, *named, undone, most), self.game.worked
        held = worked.recall(key) or worked.hold(self.game, key, partial(self._entry, deeds, undone, most))
        found: Entry = held.value
        return found

    def lines_of(self, last: int) -> list[str]:
        """The lines of the action that ended with this event."""
        deeds = self._remembered(max(0, last - 1), last)
        return [self._told(body) for deed in deeds if deed.last == last for body in deed.bodies]

    def name_of(self, act: LastAct) -> str:
        """What an action is called where it may be undone; nothing where it is another's secret."""
        deed = self.past.beginning(self.seat, act.to + 1)
        action = self.rules.actions.get(deed.name if deed else act.name)
        if deed is not None:
            names: dict[Deed, str] = self.game.worked.meanwhile("names", dict)
            if deed not in names:
                names[deed] = act_words(deed.bodies, action.label if action else "")
            return names[deed]
        return lowered(action.label) if action and (not action.secret or act.seat == self.seat) else ""

    def _entry(self, deeds: list[Deed], undone: bool, most: int) -> Entry:
        """One action, or all of a battle; newest first."""
        newest, oldest = deeds[0], deeds[-1]
        action = self.rules.actions.get(oldest.name)
        bodies = [body for deed in reversed(deeds) for body in deed.bodies]
        raw = [self._told(body) for body in bodies]
        lines = gathered(raw)  # who went the same way is one line
        count = sum(deed.lines for deed in deeds) - len(raw) + len(lines)
        if oldest.battle:
            story = partial(battle_story, bodies, oldest.battle, self.game)
            lines, count = [attempt("A battle in the log", story, UNTOLD), *lines], count + 1
        shown = count if not most or count <= most + 1 else most
        return Entry(
            oldest.first,
            newest.last,
            newest.at,
            oldest.seat,
            seat_name(self.game, oldest.seat),
            action.label if action else oldest.name.capitalize(),
            action.rule if action else "",
            lines[:shown],
            count - len(lines[:shown]),
            newest.turn,
            newest.phase,
            list(dict.fromkeys(kind for deed in deeds for kind in deed.kinds)),
            undone,
            newest.about_seats,
            oldest.battle,
        )

    def _told(self, body: dict[str, Any]) -> str:
        """A line; of a take-back it names what was taken back, as far as this seat has read it."""
        line, deed = _line(body, self.game), self._undone(body)
        if deed is None or not line.startswith("taken back"):
            return line
        action = self.rules.actions.get(deed.name)
        name = act_words(deed.bodies, action.label if action else "")
        why = f" ({body['reason']})" if body.get("reason") else ""
        how = "taken back" if why else "took back"  # by consent it was nobody's alone
        return f"{how}: {name}{why}" if name else line

    def _undone(self, body: dict[str, Any]) -> Deed | None:
        """What a take-back took back, as far as this seat has read it."""
        return self.past.beginning(self.seat, int(body["to"]) + 1) if body["kind"] == "undone" else None

    def _remembered(self, floor: int, top: int) -> list[Deed]:
        """The actions that end above `floor`, oldest first; only those that were never asked for are read."""
        known = self.past.deeds(self.seat)
        if not known:
            known = self._read(floor, top, LONGEST)
        elif known[-1].last < top:
            items = self.past.events(known[-1].last, top)
            known = [*known, *self._deeds(items, LONGEST, (known[-1].turn, known[-1].phase))]
        if known and known[0].first - 1 > floor and len(known) < KEPT:
            known = [*self._read(floor, known[0].first - 1, LONGEST), *known]
        self.past.keep(self.seat, _between(known, top - LOOK_BACK))
        return _between(known, floor, top)

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
            open_to_all = not any(item.body.get("only") for item in items)
            known = self.past.shared(items[0].seq, items[-1].seq) if open_to_all else None
            if known is not None:
                found.append(known)
                where = known.turn, known.phase
                continue
            record = [p for p in seen_record(self.rules, items, self.seat) if not is_clock_line(p.body)]
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
                marshal.dumps(bodies[: most + 1] if most else bodies),
                len(bodies),
                list(dict.fromkeys(str(part.body["kind"]) for part in record)),
                *where,
                about_seats=all(is_seat_line(part.body) for part in record),
                battle=_battle(record),
                is_open=open_to_all,
            )
            found.append(self.past.share(deed))
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
