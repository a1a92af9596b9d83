"""A form as it is filled in so far: its values, what is wrong with them, and its fields as they are then."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from companion.engine.errors import Mistake
from companion.engine.forms.answers import Answers, Asked
from companion.engine.forms.fields import REQUIRED, Context, Dice, Field, Flag
from companion.engine.forms.reading import read_all

Row = dict[str, Any]
"""A field as a form or an API client needs it."""


CHAIN = 4
"""First values that follow from one another: the only target, who attacks it, what is then asked of them."""
EMPTY: tuple[Any, ...] = (None, "", [], False)


@dataclass(frozen=True)
class Filled:
    """What was filled in, read and described together."""

    values: Mapping[str, Any]
    mistakes: list[Mistake]
    rows: list[Row]


@dataclass(frozen=True)
class Filling:
    """The fields of a form to be filled in.

    :param answers: what the same form came to before, where nothing has happened since
    """

    fields: Mapping[str, Field]
    defaults: Mapping[str, Any]
    ctx: Context
    answers: Answers | None = None

    def fill(self, raw: Mapping[str, Any]) -> Filled:
        """Fields with their choices and first values, given what has been filled in so far; only those that apply now."""
        values, mistakes = self._read(raw)
        return Filled(values, mistakes, self._rows(self.fields, raw, values))

    def begin(self, raw: Mapping[str, Any], but: tuple[str, ...] = ()) -> Filled:
        """The same with what stands in fields that nobody has touched filled in, too, so that a preview speaks of the same.

        :param but: types that a browser does not send while they are empty, so that nobody knows who touched them
        """
        starting, given = [n for n, f in self.fields.items() if f.start and f.type not in but], raw
        for _ in range(CHAIN):
            values, mistakes = self._read(given)
            found = self._rows([name for name in starting if name not in given], given, values)
            first = {row["name"]: row["value"] for row in found if row["value"] not in EMPTY}
            if not first:  # what else stands there is read as it is
                return Filled(values, mistakes, self._rows(self.fields, given, values))
            given = {**first, **given}
        return self.fill(given)

    def _read(self, raw: Mapping[str, Any]) -> tuple[dict[str, Any], list[Mistake]]:
        return read_all(self.fields, self.defaults, raw, self.ctx, self.answers)

    def _rows(self, names: Collection[str], raw: Mapping[str, Any], values: Mapping[str, Any]) -> list[Row]:
        """These fields as they are described now, as far as they apply."""
        rows, here, told = [], self.ctx.having(values), self.ctx.told
        for name in names:
            if name in told:
                continue
            asked = (name, self.fields[name], self.defaults[name], raw.get(name))
            row = _row(asked, here) if self.answers is None else self.answers.find(_row, asked, here)
            if row is not None:
                rows.append(row)
        return rows


def describe_fields(
    fields: Mapping[str, Field], defaults: Mapping[str, Any], ctx: Context, raw: Mapping[str, Any]
) -> list[Row]:
    """The fields of a form as they are when this is filled in."""
    return Filling(fields, defaults, ctx).fill(raw).rows


def _row(asked: Asked, here: Context) -> Row | None:
    """A field as it is described now; None where it does not apply."""
    name, item, default, value = asked
    if item.when is not None and not item.when(here):
        return None
    if value is None:
        value = item.first(here) if item.start else None if default is REQUIRED else default
    many = getattr(item, "many", False)
    if isinstance(item, Flag) and isinstance(value, str) and name in here.values:
        value = here.values[name]  # a prompt's link says "False", which is no tick
    if isinstance(value, tuple | list) and not many and not isinstance(item, Dice):
        value = " ".join(map(str, value))
    elif many:
        value = _listed(value)
    return {
        "name": name,
        "type": item.type,
        "label": item.label or name.replace("_", " ").capitalize(),
        "help": item.help,
        "hidden": item.hidden,
        "required": default is REQUIRED and not isinstance(item, Dice),
        "value": value,
        "quiet": item.quiet is not None and item.quiet(here),
        **item.describe(here),
    }


def _listed(value: Any) -> list[str]:
    """Several chosen things, however they were given."""
    if value in (None, ""):
        return []
    several = isinstance(value, tuple | list)
    return [str(v) for v in value] if several else str(value).replace(",", " ").split()
