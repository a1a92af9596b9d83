"""Parts of a live screen: those that a page shows already are not sent again, and what did not change is not drawn again.

A page tells with each request which parts it shows (`X-Parts: acts=1f09a3c2b7d4 dice=...`). A part that would be the same is
answered by an empty element with its id, which the page leaves as it is (live.js). What a part looks at is watched
(watching.py), so that the one drawn for the last revision serves this one, too, unless something in it changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Any

from flask import current_app, g, request
from markupsafe import Markup

from companion.web.watching import Drawn, Watch

HEADER = "X-Parts"
WHOLE = ("log", "undo", "redo", "table_free", "warning", "tabs")
"""What a screen is made of besides the view and the moment, which are watched by their parts."""
_REVISION = re.compile(r'name="rev" value="\d+"')
"""The one thing in a part that changes though nothing else does: a page sends the revision that it shows itself."""


def _shown() -> dict[str, str]:
    """The parts that the page shows, by name."""
    if "parts" not in g:
        g.parts = read(request.headers.get(HEADER, ""))
    found: dict[str, str] = g.parts
    return found


def read(told: str) -> dict[str, str]:
    """What a page says that it shows."""
    return {name: sign for name, _, sign in (one.partition("=") for one in told[:2000].split())}


def tells() -> bool:
    """Whether the page says what it shows: the answer is then for it alone."""
    return HEADER in request.headers


def watched(context: dict[str, Any], base: str) -> dict[str, Any]:
    """What a screen is made of, watched while it is drawn, and `part`, by which its template draws the parts.

    :param base: the address that stands in its links to other devices
    """
    held: Drawn = current_app.extensions["companion"]["drawn"]
    watch = Watch(held.screen((context["code"], context["seat"], base)))
    drawing = Drawing(watch, _shown(), checked=current_app.testing)
    g.parts_now = drawing.now
    whole = {name: watch.whole(name, context[name]) for name in WHOLE}
    each = {name: watch.attributes(name, context[name]) for name in ("v", "moment")}
    return {**context, **whole, **each, "part": drawing.part}


def _sign(drawn: str) -> str:
    return blake2b(_REVISION.sub("", drawn).encode(), digest_size=6).hexdigest()


class Drawing:
    """One drawing of a screen for a page that shows some of it.

    :param shown: the parts that the page shows, by name
    :param checked: whether what is kept is drawn all the same, and compared
    """

    def __init__(self, watch: Watch, shown: Mapping[str, str], *, checked: bool = False) -> None:
        self.watch, self.shown, self.checked = watch, shown, checked
        self.now: dict[str, str] = {}
        """What the page will show."""

    def part(self, name: str, caller: Callable[[], str]) -> Markup:
        """`{% call part("acts") %}...{% endcall %}`: drawn, or only named where the page shows the same."""
        kept = self.watch.kept(name)
        if kept is not None and self.checked:
            assert _sign(str(caller()).strip()) == kept.sign, (
                f"the part {name!r} changed, but nothing it looked at"
            )
        drawn, sign = "", kept.sign if kept is not None else ""
        if kept is None or self.shown.get(name) != sign:
            drawn, sign = self.watch.draw(name, caller, _sign)
        self.now[name] = sign
        if self.shown.get(name) == sign:
            return Markup(f'<div class="part" id="part-{name}" data-same></div>')
        return Markup(f'<div class="part" id="part-{name}" data-part="{name}={sign}">{drawn}</div>')
