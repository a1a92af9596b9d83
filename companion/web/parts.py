"""Parts of a live screen: those that a page shows already are not sent again, and what did not change is not drawn again.

A page tells with each request which parts it shows (`X-Parts: acts=1f09a3c2b7d4 dice=...`). A part that would be the same is
answered by an empty element with its id, which the page leaves as it is (live.js). What a part looks at is watched
(watching.py), so that the one drawn for the last revision serves this one, too, unless something in it changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
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
        told = (one.partition("=") for one in request.headers.get(HEADER, "")[:2000].split())
        g.parts = {name: sign for name, _, sign in told}
    found: dict[str, str] = g.parts
    return found


def tells() -> bool:
    """Whether the page says what it shows: the answer is then for it alone."""
    return HEADER in request.headers


def watched(context: dict[str, Any], base: str) -> dict[str, Any]:
    """What a screen is made of, watched while it is drawn.

    :param base: the address that stands in its links to other devices
    """
    held: Drawn = current_app.extensions["companion"]["drawn"]
    g.parts_now = {}
    g.watch = watch = Watch(held.screen((context["code"], context["seat"], base)))
    whole = {name: watch.whole(name, context[name]) for name in WHOLE}
    each = {name: watch.attributes(name, context[name]) for name in ("v", "moment")}
    return {**context, **whole, **each}


def _sign(drawn: str) -> str:
    return blake2b(_REVISION.sub("", drawn).encode(), digest_size=6).hexdigest()


def _same(name: str) -> Markup:
    g.setdefault("parts_now", {})[name] = _shown()[name]
    return Markup(f'<div class="part" id="part-{name}" data-same></div>')


def part(name: str, caller: Callable[[], str]) -> Markup:
    """`{% call part("acts") %}...{% endcall %}`: drawn, or only named where the page shows the same."""
    watch: Watch | None = g.get("watch")
    shown = _shown()
    kept = watch.kept(name) if watch else None
    if kept is not None and current_app.testing:
        assert _sign(str(caller()).strip()) == kept.sign, (
            f"the part {name!r} changed, but nothing it looked at"
        )
    if kept is not None and shown.get(name) == kept.sign:
        return _same(name)
    if watch is not None:
        drawn, sign = watch.draw(name, caller, _sign)
    else:
        drawn = str(caller()).strip()
        sign = _sign(drawn)
    if shown.get(name) == sign:
        return _same(name)
    g.setdefault("parts_now", {})[name] = sign
    return Markup(f'<div class="part" id="part-{name}" data-part="{name}={sign}">{drawn}</div>')
