"""Kharkov Battles: what its kit in scenarios/kharkov-battles/ cannot say."""

from __future__ import annotations

from companion.systems.kharkov_battles import (  # noqa: F401 - each adds its actions, worksheets and hooks to the rules
    advances,
    air,
    announcing,
    arrivals,
    assault,
    begin,
    breakdown,
    campaign,
    casualties,
    chits,
    command,
    copying,
    crossing,
    deeds,
    designate,
    edges,
    fighting,
    full_support,
    identity,
    idle,
    infiltration,
    losses,
    mobile,
    mobile_results,
    mobile_sheet,
    moves,
    overrun,
    owners,
    replacements,
    results,
    retreats,
    returns,
    stacking,
    strength,
    supply,
    support,
    taps,
    victory,
    weather,
    works,
)  # isort: skip
from companion.systems.kharkov_battles.base import rules
from companion.systems.kharkov_battles.books import BOOK_CHECKS
from companion.systems.kharkov_battles.victory import tally

__all__ = ["BOOK_CHECKS", "rules", "tally"]
