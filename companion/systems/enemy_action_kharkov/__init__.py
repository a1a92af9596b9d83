"""Enemy Action: Kharkov, the two-player game: what its data in scenarios/enemy-action-kharkov/ cannot say."""

from companion.systems.enemy_action_kharkov import (  # noqa: F401 - each adds its actions, worksheets and hooks to the rules
    advance,
    combat,
    copying,
    cup,
    ground,
    handover,
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
    stacking,
    supply,
    support,
    tactics,
    taking,
    taps,
    telling,
    victory,
)
from companion.systems.enemy_action_kharkov.base import rules
from companion.systems.enemy_action_kharkov.manifest import BOOK_CHECKS
from companion.systems.enemy_action_kharkov.victory import tally

__all__ = ["BOOK_CHECKS", "rules", "tally"]
