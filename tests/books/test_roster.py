"""The owner's counter roster: his units over the rulebook's, and into play. The units are made up here."""

import pytest

from companion.books.roster import RosterBook
from companion.books.spreadsheet import read_table
from companion.engine.errors import Mistake
from companion.resources import SCENARIOS
from companion.store import open_store
from companion.systems import find_system, load_systems
from companion.tables.tables import Tables

NOW = "2026-01-01T12:00:00+00:00"


@pytest.fixture
def store(tmp_path):
    made = open_store(tmp_path / "companion.db")
    yield made
    made.close()


@pytest.fixture
def roster(store):
    return lambda: RosterBook(store, find_system("second-kharkov", SCENARIOS), "historical")


def take(book, text, **options):
    return book.take(read_table(text), NOW, **options)


def test_units_are_added_and_found_again(roster):
    before = len(roster().units())
    changed, wrong = take(roster(), "side,name,kind,steps,place,AF,DF\ngerman,999 Test,infantry,2,2408,3,4\n")
    assert (changed, wrong) == (1, [])
    unit = roster().units()[-1]
    assert len(roster().units()) == before + 1
    assert (unit.name, unit.steps, unit.place, dict(unit.factors)) == (
        "999 Test",
        2,
        "2408",
        {"AF": 3, "DF": 4},
    )


def test_a_known_unit_is_completed_and_its_blanks_stay_as_the_rulebook_has_them(roster):
    first = roster().scenario.units[0]
    changed, wrong = take(roster(), f"id,side,name,AF\n{first.id},{first.side},,7\n")
    assert (changed, wrong) == (1, [])
    line = next(one for one in roster().lines() if one.unit.id == first.id)
    assert line.source == "changed" and line.unit.factors["AF"] == 7
    assert (line.unit.steps, line.unit.place, line.unit.name) == (first.steps, first.place, first.name)
    assert line.differs == ()


def test_a_unit_is_known_by_its_name_too(roster):
    first = roster().scenario.units[0]
    take(roster(), f"Side;Unit;AF\n{first.side.title()};{first.name};5\n")
    assert roster().units()[0].factors["AF"] == 5


def test_what_differs_from_the_rulebook_is_said(roster):
    first = next(u for u in roster().scenario.units if u.place)
    take(roster(), f"id,side,place\n{first.id},{first.side},2508\n")
    line = next(one for one in roster().lines() if one.unit.id == first.id)
    assert line.differs == (f"place: rulebook {first.place}, yours 2508",)
    roster().remove(first.id, NOW)
    assert roster().lines()[0].source == "rulebook"


def test_every_problem_is_named_by_its_line_and_nothing_is_kept(roster):
    changed, wrong = take(
        roster(),
        "id,side,name,steps,place,turn,AF,marks\n"
        "a,martian,X,1,,,,\n"
        "b,german,Y,many,,,,\n"
        "c,german,Z,1,9999,,,\n"
        "c,german,Z,1,,99,,nonsense\n"
        f"d,german,{'x' * 10_000},1,,,,\n",
    )
    assert changed == 0 and roster().lines()[-1].source == "rulebook"
    text = "\n".join(wrong)
    for words in (
        "line 2: side 'martian'",
        "line 3: steps 'many'",
        "line 4: place '9999'",
        "line 5: the id 'c' stands in line 4 already",
        "line 5: turn 99 comes after",
        "line 5: there is no marker 'nonsense'",
        "line 6: name is too long: 10,000 characters",
    ):
        assert words in text
    assert [int(w.split()[1].rstrip(":")) for w in wrong] == sorted(
        int(w.split()[1].rstrip(":")) for w in wrong
    )


@pytest.mark.parametrize("text", ["name,steps\nX,1\n", "<html>\n<b>\n", "sid,name\ngerman,X\n"])
def test_a_file_without_sides_is_told_its_first_line(roster, text):
    changed, wrong = take(roster(), text)
    assert changed == 0 and any("line 1" in w for w in wrong)


@pytest.mark.parametrize("system", load_systems(SCENARIOS))
def test_every_shipped_roster_comes_back_unchanged(system, store):
    for name in find_system(system, SCENARIOS).kit.scenarios:
        book = RosterBook(store, find_system(system, SCENARIOS), name)
        if book.units():
            assert take(book, book.to_csv()) == (0, []), name


def test_forgetting_my_other_units_first(roster):
    take(roster(), "side,name\ngerman,One\ngerman,Two\n")
    take(roster(), "side,name\ngerman,Three\n", replace=True)
    assert [one.unit.name for one in roster().lines() if one.source == "owner"] == ["Three"]


def test_an_unknown_scenario_is_named_with_the_known_ones(store):
    with pytest.raises(Mistake, match="historical"):
        RosterBook(store, find_system("second-kharkov", SCENARIOS), "hysterical")


def test_set_up_puts_the_owners_units_on_record(store, roster):
    take(roster(), "id,side,name,place,turn,AF\nown-1,german,Own One,2408,,6\nown-2,german,Own Two,,3,\n")
    tables = Tables(store, SCENARIOS)
    code = tables.new("second-kharkov", "historical", {"solo": True})
    tables.act(code, "table", "set-up", {}, revision=tables.game(code).revision)
    units = tables.game(code).units
    assert units["own-1"].place == "2408" and units["own-1"].factors == {"AF": 6}
    assert units["own-2"].turn == 3 and units["own-2"].place == ""
    assert roster().scenario.units[0].id in units
