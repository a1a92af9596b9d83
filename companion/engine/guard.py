"""Parts of a page that must not take the page down: a panel, a trace, a score, a game's own question.

What fails is written to the server's log with its traceback, and the page says in one line that it is missing. The
line says nothing of why, because the reason may name what the seat must not know.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

Made = TypeVar("Made")
Other = TypeVar("Other")

log = logging.getLogger("companion")
strict = False
"""Whether a failing part fails as it is; the tests set it, so that no fault hides behind a page that still stands."""
_logged: dict[tuple[str, str], int] = {}
_MOST_LOGGED = 500


class Guard:
    """Makes the parts of one page, and remembers which could not be made."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def part(
        self, name: str, make: Callable[[], Made], instead: Other, *passed: type[Exception]
    ) -> Made | Other:
        """What `make` gives, or `instead` when it fails.

        :param passed: errors that the caller answers himself
        """
        try:
            return make()
        except passed:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the rest of the page must stand
            _write_down(name, error)
            line = f"{name} cannot be shown: something on this table's record confuses it. Undo still works."
            if line not in self.faults:
                self.faults.append(line)
            return instead


def attempt(name: str, make: Callable[[], Made], instead: Other) -> Made | Other:
    """What `make` gives, or `instead` when it fails, where no page is there to say so."""
    try:
        return make()
    except Exception as error:  # noqa: BLE001 - as above
        _write_down(name, error)
        return instead


def name_of(fn: Callable[..., object]) -> str:
    """A function's name as words."""
    return str(getattr(fn, "__name__", "A part of this page")).strip("_").replace("_", " ").capitalize()


def _write_down(name: str, error: Exception) -> None:
    """Log a fault with its traceback, once: pages are drawn again every few seconds."""
    if strict:
        raise error
    key = (name, f"{type(error).__name__}: {error}"[:200])
    if len(_logged) >= _MOST_LOGGED:
        _logged.clear()
    _logged[key] = _logged.get(key, 0) + 1
    if _logged[key] == 1:
        log.error("%s failed", name, exc_info=error)
