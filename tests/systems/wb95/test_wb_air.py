"""The air phases: daily pool, sealed missions, air combat, all seven missions [8.0]."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from harness import refused, warned

from companion.engine.errors import NotNow, NotYours, StillOwed, Unreadable
from companion.engine.record import events as e

Make = Callable[..., Any]


def test_day_one_has_only_soviet_aircraft(table: Make) -> None:
    t = table()
    assert (t.game["air-german"], t.game["air-soviet"]) == (0, 8)
    t.do("soviet", "assign-air", mission_1="support", hex_1="2105", sp_1=5)
    assert t.game["air-soviet"] == 3  # the Germans have nothing to choose: it opens at once
    assert t.mark("2105", "air-soviet") == "support 5"
    t.until("air-b")
    assert t.mark("2105", "air-soviet") is None
    with refused(NotNow, rule="8.1.5", field="sp_1", given=4):
        t.do("soviet", "assign-air", mission_1="attack", hex_1="2105", sp_1=4)
    t.do("soviet", "assign-air", mission_1="attack", hex_1="2105", sp_1=3)
    assert t.game["air-soviet"] == 0  # one pool over both air phases
    t.until("air-a", 2)
    assert (t.game["air-german"], t.game["air-soviet"]) == (3, 7)


def test_the_second_air_phase_is_passed_over_when_nobody_has_points(table: Make) -> None:
    """8.1.5: a counter flies once a day. What flew in the first phase goes home all the same [8.2.1]."""
    t = table()
    t.do("soviet", "assign-air", mission_1="support", hex_1="2105", sp_1=8)
    t.until("supply-a")
    t.next()
    assert t.game.phase == "move-b" and t.mark("2105", "air-soviet") is None
    assert [event.rule for event in t.events if isinstance(event, e.Noted)][-1] == "8.1.5"
    t.do("table", "correct", name="air-soviet", value=2, reason="kept back")
    t.do("table", "go-to", turn=1, phase="air-b")  # the cardboard knows better
    t.do("soviet", "assign-air", mission_1="support", hex_1="2105", sp_1=2)
    assert t.mark("2105", "air-soviet") == "support 2"


def secret_table(table: Make) -> Any:
    t = table()
    t.until("air-a", 6)  # 17 May: 10 German, 3 Soviet
    t.do("german", "assign-air", mission_1="attack", hex_1="1234", sp_1=7, more="harass 1301 2")
    return t


@pytest.mark.parametrize("seat", ["soviet", "table", "watch"])
def test_sealed_missions_leak_nowhere(table: Make, seat: str) -> None:
    t = secret_table(table)
    shown = json.dumps(t.sees(seat), default=str)
    assert "1234" not in shown
    assert t.sees(seat)["my_sealed"] == {}
    told = json.dumps(t.hears(seat), default=str)
    assert "1234" not in told
    assert "harass" not in told
    assert t.game["air-german"] == 10  # the debit would tell
    assert t.game.marked("air-german") == {}
    assert "1234" in json.dumps(t.sees("german"))


def test_missions_open_together(table: Make) -> None:
    t = secret_table(table)
    t.do("soviet", "assign-air", mission_1="support", hex_1="5010", sp_1=1)
    for seat in ("german", "soviet", "table", "watch"):
        assert "1234" in json.dumps(t.sees(seat))
    assert (t.game["air-german"], t.game["air-soviet"]) == (1, 2)
    assert t.mark("1301", "air-german") == "harass 2"
    assert [a["action"] for a in t.asked("german")] == ["bomb-hex"]
    with refused(NotNow, given="assign-air"):
        t.do("german", "assign-air")


def test_a_choice_may_be_changed_until_the_other_has_chosen(table: Make) -> None:
    t = secret_table(table)
    t.do("german", "assign-air", mission_1="support", hex_1="2020", sp_1=4)
    t.do("soviet", "assign-air")
    assert t.game.marked("air-german") == {"2020": "support 4"}


def test_the_tablet_and_the_other_seat_cannot_choose(table: Make) -> None:
    t = table()
    for seat in ("table", "watch"):
        with refused(NotYours, given=seat):
            t.do(seat, "assign-air")


@pytest.mark.parametrize("plan", [{}, {"mission_1": "attack", "hex_1": "1234", "sp_1": 7}])
def test_nobody_ends_the_phase_over_the_others_head(table: Make, plan: dict[str, Any]) -> None:
    """Whatever was chosen, or the refusal itself would tell whether anything was."""
    t = table("kharkov-1943")
    t.do("german", "assign-air", **plan)
    with refused(StillOwed) as said:
        t.do("soviet", "next-phase")
    assert said.value.said == ["Soviet has not assigned its air missions yet; none is a choice too (8.1.7)"]
    with refused(NotNow, given="german"):
        t.do("german", "next-phase", anyway=True)
    t.do("soviet", "assign-air")
    t.next()
    assert t.game.phase == "move-a"


def test_a_phase_in_which_nobody_flies_just_ends(table: Make) -> None:
    t = table("kharkov-1943")
    t.next()
    assert t.game.phase == "move-a"
    t = table("kharkov-1942")  # 12 May: the Germans have no points and are not waited for
    t.next()
    assert t.game.phase == "move-a"


def test_only_a_side_with_points_is_asked(table: Make) -> None:
    t = table("kharkov-1942")
    offers = {s: [a["name"] for a in t.sees(s)["actions"]] for s in ("german", "soviet", "table")}
    assert "assign-air" in offers["soviet"]
    assert "assign-air" not in offers["german"] + offers["table"]


def test_the_panel_tells_who_has_chosen_and_only_the_owner_what(table: Make) -> None:
    t = secret_table(table)
    panels = {s: str(t.panel(s, "Air missions")) for s in ("german", "soviet", "table", "watch")}
    assert all("still to choose" in text for text in panels.values())
    assert "1234" in panels["german"]
    assert not any("1234" in panels[s] for s in ("soviet", "table", "watch"))


@pytest.mark.parametrize(
    ("seat", "fields", "rule", "field"),
    [
        ("soviet", {"more": "defence 2020 2"}, "8.2.5", "more"),
        ("soviet", {"more": "harass 2020 1"}, "8.2.11", "more"),
        ("german", {"mission_1": "harass", "hex_1": "2020", "sp_1": 3}, "8.2.15", "sp_1"),
        ("german", {"more": "harass 2020 1\nharass 2020 2"}, "8.2.15", "more"),
        ("german", {"mission_1": "object", "hex_1": "2020", "sp_1": 3}, "8.2.10", "sp_1"),
        ("german", {"more": "supply 2020 8"}, "8.2.23", "more"),
        ("german", {"mission_1": "attack", "hex_1": "2020", "sp_1": 11}, "8.1.5", "sp_1"),
        ("german", {"more": "attack 2020 6\nattack 2021 5"}, "8.1.5", "more"),
        ("german", {"more": "crossing 2020:2 2030:2 2"}, "8.2.19", "more"),
        (
            "german",
            {
                "mission_1": "attack",
                "hex_1": "2020",
                "sp_1": 1,
                "mission_2": "object",
                "hex_2": "2021",
                "sp_2": 3,
            },
            "8.2.10",
            "sp_2",
        ),
    ],
)
def test_missions_that_may_not_be_flown(
    table: Make, seat: str, fields: dict[str, Any], rule: str, field: str
) -> None:
    t = table()
    t.until("air-a", 6)
    with refused(NotNow, rule=rule, field=field):
        t.do(seat, "assign-air", **fields)


@pytest.mark.parametrize(
    ("seat", "fields", "field"),
    [
        ("soviet", {"mission_1": "defence", "hex_1": "2020", "sp_1": 2}, "mission_1"),
        ("german", {"more": "crossing 2020:1 2021:1 2"}, "more"),  # [8.2.18]
        ("german", {"more": "bomb 2020 1"}, "more"),
        ("german", {"more": "attack 2020 0"}, "more"),
        ("german", {"mission_1": "attack", "hex_1": "2020"}, "sp_1"),
        ("german", {"mission_1": "attack", "sp_1": 2}, "hex_1"),
        ("german", {"more": "attack 9999 1"}, "more"),
    ],
)
def test_missions_that_cannot_be_read(table: Make, seat: str, fields: dict[str, Any], field: str) -> None:
    t = table()
    t.until("air-a", 6)
    with refused(Unreadable, field=field):
        t.do(seat, "assign-air", **fields)


def fly(table: Make, german: dict[str, Any], soviet: dict[str, Any], **options: Any) -> Any:
    t = table(fog=False, **options)
    t.until("air-a", 6)
    t.do("german", "assign-air", **german)
    t.do("soviet", "assign-air", **soviet)
    return t


def test_air_combat_on_adjacent_hexes(table: Make) -> None:
    t = fly(
        table,
        {"mission_1": "attack", "hex_1": "2020", "sp_1": 4},
        {"mission_1": "support", "hex_1": "2021", "sp_1": 3},
    )
    assert t.asks() == ["fight-in-the-air"]
    t.answer("table", german_die="2", soviet_die="3")  # 6 : 6
    assert t.asks() == ["fight-in-the-air"]
    t.answer("table", german_die="1", soviet_die="6")
    assert t.game.marked("air-german") == {}
    assert t.game.marked("air-soviet") == {"2021": "support 3"}
    assert t.game["air-german"] == 6  # 8.1.9: gone for the day
    assert t.asks() == []


def test_the_winner_goes_on_to_bomb(table: Make) -> None:
    t = fly(
        table,
        {"mission_1": "attack", "hex_1": "2020", "sp_1": 8},
        {"mission_1": "support", "hex_1": "2020", "sp_1": 1},
    )
    t.answer("table", german_die="6", soviet_die="1")
    assert t.duty("german", "bomb-hex")["text"] == "German: air attack on 2020 with 8 SP"


def test_air_combats_and_attacks_are_not_dropped_with_their_phase(table: Make) -> None:
    """8.1.8: said before the phase ends; fought later, and then the bombs fall [8.2.6]."""
    t = fly(
        table,
        {"mission_1": "attack", "hex_1": "2020", "sp_1": 8},
        {"mission_1": "support", "hex_1": "2020", "sp_1": 1},
    )
    with refused(StillOwed) as said:
        t.do("german", "next-phase")
    assert said.value.said == ["Air combat: German 8 SP over 2020, Soviet 1 SP over 2020"]
    t.until("air-b", 6)
    assert t.game.marked("air-german") == {"2020": "attack 8"}  # they still wait for it
    t.settle("table", "fight-in-the-air", german_die="6", soviet_die="1")
    unit = t.unit("soviet", "column", "2020", cel=2)
    t.next()
    t.settle("german", "bomb-hex", die="1 1")
    assert t.game.units[unit].steps == 1
    assert t.fight.result == "-1D"


def test_an_air_attack_that_was_rolled_on_the_map_is_over(table: Make) -> None:
    t = fly(table, {"mission_1": "attack", "hex_1": "2020", "sp_1": 8}, {})
    t.do("german", "dismiss", ask=t.duty("german", "bomb-hex")["id"])
    assert t.asks() == [] and t.game.marked("air-german") == {}
    assert t.fight.result == "called off"


def test_far_missions_do_not_meet(table: Make) -> None:
    t = fly(
        table,
        {"mission_1": "support", "hex_1": "2020", "sp_1": 4},
        {"mission_1": "support", "hex_1": "2022", "sp_1": 3},
    )
    assert "fight-in-the-air" not in t.asks()


@pytest.mark.parametrize(("reading", "fights"), [("pair", 2), ("group", 1)])
def test_several_adjacent_hexes(table: Make, reading: str, fights: int) -> None:
    t = fly(
        table,
        {"mission_1": "support", "hex_1": "2021", "sp_1": 4},
        {
            "mission_1": "support",
            "hex_1": "2020",
            "sp_1": 1,
            "mission_2": "support",
            "hex_2": "2022",
            "sp_2": 2,
        },
        **{"air-clash": reading},
    )
    assert len(t.asks()) == fights
    t.answer("table", german_die="1", soviet_die="6")
    if reading == "pair":
        assert t.game.marked("air-german") == {}  # 5 : 7, and the second fight is off
    assert t.asks() == []


def test_air_attack_example(table: Make) -> None:
    """8.2.7: 20 SP against two shifts of terrain attack with 16."""
    sheet = table().calc("air-attack", sp=20, shifts=2)
    assert (sheet.facts["strength"], sheet.column) == (16, "13-16")
    hills = table().calc("air-attack", sp=20, terrain="hills")
    assert hills.facts["strength"] == 18  # this game's table gives hills one shift


def test_air_attack_hits_units_in_the_hex(table: Make) -> None:
    t = fly(table, {"mission_1": "attack", "hex_1": "2020", "sp_1": 8}, {})
    unit = t.unit("soviet", "column", "2020", cel=2)
    t.answer("german", die="1 1")  # 6-8, roll 2: -1D
    assert t.mark(unit, "disorganised")
    assert t.game.units[unit].steps == 1  # its only unit: no choice
    assert t.game.marked("air-german") == {}


def test_too_much_cover_leaves_nothing(table: Make) -> None:
    t = table(phase="air-a")
    t.do("soviet", "attack-from-air", sp=2, terrain="forest", side="soviet", die="6 6")
    assert t.game.last_result["result"] == "-"


@pytest.mark.parametrize(("sp", "die", "down"), [(4, "1 1", True), (4, "3 4", False), (17, "5 6", True)])
def test_bridges_from_the_air(table: Make, sp: int, die: str, down: bool) -> None:
    t = table(phase="air-a")
    t.do("soviet", "hit-bridge", bridge="1602 1603", sp=sp, by_air=True, die=die)
    assert (t.mark("1602-1603", "bridge") == "down") is down
    with refused(Unreadable, rule="8.2.10", field="sp"):
        t.do("soviet", "hit-bridge", bridge="1602 1603", sp=3, by_air=True, die="1 1")


def test_hindered_movement(table: Make) -> None:
    """8.2.16: one point a hex and 1 MP less at the start; with two points it doubles and rolls."""
    t = table()
    one = t.calc("hindered", per_hex=1, hexes=2, starts_inside=1)
    assert (one.facts["extra"], one.facts["lost"], one.facts["rolls"]) == (2, 1, 0)
    two = t.calc("hindered", per_hex=2, hexes=3, starts_inside=2)
    assert (two.facts["extra"], two.facts["lost"], two.facts["rolls"]) == (6, 2, 4)


@pytest.mark.parametrize(("die", "left"), [("2 2", 1), ("1 1", 1), ("2 3", 2)])
def test_loss_rolls_under_aircraft(table: Make, die: str, left: int) -> None:
    t = fly(table, {"mission_1": "harass", "hex_1": "2020", "sp_1": 2, "more": "harass 2021 1"}, {})
    t.until("move-a")
    unit = t.unit("soviet", "column", "2020")
    t.do("soviet", "roll-harassment", hex="2020", unit=unit, die=die)
    assert t.game.units[unit].steps == left
    with warned("8.2.14"):
        t.do("soviet", "roll-harassment", hex="2021", unit=unit, die=die)


def test_crossing_attacks_are_twice_the_points(table: Make) -> None:
    t = fly(table, {"more": "crossing 2020:3 2021:1 2"}, {})
    assert t.game.marked("air-german") == {"2020": "crossing 3", "2021": "crossing 1"}
    t.until("move-a")
    unit = t.unit("soviet", "swimmers", "2020", cel=4)
    with refused(Unreadable, field="dice", given="17"):
        t.do("soviet", "roll-crossing", side="soviet", hex="2020", unit=unit, dice="17")
    t.do("soviet", "roll-crossing", side="soviet", hex="2020", unit=unit, dice="6 5 6")
    assert t.game.units[unit].steps == 2  # every 6 is a CEL
    t.do("soviet", "roll-crossing", side="soviet", hex="2021", unit=unit, dice="5")
    assert t.game.units[unit].steps == 2


def test_air_supply_example(table: Make) -> None:
    """8.2.26: rolls 1, 4 and 6: two levels less for all units there."""
    t = table(phase="air-a", fog=False, **{"air-supply": True})
    ids = [t.unit("german", f"r{n}", "2020", oos=4) for n in range(3)]
    t.do("german", "fly-supplies", side="german", hex="2020", missions=3, dice="1 4 6")
    assert [t.mark(u, "oos") for u in ids] == [2, 2, 2]
    with refused(NotNow, given="fly-supplies"):
        table(phase="air-a").do("german", "fly-supplies", side="german", hex="2020", missions=1, dice="1")


def test_support_is_flown_with_the_attack(table: Make) -> None:
    t = fly(table, {}, {"mission_1": "support", "hex_1": "3011", "sp_1": 3})
    t.until("attack-a")
    t.do("soviet", "resolve-combat", target="3011", attack=9, attack_air=3, defence=4, die="3 4")
    assert t.game.marked("air-soviet") == {}
