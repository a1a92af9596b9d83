"""The movement calculator (8.3, 8.7, 9.8, 11.3, 11.11-11.19)."""

from __future__ import annotations

from typing import Any

import pytest
from harness import bare, refused

from companion.engine.errors import Unreadable
from companion.engine.forms.worksheet import Breakdown
from companion.systems.second_kharkov import rules


def calc(route: str, **fields: Any) -> Breakdown:
    given = {"side": "soviet", "klass": "non-mech", "mf": 9, "route": route, **fields}
    return rules.worksheets["movement"].work(given, bare("second-kharkov"))


@pytest.mark.parametrize(
    ("route", "klass", "side", "spent", "rule"),
    [
        ("clear", "non-mech", "soviet", 1, "11.11"),
        ("clear", "mech", "german", 1, "11.11"),
        ("forest", "non-mech", "german", 1, "11.12"),
        ("forest", "mech", "german", 2, "11.12"),
        ("marsh", "non-mech", "soviet", 2, "11.13"),
        ("town", "mech", "soviet", 1, "11.15"),
        ("city", "non-mech", "soviet", 1, "11.15"),
        ("city", "mech", "soviet", 2, "11.15"),
        ("minor clear", "non-mech", "german", 2, "11.14"),
        ("minor clear", "mech", "german", 3, "11.14"),
        ("crossing clear", "non-mech", "german", 2, "11.14"),
        ("crossing clear", "mech", "german", 3, "11.14"),
        ("minor forest", "mech", "german", 4, "11.16 example"),
        ("iz clear", "non-mech", "soviet", 2, "11.19"),
        ("iz minor forest", "mech", "soviet", 5, "11.19"),
        ("iz clear", "non-mech", "german", 1, "11.19: Soviets only"),
        ("clear, forest, minor clear", "mech", "german", 6, "11.16"),
        ("major clear", "mech", "german", 9, "11.14: the whole factor"),
    ],
)
def test_costs(route: str, klass: str, side: str, spent: int, rule: str) -> None:
    sheet = calc(route, klass=klass, side=side)
    assert 9 - sheet.facts["left"] == spent


@pytest.mark.parametrize(
    ("route", "fields", "made", "rule"),
    [
        ("marsh", {"klass": "mech"}, 0, "11.13"),
        ("clear, major clear", {}, 1, "11.14"),
        ("major iz clear", {}, 0, "11.19"),
        ("major clear", {"from_iz": True}, 0, "11.19"),
        ("major clear", {"from_iz": True, "side": "german"}, 1, "11.14"),
        ("zoc clear, clear", {}, 1, "8.7"),
        ("zoc clear, clear", {"side": "german"}, 1, "8.3"),
        ("zoc clear", {"from_zoc": True}, 0, "8.7"),
        ("zoc clear", {"from_zoc": True, "side": "german"}, 1, "11.11"),
        ("zoc clear, zoc clear", {"from_zoc": True, "side": "german"}, 1, "8.3"),
        ("clear, zoc clear", {"from_zoc": True}, 2, "11.11"),
        ("minor forest", {"klass": "mech", "mf": 2}, 1, "11.3"),
        ("clear, minor forest", {"klass": "mech", "mf": 4}, 1, "11.2"),
        ("marsh", {"klass": "mech", "mf": 1}, 0, "11.13"),
        ("clear, clear, clear", {"mf": 5, "oos": True}, 3, "9.8"),
        ("clear, clear, clear", {"mf": 4, "oos": True}, 2, "9.8"),
    ],
)
def test_how_far_it_gets(route: str, fields: dict[str, Any], made: int, rule: str) -> None:
    sheet = calc(route, **fields)
    assert sheet.facts["steps"] == made
    assert rule in [line.rule for line in sheet.lines]
    assert ("gets there" in sheet.result) == (made == len(route.split(",")))


@pytest.mark.parametrize("route", ["swamp", "", "clear, lake"])
def test_unknown_ground_is_named(route: str) -> None:
    with refused(Unreadable, field="route"):
        calc(route)


def test_a_path_on_the_map(table: Any) -> None:
    """The map book, enemy zones and interdiction are read from the record."""
    ground = (("terrain", "2611", "", "forest"), ("side", "2510", "2611", "minor river"))
    t = table(turn=3, ground=ground, fog=False)
    t.enter("TB", "soviet", "2510", kind="tank", af=5, df=2, mf=8)
    t.enter("44", "german", "2812", kind="infantry")
    sheet = t.calc("movement", unit="soviet-tb", hexes="2611 2711")
    assert [line.effect for line in sheet.lines] == ["8", "-4", "-1"]
    assert "8.7" in [line.rule for line in t.calc("movement", unit="soviet-tb", hexes="2611 2711 2712").lines]
    with refused(Unreadable, rule="11.1", field="hexes", given="2812"):
        t.calc("movement", unit="soviet-tb", hexes="2812")
    t.do("table", "mark", marker="interdiction", hexes="2712")
    sheet = t.calc("movement", unit="soviet-tb", hexes="2611 2711")
    assert sheet.lines[-1].effect == "-2" and sheet.lines[-1].label.endswith("2 left")


def test_stacking_holds_in_passing(table: Any) -> None:
    """7.2, 7.3: limits are in force at every moment, so a full hex bars the way through as well."""
    t = table(turn=3, phase="german-move", fog=False)
    mover = t.enter("14 Pz", "german", "2510", army="6th Army", kind="panzer", mf=8)
    for n in range(3):
        t.enter(f"{n} ID", "german", "2511", army="6th Army", kind="infantry")
    t.enter("17A", "german", "2512", army="17th Army", kind="infantry")
    warned = t.calc("movement", unit=mover, hexes="2511 2512 2513").warnings
    assert [w[:4] for w in warned] == ["2511", "2512"]
    assert "7.1" in warned[0] and "7.2" in warned[0] and "7.3" in warned[1]
    assert t.calc("movement", unit=mover, hexes="2509").warnings == []


def test_judged_and_hasty_units_are_halved(table: Any) -> None:
    """9.8, 13.4."""
    t = table("alternative")
    t.until("german-move", 2)
    unit = t.enter("23 Pz", "german", "2510", army="1st Panzer Army", kind="panzer", mf=9)
    assert [
        line.rule
        for line in t.calc("movement", unit=unit, hexes="2511").lines
        if line.effect == "not checked"
    ] == ["6.2"]
    t.do("german", "voluntary-release", armies="first-panzer")
    assert t.calc("movement", unit=unit, hexes="2511").facts["mf"] == 5
    t.do("german", "judge-supply", units=unit, state="out")
    assert t.calc("movement", unit=unit, hexes="2511").facts["mf"] == 3
