"""A battle: one thing in the record from its declaration until nothing of it is owed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.engine.plain import altered
from companion.engine.record import events as e

ALSO = "also"
"""The fact that all may read: side -> who else fights for it, in words, such as aircraft."""


@dataclass(frozen=True)
class Battle:
    """Who fights whom, where, what the game must remember of it, and what has come of it so far.

    Whether it is over is worked out (`Game.is_over`), never stored: it has a result, and nothing of it is owed.
    """

    id: int
    """The revision of the event that began it."""
    title: str
    """'Attack on 2408'."""
    attacker: str
    defender: str
    turn: int = 0
    phase: str = ""
    hexes: tuple[str, ...] = ()
    forces: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Side -> unit ids, as far as they are on record."""
    known_to: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Side -> the seats that may know which of its units take part, where not all may."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What the game needs to remember, as JSON. No seat is shown any of it but ALSO, and through its game's own words."""
    worksheet: str = ""
    """The calculation that the battle was resolved with."""
    sheet: Mapping[str, Any] = field(default_factory=dict)
    """The breakdown, once worked out."""
    sheet_for: tuple[str, ...] = ()
    """Who may read the breakdown; empty means all."""
    rolls: tuple[dict[str, Any], ...] = ()
    """The dice and chits of this battle in order, as their events are stored."""
    result: str = ""
    notes: tuple[dict[str, Any], ...] = ()
    """What has come of it so far, in words, as their events are stored."""
    opened: bool = False
    """Whether both stacks lie open: everybody knows the units that fight."""

    def joined(self, event: e.Engaged) -> Battle:
        """What an event adds: sides' forces are replaced, facts are added to; a fact that is None goes."""
        facts = {**self.facts, **event.facts}
        known_to = {**self.known_to, **{side: event.only for side in event.forces}}
        return altered(
            self,
            title=event.title or self.title,
            hexes=tuple(event.hexes) or self.hexes,
            forces={**self.forces, **{side: tuple(units) for side, units in event.forces.items()}},
            known_to={side: seats for side, seats in known_to.items() if seats},
            facts={name: value for name, value in facts.items() if value is not None},
            result=event.result or self.result,
            opened=self.opened or event.opens,
        )

    def rolled(self, event: e.Rolled | e.Drawn) -> Battle:
        """Dice fell or chits were drawn for it."""
        return altered(self, rolls=(*self.rolls, event.to_json()))

    def noted(self, event: e.Noted) -> Battle:
        """Something came of it."""
        return altered(self, notes=(*self.notes, event.to_json()))

    def resolved(self, event: e.Resolved) -> Battle:
        """Its calculation was worked through; without a result the chart is still to be read.

        A later calculation of another kind, such as a test that follows from it, leaves its own result alone.
        """
        if self.worksheet not in ("", event.worksheet):
            return self
        return altered(
            self,
            worksheet=event.worksheet,
            sheet=dict(event.breakdown),
            sheet_for=event.only,
            result=event.result or self.result,
        )

    def side_in(self, role: str) -> str:
        """The side that attacks or defends."""
        return self.attacker if role == "attacker" else self.defender

    def role_of(self, side: str) -> str:
        """'attacker', 'defender', or nothing for one who is not in it."""
        return {self.defender: "defender", self.attacker: "attacker"}.get(side, "")

    def units(self, side: str) -> tuple[str, ...]:
        """The ids of a side's units in it, whether they still stand or not."""
        return tuple(self.forces.get(side, ()))

    def to_json(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if value not in ("", (), {}, False)}

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Battle:
        lists = {name: tuple(body[name]) for name in ("hexes", "rolls", "notes", "sheet_for") if name in body}
        by_side = {
            name: {side: tuple(listed) for side, listed in body.get(name, {}).items()}
            for name in ("forces", "known_to")
        }
        return cls(**{**body, **lists, **by_side})


def begun(event: e.Engaged, at: int, turn: int, phase: str) -> Battle:
    """A battle as the event that declares it tells."""
    return Battle(at, event.title, event.attacker, event.defender, turn, phase).joined(event)
