"""Names on counters: whole where they fit, shortened at the end where not, never cut at the front."""

import re
from pathlib import Path

import pytest

from companion.web.map.counters import NAME_WIDTH, SHAPES, pill_text, short, width


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("57", "57"),
        ("3Pz", "3Pz"),
        ("3rd Panzer", "3rd Panzer"),
        ("57 ARM-BR", "57 ARM-BR"),
        ("38 Guards Rifle Division", "38 Gua Ri\u2026"),
        ("513/294 ID", "513/294 ID"),
        ("1111111111111111111111", "11111111\u2026"),
        ("AH.LAH.IISS", "AH.LAH.II\u2026"),
        ("429.168.Raus", "429.168.R\u2026"),
        ("Großdeutschland", "Großdeut\u2026"),
        ("36/XXII ARM-BR", "36 XXII A\u2026"),
    ],
)
def test_the_end_is_shortened(name, shown):
    assert short(name) == shown


@pytest.mark.parametrize(
    "name", ["57 Armoured Brigade", "WWWWWWWWWWWW", "\u0428\u0442\u0430\u0431 6", "i" * 80, "a b " * 20]
)
def test_every_name_fits_between_the_edges(name):
    assert width(short(name)) <= NAME_WIDTH < 26
    assert short(name)[0] == name[0]


def test_both_shapes_are_as_wide_where_the_name_stands():
    assert all("-13" in shape for shape in SHAPES.values())


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [0, 1, 2])  # light, dark by the device, dark by choice
@pytest.mark.parametrize("side", ["soviet", "german"])
def test_names_stand_out_on_both_colours_in_every_theme(theme, side):
    """WCAG 2.2 AA: 4.5 to 1."""
    css = (Path(__file__).parents[3] / "static" / "app.css").read_text()
    ink = re.findall(r"--on-side: (#[0-9a-f]{6})", css)[theme]
    face = re.findall(rf"--{side}: (#[0-9a-f]{{6}})", css)[theme]
    light, dark = sorted((luminance(ink), luminance(face)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


@pytest.mark.parametrize(
    ("marker", "value", "shown"),
    [
        ("supply", "oos", "OOS"),
        ("supply", "isolated", "Isolated"),
        ("ooc", "no attack", "OOC"),
        ("ooc", "ooc", "OOC"),
        ("fz", 2, "FZ 2"),
        ("star", "black", "* black"),
        ("fort", True, "F"),
        ("note", "x", ""),
    ],
)
def test_a_markers_pill_says_each_thing_once(marker, value, shown):
    signs = {"supply": "OOS", "ooc": "OOC", "fz": "FZ", "star": "*", "fort": "F", "note": ""}
    states = {"supply=oos": "OOS", "supply=isolated": "Isolated"}
    assert pill_text(marker, value, signs | states) == shown
