"""The record as one seat may read it: what happened, and by which action where that may be known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from companion.engine.play.rules import Rules
from companion.engine.record import events as e
from companion.store import StoredEvent

EDGE = 60
"""So many events around a part of the record hold the rest of any secret action that it cuts in two."""


@dataclass
class Seen:
    """One event as a seat may see it; `name` is empty where the action itself is a secret."""

    seq: int
    at: str
    seat: str
    act: str
    """A number for the action: its own id may have been made from its name."""
    name: str
    body: dict[str, Any]


def seen_record(rules: Rules, stored: Iterable[StoredEvent], seat: str) -> list[Seen]:
    """Events in the order of the record. Whole actions must be given, since one part may give the others away."""
    found: list[Seen] = []
    for number, (_, items) in enumerate(groupby(stored, key=lambda item: item.act), 1):
        group = list(items)
        bodies = [e.seen_by(item.body, seat) for item in group]
        closed = _is_secret(rules, group[0].name) and any(map(_is_hidden, bodies))
        for item, body in zip(group, bodies, strict=True):
            name = "" if closed or _is_hidden(body) else item.name
            found.append(Seen(item.seq, item.at, item.seat, str(number), name, body))
    return found


def _is_hidden(body: Mapping[str, Any]) -> bool:
    return bool(body.get("hidden"))


def _is_secret(rules: Rules, name: str) -> bool:
    """Whether an action is done on a side's own phone only: then its open parts must not name it either."""
    action = rules.actions.get(name)
    return action is not None and action.secret
