"""Founding many tables at once: everything that is wrong is said before, and nothing is founded by halves."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from companion.engine.errors import Mistake, Unreadable, did_you_mean
from companion.engine.play.phases import open_table
from companion.engine.record.game import Game
from companion.hall.desk import Desk, Hall
from companion.hall.roll import HallTable, same_name
from companion.limits import HALL_NUMBER, HALL_TABLES, PLAYER, TITLE
from companion.systems import System
from companion.tables.background import gently, slices
from companion.tables.options import read_options
from companion.tables.tables import Tables

_turn = threading.Lock()
"""One list after the other: the second of two equal ones finds its numbers taken."""


@dataclass(frozen=True)
class Wanted:
    """A table as somebody wants it."""

    number: int
    """0 where the list has none that can be read."""
    system: str
    scenario: str
    players: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""
    line: int = 0
    """Where it stands in the list that it was read from."""


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a list, and where."""

    line: int
    words: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.words}" if self.line else self.words


class BadList(Unreadable):
    """A list with which nothing was done; all of its problems are told."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(problems, key=lambda problem: problem.line)
        super().__init__("; ".join(map(str, self.problems)))


def problems(
    tables: Tables, hall: Hall, wanted: Sequence[Wanted], round: int = 0, unread: Collection[int] = ()
) -> list[Problem]:
    """Everything that is wrong with these tables, alone, beside each other and beside those that are there.

    :param unread: lines that could not be read wholly, of which that was said already
    """
    found = [*_too_many(hall, wanted, round), *_twice(hall, wanted, round)]
    tried: dict[str, list[str]] = {}
    for one in slices(wanted, 10):
        kind = repr((one.system, one.scenario, sorted(one.options.items())))
        if one.line not in unread or (one.system and one.scenario):
            if kind not in tried:
                tried[kind] = _refused(tables, one)
            found += [Problem(one.line, words) for words in tried[kind]]
        found += [Problem(one.line, words) for words in _unfit(tables.systems.get(one.system), one)]
        if one.number < 1 and one.line not in unread:
            found.append(Problem(one.line, "no table number."))
    return sorted(found, key=lambda problem: problem.line)


def found(tables: Tables, desk: Desk, wanted: Sequence[Wanted], round: int = 0) -> list[HallTable]:
    """Found all of these tables and enter them in the roll.

    :raises BadList: when anything is wrong with any; then none was founded
    """
    with _turn:
        wrong = problems(tables, desk.state(), wanted, round)
        if wrong:
            raise BadList(wrong)
        made: list[HallTable] = []
        try:
            for one in gently(wanted):
                code = tables.new(one.system, one.scenario, one.options, one.name)
                system = tables.system(one.system)
                players = _in_order(system, one.players)
                made.append(
                    HallTable(code, one.number, one.system, one.scenario, players, round, name=one.name)
                )
            desk.change(lambda hall: _entered(hall, wanted, made, round))
        except BaseException:
            for table in made:  # a disk that is full now: what was founded goes out of sight
                tables.store.archive(table.code)
            raise
    return made


def _entered(hall: Hall, wanted: Sequence[Wanted], made: Sequence[HallTable], round: int) -> Hall:
    """The hall with new tables; another process may have been quicker with their numbers or players."""
    wrong = _twice(hall, wanted, round)
    if wrong:
        raise BadList(wrong)
    return replace(hall, tables=(*hall.tables, *made))


def free_numbers(hall: Hall, taken: Iterable[int] = (), round: int = 0) -> Callable[[], int]:
    """Hands out the numbers that no table of this round has, the lowest first."""
    used = {table.number for table in _beside(hall, round)} | {*taken}

    def following() -> int:
        number = next(n for n in range(1, len(used) + 2) if n not in used)
        used.add(number)
        return number

    return following


def _beside(hall: Hall, round: int) -> list[HallTable]:
    """The tables that stand beside new ones of a round: theirs is the room."""
    return [table for table in hall.tables if table.round == round and table.state != "closed"]


def _in_order(system: System, players: Mapping[str, str]) -> dict[str, str]:
    """Names by side, in the order of the game's sides, without those that are blank."""
    names = {side.id: " ".join(players.get(side.id, "").split()) for side in system.kit.system.sides}
    return {side: name for side, name in names.items() if name}


def _too_many(hall: Hall, wanted: Sequence[Wanted], round: int) -> list[Problem]:
    room = HALL_TABLES - len(_beside(hall, round))
    if not wanted:
        return [Problem(0, "There is no table in it.")]
    if len(wanted) > room:
        return [Problem(0, f"{len(wanted)} tables are too many: the hall has room for {max(0, room)} more.")]
    return []


def _twice(hall: Hall, wanted: Sequence[Wanted], round: int) -> list[Problem]:
    """Numbers and players that occur twice, in the list or beside what is there."""
    found = []
    numbers = {table.number: f"table {table.code} has it" for table in _beside(hall, round)}
    people = {
        same_name(name): f"plays at table {table.number} already"
        for table in _beside(hall, round)
        for name in table.players.values()
    }
    for one in wanted:
        if one.number in numbers:
            found.append(Problem(one.line, f"number {one.number} is taken: {numbers[one.number]}."))
        elif one.number:
            numbers[one.number] = f"line {one.line} has it"
        for name in filter(None, one.players.values()):
            if same_name(name) in people:
                found.append(Problem(one.line, f"{name} {people[same_name(name)]}."))
            else:
                people[same_name(name)] = f"plays at table {one.number} already, line {one.line}"
    return found


def _refused(tables: Tables, one: Wanted) -> list[str]:
    """What the game itself says against such a table: it is opened, but not kept."""
    system = tables.systems.get(one.system)
    if system is None:
        near = did_you_mean(one.system, tables.systems)
        return [
            f"there is no game {one.system[:40]!r}.{near or ' Games: ' + ', '.join(tables.systems) + '.'}"
        ]
    scenarios = system.kit.scenarios
    if one.scenario not in scenarios:
        near = did_you_mean(one.scenario, scenarios) or f" It has {', '.join(scenarios)}."
        return [f"{system.kit.system.name} has no scenario {one.scenario[:40]!r}.{near}"]
    try:
        game = Game(system.kit, one.scenario, tables.book(system))
        settings = read_options(game, one.options)
        for event in open_table(system.rules, game, settings, "", ""):
            game.apply(event)
    except Mistake as mistake:
        return [mistake.message]
    return []


def _unfit(system: System | None, one: Wanted) -> list[str]:
    """What is wrong with a table's number, name or players."""
    found = []
    if one.number > HALL_NUMBER:
        found.append(f"{one.number} is no table number: 1 to {HALL_NUMBER}.")
    if len(one.name) > TITLE:
        found.append(f"the name {one.name[:20]!r}... is too long: at most {TITLE} characters.")
    sides = {side.id for side in system.kit.system.sides} if system else {*one.players}
    found += [f"there is no side {side[:40]!r} in this game." for side in one.players if side not in sides]
    for name in one.players.values():
        if len(name) > PLAYER:
            found.append(f"the name {name[:20]!r}... is too long: at most {PLAYER} characters.")
    return found
