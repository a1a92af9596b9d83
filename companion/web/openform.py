"""A form that is open: what one seat has filled in of an action so far, and its fields as they are drawn then."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from operator import is_
from typing import Any

from markupsafe import Markup

from companion.engine.forms.answers import Answers
from companion.engine.forms.filling import EMPTY, Filled, Filling, Row
from companion.engine.forms.worksheet import Breakdown
from companion.engine.play.actions import Action
from companion.engine.record.events import Asked
from companion.web.formfield import form_fields
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

    def drawn(self, errors: Mapping[str, str], without: str = "") -> dict[str, Markup | None]:
        """Its fields, the dice that may be entered by hand, and the buttons of dice; None where nothing is rolled.

        :param errors: what is wrong with each
        """
        ui, real = macros()["ui"], macros()["real"]
        shown = [row for row in self.filled.rows if row["name"] in errors or not _is_nothing(row)]
        rows = [row for row in shown if row["type"] != "dice" and row["name"] != without]
        dice = [row for row in shown if row["type"] == "dice"]
        several, by_hand = len(dice) > 1, [r for r in dice if r["mode"] != "digital" and "count" in r]
        fields = [self._drawn(row["name"], [row], errors, ui.field) for row in rows]
        entries = [
            self._drawn(row["name"], [row, *dice], errors, lambda f, *_: real.entry(f, several))
            for row in by_hand
        ]
        buttons = self._drawn("", dice, {}, lambda *dice: real.buttons(dice)) if dice else None
        return {"fields": _together(fields), "entries": _together(entries), "buttons": buttons}

    def _drawn(
        self, name: str, rows: list[Row], errors: Mapping[str, str], draw: Callable[..., Markup]
    ) -> Markup:
        """A piece of the form that these fields make, drawn again only when one of them is described otherwise."""
        kept = self._answers.drawn
        if name in errors:
            return draw(*form_fields(rows, errors))
        last = kept.get(name)
        if last is None or not all(map(is_, last[0], rows)) or len(last[0]) != len(rows):
            last = kept[name] = (rows, draw(*form_fields(rows, {})))
        found: Markup = last[1]
        return found


def _together(pieces: list[Markup]) -> Markup:
    return Markup("".join(pieces))


def _is_nothing(row: Row) -> bool:
    """Whether a field is neither asked nor sent along."""
    return row["value"] in EMPTY and row["type"] != "dice" and (row["hidden"] or row["quiet"])


def _plain(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in raw.items() if not name.startswith("_")}
