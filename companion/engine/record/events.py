"""The kinds of event that make up a game of any system, and who may see each.

An event is a fact: replaying a list of them needs no rules and no random numbers.
Fields named in `SECRET` are shown only to the seats in `only` (an empty `only` means everybody).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from typing import Any, ClassVar

from companion.engine.plain import copied, shared

KINDS: dict[str, type[Event]] = {}

NEW_CODE = "new-code"
"""What a question about a new code for the table's screen is asked `by`, and how its id begins."""


OWED, OFFERED = "owed", "offered"
"""The two kinds of duty."""


def is_about_seats(kind: str, name: str = "") -> bool:
    """Whether an event (its kind, and its id where it asks or answers) is about seats, which no undo touches."""
    return kind == "seated" or (kind in {"asked", "answered"} and name.startswith(f"{NEW_CODE}-"))


EMPTY: tuple[Any, ...] = (None, "", (), [], {})
IF_ANY = frozenset({"battle", "step", "opens", "binding", "each"})
"""Numbers and yes-or-nos that are written only where there is one: most events are about no battle."""


@cache
def names(kind: str) -> tuple[str, ...]:
    """The fields of a kind of event."""
    return tuple(f.name for f in fields(KINDS[kind]))


@cache
def needed(kind: str) -> frozenset[str]:
    """The fields that every event of a kind has; asked for each time one is written."""
    own = fields(KINDS[kind])
    return frozenset(f.name for f in own if f.default is MISSING and f.default_factory is MISSING)


@dataclass(frozen=True)
class Event:
    """One fact of a game; subclasses name the fact."""

    KIND: ClassVar[str] = ""
    SECRET: ClassVar[tuple[str, ...]] = ()
    only: tuple[str, ...] = field(default=(), kw_only=True)
    """Seats that may see the SECRET fields; empty means all."""

    def __init_subclass__(cls) -> None:
        cls.KIND = cls.__name__.lower()
        KINDS[cls.KIND] = cls

    def to_json(self) -> dict[str, Any]:
        """The whole event as stored; hidden fields included."""
        body, least = {"kind": self.KIND}, needed(self.KIND)
        for name in names(self.KIND):
            value = getattr(self, name)
            if value or name in least or (value not in EMPTY and name not in IF_ANY):
                body[name] = copied(value)
        return body

    @staticmethod
    def from_json(body: Mapping[str, Any]) -> Event:
        """Read an event as stored; unknown kinds and fields are a ValueError."""
        kind = body.get("kind")
        cls = KINDS.get(str(kind))
        if cls is None:
            raise ValueError(f"unknown kind of event {kind!r}: known are {', '.join(sorted(KINDS))}")
        extra = body.keys() - {*names(cls.KIND), "kind"}
        if extra:
            raise ValueError(f"{kind} event has no field {', '.join(sorted(extra))}")
        told = {k: shared(v) if isinstance(v, str) else v for k, v in body.items() if k != "kind"}
        return cls(**{k: tuple(v) if isinstance(v, list) else v for k, v in told.items()})

    def seen_by(self, seat: str) -> dict[str, Any]:
        """The event as this seat may see it."""
        return seen_by(self.to_json(), seat)


def seen_by(stored: dict[str, Any], seat: str) -> dict[str, Any]:
    """A stored event as a seat may see it: hidden fields are left out, never masked; an open one is the same for all."""
    allowed = stored.get("only")
    if not allowed:
        return stored
    closed = () if seat in allowed else KINDS[stored["kind"]].SECRET
    body = {name: value for name, value in stored.items() if name != "only" and name not in closed}
    return body if seat in allowed else {**body, "hidden": True}


@dataclass(frozen=True)
class Started(Event):
    """The table opened: scenario, options, modes, and the commitment to the dice seed."""

    system: str
    scenario: str
    options: Mapping[str, Any]
    commitment: str
    title: str = ""


@dataclass(frozen=True)
class Advanced(Event):
    """Turn and phase are now these; `skipped` lists phases passed over."""

    turn: int
    phase: str
    skipped: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Set(Event):
    """A track, dial, option or mode has this value now."""

    SECRET: ClassVar[tuple[str, ...]] = ("value", "was")
    name: str
    value: Any
    was: Any = None
    reason: str = ""
    rule: str = ""


@dataclass(frozen=True)
class Rolled(Event):
    """Dice fell; `index` is the first position of the fair stream used (digital only)."""

    SECRET: ClassVar[tuple[str, ...]] = ("values", "sum")
    dice: str
    values: tuple[int, ...]
    purpose: str = ""
    mode: str = "digital"
    index: int | None = None
    sum: int | None = None
    """All dice together before any plus, where a player told no more (physical only); `values` is then empty."""
    battle: int = 0
    """The battle that they were rolled for."""
    each: bool = False
    """Each die is looked at by itself: their sum means nothing."""


@dataclass(frozen=True)
class Drawn(Event):
    """Tokens or cards left one zone of a pile for another."""

    SECRET: ClassVar[tuple[str, ...]] = ("tokens",)
    pile: str
    tokens: tuple[str, ...]
    source: str
    target: str
    count: int = 0
    mode: str = "digital"
    index: int | None = None
    reason: str = ""
    battle: int = 0


@dataclass(frozen=True)
class Returned(Drawn):
    """Tokens or cards went back where draws come from."""


@dataclass(frozen=True)
class Placed(Event):
    """A unit was created, moved, sent to a box, changed its facts, or eliminated."""

    SECRET: ClassVar[tuple[str, ...]] = ("unit", "facts")
    unit: str
    place: str | None = None
    was: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    rule: str = ""
    side: str = ""

    def to_json(self) -> dict[str, Any]:
        body = super().to_json()
        return body if self.place is None else {**body, "place": self.place}


@dataclass(frozen=True)
class Marked(Event):
    """A unit's or hex's marker has this value now; None takes it off."""

    SECRET: ClassVar[tuple[str, ...]] = ("target", "marker", "value", "reason", "rule")
    target: str
    marker: str
    value: Any = None
    reason: str = ""
    rule: str = ""


@dataclass(frozen=True)
class Sealed(Event):
    """A seat made a secret choice that stays sealed until all are revealed."""

    SECRET: ClassVar[tuple[str, ...]] = ("value",)
    name: str
    seat: str
    value: Any = None

    def to_json(self) -> dict[str, Any]:
        return {**super().to_json(), "value": self.value}  # nothing at all is a choice too


@dataclass(frozen=True)
class Revealed(Event):
    """All sealed choices of this name lie open."""

    name: str
    values: Mapping[str, Any]


@dataclass(frozen=True)
class Resolved(Event):
    """A worksheet was worked through: its whole breakdown and the result."""

    SECRET: ClassVar[tuple[str, ...]] = ("breakdown",)
    worksheet: str
    breakdown: Mapping[str, Any]
    result: str = ""
    battle: int = 0


@dataclass(frozen=True)
class Engaged(Event):
    """A battle begins (`battle` is 0: it is known by this event's number), is joined, or its facts change."""

    SECRET: ClassVar[tuple[str, ...]] = ("forces", "facts")
    battle: int = 0
    title: str = ""
    attacker: str = ""
    defender: str = ""
    hexes: tuple[str, ...] = ()
    forces: Mapping[str, Sequence[str]] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    opens: bool = False
    """It lays the stacks of both sides open, which counts as a reveal."""
    result: str = ""
    """How it ended, where no calculation did: called off."""
    reason: str = ""
    rule: str = ""


@dataclass(frozen=True)
class Asked(Event):
    """A duty: something waits for a seat, a question or a follow-up that it may do with one tap."""

    SECRET: ClassVar[tuple[str, ...]] = ("text", "action", "args", "rule", "units")
    id: str
    to: tuple[str, ...]
    text: str
    action: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)
    rule: str = ""
    by: str = ""
    duty: str = ""
    """OWED: it never lapses. OFFERED, or nothing in old games: it lapses with its phase."""
    battle: int = 0
    """The battle that it belongs to."""
    step: int = 0
    """Its place in the order of its battle: only the lowest open step is live."""
    units: tuple[str, ...] = ()
    """The units that it is about."""
    binding: bool = False
    """Whether saying that it does not apply needs the other side: an attack once declared is fought."""

    @property
    def is_owed(self) -> bool:
        return self.duty == OWED

    @property
    def is_consent(self) -> bool:
        """Whether it asks for consent, which no phase ends and nobody puts away."""
        return self.action == "agree"


@dataclass(frozen=True)
class Answered(Event):
    """What was asked is dealt with; the answer to a hidden question is as hidden as the question."""

    SECRET: ClassVar[tuple[str, ...]] = ("answer", "text")
    id: str
    answer: str = ""
    battle: int = 0
    text: str = ""
    """What was asked, where the log must say that it was put away or no longer applies."""


@dataclass(frozen=True)
class Ticked(Event):
    """A checklist item was ticked or cleared."""

    item: str
    done: bool = True
    text: str = ""

    def to_json(self) -> dict[str, Any]:
        return {**super().to_json(), "done": self.done}


@dataclass(frozen=True)
class Noted(Event):
    """Free text in the log; of a battle, something that came of it."""

    SECRET: ClassVar[tuple[str, ...]] = ("text",)
    text: str
    rule: str = ""
    battle: int = 0
    """The battle on whose card it stands; 0 for none."""
    reason: str = ""
    """IN_PASSING where the log tells it by other lines, so that only the card needs it."""


@dataclass(frozen=True)
class Seated(Event):
    """A device took a seat or gave it up, or the seat has a new code or is closed; the state does not change."""

    seat: str
    what: str
    """joined, left, new-code or closed; or told, what somebody outside the game says in `why`."""
    device: str = ""
    why: str = ""


@dataclass(frozen=True)
class Undone(Event):
    """The state is again what it was after event `to`."""

    to: int
    reason: str = ""


@dataclass(frozen=True)
class Reseeded(Event):
    """The dice go on with another seed: the old one had been laid open with the record of an ending since taken back."""

    commitment: str
    """The fingerprint of the seed in use from here on."""
    revealed: str = ""
    """The seed in use until here, for verification; empty when it is the same one, only said again after a take-back."""


@dataclass(frozen=True)
class Ended(Event):
    """The game is over."""

    winner: str
    level: str = ""
    why: str = ""
    rule: str = ""
    vp: Mapping[str, Any] = field(default_factory=dict)
    """By side, where they were counted for it alone."""


def is_chance(event: Event) -> bool:
    """Whether something was rolled, drawn or laid open: tokens that come from nowhere fill a pile and are no draw."""
    if isinstance(event, Drawn):
        return bool(event.source)
    return isinstance(event, Rolled | Revealed) or (isinstance(event, Engaged) and event.opens)
