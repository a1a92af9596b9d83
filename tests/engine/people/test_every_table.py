"""What can be done at every table: corrections, units, markers, reinforcements, notes, taking back."""

from dataclasses import replace
from typing import Any

import pytest
from harness import refused
from toykit import Table

from companion.engine.errors import Mistake, NotNow, NotYours, Unknown, Unreadable, Warned
from companion.engine.forms.fields import Context
from companion.engine.people.units import due, marker_value, unit_words
from companion.engine.play.phases import in_force
from companion.engine.record import events as e
from companion.engine.record.changes import change
from companion.systems import new_rules


def test_turn_and_phase_can_be_set_by_hand_with_a_reason() -> None:
    table = Table()
    assert table.do("red", "go-to", turn=3, phase="air", reason="we forgot") == [
        e.Advanced(3, "air", reason="we forgot")
    ]
    assert (table.game.turn, table.game.phase) == (3, "air")


@pytest.mark.parametrize(
    ("turn", "phase", "field"), [(4, "air", "turn"), (0, "air", "turn"), (1, "aire", "phase")]
)
def test_a_turn_or_phase_that_is_not_there_is_refused(turn: int, phase: str, field: str) -> None:
    with refused(Unreadable, field=field):
        Table().do("red", "go-to", turn=turn, phase=phase)


@pytest.mark.parametrize(
    ("name", "value", "becomes"),
    [
        ("vp", "7", 7),
        ("weather", "mud", "mud"),
        ("weather", "Deep mud", "mud"),
        ("storm", "yes", True),
        ("reading", "defender", "defender"),
    ],
)
def test_any_value_can_be_corrected_and_the_log_keeps_the_reason(name: str, value: str, becomes: Any) -> None:
    table = Table()
    was = table.game[name]
    (event,) = table.do("blue", "correct", name=name, value=value, reason="miscounted")
    assert event == e.Set(name, becomes, was=was, reason="miscounted")
    assert table.game[name] == becomes


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("vp", "21", "21 is not a whole number from 0 to 20"),
        ("weather", "hail", "'hail' is not one of: clear, mud"),
        ("storm", "perhaps", "'perhaps' is not one of: yes, no"),
        ("morale", "7", "What: 'morale' is not one of: vp"),
    ],
)
def test_a_correction_must_be_possible(name: str, value: str, words: str) -> None:
    with pytest.raises(Unreadable, match=words):
        Table().do("red", "correct", name=name, value=value)


def test_a_track_moves_up_and_down_within_its_bounds() -> None:
    table = Table()
    table.do("red", "adjust", name="vp", change=-2)
    assert table.game["vp"] == 1
    with pytest.raises(Unreadable, match="-1 is not a whole number from 0 to 20"):
        table.do("red", "adjust", name="vp", change=-2)


@pytest.mark.parametrize("action", [("correct", {"value": "3"}), ("adjust", {"change": "99"})])
@pytest.mark.parametrize("seat", ["blue", "table"])
def test_a_hidden_value_cannot_be_touched_or_sounded_out(
    seat: str, action: tuple[str, dict[str, str]]
) -> None:
    table = Table()
    table.do("red", "count-reserve", points=7)
    name, fields = action
    with pytest.raises(Mistake) as raised:
        table.do(seat, name, name="reserve", **fields)
    assert "'reserve' is not one of" in raised.value.message
    assert "106" not in raised.value.message and "7" not in raised.value.message


def test_a_hidden_value_stays_hidden_when_its_owner_corrects_it() -> None:
    table = Table()
    table.do("red", "count-reserve", points=7)
    (event,) = table.do("red", "correct", name="reserve", value="11")
    assert event.only == ("red",)
    assert "11" not in str(event.seen_by("blue"))


def test_settings_of_the_table_change_one_by_one() -> None:
    table = Table()
    with pytest.raises(NotYours):
        table.do("red", "set-mode", fog=False)  # nobody lifts the fog from his own phone
    done = table.do("table", "set-mode", dice="physical", fog=True)
    assert done == [e.Set("mode-dice", "physical", was="either")]


@pytest.mark.parametrize(
    ("values", "text", "value"),
    [
        ((), "on", True),
        ((), "off", None),
        ((), "0", None),
        (("#",), "3", 3),
        (("#",), "on", 1),
        (("#",), "none", None),
        (("attack", "defend"), "Attack", "attack"),
    ],
)
def test_a_markers_value_is_read(values: tuple[str, ...], text: str, value: Any) -> None:
    assert marker_value(values, text) == value


@pytest.mark.parametrize(
    ("values", "text", "accepted"),
    [
        ((), "3", "on, off"),
        (("#",), "much", "a number, on, off"),
        (("#",), "²", "a number"),
        (("attack",), "on", "attack, off"),
    ],
)
def test_a_markers_wrong_value_is_refused(values: tuple[str, ...], text: str, accepted: str) -> None:
    with pytest.raises(Unreadable) as raised:
        marker_value(values, text)
    assert accepted in raised.value.accepted


def test_units_and_hexes_are_marked_together() -> None:
    table = Table()
    done = table.do("red", "mark", marker="moved", units="Guards, Tanks", hexes="0404")
    assert [(m.target, m.value, m.only) for m in done if isinstance(m, e.Marked)] == [
        ("red-guards", True, ("red",)),
        ("red-tanks", True, ("red",)),
        ("0404", True, ()),
    ]
    with refused(Unreadable, field="units"):
        table.do("red", "mark", marker="oos")


@pytest.mark.parametrize(
    ("marker", "where", "wrong"),
    [
        ("fort", {"units": "Guards"}, "red-guards"),
        ("oos", {"hexes": "0404", "value": "2"}, "0404"),
        ("fort", {"units": "Guards", "hexes": "0404"}, "red-guards"),
    ],
)
def test_a_marker_lies_only_where_it_belongs(marker: str, where: dict[str, str], wrong: str) -> None:
    with refused(Unreadable, given=wrong):
        Table().do("red", "mark", marker=marker, **where)


def test_a_marker_that_lies_wrong_already_is_passed_over_and_can_be_taken_off() -> None:
    table = Table()
    table.game.apply(e.Marked("red-guards", "fort", True))
    assert table.game.marked("fort") == {}
    table.do("red", "mark", marker="fort", units="Guards", value="off")
    assert "fort" not in table.game.marks["red-guards"]


def test_markers_of_a_phase_or_turn_are_taken_off_by_the_sequence() -> None:
    table = Table()
    table.do("red", "mark", marker="posture", units="Guards", value="attack")
    table.do("red", "mark", marker="moved", units="Guards")
    table.do("table", "next-phase")
    assert table.game.marked("moved") == {}
    assert table.game.marked("posture") == {"red-guards": "attack"}
    table.until("weather", 2)
    assert table.game.marked("posture") == {}
    assert table.game.marked("oos") == {"red-guards": 2}, "what nobody takes off stays"


def test_the_scenario_is_set_up_once() -> None:
    table = Table(set_up=False)
    table.do("red", "set-up")
    assert table.game.unit("red-guards").place == "0303"
    assert table.game.unit("blue-relief").place == "", "reinforcements wait"
    with refused(NotNow, given="set-up"):
        table.do("red", "set-up")


def test_a_side_moves_its_own_units_and_the_table_all_that_lie_open() -> None:
    table = Table()
    table.do("red", "place-unit", unit="Guards", hex="404")
    with pytest.raises(Unknown, match="no unit 'Jaeger' at this table, or it lies hidden from this screen"):
        table.do("table", "place-unit", unit="Jaeger", box="dead pile")
    table.do("table", "set-mode", fog=False)
    table.agree()
    table.do("table", "place-unit", unit="Jaeger", box="dead pile")
    assert (table.game.unit("Guards").place, table.game.unit("Jaeger").place) == ("0404", "box:dead")
    with refused(Unreadable, field="unit", given="Flak"):
        table.do("red", "place-unit", unit="Flak", hex="0404")
    with refused(Unreadable, field="hex"):
        table.do("red", "place-unit", unit="Guards")


def test_a_unit_the_scenario_does_not_list_can_be_added_twice() -> None:
    table = Table()
    table.do("red", "add-unit", side="red", name="3rd Pz/XL", hex="0101", steps=2)
    table.do("red", "add-unit", side="red", name="3rd Pz/XL")
    first, second = table.game.units["red-3rd-pz-xl"], table.game.units["red-3rd-pz-xl-2"]
    assert (first.place, first.steps, first.full, second.place) == ("0101", 2, 2, "")


def test_steps_are_set_by_hand() -> None:
    table = Table()
    table.do("red", "set-steps", unit="Guards", steps=1)
    assert (table.game.unit("Guards").steps, table.game.unit("Guards").full) == (1, 2)


def test_the_marker_s_form_asks_only_for_what_it_lies_on() -> None:
    table = Table()
    asked = {
        marker: {
            r["name"]
            for r in table.rules.find("mark").describe(Context(table.game, "red"), {"marker": marker})
            if not r["quiet"]
        }
        for marker in ("", "oos", "fort")
    }
    assert {m: found & {"units", "hexes"} for m, found in asked.items()} == {
        "": {"units", "hexes"},
        "oos": {"units"},
        "fort": {"hexes"},
    }


def test_steps_are_not_offered_where_every_unit_has_one() -> None:
    table = Table()
    for unit in list(table.game.units.values()):
        unit.full = 1
    assert "set-steps" not in {a["name"] for a in table.sees("red")["actions"]}
    with refused(NotNow, given="set-steps"):
        table.do("red", "set-steps", unit="Guards", steps=1)


def test_actions_speak_the_game_s_word_for_steps() -> None:
    table = Table()
    own = unit_words(table.rules.actions, replace(table.game.kit, step_name="CEL", steps_name="CEL"))
    assert {n: a.label for n, a in own.items()} == {"set-steps": "Set CEL", "add-unit": "Add a unit"}
    assert own["set-steps"].fields["steps"].label == "CEL left"
    assert own["set-steps"].doc == "Set how many CEL a unit has left."
    assert own["add-unit"].fields["steps"].label == "CEL"
    assert unit_words(table.rules.actions, table.game.kit) == {}


def test_reinforcements_are_due_from_their_turn_until_they_are_in() -> None:
    table = Table()
    assert [a.text for _, a in due(table.game)] == ["A supply drop"]
    table.until("weather", 3)
    assert [a.text for _, a in due(table.game)] == ["The relief column", "A supply drop"]
    table.do("blue", "arrive", arrival="The relief column", hex="1010")
    table.do("blue", "arrive", arrival="A supply drop")
    assert table.game.unit("Relief").place == "1010"
    assert due(table.game) == []
    with refused(NotNow, given="arrive"):
        table.do("blue", "arrive", arrival="x")


def test_reinforcements_placed_by_hand_are_in() -> None:
    table = Table().until("weather", 2)
    table.do("blue", "place-unit", unit="Relief", hex="1010")
    assert [a.text for _, a in due(table.game)] == ["A supply drop"]


def test_a_reinforcement_is_due_where_and_when_it_now_enters() -> None:
    """The due list follows the unit: it is sent elsewhere, later, and no longer comes with its list's line."""
    table = Table().until("weather", 2)
    relief = table.game.unit("Relief")
    table.record(change(table.game, relief.id, {"turn": 3, "entry": "the south"}))
    assert [a.text for _, a in due(table.game)] == ["A supply drop"]
    table.until("weather", 3)
    assert [(a.text, a.entry) for _, a in due(table.game)] == [
        ("A supply drop", ""),
        ("Relief", "the south"),
    ]
    assert [d["text"] for d in table.sees("red")["due"]] == [
        "A supply drop"
    ]  # how it goes is its side's secret
    with refused(Unreadable, field="arrival"):
        table.do("table", "arrive", arrival="Relief", hex="1010")
    table.do("blue", "arrive", arrival="Relief", hex="1010")
    assert table.game.unit("Relief").place == "1010"
    assert [a.text for _, a in due(table.game)] == ["A supply drop"]


def test_a_checklist_line_is_ticked_and_cleared() -> None:
    table = Table()
    table.do("red", "tick", item="1/weather/0", done="on")
    assert [c["done"] for c in table.sees("table")["phase"]["checklist"]] == [True]
    table.do("red", "tick", item="1/weather/0")
    assert [c["done"] for c in table.sees("table")["phase"]["checklist"]] == [False]


@pytest.mark.parametrize(
    "item", ["", "1", "1/weather", "1/weather/9", "x/weather/0", "1/nowhere/0", "1/weather/²", "1/weather/-1"]
)
def test_a_checklist_line_that_is_not_there_is_refused(item: str) -> None:
    with pytest.raises((Unknown, Unreadable)):
        Table().do("red", "tick", item=item)


def test_a_checklist_shows_the_lines_of_this_turn_and_weather() -> None:
    table = Table()
    assert [c["text"] for c in table.sees("red")["phase"]["checklist"]] == ["Roll for the weather"]
    table.do("table", "correct", name="weather", value="mud")
    table.until("weather", 2)
    assert [c["text"] for c in table.sees("red")["phase"]["checklist"]] == [
        "Roll for the weather",
        "Turn the night marker",
        "Sandbag the bridges",
    ]


def test_notes_are_in_force_on_their_turns() -> None:
    table = Table()
    assert [n.text for n in in_force(table.game)] == ["No bridges may be blown"]
    table.do("table", "correct", name="weather", value="mud")
    table.until("weather", 2)
    assert [n.text for n in in_force(table.game)] == ["Mud everywhere", "The ferry runs"]


def test_a_game_may_speak_against_what_all_games_share() -> None:
    """Said once before it is done, then done anyway; other games are not warned."""
    table = Table()
    rules = new_rules("strict")
    rules.warns_of("note")(lambda ctx: ["no shouting"] if str(ctx.values["text"]).isupper() else [])
    table.system = replace(table.system, rules=rules)
    with refused(Warned, field="anyway") as said:
        table.do("red", "note", text="LOUD")
    assert said.value.said == ["no shouting"]
    assert table.do("red", "note", text="LOUD", anyway=True) == [e.Noted("LOUD")]
    assert table.do("red", "note", text="quiet") == [e.Noted("quiet")]
    assert Table().do("red", "note", text="LOUD") == [e.Noted("LOUD")]


def test_a_battle_tells_its_form_and_what_the_other_side_joined() -> None:
    """Each part may be hidden from the other side in the record; whoever rolls works with both."""
    table = Table()
    table.record(
        e.Engaged(
            title="Attack", attacker="red", defender="blue", facts={"form": {"attack": 3, "guns": ["a"]}}
        )
    )
    number = table.game.revision
    table.record(e.Engaged(number, facts={"joined": {"defence": 2}}, only=("blue",)))
    duty = e.Asked("roll", ("red",), "roll", battle=number)
    assert Context(table.game, "red", duty=duty).told == {"attack": 3, "guns": ("a",), "defence": 2}
