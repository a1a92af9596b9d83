"""What a submission brings with it so that a repeat can be told from something new."""

from __future__ import annotations

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import storable

LONGEST_ID = 80


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
