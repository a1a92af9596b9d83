"""A form that is open: what one seat has filled in of an action so far, and its fields as they are drawn then."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeVar

from markupsafe import Markup

from companion.engine.forms.answers import Answers, is_short
from companion.engine.forms.filling import Filled, Filling, Row
from companion.engine.forms.worksheet import Breakdown
from companion.engine.play.actions import Action
from companion.engine.record.events import Asked
from companion.web.formfield import form_fields
from companion.web.parts import macros
from companion.web.seats import DeviceVisit

Drawn = TypeVar("Drawn")
PIECES, LARGEST = 400, 8 * 1024
"""Fields kept as they were drawn: what most forms of a hall consist of; and so many bytes of a description at most."""
FIELDS = 64
"""The same of one form that is open: twice what the longest has."""


class OpenForm:
    """An action's form with what was filled in. While nothing happens at the table, what did not change stays as it is."""

    filled: Filled

    def __init__(self, visit: DeviceVisit, action: Action, duty: Asked | None) -> None:
        self.action, self.context, self._visit = action, replace(visit.context, duty=duty), visit
        key = (visit.seat, action.name, duty.id if duty else "")
        self._answers = visit.game.worked.meanwhile(key, Answers)

    def fill(self, raw: Mapping[str, Any]) -> OpenForm:
        """Fill in what was sent, and nothing else."""
        plain = _plain(raw)
        self.filled = self._filling(plain).fill(plain)
        return self

    def begin(self, raw: Mapping[str, Any], but: tuple[str, ...] = ()) -> OpenForm:
        """Fill in first values, too; see `Filling.begin`."""
        plain = _plain(raw)
        self.filled = self._filling(plain).begin(plain, but)
        return self

    def again(self, raw: Mapping[str, Any], draw: Callable[[], Drawn]) -> Drawn:
        """What is drawn of the form when this is sent; where the very same was sent before, what it was then."""
        return self._answers.whole(raw, draw, lambda: not self._visit.view.faults)

    def _filling(self, plain: Mapping[str, Any]) -> Filling:
        self._is_kept = is_short(plain)
        answers = self._answers if self._is_kept else None
        return Filling(self.action.fields, self.action.defaults, self.context, answers)

    def work_out(self) -> Breakdown | None:
        """What the action's worksheet says to it."""
        values, sheet = self.filled.values, self.action.worksheet
        return sheet.answer(values, self.context.having(values)) if sheet else None

    def drawn(self, errors: Mapping[str, str], without: str = "") -> dict[str, Markup | None]:
        """Its fields, the dice that may be entered by hand, and the buttons of dice; None where nothing is rolled.

        :param errors: what is wrong with each
        """
        known = self._answers.pieces
        dice, fields = [], []
        for row in self.filled.rows:
            if row["type"] == "dice":
                dice.append(row)
            elif id(row) in known and row["name"] not in errors and row["name"] != without:
                fields.append(known[id(row)][1])
            elif row["name"] != without:
                fields.append(self._field(row, errors))
        entry = "entry of several" if len(dice) > 1 else "entry"
        entries = [
            _drawn(entry, [row], errors) for row in dice if row["mode"] != "digital" and "count" in row
        ]
        return {
            "fields": Markup("".join(fields)),
            "entries": Markup("".join(entries)),
            "buttons": _drawn("buttons", dice, {}) if dice else None,
        }

    def _field(self, row: Row, errors: Mapping[str, str]) -> Markup:
        """One field; nothing where it is neither asked nor sent along."""
        if row["name"] in errors:
            return _draw("field", [row], errors)
        known = self._answers.pieces
        if len(known) >= FIELDS:
            known.clear()
        piece = Markup("") if _is_nothing(row) else _drawn("field", [row], {})
        if self._is_kept:
            known[id(row)] = row, piece
        return piece


def _drawn(what: str, rows: list[Row], errors: Mapping[str, str]) -> Markup:
    """A piece of a form; of two that are described alike the one that was drawn already."""
    if errors and any(row["name"] in errors for row in rows):
        return _draw(what, rows, errors)
    try:
        sign = marshal.dumps(rows, 2)  # whose bytes are the same for the same data
    except ValueError:  # what is no plain data is drawn each time
        return _draw(what, rows, errors)
    return _piece(what, sign) if len(sign) <= LARGEST else _draw(what, rows, errors)


@lru_cache(PIECES)
def _piece(what: str, rows: bytes) -> Markup:
    return _draw(what, marshal.loads(rows), {})


def _draw(what: str, rows: list[Row], errors: Mapping[str, str]) -> Markup:
    ui, real, fields = macros()["ui"], macros()["real"], form_fields(rows, errors)
    if what == "field":
        return Markup(ui.field(fields[0]))
    if what == "buttons":
        return Markup(real.buttons(fields))
    return Markup(real.entry(fields[0], several=what == "entry of several"))


def _is_nothing(row: Row) -> bool:
    """Whether a field is neither asked nor sent along."""
    value = row["value"]
    empty = value is None or value is False or value in ("", [])  # nought is something
    return empty and row["type"] != "dice" and (row["hidden"] or row["quiet"])


def _plain(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in raw.items() if not name.startswith("_")}
