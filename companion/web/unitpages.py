"""The units on record: looked for, filtered and counted out in small portions; each opens with what can be done with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode

from flask import abort, render_template, request

from companion.engine.forms.fields import Context, UnitRef
from companion.engine.kit.when import holds
from companion.engine.people.units import movable
from companion.engine.record.game import Game
from companion.engine.seat.shapes import ActionView, UnitView
from companion.engine.seat.view import SeatView
from companion.engine.seat.words import mark_label, steps_label
from companion.web.intake import number
from companion.web.page import is_htmx, page_context, said, target, with_effect
from companion.web.play import bp
from companion.web.seats import WATCH, DeviceVisit, require

AT_REST, MORE = 12, 40
"""Units shown at first, so that a phone holds them on two screens, and so many more a tap."""
SEARCH_LENGTH = 60
FILTERS = {
    "mine": "Mine",
    "oos": "Out of supply",
    "reduced": "Reduced",
    "waiting": "Not yet in",
    "out": "Lost",
}
FIRST_MARKS = 6
BY_HAND = ("place-unit", "set-steps", "mark")
"""What a unit's own sheet does with a tap; other actions open their form with the unit filled in."""


@dataclass(frozen=True)
class Asked:
    """What the address asks for: a filter, words to look for, and how many to show."""

    show: str
    q: str
    most: int

    @classmethod
    def here(cls) -> Asked:
        show = request.args.get("show", "")
        q = " ".join(request.args.get("q", "")[:SEARCH_LENGTH].split())
        return cls(show if show in FILTERS else "", q, max(AT_REST, number(request.args.get("most")) or 0))

    def address(self, **other: Any) -> str:
        """The same with something else asked for, as the query of an address."""
        wanted = {"show": self.show, "q": self.q, "most": self.most, **other}
        kept = {k: v for k, v in wanted.items() if v and (k, v) != ("most", AT_REST)}
        return f"?{urlencode(kept)}" if kept else ""


@bp.get("/t/<code>/<seat>/units")
def units_page(code: str, seat: str) -> str:
    """The units that were asked for, by place; only so many as somebody reads."""
    visit = require(code, seat)
    asked, view = Asked.here(), visit.view
    found = _found(view, asked, _tests(visit.game, seat))
    shown = found[: asked.most]
    return render_template(
        "units_live.html" if target() == "live" else "units.html",
        asked=asked,
        filters=_filters(view, visit.game, seat),
        units=shown,
        total=len(found),
        more=asked.address(most=asked.most + MORE) if len(found) > len(shown) else "",
        signs=with_effect(sign for unit in shown for sign in unit.signs),
        **page_context(visit, said(visit)),
    )


def _tests(game: Game, seat: str) -> dict[str, Callable[[UnitView], bool]]:
    """What each filter lets through."""
    gone = {f"box:{b.id}" for b in game.kit.boxes if b.out}
    return {
        "mine": lambda u: u.side == seat,
        "oos": lambda u: any(m.startswith("oos") or m in ("isolated", "supply") for m in u.marks),
        "reduced": lambda u: u.steps < u.full and u.place not in gone,
        "waiting": lambda u: not u.place,
        "out": lambda u: u.place in gone,
    }


def _filters(view: SeatView, game: Game, seat: str) -> list[tuple[str, str, int]]:
    """The filters that let anything through, each with its name and how much."""
    tests = _tests(game, seat)
    counts = [(name, label, sum(map(tests[name], view.units))) for name, label in FILTERS.items()]
    return [row for row in counts if row[2]]


def _found(view: SeatView, asked: Asked, tests: dict[str, Callable[[UnitView], bool]]) -> list[UnitView]:
    """The units that an address asks for: those on the map by hex, stacks from their top, then boxes, then those to come."""
    keep = tests.get(asked.show)
    words = asked.q.casefold().split()
    found = [
        u for u in view.units if (keep is None or keep(u)) and all(word in _text(view, u) for word in words)
    ]
    return sorted(found, key=lambda u: (not u.place, not u.place[-4:].isdigit(), u.place, -u.order))


def _text(view: SeatView, unit: UnitView) -> str:
    """What a unit is found by: all that its row may show this seat."""
    side = next((s.name for s in view.sides if s.id == unit.side), unit.side)
    known = (
        () if unit.hidden else (unit.name, unit.kind, unit.formation, unit.note, unit.entry, unit.place_label)
    )
    return " ".join((side, unit.place, *known, *(sign.words for sign in unit.signs))).casefold()


# -- one unit --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MarkChoice:
    """A marker to be laid or taken off with one tap."""

    marker: str
    label: str
    value: str
    on: bool
    counted: bool = False
    """Whether it carries a number, which a form asks for; a tap lays 1."""
    first: bool = False
    """Whether it is offered without unfolding the rest."""


@bp.get("/t/<code>/<seat>/unit/<unit>")
def unit_page(code: str, seat: str, unit: str) -> str:
    """What this seat knows of a unit, and what it may do with it."""
    visit = require(code, seat)
    found = next((u for u in visit.view.units if u.id == unit), None)
    if found is None:  # one that this seat may not know is none, in the same words
        abort(404, f"There is no unit {unit[:40]!r} on record at table {visit.code} that this seat may see.")
    mine = seat != WATCH and any(u.id == unit for u in movable(visit.context))
    own = visit.game.units[found.id] if mine else None
    return render_template(
        "unit_sheet.html" if is_htmx() else "unit.html",
        u=found,
        beside=[u for u in visit.view.units if u.place and u.place == found.place and u.id != found.id],
        mine=mine,
        boxes=visit.view.boxes if mine else [],
        steps=[(n, steps_label(visit.game, n)) for n in range(found.full + 1)]
        if own and found.full > 1
        else [],
        marks=_marks(visit.game, found) if mine else [],
        others=_others(visit, found) if mine else [],
        back=request.args.get("back", ""),
        page=not is_htmx(),
        **page_context(visit, said(visit)),
    )


def _marks(game: Game, unit: UnitView) -> list[MarkChoice]:
    """Every marker that a tap lays on a unit or takes off; the first few, and those that lie there, need no unfolding."""
    found: list[MarkChoice] = []
    for marker in (m for m in game.kit.markers if m.by_hand and "unit" in m.on):
        held = unit.marks.get(marker.id)
        if held is None and not holds(marker.when, game.values):
            continue
        lying = [held] if held in marker.values else []  # what lies there can be taken off
        for value in dict.fromkeys((*marker.offered(unit.side), *lying)):
            counted = value == "#"
            named = bool(marker.values) and not counted
            on = held is not None and held is not False and (not named or str(held) == value)
            label = mark_label(game, marker.id, value if named else held if counted and on else True)
            first = on or len(found) < FIRST_MARKS
            found.append(
                MarkChoice(marker.id, label, "off" if on else "on" if counted else value, on, counted, first)
            )
    return found


def _others(visit: DeviceVisit, unit: UnitView) -> list[tuple[ActionView, str]]:
    """What else may be done with the unit now, and the field that names it."""
    found = []
    for action in visit.view.actions:
        named = [(n, f) for n, f in visit.rules.find(action.name).fields.items() if isinstance(f, UnitRef)]
        if action.name in BY_HAND or len(named) != 1:
            continue
        name, field = named[0]
        if visit.view.guard.part(action.label, partial(_is_offered, field, visit.context, unit.id), False):
            found.append((action, name))
    return found


def _is_offered(field: UnitRef, ctx: Context, unit: str) -> bool:
    """Whether a form would offer the unit in this field."""
    asked = field.when is None or field.when(ctx)
    return asked and any(u.id == unit for u in field.units(ctx, offered=True))
