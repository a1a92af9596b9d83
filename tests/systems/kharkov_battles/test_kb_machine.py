"""Random play by all seats, from what their screens offer: no duty is lost, none is without an answer [12.0]."""

from __future__ import annotations

import json
from typing import Any

from harness import Bench
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from kb_bench import enrol, jump, table

from companion.engine.errors import Mistake, Warned
from companion.engine.record import events as e

SIDES = ("axis", "soviet")
SEATS = (*SIDES, "table", "watch")
AXIS_HEXES, SOVIET_HEXES = ("KB3010", "KB3110", "KB3012"), ("KB3011", "KB3111", "KB3009", "KB2910")
KINDS = (
    {"kind": "infantry", "strength": 5},
    {"kind": "infantry", "rating": "A"},
    {"kind": "panzer", "size": "III", "formation": "6 Pz", "rating": "B", "half": True, "band": "blue"},
    {"kind": "panzergrenadier", "size": "III", "formation": "LAH", "strength": 7, "steps": 2},
    {"kind": "breakdown regiment", "size": "III"},
    {"kind": "tank", "size": "XXX", "rating": "A", "formation": "red"},
    {"kind": "rifle", "strength": 3, "formation": "red"},
    {"kind": "hq army", "reach": 4, "formation": "red"},
)
PHASES = ("axis-combat", "soviet-combat", "axis-move")
TARGETS = ("", *SOVIET_HEXES)
SELDOM = st.integers(0, 5).map(lambda n: n == 5)


class Play(RuleBasedStateMachine):
    """Both sides fight over seven hexes, in any order, and take back what they like."""

    t: Bench

    @initialize(
        phase=st.sampled_from(["axis-combat", "soviet-combat", "axis-move"]),
        air=st.booleans(),
        physical=st.booleans(),
    )
    def open(self, phase: str, air: bool, physical: bool) -> None:
        self.t = table("operation-star", mode_chits="physical" if physical else "either")
        jump(self.t, phase, 2)
        self.t.do("table", "correct", name="weather", value="clear")
        for side in SIDES if air else ():
            self.t.do("table", "correct", name=f"air-{side}", value="2")
        self.add("axis", "KB3010", KINDS[3])
        self.add("axis", "KB3110", KINDS[2])
        self.add("soviet", "KB3011", KINDS[6])
        self.add("soviet", "KB3011", KINDS[5])
        self.open_before: dict[str, Any] = {}

    def add(self, side: str, hex_id: str, facts: dict[str, Any]) -> None:
        if len(self.t.game.units) < 14:
            enrol(self.t, side, f"U{len(self.t.game.units)}", hex=hex_id, **facts)

    def attempt(self, seat: str, action: str, **fields: Any) -> list[e.Event]:
        before = len(self.t.events)
        try:
            return self.t.do(seat, action, **fields)
        except Warned:
            return self.attempt(seat, action, **{**fields, "anyway": True}) if "anyway" not in fields else []
        except Mistake:
            assert len(self.t.events) == before
            return []

    # -- what anybody does ---------------------------------------------------------------------------------

    @rule(side=st.sampled_from(SIDES), at=st.integers(0, 3), what=st.sampled_from(KINDS))
    def reinforce(self, side: str, at: int, what: dict[str, Any]) -> None:
        hexes = AXIS_HEXES if side == "axis" else SOVIET_HEXES
        self.add(side, hexes[at % len(hexes)], what)

    @rule(data=st.data())
    def designate(self, data: st.DataObject) -> None:
        active = self.t.game.active
        if active and self.t.game.phase.endswith("combat"):
            targets = SOVIET_HEXES if active == "axis" else AXIS_HEXES
            target = data.draw(st.sampled_from(targets))
            form = self.t.form(active, "declare-assault", target=target)
            near = [c["value"] for row in form if row["name"] == "attackers" for c in row["choices"]]
            chosen = data.draw(st.lists(st.sampled_from(near), unique=True, max_size=3)) if near else []
            if near and not chosen:
                return
            also = data.draw(st.sampled_from(["", *targets]))
            self.attempt(active, "declare-assault", target=target, attackers=chosen, also=also)

    @rule(data=st.data())
    def assault_or_overrun(self, data: st.DataObject) -> None:
        active = self.t.game.active
        if active and self.t.game.phase.endswith("move"):
            target = data.draw(st.sampled_from(SOVIET_HEXES if active == "axis" else AXIS_HEXES))
            form = self.t.form(active, "declare-mobile", target=target)
            able = [c["value"] for row in form if row["name"] == "unit" for c in row["choices"]]
            if able:
                self.attempt(active, "declare-mobile", target=target, unit=data.draw(st.sampled_from(able)))

    @rule(
        attack=st.integers(1, 40),
        defence=st.integers(1, 12),
        die=st.integers(0, 9),
        at=st.sampled_from(("", *SOVIET_HEXES)),
    )
    def direct(self, attack: int, defence: int, die: int, at: str) -> None:
        if self.t.game.phase == "axis-combat":
            fields = {"attack": attack, "defence": defence, "target": at}
            if not self.attempt("axis", "resolve-assault", **fields, die=str(die)):
                self.attempt("axis", "resolve-assault", **fields)

    @rule(data=st.data(), times=st.integers(2, 8))
    def answer(self, data: st.DataObject, times: int) -> None:
        """Answer live duties by what their cards offer: every offered choice is accepted."""
        for _ in range(times):
            self.one_answer(data)
            self.no_owed_duty_is_lost()

    def one_answer(self, data: st.DataObject) -> None:
        seat = data.draw(st.sampled_from((*SIDES, "table")))
        live = [a for a in self.t.asked(seat) if a["live"] and not a["consent"] and a["action"]]
        if not live:
            return
        ask = data.draw(st.sampled_from(live))
        action = self.t.rules.find(ask["action"])
        fields: dict[str, Any] = (
            {"_asked": ask["id"], "anyway": True} if "anyway" in action.fields else {"_asked": ask["id"]}
        )
        if action.worksheet is not None or ask["action"] == "enter-result":
            self.roll(seat, ask, fields, data)
            return
        for row in ask["form"]:
            choice = self.choose(row, data)
            if choice is not None:
                fields[row["name"]] = choice
        try:
            self.t.do(seat, ask["action"], **fields)
        except Mistake as mistake:  # only what the form itself cannot say: how many of many, or a typed hex
            many = {row["name"] for row in ask["form"] if row.get("many")}
            assert mistake.field in many | {"hex", "total", "anyway"}, (ask, fields, mistake)

    def choose(self, row: dict[str, Any], data: st.DataObject) -> Any:
        if row["hidden"]:
            return None
        if row["type"] in ("choice", "unit") and row.get("choices"):
            values = [c["value"] for c in row["choices"]]
            if row.get("many"):
                return data.draw(st.lists(st.sampled_from(values), min_size=1, unique=True, max_size=3))
            return data.draw(st.sampled_from(values))
        if row["type"] == "whole":
            return data.draw(st.integers(max(1, row["min"]), min(9, row["max"])))
        if row["type"] == "flag":
            return data.draw(st.booleans())
        if row["type"] == "dice":
            return " ".join(str(data.draw(st.integers(0, 9))) for _ in range(row.get("count", 1)))
        return None

    def roll(self, seat: str, ask: dict[str, Any], fields: dict[str, Any], data: st.DataObject) -> None:
        if ask["action"] == "enter-result":
            codes = (
                ("D(1)r2", "Ar1", "NE") if self.t.game.phase.endswith("combat") else ("Dr3", "AD", "D(1)r3")
            )
            self.attempt(seat, "enter-result", **fields, result=data.draw(st.sampled_from(codes)))
            return
        typed = {n: data.draw(st.integers(1, 20)) for n in ("attack", "defence")}
        die = str(data.draw(st.integers(0, 9)))
        told = self.t.game.battles[self.t.game.asked[ask["id"]].battle].facts.get("form", {})
        own = {n: v for n, v in typed.items() if n not in told}
        fields.pop("anyway", None)
        if not self.attempt(seat, ask["action"], **fields, **own, die=die):
            assert self.attempt(seat, ask["action"], **fields, **own), (
                ask,
                own,
            )  # the odds settle it: no die

    @rule(
        seat=st.sampled_from(SIDES),
        pick=st.integers(0, 9),
        how=st.sampled_from(["done on the map", "does not apply"]),
    )
    def put_away(self, seat: str, pick: int, how: str) -> None:
        if (pick + len(how)) % 3:
            return  # seldom
        live = [a for a in self.t.asked(seat) if a["live"] and not a["consent"]]
        if live:
            self.attempt(seat, "dismiss", ask=live[pick % len(live)]["id"], how=how)
            self.t.agree()

    @rule(pick=st.integers(0, 20), dead=st.booleans(), seldom=SELDOM)
    def by_hand(self, pick: int, dead: bool, seldom: bool) -> None:
        """A counter dies, or is moved, without a word."""
        if not seldom:
            return
        here = [u.id for u in self.t.game.units.values() if u.on_map]
        if here:
            where = {"box": "box:dead"} if dead else {"hex": "KB3020"}
            self.attempt("table", "place-unit", unit=here[pick % len(here)], **where)

    @rule(seldom=SELDOM)
    def next(self, seldom: bool) -> None:
        if seldom:
            self.t.next()

    @rule(back=st.integers(1, 12))
    def take_back(self, back: int) -> None:
        if self.t.game.revision - back > 40:
            self.attempt("table", "take-back", to=self.t.game.revision - back)
            self.t.agree()
            self.open_before = {}

    # -- what always holds ---------------------------------------------------------------------------------

    @invariant()
    def every_live_duty_can_be_answered_by_its_seats_and_by_nobody_else(self) -> None:
        game = self.t.game
        for duty in game.duties():
            action = self.t.rules.actions.get(duty.action)
            assert duty.to and set(duty.to) <= {*SIDES, "table"}
            if action is None or action.follow_up is None:
                continue
            for seat in SEATS:
                refused = action.refusal(game, seat, duty) is not None
                assert refused == (seat not in duty.to or not game.is_live(duty)), (duty, seat)

    @invariant()
    def every_battle_in_progress_has_something_live(self) -> None:
        game = self.t.game
        for battle in game.fighting:
            assert any(game.is_live(d) for d in game.duties(battle)), battle

    @invariant()
    def no_owed_duty_is_lost(self) -> None:
        """What was owed is still open, or the record says what became of it."""
        game = self.t.game
        closed = {x.id: x for x in self.t.events if isinstance(x, e.Answered)}
        for name, duty in self.open_before.items():
            if name not in game.asked:
                assert closed[name].answer, duty
                if closed[name].answer == "no longer applies":
                    assert closed[name].text
        self.open_before = {d.id: d for d in game.duties() if d.is_owed}

    @invariant()
    def everybody_can_look_and_nobody_sees_anothers_chits(self) -> None:
        for seat in SEATS:
            seen = self.t.sees(seat)
            json.dumps(seen)
            for unit in seen["units"]:
                assert unit["side"] == seat or not {"chit", "chit-number"} & set(unit.get("marks", {}))

    def teardown(self) -> None:
        if hasattr(self, "t"):
            assert json.loads(json.dumps(self.t.replayed().dump())) == json.loads(
                json.dumps(self.t.game.dump())
            )


TestPlay = Play.TestCase
TestPlay.settings = settings(
    max_examples=25,
    stateful_step_count=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
