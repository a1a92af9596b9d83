"""Odds [12.0, 12.64] and the Prepared Assault worksheet, shift by shift."""

import pytest
from harness import bare
from kb_bench import battle, jump, printed, synthetic_book, table

from companion.systems.kharkov_battles.odds import ladder

LADDER = ladder(bare("kharkov-battles").game)


@pytest.mark.parametrize(
    ("attack", "defence", "column"),
    [
        (29, 5, "5-1"),  # the rulebook's example
        (3, 6, "1-2"),  # its soak-off
        (10, 10, "1-1"),
        (19, 10, "1-1"),  # 3-2 is not known to be printed
        (20, 10, "2-1"),
        (9, 10, "1-2"),
        (5, 11, "1-3"),
        (1, 6, "1-6"),
        (1, 20, "1-6"),
        (60, 1, "12-1"),
        (11, 1, "11-1"),
    ],
)
def test_ratios_round_for_the_defender(attack, defence, column):
    assert LADDER.at(attack, defence) == column


def test_the_owner_says_which_columns_are_printed():
    t = table("operation-star", synthetic_book(columns={"3-2": {"printed": "yes"}, "9-1": {"printed": "no"}}))
    columns = ladder(t.game)
    assert columns.at(19, 10) == "3-2"
    assert columns.at(9, 1) == "8-1"
    assert columns.shifted("8-1", 1) == "10-1"


def test_the_combat_example():
    """29:5, Combined Arms and Encirclement, clear: 7-1, and a 4 is D(1)r2."""
    t = printed("operation-star")
    jump(t, "axis-combat", 1)
    sheet = t.calc("prepared-assault", attack=29, defence=5, combined=True, encircled=True)
    assert (sheet.facts["start"], sheet.column) == ("5-1", "7-1")
    t.do("axis", "resolve-assault", attack=29, defence=5, combined=True, encircled=True, die="4")
    assert battle(t).result == "D(1)r2"
    t.do("axis", "resolve-assault", attack=3, defence=6, die="6")
    assert battle(t).result == "Ar1"
    assert battle(t).sheet["column"] == "1-2"


BASE = {"attack": 20, "defence": 5}  # 4-1


@pytest.mark.parametrize(
    ("more", "column", "rule"),
    [
        ({"attacker_air": 2}, "6-1", "5.21"),
        ({"defender_air": 1}, "3-1", "5.21"),
        ({"combined": True}, "5-1", "12.43"),
        ({"combined": True, "combined_defence": True}, "4-1", "12.44"),
        ({"combined_defence": True}, "4-1", "12.0"),  # purely defensive
        ({"combined": True, "fz": True}, "3-1", "12.45"),
        ({"combined": True, "terrain": "city"}, "4-1", "12.45"),
        ({"combined": True, "river": "major"}, "4-1", "12.45"),
        ({"combined": True, "river": "some"}, "5-1", "12.43"),
        ({"combined": True, "river": "some", "band_crosses": True}, "4-1", "12.45"),
        ({"encircled": True}, "5-1", "12.5"),
        ({"encircled": True, "terrain": "city"}, "4-1", "12.5"),
        ({"encircled": True, "several_hexes": True}, "4-1", "12.5"),
        ({"river": "minor"}, "3-1", "12.32"),
        ({"river": "mixed"}, "3-1", "12.32"),
        ({"river": "major"}, "4-1", "12.0"),  # halving is in the total, no shift
        ({"town": True}, "3-1", "12.34"),
        ({"fz": True}, "3-1", "18.11"),
        ({"rubble": True}, "3-1", "5.44"),
        ({"tigers": 2}, "6-1", "15.3"),
        ({"tigers_defence": 1}, "3-1", "15.3"),
        ({"town": True, "fz": True, "rubble": True, "defender_air": 1}, "1-2", "5.44"),
    ],
)
def test_each_shift_has_its_rule(more, column, rule):
    sheet = table("operation-star").calc("prepared-assault", **BASE, **more)
    assert sheet.column == column
    assert rule in {line.rule for line in sheet.lines}


def test_the_frozen_river_is_the_owners_chart():
    t = table("operation-star")
    t.do("table", "correct", name="weather", value="freeze")
    blank = t.calc("prepared-assault", **BASE, river="minor")
    assert blank.column == "3-1" and "Freeze" in blank.warnings[0]
    t.book.charts["freeze"] = t.book.charts["freeze"].fill({"minor river|in Freeze": "none"})
    assert t.calc("prepared-assault", **BASE, river="minor").column == "4-1"


@pytest.mark.parametrize(
    ("attack", "defence", "result"), [(60, 5, "D(3)r4"), (5, 30, "A(3)r2"), (99, 1, "D(3)r4")]
)
def test_the_ends_of_the_table_need_no_die(attack, defence, result):
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    done = t.do("axis", "resolve-assault", attack=attack, defence=defence)
    assert not [event for event in done if event.KIND == "rolled"]
    assert battle(t).result == result


def test_left_shifts_from_beyond_the_table_are_a_reading():
    more = {"attack": 45, "defence": 3, "town": True}  # 15-1, one left
    assert table("operation-star").calc("prepared-assault", **more).column == "11-1"
    assert table("operation-star", odds_cap="beyond").calc("prepared-assault", **more).column == "12-1"


def test_a_blank_terrain_line_is_read_by_the_players():
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    t.do("axis", "resolve-assault", attack=20, defence=5, terrain="marsh", die="3")
    assert "marsh line, 4-1, roll 3" in t.asked("axis")[0]["text"]
    t.answer("axis", result="D(1)r2")
    assert battle(t).result == "D(1)r2"
    assert "lose 1 step" in t.asked("soviet")[0]["text"]


def test_woods_read_along_their_own_line():
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    t.do("axis", "resolve-assault", attack=20, defence=5, terrain="woods", die="9")
    assert battle(t).result == "D(2)r3"
