"""Each remaining table option changes what it says it changes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from harness import warned

from companion.systems.wb95.zones import zones

Make = Callable[..., Any]


@pytest.mark.parametrize(("reading", "asks"), [("side", 1), ("hex", 2), ("unit", 3)])
def test_who_tests(table: Make, reading: str, asks: int) -> None:
    """Three attackers from two hexes roll a dot: one test for the side, two for hexes, three for units."""
    t = table(phase="attack-a", **{"test-for": reading})
    ids = [t.unit("soviet", f"b{n}", h, a=3) for n, h in enumerate(("3010", "3010", "2911"))]
    t.do("soviet", "resolve-combat", target="3011", attackers=",".join(ids), defence=9, die="1 3")  # 1:1, 4
    tests = [a for a in t.asked("soviet") if a["action"] == "take-tests"]
    assert len(tests) == asks
    t.settle("german", "retreat", go=0)
    t.settle("german", "take-losses", hex_is="held")
    for _ in range(asks):
        t.answer("soviet", die="6 6")
    assert all(t.mark(u, "disorganised") for u in ids)
    if reading == "unit":
        assert "soviet-b0" not in json.dumps(t.hears("german")[-20:])


@pytest.mark.parametrize("shaken", [True, False])
def test_bombs_on_guns(table: Make, shaken: bool) -> None:
    t = table(phase="air-a", fog=False, **{"guns-shaken": shaken})
    gun = t.unit("german", "gun", "2020", kind="ART", cel=1)
    rifle = t.unit("german", "landser", "2020")
    t.do("soviet", "attack-from-air", sp=8, target="2020", side="soviet", die="1 1")  # -1D
    assert bool(t.mark(gun, "disorganised")) is shaken
    assert t.mark(rifle, "disorganised")


@pytest.mark.parametrize("free", [True, False])
def test_enemy_bridges_under_fire(table: Make, free: bool) -> None:
    t = table(phase="attack-b", **{"any-bridge": free})
    t.do("table", "set-up")
    if free:
        t.do("german", "hit-bridge", bridge="1602 1603", sp=9, die="2 3")
        assert t.mark("1602-1603", "bridge") == "down"
    else:
        with warned("14.1.4"):
            t.do("german", "hit-bridge", bridge="1602 1603", sp=9, die="2 3")


@pytest.mark.parametrize(("counts", "modifier"), [(False, -1), (True, 0)])
def test_far_guns_and_headquarters(table: Make, counts: bool, modifier: int) -> None:
    t = table(phase="attack-a", fog=False, **{"hq-counts-guns": counts})
    a = t.unit("soviet", "rifles", "3010", a=5)
    gun = t.unit("soviet", "gun", "3008", kind="ART", a=4, d=2, cel=1)
    t.unit("soviet", "HQ x", "3013", kind="HQ", cel=1)
    t.unit("german", "landser", "3011", a=4)
    assert t.calc("combat", target="3011", attackers=a, attack_guns=gun).modifier == modifier


def division(t: Any, side: str, formation: str, troops: str = "") -> str:
    """Three counters of one formation, made from a listed one."""
    t.do("table", "set-up")
    first = next(u for u in t.game.units.values() if u.formation == formation and u.kind not in ("HQ", "ART"))
    t.do("table", "place-unit", unit=first.id, hex="3010")
    t.do("table", "open-formation", unit=first.id, counters="x, y, z")
    made = [u.id for u in t.game.units.values() if u.id.startswith(f"{first.id}-")]
    for unit in made:
        t.do("table", "set-counter", unit=unit, attack=3)
    return ",".join(made)


@pytest.mark.parametrize(("allies", "shifts"), [(True, 1), (False, 0)])
def test_allied_divisions_concentrate(table: Make, allies: bool, shifts: int) -> None:
    t = table(phase="attack-b", fog=False, **{"concentration-allies": allies})
    units = division(t, "german", "Romanian 4 Division")
    assert t.calc("combat", attackers=units, defence=5).facts["attack_shifts"] == shifts


@pytest.mark.parametrize(("cavalry", "shifts"), [(False, 0), (True, 1)])
def test_cavalry_corps_concentrate(table: Make, cavalry: bool, shifts: int) -> None:
    t = table(phase="attack-a", fog=False, **{"concentration-cavalry": cavalry})
    units = division(t, "soviet", "V CAV Corps")
    assert t.calc("combat", attackers=units, defence=5).facts["attack_shifts"] == shifts


def test_armoured_corps_concentrate_but_armies_do_not(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    units = division(t, "soviet", "XXI ARM Corps")
    assert t.calc("combat", attackers=units, defence=5).facts["attack_shifts"] == 1
    other = table(phase="attack-a", fog=False)
    loose = division(other, "soviet", "28 Army")
    assert other.calc("combat", attackers=loose, defence=5).facts["attack_shifts"] == 0


@pytest.mark.parametrize("big", [True, False])
def test_the_doniec_as_a_big_river(table: Make, map_book: Make, big: bool) -> None:
    t = table(fog=False, book=map_book("side,3010,3011,doniec"), **{"doniec-is-big": big})
    t.unit("soviet", "rifles", "3010")
    assert ("3011" in zones(t.game, "soviet")) is not big  # 4.1.3
    sheet = t.calc("combat", attack=10, doniec=10, defence=5, attack_stars="blue")
    assert sheet.facts["attack_shifts"] == (0 if big else 1)  # 15.1.8


def test_literal_ratio(table: Make) -> None:
    assert table().calc("combat", attack=1, defence=2).column == "1:2"
    assert table(**{"weak-ratio": "literal"}).calc("combat", attack=1, defence=2).column == "1:1"
