"""The chart book: what the owner copies once from his own components, for every table of this installation."""

from companion.web.book import games, pages, rosters, walk
from companion.web.book.blueprint import bp

__all__ = ["bp", "games", "pages", "rosters", "walk"]
