"""Random legal play by all seats in any order: what is owed is never lost, and what is offered is accepted."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from systems.second_kharkov.conftest import Kharkov, invented_book

from companion.engine.errors import Mistake, NotYours, StillOwed, Warned
from companion.engine.forms.fields import Context
from companion.engine.play.duties import DONE, LEFT, NO, NOT_NEEDED
from companion.engine.record import events as e

SIDES = ("soviet", "german")
SEATS = (*SIDES, "table")
RING = ("2510", "2509", "2610", "2611", "2511", "2410", "2411")
FORCES = (
    ("3 Pz", "german", "2510", "6th Army", "panzer", {"af": 8, "df": 6}),
    ("44", "german", "2510", "6th Army", "", {}),
    ("100 J", "german", "2511", "17th Army", "", {}),
    ("RD", "soviet", "2610", "", "rifle", {}),
    ("TB", "soviet", "2610", "", "tank", {}),
    ("CD", "soviet", "2611", "", "cavalry", {"af": 3, "df": 2}),
    ("MIB", "soviet", "2509", "", "motorised", {}),
)
RESULTS = ("0/1", "1/1", "1/2", "2/3", "", "2/0")
SAID = (DONE, NOT_NEEDED, NO, LEFT, "no longer applies", "all are here")


class Play(RuleBasedStateMachine):
    """Whoever is asked answers with what his own card offers; others try to, phases end early, units die."""

    @initialize(
        scenario=st.sampled_from(["historical", "alternative"]),
        result=st.sampled_from(RESULTS),
        fog=st.booleans(),
        turn=st.integers(2, 8),
        phase=st.sampled_from(["soviet-combat", "german-combat"]),
        air=st.integers(0, 2),
        reading=st.sampled_from(["one", "many"]),
    )
    def open(
        self, scenario: str, result: str, fog: bool, turn: int, phase: str, air: int, reading: str
    ) -> None:
        book = invented_book(
            result, (("terrain", "2410", "", "marsh"), ("side", "2510", "2610", "minor river"))
        )
        self.t = Kharkov("second-kharkov", scenario, book, fog=fog, air_per_battle=reading)
        for name, side, place, army, kind, factors in FORCES:
            self.t.enter(name, side, place, army=army, kind=kind, **factors)
        self.t.do("table", "go-to", turn=turn, phase=phase)
        self.t.do("table", "correct", name="air-free", value=air)
        self.deeds: list[int] = []

    # -- what is done, and what must hold of every deed

    def attempt(self, seat: str, action: str, **fields: Any) -> Mistake | None:
        """Do it; what was owed is answered, withdrawn in words, or still owed."""
        owed = {d.id for d in self.t.game.duties() if d.is_owed}
        before, dump = len(self.t.events), self.t.game.dump()
        try:
            done = self.t.do(seat, action, **fields)
        except Mistake as mistake:
            assert len(self.t.events) == before and self.t.game.dump() == dump
            return mistake
        self.deeds.append(before)
        if not any(isinstance(event, e.Undone) for event in done):
            answered = {event.id: event for event in done if isinstance(event, e.Answered)}
            for lost in owed - set(self.t.game.asked):
                assert lost in answered, f"{lost} is gone without a word after {action}"
                labels = {a.label for a in self.t.rules.actions.values()}
                assert answered[lost].answer in {*SAID, *labels}, answered[lost]
        return None

    def live(self, seat: str) -> list[Any]:
        return [d for d in self.t.view(seat).asked if d.mine and d.live and not d.consent]

    def filled(self, seat: str, duty: Any, data: Any) -> dict[str, Any]:
        """A card filled in with what it offers."""
        ask = self.t.game.asked[duty.id]
        rows = self.t.rules.find(duty.action).describe(Context(self.t.game, seat, duty=ask), {})
        fields: dict[str, Any] = {"_asked": duty.id}
        for row in rows:
            if row["hidden"] or row["type"] == "dice":
                continue
            if row.get("choices"):
                values = [c["value"] for c in row["choices"]]
                if row.get("many"):
                    most = len(values)
                    fields[row["name"]] = data.draw(
                        st.lists(st.sampled_from(values), max_size=most, unique=True)
                    )
                elif row["required"] or data.draw(st.booleans()):
                    fields[row["name"]] = data.draw(st.sampled_from(values))
            elif row["type"] == "whole":
                fields[row["name"]] = data.draw(st.integers(row["min"], min(row["max"], row["min"] + 2)))
            elif row["required"] and row["type"] == "text":
                fields[row["name"]] = "0/1" if row["name"] == "result" else row["placeholder"].split(",")[0]
            elif row["type"] == "hex" and row.get("many"):
                fields[row["name"]] = data.draw(st.sampled_from(["2711", "2710", "2612"]))
        return fields

    @rule(seat=st.sampled_from(SEATS), data=st.data())
    def answer(self, seat: str, data: Any) -> None:
        """Every choice that a card of one choice offers is accepted."""
        duties = self.live(seat)
        if not duties or self.t.game.ended:
            return
        duty = data.draw(st.sampled_from(duties))
        if not duty.action:
            self.attempt(seat, "dismiss", ask=duty.id)
            return
        fields = self.filled(seat, duty, data)
        refusal = self.attempt(seat, duty.action, **fields)
        if refusal is None or duty.action == "exploit":  # whose hexes are typed
            return
        chips = next((row["choices"] for row in duty.form if row.get("many")), [])
        chosen = [[c["value"] for c in few] for n in range(len(chips) + 1) for few in combinations(chips, n)]
        accepted = chips and any(
            self.attempt(seat, duty.action, **{**fields, "units": units}) is None for units in chosen
        )
        assert accepted, f"{duty.action} {fields}: {refusal}"

    @rule(data=st.data())
    def answer_for_another(self, data: Any) -> None:
        """Nobody answers for the other side, nor out of order."""
        for duty in self.t.game.duties():
            action = self.t.rules.actions.get(duty.action)
            if action is None or action.follow_up is None:
                continue
            for seat in (*SIDES, "watch"):
                if seat not in duty.to:
                    assert isinstance(self.attempt(seat, duty.action, _asked=duty.id), NotYours)
            if not self.t.game.is_live(duty):
                assert self.attempt(duty.to[0], duty.action, _asked=duty.id) is not None

    @rule(place=st.sampled_from(RING), quick=st.booleans(), anyway=st.booleans(), data=st.data())
    def attack(self, place: str, quick: bool, anyway: bool, data: Any) -> None:
        seat = self.t.game.active
        if self.t.game.phase not in ("soviet-combat", "german-combat"):
            return
        near = self.t.game.maps.neighbours(place)
        able = [u.id for u in self.t.game.units.values() if u.side == seat and u.place in near]
        force = data.draw(st.lists(st.sampled_from(able), unique=True)) if able else []
        fields: dict[str, Any] = {"target": place, "attackers": force, "anyway": anyway}
        if quick and not force:
            fields["attack"] = 12
        if quick and not self.t.game.units_at(place):
            fields["defence"] = 5
        opened = self.t.game.laid_open
        refusal = self.attempt(seat, "resolve-combat" if quick else "declare-attack", **fields)
        if isinstance(refusal, Warned):
            assert self.t.game.laid_open == opened, "a warning comes before any stack is opened"

    @rule(seat=st.sampled_from(SEATS), anyway=st.booleans())
    def end_phase(self, seat: str, anyway: bool) -> None:
        owed = self.t.rules.owed(self.t.game, seat)
        refusal = self.attempt(seat, "next-phase", anyway=anyway)
        assert not isinstance(refusal, StillOwed) or (owed and not anyway)

    @rule(data=st.data(), box=st.booleans())
    def touched_by_hand(self, data: Any, box: bool) -> None:
        """A unit dies or moves by hand, whatever is open."""
        units = sorted(self.t.game.units)
        unit = self.t.game.units[data.draw(st.sampled_from(units))]
        where = {"box": "box:dead"} if box else {"hex": data.draw(st.sampled_from(RING))}
        self.attempt(unit.side, "place-unit", unit=unit.id, **where)

    @rule(data=st.data())
    def put_away(self, data: Any) -> None:
        duties = [d for d in self.t.game.duties() if d.to]
        if duties:
            duty = data.draw(st.sampled_from(duties))
            how = data.draw(st.sampled_from([DONE, NOT_NEEDED] if duty.is_owed else [NO]))
            seat = data.draw(st.sampled_from(duty.to))
            self.attempt(seat, "dismiss", ask=duty.id, how=how)
            if duty.binding and how == NOT_NEEDED:
                assert duty.id in self.t.game.asked, "the other side is asked first"

    @precondition(lambda self: any(a.is_consent for a in self.t.game.asked.values()))
    @rule(yes=st.booleans())
    def agree(self, yes: bool) -> None:
        ask = next(a for a in self.t.game.asked.values() if a.is_consent)
        self.attempt(ask.to[0], "agree", ask=ask.id, yes=yes)

    @rule(seat=st.sampled_from(SIDES), deeds=st.integers(1, 3))
    def take_back(self, seat: str, deeds: int) -> None:
        """To before one of the last deeds; past a roll or an opened stack the other side is asked."""
        if self.deeds:
            back = self.deeds[-min(deeds, len(self.deeds))]
            refusal = self.attempt(seat, "take-back", to=back)
            assert refusal is not None or self.t.game.last_chance <= back or self.asks_to_take_back()

    def asks_to_take_back(self) -> bool:
        return any(a.by == "take-back" for a in self.t.game.asked.values())

    # -- what always holds

    @invariant()
    def every_duty_can_be_answered(self) -> None:
        game = self.t.game
        for duty in game.duties():
            assert set(duty.to) & set(SEATS), duty
            assert not duty.action or duty.action in self.t.rules.actions
        for battle in game.battles.values():
            open_duties = game.duties(battle)
            assert not open_duties or any(game.is_live(d) for d in open_duties)

    @invariant()
    def a_battle_without_duties_has_come_to_something(self) -> None:
        for battle in self.t.game.battles.values():
            assert self.t.game.duties(battle) or battle.result or battle.rolls, battle.title

    @invariant()
    def aircraft_are_conserved(self) -> None:
        counts = [self.t.game[f"air-{n}"] for n in ("free", "interdicting", "used")]
        assert min(counts) >= 0 and sum(counts) <= 6

    @invariant()
    def counters_are_as_printed(self) -> None:
        for unit in self.t.game.units.values():
            assert (
                0
                <= unit.steps
                <= unit.full
                == {"soviet": 1, "german": 2 if unit.name == "100 J" else 4}[unit.side]
            )

    def teardown(self) -> None:
        if hasattr(self, "t"):
            self.t.refold()
            assert json.dumps(self.t.replayed().dump()) == json.dumps(self.t.game.dump())
            for seat in (*SEATS, "watch"):
                self.t.sees(seat)
            if not self.t.game.ended:
                self.t.next()


TestPlay = pytest.mark.slow(Play.TestCase)
TestPlay.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
