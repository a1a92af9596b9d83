"""Rosters: units from a spreadsheet and back, every problem with its line."""

import pytest
from toykit import UNITS

from companion.engine.kit.roster import Unit, read_roster, slug, unit_facts

SIDES = ("red", "blue")


def test_a_roster_is_read_with_factors_and_marks() -> None:
    units, wrong = read_roster(UNITS, SIDES)
    assert wrong == []
    guards = units[0]
    assert (guards.id, guards.steps, guards.place, guards.marks, guards.factors) == (
        "red-guards", 2, "0303", {"oos": 2}, {"AF": 5},
    )  # fmt: skip
    assert (units[4].turn, units[4].place) == (2, "")


def test_units_without_an_id_get_one_of_their_own() -> None:
    units, _ = read_roster("side,name\nred,3rd Pz/XL\nred,3rd Pz/XL\nred,\n", SIDES)
    assert [u.id for u in units] == ["red-3rd-pz-xl", "red-3rd-pz-xl-2", "red"]


def test_every_problem_is_reported_with_its_line() -> None:
    text = "id,side,nmae,steps,AF\na,red,A,two,5\nb,rde,B,1,1\n,,,,\nc,blue,C,1,x\n"
    units, wrong = read_roster(text, SIDES)
    assert list(map(str, wrong)) == [
        "line 1: unknown column 'nmae'. Did you mean name?",
        "line 2: steps 'two' is not a whole number",
        "line 3: side 'rde' is not one of red, blue. Did you mean red?",
        "line 5: AF 'x' is not a whole number",
    ]
    assert [u.id for u in units] == ["a", "c"]


@pytest.mark.parametrize("text", ["", "name,place\nGuards,0303\n"])
def test_a_roster_without_sides_is_told_its_first_line(text: str) -> None:
    units, wrong = read_roster(text, SIDES)
    assert units == []
    assert (wrong[0].line, wrong[0].text[:45]) == (1, "the first line names the columns: id,side,nam")


def test_a_unit_takes_facts_it_knows_and_no_others() -> None:
    unit = Unit("x", "red")
    unit.change({"steps": 2, "only": ["red"]})
    assert (unit.steps, unit.only) == (2, ("red",))
    for wrong in ({"stpes": 3}, {"id": "y"}):
        with pytest.raises(ValueError, match="a unit has no"):
            unit.change(wrong)


def test_a_unit_is_stored_without_its_defaults() -> None:
    assert Unit("x", "red", place="0303").to_json() == {"id": "x", "side": "red", "place": "0303"}


def test_the_facts_of_a_new_unit_leave_out_place_and_marks() -> None:
    units, _ = read_roster(UNITS, SIDES)
    assert unit_facts(units[0]) == {
        "side": "red", "name": "Guards", "kind": "infantry", "steps": 2, "full": 2, "factors": {"AF": 5},
    }  # fmt: skip


@pytest.mark.parametrize(("text", "made"), [("3rd Pz/XL", "3rd-pz-xl"), ("  Ü!  ", "unit"), ("A--B", "a-b")])
def test_a_name_becomes_an_id(text: str, made: str) -> None:
    assert slug(text) == made


@pytest.mark.parametrize(("place", "on_map"), [("0303", True), ("box:dead", False), ("", False)])
def test_a_unit_is_on_the_map_in_a_hex_only(place: str, on_map: bool) -> None:
    assert Unit("x", "red", place=place).on_map is on_map
