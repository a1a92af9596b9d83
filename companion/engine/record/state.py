"""What is true at a table now, as plain data that a snapshot can keep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from companion.engine.kit.roster import Unit
from companion.engine.record import events as e
from companion.engine.record.pile import Pile

STATE_VERSION = 1
"""What `dump` writes. Raise it with every change of its shape or meaning: snapshots of another version are not used."""

_PLAIN = ("revision", "title", "commitment", "turn", "phase", "order", "last_chance")
_NAMED = ("values", "last_result", "last_roll")


@dataclass
class Mark:
    """A marker's value and who may see it."""

    value: Any
    only: tuple[str, ...] = ()


class State:
    """Everything that events have brought about."""

    def __init__(self, scenario: str, turn: int) -> None:
        self.revision = 0
        self.title = ""
        self.commitment = ""
        self.turn = turn
        self.phase = ""
        self.values: dict[str, Any] = {"scenario": scenario}
        self.hidden: dict[str, tuple[str, ...]] = {}
        """Values that only some seats may see."""
        self.units: dict[str, Unit] = {}
        self.marks: dict[str, dict[str, Mark]] = {}
        self.piles: dict[str, Pile] = {}
        self.sealed: dict[str, dict[str, Any]] = {}
        self.revealed: dict[str, dict[str, Any]] = {}
        self.asked: dict[str, e.Asked] = {}
        self.ticked: set[str] = set()
        self.last_result: dict[str, Any] = {}
        self.last_roll: dict[str, Any] = {}
        self.ended: e.Ended | None = None
        self.last_chance = 0
        """The newest roll, draw or reveal that counts: taking back past it needs the other side's consent."""
        self.order = 0

    def dump(self) -> dict[str, Any]:
        """The state as JSON-ready data, for snapshots."""
        return {
            "version": STATE_VERSION,
            **{name: getattr(self, name) for name in (*_PLAIN, *_NAMED)},
            "hidden": {name: list(seats) for name, seats in self.hidden.items()},
            "units": [unit.to_json() for unit in self.units.values()],
            "marks": {t: {n: asdict(m) for n, m in held.items()} for t, held in self.marks.items()},
            "piles": {name: pile.zones for name, pile in self.piles.items()},
            "sealed": self.sealed,
            "revealed": self.revealed,
            "asked": [ask.to_json() for ask in self.asked.values()],
            "ticked": sorted(self.ticked),
            "ended": self.ended.to_json() if self.ended else None,
        }

    def restore(self, state: Mapping[str, Any]) -> Self:
        """Take over a dumped state.

        :raises ValueError: if it was dumped by another version, or is no state at all
        """
        if state.get("version") != STATE_VERSION:
            raise ValueError(f"a state of version {state.get('version')!r}, not {STATE_VERSION}")
        for name in _PLAIN:
            setattr(self, name, state[name])
        for name in _NAMED:
            setattr(self, name, dict(state[name]))
        self.hidden = {name: tuple(seats) for name, seats in state["hidden"].items()}
        self.units = {facts["id"]: Unit.from_json(facts) for facts in state["units"]}
        self.marks = {
            t: {n: Mark(m["value"], tuple(m["only"])) for n, m in held.items()}
            for t, held in state["marks"].items()
        }
        self.piles = {name: Pile(zones) for name, zones in state["piles"].items()}
        self.sealed = {name: dict(choices) for name, choices in state["sealed"].items()}
        self.revealed = {name: dict(choices) for name, choices in state["revealed"].items()}
        asked = [e.Event.from_json(body) for body in state["asked"]]
        self.asked = {ask.id: ask for ask in asked if isinstance(ask, e.Asked)}
        self.ticked = set(state["ticked"])
        ended = e.Event.from_json(state["ended"]) if state["ended"] else None
        self.ended = ended if isinstance(ended, e.Ended) else None
        return self
