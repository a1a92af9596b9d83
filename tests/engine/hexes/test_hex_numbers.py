"""Hex numbers of all five games' maps: reading, adjacency as the rulebooks show it, geometry."""

import math
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.engine.hexes.grid import Grid
from companion.engine.hexes.maps import Maps
from companion.engine.hexes.typed import HexError

SCENARIOS = Path(__file__).parents[3] / "scenarios"
SYSTEMS = ("second-kharkov", "panzer-keil", "enemy-action-kharkov", "kharkov-battles", "wb95")


def read_maps(system: str) -> Maps:
    with (SCENARIOS / system / "grid.toml").open("rb") as file:
        return Maps.from_toml(tomllib.load(file)["grid"])


MAPS = {system: read_maps(system) for system in SYSTEMS}
GRIDS = [grid for maps in MAPS.values() for grid in maps.grids]
SECOND_KHARKOV = MAPS["second-kharkov"].grids[0]


def grid_id(grid: Grid) -> str:
    return grid.prefixes[0] or grid.name


# --- what the rulebooks say about which hexes touch, with the rule that says it

DISTANCES = [
    # system, a, b, steps, rule
    ("second-kharkov", "1911", "2011", 1, "12.3"),
    ("second-kharkov", "1911", "2012", 1, "12.3"),
    ("second-kharkov", "2903", "3004", 1, "9.4"),
    ("second-kharkov", "2905", "3004", 2, "9.4"),
    ("second-kharkov", "2306", "2406", 1, "4.2"),
    ("second-kharkov", "2306", "2407", 1, "4.2"),
    ("second-kharkov", "2406", "2407", 1, "4.2"),
    ("panzer-keil", "0225", "0425", 2, "B14.1"),
    ("panzer-keil", "0425", "0624", 2, "B14.1"),
    ("panzer-keil", "0624", "0824", 2, "B14.1"),
    ("panzer-keil", "0824", "0923", 2, "B14.1"),
    ("panzer-keil", "0923", "1021", 2, "B14.1"),
    ("panzer-keil", "1703", "1803", 1, "B13.2.2"),
    ("panzer-keil", "1703", "1602", 1, "control question"),
    ("panzer-keil", "1450", "2050", 6, "straight down a column number"),
    ("panzer-keil", "1406", "1450", 44, "along a row"),
    ("enemy-action-kharkov", "2011", "1912", 1, "ex 9.7-D"),
    ("enemy-action-kharkov", "2111", "2210", 1, "ex 9.7-D"),
    ("enemy-action-kharkov", "2010", "2210", 2, "ex 9.7-D, 9.75"),
    ("enemy-action-kharkov", "2010", "1912", 2, "ex 9.7-D, 9.75"),
    ("enemy-action-kharkov", "2010", "1911", 1, "ex 9.7-A, D"),
    ("enemy-action-kharkov", "1711", "1612", 2, "ex 9.7-B"),
    ("enemy-action-kharkov", "1711", "1713", 2, "ex 9.7-B"),
    ("enemy-action-kharkov", "1711", "1812", 2, "ex 9.7-B"),
    ("enemy-action-kharkov", "1711", "1712", 1, "ex 9.7-C"),
    ("enemy-action-kharkov", "1611", "1512", 1, "ex 9.7-C"),
    ("enemy-action-kharkov", "1611", "1612", 1, "ex 9.7-C"),
    ("enemy-action-kharkov", "1611", "1712", 1, "ex 9.7-C"),
    ("enemy-action-kharkov", "1910", "1911", 1, "ex 9.7-D"),
    ("enemy-action-kharkov", "1910", "2010", 1, "ex 9.7-D"),
    ("enemy-action-kharkov", "1108", "1407", 3, "ex 11.1"),
    ("enemy-action-kharkov", "1407", "1507", 1, "ex 11.1"),
    ("enemy-action-kharkov", "1108", "1507", 4, "ex 11.1"),
    ("kharkov-battles", "KB3617", "KB3618", 1, "20.1"),
    ("kharkov-battles", "KH3017", "KH3018", 1, "20.2"),
    ("kharkov-battles", "B1127", "B1227", 1, "27.2"),
    ("kharkov-battles", "B1127", "B1228", 1, "27.2"),
    ("kharkov-battles", "B1127", "B1128", 1, "27.2"),
    ("kharkov-battles", "B2115", "B2016", 1, "27.2"),
    ("kharkov-battles", "B2224", "B2324", 1, "27.2"),
    ("kharkov-battles", "B2120", "B2220", 1, "27.2"),
    ("kharkov-battles", "B2849", "B2949", 1, "27.2"),
    ("kharkov-battles", "B2741", "B2841", 1, "27.2"),
    ("kharkov-battles", "B4306", "B4406", 1, "27.2"),
    ("kharkov-battles", "G3009", "G3109", 1, "27.2"),
    ("kharkov-battles", "G3303", "G3304", 1, "27.2"),
    ("kharkov-battles", "B3049", "B3050", 1, "27.8"),
    ("wb95", "1602", "1603", 1, "1942 bridges"),
    ("wb95", "1902", "1903", 1, "1942 bridges"),
    ("wb95", "2204", "2104", 1, "1942 bridges"),
    ("wb95", "0132", "0133", 1, "Black Snow towns"),
    ("wb95", "0824", "0825", 1, "Black Snow towns"),
    ("wb95", "2815", "2915", 1, "Black Snow towns"),
    ("wb95", "4303", "4404", 1, "10.1.11"),
    ("wb95", "3514", "3413", 2, "1942 set-up: no artillery next to an enemy"),
    ("wb95", "2205", "2106", 2, "1942 set-up: no artillery next to an enemy"),
    ("wb95", "2004", "1905", 2, "1942 set-up: no artillery next to an enemy"),
]


@pytest.mark.parametrize(("system", "a", "b", "steps", "rule"), DISTANCES)
def test_rulebook_evidence(system: str, a: str, b: str, steps: int, rule: str) -> None:
    assert MAPS[system].distance(a, b) == steps, rule
    assert (b in MAPS[system].neighbours(a)) == (steps == 1)


@pytest.mark.parametrize(
    ("system", "hex_id", "neighbours"),
    [
        ("second-kharkov", "1911", "1910 1912 2011 2012 1811 1812"),
        ("second-kharkov", "2904", "2903 2905 3004 3005 2804 2805"),
        ("second-kharkov", "3004", "3003 3005 3103 3104 2903 2904"),
        ("second-kharkov", "2306", "2305 2307 2406 2407 2206 2207"),
        ("second-kharkov", "1402", "1403 1502"),
        ("panzer-keil", "0941", "0940 0942 0840 0841 1040 1041"),
        ("panzer-keil", "1021", "1020 1022 0921 0922 1121 1122"),
        ("wb95", "1704", "1703 1705 1604 1605 1804 1805"),
        ("kharkov-battles", "KB3617", "KB3616 KB3618 KB3716 KB3717 KB3516 KB3517"),
        ("kharkov-battles", "D4623", "D4622 D4624 D4723 D4724 D4523 D4524"),
    ],
)
def test_worked_neighbour_sets(system: str, hex_id: str, neighbours: str) -> None:
    assert set(MAPS[system].neighbours(hex_id)) == set(neighbours.split())


@pytest.mark.parametrize(
    ("system", "hex_id", "direction", "expected"),
    [
        ("second-kharkov", "2407", "S", "2408"),
        ("second-kharkov", "1402", "N", None),
        ("enemy-action-kharkov", "2011", "NW", "1912"),
        ("enemy-action-kharkov", "2010", "W", "2011"),
        ("enemy-action-kharkov", "2010", "SW", "2111"),
        ("enemy-action-kharkov", "1911", "w", "1912"),
        ("panzer-keil", "1703", "SW", "1803"),
        ("kharkov-battles", "KB3617", "E", "KB3618"),
        ("kharkov-battles", "KB3617", "NE", "KB3717"),
        ("wb95", "1704", "E", "1703"),
    ],
)
def test_compass_directions(system: str, hex_id: str, direction: str, expected: str | None) -> None:
    assert MAPS[system].grid_of(hex_id).neighbour(hex_id, direction) == expected


def test_an_even_row_of_enemy_action_lies_further_west() -> None:
    grid = MAPS["enemy-action-kharkov"].grids[0]
    assert grid.centre("0413")[0] < grid.centre("1313")[0]  # ex 7.5-C


@pytest.mark.parametrize("place", [("A2801", "KB4321"), ("A2110", "KB3631"), ("B3303", "KB1024")])
def test_places_on_two_maps_lie_at_one_offset(place: tuple[str, str]) -> None:
    """Kharkov Battles, cross-map names: x differs by 20.5 hexes everywhere."""

    def x(hex_id: str) -> float:
        grid = MAPS["kharkov-battles"].grid_of(hex_id)
        return grid.doubled[grid.index[hex_id]][0] / 2

    assert x(place[1]) - x(place[0]) == 20.5


def test_wb95_is_drawn_with_east_at_the_top_and_north_at_the_left() -> None:
    grid = MAPS["wb95"].grids[0]
    width, height = grid.extent
    assert 1.3 < width / height < 1.6  # the sheet is 40 x 28 inches
    assert grid.centre("0110")[0] < grid.centre("6410")[0]
    assert grid.centre("3000")[1] < grid.centre("3036")[1]


# --- reading


@pytest.mark.parametrize("grid", GRIDS, ids=grid_id)
def test_every_id_of_every_map_round_trips(grid: Grid) -> None:
    for hex_id in grid.hexes():
        assert grid.parse(hex_id) == hex_id
        assert grid.parse(f" {hex_id.lower()} ") == hex_id
        column, row = grid.column_row(hex_id)
        assert grid.columns[0] <= column <= grid.columns[1] and grid.rows[0] <= row <= grid.rows[1]
    assert len(set(grid.hexes())) == len(grid.hexes()) == len(set(grid.doubled))


def test_three_digits_are_read_with_a_leading_zero() -> None:
    assert MAPS["wb95"].parse("713") == "0713"
    assert MAPS["wb95"].parse("132") == "0132"


def test_the_longest_prefix_wins() -> None:
    maps = MAPS["kharkov-battles"]
    assert maps.parse("kb 3617") == "KB3617"
    assert maps.parse("K0917") == "K0917"
    assert maps.parse("b1127") == "B1127"
    assert maps.parse("3617") == "KB3617"
    with pytest.raises(HexError, match="different maps"):
        maps.distance("KB3617", "KH3017")


def test_off_the_map_names_bounds_and_the_closest_ids() -> None:
    with pytest.raises(HexError, match=r"9999 is not on this map: columns 14-42, rows 02-30\.") as error:
        SECOND_KHARKOV.parse("9999")
    assert error.value.suggestions == ("4230",)
    with pytest.raises(HexError, match="Did you mean 2430") as error:
        SECOND_KHARKOV.parse("2431")
    assert all(h in SECOND_KHARKOV.index for h in error.value.suggestions)


@pytest.mark.parametrize(
    "text", ["", "abc", "24", "24080", "2408x", "-240", "🙂", "<b>2408</b>", "x" * 10_000, "２４０８"]
)
def test_unreadable_is_told_from_off_the_map(text: str) -> None:
    with pytest.raises(HexError, match="is not a hex number: four digits like 2408") as error:
        SECOND_KHARKOV.parse(text)
    assert len(str(error.value)) < 200


def test_a_wrong_prefix_is_named() -> None:
    with pytest.raises(HexError, match="KX3617 is on no map here: prefixes are KB, KH"):
        MAPS["kharkov-battles"].parse("KX3617")
    with pytest.raises(HexError, match="its numbers have no letters. Did you mean 2408?"):
        SECOND_KHARKOV.parse("KB2408")


# --- settings


@pytest.mark.parametrize("grid", GRIDS, ids=grid_id)
def test_the_first_answer_to_the_question_is_the_default_layout(grid: Grid) -> None:
    assert grid.question and len(grid.answers) >= 2
    first, *others = (grid.answered(layout.say) for layout in grid.answers)
    assert first.doubled == grid.doubled
    assert all(other.adjacency != grid.adjacency for other in others)


def test_answers_are_true_of_the_layout_they_choose() -> None:
    wb95 = MAPS["wb95"].grids[0]
    for layout in wb95.answers:
        touching = set(wb95.answered(layout.say).neighbours("1704")) & {"1603", "1605", "1803", "1805"}
        assert touching == set(layout.say.split(" and "))
    keil = MAPS["panzer-keil"].grids[0]
    assert "1604" in keil.answered("1604").neighbours("1703")
    with pytest.raises(ValueError, match="is not an answer to"):
        keil.answered("perhaps")


def test_a_bad_table_lists_all_its_problems() -> None:
    with pytest.raises(ValueError) as error:
        Grid.from_toml({"first": "colum", "columns": [14], "rows": [30, 2], "tops": "round", "shiftd": "odd"})
    for word in ("'colum'", "columns is [14]", "'round'", "'shiftd'", "Did you mean shifted?"):
        assert word in str(error.value)


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ([], ["no [[grid]] block"]),
        ([{"columns": [1, 5], "rows": [1, 5]}] * 2, ["prefix '' is claimed by two grids"]),
        (
            [
                {"name": "KB", "rows": [1, 5]},
                {"columns": [1, 5], "rows": [1, 5], "name": 7, "missing": [101], "answers": "odd"},
                {"columns": [1, 5], "rows": [1, 5], "answers": [{"shifted": "odd"}]}
                | {"extra": ["x"], "prefixes": []},
            ],
            ["grid 1 (KB): columns is missing", "name is 7", "missing is [101]", "[[grid.answers]] blocks",
             "answer 1: expected the keys", "extra: 'x' is not a hex number", "prefixes is empty"],
        ),
    ],
)  # fmt: skip
def test_a_bad_file_lists_the_problems_of_all_its_maps(
    tables: list[dict[str, object]], words: list[str]
) -> None:
    with pytest.raises(ValueError) as error:
        Maps.from_toml(tables)
    assert [word for word in words if word not in str(error.value)] == []


def test_the_owner_may_widen_the_bounds() -> None:
    grid = MAPS["panzer-keil"].grids[0]
    with pytest.raises(HexError, match="The rulebook prints no limits"):
        grid.parse("3601")
    assert grid.with_bounds(columns=(1, 50), rows=(1, 40)).parse("3601") == "3601"


def test_directions_and_sides_are_named_when_wrong() -> None:
    with pytest.raises(ValueError, match="'E' is not a direction here: N, NE, SE, S, SW, NW"):
        SECOND_KHARKOV.neighbour("2408", "E")
    with pytest.raises(ValueError, match="'up' is not a side of the map"):
        SECOND_KHARKOV.edge("up")


def test_missing_and_extra_hexes() -> None:
    grid = Grid(columns=(1, 3), rows=(1, 3), missing=("0202",), extra=("0401",))
    assert "0202" not in grid.hexes() and "0401" in grid.hexes()
    assert "0202" not in grid.neighbours("0101")


# --- geometry

LAYOUTS = [
    Grid(columns=(3, 12), rows=(2, 10), tops=tops, shifted=shifted, shift_toward=toward, up=up,
         column_grows=column, row_grows=row)
    for tops, towards in (("flat", ("north", "south")), ("pointy", ("east", "west")))
    for toward in towards
    for shifted in ("odd", "even")
    for up in ("north", "east")
    for column in ("east", "west")
    for row in ("north", "south")
]  # fmt: skip


@st.composite
def hexes_of_a_grid(draw: st.DrawFn, count: int) -> tuple[Grid, list[str]]:
    grid = draw(st.sampled_from(LAYOUTS))
    return grid, [draw(st.sampled_from(grid.ids)) for _ in range(count)]


@given(hexes_of_a_grid(3))
def test_distance_is_a_metric(sample: tuple[Grid, list[str]]) -> None:
    grid, (a, b, c) = sample
    assert (grid.distance(a, b) == 0) == (a == b)
    assert grid.distance(a, b) == grid.distance(b, a)
    assert grid.distance(a, c) <= grid.distance(a, b) + grid.distance(b, c)


@given(hexes_of_a_grid(2))
def test_distance_agrees_with_cube_coordinates(sample: tuple[Grid, list[str]]) -> None:
    grid, (a, b) = sample
    one, two = (cube(grid, h) for h in (a, b))
    assert grid.distance(a, b) == max(abs(p - q) for p, q in zip(one, two, strict=True))


def cube(grid: Grid, hex_id: str) -> tuple[int, int, int]:
    x, y = grid.doubled[grid.index[hex_id]]
    q, r = (x, (y - x) // 2) if grid.tops == "flat" else ((x - y) // 2, y)
    return q, r, -q - r


@given(hexes_of_a_grid(1))
def test_neighbours_are_symmetric_and_drawn_side_by_side(sample: tuple[Grid, list[str]]) -> None:
    grid, (a,) = sample
    x, y = grid.centre(a)
    for b in grid.neighbours(a):
        assert a in grid.neighbours(b)
        assert grid.distance(a, b) == 1
        assert math.dist((x, y), grid.centre(b)) == pytest.approx(math.sqrt(3))
        shared = [p for p in grid.corners(a) if any(math.dist(p, q) < 1e-9 for q in grid.corners(b))]
        assert len(shared) == 2


@given(hexes_of_a_grid(2))
def test_a_line_is_contiguous_and_shortest(sample: tuple[Grid, list[str]]) -> None:
    grid, (a, b) = sample
    line = grid.line(a, b)
    assert line[0] == a and line[-1] == b and len(line) == grid.distance(a, b) + 1
    assert all(grid.distance(p, q) == 1 for p, q in zip(line, line[1:], strict=False))


@given(hexes_of_a_grid(1), st.integers(0, 4))
def test_within_is_the_sum_of_rings(sample: tuple[Grid, list[str]], n: int) -> None:
    grid, (a,) = sample
    rings = {h for k in range(n + 1) for h in grid.ring(a, k)}
    assert set(grid.within(a, n)) == rings


def test_the_drawing_starts_at_the_origin() -> None:
    for grid in LAYOUTS:
        points = [p for h in grid.ids for p in grid.corners(h)]
        assert min(p[0] for p in points) == pytest.approx(0) and min(p[1] for p in points) == pytest.approx(0)
        assert max(p[0] for p in points) == pytest.approx(grid.extent[0])
        assert max(p[1] for p in points) == pytest.approx(grid.extent[1])


def test_edges_of_the_map() -> None:
    north = SECOND_KHARKOV.edge("north")
    assert north == SECOND_KHARKOV.span("1402", "4202")  # 1.3
    corners = {"1402", "4202", "1430", "4230"}
    assert corners & set(north) & set(SECOND_KHARKOV.edge("west")) == {"1402"}
    assert set(SECOND_KHARKOV.edge("east")) == {f"42{row:02d}" for row in range(2, 31)}
    assert set(MAPS["panzer-keil"].grids[0].edge("west")) == {f"{row:02d}50" for row in range(1, 34)}
    assert "0100" in MAPS["wb95"].grids[0].edge("east") and "0136" in MAPS["wb95"].grids[0].edge("west")


def test_hexsides_have_one_name() -> None:
    assert SECOND_KHARKOV.hexside("2407", "2306") == "2306-2407"
    assert SECOND_KHARKOV.hexside("2306", "2407") == "2306-2407"
    with pytest.raises(HexError, match="2306 and 2408 share no hexside: 2306 touches"):
        SECOND_KHARKOV.hexside("2306", "2408")


def test_a_span_runs_along_one_line_of_numbers() -> None:
    assert SECOND_KHARKOV.span("1405", "1402") == ["1405", "1404", "1403", "1402"]
    with pytest.raises(HexError, match="share a pair of digits"):
        SECOND_KHARKOV.span("1402", "4230")
