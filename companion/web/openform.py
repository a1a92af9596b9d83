"""A form that is open: what one seat has filled in of an action so far, and its fields as they are drawn then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from companion.engine.forms.answers import Answers
from companion.engine.forms.filling import Filled, Filling
from companion.engine.forms.worksheet import Breakdown
from companion.engine.play.actions import Action
from companion.engine.record.events import Asked
from companion.web.formfield import FormField, form_fields
from companion.web.page import macros
from companion.web.seats import DeviceVisit


class OpenForm:
    """An action's form with what was filled in. While nothing happens at the table, what did not change stays as it is."""

    filled: Filled

    def __init__(self, visit: DeviceVisit, action: Action, duty: Asked | None) -> None:
        self.action, self.context = action, replace(visit.context, duty=duty)
        key = (visit.seat, action.name, duty.id if duty else "")
        self._answers = visit.game.worked.meanwhile(key, Answers)
        self._filling = Filling(action.fields, action.defaults, self.context, self._answers)

    def fill(self, raw: Mapping[str, Any]) -> OpenForm:
        """Fill in what was sent, and nothing else."""
        self.filled = self._filling.fill(_plain(raw))
        return self

    def begin(self, raw: Mapping[str, Any], but: tuple[str, ...] = ()) -> OpenForm:
        """Fill in first values, too; see `Filling.begin`."""
        self.filled = self._filling.begin(_plain(raw), but)
        return self

    def work_out(self) -> Breakdown | None:
        """What the action's worksheet says to it."""
        values, sheet = self.filled.values, self.action.worksheet
        return sheet.answer(values, self.context.having(values)) if sheet else None

    def fields(self, errors: Mapping[str, str], without: str = "") -> Markup:
        """Its fields but dice, drawn."""
        drawn = [
            self._drawn(row, errors)
            for row in self.filled.rows
            if row["type"] != "dice" and row["name"] != without
        ]
        return Markup("").join(drawn)

    def dice(self, errors: Mapping[str, str]) -> list[FormField]:
        """Its dice."""
        return form_fields([row for row in self.filled.rows if row["type"] == "dice"], errors)

    def _drawn(self, row: Mapping[str, Any], errors: Mapping[str, str]) -> str:
        """A field, drawn again only when it is described otherwise."""
        name, kept = row["name"], self._answers.drawn
        if name in errors:
            return _draw(row, errors)
        last = kept.get(name)
        if last is None or last[0] is not row:
            last = kept[name] = (row, _draw(row, errors))
        return last[1]


def _plain(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in raw.items() if not name.startswith("_")}


def _draw(row: Mapping[str, Any], errors: Mapping[str, str]) -> str:
    drawn: str = macros()["ui"].field(form_fields([row], errors)[0])
    return drawn
