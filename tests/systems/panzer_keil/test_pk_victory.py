"""Scoring, levels, occupation, exits [5.4, 8.8, B15]."""

from __future__ import annotations

from typing import Any

import pytest
from harness import refused
from systems.panzer_keil.pk_bench import go, mark, owners_book, put, table

from companion.engine.errors import Warned
from companion.systems.panzer_keil.ground import occupier
from companion.systems.panzer_keil.victory import german_units, level, soviet_cities


@pytest.mark.parametrize(
    ("soviet", "german", "winner", "size"),
    [
        (50, 49, "soviet", "narrow"),
        (60, 50, "soviet", "narrow"),
        (61, 50, "soviet", "tactical"),
        (80, 50, "soviet", "tactical"),
        (81, 50, "soviet", "strategic"),
        (50, 60, "german", "narrow"),
        (50, 61, "german", "tactical"),
        (50, 80, "german", "tactical"),
        (50, 81, "german", "strategic"),
        (50, 50, "german", ""),
        (0, 0, "german", ""),
    ],
)
def test_level(soviet: int, german: int, winner: str, size: str) -> None:
    assert level(soviet, german) == (winner, size)  # B15.4


@pytest.mark.parametrize(
    ("fields", "soviet", "german"),
    [
        ({"held": "2147 0941"}, 50, 0),
        ({"held": "0147 0439 1149 2547 3346"}, 15, 0),
        ({"majors": 3, "towns": 4}, 19, 0),
        ({"exits": 3}, 6, 0),
        ({"mech": 5, "foot": 4, "allies": 3}, 0, 16),
        ({"held": "0941", "foot": 10}, 20, 20),
    ],
)
def test_points_by_hand(fields: dict[str, Any], soviet: int, german: int) -> None:
    sheet = table(units=False).calc("victory", **fields)
    assert (sheet.facts["soviet"], sheet.facts["german"]) == (soviet, german)


CITIES = """
rail 0114 0214 0314
major city 0920 Big
city 0921 Small
"""


@pytest.mark.parametrize(
    ("place", "worth"), [("0941", 20), ("2147", 30), ("0920", 5), ("0921", 1), ("0147", 3)]
)
def test_a_city_counts_when_occupied_and_linked(place: str, worth: int) -> None:
    t = table(owners_book(CITIES))
    t.do("table", "pull-back-railhead", hex="0314")
    put(t, "voronezh-1", place)
    t.do("table", "place-unit", unit="voronezh-1", hex=place)
    assert soviet_cities(t.game).get(place) == worth
    put(t, "ss-w-1", "0114")  # the root is gone, so is every link
    assert soviet_cities(t.game) == {}


def test_the_owner_may_write_another_value() -> None:
    t = table(owners_book(CITIES + "vp 0941 25\n"))
    t.do("table", "pull-back-railhead", hex="0314")
    put(t, "voronezh-1", "0941")
    assert soviet_cities(t.game)["0941"] == 25


def test_the_owners_values_are_scored() -> None:
    t = table(owners_book(CITIES + "vp 0941 25\nvp 0920 7\nvp 0921 2\n"))
    t.do("table", "pull-back-railhead", hex="0314")
    for n, place in enumerate(("0941", "0920", "0921"), 1):
        put(t, f"voronezh-{n}", place)
    assert t.calc("victory").facts["soviet"] == 34
    assert t.calc("victory", majors=1, towns=1).facts["soviet"] == 34  # as the form begins
    assert t.calc("victory", majors=2, towns=1).facts["soviet"] == 37  # two typed in: 5 each [B15.1]


@pytest.mark.parametrize(
    ("soviet", "german", "passed", "reading", "holder"),
    [
        ("0941", "", "", "present", "soviet"),  # 5.4(1)
        ("0940", "", "", "present", "soviet"),  # 5.4(2): a zone is enough
        ("", "", "soviet", "present", "soviet"),  # 5.4(3)
        ("", "", "", "present", ""),
        ("0940", "0942", "soviet", "present", "contested"),  # 5.4.1
        ("0941", "0942", "", "present", "contested"),  # 5.4.1: unit against zone
        ("", "0942", "soviet", "present", "german"),
        ("", "0942", "soviet", "passage", "soviet"),
        ("", "0941", "soviet", "passage", "german"),
    ],
)
def test_occupation(soviet: str, german: str, passed: str, reading: str, holder: str) -> None:
    t = table(occupation=reading)
    if soviet:
        put(t, "voronezh-1", soviet)
    if german:
        put(t, "ss-w-1", german)
    t.do("table", "mark", marker="owner", hexes="0941", value=passed or "off")
    assert occupier(t.game, "0941") == holder


@pytest.mark.parametrize(
    ("reading", "counts"),
    [("all", (1, 1, 1)), ("allies", (2, 1, 1))],
)
def test_german_survivors(reading: str, counts: tuple[int, int, int]) -> None:
    t = table(german_vp_supply=reading)
    put(t, "ss-w-1", "1440", kind="armour", nation="german")
    put(t, "ss-w-2", "1440", kind="mechanized infantry", nation="german")
    mark(t, "ss-w-2", "oos")
    put(t, "302id", "1441", kind="infantry", nation="german")
    put(t, "h2a-1", "1442", kind="infantry", nation="hungarian")
    put(t, "h2a-2", "1442", kind="armour", nation="hungarian")
    mark(t, "h2a-2", "oos")
    put(t, "320id", "1443", kind="infantry", nation="german")
    t.do("table", "place-unit", unit="320id", box="box:exit")  # left the map: does not count
    assert german_units(t.game) == counts  # B15.2


@pytest.mark.parametrize(
    ("west", "oos", "box", "scored"),
    [(True, False, "box:exit-west", 1), (False, False, "box:exit", 0), (True, True, "box:exit", 0)],
)
def test_breakthrough(west: bool, oos: bool, box: str, scored: int) -> None:
    t = table()
    put(t, "voronezh-1", "1450")
    if oos:
        mark(t, "voronezh-1", "oos")
    go(t, "soviet-move")
    t.do("soviet", "exit-map", units=["voronezh-1"], west=west, anyway=oos)  # which is said first
    assert (t.game.units["voronezh-1"].place, t.game["exits"]) == (box, scored)  # 8.8, B15.1


def test_a_german_exit_scores_nothing_and_disrupted_units_stay() -> None:
    t = table()
    put(t, "ss-w-1", "1450")
    put(t, "ss-w-2", "1450")
    mark(t, "ss-w-2", "disrupted", "d")
    go(t, "german-move")
    t.do("german", "exit-map", units=["ss-w-1"], west=True)
    assert t.game["exits"] == 0
    with refused(Warned):  # 8.5.1
        t.do("german", "exit-map", units=["ss-w-2"], west=True)


def test_the_record_is_scored_when_nobody_types_anything() -> None:
    t = table(owners_book(CITIES, track=["mud"]))
    t.do("table", "pull-back-railhead", hex="0314")
    put(t, "voronezh-1", "0941")
    put(t, "302id", "1440", kind="infantry", nation="german")
    t.do("soviet", "roll-weather", die="2")
    t.until("scoring")
    t.next()
    assert t.game.ended and t.game.ended.why == "Soviet 20, German 2 points"
    assert t.game.ended.level == "tactical"
    assert t.game.ended.vp == {"soviet": 20, "german": 2}
