"""The map as SVG: the printed ground once per version, and over it what a seat may see of the moment.

Three drawings of one size lie on each other: the base (ground and numbers, cached for good), the overlay
(counters, markers, zones) and the pick (what was tapped: a line of supply, the hexes that cut it, a range).
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from typing import Any

from companion.engine.hexgrid import Grid
from companion.engine.mapbook import NAMED, Fact, MapBook

DRAWING = 1
"""Part of every base map's address: raise it when the drawing changes."""
SIZE = 20
"""Centre to corner, in units of the drawing."""
KEPT = 24
LONG_NAME = 9

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

KINDS = {
    "armour": ("panzer", "tank", "arm", "armour", "armor", "armoured", "pz"),
    "mech": ("mechanised", "mechanized", "mech", "panzergrenadier"),
    "motor": ("motorised", "motorized", "mot"),
    "cavalry": ("cavalry", "cav"),
    "artillery": ("artillery", "art", "arty"),
    "gun": ("ag", "assault", "stug"),
    "antitank": ("at", "anti-tank"),
    "mountain": ("mountain", "gebirgs"),
    "hq": ("hq", "headquarters"),
    "air": ("air", "aircraft", "luftwaffe"),
    "infantry": ("infantry", "inf", "rifle", "jaeger", "security", "guards", "militia", "ss"),
}


SHORT = {
    "armour": ("tk", "pzd"),
    "infantry": ("gds", "id", "rd", "jag", "jae", "sec"),
    "mountain": ("geb", "mtn"),
}


@lru_cache(512)
def symbol(kind: str) -> str:
    """Which of our signs stands for a type of unit."""
    words = kind.casefold().replace("-", " ").split()
    if "armoured" in words and "cavalry" in words:
        return "cavalry"
    return next((sign for word in words for sign, names in KINDS.items() if word in names), "")


@lru_cache(2048)
def symbol_of_name(name: str) -> str:
    """The sign for a unit of which only the name was typed: 3Pz, 36 Tk, 6th Cavalry."""
    words = re.findall(r"[a-z]{2,}", name.casefold())
    found = (s for w in words for s, names in KINDS.items() if w in names or w in SHORT.get(s, ()))
    return next(found, "")


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


# -- the base --------------------------------------------------------------------------------------------

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


# -- the overlay -----------------------------------------------------------------------------------------


@dataclass
class Stack:
    """What lies in a hex of one side, as a seat sees it, top first."""

    hex: str
    side: str
    units: list[dict[str, Any]] = field(default_factory=list)

    @property
    def top(self) -> dict[str, Any]:
        return self.units[0]

    @property
    def words(self) -> str:
        """The stack for a screen reader and for the list beside the map."""
        return ", ".join(unit_words(u) for u in self.units)


def unit_words(unit: Mapping[str, Any]) -> str:
    """A unit's name, or what can be said of one that is hidden."""
    if unit.get("hidden"):
        return "a hidden unit"
    if not unit.get("name") and unit.get("kind") == "unit":
        return "unnamed unit"
    return str(unit.get("name") or unit.get("kind") or unit["id"])


def stacks(view: Mapping[str, Any], grid: Grid) -> dict[str, list[Stack]]:
    """A seat's units on this map by hex, each side's on its own."""
    found: dict[str, dict[str, Stack]] = {}
    units = [u for u in view["units"] if u["place"] in grid.index]
    # Hidden units have no order of their own to tell; they lie below what may be seen.
    for unit in sorted(units, key=lambda u: -u.get("order", 0)):
        here = found.setdefault(unit["place"], {})
        here.setdefault(unit["side"], Stack(unit["place"], unit["side"])).units.append(unit)
    return {hex_id: list(here.values()) for hex_id, here in sorted(found.items())}


SHAPES = {
    "soviet": "M-12 -9h24v21h-24z",
    "other": "M-12 -5l4 -4h16l4 4v13l-4 4h-16l-4 -4z",
}


def side_class(side: str) -> str:
    """The class that gives a side its colour; sides that are not Soviet share the other army's."""
    return "side-soviet" if side == "soviet" else "side-german"


def counter(
    stack: Stack,
    markers: Mapping[str, str],
    x: float,
    y: float,
    small: bool = False,
    ground: Sequence[str] = (),
) -> str:
    """A stack as its top counter: sign, size, name, steps, how many lie below, what is marked."""
    top = stack.top
    shape = SHAPES.get(stack.side, SHAPES["other"])
    scale = " scale(.72)" if small else ""
    parts = [f'<g class="st {side_class(stack.side)}" transform="translate({number(x)} {number(y)}){scale}">']
    for depth in range(min(len(stack.units) - 1, 2), 0, -1):
        parts.append(f'<path class="under" d="{shape}" transform="translate({1.6 * depth} {-1.6 * depth})"/>')
    parts.append(f'<path class="face" d="{shape}"/>')
    if top.get("hidden"):
        parts.append('<text class="ask" y="6">?</text>')
    else:
        sign = symbol(str(top.get("kind", ""))) or symbol_of_name(str(top.get("name", "")))
        parts.append(f'<use href="#k-{sign or "unit"}" y="-2"/>')
        if top.get("size"):
            parts.append(f'<text class="sz" y="-6.6">{escape(size_sign(str(top["size"])))}</text>')
        if top.get("name"):
            parts.append(f'<text class="nm" y="10">{escape(short(str(top["name"])))}</text>')
        parts.append(_pips(int(top.get("steps", 1)), int(top.get("full", 1))))
    if len(stack.units) > 1:
        parts.append(
            f'<g class="n"><circle cx="12" cy="-8" r="4.6"/><text x="12" y="-6">{len(stack.units)}</text></g>'
        )
    marks = [pill_text(m, v, markers) for u in stack.units for m, v in (u.get("marks") or {}).items()]
    found = [(t, "pill") for t in dict.fromkeys(marks) if t] + [(t, "pill hexpill") for t in ground]
    parts.append(_pills(found, 14))
    return "".join([*parts, "</g>"])


SIZES = {
    "army": "XXXX",
    "corps": "XXX",
    "division": "XX",
    "brigade": "X",
    "regiment": "III",
    "battalion": "II",
}


def size_sign(size: str) -> str:
    """A formation's size as counters print it."""
    return SIZES.get(size.casefold(), size)[:4]


def short(name: str) -> str:
    """A name that fits a counter."""
    if len(name) <= LONG_NAME:
        return name
    words = name.replace("/", " ").split()
    shorter = " ".join(w if w[:1].isdigit() else w[:3] for w in words)
    return shorter if len(shorter) <= LONG_NAME else shorter[: LONG_NAME - 1].rstrip() + "\u2026"


def _pips(steps: int, full: int) -> str:
    if full < 2:
        return ""
    if full > 4:
        return f'<text class="sz" x="9.4" y="-1">{steps}</text>'
    return "".join(
        f'<circle class="{"pip" if i < steps else "gone"}" cx="9.5" cy="{number(-5 + i * 2.7)}" r="1"/>'
        for i in range(full)
    )


def pill_text(marker: str, value: Any, markers: Mapping[str, str]) -> str:
    """A marker as the few letters that its pill shows; empty for one that has no sign."""
    sign = markers.get(marker, "")
    if not sign:
        return ""
    return sign if value is True else f"{sign} {value}"[:10]


def _pills(texts: Sequence[tuple[str, str]], y: float) -> str:
    texts = [*texts[:2], ("+", "pill")] if len(texts) > 3 else texts
    wide = [len(t) * 2.9 + 3 for t, _ in texts]
    x, parts = -sum(wide) / 2, []
    for (text, kind), width in zip(texts, wide, strict=True):
        left, top, middle, foot = (number(n) for n in (x + 0.3, y - 3.4, x + width / 2, y + 1.3))
        parts.append(
            f'<g class="{kind}"><rect x="{left}" y="{top}" width="{number(width - 0.6)}" height="6" rx="2"/>'
            f'<text x="{middle}" y="{foot}">{escape(text)}</text></g>'
        )
        x += width
    return "".join(parts)


@dataclass
class Layers:
    """What lies over the ground besides counters."""

    zones: Mapping[str, Sequence[str]] = field(default_factory=dict)
    control: Mapping[str, Sequence[str]] = field(default_factory=dict)
    cut: Sequence[str] = ()
    """Hexes with a stack out of supply."""
    fed: Sequence[str] = ()


def overlay(view: Mapping[str, Any], grid: Grid, markers: Mapping[str, str], layers: Layers) -> str:
    """Everything of the moment, as a seat may see it."""
    canvas = canvas_of(grid)
    parts = []
    for side, hexes in layers.control.items():
        parts.append(f'<path class="held {side_class(side)}" d="{canvas.outline(hexes)}"/>')
    for side, hexes in layers.zones.items():
        name = "a" if side_class(side) == "side-soviet" else "b"
        parts.append(f'<path class="zone" fill="url(#zone-{name})" d="{canvas.outline(hexes)}"/>')
    for hex_id in layers.cut:
        x, y = canvas.at(hex_id)
        parts.append(
            f'<path class="cut-off" transform="translate({number(x)} {number(y)})" d="{canvas.shape(0.92)}"/>'
        )
    for hex_id in layers.fed:
        x, y = canvas.at(hex_id)
        parts.append(
            f'<path class="fed" transform="translate({number(x)} {number(y)})" d="{canvas.shape(0.92)}"/>'
        )
    found = stacks(view, grid)
    ground = {h: marks for h, marks in view["hexes"].items() if h in canvas.grid.index}
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
        pills = _pills([(t, "pill hexpill") for t in words], 14 if hex_id in found else 0)
        parts.append(f'<g transform="translate({number(x)} {number(y)})">{pills}</g>' if pills else "")
    return "".join(parts)


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
