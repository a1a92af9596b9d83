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
    marching,
    movement,
    pursuit,
    setup,
    stacking,
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
    "marching",
    "movement",
    "pursuit",
    "rules",
    "setup",
    "stacking",
    "units",
    "victory",
]
