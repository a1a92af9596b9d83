"""What a kit's files say against each other: names that point at nothing, ids used twice, ranges nobody can read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from companion.engine.errors import did_you_mean
from companion.engine.kit.shape import Problem, block_line
from companion.engine.kit.when import Turns, condition_names

if TYPE_CHECKING:
    from companion.engine.kit.blocks import Arrival, Dial, Kit, PileDef, Scenario, SystemKit

SYSTEM = "system.toml"


def cross_check(kit: Kit) -> Iterator[Problem]:
    """Names that point at nothing, twice-used ids, and turn ranges that cannot be read."""
    names = Names(kit)
    for check in (_two_sides, _ids, _phases_named, _marker_words, _dials, _piles, _conditions):
        yield from check(names)
    for scenario in kit.scenarios.values():
        for check_one in (_roles, _turns, _values_named, _arrivals, _notes, _units):
            yield from check_one(names, scenario)


@dataclass(frozen=True)
class Names:
    """A kit with the names its files may point at, and where in system.toml its blocks stand."""

    kit: Kit

    @property
    def system(self) -> SystemKit:
        return self.kit.system

    @cached_property
    def text(self) -> str:
        return (self.kit.folder / SYSTEM).read_text(encoding="utf-8-sig")

    @cached_property
    def sides(self) -> list[str]:
        return [s.id for s in self.system.sides]

    @cached_property
    def phases(self) -> list[str]:
        return [p.id for p in self.system.phases]

    @cached_property
    def values(self) -> list[str]:
        """Tracks, dials and options of every scenario."""
        s = self.system
        return [thing.id for things in (s.tracks, s.dials, s.options) for thing in things]

    @cached_property
    def values_anywhere(self) -> list[str]:
        """The same with the options that single scenarios add."""
        return [*self.values, *(o.id for s in self.kit.scenarios.values() for o in s.options)]

    def problem(self, block: str, index: int, message: str) -> Problem:
        """Something wrong in the nth [[block]] of system.toml."""
        return Problem(SYSTEM, block_line(self.text, block, index), message)


def _unknown(given: Iterable[str], known: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The names that are none of the known ones, each with a guess at what was meant."""
    return ((name, did_you_mean(name, known)) for name in given if name not in known)


# -- the system ------------------------------------------------------------------------------------------


def _two_sides(names: Names) -> Iterator[Problem]:
    if len(names.sides) != 2:
        yield names.problem("side", 0, f"a game has two sides, not {len(names.sides)}")


def _ids(names: Names) -> Iterator[Problem]:
    system = names.system
    blocks: tuple[tuple[str, tuple[Any, ...]], ...] = (
        ("side", system.sides),
        ("phase", system.phases),
        ("track", system.tracks),
        ("dial", system.dials),
        ("marker", system.markers),
        ("option", system.options),
        ("pile", system.piles),
        ("box", system.boxes),
    )
    for block, things in blocks:
        seen: set[str] = set()
        for index, thing in enumerate(things):
            if thing.id in seen:
                yield names.problem(block, index, f"{block} {thing.id!r} is there twice")
            if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", thing.id):
                yield names.problem(
                    block, index, f"{block} id {thing.id!r}: use small letters, digits and hyphens"
                )
            seen.add(thing.id)


def _phases_named(names: Names) -> Iterator[Problem]:
    """The phases that tracks, variants and the arrivals' default name."""
    for index, track in enumerate(names.system.tracks):
        for wrong, guess in _unknown(track.phases, names.phases):
            yield names.problem("track", index, f"track {track.id!r}: no phase {wrong!r}.{guess}")
    for wrong, guess in _unknown(names.system.arrival_phases, names.phases):
        yield Problem(SYSTEM, 0, f"arrival_phases: no phase {wrong!r}.{guess}")
    for variant in names.system.variants:
        for wrong, guess in _unknown(variant.phases, names.phases):
            yield Problem(SYSTEM, 0, f"variant: no phase {wrong!r}.{guess}")


def _marker_words(names: Names) -> Iterator[Problem]:
    for index, marker in enumerate(names.system.markers):
        for wrong in (v for v in (*marker.words, *marker.sides) if v not in marker.values):
            yield names.problem(
                "marker", index, f"marker {marker.id!r}: words for {wrong!r}, which is none of its values"
            )


def _dials(names: Names) -> Iterator[Problem]:
    for index, dial in enumerate(names.system.dials):
        for message in _wrong_dial(dial):
            yield names.problem("dial", index, f"dial {dial.id!r}{message}")


def _wrong_dial(dial: Dial) -> Iterator[str]:
    known = [v.id for v in dial.values]
    if not known:
        yield " has no values: give it at least one"
    elif dial.start and dial.start not in known:
        yield f": start {dial.start!r} is not one of {', '.join(known)}"


def _piles(names: Names) -> Iterator[Problem]:
    known = [*names.values_anywhere, "scenario"]
    for index, pile in enumerate(names.system.piles):
        for message in (*_wrong_pile(pile), *_unknown_in(pile.when, known)):
            yield names.problem("pile", index, f"pile {pile.id!r}{message}")


def _wrong_pile(pile: PileDef) -> Iterator[str]:
    zones = [z.id for z in pile.zones]
    if not zones:
        yield " has no zones: give it at least one"
    elif pile.start and pile.start not in zones:
        yield f": no zone {pile.start!r} in {zones}"
    for token in sorted({t for t in pile.tokens if pile.tokens.count(t) > 1}):
        yield f": {token!r} is there twice; number equal ones (a-1, a-2)"


def _conditions(names: Names) -> Iterator[Problem]:
    """Turns and conditions of everything in system.toml that has them."""
    system = names.system
    timed = [
        *((phase.id, phase.turns, phase.when) for phase in system.phases),
        *((line.text, line.turns, line.when) for line in system.notes),
        *((line.text, line.turns, line.when) for phase in system.phases for line in phase.checklist),
        *((shown.id, "", shown.when) for shown in system.tracks),
        *((shown.id, "", shown.when) for shown in system.dials),
    ]
    known = [*names.values_anywhere, *(memo.id for memo in system.memos)]
    for label, turns, when in timed:
        yield from _wrong_when(SYSTEM, label, turns, when, known)


def _wrong_when(file: str, label: str, turns: str, when: str, known: Sequence[str]) -> Iterator[Problem]:
    try:
        Turns(turns)
    except ValueError as error:
        yield Problem(file, 0, f"{label!r}: {error}")
    for message in _unknown_in(when, [*known, "scenario"]):
        yield Problem(file, 0, f"{label!r}{message}")


def _unknown_in(when: str, known: Sequence[str]) -> Iterator[str]:
    for wrong, guess in _unknown(condition_names(when), known):
        yield f": when: no value {wrong!r}.{guess}"


# -- one scenario ----------------------------------------------------------------------------------------


def _file(scenario: Scenario) -> str:
    return f"{scenario.id}.toml"


def _roles(names: Names, scenario: Scenario) -> Iterator[Problem]:
    """Each phase belongs to a side, or to a role that the scenario gives to one."""
    roles = [*names.sides, *map(str, scenario.roles)]
    for index, phase in enumerate(names.system.phases):
        if phase.side and not phase.side.startswith("@") and phase.side not in roles:
            yield names.problem(
                "phase",
                index,
                f"phase {phase.id!r}: side {phase.side!r} is not a side or role.{did_you_mean(phase.side, roles)}",
            )


def _turns(names: Names, scenario: Scenario) -> Iterator[Problem]:
    if scenario.first > scenario.last:
        yield Problem(
            _file(scenario), 0, f"first turn {scenario.first} comes after last turn {scenario.last}"
        )
    for wrong, guess in _unknown(scenario.phase_turns, names.phases):
        yield Problem(_file(scenario), 0, f"phase_turns: no phase {wrong!r}.{guess}")
    for wrong, guess in _unknown(filter(None, [scenario.first_phase]), names.phases):
        yield Problem(_file(scenario), 0, f"first_phase: no phase {wrong!r}.{guess}")


def _values_of(names: Names, scenario: Scenario) -> list[str]:
    return [*names.values, *(o.id for o in scenario.options)]


def _values_named(names: Names, scenario: Scenario) -> Iterator[Problem]:
    known = _values_of(names, scenario)
    for wrong, guess in _unknown((*scenario.start, *scenario.by_turn), known):
        yield Problem(_file(scenario), 0, f"{wrong!r} is no track, dial or option.{guess}")


def _arrivals(names: Names, scenario: Scenario) -> Iterator[Problem]:
    for arrival in scenario.arrivals:
        for message in _wrong_arrival(names, arrival):
            yield Problem(_file(scenario), 0, f"arrival on turn {arrival.turn}: {message}")


def _wrong_arrival(names: Names, arrival: Arrival) -> Iterator[str]:
    for wrong, guess in _unknown(filter(None, [arrival.side]), names.sides):
        yield f"no side {wrong!r}.{guess}"
    for wrong, guess in _unknown(arrival.phases, names.phases):
        yield f"no phase {wrong!r}.{guess}"


def _notes(names: Names, scenario: Scenario) -> Iterator[Problem]:
    for note in scenario.notes:
        yield from _wrong_when(_file(scenario), note.text, note.turns, note.when, _values_of(names, scenario))


def _units(names: Names, scenario: Scenario) -> Iterator[Problem]:
    file = scenario.roster or _file(scenario)
    ids = [u.id for u in scenario.units]
    for twice in sorted({i for i in ids if ids.count(i) > 1}):
        yield Problem(file, 0, f"unit {twice!r} is there twice")
    for unit in scenario.units:
        for wrong, guess in _unknown([unit.side], names.sides):
            yield Problem(file, 0, f"unit {unit.id!r}: no side {wrong!r}.{guess}")
