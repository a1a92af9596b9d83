"""What a kit's files say against each other: names that point at nothing, ids used twice, ranges nobody can read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from companion.engine.errors import did_you_mean
from companion.engine.kit.shape import Problem, line_of
from companion.engine.kit.when import Turns, condition_names

if TYPE_CHECKING:
    from companion.engine.kit.blocks import Dial, Kit, PileDef


def cross_check(kit: Kit) -> Iterator[Problem]:
    """Names that point at nothing, twice-used ids, and turn ranges that cannot be read."""
    system = kit.system
    text = (kit.folder / "system.toml").read_text(encoding="utf-8-sig")
    sides = [s.id for s in system.sides]
    if len(sides) != 2:
        yield Problem("system.toml", line_of(text, "side", 0), f"a game has two sides, not {len(sides)}")
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
    for name, things in blocks:
        seen: set[str] = set()
        for index, thing in enumerate(things):
            if thing.id in seen:
                yield Problem(
                    "system.toml", line_of(text, name, index), f"{name} {thing.id!r} is there twice"
                )
            if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", thing.id):
                yield Problem(
                    "system.toml",
                    line_of(text, name, index),
                    f"{name} id {thing.id!r}: use small letters, digits and hyphens",
                )
            seen.add(thing.id)
    phases = [p.id for p in system.phases]
    for index, track in enumerate(system.tracks):
        for wrong in (p for p in track.phases if p not in phases):
            yield Problem(
                "system.toml",
                line_of(text, "track", index),
                f"track {track.id!r}: no phase {wrong!r}.{did_you_mean(wrong, phases)}",
            )
    for wrong in (p for p in system.arrival_phases if p not in phases):
        yield Problem("system.toml", 0, f"arrival_phases: no phase {wrong!r}.{did_you_mean(wrong, phases)}")
    for index, marker in enumerate(system.markers):
        for wrong in (v for v in marker.words if v not in marker.values):
            yield Problem(
                "system.toml",
                line_of(text, "marker", index),
                f"marker {marker.id!r}: words for {wrong!r}, which is none of its values",
            )
    values = [*(t.id for t in system.tracks), *(d.id for d in system.dials), *(o.id for o in system.options)]
    for scenario in kit.scenarios.values():
        file = f"{scenario.id}.toml"
        roles = [*sides, *map(str, scenario.roles)]
        for index, phase in enumerate(system.phases):
            if phase.side and not phase.side.startswith("@") and phase.side not in roles:
                yield Problem(
                    "system.toml",
                    line_of(text, "phase", index),
                    f"phase {phase.id!r}: side {phase.side!r} is not a side or role."
                    f"{did_you_mean(phase.side, roles)}",
                )
        if scenario.first > scenario.last:
            yield Problem(file, 0, f"first turn {scenario.first} comes after last turn {scenario.last}")
        known = [*values, *(o.id for o in scenario.options)]
        for name in (*scenario.start, *scenario.by_turn):
            if name not in known:
                yield Problem(file, 0, f"{name!r} is no track, dial or option.{did_you_mean(name, known)}")
        for name in scenario.phase_turns:
            if name not in phases:
                yield Problem(file, 0, f"phase_turns: no phase {name!r}.{did_you_mean(name, phases)}")
        if scenario.first_phase and scenario.first_phase not in phases:
            remedy = did_you_mean(scenario.first_phase, phases)
            yield Problem(file, 0, f"first_phase: no phase {scenario.first_phase!r}.{remedy}")
        for arrival in scenario.arrivals:
            if arrival.side and arrival.side not in sides:
                yield Problem(
                    file,
                    0,
                    f"arrival on turn {arrival.turn}: no side {arrival.side!r}.{did_you_mean(arrival.side, sides)}",
                )
            for wrong in (p for p in arrival.phases if p not in phases):
                yield Problem(
                    file,
                    0,
                    f"arrival on turn {arrival.turn}: no phase {wrong!r}.{did_you_mean(wrong, phases)}",
                )
        yield from _check_ranges(file, (*scenario.notes,), known)
        ids = [u.id for u in scenario.units]
        for twice in sorted({i for i in ids if ids.count(i) > 1}):
            yield Problem(scenario.roster or file, 0, f"unit {twice!r} is there twice")
        for unit in scenario.units:
            if unit.side not in sides:
                yield Problem(
                    scenario.roster or file,
                    0,
                    f"unit {unit.id!r}: no side {unit.side!r}.{did_you_mean(unit.side, sides)}",
                )
    extra = [o.id for s in kit.scenarios.values() for o in s.options]
    checks = [c for p in system.phases for c in p.checklist]
    shown = [*values, *extra]
    yield from _check_ranges("system.toml", (*system.phases, *system.notes, *checks), shown)
    yield from _check_ranges("system.toml", (*system.tracks, *system.dials), shown)
    for variant in system.variants:
        for name in variant.phases:
            if name not in phases:
                yield Problem("system.toml", 0, f"variant: no phase {name!r}.{did_you_mean(name, phases)}")
    for index, dial in enumerate(system.dials):
        yield from _check_dial(dial, line_of(text, "dial", index))
    for index, pile in enumerate(system.piles):
        yield from _check_pile(pile, line_of(text, "pile", index))
        for name in (n for n in condition_names(pile.when) if n not in (*shown, "scenario")):
            line = line_of(text, "pile", index)
            yield Problem("system.toml", line, f"pile {pile.id!r}: when: no value {name!r}")


def _check_dial(dial: Dial, line: int) -> Iterator[Problem]:
    known = [v.id for v in dial.values]
    if not known:
        yield Problem("system.toml", line, f"dial {dial.id!r} has no values: give it at least one")
    elif dial.start and dial.start not in known:
        yield Problem(
            "system.toml", line, f"dial {dial.id!r}: start {dial.start!r} is not one of {', '.join(known)}"
        )


def _check_pile(pile: PileDef, line: int) -> Iterator[Problem]:
    zones = [z.id for z in pile.zones]
    if not zones:
        yield Problem("system.toml", line, f"pile {pile.id!r} has no zones: give it at least one")
    elif pile.start and pile.start not in zones:
        yield Problem("system.toml", line, f"pile {pile.id!r}: no zone {pile.start!r} in {zones}")
    for token in sorted({t for t in pile.tokens if pile.tokens.count(t) > 1}):
        yield Problem(
            "system.toml", line, f"pile {pile.id!r}: {token!r} is there twice; number equal ones (a-1, a-2)"
        )


def _check_ranges(file: str, things: tuple[Any, ...], known: list[str]) -> Iterator[Problem]:
    for thing in things:
        label = getattr(thing, "id", None) or thing.text
        try:
            Turns(getattr(thing, "turns", ""))
        except ValueError as error:
            yield Problem(file, 0, f"{label!r}: {error}")
        for name in condition_names(thing.when):
            if name not in known and name != "scenario":
                yield Problem(file, 0, f"{label!r}: when: no value {name!r}.{did_you_mean(name, known)}")
