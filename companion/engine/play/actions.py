"""One definition of what a player can do, serving form, API call, permission and log line."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from companion.engine import dice
from companion.engine.errors import Mistake, NotNow, NotYours
from companion.engine.forms.fields import Context, Field, Flag
from companion.engine.forms.filling import describe_fields
from companion.engine.forms.worksheet import Worksheet, signature_fields
from companion.engine.record import events as e
from companion.engine.record.game import Game

Events = Iterator[e.Event]
SPECIAL = ("game", "seat", "sheet", "form", "chance", "duty", "battle")


class Chance:
    """Randomness of one submission: dice and draws taken from the game's fair stream."""

    def __init__(self, stream: dice.Stream) -> None:
        self.stream = stream

    def roll(self, spec: str, purpose: str = "") -> e.Rolled:
        """Dice rolled by the server, as the event to yield."""
        index = self.stream.position
        return e.Rolled(spec, self.stream.roll(dice.Spec.parse(spec)), purpose, "digital", index)

    def draw(
        self,
        game: Game,
        pile: str,
        source: str,
        target: str,
        count: int = 1,
        *,
        only: tuple[str, ...] = (),
        reason: str = "",
    ) -> e.Drawn:
        """Tokens drawn at random, as the event to yield."""
        index = self.stream.position
        tokens = self.stream.pick(game.piles[pile][source], count)
        return e.Drawn(pile, tokens, source, target, len(tokens), "digital", index, reason, only=only)


@dataclass(frozen=True)
class FollowUp:
    """What an action that answers a duty says about that duty."""

    still: Callable[[Game, e.Asked], bool]
    """Whether the duty still makes sense; asked after every action, and what does not is withdrawn and told."""
    alone: Callable[[Context], Mapping[str, Any] | None] | None = None
    """The only possible answer to an owed duty, or None while there is a choice; it is then given by itself."""
    declined: Callable[[Game, e.Asked, str], Iterable[e.Event]] | None = None
    """What follows when an offer is declined or lapses, or what is owed was done on the map or does not apply."""
    ageless: bool = False
    """Whether it answers what games from before there were battles asked, too."""


@dataclass(frozen=True, eq=False)
class Action:
    """Something a seat may do; each is only like itself."""

    name: str
    label: str
    doc: str
    rule: str
    fields: Mapping[str, Field]
    defaults: Mapping[str, Any]
    fn: Callable[..., Iterable[e.Event]]
    by: str | Callable[[Game], str]
    """'any' side or the table, 'active' side, a side, 'table', or a function giving one of these."""
    phases: tuple[str, ...] = ()
    when: Callable[[Game], bool | str | Mistake] | None = None
    """False, a reason (text) or the mistake with its rule when it cannot be done now."""
    group: str = "phase"
    """Where it is offered: phase, dice, units, hand, card, end, book-keeping, fix, map (by taps on it), or hidden
    (reached by a prompt only)."""
    worksheet: Worksheet | None = None
    secret: bool = False
    """Only the side itself may do it, not the shared tablet."""
    fresh: bool = False
    """Refused when the table has moved on since the form was drawn."""
    primary: bool = False
    order: int = 0
    follow_up: FollowUp | None = None
    """Set where the action exists only while a duty for it is open."""
    ends: bool = False
    """Whether it ends a phase, impulse or turn: what is owed is then said first."""
    warns: Callable[[Context], Iterable[object]] | None = None
    """What the rules have against what was filled in: said before anything is done, and done anyway if so wished."""
    ticks: bool = True
    """Whether doing it once ticks its line of the phase's checklist off; not where each side has its own part in it."""

    def warned(self, warns: Callable[[Context], Iterable[object]]) -> Action:
        """The same action, which the rules may speak against."""
        fields, defaults = {**self.fields, "anyway": ANYWAY}, {**self.defaults, "anyway": False}
        return replace(self, warns=warns, fields=fields, defaults=defaults)

    def holder(self, game: Game) -> str:
        by = self.by(game) if callable(self.by) else self.by
        return game.active or "any" if by == "active" else by

    def refusal(self, game: Game, seat: str, duty: e.Asked | None = None) -> Mistake | None:
        """Why this seat cannot do it now, or None. The one place where seats are checked."""
        if self.follow_up is not None:
            return self._answer_refusal(game, seat, duty)
        return self.not_yours(game, seat) or self.not_now(game)

    def not_yours(self, game: Game, seat: str) -> Mistake | None:
        """Why it is another's to do, or None."""
        if seat != "table" and seat not in game.sides:
            return NotYours(
                f"{seat} may look on, not act: sit down at a seat to {self.label.lower()}", given=seat
            )
        holder = self.holder(game)
        if holder in game.sides and seat != holder and (self.secret or seat != "table"):
            return NotYours(
                f"{self.label} belongs to the {game.side_name(holder)} seat", given=seat, accepted=holder
            )
        if holder == "table" and seat not in {"table"}:
            return NotYours(f"{self.label} is done on the table's own screen", given=seat, accepted="table")
        if self.secret and seat == "table":
            return NotYours(
                f"{self.label} is done on a player's own phone", given=seat, accepted="a side's seat"
            )
        return None

    def not_now(self, game: Game) -> Mistake | None:
        """Why nobody can do it now, or None."""
        if game.ended and self.group not in {"fix", "hidden", "talk"}:
            return NotNow("The game is over. Take the ending back first to go on.", given=self.name)
        if self.phases and game.phase not in self.phases:
            names = [p.name for p in game.kit.phases if p.id in self.phases]
            now = game.phase_def()
            return NotNow(
                f"{self.label} belongs to {' or '.join(names)}; this is {now.name if now else 'no phase'}",
                given=game.phase,
                accepted=", ".join(self.phases),
            )
        if self.when is not None:
            answer = self.when(game)
            if isinstance(answer, Mistake):
                answer.given = self.name
                return answer
            if isinstance(answer, str) and answer:
                return NotNow(answer, given=self.name)
            if answer is False:
                return NotNow(f"{self.label}: not possible now", given=self.name)
        return None

    def _answer_refusal(self, game: Game, seat: str, duty: e.Asked | None) -> Mistake | None:
        """Why this seat cannot answer: nothing of the kind is open, it is another's, or something comes first."""
        if duty is None or duty.id not in game.asked:
            return NotNow(
                f"{self.label}: nothing of the kind is asked now. It was done, or taken back.",
                given=self.name,
                rule=self.rule,
            )
        if not duty.duty and self.follow_up and not self.follow_up.ageless:
            return NotNow(
                f"{self.label}: this was asked under older rules. Do it on the map and put it away.",
                given=self.name,
                rule=self.rule,
            )
        if seat not in duty.to:
            whose = " or ".join(game.side_name(s) for s in duty.to if s in game.sides)
            return NotYours(
                f"{self.label} is answered by {whose or 'the table'}", given=seat, accepted=", ".join(duty.to)
            )
        if not game.is_live(duty):
            before = min(game.duties(duty.battle), key=lambda a: a.step)
            hidden = before.only and seat not in before.only
            first = "something else of this battle" if hidden else before.text
            return NotNow(f"First: {first}", given=self.name, rule=before.rule)
        if game.ended:
            return NotNow("The game is over. Take the ending back first to go on.", given=self.name)
        return None

    def describe(self, ctx: Context, raw: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """The fields as a form or an API client needs them, only those that apply now."""
        return describe_fields(self.fields, self.defaults, ctx, raw or {})


ANYWAY = Flag(label="Anyway", hidden=True)
"""What an action that ends something, or that the rules may speak against, also asks once it has said why."""


def make_action(fn: Callable[..., Iterable[e.Event]], **spec: Any) -> Action:
    """An Action from a decorated generator function; its signature becomes the form."""
    fields, defaults = signature_fields(fn, SPECIAL)
    worksheet: Worksheet | None = spec.get("worksheet")
    if worksheet is not None:
        fields = {**worksheet.fields, **fields}
        defaults = {**worksheet.defaults, **defaults}
    if spec.get("ends") or spec.get("warns"):
        fields, defaults = {**fields, "anyway": ANYWAY}, {**defaults, "anyway": False}
    phase = spec.pop("phase", None)
    phases = (phase,) if isinstance(phase, str) else tuple(phase or ())
    doc = inspect.getdoc(fn) or ""
    name = fn.__name__.replace("_", "-")
    return Action(
        name=name,
        label=spec.pop("label", "") or fn.__name__.replace("_", " ").capitalize(),
        doc=doc,
        rule=spec.pop("rule", ""),
        fields=fields,
        defaults=defaults,
        fn=fn,
        by=spec.pop("by", "any"),
        phases=phases,
        **spec,
    )
