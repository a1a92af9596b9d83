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

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Annotated, Any, TypeVar

from companion.engine.actions import Events
from companion.engine.errors import Mistake, NotYours, Unknown, Unreadable
from companion.engine.fields import Text
from companion.engine.game import Game
from companion.engine.hextext import HexError, is_hex_text
from companion.engine.kit import Marker
from companion.engine.moves import change, create, move, put_mark
from companion.engine.roster import Unit, UnitDef, read_roster, slug, unit_facts
from companion.engine.rules import Rules

MOST_LINES = 500
MOST_NAME = 40
MOST_UNNAMED = 40
STEPS = re.compile(r"=([0-9])")
COUNT = re.compile(r"\+?([0-9]{1,2})")
OFF_RECORD = ("off", "away")


Named = TypeVar("Named", Unit, UnitDef)


class BadLines(Unreadable):
    """Everything wrong with one entry, line by line; nothing of it was applied."""

    def __init__(self, problems: Sequence[tuple[int, Mistake]], lines: int, name: str = "text") -> None:
        self.problems = [(n, p.message if lines == 1 else f"line {n}: {p.message}") for n, p in problems]
        super().__init__("\n".join(message for _, message in self.problems), field=name)
        self.accepted = next((p.accepted for _, p in problems if p.accepted), "")

    def to_json(self) -> dict[str, object]:
        return {**super().to_json(), "errors": [{"line": n, "error": m} for n, m in self.problems]}


@dataclass(frozen=True)
class Hints:
    """What may be meant by a line that is still being typed."""

    units: tuple[Unit, ...] = ()
    hexes: tuple[str, ...] = ()
    about: str = ""
    """The hex that the hexes lie around."""


def split_lines(text: str) -> list[tuple[int, str]]:
    """The lines of an entry with their numbers; semicolons part lines too."""
    parts = [part.partition("#")[0].strip() for line in text.splitlines() for part in line.split(";")]
    return [(n, part) for n, part in enumerate((p for p in parts if p), 1)]


def may_touch(game: Game, seat: str, unit: Unit) -> bool:
    """Whether a seat may move or mark a unit: its own; the table's screen, all."""
    return seat in {"table", unit.side}


def enter(game: Game, seat: str, text: str) -> Events:
    """The events of a whole entry; each must be applied before the next is asked for.

    :raises BadLines: after the last line, naming every bad one; whoever applies events then throws them away.
    """
    lines = split_lines(text)
    if not lines:
        raise Unreadable("type a line such as 3Pz 2408", field="text")
    if len(lines) > MOST_LINES:
        raise Unreadable(f"{len(lines)} lines at once are too many: at most {MOST_LINES}", field="text")
    problems: list[tuple[int, Mistake]] = []
    for number, line in lines:
        try:
            yield from Line(game, seat, line).events()
        except Mistake as mistake:
            problems.append((number, mistake))
    if problems:
        raise BadLines(problems, len(lines))


# -- one line --------------------------------------------------------------------------------------------


@dataclass
class Line:
    """One typed line, read against the game as it is now."""

    game: Game
    seat: str
    text: str
    side: str = ""
    new: bool = False
    words: list[str] = field(default_factory=list)

    def events(self) -> Events:
        """What the line does."""
        self.words = self.text.replace(",", " , ").split()
        out = self._sign()
        self._side()
        if not self.words:
            raise Unreadable(f"{self.text!r} names no unit. Type a line such as 3Pz 2408")
        if out:
            yield from self._send(self._picked(self.words), out_box(self.game))
        elif (unnamed := self._unnamed()) is not None:
            yield from unnamed
        elif steps := STEPS.fullmatch(self.words[-1]):
            for unit in self._picked(self.words[:-1]):
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

    # -- places and markers

    def _place(self, words: Sequence[str]) -> str | None:
        """The hex or box that these words name, None when they name none; a wrong hex is a HexError."""
        text = " ".join(words)
        if is_hex_text(text):
            return self.game.maps.parse(text)
        key = text.casefold()
        if key in OFF_RECORD:
            return ""
        names = {b.id: (b.id.replace("-", " "), b.id, b.label.casefold()) for b in self.game.kit.boxes}
        exact = [box for box, known in names.items() if key in known]
        near = [box for box, known in names.items() if len(key) > 2 and any(k.startswith(key) for k in known)]
        found = exact or near
        if len(found) > 1:
            raise Unreadable(f"{text!r} could be {' or '.join(found)}", accepted=", ".join(found))
        return f"box:{found[0]}" if found else None

    def _hex(self, word: str) -> str | None:
        """The hex a word names if it is one of this map."""
        try:
            return self.game.maps.parse(word) if is_hex_text(word) else None
        except HexError:
            return None

    def _marker(self) -> tuple[list[str], Marker, Any] | None:
        """The marker at the end of the line with its value, and the words before it."""
        from companion.engine.common import marker_value

        if len(self.words) > 1 and all(self._hex(w) or w == "," for w in self.words[1:]):
            first = self.words[0].casefold()
            for marker in self.game.kit.markers:
                named = first in {marker.id, marker.label.casefold(), marker.symbol.casefold()}
                if named and "hex" in marker.on and self._called(first, exact=True) is None:
                    return self.words[1:], marker, marker_value(marker.values, "on")
        for cut in range(1, len(self.words)):
            tail = " ".join(self.words[cut:]).casefold()
            for marker in self.game.kit.markers:
                for name in {marker.id, marker.label.casefold(), marker.symbol.casefold()} - {""}:
                    value = "on" if tail == name else tail.removeprefix(name + " ")
                    if tail != name and (value == tail or " " in value):
                        continue
                    try:
                        return self.words[:cut], marker, marker_value(marker.values, value)
                    except Mistake:
                        if self._hex(value) is None:  # "A 2408" moves a unit that is called A
                            raise
        return None

    def _mark(self, words: list[str], marker: Marker, value: Any) -> Events:
        hexes_only = all(self._hex(word) or word == "," for word in words)
        for part in ([w] for w in words if w != ",") if hexes_only else _parts(words):
            here = self._hex(part[0]) if len(part) == 1 else None
            if here is not None and "hex" in marker.on and self._called(part[0], exact=True) is None:
                yield put_mark(self.game, here, marker.id, value)
                continue
            if "unit" not in marker.on:
                raise Unreadable(f"{marker.label} lies in a hex: type its number, as in 2408 {marker.id}")
            for unit in self._picked(part):
                yield put_mark(self.game, unit.id, marker.id, value)

    # -- units

    def _picked(self, words: Sequence[str]) -> list[Unit]:
        """The units on record that these words name: units, stacks, or both, parted by commas."""
        return [unit for part in _parts(words) for unit in self._stack(part) or [self._known(part)]]

    def _stack(self, part: Sequence[str], count: int | None = None) -> list[Unit]:
        """The stack that one word names by its hex; empty when it names no hex."""
        here = self._hex(part[0]) if len(part) == 1 else None
        if here is None or self._called(part[0], exact=True) is not None:
            return []
        found = [u for u in self.game.units_at(here) if may_touch(self.game, self.seat, u)]
        found = [u for u in found if self.side in {"", u.side}]
        if len({u.side for u in found}) > 1:
            names = " or ".join(s.id for s in self.game.kit.sides)
            raise Unreadable(f"{here} holds units of both sides: begin the line with {names}", accepted=names)
        if not found:
            whose = f"{self.game.side_name(self.side)} " if self.side else ""
            near = [h for h in self.game.maps.neighbours(here) if self._own_at(h)]
            more = f" There is one in {' and in '.join(near[:3])}." if near else ""
            raise Unknown(f"no {whose}unit is recorded in {here}.{more}", accepted=", ".join(near))
        if count is not None and count > len(found):
            raise Unreadable(f"{here} holds only {len(found)}, not {count}", accepted=f"1 to {len(found)}")
        return found if count is None else found[:count]

    def _own_at(self, hex_id: str) -> bool:
        return any(u.place == hex_id and self.side in {"", u.side} for u in self.game.units.values())

    def _known(self, part: Sequence[str]) -> Unit:
        """One unit on record by its name, and by its hex where several share the name."""
        found = self._called(" ".join(part))
        if found is None and len(part) > 1 and (here := self._hex(part[-1])) is not None:
            found = self._called(" ".join(part[:-1]), at=here)
        if found is None:
            raise self._nobody(" ".join(part))
        return found

    def _called(self, name: str, *, at: str = "", exact: bool = False) -> Unit | None:
        """The unit that a name means, None when there is none; several are a mistake that lists them.

        A buried unit answers to its full name only: whoever can say it knows it, and nobody learns it here.
        """
        from companion.engine.sight import may_see_unit

        game, key = self.game, _key(name)
        mine = [u for u in game.units.values() if may_touch(game, self.seat, u) and self.side in {"", u.side}]
        if at:
            mine = [u for u in mine if u.place == at]
        full = [u for u in mine if key in {_key(u.id), _key(u.name)}]
        if full or exact or not key:
            return self._one(name, full)
        open_ = [u for u in mine if may_see_unit(game, u, self.seat)]
        return self._one(name, _closest(key, open_))

    def _one(self, name: str, found: list[Unit]) -> Unit | None:
        if len(found) > 1 and len({(u.side, u.place, _key(u.name), u.steps) for u in found}) > 1:
            listed = ", ".join(f"{u.id} ({_where(self.game, u)})" for u in found[:8])
            more = f" and {len(found) - 8} more" if len(found) > 8 else ""
            raise Unreadable(
                f"{name!r} could be {listed}{more}. Add the hex it stands in: {name} 2407 2408",
                given=name,
                accepted=", ".join(u.id for u in found[:8]),
            )
        # Twins in one stack are as good as each other: take the one on top.
        return max(found, key=lambda u: u.order) if found else None

    def _nobody(self, name: str) -> Mistake:
        close = self._like(name)
        more = f" Did you mean {' or '.join(close)}?" if close else ""
        return Unknown(
            f"there is no unit {name[:MOST_NAME]!r} on record.{more}", given=name, accepted=", ".join(close)
        )

    def _like(self, name: str) -> list[str]:
        from companion.engine.sight import may_see_unit

        open_ = [
            u.name
            for u in self.game.units.values()
            if u.name and self.side in {"", u.side} and may_see_unit(self.game, u, self.seat)
        ]
        names = {_key(n): n for n in open_}
        close = get_close_matches(_key(name), list(names), 3, 0.75)
        # 23rd is no slip of the fingers for 3rd: numbers tell units apart.
        return [names[k] for k in close if _digits(k) == _digits(_key(name))]

    # -- moving

    def _move(self) -> Events:
        words, count = self.words, None
        if len(words) > 2 and (found := COUNT.fullmatch(words[-1])) and self._place(words[-2:-1]) is not None:
            words, count = words[:-1], int(found[1])
        cut, place = self._target(words)
        head = words[:cut]
        if not head:
            raise Unreadable(
                f"what goes to {' '.join(words)}? Type a unit or a hex before it, as in 3Pz 2408"
            )
        if count is not None:
            stack = self._stack(head, count)
            if not stack:
                raise Unreadable(
                    f"+{count} counts a stack from its top: type two hexes, as in 2408 2409 +{count}"
                )
            yield from self._send(stack, place)
            return
        for part in _parts(head):
            stack = [] if self.new else self._stack(part)
            if stack:
                yield from self._send(stack, place)
                continue
            unit = None if self.new else self._called(" ".join(part))
            if unit is None and not self.new and len(part) > 1 and (here := self._hex(part[-1])) is not None:
                unit = self._called(" ".join(part[:-1]), at=here)
                if unit is None:
                    raise Unknown(f"no {' '.join(part[:-1])!r} is recorded in {here}")
            if unit is None:
                yield from self._create(" ".join(part), place)
            else:
                yield from self._send([unit], place)

    def _target(self, words: Sequence[str]) -> tuple[int, str]:
        """Where the line's last words say to go, and how many words come before them."""
        for cut in range(len(words) - 1, -1, -1):
            place = self._place(words[cut:])
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
        listed = [] if self.new else [d for d in mine if _key(name) in {_key(d.id), _key(d.name)}]
        listed = listed or ([] if self.new else _closest(_key(name), mine))
        if listed and (len(listed) == 1 or len({d.name for d in listed}) == 1):
            yield create(game, listed[0].id, place, unit_facts(listed[0]))
            return
        if is_hex_text(name) and not self.new and not self._is_number_of_a_unit(name):
            try:
                self.game.maps.parse(name)
            except HexError as error:
                unit = f" If {name} is a unit: +{name} {self.words[-1]}"
                raise HexError(error.message + unit, error.suggestions) from None
        close = [] if self.new else self._like(name)
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
        place = self._place(self.words[1:])
        if place is None or self._called(self.words[0], exact=True) is not None:
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


def _parts(words: Sequence[str]) -> Iterator[list[str]]:
    part: list[str] = []
    for word in words:
        if word == ",":
            if part:
                yield part
            part = []
        else:
            part.append(word)
    if part:
        yield part


def _key(name: str) -> str:
    """A name without what fingers leave out: case, spaces, points, ordinal endings."""
    return re.sub(r"[\W_]+", "", re.sub(r"(?<=\d)(st|nd|rd|th)\b", "", name.casefold()))


def _digits(key: str) -> list[str]:
    return re.findall(r"\d+", key)


def _shortens(key: str, name: str) -> bool:
    """Whether a key is a name with letters left out: 3pz for 3panzer, but not for 23panzer."""
    letters = iter(name)
    return len(key) > 2 and _digits(key) == _digits(name) and all(letter in letters for letter in key)


def _closest(key: str, units: Sequence[Named]) -> list[Named]:
    """The units a key may mean: by the beginning of the name, else of a word in it, else by its letters."""
    tests: tuple[Callable[[Named], bool], ...] = (
        lambda u: _key(u.name).startswith(key) or _key(u.id).startswith(key),
        lambda u: any(word.startswith(key) for word in _words(u.name)),
        lambda u: _shortens(key, _key(u.name)),
    )
    return next((found for test in tests if (found := [u for u in units if test(u)])), [])


def _words(name: str) -> list[str]:
    return [_key(w) for w in name.split() if _key(w)]


def _where(game: Game, unit: Unit) -> str:
    from companion.engine.describe import place_label

    return place_label(game, unit.place)


def is_unnamed(unit: Unit) -> bool:
    """Whether a unit stands for a counter that nobody cared to name."""
    return not unit.name and unit.kind == "unit"


def out_box(game: Game) -> str:
    """Where eliminated units go: the first box marked out, else off the record."""
    return next((f"box:{b.id}" for b in game.kit.boxes if b.out), "")


def free_id(game: Game, wanted: str) -> str:
    """An id that no unit has: the wanted one, or it with the next number."""
    stem, _, last = wanted.rpartition("-")
    base, number = (stem, int(last)) if last.isdigit() and stem else (wanted, 1)
    unit_id = wanted
    while unit_id in game.units:
        number += 1
        unit_id = f"{base}-{number}"
    return unit_id


# -- while typing ----------------------------------------------------------------------------------------


def hints(game: Game, seat: str, text: str, most: int = 12) -> Hints:
    """Units whose names begin as the last line does, or the hexes around the one it speaks of."""
    from companion.engine.sight import may_see_unit

    last = re.split(r"[;\n]", text)[-1]
    words = last.lstrip("+-").split()
    if words and words[0].casefold() in game.sides:
        words = words[1:]
    line = Line(game, seat, last, seat if seat in game.sides else "")
    mine = [u for u in game.units.values() if may_touch(game, seat, u) and may_see_unit(game, u, seat)]
    if not words:
        return Hints()
    if (here := line._hex(words[-1])) is not None:
        return Hints(hexes=(here, *game.maps.neighbours(here)), about=here)
    key = _key(" ".join(words))
    found = _closest(key, [u for u in mine if u.name])
    meant = [u for u in found if _key(u.name) == key] or found
    places = {u.place for u in meant if u.on_map and line._hex(u.place)}
    if last.endswith(" ") and len(places) == 1:
        place = places.pop()
        return Hints(tuple(meant[:most]), (place, *game.maps.neighbours(place)), place)
    return Hints(tuple(found[:most]))


# -- spreadsheets ----------------------------------------------------------------------------------------


def read_positions(game: Game, seat: str, text: str) -> tuple[list[UnitDef], list[tuple[int, Mistake]]]:
    """The rows of a roster CSV with their places checked, and everything wrong with it by line."""
    text = text.removeprefix("\ufeff")
    head = text.partition("\n")[0]
    if ";" in head and "," not in head:  # spreadsheets in much of Europe write semicolons
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(csv.reader(io.StringIO(text), delimiter=";"))
        text = out.getvalue()
    units, wrong = read_roster(text, game.sides)
    problems = [_numbered(message) for message in wrong]
    markers = {m.id for m in game.kit.markers}
    good = []
    for number, unit in zip(_unit_lines(text, game.sides), units, strict=True):
        line = Line(game, seat, unit.place, unit.side)
        try:
            place = line._place([unit.place]) if unit.place else ""
            if place is None:
                place = line._place(unit.place.removeprefix("box:").split())
            if place is None:
                raise Unreadable(f"{unit.place!r} is neither a hex nor a box", given=unit.place)
            if seat not in {"table", unit.side}:
                raise NotYours(
                    f"{unit.name or unit.id}: {game.side_name(unit.side)} units are not yours to enter"
                )
            for name in unit.marks:
                if name not in markers:
                    raise Unreadable(f"{unit.name or unit.id}: there is no marker {name!r}", given=name)
            good.append(replace(unit, place=place))
        except Mistake as mistake:
            problems.append((number, mistake))
    return good, sorted(problems, key=lambda p: p[0])


def _unit_lines(text: str, sides: Sequence[str]) -> list[int]:
    """The lines of the file that hold a unit, as `read_roster` takes them."""
    rows = enumerate(csv.DictReader(io.StringIO(text)), 2)
    plain = (
        (n, {(k or "").strip(): v.strip() for k, v in row.items() if isinstance(v, str)}) for n, row in rows
    )
    return [n for n, row in plain if row.get("side") in sides]


def _numbered(message: str) -> tuple[int, Mistake]:
    found = re.match(r"line (\d+): (.*)", message, re.DOTALL)
    return (int(found[1]), Unreadable(found[2])) if found else (1, Unreadable(message))


def import_units(game: Game, seat: str, text: str) -> Events:
    """Put every row of a roster CSV on record: new units come, known ones move; what fits already stays."""
    units, problems = read_positions(game, seat, text)
    if problems:
        raise BadLines(problems, 2, "csv")
    if not units:
        raise Unreadable("no row of this file names a unit", field="csv")
    for unit in units:
        known = game.units.get(unit.id)
        if known is not None and known.side != unit.side:
            unit = replace(unit, id=free_id(game, f"{unit.side}-{unit.id}"))
            known = None
        if known is None:
            yield create(game, unit.id, unit.place, unit_facts(unit))
        else:
            facts = {k: v for k, v in unit_facts(unit).items() if k not in {"full", "side"}}
            changed = {k: v for k, v in facts.items() if getattr(known, k) != v}
            if changed:
                yield change(game, unit.id, changed, reason="from a file")
            if known.place != unit.place:
                yield move(game, unit.id, unit.place)
        for name, value in unit.marks.items():
            if game.mark(unit.id, name) != value:
                yield put_mark(game, unit.id, name, value)


def write_positions(units: Iterable[dict[str, Any]], factors: Sequence[str]) -> str:
    """Units as a seat sees them, as the CSV that `read_positions` reads; hidden ones are left out."""
    columns = ("id", "side", "name", "kind", "klass", "size", "formation", "steps", "place", "turn", "entry")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*columns, "marks", "note", "doubtful", *factors])
    # Stacks keep their order when they are read again from the bottom up.
    for unit in sorted((u for u in units if not u.get("hidden")), key=lambda u: int(u["order"])):
        marks = " ".join(n if v is True else f"{n}={v}" for n, v in unit["marks"].items())
        row = [unit[c] if c != "turn" or unit[c] else "" for c in columns]
        numbers = [unit["factors"].get(f, "") for f in factors]
        writer.writerow([*row, marks, unit["note"], unit["doubtful"], *numbers])
    return out.getvalue()


# -- as actions ------------------------------------------------------------------------------------------

HELP = "3Pz 2408 · 2408 2409 +2 · -3Pz · 3Pz dead · soviet 3 2408 · 3Pz oos"


def bind_entry(rules: Rules) -> None:
    """Give a game the actions that take positions by the line and by the file."""

    @rules.action(by="any", label="Enter positions", group="units", order=-2)
    def enter_positions(
        game: Game,
        text: Annotated[
            str, Text(label="Positions", most=20_000, long=True, placeholder="3Pz 2408", help=HELP)
        ],
        seat: str = "",
    ) -> Events:
        """Move, create, remove and mark units, a line each. A bad line stops them all."""
        yield from enter(game, seat, text)

    @rules.action(by="any", label="Positions from a file", group="units", order=20)
    def import_positions(
        game: Game,
        csv: Annotated[
            str, Text(label="CSV", most=200_000, long=True, placeholder="id,side,name,kind,steps,place")
        ],
        seat: str = "",
    ) -> Events:
        """Put units on record from a spreadsheet with the columns of a roster. A bad row stops them all."""
        yield from import_units(game, seat, csv)
