"""What is taken back: the lines that count all the same, and what the record's keeper tells. No part of the state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from companion.engine.record import events as e


@dataclass(frozen=True)
class Hindsight:
    """The past as far as taking back must know it; empty where nobody keeps a record."""

    taken_back: list[tuple[int, int]] = field(default_factory=list)
    """Spans of the record between these lines that were taken back."""
    acted: frozenset[str] = frozenset()
    """The seats whose actions would be undone."""
    what: str = ""
    """What would be undone, as whoever asks may read it."""
    redo_to: int = 0
    """The line before the undo that was the last thing to happen; 0 where something has happened since."""
    redo_by: str = ""
    """The seat that took it back without asking anybody, and so may put it back without asking; or nobody."""


def effective(events: Mapping[int, e.Event], upto: int, floor: int = 0) -> tuple[int, list[int]]:
    """The events that count after `upto`, undos resolved: (base, seqs to apply on the state at base).

    The state after an undo to m is the state after m, whatever happened between; so we walk backwards and jump.
    `floor` is a snapshot's position: the walk stops there, or below it when an undo jumps past it.
    """
    chain: list[int] = []
    seq = upto
    while seq > floor:
        event = events[seq]
        if isinstance(event, e.Undone):
            if not 0 <= event.to < seq:
                raise ValueError(f"event {seq} takes back to event {event.to}, which is not before it")
            seq = event.to
        else:
            chain.append(seq)
            seq -= 1
    return seq, chain[::-1]
