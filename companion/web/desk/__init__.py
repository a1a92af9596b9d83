"""The organiser's desk: pages that are open only to whoever gave the organiser's passphrase."""

from companion.web.desk import (
    cards,
    clock,
    gate,
    judge,
    machine,
    newtables,
    overview,
    players,
    rounds,
    standings,
    tablepage,
)
from companion.web.desk.blueprint import PAGES, bp

__all__ = [
    "PAGES",
    "bp",
    "cards",
    "clock",
    "gate",
    "judge",
    "machine",
    "newtables",
    "overview",
    "players",
    "rounds",
    "standings",
    "tablepage",
]
