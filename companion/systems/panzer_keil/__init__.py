"""Panzer Keil: Battle of Kharkiv. The rules by their noun; facts and words of the sequence are in the kit."""

from companion.systems.panzer_keil import (
    aftermath,
    arrivals,
    combat,
    condition,
    exchange,
    hitler,
    movement,
    outcome,
    panels,
    points,
    railroad,
    setup,
    stacking,
    stalingrad,
    supply,
    supplycheck,
    support,
    victory,
    weather,
)
from companion.systems.panzer_keil.base import rules
from companion.systems.panzer_keil.books import BOOK_CHECKS

__all__ = [
    "BOOK_CHECKS",
    "aftermath",
    "arrivals",
    "combat",
    "condition",
    "exchange",
    "hitler",
    "movement",
    "outcome",
    "panels",
    "points",
    "railroad",
    "rules",
    "setup",
    "stacking",
    "stalingrad",
    "supply",
    "supplycheck",
    "support",
    "victory",
    "weather",
]
