"""The Soviet railroad marker and German rail movement [8.7, B9]."""

from __future__ import annotations

import pytest
from harness import refused
from systems.panzer_keil.pk_bench import RAILS, go, owners_book, put, table, warned

from companion.engine.errors import NotNow, Unreadable, Warned

LONGER = RAILS + "rail 1406 1506 1606 1706 1806\n"


def test_three_hexes_a_turn() -> None:
    t = table(owners_book(LONGER))
    t.until("soviet-move")
    t.do("soviet", "extend-railroad", hexes="1506 1606")
    assert (list(t.game.marked("railhead")), t.game["rail-repaired"]) == (["1606"], 2)
    with warned("B9.3.1"):
        t.do("soviet", "extend-railroad", hexes="1706 1806")
    t.do("soviet", "extend-railroad", hexes="1706")
    with refused(NotNow, given="extend-railroad"):  # three are done: nothing more is offered
        t.do("soviet", "extend-railroad", hexes="1806")
    t.until("soviet-move", 2)
    assert t.game["rail-repaired"] == 0
    t.do("soviet", "extend-railroad", hexes="1806")


def test_repairs_follow_the_rails_and_keep_out_of_german_zones() -> None:
    t = table(owners_book(LONGER))
    put(t, "ss-w-1", "1707")
    put(t, "voronezh-1", "1606")  # a friend does not help, B9.3.2
    t.until("soviet-move")
    with warned("[B9.3]"):
        t.do("soviet", "extend-railroad", hexes="1507")
    with refused(Unreadable, rule="B9.3.1", field="hexes"):
        t.do("soviet", "extend-railroad", hexes="1606", anyway=True)
    with refused(Warned):  # B9.3.2
        t.do("soviet", "extend-railroad", hexes="1506 1606")
    t.do("soviet", "extend-railroad", hexes="1506")


@pytest.mark.parametrize(("reading", "phase"), [("move", "soviet-move"), ("supply", "soviet-supply")])
def test_phase_of_repair(reading: str, phase: str) -> None:
    t = table(owners_book(LONGER), repair_phase=reading)
    other = "soviet-supply" if phase == "soviet-move" else "soviet-move"
    go(t, other)
    with refused(NotNow, given="extend-railroad"):
        t.do("soviet", "extend-railroad", hexes="1506")
    go(t, phase)
    t.do("soviet", "extend-railroad", hexes="1506")


def test_a_friend_on_the_line_keeps_it_open_by_the_suggested_reading() -> None:
    for reading, end in ((True, "1406"), (False, "0514")):
        t = table(owners_book(), rail_friends=reading)
        put(t, "302id", "0715")
        for n, place in enumerate(("0614", "0714", "0814"), 1):
            put(t, f"voronezh-{n}", place)
        t.do("table", "pull-back-railhead")
        assert list(t.game.marked("railhead")) == [end]


def test_the_marker_can_be_set_by_hand() -> None:
    t = table(units=False)
    with refused(Unreadable, rule="B9.3.3", field="hex"):  # without rails nobody can tell
        t.do("table", "pull-back-railhead")
    assert t.form("table", "pull-back-railhead")[0]["required"]
    t.do("table", "pull-back-railhead", hex="1410")
    assert list(t.game.marked("railhead")) == ["1410"]


def test_five_arriving_units_thirty_hexes() -> None:
    t = table(owners_book())
    go(t, "german-move", 5)
    t.do("german", "rail-move", units=["333id", "302id"], hexes=30, start="1450", end="1430")
    assert {t.game.units[u].place for u in ("333id", "302id")} == {"1430"}
    with warned("B9.1"):
        t.do("german", "rail-move", units=["320id"], hexes=31, end="1430")
    with warned("B9.1"):
        t.do("german", "rail-move", count=4, hexes=3)
    t.do("german", "rail-move", count=3, hexes=3)
    with refused(NotNow, given="rail-move"):  # the fifth has gone
        t.do("german", "rail-move", count=1, hexes=3)
    t.until("german-move", 6)
    assert t.game["rail-units"] == 0


def test_thirty_hexes_in_all_by_another_reading() -> None:
    t = table(units=False, rail_limit="total")
    go(t, "german-move")
    t.do("german", "rail-move", count=2, hexes=15)
    with warned("B9.1"):
        t.do("german", "rail-move", count=1, hexes=1)


@pytest.mark.parametrize(("enemy", "safe"), [("1427", False), ("1426", True), ("1447", False)])
def test_rail_keeps_clear_of_soviet_units(enemy: str, safe: bool) -> None:
    t = table(owners_book())
    put(t, "voronezh-1", enemy)
    go(t, "german-move")
    if safe:
        t.do("german", "rail-move", units=["302id"], hexes=20, start="1450", end="1430")
    else:
        with refused(Warned):  # 8.7.3
            t.do("german", "rail-move", units=["302id"], hexes=20, start="1450", end="1430")


def test_the_map_counts_the_rail_hexes() -> None:
    t = table(owners_book())
    go(t, "german-move")
    rows = {r["name"]: r for r in t.form("german", "rail-move", units=["302id"], start="1450", end="1430")}
    assert rows["hexes"]["quiet"]
    t.do("german", "rail-move", units=["302id"], start="1450", end="1430")
    assert (t.game["rail-units"], t.game["rail-hexes"]) == (1, 20)
    t = table(owners_book(RAILS + "rail 1430 1429..1415\n"))
    go(t, "german-move")
    with warned("B9.1"):  # 35 of them
        t.do("german", "rail-move", units=["302id"], start="1450", end="1415")


def test_the_whole_way_keeps_clear_of_soviet_units() -> None:
    t = table(owners_book())
    put(t, "voronezh-1", "1740")  # three rows from 1440, far from both ends
    go(t, "german-move")
    with refused(Warned):  # 8.7.3
        t.do("german", "rail-move", units=["302id"], start="1450", end="1430")
    t.do("table", "place-unit", unit="voronezh-1", hex="1840")
    t.do("german", "rail-move", units=["302id"], start="1450", end="1430")
    assert t.game.units["302id"].place == "1430"


def test_a_detour_by_rail_is_found() -> None:
    t = table(owners_book(RAILS + "rail 1445 1345 1245 1145 1144..1135 1235 1335 1435\n"))
    put(t, "voronezh-1", "1740")
    go(t, "german-move")
    t.do("german", "rail-move", units=["302id"], start="1450", end="1430")
    assert t.game["rail-hexes"] > 20


def test_riders_begin_where_they_came_in_or_at_their_edge() -> None:
    t = table(owners_book(RAILS + "edge WN 1450\nedge WS 2050\n"))
    go(t, "german-move")
    t.do("german", "enter-units", units=["302id"], hex="1450")
    rows = {r["name"]: r for r in t.form("german", "rail-move", units=["302id"])}
    assert rows["start"]["value"] == "1450"
    with warned("B14"):
        t.do("german", "rail-move", units=["320id"], start="1440", end="1430")  # B14.4
    t.do("german", "rail-move", units=["320id"], start="2050", end="2040")


@pytest.mark.parametrize(
    ("unit", "turn", "nw_rail", "may"),
    [
        ("302id", 1, True, True),
        ("ss-w-1", 1, True, False),  # S: not boxed
        ("3pzd-1", 4, True, False),
        ("167id", 7, True, True),  # NW by the suggested reading
        ("167id", 7, False, False),
        ("15id", 7, True, False),  # not due before turn 8
        ("vii-1", 7, True, False),  # no reinforcement, 8.7.1
    ],
)
def test_who_may_ride(unit: str, turn: int, nw_rail: bool, may: bool) -> None:
    t = table(owners_book(), nw_rail=nw_rail)
    go(t, "german-move", turn)
    if may:
        t.do("german", "rail-move", units=[unit], hexes=5, end="1445")
    else:
        with refused(Unreadable, field="units"):
            t.do("german", "rail-move", units=[unit], hexes=5, end="1445")
