"""The games: each a kit in scenarios/<id>/ and a package here with what data cannot say."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from companion.engine.errors import Unknown, did_you_mean
from companion.engine.kit.blocks import Kit
from companion.engine.kit.load import load_kit
from companion.engine.kit.shape import Problem
from companion.engine.people.clocks import clock_rules
from companion.engine.people.consent import consent_rules
from companion.engine.people.corrections import correction_rules
from companion.engine.people.seats import seat_rules
from companion.engine.people.settings import setting_rules
from companion.engine.people.talk import talk_rules
from companion.engine.people.units import unit_rules, unit_words
from companion.engine.play.phases import bind_phases, phase_rules
from companion.engine.play.rules import Rules
from companion.engine.positions.actions import bind_entry
from companion.engine.positions.moving import bind_moving
from companion.engine.positions.ranges import bind_ranges
from companion.engine.positions.supply import bind_supply
from companion.engine.record.game import Game

Tally = Callable[[Game], Mapping[str, int]]
IDS = ("second-kharkov", "panzer-keil", "enemy-action-kharkov", "kharkov-battles", "wb95")


EVERYWHERE = (
    unit_rules,
    seat_rules,
    consent_rules,
    phase_rules,
    correction_rules,
    setting_rules,
    clock_rules,
    talk_rules,
)
"""What every table can do, whatever the game."""


def package_of(system: str) -> str:
    """Where a game's own rules are."""
    return f"companion.systems.{system.replace('-', '_')}"


def own_package(system: str) -> ModuleType | None:
    """A game's package, None for one that is a kit alone."""
    name = package_of(system)
    return import_module(name) if find_spec(name) else None


def new_rules(system: str) -> Rules:
    """Rules for a game, with everything that every table can do."""
    rules = Rules(system, *EVERYWHERE)
    for bind in (bind_entry, bind_moving, bind_ranges, bind_supply, bind_phases):
        bind(rules)
    return rules


@dataclass(frozen=True)
class System:
    """A game ready to be played."""

    kit: Kit
    rules: Rules
    tally: Tally | None = None
    """Each side's victory points as the record has them, of sides that count any; nothing where it cannot tell."""

    @property
    def id(self) -> str:
        return self.kit.id


def load_system(system: str, scenarios: Path) -> tuple[System | None, list[Problem]]:
    """Read one game's kit and rules; the problems are those of its files."""
    kit, problems = load_kit(scenarios / system)
    if kit is None:
        return None, problems
    package = own_package(system)
    rules = copy(getattr(package, "rules", None) or new_rules(system))
    # The package's own rules stay as they are written: another kit may call its steps otherwise.
    rules.actions = {**rules.actions, **unit_words(rules.actions, kit.system)}
    return System(kit, rules, getattr(package, "tally", None)), problems


@lru_cache
def _loaded(system: str, scenarios: Path) -> System | None:
    """A game if its kit is there and sound; a faulty kit is told on the console and leaves the others playable."""
    if system not in IDS or not (scenarios / system / "system.toml").exists():
        return None
    found, problems = load_system(system, scenarios)
    for problem in problems:
        print(f"{system} cannot be offered: {problem}", file=sys.stderr)
    return None if problems else found


def load_systems(scenarios: Path) -> dict[str, System]:
    """All games whose kits are there and sound."""
    found = {system: _loaded(system, scenarios) for system in IDS}
    return {name: system for name, system in found.items() if system is not None}


def find_system(name: str, scenarios: Path) -> System:
    """A game by its id."""
    system = _loaded(name, scenarios)
    if system is None:
        known = [i for i in IDS if (scenarios / i / "system.toml").exists()]
        raise Unknown(
            f"there is no game {name[:60]!r}: {', '.join(known)}.{did_you_mean(name, known)}",
            field="system",
            given=name,
            accepted=", ".join(known),
        )
    return system
