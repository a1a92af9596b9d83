"""Zones of control and tracing, with the other four games' rules as small policies."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.engine.hexes.grid import Grid
from companion.engine.hexes.ground import Fact, MapBook, Vocabulary
from companion.engine.hexes.groundtext import enter
from companion.engine.hexes.trace import (
    Ban,
    Board,
    Piece,
    Policy,
    Situation,
    Stage,
    SupplyLine,
    Trace,
    ZoneRule,
    chain,
    either,
    trace,
    zoc,
)

GRID = Grid(columns=(1, 12), rows=(1, 9))
EDGE = GRID.edge("west")
WORDS = Vocabulary(
    terrains=("clear", "forest", "swamp"),
    hexsides=("river", "major river", "bridge", "dniepr", "sea"),
    links=("road", "rail"),
)
BLUE = Policy("blue")


def board(*lines: str) -> Board:
    book = MapBook()
    assert enter(book, "\n".join(lines), GRID, WORDS) == []
    return Board(GRID, book)


def blue(hex_id: str, name: str = "B", **more: bool) -> Piece:
    return Piece(name, "blue", hex_id, **more)


def red(hex_id: str, **more: bool) -> Piece:
    return Piece(f"R{hex_id}", "red", hex_id, **more)


def wall(column: int, rows: range = range(1, 10)) -> list[Piece]:
    return [red(f"{column:02d}{row:02d}") for row in rows]


def river(column: int, kind: str = "major river") -> list[str]:
    """A river between two columns: every hexside from one to the next."""
    sides = [(a, b) for a in GRID.span(f"{column:02d}01", f"{column:02d}09") for b in GRID.neighbours(a)]
    return [f"{a}-{b} {kind}" for a, b in sides if b.startswith(f"{column + 1:02d}")]


def ask(policy: Policy, *units: Piece, on: Board | None = None, sources: list[str] = EDGE) -> SupplyLine:
    situation = Situation(on or Board(GRID), units)
    return trace(situation, policy, sources).answers()["B"]


def test_zones_are_the_six_hexes_around() -> None:
    zones = zoc(Board(GRID), [red("0505"), red("0808", zoc=False), blue("0303")])
    assert zones == {"red": set(GRID.neighbours("0505")), "blue": set(GRID.neighbours("0303"))}


def test_zones_stop_at_rivers_unless_bridged_and_at_terrain() -> None:
    """Kharkov Battles 7.15: not across the Dnepr; WB-95 4.1.4: not into swamp."""
    ground = board("0505-0504 dniepr", "0505-0605 dniepr", "0505-0605 bridge", "0405 swamp")
    rule = ZoneRule(frozenset({"dniepr"}), frozenset({"bridge"}), frozenset({"swamp"}))
    found = zoc(ground, [red("0505")], rule)["red"]
    assert found == set(GRID.neighbours("0505")) - {"0504", "0405"}


def test_units_in_cities_have_no_zone_where_the_game_says_so() -> None:
    ground = Board(GRID, MapBook({Fact("city", "0505", "", "Kharkov"): "owner"}))
    assert zoc(ground, [red("0505")], ZoneRule(none_from_cities=True))["red"] == set()


def test_a_path_names_its_hexes_from_source_to_unit() -> None:
    answer = ask(BLUE, blue("0405"), sources=["0105"])
    assert answer.supplied and answer.path[0] == "0105" and answer.path[-1] == "0405"
    assert len(answer.path) == 4 and answer.cut == {} and answer.from_units_only


def test_a_wall_cuts_and_names_the_hexes_that_do() -> None:
    answer = ask(BLUE, blue("0905"), *wall(5))
    assert not answer.supplied and answer.path == ()
    assert set(answer.cut.values()) == {"enemy zone of control"}
    assert set(answer.cut) == {f"06{row:02d}" for row in range(1, 10)}


def test_an_enemy_inside_the_pocket_is_not_what_cuts() -> None:
    answer = ask(Policy("blue", ezoc="open"), blue("0905"), *wall(5), red("0907"))
    assert set(answer.cut) == {f"05{row:02d}" for row in range(1, 10)}
    assert set(answer.cut.values()) == {"enemy unit"}


def test_without_any_working_source_the_sources_are_what_is_wrong() -> None:
    answer = ask(BLUE, blue("0905"), red("0105"), sources=["0105"])
    assert answer.cut == {"0105": "source: enemy unit"}
    assert "no source" in ask(BLUE, blue("0905"), sources=[]).cut["0905"]


def test_a_source_may_need_to_be_free_of_zones_and_of_enemy_control() -> None:
    strict = Policy("blue", source_in_ezoc=False)
    assert not ask(strict, blue("0105"), red("0106"), sources=["0105"]).supplied
    assert ask(BLUE, blue("0105"), red("0106"), sources=["0105"]).supplied
    held = Situation(Board(GRID), (blue("0405"),), {"red": {"0105"}})
    assert trace(held, BLUE, ["0105"]).answers()["B"].cut == {"0105": "source: held by the enemy"}


def test_a_unit_on_its_source_can_be_supplied_whatever_surrounds_it() -> None:
    """Panzer Keil 6.1.5, Enemy Action 10.1."""
    lenient = Policy("blue", ezoc="closed", supplied_on_source=True)
    answer = ask(lenient, blue("0105"), red("0106"), sources=["0105"])
    assert answer.supplied and answer.path == ("0105",)


@pytest.mark.parametrize(("ezoc", "supplied"), [("open", True), ("last", True), ("closed", False)])
def test_the_units_own_hex_in_an_enemy_zone(ezoc: str, supplied: bool) -> None:
    assert ask(Policy("blue", ezoc=ezoc), blue("0405"), red("0505")).supplied is supplied  # type: ignore[arg-type]


def test_friends_keep_a_hex_open_where_the_game_says_so() -> None:
    """Enemy Action 10.1, Kharkov Battles 7.42; Panzer Keil 6.1.3: an undisrupted friend only."""
    gate = [*wall(5, range(1, 5)), *wall(5, range(7, 10))]
    units = [blue("0905"), *gate, blue("0505", "F"), blue("0405", "G"), blue("0605", "H")]
    assert not ask(Policy("blue", ezoc="last"), *units).supplied
    assert ask(Policy("blue", friends_cancel=True), *units).supplied
    tired = [unit._replace(cancels=False) if unit.id == "F" else unit for unit in units]
    assert not ask(Policy("blue", friends_cancel=True), *tired[:-2]).supplied


MAJOR = Ban(frozenset({"major river"}), "major river", unless=frozenset({"bridge"}))


def test_rivers_cut_and_bridges_mend() -> None:
    policy = Policy("blue", bans=(MAJOR,))
    cut = ask(policy, blue("0905"), on=board(*river(6)))
    assert not cut.supplied and not cut.from_units_only
    assert set(cut.cut.values()) == {"major river"} and "0605-0705" in cut.cut
    assert ask(policy, blue("0905"), on=board(*river(6), "0605-0705 bridge")).supplied


def test_a_river_next_to_the_unit_may_be_crossed_where_the_game_says_so() -> None:
    """Kharkov Battles 8.11: an unbridged major river only as the unit's own first hexside."""
    grace = Ban(frozenset({"major river"}), "major river", frozenset({"bridge"}), beside_unit=True)
    ground, policy = board(*river(6)), Policy("blue", bans=(grace,))
    assert ask(policy, blue("0705"), on=ground).path[-2:][0].startswith("06")
    assert not ask(policy, blue("0805"), on=ground).supplied


def test_a_zone_across_a_major_river_does_not_cut() -> None:
    """Panzer Keil B10.1.1."""
    zone = ZoneRule(stopped_by=frozenset({"major river"}))
    ground = board(*river(6))
    units = [blue("0609"), *wall(7)]
    assert ask(Policy("blue", ezoc="closed", zone=zone), *units, on=ground).supplied
    assert not ask(Policy("blue", ezoc="closed"), *units, on=ground).supplied


@pytest.mark.parametrize(("limit", "supplied"), [(8, True), (7, False)])
def test_length_limit_counts_the_units_hex(limit: int, supplied: bool) -> None:
    """Panzer Keil 11: 15 hexes is in, 16 is out."""
    answer = ask(Policy("blue", limit=limit), blue("0905"), sources=["0105"])
    assert answer.supplied is supplied
    if not supplied:
        assert answer.cut == {"0905": "further than 7 hexes from the nearest source"}


def test_a_detour_that_is_too_long_names_what_forces_it() -> None:
    units = [blue("0705"), *wall(4, range(1, 8))]
    answer = ask(Policy("blue", limit=7), *units, sources=["0105"])
    assert not answer.supplied and "further than" in answer.cut["0705"]
    assert "enemy zone of control" in answer.cut.values()


def test_an_unbridged_crossing_can_shorten_the_limit() -> None:
    """Enemy Action 10.1: seven hexes, or two over the unbridged Dniepr."""
    ground = board(*river(3, "dniepr"))
    dry = Policy("blue", limit=7, bans=(Ban(frozenset({"dniepr"}), "dniepr", frozenset({"bridge"})),))
    wet = Policy("blue", limit=2)

    def supplied(hex_id: str) -> bool:
        situation = Situation(ground, (blue(hex_id),))
        return either(trace(situation, dry, ["0305"]), trace(situation, wet, ["0305"]))["B"].supplied

    assert supplied("0405") and supplied("0505") and not supplied("0605")


def test_rails_feed_headquarters_and_headquarters_feed_units() -> None:
    """Panzer Keil B6.1(2), B8.1.1: source, railhead, HQ, unit within range."""
    ground = board("rail 0105 0205 0305 0405")
    stages = [
        Stage(Policy("blue", along=frozenset({"rail"}), ezoc="closed")),
        Stage(Policy("blue"), "relays"),
        Stage(Policy("blue", limit=3)),
    ]
    units = (blue("0605", "HQ", relay=True), blue("0905"), blue("1205", "far"))
    found = chain(Situation(ground, units), stages, ["0105"])
    near = found.answers()["B"]
    assert near.supplied and near.path[0] == "0105" and "0605" in near.path
    assert all(GRID.distance(a, b) == 1 for a, b in zip(near.path, near.path[1:], strict=False))
    assert not found.answers()["far"].supplied
    cut_rail = chain(Situation(ground, (*units, red("0205"), red("0106"))), stages, ["0105"])
    assert not any(answer.supplied for answer in cut_rail.answers().values())
    with pytest.raises(ValueError, match="at least one stage"):
        chain(Situation(ground, units), [], ["0105"])


def trucks(ground: Board, i: int, j: int) -> int | None:
    """WB-95 10.1.5-10.1.8 in summer: roads free, clear 2, forest 4, no way through swamp."""
    if "road" in ground.links.get((i, j), ()):
        return 0
    return {"swamp": None, "forest": 4}.get(ground.terrain.get(j, ""), 2)


def test_a_budget_of_points_with_free_roads_and_free_links_between_friends() -> None:
    ground = board("road 0105 0205 0305 0405", "0505 forest", "1001..1009 swamp")
    policy = Policy("blue", ezoc="last", friends_cancel=True, cost=trucks, limit=6, limit_unit="points",
                    friends_free=True)  # fmt: skip
    sources = ["0105"]
    assert ask(policy, blue("0704"), on=ground, sources=sources).supplied
    assert not ask(policy, blue("0805"), on=ground, sources=sources).supplied
    helped = ask(policy, blue("0805"), blue("0704", "F"), on=ground, sources=sources)
    assert helped.supplied and helped.path[-2] == "0704"
    assert not ask(policy, blue("1104"), blue("0904", "F"), on=ground, sources=sources).supplied
    open_budget = Policy("blue", cost=trucks)
    stuck = ask(open_budget, blue("1104"), on=ground, sources=sources)
    assert not stuck.supplied and "no way for supply on this ground" in stuck.cut.values()


def test_a_zone_reached_by_free_road_is_still_the_end() -> None:
    ground = board("road 0105 0205 0305 0405 0505")
    policy = Policy("blue", cost=trucks, limit=4)
    answer = ask(policy, blue("0505"), red("0306"), on=ground, sources=["0105"])
    assert "0305" not in answer.path[:-1]


def test_units_in_boxes_are_left_out() -> None:
    assert trace(Situation(Board(GRID), (blue("dead pile"),)), BLUE, EDGE).answers() == {}


# --- properties

HEXES = st.sampled_from(GRID.ids)
RIVERS = board(*river(4), "0405-0505 bridge", *river(8, "river"))
POLICIES = st.sampled_from(
    [
        Policy("blue", ezoc=ezoc, friends_cancel=cancel, bans=(MAJOR,), limit=limit, source_in_ezoc=in_ezoc)
        for ezoc in ("open", "last", "closed")
        for cancel in (False, True)
        for limit in (None, 6)
        for in_ezoc in (False, True)
    ]
    + [Policy("blue", cost=trucks, limit=12, friends_free=True, friends_cancel=True)]
)


@st.composite
def tables(draw: st.DrawFn) -> tuple[Policy, tuple[Piece, ...]]:
    places = draw(st.lists(HEXES, unique=True, max_size=24))
    split = draw(st.integers(0, len(places)))
    friends = tuple(blue(h, f"B{n}") for n, h in enumerate(places[:split]))
    return draw(POLICIES), (*friends, *(red(h) for h in places[split:]))


@settings(max_examples=200)
@given(tables())
def test_a_path_is_contiguous_and_keeps_to_the_rules(table: tuple[Policy, tuple[Piece, ...]]) -> None:
    policy, units = table
    found = trace(Situation(RIVERS, units), policy, EDGE)
    enemies = {u.hex for u in units if u.side == "red"}
    zones = zoc(RIVERS, units).get("red", set())
    if policy.friends_cancel:
        zones -= {u.hex for u in units if u.side == "blue"}
    for answer in found.answers().values():
        path = answer.path
        assert answer.supplied == bool(path)
        if not path:
            assert answer.cut, "a cut unit is told why"
            continue
        assert path[0] in EDGE and path[-1] == answer.hex and not enemies & set(path)
        for a, b in zip(path, path[1:], strict=False):
            features = RIVERS.book.features(GRID.hexside(a, b))
            assert policy.cost or "major river" not in features or "bridge" in features
        if policy.limit and not policy.cost:
            assert len(path) - 1 <= policy.limit
        if policy.ezoc == "last":
            assert not zones & set(path[1:-1])
        if policy.ezoc == "closed":
            assert not zones & set(path)


@settings(max_examples=200)
@given(tables(), HEXES)
def test_another_enemy_never_helps(table: tuple[Policy, tuple[Piece, ...]], where: str) -> None:
    policy, units = table
    if any(u.hex == where for u in units):
        return
    before = trace(Situation(RIVERS, units), policy, EDGE).answers()
    after = trace(Situation(RIVERS, (*units, red(where))), policy, EDGE).answers()
    assert all(before[name].supplied for name, answer in after.items() if answer.supplied)


@given(tables())
def test_weighing_every_step_as_one_finds_what_the_flood_finds(
    table: tuple[Policy, tuple[Piece, ...]],
) -> None:
    policy, units = table
    if policy.cost:
        return
    situation = Situation(RIVERS, units)

    def one(ground: Board, i: int, j: int) -> int:
        return 1

    priced = replace(policy, cost=one)

    def lengths(found: Trace) -> dict[str, int]:
        return {name: len(answer.path) for name, answer in found.answers().items()}

    assert lengths(trace(situation, policy, EDGE)) == lengths(trace(situation, priced, EDGE))
