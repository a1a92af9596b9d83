"""A saved game as a file: its form, its checksum, and everything that is checked before a line of it is believed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NoReturn

from companion import limits
from companion.engine import dice
from companion.engine.errors import Unreadable
from companion.tables.background import slices
from companion.tables.misfits import misfit

FORMAT = 1


def checksum(copy: Mapping[str, Any]) -> str:
    """SHA-256 over everything but the checksum itself, so that a damaged file is noticed."""
    body = {k: v for k, v in copy.items() if k != "checksum"}
    text = json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def read_copy(text: str) -> dict[str, Any]:
    """A file's content checked as far as possible before anything is stored."""
    copy = _read_json(text)
    if not isinstance(copy, dict) or "companion" not in copy or "events" not in copy:
        raise Unreadable("this file is JSON, but not a companion export: it has no 'companion' and 'events'")
    if copy["companion"] != FORMAT:
        raise Unreadable(
            f"this export has format {str(copy['companion'])[:20]}; this companion reads format {FORMAT}"
        )
    try:
        whole = copy.get("checksum") == checksum(copy)
    except (ValueError, RecursionError):
        raise Unreadable("this export holds half characters or is nested too deep to be read") from None
    if not whole:
        raise Unreadable(
            "this export was changed after it was made (its checksum does not fit): export it again"
        )
    return copy


def _read_json(text: str) -> Any:
    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is no number")

    try:
        return json.loads(text, parse_constant=refuse)
    except json.JSONDecodeError as error:
        raise Unreadable(
            f"this file is not a companion export: it stops making sense at line {error.lineno} ({error.msg}). "
            "Was it cut off on the way? Export the game again."
        ) from None
    except ValueError as error:
        raise Unreadable(f"this file is not a companion export: {error}") from None
    except RecursionError:
        raise Unreadable("this file is not a companion export: it is nested too deep to be read") from None


_NEEDED: dict[str, tuple[type, int]] = {
    "code": (str, 1000),  # a strange one is replaced
    "system": (str, 60),
    "scenario": (str, 60),
    "title": (str, limits.TITLE),
    "options": (dict, 100),
    "created_at": (str, 40),
    "seed": (str, 200),
    "stream": (int, 0),
    "events": (list, limits.IMPORT_EVENTS),
}
_NEEDED_OF_EVENT: dict[str, tuple[type, int]] = {
    "seq": (int, 0),
    "at": (str, 40),
    "seat": (str, 40),
    "act": (str, 80),
    "name": (str, 80),
    "body": (dict, 20),
}
EVENT_PARTS = tuple(_NEEDED_OF_EVENT)
_STREAM_END = 10_000_000


def check_shape(copy: Mapping[str, Any]) -> None:
    """Everything that a whole export must hold is there, of its kind and of a likely size.

    :raises Unreadable: naming the first event, or all parts of the whole, of which that is not so
    """
    wrong = _misfits(copy, _NEEDED)
    if wrong:
        raise Unreadable(f"this export is incomplete: {', '.join(wrong)}")
    _check_time(copy["created_at"], "this export")
    for number, item in slices(enumerate(copy["events"], 1)):
        wrong = _misfits(item, _NEEDED_OF_EVENT) if isinstance(item, dict) else list(_NEEDED_OF_EVENT)
        if wrong:
            raise Unreadable(f"this export's event {number} is incomplete: {', '.join(wrong)}")
        if item["seq"] != number:
            raise Unreadable("this export's events are not numbered 1, 2, 3 ...: it is incomplete")
        _check_time(item["at"], f"this export's event {number}")
        wrong_event = misfit(item["body"])
        if wrong_event:
            raise Unreadable(f"this export's event {number} cannot be replayed: {wrong_event}")
    if not copy["events"] or copy["events"][0]["body"].get("kind") != "started":
        raise Unreadable("this export does not begin with the opening of its table: it is incomplete")
    try:
        dice.commitment(copy["seed"])
    except ValueError:
        raise Unreadable("this export's dice seed cannot be read") from None


def check_dice(copy: Mapping[str, Any]) -> None:
    """The seed is the one promised, and the stream never goes back: the dice can go on fairly from here.

    :raises Unreadable: naming what does not fit
    """
    promised = copy["events"][0]["body"]["commitment"]
    position = 0
    for item in copy["events"]:
        body = item["body"]
        promised = body["commitment"] if body["kind"] == "reseeded" else promised
        index = body.get("index")
        if index is None:
            continue
        if not position <= index <= _STREAM_END:
            raise Unreadable(
                f"this export's event {item['seq']} goes back in the stream of random numbers: to {index}, "
                f"where {position} had been reached"
            )
        position = index + 1
    if dice.commitment(copy["seed"]) != promised:
        raise Unreadable("this export's dice seed is not the one whose fingerprint was shown at its start")
    if not position <= copy["stream"] <= _STREAM_END:
        raise Unreadable(
            f"this export's stream of random numbers stands at {copy['stream']}, but {position} had been reached"
        )


def _misfits(found: Mapping[str, Any], needed: Mapping[str, tuple[type, int]]) -> list[str]:
    """What is missing, of another kind, or longer than it can honestly be."""
    wrong = []
    for name, (kind, most) in needed.items():
        if type(found.get(name)) is not kind:
            wrong.append(f"{name} missing or not as written by the companion")
        elif most and len(found[name]) > most:
            wrong.append(f"{name} is longer than {most}")
    return wrong


def _check_time(text: str, what: str) -> None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise Unreadable(f"{what} has no readable time: {text[:40]!r}") from None
    if found.tzinfo is None:
        raise Unreadable(f"{what} has no readable time: {text[:40]!r} lacks its zone")
