"""Kharkov Battles: what its kit in scenarios/kharkov-battles/ cannot say."""

from __future__ import annotations

from . import (  # noqa: F401 - each adds its actions, worksheets and hooks to the rules
    air,
    arrivals,
    assault,
    breakdown,
    campaign,
    chits,
    command,
    crossing,
    designate,
    edges,
    losses,
    mobile,
    mobile_results,
    offers,
    overrun,
    owners,
    replacements,
    results,
    retreats,
    stacking,
    strength,
    supply,
    support,
    victory,
    weather,
    works,
)  # isort: skip
from .base import rules
from .books import BOOK_CHECKS

__all__ = ["BOOK_CHECKS", "rules"]
