"""Pieces of a calculation, drawn once: from one preview to the next most of its lines are the same."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any

from markupsafe import Markup

LINES, CHANCES = 400, 60


def kept(macro: Callable[[Any], Markup], thing: Any) -> Markup:
    """What a macro makes of this, which is all that it looks at."""
    try:
        return _chances(macro, tuple(thing.items())) if isinstance(thing, dict) else _line(macro, thing)
    except TypeError:  # an odd record may hold what cannot be looked up
        return macro(thing)


@lru_cache(LINES)
def _line(macro: Callable[[Any], Markup], thing: Hashable) -> Markup:
    return macro(thing)


@lru_cache(CHANCES)
def _chances(macro: Callable[[Any], Markup], items: tuple[tuple[str, Any], ...]) -> Markup:
    return macro(dict(items))
