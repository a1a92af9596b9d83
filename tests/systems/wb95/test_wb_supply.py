"""Lines of supply on a small map made by the test [10.1]."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from companion.systems.wb95.supply import closed, sources

Make = Callable[..., Any]

# A main road from the west edge along line 30 as far as 3025. Not the real map.
ROAD = "\n".join(f"link,30{n:02d},30{n + 1:02d},main road" for n in range(25, 36))


def answers(t: Any, side: str = "german") -> dict[str, bool]:
    return {name: a.supplied for name, a in t.system.rules.supply(t.game, side).items()}


def test_roads_are_free_and_the_budget_is_spent_off_road(table: Make, map_book: Make) -> None:
    t = table(book=map_book(ROAD), fog=False)
    near = t.unit("german", "near", "3020")  # five clear hexes at 2 MP: 10
    far = t.unit("german", "far", "2819")
    found = answers(t)
    assert found[near] is True
    assert found[far] is False


def test_nations_have_their_own_budget(table: Make, map_book: Make) -> None:
    t = table(book=map_book(ROAD), fog=False)
    romanian = t.unit("german", "rom", "3021", troops="romanian")  # 4 hexes: 8 MP, allies have 7
    three = t.unit("german", "rom3", "3022", troops="romanian")
    found = answers(t)
    assert (found[romanian], found[three]) == (True, True)  # 3021 is next to 3022: a free link
    t.do("table", "place-unit", unit=three, hex="3522")
    assert answers(t)[romanian] is False


def test_winter_costs_more(table: Make, map_book: Make) -> None:
    t = table("black-snow", book=map_book(ROAD), fog=False)
    assert answers(t).keys() == set()
    three = t.unit("german", "three", "3022")
    four = t.unit("german", "four", "2921")
    t.do("table", "place-unit", unit=three, hex="3122")
    found = answers(t)
    assert found[three] is True  # 3 hexes at 3 MP
    assert found[four] is False


def test_neighbours_link_for_nothing(table: Make, map_book: Make) -> None:
    t = table(book=map_book(ROAD), fog=False)
    ids = [t.unit("german", f"u{n}", f"30{n}") for n in range(16, 21)]
    assert all(answers(t)[u] for u in ids)  # 10.1.9


def test_enemy_zones_close_hexes_unless_a_regular_unit_holds_them(table: Make) -> None:
    t = table(fog=False)
    t.unit("soviet", "rifles", "3011")
    assert set(closed(t.game, "german")) == set(t.game.maps.neighbours("3011"))
    t.unit("german", "HQ x", "3012", kind="HQ", cel=1)
    assert "3012" in closed(t.game, "german")
    t.unit("german", "landser", "3012")
    assert "3012" not in closed(t.game, "german")  # 10.1.10


def test_guns_count_for_supply_lines_though_they_have_no_zone(table: Make) -> None:
    t = table(fog=False)
    gun = t.unit("soviet", "gun", "3011", kind="ART", cel=1)
    t.unit("soviet", "HQ y", "4011", kind="HQ", cel=1)
    assert set(closed(t.game, "german")) == set(t.game.maps.neighbours("3011"))  # 10.1.11
    t.do("table", "mark", marker="transport", units=gun, value="on")
    assert closed(t.game, "german") == {}


def test_zones_stop_at_big_rivers_and_at_swamp_for_motors(table: Make, map_book: Make) -> None:
    book = map_book("side,3011,3012,doniec\nterrain,3010,,swamp")
    t = table(book=book, fog=False)
    tank = t.unit("soviet", "tanks", "3011", kind="ARM", klass="mechanized")
    shut = closed(t.game, "german")
    assert "3012" not in shut  # 4.1.3
    assert "3010" not in shut  # 4.1.4
    t.do("table", "set-counter", unit=tank, klass="foot")
    assert "3010" in closed(t.game, "german")
    winter = table("black-snow", book=book, fog=False)
    winter.unit("soviet", "tanks", "3011", kind="ARM", klass="mechanized")
    assert "3010" in closed(winter.game, "german")  # frozen swamp is open to all


def test_encirclement_is_seen_even_without_a_map(table: Make) -> None:
    """Nothing else is: whether ten points reach a road cannot be told without the roads [10.1.6]."""
    t = table(fog=False)
    inside = t.unit("german", "pocket", "3011")
    assert inside not in answers(t)
    for hex_id in t.game.maps.neighbours("3011"):
        t.unit("soviet", f"ring {hex_id}", hex_id)
    found = t.system.rules.supply(t.game, "german")[inside]
    assert found.supplied is False
    assert found.from_units_only is True


def test_without_a_base_nothing_is_told(table: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """[10.1.4] Nobody is called cut off because his bases were never entered."""
    t = table(fog=False)
    t.unit("german", "landser", "3011")
    monkeypatch.setattr("companion.systems.wb95.supply.sources", lambda game, side: [])
    assert answers(t) == {}


def test_enemy_towns_block_around_them(table: Make, map_book: Make) -> None:
    book = map_book("town,3011,,Hamlet\nlink,3011,3012,side road")
    t = table(book=book, fog=False)
    assert closed(t.game, "german") == {}  # nobody has said whose it is
    t.do("table", "set-control", hexes="3011", by="soviet")
    assert set(closed(t.game, "german")) == {"3011", *t.game.maps.neighbours("3011")}  # 10.1.11
    t.unit("german", "landser", "3011")
    assert closed(t.game, "german") == {}
    literal = table(book=book, fog=False, **{"town-zones": False})
    literal.do("table", "set-control", hexes="3011", by="soviet")
    assert closed(literal.game, "german") == {}


def test_fixed_positions_are_always_supplied(table: Make) -> None:
    t = table(fog=False)
    inside = t.unit("german", "pocket", "3011")
    for hex_id in t.game.maps.neighbours("3011"):
        t.unit("soviet", f"ring {hex_id}", hex_id)
    t.do("table", "mark", marker="fort", hexes="3011", value="fp")
    assert answers(t)[inside] is True  # 7.3.7


def test_swamp_and_mountains_stop_a_line(table: Make, map_book: Make) -> None:
    def swamped(scenario: str, **options: Any) -> bool:
        ring = "\n".join(
            f"terrain,{h},,swamp" for h in ("2922", "2923", "3021", "3023", "3122", "3121", "2921", "3123")
        )
        t = table(scenario, book=map_book(ROAD + "\n" + ring), fog=False, **options)
        unit = t.unit("german", "bog", "3022")
        return answers(t)[unit]

    assert swamped("kharkov-1942") is False
    assert swamped("black-snow") is True
    assert swamped("black-snow", **{"winter-swamp": False}) is False


def test_a_destroyed_bridge_takes_its_road(table: Make, map_book: Make) -> None:
    book = map_book(ROAD + "\nside,3026,3027,river\nside,3026,3027,bridge")
    t = table(book=book, fog=False)
    unit = t.unit("german", "end", "3020")
    assert answers(t)[unit] is True
    t.do("table", "go-to", turn=1, phase="move-b")
    t.unit("german", "sapper", "3027")
    t.do("german", "demolish-bridge", hexes="3026 3027")
    assert answers(t)[unit] is False  # one off-road step over a river more than the budget


def test_supply_form_is_filled_in_from_positions(table: Make) -> None:
    t = table(phase="supply-b", fog=False)
    inside = t.unit("german", "pocket", "3011")
    t.unit("german", "free", "3030")
    for hex_id in t.game.maps.neighbours("3011"):
        t.unit("soviet", f"ring {hex_id}", hex_id)
    assert t.form("german", "check-supply")[0]["value"] == [inside]


def test_scenario_supply_bases(table: Make, map_book: Make) -> None:
    book = map_book("city,1815,,Kharkov\nlink,1815,1816,main road")
    summer, winter = table(book=book), table("kharkov-1943", book=book)
    assert "1815" in sources(summer.game, "german")
    assert "1815" not in sources(summer.game, "soviet")
    assert "1815" in sources(winter.game, "soviet")
    assert {"0136", "6400", "0100"} <= set(sources(summer.game, "german"))
    assert "0105" not in sources(winter.game, "german")  # no northern edge in 1943
    assert set(sources(summer.game, "soviet")) == {f"{n:02d}00" for n in range(1, 65)}


def test_a_spent_budget_still_runs_along_roads_but_not_off_them(table: Make, map_book: Make) -> None:
    """10.1.11: on a road again with nothing left, units on it are fed, those off it need one between."""
    second = "link,3020,3019,side road\nlink,3019,3018,side road"
    t = table(book=map_book(ROAD + "\n" + second), fog=False)
    armour = t.unit("german", "armour", "3018")
    guns = t.unit("german", "assault guns", "3016")
    found = answers(t)
    assert (found[armour], found[guns]) == (True, False)
    t.unit("german", "between", "3017")
    assert answers(t)[guns] is True


def test_a_unit_in_the_gap_carries_the_line_through_a_zone(table: Make) -> None:
    """10.1.11: a friendly unit in a hex of an enemy zone lets the line pass there."""
    t = table(fog=False)
    tigers = t.unit("german", "tigers", "3011")
    ring = t.game.maps.neighbours("3011")
    for hex_id in ring[1:]:
        t.unit("soviet", f"r{hex_id}", hex_id)
    assert answers(t)[tigers] is False  # the one gap lies in the zones of its neighbours
    t.unit("german", "bridge builder", ring[0])
    outer = [h for h in t.game.maps.neighbours(ring[0]) if t.game.maps.distance(h, "3011") == 2]
    assert answers(t).get(tigers, True) is any(h not in closed(t.game, "german") for h in outer)
    assert tigers not in answers(t)  # nobody cuts it off
