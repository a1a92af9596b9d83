import re

import pytest
from qrcode import QRCode
from qrcode.constants import ERROR_CORRECT_M

from companion.web import qr

URL = "http://192.168.4.1:1942/t/tk7m/soviet/7qk2m0x4pz8v1c5n9d3hja6r2w"


def modules(svg: str) -> set[tuple[int, int]]:
    runs = re.findall(r"M(\d+) (\d+)h(\d+)v1h-\d+z", svg)
    return {(int(x) + i, int(y)) for x, y, n in runs for i in range(int(n))}


def test_the_path_draws_exactly_the_dark_modules():
    code = QRCode(error_correction=ERROR_CORRECT_M, border=4)
    code.add_data(URL)
    code.make(fit=True)
    expected = {(x, y) for y, row in enumerate(code.get_matrix()) for x, dark in enumerate(row) if dark}
    assert modules(qr.svg(URL)) == expected


def test_it_is_one_small_path_with_a_quiet_zone():
    svg = qr.svg(URL)
    assert svg.count("<path") == 1
    assert len(svg) < 8_000
    assert min(x for x, _ in modules(svg)) == 4


def test_it_speaks_to_a_screen_reader_and_escapes_what_it_says():
    svg = qr.svg(URL, 'Join as "Soviet" <b>')
    assert 'role="img"' in svg
    assert "<b>" not in svg
    assert "Join as &#34;Soviet&#34; &lt;b&gt;" in svg


def test_it_is_drawn_once():
    assert qr.svg(URL, "Join") is qr.svg(URL, "Join")


def test_it_has_no_inline_style():
    assert "style" not in qr.svg(URL)


@pytest.mark.parametrize("url", ["http://10.0.0.2:1942/", URL])
def test_the_terminal_code_is_a_block_of_equal_lines(url):
    lines = qr.terminal(url).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert set("".join(lines)) <= set("█▀▄ \xa0")
