"""A list of tables as an organiser pastes it: a line a table, from a spreadsheet or typed.

    table, game, scenario, first player, second player, options, name
    1, second-kharkov, historical, Anna Berg, Boris Cohen
    2, Panzer Keil, , Soviet: Dora, German: Emil, dice=physical

The first line may name the columns, then they come in any order. A number left blank is given, a scenario left blank
is the game's only one. A name stands for the side of its place unless it says which; - leaves the seat free.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from companion.books.spreadsheet import date_hint, write_table
from companion.engine.errors import did_you_mean
from companion.hall import founding
from companion.hall.columns import Row, plain, read_rows
from companion.hall.desk import Hall
from companion.hall.founding import Problem, Wanted, free_numbers
from companion.hall.roll import HallTable
from companion.limits import HALL_TABLES, NUMBER_DIGITS
from companion.systems import System
from companion.tables.tables import Tables

COLUMNS = ("table", "game", "scenario", "player 1", "player 2", "options", "name")
_HEADS = {
    "number": "table",
    "no": "table",
    "no.": "table",
    "#": "table",
    "system": "game",
    "player1": "player 1",
    "first player": "player 1",
    "side 1": "player 1",
    "player2": "player 2",
    "second player": "player 2",
    "side 2": "player 2",
    "option": "options",
    "title": "name",
}
"""Other words for a column."""
FREE = {"-", "–", "—", "?", "free"}
"""Instead of a name: nobody is known for this seat yet."""


class Found(NamedTuple):
    """What could be read of a list, and all that was wrong with it."""

    wanted: list[Wanted]
    problems: list[Problem]


def check_list(tables: Tables, hall: Hall, text: str, round: int = 0) -> Found:
    """The tables that a list asks for, and everything that is wrong with it, by line."""
    wanted, wrong = read_list(text, tables.systems, hall, round)
    if wanted:
        unread = {problem.line for problem in wrong}
        wrong = wrong + founding.problems(tables, hall, wanted, round, unread)
    return Found(wanted, sorted(wrong, key=lambda problem: problem.line))


def read_list(text: str, systems: Mapping[str, System], hall: Hall, round: int = 0) -> Found:
    """The tables that a list asks for; what is wrong is told line by line, as far as a line says what it means.

    What only the founding can tell (doubled numbers and players, options) is `check_list`'s to say.
    """
    lines, wrong = read_rows(text, COLUMNS, _HEADS)
    if len(lines) > HALL_TABLES:
        wrong.append(Problem(0, f"{len(lines)} lines are too many: at most {HALL_TABLES} tables."))
        lines = lines[:HALL_TABLES]
    given = {number for number in (_number(line["table"]) for line in lines) if number}
    following, wanted = free_numbers(hall, given, round), list[Wanted]()
    for line in lines:
        one, problems = _wanted(line, systems)
        wrong += [Problem(line.line, words) for words in problems]
        wanted.append(one if line["table"] else replace(one, number=following()))
    return Found(wanted, wrong)


def _number(text: str) -> int | None:
    text = text.strip().removeprefix("#")
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= NUMBER_DIGITS else None


def _wanted(line: Row, systems: Mapping[str, System]) -> tuple[Wanted, list[str]]:
    """One line's table, and what is wrong with it."""
    wrong = list[str]()
    number = _number(line["table"])
    if line["table"] and number is None:
        wrong.append(f"{line['table'][:20]!r} is no table number.{date_hint(line['table'])}")
    system = None
    if not line["game"]:
        wrong.append(f"no game. Games: {', '.join(systems)}.")
    else:
        names = {name: (system.kit.system.name,) for name, system in systems.items()}
        found, problem = _chosen(line["game"], names, "there is no game")
        system = systems.get(found)
        wrong += [problem] if problem else []
    scenario, players = line["scenario"], dict[str, str]()
    if system is not None:
        scenario, problem = _scenario(system, line["scenario"])
        wrong += [problem] if problem else []
        players, problems = _players(system, line)
        wrong += problems
    options, problems = read_settings(line["options"])
    wrong += problems
    one = Wanted(
        number or 0, system.id if system else "", scenario, players, options, line["name"], line.line
    )
    return one, wrong


def _chosen(given: str, names: Mapping[str, Iterable[str]], unknown: str) -> tuple[str, str]:
    """The id that somebody means by an id, a name or the beginning of one; or what to say instead."""
    meant = plain(given).replace("-", " ")
    spelled = {
        plain(word).replace("-", " "): name for name, words in names.items() for word in (name, *words)
    }
    if meant in spelled:
        return spelled[meant], ""
    begun = {name for word, name in spelled.items() if word.startswith(meant)}
    if len(begun) == 1:
        return begun.pop(), ""
    if begun:
        return "", f"{given[:40]!r} may be {' or '.join(sorted(begun))}: write more of it."
    near = did_you_mean(given, [*names, *(word for words in names.values() for word in words)])
    return "", f"{unknown} {given[:40]!r}.{near or ' There is ' + ', '.join(names) + '.'}"


def _scenario(system: System, given: str) -> tuple[str, str]:
    scenarios, name = system.kit.scenarios, system.kit.system.name
    if not given and len(scenarios) == 1:
        return next(iter(scenarios)), ""
    if not given:
        return "", f"no scenario. {name} has {', '.join(scenarios)}."
    names = {one.id: (one.name,) for one in scenarios.values()}
    return _chosen(given, names, f"{name} has no scenario")


def _players(system: System, line: Row) -> tuple[dict[str, str], list[str]]:
    """Who plays which side, and whose name is missing."""
    sides = system.kit.system.sides
    called = {plain(word): side.id for side in sides for word in (side.id, side.name)}
    names, wrong = dict[str, str](), list[str]()
    for place, side in enumerate(sides, 1):
        text, whose = line[f"player {place}"], side.id
        told = re.match(r"([^:]{1,30}):(.*)", text)
        if told and plain(told[1]) in called:
            whose, text = called[plain(told[1])], told[2].strip()
        if not text:
            continue
        if whose in names:
            wrong.append(f"two players for {_side_name(system, whose)}.")
        names[whose] = text
    missing = [side.name for side in sides if side.id not in names]
    if missing:
        wrong.append(f"no player for {' and '.join(missing)}: write a name, or - for a seat that stays free.")
    return {side: " ".join(name.split()) for side, name in names.items() if name not in FREE}, wrong


def _side_name(system: System, side: str) -> str:
    return next(one.name for one in system.kit.system.sides if one.id == side)


def read_settings(text: str) -> tuple[dict[str, str], list[str]]:
    """Options as `solo fog=no dice=physical`, by their ids; a common one may leave out its `mode-`."""
    found, wrong = dict[str, str](), list[str]()
    for word in re.split(r"[\s;,]+", text.strip()) if text.strip() else ():
        name, _, value = word.partition("=")
        name = f"mode-{name}" if name in ("dice", "chits", "cards") else name
        if name in found:
            wrong.append(f"the option {name[:40]!r} stands there twice.")
        found[name] = value or "on"
    return found, wrong


def write_list(tables: Iterable[HallTable], systems: Mapping[str, System]) -> str:
    """The tables of a hall as such a list, which `read_list` reads again."""
    return write_wanted(
        (Wanted(t.number, t.system, t.scenario, t.players, name=t.name) for t in tables), systems
    )


def write_wanted(wanted: Iterable[Wanted], systems: Mapping[str, System]) -> str:
    """Tables that somebody wants as such a list, with every number and scenario written out."""
    lines: list[Sequence[str]] = [COLUMNS]
    for one in wanted:
        system = systems.get(one.system)
        sides = [side.id for side in system.kit.system.sides] if system else [*one.players]
        names = [one.players.get(side, "-") for side in sides[:2]]
        options = " ".join(f"{name}={value}" for name, value in one.options.items())
        lines.append([str(one.number), one.system, one.scenario, *names, options, one.name])
    return write_table(lines)
