"""Set-up, reinforcements, movement sheets [3.0, 11.0, 12.0]."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from harness import refused, warned

from companion.engine.errors import NotNow, Unknown, Unreadable

Make = Callable[..., Any]


def due(t: Any) -> list[str]:
    return [a["text"] for a in t.sees("table")["due"]]


# -- set-up


def test_kharkov_1942_in_one_tap(table: Make) -> None:
    t = table()
    t.do("table", "set-up")
    assert t.game.units["k42-g-050"].place == "1205"  # HQ XVII
    assert {t.game.units[f"k42-s-024-{c}"].place for c in "abc"} == {"4520"}  # VI CAV (26, 28, 49)
    assert t.game.units["k42-s-035"].place == "3617"
    assert t.mark("k42-s-035", "troops") == "guards"  # 5 ARM-BR
    assert t.game.units["k42-g-059"].place == ""  # 3 ARM: its owner places it in Kharkov
    assert t.game.units["k42-gr-18"].turn == 6  # 16 ARM on 17 May
    assert t.mark("3413", "fort") == "if"
    with refused(NotNow, given="set-up"):
        t.do("table", "set-up")


def test_missing_cel(table: Make) -> None:
    t = table("black-snow")
    t.do("table", "set-up")
    assert t.game.units["bs-s-016"].steps == 1  # 106 INF-BR (-1 CEL)
    assert t.game.units["bs-s-016"].full == 2
    assert t.mark("bs-g-001", "short") == 3  # 3 ARM: its counters are not printed
    panels = {s: t.panel(s, "To take off before play") for s in SEATS}
    assert panels["german"]["3 ARM 6002"] == "3 CEL"
    assert panels["soviet"] and not any("3 ARM" in str(panels[s]) for s in ("soviet", "table", "watch"))
    counters = "bs-g-007-a,bs-g-007-b,bs-g-007-c"
    t.do("german", "take-missing", formations="bs-g-007-a", units=counters)
    assert [t.game.units[f"bs-g-007-{c}"].steps for c in "abcd"] == [1, 1, 1, 2]
    assert t.mark("bs-g-007-a", "short") is None
    with refused(Unreadable, rule="set-up list", field="units"):
        t.do("german", "take-missing", formations=",".join(german_short(t)[:2]), units=counters)
    with refused(Unknown, field="formations"):
        t.do("german", "take-missing", formations="bs-s-035")  # the other side's
    t.do("german", "take-missing", formations=",".join(german_short(t)))  # done on the map: one tap for all
    assert not german_short(t)


def german_short(t: Any) -> list[str]:
    return [u for u in t.game.marked("short") if t.game.units[u].side == "german"]


SEATS = ("german", "soviet", "table", "watch")


def test_listed_counters_of_a_corps(table: Make) -> None:
    t = table("kharkov-1943")
    t.do("table", "set-up")
    corps = [u for u in t.game.units.values() if u.formation == "XXV ARM Corps"]
    assert sorted(u.place for u in corps) == ["6229", "6229", "6329", "6329"]
    assert t.mark("k43-s-038-a", "short") == 4


def test_doubtful_lines_are_shown_as_such(table: Make) -> None:
    t = table("kharkov-1943")
    t.do("table", "set-up")
    seen = {u["id"]: u for u in t.sees("soviet")["units"]}
    assert "0132" in seen["k43-s-001"]["doubtful"]
    t.do("soviet", "place-unit", unit="k43-s-001", hex="0132")
    assert t.game.units["k43-s-001"].place == "0132"


def test_counters_are_copied_in(table: Make) -> None:
    t = table()
    t.do("table", "set-up")
    t.do("german", "set-counter", unit="k42-g-030", attack=3, mp=7, cel=1, star="yellow")
    unit = t.game.units["k42-g-030"]
    assert (unit.factors, unit.steps, unit.full) == ({"A": 3, "D": 3, "MP": 7}, 1, 1)
    assert t.mark("k42-g-030", "star") == "yellow"
    with refused(Unreadable, field="unit", given="k42-g-030"):
        t.do("soviet", "set-counter", unit="k42-g-030", attack=9)


def test_a_division_opens_into_counters(table: Make) -> None:
    t = table("kharkov-1943", fog=False)
    t.do("table", "set-up")
    t.do("german", "open-formation", unit="k43-g-021-a", counters="DF, D, Art.")
    new = [u for u in t.game.units.values() if u.id.startswith("k43-g-021-a-")]
    assert [(u.place, u.formation) for u in new] == [("6131", "2 SS Division")] * 3
    assert {t.mark(u.id, "troops") for u in new} == {"ss"}
    assert t.game.units["k43-g-021-a"].place == "box:opened"


# -- reinforcements


def test_arrivals_by_date(table: Make) -> None:
    t = table()
    assert due(t) == []
    t.until("move-a", 2)  # 13 May
    assert sorted(due(t)) == ["III CAV", "Romanian 20 INF"]
    t.do("soviet", "arrive", arrival="soviet-2-20")
    assert due(t) == ["Romanian 20 INF"]


def test_arrival_puts_units_on_the_map(table: Make) -> None:
    t = table()
    t.do("table", "set-up")
    t.until("move-b", 4)
    name = next(a["id"] for a in t.sees("table")["due"] if "577" in a["text"])
    t.do("german", "arrive", arrival=name, hex="2319")
    assert {t.game.units[f"k42-gr-02-{c}"].place for c in "ab"} == {"2319"}


def test_lost_list_is_flagged(table: Make) -> None:
    t = table("kharkov-1943")
    item = next(a for a in t.sees("german")["due"] if "GD" in a["text"])
    assert "lost" in item["doubtful"]


def test_izjum_frees_one_unit_a_day(table: Make) -> None:
    t = table()
    t.until("supply-b", 5)
    t.do("german", "izjum-falls")
    assert not [x for x in due(t) if "Izjum" in x]
    t.until("move-a", 6)
    assert len([x for x in due(t) if "Izjum" in x]) == 1
    t.until("move-a", 7)
    assert len([x for x in due(t) if "Izjum" in x]) == 2
    t.until("move-a", 14)
    assert len([x for x in due(t) if "Izjum" in x]) == 5
    with refused(NotNow, given="izjum-falls"):
        t.do("german", "izjum-falls")


def test_no_such_button_in_winter(table: Make) -> None:
    with refused(NotNow, given="izjum-falls"):
        table("black-snow").do("german", "izjum-falls")


@pytest.mark.parametrize(
    ("fields", "costs"),
    [
        ({"cost": "2", "cel": 20}, ["2", "4", "6"]),  # 11.1.5: ten full infantry through woods
        ({"cost": "0.5", "cel": 20}, ["0.5", "1", "1.5"]),
        ({"cost": "1/3", "stacks": 2}, ["1/3", "2/3"]),
        ({"cost": "2", "cel": 8}, ["2"]),
    ],
)
def test_stack_entry(table: Make, fields: dict[str, Any], costs: list[str]) -> None:
    assert table().calc("stack-entry", **fields).facts["costs"] == costs


def test_a_stack_that_cannot_pay_waits(table: Make) -> None:
    sheet = table().calc("stack-entry", cost="2", cel=20, mp=5)
    assert "wait" in sheet.lines[-1].effect
    with refused(Unreadable, field="cost", given="two"):
        table().calc("stack-entry", cost="two", cel=20)


@pytest.mark.parametrize(
    ("wanted", "now", "wait"),
    [
        ("C", "7", 0),
        ("B", "3.5", 1),
        ("D", "3.5", 1),
        ("A", None, 1),
        ("F", None, 1),
        ("G", None, 2),
        ("I", None, 2),
        ("J", None, 3),
    ],
)
def test_zone_change_examples(table: Make, wanted: str, now: str | None, wait: int) -> None:
    """11.2.1 and 11.2.2, from zone C with 7 MP."""
    sheet = table().calc("zone-change", printed="C", wanted=wanted, mp=7)
    assert (sheet.facts["now"], sheet.facts["wait"]) == (now, wait)


def test_zones_in_a_circle_are_an_option(table: Make) -> None:
    assert table().calc("zone-change", printed="A", wanted="T").facts["distance"] == 19
    assert table(**{"zones-circle": True}).calc("zone-change", printed="A", wanted="T").facts["distance"] == 1
    with refused(Unreadable, rule="11.2", field="wanted"):
        table().calc("zone-change", printed="A", wanted="left")


def test_delay_and_return(table: Make) -> None:
    t = table()
    t.do("table", "set-up")
    t.until("move-b", 2)
    t.do("german", "redirect-entry", units="k42-gr-01", zone="H")  # Romanian 20 INF from D: 4 zones, 2 turns
    assert (t.game.units["k42-gr-01"].entry, t.game.units["k42-gr-01"].turn) == ("zone H", 4)
    t.do("german", "leave-map", units="k42-g-055", zone="P")
    assert t.game.units["k42-g-055"].place == "box:off-map"
    assert list(t.panel("german", "Off the map").values())[0] == "zone P, from day 3"
    assert not t.panel("soviet", "Off the map")
    t.do("german", "place-unit", unit="k42-g-055", hex="0110")


# -- movement


@pytest.mark.parametrize(
    ("fields", "mp"),
    [
        ({"mp": 7, "strategic": True}, "5"),  # 12.2.3
        ({"mp": 4, "out_of_supply": True}, "2"),  # 3.1.13 b
        ({"mp": 7, "out_of_supply": True}, "4"),  # 1.7: rounded up
        ({"mp": 7, "out_of_supply": True, "pays": True}, "7"),
        ({"mp": 7, "zone_change": True}, "3.5"),  # 11.2.1
        ({"mp": 5, "hindered": 1}, "4"),  # 8.2.16
    ],
)
def test_allowance(table: Make, fields: dict[str, Any], mp: str) -> None:
    assert table().calc("allowance", **fields).facts["mp"] == mp


def test_halves_of_movement_are_an_option(table: Make) -> None:
    t = table(**{"half-mp": "exact"})
    assert t.calc("allowance", mp=7, out_of_supply=True).facts["mp"] == "3.5"


@pytest.mark.parametrize(
    ("scenario", "fields", "result"),
    [
        ("kharkov-1942", {"klass": "trucked"}, "2 MP"),
        ("kharkov-1942", {"klass": "trucked", "terrain": "forest"}, "4 MP"),
        ("kharkov-1942", {"klass": "mechanized", "terrain": "hills forest", "water": "river"}, "3.5 MP"),
        ("kharkov-1942", {"klass": "trucked", "terrain": "swamp"}, "closed"),
        ("kharkov-1942", {"klass": "trucked", "terrain": "swamp", "hq": True}, "5 MP"),  # 9.1.3
        ("kharkov-1942", {"klass": "trucked", "road": "main road", "terrain": "forest"}, "1/3 MP"),
        ("black-snow", {"klass": "foot"}, "1.5 MP"),
        ("black-snow", {"klass": "trucked", "water": "doniec"}, "6 MP"),
        ("black-snow", {"klass": "mechanized", "terrain": "swamp"}, "2 MP"),
        ("black-snow", {"klass": "foot", "terrain": "forest", "leaves_zone": True}, "3.5 MP"),  # 4.2.6
        (
            "black-snow",
            {"klass": "trucked", "terrain": "forest", "water": "doniec", "mp": 7},
            "7 MP",
        ),  # 3.1.13 a
        ("kharkov-1942", {"klass": "foot", "aircraft": 2}, "3 MP"),  # 8.2.13
    ],
)
def test_hex_costs(table: Make, scenario: str, fields: dict[str, Any], result: str) -> None:
    assert table(scenario).calc("hex-cost", **fields).result == result


def test_strategic_marks(table: Make) -> None:
    t = table(phase="move-a", fog=False)
    a, b = t.unit("soviet", "rear", "3010"), t.unit("soviet", "front", "2010")
    t.unit("german", "landser", "2011")
    with warned("12.2.1"):
        t.do("soviet", "mark-strategic", units=b)
    t.do("soviet", "mark-strategic", units=a)
    t.until("strategic-a")
    assert t.mark(a, "strategic")
    t.next()
    assert not t.mark(a, "strategic")


def test_without_strategic_movement_its_phases_are_skipped(table: Make) -> None:
    t = table(phase="attack-a", **{"strategic-movement": False})
    t.next()
    assert t.game.phase == "supply-a"


def test_stacking_panel(table: Make) -> None:
    t = table(fog=False)
    for n in range(5):
        t.unit("soviet", f"u{n}", "3010")
    assert t.panel("soviet", "Over the stacking limit") == {"3010": "10 CEL of 8"}
    assert not t.panel("german", "Over the stacking limit")


def test_the_form_says_by_which_zone_it_enters(table: Make) -> None:
    """11.1.3: what the due list says is not forgotten where the hex is asked."""
    t = table()
    t.do("table", "set-up")
    t.do("table", "go-to", turn=2, phase="move-a")
    (offer,) = t.shown("soviet", "arrive")["arrival"]["choices"]
    fields = {f["name"]: f for f in t.form("soviet", "arrive", arrival=offer["value"])}
    assert fields["hex"]["help"] == "zone R"
