"""A form that is open: what one seat has filled in of an action so far, and its fields as they are drawn then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from companion.engine.forms.answers import Answers
from companion.engine.forms.filling import Filled, fill
from companion.engine.forms.worksheet import Breakdown
from companion.engine.play.actions import Action
from companion.engine.record.events import Asked
from companion.web.formfield import FormField, form_fields
from companion.web.page import macros
from companion.web.seats import DeviceVisit

CHAIN = 4
"""First values that follow from one another: the only target, who attacks it, what is then asked of them."""
EMPTY: tuple[Any, ...] = (None, "", [], False)


class OpenForm:
    """An action's form with what was filled in. While nothing happens at the table, what did not change stays as it is."""

    filled: Filled

    def __init__(self, visit: DeviceVisit, action: Action, duty: Asked | None) -> None:
        self.action, self.context = action, replace(visit.context, duty=duty)
        key = (visit.seat, action.name, duty.id if duty else "")
        self._answers = visit.game.worked.meanwhile(key, Answers)

    def fill(self, raw: Mapping[str, Any]) -> OpenForm:
        """Fill in what was sent, and nothing else."""
        plain = {name: value for name, value in raw.items() if not name.startswith("_")}
        self.filled = fill(self.action.fields, self.action.defaults, self.context, plain, self._answers)
        return self

    def begin(self, raw: Mapping[str, Any], but: tuple[str, ...] = ()) -> OpenForm:
        """Fill in, too, what stands in fields that nobody has touched, so that its preview speaks of the same.

        :param but: types that a browser does not send while they are empty, so that nobody knows who touched them
        """
        fields, given = self.action.fields, raw
        for _ in range(CHAIN):
            rows = self.fill(given).filled.rows
            first = {
                row["name"]: row["value"]
                for row in rows
                if row["name"] not in given and row["value"] not in EMPTY and row["type"] not in but
            }
            if not any(fields[name].start for name in first):  # a plain default was read as what it is
                return self
            given = {**first, **given}
        return self.fill(given)

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


def _draw(row: Mapping[str, Any], errors: Mapping[str, str]) -> str:
    drawn: str = macros()["ui"].field(form_fields([row], errors)[0])
    return drawn
