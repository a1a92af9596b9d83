"""What waits for a seat, as cards that carry their answers: only a long form still opens a sheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.engine.play.duties import DONE, NO, NOT_NEEDED
from companion.engine.record.events import OWED
from companion.engine.seat.shapes import DutyView
from companion.engine.seat.view import SeatView
from companion.web.formfield import FormField, form_fields

MOST_BUTTONS = 6
"""So many answers are a button each; more are chips or a list with one button below."""
MOST_SHORT, SHORT_WORDS = 12, 80
"""Short ones, such as the hexes of a retreat: so many, as long as all of them together are not longer than this."""
MOST_FIELDS = 4
"""A form with more fields than these is no card any more."""
MOST_CODES = 16
NOTHING = ("", "0")
"""Answers that mean none, such as no Air Point."""


@dataclass(frozen=True)
class Reply:
    """One answer that a button gives at once."""

    value: str
    label: str
    usual: bool = False
    """Whether it is what the form would begin with."""


@dataclass(frozen=True)
class Question:
    """A duty with the way it is answered."""

    duty: DutyView
    way: str
    """consent, map (a reminder), result (of a printed chart), buttons, form (with no field shown: one tap), or sheet."""
    fields: Sequence[FormField] = ()
    """All its fields, those too that are only sent along."""
    field: FormField | None = None
    """The one that is asked, where each answer is a button."""
    replies: Sequence[Reply] = ()
    error: str = ""

    @property
    def dice(self) -> list[FormField]:
        return [f for f in self.fields if f.type == "dice"]

    @property
    def asks(self) -> list[FormField]:
        """The fields but dice and the one that buttons answer."""
        return [f for f in self.fields if f.type != "dice" and f != self.field]

    @property
    def speaks(self) -> bool:
        """Whether the answers are phrases ("Fall back 2"), so that no label need stand above them."""
        return all(" " in reply.label for reply in self.replies)

    @property
    def changes(self) -> bool:
        """Whether what is chosen may change what is asked, so that the form is drawn again."""
        return self.way == "form" and not self.duty.at_once and bool(self.duty.fields)

    @property
    def instead(self) -> list[tuple[str, str]]:
        """What may be said instead of answering: the words that are sent, and the button's."""
        if self.duty.consent:
            return []
        if self.way == "map":
            return [(DONE, "Done")]
        if self.duty.duty == OWED:
            return [(DONE, "Done on the map"), (NOT_NEEDED, "Does not apply")]
        if self.field and self.field.type == "choice" and any(r.value in NOTHING for r in self.replies):
            return []  # one of its own answers says it
        return [(NO, "No")]

    @property
    def sent_along(self) -> dict[str, Any]:
        """What a duty of a game without follow-ups carries in its link: the record does not know it."""
        if self.duty.told or self.duty.consent:
            return {}
        drawn = {f.name for f in self.fields} if self.way != "sheet" else set[str]()
        return {name: value for name, value in self.duty.args.items() if name not in drawn}


@dataclass(frozen=True)
class Card:
    """All that one side is asked at one step of a battle, or one thing outside any battle."""

    id: str
    side: str
    """Whose it is; 'none' where it is for several."""
    battle: int
    questions: Sequence[Question]


def cards(
    view: SeatView, wrong: Mapping[str, str] | None = None, sent: Mapping[str, Any] | None = None
) -> list[Card]:
    """The cards of a seat, in the order their duties came up; those of one battle by step.

    :param wrong: what was wrong with the answer to a duty, by its id
    :param sent: what was answered there
    """
    groups: dict[tuple[Any, ...], list[DutyView]] = {}
    for duty in view.asked:
        if duty.mine and duty.live:
            key = (duty.battle, duty.step, _side(view, duty)) if duty.battle else (duty.id,)
            groups.setdefault(key, []).append(duty)
    told = wrong or {}
    return [
        Card(
            duties[0].id,
            _side(view, duties[0]),
            duties[0].battle,
            [question(a, told.get(a.id, ""), sent if a.id in told else None) for a in duties],
        )
        for duties in groups.values()
    ]


def kept_cards(view: SeatView) -> Sequence[Card]:
    """The cards of a seat as long as what they ask stays as it is."""
    return view.keep("cards", lambda: cards(view))


def _side(view: SeatView, duty: DutyView) -> str:
    sides = [s.id for s in view.sides if s.id in duty.to]
    return sides[0] if len(sides) == 1 else "none"


def question(duty: DutyView, error: str = "", sent: Mapping[str, Any] | None = None) -> Question:
    """A duty with the shortest way to answer it."""
    if duty.consent:
        return Question(duty, "consent", error=error)
    if not duty.action:
        return Question(duty, "map", error=error)
    if duty.action == "enter-result":
        codes = [Reply(str(c), str(c)) for c in duty.args.get("codes", ())][:MOST_CODES]
        return Question(duty, "result", replies=codes, error=error)
    if duty.fields > MOST_FIELDS or (duty.fields and not duty.form):
        return Question(duty, "sheet", error=error)
    fields = form_fields([_resent(row, sent or {}) for row in duty.form], {})
    asked = next((f for f in fields if not f.hidden and not f.quiet), None) if duty.at_once else None
    replies = _replies(asked, duty.duty == OWED) if asked else []
    if replies:
        return Question(duty, "buttons", fields, asked, replies, error)
    return Question(duty, "form", fields, error=error)


def _resent(row: Mapping[str, Any], sent: Mapping[str, Any]) -> Mapping[str, Any]:
    """A field with what was entered before it was refused."""
    return {**row, "value": sent[row["name"]]} if row["name"] in sent and row["type"] != "flag" else row


def _few(labels: Sequence[str]) -> bool:
    """Whether answers are few enough, or short enough, to be a button each."""
    short = len(labels) <= MOST_SHORT and sum(map(len, labels)) <= SHORT_WORDS
    return short or len(labels) <= MOST_BUTTONS


def _replies(field: FormField, owed: bool) -> list[Reply]:
    """Each answer to a field by itself; none where there are too many, or several may be chosen."""
    usual = str(field.value)
    if field.type == "flag":
        yes = Reply("on", field.label.removesuffix("?"), bool(field.value))
        return [yes, Reply("", "No")] if owed else [yes]  # an offer has its own No
    if field.type == "dice" and not (field.mode == "physical" and field.count == 1):
        return []
    if field.type in ("whole", "dice") and field.min is not None and field.max is not None:
        values = range(field.min, field.max + 1)  # of one real die, its faces: a tap says what it shows
        return (
            [Reply(str(n), str(n), str(n) == usual) for n in values] if _few(list(map(str, values))) else []
        )
    answers = _told_apart(field)
    labels = [label for _, label in answers]
    if (field.many and field.exactly != 1) or not labels or not _few(labels):
        return []
    found = [Reply(value, label, value == usual) for value, label in answers]
    if field.exactly == 1:
        return found
    if not (owed or field.required or any(reply.usual for reply in found)):
        found.append(Reply("", "None of these"))
    return found


def _told_apart(field: FormField) -> list[tuple[str, str]]:
    """The answers with their words; of units that read alike one, with their number: any of them will do."""
    answers = [(str(c["value"]), str(c["label"])) for c in field.choices]
    if field.type != "unit":
        return answers
    alike = Counter(label for _, label in answers)
    first = {label: value for value, label in reversed(answers)}
    return [(first[label], f"{label} ({n} of them)" if n > 1 else label) for label, n in alike.items()]
