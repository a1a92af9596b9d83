"""Anybody does anything in any order: no duty is lost in silence, every choice that is offered can be taken."""

from __future__ import annotations

import json
from typing import Any

from harness import consents, refused
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from systems.wb95.conftest import Table

from companion.engine.errors import Mistake, NotNow, NotYours, Unreadable
from companion.engine.forms.fields import Context
from companion.engine.record import events as e

HEXES = ("3010", "2910", "3110", "3009", "3011", "3012", "2911", "3111", "3013", "2912")
SIDES = ("soviet", "german")
SEATS = (*SIDES, "table", "watch")
KINDS = (("INF", 2), ("ARM", 4), ("ART", 1), ("HQ", 1))


class Play(RuleBasedStateMachine):
    """Small positions face to face, fought over for some days."""

    t: Table

    @initialize(
        scenario=st.sampled_from(["kharkov-1942", "black-snow"]), fog=st.booleans(), reading=st.booleans()
    )
    def open(self, scenario: str, fog: bool, reading: bool) -> None:
        self.t = Table("wb95", scenario, fog=fog, **{"bought-off": reading, "attacker-tests": reading})
        for number, (side, place, kind) in enumerate(
            (
                ("soviet", "3010", "INF"),
                ("soviet", "3010", "ARM"),
                ("soviet", "3009", "ART"),
                ("soviet", "2910", "INF"),
                ("german", "3011", "INF"),
                ("german", "3011", "ART"),
                ("german", "3012", "INF"),
                ("german", "3013", "HQ"),
            )
        ):
            star = {"star": "blue"} if number in (1, 4) else {}
            self.t.unit(side, f"u{number}", place, kind=kind, a=number + 2, cel=dict(KINDS)[kind], **star)
        self.t.until("attack-a")

    # -- doing things

    def attempt(self, seat: str, action: str, **fields: Any) -> Mistake | None:
        """Do it; a mistake changes nothing, and nothing that is owed goes without a word."""
        before, owed = len(self.t.events), self.owed()
        try:
            done = self.t.do(seat, action, **fields)
        except Mistake as mistake:
            assert len(self.t.events) == before
            return mistake
        if not any(isinstance(event, e.Undone) for event in done):
            answers = {event.id: event for event in done if isinstance(event, e.Answered)}
            for duty in owed - self.owed():
                assert answers[duty].answer not in ("", "left", "no"), duty
                assert answers[duty].answer != "no longer applies" or answers[duty].text
        return None

    def owed(self) -> set[str]:
        return {a.id for a in self.t.game.duties() if a.is_owed}

    def pick(self, data: Any, items: list[Any]) -> Any:
        return data.draw(st.sampled_from(items)) if items else None

    @rule(seat=st.sampled_from(SEATS), anyway=st.booleans())
    def next(self, seat: str, anyway: bool) -> None:
        self.attempt(seat, "next-phase", anyway=anyway)

    @rule(side=st.sampled_from(SIDES), place=st.sampled_from(HEXES), kind=st.sampled_from(KINDS))
    def add(self, side: str, place: str, kind: tuple[str, int]) -> None:
        if len(self.t.game.units) < 16 and not any(u.side != side for u in self.t.game.units_at(place)):
            self.t.unit(side, f"n{len(self.t.game.units)}", place, kind=kind[0], a=4, cel=kind[1])

    @rule(data=st.data())
    def dies(self, data: Any) -> None:
        unit = self.pick(data, [u for u in self.t.game.units.values() if u.on_map])
        if unit is not None:
            self.attempt(unit.side, "lose-cel", units=unit.id, cel=4)

    @rule(data=st.data(), level=st.sampled_from([3, 7, 13]))
    def cut_off(self, data: Any, level: int) -> None:
        side = self.t.game.active
        unit = self.pick(data, [u for u in self.t.game.units.values() if u.on_map and u.side == side])
        if unit is not None:
            self.attempt(side, "set-supply", units=unit.id, now=level)
            self.attempt(side, "check-supply", out=unit.id)

    @rule(data=st.data(), missions=st.sampled_from(["attack", "support"]))
    def fly(self, data: Any, missions: str) -> None:
        place = self.pick(data, list(HEXES))
        for side in SIDES:
            self.attempt(side, "assign-air", mission_1=missions, hex_1=place, sp_1=2)

    @rule(data=st.data())
    def attack(self, data: Any) -> None:
        side = self.t.game.active
        if not self.t.game.phase.startswith("attack") or len(self.t.game.asked) > 20:
            return
        form = self.t.shown(side, "resolve-combat")
        target = self.pick(data, [c["value"] for c in form["target"].get("choices", ())])
        if target is None:
            return
        near = self.t.shown(side, "resolve-combat", target=target).get("attackers", {"choices": []})
        unit = self.pick(data, [c["value"] for c in near["choices"]])
        if unit is not None:
            wrong = self.attempt(side, "resolve-combat", target=target, attackers=unit, anyway=True)
            assert wrong is None, wrong

    @rule(data=st.data())
    def answer(self, data: Any) -> None:
        duty = self.pick(data, self.t.game.duties())
        if duty is None:
            return
        seat = self.pick(data, list(duty.to))
        if not self.t.game.is_live(duty):
            with refused(NotNow):
                self.t.do(seat, duty.action, _asked=duty.id)
            return
        filled = self.filled(data, seat, duty)
        wrong = self.attempt(seat, duty.action, _asked=duty.id, **filled)
        if wrong is not None and duty.action in ("retreat", "part"):
            wrong = self.attempt(seat, duty.action, _asked=duty.id, anyway=True, **filled)
        known = wrong is None or (
            isinstance(wrong, Unreadable) and wrong.field in ("units", "strengths", "result", "defence_sp")
        )
        assert known, (duty, filled, wrong)

    def filled(self, data: Any, seat: str, duty: e.Asked) -> dict[str, Any]:
        """Choices as the card offers them, made one after the other."""
        found: dict[str, Any] = {}
        action, ctx = self.t.rules.find(duty.action), Context(self.t.game, seat, duty=duty)
        for name in action.fields:
            rows = {row["name"]: row for row in action.describe(ctx, found)}
            choices = [c["value"] for c in rows.get(name, {}).get("choices", ())]
            if choices and not rows[name]["quiet"]:
                many = rows[name]["many"]
                found[name] = [self.pick(data, choices)] if many else self.pick(data, choices)
        if duty.action == "enter-result":
            found["result"] = "- / D1" if "Combat" in duty.text else "-1"
        if duty.action == "fall-back" and "to" not in found:
            found |= {"to": "3009", "anyway": True}
        return found

    @rule(data=st.data())
    def wrong_seat(self, data: Any) -> None:
        duty = self.pick(data, [a for a in self.t.game.duties() if len(set(a.to) & set(SIDES)) == 1])
        if duty is None:
            return
        other = next(s for s in SIDES if s not in duty.to)
        with refused(NotYours):
            self.t.do(other, duty.action, _asked=duty.id)

    @rule(data=st.data(), how=st.sampled_from(["done on the map", "does not apply"]))
    def put_away(self, data: Any, how: str) -> None:
        duty = self.pick(data, self.t.game.duties())
        if duty is not None:
            assert self.attempt(duty.to[0], "dismiss", ask=duty.id, how=how) is None or duty.binding

    @rule(back=st.integers(1, 12))
    def take_back(self, back: int) -> None:
        self.attempt("table", "take-back", to=self.t.game.revision - back)
        for ask in consents(self.t.game):
            self.attempt(ask.to[0], "agree", ask=ask.id, yes=True)

    # -- what holds

    @invariant()
    def every_duty_can_be_answered_by_somebody(self) -> None:
        if hasattr(self, "t"):
            for duty in self.t.game.duties():
                assert duty.action in self.t.rules.actions and set(duty.to) & {*SIDES, "table"}
                for seat in duty.to:
                    refusal = self.t.rules.find(duty.action).refusal(self.t.game, seat, duty)
                    assert refusal is None or not self.t.game.is_live(duty) or self.t.game.ended

    @invariant()
    def somebody_can_always_go_on(self) -> None:
        if hasattr(self, "t") and not self.t.game.ended:
            movers = self.t.rules.movers(self.t.game)
            assert any(self.t.rules.find("next-phase").refusal(self.t.game, s) is None for s in movers)

    @invariant()
    def nobody_stands_where_both_are(self) -> None:
        if hasattr(self, "t"):
            assert all(0 <= u.steps <= u.full for u in self.t.game.units.values())

    @invariant()
    def hidden_units_stay_hidden(self) -> None:
        if not hasattr(self, "t") or not self.t.game["fog"]:
            return
        for seat in SIDES:
            seen = json.dumps(self.t.sees(seat)["battles"]) + json.dumps(self.t.sees(seat)["asked"])
            for unit in self.t.game.units.values():
                if unit.side != seat and unit.on_map and unit.id not in self.t.game.laid_open:
                    below = self.t.game.units_at(unit.place)[0].id != unit.id
                    assert not below or f'"{unit.id}"' not in seen

    def teardown(self) -> None:
        if hasattr(self, "t"):
            assert json.dumps(self.t.replayed().dump()) == json.dumps(self.t.game.dump())
            for seat in SEATS:
                json.dumps(self.t.sees(seat))


TestPlay = Play.TestCase
TestPlay.settings = settings(
    max_examples=40,
    stateful_step_count=40,
    deadline=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
