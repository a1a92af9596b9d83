"""Second Kharkov's supply, rules 8.x and 9.2-9.15."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.engine.hexes.ground import RULEBOOK, MapBook, Vocabulary
from companion.engine.hexes.groundtext import enter, read_csv
from companion.engine.hexes.maps import Maps
from companion.engine.hexes.trace import Board, SupplyLine
from companion.systems.second_kharkov.supply import GERMAN, SOVIET, check

FOLDER = Path(__file__).parents[3] / "scenarios" / "second-kharkov"
with (FOLDER / "grid.toml").open("rb") as file:
    DATA = tomllib.load(file)
GRID = Maps.from_toml(DATA["grid"]).grids[0]
WORDS = Vocabulary.from_toml(DATA["map"])
SHIPPED, PROBLEMS = read_csv((FOLDER / "map.csv").read_text(encoding="utf-8"), GRID, WORDS, RULEBOOK)
PLAIN = Board(GRID, SHIPPED)
Units = list[tuple[str, str, str]]


def board(*lines: str) -> Board:
    own = MapBook()
    assert enter(own, "\n".join(lines), GRID, WORDS) == []
    return Board(GRID, SHIPPED.merge(own))


def germans(*hexes: str) -> Units:
    return [(f"G{h}", GERMAN, h) for h in hexes]


def soviets(*hexes: str) -> Units:
    return [(f"S{h}", SOVIET, h) for h in hexes]


def ask(unit: str, units: Units, on: Board = PLAIN, held: dict[str, set[str]] | None = None) -> SupplyLine:
    return check(on, units, held)[unit]


# 9.4: Germans in 2903, 2905 ... 2929
PICKET = germans(*(f"29{row:02d}" for row in range(3, 30, 2)))


def test_example_9_4_a_soviet_in_3004_is_supplied() -> None:
    answer = ask("S3004", [*PICKET, *soviets("3004")])
    assert answer.supplied and answer.path[-1] == "3004" and answer.from_units_only


def test_example_9_4_a_soviet_in_2904_is_not() -> None:
    answer = ask("S2904", [*PICKET, *soviets("2904")])
    assert not answer.supplied
    assert {"3004", "3005"} <= answer.cut.keys()
    assert set(answer.cut.values()) <= {"enemy zone of control", "enemy unit"}


def test_example_9_4_turned_round_the_german_passes_through_zones() -> None:
    picket = soviets(*(f"29{row:02d}" for row in range(3, 30, 2)))
    assert ask("G3310", [*picket, *germans("3310")]).supplied


def test_own_units_do_not_cancel_zones_for_the_soviets() -> None:
    """8.11, 9.4."""
    answer = ask("S2904", [*PICKET, *soviets("2904", "3004", "3005")])
    assert not answer.supplied


def test_sources_are_the_two_edge_lists() -> None:
    """9.12, 9.13; 2902 and 4225-4229 belong to nobody."""
    german, soviet = set(SHIPPED.named("source", GERMAN)), set(SHIPPED.named("source", SOVIET))
    assert PROBLEMS == []
    assert {"2802", "1402", "1430", "4230"} <= german and {"3002", "4202", "4224"} <= soviet
    assert not german & soviet
    assert not {"2902", "4225", "4229"} & (german | soviet)


@pytest.mark.parametrize(
    ("enemy", "supplied"), [("4210", False), ("4211", False), ("4109", False), ("3909", True)]
)
def test_a_soviet_source_needs_to_be_free_of_zones(enemy: str, supplied: bool) -> None:
    """9.13; here 4210 is the only source left."""
    book = SHIPPED.merge(MapBook())
    for hex_id in book.named("source", SOVIET):
        if hex_id != "4210":
            enter(book, f"- source soviet {hex_id}", GRID, WORDS)
    units = [*germans(enemy), *soviets("4014")]
    assert ask("S4014", units, Board(GRID, book)).supplied is supplied


def test_a_german_source_works_in_a_zone_but_not_when_taken() -> None:
    """9.12, and 9.14: it feeds nobody then."""
    book = SHIPPED.merge(MapBook())
    for hex_id in book.named("source", GERMAN):
        if hex_id != "1410":
            enter(book, f"- source german {hex_id}", GRID, WORDS)
    ground = Board(GRID, book)
    assert ask("G1814", [*germans("1814"), *soviets("1510")], ground).supplied
    lost = ask("G1814", germans("1814"), ground, {SOVIET: {"1410"}})
    assert not lost.supplied and lost.cut == {"1410": "source: held by the enemy"}


def test_a_major_river_stops_everybody_without_a_crossing() -> None:
    """9.5."""
    lines = [f"{a}-{b} major river" for a in ("2020",) for b in GRID.neighbours("2020")]
    for unit, side in (("G2020", germans), ("S2020", soviets)):
        answer = ask(unit, side("2020"), board(*lines))
        assert not answer.supplied and not answer.from_units_only
        assert len(answer.cut) == 6 and "9.5" in answer.cut["2019-2020"]
        assert ask(unit, side("2020"), board(*lines, "2020-2021 crossing")).supplied


@pytest.mark.parametrize("bank", ["2020", "2021"])
def test_a_crossing_is_closed_to_soviets_while_a_german_holds_a_bank(bank: str) -> None:
    """9.6; the river runs round 2019 and 2020 with one crossing."""
    island = {"2019", "2020"}
    shore = [(a, b) for a in sorted(island) for b in GRID.neighbours(a) if b not in island]
    ground = board(*(f"{a}-{b} major river" for a, b in shore), "2020-2021 crossing")
    answer = ask("S2019", soviets("2019"), ground, {GERMAN: {bank}})
    assert not answer.supplied and "9.6" in answer.cut["2020-2021"]
    assert ask("G2019", germans("2019"), ground, {SOVIET: {bank}}).supplied
    assert ask("S2019", soviets("2019", bank), ground, {GERMAN: {bank}}).supplied, "retaken"


def test_minor_rivers_stop_nobody() -> None:
    lines = [f"2020-{b} minor river" for b in GRID.neighbours("2020")]
    assert ask("S2020", soviets("2020"), board(*lines)).supplied


def test_an_enemy_city_blocks_even_when_empty() -> None:
    """9.7: Kharkov is German until taken."""
    ring = [h for h in GRID.neighbours("2306") if h not in ("2406", "2407")]
    lines = [f"2306-{h} major river" for h in ring]
    inside = ask("S2306", soviets("2306"), board(*lines))
    assert not inside.supplied and "9.7" in inside.cut["2406"]
    assert ask("S2306", soviets("2306"), board(*lines), {SOVIET: {"2306", "2406", "2407"}}).supplied


def test_everybody_is_supplied_on_turn_one() -> None:
    """5.5."""
    answers = check(PLAIN, [*PICKET, *soviets("2904")], turn=1)
    assert all(answer.supplied for answer in answers.values())


HEXES = st.sampled_from(GRID.ids)


@given(
    st.lists(HEXES, unique=True, min_size=1, max_size=40),
    st.integers(0, 40),
    HEXES,
    st.sampled_from([GERMAN, SOVIET]),
)
def test_another_enemy_never_helps(places: list[str], split: int, where: str, side: str) -> None:
    units = [*germans(*places[:split]), *soviets(*places[split:])]
    if where in places:
        return
    own = GERMAN if side == SOVIET else SOVIET
    before = check(PLAIN, units)
    after = check(PLAIN, [*units, ("new", side, where)])
    assert all(before[n].supplied for n, s, _ in units if s == own and after[n].supplied)
