"""Kharkov Battles: the five scenarios, and a table with chits face down under both sides' counters."""

from __future__ import annotations

from typing import Any
from unittest import mock

import kb_bench
from kb_bench import enrol, jump, synthetic_book
from systems.kharkov_battles import test_kb_playthrough as whole

from companion.engine.errors import Mistake

from ..recorder import Stored
from . import common

ID = kb_bench.ID


class Table(Stored):
    """A table that puts down a moment when its second turn's combat comes."""

    def next(self, seat: str = "table") -> list[Any]:
        done = super().next(seat)
        if self.game.turn == self.game.scenario.first + 2 and self.game.phase == "axis-combat":
            self.moment("the third turn's combat")
        return done


def _played(scenario: str, filled: bool, **options: Any) -> Table:
    """The tests' own playthrough, with an assault by chits before it."""

    def opened(name: str, book: Any) -> Table:
        t = Table(ID, name, book, **options)
        common.evening_begins(t)
        if scenario == "grand-campaign":
            common.answer_to(t, "axis", "draw-goal")
            t.moment("Hitler's goal is drawn")
        _assault(t)
        return t

    with mock.patch.object(whole, "table", opened):
        whole.test_every_scenario_plays_to_its_end(scenario, filled)
    table = Stored.opened
    assert isinstance(table, Table)
    return table


def _assault(t: Table) -> None:
    """A designated assault: chits drawn under both sides' counters (or real ones totalled), and what follows from it."""
    real = t.game["mode-chits"] == "physical"
    first, phase = t.game.turn, t.game.phase
    prefix = t.game.scenario.extra["map"]
    jump(t, "axis-combat", max(first, 1))
    own = enrol(t, "axis", "6 Pz 4", "panzer", f"{prefix}3010", size="III", formation="6 Pz", rating="A")
    enrol(t, "axis", "6 Pz 114", "panzergrenadier", f"{prefix}3010", size="III", formation="6 Pz", rating="B")
    enrol(t, "soviet", "25 Tank", "tank", f"{prefix}3011", size="XXX", rating="A")
    t.do("axis", "declare-assault", target=f"{prefix}3011", attackers=[own])
    t.moment("an assault is designated")
    common.answer_to(t, "axis", "begin-assault")
    if real:
        common.answer_to(t, "axis", "tell-strength", strength=17)
        common.answer_to(t, "soviet", "announce-strength", total=6)
    t.moment("strengths are announced")
    common.answer_to(t, "axis", "roll-assault", die="7")
    if any(ask["action"] == "enter-result" for ask in t.asked("axis")):
        common.answer_to(t, "axis", "enter-result", result="D(1)r2")
    t.moment("the result is known")
    _follow_up(t)
    t.do("axis", "lose-steps", unit=own)
    t.do("table", "mark", marker="disorganized", units=own, reason="forgotten")
    common.roll_taken_back(t, "soviet")
    t.do("table", "go-to", turn=first, phase=phase, reason="that was the demonstration")


def _follow_up(t: Table) -> None:
    """Take the first choice of every card; put away what needs more."""
    for _ in range(16):
        asked = [(s, a) for s in ("soviet", "axis") for a in t.asked(s) if a["live"] and not a["consent"]]
        if not asked:
            return
        seat, ask = asked[0]
        rows = [r for r in ask["form"] if r["type"] == "choice" and r["choices"]]
        fields = {r["name"]: r["choices"][0]["value"] for r in rows}
        try:
            t.do(seat, ask["action"], **fields, _asked=ask["id"])
        except Mistake:
            t.do(seat, "dismiss", ask=ask["id"])


def operation_star() -> None:
    _played("operation-star", True)


def second_kharkov_k() -> None:
    """With blank charts: every result is read off the printed ones."""
    _played("second-kharkov-k", False, mode_chits="physical")


def third_kharkov_l() -> None:
    _played("third-kharkov-l", True, fog=False)


def january_campaign() -> None:
    _played("january-campaign", True, solo=True)


def grand_campaign() -> None:
    """Seventeen turns of 74, with Hitler's goal drawn in secret; one player alone ends it by hand."""
    t = _played("grand-campaign", True)
    t.do("axis", "end-game", winner="nobody", level="Draw", why="the last bus leaves")


def face_down_chits() -> None:
    """Chits under four counters, one reduced, one returned, one corrected in secret; never ended."""
    t = Table(ID, "operation-star", synthetic_book())
    common.evening_begins(t)
    jump(t, "axis-combat", 1)
    axis = [enrol(t, "axis", f"LAH {n}", "panzergrenadier", "KB3010", size="III", formation="LAH", rating="A")
            for n in (1, 2)]  # fmt: skip
    soviet = [enrol(t, "soviet", f"{n} Tank", "tank", f"KB301{n}", size="XXX", rating="A") for n in (1, 2)]
    t.do("axis", "draw-chits", units=axis)
    t.do("soviet", "draw-chits", units=soviet)
    t.moment("four chits face down")
    t.do("axis", "lose-steps", unit=axis[0])
    t.moment("one lies on its reduced side")
    t.do("soviet", "set-chit", unit=soviet[0], face="reduced")
    before = t.revision
    t.do("soviet", "return-chit", unit=soviet[1])
    t.do("soviet", "take-back", to=before)
    common.refuse(t, "axis")
    t.do("axis", "declare-assault", target="KB3011", attackers=axis[:1], anyway=True)
    common.answer_to(t, "axis", "begin-assault")
    t.moment("both totals announced")
    common.answer_to(t, "axis", "roll-assault", die="4")
    _follow_up(t)
    t.do("soviet", "lose-steps", unit=soviet[1], steps=2)
