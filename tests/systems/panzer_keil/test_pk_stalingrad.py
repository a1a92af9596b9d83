"""6th Army, the Don Front, the fall of Stalingrad and the six that return [B13, B14.3]; Hitler's visit [B15.3]."""

from __future__ import annotations

import pytest
from harness import Bench, refused
from systems.panzer_keil.pk_bench import go, mark, owners_book, put, table, warned

from companion.engine.errors import NotNow
from companion.systems.panzer_keil.base import DON_TEN


def siege(left: int = 1) -> Bench:
    """A besieged city: some of the 6th Army in 1703, Don units in 1803, the rest of the 6th Army dead."""
    t = table(owners_book("", crt=False))
    for n in range(1, 22):
        if n <= left:
            put(t, f"6a-{n}", "1703", kind="infantry", nation="german", attack=2, defence=3)
        else:
            t.do("table", "place-unit", unit=f"6a-{n}", box="box:dead")
    put(t, "don-1", "1803", kind="infantry", attack=6, defence=4)
    put(t, "don-hq", "1802")
    put(t, "southern-hq", "2010")
    put(t, "southern-1", "1704", kind="infantry", attack=6, defence=4)
    for unit in DON_TEN:
        put(t, unit, "1804")
    return t


def test_don_units_start_bound_and_others_do_not() -> None:
    t = siege()
    assert t.game.mark("don-1", "don") and t.game.mark("don-hq", "don")
    assert not t.game.mark("southern-1", "don")


def test_attacking_the_sixth_army_binds_for_good() -> None:
    t = siege()
    go(t, "soviet-combat")
    t.do("soviet", "resolve-combat", target="1703", attackers=["southern-1"], die="1")
    t.answer("soviet", result="C")
    assert t.game.mark("southern-1", "don")  # B13.2.1


def test_attacking_other_germans_does_not_bind() -> None:
    t = siege()
    put(t, "vii-1", "1604", kind="infantry", defence=3)
    go(t, "soviet-combat")
    t.do("soviet", "resolve-combat", target="1604", attackers=["southern-1"], die="1")
    t.answer("soviet", result="C")
    assert not t.game.mark("southern-1", "don")


@pytest.mark.parametrize(
    ("place", "away"), [("1708", False), ("1709", True), ("2303", False), ("2403", True)]
)
def test_don_radius(place: str, away: bool) -> None:
    t = siege()
    go(t, "soviet-move")
    if away:  # B13.2.2: five hexes from 1703 or 1803
        with warned("B13.2.2"):
            t.do("soviet", "move-units", units=["don-1"], way=place)
    else:
        t.do("soviet", "move-units", units=["don-1"], way=place)
    done = t.do("soviet", "place-unit", unit="don-1", hex=place)
    assert any(e.KIND == "noted" for e in done) is away


def test_the_fall_takes_the_don_front_off_the_map() -> None:
    t = siege()
    go(t, "soviet-combat")
    t.do("soviet", "resolve-combat", target="1703", attackers=["don-1", "southern-1"], die="1")
    t.answer("soviet", result="DL")
    assert t.game["stalingrad"] == "fallen"  # the last one is dead, and zones hold both hexes
    assert t.game.units["don-hq"].place == "box:don-gone"
    assert t.game.units["southern-1"].place == "box:don-gone"  # bound by this very attack
    assert {t.game.units[u].place for u in DON_TEN} == {"box:don-reserve"}
    assert t.game.units["southern-hq"].on_map


def test_the_city_holds_while_one_unit_lives() -> None:
    t = siege(left=2)
    with warned("B13.2.3"):
        t.do("soviet", "fall-of-stalingrad")
    assert t.game["stalingrad"] == "besieged"


def test_a_german_zone_over_the_city_delays_the_fall() -> None:
    t = siege()
    put(t, "vii-1", "1702")
    t.do("table", "place-unit", unit="6a-1", box="box:dead")
    assert t.game["stalingrad"] == "besieged"  # contested, 5.4.1
    t.do("table", "place-unit", unit="vii-1", hex="1720")
    assert t.game["stalingrad"] == "fallen"


def test_six_divisions_return_beside_one_headquarters() -> None:
    t = siege()
    t.do("table", "place-unit", unit="6a-1", box="box:dead")
    assert t.game["stalingrad"] == "fallen"
    go(t, "soviet-move", 9)
    with refused(NotNow, given="return-don-units"):
        t.do("soviet", "return-don-units", units=["don-52grd"], hex="2011")
    go(t, "soviet-move", 10)
    assert "don-10" in [a["id"] for a in t.sees("soviet")["due"]]
    with warned("B13.2.3"):
        t.do("soviet", "return-don-units", units=["don-52grd"], hex="2013")
    t.do("soviet", "return-don-units", units=list(DON_TEN[:3]), hex="2011")
    t.do("soviet", "return-don-units", units=list(DON_TEN[3:]), hex="2010")
    assert "don-10" not in [a["id"] for a in t.sees("soviet")["due"]]
    assert not t.game.mark("don-52grd", "don")  # any Front may command it now


def test_nothing_returns_while_the_siege_lasts() -> None:
    t = siege()
    go(t, "soviet-move", 10)
    assert "don-10" not in [a["id"] for a in t.sees("soviet")["due"]]


def test_without_units_on_record_the_fall_is_a_button() -> None:
    t = table(units=False)
    t.do("soviet", "fall-of-stalingrad")
    assert t.game["stalingrad"] == "fallen"
    with refused(NotNow, given="fall-of-stalingrad"):
        t.do("soviet", "fall-of-stalingrad")
    t.until("soviet-supply")
    assert "don" not in [a["args"].get("front") for a in t.asked("soviet")]


# -- Hitler ------------------------------------------------------------------------------------------------


def visit() -> Bench:
    t = table()
    go(t, "german-support", 7)
    t.next()
    return t


def test_hitler_comes_on_turn_7_and_leaves_on_turn_8() -> None:
    t = visit()
    assert t.game["hitler"] == "here" and t.game.mark("2547", "hitler-here")
    t.until("german-move", 8)
    assert t.game["hitler"] == "away" and not t.game.mark("2547", "hitler-here")


def test_he_does_not_come_to_a_soviet_city() -> None:
    t = table()
    put(t, "voronezh-1", "2547")
    go(t, "german-support", 7)
    t.next()
    assert t.game["hitler"] == "away"  # B15.3.1


def test_he_does_not_land_among_soviet_units() -> None:
    t = table()
    put(t, "voronezh-1", "2547")
    put(t, "vii-1", "2546")  # a German zone: nobody occupies the hex [5.4.1]
    go(t, "german-support", 7)
    t.next()
    assert t.game["hitler"] == "away"


@pytest.mark.parametrize(("die", "ended"), [("6", True), ("5", False), ("1", False)])
def test_the_one_roll(die: str, ended: bool) -> None:
    t = visit()
    t.until("soviet-move", 8)
    put(t, "voronezh-1", "2547")
    assert [a["action"] for a in t.asked("soviet")] == ["roll-for-hitler"]
    t.answer("soviet", die=die)
    t.agree()
    if ended:
        assert t.game.ended and (t.game.ended.winner, t.game.ended.level) == ("soviet", "decisive")
    else:
        assert t.game.ended is None and t.game["hitler"] == "missed"
        with refused(NotNow, given="capture-hitler"):
            t.do("soviet", "capture-hitler", die="6")


def test_nobody_rolls_before_he_is_there() -> None:
    t = table()
    go(t, "soviet-move", 7)
    put(t, "voronezh-1", "2547")
    assert not t.asked("soviet")
    with refused(NotNow, given="capture-hitler"):
        t.do("soviet", "capture-hitler", die="6")


def test_an_advance_after_combat_counts_too() -> None:
    t = visit()
    t.until("soviet-combat", 8)
    put(t, "voronezh-1", "2547")
    assert [a["action"] for a in t.asked("soviet")] == ["roll-for-hitler"]
    mark(t, "voronezh-1", "exhausted")
    assert len(t.asked("soviet")) == 1  # asked once only
