"""A unit's states: every trigger with its rule, and a machine that plays them at random at a table."""

from __future__ import annotations

import pytest
from harness import refused
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from systems.panzer_keil.pk_bench import go, mark, put, table

from companion.engine.errors import Mistake, NotNow, Warned
from companion.systems.panzer_keil import states
from companion.systems.panzer_keil.condition import can_mech_move
from companion.systems.panzer_keil.states import Nature, State, nature_of, state_of

PANZER, FOOT, SIXTH = Nature(True), Nature(False), Nature(True, sixth=True)
OK, TIRED = State(), State(exhausted=True)


@pytest.mark.parametrize(
    ("before", "trigger", "nature", "after"),
    [
        (OK, states.forced_march, PANZER, TIRED),  # 8.3
        (OK, states.one_hex, PANZER, TIRED),  # 8.5.3
        (OK, states.one_hex, FOOT, OK),  # 8.5.3: mechanized units only
        (TIRED, states.one_hex, PANZER, TIRED),
        (OK, states.attack, PANZER, TIRED),  # 9.9
        (OK, states.attack, FOOT, OK),  # 2.2.1(7)
        (OK, states.attack, Nature(mechanized=None), OK),  # asked for, never taken as mechanized
        (OK, states.one_hex, Nature(mechanized=None), OK),
        (TIRED, states.attack, PANZER, TIRED),  # 9.9: no further effect
        (TIRED, states.supply_point, PANZER, OK),  # B6.3.4
        (OK, states.hit, PANZER, State(disruption="d")),  # 5.3.1
        (State(disruption="d"), states.hit, PANZER, State(disruption="d")),  # 5.3.3
        (State(disruption="ad"), states.hit, PANZER, State(disruption="ad")),  # 5.3.3
        (OK, states.repulsed, PANZER, State(disruption="ad")),  # 9.6
        (State(disruption="ad"), states.recover, PANZER, State(disruption="d")),  # 11.1
        (State(disruption="d"), states.recover, PANZER, OK),  # 11.1
        (
            State(disruption="d", supplied=False),
            states.recover,
            PANZER,
            State(disruption="d", supplied=False),
        ),
        (
            State(disruption="ad", supplied=False),
            states.recover,
            PANZER,
            State(disruption="ad", supplied=False),
        ),
        (State(disruption="d"), states.recover, SIXTH, OK),  # B13.1.2
        (State(disruption="d", supplied=False), states.recover, SIXTH, State(supplied=False)),  # B13.1.2
        (OK, states.lose_supply, PANZER, State(supplied=False)),  # 6.1.6
        (OK, states.lose_supply, SIXTH, OK),  # B13.1.1
        (State(supplied=False), states.find_supply, PANZER, OK),
        (OK, states.river_retreat, PANZER, State(disruption="d")),  # B10.3.3
        (State(disruption="d"), states.river_retreat, PANZER, State(disruption="d")),  # B10.3.3, 5.3.3
        (State(disruption="d"), states.river_rout, PANZER, State(disruption="d", gone=True)),  # B10.3.3
    ],
)
def test_transition(before: State, trigger: states.Trigger, nature: Nature, after: State) -> None:
    assert trigger(before, nature) == after


@pytest.mark.parametrize(
    ("before", "trigger", "nature", "rule_number"),
    [
        (OK, states.forced_march, FOOT, "8.3.1"),
        (TIRED, states.forced_march, PANZER, "8.3.1"),
        (OK, states.supply_point, PANZER, "B6.3"),
    ],
)
def test_refusal(before: State, trigger: states.Trigger, nature: Nature, rule_number: str) -> None:
    with refused(NotNow, rule=rule_number, field="units"):
        trigger(before, nature)


@pytest.mark.parametrize(
    ("before", "trigger", "rule_number"),
    [
        (State(supplied=False), states.forced_march, "6.2, 8.3.1"),
        (State(disruption="d"), states.forced_march, "8.3.1"),
        (State(disruption="ad"), states.one_hex, "8.5.1"),
        (State(exhausted=True, supplied=False), states.supply_point, "6.3.1, B6.3.3"),
        (State(exhausted=True, disruption="d"), states.supply_point, "6.3.2, B6.3.3"),
    ],
)
def test_objection(before: State, trigger: states.Trigger, rule_number: str) -> None:
    """Said first; the markers on the map may know better."""
    assert [fault.rule for fault in states.objections(trigger, before, PANZER)] == [rule_number]
    assert not states.objections(trigger, OK, PANZER)


def test_turning_the_marker_may_do_without_supply_by_a_reading() -> None:
    cut = State(disruption="ad", supplied=False)
    assert states.recover(cut, Nature(turn_needs_supply=False)).disruption == "d"


def test_attacker_disrupted_takes_two_recoveries() -> None:
    """Timing: AD in the own combat phase clears a turn later (11.1)."""
    t = table()
    put(t, "ss-w-1", "1440", kind="armour")
    mark(t, "ss-w-1", "disrupted", "ad")
    go(t, "german-recovery", 1)
    t.do("german", "recover")
    assert t.game.mark("ss-w-1", "disrupted") == "d"
    go(t, "german-recovery", 2)
    t.do("german", "recover")
    assert t.game.mark("ss-w-1", "disrupted") is None


def test_recovery_leaves_the_other_side_alone() -> None:
    t = table()
    put(t, "ss-w-1", "1440")
    put(t, "voronezh-1", "1420")
    mark(t, "ss-w-1", "disrupted", "d")
    mark(t, "voronezh-1", "disrupted", "d")
    go(t, "soviet-recovery")
    t.do("soviet", "recover")
    assert t.game.mark("ss-w-1", "disrupted") == "d"
    assert t.game.mark("voronezh-1", "disrupted") is None


@pytest.mark.parametrize(
    ("unit", "kind", "marks", "may"),
    [
        ("ss-w-1", "armour", {}, True),
        ("ss-w-1", "motorized infantry", {}, True),
        ("ss-w-1", "infantry", {}, False),
        ("ss-w-1", "armour", {"exhausted": "on"}, False),  # 10.1(1)
        ("ss-w-1", "armour", {"oos": "on"}, False),  # 10.1(2)
        ("ss-w-1", "armour", {"disrupted": "d"}, False),  # 10.1(3)
        ("1tkd", "armour", {}, False),  # B12.1
        ("voronezh-1", "armour", {}, False),  # B12.2
    ],
)
def test_mechanized_movement(unit: str, kind: str, marks: dict[str, str], may: bool) -> None:
    t = table()
    put(t, unit, "1440", kind=kind)
    for marker, value in marks.items():
        mark(t, unit, marker, value)
    assert can_mech_move(t.game, t.game.units[unit]) is may
    go(t, "german-mech")
    shown = [p for p in t.sees("german")["panels"] if p["title"] == "May move again"]
    assert bool(shown) is may


class UnitLife(RuleBasedStateMachine):
    """Random triggers on three German units, each checked against the pure machine and against replay."""

    UNITS = ("ss-w-1", "302id", "6a-1")

    @initialize()
    def start(self) -> None:
        self.t = table()
        put(self.t, "ss-w-1", "1440", kind="armour")
        put(self.t, "302id", "1438", kind="infantry")
        put(self.t, "6a-1", "1703", kind="armour")
        self.model = {u: State() for u in self.UNITS}

    def nature(self, unit: str) -> Nature:
        return nature_of(self.t.game, self.t.game.units[unit])

    def pull(self, unit: str, trigger: states.Trigger, phase: str, action: str, **fields: object) -> None:
        go(self.t, phase)
        try:
            expected = trigger(self.model[unit], self.nature(unit))
        except NotNow:
            with pytest.raises(Mistake):
                self.t.do("german", action, **fields)
            return
        if states.objections(trigger, self.model[unit], self.nature(unit)):
            with pytest.raises(Warned):
                self.t.do("german", action, **fields)
            fields["anyway"] = True
        self.t.do("german", action, **fields)
        self.model[unit] = expected

    units = st.sampled_from(UNITS)

    @rule(unit=units)
    def march(self, unit: str) -> None:
        self.pull(unit, states.forced_march, "german-move", "forced-march", units=[unit])

    @rule(unit=units)
    def crawl(self, unit: str) -> None:
        self.pull(unit, states.one_hex, "german-move", "one-hex-move", units=[unit])

    @rule(unit=units)
    def refit(self, unit: str) -> None:
        go(self.t, "german-supply")
        self.t.do("table", "correct", name="german-sp", value="5")
        self.pull(unit, states.supply_point, "german-supply", "spend-supply", units=[unit])

    @rule(unit=units)
    def rest(self, unit: str) -> None:
        if self.model[unit].disruption:
            go(self.t, "german-supply", self.t.game.turn % 29 + 1)  # one recovery phase a turn [11.1]
            self.pull(unit, states.rally, "german-recovery", "recover-some", units=[unit])

    @rule(out=st.sets(st.sampled_from(("ss-w-1", "302id"))))
    def supply(self, out: set[str]) -> None:
        go(self.t, "german-supply")
        self.t.do("german", "mark-supply", out=sorted(out))
        for unit in self.UNITS:
            trigger = states.lose_supply if unit in out else states.find_supply
            self.model[unit] = trigger(self.model[unit], self.nature(unit))

    @rule(unit=units, result=st.sampled_from(("d", "ad")))
    @precondition(lambda self: True)
    def shake(self, unit: str, result: str) -> None:
        if not self.model[unit].disruption:
            mark(self.t, unit, "disrupted", result)
            self.model[unit] = (states.hit if result == "d" else states.repulsed)(
                self.model[unit], self.nature(unit)
            )

    @invariant()
    def agrees(self) -> None:
        if hasattr(self, "t"):
            for unit in self.UNITS:
                assert state_of(self.t.game, self.t.game.units[unit]) == self.model[unit]
            assert self.model["6a-1"].supplied
            assert not self.model["302id"].exhausted

    def teardown(self) -> None:
        if hasattr(self, "t"):
            before = self.t.game.dump()
            self.t.refold()
            assert self.t.game.dump() == before


TestUnitLife = UnitLife.TestCase
TestUnitLife.settings = settings(max_examples=12, stateful_step_count=15, deadline=None)
