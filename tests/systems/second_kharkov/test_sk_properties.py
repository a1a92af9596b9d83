"""Random play: points never fall below zero, aircraft are conserved, and a replay is the game."""

from __future__ import annotations

import json

import pytest
from harness import Bench
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from companion.engine.errors import Mistake
from companion.engine.forms.fields import Context
from companion.engine.record.game import Game, replay
from companion.engine.seat.view import view

HEXES = ("2408", "2510", "2511", "2610", "2611", "2719", "2306")
SIDES = ("soviet", "german")
SEATS = (*SIDES, "table", "watch")


class Play(RuleBasedStateMachine):
    """Anything anybody may do, in any order; mistakes are refused and change nothing."""

    @initialize(
        scenario=st.sampled_from(["historical", "alternative"]), split=st.sampled_from(["ask", "0", "3", "6"])
    )
    def open(self, scenario: str, split: str) -> None:
        self.t = Bench("second-kharkov", scenario, aircraft_turn_2=split)

    def attempt(self, seat: str, action: str, **fields: object) -> None:
        before = len(self.t.events)
        try:
            self.t.do(seat, action, **fields)
        except Mistake:
            assert len(self.t.events) == before

    @rule(seat=st.sampled_from(SEATS))
    def next(self, seat: str) -> None:
        self.attempt(seat, "next-phase")

    @rule(
        side=st.sampled_from(SIDES),
        place=st.sampled_from(HEXES),
        kind=st.sampled_from(["tank", "panzer", "rifle"]),
    )
    def add(self, side: str, place: str, kind: str) -> None:
        if len(self.t.game.units) < 12:
            self.attempt(
                "table",
                "add-unit",
                side=side,
                name=kind,
                kind=kind,
                hex=place,
                steps=4 if side == "german" else 1,
            )

    @rule(order=st.sampled_from(["move-first", "fight-first"]))
    def declare(self, order: str) -> None:
        self.attempt("german", order)

    @rule(hexes=st.lists(st.sampled_from(HEXES), max_size=3, unique=True))
    def interdict(self, hexes: list[str]) -> None:
        self.attempt("german", "interdict", hexes=hexes)

    @rule(aircraft=st.integers(0, 6))
    def aircraft(self, aircraft: int) -> None:
        self.attempt("german", "aircraft-arrive", aircraft=aircraft)

    @rule(
        attack=st.integers(0, 60), defence=st.integers(1, 12), air=st.integers(0, 2), die=st.integers(1, 6),
        place=st.sampled_from(("", *HEXES)), declared=st.booleans(),
    )  # fmt: skip
    def attack(self, attack: int, defence: int, air: int, die: int, place: str, declared: bool) -> None:
        if declared and place:
            self.attempt("table", "declare-attack", target=place, anyway=True)
        self.attempt(
            "table",
            "resolve-combat",
            attack=attack,
            defence=defence,
            air=air,
            die=die,
            target=place,
            anyway=True,
        )

    @rule(
        result=st.sampled_from(["0/1", "1/1", "1/2", "2/0", "3/4"]),
        mech=st.integers(0, 3),
        back=st.booleans(),
    )
    def follow_up(self, result: str, mech: int, back: bool) -> None:
        for ask in self.t.asked("table")[:1]:
            if ask["action"] == "enter-result":
                self.attempt("table", "enter-result", _asked=ask["id"], result=result)
                continue
            told: dict[str, dict[str, object]] = {
                "german-losses": {"mech": mech, "how": "back" if back else "stand"},
                "soviet-losses": {"how": "empty" if back else "stand"},
                "defend-by-air": {"aircraft": mech},
                "roll-combat": {"attack": 9, "defence": 3, "die": 2},
                "name-type": {"kind": "infantry"},
            }
            if ask["action"]:
                extra = told.get(ask["action"], {})
                self.attempt("table", ask["action"], **extra, _asked=ask["id"])
                if extra and ask["id"] in self.t.game.asked:
                    few = {k: v for k, v in extra.items() if k not in ("mech", "attack", "how")}
                    self.attempt("table", ask["action"], **few, _asked=ask["id"])
            if ask["id"] in self.t.game.asked:
                self.attempt("table", "dismiss", ask=ask["id"])

    @invariant()
    def points_are_never_negative(self) -> None:
        if hasattr(self, "t"):
            assert self.t.game["vp-soviet"] >= 0 and self.t.game["vp-german"] >= 0

    @invariant()
    def aircraft_are_conserved(self) -> None:
        if hasattr(self, "t"):
            counts = [self.t.game[f"air-{n}"] for n in ("free", "interdicting", "used")]
            assert min(counts) >= 0 and sum(counts) <= 6
            assert len(self.t.game.marked("interdiction")) == counts[1]

    @invariant()
    def steps_are_never_negative(self) -> None:
        if hasattr(self, "t"):
            assert all(0 <= u.steps <= u.full for u in self.t.game.units.values())

    def teardown(self) -> None:
        if hasattr(self, "t"):
            again = replay(Game(self.t.system.kit, self.t.scenario, self.t.book), self.t.events)
            assert again.dump() == self.t.game.dump()
            for seat in SEATS:
                json.dumps(view(self.t.system.rules, self.t.game, seat).to_json())
                for action in self.t.system.rules.actions.values():
                    json.dumps(action.describe(Context(self.t.game, seat), {"target": "2510", "steps": "2"}))


TestPlay = pytest.mark.slow(Play.TestCase)
TestPlay.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
