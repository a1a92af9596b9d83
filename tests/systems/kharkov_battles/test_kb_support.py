"""Support [9.0]: points, flips, reach, three divisions, Limited Support."""

import pytest
from harness import refused
from kb_bench import enrol, jump, mapped, printed, table, warned

from companion.engine.errors import NotNow, Unreadable
from companion.engine.forms.fields import Context
from companion.systems.kharkov_battles.base import Objection
from companion.systems.kharkov_battles.full_support import no_attack
from companion.systems.kharkov_battles.lines import hq_on_road
from companion.systems.kharkov_battles.reach import (
    choose,
    fully_supported_regiments,
    may_serve,
    supported_now,
)
from companion.systems.kharkov_battles.support import price


@pytest.mark.parametrize(
    ("panzer", "armee", "single", "credit", "cost", "left"),
    [(1, 0, 0, 0, 1, 0), (0, 1, 0, 0, 1, 1), (0, 2, 0, 0, 1, 0), (0, 3, 0, 0, 2, 1), (2, 2, 0, 0, 3, 0),
     (0, 1, 0, 1, 0, 0), (0, 0, 1, 0, 1, 0), (0, 1, 1, 0, 2, 1)],
)  # fmt: skip
def test_prices(panzer, armee, single, credit, cost, left):
    """9.21, 20.2"""
    assert price(panzer, armee, single, credit) == (cost, left)


def test_points_are_rolled_added_and_kept():
    t = table("operation-star")
    jump(t, "maintenance", 2)
    t.do("axis", "receive-support", source="roll", die="9")  # 4 on the synthetic table
    assert t.game["sp"] == 4
    with refused(NotNow, given="receive-support"):
        t.do("axis", "receive-support", source="roll", die="9")
    pz = enrol(t, "axis", "XXXXVIII. PzK", "hq panzerkorps", "KB3010", size="XXX", reach=5)
    t.do("axis", "support-hq", hqs=[pz], armeekorps=1)
    assert t.game["sp"] == 2 and t.game.mark(pz, "supported")
    t.do("axis", "support-hq", armeekorps=1)  # the second of the pair is paid for
    assert t.game["sp"] == 2
    jump(t, "end", 2)
    t.next()
    assert t.game.mark(pz, "supported") is None and t.game["sp"] == 2


def test_operation_star_does_not_roll_on_turn_1():
    t = table("operation-star")
    jump(t, "maintenance", 1)
    with refused(Unreadable, field="source", given="roll"):
        t.do("axis", "receive-support", source="roll", die="5")
    t.do("axis", "receive-support", source="track")
    assert t.game["sp"] == 2


def test_second_kharkov_takes_the_track_and_has_its_own_korps():
    """20.2"""
    t = table("second-kharkov-k")
    jump(t, "maintenance", 2)
    with refused(Unreadable, field="source", given="roll"):
        t.do("axis", "receive-support", source="roll", die="5")
    t.do("axis", "receive-support", source="track")
    eleven = enrol(t, "axis", "XI. Korps", "hq armeekorps", "KH2010", reach=4)
    seventeen = enrol(t, "axis", "XVII. AK", "hq armeekorps", "KH3010", reach=4)
    other = enrol(t, "axis", "LI. AK", "hq armeekorps", "KH3015", reach=4)
    with warned("20.2"):
        t.do("axis", "support-hq", hqs=[eleven])
    t.do("axis", "support-hq", hqs=[seventeen, other])
    assert t.game["sp"] == 0


def test_an_hq_out_of_supply_gets_nothing():
    t = table("operation-star")
    jump(t, "maintenance", 2)
    t.do("table", "correct", name="sp", value="5")
    hq = enrol(t, "axis", "III. PzK", "hq panzerkorps", "KB3010", reach=4)
    t.do("table", "mark", marker="supply", units=[hq], value="oos")
    with warned("9.22"):
        t.do("axis", "support-hq", hqs=[hq])


def test_three_divisions_to_a_panzerkorps():
    """9.32"""
    divisions = {f"d{n}": {f"d{n}a", f"d{n}b"} for n in range(4)}
    assert len(choose({"pzk": divisions})) == 6
    assert choose({"one": {"a": {"a1"}}, "two": {"b": {"b1"}}}) == {"a1", "b1"}
    # a second PanzerKorps takes the division only it can spare a place for
    assert len(choose({"pzk": divisions, "pzk2": {"d0": {"d0a", "d0b"}}})) == 8
    assert len(choose({"pzk": divisions, "pzk2": {"d3": {"d3a"}}})) == 7


def placed():
    t = table("operation-star")
    jump(t, "maintenance", 2)
    t.do("table", "correct", name="sp", value="5")
    hq = enrol(t, "axis", "III. PzK", "hq panzerkorps", "KB3010", size="XXX", reach=3)
    near = enrol(t, "axis", "LAH 1", "panzergrenadier", "KB3013", size="III", formation="LAH", strength=5)
    far = enrol(t, "axis", "DR 1", "panzergrenadier", "KB3014", size="III", formation="DR", strength=5)
    return t, hq, near, far


def test_full_support_reaches_as_far_as_the_command_range():
    """9.31"""
    t, hq, near, far = placed()
    assert fully_supported_regiments(t.game) == set()  # the HQ is not supported yet
    t.do("axis", "support-hq", hqs=[hq])
    assert fully_supported_regiments(t.game) == {near}
    t.do("axis", "check-support", limited=[far])
    assert t.game.mark(far, "ls") and not t.game.mark(near, "ls")
    assert no_attack(t.game, t.game.units[far]) == Objection("has Limited Support", "9.4")
    jump(t, "axis-combat", 2)
    enrol(t, "soviet", "D", "rifle", "KB3015", strength=2)
    with warned("9.4"):
        t.do("axis", "declare-assault", target="KB3015", attackers=[far])
    jump(t, "end", 2)
    t.next()
    assert not t.game.mark(far, "ls")


def test_the_form_starts_with_the_regiments_out_of_reach():
    t, hq, near, far = placed()
    t.do("axis", "support-hq", hqs=[hq])
    form = t.system.rules.actions["check-support"].describe(Context(t.game, "axis"))
    assert form[0]["value"] == [far]


def test_an_unsupported_neighbour_bars_the_hex():
    """9.41"""
    t, hq, near, far = placed()
    t.do("axis", "check-support", limited=[far])
    foot = enrol(t, "axis", "320 Inf", "infantry", "KB3014", strength=5)
    enrol(t, "soviet", "D", "rifle", "KB3015", strength=2)
    jump(t, "axis-combat", 2)
    with warned("9.41"):
        t.do("axis", "declare-assault", target="KB3015", attackers=[foot])


def test_armeekorps_serve_foot_and_silhouettes():
    """9.33, 9.35"""
    t = table("operation-star")
    jump(t, "maintenance", 2)
    t.do("table", "correct", name="sp", value="5")
    hq = enrol(t, "axis", "XXX. AK", "hq armeekorps", "KB3010", size="XXX", reach=3)
    foot = enrol(t, "axis", "320 Inf", "infantry", "KB3012", strength=5)
    stug = enrol(t, "axis", "203 StG", "assault gun", "KB3013", size="II", silhouette=True, strength=3)
    hun = enrol(t, "axis", "10 Light", "light", "KB3011", nationality="hungarian", strength=3)
    units = t.game.units
    assert supported_now(t.game, units[foot]) is False
    t.do("axis", "support-hq", hqs=[hq])
    assert supported_now(t.game, t.game.units[foot]) is True
    assert supported_now(t.game, t.game.units[stug]) is True
    assert supported_now(t.game, t.game.units[hun]) is None  # the rules name Germans only


def test_a_road_must_lead_from_the_hq_to_a_source():
    road = [("link", f"KB30{c:02d}", f"KB30{c + 1:02d}", "road") for c in range(1, 8)]
    t = mapped(("source", "KB3001", "", "axis"), *road)
    jump(t, "maintenance", 2)
    near = enrol(t, "axis", "III. PzK", "hq panzerkorps", "KB3011", reach=3)  # three hexes from KB3008
    far = enrol(t, "axis", "XL. PzK", "hq panzerkorps", "KB3012", reach=3)
    assert hq_on_road(t.game, t.game.units[near]) is True
    assert hq_on_road(t.game, t.game.units[far]) is False


def test_lah_is_supported_on_turn_1_of_star_only():
    """20.1"""
    t = table("operation-star")
    unit = enrol(t, "axis", "LAH 1", "panzergrenadier", "KB3010", size="III", formation="LAH", strength=5)
    t.until("maintenance", 1)
    assert t.game.mark(unit, "full-support")
    t.until("maintenance", 2)
    assert not t.game.mark(unit, "full-support")


def test_third_kharkov_needs_no_points():
    """20.3"""
    t = table("third-kharkov-l")
    hq = enrol(t, "axis", "III. PzK", "hq panzerkorps", "KB3510", reach=3)
    t.until("maintenance", 11)
    assert t.game.mark(hq, "supported")
    with refused(NotNow, given="receive-support"):
        t.do("axis", "receive-support", source="track")
    t.until("maintenance", 12)
    assert t.game.mark(hq, "supported")


def test_january_spends_its_first_point_on_one_korps():
    """27.8"""
    t = table("january-campaign")
    t.until("maintenance", 61)
    t.do("table", "correct", name="sp", value="1")
    wrong = enrol(t, "axis", "17th PzK", "hq panzerkorps", "B3010", reach=4)
    right = enrol(t, "axis", "48th PzK", "hq panzerkorps", "B3012", reach=4)
    with warned("27.8"):
        t.do("axis", "support-hq", hqs=[wrong])
    t.do("axis", "support-hq", hqs=[right])
    assert t.game["sp"] == 0


def test_support_on_stars_turn_1_is_a_reading():
    """9.2: nothing is rolled; by one reading a number on the track does not count either."""
    t = table("operation-star", star_sp="none")
    jump(t, "maintenance", 1)
    t.do("axis", "receive-support", source="track")
    assert t.game["sp"] == 0
    t.until("maintenance", 2)
    t.do("axis", "receive-support", source="track")
    assert t.game["sp"] == 2


def test_a_tiger_battalion_may_join_a_regiments_support():
    """9.35, 15.31: in this it is a silhouette like the others."""
    t, hq, near, far = placed()
    tiger = enrol(t, "axis", "503", "tiger battalion", t.game.units[near].place, size="II", strength=4)
    assert supported_now(t.game, t.game.units[tiger]) is True
    t.do("axis", "check-support", limited=[near])
    assert supported_now(t.game, t.game.units[tiger]) is False


@pytest.mark.parametrize("name", ["3.Panzer", "3. Panzer", "3 Pz", "23Pz"])
def test_xvii_korps_knows_its_divisions_however_they_are_written(name):
    """20.2: 3. and 23. Panzer, no others."""
    t = table("second-kharkov-k")
    hq = enrol(t, "axis", "XVII. AK", "hq armeekorps", "KH3010", size="XXX", reach=3)
    own, other = (
        enrol(t, "axis", f, "panzer", "KH3011", size="III", formation=f, strength=5) for f in (name, "13.Pz")
    )
    units = t.game.units
    assert may_serve(t.game, units[hq], units[own]) and not may_serve(t.game, units[hq], units[other])


def test_a_blank_tables_answer_must_be_a_number():
    """9.2: what the printed Support Table says is counted, so words are refused and nothing is lost."""
    t = printed("operation-star")
    jump(t, "maintenance", 2)
    t.do("axis", "receive-support", source="roll", die="7")
    assert not t.game.last_result["breakdown"].get("column")  # the only column is not worth a word
    with refused(Unreadable, rule="9.2", field="result"):
        t.answer("axis", -1, result="many")
    t.answer("axis", -1, result="3")
    assert t.game["sp"] == 3
