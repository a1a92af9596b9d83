"""What a submission brings with it so that a repeat can be told from something new, and what it is answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from companion.engine.errors import NotNow, Unreadable
from companion.engine.forms.fields import storable
from companion.engine.play.actions import Action
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.tables.log import told

LONGEST_ID = 80


@dataclass
class Answer:
    """What a submission is answered: the new revision and what happened, as the seat may see it."""

    revision: int
    lines: list[str] = field(default_factory=list)
    result: dict[str, Any] = field(default_factory=dict)
    after: int = 0
    """The revision before it."""
    repeated: bool = False
    reseats: bool = False
    """Whether it changed who may sit where."""

    def to_json(self) -> dict[str, Any]:
        return {"revision": self.revision, "lines": self.lines, "result": self.result}


def answer_of(
    events: Sequence[e.Event], bodies: Sequence[dict[str, Any]], seat: str, game: Game, before: int
) -> Answer:
    """What an action is answered: what it did, as its seat may see it.

    :param bodies: the events as they are stored
    :param game: the game after the action
    :param before: the revision before it
    """
    seen = [e.seen_by(body, seat) for body in bodies]
    resolved: dict[str, Any] = next((b for b in reversed(seen) if b["kind"] == "resolved"), {})
    reseats = any(isinstance(event, e.Seated) for event in events)
    result = dict(resolved.get("breakdown", {}))
    return Answer(before + len(events), told(seen, game), result, before, reseats=reseats)


def stale(action: Action, revision: int | None, now: int) -> NotNow:
    """Why an action that must meet the table as it was seen is refused."""
    return NotNow(
        "The table has moved on since this page was drawn. Look again, then decide."
        if revision is not None
        else f"{action.label} needs the revision you are looking at, so that it cannot hit a changed table.",
        field="revision",
        given=revision,
        accepted=str(now),
    )


def read_id(given: str) -> str:
    """An action id as its client made it; a shortened one could be another's.

    :raises Unreadable: if it is too long, or no text that every store can keep
    """
    act = storable(given)
    if "\0" in act:
        raise Unreadable("action_id holds a null character", field="action_id", accepted="letters and digits")
    if len(act) > LONGEST_ID:
        raise Unreadable(
            f"action_id has {len(act)} characters, and at most {LONGEST_ID} are taken",
            field="action_id",
            given=act[:LONGEST_ID],
            accepted=f"at most {LONGEST_ID} characters",
        )
    return act
