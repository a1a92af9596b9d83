"""What whoever keeps a record tells of it when something is to be taken back. No part of a game's state."""

from __future__ import annotations

from dataclasses import dataclass, field


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
