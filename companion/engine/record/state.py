"""What is true at a table now, as plain data that a snapshot can keep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from companion.engine.kit.roster import Unit
from companion.engine.once import Worked, once, one
from companion.engine.pile import Pile
from companion.engine.plain import copied, shared
from companion.engine.record import events as e
from companion.engine.record.battle import Battle

STATE_VERSION = 2
"""What `dump` writes. Raise it with every change of its shape or meaning: snapshots of another version are not used."""

_PLAIN = ("revision", "title", "commitment", "turn", "phase", "order", "last_chance")
_NAMED = ("values", "last_result", "last_roll")
CHANGES = {
    "started": "", "seated": "", "undone": "", "reseeded": "commitment", "advanced": "turn phase battles",
    "engaged": "battles", "set": "values", "placed": "units order",
    "rolled": "last_roll battles", "drawn": "piles battles", "returned": "piles", "marked": "marks", "sealed": "sealed",
    "revealed": "sealed revealed", "resolved": "last_result battles", "asked": "asked", "answered": "asked",
    "ticked": "ticked", "noted": "battles", "ended": "ended",
}  # fmt: skip
"""Which parts of the state each kind of event changes; the first of a game changes all of them."""


@dataclass(slots=True)
class Mark:
    """A marker's value and who may see it."""

    value: Any
    only: tuple[str, ...] = ()


class State:
    """Everything that events have brought about."""

    PARTS: ClassVar = frozenset(" ".join(CHANGES.values()).split()) | {
        *_PLAIN,
        "hidden",
        "left_to_chance",
        "seated",
        "hindsight",
    }

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
        """Every open duty, in the order they came up."""
        self.battles: dict[int, Battle] = {}
        """The battles of this turn, older ones as long as something of them is owed, and always the newest."""
        self.ticked: set[str] = set()
        self.last_result: dict[str, Any] = {}
        self.last_roll: dict[str, Any] = {}
        self.ended: e.Ended | None = None
        self.last_chance = 0
        """The newest roll, draw or reveal that counts: taking back past it needs the other side's consent."""
        self.left_to_chance = False
        """Whether there ever was one."""
        self.order = 0
        self.worked = Worked()
        """What was worked out of all this; no part of it."""

    def duties(self, battle: Battle | int = 0, action: str = "") -> list[e.Asked]:
        """What is open, of one battle and of one action where they are told, in the order it came up."""
        number = battle if isinstance(battle, int) else battle.id
        return [
            a
            for a in self.asked.values()
            if not a.is_consent and number in (0, a.battle) and action in ("", a.action)
        ]

    def is_live(self, duty: e.Asked) -> bool:
        """Whether it can be answered now: nothing that comes before it in its battle is open."""
        return not duty.battle or all(a.step >= duty.step for a in self.duties(duty.battle))

    def is_over(self, battle: Battle) -> bool:
        """Whether a battle is done with: it has a result, or was left, and nothing of it is open."""
        open_duties = self.duties(battle)
        return not open_duties or (bool(battle.result) and not any(a.is_owed for a in open_duties))

    @property
    def fighting(self) -> list[Battle]:
        """The battles that are not over, oldest first: something of them is open, however many there were this turn."""
        open_in = {duty.battle for duty in self.asked.values()}
        return [b for b in self.battles.values() if b.id in open_in and not self.is_over(b)]

    @property
    @once
    def laid_open(self) -> frozenset[str]:
        """Units that everybody knows for as long as the battle they fight in is not over."""
        opened = [b for b in self.battles.values() if b.opened and not self.is_over(b)]
        return frozenset(unit for battle in opened for units in battle.forces.values() for unit in units)

    def _touched(self, event: e.Event) -> set[str]:
        """What of the state an event changes."""
        touched = {*CHANGES[event.KIND].split(), "revision", "last_chance", "seated", "hindsight"}
        if isinstance(event, e.Set):
            touched |= {one("values", event.name)} | (set() if event.name in self.values else {one("values")})
            touched |= {"hidden"} if event.only or event.name in self.hidden else set()
        elif isinstance(event, e.Marked):
            touched.add(one("marks", event.marker))
        elif isinstance(event, e.Placed):
            touched |= {one("units", event.unit)} | (set() if event.unit in self.units else {one("units")})
        if e.is_chance(event) and not self.left_to_chance:
            touched.add("left_to_chance")
        of_none = not isinstance(event, e.Engaged) and not getattr(event, "battle", True)
        return touched - {"battles"} if of_none else touched

    def dump(self) -> dict[str, Any]:
        """The state as JSON-ready data, for snapshots."""
        return {
            "version": STATE_VERSION,
            **{name: getattr(self, name) for name in (*_PLAIN, *_NAMED)},
            "hidden": {name: list(seats) for name, seats in self.hidden.items()},
            "units": [unit.to_json() for unit in self.units.values()],
            "marks": {t: {n: copied(m) for n, m in held.items()} for t, held in self.marks.items()},
            "piles": {name: pile.zones for name, pile in self.piles.items()},
            "sealed": self.sealed,
            "revealed": self.revealed,
            "asked": [ask.to_json() for ask in self.asked.values()],
            "battles": [battle.to_json() for battle in self.battles.values()],
            "ticked": sorted(self.ticked),
            "ended": self.ended.to_json() if self.ended else None,
        }

    def restore(self, state: Mapping[str, Any]) -> Self:
        """Take over a dumped state.

        :raises ValueError: if it was dumped by another version, or is no state at all
        """
        if state.get("version") != STATE_VERSION:
            raise ValueError(f"a state of version {state.get('version')!r}, not {STATE_VERSION}")
        self.worked.clear()
        for name in _PLAIN:
            setattr(self, name, state[name])
        for name in _NAMED:
            setattr(self, name, dict(state[name]))
        self.left_to_chance = bool(self.last_chance)
        self.hidden = {name: tuple(seats) for name, seats in state["hidden"].items()}
        self.units = {unit.id: unit for unit in map(Unit.from_json, state["units"])}
        self.marks = {
            shared(t): {n: Mark(m["value"], tuple(m["only"])) for n, m in held.items()}
            for t, held in state["marks"].items()
        }
        self.piles = {name: Pile(zones) for name, zones in state["piles"].items()}
        self.sealed = {name: dict(choices) for name, choices in state["sealed"].items()}
        self.revealed = {name: dict(choices) for name, choices in state["revealed"].items()}
        asked = [e.Event.from_json(body) for body in state["asked"]]
        self.asked = {ask.id: ask for ask in asked if isinstance(ask, e.Asked)}
        self.battles = {battle.id: battle for battle in map(Battle.from_json, state["battles"])}
        self.ticked = set(state["ticked"])
        ended = e.Event.from_json(state["ended"]) if state["ended"] else None
        self.ended = ended if isinstance(ended, e.Ended) else None
        return self
