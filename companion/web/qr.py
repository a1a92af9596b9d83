"""QR codes of join links: one SVG path for a page, block characters for a terminal."""

import io
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby

from markupsafe import Markup
from qrcode import QRCode
from qrcode.constants import ERROR_CORRECT_M

QUIET_ZONE = 4


def _code(url: str) -> QRCode:
    code = QRCode(error_correction=ERROR_CORRECT_M, border=QUIET_ZONE)
    code.add_data(url)
    code.make(fit=True)
    return code


def _runs(matrix: list[list[bool]]) -> Iterator[tuple[int, int, int]]:
    """Yield (column, row, length) of every horizontal run of dark modules."""
    for row, modules in enumerate(matrix):
        column = 0
        for dark, group in groupby(modules):
            length = len(list(group))
            if dark:
                yield column, row, length
            column += length


@lru_cache(maxsize=512)
def svg(url: str, label: str = "QR code") -> Markup:
    """Draw a URL as inline SVG, black on white in light and dark pages alike.

    :param label: what a screen reader says instead.
    """
    matrix = _code(url).get_matrix()
    path = "".join(f"M{x} {y}h{n}v1h-{n}z" for x, y, n in _runs(matrix))
    return Markup(
        '<svg class="qr-code" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" role="img" '
        'aria-label="{label}" shape-rendering="crispEdges">'
        '<rect width="{size}" height="{size}" fill="#fff"/><path fill="#000" d="{path}"/></svg>'
    ).format(size=len(matrix), label=label, path=path)


def terminal(url: str) -> str:
    """Draw a URL with half-block characters, light on dark as most terminals are."""
    out = io.StringIO()
    _code(url).print_ascii(out=out, invert=True)
    return out.getvalue().rstrip("\n")
