"""Loads and checks scenarios/<system>/: system.toml, <scenario>.toml, charts/*.csv, rosters.

A kit is data that a wargamer who is no programmer can read and fix, so the checker reports every problem at
once, by file and line, with a remedy.
"""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from companion.engine.errors import Several
from companion.engine.hexes.ground import RULEBOOK, Vocabulary
from companion.engine.hexes.groundtext import read_csv
from companion.engine.hexes.maps import Maps
from companion.engine.kit.blocks import Json, Kit, Scenario, SystemKit
from companion.engine.kit.chart import Chart
from companion.engine.kit.check import cross_check
from companion.engine.kit.lists import BookList, build_list
from companion.engine.kit.roster import UnitDef, read_roster
from companion.engine.kit.shape import Problem, build

_RENAMED = {
    "side": "sides",
    "phase": "phases",
    "variant": "variants",
    "track": "tracks",
    "dial": "dials",
    "memo": "memos",
    "marker": "markers",
    "note": "notes",
    "option": "options",
    "pile": "piles",
    "box": "boxes",
    "chart": "charts",
    "book": "books",
    "arrival": "arrivals",
    "unit": "units",
}
"""TOML names one block at a time ([[phase]]); the dataclass holds them all (phases)."""


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8-sig")  # spreadsheets put a mark in front


def _not_utf8(folder: Path) -> Iterator[Problem]:
    for path in sorted([*folder.rglob("*.toml"), *folder.rglob("*.csv")]):
        data = path.read_bytes()
        try:
            data.decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            yield Problem(
                path.name, line, "not readable as text: save the file again with the encoding UTF-8"
            )


def _read(path: Path, cls: type[Any], problems: list[Problem]) -> Any | None:
    try:
        text = _text(path)
        table = tomllib.loads(text)
    except FileNotFoundError:
        problems.append(Problem(path.name, 0, f"{path.name} is missing in {path.parent.name}/"))
        return None
    except tomllib.TOMLDecodeError as error:
        problems.append(Problem(path.name, 0, f'not readable as TOML: {error}. Quote hex numbers: "0507".'))
        return None
    if table.get("format") != 1:
        problems.append(Problem(path.name, 1, "the file must begin with: format = 1"))
    renamed = {_RENAMED.get(key, key): value for key, value in table.items()}
    return build(cls, renamed, path.name, text, "", problems)


def load_kit(folder: Path) -> tuple[Kit | None, list[Problem]]:
    """Read a game's folder; the kit is None when something is too wrong to go on."""
    problems = list(_not_utf8(folder))
    if problems:
        return None, problems
    system = _read(folder / "system.toml", SystemKit, problems)
    if system is None:
        return None, problems
    charts: dict[str, Chart] = {}
    for shape in system.charts:
        path = folder / "charts" / f"{shape.id}.csv"
        try:
            charts[shape.id] = shape.shipped(_text(path) if path.exists() else "")
        except Several as several:
            problems += [Problem(path.name, 0, m.message) for m in several.mistakes]
    scenarios: dict[str, Scenario] = {}
    for path in sorted(folder.glob("*.toml")):
        if path.name in {"system.toml", "grid.toml"}:
            continue
        scenario = _read(path, Scenario, problems)
        if scenario is None:
            continue
        if scenario.roster:
            units, wrong = _roster(folder / scenario.roster, system)
            problems += wrong
            scenario = replace(scenario, units=(*scenario.units, *units))
        scenarios[scenario.id] = scenario
    if not scenarios:
        problems.append(Problem(folder.name, 0, "no scenario: add a <scenario>.toml beside system.toml"))
    maps = _maps(folder / "grid.toml", problems)
    if maps is None:
        return None, problems
    lists = _lists(folder, system, problems)
    scenarios = dict(sorted(scenarios.items(), key=lambda item: (item[1].order, item[1].name)))
    kit = Kit(system, scenarios, charts, folder, maps, _map_facts(folder, maps, problems), lists)
    problems += list(cross_check(kit))
    return kit, problems


def _lists(folder: Path, system: SystemKit, problems: list[Problem]) -> dict[str, BookList]:
    found: dict[str, BookList] = {}
    for shape in system.books:
        path = folder / (shape.file or f"books/{shape.id}.csv")
        table = list(csv.reader(_text(path).splitlines())) if path.exists() else []
        found[shape.id], wrong = build_list(shape, table)
        problems += [Problem(path.name, 0, f"{shape.id}: {text}") for text in wrong]
    return found


def _maps(path: Path, problems: list[Problem]) -> Maps | None:
    try:
        return Maps.from_toml(tomllib.loads(_text(path))["grid"])
    except (OSError, ValueError, KeyError) as error:
        problems.append(Problem(path.name, 0, f"the map's grid cannot be read: {error}"))
        return None


def _map_facts(folder: Path, maps: Maps, problems: list[Problem]) -> Json:
    path = folder / "map.csv"
    if not path.exists():
        return {}
    words = tomllib.loads(_text(folder / "grid.toml")).get("map", {})
    book, wrong = read_csv(_text(path), maps, Vocabulary.from_toml(words), RULEBOOK)
    problems += [Problem(path.name, 0, str(w)) for w in wrong]
    return book.to_json()


def _roster(path: Path, system: SystemKit) -> tuple[list[UnitDef], list[Problem]]:
    if not path.exists():
        return [], [Problem(path.name, 0, f"{path.name} is named as roster but is not there")]
    units, wrong = read_roster(_text(path), [s.id for s in system.sides])
    return units, [replace(problem, file=path.name) for problem in wrong]
