"""Reading a submission: every field's value and every mistake at once, before anything is done."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from typing import Any

from companion.engine.errors import Mistake, Unreadable, did_you_mean
from companion.engine.forms.answers import Answers, Asked
from companion.engine.forms.fields import REQUIRED, Context, Dice, Field, Flag, Text
from companion.limits import UNKNOWN_FIELDS, VALUE_ITEMS, VALUE_LENGTH


def fits(raw: Any) -> None:
    """Refuse a value that no field could take, before anything looks at all of it.

    :raises Unreadable: when it names too many things, or goes on for too long
    """
    if isinstance(raw, list | tuple | dict) and len(raw) > VALUE_ITEMS:
        raise Unreadable(
            f"{len(raw):,} values are too many: at most {VALUE_ITEMS}", accepted=f"up to {VALUE_ITEMS}"
        )
    length = sum(map(_length, raw)) if isinstance(raw, list | tuple) else _length(raw)
    if length > VALUE_LENGTH:
        raise Unreadable(
            f"{length:,} characters are too many: at most {VALUE_LENGTH:,}",
            accepted=f"up to {VALUE_LENGTH:,} characters",
        )


def _length(raw: Any) -> int:
    return len(raw) if isinstance(raw, str) else len(str(raw)) if isinstance(raw, dict | list) else 0


def read_all(
    fields: Mapping[str, Field],
    defaults: Mapping[str, Any],
    raw: Mapping[str, Any],
    ctx: Context,
    answers: Answers | None = None,
) -> tuple[dict[str, Any], list[Mistake]]:
    """Every field's value, and every mistake at once. Dice are left to the caller.

    :param answers: what the same form came to before, where nothing has happened since
    """
    values: dict[str, Any] = {}
    mistakes: list[Mistake] = []
    # Each field sees what those before it say.
    here, told = ctx.having(ChainMap(values, dict(ctx.values)) if ctx.values else values), ctx.told
    for name, item in fields.items():
        if isinstance(item, Dice):
            continue
        if name in told:
            values[name] = told[name]
            continue
        asked = (name, item, defaults.get(name), raw.get(name))
        value, mistake = read_one(asked, here) if answers is None else answers.find(read_one, asked, here)
        values[name] = value
        if mistake is not None:
            mistakes.append(mistake)
    return values, [*mistakes, *unknown_fields(raw, fields)]


def read_one(asked: Asked, here: Context) -> tuple[Any, Mistake | None]:
    """One field's value and what is wrong with it."""
    name, item, default, given = asked
    blank = None if default is REQUIRED else default
    if item.when is not None and not item.when(here):
        return blank, None
    if given is None and not default and isinstance(item, Flag):
        given = False  # an unticked box is not sent by a browser
    if given is None or (given in ("", [], ()) and not isinstance(item, Flag)):
        if default is not REQUIRED:
            return blank, None
        lacks = ": choose at least one" if getattr(item, "many", False) else " is missing"
        return blank, Unreadable(f"{item.label or name}{lacks}", field=name, accepted=item.help)
    try:
        if not isinstance(item, Text):  # which has a limit of its own
            fits(given)
        return item.read(given, here), None
    except Mistake as mistake:
        mistake.field = name
        mistake.message = f"{item.label or name}: {mistake.message}"
        mistake.args = (mistake.message,)
        # It may stay with its form, not with all that was going on.
        mistake.__traceback__ = mistake.__context__ = None
        return blank, mistake


OWN = ("action_id", "revision")
"""What every submission may carry besides its fields."""


def unknown_fields(raw: Mapping[str, Any], fields: Mapping[str, Field]) -> list[Mistake]:
    """A mistake for each value that no field takes: the first few by name, the others as a number."""
    unknown = [k for k in raw if k not in fields and not k.startswith("_") and k not in OWN]
    if not unknown:
        return []
    known = ", ".join(fields) or "none"
    found: list[Mistake] = [
        Unreadable(
            f"there is no field {name[:40]!r}: {known}.{did_you_mean(name, fields)}",
            field=name,
            accepted=known,
        )
        for name in unknown[:UNKNOWN_FIELDS]
    ]
    if len(unknown) > UNKNOWN_FIELDS:
        more = f"and {len(unknown) - UNKNOWN_FIELDS} more fields that are not known here"
        found.append(Unreadable(more, field=unknown[UNKNOWN_FIELDS], accepted=known))
    return found
