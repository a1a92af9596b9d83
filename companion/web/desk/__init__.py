"""The organiser's desk: pages that are open only to whoever gave the organiser's passphrase."""

from companion.web.desk import gate, newtables, overview, players, rounds, standings, tablepage
from companion.web.desk.blueprint import PAGES, bp

__all__ = ["PAGES", "bp", "gate", "newtables", "overview", "players", "rounds", "standings", "tablepage"]
