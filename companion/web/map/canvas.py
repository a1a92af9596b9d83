"""Where things lie on the drawing of a map: middles, corners, hexsides and lines as SVG paths."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence

from companion.engine.hexes.grid import Grid

SIZE = 20
"""Centre to corner, in units of the drawing."""
KEPT = 24


def number(value: float) -> str:
    """A coordinate in as few characters as it needs."""
    return f"{value:.1f}".removesuffix(".0")


class Canvas:
    """Where things are on a grid's drawing."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        width, height = grid.extent
        self.width, self.height = width * SIZE, height * SIZE
        self.middles = {h: (x * SIZE, y * SIZE) for h in grid.ids for x, y in (grid.centre(h),)}
        first = grid.ids[0]
        (x, y), corners = grid.centre(first), grid.corners(first)
        self.corners = [((cx - x) * SIZE, (cy - y) * SIZE) for cx, cy in corners]
        steps = zip(self.corners, self.corners[1:], strict=False)
        self._round = "".join(f"l{number(bx - ax)} {number(by - ay)}" for (ax, ay), (bx, by) in steps) + "z"

    @property
    def view_box(self) -> str:
        return f"-2 -2 {number(self.width + 4)} {number(self.height + 4)}"

    def at(self, hex_id: str) -> tuple[float, float]:
        """The middle of a hex."""
        return self.middles[hex_id]

    def outline(self, hexes: Iterable[str]) -> str:
        """Whole hexes as one path."""
        (dx, dy), parts = self.corners[0], []
        for hex_id in hexes:
            if hex_id in self.grid.index:
                x, y = self.at(hex_id)
                parts.append(f"M{number(x + dx)} {number(y + dy)}{self._round}")
        return "".join(parts)

    def shape(self, scale: float = 1.0) -> str:
        """One hex around (0, 0)."""
        points = [f"{number(x * scale)} {number(y * scale)}" for x, y in self.corners]
        return f"M{'L'.join(points)}z"

    def side(self, a: str, b: str) -> tuple[tuple[float, float], tuple[float, float]]:
        """The two corners between which two hexes touch."""
        (x, y), (u, v) = self.at(a), self.at(b)
        mx, my = (x + u) / 2, (y + v) / 2
        near = sorted(self.corners, key=lambda c: (x + c[0] - mx) ** 2 + (y + c[1] - my) ** 2)[:2]
        (ax, ay), (bx, by) = near
        return (x + ax, y + ay), (x + bx, y + by)

    def sides(self, pairs: Iterable[tuple[str, str]]) -> str:
        """Hexsides as one path."""
        parts = []
        for a, b in pairs:
            if a in self.grid.index and b in self.grid.index:
                (x, y), (u, v) = self.side(a, b)
                parts.append(f"M{number(x)} {number(y)}L{number(u)} {number(v)}")
        return "".join(parts)

    def links(self, pairs: Iterable[tuple[str, str]]) -> str:
        """Roads from middle to middle as one path."""
        return "".join(self.polyline((a, b)) for a, b in pairs)

    def polyline(self, hexes: Sequence[str]) -> str:
        """A line through the middles of hexes."""
        points = [self.at(h) for h in hexes if h in self.grid.index]
        if not points:
            return ""
        return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)

    def edges(self) -> str:
        """Every hexside of the map once: half the ink and half the bytes of drawing every hex."""
        parts, grid = [], self.grid
        half = self.corners[:4]
        for i, hex_id in enumerate(grid.ids):
            x, y = self.at(hex_id)
            if len(grid.adjacency[i]) < 6:
                parts.append(
                    f"M{number(x + self.corners[0][0])} {number(y + self.corners[0][1])}{self._round}"
                )
                continue
            points = zip(half, half[1:], strict=False)
            steps = "".join(f"l{number(bx - ax)} {number(by - ay)}" for (ax, ay), (bx, by) in points)
            parts.append(f"M{number(x + half[0][0])} {number(y + half[0][1])}{steps}")
        return "".join(parts)


_canvases: OrderedDict[int, Canvas] = OrderedDict()


def canvas_of(grid: Grid) -> Canvas:
    """The canvas of a grid, kept while the grid is in use."""
    found = _canvases.get(id(grid))
    if found is None or found.grid is not grid:
        found = _canvases[id(grid)] = Canvas(grid)
        while len(_canvases) > KEPT:
            _canvases.popitem(last=False)
    return found
