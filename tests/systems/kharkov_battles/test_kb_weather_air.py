"""Weather [19.0] and Air Points [5.0]."""

import pytest
from harness import refused
from kb_bench import (
    answer,
    battle,
    duties,
    enrol,
    jump,
    mapped,
    printed,
    synthetic_book,
    table,
    total,
    track,
    warned,
)

from companion.engine.errors import NotNow, NotYours, Unreadable


@pytest.mark.parametrize(
    ("printed", "span", "die", "weather", "for_good"),
    [
        ("clear", "", None, "clear", "no"),
        ("mud", "", None, "mud", "no"),
        ("freeze", "", None, "freeze", "no"),
        ("clear", "0-3", "3", "mud", "no"),
        ("clear", "0-3", "4", "clear", "no"),
        ("freeze", "0-3", "0", "mud", "yes"),
        ("freeze", "0-3", "9", "freeze", "no"),
    ],
)
def test_the_turn_tracks_weather(printed, span, die, weather, for_good):
    """19.11"""
    t = table("operation-star", synthetic_book(**{"trt-kb": {}}))
    jump(t, "weather", 5)
    t.do("soviet", "set-weather", printed=printed, mud_range=span, **({"die": die} if die else {}))
    assert (t.game["weather"], t.game["mud"]) == (weather, for_good)


def test_mud_after_freeze_stays_and_later_rolls_are_ignored():
    t = table("operation-star")
    t.until("weather", 5)
    answer(t, "soviet", "roll-mud", die="2")
    assert t.game["mud"] == "yes"
    t.until("weather", 12)
    assert t.game["weather"] == "mud" and not t.asked("soviet")
    assert any("rest of the game" in n["text"] for n in t.sees("table")["notes"])


def test_mud_after_clear_lasts_one_turn():
    t = table("operation-star", synthetic_book(**{"trt-kb": track(0, 16, t12={"mud": "5-9"})}))
    t.until("weather", 12)
    answer(t, "soviet", "roll-mud", die="7")
    assert (t.game["weather"], t.game["mud"]) == ("mud", "no")
    t.until("air", 13)
    assert t.game["weather"] == "clear"


def test_a_range_that_cannot_be_read_is_refused():
    t = table("operation-star", synthetic_book(**{"trt-kb": {}}))
    jump(t, "weather", 5)
    with refused(Unreadable, rule="19.11", field="mud_range", given="often"):
        t.do("soviet", "set-weather", printed="clear", mud_range="often", die="1")


def test_turn_0_has_one_soviet_air_point_even_without_a_book():
    t = printed("operation-star")
    assert (t.game.turn, t.game.phase) == (0, "soviet-command")
    assert (t.game["air-soviet"], t.game["air-axis"]) == (1, 0)
    t.until("air", 1)
    assert {a["action"] for a in t.asked("table")} >= {"take-air"}
    answer(t, "axis", "take-air", points=4)
    assert (t.game["air-axis"], t.game["air-soviet"]) == (4, 0)


def test_mud_cuts_the_air_points():
    t = table("operation-star")
    t.until("air", 2)
    assert (t.game["air-axis"], t.game["air-soviet"]) == (3, 2)
    t.until("air", 8)
    assert (t.game["air-axis"], t.game["air-soviet"]) == (1, 0)


def test_interdiction():
    """5.3, 5.31"""
    t = table("operation-star")
    t.until("air", 2)
    t.do("axis", "interdict", hexes=["KB3010", "KB3011"])
    assert t.game["air-axis"] == 1
    with refused(NotNow, rule="5.31", field="hexes"):
        t.do("axis", "interdict", hexes=["KB3010"])
    with refused(NotNow, rule="5.3", field="hexes", given=2):
        t.do("axis", "interdict", hexes=["KB3012", "KB3013"])
    t.until("weather", 3)
    assert not t.game.marked("interdiction") and t.game["air-axis"] == 0


def test_interdiction_needs_a_road_where_the_map_is_known():
    t = mapped(("link", "KB3010", "KB3011", "road"), ("link", "KB3012", "KB3013", "rail"))
    t.until("air", 2)
    t.do("axis", "interdict", hexes=["KB3010"])
    with warned("5.3"):
        t.do("axis", "interdict", hexes=["KB3012"])


def test_ground_support_is_used_up():
    """5.12, 5.21, 5.22: the attacker says first, the defender on his own phone, then it is rolled."""
    t = table("operation-star")
    t.until("axis-combat", 2)
    done = t.do("axis", "resolve-assault", attack=20, defence=5, attacker_air=2)
    assert not [x for x in done if x.KIND == "rolled"]
    assert t.game["air-axis"] == 1
    with refused(NotNow, rule="5.21"):  # the defender's word comes before the die
        t.answer("axis", die="4")
    with refused(Unreadable, field="points", given="2"):
        t.answer("soviet", points=2)
    t.answer("soviet", points=1)
    assert t.game["air-soviet"] == 1
    t.answer("axis", die="4")
    assert battle(t).sheet["column"] == "5-1"
    with refused(NotNow, rule="5.21", field="attacker_air", given=2):
        t.do("axis", "resolve-assault", attack=20, defence=5, attacker_air=2)


def test_two_air_points_on_a_city_leave_rubble():
    """5.41: after the combat, for the next one."""
    t = table("operation-star")
    t.until("axis-combat", 2)
    t.do("axis", "resolve-assault", target="KB3617", attack=20, defence=5, attacker_air=2)
    t.do("soviet", "dismiss", ask=duties(t, "soviet", "commit-air")[0]["id"])
    t.answer("axis", die="4", terrain="city")
    assert not any(line["rule"] == "5.44" for line in battle(t).sheet["lines"])
    assert t.game.mark("KB3617", "rubble")
    t.until("axis-combat", 3)
    assert t.game.mark("KB3617", "rubble")


def test_the_soviet_player_may_use_air_in_the_axis_turn_and_the_table_clears_it():
    t = table("operation-star")
    t.until("axis-move", 2)
    unit = enrol(t, "axis", "LAH 1", "panzer", "KB3010", size="III", formation="LAH", strength=9, steps=2)
    enrol(t, "soviet", "D", "rifle", "KB3011", strength=3)
    t.do("axis", "mobile-assault", unit=unit, target="KB3011", attack=9, defence=3)
    t.answer("soviet", points=1)
    assert t.game["air-soviet"] == 1
    t.answer("axis", die="4")
    t.until("weather", 3)
    assert t.game["air-soviet"] == 0


def test_air_is_declared_before_the_chits_are_drawn():
    """5.21: the attacker first, then the defender, then both totals."""
    t = table("operation-star")
    t.until("axis-combat", 2)
    unit = enrol(t, "axis", "LAH 1", "panzergrenadier", "KB3010", size="III", formation="LAH", rating="A")
    enrol(t, "soviet", "R", "rifle", "KB3011", strength=3)
    t.do("axis", "declare-assault", target="KB3011", attackers=[unit])
    assert [a["action"] for a in t.asked("axis")] == ["begin-assault"] and not t.asked("soviet")
    with refused(Unreadable, field="points", given="3"):
        t.answer("axis", points=3)
    t.answer("axis", points=2)
    assert [a["action"] for a in duties(t, "soviet")] == ["commit-air"] and not duties(t, "axis")
    with refused(Unreadable, field="points", given="2"):
        t.answer("soviet", points=2)
    assert not t.game.mark(unit, "chit")
    t.answer("soviet", points=1)
    assert t.game.mark(unit, "chit") and total(t, "defence") == 3  # nothing to choose: told by themselves
    t.answer("axis", die="5")
    lines = {line["label"]: line["effect"] for line in battle(t).sheet["lines"]}
    assert (lines["attacker's Air Points"], lines["defender's Air Point"]) == ("+2", "-1")
    assert (t.game["air-axis"], t.game["air-soviet"]) == (1, 1)


def test_a_table_without_counters_designates_and_adds_up_by_hand():
    t = table("operation-star")
    jump(t, "axis-combat", 2)
    t.do("axis", "declare-assault", target="KB3011")
    t.answer("axis")
    answer(t, "axis", "announce-strength", total=29)
    answer(t, "soviet", "announce-strength", total=5)
    answer(t, "axis", "roll-assault", die="4", combined=True, encircled=True)
    assert battle(t).sheet["column"] == "7-1"


def test_waving_the_air_question_away_means_none():
    """The chain of a combat does not stop because somebody taps No."""
    t = table("operation-star")
    t.until("axis-combat", 2)
    unit = enrol(t, "axis", "LAH 1", "panzergrenadier", "KB3010", size="III", formation="LAH", strength=9)
    enrol(t, "soviet", "R", "rifle", "KB3011", strength=3)
    t.do("axis", "declare-assault", target="KB3011", attackers=[unit])
    t.answer("axis", points=0)
    t.do("soviet", "dismiss", ask=duties(t, "soviet", "commit-air")[0]["id"])
    assert [a["action"] for a in duties(t, "axis")] == ["roll-assault"]
    assert (total(t, "attack"), total(t, "defence")) == (9, 3)


def test_air_returns_from_an_attack_that_both_sides_waive():
    """5.22: an attack once designated is fought; calling it off needs the other side, and spends nothing."""
    t = table("operation-star")
    t.until("axis-combat", 2)
    t.do("axis", "declare-assault", target="KB3011")
    t.answer("axis", points=2)
    assert t.game["air-axis"] == 1
    roll = next(a for a in t.asked("axis") if a["action"] == "roll-assault")
    t.do("axis", "dismiss", ask=roll["id"], how="does not apply")
    assert roll["id"] in t.game.asked
    t.agree()
    assert battle(t).result == "called off" and t.game["air-axis"] == 3 and not t.game.fighting


def test_a_blank_track_is_asked_about_on_turn_0():
    """Turn 0 has no Weather Phase; without the track somebody has to say."""
    t = table("operation-star", synthetic_book(**{"trt-kb": {}}))
    ask = next(a for a in t.asked("soviet") if a["action"] == "tell-weather")
    t.do("soviet", "tell-weather", printed="freeze", _asked=ask["id"])
    assert t.game["weather"] == "freeze"
    with refused(NotNow, given="tell-weather"):
        t.do("soviet", "tell-weather", printed="clear")
    t.until("soviet-command", 1)
    with refused(NotNow, given="soviet-command"):
        t.do("soviet", "set-weather", printed="clear")


def test_turn_0s_weather_is_asked_for_until_its_combat():
    """19.0, 14.2: the winter bonus hangs on it."""
    t = table("operation-star", synthetic_book(**{"trt-kb": {}}))
    t.until("soviet-combat", 0)
    asks = [a for a in t.asked("soviet") if a["action"] == "tell-weather"]
    assert len(asks) == 1
    t.do("soviet", "tell-weather", printed="freeze", _asked=asks[0]["id"])
    assert t.game["weather"] == "freeze"
    t.until("soviet-combat", 1)
    assert not [a for a in t.asked("soviet") if a["action"] == "tell-weather"]


def test_air_points_are_taken_once():
    """5.11: each side is asked where the track is blank, and a box that is filled is asked for no more."""
    t = table("operation-star", synthetic_book(**{"trt-kb": {}}))
    t.until("air", 1)
    answer(t, "axis", "take-air", points=3)
    assert not duties(t, "axis", "take-air") and duties(t, "soviet", "take-air")
    answer(t, "soviet", "take-air", points=1)
    assert not duties(t, "table", "take-air") and (t.game["air-axis"], t.game["air-soviet"]) == (3, 1)
    t.until("air", 2)
    t.until("air", 3)
    assert len(duties(t, "axis", "take-air")) == 1  # last turn's points are no longer of use


def test_the_soviet_player_rolls_for_mud():
    """4.1, 19.11: not the Axis."""
    t = table("operation-star")
    t.until("weather", 5)
    ask = duties(t, "soviet", "roll-mud")[0]
    with refused(NotYours, given="axis"):
        t.do("axis", "roll-mud", _asked=ask["id"], die="2")
    with refused(NotYours, given="axis"):
        t.do("axis", "set-weather", printed="freeze", mud_range="0-3", die="2")
    t.do("soviet", "roll-mud", _asked=ask["id"], die="2")
    assert t.game["weather"] == "mud"
