"""Kharkov Battles: what its kit in scenarios/kharkov-battles/ cannot say."""

from __future__ import annotations

from . import (  # noqa: F401 - each adds its actions, worksheets and hooks to the rules; their order is that of play
    weather,
    air,
    supply,
    support,
    command,
    works,
    chits,
    losses,
    strength,
    designate,
    assault,
    results,
    mobile,
    replacements,
    breakdown,
    owners,
    edges,
    campaign,
    victory,
    stacking,
)  # isort: skip
from .base import rules
from .books import BOOK_CHECKS

__all__ = ["BOOK_CHECKS", "rules"]
