"""A stack taken up and put down: who may, what is said of it, and which attacks a tap on the enemy offers."""

from pathlib import Path

import pytest
from harness import Bench, refused

from companion.engine.errors import NotYours, Unknown, Unreadable
from companion.engine.forms.fields import Context
from companion.engine.play.duties import owe
from companion.engine.positions.moving import attacks_on, out_of_turn, said_of_move
from companion.engine.record.changes import create
from companion.systems import IDS, load_systems

SYSTEMS = load_systems(Path(__file__).parents[3] / "scenarios")


@pytest.fixture
def table():
    table = Bench("second-kharkov", "historical")
    table.do("german", "enter-positions", text="Geheim 2408; 3Pz 2408; 16Pz 2508")
    table.do("soviet", "enter-positions", text="7 Cav 2421; 6 Cav 2421; 38 Guards 2409")
    return table


def stack(table, hex_id):
    return [u.id for u in table.game.units_at(hex_id)]


def test_a_stack_keeps_its_order_and_some_may_stay(table):
    before = stack(table, "2408")
    table.do("german", "move-stack", units=before, hex="2407", anyway=True)
    assert stack(table, "2407") == before
    table.do("german", "move-stack", units=before[:1], hex="2406", anyway=True)
    assert stack(table, "2407") == before[1:] and stack(table, "2406") == before[:1]


def test_only_its_own_side_or_the_table_moves_a_unit(table):
    with refused(Unreadable, field="units"):
        table.do("soviet", "move-stack", units=["3-panzer"], hex="2410")
    with refused(Unknown, field="units"):  # the buried one is not even named
        table.do("soviet", "move-stack", units=["german-geheim"], hex="2410")
    with refused(Unknown, field="units"):
        table.do("table", "move-stack", units=["german-geheim"], hex="2410")
    with refused(NotYours):
        table.do("watch", "move-stack", units=["3-panzer"], hex="2410")
    table.do("table", "move-stack", units=["3-panzer"], hex="2407", anyway=True)
    assert stack(table, "2407") == ["3-panzer"]


@pytest.mark.parametrize("system", IDS)
def test_every_game_says_first_that_it_is_the_other_sides_phase(system):
    kit = SYSTEMS[system].kit
    table = Bench(system, next(iter(kit.scenarios)))
    phase = next(p.id for p in kit.system.phases if p.side)
    table.do("table", "go-to", turn=1, phase=phase)
    mine, other = table.game.active, table.game.other(table.game.active)
    for side, place in ((mine, "2408"), (other, "2428")):
        table.record(create(table.game, side, place, {"side": side, "name": "Stray"}))
    warns = table.rules.actions["move-stack"].warns
    said = {
        side: list(warns(Context(table.game, side, {"units": [side], "hex": "2407"})))
        for side in (mine, other)
    }
    assert said[mine] == [] and len(said[other]) == 1


def test_the_table_moves_a_closed_stack_without_reading_it(table):
    before = stack(table, "2408")
    table.do("table", "move-stack", units=["3-panzer"], below="2408", hex="2407", anyway=True)
    assert stack(table, "2407") == before
    heard = str(table.hears("table")) + str(table.hears("soviet"))
    assert "eheim" not in heard
    table.do("table", "move-stack", below="2407", hex="2406")
    assert stack(table, "2406") == ["german-geheim"] and stack(table, "2407") == ["3-panzer"]
    with refused(Unreadable, field="units"):  # a side takes nothing along that it cannot see
        table.do("soviet", "move-stack", below="2407", hex="2410")


def test_a_stack_that_stays_where_it_is_did_not_move(table):
    with refused(Unreadable, field="hex"):
        table.do("soviet", "move-stack", units=["soviet-38-guards"], hex="2409")


def moved(table, seat, units, hex_id):
    start = table.game.units[units[0]].place
    table.do(seat, "move-stack", units=units, hex=hex_id, anyway=True)
    return said_of_move(table.rules, table.game, seat, [table.game.units[u] for u in units], start)


def test_what_the_rules_say_hinders_nobody(table):
    """[7.1] Four Soviet units to a hex; [11.2] no further than the movement factor."""
    assert moved(table, "soviet", ["soviet-38-guards"], "2410") == []
    assert "held by the enemy" in moved(table, "soviet", ["soviet-38-guards"], "2408")[0]
    table.do("soviet", "enter-positions", text="1 Cav 2430; 2 Cav 2430; 3 Cav 2430")
    assert any("7.1" in words for words in moved(table, "soviet", stack(table, "2421"), "2430"))
    csv = "side,name,place,MF\nsoviet,Slow,2715,4\n"
    table.do("soviet", "import-positions", csv=csv)
    slow = table.game.unit("Slow").id
    assert moved(table, "soviet", [slow], "2719") == []
    assert any("11.2" in words for words in moved(table, "soviet", [slow], "2714"))


def test_what_is_wrong_with_a_stack_tells_nobody_what_lies_in_it(table):
    """[7.3] German armies do not stack; the table's screen does not learn which army the buried unit is of."""
    csv = "side,name,place,formation\ngerman,Buried,2412,6th Army\ngerman,Lid,2412,17th Army\ngerman,Other,2414,17th Army\n"
    table.do("german", "import-positions", csv=csv)
    other = table.game.unit("Other").id
    said = moved(table, "table", [other], "2412")
    assert said == []
    units = [table.game.units[other]]
    owner = said_of_move(table.rules, table.game, "german", units, "2414")
    assert ["7.3" in words for words in owner] == [True]


def test_units_are_out_of_turn_in_the_other_sides_phase_unless_a_duty_is_about_them(table):
    """A retreat or an advance is made in whatever phase it is owed."""
    german, soviet = table.game.units["3-panzer"], table.game.unit("7 Cav")
    assert table.game.active == "soviet"
    assert list(out_of_turn(table.game, [soviet])) == [] and len(list(out_of_turn(table.game, [german]))) == 1
    table.record(owe(table.game, "german", "Retreat", units=[german.id]))
    assert list(out_of_turn(table.game, [german])) == []
    assert len(list(out_of_turn(table.game, [table.game.unit("16Pz")]))) == 1, "nobody asked it to move"


def test_an_attack_is_offered_in_its_phase_to_its_side_next_to_the_enemy(table):
    def offered(seat, hex_id="2408"):
        return [attack.action for attack, _ in attacks_on(table.rules, table.game, seat, hex_id)]

    assert offered("soviet") == [], "not while units move"
    table.until("soviet-combat")
    assert offered("soviet") == offered("table") == ["resolve-combat", "declare-attack"]
    assert offered("german") == offered("watch") == []
    assert offered("soviet", "2508") == ["resolve-combat", "declare-attack"]
    assert offered("soviet", "2409") == [], "one's own stack"
    assert offered("soviet", "2303") == [], "nobody stands next to it"


@pytest.mark.parametrize("system", IDS)
def test_every_game_says_how_a_tap_attacks(system):
    rules = SYSTEMS[system].rules
    assert rules.attacks and rules.minds
    for attack in rules.attacks:
        fields = rules.actions[attack.action].fields
        assert fields[attack.hex].type == "hex" and fields[attack.units].type == "unit"
