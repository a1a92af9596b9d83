"""A full supply check of both sides against a plain breadth-first search over the same graph.

Run: python -m bench.bench_trace
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Sequence
from time import perf_counter

from companion.engine.hexes.grid import Grid
from companion.engine.hexes.ground import Fact, MapBook
from companion.engine.hexes.trace import Board
from companion.systems.second_kharkov.supply import GERMAN, SOVIET, check

ROUNDS = 60


def table(seed: int = 42) -> tuple[Board, list[tuple[str, str, str]], list[str], list[str]]:
    """A 64 x 37 map with rivers, 300 units along a wavering front, and a pocket of each side."""
    dice = random.Random(seed)
    grid = Grid(columns=(1, 64), rows=(0, 36))
    book = MapBook()
    for row in range(37):
        for column in (16, 32, 48):
            a, b = f"{column:02d}{row:02d}", f"{column + 1:02d}{row:02d}"
            kind = "crossing" if row % 9 == 4 else "major river"
            low, _, high = grid.hexside(a, b).partition("-")
            book.add(Fact("side", low, high, kind))
    west, east = grid.edge("west"), grid.edge("east")
    for side, edge in ((GERMAN, west), (SOVIET, east)):
        for hex_id in edge:
            book.add(Fact("source", hex_id, "", side))
    units: list[tuple[str, str, str]] = []
    for n in range(150):
        row = n % 37
        front = 30 + (row * 7) % 5
        # One unit in fifteen stands deep behind the enemy's line, where it is cut off.
        deep = 14 if n % 15 == 0 else 0
        for side, sign in ((GERMAN, -1), (SOVIET, 1)):
            column = front + sign * (1 + n // 37 * 2 + dice.randrange(2)) - sign * deep
            units.append((f"{side}-{n}", side, f"{column:02d}{row:02d}"))
    return Board(grid, book), units, west, east


def plain(adjacency: Sequence[Sequence[int]], start: list[int]) -> int:
    """Breadth-first search with no rules at all: the yardstick."""
    seen = [False] * len(adjacency)
    for i in start:
        seen[i] = True
    frontier, count = start, 0
    while frontier:
        reached = []
        for i in frontier:
            for j in adjacency[i]:
                if not seen[j]:
                    seen[j] = True
                    reached.append(j)
        count += len(frontier)
        frontier = reached
    return count


def median_ms(*works: Callable[[], object]) -> list[float]:
    """The median times of some pieces of work in milliseconds, taken in turn so that noise hits all alike."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(ROUNDS):
        for work, spent in zip(works, times, strict=True):
            start = perf_counter()
            work()
            spent.append((perf_counter() - start) * 1000)
    return [statistics.median(spent) for spent in times]


def rows() -> list[tuple[str, str, str, str, bool]]:
    """The lines of `make bench`: what, figure, side by side, target, met."""
    board, units, west, east = table()
    grid = board.grid
    starts = [[grid.index[h] for h in edge] for edge in (west, east)]
    cut = sum(not answer.supplied for answer in check(board, units).values())
    bfs, full, told = median_ms(
        lambda: [plain(grid.adjacency, start) for start in starts],
        lambda: check(board, units),
        lambda: [(answer.path, answer.cut) for answer in check(board, units).values()],
    )
    size = f"{len(grid.ids)} hexes, {len(units)} units, {cut} cut off"
    return [
        (
            "supply of both sides against a plain breadth-first search",
            f"{full / bfs:.2f}x",
            f"{full:.2f} ms against {bfs:.2f} ms ({size})",
            "<= 3x, <= 30 ms",
            full <= 3 * bfs and full <= 30,
        ),
        (
            "the same with every path and every cause told",
            f"{told / bfs:.2f}x",
            f"{told:.2f} ms",
            "<= 30 ms",
            told <= 30,
        ),
    ]


def main() -> None:
    """Print the lines."""
    for what, figure, detail, target, met in rows():
        print(f"{what}: {figure} ({detail}; target {target}: {'met' if met else 'MISSED'})")


if __name__ == "__main__":
    main()
