"""Supply and command paths on a synthetic map [6.1, B6, B8, B10.1, B13.1, B14.3]."""

from __future__ import annotations

import pytest
from harness import Bench, refused
from systems.panzer_keil.pk_bench import go, mark, owners_book, put, table

from companion.engine.errors import NotNow
from companion.systems.panzer_keil.supply import front_distance, in_command, supply


def supplied(t: Bench, unit: str) -> bool:
    return supply(t.game, t.game.units[unit].side)[unit].supplied


@pytest.mark.parametrize(
    ("place", "in_supply"),
    [("1440", True), ("1415", True), ("1414", False), ("0130", True), ("2015", True), ("2014", False)],
)
def test_german_reach_is_fifteen_hexes_from_the_rails(place: str, in_supply: bool) -> None:
    t = table(owners_book())
    put(t, "ss-w-1", place)
    assert supplied(t, "ss-w-1") is in_supply  # B6.2.1: rails end at 1430 and 2030


def test_a_zone_cuts_and_an_undisrupted_friend_opens() -> None:
    """The supply example of 6.1: two enemies close the gap, a friend in it keeps it open."""
    rails = "rail 1450 1449\n"
    t = table(owners_book(rails))
    put(t, "ss-w-1", "1440")
    for n, place in enumerate(("1144", "1344", "1544", "1744", "0944", "0744", "1944"), 1):
        put(t, f"voronezh-{n}", place)
    assert supplied(t, "ss-w-1")  # round the north end, within 15
    for n, place in enumerate(("0544", "0344", "0144", "2144", "2344", "2544", "2744"), 8):
        put(t, f"southwestern-{n}", place)
    assert not supplied(t, "ss-w-1")  # 6.1.4
    put(t, "302id", "1444")
    put(t, "320id", "1443")
    assert supplied(t, "ss-w-1")  # 6.1.3(3)
    mark(t, "302id", "disrupted", "d")
    assert not supplied(t, "ss-w-1")
    assert "enemy zone of control" in str(supply(t.game, "german")["ss-w-1"].cut)


def test_a_disrupted_unit_beside_an_enemy_is_still_supplied() -> None:
    """6.1.4(3) to the letter would starve it for ever: its own hex is exempt by the suggested reading."""
    for reading, expected in (("in-zone", True), ("literal", False)):
        t = table(owners_book(), disrupted_path=reading)
        put(t, "ss-w-1", "1428")
        put(t, "voronezh-1", "1427")
        mark(t, "ss-w-1", "disrupted", "d")
        assert supplied(t, "ss-w-1") is expected, reading


def test_a_root_in_an_enemy_zone_does_not_work() -> None:
    rails = "rail 1450..1440\n"
    t = table(owners_book(rails))
    put(t, "ss-w-1", "1445")
    put(t, "voronezh-1", "1350")  # beside 1450
    put(t, "voronezh-2", "2050")
    put(t, "voronezh-3", "2750")
    assert not supplied(t, "ss-w-1")  # 6.1.2
    put(t, "302id", "1450")
    assert supplied(t, "ss-w-1")
    mark(t, "302id", "disrupted", "d")
    assert not supplied(t, "ss-w-1")


def test_zones_from_over_a_major_river_do_not_cut() -> None:
    walls = [(f"{r:02d}45", f"{r:02d}44") for r in range(1, 34)]
    river = "".join(f"{a}-{b} major river\n" for a, b in walls)
    t = table(owners_book("rail 1450 1449\n" + river + "1444-1443 major river\n"))
    put(t, "ss-w-1", "1446")
    put(t, "voronezh-1", "1444")
    assert supplied(t, "ss-w-1")  # 1445 lies over the river from 1444: B10.1.1


def test_sixth_army_never_starves() -> None:
    t = table(owners_book())
    put(t, "6a-1", "1703")
    put(t, "ss-w-1", "1704")
    assert (supplied(t, "6a-1"), supplied(t, "ss-w-1")) == (True, False)  # B13.1.1


@pytest.mark.parametrize(
    ("hq", "unit", "in_supply"),
    [
        ("1409", "1419", True),  # ten hexes
        ("1409", "1420", False),  # eleven
        ("3009", "3015", True),  # any length of path to the headquarters itself, B8.2.2
        ("", "1407", False),  # no headquarters, B8.2.1
    ],
)
def test_soviet_command_range(hq: str, unit: str, in_supply: bool) -> None:
    t = table(owners_book())
    if hq:
        put(t, "southwestern-hq", hq)
    put(t, "southwestern-1", unit)
    assert supplied(t, "southwestern-1") is in_supply


def test_a_disrupted_or_cut_off_headquarters_commands_nobody() -> None:
    t = table(owners_book())
    put(t, "southern-hq", "1409")
    put(t, "southern-1", "1410")
    assert supplied(t, "southern-1")
    mark(t, "southern-hq", "disrupted", "d")
    assert not supplied(t, "southern-1")  # B8.4
    assert supplied(t, "southern-hq")  # it can recover
    mark(t, "southern-hq", "disrupted", "off")
    put(t, "ss-w-1", "0114")  # the root is taken: nothing comes through
    assert not supplied(t, "southern-hq") and not supplied(t, "southern-1")


def test_cut_off_headquarters_may_still_command_by_a_reading() -> None:
    t = table(owners_book(), cut_off_hq="commands")
    put(t, "southern-hq", "1409")
    put(t, "southern-1", "1410")
    put(t, "ss-w-1", "0114")
    assert supplied(t, "southern-1")


def test_any_friend_opens_a_command_path() -> None:
    gate = {"any": True, "undisrupted": False}
    for reading, expected in gate.items():
        t = table(owners_book(), command_friends=reading)
        put(t, "southern-hq", "1406")
        put(t, "southern-1", "2106")
        put(t, "southern-2", "1806")  # the gap in a wall of zones along row 18
        mark(t, "southern-2", "disrupted", "d")
        for n, place in enumerate(("1802", "1805", "1808", "1811", "1814", "1817"), 1):
            put(t, f"hollidt-a-{n}", place)
        assert supplied(t, "southern-1") is expected, reading  # B8.1.4


def test_don_bound_units_hear_only_the_don_headquarters() -> None:
    t = table(owners_book())
    put(t, "southern-hq", "1409")
    put(t, "don-1", "1410")
    put(t, "southern-1", "1411")
    assert (supplied(t, "don-1"), supplied(t, "southern-1")) == (False, True)  # B13.2.1
    put(t, "don-hq", "1408")
    assert supplied(t, "don-1")
    assert in_command(t.game, "don") >= {"don-1", "southern-1"}
    assert "don-1" not in in_command(t.game, "southern")


@pytest.mark.parametrize(("length", "covered"), [("next-check", True), ("arrival", False)])
def test_reinforcements_are_supplied_until_the_next_turn(length: str, covered: bool) -> None:
    t = table(owners_book(), grace_length=length)
    go(t, "soviet-move", 3)
    t.do("soviet", "enter-units", units=["40a-1"], hex="0130")
    assert supplied(t, "40a-1")
    go(t, "soviet-supply", 4)
    assert supplied(t, "40a-1") is covered  # B14.3
    go(t, "soviet-supply", 5)
    assert not supplied(t, "40a-1")


@pytest.mark.parametrize(("how", "distance"), [("path", 10), ("straight", 10), ("root", 23)])
def test_distance_of_a_headquarters(how: str, distance: int) -> None:
    t = table(owners_book(), front_distance=how)
    put(t, "southern-hq", "2406")
    assert front_distance(t.game, "southern") == distance


def test_check_marks_and_clears() -> None:
    t = table(owners_book())
    put(t, "ss-w-1", "1440")
    put(t, "302id", "1404")
    mark(t, "ss-w-1", "oos")
    t.until("german-supply")
    t.do("german", "check-supply", anyway=True)
    assert (t.game.mark("ss-w-1", "oos"), t.game.mark("302id", "oos")) == (None, True)
    t.until("weather", 2)
    assert t.game.mark("302id", "oos")  # 6.1.6: until its own next supply phase


def test_without_railroads_supply_is_marked_by_hand() -> None:
    t = table(owners_book(rails=""))
    put(t, "ss-w-1", "1440")
    put(t, "6a-1", "1703")
    t.until("german-supply")
    with refused(NotNow, given="check-supply"):
        t.do("german", "check-supply", anyway=True)
    t.do("german", "mark-supply", out=["ss-w-1"])
    assert t.game.mark("ss-w-1", "oos")
    t.do("german", "mark-supply")
    assert not t.game.mark("ss-w-1", "oos")
    with refused(NotNow, rule="B13.1.1", field="out"):
        t.do("german", "mark-supply", out=["6a-1"])


def test_the_soviet_line_is_cut_and_its_marker_pulled_back() -> None:
    t = table(owners_book())
    put(t, "southern-hq", "1409")
    put(t, "302id", "0716")  # two off the line: no zone on it
    t.until("soviet-supply")
    t.do("soviet", "check-supply", anyway=True)
    assert list(t.game.marked("railhead")) == ["1406"]
    put(t, "302id", "0715")  # its zone covers 0614, 0714 and 0814
    go(t, "soviet-supply", 2)
    t.do("soviet", "check-supply", anyway=True)
    assert list(t.game.marked("railhead")) == ["0514"]  # B9.3.3


def test_without_the_railroads_nobody_can_tell_who_is_out_of_supply() -> None:
    """6.1.1, B6.1: a side is not called out of supply while the map book lacks the line to its root."""
    t = table(owners_book("rail 0114 0214\n"))  # the Soviet root alone
    put(t, "vii-1", "0225")
    put(t, "voronezh-1", "0320")
    assert not supply(t.game, "german")
    assert not supplied(t, "voronezh-1")
    blank = table(owners_book(""))
    put(blank, "voronezh-1", "0320")
    assert not supply(blank.game, "soviet")
    go(t, "german-supply")
    with refused(NotNow, given="check-supply"):
        t.do("german", "check-supply")
