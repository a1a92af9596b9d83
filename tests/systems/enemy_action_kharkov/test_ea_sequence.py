"""Turns, the heavy-mud sequence, ground markers and every way to win: 4, 15."""

from __future__ import annotations

from typing import Any

import pytest
from harness import SCENARIOS, refused
from systems.enemy_action_kharkov.ea_bench import SYSTEM, blank_table, calendar, owners_book, put, set_, table

from companion.engine.errors import NotNow
from companion.engine.kit.load import load_kit
from companion.systems.enemy_action_kharkov.victory import after_last_turn, by_table


def test_the_kit_is_sound() -> None:
    kit, problems = load_kit(SCENARIOS / SYSTEM)
    assert kit is not None and not problems
    assert {s: (k.first, k.last) for s, k in kit.scenarios.items()} == {
        "initial-assault": (1, 2),
        "star-and-gallop": (1, 6),
        "campaign": (1, 14),
    }


def test_every_checklist_line_names_an_action_that_exists() -> None:
    t = table()
    actions = {c.action for p in t.game.kit.phases for c in p.checklist if c.action}
    assert actions <= set(t.system.rules.actions)


def phases(t: Any, turn: int) -> list[str]:
    seen = []
    while t.game.turn == turn and not t.game.ended:
        seen.append(t.game.phase)
        t.next()
    return seen


def test_no_form_asks_two_things_under_one_name() -> None:
    """A label that stands twice is filled in twice."""
    for action in table().rules.actions.values():
        if "enemy_action" in action.fn.__module__:
            labels = [field.label for field in action.fields.values() if not field.hidden]
            assert len(labels) == len(set(labels)), action.name


def test_an_empty_table_is_offered_only_what_it_can_do() -> None:
    """With nothing on record: no form of this game demands a unit that does not exist, in any phase."""
    t = blank_table(mode_chits="physical")
    for phase in ("reserve", "cards", "command", "supply", "end"):
        t.do("table", "go-to", turn=6, phase=phase)
        for seat in ("soviet", "german", "table"):
            for name in [a["name"] for a in t.sees(seat)["actions"]]:
                action = t.rules.find(name)
                if "enemy_action" in action.fn.__module__:
                    asked = [f for f in t.form(seat, name) if f["type"] == "unit" and not f["quiet"]]
                    assert not asked, (phase, name)


def test_supply_is_skipped_on_turn_1() -> None:
    t = table()
    assert phases(t, 1) == ["reserve", "cards", "command", "end"]
    assert phases(t, 2) == ["reserve", "cards", "supply", "command", "end"]


def test_heavy_mud_turn() -> None:
    t = table()
    t.do("table", "go-to", turn=7, phase="reserve")
    set_(t, "ground", "heavy-mud")
    set_(t, "vp", 99)
    assert phases(t, 7) == ["reserve", "cards", "supply", "mud-replacements", "end"]
    assert not t.game.ended  # 15.34: no victory check


@pytest.mark.parametrize(("turn", "lines"), [(1, 1), (2, 1), (3, 2), (7, 3)])
def test_lines_of_the_reserve_phase_by_turn(turn: int, lines: int) -> None:
    t = table()
    t.do("table", "go-to", turn=turn, phase="reserve")
    texts = [c["text"] for c in t.sees("table")["phase"]["checklist"]]
    assert len(texts) == lines


def test_chits_dispersal_and_markers_go_at_the_end_of_the_turn() -> None:
    t = table()
    unit = put(t, "soviet", "u", "1005")
    t.do("table", "mark", marker="dispersed", units=[unit], value="on")
    t.do("table", "mark", marker="forward-support", hexes="1005")
    t.game.piles["chits"].move(["C01", "C02"], "cup", "aside")
    t.until("reserve", 2)
    assert not t.game.marked("dispersed") and not t.game.marked("forward-support")
    assert t.game.piles["chits"].count("cup") == 60


# -- ground --------------------------------------------------------------------------------------------------------


def at_end(turn: int, **options: Any) -> Any:
    t = table(**options)
    t.do("table", "go-to", turn=turn, phase="end")
    return t


def test_two_mixes_of_the_ground_markers() -> None:
    """15.33: four of five on turns 7-10, later three of four on 11-13 with a frozen one out."""
    t = at_end(6)

    def pile() -> dict[str, int]:
        return {z: len(x) for z, x in t.game.piles["ground-markers"].zones.items() if x}

    t.do("table", "lay-ground")
    assert pile() == {"turn:7": 1, "turn:8": 1, "turn:9": 1, "turn:10": 1, "unseen": 1}
    t.do("table", "reveal-ground")
    assert pile() == {"turn:8": 1, "turn:9": 1, "turn:10": 1, "unseen": 1, "shown": 1}
    shown = t.game["ground-next"]
    t.next()
    assert t.game["ground"] == shown and t.game["ground-next"] == "unknown"
    for turn in (7, 8, 9):
        t.do("table", "go-to", turn=turn, phase="end")
        t.do("table", "reveal-ground")
        with refused(NotNow, given="reveal-ground"):
            t.do("table", "reveal-ground")
    t.do("table", "go-to", turn=10, phase="end")
    t.do("table", "reveal-ground")  # lays them first when nobody did
    assert pile() == {"turn:12": 1, "turn:13": 1, "unseen": 1, "shown": 1, "aside": 1}
    out = t.game.piles["ground-markers"]["aside"][0]
    assert t.game.face("ground-markers", out)["face"] == "frozen"


def test_turn_14_is_frozen_and_has_no_marker() -> None:
    t = at_end(13)
    set_(t, "ground", "heavy-mud")
    with refused(NotNow, given="reveal-ground"):
        t.do("table", "reveal-ground")
    t.next()
    assert (t.game.turn, t.game["ground"]) == (14, "frozen")


def test_real_markers_are_entered() -> None:
    t = blank_table()
    t.do("table", "go-to", turn=6, phase="end")
    with refused(NotNow, given="lay-ground"):
        t.do("table", "lay-ground")
    with refused(NotNow, rule="15.33", field="shows"):
        t.do("table", "reveal-ground")
    t.do("table", "reveal-ground", shows="light-mud")
    t.next()
    assert t.game["ground"] == "light-mud"


def test_a_forgotten_marker_is_asked_for_next_turn() -> None:
    t = at_end(6)
    t.next()
    assert t.game["ground"] == "frozen"
    assert [a["action"] for a in t.asked("table")] == ["turn-up-late"]
    set_(t, "mode-chits", "physical")
    t.do("table", "reveal-ground", shows="heavy-mud")
    assert not t.asked("table")  # done of one's own accord, it is no longer owed
    assert t.game["ground"] == "heavy-mud"
    t.next()
    t.next()
    t.next()
    assert t.game.phase == "mud-replacements"


# -- victory -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scenario", "vp", "winner", "level"),
    [
        ("initial-assault", 8, "soviet", "Tactical"),
        ("initial-assault", 7, "german", "Tactical"),
        ("star-and-gallop", 26, "soviet", "Strategic"),
        ("star-and-gallop", 25, "soviet", "Operational"),
        ("star-and-gallop", 24, "soviet", "Operational"),
        ("star-and-gallop", 23, "soviet", "Tactical"),
        ("star-and-gallop", 21, "soviet", "Tactical"),
        ("star-and-gallop", 20, "german", "Tactical"),
        ("star-and-gallop", 18, "german", "Tactical"),
        ("star-and-gallop", 17, "german", "Operational"),
        ("star-and-gallop", 16, "german", "Operational"),
        ("star-and-gallop", 15, "german", "Strategic"),
    ],
)
def test_scenario_tables(scenario: str, vp: int, winner: str, level: str) -> None:
    assert by_table(scenario, vp)[:2] == (winner, level)
    if vp < 26:
        t = table(scenario)
        set_(t, "vp", vp)
        while not t.game.ended:
            t.next()
        assert (t.game.ended.winner, t.game.ended.level) == (winner, level)


def test_26_vp_end_star_and_gallop_at_once() -> None:
    t = table("star-and-gallop")
    t.do("table", "go-to", turn=1, phase="command")
    set_(t, "vp", 25)
    t.do("soviet", "take-town", hex="1012", side="soviet", vp=1)
    assert not t.game.ended  # both sides agree before it ends
    t.agree()
    assert t.game.ended and (t.game.ended.winner, t.game.ended.level) == ("soviet", "Strategic")


@pytest.mark.parametrize("place", ["1012", "1014"])
def test_kharkov_or_beyond_the_line_ends_the_initial_assault(place: str) -> None:
    book = owners_book('city 1012 Kharkov\nvp 1012 5\narea "west support zone" 1010 1011 1012\n')
    t = table("initial-assault", book)
    red = put(t, "soviet", "red", "1010")
    t.do("table", "place-unit", unit=red, hex="1011")
    assert not t.game.ended
    t.do("table", "place-unit", unit=red, hex=place)
    t.agree()
    assert t.game.ended and t.game.ended.level == "Operational"


def test_breakthrough_by_hand() -> None:
    t = table("initial-assault")
    t.do("table", "breakthrough")
    t.agree()
    assert t.game.ended and t.game.ended.winner == "soviet"


@pytest.mark.parametrize(
    ("turn", "vp", "winner"),
    [(4, 31, "soviet"), (4, 30, ""), (4, 1, ""), (4, 0, "german"), (3, 99, ""), (9, 31, "soviet")],
)
def test_calendar_of_the_campaign(turn: int, vp: int, winner: str) -> None:
    """15.36: strictly above or below; equal plays on; nothing before turn 4."""
    t = table()
    t.do("table", "go-to", turn=turn, phase="cards")
    set_(t, "vp", vp)
    t.until("end", turn)
    t.agree()
    assert (t.game.ended.winner if t.game.ended else "") == winner


def test_unfilled_calendar_is_asked() -> None:
    t = table(book=owners_book(calendar=None))
    t.do("table", "go-to", turn=4, phase="command")
    t.next()
    assert any(a["action"] == "calendar-verdict" for a in t.asked("table"))
    t.do("table", "calendar-verdict", winner="german", level="Operational")
    t.agree()
    assert t.game.ended and t.game.ended.level == "Operational"


@pytest.mark.parametrize(("vp", "winner"), [(16, "german"), (17, "nobody")])
def test_after_turn_14(vp: int, winner: str) -> None:
    assert after_last_turn(vp)[0] == winner
    rows = calendar()
    rows["14"] = {k: v for k, v in rows["14"].items() if "over" not in k and "under" not in k}
    t = table(book=owners_book(calendar=rows))
    t.do("table", "go-to", turn=14, phase="end")
    set_(t, "vp", vp)
    t.next()
    assert t.game.ended and t.game.ended.winner == winner


def test_worksheet_of_victory() -> None:
    assert table().calc("victory", scenario="star-and-gallop", vp=22).result == "soviet Tactical"
