"""What a seat's view is made of: a small fixed type for each thing that a page, an API answer or a sheet shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, fields
from functools import cached_property
from typing import Any

from companion.engine.forms.worksheet import Breakdown, Line
from companion.engine.plain import Shown


class TurnView(Shown):
    """The turn; `last` is None where a scenario has no set end."""

    number: int
    last: int | None
    date: str


class PhaseRow(Shown):
    """A phase in the turn's sequence: `state` is done, now, to come or skipped, the last with its `reason`."""

    id: str
    code: str
    name: str
    side: str
    part: str
    state: str
    reason: str


class CheckView(Shown):
    """A line of a phase's checklist; `action` names what does it, where something does."""

    item: str
    text: str
    rule: str
    done: bool
    action: str
    act: bool
    """Whether somebody does it, on the map or here, and ticks it off; any other line only reminds."""


class PhaseView(Shown):
    """The phase that is played; without an id where none is."""

    id: str = ""
    code: str = ""
    name: str = ""
    part: str = ""
    rule: str = ""
    help: str = ""
    side: str = ""
    alternates: bool = False
    """Whether the sides act in turns within it, so that neither ends it alone."""
    checklist: Sequence[CheckView] = ()

    def to_json(self) -> dict[str, Any]:
        return super().to_json() if self.id else {}


class ActionView(Shown):
    """Something this seat may do now."""

    name: str
    label: str
    doc: str
    rule: str
    group: str
    primary: bool
    fields: int
    """How many fields its form would show; with none, a tap does it."""
    now: bool
    """Whether it belongs to the phase that is played."""
    order: int


class TrackView(Shown):
    """A number that is counted."""

    id: str
    label: str
    value: Any
    side: str
    rule: str
    help: str


class DialView(Shown):
    """A named value: `text` says it in words, `effect` what it does."""

    id: str
    label: str
    value: Any
    text: str
    effect: str
    rule: str
    positions: list[tuple[str, str]]
    """What it may be set to: the value and its words."""


class DueView(Shown):
    """Something that arrives: `late` counts the turns it waits, `open` tells whether this seat may bring it in.

    `hex` is where it enters, nothing where that needs no hex, and None where one must be chosen.
    """

    UNSAID = ("hex",)

    id: str
    text: str
    side: str
    rule: str
    entry: str
    late: int
    doubtful: str
    open: bool
    hex: str | None


class AwaitedView(Shown):
    """Whom the table waits for: 'your move', or 'waiting for German: lose 2 steps'."""

    words: str
    mine: bool
    """Whether it is this seat."""
    asked: bool = False
    """Whether it is asked something, and not only to move."""


class DutyView(Shown):
    """Something that waits for an answer, or for a tap that does it."""

    id: str
    text: str
    action: str
    label: str
    args: Mapping[str, Any]
    told: bool
    """Whether `args` come from the record, so that none of them is sent with the answer."""
    fields: int
    """How many fields are left to fill in; with none, one tap on the prompt does it."""
    at_once: bool
    """Whether one answer to the one field that is shown says everything."""
    rule: str
    to: list[str]
    to_words: str
    mine: bool
    by: str
    """What asked it."""
    consent: bool
    """Whether it asks the other side to agree."""
    asker: str
    duty: str
    """'owed': it must be done; 'offered', or nothing in games recorded long ago: it may be."""
    battle: int
    """The battle it belongs to; 0 for none."""
    step: int
    live: bool
    """Whether it can be answered now: nothing of its battle comes before it."""
    binding: bool
    """Whether the other side must agree that it does not apply."""
    form: list[dict[str, Any]]
    """The fields to fill in, for whoever may answer it now."""


class ChanceView(Shown):
    """Dice that fell or chits that were drawn in a battle, as far as this seat may see them."""

    purpose: str
    dice: str
    values: list[int]
    total: int | None
    """What the dice came to; None for chits, for what is hidden, and where each die counts by itself."""
    by_hand: bool
    tokens: list[TokenView]
    count: int
    """How many chits, where they cannot be seen."""


class BattleView(Shown):
    """A battle as it stands on every screen until it is over."""

    UNSAID = ("sheet",)
    id: int
    title: str
    attacker: str
    defender: str
    hexes: tuple[str, ...]
    forces: dict[str, list[str]]
    """Side -> the names of its units that this seat may know."""
    sheet: Breakdown | None
    """The calculation: once rolled as it was recorded, before that as this seat may know it."""
    rolls: list[ChanceView]
    result: str
    waits: list[str]
    """Who must do what now: 'German: lose 2 steps'."""
    others: list[str]
    """Those of them that wait for somebody else than this seat."""
    then: list[str]
    """What comes after it."""
    over: bool


class MarkView(Shown):
    """A marker as a player reads it, and what it does."""

    words: str
    effect: str


class UnitView(Shown):
    """A unit; of a hidden one only the first five fields tell anything, and no more of it is answered."""

    id: str
    side: str
    place: str
    name: str = "?"
    hidden: bool = False
    kind: str = ""
    klass: str = ""
    size: str = ""
    formation: str = ""
    steps: int = 1
    full: int = 1
    factors: Mapping[str, int] = field(default_factory=dict)
    untried: bool = False
    place_label: str = ""
    turn: int = 0
    entry: str = ""
    note: str = ""
    doubtful: str = ""
    order: int = 0
    marks: Mapping[str, Any] = field(default_factory=dict)
    signs: tuple[MarkView, ...] = ()
    """Its markers but those that only the rules need."""
    step_words: str = ""

    def to_json(self) -> dict[str, Any]:
        found = {name: getattr(self, name) for name in self.NAMES}
        if self.hidden:
            return {name: found[name] for name in ("id", "side", "place", "hidden", "name")}
        del found["hidden"]
        return found | {"mark_words": [sign.words for sign in found.pop("signs")]}


class BoxView(Shown):
    """A place off the map; its id is what units there have as their place."""

    id: str
    label: str
    side: str


class TokenView(Shown):
    """A card or chit that lies open to this seat, with what the owner's book says of its face."""

    id: str
    face: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        return {"id": self.id, **self.face}


class ZoneView(Shown):
    """A part of a pile; `tokens` is None where this seat may only count them."""

    UNSAID = ("tokens",)
    zone: str
    label: str
    count: int
    tokens: list[TokenView] | None


class PileView(Shown):
    """A cup or deck with its zones."""

    id: str
    label: str
    side: str
    zones: list[ZoneView]


class RollView(Shown):
    """The last open roll and what it came to; `sum` where a player told no more than that."""

    UNSAID = ("sum",)
    dice: str
    values: list[int]
    purpose: str
    mode: str
    sum: int | None
    each: bool
    plus: int
    total: int


class ResultView(Shown):
    """The last result that this seat may read."""

    worksheet: str
    result: str
    breakdown: Mapping[str, Any]
    only: list[str]

    @cached_property
    def sheet(self) -> Breakdown:
        """The calculation as its worksheet made it."""
        return sheet_of(self.breakdown)


_SHEET = {f.name for f in fields(Breakdown)}


def sheet_of(body: Mapping[str, Any]) -> Breakdown:
    """A calculation as the record keeps it."""
    reasons = {n: [Line(**{"label": "", **line}) for line in body.get(n, ())] for n in ("lines", "effects")}
    return Breakdown(**{"title": "", **{n: v for n, v in body.items() if n in _SHEET}, **reasons})
