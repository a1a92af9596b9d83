"""The organiser's desk: pages that are open only to whoever gave the organiser's passphrase."""

from companion.web.desk import clock, gate, judge, newtables, overview, players, rounds, standings, tablepage
from companion.web.desk.blueprint import PAGES, bp

__all__ = [
    "PAGES",
    "bp",
    "clock",
    "gate",
    "judge",
    "newtables",
    "overview",
    "players",
    "rounds",
    "standings",
    "tablepage",
]
