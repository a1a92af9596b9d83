"""Carrying out an action: read it, roll for it, let its function say what happens, and settle what follows by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from companion.engine import dice
from companion.engine.errors import Mistake, NotNow, Several, StillOwed, Unreadable, Warned
from companion.engine.forms.fields import Context, Dice, Roll
from companion.engine.forms.reading import fits, read_all
from companion.engine.forms.worksheet import Breakdown, parameters
from companion.engine.kit.when import Turns, holds
from companion.engine.once import has_something
from companion.engine.plain import altered
from companion.engine.play.actions import Action, Chance, FollowUp
from companion.engine.play.duties import DONE, LEFT, NO, NOT_NEEDED
from companion.engine.play.rules import Rules
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game
from companion.limits import OPEN_QUESTIONS, UNITS

TAKING_BACK = ("take-back", "redo")
"""The way out of any trouble: nothing of a game's own runs along."""
OF_A_BATTLE = (e.Rolled, e.Drawn, e.Resolved, e.Asked, e.Answered)
"""Events that say which battle they belong to."""
NO_LONGER = "no longer applies"
"""The answer to a duty that the engine withdraws."""
DECLINED = (DONE, NOT_NEEDED, NO, LEFT)
"""Answers that leave a duty undone."""
MOST_AT_ONCE = 1500
"""Events that one tap may bring about before something must be wrong: a set-up of every unit, with its markers."""


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


class AnsweredWrong(RuntimeError):
    """A game gave the only possible answer to a duty, and then refused it: a slip in its rules, not the player's."""


def perform(
    rules: Rules,
    game: Game,
    seat: str,
    action: Action,
    raw: Mapping[str, Any],
    chance: Chance,
    *,
    alone: bool = True,
) -> list[e.Event]:
    """Check, read, roll and carry out one action on `game`; the events are the record.

    The game is changed as the events come; on a Mistake it must be thrown away and reloaded.

    :param alone: whether duties with one answer only are answered by themselves
    :raises AnsweredWrong: when that went wrong; without it the same can be done
    """
    submission = Submission(rules, game, chance, alone)
    submission.carry_out(action, seat, raw, answered_by(game, action, seat, raw))
    if not submission.takes_back and action.name not in TAKING_BACK:
        submission.settle()
    return submission.done


def answered_by(game: Game, action: Action, seat: str, raw: Mapping[str, Any]) -> e.Asked | None:
    """The duty that a submission answers: the one it names, else the first that this seat may answer by it now."""
    if named := str(raw.get("_asked") or ""):
        duty = game.asked.get(named)
        fits = duty is not None and duty.action == action.name
        # What anybody may do of his own accord answers only what he himself is asked.
        return duty if fits and duty and (action.follow_up is not None or seat in duty.to) else None
    if action.follow_up is None:
        return None
    fitting = game.duties(action=action.name)
    return next((d for d in fitting if action.refusal(game, seat, d) is None), next(iter(fitting), None))


class Submission:
    """One action being carried out, and what the game does by itself after it."""

    def __init__(self, rules: Rules, game: Game, chance: Chance, alone: bool) -> None:
        self.rules, self.game, self.chance, self.alone = rules, game, chance, alone
        self.done: list[e.Event] = []
        self.takes_back = False
        self._declined: list[tuple[e.Asked, str]] = []
        self._room = max(UNITS, len(game.units)), max(OPEN_QUESTIONS, len(game.asked))

    def carry_out(self, action: Action, seat: str, raw: Mapping[str, Any], duty: e.Asked | None) -> None:
        """Check, read and roll; then what the action's own function says happens."""
        game = self.game
        refused = action.refusal(game, seat, duty)
        if refused is not None:
            raise refused
        ctx, lines = Context(game, seat, duty=duty, worked={}), _lines_of(action, game)
        values, sheet = read_action(action, ctx, raw)
        here = ctx.having(values)
        if not values.pop("anyway", True):
            self._warn(action, here)
        rolled: list[e.Event] = []
        for name, item in action.fields.items():
            if isinstance(item, Dice):
                wanted = item.when is None or item.when(here)
                values[name] = (
                    _dice(item, name, here, raw.get(name), self.chance, rolled.append) if wanted else None
                )
        battle = duty.battle if duty else 0
        if duty is not None:
            self.take(e.Answered(duty.id, action.label), battle)
        given = {"seat": seat, "sheet": sheet, "chance": self.chance, "duty": duty, "battle": ctx.battle}
        if action.worksheet is not None:
            given["form"] = action.worksheet.form(values)
        taken = parameters(action.fn)
        arguments = {k: v for k, v in {**given, **values}.items() if k in taken}
        for event in action.fn(game, **arguments):
            begins = isinstance(event, e.Engaged) and not event.battle
            if begins:
                self.take(event)
                battle = game.revision
            while rolled:  # dice belong to the battle that they begin
                self.take(rolled.pop(0), battle)
            if not begins:
                self.take(event, battle)
        for roll in rolled:
            self.take(roll, battle)
        for line in lines:
            if line not in game.ticked:
                self.take(e.Ticked(line, True, IN_PASSING))

    def _warn(self, action: Action, ctx: Context) -> None:
        """Say what is owed before something ends, and what the rules have against it before it is done."""
        owed = self.rules.owed(self.game, ctx.seat) if action.ends else []
        said = [str(reason) for reason in action.warns(ctx)] if action.warns else []
        if owed:
            raise StillOwed([*owed, *said], self.rules.passing(self.game))
        if said:
            raise Warned(said)

    def take(self, event: e.Event, battle: int = 0) -> None:
        """Take one fact over; what is rolled or asked while a duty of a battle is answered belongs to that battle."""
        game = self.game
        if isinstance(event, e.Answered) and event.id in game.asked:
            duty = game.asked[event.id]
            event = altered(event, only=duty.only, battle=duty.battle)  # as hidden as its question
            if event.answer in DECLINED:
                self._declined.append((duty, event.answer))
        if battle and isinstance(event, OF_A_BATTLE) and not event.battle:
            event = altered(event, battle=battle)
        game.declares(event)
        if isinstance(event, e.Undone):  # it is resolved when the game is loaded again
            self.takes_back = True
        else:
            game.apply(event)
        if len(game.units) > self._room[0]:
            raise Unreadable(
                f"A table keeps at most {UNITS} units on record, those off the map too: move one of them "
                "instead of adding another",
                given=len(game.units),
                accepted=f"up to {UNITS} units",
            )
        if len(game.asked) > self._room[1]:
            raise NotNow(f"{OPEN_QUESTIONS} questions wait for an answer already: answer some of them first")
        self.done.append(event)

    def settle(self) -> None:
        """What happens by itself: watchers look; duties that no longer apply go, those with one answer are answered."""
        for asked in [a for a in self.game.asked.values() if a.by == TAKING_BACK[1]]:
            self.take(e.Answered(asked.id, NO_LONGER))  # play has gone on: there is nothing to put back
        again = True
        while again:
            while self._declined:
                self._decline(*self._declined.pop(0))
            for watcher in self.rules.watchers:
                if has_something(self.game, watcher):
                    for event in watcher(self.game):
                        self.take(event)
            again = False
            while self._withdraw() or self._answer_alone():
                again = True
                if len(self.done) > MOST_AT_ONCE:
                    raise RuntimeError("duties that bring each other about without end")

    def _follow_ups(self) -> Iterator[tuple[e.Asked, Action, FollowUp]]:
        for duty in self.game.duties():
            action = self.rules.actions.get(duty.action)
            if action and action.follow_up and duty.duty:  # older rules asked otherwise
                yield duty, action, action.follow_up

    def _decline(self, duty: e.Asked, how: str) -> None:
        """What follows from not answering a duty."""
        action = self.rules.actions.get(duty.action) if duty.duty else None
        if action is not None and action.follow_up is not None and action.follow_up.declined is not None:
            for event in action.follow_up.declined(self.game, duty, how):
                self.take(event, duty.battle)

    def _withdraw(self) -> bool:
        """Put the first duty away that no longer makes sense, and say so."""
        for duty, _, follow_up in self._follow_ups():
            if not follow_up.still(self.game, duty):
                self.take(e.Answered(duty.id, NO_LONGER, battle=duty.battle, text=duty.text))
                return True
        return False

    def _answer_alone(self) -> bool:
        """Answer the first owed duty to which there is one answer only."""
        for duty, action, follow_up in self._follow_ups() if self.alone else ():
            if duty.is_owed and follow_up.alone is not None and self.game.is_live(duty):
                seat = duty.to[0]
                answer = follow_up.alone(Context(self.game, seat, duty=duty))
                if answer is not None:
                    try:
                        self.carry_out(action, seat, answer, duty)
                    except Mistake as mistake:
                        raise AnsweredWrong(f"{action.name} by itself with {answer}: {mistake}") from mistake
                    return True
        return False


def _lines_of(action: Action, game: Game) -> list[str]:
    """The lines of the phase's checklist that doing this ticks off; none where doing it is a secret."""
    phase = game.phase_def()
    if phase is None or action.secret or not action.ticks:
        return []
    return [
        f"{game.turn}/{phase.id}/{index}"
        for index, check in enumerate(phase.checklist)
        if check.action == action.name and game.turn in Turns(check.turns) and holds(check.when, game.values)
    ]


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
        take(e.Rolled(str(spec), roll.values, item.why(ctx), "physical", sum=roll.sum, each=item.each))
        return roll
    if mode == "physical":
        raise Unreadable(
            f"roll {spec} and enter what you rolled", field=name, accepted=spec.accepted(not item.each)
        )
    event = altered(chance.roll(str(spec), item.why(ctx)), each=item.each)
    take(event)
    return Roll(str(spec), event.values, "digital")
