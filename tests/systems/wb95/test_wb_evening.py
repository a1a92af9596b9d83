"""What a first evening stumbled over: prompts that belong to one seat, hexes that are asked for, secrets that stay."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from harness import refused

from companion.engine.errors import NotNow, StillOwed, Unreadable
from companion.engine.record import events as e
from companion.engine.seat.words import describe

Make = Callable[..., Any]


# -- air


def test_a_side_without_points_cannot_end_the_other_s_air_phase(table: Make) -> None:
    t = table()  # 12 May: no German flies
    assert t.sees("german")["movers"] == ["soviet"]
    with refused(StillOwed) as said:
        t.do("german", "next-phase")
    assert said.value.said == ["Soviet has not assigned its air missions yet; none is a choice too (8.1.7)"]
    with refused(NotNow, given="german"):
        t.do("german", "next-phase", anyway=True)
    t.do("soviet", "assign-air", mission_1="support", hex_1="1905", sp_1=3)
    assert t.sees("german")["movers"] == ["german", "soviet"]
    t.do("german", "next-phase")
    assert t.game.phase == "move-a"


def test_the_form_tells_how_many_points_are_left(table: Make) -> None:
    assert table().shown("soviet", "assign-air", mission_1="attack")["sp_1"]["help"] == "of 8 left today"


def test_nobody_rolls_for_aircraft_that_cannot_be_there(table: Make) -> None:
    t = table(phase="move-a")
    names = {a["name"] for a in t.sees("soviet")["actions"]}
    assert not names & {"roll-harassment", "roll-crossing"}
    t.until("move-a", 2)
    assert {"roll-harassment", "roll-crossing"} <= {a["name"] for a in t.sees("soviet")["actions"]}


# -- movement


def test_the_unit_that_overruns_enters_the_hex(table: Make) -> None:
    t = table(phase="move-a")
    tanks = t.unit("soviet", "tanks", "3009", kind="ARM", klass="mechanized")
    t.unit("soviet", "far", "0101")
    staff = t.unit("german", "HQ X", "3011", kind="HQ", cel=1)
    offered = t.shown("soviet", "overrun-hex", hex="3011")["unit"]["choices"]
    assert [c["label"] for c in offered] == ["tanks (3009)"]
    t.do("soviet", "overrun-hex", hex="3011", unit=tanks)
    assert (t.game.units[tanks].place, t.game.units[staff].place) == ("3011", "box:dead")


def test_bridges_on_record_are_tapped(table: Make) -> None:
    t = table()
    t.do("table", "set-up")
    t.until("move-a")
    choices = t.shown("soviet", "demolish-bridge")["bridge"]["choices"]
    assert [c["value"] for c in choices] == ["1602-1603", "1902-1903", "2104-2204", ""]
    t.do("soviet", "demolish-bridge", bridge="1602-1603")
    assert t.mark("1602-1603", "bridge") == "down"
    assert t.shown("soviet", "rebuild-bridge")["bridge"]["choices"][0]["value"] == "1602-1603"
    t.do("soviet", "rebuild-bridge", bridge="1602-1603", anyway=True)
    assert t.mark("1602-1603", "bridge") == "soviet"


def test_a_bridge_being_prepared_is_nobody_else_s_business(table: Make) -> None:
    """14.3.2: neither the preparation nor its end tells the enemy that there was one."""
    t = table(phase="supply-a")
    staff = t.unit("soviet", "HQ X", "1601", kind="HQ", cel=1)
    done = t.do("soviet", "begin-bridge", unit=staff)
    assert describe(done[0].seen_by("soviet"), t.game) == "HQ X: Bridge building ready"
    t.until("move-b")
    done += t.do("german", "overrun-hex", hex="1601")
    for seat in ("german", "table", "watch"):
        heard = json.dumps([event.seen_by(seat) for event in done]).lower()
        assert "bridge" not in heard and "14.3.2" not in heard, seat


def test_the_headquarters_at_work_stands_in_the_form(table: Make) -> None:
    t = table(phase="supply-a")
    staff = t.unit("soviet", "HQ X", "1601", kind="HQ", cel=1)
    t.do("soviet", "begin-bridge", unit=staff)
    t.until("move-a", 2)
    assert "unit" not in t.shown("soviet", "declare-bridge")  # the only one is not asked for
    t.do("soviet", "declare-bridge", unit=staff, hexes="1601 1602")
    t.until("move-a", 3)
    assert not t.shown("soviet", "complete-bridge")
    t.do("soviet", "complete-bridge", unit=staff)
    assert t.mark("1601-1602", "bridge") == "soviet"
    assert not t.mark(staff, "bridgework")


def test_reinforcements_come_in_their_own_side_s_movement(table: Make) -> None:
    t = table()
    t.do("table", "set-up")
    t.until("air-a", 2)
    assert [(d["text"], d["open"]) for d in t.sees("german")["due"]] == [("Romanian 20 INF", False)]
    assert [(d["text"], d["open"]) for d in t.sees("soviet")["due"]] == [("III CAV", False)]
    t.until("move-a", 2)
    assert [d["open"] for d in t.sees("soviet")["due"]] == [True]
    assert {d["text"]: d["open"] for d in t.sees("table")["due"]} == {
        "Romanian 20 INF": False,
        "III CAV": True,
    }
    with refused(Unreadable, field="arrival"):
        t.do("german", "arrive", arrival="german-2-1")


# -- combat


def test_strengths_that_are_not_on_record_are_asked_at_the_unit_and_kept(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", oos=1)
    t.unit("german", "landser", "3011")
    fields = t.shown("soviet", "resolve-combat", target="3011", attackers="rifles")
    assert fields["attack_sp"]["help"] == "rifles: as printed, in this order"
    assert fields["defence_sp"]["help"] == (
        "landser: as printed, in this order; empty: the defender is asked"
    )
    with refused(Unreadable, field="attack_sp"):
        t.do("soviet", "resolve-combat", target="3011", attackers="rifles", defence_sp="3")
    t.do(
        "soviet",
        "resolve-combat",
        target="3011",
        attackers="rifles",
        attack_sp="6",
        defence_sp="3",
        die="3 3",
    )
    assert t.breakdown.get("warnings", []) == []
    assert t.breakdown["facts"]["attack"] == 3  # what the record knows counts: out of supply, halved
    assert t.game.units[a].factors["A"] == 6 and t.game.unit("landser").factors["D"] == 3


def test_a_strength_that_the_attacker_does_not_know_is_asked_of_the_defender(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "rifles", "3010", a=6)
    t.unit("german", "landser", "3011")
    t.do("soviet", "resolve-combat", target="3011", attackers="rifles")
    assert t.duty("german", "defend")["duty"] == "owed"
    with refused(Unreadable, field="strengths"):
        t.settle("german", "defend")
    t.settle("german", "defend", strengths="3")
    t.settle("soviet", "roll-combat", die="3 4")
    assert t.breakdown["facts"]["defence"] == 3


def test_under_fog_the_combat_form_tells_nothing_of_a_closed_stack(table: Make) -> None:
    t = table(phase="attack-a")
    t.unit("soviet", "rifles", "3010", a=6)
    t.unit("german", "below", "3011")
    t.unit("german", "top", "3011", a=4)
    fields = t.shown("soviet", "resolve-combat", target="3011", attackers="rifles")
    assert "defence" not in fields and "defence_sp" not in fields
    assert "below" not in json.dumps(fields)


# -- supply


def test_the_supply_form_says_when_nobody_is_cut_off(table: Make) -> None:
    t = table()
    t.do("table", "set-up")
    t.until("supply-a")
    assert t.shown("soviet", "check-supply")["hexes"]["help"] == "positions on record show nobody cut off"


def test_no_level_is_paid_while_everybody_is_in_supply(table: Make) -> None:
    t = table(phase="move-a")
    unit = t.unit("soviet", "rifles", "3010")
    assert "pay-level" not in {a["name"] for a in t.sees("soviet")["actions"]}
    t.do("soviet", "set-supply", units=unit, now=1)
    t.do("soviet", "pay-level", units=unit)
    assert t.mark(unit, "oos") == 2


def test_markers_of_earlier_records_still_lift(table: Make) -> None:
    t = table(phase="attack-a")
    unit = t.unit("soviet", "rifles", "3010")
    t.game.apply(e.Marked(unit, "disorganised", "until 2/4, at 3010"))
    t.until("attack-a", 2)
    assert t.mark(unit, "disorganised")
    t.next()
    assert not t.mark(unit, "disorganised")
