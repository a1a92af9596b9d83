"""Pieces of a page, drawn once: from one preview to the next most lines of a calculation are the same, and sides always."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import lru_cache
from typing import Any

from markupsafe import Markup

LINES, CHANCES, SIDES = 600, 60, 400
_KINDS = {"soviet": "soviet", "german": "german", "axis": "german"}
_SIDE = Markup(
    '<span class="side side-{kind}"><svg class="side-mark" viewBox="0 0 20 20" aria-hidden="true">'
    '<use href="#mark-{kind}"/></svg><span class="{shown}">{name}</span></span>'
)
"""The shapes stand at the top of every page (side_shapes.html)."""


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


def side_mark(side: str | Mapping[str, str] | None, label: bool = True) -> Markup:
    """A side: a shape and a word always go with the colour.

    :param side: an id such as "soviet", or that with a name
    :param label: whether the word is shown, or only read out
    """
    known = side if isinstance(side, Mapping) else {"id": side or "none"}
    return _side(known["id"], known.get("name") or "", label)


@lru_cache(SIDES)
def _side(side: str, name: str, label: bool) -> Markup:
    word = name or ("Both" if side == "none" else side.replace("_", " ").title())
    return _SIDE.format(kind=_KINDS.get(side, "none"), name=word, shown="side-name" if label else "sr")
