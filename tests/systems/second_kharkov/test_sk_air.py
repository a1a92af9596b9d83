"""Aircraft: arrival, interdiction, support, one mission a turn (10.4, 11.19, 12.17)."""

from __future__ import annotations

from typing import Any

import pytest
from harness import refused

from companion.engine.errors import NotNow, Unreadable


def pool(t: Any) -> tuple[int, int, int]:
    return t.game["air-free"], t.game["air-interdicting"], t.game["air-used"]


def play_to(t: Any, phase: str, turn: int) -> None:
    """Go on with the perimeter crossed, so that turn 4 does not end the game."""
    t.do("table", "correct", name="perimeter", value="crossed")
    t.until(phase, turn)


@pytest.mark.parametrize(
    ("ready", "turn", "phase", "free"),
    [
        ("german-turn", 2, "soviet-combat", 0),
        ("german-turn", 2, "german-move", 2),
        ("german-turn", 3, "air-placement", 2),
        ("german-turn", 3, "german-move", 6),
        ("game-turn", 2, "soviet-move", 2),
        ("game-turn", 3, "air-placement", 6),
    ],
)
def test_arrival_by_the_owners_split(table: Any, ready: str, turn: int, phase: str, free: int) -> None:
    """10.4, A10: two on turn 2 and the rest on turn 3, usable as the table reads it."""
    t = table(aircraft_turn_2="2", aircraft_ready=ready)
    t.until(phase, turn)
    assert pool(t) == (free, 0, 0)


def test_the_split_is_asked_when_it_is_not_known(table: Any) -> None:
    t = table()
    t.until("german-move", 2)
    ask = next(a for a in t.asked("german") if a["action"] == "aircraft-arrive")
    t.do("german", "aircraft-arrive", aircraft=4, _asked=ask["id"])
    assert pool(t) == (4, 0, 0)
    with refused(Unreadable, rule="10.4", field="aircraft", given=3):
        t.do("german", "aircraft-arrive", aircraft=3)
    t.until("german-move", 3)
    assert pool(t) == (6, 0, 0)


@pytest.mark.parametrize("order", ["move-first", "fight-first"])
def test_the_question_outlives_its_phase(table: Any, order: str) -> None:
    """10.4: a phase that ends does not lose the aircraft of turn 2; turn 3 brings all that are missing."""
    t = table()
    t.until("german-move", 2)
    t.do("german", order)
    for _ in range(3):
        asks = [a for a in t.asked("german") if a["action"] == "aircraft-arrive"]
        assert len(asks) == 1, t.game.phase
        t.next()
    t.until("german-move", 3)
    assert pool(t) == (6, 0, 0) and not t.asked("german"), "then all are here, and nothing is left to ask"


def test_the_question_is_open_from_the_start_of_the_turn(table: Any) -> None:
    """10.4, A10: read so that aircraft fly with the game turn, the German has until his own turn to answer."""
    t = table(aircraft_ready="game-turn")
    t.until("german-move", 2)
    (ask,) = [a for a in t.asked("german") if a["action"] == "aircraft-arrive"]
    t.do("german", "aircraft-arrive", aircraft=0, _asked=ask["id"])
    t.next()
    assert not t.asked("german"), "none is an answer too"


def test_arrival_comes_before_a_fight_first_turn(table: Any) -> None:
    """A10: in a fight/move turn the aircraft of that turn can already support."""
    t = table(aircraft_turn_2="3")
    t.until("german-move", 2)
    t.do("german", "fight-first")
    assert t.game.phase == "german-combat" and pool(t) == (3, 0, 0)
    t.next()
    assert pool(t) == (3, 0, 0), "entering the movement phase later brings no second lot"


def test_interdiction_is_placed_lifted_and_spent(table: Any) -> None:
    """11.19, 5.2: I.A to I.D; the aircraft stays used until the turn is over."""
    t = table(aircraft_turn_2="3")
    play_to(t, "air-placement", 3)
    t.do("german", "interdict", hexes="2719 2911")
    assert pool(t) == (1, 2, 0)
    assert set(t.game.marked("interdiction")) == {"2719", "2911"}
    panel = next(p for p in t.sees("soviet")["panels"] if "Interdiction" in p["title"])
    assert panel["rows"][0]["value"].split() == ["2719", *t.game.maps.neighbours("2719")]
    t.until("air-removal", 3)
    assert pool(t) == (1, 0, 2) and not t.game.marked("interdiction")
    t.until("soviet-move", 4)
    assert pool(t) == (6, 0, 0)


@pytest.mark.parametrize(("hexes", "given"), [("2719 2720 2721 2722", 4), ("2911", "2911")])
def test_interdiction_limits(table: Any, hexes: str, given: int | str) -> None:
    t = table(aircraft_turn_2="4")
    play_to(t, "air-placement", 3)
    t.do("german", "interdict", hexes="2911")
    with refused(NotNow, rule="11.19", field="hexes", given=given):
        t.do("german", "interdict", hexes=hexes)


def test_no_interdiction_before_turn_3(table: Any) -> None:
    """5.6: the phases are not played."""
    t = table(aircraft_turn_2="4")
    seen = []
    while t.game.turn < 3:
        seen.append((t.game.turn, t.game.phase))
        t.next()
    assert not [phase for _, phase in seen if phase.startswith("air")]
    assert [row["state"] for row in t.sees("table")["phases"]][0] == "now"


def test_defence_spends_the_aircraft_for_the_german_turn_too(table: Any) -> None:
    """12.17: once a game turn."""
    t = table(turn=4, phase="soviet-combat", result="0/0")
    t.do("table", "correct", name="air-free", value=1)
    assert "air" not in [f["name"] for f in t.form("soviet", "resolve-combat")], "the German's own decision"
    t.do("soviet", "resolve-combat", attack=10, defence=5)
    t.answer("german", aircraft="1")
    t.answer("soviet", die="3")
    assert pool(t) == (0, 0, 1) and t.game.last_result["breakdown"]["modifier"] == 1
    t.do("table", "go-to", turn=4, phase="german-combat")
    assert "air" not in [f["name"] for f in t.form("german", "resolve-combat")]
