"""The base of a map as SVG: the printed ground, its numbers and names, drawn once per version."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from html import escape

from companion.engine.hexes.grid import Grid
from companion.engine.hexes.ground import NAMED, Fact, MapBook
from companion.web.map.canvas import KEPT, SIZE, Canvas, canvas_of, number

DRAWING = 1
"""Part of every base map's address: raise it when the drawing changes."""

# Presentation attributes serve the file on its own; in a page map.css gives the same classes their theme.
TERRAINS = {
    "clear": "#f8f1df",
    "forest": "#c3d3a4",
    "woods": "#c3d3a4",
    "marsh": "#c4d9d3",
    "swamp": "#c4d9d3",
    "broken": "#e6d2ab",
    "rough": "#e6d2ab",
    "hill": "#e6d2ab",
    "city": "#d3c3ae",
}
OTHER_TERRAIN = "#e2d6c2"
TEXTURES = {"forest": "trees", "woods": "trees", "marsh": "reeds", "swamp": "reeds", "broken": "stones"}
RIVERS = ("river", "donets", "dniepr", "dnepr", "water", "lake")
BROAD = ("major", "donets", "dniepr", "dnepr")
OVER = ("crossing", "bridge", "ford", "ferry")

TEXTURE_DEFS = (
    '<defs><pattern id="trees" width="10" height="12" patternUnits="userSpaceOnUse">'
    '<path class="ink-forest" d="M2 5.5l1.6-3 1.6 3zM7 11.5l1.6-3 1.6 3z" fill="#8fa56a"/></pattern>'
    '<pattern id="reeds" width="12" height="7" patternUnits="userSpaceOnUse">'
    '<path class="ink-marsh" d="M1 2h4M7 5.5h4" stroke="#6f9c98" fill="none"/></pattern>'
    '<pattern id="stones" width="9" height="9" patternUnits="userSpaceOnUse">'
    '<path class="ink-broken" d="M1 4l2-2 2 2M5 8l2-2 2 2" stroke="#b89a62" fill="none"/></pattern></defs>'
)


def version(grid: Grid, book: MapBook) -> str:
    """What the base map's address ends in: another ground or numbering is another address."""
    facts = [[*f] for f in sorted(book.facts) if f.kind not in ("edge", "area")]
    body = json.dumps([DRAWING, repr(grid), facts], ensure_ascii=False)
    return hashlib.sha256(body.encode()).hexdigest()[:16]


_kept: OrderedDict[str, bytes] = OrderedDict()


def base_gzip(grid: Grid, book: MapBook, name: str) -> bytes:
    """The base map of a version, compressed, drawn when it is first asked for."""
    if name not in _kept:
        _kept[name] = gzip.compress(base(grid, book).encode(), 9, mtime=0)
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    _kept.move_to_end(name)
    return _kept[name]


def base(grid: Grid, book: MapBook) -> str:
    """The ground, its numbers and names, as a file that can stand alone."""
    canvas = canvas_of(grid)
    here = [f for f in book.facts if f.a in grid.index]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{canvas.view_box}" class="base" '
        f'font-family="system-ui,sans-serif">{TEXTURE_DEFS}'
        f'<path class="land" fill="#f1e7d0" d="{canvas.outline(grid.ids)}"/>'
    ]
    parts += _ground(canvas, here)
    parts.append(f'<path class="grid" fill="none" stroke="#b7a888" stroke-width=".7" d="{canvas.edges()}"/>')
    parts += _water(canvas, here)
    parts += _ways(canvas, here)
    parts += _named(canvas, here)
    parts.append(_numbers(canvas))
    return "".join([*parts, "</svg>"])


def _by_value(facts: Iterable[Fact], kind: str) -> dict[str, list[Fact]]:
    found: dict[str, list[Fact]] = {}
    for fact in sorted(facts):
        if fact.kind == kind:
            found.setdefault(fact.value, []).append(fact)
    return found


def _class(word: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in word.casefold())


def _ground(canvas: Canvas, facts: Sequence[Fact]) -> list[str]:
    parts = []
    for name, found in _by_value(facts, "terrain").items():
        tint, path = TERRAINS.get(name.casefold(), OTHER_TERRAIN), canvas.outline(f.a for f in found)
        parts.append(f'<path class="t t-{_class(name)}" fill="{tint}" d="{path}"/>')
        if texture := TEXTURES.get(name.casefold()):
            parts.append(f'<path fill="url(#{texture})" d="{path}"/>')
    return parts


def _water(canvas: Canvas, facts: Sequence[Fact]) -> list[str]:
    parts, over = [], []
    for name, found in _by_value(facts, "side").items():
        path = canvas.sides((f.a, f.b) for f in found)
        if any(word in name for word in OVER):
            over += [_bridge(canvas, f.a, f.b) for f in found]
            continue
        broad = 3.6 if any(word in name for word in BROAD) else 1.9
        wet = any(word in name for word in RIVERS)
        kind, ink = ("river", "#5d93b5") if wet else ("bank", "#7a6a4c")
        parts.append(
            f'<path class="{kind}" fill="none" stroke="{ink}" stroke-width="{broad}" stroke-linecap="round" '
            f'd="{path}"/>'
        )
    if over:
        joined = "".join(over)
        parts.append(f'<path class="bridge" fill="none" stroke="#3b3122" stroke-width="1.3" d="{joined}"/>')
    return parts


def _bridge(canvas: Canvas, a: str, b: str) -> str:
    """Two short rails over the middle of a hexside."""
    (x, y), (u, v) = canvas.side(a, b)
    mx, my, dx, dy = (x + u) / 2, (y + v) / 2, (u - x) / SIZE, (v - y) / SIZE
    rails = ((mx + s * dx * 2.2, my + s * dy * 2.2) for s in (-1, 1))
    return "".join(
        f"M{number(px - dy * 4)} {number(py + dx * 4)}L{number(px + dy * 4)} {number(py - dx * 4)}"
        for px, py in rails
    )


def _ways(canvas: Canvas, facts: Sequence[Fact]) -> list[str]:
    parts = []
    for name, found in _by_value(facts, "link").items():
        path = canvas.links((f.a, f.b) for f in found if f.b in canvas.grid.index)
        if "rail" in name:
            parts.append(f'<path class="rail" fill="none" stroke="#40382a" stroke-width="1.2" d="{path}"/>')
            parts.append(
                f'<path class="rail" fill="none" stroke="#40382a" stroke-width="3.4" '
                f'stroke-dasharray=".9 4" d="{path}"/>'
            )
        else:
            wide = 2.4 if "main" in name or "primary" in name else 1.5
            parts.append(
                f'<path class="road" fill="none" stroke="#a5673f" stroke-width="{wide}" d="{path}"/>'
            )
    for name, found in _by_value(facts, "line").items():
        sides = canvas.sides((f.a, f.b) for f in found if f.b)
        middles = canvas.polyline([f.a for f in found if not f.b])
        parts.append(
            f'<path class="front" fill="none" stroke="#6d2f6b" stroke-width="1.8" stroke-dasharray="5 2.4" '
            f'd="{sides}{middles}"><title>{escape(name)}</title></path>'
        )
    return parts


def _named(canvas: Canvas, facts: Sequence[Fact]) -> list[str]:
    parts = []
    for side, found in _by_value(facts, "source").items():
        marks = "".join(
            f"M{number(x - 13)} {number(y + 9)}l3 -5.2 3 5.2z" for x, y in (canvas.at(f.a) for f in found)
        )
        parts.append(f'<path class="source side-{_class(side)}" fill="#7a6a4c" d="{marks}"/>')
    for fact in facts:
        if fact.kind == "vp":
            x, y = canvas.at(fact.a)
            parts.append(
                f'<text class="vp" x="{number(x + 11)}" y="{number(y + 13)}" font-size="5.5" '
                f'text-anchor="middle" fill="#7a4a00">\u2605{escape(fact.value)}</text>'
            )
    places = sorted(f for f in facts if f.kind not in (*NAMED, "terrain", "side", "link", "vp"))
    labelled: set[str] = set()
    names = []
    for fact in places:
        x, y = canvas.at(fact.a)
        if fact.kind == "city":
            parts.append(
                f'<path class="city" fill="#c9b79d" stroke="#6b5a3f" stroke-width=".6" '
                f'transform="translate({number(x)} {number(y)})" d="{CITY}"/>'
            )
        else:
            parts.append(
                f'<circle class="town" fill="#fbf6e9" stroke="#3b3122" stroke-width="1.2" '
                f'cx="{number(x)}" cy="{number(y)}" r="3"/>'
            )
        if fact.value not in labelled:
            labelled.add(fact.value)
            names.append(f'<text x="{number(x)}" y="{number(y + 13.5)}">{escape(fact.value[:24])}</text>')
    if names:
        parts.append(
            '<g class="names" font-size="6.4" font-weight="700" text-anchor="middle" fill="#231d14" '
            'stroke="#f6efdc" stroke-width="1.6" paint-order="stroke" stroke-linejoin="round">'
            f"{''.join(names)}</g>"
        )
    return parts


CITY = "M-9 -4h5v-3h6v4h6v7h-4v4h-7v-3h-6z"


def _numbers(canvas: Canvas) -> str:
    texts = []
    for hex_id in canvas.grid.ids:
        x, y = canvas.at(hex_id)
        texts.append(f'<text x="{number(x)}" y="{number(y - 10.4)}">{hex_id}</text>')
    return (
        '<g class="numbers" data-below="10.4" font-size="5.4" text-anchor="middle" fill="#6b5d45">'
        f"{''.join(texts)}</g>"
    )
