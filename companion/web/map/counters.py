"""Units on the map as counters: whole stacks, signs, names, steps and the pills of their markers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from typing import Any

from companion.engine.hexes.grid import Grid
from companion.engine.seat.shapes import UnitView
from companion.engine.seat.view import SeatView
from companion.web.map.canvas import number

NAME_SIZE, NAME_WIDTH = 5.2, 24.6
"""A name on a counter: its letters' height and the room it has, in units of the drawing."""
WIDTHS = {25: " (),./:;I\\fijl|'", 30: "!*-[]rt{}", 40: '"z', 50: "?FLTZ^bdghnopqu~", 55: "EPSVXY", 60: "&ABCDHKNRU",
          65: "GOQw", 70: "%M", 75: "Wm", 80: "@\u2026"}  # fmt: skip
"""How wide the letters of the condensed bold face run, in hundredths of their height; all others 45."""
RUNS = {letter: width for width, letters in WIDTHS.items() for letter in letters}

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


@dataclass
class Stack:
    """What lies in a hex of one side, as a seat sees it, top first."""

    hex: str
    side: str
    units: list[UnitView] = field(default_factory=list)

    @property
    def top(self) -> UnitView:
        return self.units[0]

    @property
    def words(self) -> str:
        """The stack for a screen reader and for the list beside the map."""
        return ", ".join(unit_words(u) for u in self.units)


def unit_words(unit: UnitView) -> str:
    """A unit's name, or what can be said of one that is hidden."""
    if unit.hidden:
        return "a hidden unit"
    if not unit.name and unit.kind == "unit":
        return "unnamed unit"
    return unit.name or unit.kind or unit.id


def stacks(view: SeatView, grid: Grid) -> dict[str, list[Stack]]:
    """A seat's units on this map by hex, each side's on its own."""
    found: dict[str, dict[str, Stack]] = {}
    units = [u for u in view.units if u.place in grid.index]
    # Hidden units have no order of their own to tell; they lie below what may be seen.
    for unit in sorted(units, key=lambda u: -u.order):
        here = found.setdefault(unit.place, {})
        here.setdefault(unit.side, Stack(unit.place, unit.side)).units.append(unit)
    return {hex_id: list(here.values()) for hex_id, here in sorted(found.items())}


SHAPES = {
    "soviet": "M-13 -9h26v21h-26z",
    "other": "M-13 -6l3 -3h20l3 3v15.4l-2.6 2.6h-20.8l-2.6 -2.6z",
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
    if top.hidden:
        parts.append('<text class="ask" y="6">?</text>')
    else:
        sign = symbol(top.kind) or symbol_of_name(top.name)
        parts.append(f'<use href="#k-{sign or "unit"}" y="-2"/>')
        if top.size:
            parts.append(f'<text class="sz" y="-6.6">{escape(size_sign(top.size))}</text>')
        if top.name:
            parts.append(_name(top.name))
        parts.append(_pips(top.steps, top.full))
    if len(stack.units) > 1:
        parts.append(
            f'<g class="n"><circle cx="13" cy="-8" r="4.6"/><text x="13" y="-6">{len(stack.units)}</text></g>'
        )
    marks = [pill_text(m, v, markers) for u in stack.units for m, v in u.marks.items()]
    found = [(t, "pill") for t in dict.fromkeys(marks) if t] + [(t, "pill hexpill") for t in ground]
    parts.append(pills(found, 14))
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


def width(text: str) -> float:
    """How wide a text is on a counter."""
    return sum(RUNS.get(letter, 45) for letter in text) * NAME_SIZE / 100


def short(name: str) -> str:
    """A name that fits a counter: its words shortened, then its end left out, never its front."""
    if width(name) <= NAME_WIDTH:
        return name
    words = name.replace("/", " ").split()
    text = " ".join(words if len(words) == 1 else [_short_word(word) for word in words])
    if width(text) <= NAME_WIDTH:
        return text
    while width(text + "\u2026") > NAME_WIDTH:
        text = text[:-1]
    return text.rstrip(" .,-/") + "\u2026"


def _short_word(word: str) -> str:
    """A word of a name by its first letters; numbers, Roman ones too, and what is short already (AH.LAH) stay."""
    return word if word[:1].isdigit() or "." in word or set(word) <= set("IVXL") else word[:3]


def _name(name: str) -> str:
    """The name at a length of its own: whatever font a device has, it stays on its counter."""
    text = short(name)
    wide = f'textLength="{number(width(text))}" lengthAdjust="spacingAndGlyphs"'
    return f'<text class="nm" y="9.2" {wide}>{escape(text)}</text>'


def _pips(steps: int, full: int) -> str:
    if full < 2:
        return ""
    if full > 4:
        return f'<text class="sz" x="10.2" y="-1">{steps}</text>'
    return "".join(
        f'<circle class="{"pip" if i < steps else "gone"}" cx="10.3" cy="{number(-5 + i * 2.7)}" r="1"/>'
        for i in range(full)
    )


def pill_text(marker: str, value: Any, markers: Mapping[str, str]) -> str:
    """A marker as the few letters that its pill shows; empty for one that has no sign."""
    sign = markers.get(marker, "")
    if not sign or f"{marker}={value}" in markers:  # a state has its own word
        return sign and markers[f"{marker}={value}"]
    text = "" if value is True else str(value)
    plain = (
        not text or " " in text or text.casefold() == sign.casefold()
    )  # sentences are read in the hex's sheet
    return sign if plain else f"{sign} {text}"[:10]


def pills(texts: Sequence[tuple[str, str]], y: float) -> str:
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
