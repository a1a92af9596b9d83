"""A table's map: the picture, its hexes, supply, entering positions, and the ground's own book."""

from companion.web.map import entering, ground, moving, pages, printed, supply
from companion.web.map.blueprint import bp

__all__ = ["bp", "entering", "ground", "moving", "pages", "printed", "supply"]
