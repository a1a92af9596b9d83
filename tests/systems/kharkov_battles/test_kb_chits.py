"""Strength chits [2.6, 2.7]: drawn, kept, turned, returned, never lost."""

import contextlib

import pytest
from harness import refused
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from kb_bench import (
    answer,
    chit_sheet,
    designate,
    duties,
    enrol,
    jump,
    synthetic_book,
    table,
    total,
)

from companion.engine.errors import Mistake, NotNow, NotYours, Unreadable
from companion.systems.kharkov_battles import chits
from companion.systems.kharkov_battles.units import is_cadre, rating, steps_left


def with_unit(**options):
    t = table("operation-star", **options)
    jump(t, "axis-combat", 1)
    unit = enrol(t, "axis", "6 Pz 4", "panzer", "KB3010", size="III", formation="6 Pz", rating="A", half=True)
    return t, unit


def state(t, unit):
    held = t.game.units[unit]
    chit = t.game.mark(unit, "chit") or ""
    return chit, len(t.game.piles["chits"][f"at:{unit}"]), is_cadre(t.game, held), held.place


def test_the_cup_is_filled_from_the_owners_sheet():
    t, _ = with_unit()
    assert t.game.piles["chits"]["pool"] == sorted(chit_sheet())


def test_the_life_of_a_unit_with_a_combat_rating():
    t, unit = with_unit()
    t.do("axis", "draw-chits", units=[unit])
    assert state(t, unit) == ("full", 1, False, "KB3010")
    t.do("axis", "lose-steps", unit=unit)
    assert state(t, unit) == ("reduced", 1, False, "KB3010")
    t.do("axis", "lose-steps", unit=unit)
    assert state(t, unit) == ("", 0, True, "KB3010")
    t.do("axis", "lose-steps", unit=unit)
    assert state(t, unit) == ("", 0, False, "box:dead")
    assert len(t.game.piles["chits"]["pool"]) == 12


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (1, ("reduced", 1, False, "KB3010")),  # drawn and turned at once
        (2, ("", 0, True, "KB3010")),  # no value needed
        (3, ("", 0, False, "box:dead")),
    ],
)
def test_a_fresh_unit_loses_steps(steps, expected):
    t, unit = with_unit()
    t.do("axis", "lose-steps", unit=unit, steps=steps)
    assert state(t, unit) == expected


def test_replacements_and_breakdown_return_the_chit():
    t, unit = with_unit()
    t.do("axis", "lose-steps", unit=unit)
    jump(t, "reinforcement", 6)
    t.do("table", "correct", name="rp-axis-mech", value="8")
    t.do("axis", "replace", side="axis", what="reduced", unit=unit)
    assert state(t, unit) == ("", 0, False, "KB3010")
    assert t.game.mark(unit, "repl") and t.game["rp-axis-mech"] == 7
    foot = enrol(t, "axis", "320 Inf", "infantry", "KB3010", rating="B")
    t.do("axis", "draw-chits", units=[foot])
    jump(t, "maintenance", 6)
    t.do("axis", "break-down", unit=foot)
    assert state(t, foot) == ("", 0, False, "box:breakdown")
    assert len(t.game.piles["chits"]["pool"]) == 12
    assert [u.kind for u in t.game.units_at("KB3010")].count("breakdown regiment") == 3


def test_the_value_is_the_letters_number_on_the_right_side():
    t, unit = with_unit()
    t.do("axis", "draw-chits", units=[unit])
    token = t.game.piles["chits"][f"at:{unit}"][0]
    number = int(token[1:])
    assert chits.value(t.game, t.game.units[unit]) == number + 3
    t.do("axis", "lose-steps", unit=unit)
    assert chits.value(t.game, t.game.units[unit]) == number + 1


def test_two_step_and_one_step_units_never_hold_one():
    t, _ = with_unit()
    guards = enrol(t, "soviet", "13 Gds", "rifle", "KB3015", steps=2, guards=True, strength=4)
    rifle = enrol(t, "soviet", "6 Rifle", "rifle", "KB3016", strength=2)
    with refused(Unreadable, field="units", given="soviet-13-gds"):
        t.do("soviet", "draw-chits", units=[guards])
    t.do("soviet", "lose-steps", unit=guards)
    assert state(t, guards) == ("", 0, True, "KB3015")
    t.do("soviet", "lose-steps", unit=guards)
    t.do("soviet", "lose-steps", unit=rifle)
    assert (t.game.units[guards].place, t.game.units[rifle].place) == ("box:dead", "box:pool")


def begun(**options):
    """An attack of one rated unit, begun: its strength is asked for now."""
    t, unit = with_unit(**options)
    enrol(t, "soviet", "6 Rifle", "rifle", "KB3011", strength=3)
    designate(t, "KB3011", unit)
    answer(t, "axis", "begin-assault")
    return t, unit


def test_real_chits_are_told_by_their_owner_and_kept():
    """2.6: the number under one's own counter is asked for, in secret; halving is then the companion's."""
    t, unit = begun(mode_chits="physical")
    t.do("table", "mark", marker="supply", units=[unit], value="oos")
    assert {a["action"] for a in duties(t, "axis")} == {"tell-strength", "announce-strength"}
    assert {a["action"] for a in duties(t, "table")} == {"announce-strength"}
    answer(t, "axis", "tell-strength", strength=9)
    assert total(t, "attack") == 4  # halved once: OOS
    assert t.game.mark(unit, "chit") == "full" and len(t.game.piles["chits"]["pool"]) == 12
    for seat in ("soviet", "table", "watch"):
        assert "chit-number" not in next(u for u in t.sees(seat)["units"] if u["id"] == unit)["marks"]
    t.do("axis", "lose-steps", unit=unit)  # the other side of the chit has another number
    assert chits.value(t.game, t.game.units[unit]) is None


def test_real_chits_may_be_totalled_by_hand():
    t, unit = begun(mode_chits="physical")
    with refused(NotNow, rule="12.0", field="total"):
        answer(t, "axis", "announce-strength")
    answer(t, "axis", "announce-strength", total=17)
    assert total(t, "attack") == 17
    assert t.game.mark(unit, "chit") == "full" and not duties(t, "axis", "tell-strength")


@pytest.mark.parametrize("sheet", [{}, {"c1": {"full": "A5", "reduced": "A3", "pool": "both"}}])
def test_an_empty_cup_stops_nobody(sheet):
    """2.6: the unit's strength is asked of its owner; its losses are taken without a chit."""
    t = table("operation-star", synthetic_book(chits=sheet), mode_chits="digital")
    jump(t, "axis-combat", 1)
    if sheet:  # the only chit lies under somebody else
        t.do(
            "soviet",
            "draw-chits",
            units=[enrol(t, "soviet", "far", "tank", "KB3520", size="XXX", rating="A")],
        )
    unit = enrol(t, "axis", "6 Pz 4", "panzer", "KB3010", size="III", formation="6 Pz", rating="A", half=True)
    enrol(t, "soviet", "6 Rifle", "rifle", "KB3011", strength=3)
    designate(t, "KB3011", unit)
    answer(t, "axis", "begin-assault")
    answer(t, "axis", "tell-strength", strength=7)
    assert total(t, "attack") == 7
    answer(t, "axis", "roll-assault", die="1")  # A(1)r1
    answer(t, "axis", "settle-result", more=0)
    assert t.game.mark(unit, "chit") == "reduced"


def test_a_cup_that_runs_out_among_a_force_asks_for_the_rest():
    t = table("operation-star", synthetic_book(chits={"c1": {"full": "A5", "reduced": "A3", "pool": "both"}}))
    jump(t, "axis-combat", 1)
    more = {"size": "III", "formation": "6 Pz", "rating": "A", "half": True}
    units = [enrol(t, "axis", f"6 Pz {n}", "panzer", "KB3010", **more) for n in (1, 2)]
    enrol(t, "soviet", "6 Rifle", "rifle", "KB3011", strength=3)
    designate(t, "KB3011", *units)
    answer(t, "axis", "begin-assault")
    assert total(t, "attack") is None
    answer(t, "axis", "tell-strength", strength=6)
    assert total(t, "attack") == 11


def test_a_chit_is_corrected_in_secret():
    t, unit = with_unit()
    t.do("axis", "draw-chits", units=[unit])
    with refused(NotYours, given="table"):
        t.do("table", "set-chit", unit=unit, face="reduced")
    t.do("axis", "set-chit", unit=unit, face="reduced")
    assert "chit" not in next(u for u in t.sees("soviet")["units"] if u["id"] == unit)["marks"]
    assert next(u for u in t.sees("axis")["units"] if u["id"] == unit)["marks"]["chit"] == "reduced"


def test_digital_chits_need_a_sheet():
    t = table("operation-star", synthetic_book(chits={}), mode_chits="digital")
    jump(t, "axis-combat", 1)
    unit = enrol(t, "axis", "6 Pz 4", "panzer", "KB3010", size="III", formation="6 Pz", rating="A")
    with refused(NotNow, rule="2.6"):
        t.do("axis", "draw-chits", units=[unit])


def test_two_cups_are_an_option():
    sheet = {f"a{n}": {"full": "A5", "reduced": "A3", "pool": "axis"} for n in range(3)}
    sheet |= {f"s{n}": {"full": "A5", "reduced": "A3", "pool": "soviet"} for n in range(3)}
    t = table("operation-star", synthetic_book(chits=sheet), chit_pools="two")
    jump(t, "axis-combat", 1)
    unit = enrol(t, "soviet", "3 Tank", "tank", "KB3010", size="XXX", rating="A")
    t.do("soviet", "draw-chits", units=[unit])
    assert t.game.piles["chits"][f"at:{unit}"][0].startswith("s")
    t.do("soviet", "lose-steps", unit=unit, steps=3)
    assert len(t.game.piles["chits"]["pool:soviet"]) == 3


class ChitLife(RuleBasedStateMachine):
    """Whatever happens to units, no chit is lost, doubled or under the wrong counter."""

    def __init__(self):
        super().__init__()
        self.t = table("operation-star")
        jump(self.t, "axis-combat", 1)
        self.names = []
        for number in range(3):
            self.names.append(
                enrol(
                    self.t, "axis", f"{number} Inf", "infantry", f"KB{30 + number}10", rating="AB"[number % 2]
                )
            )
            self.names.append(
                enrol(
                    self.t, "soviet", f"{number} Tank", "tank", f"KB{30 + number}20", size="XXX", rating="A"
                )
            )

    def attempt(self, *args, **fields):
        with contextlib.suppress(Mistake):
            self.t.do(*args, **fields)

    @rule(unit=st.integers(0, 5))
    def draw(self, unit):
        self.attempt("table", "draw-chits", units=[self.names[unit]])

    @rule(unit=st.integers(0, 5), steps=st.integers(1, 3))
    def lose(self, unit, steps):
        name = self.names[unit]
        self.attempt(self.t.game.units[name].side, "lose-steps", unit=name, steps=steps)

    @rule(unit=st.integers(0, 5))
    def announce(self, unit):
        name = self.names[unit]
        held = self.t.game.units[name]
        jump(self.t, f"{held.side}-combat")
        self.attempt(held.side, "declare-assault", target="KB4010", attackers=[name], anyway=True)
        for ask in duties(self.t, held.side, "begin-assault"):
            self.attempt(held.side, "begin-assault", _asked=ask["id"], anyway=True)

    @rule(unit=st.integers(0, 5), what=st.sampled_from(["reduced", "cadre"]))
    def rebuild(self, unit, what):
        name = self.names[unit]
        side = self.t.game.units[name].side
        jump(self.t, "reinforcement")
        for kind in ("mech", "foot"):
            self.t.do("table", "correct", name=f"rp-{side}-{kind}", value="9")
        self.attempt(side, "replace", side=side, what=what, unit=name)

    @precondition(lambda self: any(u.place == "KB3010" for u in self.t.game.units.values()))
    @rule()
    def break_down(self):
        jump(self.t, "maintenance")
        self.attempt("axis", "break-down", unit=self.names[0])

    @rule(unit=st.integers(0, 5))
    def send_back(self, unit):
        if not self.t.game.units[self.names[unit]].on_map:
            self.t.do("table", "place-unit", unit=self.names[unit], hex="KB3513")

    @invariant()
    def every_chit_is_somewhere_once(self):
        pile = self.t.game.piles["chits"]
        assert pile.tokens() == sorted(chit_sheet())
        for zone, tokens in pile.zones.items():
            assert zone == "pool" or len(tokens) == 1

    @invariant()
    def chits_lie_under_the_right_units(self):
        game = self.t.game
        for unit in game.units.values():
            held, mark = game.piles["chits"][f"at:{unit.id}"], game.mark(unit.id, "chit")
            assert bool(held) == bool(mark)
            if held:
                assert unit.on_map and rating(game, unit) and not is_cadre(game, unit)
                assert steps_left(game, unit) == (2 if mark == "reduced" else 3)

    @invariant()
    def the_enemy_sees_no_chit(self):
        for seat in ("axis", "soviet", "table", "watch"):
            seen = next(p for p in self.t.sees(seat)["piles"] if p["id"] == "chits")
            for zone in seen["zones"]:
                owner = zone["zone"].partition(":")[2]
                if "tokens" in zone:
                    assert self.t.game.units[owner].side == seat

    @invariant()
    def a_replay_gives_the_same(self):
        before = self.t.game.dump()
        self.t.refold()
        assert self.t.game.dump() == before


ChitLife.TestCase.settings = settings(max_examples=12, stateful_step_count=15, deadline=None)
TestChitLife = ChitLife.TestCase
