"""Random play by all seats in any order: duties are never lost, never stuck, and every choice offered is taken."""

from __future__ import annotations

from typing import Any

import pytest
from harness import consents
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from systems.panzer_keil.pk_bench import RAILS, go, owners_book, put, table

from companion.engine.errors import Mistake, NotYours, Warned
from companion.engine.record import events as e
from companion.engine.record.changes import create
from companion.engine.record.game import Game, replay
from companion.systems.panzer_keil.asking import targets
from companion.systems.panzer_keil.results import RESULTS
from companion.systems.panzer_keil.retreat import _price
from companion.systems.panzer_keil.setup import counter_facts

GROUND = (
    RAILS
    + """
2039 2040 2041 2042 2140 2141 clear
2142 marsh
2040-2041 major river
2039-2038 major river
2141-2241 river
"""
)
GERMANS = {
    "ss-w-1": "2041",
    "ss-w-2": "2041",
    "302id": "1941",
    "320id": "2142",
    "68id": "2042",
    "88id": "2241",
}
SOVIETS = {
    "voronezh-1": "2040",
    "voronezh-2": "2040",
    "voronezh-3": "2040",
    "voronezh-4": "2140",
    "voronezh-5": "2039",
    "southwestern-1": "2039",
    "voronezh-hq": "2037",
}
SIDES = ("soviet", "german")
SEATS = (*SIDES, "table", "watch")
HANDS = ("done on the map", "does not apply")


class Play(RuleBasedStateMachine):
    """Anything anybody may do; what is refused changes nothing."""

    @initialize(
        crt=st.booleans(),
        upgrade=st.sampled_from(["crossers", "all"]),
        mapped=st.booleans(),
        solo=st.booleans(),
    )
    def open(self, crt: bool, upgrade: str, mapped: bool, solo: bool) -> None:
        ground = GROUND if mapped else ""
        self.t = table(owners_book(ground, crt=crt), units=False, river_upgrade=upgrade, solo=solo)
        roster = {unit.id: unit for unit in self.game.roster}
        for unit, place in {**GERMANS, **SOVIETS}.items():
            self.t.record(create(self.game, unit, place, counter_facts(self.game, roster[unit])))
        self.kept: set[str] = set()
        self.seen = len(self.t.events)
        for n, (unit, place) in enumerate({**GERMANS, **SOVIETS}.items()):
            put(self.t, unit, place, **({"attack": 2 + n % 5, "defence": 2 + n % 4} if n % 3 else {}))
        self.start = self.game.revision
        put(self.t, "ss-w-1", "2041", kind="armour", nation="german", exhausted_attack=3)
        go(self.t, "german-combat")

    @property
    def game(self) -> Game:
        return self.t.game

    def attempt(self, seat: str, action: str, **fields: Any) -> bool:
        before = len(self.t.events)
        try:
            self.t.do(seat, action, **fields)
        except Mistake:
            assert len(self.t.events) == before
            return False
        return True

    # -- acting of one's own accord

    @rule(data=st.data(), side=st.sampled_from(SIDES), die=st.integers(1, 6))
    def attack(self, data: st.DataObject, side: str, die: int) -> None:
        if self.game.ended or not (found := targets(self.game, side)):
            return
        if self.game.phase != f"{side}-combat":
            go(self.t, f"{side}-combat")
        target = data.draw(st.sampled_from(found))
        rows = {r["name"]: r for r in self.t.form(side, "resolve-combat", target=target)}
        able = [c["value"] for c in rows["attackers"]["choices"]]
        if not able:
            return
        fields: dict[str, Any] = {
            "target": target,
            "attackers": data.draw(st.lists(st.sampled_from(able), min_size=1, max_size=4, unique=True)),
        }
        for name in ("full", "defence"):
            row = next(r for r in self.t.form(side, "resolve-combat", **fields) if r["name"] == name)
            if not row["quiet"]:
                names = row["help"].partition(": ")[2]
                fields[name] = " ".join("4" * len(names.split(", ")))
        self.t.do(side, "resolve-combat", **fields, die=str(die), anyway=True)

    @rule(data=st.data(), side=st.sampled_from(SIDES), points=st.integers(1, 3))
    def shell(self, data: st.DataObject, side: str, points: int) -> None:
        if self.game.ended or not (found := targets(self.game, side)):
            return
        if self.game.phase != f"{side}-support":
            go(self.t, f"{side}-support")
        pool, more = ("german-sap", {}) if side == "german" else ("voronezh-sap", {"front": "voronezh"})
        self.t.do("table", "correct", name=pool, value="3")
        target = data.draw(st.sampled_from(found))
        self.attempt(side, "allot-support", target=target, points=points, anyway=True, **more)

    @rule(anyway=st.booleans())
    def next(self, anyway: bool) -> None:
        if not self.game.ended:
            self.attempt("table", "next-phase", anyway=anyway)

    @rule(data=st.data())
    def die(self, data: st.DataObject) -> None:
        asked = sorted({unit for duty in self.game.duties() for unit in duty.units})
        unit = data.draw(st.sampled_from(asked or ["6a-1"]))
        if unit in self.game.units:
            self.t.do("table", "place-unit", unit=unit, box="box:dead")

    @rule(unit=st.sampled_from([*GERMANS, *SOVIETS]), place=st.sampled_from(["2040", "2139", "2043", "2038"]))
    def wander(self, unit: str, place: str) -> None:
        side = self.game.units[unit].side
        if all(u.side == side for u in self.game.units_at(place)):
            self.t.do("table", "place-unit", unit=unit, hex=place)

    @rule(back=st.integers(1, 30))
    def take_back(self, back: int) -> None:
        to = self.game.revision - back
        if to > self.start and self.attempt("table", "take-back", to=to):
            for ask in consents(self.game):  # agreeing to one may take the others back, too
                self.attempt(ask.to[0], "agree", ask=ask.id, yes=True)

    # -- duties

    def live(self) -> list[e.Asked]:
        return [d for d in self.game.duties() if self.game.is_live(d) and not self.game.ended]

    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        found = [d for d in self.live() if d.action]
        if not found:
            return
        duty = data.draw(st.sampled_from(found))
        seat = data.draw(st.sampled_from(duty.to))
        ask = next(a for a in self.t.asked(seat) if a["id"] == duty.id)
        fields = self.filled(data, duty, ask)
        if duty.action in ("enter-result", "roll-support") or fields is not None:
            try:
                self.t.do(seat, duty.action, _asked=duty.id, **(fields or {}))
            except Warned:
                self.t.do(seat, duty.action, _asked=duty.id, **(fields or {}), anyway=True)

    def filled(self, data: st.DataObject, duty: e.Asked, ask: dict[str, Any]) -> dict[str, Any] | None:
        """A card filled in with what it offers, as many as it wants."""
        if duty.action == "enter-result":
            return {"result": data.draw(st.sampled_from(ask["args"]["codes"]))}
        if duty.action == "roll-support":
            return {"die": str(data.draw(st.integers(1, 6)))}
        rows = {r["name"]: r for r in ask["form"] if not (r["hidden"] or r["quiet"])}
        found: dict[str, Any] = {
            r["name"]: r["value"] for r in ask["form"] if r["quiet"] and r["value"]
        }  # sent along
        for name, row in rows.items():
            choices = [c["value"] for c in row.get("choices", ())]
            if row.get("many"):
                most = self.wanted(duty, name, len(choices))
                found[name] = data.draw(st.permutations(choices))[:most]
            elif choices:
                found[name] = data.draw(st.sampled_from(choices))
            elif row["type"] == "whole":
                found[name] = data.draw(st.integers(0, 5))
        if duty.action == "advance" and set(found["units"]) & set(self.battle(duty).facts["crossers"]):
            found.pop("to", None)  # B10.3.2
        if duty.action == "exhaust" and "units" in found:
            found["none"] = not found["units"]
        if duty.action == "place-formation":
            return None
        if duty.action == "remove-surplus":
            return None  # which of them must go depends on their size: tested on its own
        return found

    def battle(self, duty: e.Asked) -> Any:
        return self.game.battles[duty.battle]

    def wanted(self, duty: e.Asked, name: str, most: int) -> int:
        if duty.action == "lose-units":
            return RESULTS[duty.args["result"]].losses
        if name == "lost":
            return _price(self.game, duty)
        return max(1, most // 2)

    @rule(data=st.data())
    def wrong_seat(self, data: st.DataObject) -> None:
        found = [
            (d, s) for d in self.live() if self.t.rules.actions.get(d.action) for s in SEATS if s not in d.to
        ]
        if found:
            duty, seat = data.draw(st.sampled_from(found))
            if self.t.rules.find(duty.action).follow_up:
                with pytest.raises(NotYours):
                    self.t.do(seat, duty.action, _asked=duty.id)
                self.t.refold()

    @rule(data=st.data(), how=st.sampled_from(HANDS))
    def on_the_map(self, data: st.DataObject, how: str) -> None:
        found = self.live()
        if found:
            duty = data.draw(st.sampled_from(found))
            self.t.do(duty.to[0], "dismiss", ask=duty.id, how=how)

    # -- what always holds

    @invariant()
    def nothing_owed_is_lost_in_silence(self) -> None:
        if not hasattr(self, "t"):
            return
        new = self.t.events[self.seen :]
        told = {x.id: x for x in new if isinstance(x, e.Answered)}
        if not any(isinstance(x, e.Undone) for x in new):
            for name in self.kept - set(self.game.asked):
                assert name in told, f"{name} vanished"
                assert told[name].answer != "left", f"{name} lapsed"
        self.kept = {d.id for d in self.game.duties() if d.is_owed}
        self.seen = len(self.t.events)

    @invariant()
    def every_battle_waits_for_somebody_who_can_answer(self) -> None:
        if not hasattr(self, "t"):
            return
        for battle in self.game.fighting:
            assert any(self.game.is_live(d) for d in self.game.duties(battle))
        for duty in self.live():
            assert set(duty.to) & set(SIDES)
            action = self.t.rules.actions.get(duty.action)
            assert (
                action is None or action.refusal(self.game, duty.to[0], duty) is None or not action.follow_up
            )

    @invariant()
    def the_advance_is_offered_into_an_empty_hex(self) -> None:
        if hasattr(self, "t"):
            for duty in self.game.duties(action="advance"):
                battle = self.battle(duty)
                assert not any(u.side == battle.defender for u in self.game.units_at(battle.hexes[0]))

    @precondition(lambda self: hasattr(self, "t"))
    @rule()
    def screens_draw(self) -> None:
        for seat in SEATS:
            for ask in self.t.sees(seat)["asked"]:
                assert ask["text"]

    def teardown(self) -> None:
        if hasattr(self, "t"):
            again = replay(Game(self.t.kit, "winter-1943", self.t.book), self.t.events)
            assert again.dump() == self.game.dump()


TestPlay = pytest.mark.slow(Play.TestCase)
TestPlay.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)
