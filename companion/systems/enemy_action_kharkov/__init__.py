"""Enemy Action: Kharkov, the two-player game: what its data in scenarios/enemy-action-kharkov/ cannot say."""

from . import (  # noqa: F401 - each adds its actions, worksheets and hooks to the rules
    combat,
    cup,
    ending,
    ground,
    impulse,
    joining,
    losses,
    orders,
    ownership,
    panels,
    posts,
    preparation,
    replacements,
    reserves,
    retreat,
    supply,
    support,
    tactics,
    taking,
    victory,
)
from .base import rules
from .manifest import BOOK_CHECKS

__all__ = ["BOOK_CHECKS", "rules"]
