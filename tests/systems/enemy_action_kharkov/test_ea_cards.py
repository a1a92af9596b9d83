"""Card preparation, hands, discards and the pass, 4-II and 5: the rulebook's two-turn example and its edges."""

from __future__ import annotations

from typing import Any

import pytest
from harness import refused
from systems.enemy_action_kharkov.ea_bench import (
    battle,
    blank_table,
    cards,
    chits,
    command,
    fought,
    hand,
    owners_book,
    play_event,
    set_,
    shipped,
    table,
    take,
    zones,
)

from companion.engine.errors import NotNow, Unreadable
from companion.engine.record.events import Noted
from companion.systems.enemy_action_kharkov import BOOK_CHECKS


def play_out(t: Any) -> None:
    """Every card is played for an empty command until the phase ends."""
    for _ in range(200):
        if t.game.phase != "command":
            return
        side = t.game.active
        if not hand(t, side):
            t.do(side, "draw-hand" if zones(t, side)["draw"] else "pass-impulse")
            continue
        play_event(t)
    raise AssertionError("the command phase never ended")


def counts(t: Any, side: str) -> tuple[int, ...]:
    n = zones(t, side)
    return n["draw"], n["avail"], n["hand"], n["discard-p"], n["discard-s"], n["entering"]


def test_two_turns_of_the_rulebook() -> None:
    """5.0 example: 12 cards and 5 left on turn 1; three new, seven of eight drawn on turn 2."""
    t = table()
    t.until("cards")
    t.do("table", "prepare-cards")
    assert counts(t, "soviet") == (7, 5, 5, 0, 0, 5)
    assert counts(t, "german") == (4, 2, 4, 0, 0, 13)
    assert "P41" in hand(t, "german")
    t.until("command")
    play_out(t)
    assert counts(t, "soviet") == (0, 5, 0, 6, 6, 5)
    assert counts(t, "german") == (0, 2, 0, 5, 3, 13)
    t.until("cards", 2)
    used = set(t.game.piles["soviet-cards"]["discard-s"])
    t.do("table", "prepare-cards")
    assert counts(t, "soviet") == (8, 7, 5, 0, 0, 2)
    in_play = {*t.game.piles["soviet-cards"]["draw"], *hand(t, "soviet")}
    assert not used & in_play  # last turn's supplementals came back after the draw


def test_a_used_supplemental_is_back_two_turns_later() -> None:
    t = command()
    play_out(t)
    t.until("cards", 2)
    used = set(t.game.piles["german-cards"]["discard-s"])
    t.do("table", "prepare-cards")
    assert used <= set(t.game.piles["german-cards"]["avail"])


def test_light_mud_gives_four_supplementals() -> None:
    t = table()
    t.do("table", "go-to", turn=8, phase="cards")
    set_(t, "ground", "light-mud")
    t.do("table", "prepare-cards")
    n = zones(t, "soviet")
    assert n["draw"] + n["hand"] == 6 + 4


def test_heavy_mud_only_returns_supplementals() -> None:
    t = command()
    play_out(t)
    t.do("table", "go-to", turn=7, phase="cards")
    set_(t, "ground", "heavy-mud")
    t.do("table", "prepare-cards")
    assert counts(t, "soviet") == (0, 11, 0, 6, 0, 5)
    t.do("table", "go-to", turn=8, phase="cards")
    set_(t, "ground", "frozen")
    t.do("table", "prepare-cards")
    assert zones(t, "soviet")["entering"] == 0  # cards held up by the mud come in now [4-II.1]


def test_hands_fill_up_only_at_the_end_of_ones_own_impulse() -> None:
    t = command()
    assert zones(t, "soviet")["hand"] == 5
    take(t, "soviet", "P07")
    t.do("soviet", "play-card", card="P07")
    assert zones(t, "soviet")["hand"] == 4
    t.do("soviet", "give-command", what="event", event="special")
    t.do("soviet", "end-impulse")
    assert zones(t, "soviet")["hand"] == 5 and t.game.active == "german"


def test_stavka_leaves_the_game_from_turn_7() -> None:
    for turn, zone in ((6, "discard-p"), (7, "removed")):
        t = command(turn=turn)
        set_(t, "impulse", "soviet")
        take(t, "soviet", "P01")
        t.do("soviet", "play-card", card="P01")
        t.do("soviet", "give-command", what="event", event="nkvd")
        t.do("soviet", "end-impulse")
        assert "P01" in t.game.piles["soviet-cards"][zone]


def test_discards_can_lie_face_down() -> None:
    t = command(discards_open=False)
    take(t, "soviet", "P07")
    t.do("soviet", "play-card", card="P07")
    t.do("soviet", "give-command", what="event", event="special")
    t.do("soviet", "end-impulse")
    piles = {p["id"]: p for p in t.sees("german")["piles"]}
    shown = [z for z in piles["soviet-cards"]["zones"] if "tokens" in z and z["tokens"]]
    assert {z["zone"] for z in shown} == {"entering"}
    assert zones(t, "soviet")["discard-p"] + zones(t, "soviet")["discard-s"] == 1


@pytest.mark.parametrize(
    ("side", "mine", "theirs", "pile", "may"),
    [
        ("soviet", 2, 3, 0, True),
        ("soviet", 3, 3, 0, False),
        ("german", 3, 3, 0, True),
        ("german", 4, 3, 0, False),
        ("german", 1, 3, 2, False),
        ("soviet", 0, 2, 0, True),
        ("soviet", 0, 2, 3, False),  # no card to play, and no pass either: see the empty hand
    ],
)
def test_who_may_pass(side: str, mine: int, theirs: int, pile: int, may: bool) -> None:
    """5.1, with real cards because their counts can be set."""
    t = blank_table("campaign", mode_cards="physical")
    t.until("cards")
    t.do("table", "prepare-cards", soviet_supplementals=6)
    t.until("command")
    set_(t, "impulse", side)
    other = t.game.other(side)
    for name, number in ((f"{side}-hand", mine), (f"{other}-hand", theirs), (f"{side}-draw", pile)):
        set_(t, name, number)
    if may:
        t.do(side, "pass-impulse")
        assert t.game.active == other
    else:
        with refused(NotNow, given="pass-impulse"):
            t.do(side, "pass-impulse")


def test_a_side_without_cards_is_passed_over() -> None:
    """5.1: with nothing in hand and nothing to draw all it could do is pass; nobody taps for it."""
    t = blank_table("campaign", mode_cards="physical")
    t.until("cards")
    t.do("table", "prepare-cards", soviet_supplementals=6)
    assert (
        len([i for i in t.game.ticked if i.startswith("1/cards/")]) == 2
    )  # the whole list of turn 1 is done
    t.until("command")
    for name, number in (("german-hand", 0), ("german-draw", 0)):
        set_(t, name, number)
    t.do("soviet", "play-real-card", card="P05", kind="primary", type="army", what="deploy", formation="40")
    done = t.do("soviet", "end-impulse")
    assert t.game.active == "soviet"
    assert "German has no card left and passes" in [event.text for event in done if isinstance(event, Noted)]


def test_the_phase_ends_when_all_is_played() -> None:
    t = command("initial-assault")
    play_out(t)
    assert t.game.phase == "end"
    assert [zones(t, s)["hand"] + zones(t, s)["draw"] for s in t.game.sides] == [0, 0]


@pytest.mark.parametrize(("turn", "side"), [(1, "soviet"), (6, "soviet"), (7, "german"), (14, "german")])
def test_first_impulse(turn: int, side: str) -> None:
    t = table()
    t.do("table", "go-to", turn=turn, phase="supply")
    t.until("command")
    assert t.game.active == side


# -- real cards ------------------------------------------------------------------------------------------------


def test_real_cards_with_an_empty_book_are_counted() -> None:
    t = blank_table()
    t.until("cards")
    with refused(Unreadable, rule="4-II", field="soviet_supplementals"):
        t.do("table", "prepare-cards")
    t.do("table", "prepare-cards", soviet_supplementals=6)
    assert counts(t, "soviet") == (7, 5, 5, 0, 0, 5)
    assert counts(t, "german") == (4, 2, 4, 0, 0, 13)
    t.until("command")
    t.do("table", "play-real-card", card="P07", kind="supplemental", type="army", value=2)
    assert zones(t, "soviet")["hand"] == 4
    t.do("soviet", "give-command", what="activate", formations="3T")
    t.do("soviet", "end-impulse")
    assert counts(t, "soviet") == (6, 5, 5, 0, 1, 5)
    assert t.game.piles["soviet-cards"]["discard-s"] == ["P07"]
    with refused(Unreadable, rule="5.6", field="kind"):
        t.do("german", "play-real-card", card="P30")


def test_digital_cards_need_the_manifest() -> None:
    t = blank_table(mode_cards="digital")
    t.until("cards")
    with refused(NotNow, rule="4-II"):
        t.do("table", "prepare-cards", soviet_supplementals=6)


def test_a_table_can_change_to_real_cards_at_a_preparation() -> None:
    t = command()
    play_out(t)
    t.until("cards", 2)
    set_(t, "mode-cards", "physical")
    t.do("table", "prepare-cards")
    assert counts(t, "soviet") == (8, 7, 5, 0, 0, 2)
    assert sum(zones(t, "soviet").values()) == 22
    set_(t, "mode-cards", "digital")
    for zone in ("hand", "draw"):
        for side in ("soviet", "german"):
            set_(t, f"{side}-{zone}", 0)
    t.do("table", "go-to", turn=3, phase="cards")
    t.do("table", "prepare-cards")
    assert t.game["cards-run"] == "digital"
    assert len(t.game.piles["soviet-cards"].tokens()) == 22


# -- the owner's lists -----------------------------------------------------------------------------------------


def test_totals_of_the_manifest_and_the_chit_sheet() -> None:
    assert set(BOOK_CHECKS) == {"cards", "chits", "calendar", "ground", "tactics"}
    assert BOOK_CHECKS["cards"](cards()) == []
    assert BOOK_CHECKS["chits"](chits()) == []
    wrong = cards()
    wrong["P07"]["kind"] = "primary"
    assert any("7 initial primary" in w for w in BOOK_CHECKS["cards"](wrong))
    sheet = chits()
    sheet["C01"]["dark"] = True
    sheet["C02"]["front_hits"] = "D one"
    found = BOOK_CHECKS["chits"](sheet)
    assert any("4 dark" in w for w in found) and any("C02 front" in w for w in found)


def test_what_the_kit_ships_is_the_rulebooks() -> None:
    book = shipped("cards")
    assert book["P44"] == {
        "turn": "4",
        "name": "Army Group South",
        "value": "5",
        "type": "army group",
        "steps": "0",
        "events": "any",
        "tactics": "any",
    }
    assert book["P41"]["kind"] == "supplemental" and len(book) == 45
    assert shipped("calendar")["2"] == {"soviet_supplementals": "7"}
    assert not any("hits" in k for row in shipped("chits").values() for k in row)
    assert BOOK_CHECKS["cards"](book) and BOOK_CHECKS["chits"](shipped("chits"))


def test_a_blank_chit_sheet_asks_for_the_drawn_chits() -> None:
    t = command(book=owners_book(chits=None))
    take(t, "soviet", "P03")
    t.do("soviet", "play-card", card="P03")
    t.do("soviet", "give-command", what="activate", formations="3T")
    t.do("soviet", "declare-combat", small=3, steps=2, attack=9, defence=3, terrain="clear")
    t.do("soviet", "draw-chits", hits="D1, A1 D1*")
    assert fought(t).drawn == 2 and battle(t).facts["dark"]
    assert not battle(t).rolls  # nobody knows which chits they were
