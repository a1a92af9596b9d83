"""Fortified Zones [18.1], pontoons [18.2], hex ownership [2.3], stacking [6.1]."""

import pytest
from harness import refused
from kb_bench import enrol, jump, mapped, synthetic_book, table, warned

from companion.engine.errors import NotNow, NotYours
from companion.systems.kharkov_battles.stacking import wrong_with


def test_a_fortified_zone_takes_four_construction_phases():
    """18.14"""
    t = table("operation-star")
    t.until("axis-construction", 2)
    unit = enrol(t, "axis", "320 Inf", "infantry", "KB3010", rating="A")
    t.do("axis", "build-fz", units=[unit])
    seen = [t.game.mark("KB3010", "building-axis")]
    for turn in (3, 4, 5):
        t.until("axis-construction", turn)
        seen.append(t.game.mark("KB3010", "building-axis") or t.game.mark("KB3010", "fz"))
    assert seen == [3, 2, 1, "axis"]
    assert not t.game.mark(unit, "builder")


def building():
    t = table("operation-star")
    t.until("axis-construction", 2)
    unit = enrol(t, "axis", "320 Inf", "infantry", "KB3010", rating="A")
    t.do("axis", "build-fz", units=[unit])
    return t, unit


def test_leaving_stops_the_work():
    """18.16"""
    t, unit = building()
    t.do("axis", "place-unit", unit=unit, hex="KB3011")
    assert t.game.mark("KB3010", "building-axis") is None


def test_an_attack_stops_the_work():
    t, unit = building()
    jump(t, "soviet-combat", 2)
    enemy = enrol(t, "soviet", "R", "rifle", "KB3011", strength=3)
    t.do("soviet", "declare-assault", target="KB3010", attackers=[enemy])
    assert t.game.mark("KB3010", "building-axis") is None


@pytest.mark.parametrize(("reading", "left"), [("stops", None), ("goes-on", 3)])
def test_a_mobile_assault_is_a_reading(reading, left):
    t = table("operation-star", building_ma=reading)
    t.until("axis-construction", 2)
    unit = enrol(t, "axis", "320 Inf", "infantry", "KB3010", rating="A")
    t.do("axis", "build-fz", units=[unit])
    jump(t, "soviet-move", 2)
    t.do("soviet", "mobile-assault", target="KB3010", attack=3, defence=3, die="4")
    assert t.game.mark("KB3010", "building-axis") == left


def test_being_out_of_supply_stops_the_work():
    t, unit = building()
    jump(t, "supply", 3)
    t.do("axis", "judge-supply", side="axis", cut=[unit])
    assert t.game.mark("KB3010", "building-axis") is None and not t.game.mark(unit, "builder")


def test_the_enemy_ends_a_fortified_zone_but_supply_does_not():
    t, unit = building()
    t.until("axis-construction", 5)
    t.do("table", "place-unit", unit=unit, hex="KB3012")
    assert t.game.mark("KB3010", "fz") == "axis"
    enrol(t, "soviet", "R", "rifle", "KB3010", strength=3)
    assert t.game.mark("KB3010", "fz") is None


@pytest.mark.parametrize(
    ("facts", "kind", "rule"),
    [
        ({}, {"kind": "infantry", "rating": "A"}, ""),
        ({}, {"kind": "security"}, "18.14"),
        ({"town": "KB3010"}, {"kind": "infantry", "rating": "A"}, "18.15"),
        ({"terrain": "KB3010"}, {"kind": "infantry", "rating": "A"}, "18.15"),
    ],
)
def test_who_builds_where(facts, kind, rule):
    """The refusal says why, not only that it cannot be chosen."""
    t = mapped(*((k, h, "", "marsh" if k == "terrain" else "T") for k, h in facts.items()))
    jump(t, "axis-construction", 2)
    unit = enrol(t, "axis", "U", hex="KB3010", **kind)
    if not rule:
        t.do("axis", "build-fz", units=[unit])
    else:
        with warned(rule, "U "):
            t.do("axis", "build-fz", units=[unit])


def test_soviet_rifle_divisions_build():
    t = table("operation-star")
    jump(t, "soviet-construction", 2)
    unit = enrol(t, "soviet", "R", "rifle", "KB3010", strength=3)
    t.do("soviet", "build-fz", units=[unit])
    assert t.game.mark("KB3010", "building-soviet") == 3


def test_three_pontoons_in_operation_star():
    """18.21, 18.22"""
    t = table("operation-star")
    jump(t, "soviet-construction", 2)
    t.do("soviet", "place-pontoon", hex="KB3010", across="KB3011")
    assert t.game["pontoons"] == 2
    with refused(NotNow, rule="18.21", field="across"):
        t.do("soviet", "place-pontoon", hex="KB3011", across="KB3010")
    with refused(NotNow, rule="18.21", field="across"):
        t.do("soviet", "place-pontoon", hex="KB3010", across="KB3015")
    enrol(t, "soviet", "R", "rifle", "KB3010", strength=3)
    with warned("18.22"):
        t.do("axis", "remove-pontoon", bridge="KB3010-KB3011", side="axis")
    with refused(NotYours, field="side", given="axis"):  # nor in the Soviets' name
        t.do("axis", "remove-pontoon", bridge="KB3010-KB3011", side="soviet")
    t.do("soviet", "remove-pontoon", bridge="KB3010-KB3011", side="soviet")
    assert not t.game.marked("pontoon") and t.game["pontoons"] == 2  # gone for good


@pytest.mark.parametrize("scenario", ["second-kharkov-k", "january-campaign", "third-kharkov-l"])
def test_nobody_places_pontoons_elsewhere(scenario):
    t = table(scenario)
    jump(t, "soviet-construction")
    prefix = t.game.scenario.extra["map"]
    with refused(NotNow, given="place-pontoon"):
        t.do("soviet", "place-pontoon", hex=f"{prefix}3010", across=f"{prefix}3011")


def test_third_kharkovs_pontoons_are_an_option():
    t = table("third-kharkov-l", l_pontoons=True)
    assert t.game["pontoons"] == 3


def test_a_unit_that_enters_owns_the_hex():
    """2.3: back and forth, whatever its supply."""
    t = table("operation-star")
    assert t.game.mark("KB3617", "owner") == "axis"
    unit = enrol(t, "soviet", "R", "rifle", "KB3616", strength=3)
    t.do("soviet", "place-unit", unit=unit, hex="KB3617")
    assert t.game.mark("KB3617", "owner") == "soviet"
    t.do("soviet", "place-unit", unit=unit, hex="KB3616")
    assert t.game.mark("KB3617", "owner") == "soviet"
    t.do("axis", "own-hexes", side="axis", hexes=["KB3617"])
    assert t.game.mark("KB3617", "owner") == "axis"


def test_unknown_owners_are_asked_for():
    t = table("operation-star", synthetic_book(places={}))
    ask = t.asked("table")[0]
    assert ask["action"] == "start-line"
    t.answer("table", axis=["KB3617", "KB3618"])
    assert (t.game.mark("KB3618", "owner"), t.game.mark("KB3631", "owner")) == ("axis", "soviet")


@pytest.mark.parametrize(
    ("units", "wrong"),
    [
        ([("axis", "infantry", {})] * 2, []),
        ([("axis", "infantry", {})] * 3, ["6.13"]),
        ([("axis", "panzer", {"size": "III"})] * 4, ["6.0"]),
        ([("axis", "panzer", {"size": "III"})] * 3 + [("axis", "tiger company", {})], []),
        ([("axis", "hq armeekorps", {})] * 2, ["6.12"]),
        ([("soviet", "tank", {"size": "XXX"})] * 3, ["6.13"]),
        (
            [
                ("axis", "infantry", {"nationality": "hungarian"}),
                ("axis", "infantry", {"nationality": "italian"}),
            ],
            ["6.14"],
        ),
        ([("axis", "infantry", {"nationality": "hungarian"}), ("axis", "infantry", {})], []),
    ],
)
def test_stacking(units, wrong):
    t = table("operation-star")
    jump(t, f"{units[0][0]}-move", 1)
    for number, (side, kind, facts) in enumerate(units):
        enrol(t, side, f"U{number}", kind, "KB3010", **facts)
    assert [rule for _, rule in wrong_with(t.game, t.game.units_at("KB3010"))] == wrong
    assert ("Stacking to put right" in [p["title"] for p in t.sees("table")["panels"]]) == bool(wrong)


def test_a_finished_fortified_zone_waits_for_a_counter():
    """18.17: the counter mix is the limit; giving one up makes room."""
    t = table("operation-star", synthetic_book(counters={"fz axis": {"count": 1}}))
    t.do("table", "mark", marker="fz", hexes=["KB2020"], value="axis")
    t.until("axis-construction", 2)
    t.do("axis", "build-fz", hexes=["KB3010"])
    t.until("axis-construction", 5)
    assert t.game.mark("KB3010", "fz") is None and t.game.mark("KB3010", "building-axis") == 1
    t.do("axis", "remove-works", hex="KB2020", side="axis")
    t.until("axis-construction", 6)
    assert t.game.mark("KB3010", "fz") == "axis"


def test_a_pontoon_starts_from_a_hex_the_soviets_hold():
    """18.21"""
    t = table("operation-star")
    jump(t, "soviet-construction", 2)
    enrol(t, "soviet", "R", "rifle", "KB2010", strength=3)
    with warned("18.21"):
        t.do("soviet", "place-pontoon", hex="KB3010", across="KB3011")
    t.do("soviet", "place-pontoon", hex="KB2010", across="KB2011")
    assert t.game["pontoons"] == 2


def test_a_lost_unit_owes_no_attack():
    """7.26: nobody is told to send a dead unit back over the river."""
    t = table("operation-star")
    jump(t, "axis-move", 2)
    unit = enrol(t, "axis", "320 Inf", "infantry", "KB3010", strength=3)
    t.do("axis", "river-crossing", units=[unit])
    t.do("axis", "eliminate-unit", unit=unit)
    assert not t.game.marked("must-attack")


def test_the_start_line_is_asked_for_until_somebody_answers():
    """2.3: without owners no victory is noticed, so ending a phase does not put the question away."""
    t = table("operation-star", synthetic_book(places={}))
    t.until("soviet-combat", 0)
    asks = [a for a in t.asked("table") if a["action"] == "start-line"]
    assert len(asks) == 1
    t.do("table", "start-line", axis=["KB3617"], _asked=asks[0]["id"])
    t.next()
    assert not [a for a in t.asked("table") if a["action"] == "start-line"]
    assert t.game.mark("KB3617", "owner") == "axis" and t.game.mark("KB3631", "owner") == "soviet"
