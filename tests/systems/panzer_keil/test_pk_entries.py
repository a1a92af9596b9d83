"""Coming in, riding and leaving: entry hexes, delays, rails, exits, Don divisions [8.6-8.8, B9.1, B13.2, B14, B15.1]."""

from __future__ import annotations

from dataclasses import replace

import pytest
from harness import Bench, refused
from systems.panzer_keil.pk_bench import RAILS, go, mark, owners_book, put, table, warned

from companion.engine.errors import NotNow, NotYours, StillOwed, Unreadable

EDGES = "edge WN 0950 1050\nedge WS 2050\nedge 40A 0130 0131\n"


def shut(*hexes: str, turn: int = 3) -> Bench:
    """The Soviet entry 40A with Germans in some of its hexes, before Soviet movement."""
    t = table(owners_book(RAILS + EDGES))
    for n, place in enumerate(hexes, 1):
        put(t, f"vii-{n}", place)
    go(t, "soviet-move", turn)
    return t


# -- 8.6 reinforcements --------------------------------------------------------------------------------------


def test_with_one_entry_hex_open_nobody_comes_in_beside_the_edge() -> None:
    t = shut("0130")
    with warned("B14"):
        t.do("soviet", "enter-units", units=["40a-1"], hex="0129")
    t.do("soviet", "enter-units", units=["40a-1"], hex="0131")


def test_delayed_reinforcements_come_a_turn_later_in_the_nearest_free_hex() -> None:
    """8.6.4: every entry hex is enemy-held, so they wait a turn, then enter as near as they can."""
    t = shut("0130", "0131")
    with warned("8.6.3"):
        t.do("soviet", "enter-units", units=["40a-1"], hex="0130")
    with warned("8.6.4"):  # not at once
        t.do("soviet", "enter-units", units=["40a-1"], hex="0129")
    t.until("soviet-move", 4)
    with warned("8.6.4"):  # and not anywhere
        t.do("soviet", "enter-units", units=["40a-1"], hex="0135")
    t.do("soviet", "enter-units", units=["40a-1"], hex="0129")
    assert t.game.units["40a-1"].place == "0129" and not t.game.mark("40a-1", "barred")


def test_whoever_was_delayed_uses_his_edge_again_once_it_is_open() -> None:
    t = shut("0130", "0131")
    t.until("soviet-move", 4)
    t.do("table", "place-unit", unit="vii-1", hex="0235")
    with warned("B14"):
        t.do("soviet", "enter-units", units=["40a-1"], hex="0129")
    t.do("soviet", "enter-units", units=["40a-1"], hex="0130")


def test_an_edge_held_for_the_first_time_delays_those_who_waited_by_choice() -> None:
    t = shut("0130", turn=4)  # due on turn 3, kept back
    put(t, "vii-2", "0131")
    with warned("8.6.4"):
        t.do("soviet", "enter-units", units=["40a-1"], hex="0129")


def test_a_zone_alone_closes_no_entry_hex() -> None:
    t = shut("0230")  # beside both
    done = t.do("soviet", "enter-units", units=["40a-1"], hex="0130")
    assert any(event.KIND == "noted" and event.rule == "8.6.2" for event in done)
    with warned("8.6.2"):  # and there it stays
        t.do("soviet", "move-units", units=["40a-1"], way="0129")


def test_without_a_map_book_reinforcements_still_come_in_at_the_edge_of_the_map() -> None:
    t = table()
    go(t, "german-move")
    with warned("8.6.1"):
        t.do("german", "enter-units", units=["302id"], hex="1420")
    t.do("german", "enter-units", units=["302id"], hex="1420", anyway=True)  # the map may end elsewhere
    assert t.game.units["302id"].place == "1420"


def test_a_whole_formation_is_held_to_its_edge_too() -> None:
    t = shut()
    with warned("B14"):
        t.do("soviet", "arrive", arrival="40a", hex="0140")
    assert "40a" in [d["id"] for d in t.sees("soviet")["due"]]
    t.do("soviet", "arrive", arrival="40a", hex="0131")


def test_a_reinforcement_put_on_the_map_by_hand_has_come_in_all_the_same() -> None:
    """8.6, B14.3: moved out of the list or tapped onto the map, it is supplied and may ride like any other."""
    t = shut()
    t.do("soviet", "place-unit", unit="40a-1", hex="0131")
    assert t.game.mark("40a-1", "grace") == 4 and t.game.mark("40a-1", "entered")
    done = t.do("soviet", "place-unit", unit="40a-2", hex="0920")
    assert any(event.KIND == "noted" and event.rule == "B14" for event in done)
    t.do("table", "place-unit", unit="voronezh-1", hex="0920")  # no reinforcement
    assert not t.game.mark("voronezh-1", "grace")


@pytest.mark.parametrize("seat", ["german", "watch"])
def test_nobody_brings_in_the_other_sides_units(seat: str) -> None:
    t = shut()
    with refused(NotYours):
        t.do(seat, "enter-units", units=["40a-1"], hex="0131")


# -- 8.7 rail ------------------------------------------------------------------------------------------------


def riding() -> Bench:
    t = table(owners_book(RAILS + EDGES + "edge WN 1450\n"))
    go(t, "german-move")
    return t


@pytest.mark.parametrize(
    ("start", "end", "rule"),
    [
        ("1450", "1330", "8.7.2"),  # no rails at the end
        ("0950", "1430", "8.7.2"),  # none at the beginning
        ("2050", "1430", "8.7.2"),  # two lines that never meet
        ("1440", "1430", "B14"),  # not where they come in
    ],
)
def test_a_ride_follows_rails_from_its_edge(start: str, end: str, rule: str) -> None:
    t = riding()
    with warned(rule):
        t.do("german", "rail-move", units=["302id"], start=start, end=end, hexes=10)
    assert not t.game.units["302id"].place and t.game["rail-units"] == 0


def test_who_has_walked_or_ridden_does_not_ride() -> None:
    """8.7.1: only reinforcements as they come in."""
    t = riding()
    t.do("german", "enter-units", units=["302id", "320id"], hex="1450")
    t.do("german", "move-units", units=["302id"], way="1449")
    t.do("german", "rail-move", units=["320id"], end="1440")
    with refused(NotNow, given="rail-move"):
        t.do("german", "rail-move", units=["302id"], end="1430")
    go(t, "german-move", 5)  # others may
    for unit in ("302id", "320id"):
        with refused(Unreadable, field="units", given=unit):
            t.do("german", "rail-move", units=[unit], end="1430", hexes=3)
    t.do("german", "rail-move", units=["333id"], start="1450", end="1440")


def test_a_ride_of_units_says_where_it_ends() -> None:
    with refused(Unreadable, rule="8.7", field="end"):
        riding().do("german", "rail-move", units=["302id"], start="1450", hexes=4)


def test_an_entry_hex_among_soviets_is_no_station() -> None:
    t = riding()
    put(t, "voronezh-1", "1450")
    with warned("8.6.3", "8.7.3"):
        t.do("german", "rail-move", units=["302id"], start="1450", end="1440")


# -- 8.8 exits -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("unit", "place", "rule"),
    [
        ("voronezh-1", "1410", "8.8, B15.1"),  # in the middle of the map
        ("voronezh-1", "0120", "B15.1"),  # an edge, but not the western one
        ("don-1", "1450", "B13.2.2"),
    ],
)
def test_what_speaks_against_a_scoring_exit_is_said_first(unit: str, place: str, rule: str) -> None:
    t = table()
    put(t, unit, place)
    go(t, "soviet-move")
    with warned(rule):
        t.do("soviet", "exit-map", units=[unit], west=True)
    assert t.game["exits"] == 0 and t.game.units[unit].place == place
    t.do("soviet", "exit-map", units=[unit], west=True, anyway=True)
    assert t.game["exits"] == 1


@pytest.mark.parametrize("seat", ["soviet", "table"])
def test_an_exit_put_on_record_by_hand_counts_once(seat: str) -> None:
    t = table()
    put(t, "voronezh-1", "1450")
    t.do(seat, "place-unit", unit="voronezh-1", box="box:exit-west")
    t.do(seat, "place-unit", unit="voronezh-1", box="box:exit-west")
    assert t.game["exits"] == 1
    t.do(seat, "place-unit", unit="voronezh-1", hex="1450")
    assert t.game["exits"] == 0


def test_without_units_only_the_western_edge_is_counted() -> None:
    t = table(units=False)
    t.until("soviet-move")
    with refused(Unreadable, field="west", rule="B15.1"):
        t.do("soviet", "exit-map", west=False, count=2)


def test_once_gone_a_unit_does_not_come_back_by_a_move() -> None:
    t = table()
    put(t, "voronezh-1", "1450")
    put(t, "voronezh-2", "1440")
    go(t, "soviet-move")
    t.do("soviet", "exit-map", units=["voronezh-1"], west=True)
    with refused(Unreadable, field="units", given="voronezh-1"):
        t.do("soviet", "move-units", units=["voronezh-1"], way="1449")  # 8.8.2


def test_a_german_leaves_at_an_edge_of_the_map() -> None:
    t = table()
    put(t, "ss-w-1", "1440", kind="armour")
    go(t, "german-move")
    with warned("8.8"):
        t.do("german", "exit-map", units=["ss-w-1"])


# -- Don divisions -------------------------------------------------------------------------------------------


def returning() -> Bench:
    t = table()
    t.do("soviet", "fall-of-stalingrad")
    for unit in ("don-52grd", "don-66grd"):
        t.do("table", "place-unit", unit=unit, box="box:don-reserve")
    go(t, "soviet-move", 10)
    return t


def test_don_divisions_come_back_beside_a_headquarters_and_not_among_germans() -> None:
    t = returning()
    with warned("B13.2.3"):  # no headquarters on record at all
        t.do("soviet", "return-don-units", units=["don-52grd"], hex="2011")
    put(t, "southern-hq", "2010")
    put(t, "ss-w-1", "2011")
    with warned("8.6.3"):
        t.do("soviet", "return-don-units", units=["don-52grd"], hex="2011")
    t.do("soviet", "return-don-units", units=["don-52grd"], hex="2009")
    assert t.game.mark("don-52grd", "grace") == 11  # B14.3


# -- Hitler --------------------------------------------------------------------------------------------------


def visited(phase: str, turn: int) -> Bench:
    t = table()
    go(t, "german-support", 7)
    t.next()
    assert t.game["hitler"] == "here"
    go(t, phase, turn)
    return t


def test_whoever_only_passes_zaporizhzhia_has_entered_it() -> None:
    """B15.3.3: a Soviet unit goes on to 2548."""
    t = visited("soviet-move", 8)
    put(t, "voronezh-1", "2546")
    t.do("soviet", "move-units", units=["voronezh-1"], way="2547 2548")
    assert [a["action"] for a in t.asked("soviet")] == ["roll-for-hitler"]


def test_a_retreat_into_zaporizhzhia_is_an_entry_too() -> None:
    t = visited("german-combat", 7)
    put(t, "voronezh-1", "2547")
    assert [a["action"] for a in t.asked("soviet")] == ["roll-for-hitler"]


def test_a_city_that_was_soviet_once_gives_no_roll_by_itself() -> None:
    t = table()
    t.do("table", "mark", marker="owner", hexes="2547", value="soviet")
    put(t, "vii-1", "2546")  # its zone makes the city German [5.4]
    go(t, "german-support", 7)
    t.next()
    assert t.game["hitler"] == "here" and not t.asked("soviet")


# -- supply --------------------------------------------------------------------------------------------------


def test_supply_that_cannot_be_traced_is_judged_anew_each_turn() -> None:
    """6.1.6: out of supply until the next supply phase, also where it is marked by hand."""
    t = table()
    put(t, "ss-w-1", "1440")
    go(t, "german-supply")
    t.do("german", "mark-supply", hexes="1440")
    t.do("german", "next-phase")
    t.until("german-supply", 2)
    with refused(StillOwed) as refusal:
        t.do("german", "next-phase")
    assert "6.1.6" in refusal.value.said[0]
    t.do("german", "mark-supply")
    assert not t.game.mark("ss-w-1", "oos")
    t.do("german", "next-phase")


def test_supply_is_checked_once_and_again_on_request() -> None:
    t = table(owners_book())
    put(t, "ss-w-1", "2041")
    t.until("german-supply")
    t.do("german", "check-supply")
    with refused(NotNow, given="check-supply"):
        t.do("german", "check-supply")
    t.do("table", "place-unit", unit="ss-w-1", hex="2110")
    t.do("german", "check-supply-again")
    assert t.game.mark("ss-w-1", "oos")


# -- headquarters' points ------------------------------------------------------------------------------------


def test_a_filled_points_list_is_asked_for_hexes_in_words_too() -> None:
    t = table(owners_book(rails=""), units=False)
    t.until("soviet-supply")
    ask = t.asked("soviet")[0]
    assert "hexes" in ask["text"] and "oints" not in ask["text"]
    assert [r["name"] for r in ask["form"] if r["name"].endswith("_hexes")] and not [
        r for r in ask["form"] if r["name"].endswith("_supply")
    ]


def test_a_blank_points_list_asks_for_points() -> None:
    t = table(units=False)
    t.until("soviet-supply")
    assert "points" in t.asked("soviet")[0]["text"]


def test_a_distance_that_the_list_does_not_have_is_asked_for_in_points() -> None:
    book = owners_book()
    bands = {"1": {"from": 0, "to": 1, "supply": 6, "support": 5}}
    t = table(replace(book, tables={**book.tables, "front-points": bands}))
    put(t, "voronezh-hq", "1211")  # further away than the list goes
    t.until("soviet-supply")
    t.do("soviet", "check-supply", anyway=True)
    ask = next(a for a in t.asked("soviet") if a["action"] == "headquarters-points")
    names = [r["name"] for r in t.form_of("soviet", t.game.asked[ask["id"]])]
    assert "voronezh_supply" in names and "voronezh_hexes" not in names  # the distance is known
    t.do("soviet", "headquarters-points", _asked=ask["id"], voronezh_supply=2, voronezh_support=1)
    assert t.game["voronezh-sp"] == 2


def test_a_typed_distance_beyond_the_list_brings_up_the_points() -> None:
    book = owners_book(rails="")
    bands = {"1": {"from": 0, "to": 3, "supply": 6, "support": 5}}
    t = table(replace(book, tables={**book.tables, "front-points": bands}), units=False)
    t.until("soviet-supply")
    rows = [r["name"] for r in t.form("soviet", "headquarters-points", voronezh_hexes=9, don_hexes=2)]
    assert "voronezh_supply" in rows and "don_supply" not in rows
    t.answer("soviet", voronezh_hexes=9, voronezh_supply=1, voronezh_support=0, don_hexes=2)
    assert (t.game["voronezh-sp"], t.game["don-sp"]) == (1, 6)


def test_who_came_in_this_turn_can_be_said_by_hand() -> None:
    t = riding()
    put(t, "302id", "1450")
    mark(t, "302id", "entered")
    rows = {r["name"]: r for r in t.form("german", "rail-move")}
    assert "302id" in [c["value"] for c in rows["units"]["choices"]]  # set by hand: it did come in this turn


def test_a_phase_does_not_end_over_reinforcements_without_a_word() -> None:
    """8.6.1: they may wait, but knowingly; what waits from an earlier turn is not said again."""
    t = table()
    t.until("german-move")
    with warned("8.6.1"):
        t.do("german", "next-phase")
    t.do("german", "next-phase", anyway=True)
    t.until("german-move", 2)
    t.do("german", "next-phase")
    t = table()
    for n, unit in enumerate(("ss-w-1", "ss-w-2", "ss-w-3", "302id", "320id")):
        put(t, unit, f"33{20 + n}")
    t.until("german-move")
    t.do("german", "next-phase")  # put there by hand, they are in
