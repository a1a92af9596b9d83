"""Tracing, the states of supply, Soviet support, towns and VP: rules 10, 12.1, 14.1."""

from __future__ import annotations

from typing import Any

import pytest
from harness import refused
from systems.enemy_action_kharkov.ea_bench import command, mark, owners_book, put, set_, table, take

from companion.engine.errors import StillOwed, Unreadable, Warned
from companion.engine.play.duties import owe
from companion.systems.enemy_action_kharkov.supply import hex_supplied, next_state, supply_heads
from companion.systems.enemy_action_kharkov.support import in_support, line_for

# The heads 2105 and 2804 and the edge 2501 are the rulebook's; the roads and units around them are made up.
MAP = """
road 2105 2106 2107 2108 2109 2110 2111 2112 2113 2114 2115
road 2804 2805 2806
edge german 2115 2806 2501
source german 2115 2806
edge soviet 0101 0201 0301
source soviet 0101
road 0101 0102 0103
"""


def supplied(t: Any, side: str = "german") -> dict[str, bool]:
    return {u: a.supplied for u, a in t.system.rules.supply(t.game, side).items()}


def test_paths_of_the_supply_example() -> None:
    """10.1 example: out of a zone to a head, through a friend's zone hex, not through empty ones, to the edge."""
    t = table(book=owners_book(MAP))
    t.do("table", "go-to", turn=5, phase="supply")
    a = put(t, "german", "A", "2204")
    put(t, "soviet", "near A", "2303")
    assert path(t, a)[-1] == "2204" and path(t, a)[0] in ("2105", "2106")
    b, friend = put(t, "german", "B", "2503"), put(t, "german", "friend", "2504")
    put(t, "soviet", "near B", "2604")
    assert supplied(t)[b] and supplied(t)[friend]
    d = put(t, "german", "D", "2501")
    assert supplied(t)[d]  # on a friendly edge hex, whatever is around it


def path(t: Any, unit: str) -> tuple[str, ...]:
    return tuple(t.system.rules.supply(t.game, "german")[unit].path)


def test_two_hexes_from_a_head_but_both_ways_in_a_zone() -> None:
    """10.1 example C: 2804 is two hexes away, both routes cross empty zone hexes."""
    t = table(book=owners_book("edge german 2804\n"))
    t.do("table", "go-to", turn=5, phase="supply")
    c = put(t, "german", "C", "2604")
    put(t, "soviet", "west", "2706")
    put(t, "soviet", "east", "2703")
    put(t, "soviet", "north", "2505")
    put(t, "soviet", "far east", "2602")
    assert t.game.maps.distance("2604", "2804") == 2
    assert not supplied(t)[c]
    mark(t, "west", "supply", "isolated")
    mark(t, "north", "supply", "isolated")
    assert supplied(t)[c]  # isolated units have no zone [10.22]


def test_a_zone_closes_empty_hexes_only() -> None:
    """10.1-B and C: the same path with and without a friend in the zone hex."""
    t = table(book=owners_book("edge german 2001\n"))
    t.do("table", "go-to", turn=5, phase="supply")
    unit = put(t, "german", "unit", "2004")
    for place in ("1903", "2103", "1703", "2303", "1503", "2503"):
        put(t, "soviet", f"red {place}", place)
    assert supplied(t) == {unit: False}
    put(t, "german", "friend", "2003")
    put(t, "german", "friend 2", "2002")
    assert supplied(t)[unit]


def test_seven_hexes_and_no_more() -> None:
    t = table(book=owners_book("edge german 2001\n"))
    t.do("table", "go-to", turn=5, phase="supply")
    near, far = put(t, "german", "near", "2008"), put(t, "german", "far", "2009")
    assert supplied(t) == {near: True, far: False}


def test_dniepr_cuts_the_path_to_two() -> None:
    sides = [f"1001-{h} dniepr" for h in ("1002", "0902", "0901", "1102", "1101")]
    line = "edge german 1001\n" + "\n".join(sides) + "\n"
    t = table(book=owners_book(line))
    t.do("table", "go-to", turn=5, phase="supply")
    two, three = put(t, "german", "two", "1003"), put(t, "german", "three", "1004")
    assert supplied(t) == {two: True, three: False}
    t = table(book=owners_book(line + "1001-1002 bridge\n"))
    t.do("table", "go-to", turn=5, phase="supply")
    three = put(t, "german", "three", "1004")
    assert supplied(t) == {three: True}
    t = table(book=owners_book(line.replace(" dniepr", " blocked dniepr")))
    t.do("table", "go-to", turn=5, phase="supply")
    two = put(t, "german", "two", "1003")
    assert supplied(t) == {two: False}


def test_enemy_towns_block_and_isolated_units_have_no_zone() -> None:
    t = table(book=owners_book("edge german 2001\ntown 2002 Testtown\n1902 clear\n"))
    t.do("table", "go-to", turn=5, phase="supply")
    unit = put(t, "german", "unit", "2003")
    put(t, "soviet", "north", "1803")
    put(t, "soviet", "south", "2203")
    assert supplied(t)[unit]
    mark(t, "2002", "owner", "soviet")
    assert not hex_supplied(t.game, "german", "2003")
    for name in ("north", "south"):
        mark(t, name, "supply", "isolated")
    assert hex_supplied(t.game, "german", "2003")


def test_road_heads_need_an_open_road() -> None:
    t = table(book=owners_book(MAP))
    assert {"2105", "2110", "2501"} <= supply_heads(t.game, "german")
    put(t, "soviet", "raider", "2112")
    assert "2105" not in supply_heads(t.game, "german") and "2114" in supply_heads(t.game, "german")


def test_everybody_is_supplied_on_turn_1_and_soviets_to_turn_3() -> None:
    t = table(book=owners_book("edge german 2001\nedge soviet 0101\n"))
    unit, red = put(t, "german", "unit", "2009"), put(t, "soviet", "red", "2010")
    assert supplied(t) == {unit: True}
    t.do("table", "go-to", turn=3, phase="supply")
    assert supplied(t) == {unit: False} and supplied(t, "soviet") == {red: True}


@pytest.mark.parametrize(
    ("state", "can", "mud", "then"),
    [
        ("", True, False, ""),
        ("", False, False, "oos"),
        ("oos", False, False, "isolated"),
        ("isolated", False, False, "isolated"),
        ("isolated", True, False, ""),
        ("oos", False, True, "oos"),
        ("oos", True, True, ""),
        ("", False, True, ""),
    ],
)
def test_states_of_supply(state: str, can: bool, mud: bool, then: str) -> None:
    """10.2 and, for heavy mud, 15.34."""
    assert next_state(state, can, heavy_mud=mud) == then


def test_supply_phase_from_good_to_surrender() -> None:
    t = table()
    t.do("table", "go-to", turn=2, phase="supply")
    lost, fine = put(t, "german", "lost", "2010", steps=2), put(t, "german", "fine", "1510")
    put(t, "soviet", "red", "2011")
    for turn, state in ((2, "oos"), (3, "isolated")):
        t.do("table", "go-to", turn=turn, phase="supply")
        t.do("table", "check-supply", side="german", by_hand=True, cut=[lost])
        assert t.game.mark(lost, "supply") == state and not t.game.mark(fine, "supply")
    t.do("table", "go-to", turn=4, phase="supply")
    t.do("table", "check-supply", side="german", by_hand=True, cut=[lost])
    assert t.game.units[lost].steps == 1  # 10.23: alone he pays, and is not asked
    t.do("table", "go-to", turn=5, phase="supply")
    t.do("table", "check-supply", side="german", by_hand=True)
    assert not t.game.mark(lost, "supply")


def test_soviets_are_not_checked_before_turn_4() -> None:
    t = table()
    t.do("table", "go-to", turn=3, phase="supply")
    with refused(Unreadable, field="side", given="soviet"):
        t.do("table", "check-supply", side="soviet", by_hand=True)


def test_the_phase_traces_by_itself_when_the_map_is_entered() -> None:
    t = table(book=owners_book("edge german 2001\n"))
    t.do("table", "go-to", turn=5, phase="supply")
    near, far = put(t, "german", "near", "2008"), put(t, "german", "far", "2009")
    t.do("table", "check-supply", side="german")
    assert t.game.mark(far, "supply") == "oos" and not t.game.mark(near, "supply")
    sheet = t.calc("hex-supply", hex="2008", side="german")
    assert sheet.facts["supplied"] is True and any(x.label == "path" for x in sheet.lines)


def test_air_supply_clears_a_stack() -> None:
    t = command()
    unit = put(t, "soviet", "lost", "2010", formation="3T")
    mark(t, unit, "supply", "isolated")
    take(t, "soviet", "P02")
    t.do("soviet", "play-card", card="P02", what="event", event="air supply")
    t.do("soviet", "air-supply", units=[unit])
    assert not t.game.mark(unit, "supply")


# -- support -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("turn", "vp", "line"),
    [
        (4, 2, "everywhere"),
        (5, 2, "west"),
        (7, 0, "west"),
        (8, 21, "west"),
        (8, 20, "east"),
        (14, 30, "west"),
    ],
)
def test_support_line(turn: int, vp: int, line: str) -> None:
    """10.41."""
    assert line_for(table().game, turn, vp) == line


def test_the_line_is_fixed_when_the_supply_phase_ends() -> None:
    t = table()
    t.do("table", "go-to", turn=8, phase="supply")
    set_(t, "vp", 21)
    t.until("command", 8)
    assert t.game["support-line"] == "west"
    set_(t, "vp", 10)
    assert t.game["support-line"] == "west"  # for the whole turn
    t = table()
    t.do("table", "go-to", turn=8, phase="supply")
    set_(t, "vp", 20)
    t.until("command", 8)
    assert t.game["support-line"] == "east"


def test_forward_support_reaches_five_hexes() -> None:
    """10.4 example D, 10.43, 10.44."""
    t = command(book=owners_book('area "west support zone" 1001 1002\n'), turn=5)
    set_(t, "support-line", "west")
    assert in_support(t.game, "1001") and in_support(t.game, "1010") is False
    take(t, "soviet", "P02")
    t.do("soviet", "play-card", card="P02", what="event", event="forward support")
    with refused(StillOwed):
        t.do("soviet", "end-impulse")
    t.do("soviet", "forward-support", hex="1006")
    assert in_support(t.game, "1010") and in_support(t.game, "1011") and in_support(t.game, "1012") is False
    mark(t, "1505", "forward-support")
    t.record(owe(t.game, "soviet", "place", "forward-support"))
    with refused(Warned) as told:
        t.do("soviet", "forward-support", hex="1606")
    assert told.value.said == ["two forward support markers are on the map already [10.43]"]
    t.record(owe(t.game, "german", "take one off", "air-interdiction"))
    t.do("german", "air-interdiction", hex="1505")
    assert list(t.game.marked("forward-support")) == ["1006"]
    t.until("reserve", 6)
    assert not t.game.marked("forward-support")  # 10.44: off at the end of the turn


def test_attack_is_unsupported_only_when_all_are_outside() -> None:
    """10.4 examples A-C."""
    book = owners_book('area "west support zone" 0914 1216\n'.replace("1216", "1214"))
    t = command(book=book, turn=5)
    set_(t, "support-line", "west")
    inside, outside = (
        put(t, "soviet", "in", "1214", formation="3T"),
        put(t, "soviet", "out", "1115", formation="3T"),
    )
    put(t, "german", "target", "1215", formation="XL")
    t.do("soviet", "play-card", card=t.game.piles["soviet-cards"]["hand:soviet"][0])
    assert t.calc("combat", hex="1215", units=[inside, outside]).facts["fight"].get("supported", True)
    assert t.calc("combat", hex="1215", units=[outside]).facts["fight"]["supported"] is False


# -- towns and VP ------------------------------------------------------------------------------------------------


def test_towns_flip_and_score_at_once() -> None:
    """12.1, 14.1."""
    t = table(book=owners_book("city 1012 Kharkov\nvp 1012 5\ntown 0202 Start\nvp 0202 1\n"))
    red = put(t, "soviet", "red", "1010", formation="3T")
    t.do("table", "place-unit", unit=red, hex="1012")
    assert t.game.mark("1012", "owner") == "soviet" and t.game["vp"] == 7
    t.do("table", "place-unit", unit=red, hex="1010")
    assert t.game["vp"] == 7  # kept when empty
    grey = put(t, "german", "grey", "1110", formation="XL")
    t.do("table", "place-unit", unit=grey, hex="1012")
    assert t.game["vp"] == 2
    t.do("table", "place-unit", unit=grey, hex="0202")
    assert t.game["vp"] == 1  # Soviet from the start [12.1]


def test_an_unknown_value_is_asked() -> None:
    t = table(book=owners_book("town 1012 Testtown\n"))
    red = put(t, "soviet", "red", "1010")
    t.do("table", "place-unit", unit=red, hex="1012")
    assert t.game["vp"] == 2
    t.answer("table", vp=3)
    assert t.game["vp"] == 5


def test_towns_by_hand_without_positions() -> None:
    t = table()
    t.do("table", "go-to", turn=1, phase="command")
    t.do("soviet", "take-town", hex="1012", side="soviet", vp=4)
    t.do("german", "take-town", hex="1012", side="german", vp=4)
    assert t.game["vp"] == 2
    t.do("table", "score-edge", hex="2801", held=True, vp=3)
    assert t.game["vp"] == 5
    t.do("table", "score-edge", hex="2801", held=False)
    assert t.game["vp"] == 2


def test_edge_hexes_need_supply() -> None:
    """14.1: scored when entered in supply, lost when left or cut in a supply phase, back in a later one."""
    t = table(book=owners_book("vp 2803 2\nedge soviet 2801\nedge german 0115\n"))
    t.do("table", "go-to", turn=5, phase="supply")
    red = put(t, "soviet", "red", "2802")
    t.do("table", "place-unit", unit=red, hex="2803")
    assert t.game["vp"] == 4
    put(t, "german", "cut 1", "2802")
    t.until("command", 5)
    assert t.game["vp"] == 2 and t.game.mark("2803", "edge-vp") == "cut"
    t.do("table", "place-unit", unit="cut-1", hex="0115")
    assert t.game["vp"] == 2
    t.do("table", "go-to", turn=6, phase="supply")
    t.until("command", 6)
    assert t.game["vp"] == 4
    t.do("table", "place-unit", unit=red, hex="2804")
    assert t.game["vp"] == 2


def test_effects_are_listed() -> None:
    sheet = table().calc("supply-effects", state="isolated")
    assert any("out of the game" in x.label for x in sheet.lines)
