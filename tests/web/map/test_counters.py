"""Names on counters: whole where they fit, shortened at the end where not, never cut at the front."""

import pytest

from companion.web.map.counters import NAME_WIDTH, SHAPES, short, width


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
