"""Weather [19.0] and Air Points [5.0]."""

import pytest
from harness import refused
from kb_bench import enrol, jump, synthetic_book, table, track

from companion.engine.errors import NotNow, Unreadable


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
    t.answer("soviet", die="2")
    assert t.game["mud"] == "yes"
    t.until("weather", 12)
    assert t.game["weather"] == "mud" and not t.asked("soviet")
    assert any("rest of the game" in n["text"] for n in t.sees("table")["notes"])


def test_mud_after_clear_lasts_one_turn():
    t = table("operation-star", synthetic_book(**{"trt-kb": track(0, 16, t12={"mud": "5-9"})}))
    t.until("weather", 12)
    t.answer("soviet", die="7")
    assert (t.game["weather"], t.game["mud"]) == ("mud", "no")
    t.until("air", 13)
    assert t.game["weather"] == "clear"


def test_a_range_that_cannot_be_read_is_refused():
    t = table("operation-star", synthetic_book(**{"trt-kb": {}}))
    jump(t, "weather", 5)
    with refused(Unreadable, given="often"):
        t.do("soviet", "set-weather", printed="clear", mud_range="often", die="1")


def test_turn_0_has_one_soviet_air_point_even_without_a_book():
    from harness import SCENARIOS

    from companion.engine.record.game import Book
    from companion.systems import find_system

    t = table("operation-star", Book(charts=find_system("kharkov-battles", SCENARIOS).kit.charts))
    assert (t.game.turn, t.game.phase) == (0, "soviet-command")
    assert (t.game["air-soviet"], t.game["air-axis"]) == (1, 0)
    t.until("air", 1)
    assert {a["action"] for a in t.asked("table")} >= {"take-air"}
    t.do("axis", "take-air", side="axis", points=4)
    assert t.game["air-axis"] == 4


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
    book = synthetic_book()
    book.map = {
        "facts": [
            ["link", "KB3010", "KB3011", "road", "owner"],
            ["link", "KB3012", "KB3013", "rail", "owner"],
        ],
        "removed": [],
    }
    t = table("operation-star", book)
    t.until("air", 2)
    t.do("axis", "interdict", hexes=["KB3010"])
    with refused(NotNow, rule="5.3", field="hexes"):
        t.do("axis", "interdict", hexes=["KB3012"])


def test_ground_support_is_used_up():
    """5.12, 5.21, 5.22"""
    t = table("operation-star")
    t.until("axis-combat", 2)
    t.do("axis", "resolve-assault", attack=20, defence=5, attacker_air=2, defender_air=1, die="4")
    assert (t.game["air-axis"], t.game["air-soviet"]) == (1, 1)
    with refused(NotNow, rule="5.22", field="attacker_air", given=2):
        t.do("axis", "resolve-assault", attack=20, defence=5, attacker_air=2, die="4")
    with refused(Unreadable, field="defender_air", given=2):
        t.do("axis", "resolve-assault", attack=20, defence=5, defender_air=2, die="4")


def test_two_air_points_on_a_city_leave_rubble():
    """5.41: after the combat, for the next one."""
    t = table("operation-star")
    t.until("axis-combat", 2)
    t.do("axis", "resolve-assault", target="KB3617", attack=20, defence=5, city=True, attacker_air=2, die="4")
    assert not any(line["rule"] == "5.44" for line in t.game.last_result["breakdown"]["lines"])
    assert t.game.mark("KB3617", "rubble")
    t.until("axis-combat", 3)
    assert t.game.mark("KB3617", "rubble")


def test_the_soviet_player_may_use_air_in_the_axis_turn_and_the_table_clears_it():
    t = table("operation-star")
    t.until("axis-move", 2)
    unit = enrol(t, "axis", "LAH 1", "panzer", "KB3010", size="III", formation="LAH", strength=9, steps=2)
    enrol(t, "soviet", "D", "rifle", "KB3011", strength=3)
    t.do(
        "axis", "mobile-assault", unit=unit, target="KB3011", attack=9, defence=3, defender_air=True, die="4"
    )
    assert t.game["air-soviet"] == 1
    t.until("weather", 3)
    assert t.game["air-soviet"] == 0


def test_air_is_declared_before_the_chits_are_drawn():
    """5.21: the attacker first, then the defender, then both totals."""
    t = table("operation-star")
    t.until("axis-combat", 2)
    unit = enrol(t, "axis", "LAH 1", "panzergrenadier", "KB3010", size="III", formation="LAH", rating="A")
    enrol(t, "soviet", "R", "rifle", "KB3011", strength=3)
    t.do("axis", "declare-assault", target="KB3011", attackers=[unit])
    assert [a["action"] for a in t.asked("axis")] == ["commit-air"] and not t.asked("soviet")
    with refused(Unreadable, field="points", given="3"):
        t.answer("axis", points=3)
    t.answer("axis", points=2)
    assert [a["action"] for a in t.asked("soviet")] == ["commit-air"] and not t.asked("axis")
    with refused(Unreadable, field="points", given="2"):
        t.answer("soviet", points=2)
    t.answer("soviet", points=1)
    assert t.game["air-axis"] == 3 and not t.game.mark(unit, "chit")
    t.answer("axis")
    t.answer("soviet")
    assert {"attacker_air": 2, "defender_air": 1}.items() <= t.asked("axis")[0]["args"].items()
    t.answer("axis", die="5")
    assert (t.game["air-axis"], t.game["air-soviet"]) == (1, 1)


def test_a_table_without_counters_designates_and_adds_up_by_hand():
    t = table("operation-star")
    jump(t, "axis-combat", 2)
    t.do("axis", "declare-assault", target="KB3011")
    t.answer("axis", total=29)
    t.answer("soviet", total=5)
    t.answer("axis", die="4", combined=True, encircled=True)
    assert t.game.last_result["breakdown"]["column"] == "7-1"


def test_waving_the_air_question_away_means_none():
    """The chain of a combat does not stop because somebody taps Not needed."""
    t = table("operation-star")
    t.until("axis-combat", 2)
    unit = enrol(t, "axis", "LAH 1", "panzergrenadier", "KB3010", size="III", formation="LAH", strength=9)
    enrol(t, "soviet", "R", "rifle", "KB3011", strength=3)
    t.do("axis", "declare-assault", target="KB3011", attackers=[unit])
    t.do("axis", "dismiss", ask=t.asked("axis")[0]["id"])
    assert [a["action"] for a in t.asked("soviet")] == ["commit-air"]
    t.do("soviet", "dismiss", ask=t.asked("soviet")[0]["id"])
    assert [a["action"] for a in t.asked("axis")] == ["announce-strength"]
    t.answer("axis")
    t.answer("soviet")
    assert t.asked("axis")[0]["text"].startswith("Resolve the assault on KB3011: 9 to 3")


def test_a_blank_track_is_asked_about_on_turn_0():
    """Turn 0 has no Weather Phase; without the track somebody has to say."""
    t = table("operation-star", synthetic_book(**{"trt-kb": {}}))
    ask = next(a for a in t.asked("soviet") if a["action"] == "set-weather")
    t.do("soviet", "set-weather", printed="freeze", _asked=ask["id"])
    assert t.game["weather"] == "freeze"
    with refused(NotNow, given="set-weather"):
        t.do("soviet", "set-weather", printed="clear")
    t.until("soviet-command", 1)
    with refused(NotNow, given="set-weather"):
        t.do("soviet", "set-weather", printed="clear")


def test_turn_0s_weather_is_asked_for_until_its_combat():
    """19.0, 14.2: the winter bonus hangs on it."""
    t = table("operation-star", synthetic_book(**{"trt-kb": {}}))
    t.until("soviet-combat", 0)
    asks = [a for a in t.asked("soviet") if a["action"] == "set-weather"]
    assert len(asks) == 1
    t.do("soviet", "set-weather", printed="freeze", _asked=asks[0]["id"])
    assert t.game["weather"] == "freeze"
    t.until("soviet-combat", 1)
    assert not [a for a in t.asked("soviet") if a["action"] == "set-weather"]


def test_air_points_are_taken_once():
    """5.11: a box that was filled from a blank track is not offered again."""
    t = table("operation-star", synthetic_book(**{"trt-kb": {}}))
    t.until("air", 1)
    offered = lambda: "take-air" in [a["name"] for a in t.sees("table")["actions"]]  # noqa: E731
    t.answer("axis", points=3)
    assert offered()
    t.answer("soviet", points=1)
    assert not offered() and (t.game["air-axis"], t.game["air-soviet"]) == (3, 1)
