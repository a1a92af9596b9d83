"""A table without store or web, so that a test reads like play: `t.do("soviet", "roll-dice", dice="1d6")`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from companion.engine.play.actions import Chance, perform
from companion.engine.play.phases import open_table
from companion.engine.record import events as e
from companion.engine.record.dice import Stream, commitment
from companion.engine.record.game import Book, Game, replay
from companion.engine.seat.view import SeatView, view
from companion.systems import System, find_system

SCENARIOS = Path(__file__).parent.parent / "scenarios"
SEED = "11" * 32


class Bench:
    """One game in memory, with every event it ever had."""

    def __init__(self, system: str, scenario: str, book: Book | None = None, **options: Any) -> None:
        self.system: System = find_system(system, SCENARIOS)
        self.scenario = scenario
        self.book = book
        self.events: list[e.Event] = []
        self.stream = Stream(SEED)
        self.game = Game(self.system.kit, scenario, book)
        settings = {
            "mode-dice": "either",
            "mode-chits": "either",
            "mode-cards": "either",
            "solo": False,
            "fog": True,
        }
        settings |= {k.replace("_", "-"): v for k, v in options.items()}
        for event in open_table(self.system.rules, self.game, settings, commitment(SEED), "test"):
            self.game.apply(event)
            self.events.append(event)

    def do(self, seat: str, action: str, **fields: Any) -> list[e.Event]:
        """Carry out an action; on a Mistake the game is as it was before."""
        rules = self.system.rules
        try:
            done = perform(rules, self.game, seat, rules.find(action), fields, Chance(self.stream))
        except Exception:
            self.refold()
            raise
        self.events += done
        if any(isinstance(event, e.Undone) for event in done):
            self.refold()
        return done

    def refold(self) -> None:
        self.game = replay(Game(self.system.kit, self.scenario, self.book), self.events)

    def next(self, seat: str = "table") -> list[e.Event]:
        return self.do(seat, "next-phase")

    def until(self, phase: str, turn: int | None = None) -> None:
        """Go on phase by phase until this one is reached."""
        for _ in range(400):
            if self.game.phase == phase and (turn is None or self.game.turn == turn):
                return
            self.next()
        raise AssertionError(
            f"phase {phase!r} on turn {turn} was never reached; now {self.game.turn} {self.game.phase}"
        )

    def sees(self, seat: str) -> dict[str, Any]:
        return self.view(seat).to_json()

    def view(self, seat: str) -> SeatView:
        """The table as a seat sees it, with types."""
        return view(self.system.rules, self.game, seat)

    def asked(self, seat: str) -> list[dict[str, Any]]:
        """What is waiting for a seat."""
        return [a for a in self.sees(seat)["asked"] if a["mine"]]

    def answer(self, seat: str, index: int = 0, **fields: Any) -> list[e.Event]:
        """Do the action a seat is asked for, as its one-tap button would."""
        ask = self.asked(seat)[index]
        if ask["action"] == "enter-result":
            return self.do(seat, "enter-result", ask=ask["id"], **fields)
        return self.do(seat, ask["action"], **{**ask["args"], **fields, "_asked": ask["id"]})

    def calc(self, worksheet: str, **fields: Any) -> Any:
        from companion.engine.play.fields import Context

        return self.system.rules.worksheets[worksheet].work(fields, Context(self.game))
