"""The combat sheet: worked examples and derived cases, by rule number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from harness import refused, warned

from companion.engine.errors import Unreadable, Warned
from companion.systems.wb95.stars import judge, read

Make = Callable[..., Any]


@pytest.mark.parametrize(
    ("fields", "column"),
    [
        (
            {
                "attack": 17,
                "defence": 8,
                "attack_formations": "3",
                "attack_stars": "black",
                "terrain": "forest",
            },
            "3:1",
        ),
        ({"attack": 20, "defence": 10}, "2:1"),
        ({"attack": 20, "defence": 10, "terrain": "hills forest"}, "1:2"),  # 5.5.2: cumulative
        ({"attack": 20, "defence": 10, "terrain": "city town"}, "1:1"),  # one and the same
        ({"attack": 20, "defence": 10, "river": 11}, "1:2"),  # 5.5.4: more than half
        ({"attack": 20, "defence": 10, "river": 10}, "2:1"),  # exactly half is not enough
        ({"attack": 20, "defence": 10, "doniec": 20}, "1:1"),
        ({"attack": 20, "defence": 10, "fort": "ff"}, "1:1"),  # 7.1.10
        ({"attack": 20, "defence": 10, "fort": "ff", "terrain": "city"}, "1:3"),  # 1 city + 2 FF
        ({"attack": 20, "defence": 10, "fort": "ff", "terrain": "town"}, "1:2"),  # single town: FF gives 1
        ({"attack": 20, "defence": 10, "fort": "if"}, "1:2"),  # 7.2.1
        ({"attack": 20, "defence": 10, "attack_formations": "3 3 3"}, "5:1"),  # 13.1.4: 3
        ({"attack": 20, "defence": 10, "attack_formations": "6"}, "4:1"),  # 13.1.4: 2
        ({"attack": 20, "defence": 10, "defence_formations": "3"}, "1:1"),
        ({"attack": 20, "defence": 10, "special": "rg"}, "1:1"),  # 15.2.3
        ({"attack": 20, "defence": 10, "special": "fu", "fort": "ff"}, "1:3"),  # 15.4.1 + 7.1.10
        ({"attack": 20, "defence": 10, "special": "fu"}, "2:1"),  # only in a fortification
        ({"attack": 20, "defence": 10, "special": "vs-defends"}, "4:1"),  # 15.3.1
        ({"attack": 20, "defence": 10, "special": "vs-defends", "vs_regulars": 1}, "3:1"),  # 15.3.2
        ({"attack": 20, "defence": 10, "special": "vs-attacks", "vs_regulars": 2}, "2:1"),
        ({"attack": 15, "defence": 6}, "3:1"),  # 6.6.3: two guns with their cavalry attack with 15
        ({"attack": 12, "defence": 5, "lone_guns": 1}, "2:1"),  # 6.6.3: cavalry 5 and lone guns defend with 6
        ({"attack": 12, "defence": 5, "defence_artillery": 6}, "1:1"),  # 6.6.3: guns with a regular unit
        ({"attack": 2, "helpless": True}, "10:1"),  # 5.1.9, 6.6.4
        ({"attack": 2, "helpless": True, "terrain": "forest"}, "10:1"),  # always the rightmost column
        ({"attack": 2, "helpless": True, "fort": "if", "river": 2, "terrain": "city"}, "10:1"),
        ({"attack": 2, "helpless": True, "attack_stars": "blue 2", "defence_stars": "blue 3"}, "10:1"),
        ({"attack": 10, "attack_artillery": 6, "attack_air": 4, "defence": 10}, "2:1"),  # 6.3.1, 8.2.2
        ({"attack": 0, "attack_halved": "5 4 1", "defence": 3}, "2:1"),  # 3 + 2 + 1
        ({"attack": 21, "defence": 0, "defence_halved": "13", "attack_halved": ""}, "3:1"),
    ],
)
def test_columns(table: Make, fields: dict[str, Any], column: str) -> None:
    sheet = table(**{"rare-units": "special" in fields}).calc("combat", **fields)
    assert sheet.column == column


def test_every_modifier_names_its_rule(table: Make) -> None:
    sheet = table().calc(
        "combat",
        attack=17,
        defence=8,
        attack_formations="3",
        attack_stars="black",
        terrain="forest",
        fort="if",
    )
    assert all(line.rule for line in sheet.lines if line.effect.startswith(("+", "-")))


def test_summer_swamp_halves_the_attacker_and_winter_swamp_does_not(table: Make) -> None:
    assert table().calc("combat", attack=20, defence=10, terrain="swamp").column == "1:1"
    assert table("black-snow").calc("combat", attack=20, defence=10, terrain="swamp").column == "2:1"


def test_defensive_air_is_halved_upward(table: Make) -> None:
    sheet = table(phase="attack-a").calc("combat", attack=20, defence=3, defence_air=13)
    assert sheet.facts["defence"] == 10  # 8.2.4


def test_soviet_aircraft_never_defend(table: Make) -> None:
    t = table("black-snow", phase="attack-a")  # Germans attack: the field is not read
    assert t.calc("combat", attack=20, defence=10, defence_air=8).facts["defence"] == 10


def test_fixed_position_example(table: Make) -> None:
    # 7.3.4: 15 SP over the line, 5 and 10 elsewhere: exactly half, so the position counts.
    t = table(**{"rare-units": True})
    sheet = t.calc("combat", attack=30, front=15, fort="fp", defence=4)
    assert (sheet.facts["attack"], sheet.facts["defence_shifts"], sheet.facts["fp"]) == (23, 3, True)
    behind = t.calc("combat", attack=31, front=15, fort="fp", defence=4)
    assert (behind.facts["attack"], behind.facts["defence_shifts"], behind.facts["fp"]) == (24, 1, False)
    every = table(**{"fp-halves": "all", "rare-units": True}).calc(
        "combat", attack=30, front=15, fort="fp", defence=4
    )
    assert every.facts["attack"] == 15
    guns = t.calc("combat", attack=30, front=15, fort="fp", defence=4, attack_artillery=5, attack_air=2)
    assert guns.facts["attack"] == 8 + 15 + 4  # 7.3.2: guns and aircraft are halved too


@pytest.mark.parametrize(
    ("attack_hq", "defence_hq", "modifier"), [(True, False, -1), (False, True, 1), (True, True, 0)]
)
def test_headquarters_move_the_dice(table: Make, attack_hq: bool, defence_hq: bool, modifier: int) -> None:
    sheet = table().calc("combat", attack=10, defence=5, attack_hq=attack_hq, defence_hq=defence_hq)
    assert sheet.modifier == modifier  # 9.2.1, 9.2.4


def test_modified_dice_stay_on_the_table(table: Make) -> None:
    t = table(phase="attack-a")
    t.do("soviet", "resolve-combat", attack=10, defence=5, attack_hq=True, die="1 1")
    assert t.game.last_result["breakdown"]["row"] == "2"


@pytest.mark.parametrize(("typed", "row"), [("12", "12"), ("11", "11"), ("7", "7"), ("1 2", "3")])
def test_two_dice_typed_as_one_number_are_their_sum(table: Make, typed: str, row: str) -> None:
    t = table(phase="attack-a")
    t.do("soviet", "resolve-combat", attack=10, defence=5, die=typed)
    assert t.game.last_result["breakdown"]["row"] == row


def test_options_switch_complementary_rules_off(table: Make) -> None:
    plain = table(concentration=False, **{"special-units": False})
    sheet = plain.calc("combat", attack=20, defence=10, attack_formations="3", attack_stars="blue 2")
    assert sheet.column == "2:1"
    towns = table(**{"ff-in-towns": True})
    assert towns.calc("combat", attack=20, defence=10, fort="ff", terrain="town").column == "1:3"


@pytest.mark.parametrize(
    ("attack", "defence", "kw", "counted"),
    [
        ("black", "", {}, (1, 0)),
        ("black", "", {"fortified": True}, (0, 0)),
        ("black", "white", {"attack_mech": True}, (0, 1)),
        ("black", "white", {}, (1, 0)),  # no mechanized attackers: white is not usable
        ("white", "black", {"defence_mech": True}, (1, 0)),
        ("yellow 2", "", {"fortified": True}, (2, 0)),
        ("yellow", "black", {}, (0, 1)),
        ("yellow", "white", {"attack_mech": True}, (0, 1)),
        ("", "yellow 3", {}, (0, 0)),  # attack only
        ("blue", "white black", {"attack_mech": True}, (1, 2)),
        (
            "yellow white",
            "black",
            {"defence_mech": True},
            (2, 0),
        ),  # white cancels black, yellow is free again
        ("blue 2", "", {"all_across_big_river": True}, (0, 0)),  # 15.1.8
    ],
)
def test_stars(attack: str, defence: str, kw: dict[str, bool], counted: tuple[int, int]) -> None:
    facts = {"fortified": False, "attack_mech": False, "defence_mech": False} | kw
    given, held = judge(read(attack, "attack_stars"), read(defence, "defence_stars"), **facts)
    assert (sum(v.counted for v in given), sum(v.counted for v in held)) == counted
    assert all(v.reason for v in (*given, *held) if not v.counted)


def test_stars_that_cannot_be_read() -> None:
    assert read("2 black, yellow", "attack_stars") == {"black": 2, "yellow": 1}
    with refused(Unreadable, field="attack_stars"):
        read("purple 2", "attack_stars")


def test_a_combat_without_strength_is_refused(table: Make) -> None:
    with refused(Unreadable, field="attack"):
        table().calc("combat", defence=3)
    with refused(Unreadable, field="defence"):
        table().calc("combat", attack=3)


# -- with units on record


def test_units_bring_strength_halvings_concentration_and_hq(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "first", "3010", a=6, oos=2)
    b = t.unit("soviet", "second", "3010", a=5)
    t.do("table", "disorganise", units=b)
    t.unit("soviet", "HQ x", "3012", kind="HQ", cel=1)
    t.unit("german", "d", "3011", a=4)
    sheet = t.calc("combat", target="3011", attackers=f"{a},{b}")
    assert sheet.facts["attack"] == 3 + 3  # 10.2.2, 5.6.4
    assert sheet.facts["defence"] == 4
    assert sheet.modifier == -1  # 3 hexes or less to the Soviet headquarters
    paid = t.calc("combat", target="3011", attackers=f"{a},{b}", pay=a)
    assert paid.facts["attack"] == 6 + 3  # 10.2.3


def test_double_halving_is_an_option(table: Make) -> None:
    for twice, worth in ((True, 2), (False, 4)):
        t = table(phase="attack-a", fog=False, **{"double-halving": twice})
        a = t.unit("soviet", "first", "3010", a=7, oos=1)
        t.do("table", "disorganise", units=a)
        t.unit("german", "d", "3011", a=4)
        assert t.calc("combat", target="3011", attackers=a).facts["attack"] == worth


def test_guns_alone_defend_with_one_and_helpless_stacks_at_ten_to_one(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "first", "3010", a=9)
    t.unit("german", "g1", "3011", kind="ART", a=5, d=3, cel=1)
    t.unit("german", "g2", "3011", kind="ART", a=5, d=3, cel=1)
    assert t.calc("combat", target="3011", attackers=a).facts["defence"] == 1  # 6.6.3
    t.unit("german", "cav", "3011", kind="CAV", a=5)
    assert t.calc("combat", target="3011", attackers=a).facts["defence"] == 11  # 6.6.1: 5 + 3 + 3
    t.unit("german", "HQ", "2911", kind="HQ", cel=1)
    assert t.calc("combat", target="2911", attackers=a).column == "10:1"  # 5.1.9


def test_towed_guns_do_not_attack_and_must_be_in_range(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "first", "3010", a=9)
    gun = t.unit("soviet", "gun", "3014", kind="ART", a=5, d=3, cel=1)
    t.unit("german", "d", "3011", a=4)
    with refused(Unreadable, field="attackers", given=gun):  # 5.1.10
        t.calc("combat", target="3011", attackers=gun)
    with warned("6.1.2"):
        t.do("soviet", "resolve-combat", target="3011", attackers=a, attack_guns=gun, die="3 4")
    t.do("table", "place-unit", unit=gun, hex="3012")
    assert t.calc("combat", target="3011", attackers=a, attack_guns=gun).facts["attack"] == 14
    t.do("table", "mark", marker="transport", units=gun, value="on")
    with warned("6.1.3"):
        t.do("soviet", "resolve-combat", target="3011", attackers=a, attack_guns=gun, die="3 4")


def test_three_units_of_a_division_concentrate(table: Make) -> None:
    t = table(fog=False)
    t.do("table", "set-up")
    t.until("attack-b")
    ids = ["k42-g-052", "k42-g-053", "k42-g-054"]  # 222, 202 and 172 of the 75th
    for unit in ids:
        t.do("table", "place-unit", unit=unit, hex="3010")
        t.do("table", "set-counter", unit=unit, attack=4)
    t.do("table", "place-unit", unit="k42-s-077", hex="3011")
    t.do("table", "set-counter", unit="k42-s-077", attack=6)
    sheet = t.calc("combat", target="3011", attackers=",".join(ids))
    assert sheet.facts["attack_shifts"] == 1
    assert any("75 Division" in line.label for line in sheet.lines)


def test_a_unit_fights_once_a_phase(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "first", "3010", a=9)
    t.unit("german", "d", "3011", a=4)
    t.do("soviet", "resolve-combat", target="3011", attackers=a, die="3 4")
    with refused(Warned) as said:
        t.do("soviet", "resolve-combat", target="3011", attackers=a, die="3 4")
    assert "first has fought in this phase (5.1.1)" in said.value.said
    assert "3011 was attacked in this phase (5.1.1)" in said.value.said


def test_rivers_from_the_map_book(table: Make, map_book: Make) -> None:
    book = map_book("side,3010,3011,river\nterrain,3011,,forest\ncity,2911,,Somewhere")
    t = table(phase="attack-a", fog=False, book=book)
    a = t.unit("soviet", "first", "3010", a=9)
    b = t.unit("soviet", "second", "3110", a=8)
    t.unit("german", "d", "3011", a=4)
    assert (
        t.calc("combat", target="3011", attackers=f"{a},{b}").facts["defence_shifts"] == 3
    )  # 2 river + 1 forest
    t.do("table", "set-counter", unit=b, attack=9)
    assert t.calc("combat", target="3011", attackers=f"{a},{b}").facts["defence_shifts"] == 1


def test_blank_cells_ask_for_the_printed_chart(table: Make) -> None:
    t = table(phase="attack-a")
    t.do("soviet", "resolve-combat", attack=40, defence=4, die="1 2")  # row 3 at 10:1 is blank
    ask = t.asked("soviet")[0]
    assert ask["action"] == "enter-result"
    assert "10:1" in ask["text"]
    t.answer("soviet", result="• / D5 -1")
    assert {a["action"] for a in t.asked("german")} == {"take-losses", "retreat"}
    assert [a["action"] for a in t.asked("soviet")] == ["take-tests"]
    t.do("soviet", "resolve-combat", attack=39, defence=4, die="1 2", anyway=True)  # the same cell
    assert t.fight.result == "• / D5 -1"
    t.do("soviet", "resolve-combat", attack=40, defence=4, die="2 2", anyway=True)
    with refused(Unreadable, given="Q9"):
        t.settle("soviet", "enter-result", result="Q9")


def test_doubtful_cells_carry_a_warning(table: Make) -> None:
    t = table(phase="attack-a")
    t.do("soviet", "resolve-combat", attack=28, defence=4, die="1 2")  # row 3 at 7:1
    assert any("doubtful" in w for w in t.game.last_result["breakdown"]["warnings"])
