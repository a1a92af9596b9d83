"""Supply and support points by turn, side and headquarters [B6.3, B7, B8]."""

from __future__ import annotations

import pytest
from harness import refused
from systems.panzer_keil.pk_bench import go, mark, owners_book, put, table, warned

from companion.engine.errors import StillOwed, Unreadable
from companion.systems.panzer_keil.base import FRONTS
from companion.systems.panzer_keil.points import german_points


@pytest.mark.parametrize(
    ("turn", "points"), [(1, (5, 3)), (5, (5, 3)), (6, (8, 5)), (10, (8, 5)), (14, (8, 5))]
)
def test_german_points(turn: int, points: tuple[int, int]) -> None:
    assert german_points(turn) == points  # B6.3.1, B7.1


def test_pools_fill_when_the_phase_opens_and_lapse_when_it_closes() -> None:
    t = table(units=False)
    t.until("german-supply")
    assert (t.game["german-sp"], t.game["german-sap"]) == (5, 3)
    t.next()
    assert (t.game["german-sp"], t.game["german-sap"]) == (0, 3)  # B6.3.5
    t.next()
    assert t.game["german-sap"] == 0


def test_a_blank_table_asks_for_each_headquarters() -> None:
    t = table(units=False)
    t.until("soviet-supply")
    assert [a["args"]["fronts"] for a in t.asked("soviet")] == [list(FRONTS)]
    with refused(Unreadable, rule="B6.3.2", field="voronezh_supply"):
        t.do("soviet", "front-points", front="voronezh", distance=4)
    with refused(Unreadable, rule="B6.3.2", field="voronezh_support"):
        t.answer("soviet", voronezh_supply=3)
    with refused(Unreadable, rule="B6.3.2", field="voronezh_supply"):
        t.answer("soviet")
    t.answer("soviet", voronezh_supply=3, voronezh_support=2, don_supply=1, don_support=0)
    assert (t.game["voronezh-sp"], t.game["voronezh-sap"]) == (3, 2)
    assert (t.game["don-sp"], t.game["don-sap"], t.game["southern-sp"]) == (1, 0, 0)
    assert not t.asked("soviet")


def test_the_form_begins_with_what_each_headquarters_had_last_turn() -> None:
    t = table(units=False)
    t.until("soviet-supply")
    t.answer("soviet", voronezh_supply=3, voronezh_support=2)
    t.until("soviet-supply", 2)
    rows = {r["name"]: r["value"] for r in t.form("soviet", "headquarters-points")}
    assert (rows["voronezh_supply"], rows["voronezh_support"], rows["don_supply"]) == (3, 2, None)
    assert t.game["voronezh-sp"] == 0  # the points themselves lapsed


def test_the_form_asks_for_distances_where_the_table_is_filled_and_not_for_fronts_that_are_gone() -> None:
    t = table(owners_book(rails=""), units=False)
    t.do("soviet", "fall-of-stalingrad")
    t.until("soviet-supply")
    rows = [r["name"] for r in t.form("soviet", "headquarters-points") if not r["hidden"]]
    assert rows == ["voronezh_hexes", "southwestern_hexes", "southern_hexes"]
    t.answer("soviet", voronezh_hexes=4, southern_hexes=40)
    assert (t.game["voronezh-sp"], t.game["southern-sap"]) == (6, 1)


def test_an_unanswered_question_goes_along_while_points_can_be_spent() -> None:
    t = table(units=False)
    t.until("soviet-supply")
    with refused(StillOwed):
        t.do("soviet", "next-phase")
    t.until("soviet-support")
    t.answer("soviet", voronezh_supply=3, voronezh_support=2)
    assert t.game["voronezh-sap"] == 2
    t.until("soviet-support", 2)
    done = t.next()
    assert not t.asked("soviet")  # B6.3.5: nothing is left to spend them on
    assert any(event.KIND == "answered" and event.answer == "no longer applies" for event in done)


@pytest.mark.parametrize(
    ("distance", "points"), [(0, (6, 5)), (5, (6, 5)), (6, (4, 3)), (12, (4, 3)), (40, (2, 1))]
)
def test_a_filled_table_answers_by_distance(distance: int, points: tuple[int, int]) -> None:
    t = table(owners_book(rails=""), units=False)
    t.until("soviet-supply")
    t.do("soviet", "front-points", front="southern", distance=distance)
    assert (t.game["southern-sp"], t.game["southern-sap"]) == points


def test_the_supply_check_measures_the_headquarters_itself() -> None:
    t = table(owners_book())
    put(t, "voronezh-hq", "1409")  # on the railroad
    put(t, "southwestern-hq", "1411")
    put(t, "southern-hq", "2406")  # ten hexes from the railhead
    t.until("soviet-supply")
    t.do("soviet", "check-supply", anyway=True)
    got = {f: (t.game[f"{f}-sp"], t.game[f"{f}-sap"]) for f in ("voronezh", "southwestern", "southern")}
    assert got == {"voronezh": (6, 5), "southwestern": (6, 5), "southern": (4, 3)}
    assert [(a["action"], a["args"]["fronts"]) for a in t.asked("soviet")] == [
        ("headquarters-points", ["don"])
    ]


def test_a_disrupted_headquarters_has_no_points() -> None:
    t = table(owners_book())
    put(t, "voronezh-hq", "1409")
    mark(t, "voronezh-hq", "disrupted", "d")
    t.until("soviet-supply")
    t.do("soviet", "check-supply", anyway=True)
    assert t.game["voronezh-sp"] == 0  # B8.4


def test_one_point_restores_one_unit() -> None:
    t = table()
    for unit in ("ss-w-1", "ss-w-2"):
        put(t, unit, "1440", kind="armour")
        mark(t, unit, "exhausted")
    t.until("german-supply")
    t.do("german", "spend-supply", units=["ss-w-1"])
    assert t.game["german-sp"] == 4
    assert t.game.mark("ss-w-1", "exhausted") is None
    assert t.game.mark("ss-w-2", "exhausted")
    t.do("table", "correct", name="german-sp", value="0")
    with warned("B6.3"):
        t.do("german", "spend-supply", units=["ss-w-2"])


def test_points_can_be_spent_without_units_on_record() -> None:
    t = table(units=False)
    t.until("german-supply")
    t.do("german", "spend-supply", count=3)
    assert t.game["german-sp"] == 2
    with warned("B6.3"):
        t.do("german", "spend-supply", count=3)
    t.do("german", "spend-supply", count=3, anyway=True)  # somebody counted otherwise
    assert t.game["german-sp"] == 0


def test_soviet_points_go_to_commanded_units_only() -> None:
    t = table(owners_book())
    put(t, "voronezh-hq", "1409")
    put(t, "southern-hq", "2406")
    put(t, "voronezh-1", "1415", kind="armour")  # six from Voronezh, nine rows from the Southern Front
    put(t, "don-1", "1408", kind="armour")
    put(t, "don-hq", "1405")
    for unit in ("voronezh-1", "don-1"):
        mark(t, unit, "exhausted")
    t.until("soviet-supply")
    t.do("soviet", "check-supply", anyway=True)
    with refused(Unreadable, rule="B8.2", field="front"):
        t.do("soviet", "spend-supply", units=["voronezh-1"])
    with warned("B8.2"):
        t.do("soviet", "spend-supply", units=["voronezh-1"], front="southern")
    with warned("B13.2.1"):
        t.do("soviet", "spend-supply", units=["don-1"], front="voronezh")  # B13.2.1
    t.do("soviet", "spend-supply", units=["voronezh-1"], front="voronezh")
    t.do("soviet", "spend-supply", units=["don-1"], front="don")
    assert (t.game["voronezh-sp"], t.game["don-sp"]) == (5, 5)


def test_new_turn_empties_soviet_pools() -> None:
    t = table(units=False)
    t.until("soviet-supply")
    t.do("soviet", "front-points", front="don", supply=4, support=4)
    go(t, "german-recovery")
    t.until("soviet-supply", 2)
    assert (t.game["don-sp"], t.game["don-sap"]) == (0, 0)


def test_the_form_offers_units_in_command_of_the_paying_headquarters() -> None:
    t = table(owners_book())
    put(t, "voronezh-hq", "1409")
    put(t, "don-hq", "1405")
    put(t, "voronezh-1", "1415", kind="armour")
    put(t, "voronezh-2", "3040", kind="armour")  # out of everybody's range, though not marked so
    put(t, "don-1", "1408", kind="armour")
    for unit in ("voronezh-1", "voronezh-2", "don-1"):
        mark(t, unit, "exhausted")
    go(t, "soviet-supply")
    t.do("table", "correct", name="voronezh-sp", value="2")
    rows = {r["name"]: r for r in t.form("soviet", "spend-supply")}
    assert rows["front"]["value"] == "voronezh"  # the only one with points
    assert [c["value"] for c in rows["units"]["choices"]] == ["voronezh-1"]  # B8.2, B13.2.1


def test_the_form_begins_with_a_headquarters_that_can_help_somebody() -> None:
    t = table(owners_book())
    put(t, "voronezh-hq", "1409")
    put(t, "don-hq", "1405")
    put(t, "don-1", "1408", kind="armour")
    mark(t, "don-1", "exhausted")
    go(t, "soviet-supply")
    for front in ("voronezh", "don"):
        t.do("table", "correct", name=f"{front}-sp", value="2")
    rows = {r["name"]: r for r in t.form("soviet", "spend-supply")}
    assert rows["front"]["value"] == "don"  # B13.2.1: Voronezh has points, and nobody to give them to
    assert [c["value"] for c in rows["units"]["choices"]] == ["don-1"]


def test_points_that_could_turn_somebody_back_are_asked_about_before_they_are_lost() -> None:
    t = table(owners_book())
    put(t, "ss-w-1", "2040", kind="armour")
    t.until("german-supply")
    t.do("german", "mark-supply")
    t.do("german", "next-phase")  # nobody is exhausted
    t.do("table", "go-to", turn=1, phase="german-supply")
    t.do("table", "correct", name="german-sp", value="5")
    mark(t, "ss-w-1", "exhausted")
    t.do("german", "mark-supply")
    with refused(StillOwed) as refusal:
        t.do("german", "next-phase")
    assert ["B6.3.5" in words for words in refusal.value.said] == [True]
    t.do("german", "spend-supply", units=["ss-w-1"])
    t.do("german", "next-phase")


def test_a_headquarters_that_cannot_have_points_is_not_asked_for() -> None:
    """B8.4: a disrupted one does not function; one that nobody put on the map, beside others, neither."""
    t = table()
    for front, place in (("voronezh", "1409"), ("southwestern", "1411"), ("southern", "2406")):
        put(t, f"{front}-hq", place)
    mark(t, "southern-hq", "disrupted", "d")
    t.until("soviet-supply")
    assert [a["args"]["fronts"] for a in t.asked("soviet")] == [["voronezh", "southwestern"]]
