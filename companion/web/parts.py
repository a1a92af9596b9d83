"""A live screen is a frame and its parts: what a page shows already is not sent, and what did not change is not drawn again.

The parts are the blocks of the screen's template, and the frame is all between them. A page tells with each request
which parts it shows (`X-Parts: acts=1f09a3c2b7d4 dice=...`). A part that would be the same is answered by an empty element
with its id, which the page leaves as it is (live.js). What a part looks at is watched (watching.py), so that the one drawn
for the last revision serves this one, too, unless something in it changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Protocol

from flask import current_app, g, request
from jinja2 import Template
from jinja2.runtime import Context
from markupsafe import Markup

from companion.engine.once import lazy
from companion.web.current import held
from companion.web.watching import AT, FRAME, HERE, Drawn, Watch

HEADER = "X-Parts"
WATCHED = ("v", "moment", "log", "undo", "redo", "table_free", "warning", "tabs", "news", "clocks", "stands")
"""What a screen is made of that changes."""
_AT, _HERE = AT.encode(), HERE.encode()
HOLE = "\0"
"""What stands round the name of a part in the frame, where it is put in."""


def _shown() -> dict[str, str]:
    """The parts that the page shows, by name."""
    noted = g._get_current_object()
    if "parts" not in noted:
        noted.parts = read(request.headers.get(HEADER, ""))
    found: dict[str, str] = noted.parts
    return found


def read(told: str) -> dict[str, str]:
    """What a page says that it shows."""
    return {name: sign for name, _, sign in (one.partition("=") for one in told[:2000].split())}


def tells() -> bool:
    """Whether the page says what it shows: the answer is then for it alone."""
    return HEADER in request.headers


def live(template: str, context: dict[str, Any], base: str) -> bytes:
    """A live screen as the page that asks needs it.

    :param base: the address that stands in its links to other devices
    """
    drawn: Drawn = held("drawn")
    watch = Watch(
        drawn.screen((context["code"], context["seat"], base)), {name: context[name] for name in WATCHED}
    )
    drawing = Drawing(Blocks(plan(template), context, watch), watch, _shown(), checked=held("checked"))
    noted = g._get_current_object()
    noted.parts_now, noted.at = drawing.now, AT
    try:
        return drawing.screen(context["v"].revision, f"/t/{context['code']}/{context['seat']}")
    finally:
        del noted.at


class Layout(Protocol):
    """How a screen is drawn."""

    @property
    def names(self) -> Iterable[str]:
        """Of its parts."""
        ...

    def part(self, name: str) -> str: ...

    def frame(self) -> str:
        """All round the parts, with a hole for each of them."""
        ...


class Plan:
    """What every drawing of a template has in common, looked together once for all of them."""

    def __init__(self, template: Template) -> None:
        self.template = template
        self.given = {**template.globals, **macros()}
        self.holes = {name: [_hole(name)] for name in template.blocks}
        """For the frame; a part is drawn by itself."""

    def draw(self, context: Mapping[str, Any]) -> Markup:
        """A piece of a page, of what it is given and nothing else."""
        return Markup("".join(self.template.root_render_func(self.context(context))))

    def context(self, given: Mapping[str, Any]) -> Context:
        """What a drawing looks things up in, without Jinja's own account of which of them are everybody's."""
        return Context(self.template.environment, {**self.given, **given}, self.template.name, {})


def plan(template: str) -> Plan:
    """A template that is drawn again and again."""
    plans: dict[str, Plan] = held("plans")
    return plans.get(template) or plans.setdefault(
        template, Plan(current_app.jinja_env.get_template(template))
    )


def macros() -> dict[str, Any]:
    """The macros of screens and forms. They are handed over because to import them costs as much as to use them."""
    found: dict[str, Any] = held("macros")
    if not found:
        names = {"ui": "macros", "real": "dice", "setup": "setup_step"}
        names |= {"bars": "", "parts": "", "battle": "", "duties": ""}
        for name, file in names.items():
            found[name] = current_app.jinja_env.get_template(f"{file or name}.html").module
    return found


class Blocks:
    """A layout by a template, whose blocks are the parts."""

    def __init__(self, plan: Plan, given: Mapping[str, Any], watch: Watch) -> None:
        self._plan, self._given, self._watch = plan, given, watch
        self._template, self.names = plan.template, plan.template.blocks

    @lazy
    def _context(self) -> Context:
        context = self._plan.context({**self._given, **self._watch.watched()})
        context.blocks = self._plan.holes
        return context

    def part(self, name: str) -> str:
        return "".join(self._template.blocks[name](self._context)).strip()

    def frame(self) -> str:
        return "".join(self._template.root_render_func(self._context)).strip()


def _hole(name: str) -> Callable[[Context], Iterator[str]]:
    return lambda _: iter((f"{HOLE}{name}{HOLE}",))


def _sign(drawn: str) -> str:
    """What a part is known by: after a restart by another, and it is sent once more; workers are forks and agree."""
    return f"{hash(drawn) & 0xFFFF_FFFF_FFFF:x}"


class Drawing:
    """One drawing of a screen for a page that shows some of it.

    :param shown: the parts that the page shows, by name
    :param checked: whether what is kept is drawn all the same, and compared
    """

    def __init__(
        self, layout: Layout, watch: Watch, shown: Mapping[str, str], *, checked: bool = False
    ) -> None:
        self.layout, self.watch, self.shown, self.checked = layout, watch, shown, checked
        self.now: dict[str, str] = {}
        """What the page will show."""

    def screen(self, revision: int, here: str = "") -> bytes:
        """All of it. The frame comes last: it tells what could not be made of the parts.

        :param here: the address of the seat
        """
        into = {name: self.part(name) for name in self.layout.names}
        pieces = self._frame().split(HOLE)
        pieces[1::2] = [into[name] for name in pieces[1::2]]
        drawn = "".join(pieces).encode()  # in bytes it is found sooner where something is to be put in
        return drawn.replace(_AT, b"%d" % revision).replace(_HERE, here.encode())

    def _frame(self) -> str:
        kept = self.watch.kept_frame()
        if kept is None:
            return self.watch.draw(FRAME, self.layout.frame, str)[0]
        assert not self.checked or self.layout.frame() == kept.sign, (
            "the frame changed, but nothing it looked at"
        )
        return kept.sign

    def part(self, name: str) -> str:
        """A part drawn, or only named where the page shows the same."""
        kept = self.watch.kept(name)
        if kept is not None and self.checked:
            assert _sign(self.layout.part(name)) == kept.sign, (
                f"the part {name!r} changed, but nothing it looked at"
            )
        drawn, sign = "", kept.sign if kept is not None else ""
        if kept is None or self.shown.get(name) != sign:
            drawn, sign = self.watch.draw(name, partial(self.layout.part, name), _sign)
        self.now[name] = sign
        if self.shown.get(name) == sign:
            return f'<div id="part-{name}" data-same></div>'
        return f'<div class="part" id="part-{name}" data-part="{name}={sign}">{drawn}</div>'
