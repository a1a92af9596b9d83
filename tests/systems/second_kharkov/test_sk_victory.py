"""Points, sudden deaths, the terminal check, and a playthrough to each kind of ending (4.x, 13.5)."""

from __future__ import annotations

from typing import Any

import pytest
from harness import refused

from companion.engine.errors import NotNow, StillOwed
from companion.systems.second_kharkov.victory import german_needs


@pytest.mark.parametrize(
    ("soviet", "needed"), [(0, 0), (1, 2), (3, 4), (4, 5), (7, 9), (8, 10), (16, 20), (17, 22), (100, 125)]
)
def test_125_percent(soviet: int, needed: int) -> None:
    """4.6: exactly 125 percent is enough."""
    assert german_needs(soviet) == needed
    assert 4 * needed >= 5 * soviet and (needed == 0 or 4 * (needed - 1) < 5 * soviet)


def fight(t: Any, side: str, german_steps: int = 0, mech: int = 0, soviet_units: int = 0) -> None:
    """A battle whose losses are as told; the die and the chart do not matter."""
    german, soviet = (german_steps, soviet_units)
    result = f"{soviet}/{german}" if side == "soviet" else f"{german}/{soviet}"
    columns = t.__dict__.setdefault("columns", {})  # a cell once read is known, so each result has its own
    attack = columns.setdefault(result, (20, 10, 40, 50, 60, 5, 4)[len(columns)])
    t.do(side, "resolve-combat", attack=attack, defence=10, die="2")
    if t.asked("table") and t.asked("table")[0]["action"] == "enter-result":
        t.answer("table", result=result)
    for ask in t.asked("table"):
        if ask["action"] == "defend-by-air":
            t.do("table", "defend-by-air", aircraft="0", _asked=ask["id"])
            t.do("table", "roll-combat", die="2")
            t.do("table", "enter-result", result=result) if not t.game.last_result["result"] else None
    for ask in t.asked("table"):
        extra = {"mech": mech} if ask["action"] == "german-losses" else {}
        if ask["action"].endswith("losses"):
            t.do("table", ask["action"], **extra, _asked=ask["id"])


def turn_of(t: Any, order: str = "move-fight", cross: bool = False, **losses: Any) -> None:
    """One game turn: both sides move, both fight once."""
    turn = t.game.turn
    t.until("soviet-move", turn)
    if cross:
        t.do("soviet", "cross-perimeter", who="5th Guards")
    t.until("soviet-combat", turn)
    fight(t, "soviet", german_steps=losses.get("german", 0), mech=losses.get("mech", 0))
    t.until("german-move", turn)
    t.do("german", "move-first" if order == "move-fight" else "fight-first")
    if order == "move-fight":
        t.next()
    fight(t, "german", soviet_units=losses.get("soviet", 0))
    if order == "fight-move":
        t.next()


@pytest.mark.parametrize(
    ("soviet_losses", "oos", "winner"),
    [(1, 2, "german"), (1, 1, "soviet"), (2, 0, "german"), (0, 0, "soviet")],
)
def test_a_game_on_points(table: Any, soviet_losses: int, oos: int, winner: str) -> None:
    """4.4-4.6: eight turns, the perimeter crossed, one German step a turn: 8 points to beat."""
    t = table(result="", aircraft_turn_2="3")
    for turn in range(1, 9):
        losses = {"german": 1, "soviet": soviet_losses}
        turn_of(t, "fight-move" if turn % 2 else "move-fight", cross=turn == 2, **losses)
        if turn < 8:
            t.next()
    assert t.game["vp-soviet"] == 8 and t.game["vp-german"] == 8 * soviet_losses
    with refused(StillOwed):
        t.do("table", "next-phase")
    t.do("table", "terminal-check", units=oos + 3)
    t.do("table", "terminal-check", units=oos)
    t.next()
    assert t.game.ended is not None
    assert (t.game.ended.winner, t.game.ended.level, t.game.ended.rule) == (winner, "on points", "4.6")
    assert "German needed 10" in t.game.ended.why


def test_the_terminal_check_counts_the_record(table: Any) -> None:
    """4.5: the form starts with what the record finds, and says where; the players have the last word."""
    t = table(turn=8, phase="german-move", fog=False)
    for row in range(3, 30, 2):
        t.enter(f"P{row}", "german", f"29{row:02d}")
    t.enter("In", "soviet", "3004")
    t.enter("Out", "soviet", "2904")
    judged = t.enter("Judged", "soviet", "3404")
    t.do("german", "move-first")
    t.next()
    t.do("table", "judge-supply", units=judged, state="out")
    with refused(StillOwed):  # other counters may stand on the map only
        t.do("table", "next-phase")
    (form,) = t.form("table", "terminal-check")
    assert form["value"] == 2 and "1 in 2904, 1 in 3404" in form["help"] and "3 Soviet units" in form["help"]
    t.do("table", "terminal-check", units=form["value"])
    t.next()
    assert t.game["vp-german"] == 2 and t.game.ended.winner == "german"


def test_a_few_counters_on_record_do_not_close_the_game(table: Any) -> None:
    """4.5: the rulebook names eight Soviet units; whoever set them up and moved cardboard alone is asked."""
    t = table()
    t.do("table", "set-up")
    t.do("table", "go-to", turn=8, phase="german-move")
    t.do("german", "move-first")
    t.next()
    with refused(StillOwed) as said:
        t.do("table", "next-phase")
    assert "Terminal supply check" in said.value.said[0] and t.game.ended is None
    t.next()
    assert "no terminal supply check" in t.game.ended.why, "advice, never a wall; the result says so"


def test_kharkov_falls_in_the_historical_scenario(table: Any) -> None:
    """4.2: one hex, at once, whatever the supply."""
    t = table()
    turn_of(t, german=1)
    t.next()
    assert t.game.turn == 2
    t.do("soviet", "take-hex", hexes="2407", side="soviet")
    assert t.game.ended is None and "By rule 4.2 the game is over" in t.asked("german")[0]["text"]
    t.agree()
    assert (t.game.ended.winner, t.game.ended.rule) == ("soviet", "4.2")
    with refused(NotNow, given="next-phase"):
        t.next()


def test_a_unit_in_kharkov_wins_too(table: Any) -> None:
    """3.5, 4.2."""
    t = table(turn=3)
    unit = t.enter("TB", "soviet", "2508")
    assert t.game.ended is None
    t.do("soviet", "place-unit", unit=unit, hex="2407")
    assert t.game["perimeter"] == "crossed", "4.3 as well"
    t.agree()
    assert t.game.ended.winner == "soviet"


@pytest.mark.parametrize("how", ["never", "move", "attack", "button"])
def test_the_perimeter_decides_turn_4(table: Any, how: str) -> None:
    """4.3: a failed attack over the line counts."""
    ground = (("area", "2405", "", "perimeter"),)
    t = table(ground=ground, result="1/0")
    t.until("soviet-combat", 3)
    if how == "move":
        t.enter("TB", "soviet", "2405")
    if how == "attack":
        t.do("table", "correct", name="air-free", value=0)
        t.do("soviet", "resolve-combat", target="2405", attack=5, defence=5, die="2", anyway=True)
    if how == "button":
        t.do("soviet", "cross-perimeter")
    t.until("german-combat", 4)
    assert t.game.ended is None
    t.next()
    t.agree()
    if how == "never":
        assert (t.game.ended.winner, t.game.ended.rule) == ("german", "4.3")
    else:
        assert t.game.ended is None and t.game.turn == 5


def test_the_alternative_scenario_asks_for_all_of_kharkov(table: Any) -> None:
    """13.5: all three at the same moment; losing one again starts over; no perimeter."""
    t = table("alternative")
    t.until("soviet-move", 5)
    t.do("soviet", "take-hex", hexes="2306 2406", side="soviet")
    t.do("table", "take-hex", hexes="2306", side="german")
    t.do("soviet", "take-hex", hexes="2407", side="soviet")
    assert t.game.ended is None
    t.do("soviet", "take-hex", hexes="2306", side="soviet")
    t.agree()
    assert (t.game.ended.winner, t.game.ended.rule) == ("soviet", "13.5")


def test_the_alternative_scenario_runs_out(table: Any) -> None:
    """13.5: any other outcome is German."""
    t = table("alternative", aircraft_turn_2="6")
    for turn in range(1, 9):
        turn_of(t, german=1, soviet=3)
        if turn < 8:
            t.next()
    t.next()
    assert (t.game.ended.winner, t.game.ended.rule) == ("german", "13.5")
    assert t.game["vp-german"] == 0


def test_the_standing_panel(table: Any) -> None:
    t = table(turn=3)
    t.do("table", "correct", name="vp-soviet", value="8")
    t.do("table", "correct", name="vp-german", value="9")
    rows = next(p for p in t.sees("watch")["panels"] if p["title"] == "Victory")["rows"]
    assert [(r["label"], r["value"]) for r in rows] == [
        ("German needs 125 % of 8", "10"), ("As it stands", "Soviet wins"),
    ]  # fmt: skip
