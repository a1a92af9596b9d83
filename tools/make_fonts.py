"""Make the fonts in static/fonts from two npm packages: only the characters, weights and features the pages use.

    npm pack @fontsource-variable/archivo@5.3.0 @fontsource-variable/archivo-narrow@5.3.0
    for package in *.tgz; do mkdir "${package%.tgz}" && tar xzf "$package" -C "${package%.tgz}" --strip-components 1; done
    pip install fonttools==4.68.0 brotli==1.2.1
    python tools/make_fonts.py .

Prints the lines of the table in static/fonts/README.md. The name of a file carries the beginning of its sha256, so
that a browser may keep it for good: write the new names into static/app.css and templates/base.html.
"""

import hashlib
import sys
from pathlib import Path

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

OUT = Path(__file__).parents[1] / "static" / "fonts"
VERSION = "5.3.0"
FAMILIES = ("archivo", "archivo-narrow")
WEIGHTS = (400, 700)

LATIN = [*range(0x20, 0x7F), *range(0xA0, 0x100), *map(ord, "Œœ‐‑–—‘’‚“”„•…‹›€−\u202f")]
EXTENDED = [*range(0x100, 0x180), *map(ord, "ȘșȚțẞ")]


def shrunk(path: Path, characters: list[int]) -> TTFont:
    """One slice of a family: these characters, the weights in use, kerning and accents, figures of one width."""
    font = TTFont(path)
    low, high = WEIGHTS
    font = instantiateVariableFont(font, {"wght": (low, high)})
    stand_in_line(font)
    part_words(font)
    # A glyph that does not vary may be left out of the file, but not of the table that is cut down below.
    for glyph in font.getGlyphOrder():
        font["gvar"].variations.setdefault(glyph, [])
    options = Options(layout_features=["kern", "mark", "mkmk", "ccmp", "locl"], hinting=False)
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
    options.notdef_outline = True
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=characters)
    subsetter.subset(font)
    return font


def stand_in_line(font: TTFont) -> None:
    """Make the tabular figures the only ones: the CSS shorthand `font` forgets `font-variant-numeric`."""
    lookups = [
        index
        for record in font["GSUB"].table.FeatureList.FeatureRecord
        if record.FeatureTag == "tnum"
        for index in record.Feature.LookupListIndex
    ]
    swaps: dict[str, str] = {}
    for index in set(lookups):
        for table in font["GSUB"].table.LookupList.Lookup[index].SubTable:
            swaps |= getattr(table, "ExtSubTable", table).mapping
    for table in font["cmap"].tables:
        for code in range(ord("0"), ord("9") + 1):
            if code in table.cmap:
                table.cmap[code] = swaps.get(table.cmap[code], table.cmap[code])


def part_words(font: TTFont) -> None:
    """Give a word space at least the usual quarter of an em: Archivo's own runs words together on a button."""
    for glyph in {font.getBestCmap()[code] for code in (0x20, 0xA0) if code in font.getBestCmap()}:
        advance, bearing = font["hmtx"][glyph]
        font["hmtx"][glyph] = (max(advance, font["head"].unitsPerEm // 4), bearing)


def ring(pen: TTGlyphPen, radius: float, *, clockwise: bool, half: bool = False) -> None:
    """A circle around (500, 350), or its left half, of arcs that a quadratic curve draws well enough."""
    x, y, k = 500, 350, 0.4142 * radius
    d = 0.7071 * radius
    arcs = [
        ((x - k, y + radius), (x - d, y + d)),
        ((x - radius, y + k), (x - radius, y)),
        ((x - radius, y - k), (x - d, y - d)),
        ((x - k, y - radius), (x, y - radius)),
        ((x + k, y - radius), (x + d, y - d)),
        ((x + radius, y - k), (x + radius, y)),
        ((x + radius, y + k), (x + d, y + d)),
        ((x + k, y + radius), (x, y + radius)),
    ]
    if half:
        arcs = arcs[:4]
    points = [(x, y + radius)]
    curves = []
    for control, end in arcs:
        curves.append((points[-1], control, end))
        points.append(end)
    if clockwise:
        curves = [(end, control, start) for start, control, end in reversed(curves)]
    pen.moveTo(curves[0][0])
    for _, control, end in curves:
        pen.qCurveTo(control, end)
    pen.closePath()


SIGNS: dict[str, list[list[tuple[int, int]]]] = {
    "≥": [
        [(110, 690), (110, 560), (690, 415), (110, 270), (110, 140), (890, 345), (890, 485)],
        [(110, 90), (110, -20), (890, -20), (890, 90)],
    ],
    "↵": [
        [
            (800, 680),
            (800, 290),
            (390, 290),
            (390, 450),
            (90, 230),
            (390, 10),
            (390, 170),
            (920, 170),
            (920, 680),
        ]
    ],
    "⌫": [
        [(40, 350), (300, 670), (960, 670), (960, 30), (300, 30)],
        [(355, 140), (850, 140), (850, 560), (355, 560), (190, 350)],
        [(445, 250), (525, 170), (605, 250), (685, 170), (765, 250), (665, 350), (765, 450), (685, 530)]
        + [(605, 450), (525, 530), (445, 450), (545, 350)],
    ],
    "□": [
        [(130, 720), (870, 720), (870, -20), (130, -20)],
        [(220, 70), (780, 70), (780, 630), (220, 630)],
    ],
    "▸": [[(240, 640), (780, 350), (240, 60)]],
    "◂": [[(760, 640), (760, 60), (220, 350)]],
    "▾": [[(210, 620), (790, 620), (500, 80)]],
    "✓": [[(110, 350), (220, 430), (400, 210), (770, 720), (890, 640), (410, -10)]],
    "◐": [],
}


def signs() -> TTFont:
    """Our own drawings of the few signs on the pages that neither family holds."""
    names = {".notdef": None} | {f"uni{ord(sign):04X}": sign for sign in SIGNS}
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder(list(names))
    builder.setupCharacterMap({ord(sign): name for name, sign in names.items() if sign})
    glyphs = {}
    for name, sign in names.items():
        pen = TTGlyphPen(None)
        for outline in SIGNS.get(sign or "", []):
            pen.moveTo(outline[0])
            for point in outline[1:]:
                pen.lineTo(point)
            pen.closePath()
        if sign == "◐":
            ring(pen, 380, clockwise=True)
            ring(pen, 300, clockwise=False)
            ring(pen, 300, clockwise=True, half=True)
        glyphs[name] = pen.glyph()
    builder.setupGlyf(glyphs)
    builder.setupHorizontalMetrics({name: (1000, getattr(glyphs[name], "xMin", 0)) for name in names})
    builder.setupHorizontalHeader(ascent=950, descent=-225)
    words = {"familyName": "Companion Signs", "styleName": "Regular", "copyright": "Kharkov companion, MIT"}
    builder.setupNameTable(words)
    builder.setupOS2(sTypoAscender=950, sTypoDescender=-225, usWinAscent=950, usWinDescent=225)
    builder.setupPost(keepGlyphNames=False)
    builder.font["head"].created = builder.font["head"].modified = 3_900_000_000  # any fixed day
    return builder.font


def save(font: TTFont, name: str, origin: str) -> None:
    font.flavor, font.recalcTimestamp = "woff2", False
    draft = OUT / f"{name}.woff2"
    font.save(draft)
    found = hashlib.sha256(draft.read_bytes()).hexdigest()
    final = draft.rename(OUT / f"{name}-{found[:8]}.woff2")
    print(f"| `{final.name}` | {origin} | {final.stat().st_size:,} | `{found}` |")


def main(packages: Path) -> None:
    for old in OUT.glob("*.woff2"):
        old.unlink()
    for family in FAMILIES:
        folder = packages / f"fontsource-variable-{family}-{VERSION}"
        (OUT / f"{family}-OFL.txt").write_text((folder / "LICENSE").read_text())
        for part, characters in (("latin", LATIN), ("latin-ext", EXTENDED)):
            font = shrunk(folder / "files" / f"{family}-{part}-wght-normal.woff2", characters)
            save(font, f"{family}-{part}", f"@fontsource-variable/{family} {VERSION}, OFL-1.1")
    save(signs(), "signs", "drawn for the companion, MIT")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
