"""What lies over a map's ground as SVG: what a seat may see of the moment, and what was tapped.

Three drawings of one size lie on each other: the base (`base`: ground and numbers, cached for good), the
overlay (counters, markers, zones) and the pick (a line of supply, the hexes that cut it, a range).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from companion.engine.hexes.grid import Grid
from companion.engine.seat.view import SeatView
from companion.web.map.canvas import Canvas, canvas_of, number
from companion.web.map.counters import counter, pill_text, pills, side_class, stacks

# -- the overlay -----------------------------------------------------------------------------------------


@dataclass
class Layers:
    """What lies over the ground besides counters."""

    zones: Mapping[str, Sequence[str]] = field(default_factory=dict)
    control: Mapping[str, Sequence[str]] = field(default_factory=dict)
    cut: Sequence[str] = ()
    """Hexes with a stack out of supply."""
    fed: Sequence[str] = ()
    fought: Sequence[str] = ()
    """Hexes under attack."""
    offered: Sequence[str] = ()
    """Hexes that answer what the seat is asked."""


def overlay(view: SeatView, grid: Grid, markers: Mapping[str, str], layers: Layers) -> str:
    """Everything of the moment, as a seat may see it."""
    canvas = canvas_of(grid)
    parts = []
    for side, hexes in layers.control.items():
        parts.append(f'<path class="held {side_class(side)}" d="{canvas.outline(hexes)}"/>')
    for side, hexes in layers.zones.items():
        name = "a" if side_class(side) == "side-soviet" else "b"
        parts.append(f'<path class="zone" fill="url(#zone-{name})" d="{canvas.outline(hexes)}"/>')
    parts += [_ring(canvas, "cut-off", h) for h in layers.cut]
    parts += [_ring(canvas, "fed", h) for h in layers.fed]
    parts += [_ring(canvas, "offered", h) for h in layers.offered]
    found = stacks(view, grid)
    ground = {h: marks for h, marks in view.hexes.items() if h in canvas.grid.index}
    texts = {h: [t for m, v in g.items() if (t := pill_text(m, v, markers))] for h, g in ground.items()}
    parts += _flags(canvas, ground)
    for hex_id, here in found.items():
        x, y = canvas.at(hex_id)
        if len(here) == 1:
            parts.append(counter(here[0], markers, x, y, ground=texts.pop(hex_id, ())))
        else:
            parts += [counter(s, markers, x - 8 + 16 * i, y + 1, small=True) for i, s in enumerate(here[:2])]
    for hex_id, words in texts.items():
        x, y = canvas.at(hex_id)
        drawn = pills([(t, "pill hexpill") for t in words], 14 if hex_id in found else 0)
        parts.append(f'<g transform="translate({number(x)} {number(y)})">{drawn}</g>' if drawn else "")
    return "".join([*parts, *(_ring(canvas, "fought", h) for h in layers.fought)])


def _ring(canvas: Canvas, kind: str, hex_id: str) -> str:
    """The outline of a hex, a little inside of it."""
    x, y = canvas.at(hex_id)
    return f'<path class="{kind}" transform="translate({number(x)} {number(y)})" d="{canvas.shape(0.92)}"/>'


def _flags(canvas: Canvas, hexes: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """A flag for each hex of which somebody noted the owner."""
    parts = []
    for hex_id, marks in sorted(hexes.items()):
        if "owner" in marks:
            (x, y), kind = canvas.at(hex_id), side_class(str(marks["owner"]))
            parts.append(f'<path class="flag {kind}" d="M{number(x - 15)} {number(y + 3)}{FLAG}"/>')
    return parts


FLAG = "v-9h7l-1.6 2.4 1.6 2.4h-5.6v4.2z"


# -- the pick --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pick:
    """What was tapped or asked for."""

    hex: str = ""
    path: Sequence[str] = ()
    cut: Mapping[str, str] = field(default_factory=dict)
    reach: Sequence[str] = ()
    line: Sequence[str] = ()


def pick(grid: Grid, chosen: Pick) -> str:
    """A chosen hex, its line of supply in one stroke or what cuts it in hatching, a range, a distance."""
    canvas = canvas_of(grid)
    parts = []
    if chosen.reach:
        parts.append(f'<path class="reach" d="{canvas.outline(chosen.reach)}"/>')
    if chosen.line:
        parts.append(f'<path class="measure" d="{canvas.polyline(chosen.line)}"/>')
    hexes = [key for key in chosen.cut if "-" not in key]
    sides = [key.split("-") for key in chosen.cut if "-" in key]
    if hexes:
        parts.append(f'<path class="cutting" fill="url(#cutting)" d="{canvas.outline(hexes)}"/>')
    if sides:
        parts.append(f'<path class="cutting-side" d="{canvas.sides((a, b) for a, b in sides)}"/>')
    if len(chosen.path) > 1:
        path = canvas.polyline(chosen.path)
        (x, y), (u, v) = canvas.at(chosen.path[0]), canvas.at(chosen.path[-1])
        parts.append(f'<path class="line-edge" d="{path}"/><path class="line" d="{path}"/>')
        parts.append(f'<circle class="line-start" cx="{number(x)}" cy="{number(y)}" r="4"/>')
        parts.append(f'<circle class="line-end" cx="{number(u)}" cy="{number(v)}" r="2.4"/>')
    if chosen.hex in grid.index:
        x, y = canvas.at(chosen.hex)
        parts.append(
            f'<path class="chosen" transform="translate({number(x)} {number(y)})" d="{canvas.shape(0.97)}"/>'
        )
    return "".join(parts)
