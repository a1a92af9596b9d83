"""Second Kharkov: both scenarios to their ends, with counters turned over in battle."""

from __future__ import annotations

from systems.second_kharkov.conftest import Kharkov, invented_book
from systems.second_kharkov.test_sk_victory import fight, turn_of

from ..recorder import Stored
from . import common


class Table(Kharkov, Stored):
    """The tests' own table, kept in a store."""


def _tidy(t: Table) -> None:
    """Put away whatever is still asked; one answer may settle others."""
    while t.game.duties():
        t.do("table", "dismiss", ask=t.game.duties()[0].id)


def historical() -> None:
    """Eight turns on points: set-up, battles with aircraft, losses, retreat, advance, interdiction, the last count."""
    t = Table("second-kharkov", "historical", invented_book(), aircraft_turn_2="3")
    common.evening_begins(t)
    t.do("table", "set-up")
    t.do("german", "copy-counter", unit="3-panzer", kind="panzer", army="6th Army", af=8, df=6, mf=8)
    t.do("soviet", "place-unit", unit="armour-a", hex="2719", reason="3.2")
    t.do("table", "mark", marker="frozen", units="rifle-2718", reason="judged by hand")
    t.do("table", "mark", marker="frozen", units="rifle-2718", value="off")
    t.moment("set up")
    for turn in range(1, 9):
        if turn == 4:
            _turn_of_a_battle(t)
        else:
            _turn(t, turn)
        if turn < 8:
            _tidy(t)
            t.next()
        if turn == 4:
            common.judge_called(t, "german")
            t.moment("turn five begins")
    t.do("table", "terminal-check", units=3)
    t.next()


def _turn(t: Table, turn: int) -> None:
    """Both sides fight once; the German fights first on odd turns."""
    t.until("soviet-combat", turn)
    if turn == 2:
        t.do("soviet", "cross-perimeter", who="5th Guards")
    _tidy(t)
    fight(t, "soviet", german_steps=1)
    t.until("german-move", turn)
    _tidy(t)
    if turn % 2:
        t.do("german", "fight-first")
    else:
        t.do("german", "move-first")
        t.next()
    _tidy(t)
    fight(t, "german", soviet_units=1 + turn % 2)
    if turn % 2:
        t.next()


def _turn_of_a_battle(t: Table) -> None:
    _battle(t)
    t.until("german-move", 4)
    t.do("german", "move-first")
    t.next()
    fight(t, "german", soviet_units=2)


def _battle(t: Table) -> None:
    """A declared Soviet attack: the German promises aircraft, both lose, the survivors fall back, the victor moves in."""
    t.until("soviet-combat", 4)
    t.enter("44", "german", "2510", army="6th Army", kind="infantry", af=4, df=5)
    t.enter("RD", "soviet", "2610", kind="rifle")
    t.do("table", "correct", name="air-free", value=2, reason="as on the display")
    t.do("soviet", "declare-attack", target="2510", attackers="soviet-rd")
    t.moment("an attack is declared")
    common.answer_to(t, "german", "defend-by-air", aircraft="1")
    common.answer_to(t, "soviet", "roll-combat", attack=10, die="5")
    common.answer_to(t, "soviet", "enter-result", result="0/2")
    t.moment("losses are owed")
    common.answer_to(t, "german", "german-losses", how="back")
    common.answer_to(t, "soviet", "advance", units="soviet-rd")
    common.roll_taken_back(t, "soviet")
    _tidy(t)


def alternative() -> None:
    """Kharkov's three hexes fall on turn 5, after a release, an exploitation and a hex lost again."""
    ground = (("area", "2315", "", "south"), ("terrain", "2509", "", "marsh"))
    t = Table("second-kharkov", "alternative", invented_book("0/1", ground), fog=False, aircraft_turn_2="6")
    common.evening_begins(t)
    t.do("table", "set-up")
    turn_of(t, german=1, soviet=1)
    _tidy(t)
    t.next()
    t.until("german-move", 2)
    t.do("german", "voluntary-release", armies="first-panzer")
    t.moment("one army let go")
    t.until("german-combat", 4)
    t.enter("3 Pz", "german", "2510", army="6th Army", kind="panzer", af=8, df=6)
    t.enter("44", "german", "2510", army="6th Army", kind="infantry", af=4, df=5)
    t.enter("TB", "soviet", "2610", kind="tank", af=5, df=2)
    t.do("german", "resolve-combat", target="2610", attackers="german-3-pz, german-44", air="0")
    _tidy(t) if t.game.last_result["result"] != "0/1" else _exploit(t)
    t.do("german", "judge-supply", hexes="2510", state="out")
    common.roll_taken_back(t, "german")
    t.until("soviet-move", 5)
    t.do("soviet", "take-hex", hexes="2306 2406", side="soviet")
    t.do("table", "take-hex", hexes="2306", side="german")
    t.do("soviet", "take-hex", hexes="2407", side="soviet")
    t.moment("two of three")
    t.do("soviet", "take-hex", hexes="2306", side="soviet")
    t.agree()


def _exploit(t: Table) -> None:
    t.answer("german", units="german-3-pz, german-44")
    t.moment("exploitation is open")
    t.answer("german", unit="german-3-pz", hexes="2710 2811")


def fog() -> None:
    """Stacks of both sides under fog: moves, a stack opened by battle, fog lifted and laid again; never ended."""
    t = Table("second-kharkov", "historical", invented_book("1/1"))
    t.do("table", "set-up")
    common.evening_begins(t)
    t.moment("set up under fog")
    t.do("soviet", "place-unit", unit="tank-2719-1", hex="2619")
    t.do("soviet", "place-unit", unit="tank-2719-2", hex="2619")
    t.do("soviet", "place-unit", unit="rifle-2718", hex="2619")
    t.do("german", "add-unit", side="german", name="Decoy", kind="infantry", hex="2408", steps=1)
    t.do("german", "mark", marker="oos", units="german-decoy")
    t.do("german", "place-unit", unit="3-panzer", hex="2408", reason="shuffled")
    t.do("german", "set-steps", unit="3-panzer", steps=3, reason="a step was lost on the road")
    t.moment("stacks shuffled")
    t.do("table", "set-mode", fog=False)
    t.moment("fog lifted")
    t.do("table", "set-mode", fog=True)
    t.until("soviet-combat")
    t.do("soviet", "place-unit", unit="rifle-2718", hex="2508")
    t.do("soviet", "declare-attack", target="2408", attackers="rifle-2718")
    t.moment("a stack opened by battle")
    _tidy(t)
    before = t.revision
    t.do("german", "place-unit", unit="german-decoy", box="box:dead")
    t.do("german", "take-back", to=before)
    t.do("soviet", "place-unit", unit="tank-2719-1", box="box:dead")
