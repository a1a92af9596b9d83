"""A table without store or web, so that a test reads like play: `t.do("soviet", "roll-dice", dice="1d6")`.

`refused` is how a test says what must not be possible: `with refused(NotNow, rule="12.19"): ...`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import pytest

from companion.engine.dice import Stream, commitment
from companion.engine.errors import Mistake, Several, Warned
from companion.engine.forms.fields import Context
from companion.engine.kit.blocks import Kit
from companion.engine.kit.book import Book
from companion.engine.people.consent import DEEDS
from companion.engine.play.actions import Chance
from companion.engine.play.performing import perform
from companion.engine.play.phases import open_table
from companion.engine.play.rules import Rules
from companion.engine.record import events as e
from companion.engine.record.game import Game, replay
from companion.engine.seat.view import SeatView, view
from companion.systems import System, find_system

SCENARIOS = Path(__file__).parent.parent / "scenarios"
ANYTHING: Any = object()


class Bench:
    """One game in memory, with every event it ever had.

    :param system: the id of a game on the shelf, or a game
    :param options: the table's options, with `_` for `-`; modes of dice, chits and cards are "either" unless told
    """

    seed = "11" * 32
    title = "test"

    def __init__(self, system: str | System, scenario: str, book: Book | None = None, **options: Any) -> None:
        self.system = system if isinstance(system, System) else find_system(system, SCENARIOS)
        self.scenario = scenario
        self.book = book
        self.events: list[e.Event] = []
        self.stream = Stream(self.seed)
        self.game = Game(self.kit, scenario, book)
        settings = {
            "mode-dice": "either",
            "mode-chits": "either",
            "mode-cards": "either",
            "solo": False,
            "fog": True,
        }
        settings |= {name.replace("_", "-"): value for name, value in options.items()}
        for event in open_table(self.rules, self.game, settings, commitment(self.seed), self.title):
            self.record(event)

    @property
    def kit(self) -> Kit:
        return self.system.kit

    @property
    def rules(self) -> Rules:
        return self.system.rules

    # -- what happens

    def do(self, seat: str, action: str, **fields: Any) -> list[e.Event]:
        """Carry out an action; after a mistake the game is as it was."""
        self.stream.entropy = [str(w) for w in (self.game[f"entropy-{s}"] for s in self.game.sides) if w]
        try:
            done = perform(self.rules, self.game, seat, self.rules.find(action), fields, Chance(self.stream))
        except Exception:
            self.refold()
            raise
        self.events += done
        if any(isinstance(event, e.Undone) for event in done):
            self.refold()
        return done

    def record(self, event: e.Event) -> None:
        """Let something have happened that no action does."""
        self.game.apply(event)
        self.events.append(event)

    def replayed(self) -> Game:
        """The game folded again from its record, as it is stored."""
        stored = [e.Event.from_json(json.loads(json.dumps(event.to_json()))) for event in self.events]
        return replay(Game(self.kit, self.scenario, self.book), stored)

    def refold(self) -> None:
        """Fold the game again from what happened: quicker than from what is stored, and the same but for tuples."""
        self.game = replay(Game(self.kit, self.scenario, self.book), self.events)

    def next(self, seat: str = "table") -> list[e.Event]:
        """End the phase, whatever is owed."""
        return self.do(seat, "next-phase", anyway=True)

    def until(self, phase: str, turn: int | None = None) -> Self:
        """Go on phase by phase until this one is reached."""
        for _ in range(400):
            if self.game.phase == phase and (turn is None or self.game.turn == turn):
                return self
            self.next()
        raise AssertionError(
            f"phase {phase!r} on turn {turn} was never reached; now {self.game.turn} {self.game.phase}"
        )

    def answer(self, seat: str, index: int = 0, **fields: Any) -> list[e.Event]:
        """Do the action a seat is asked for, as its one-tap button would."""
        ask = self.asked(seat)[index]
        action = self.rules.find(ask["action"])
        told = {} if action.follow_up else ask["args"]
        return self.do(seat, ask["action"], **{**told, **fields, "_asked": ask["id"]})

    def agree(self) -> list[e.Event]:
        """Everybody who is asked for consent gives it; what came of the last yes."""
        done: list[e.Event] = []
        for ask in consents(self.game):
            done = self.do(ask.to[0], "agree", ask=ask.id, yes=True)
        return done

    # -- what is seen of it

    def sees(self, seat: str) -> dict[str, Any]:
        return self.view(seat).to_json()

    def view(self, seat: str) -> SeatView:
        """The table as a seat sees it, with types."""
        return view(self.rules, self.game, seat)

    def hears(self, seat: str) -> list[dict[str, Any]]:
        """The events as a seat may read them."""
        return [event.seen_by(seat) for event in self.events]

    def asked(self, seat: str) -> list[dict[str, Any]]:
        """What is waiting for a seat."""
        return [a for a in self.sees(seat)["asked"] if a["mine"]]

    def form(self, seat: str, action: str, **filled: Any) -> list[dict[str, Any]]:
        """The fields of an action's form as a seat sees them, with some of it filled in."""
        return self.rules.find(action).describe(Context(self.game, seat), filled)

    def form_of(self, seat: str, duty: e.Asked, **filled: Any) -> list[dict[str, Any]]:
        """The fields that a duty's answer asks for, as a seat sees them."""
        return self.rules.find(duty.action).describe(Context(self.game, seat, duty=duty), filled)

    def calc(self, worksheet: str, **fields: Any) -> Any:
        return self.rules.worksheets[worksheet].work(fields, Context(self.game))


def bare(game: str | Kit, seat: str = "table") -> Context:
    """What a worksheet is worked in without a table."""
    return Context(Game.bare(game if isinstance(game, Kit) else find_system(game, SCENARIOS).kit), seat)


def consents(game: Game) -> list[e.Asked]:
    """Questions for consent that are open."""
    return [ask for ask in game.asked.values() if ask.by in DEEDS]


class Refusal:
    """What came, once the block has ended: `refusal.value` as pytest has it."""

    value: Any


@contextmanager
def refused(
    kind: type[Mistake], *, rule: str = ANYTHING, field: str = ANYTHING, given: Any = ANYTHING
) -> Iterator[Refusal]:
    """Demand a mistake of exactly this kind, about this rule, field and given value where they are told.

    Of `Several` mistakes one must fit: it is the `value` afterwards.
    """
    came = Refusal()
    with pytest.raises(Mistake) as caught:
        yield came
    all_of_it = (
        caught.value.mistakes if isinstance(caught.value, Several) and kind is not Several else [caught.value]
    )
    wanted = {"rule": rule, "field": field, "given": given}
    told = {name: value for name, value in wanted.items() if value is not ANYTHING}
    for mistake in all_of_it:
        if type(mistake) is kind and all(getattr(mistake, name) == value for name, value in told.items()):
            came.value = mistake
            return
    said = "\n".join(
        f"  {type(m).__name__}(rule={m.rule!r}, field={m.field!r}, given={m.given!r}): {m}" for m in all_of_it
    )
    asked = ", ".join([kind.__name__, *(f"{name}={value!r}" for name, value in told.items())])
    raise AssertionError(f"expected {asked}; what came instead:\n{said}") from caught.value


@contextmanager
def warned(*rules: str) -> Iterator[Refusal]:
    """Demand that something is said before it is done, and that it names these rules; it can be done anyway."""
    with refused(Warned, field="anyway") as came:
        yield came
    said = "; ".join(came.value.said)
    missing = [rule for rule in rules if rule not in said]
    assert not missing, f"nothing was said of {', '.join(missing)}: {said}"
