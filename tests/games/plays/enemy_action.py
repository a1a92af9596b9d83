"""Enemy Action: Kharkov: the three scenarios card by card, and a table stopped with both hands full."""

from __future__ import annotations

from typing import Any

from systems.enemy_action_kharkov import ea_bench
from systems.enemy_action_kharkov.ea_bench import SYSTEM, hand, owners_book
from systems.enemy_action_kharkov.test_ea_playthrough import fight, impulse, order, play

from ..recorder import Stored
from . import common


class Table(ea_bench.Table, Stored):
    """The tests' own table, kept in a store."""

    def next(self, seat: str = "table") -> list[Any]:
        done = super().next(seat)
        if self.game.phase == "command" and self.game.turn in (2, 9):
            self.moment(f"turn {self.game.turn}, hands dealt")
        return done


def _opened(scenario: str, **options: Any) -> Table:
    t = Table(SYSTEM, scenario, owners_book("city 1012 Kharkov\nvp 1012 6\n"), **options)
    common.evening_begins(t)
    t.do("soviet", "add-unit", side="soviet", name="25 Guards", kind="infantry", hex="1010", steps=2)
    t.do("german", "add-unit", side="german", name="320 Infantry", kind="infantry", hex="1008", steps=2)
    t.do("german", "mark", marker="moved", units="german-320-infantry")
    t.do("table", "mark", marker="ip", hexes="1008", value="german")
    t.do("german", "set-steps", unit="german-320-infantry", steps=1)
    return t


def initial_assault() -> None:
    """Two turns on digital cards and chits; the Soviets reach their points."""
    t = _opened("initial-assault")
    t.do("table", "correct", name="vp", value="8", reason="from the display")
    play(t)


def star_and_gallop() -> None:
    """Six turns with real cards and a real cup: everything drawn is typed in."""
    t = _opened("star-and-gallop", mode_cards="physical", mode_chits="physical", mode_dice="physical")
    t.do("table", "correct", name="vp", value="25")
    play(t)


def campaign() -> None:
    """Fourteen turns with mud, ground markers and replacements, to the last turn; a roll is taken back on the way."""
    t = _opened("campaign")
    t.do("table", "correct", name="vp", value="17", reason="as the calendar wants it")
    common.roll_taken_back(t, "soviet")
    play(t)


def hidden_hands() -> None:
    """Both hands dealt, tactics played in a combat that waits for chits, cards drawn and taken back; never ended."""
    t = _opened("campaign", solo=False)
    t.until("cards")
    t.moment("before the deal")
    t.do("table", "prepare-cards")
    t.until("command")
    t.moment("hands dealt")
    for number in range(1, 4):
        impulse(t, number)
    side = t.game.active
    before = t.revision
    t.do(side, "play-card", card=hand(t, side)[0])
    t.do(side, "take-back", to=before)
    common.agree(t, t.game.other(side))
    t.do(side, "play-card", card=hand(t, side)[-1])
    order(t, side)
    t.moment("a card lies open")
    fight(t, side, 3)
    t.do(side, "end-impulse")
    while t.game.phase == "command":
        impulse(t, 4)
    t.until("cards", 2)
    t.do("table", "prepare-cards")
    t.until("command", 2)
    side = t.game.active
    t.do(side, "play-card", card=hand(t, side)[0])
    order(t, side)
    if t.game["command"].get("what") in ("activate", "kg", "units"):
        t.do(side, "declare-combat", small=3, steps=2, attack=9, defence=3, terrain="clear", hexes=2)
        t.moment("a combat waits")
