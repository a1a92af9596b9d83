"""One definition of what a player can do, serving form, API call, permission and log line."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from companion.engine.errors import Mistake, NotNow, NotYours, Several, Unreadable
from companion.engine.play.fields import REQUIRED, Context, Dice, Field, Flag, Roll
from companion.engine.play.reading import fits, read_all
from companion.engine.play.worksheet import Breakdown, Worksheet, signature_fields
from companion.engine.record import dice
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.limits import OPEN_QUESTIONS, UNITS

if TYPE_CHECKING:
    from companion.engine.play.rules import Rules

Events = Iterator[e.Event]
SPECIAL = ("game", "seat", "sheet", "chance")
TAKING_BACK = ("take-back", "agree")
"""The way out of any trouble: nothing of a game's own runs along."""


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
class Action:
    """Something a seat may do."""

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
    """Where it is offered: phase, dice, units, hand, card, end, book-keeping, fix, or hidden (reached by a prompt only)."""
    worksheet: Worksheet | None = None
    secret: bool = False
    """Only the side itself may do it, not the shared tablet."""
    fresh: bool = False
    """Refused when the table has moved on since the form was drawn."""
    primary: bool = False
    order: int = 0

    def holder(self, game: Game) -> str:
        by = self.by(game) if callable(self.by) else self.by
        return game.active or "any" if by == "active" else by

    def refusal(self, game: Game, seat: str) -> Mistake | None:
        """Why this seat cannot do it now, or None. The one place where seats are checked."""
        if seat not in {"table", *game.sides}:
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

    def describe(self, ctx: Context, raw: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """The fields as a form or an API client needs them, only those that apply now."""
        return describe_fields(self.fields, self.defaults, ctx, raw or {})


def describe_fields(
    fields: Mapping[str, Field], defaults: Mapping[str, Any], ctx: Context, raw: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Fields with their choices and first values, given what has been filled in so far."""
    values, _ = read_all(fields, defaults, raw, ctx)
    rows = []
    for name, item in fields.items():
        here = ctx.having(values)
        if item.when is not None and not item.when(here):
            continue
        default = defaults[name]
        value = raw.get(name)
        if value is None:
            value = item.first(here) if item.start else None if default is REQUIRED else default
        many = getattr(item, "many", False)
        if isinstance(item, Flag) and isinstance(value, str) and name in values:
            value = values[name]  # a prompt's link says "False", which is no tick
        if isinstance(value, tuple | list) and not many and not isinstance(item, Dice):
            value = " ".join(map(str, value))
        elif many:
            value = _listed(value)
        rows.append(
            {
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
        )
    return rows


def _listed(value: Any) -> list[str]:
    """Several chosen things, however they were given."""
    if value in (None, ""):
        return []
    return (
        [str(v) for v in value]
        if isinstance(value, tuple | list)
        else [v for v in str(value).replace(",", " ").split()]
    )


def make_action(fn: Callable[..., Iterable[e.Event]], **spec: Any) -> Action:
    """An Action from a decorated generator function; its signature becomes the form."""
    fields, defaults = signature_fields(fn, SPECIAL)
    worksheet: Worksheet | None = spec.get("worksheet")
    if worksheet is not None:
        fields = {**worksheet.fields, **fields}
        defaults = {**worksheet.defaults, **defaults}
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


def read_action(
    action: Action, ctx: Context, raw: Mapping[str, Any]
) -> tuple[dict[str, Any], Breakdown | None]:
    """All values of a submission except dice, and the worksheet's breakdown; every mistake at once."""
    own = {k: v for k, v in raw.items() if not isinstance(action.fields.get(k), Dice)}
    values, mistakes = read_all(action.fields, action.defaults, own, ctx)
    if mistakes:
        raise Several(mistakes) if len(mistakes) > 1 else mistakes[0]
    sheet = None
    if action.worksheet is not None:
        sheet = action.worksheet.answer(values, ctx.having(values))
    return values, sheet


def perform(
    rules: Rules, game: Game, seat: str, action: Action, raw: Mapping[str, Any], chance: Chance
) -> list[e.Event]:
    """Check, read, roll and carry out one action on `game`; the events are the record.

    The game is changed as the events come; on a Mistake it must be thrown away and reloaded.
    """
    refused = action.refusal(game, seat)
    if refused is not None:
        raise refused
    ctx = Context(game, seat)
    values, sheet = read_action(action, ctx, raw)
    done: list[e.Event] = []

    room = max(UNITS, len(game.units)), max(OPEN_QUESTIONS, len(game.asked))

    def take(event: e.Event) -> None:
        if isinstance(event, e.Answered) and event.id in game.asked:
            event = replace(event, only=game.asked[event.id].only)  # as hidden as its question
        game.declares(event)
        if not isinstance(event, e.Undone):  # an undo is resolved when the game is loaded again
            game.apply(event)
        if len(game.units) > room[0]:
            raise Unreadable(
                f"A table keeps at most {UNITS} units on record, those off the map too: move one of them "
                "instead of adding another",
                given=len(game.units),
                accepted=f"up to {UNITS} units",
            )
        if len(game.asked) > room[1]:
            raise NotNow(f"{OPEN_QUESTIONS} questions wait for an answer already: answer some of them first")
        done.append(event)

    here = Context(game, seat, values)
    for name, item in action.fields.items():
        if isinstance(item, Dice):
            if item.when is not None and not item.when(here):
                values[name] = None
                continue
            values[name] = _dice(item, name, here, raw.get(name), chance, take)
    arguments = {k: v for k, v in values.items() if k in inspect.signature(action.fn).parameters}
    for name, thing in (("seat", seat), ("sheet", sheet), ("chance", chance)):
        if name in inspect.signature(action.fn).parameters:
            arguments[name] = thing
    for event in action.fn(game, **arguments):
        take(event)
    if any(isinstance(event, e.Undone) for event in done):
        return done
    prompt = game.asked.get(str(raw.get("_asked")))
    if prompt is not None and prompt.action == action.name and seat in (*prompt.to, "table"):
        take(e.Answered(prompt.id, action.label))
    if action.name not in TAKING_BACK:  # which must work whatever is wrong with the game's own rules
        for watcher in rules.watchers:
            for event in watcher(game):
                take(event)
    return done


def _dice(
    item: Dice, name: str, ctx: Context, given: Any, chance: Chance, take: Callable[[e.Event], None]
) -> Roll:
    """The roll of a dice field: what the player rolled, or a fair digital roll, as the table is set."""
    mode = ctx.game["mode-dice"]
    spec = dice.Spec.parse(item.dice(ctx))
    if given not in (None, "", [], ()):
        if mode == "digital":
            raise Unreadable(
                "this table rolls its dice digitally; leave the roll empty, or change the table's settings",
                field=name,
                given=given,
            )
        try:
            fits(given)
            roll = item.read(given, ctx)
        except Mistake as mistake:
            mistake.field = name
            raise
        take(e.Rolled(str(spec), roll.values, item.why(ctx), "physical", sum=roll.sum))
        return roll
    if mode == "physical":
        raise Unreadable(
            f"roll {spec} and enter what you rolled", field=name, accepted=spec.accepted(not item.each)
        )
    event = chance.roll(str(spec), item.why(ctx))
    take(event)
    return Roll(str(spec), event.values, "digital")
