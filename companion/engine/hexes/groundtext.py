"""Typing a map book in, one line at a time, and reading one from a spreadsheet.

1205 forest                     2402 2403..2407 marsh
1205-1206 major river           road 2402 2403 2503
town 2306 Kharkov               area 4PzA 1101 1102
line front 2402-2403 2403-2503  source german 2802..1402
vp 0941 20                      clear 1205
- 1205 forest                   # a remark
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from companion.engine.cells import rearm
from companion.engine.errors import Mistake, meant, near_names
from companion.engine.hexes.ground import COLUMNS, NAMED, OWNER, Fact, MapBook, Vocabulary
from companion.engine.hexes.typed import HexError, is_hex_text
from companion.limits import LINE_HEXES, MAP_FACTS, MAP_LINES, PROBLEMS

WORDS = re.compile(r'"([^"]*)"|(\S+)')
SIDE_TEXT = re.compile(r"([A-Za-z]*[0-9]{3,4})[-/]([A-Za-z]*[0-9]{3,4})")
NAME_LIMIT = 80


class MapError(Mistake):
    """A line or row that the map book cannot take, with the words that may have been meant."""

    def __init__(self, message: str, suggestions: tuple[str, ...] = ()) -> None:
        super().__init__(message, accepted=", ".join(suggestions))
        self.suggestions = suggestions


class Hexes(Protocol):
    """What reading needs of a Grid or of Maps."""

    def parse(self, text: str) -> str:
        """Normalise an id."""

    def span(self, a: str, b: str) -> list[str]:
        """The hexes of a range."""

    def hexside(self, a: str, b: str) -> str:
        """The name of a shared side."""


@dataclass(frozen=True)
class Entry:
    """What one line does to a book."""

    add: tuple[Fact, ...] = ()
    remove: tuple[Fact, ...] = ()
    clear: tuple[str, ...] = ()
    """Hexes and hexsides of which everything is struck out."""

    def apply(self, book: MapBook, by: str = OWNER) -> None:
        """Change the book."""
        for key in self.clear:
            for fact in [*book.about(key), *book.on_side(key)]:
                book.remove(fact)
        for fact in self.remove:
            book.remove(fact)
        for fact in self.add:
            book.add(fact, by)


class BadMapLine(Mistake):
    """One bad line or row, by its number."""

    def __init__(self, number: int, error: Mistake, *, rest: bool = False) -> None:
        super().__init__(f"line {number}: {error.message}", accepted=error.accepted)
        self.number = number
        self.rest = rest
        """Whether it stands for every line from here on."""


def read_line(text: str, hexes: Hexes, words: Vocabulary) -> Entry:
    """Read one typed line; the MapError or HexError says what would be accepted."""
    if len(text) > 2000:
        raise MapError("the line is longer than 2000 characters: split it")
    tokens = [(quoted or bare, bool(quoted)) for quoted, bare in WORDS.findall(text.partition("#")[0])]
    if not tokens:
        return Entry()
    if tokens[0][0] == "-":
        if len(tokens) == 1:
            raise MapError("a minus needs what to remove after it, such as '- 1205 forest'")
        return Entry(remove=_read(tokens[1:], hexes, words))
    if tokens[0][0].casefold() == "clear" and all(_is_ground(t) for t, _ in tokens[1:]):
        if len(tokens) == 1:
            raise MapError("clear needs a hex or a hexside, such as 'clear 1205' or 'clear 1205-1206'")
        return Entry(clear=tuple(_join(*ab) for ab in _ground(tokens[1:], hexes)))
    return Entry(add=_read(tokens, hexes, words))


def enter(book: MapBook, text: str, hexes: Hexes, words: Vocabulary, by: str = OWNER) -> list[BadMapLine]:
    """Apply several typed lines; good ones count, bad ones come back with their numbers."""
    lines = text.splitlines()
    if len(lines) > MAP_LINES:
        raise MapError(f"{len(lines):,} lines at once are too many: at most {MAP_LINES:,}")
    problems: list[BadMapLine] = []
    for number, line in enumerate(lines, 1):
        try:
            entry = read_line(line, hexes, words)
            _has_room(book, entry.add)
            entry.apply(book, by)
        except Mistake as error:
            problems.append(BadMapLine(number, error))
        if _enough(problems, number, number < len(lines)):
            break
    return problems


def _has_room(book: MapBook, facts: Sequence[Fact]) -> None:
    """Refuse facts that would make a book longer than any map needs."""
    if len(book.facts) + len(facts) > MAP_FACTS and any(fact not in book.facts for fact in facts):
        raise MapError(f"a map book holds at most {MAP_FACTS:,} facts")


def _enough(problems: list[BadMapLine], number: int, more: bool) -> bool:
    """Whether so much is wrong that reading on would tell nobody anything; the last problem then says so."""
    if len(problems) < PROBLEMS or not more:
        return False
    unread = MapError("this line and those after it were not read any more")
    problems.append(BadMapLine(number + 1, unread, rest=True))
    return True


def read_csv(text: str, hexes: Hexes, words: Vocabulary, by: str = OWNER) -> tuple[MapBook, list[BadMapLine]]:
    """Read a spreadsheet with the columns kind, a, b, value; every bad row is reported by its number."""
    book, problems = MapBook(), list[BadMapLine]()
    if text.count("\n") > MAP_FACTS:
        raise MapError(f"{text.count(chr(10)):,} lines are too many: at most {MAP_FACTS:,}")
    text = text.removeprefix("\ufeff")
    head = text.partition("\n")[0]
    # Spreadsheets in much of Europe write semicolons.
    rows = csv.reader(io.StringIO(text), delimiter=";" if ";" in head and "," not in head else ",")
    try:
        for row in rows:
            cells = [rearm(cell.strip()) for cell in row]
            if not any(cells) or cells[0].startswith("#") or (rows.line_num == 1 and cells[0] == COLUMNS[0]):
                continue
            try:
                minus, fact = _read_row(cells, hexes, words)
                if minus:
                    book.removed.add(fact)
                else:
                    book.add(fact, by)
            except Mistake as error:
                problems.append(BadMapLine(rows.line_num, error))
            if _enough(problems, rows.line_num, True):
                break
    except csv.Error as error:
        problems.append(BadMapLine(rows.line_num, MapError(f"this is not a CSV file: {error}")))
    return book, problems


def _read_row(cells: Sequence[str], hexes: Hexes, words: Vocabulary) -> tuple[bool, Fact]:
    if len(cells) > len(COLUMNS) and any(cells[len(COLUMNS) :]):
        raise MapError(f"{len(cells)} cells, expected four: {', '.join(COLUMNS)}")
    kind, a, b, value = (list(cells) + [""] * 4)[:4]
    minus, kind = kind.startswith("-"), kind.removeprefix("-").strip()
    kind = one_of(kind, ("terrain", "side", "link", "vp", *NAMED, *words.places), "kind of fact")
    if kind in ("side", "link") and not b:
        raise MapError(f"a {kind} needs two hexes, found only {a!r}")
    if b and kind not in ("side", "link", "line"):
        raise MapError(f"a {kind} is about one hex: leave b empty, found {b!r}")
    if b:
        a, _, b = hexes.hexside(a, b).partition("-")
    else:
        a = hexes.parse(a)
    return minus, Fact(kind, a, b, _value(kind, value, words))


def _value(kind: str, value: str, words: Vocabulary) -> str:
    lists = {"terrain": words.terrains, "side": words.hexsides, "link": words.links}
    if kind in lists:
        return one_of(value, lists[kind], {"side": "hexside", "link": "road or rail"}.get(kind, kind))
    if kind == "vp":
        if re.fullmatch(r"-?[0-9]{1,3}", value) is None:
            raise MapError(f"{value!r} is not a number of victory points: a whole number such as 20")
        return str(int(value))
    if not value:
        raise MapError(f"the {kind} has no name")
    if len(value) > NAME_LIMIT:
        raise MapError(f"the name {value[:20]!r}... is longer than {NAME_LIMIT} characters")
    return value


def _read(tokens: Sequence[tuple[str, bool]], hexes: Hexes, words: Vocabulary) -> tuple[Fact, ...]:
    """The facts a line states: by its first word, or by the ground it begins with."""
    if _is_ground(tokens[0][0]) and not tokens[0][1]:
        count = next((i for i, t in enumerate(tokens) if not _is_ground(t[0])), len(tokens))
        value = " ".join(t for t, _ in tokens[count:])
        named = _ground(tokens[:count], hexes)
        if not value:
            example = words.hexsides if named[0][1] else words.terrains
            raise MapError(f"what is in {_join(*named[0])}? {_accepted(example)}")
        return tuple(
            Fact(kind, a, b, _value(kind, value, words))
            for a, b in named
            for kind in ("side" if b else "terrain",)
        )
    kinds = {
        **dict.fromkeys(NAMED, ""),
        **dict.fromkeys(words.places, ""),
        "vp": "",
        **dict.fromkeys(words.links, ""),
    }
    # Road classes may be of two words: "main road 1602 1603".
    two = " ".join(t for t, _ in tokens[:2]).casefold()
    used = 2 if two in (name.casefold() for name in kinds) else 1
    kind = one_of(two if used == 2 else tokens[0][0], tuple(kinds), "word to begin with", "a hex number")
    rest = tokens[used:]
    if kind in words.links:
        return _chain(kind, rest, hexes)
    if kind in NAMED:
        first = next((i for i, (t, quoted) in enumerate(rest) if _is_ground(t) and not quoted), len(rest))
        name, ground = " ".join(t for t, _ in rest[:first]), rest[first:]
    else:
        last = next((i for i, (t, quoted) in enumerate(rest) if not _is_ground(t) or quoted), len(rest))
        ground, name = rest[:last], " ".join(t for t, _ in rest[last:])
    value = _value(kind, name, words)
    found = _ground(ground, hexes)
    if not found:
        raise MapError(f"{kind} {value} names no hex")
    if kind != "line" and (side := next((ab for ab in found if ab[1]), None)):
        raise MapError(f"{kind} {value} takes hexes, and {_join(*side)} is a hexside")
    return tuple(Fact(kind, a, b, value) for a, b in found)


def _chain(kind: str, tokens: Sequence[tuple[str, bool]], hexes: Hexes) -> tuple[Fact, ...]:
    path: list[str] = []
    for a, b in _ground(tokens, hexes):
        # A range may begin at the hex where the road already is.
        path += [h for h in ((a, b) if b else (a,)) if not path or h != path[-1]]
    if len(path) < 2:
        raise MapError(f"a {kind} runs through two hexes or more, such as '{kind} 2402 2403 2503'")
    sides = [hexes.hexside(a, b).partition("-") for a, b in zip(path, path[1:], strict=False)]
    return tuple(Fact("link", a, b, kind) for a, _, b in sides)


def _is_ground(text: str) -> bool:
    return is_hex_text(text) or SIDE_TEXT.fullmatch(text) is not None or ".." in text


def _ground(tokens: Iterable[tuple[str, bool]], hexes: Hexes) -> list[tuple[str, str]]:
    """Hexes as (id, '') and hexsides as (lower id, higher id), ranges spelled out."""
    found: list[tuple[str, str]] = []
    for text, _ in tokens:
        if side := SIDE_TEXT.fullmatch(text):
            a, _, b = hexes.hexside(side[1], side[2]).partition("-")
            found.append((a, b))
        elif ".." in text:
            first, _, last = text.partition("..")
            if not (first and last):
                raise HexError(f"{text!r} is not a range: two hex numbers like 1402..4202")
            found += [(h, "") for h in hexes.span(first, last)]
        else:
            found.append((hexes.parse(text), ""))
        if len(found) > LINE_HEXES:
            raise MapError(f"the line names more than {LINE_HEXES:,} hexes: split it")
    return found


def _join(a: str, b: str) -> str:
    return f"{a}-{b}" if b else a


def _accepted(words: Iterable[str]) -> str:
    return f"accepted: {', '.join(words) or 'nothing of the kind in this game'}"


def one_of(given: str, accepted: Sequence[str], what: str, also: str = "") -> str:
    """The accepted spelling of a word, or a MapError with the closest ones."""
    plain = {" ".join(word.casefold().split()): word for word in accepted}
    key = " ".join(given.casefold().split())
    if key in plain:
        return plain[key]
    close = tuple(plain[c] for c in near_names(key[:40], plain))
    shown = given if len(given) <= 40 else given[:40] + "..."
    listed = _accepted([*accepted, also] if also else accepted)
    raise MapError(f"{shown!r} is not a {what}; {listed}.{meant(close)}", close)
