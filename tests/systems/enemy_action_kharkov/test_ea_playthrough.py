"""The three scenarios from first to last turn with the synthetic book, card by card, to every kind of ending."""

from __future__ import annotations

import json
from typing import Any

import pytest
from systems.enemy_action_kharkov.ea_bench import (
    SIDES,
    blank_table,
    calendar,
    hand,
    owners_book,
    put,
    set_,
    table,
    zones,
)

from companion.engine.errors import Mistake
from companion.engine.record.events import Event
from companion.engine.record.game import Game, replay
from companion.engine.seat.words import describe

ARMIES = {
    "soviet": ("3T", "40", "69", "6", "1G", "MGP"),
    "german": ("Raus", "IISS", "XLVIII", "LVII", "III", "XL"),
}


def order(t: Any, side: str) -> None:
    """Give a command that the card allows: activate somebody who is free, else an event."""
    barred = str(t.game[f"last-{side}"] or "").split(", ")
    for what in ("activate", "kg", "units"):
        for name in ARMIES[side]:
            if name not in barred:
                try:
                    t.do(side, "give-command", what=what, formations=name)
                except Mistake:
                    continue
                return
    events = [f for f in t.form(side, "give-command", what="event") if f["name"] == "event"]
    t.do(side, "give-command", what="event", event=events[0]["choices"][-1]["value"])
    for duty in t.game.duties(action="disperse"):
        t.do(side, "dismiss", ask=duty.id)


def fight(t: Any, side: str, number: int) -> None:
    """One combat by hand entry, with a tactic now and then and every hit satisfied."""
    if t.game["command"].get("what") not in ("activate", "kg", "units"):
        return
    t.do(side, "declare-combat", small=2 + number % 3, steps=1 + number % 2, attack=6 + number % 7, defence=3,
         terrain="clear", hexes=1 + number % 3)  # fmt: skip
    if any(a["action"] == "bonus-tactic" for a in t.asked(side)):
        t.do(side, "bonus-tactic", tactic="intelligence")
    other = t.game.other(side)
    digital = t.game["cards-run"] == "digital"
    if digital and number % 3 == 0 and len(hand(t, other)) > 1:
        t.do(other, "play-tactic", card=hand(t, other)[0], tactic="artillery")
    real = t.game["mode-chits"] == "physical"
    t.do(side, "draw-chits", **({"hits": "A1 D2" + ", -" * (number % 2)} if real else {}))
    for _ in range(8):
        waiting = [(s, a) for s in SIDES for a in t.asked(s) if a["live"] and a["duty"] == "owed"]
        if not waiting:
            return
        seat, ask = waiting[0]
        answers = {
            "declare-draws": {"extra": "0" if real else "1"},
            "apply-defence": {"choice": "retreat-1"},
            "apply-attack": {"choice": "steps"},
        }
        t.do(seat, ask["action"], _asked=ask["id"], **answers[ask["action"]])


def impulse(t: Any, number: int) -> None:
    side = t.game.active
    real = t.game["cards-run"] == "real"
    if zones(t, side)["hand"] == 0:
        t.do(side, "draw-hand" if zones(t, side)["draw"] else "pass-impulse")
        return
    if real:
        box = t.game.piles[f"{side}-cards"]["box"]
        known = bool(t.book and t.book.tables)
        t.do(
            "table",
            "play-real-card",
            card=box[number % len(box)],
            **({} if known else {"kind": "supplemental"}),
        )
    else:
        t.do(side, "play-card", card=hand(t, side)[number % len(hand(t, side))])
    order(t, side)
    if number % 4 == 0:
        fight(t, side, number)
    t.do(side, "end-impulse")


def play(t: Any, **answers: Any) -> Any:
    """Play on until the game is over; `answers` go to the card preparation."""
    number = 0
    for _ in range(3000):
        t.agree()
        if t.game.ended:
            return t.game.ended
        phase = t.game.phase
        if phase == "cards" and t.game["cards-prepared"] < t.game.turn:
            t.do("table", "prepare-cards", **answers)
        elif phase == "supply":
            for side in ("german", "soviet")[: 1 if t.game.turn < 4 else 2]:
                t.do("table", "check-supply", side=side, by_hand=True)
        elif phase == "command":
            number += 1
            impulse(t, number)
            continue
        elif phase == "mud-replacements":
            for side in SIDES:
                t.do(side, "mud-replacements", side=side)
        elif phase == "end" and t.game.scenario.id == "campaign" and 6 <= t.game.turn <= 12:
            fields = {"shows": "light-mud"} if t.game["mode-chits"] == "physical" else {}
            t.do("table", "reveal-ground", **fields)
        t.next()
    raise AssertionError("the game never ended")


def sound(t: Any) -> None:
    stored = [Event.from_json(json.loads(json.dumps(e.to_json()))) for e in t.events]
    copy = replay(Game(t.system.kit, t.scenario, t.book), stored)
    assert json.dumps(copy.dump()) == json.dumps(t.game.dump())
    for seat in (*SIDES, "table", "watch"):
        lines = [describe(e.seen_by(seat), t.game) for e in t.events]
        assert not any("{" in line for line in lines)
    assert (
        len(t.game.piles["soviet-cards"].tokens()) == 22 and len(t.game.piles["german-cards"].tokens()) == 23
    )


@pytest.mark.parametrize(("vp", "winner"), [(8, "soviet"), (7, "german")])
def test_initial_assault(vp: int, winner: str) -> None:
    t = table("initial-assault")
    set_(t, "vp", vp)
    end = play(t)
    assert (end.winner, t.game.turn) == (winner, 2)
    sound(t)


def test_initial_assault_early() -> None:
    t = table("initial-assault", owners_book("city 1012 Kharkov\nvp 1012 6\n"))
    red = put(t, "soviet", "red", "1010", formation="3T")
    t.until("command")
    t.do("table", "place-unit", unit=red, hex="1012")
    t.agree()
    assert t.game.ended and t.game.ended.level == "Operational"


@pytest.mark.parametrize(("vp", "level"), [(25, "Operational"), (3, "Strategic")])
def test_star_and_gallop(vp: int, level: str) -> None:
    t = table("star-and-gallop")
    set_(t, "vp", vp)
    end = play(t)
    assert (end.level, t.game.turn) == (level, 6)
    sound(t)


@pytest.mark.slow
def test_campaign_to_turn_14() -> None:
    t = table("campaign")
    put(t, "soviet", "red", "1005", formation="3T")
    set_(t, "vp", 17)
    end = play(t)
    assert (end.winner, t.game.turn) == ("nobody", 14)
    kinds = {e.KIND for e in t.events}
    assert {"drawn", "returned", "resolved", "set", "marked", "advanced", "asked", "ended"} <= kinds
    assert any(e.KIND == "advanced" and e.phase == "mud-replacements" for e in t.events)  # type: ignore[attr-defined]
    sound(t)


@pytest.mark.slow
def test_campaign_won_by_the_calendar() -> None:
    rows = calendar()
    rows["6"] |= {"soviet_over": 18, "soviet_level": "Operational"}
    t = table("campaign", owners_book(calendar=rows))
    set_(t, "vp", 19)
    end = play(t)
    assert (end.winner, end.level, t.game.turn) == ("soviet", "Operational", 6)


@pytest.mark.slow
def test_campaign_lost_by_the_calendar() -> None:
    rows = calendar()
    for turn in ("11", "12", "13"):  # heavy mud passes a check over
        rows[turn] |= {"german_under": 12, "german_level": "Strategic"}
    t = table("campaign", owners_book(calendar=rows))
    set_(t, "vp", 11)
    end = play(t)
    assert (end.winner, end.level) == ("german", "Strategic") and t.game.turn in (11, 12, 13)


def test_star_and_gallop_with_real_cards_and_cup() -> None:
    """With the manifest filled but everything physical."""
    t = table("star-and-gallop", mode_cards="physical", mode_chits="physical")
    end = play(t)
    assert t.game.turn == 6 and end.level == "Strategic"
    sound(t)


def test_initial_assault_with_an_empty_book() -> None:
    """Nothing filled in: the table enters the calendar's numbers and the cards' kinds as they come."""
    t = blank_table("initial-assault", mode_chits="physical")
    asked = {"soviet_supplementals": 6}
    t.until("cards")
    t.do("table", "prepare-cards", **asked)
    t.until("command")
    number = 0
    while t.game.phase == "command":
        number += 1
        impulse(t, number)
    t.until("cards", 2)
    t.do(
        "table", "prepare-cards", soviet_supplementals=7, german_supplementals=3, german_hand_size=4,
        soviet_primary=0, soviet_supplemental=3,
    )  # fmt: skip
    assert zones(t, "soviet")["entering"] == 2
    t.until("end")
    assert not t.game.ended  # 15.1: after the end of turn 2
    t.next()
    assert t.game.ended and t.game.ended.winner == "german"
