"""Cells of a spreadsheet that is handed on: text that a spreadsheet program would run as a formula is disarmed.

An apostrophe before it makes it text everywhere; `rearm` takes exactly that apostrophe off again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

ARMED = re.compile(r"'*[=+\-@\t\r]")
DISARMED = re.compile(r"'+[=+\-@\t\r]")
NUMBER = re.compile(r"[-+]?\d*(?:[.,]\d+)?%?")


def disarm(cell: Any) -> Any:
    """A cell as it may be written to a file: formulas as text, numbers such as -1 as they are."""
    if isinstance(cell, str) and ARMED.match(cell) and not NUMBER.fullmatch(cell):
        return f"'{cell}"
    return cell


def disarmed(row: Iterable[Any]) -> list[Any]:
    """A row of cells as it may be written to a file."""
    return [disarm(cell) for cell in row]


def rearm(cell: str) -> str:
    """A cell as it was before it was disarmed."""
    return cell[1:] if DISARMED.match(cell) else cell
