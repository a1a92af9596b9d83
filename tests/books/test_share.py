"""A game's whole book as one file: exported, merged, never overwriting unseen. Values are made up here."""

import json

import pytest

from companion.books.book import ChartSheet, ListSheet
from companion.books.roster import RosterBook
from companion.books.share import export_book, merge_book, read_share
from companion.books.sheet import Edit
from companion.books.spreadsheet import read_table
from companion.engine.errors import Unreadable
from companion.engine.hexes.ground import Fact, MapBook
from companion.resources import SCENARIOS
from companion.store import open_store
from companion.systems import find_system

NOW = "2026-01-01T12:00:00+00:00"
GAME = "kharkov-battles"


@pytest.fixture
def system():
    return find_system(GAME, SCENARIOS)


@pytest.fixture
def stores(tmp_path):
    made = [open_store(tmp_path / f"{name}.db") for name in ("mine", "theirs")]
    yield made
    for one in made:
        one.close()


def fill(store, system, cell="2", unit="Test", terrain="woods"):
    ChartSheet(store, system, "support").save([Edit("0", "points", cell), Edit("1", "points", "3")], NOW)
    goals = ListSheet(store, system, "goals")
    goals.add(["1"], NOW)
    goals.save([Edit("1", "goal", "volga")], NOW)
    name = next(iter(system.kit.scenarios))
    side = system.kit.system.sides[0].id
    RosterBook(store, system, name).take(read_table(f"id,side,name,steps\nown,{side},{unit},2\n"), NOW)
    book = MapBook()
    book.add(Fact("terrain", "KB3617", "", terrain))
    store.book_change(system.id, "map", lambda _: book.to_json(), NOW)


def test_a_book_travels_whole_and_is_the_same_there(stores, system):
    mine, theirs = stores
    fill(theirs, system)
    data = read_share(json.dumps(export_book(theirs, system, NOW)), system)
    merge = merge_book(mine, system, data, NOW)
    assert (merge.filled, merge.conflicts, merge.problems) == (5, [], [])
    assert export_book(mine, system, NOW) == export_book(theirs, system, NOW)
    again = merge_book(mine, system, data, NOW)
    assert (again.filled, again.same) == (0, 5)


def test_where_both_differ_mine_stands_until_i_say_otherwise(stores, system):
    mine, theirs = stores
    fill(mine, system)
    fill(theirs, system, cell="9", unit="Other", terrain="marsh")
    data = export_book(theirs, system, NOW)
    merge = merge_book(mine, system, data, NOW)
    assert merge.filled == 0 and len(merge.conflicts) == 3
    chart = merge.conflicts[0]
    assert (chart.mine, chart.theirs) == ("2", "9") and "row 0, column points" in chart.what
    assert ChartSheet(mine, system, "support").spot("0", "points").text == "2"
    taken = merge_book(mine, system, data, NOW, [chart.id])
    assert taken.taken == 1 and len(taken.conflicts) == 2
    assert ChartSheet(mine, system, "support").spot("0", "points").text == "9"
    rest = merge_book(mine, system, data, NOW, ["all"])
    assert rest.taken == 2 and rest.conflicts == []
    assert export_book(mine, system, NOW) == export_book(theirs, system, NOW)


def test_what_cannot_be_used_is_named_and_the_rest_is_taken(stores, system):
    data = export_book(stores[0], system, NOW)
    data["sheets"] = {
        "chart/support": {"0|points": "4", "77|points": "4", "1|points": "x" * 10_000},
        "chart/nothing": {},
        "book/goals": 7,
    }
    data["rosters"] = {"nowhere": [], next(iter(system.kit.scenarios)): [{"id": "x", "side": "martian"}]}
    data["map"] = {"facts": [["terrain", "ZZ9999", "", "woods", "owner"]]}
    merge = merge_book(stores[0], system, data, NOW)
    assert merge.filled == 1 and len(merge.problems) == 7
    assert all(len(problem) < 400 for problem in merge.problems)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not a shared chart book"),
        ("[1, 2]", "not a shared chart book"),
        ("[" * 100_000, "not a shared chart book"),
        ('{"kind": "kharkov-companion chart book", "format": 99}', "another version"),
        ('{"kind": "kharkov-companion chart book", "format": 1, "system": "wb95"}', "belongs to 'wb95'"),
    ],
)
def test_other_files_are_refused(system, text, words):
    with pytest.raises(Unreadable, match=words):
        read_share(text, system)
