"""The games: each a kit in scenarios/<id>/ and a package here with what data cannot say."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from companion.engine.common import bind_common, common
from companion.engine.errors import Unknown, did_you_mean
from companion.engine.kit import Kit, load_kit
from companion.engine.rules import Rules
from companion.engine.shape import Problem

IDS = ("second-kharkov", "panzer-keil", "enemy-action-kharkov", "kharkov-battles", "wb95")


def new_rules(system: str) -> Rules:
    """Rules for a game, with everything that every table can do."""
    rules = Rules(system, common)
    bind_common(rules)
    return rules


@dataclass(frozen=True)
class System:
    """A game ready to be played."""

    kit: Kit
    rules: Rules

    @property
    def id(self) -> str:
        return self.kit.id


def load_system(system: str, scenarios: Path) -> tuple[System | None, list[Problem]]:
    """Read one game's kit and rules; the problems are those of its files."""
    kit, problems = load_kit(scenarios / system)
    if kit is None:
        return None, problems
    module = f"companion.systems.{system.replace('-', '_')}"
    found: Any = import_module(module) if find_spec(module) else None
    rules = getattr(found, "rules", None) or new_rules(system)
    return System(kit, rules), problems


@lru_cache
def load_systems(scenarios: Path) -> dict[str, System]:
    """All games whose kits are there and sound."""
    found: dict[str, System] = {}
    for system in IDS:
        if (scenarios / system / "system.toml").exists():
            loaded, problems = load_system(system, scenarios)
            if loaded is None or problems:
                raise ValueError("\n".join(map(str, problems)))
            found[system] = loaded
    return found


def find_system(name: str, scenarios: Path) -> System:
    """A game by its id."""
    systems = load_systems(scenarios)
    if name not in systems:
        raise Unknown(
            f"there is no game {name[:60]!r}: {', '.join(systems)}.{did_you_mean(name, systems)}",
            field="system",
            given=name,
            accepted=", ".join(systems),
        )
    return systems[name]
