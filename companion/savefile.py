"""A saved game as a file: its form, its checksum, and everything that is checked before a line of it is believed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from companion.engine import dice
from companion.engine.errors import Unreadable

FORMAT = 1


def checksum(copy: Mapping[str, Any]) -> str:
    """SHA-256 over everything but the checksum itself, so that a damaged file is noticed."""
    body = {k: v for k, v in copy.items() if k != "checksum"}
    text = json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def read_copy(text: str) -> dict[str, Any]:
    """A file's content checked as far as possible before anything is stored."""
    try:
        copy = json.loads(text)
    except json.JSONDecodeError as error:
        raise Unreadable(
            f"this file is not a companion export: it stops making sense at line {error.lineno} ({error.msg}). "
            "Was it cut off on the way? Export the game again."
        ) from None
    except RecursionError:
        raise Unreadable("this file is not a companion export: it is nested too deep to be read") from None
    if not isinstance(copy, dict) or "companion" not in copy or "events" not in copy:
        raise Unreadable("this file is JSON, but not a companion export: it has no 'companion' and 'events'")
    if copy["companion"] != FORMAT:
        raise Unreadable(
            f"this export has format {copy['companion']!r}; this companion reads format {FORMAT}"
        )
    if copy.get("checksum") != checksum(copy):
        raise Unreadable(
            "this export was changed after it was made (its checksum does not fit): export it again"
        )
    return copy


_NEEDED = {
    "code": str,
    "system": str,
    "scenario": str,
    "title": str,
    "options": dict,
    "created_at": str,
    "seed": str,
    "stream": int,
    "events": list,
}
_NEEDED_OF_EVENT = {"seq": int, "at": str, "seat": str, "act": str, "name": str, "body": dict}


def check_shape(copy: Mapping[str, Any]) -> None:
    """Everything that a whole export must hold is there and of its kind, or an Unreadable that names what is not."""
    wrong = [name for name, kind in _NEEDED.items() if not isinstance(copy.get(name), kind)]
    if wrong:
        raise Unreadable(
            f"this export is incomplete: {', '.join(wrong)} missing or not as written by the companion"
        )
    for number, item in enumerate(copy["events"], 1):
        kinds = _NEEDED_OF_EVENT.items()
        wrong = [n for n, kind in kinds if not isinstance(item, dict) or not isinstance(item.get(n), kind)]
        if wrong:
            raise Unreadable(f"this export's event {number} is incomplete: {', '.join(wrong)} missing")
        if item["seq"] != number:
            raise Unreadable("this export's events are not numbered 1, 2, 3 ...: it is incomplete")
        try:
            datetime.fromisoformat(item["at"])
        except ValueError:
            raise Unreadable(
                f"this export's event {number} has no readable time: {item['at'][:40]!r}"
            ) from None
    if not copy["events"] or copy["events"][0]["body"].get("kind") != "started":
        raise Unreadable("this export does not begin with the opening of its table: it is incomplete")
    try:
        dice.commitment(copy["seed"])
    except ValueError:
        raise Unreadable("this export's dice seed cannot be read") from None
