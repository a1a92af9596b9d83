"""Enemy Action: Kharkov, the two-player game: what its data in scenarios/enemy-action-kharkov/ cannot say."""

from companion.systems.enemy_action_kharkov import (
    combat,
    cup,
    ground,
    hits,
    impulse,
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
    victory,
)
from companion.systems.enemy_action_kharkov.base import rules
from companion.systems.enemy_action_kharkov.manifest import BOOK_CHECKS, checks

__all__ = [
    "BOOK_CHECKS",
    "checks",
    "combat",
    "cup",
    "ground",
    "hits",
    "impulse",
    "losses",
    "orders",
    "ownership",
    "panels",
    "posts",
    "preparation",
    "replacements",
    "reserves",
    "retreat",
    "rules",
    "supply",
    "support",
    "tactics",
    "victory",
]
