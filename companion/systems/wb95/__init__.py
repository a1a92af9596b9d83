"""Kharkov 1942/1943 (WB-95): the rules that data cannot say, one noun a module."""

from companion.systems.wb95 import (  # noqa: F401 - imported for the rules that they add
    air,
    air_missions,
    artillery,
    bridges,
    combat,
    control,
    defending,
    entry,
    fighting,
    forts,
    hq,
    hq_bridges,
    losses,
    masking,
    movement,
    obligations,
    oos,
    pursuit,
    retreat,
    setup,
    shaken,
    supply,
    taps,
    victory,
    ways,
)
from companion.systems.wb95.base import rules
from companion.systems.wb95.victory import points as tally

__all__ = ["rules", "tally"]

_FIRST = (
    "short_formations",
    "plans",
    "obligations",
    "fallen",
    "set_aside",
    "stacking",
    "victory_panel",
    "sky",
)
"""What a player looks for first, whatever the phase; the others follow."""
rules.panels.sort(key=lambda p: _FIRST.index(p.__name__) if p.__name__ in _FIRST else len(_FIRST))
