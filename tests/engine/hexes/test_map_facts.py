"""The map book: typing it in, CSV and JSON, merging, and the facts that are shipped."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.engine.hexes.grid import Grid
from companion.engine.hexes.ground import OWNER, RULEBOOK, Fact, MapBook, Vocabulary
from companion.engine.hexes.groundtext import MapError, enter, read_csv, read_line
from companion.engine.hexes.maps import Maps
from companion.engine.hexes.typed import HexError

SCENARIOS = Path(__file__).parents[3] / "scenarios"
GRID = Grid(columns=(10, 30), rows=(1, 12))
WORDS = Vocabulary(
    terrains=("clear", "forest", "marsh"),
    hexsides=("minor river", "major river", "crossing"),
    links=("road", "main road", "rail"),
)


def book_of(*lines: str) -> MapBook:
    book = MapBook()
    assert enter(book, "\n".join(lines), GRID, WORDS) == []
    return book


def test_terrain_of_one_hex_of_several_and_of_a_range() -> None:
    book = book_of("1205 Forest", "1301 1302 marsh", "1402..1405 clear  # as far as the town")
    assert book.terrain("1205") == "forest"
    assert [book.terrain(h) for h in ("1301", "1302", "1403", "1406")] == ["marsh", "marsh", "clear", ""]


def test_a_new_terrain_replaces_the_old_one() -> None:
    book = book_of("1205 forest", "1205 marsh")
    assert book.terrain("1205") == "marsh" and len(book.facts) == 1


def test_hexside_features_add_up() -> None:
    book = book_of("1206-1205 major river", "1205/1206 crossing")
    assert book.features("1205-1206") == {"major river", "crossing"}


def test_roads_and_rails_run_from_hex_to_hex() -> None:
    book = book_of("road 2402 2403 2503", "main road 1002..1004", "RAIL 1402 1502")
    assert book.links("2402-2403") == {"road"} and book.links("2403-2503") == {"road"}
    assert book.links("1003-1004") == {"main road"} and book.links("1402-1502") == {"rail"}


def test_places_lines_areas_sources_edges_and_values() -> None:
    book = book_of(
        "city 2306 2307 Kharkov",
        "town 1010 Hill 209",
        "line front 2402-2403 1205",
        "area 4PzA 1101 1102",
        'area "1942 front" 1103',
        "source german 1002..1004",
        "edge WN 1001",
        "vp 2306 20",
    )
    assert book.places() == {"2306": "Kharkov", "2307": "Kharkov", "1010": "Hill 209"}
    assert book.places("town") == {"1010": "Hill 209"}
    assert book.named("line", "FRONT") == ["2402-2403", "1205"]
    assert book.named("area", "4PzA") == ["1101", "1102"] and book.named("area", "1942 front") == ["1103"]
    assert book.named("source", "german") == ["1002", "1003", "1004"]
    assert book.names("area") == ["1942 front", "4PzA"]
    assert Fact("vp", "2306", "", "20") in book.facts


def test_removing() -> None:
    book = book_of("1205 forest", "town 1205 Izyum", "1205-1206 major river", "- 1205 forest")
    assert book.terrain("1205") == "" and book.places() == {"1205": "Izyum"}
    enter(book, "clear 1205\nclear 1206-1205", GRID, WORDS)
    assert book.facts == {}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1205 forrest", "'forrest' is not a terrain; accepted: clear, forest, marsh. Did you mean forest?"),
        (
            "1205-1206 majr river",
            "'majr river' is not a hexside; accepted: minor river, major river, crossing.",
        ),
        ("rode 2402 2403", "'rode' is not a word to begin with; accepted:"),
        ("1205", "what is in 1205? accepted: clear, forest, marsh"),
        ("road 2402", "a road runs through two hexes or more"),
        ("area 4PzA", "area 4PzA names no hex"),
        ("area 1101 1102", "the area has no name"),
        ("town 2306", "the town has no name"),
        ("area 4PzA 1101-1102", "takes hexes, and 1101-1102 is a hexside"),
        ("vp 2306 many", "'many' is not a number of victory points"),
        ("-", "a minus needs what to remove"),
        ("clear", "clear needs a hex"),
        ("x" * 3000, "longer than 2000 characters"),
        ("town 2306 " + "x" * 100, "longer than 80 characters"),
    ],
)
def test_a_bad_line_says_what_is_accepted(line: str, message: str) -> None:
    with pytest.raises(MapError) as error:
        read_line(line, GRID, WORDS)
    assert message in str(error.value)


@pytest.mark.parametrize(
    "line",
    [
        "9999 forest",
        "1205-1305-1405 forest",
        "1205-1208 major river",
        "road 2402 2404",
        "1402.. forest",
        "1402..1603 forest",
    ],
)
def test_bad_hexes_in_a_line_are_named(line: str) -> None:
    with pytest.raises((HexError, MapError)):
        read_line(line, GRID, WORDS)


def test_good_lines_count_and_bad_ones_come_back_by_number() -> None:
    book = MapBook()
    problems = enter(book, "1205 forest\n\n1206 fores\n# remark\n9999 marsh\n1207 marsh", GRID, WORDS)
    assert [p.number for p in problems] == [3, 5]
    assert "Did you mean forest?" in str(problems[0])
    assert {f.a for f in book.facts} == {"1205", "1207"}


def test_csv_reports_every_bad_row() -> None:
    rows = ["terrain,1205,,forest", "terrain,9999,,forest", "side,1205,,major river", "roof,1205,,x", ",,,"]
    book, problems = read_csv("\n".join(["kind,a,b,value", *rows]), GRID, WORDS)
    assert list(book.facts) == [Fact("terrain", "1205", "", "forest")]
    assert [p.number for p in problems] == [3, 4, 5]


def test_csv_of_a_european_spreadsheet() -> None:
    book, problems = read_csv("\ufeffkind;a;b;value\r\nterrain;1205;;forest\r\n", GRID, WORDS)
    assert not problems and book.terrain("1205") == "forest"


def test_a_csv_that_is_none_is_a_problem_and_no_crash() -> None:
    assert read_csv('\x00\x01binary\n"open', GRID, WORDS)[1]


ENTRIES = st.sampled_from(
    [
        "1205 forest",
        "1205 marsh",
        "1301..1306 clear",
        "1205-1206 major river",
        "1205-1206 crossing",
        "road 2402 2403",
        'town 2306 Kharkov, the "second" city',
        "city 2306 Харьков",
        "area A 1101 1102",
        "line front 1205-1206 1301",
        "source german 1002..1004",
        "vp 2306 3",
        "- 1205 forest",
        "clear 1205",
    ]
)


@given(st.lists(ENTRIES), st.sampled_from([OWNER, RULEBOOK]))
def test_csv_and_json_round_trip(lines: list[str], by: str) -> None:
    book = MapBook()
    assert enter(book, "\n".join(lines), GRID, WORDS, by) == []
    again, problems = read_csv(book.to_csv(), GRID, WORDS, by)
    assert problems == [] and again.facts == book.facts and again.removed == book.removed
    assert again.to_csv() == book.to_csv()
    assert MapBook.from_json(book.to_json()) == book


@given(st.lists(ENTRIES), st.lists(ENTRIES))
def test_merging_lays_the_owner_over_the_rulebook(shipped: list[str], own: list[str]) -> None:
    rulebook, owner = MapBook(), MapBook()
    enter(rulebook, "\n".join(shipped), GRID, WORDS, RULEBOOK)
    enter(owner, "\n".join(own), GRID, WORDS)
    merged = rulebook.merge(owner)
    assert owner.facts.keys() <= merged.facts.keys()
    for fact, by in merged.facts.items():
        assert by == (RULEBOOK if rulebook.facts.get(fact) else OWNER)
    assert len([f for f in merged.facts if f.kind == "terrain" and f.a == "1205"]) <= 1


def test_what_the_owner_struck_out_stays_out() -> None:
    shipped = MapBook({Fact("town", "2306", "", "Kharkov"): RULEBOOK})
    own = shipped.merge(MapBook())
    enter(own, "- town 2306 Kharkov", GRID, WORDS)
    assert shipped.merge(own).facts == {}
    assert shipped.merge(MapBook.from_json(own.to_json())).facts == {}


def test_a_book_without_the_owners_ground_is_blank() -> None:
    assert MapBook().blank
    assert book_of("town 2306 Kharkov").blank
    assert MapBook({Fact("side", "1205", "1206", "crossing"): RULEBOOK}).blank
    assert not book_of("1205 forest").blank


@pytest.mark.parametrize(
    "data", [{"facts": [["terrain", "1205"]]}, {"facts": ["x"]}, {"removed": [[1, 2, 3, 4]]}]
)
def test_a_broken_json_book_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="map book"):
        MapBook.from_json(data)


@pytest.mark.parametrize(
    ("system", "kind", "value", "expected"),
    [
        ("second-kharkov", "city", "Kharkov", {"2306", "2406", "2407"}),  # 4.2
        ("panzer-keil", "vp", "20", {"0941"}),  # B15.1
        ("panzer-keil", "source", "german", {"1450", "2050", "2750"}),  # B6.1
        ("enemy-action-kharkov", "area", "soviet at start", {"0202", "1103"}),  # 12.1
        ("kharkov-battles", "place", "Stalino", {"KB1024", "B3303", "D1324"}),  # 20.1, 27.3
        ("wb95", "town", "Zmijew", {"2815", "2915"}),  # Black Snow
    ],
)
def test_shipped_facts(system: str, kind: str, value: str, expected: set[str]) -> None:
    with (SCENARIOS / system / "grid.toml").open("rb") as file:
        data = tomllib.load(file)
    text = (SCENARIOS / system / "map.csv").read_text(encoding="utf-8")
    book, problems = read_csv(text, Maps.from_toml(data["grid"]), Vocabulary.from_toml(data["map"]), RULEBOOK)
    assert problems == []
    assert {f.a for f in book.facts if f.kind == kind and f.value == value} == expected
