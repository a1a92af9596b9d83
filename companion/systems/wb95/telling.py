"""What came of a battle, told on every seat's card."""

from __future__ import annotations

from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import IN_PASSING


def came_of(battle: Battle | None, words: str, rule: str, *, told: bool = False) -> e.Noted:
    """Something came of a battle.

    :param told: the log says it already, by a line about the unit
    """
    return e.Noted(words, rule=rule, battle=battle.id if battle else 0, reason=IN_PASSING if told else "")
