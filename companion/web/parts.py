"""Parts of a live screen: those that a page shows already are not sent again.

A page tells with each request which parts it shows (`X-Parts: acts=1f09a3c2b7d4 dice=...`). A part that would be the same is
answered by an empty element with its id, which the page leaves as it is (live.js).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import blake2b

from flask import g, request
from markupsafe import Markup

HEADER = "X-Parts"
_REVISION = re.compile(r'name="rev" value="\d+"')
"""The one thing in a part that changes though nothing else does: a page sends the revision that it shows itself."""


def _shown() -> dict[str, str]:
    """The parts that the page shows, by name."""
    if "parts" not in g:
        told = (one.partition("=") for one in request.headers.get(HEADER, "")[:2000].split())
        g.parts = {name: sign for name, _, sign in told}
    found: dict[str, str] = g.parts
    return found


def tells() -> bool:
    """Whether the page says what it shows: the answer is then for it alone."""
    return HEADER in request.headers


def part(name: str, caller: Callable[[], str]) -> Markup:
    """`{% call part("acts") %}...{% endcall %}`: drawn, or only named where the page shows the same."""
    drawn = str(caller()).strip()
    sign = blake2b(_REVISION.sub("", drawn).encode(), digest_size=6).hexdigest()
    if _shown().get(name) == sign:
        return Markup('<div class="part" id="part-{}" data-same></div>').format(name)
    return Markup('<div class="part" id="part-{}" data-part="{}={}">{}</div>').format(
        name, name, sign, Markup(drawn)
    )
