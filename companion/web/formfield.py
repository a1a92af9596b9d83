"""A field of a form as the macros draw it: what its action says of it, and what is wrong with what was sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class FormField:
    """One field; those of the engine's fields that a kind of field does not have keep their first value."""

    name: str
    type: str
    label: str
    help: str = ""
    rule: str = ""
    hidden: bool = False
    quiet: bool = False
    """Its value is clear: it is sent along, not asked for."""
    required: bool = False
    value: Any = None
    many: bool = False
    exactly: int | None = None
    """How many of the choices must be taken; None where that is open."""
    choices: Sequence[Mapping[str, Any]] = ()
    placeholder: str = ""
    keys: str = ""
    """The keyboard that a phone should show, where it is not the one for words."""
    long: bool = False
    half: bool = False
    """Whether it stands beside its neighbour."""
    min: int | None = None
    max: int | None = None
    mode: str = ""
    """Who rolls dice: the companion (digital), the players (physical), or either."""
    dice: str = ""
    count: int | None = None
    """How many dice; None while it is not known which are rolled."""
    plus: int = 0
    sum: Sequence[int] | None = None
    """The least and the most that the dice come to, where their sum alone may be told."""
    error: str = ""


_KNOWN = {f.name for f in fields(FormField)}


def form_fields(rows: Iterable[Mapping[str, Any]], errors: Mapping[str, str]) -> list[FormField]:
    """An action's or worksheet's fields as it describes them, each with what is wrong with it."""
    return [_form_field(row, errors.get(row["name"], "")) for row in rows]


def _form_field(row: Mapping[str, Any], error: str) -> FormField:
    made = object.__new__(FormField)  # not called: of two dozen values most stay what the class says
    vars(made).update({name: value for name, value in row.items() if name in _KNOWN}, error=error)
    return made
