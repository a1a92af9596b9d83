"""Real dice as a form sends them: one input a die (`die.1`, `die.2`), or their sum (`die.sum`), made into one value.

The form has two ways out: a button `_dice=roll` that leaves the rolling to the companion, and `_dice=hand` that uses
what was entered. A row in which nothing is tapped is not sent at all; `die.0` always is, and tells that dice were asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_PART = re.compile(r"(?P<name>.+)\.(?P<part>\d{1,2}|sum)", re.DOTALL)


def gather(sent: Mapping[str, Any]) -> dict[str, Any]:
    """Submitted fields with the inputs of each dice field put together; a field without dice entered is left out."""
    fields = {name: value for name, value in sent.items() if name != "_dice"}
    parts: dict[str, dict[str, str]] = {}
    for name in sent:
        if "." in name and (found := _PART.fullmatch(name)):
            parts.setdefault(found["name"], {})[found["part"]] = str(fields.pop(name)).strip()
    if sent.get("_dice") == "roll":
        return fields
    for name, entered in parts.items():
        value = _told(entered)
        if value or sent.get("_dice") == "hand":  # by hand an empty one is asked back, not rolled
            fields[name] = value or [""]
    return fields


def _told(entered: dict[str, str]) -> list[str] | str:
    """Each die in its place, or the sum alone; both only when they agree, else words that will be asked back."""
    total = entered.get("sum", "")
    last = max((int(part) for part, face in entered.items() if part != "sum" and face), default=0)
    faces = [entered.get(str(number), "") for number in range(1, last + 1)]
    if not faces or not total:
        return faces or total
    agree = all(f.isdecimal() and len(f) <= 9 for f in faces) and total == str(sum(map(int, faces)))
    return faces if agree else f"{' + '.join(f or '?' for f in faces)} = {total}"
