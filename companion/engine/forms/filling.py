"""A form as it is filled in so far: its values, what is wrong with them, and its fields as they are then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from companion.engine.errors import Mistake
from companion.engine.forms.answers import Answers, Asked
from companion.engine.forms.fields import REQUIRED, Context, Dice, Field, Flag
from companion.engine.forms.reading import read_all

Row = dict[str, Any]
"""A field as a form or an API client needs it."""


@dataclass(frozen=True)
class Filled:
    """What was filled in, read and described together."""

    values: Mapping[str, Any]
    mistakes: list[Mistake]
    rows: list[Row]


def fill(
    fields: Mapping[str, Field],
    defaults: Mapping[str, Any],
    ctx: Context,
    raw: Mapping[str, Any],
    answers: Answers | None = None,
) -> Filled:
    """Fields with their choices and first values, given what has been filled in so far; only those that apply now.

    :param answers: what the same form came to before, where nothing has happened since
    """
    values, mistakes = read_all(fields, defaults, raw, ctx, answers)
    rows, here, told = [], ctx.having(values), ctx.told
    for name, item in fields.items():
        if name in told:
            continue
        asked = Asked(name, item, defaults[name], raw.get(name))
        row = _row(asked, here) if answers is None else answers.find(_row, asked, here)
        if row is not None:
            rows.append(row)
    return Filled(values, mistakes, rows)


def describe_fields(
    fields: Mapping[str, Field], defaults: Mapping[str, Any], ctx: Context, raw: Mapping[str, Any]
) -> list[Row]:
    """The fields alone."""
    return fill(fields, defaults, ctx, raw).rows


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
