"""Roster, set-up, reinforcements, stacking, moves and the cost of a march [5.1, 8, B4, B14]."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from harness import SCENARIOS, Bench, bare, refused
from systems.panzer_keil.pk_bench import go, mark, owners_book, put, table, warned

from companion.engine.errors import NotNow, Unreadable, Warned
from companion.engine.forms.fields import Context
from companion.engine.seat.words import describe
from companion.systems import find_system
from companion.systems.panzer_keil.condition import waiting
from companion.systems.panzer_keil.setup import misplaced
from companion.systems.panzer_keil.stacking import overstacked

KIT = find_system("panzer-keil", SCENARIOS).kit
UNITS = KIT.scenarios["winter-1943"].units

COUNTS = {
    "VII": 3,
    "H2A": 3,
    "FP": 3,
    "Hollidt-A": 9,
    "Hollidt-B": 6,
    "4PzA": 9,
    "6A": 21,
    "1TkD": 1,
    "19PzD": 1,
    "168ID": 1,
    "Voronezh": 15,
    "S.West": 45,
    "South": 13,
    "Don": 48,
    "40A": 7,
    "44A": 7,
}


@pytest.mark.parametrize(("formation", "count"), COUNTS.items())
def test_roster_counts(formation: str, count: int) -> None:
    assert sum(1 for u in UNITS if u.formation == formation) == count  # B14, headquarters included


@pytest.mark.parametrize(
    ("turn", "side", "count"),
    [
        (1, "german", 5),
        (4, "german", 6),
        (5, "german", 10),
        (6, "german", 3),
        (7, "german", 2),
        (8, "german", 1),
    ]
    + [(9, "german", 3), (10, "german", 1), (3, "soviet", 7), (6, "soviet", 7)],
)
def test_reinforcements_by_turn(turn: int, side: str, count: int) -> None:
    assert sum(1 for u in UNITS if u.turn == turn and u.side == side) == count


def test_arrivals_name_units_of_the_roster() -> None:
    known = {u.id for u in UNITS}
    for arrival in KIT.scenarios["winter-1943"].arrivals:
        assert set(arrival.units) <= known, arrival.id
        assert arrival.id == "don-10" or arrival.units


def test_without_a_table_the_suggested_readings_hold() -> None:
    game = bare(KIT).game
    assert {o.id: game[o.id] for o in KIT.system.options} == {o.id: o.default for o in KIT.system.options}


def test_printed_hexes_are_filled_and_the_rest_waits_for_its_owner() -> None:
    t = table(owners_book(), units=False)
    t.do("table", "set-up")
    on_map = {u.id: u.place for u in t.game.units.values() if u.on_map}
    assert on_map == {
        "vii-1": "0225",
        "vii-2": "0425",
        "vii-3": "0624",
        "h2a-1": "0824",
        "h2a-2": "0923",
        "h2a-3": "1021",
        "1tkd": "1125",
        "19pzd": "1529",
        "168id": "1149",
    }
    assert list(t.game.marked("railhead")) == ["1406"]
    sheet = t.calc("set-up-check", side="german")
    assert sheet.facts["waiting"] == 48
    assert any(line.label == "FP: 0 of 3" and "5 hexes of 1722" in line.effect for line in sheet.lines)


@pytest.mark.parametrize(
    ("unit", "place", "fits"),
    [
        ("fp-1", "1722", True),
        ("fp-1", "1727", True),
        ("fp-1", "1728", False),
        ("hollidt-a-1", "2622", False),
        ("hollidt-a-1", "2322", True),
        ("hollidt-b-1", "2518", True),
        ("hollidt-b-1", "2519", False),
        ("don-1", "1705", False),  # inside 6A
        ("don-1", "1709", True),
        ("6a-1", "1709", False),
        ("6a-1", "1705", True),
    ],
)
def test_set_up_areas(unit: str, place: str, fits: bool) -> None:
    t = table(owners_book("area 6A 1703 1704 1705\narea Don 1708 1709 1705\n"))
    put(t, unit, place)
    assert (misplaced(t.game, t.game.units[unit]) == "") is fits


def test_the_owners_counters_are_taken_over() -> None:
    counters: dict[str, Any] = {"ss-w-1": {"name": "W/5", "kind": "armour", "AF": 8, "DF": "6", "XAF": 4}}
    t = table(owners_book(counters=counters), units=False)
    t.do("table", "set-up")
    unit = t.game.units["ss-w-1"]
    assert (unit.name, unit.kind, unit.factors) == ("W/5", "armour", {"AF": 8, "DF": 6, "XAF": 4})
    assert not [e for e in t.do("table", "read-counters") if e.KIND == "placed"]


def test_the_set_up_is_told_in_few_lines() -> None:
    t = Bench("panzer-keil", "winter-1943")
    done = t.do("table", "set-up")
    lines = [line for event in done if (line := describe(event.seen_by("table"), t.game))]
    assert lines[0] == "223 units are on record: 9 on their printed hexes, 169 to place, 45 to come later"
    assert len(lines) < 14 and not any("off the record" in line for line in lines)


def test_the_owners_own_roster_is_set_up() -> None:
    kit = find_system("panzer-keil", SCENARIOS).kit
    shipped = kit.scenarios["winter-1943"].units
    mine = tuple(
        replace(u, name="57 ID", kind="infantry", factors={"AF": 3, "DF": 4}) if u.id == "vii-1" else u
        for u in (
            *shipped,
            replace(shipped[0], id="19pzd-2", name="19PzD 2", formation="19PzD", place="1529"),
        )
    )
    book = owners_book()
    t = table(replace(book, roster={"winter-1943": mine}))
    assert (t.game.units["vii-1"].name, t.game.units["vii-1"].factors["AF"]) == ("57 ID", 3)
    assert "19pzd-2" in t.game.units  # B14.1 does not count them: the owner does


def test_counters_filled_in_later_are_read_again() -> None:
    t = table(owners_book(), units=False)
    t.do("table", "set-up")
    t.game.book.tables["counters"]["ss-w-1"] = {"kind": "armour", "AF": 8}  # type: ignore[index]
    t.do("table", "read-counters")
    assert t.game.units["ss-w-1"].factors == {"AF": 8}


# -- reinforcements ----------------------------------------------------------------------------------------


def test_reinforcements_enter_at_their_edge_or_later() -> None:
    t = table(owners_book("edge 40A 0130 0131\nedge WN 0950\nedge WS 2350\n"))
    go(t, "soviet-move", 4)
    assert [a["late"] for a in t.sees("soviet")["due"] if a["id"] == "40a"] == [1]
    with refused(Warned) as refusal:
        t.do("soviet", "enter-units", units=["40a-1"], hex="0140")
    assert "0130, 0131" in refusal.value.said[0] and "B14" in refusal.value.said[0]
    t.do("soviet", "enter-units", units=["40a-1", "40a-2"], hex="0131")
    assert t.game.mark("40a-1", "grace") == 5
    assert "40a" in [a["id"] for a in t.sees("soviet")["due"]]
    go(t, "german-move", 5)
    for n, place in ((1, "0950"), (2, "2350")):  # W is either edge, in split groups too
        t.do("german", "enter-units", units=[f"gd-dr-{n}"], hex=place)
    with warned("B14"):
        t.do("german", "enter-units", units=["333id"], hex="0150")


def test_entry_into_an_enemy_zone_ends_the_move() -> None:
    t = table()
    put(t, "voronezh-1", "1449")
    go(t, "german-move")
    done = t.do("german", "enter-units", units=["302id"], hex="1450")
    assert any("8.6.2" in getattr(event, "rule", "") for event in done if event.KIND == "noted")
    done = t.do("german", "enter-units", units=["320id"], hex="2050")
    assert not any(event.KIND == "noted" for event in done)


def test_waiting_units_are_listed_in_the_order_of_the_roster() -> None:
    t = table()
    go(t, "german-move", 5)
    names = [u.id for u in waiting(Context(t.game, "german"))]
    assert names == [u for u in t.game.units if u in names] and len(names) == 21


def test_automatic_supply_is_taken_off_when_it_has_run_out() -> None:
    t = table()
    go(t, "soviet-move", 3)
    t.do("soviet", "enter-units", units=["40a-1"], hex="0130")
    t.until("soviet-move", 4)
    assert t.game.mark("40a-1", "grace") == 4
    t.until("soviet-supply", 5)
    assert t.game.mark("40a-1", "grace") is None  # B14.3


def test_no_entry_into_an_enemy_held_hex() -> None:
    t = table()
    put(t, "voronezh-1", "1450")
    go(t, "german-move")
    with warned("8.6.3"):
        t.do("german", "enter-units", units=["302id"], hex="1450")


@pytest.mark.parametrize(
    ("reading", "turn", "there"), [("9", 8, False), ("9", 9, True), ("7", 7, True), ("7", 6, False)]
)
def test_the_doubtful_turn_of_ss_t(reading: str, turn: int, there: bool) -> None:
    t = table(ss_t_turn=reading)
    go(t, "german-move", turn)
    texts = [a["text"] for a in t.sees("german")["due"]]
    assert any('SS "T"' in text for text in texts) is there


# -- stacking ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("units", "size", "surplus"),
    [
        (["voronezh-1", "voronezh-2", "voronezh-3"], "XX", 0),
        (["voronezh-1", "voronezh-2", "voronezh-3", "voronezh-4"], "XX", 1),
        (["voronezh-1", "voronezh-2", "voronezh-3", "voronezh-hq"], "XX", 0),  # B4: headquarters apart
        (["voronezh-1", "voronezh-2"], "XXX", 1),  # B4: corps never together
        (["voronezh-1"], "XXX", 0),
        (["ss-w-1", "ss-w-2"], "XXX", 0),  # a Soviet rule
    ],
)
def test_stacking(units: list[str], size: str, surplus: int) -> None:
    t = table()
    for unit in units:
        put(t, unit, "1420", size=size)
    side = t.game.units[units[0]].side
    assert overstacked(t.game, side) == ({"1420": surplus} if surplus else {})


@pytest.mark.parametrize(
    ("phase", "side"),
    [
        ("soviet-move", "soviet"),
        ("soviet-combat", "soviet"),
        ("german-move", "german"),
        ("german-combat", "german"),
    ]
    + [("german-mech", "german")],
)
def test_stacks_are_checked_when_the_phase_closes(phase: str, side: str) -> None:
    t = table()
    names = [f"voronezh-{n}" if side == "soviet" else f"4pza-{n}" for n in range(1, 5)]
    for name in names:
        put(t, name, "1420")
    go(t, phase)
    t.next()
    assert [a["action"] for a in t.asked(side)] == ["remove-surplus"]
    t.answer(side, units=[names[0]])
    assert t.game.units[names[0]].place == "box:dead"  # 5.1.4
    assert not overstacked(t.game, side)


def test_no_check_after_mechanized_movement_by_another_reading() -> None:
    t = table(stack_after_mech=False)
    for n in range(1, 5):
        put(t, f"4pza-{n}", "1420")
    go(t, "german-mech")
    t.next()
    assert not t.asked("german")


# -- moving ------------------------------------------------------------------------------------------------


def test_forced_march_and_one_hex_move() -> None:
    t = table()
    put(t, "ss-w-1", "1440", kind="armour")
    put(t, "ss-w-2", "1440", kind="armour")
    put(t, "302id", "1440", kind="infantry")
    go(t, "german-move")
    t.do("german", "forced-march", units=["ss-w-1"])
    t.do("german", "one-hex-move", units=["ss-w-2", "302id"])
    assert [bool(t.game.mark(u, "exhausted")) for u in ("ss-w-1", "ss-w-2", "302id")] == [True, True, False]
    with refused(NotNow, rule="8.3.1", field="units"):
        t.do("german", "forced-march", units=["ss-w-1"])


@pytest.mark.parametrize(("reading", "tired"), [(True, True), (False, False)])
def test_one_hex_out_of_a_zone(reading: bool, tired: bool) -> None:
    t = table(zone_exit_exhausts=reading)
    put(t, "ss-w-1", "1440", kind="armour")
    go(t, "german-move")
    t.do("german", "one-hex-move", units=["ss-w-1"], zone=True)
    assert bool(t.game.mark("ss-w-1", "exhausted")) is tired  # 8.4.3 against 8.5.3


def test_moving_a_disrupted_unit_is_noted_not_blocked() -> None:
    t = table()
    put(t, "ss-w-1", "1440", kind="armour")
    mark(t, "ss-w-1", "disrupted", "d")
    go(t, "german-move")
    done = t.do("german", "place-unit", unit="ss-w-1", hex="0942", via="0941")
    assert any(getattr(e, "rule", "") == "8.5.1" for e in done)
    assert (t.game.units["ss-w-1"].place, t.game.mark("0941", "owner")) == ("0942", "german")


MARCH = "clear+road+zone, clear+road, forest+road+river+camp, road+camp"


def test_movement_example() -> None:
    """8.2 example: 8 points, 7 1/2 spent after two roads, an enemy zone, a river road and two camps."""
    sheet = table(units=False).calc("movement", points=8, steps=MARCH)
    assert (sheet.facts["cost"], sheet.facts["left"], sheet.facts["reached"]) == ("7 1/2", "1/2", 4)
    assert [line.effect for line in sheet.lines[1:]] == ["1 1/2", "1/2", "3", "2 1/2"]


def test_forced_march_example() -> None:
    """8.3 example: reverse side 4, a flat hex and a hill, one point left."""
    sheet = table(units=False).calc("movement", points=4, steps="clear, hills", tired=True)
    assert (sheet.facts["cost"], sheet.facts["left"]) == ("3", "1")


@pytest.mark.parametrize(
    ("points", "steps", "cost", "reached"),
    [
        (8, "forest+river", "4", 1),  # 8.2.3, the example without its road
        (3, "clear+major", "4", 0),  # B10.2, 8.5.3: one hex all the same
        (4, "clear, clear, forest", "5", 2),
        (1, "clear+zone", "2", 0),  # 8.4.2, 8.4.3
    ],
)
def test_march_costs(points: int, steps: str, cost: str, reached: int) -> None:
    sheet = table(units=False).calc("movement", points=points, steps=steps)
    assert (sheet.facts["cost"], sheet.facts["reached"]) == (cost, reached)


def test_worse_ground_needs_the_owners_column() -> None:
    t = table(units=False)
    with refused(Unreadable, rule="8.2", field="steps"):
        t.calc("movement", points=4, steps="clear", weather="mud")
    assert t.calc("movement", points=4, steps="clear", weather="mud", kind="other").facts["cost"] == "1"
    with refused(Unreadable, field="steps", given="swamp"):
        t.calc("movement", points=4, steps="swamp")


WAY = """
1440 1439 1438 1437 clear
1436 hills
1435 lake
1440-1439 major river
1439-1438 river
road 1438 1437
"""


@pytest.mark.parametrize(
    ("enemy", "path", "cost", "words"),
    [
        ("", "1439", "4", ""),  # B10.2: clear and a major river
        ("", "1441 1442", "2", ""),
        ("1541", "1441", "2", "from one enemy zone into another"),  # 8.4.4
        ("1541", "1340", "2", ""),  # 8.4.2: one more to leave
        ("1539", "1439 1438", "6", "ends in the enemy zone"),  # 8.4.1
        ("1442", "1441 1341", "2", "ends in the enemy zone"),  # 8.4.1
        ("1439", "1441", "1", ""),  # B10.1.3: its zone comes over the river
        ("1439", "1340", "1", ""),  # B10.1.2: out of a zone over the river into another
    ],
)
def test_a_march_on_the_map(enemy: str, path: str, cost: str, words: str) -> None:
    t = table(owners_book(WAY))
    put(t, "ss-w-1", "1440", kind="armour", move=8)
    if enemy:
        put(t, "voronezh-1", enemy)
    go(t, "german-move")
    sheet = t.calc("movement", unit="ss-w-1", path=path)
    assert sheet.facts["cost"] == cost
    assert (words in " ".join(sheet.warnings)) if words else not sheet.warnings


def test_a_march_needs_touching_hexes_and_points() -> None:
    t = table(owners_book(WAY))
    put(t, "ss-w-1", "1437", kind="armour")
    go(t, "german-move")
    with refused(Unreadable, rule="8.1", field="path"):
        t.calc("movement", unit="ss-w-1", path="1444", points=5)
    with refused(Unreadable, rule="8.2.1", field="points"):
        t.calc("movement", unit="ss-w-1", path="1436")
    assert "8.5.2" in str(t.calc("movement", unit="ss-w-1", path="1436 1435", points=9).warnings)
