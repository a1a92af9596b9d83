"""Fortifications, hex control, bridges [4.3, 7.0, 14.0]."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from harness import refused, warned

from companion.engine.errors import NotNow, Unreadable

Make = Callable[..., Any]


# -- fortifications


def test_digging_in(table: Make) -> None:
    t = table(phase="move-a", fog=False)
    a = t.unit("soviet", "rifles", "3010")
    t.do("soviet", "dig-in", units=a)
    assert t.mark("3010", "fort") == "ff"
    assert t.mark("3010", "fort-of") == "soviet"
    t.do("table", "mark", marker="retreated", units=a, value="on")
    with warned("7.1.2, 7.1.3"):
        t.do("soviet", "dig-in", units=a)
    t.do("soviet", "dig-in", units=a, anyway=True)  # 7.1.3: hemmed in
    gun = t.unit("soviet", "gun", "3012", kind="ART", cel=1)
    with refused(Unreadable, field="units", given=gun):
        t.do("soviet", "dig-in", units=gun)  # a regular unit digs


def test_no_digging_in_swamp_or_fixed_positions(table: Make, map_book: Make) -> None:
    t = table(phase="move-a", fog=False, book=map_book("terrain,3010,,swamp"))
    with warned("7.1.8"):
        t.do("soviet", "dig-in", hexes="3010")
    t.do("table", "mark", marker="fort", hexes="3012", value="fp")
    with warned("7.1.9"):
        t.do("soviet", "dig-in", hexes="3012")


def test_field_works_go_when_left_and_improved_ones_stay(table: Make) -> None:
    t = table(phase="move-a", fog=False)
    a, b = t.unit("soviet", "one", "3010"), t.unit("soviet", "two", "3210")
    t.do("table", "mark", marker="fort", hexes="3010", value="ff")
    t.do("table", "mark", marker="fort", hexes="3210", value="if")
    t.do("table", "place-unit", unit=a, hex="3005")
    t.do("table", "place-unit", unit=b, hex="3205")
    assert t.mark("3010", "fort") == "ff"  # until the phase ends another may move in
    t.next()
    assert t.mark("3010", "fort") is None  # 7.1.5
    assert t.mark("3210", "fort") == "if"  # 7.2.1
    g = t.unit("german", "landser", "3211")
    t.do("table", "place-unit", unit=g, hex="3210")
    assert t.mark("3210", "fort") is None  # 7.1.6


def test_setup_fortifications_belong_to_their_side(table: Make) -> None:
    t = table()
    t.do("table", "set-up")
    assert (t.mark("2609", "fort"), t.mark("2609", "fort-of")) == ("if", "german")
    assert (t.mark("5403", "fort"), t.mark("5403", "fort-of")) == ("ff", "soviet")


def test_retreat_forbids_digging_only_in_the_next_movement_phase(table: Make) -> None:
    t = table(phase="attack-b", fog=False)
    a = t.unit("soviet", "rifles", "3010")
    t.do("table", "mark", marker="retreated", units=a, value="on")
    t.until("move-a", 2)
    assert t.mark(a, "retreated")
    t.next()
    assert not t.mark(a, "retreated")


# -- control


def test_supplied_zones_take_hexes(table: Make) -> None:
    t = table(phase="supply-a", fog=False)
    t.unit("soviet", "rifles", "4908")  # beside 4909
    t.next()
    assert t.mark("4909", "owner") == "soviet"  # 4.3.3


def test_units_hold_their_hex_even_unsupplied_but_no_zone(table: Make) -> None:
    t = table(phase="supply-a", fog=False)
    t.unit("soviet", "rifles", "4908", oos=2)
    t.unit("soviet", "others", "2915", oos=2)
    t.next()
    assert t.mark("2915", "owner") == "soviet"  # 4.3.2
    assert t.mark("4909", "owner") is None  # 4.3.5


@pytest.mark.parametrize(("reading", "owner"), [("nobody", "nobody"), ("keeper", "german")])
def test_contested_empty_hexes(table: Make, reading: str, owner: str) -> None:
    t = table(phase="supply-a", fog=False, contested=reading)
    t.do("table", "set-control", hexes="4909", by="german")
    t.unit("soviet", "rifles", "4908")
    t.unit("german", "landser", "4910", oos=3)
    t.next()
    assert t.mark("4909", "owner") == owner  # 4.3.6


@pytest.mark.parametrize(("strips", "owner"), [(False, "soviet"), (True, "nobody")])
def test_an_unsupplied_enemy_near_an_empty_hex(table: Make, strips: bool, owner: str) -> None:
    t = table(phase="supply-a", fog=False, **{"oos-strips": strips})
    t.do("table", "set-control", hexes="4909", by="soviet")
    t.unit("german", "lost", "4910", oos=3)
    t.unit("soviet", "far", "2000")
    t.next()
    assert t.mark("4909", "owner") == owner


def test_control_changes_only_in_the_owners_supply_phase(table: Make) -> None:
    t = table(phase="supply-a", fog=False)
    t.unit("german", "landser", "4909")
    t.next()
    assert t.mark("4909", "owner") is None
    t.until("supply-b")
    t.next()
    assert t.mark("4909", "owner") == "german"


def test_front_line_suggestion_is_confirmed_by_hand(table: Make) -> None:
    t = table()
    t.do("table", "set-up")
    form = {f["name"]: f["value"] for f in t.form("table", "start-control")}
    assert "2609" in form["german"]  # 522/297 stands there
    assert "5022" in form["soviet"]
    assert t.mark("2609", "owner") is None  # nothing is set until somebody says so
    t.do("table", "start-control", german=form["german"], soviet=form["soviet"])
    assert t.mark("2609", "owner") == "german"


# -- bridges


def test_scenario_bridges_and_their_control(table: Make) -> None:
    t = table(fog=False)
    t.do("table", "set-up")
    assert t.mark("1602-1603", "bridge") == "soviet"
    unit = t.unit("german", "raiders", "1602")
    assert t.mark("1602-1603", "bridge") == "soviet"  # 227 INF is at 1603: the first comer keeps it [14.1.3]
    for name in [u.id for u in t.game.units_at("1603")]:
        t.do("table", "place-unit", unit=name, hex="1801")
    assert t.mark("1602-1603", "bridge") == "german"
    t.do("table", "place-unit", unit="k42-s-075", hex="1603")
    assert t.mark("1602-1603", "bridge") == "german"
    t.do("table", "place-unit", unit=unit, hex="1702")
    assert t.mark("1602-1603", "bridge") == "soviet"


def test_only_the_controller_demolishes(table: Make) -> None:
    t = table(phase="move-b", fog=False)
    t.do("table", "set-up")
    with warned("14.1.4", "14.2.1"):
        t.do("german", "demolish-bridge", hexes="1602 1603")
    t.until("move-a", 2)
    t.do("soviet", "demolish-bridge", hexes="1602 1603")
    assert t.mark("1602-1603", "bridge") == "down"
    with warned("14.1.1"):
        t.do("soviet", "demolish-bridge", hexes="1602 1603")
    with refused(Unreadable, field="hexes", given="1602 1605"):
        t.do("soviet", "demolish-bridge", hexes="1602 1605")


@pytest.mark.parametrize(("water", "cost"), [("river", "1 MP"), ("big", "3 MP")])
def test_demolition_costs(table: Make, water: str, cost: str) -> None:
    t = table(phase="move-a")
    done = t.do("soviet", "demolish-bridge", hexes="2104 2204", water=water)
    assert cost in done[0].reason


def test_rebuilding_needs_a_headquarters_in_range(table: Make) -> None:
    t = table(phase="move-a", fog=False)
    unit = t.unit("soviet", "sappers", "1603")
    t.do("soviet", "demolish-bridge", hexes="1602 1603")
    with warned("14.2.2"):
        t.do("soviet", "rebuild-bridge", hexes="1602 1603", unit=unit)
    t.unit("soviet", "HQ x", "1600", kind="HQ", cel=1)
    t.do("soviet", "rebuild-bridge", hexes="1602 1603", unit=unit)
    assert t.mark("1602-1603", "bridge") == "soviet"


def test_no_quick_bridge_over_the_doniec(table: Make, map_book: Make) -> None:
    t = table(phase="move-a", book=map_book("side,1602,1603,doniec"))
    with warned("14.3.2"):
        t.do("soviet", "rebuild-bridge", hexes="1602 1603")


def headquarters_bridge(table: Make) -> tuple[Any, str]:
    t = table(phase="supply-a")
    hq = t.unit("soviet", "HQ x", "3010", kind="HQ", cel=1)
    t.do("soviet", "begin-bridge", unit=hq)
    t.until("move-a", 2)
    t.do("soviet", "declare-bridge", unit=hq, hexes="3010 3011")
    return t, hq


def test_a_headquarters_bridge_takes_two_movement_phases(table: Make) -> None:
    t, hq = headquarters_bridge(table)
    with refused(NotNow, given="complete-bridge"):
        t.do("soviet", "complete-bridge", unit=hq)
    t.until("move-a", 3)
    t.do("soviet", "complete-bridge", unit=hq)
    assert t.mark("3010-3011", "bridge") == "soviet"
    assert t.mark(hq, "bridgework") is None


def test_an_enemy_zone_on_the_far_bank_stops_it(table: Make) -> None:
    t, hq = headquarters_bridge(table)
    t.unit("german", "landser", "3012")
    with refused(NotNow, given="complete-bridge"):
        t.do("soviet", "complete-bridge", unit=hq)
    t.until("move-a", 3)
    with warned("14.3.2"):
        t.do("soviet", "complete-bridge", unit=hq)
    t.do("soviet", "complete-bridge", unit=hq, anyway=True)  # the board may know better


def test_regular_units_on_both_banks_hold_them(table: Make) -> None:
    """14.3.2: an enemy zone does not matter then."""
    t, hq = headquarters_bridge(table)
    t.unit("soviet", "one", "3010")
    t.unit("soviet", "two", "3011")
    t.unit("german", "landser", "3012")
    t.until("move-a", 3)
    t.do("soviet", "complete-bridge", unit=hq)


def test_a_far_bank_lost_for_a_night_is_lost(table: Make) -> None:
    """14.3.2: controlled until the next turn's movement, not only when it is completed."""
    t, hq = headquarters_bridge(table)
    raider = t.unit("german", "raider", "3012")
    t.until("attack-b", 2)
    t.do("german", "place-unit", unit=raider, hex="3030")  # gone again before the bridge is due
    t.until("move-a", 3)
    with warned("14.3.2") as said:
        t.do("soviet", "complete-bridge", unit=hq)
    assert said.value.said == ["3011 was not controlled in day 2 phase 3 (14.3.2)"]
    assert "lost in day 2 phase 3" in t.panel("soviet", "Bridges being built")["HQ x: bridge"]
    assert not t.panel("german", "Bridges being built")


def test_a_bridge_is_prepared_at_a_big_river(table: Make, map_book: Make) -> None:
    """14.3.2: where the map book knows one; it then names the far bank, too."""
    t = table(phase="supply-a", book=map_book("side,3010,3011,doniec"))
    dry, hq = (t.unit("soviet", n, h, kind="HQ", cel=1) for n, h in (("HQ dry", "2020"), ("HQ x", "3010")))
    with warned("14.3.2"):
        t.do("soviet", "begin-bridge", unit=dry)
    t.do("soviet", "begin-bridge", unit=hq)
    t.until("move-a", 2)
    with warned("14.3.2"):
        t.do("soviet", "declare-bridge", unit=hq, hexes="3010 3009")
    with warned("14.3.4"):
        t.do("soviet", "declare-bridge", unit=hq, hexes="3110 3111")
    row = next(r for r in t.form("soviet", "declare-bridge", unit=hq) if r["name"] == "hexes")
    assert row["value"] == ["3010", "3011"]


def test_the_headquarters_stays_put(table: Make) -> None:
    t, hq = headquarters_bridge(table)
    t.do("soviet", "place-unit", unit=hq, hex="3009")
    t.until("move-a", 3)
    with warned("14.3.4"):
        t.do("soviet", "complete-bridge", unit=hq)


@pytest.mark.parametrize("seat", ["german", "table", "watch"])
def test_the_bridges_place_is_secret(table: Make, seat: str) -> None:
    t, _ = headquarters_bridge(table)
    assert "3010-3011" not in json.dumps(t.sees(seat))
    assert "3010-3011" not in json.dumps(t.hears(seat))
    assert "3010-3011" in json.dumps(t.sees("soviet"))


def test_bridges_can_be_left_out(table: Make) -> None:
    t = table(phase="move-a", bridges=False)
    with refused(NotNow, given="demolish-bridge"):
        t.do("soviet", "demolish-bridge", hexes="1602 1603")
