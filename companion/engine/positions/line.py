"""Fast entry of positions: a line a move, in the words players use over the map.

3Pz 2408                 a unit goes to a hex, or comes on record there
3Pz, 23Pz 2408           several do
3Pz 2407 2408            the one that stands in 2407
2408 2409                a whole stack;  2408 2409 +2  its two top units
3Pz dead                 to a box;  -3Pz  to the dead pile;  3Pz off  off the record
soviet 3 2408            three unnamed Soviet units stand there;  soviet +1 2408  one more
german 3Pz 2408          whose it is, for the table's own screen
+3Pz 2408                surely a new unit, however like another's its name is
3Pz oos, 2408 fort 2     markers;  3Pz oos off;  3Pz =1  steps left
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from companion.engine.errors import Mistake, NotYours, Unknown, Unreadable
from companion.engine.hexes.typed import HexError, is_hex_text
from companion.engine.kit.blocks import Marker
from companion.engine.kit.roster import Unit, slug, unit_facts
from companion.engine.people.units import marker_value
from companion.engine.play.actions import Events
from companion.engine.positions.names import MOST_NAME, closest, free_id, is_unnamed, key_of
from companion.engine.positions.reader import Reader, by_comma
from companion.engine.record.changes import change, create, move, put_mark
from companion.engine.record.game import Game
from companion.limits import ENTRY_LINE, ENTRY_LINES, PROBLEMS

MOST_UNNAMED = 40
STEPS = re.compile(r"=([0-9])")
COUNT = re.compile(r"\+?([0-9]{1,2})")


class BadLines(Unreadable):
    """Everything wrong with one entry, line by line; nothing of it was applied."""

    def __init__(self, problems: Sequence[tuple[int, Mistake]], lines: int, name: str = "text") -> None:
        self.problems = [(n, p.message if lines == 1 else f"line {n}: {p.message}") for n, p in problems]
        super().__init__("\n".join(message for _, message in self.problems), field=name)
        self.accepted = next((p.accepted for _, p in problems if p.accepted), "")

    def to_json(self) -> dict[str, object]:
        return {**super().to_json(), "errors": [{"line": n, "error": m} for n, m in self.problems]}


def split_lines(text: str) -> list[tuple[int, str]]:
    """The lines of an entry with their numbers; semicolons part lines too."""
    parts = [part.partition("#")[0].strip() for line in text.splitlines() for part in line.split(";")]
    return [(n, part) for n, part in enumerate((p for p in parts if p), 1)]


def enter(game: Game, seat: str, text: str) -> Events:
    """The events of a whole entry; each must be applied before the next is asked for.

    :raises BadLines: after the last line, naming every bad one; whoever applies events then throws them away.
    """
    lines = split_lines(text)
    if not lines:
        raise Unreadable("type a line such as 3Pz 2408", field="text")
    if len(lines) > ENTRY_LINES:
        raise Unreadable(f"{len(lines)} lines at once are too many: at most {ENTRY_LINES}", field="text")
    problems: list[tuple[int, Mistake]] = []
    for number, line in lines:
        try:
            yield from Line(game, seat, text=line).events()
        except Mistake as mistake:
            problems.append((number, mistake))
        if len(problems) == PROBLEMS and number < len(lines):
            problems.append((number + 1, Unreadable("this line and those after it were not read any more")))
            break
    if problems:
        raise BadLines(problems, len(lines))


# -- one line --------------------------------------------------------------------------------------------


@dataclass
class Line(Reader):
    """One typed line, read against the game as it is now."""

    text: str = ""
    new: bool = False
    words: list[str] = field(default_factory=list)

    def events(self) -> Events:
        """What the line does."""
        if len(self.text) > ENTRY_LINE:
            raise Unreadable(f"the line is longer than {ENTRY_LINE} characters: split it")
        self.words = self.text.replace(",", " , ").split()
        out = self._sign()
        self._side()
        if not self.words:
            raise Unreadable(f"{self.text!r} names no unit. Type a line such as 3Pz 2408")
        if out:
            yield from self._send(self.picked(self.words), out_box(self.game))
        elif (unnamed := self._unnamed()) is not None:
            yield from unnamed
        elif steps := STEPS.fullmatch(self.words[-1]):
            for unit in self.picked(self.words[:-1]):
                yield change(self.game, unit.id, {"steps": int(steps[1])}, reason="by hand")
        elif (marked := self._marker()) is not None:
            yield from self._mark(*marked)
        else:
            yield from self._move()

    def _sign(self) -> bool:
        """Take a leading + or - off the line; say whether it was a minus."""
        head = self.words[0] if self.words else ""
        if head[:1] in {"-", "\u2212", "\u2013"} or head[:1] == "+":
            self.words[0] = head[1:]
            self.words = [w for w in self.words if w]
            self.new = head[0] == "+"
            return not self.new
        return False

    def _side(self) -> None:
        """Take a leading side's name off the line."""
        if not self.words:
            return
        for side in self.game.kit.sides:
            if self.words[0].casefold() in {
                side.id,
                side.name.casefold(),
                side.adjective.casefold() or side.id,
            }:
                self.side = side.id
                self.words = self.words[1:]
                if self.seat not in {"table", side.id}:
                    raise NotYours(f"{side.name} units are entered on the {side.name} seat or at the table")
                if self.words and self.words[0].startswith("+") and not COUNT.fullmatch(self.words[0]):
                    self.words[0], self.new = self.words[0][1:], True
                return
        if self.seat in self.game.sides:
            self.side = self.seat

    # -- markers

    @property
    def _markers(self) -> list[Marker]:
        return [m for m in self.game.kit.markers if m.by_hand]

    def _marker(self) -> tuple[list[str], Marker, Any] | None:
        """The marker at the end of the line with its value, and the words before it."""
        if len(self.words) > 1 and all(self.hex_of(w) or w == "," for w in self.words[1:]):
            first = self.words[0].casefold()
            for marker in self._markers:
                named = first in {marker.id, marker.label.casefold(), marker.symbol.casefold()}
                if named and "hex" in marker.on and self.called(first, exact=True) is None:
                    return self.words[1:], marker, marker_value(marker.values, "on")
        for cut in range(1, len(self.words)):
            tail = " ".join(self.words[cut:]).casefold()
            for marker in self._markers:
                for name in {marker.id, marker.label.casefold(), marker.symbol.casefold()} - {""}:
                    value = "on" if tail == name else tail.removeprefix(name + " ")
                    if tail != name and (value == tail or " " in value):
                        continue
                    try:
                        return self.words[:cut], marker, marker_value(marker.values, value)
                    except Mistake:
                        if self.hex_of(value) is None:  # "A 2408" moves a unit that is called A
                            raise
        return None

    def _mark(self, words: list[str], marker: Marker, value: Any) -> Events:
        hexes_only = all(self.hex_of(word) or word == "," for word in words)
        for part in ([w] for w in words if w != ",") if hexes_only else by_comma(words):
            here = self.hex_of(part[0]) if len(part) == 1 else None
            if here is not None and "hex" in marker.on and self.called(part[0], exact=True) is None:
                yield put_mark(self.game, here, marker.id, value)
                continue
            if "unit" not in marker.on:
                raise Unreadable(f"{marker.label} lies in a hex: type its number, as in 2408 {marker.id}")
            for unit in self.picked(part):
                yield put_mark(self.game, unit.id, marker.id, value)

    # -- moving

    def _move(self) -> Events:
        words, count = self.words, None
        if (
            len(words) > 2
            and (found := COUNT.fullmatch(words[-1]))
            and self.place_of(words[-2:-1]) is not None
        ):
            words, count = words[:-1], int(found[1])
        cut, place = self._target(words)
        head = words[:cut]
        if not head:
            raise Unreadable(
                f"what goes to {' '.join(words)}? Type a unit or a hex before it, as in 3Pz 2408"
            )
        if count is not None:
            stack = self.stack(head, count)
            if not stack:
                raise Unreadable(
                    f"+{count} counts a stack from its top: type two hexes, as in 2408 2409 +{count}"
                )
            yield from self._send(stack, place)
            return
        for part in by_comma(head):
            stack = [] if self.new else self.stack(part)
            if stack:
                yield from self._send(stack, place)
                continue
            unit = None if self.new else self.called(" ".join(part))
            if (
                unit is None
                and not self.new
                and len(part) > 1
                and (here := self.hex_of(part[-1])) is not None
            ):
                unit = self.called(" ".join(part[:-1]), at=here)
                if unit is None:
                    raise Unknown(f"no {' '.join(part[:-1])!r} is recorded in {here}")
            if unit is None:
                yield from self._create(" ".join(part), place)
            else:
                yield from self._send([unit], place)

    def _target(self, words: Sequence[str]) -> tuple[int, str]:
        """Where the line's last words say to go, and how many words come before them."""
        for cut in range(len(words) - 1, -1, -1):
            place = self.place_of(words[cut:])
            if place is not None:
                return cut, place
        boxes = ", ".join(b.id for b in self.game.kit.boxes)
        raise Unreadable(
            f"{self.text[:60]!r} does not end with a place: a hex number such as 2408"
            f"{', or ' + boxes if boxes else ''}",
            accepted=boxes,
        )

    def _send(self, units: Iterable[Unit], place: str) -> Events:
        # Bottom first, so that the stack arrives in its own order.
        for unit in sorted(units, key=lambda u: u.order):
            if unit.place != place:
                yield move(self.game, unit.id, place)

    def _create(self, name: str, place: str) -> Events:
        """A unit comes on record: the scenario's own of that name, or a new one."""
        game = self.game
        mine = [d for d in game.roster if self.side in {"", d.side} and d.id not in game.units]
        listed = [] if self.new else [d for d in mine if key_of(name) in {key_of(d.id), key_of(d.name)}]
        listed = listed or ([] if self.new else closest(key_of(name), mine))
        if listed and (len(listed) == 1 or len({d.name for d in listed}) == 1):
            yield create(game, listed[0].id, place, unit_facts(listed[0]))
            return
        if is_hex_text(name) and not self.new and not self._is_number_of_a_unit(name):
            try:
                self.game.maps.parse(name)
            except HexError as error:
                unit = f" If {name} is a unit: +{name} {self.words[-1]}"
                raise HexError(error.message + unit, error.suggestions) from None
        close = [] if self.new else self.like(name)
        if close:
            raise Unknown(
                f"there is no unit {name!r}. Did you mean {' or '.join(close)}? "
                f"A new one: +{name} {self.words[-1]}",
                given=name,
                accepted=", ".join(close),
            )
        if not self.side:
            sides = " or ".join(f"{s.id} {name} {self.words[-1]}" for s in game.kit.sides)
            raise Unknown(f"whose unit is {name!r}? Type {sides}", given=name)
        if len(name) > MOST_NAME:
            raise Unreadable(f"the name {name[:20]!r}... is longer than {MOST_NAME} characters", given=name)
        yield create(
            game, free_id(game, slug(f"{self.side} {name}")), place, {"side": self.side, "name": name}
        )

    def _is_number_of_a_unit(self, name: str) -> bool:
        """Three digits are no hex where every hex has four: then 294 is a division."""
        ids = (hex_id for grid in self.game.maps.grids for hex_id in grid.ids)
        return len(name) == 3 and name.isdigit() and not any(hex_id[-4] == "0" for hex_id in ids)

    def _unnamed(self) -> Events | None:
        """`soviet 3 2408`: how many unnamed units of a side a hex holds."""
        named = self.words and self.text.lstrip("+-").casefold().split()[0] != self.words[0].casefold()
        if not (named and len(self.words) == 2 and (count := COUNT.fullmatch(self.words[0]))):
            return None
        place = self.place_of(self.words[1:])
        if place is None or self.called(self.words[0], exact=True) is not None:
            return None
        return self._count(place, int(count[1]), more=self.words[0].startswith("+"))

    def _count(self, place: str, wanted: int, *, more: bool) -> Events:
        game = self.game
        here = [u for u in game.units_at(place) if u.side == self.side and is_unnamed(u)]
        if wanted > MOST_UNNAMED:
            raise Unreadable(f"{wanted} units in one place are too many: at most {MOST_UNNAMED}")
        for unit in [] if more else here[wanted:]:
            yield move(game, unit.id, "")
        waiting = [u for u in game.units.values() if u.side == self.side and is_unnamed(u) and not u.place]
        for _ in range(wanted if more else wanted - len(here)):
            if waiting:
                yield move(game, waiting.pop().id, place)
            else:
                unit_id = free_id(game, f"{self.side}-unit-1")
                yield create(game, unit_id, place, {"side": self.side, "kind": "unit"})


def out_box(game: Game) -> str:
    """Where eliminated units go: the first box marked out, else off the record."""
    return next((f"box:{b.id}" for b in game.kit.boxes if b.out), "")
