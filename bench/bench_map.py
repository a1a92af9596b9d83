"""How big the map is on the wire and how long it takes to draw, for 2,368 hexes with 300 units.

Run: python -m bench.bench_map
"""

from __future__ import annotations

import gzip
import random
import statistics
from collections.abc import Callable
from time import perf_counter
from typing import Any

from companion.engine.hexes.grid import Grid
from companion.engine.hexes.ground import Fact, MapBook
from companion.web.map.base import base, base_gzip
from companion.web.map.overlay import Layers, overlay

ROUNDS = 20
LIMIT = 300_000
KINDS = ("infantry", "panzer", "tank", "motorised", "cavalry", "artillery", "HQ", "")


def ground(seed: int = 7) -> tuple[Grid, MapBook]:
    """A 64 x 37 map on which every hex has its terrain, with rivers, roads and towns."""
    dice = random.Random(seed)
    grid, book = Grid(columns=(1, 64), rows=(0, 36)), MapBook()
    for hex_id in grid.ids:
        book.facts[
            Fact("terrain", hex_id, "", dice.choice(("clear", "clear", "clear", "forest", "marsh")))
        ] = "owner"
        for other in grid.neighbours(hex_id):
            if hex_id < other and dice.random() < 0.08:
                kind = dice.choice(("minor river", "major river", "crossing"))
                book.facts[Fact("side", hex_id, other, kind)] = "owner"
            elif hex_id < other and dice.random() < 0.05:
                book.facts[Fact("link", hex_id, other, dice.choice(("road", "rail")))] = "owner"
        if dice.random() < 0.03:
            book.facts[Fact("town", hex_id, "", f"Town {hex_id}")] = "owner"
    return grid, book


def view(grid: Grid, units: int = 300, seed: int = 7) -> dict[str, Any]:
    """What a seat sees of 300 units in some 200 stacks."""
    dice = random.Random(seed)
    places = dice.sample(grid.ids, 200)
    rows = []
    for n in range(units):
        rows.append(
            {
                "id": f"u{n}",
                "side": ("soviet", "german")[n % 2],
                "name": f"{n} Div",
                "kind": dice.choice(KINDS),
                "size": "XX",
                "steps": dice.randint(1, 3),
                "full": 3,
                "place": places[n % 200] if n % 3 else places[n * 7 % 200],
                "order": n,
                "marks": {"oos": True} if n % 9 == 0 else {},
            }
        )
    return {"units": rows, "hexes": {h: {"owner": "soviet"} for h in places[:40]}}


def median_ms(*works: Callable[[], object]) -> list[float]:
    """The median times in milliseconds, taken in turn so that noise hits all alike."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(ROUNDS):
        for work, spent in zip(works, times, strict=True):
            start = perf_counter()
            work()
            spent.append((perf_counter() - start) * 1000)
    return [statistics.median(spent) for spent in times]


def packed(text: str) -> int:
    return len(gzip.compress(text.encode(), 5, mtime=0))


def measure() -> dict[str, float]:
    """Sizes in bytes and times in milliseconds."""
    grid, book = ground()
    seen, signs = view(grid), {"oos": "OOS"}
    everywhere = Layers(zones={"soviet": grid.ids[:900], "german": grid.ids[-900:]})
    drawing, counters = base(grid, book), overlay(seen, grid, signs, Layers())
    layered = overlay(seen, grid, signs, everywhere)
    plain = [f'<text x="{i}" y="{i}">{hex_id}</text>' for i, hex_id in enumerate(grid.ids)]
    yard, drawn, over, over_all, kept = median_ms(
        lambda: "".join(f'<text x="{i}" y="{i}">{hex_id}</text>' for i, hex_id in enumerate(grid.ids)),
        lambda: base(grid, book),
        lambda: overlay(seen, grid, signs, Layers()),
        lambda: overlay(seen, grid, signs, everywhere),
        lambda: base_gzip(grid, book, "bench"),
    )
    return {
        "hexes": len(plain),
        "base_bytes": len(gzip.compress(drawing.encode(), 9, mtime=0)),
        "overlay_bytes": packed(counters),
        "layered_bytes": packed(layered),
        "yardstick_ms": yard,
        "base_ms": drawn,
        "overlay_ms": over,
        "layered_ms": over_all,
        "kept_ms": kept,
    }


def main() -> None:
    """Print sizes, times and their ratios."""
    m = measure()
    whole = m["base_bytes"] + m["layered_bytes"]
    print(f"{m['hexes']:.0f} hexes, 300 units")
    print(f"base map, once a version       {m['base_bytes'] / 1000:7.1f} kB {m['base_ms']:8.2f} ms")
    print(f"base map, kept                 {'':10} {m['kept_ms']:8.3f} ms")
    print(f"counters, at every move        {m['overlay_bytes'] / 1000:7.1f} kB {m['overlay_ms']:8.2f} ms")
    print(f"with the zones of both sides   {m['layered_bytes'] / 1000:7.1f} kB {m['layered_ms']:8.2f} ms")
    print(f"all together                   {whole / 1000:7.1f} kB           (target {LIMIT / 1000:.0f} kB)")
    print(f"a move against the whole map   {m['overlay_ms'] / m['base_ms']:7.2f} x")
    print(f"against writing the numbers    {m['overlay_ms'] / m['yardstick_ms']:7.2f} x")


if __name__ == "__main__":
    main()
