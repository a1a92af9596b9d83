"""Second Kharkov: what its rulebook adds to the engine, one module a subject."""

from companion.systems.second_kharkov import (
    aftermath,
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
    taps,
    units,
    victory,
)
from companion.systems.second_kharkov.base import rules
from companion.systems.second_kharkov.victory import tally

__all__ = [
    "aftermath",
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
    "tally",
    "taps",
    "units",
    "victory",
]
