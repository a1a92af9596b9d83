"""The supply check against the marks on the table: what is listed, what is applied, and what nobody learns."""

import pytest
from harness import Bench, bare, refused

from companion.engine.errors import NotNow, NotYours, Unreadable
from companion.engine.forms.fields import Context
from companion.engine.positions.supply import line_at, lines, marker_of, shown_ids, zones_of_control

RING = "german 1 2420; german 1 2520; german 1 2521; german 1 2422; german 1 2321; german 1 2320"


@pytest.fixture
def table():
    """A Soviet stack ringed by Germans, and a free one, on turn 2 when supply is judged."""
    made = Bench("second-kharkov", "historical")
    made.do("soviet", "enter-positions", text="7 Cav 2421; 6 Cav 2421; 38 Guards 3805")
    made.do("table", "enter-positions", text=RING)
    made.do("table", "go-to", turn=2, phase="soviet-move")
    return made


def test_lines_say_who_is_cut_off_and_where(table):
    rows = {row.unit.id: row for row in lines(table.system.rules, table.game, "soviet")}
    cut, free = rows["soviet-7-cav"], rows["soviet-38-guards"]
    assert not cut.answer.supplied and cut.differs
    assert set(cut.answer.cut) == {"2420", "2520", "2521", "2422", "2321", "2320"}
    assert free.answer.supplied and not free.differs and free.answer.path[-1] == "3805"


def test_only_confirmed_marks_are_applied(table):
    table.do("soviet", "apply-supply", side="soviet", out="soviet-7-cav")
    assert table.game.mark("soviet-7-cav", "oos") is True
    assert table.game.mark("soviet-6-cav", "oos") is None, "it was not ticked"
    assert table.do("soviet", "apply-supply", side="soviet", out="soviet-7-cav") == []


def test_a_mark_that_no_longer_holds_is_taken_off_when_confirmed(table):
    table.do("soviet", "enter-positions", text="38 Guards oos")
    row = next(r for r in lines(table.system.rules, table.game, "soviet") if r.unit.name == "38 Guards")
    assert row.differs
    table.do("soviet", "apply-supply", side="soviet", back="soviet-38-guards")
    assert table.game.mark("soviet-38-guards", "oos") is None


def test_a_mark_on_the_hex_counts_for_its_units(table):
    table.do("soviet", "enter-positions", text="3805 oos; 2421 oos")
    rows = {row.unit.name: row for row in lines(table.system.rules, table.game, "soviet")}
    assert rows["38 Guards"].differs and not rows["7 Cav"].differs
    table.do("soviet", "apply-supply", side="soviet", back="soviet-38-guards")
    assert table.game.mark("3805", "oos") is None


def test_against_the_trace_nothing_is_applied(table):
    with refused(NotNow, field="out", given="soviet-38-guards"):
        table.do("soviet", "apply-supply", side="soviet", out="soviet-7-cav\nsoviet-38-guards")
    assert table.game.mark("soviet-7-cav", "oos") is None, "nothing half-applied"


def test_each_side_asks_for_its_own(table):
    with pytest.raises(NotYours):
        table.do("german", "apply-supply", side="soviet", out="soviet-7-cav")
    assert line_at(table.system.rules, table.game, "german", "2421") is None
    assert line_at(table.system.rules, table.game, "soviet", "2421")[0] == "soviet"
    assert line_at(table.system.rules, table.game, "table", "2421")[0] == "soviet"
    with pytest.raises(Unreadable):
        table.do("soviet", "apply-supply", side="soviet")


def test_the_table_confirms_hidden_units_by_stand_ins(table):
    names = shown_ids(table.game, "table")
    hidden = [shown for shown, real in names.items() if real == "soviet-7-cav"]
    assert hidden == ["soviet-2421-2"], "6 Cav lies on top; the other one is known by its place only"
    table.do("table", "apply-supply", side="soviet", out="\n".join(hidden))
    assert table.game.mark("soviet-7-cav", "oos") is True
    public = [e.seen_by("table") for e in table.events[-1:]]
    assert "7-cav" not in str(public)


def test_zones_are_the_hexes_around(table):
    zones = zones_of_control(table.system.rules, table.game)
    assert set(table.game.maps.neighbours("3805")) <= set(zones["soviet"])
    assert "2421" in zones["german"]


@pytest.mark.parametrize(
    ("system", "scenario", "marker"),
    [
        ("second-kharkov", "historical", ("oos", True)),
        ("enemy-action-kharkov", "campaign", ("supply", "oos")),
        ("kharkov-battles", "operation-star", ("supply", "oos")),
        ("wb95", "kharkov-1942", ("oos", 1)),
    ],
)
def test_every_game_has_its_own_marker(system, scenario, marker):
    table = Bench(system, scenario)
    assert marker_of(table.system.rules, table.game) == marker


def test_distance_and_range_as_worksheets(table):
    sheets, ctx = table.system.rules.worksheets, Context(table.game)
    told = sheets["distance"].work({"start": "2408", "end": "2411"}, ctx)
    assert told.facts["distance"] == 3 and told.facts["line"] == ["2408", "2409", "2410", "2411"]
    told = sheets["range"].work({"hex": "2421", "reach": "1"}, ctx)
    assert len(told.facts["hexes"]) == 7
    assert {line.label: line.effect for line in told.lines}["hexes with German units"] == "6"
    assert sheets["distance"].work({"start": "2408", "end": "2411"}, bare(table.kit)).facts["distance"] == 3
