"""Second Kharkov: what its rulebook adds to the engine, one module a subject."""

from companion.systems.second_kharkov import (
    air,
    armies,
    arrivals,
    combat,
    control,
    counters,
    declaring,
    fighting,
    judging,
    losses,
    movement,
    pursuit,
    setup,
    stacking,
    taps,
    units,
    victory,
)
from companion.systems.second_kharkov.base import rules

__all__ = [
    "air",
    "armies",
    "arrivals",
    "combat",
    "control",
    "counters",
    "declaring",
    "fighting",
    "judging",
    "losses",
    "movement",
    "pursuit",
    "rules",
    "setup",
    "stacking",
    "taps",
    "units",
    "victory",
]
