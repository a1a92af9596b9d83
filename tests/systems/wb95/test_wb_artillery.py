"""Artillery: position, fire at range, barrage, bridges [6.0]."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from harness import refused, warned

from companion.engine.errors import NotNow, Unreadable, Warned

Make = Callable[..., Any]


def test_guns_turn_in_movement_only(table: Make) -> None:
    t = table(phase="move-a", fog=False)
    gun = t.unit("soviet", "gun", "3010", kind="ART", a=5, d=3, cel=1)
    t.do("soviet", "flip-artillery", units=gun)
    assert t.mark(gun, "transport")
    t.do("soviet", "flip-artillery", units=gun)
    assert not t.mark(gun, "transport")
    t.until("attack-a")
    with refused(NotNow, given="attack-a"):
        t.do("soviet", "flip-artillery", units=gun)  # 6.2.4


@pytest.mark.parametrize(
    ("fields", "strength", "column"),
    [
        ({"sp": 9}, 9, "9-12"),
        ({"sp": 9, "air": 4}, 13, "13-16"),  # 6.4.4, 8.2.3
        ({"sp": 9, "terrain": "hills forest"}, 5, "3-5"),  # twice two shifts
        ({"sp": 2, "terrain": "town"}, 0, ""),
    ],
)
def test_fire_columns(table: Make, fields: dict[str, Any], strength: int, column: str) -> None:
    sheet = table(phase="attack-a").calc("ranged-fire", **fields)
    assert (sheet.facts["strength"], sheet.column) == (strength, column)


def test_fire_at_range(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    gun = t.unit("soviet", "gun", "3010", kind="ART", a=7, d=3, cel=1)
    foe = t.unit("german", "battery", "3013", kind="ART", a=4, d=2, cel=1)
    t.do("soviet", "fire-at-range", target="3013", guns=gun, die="2 2")  # 6-8, 4: test
    assert t.mark("3013", "shelled")
    t.answer("german", die="6 5")
    assert t.mark(foe, "disorganised")  # 6.4.6 example
    with warned("6.1.4"):
        t.do("soviet", "fire-at-range", target="3013", guns=gun, die="2 2")


def test_shelled_battery_supports_with_half(table: Make) -> None:
    """6.4.6: a disorganised battery adds half its defence."""
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=9)
    t.unit("german", "landser", "3011", a=4)
    battery = t.unit("german", "battery", "3013", kind="ART", a=4, d=3, cel=1)
    t.do("table", "disorganise", units=battery)
    t.do("soviet", "resolve-combat", target="3011", attackers=a)
    t.settle("german", "defend", guns=battery)
    t.settle("soviet", "roll-combat", die="3 4")
    assert t.breakdown["facts"]["defence"] == 4 + 2


@pytest.mark.parametrize("place", ["3011", "3014"])
def test_range_limits(table: Make, place: str) -> None:
    t = table(phase="attack-a", fog=False)
    gun = t.unit("soviet", "gun", "3010", kind="ART", a=7, d=3, cel=1)
    with warned("6.1.2, 6.4.3"):
        t.do("soviet", "fire-at-range", target=place, guns=gun, die="2 2")


def test_hexes_that_must_be_assaulted_are_pointed_out(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "rifles", "3010", a=9)
    t.unit("german", "landser", "3011", a=4)
    sheet = t.calc("ranged-fire", target="3011", sp=5)
    assert any("6.4.5" in w for w in sheet.warnings)
    with refused(Warned) as said:
        t.do("soviet", "fire-at-range", target="3011", sp=5, die="3 4")
    assert "6.4.5" in str(said.value)
    t.do("soviet", "fire-at-range", target="3011", sp=5, die="3 4", anyway=True)
    assert any("6.4.5" in w for w in t.calc("combat", target="3011", attack=4, defence=4).warnings)


def barrage_table(table: Make) -> Any:
    t = table(fog=False, barrage=True)
    t.do("table", "correct", name="ammo-soviet", value="8")
    t.until("barrage-a")
    return t


def test_barrage_is_skipped_unless_granted(table: Make) -> None:
    t = table()
    t.next()
    assert t.game.phase == "move-a"


def test_barrage_spends_ammo_and_doubles(table: Make) -> None:
    """6.5.7: 8 units, 3 batteries on the first day leave 5."""
    t = barrage_table(table)
    guns = [t.unit("soviet", f"gun{n}", "3010", kind="ART", a=3, d=2, cel=1) for n in range(3)]
    t.do("soviet", "fire-barrage", target="3013", guns=",".join(guns), barrage=True, die="3 4")
    assert t.game["ammo-soviet"] == 5
    assert t.game.last_result["breakdown"]["column"] == "17+"  # 9 doubled
    assert t.mark(guns[0], "barrage-fired") == 2
    t.until("attack-a")
    t.unit("soviet", "rifles", "3011", a=5)
    t.unit("german", "landser", "3012", a=3)
    with warned("6.5.6"):
        t.do("soviet", "resolve-combat", target="3012", attackers="rifles", attack_guns=guns[0], die="3 4")
    t.until("attack-b")
    assert t.mark(guns[0], "barrage-fired") == 1
    t.until("supply-b")
    assert t.mark(guns[0], "barrage-fired") is None


def test_barrage_limits(table: Make) -> None:
    t = barrage_table(table)
    with refused(Unreadable, rule="6.5.4", field="batteries"):
        t.do("soviet", "fire-barrage", sp=5, batteries=1, barrage=True, die="3 4")
    with refused(Unreadable, rule="6.5.7", field="batteries"):
        t.do("soviet", "fire-barrage", sp=50, batteries=9, barrage=True, die="3 4")


def test_guns_hit_bridges_even_beside_them(table: Make) -> None:
    t = table(phase="attack-a")
    t.do("soviet", "hit-bridge", bridge="1902 1903", sp=9, die="2 3")
    assert t.mark("1902-1903", "bridge") == "down"


@pytest.mark.parametrize(("guns", "fortified", "mp"), [(3, False, 3), (3, True, 4), (1, True, 2)])  # 6.1.7
def test_overrun_cost(table: Make, guns: int, fortified: bool, mp: int) -> None:
    assert table().calc("overrun-cost", guns=guns, fortified=fortified).facts["mp"] == mp


def test_overrun(table: Make) -> None:
    t = table(phase="move-a", fog=False)
    gun = t.unit("german", "gun", "3011", kind="ART", cel=1)
    hq = t.unit("german", "HQ x", "3011", kind="HQ", cel=1)
    t.do("soviet", "overrun-hex", hex="3011")
    assert {t.game.units[u].place for u in (gun, hq)} == {"box:dead"}
    assert t.mark("3011", "hq-pool-soviet") == 5
    t.unit("german", "landser", "3012")
    with refused(NotNow, rule="6.1.7, 9.1.5", field="hex"):
        t.do("soviet", "overrun-hex", hex="3012")
