"""Calculations that list their reasons: odds, shifts, rolls needed, probabilities."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from functools import cache, lru_cache
from itertools import product
from typing import Any, get_type_hints

from companion.engine import dice
from companion.engine.errors import Mistake, Several
from companion.engine.forms.fields import REQUIRED, Context, Field
from companion.engine.forms.reading import read_all
from companion.engine.kit.chart import Chart
from companion.engine.plain import copied


@dataclass(frozen=True)
class Line:
    """One reason: what it is, what it does, and the rule that says so."""

    label: str
    effect: str = ""
    rule: str = ""


@dataclass
class Breakdown:
    """A worked-through calculation: the same object draws preview, log entry, API answer and CLI output."""

    title: str
    lines: list[Line] = field(default_factory=list)
    column: str = ""
    modifier: int = 0
    dice: str = ""
    chart: str = ""
    roll: int | None = None
    row: str = ""
    result: str = ""
    read_chart: str = ""
    """What to look up on the printed chart when its cell is blank."""
    codes: list[str] = field(default_factory=list)
    """Results to choose from by tap when the cell is blank."""
    chances: dict[str, float] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    """Numbers that an action or a test wants to use."""
    effects: list[Line] = field(default_factory=list)
    """What the result means for each side."""
    warnings: list[str] = field(default_factory=list)

    def add(self, label: str, effect: str | int = "", rule: str = "") -> None:
        """Note a reason where it is counted."""
        text = f"{effect:+d}" if isinstance(effect, int) else effect
        self.lines.append(Line(label, text, rule))

    def shift(self, label: str, amount: int, rule: str = "") -> None:
        """Note a die or column modifier and add it up."""
        if amount:
            self.modifier += amount
            self.add(label, amount, rule)

    def to_json(self) -> dict[str, Any]:
        body: dict[str, Any] = copied(self)
        return {k: v for k, v in body.items() if v not in ("", [], {}, None)} | {"title": self.title}


@dataclass(frozen=True)
class Worksheet:
    """A calculation with its fields, callable from a form, the API, the log and the command line."""

    name: str
    title: str
    rule: str
    doc: str
    fields: Mapping[str, Field]
    defaults: Mapping[str, Any]
    fn: Callable[..., Breakdown]

    def work(self, raw: Mapping[str, Any], ctx: Context, extra: Sequence[str] = ()) -> Breakdown:
        """Read the fields and calculate; every mistake is reported at once."""
        own = {k: v for k, v in raw.items() if k not in extra}
        values, mistakes = read_all(self.fields, self.defaults, own, ctx)
        if mistakes:
            raise Several(mistakes)
        return self.answer(values, ctx)

    def form(self, values: Mapping[str, Any]) -> Any:
        """The values as the dataclass that holds them, where the worksheet has one."""
        made = form_of(self.fn)
        return made(**{k: values[k] for k in self.fields}) if made else None

    def answer(self, values: Mapping[str, Any], ctx: Context) -> Breakdown:
        """Calculate from values already read; while nothing changes, only once from the same ones."""
        given = {k: values[k] for k in self.fields}
        kept = {} if ctx.worked is None else ctx.worked
        key = (self.name, repr(given))
        if key not in kept:
            form = self.form(given)
            try:
                kept[key] = self.fn(ctx, **given) if form is None else self.fn(ctx, form)
            except Mistake as refusal:  # what cannot be worked out is not tried again either
                kept[key] = refusal
        found: Breakdown | Mistake = kept[key]
        if isinstance(found, Mistake):
            raise found
        return found


@cache
def form_of(fn: Callable[..., Any]) -> type[Any] | None:
    """The dataclass that holds a worksheet's fields, where they are too many for a signature."""
    return next(
        (hint for hint in get_type_hints(fn).values() if is_dataclass(hint) and hint not in FRAME), None
    )  # type: ignore[return-value]


FRAME = (Context, Breakdown)
"""Dataclasses in a worksheet's signature that are no form."""


def signature_fields(fn: Callable[..., Any], skip: Sequence[str]) -> tuple[dict[str, Field], dict[str, Any]]:
    """The fields and defaults that a function's signature, or its form, declares with Annotated[type, Field(...)]."""
    declares: Callable[..., Any] = fn
    if "ctx" in skip:
        declares = form_of(fn) or fn
    # Of a class, get_type_hints would look names up among its own first, where a lambda does not find its module's.
    space = vars(sys.modules[declares.__module__]) if isinstance(declares, type) else None
    hints = get_type_hints(declares, space, space, include_extras=True)
    fields: dict[str, Field] = {}
    defaults: dict[str, Any] = {}
    for name, parameter in inspect.signature(declares).parameters.items():
        meta = [m for m in getattr(hints.get(name), "__metadata__", ()) if isinstance(m, Field)]
        if parameter.kind is parameter.VAR_KEYWORD or (name in skip and not meta):
            continue
        if not meta:
            raise TypeError(f"{fn.__qualname__}: parameter {name!r} needs Annotated[type, Field(...)]")
        fields[name] = meta[0]
        defaults[name] = REQUIRED if parameter.default is parameter.empty else parameter.default
    return fields, defaults


@cache
def parameters(fn: Callable[..., Any]) -> frozenset[str]:
    """The names that a function takes; asked each time an action is carried out."""
    return frozenset(inspect.signature(fn).parameters)


@lru_cache(100)
def ways(spec: str) -> Mapping[int, int]:
    """In how many ways some dice come to each total."""
    read = dice.Spec.parse(spec)
    found: dict[int, int] = {}
    for values in product(range(read.lowest, read.highest + 1), repeat=read.count):
        found[sum(values) + read.plus] = found.get(sum(values) + read.plus, 0) + 1
    return dict(sorted(found.items()))


def chances(chart: Chart, column: str, spec: str, row_of: Callable[[int], str]) -> dict[str, float]:
    """The probability of each result; blank cells are gathered under 'read your chart'."""
    found: dict[str, int] = {}
    for total, count in ways(spec).items():
        result = chart.cell(row_of(total), column).value or "read your chart"
        found[result] = found.get(result, 0) + count
    whole = sum(found.values())
    return {result: count / whole for result, count in found.items()}


def look_up(sheet: Breakdown, chart: Chart, row: str) -> None:
    """Read the sheet's column and this row off a chart; a blank cell becomes a request to read the printed one."""
    sheet.chart, sheet.row, sheet.chances = chart.id, row, {}  # what fell is no longer a chance
    cell = chart.cell(row, sheet.column)
    sheet.result = cell.value
    if not cell:
        sheet.codes = list(chart.taps) or chart.known_values()
        sheet.read_chart = f"read your {chart.title}: column {sheet.column}, row {row}"
    elif cell.source == "doubtful":
        sheet.warnings.append(
            f"this cell of the {chart.title} is doubtful in the rulebook: check your printed chart"
        )


def halve(number: int) -> int:
    """Half, remainders rounded up."""
    return (number + 1) // 2
