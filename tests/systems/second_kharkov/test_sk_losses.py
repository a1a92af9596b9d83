"""Sharing out step losses (12.19, 12.20), points (4.4) and counters (2.13)."""

from __future__ import annotations

from typing import Any

import pytest
from harness import refused
from hypothesis import given
from hypothesis import strategies as st

from companion.engine.errors import Mistake, NotNow, StillOwed, Unreadable
from companion.engine.positions.pieces import dealt


@pytest.mark.parametrize(
    ("steps", "lost", "chosen", "even", "expected", "rule"),
    [
        ("444", 4, "b", True, {"a": 1, "b": 2, "c": 1}, "12.20 example"),
        ("444", 3, "", True, {"a": 1, "b": 1, "c": 1}, "12.20: a whole round needs no choice"),
        ("444", 2, "ac", True, {"a": 1, "c": 1}, "12.20"),
        ("41", 3, "", True, {"a": 2, "b": 1}, "A9: the dead drop out"),
        ("41", 9, "", True, {"a": 4, "b": 1}, "12.19: excess is ignored"),
        ("2", 1, "", True, {"a": 1}, "2.13"),
        ("444", 6, "", True, {"a": 2, "b": 2, "c": 2}, "A9: even rounds"),
        ("444", 6, "a", False, {"a": 4, "b": 1, "c": 1}, "A9: only the first round is even"),
        ("444", 5, "ab", False, {"a": 2, "b": 2, "c": 1}, "A9"),
        ("", 3, "", True, {}, "12.19: nobody there"),
    ],
)
def test_german_losses_go_round(
    steps: str, lost: int, chosen: str, even: bool, expected: dict[str, int], rule: str
) -> None:
    units = {name: int(n) for name, n in zip("abc", steps, strict=False)}
    assert dealt(units, lost, tuple(chosen), even=even, rule="12.20") == expected


@pytest.mark.parametrize(
    ("steps", "lost", "chosen"), [("444", 1, ""), ("444", 2, "a"), ("444", 4, "ab"), ("44", 3, "")]
)
def test_the_odd_step_must_be_chosen(steps: str, lost: int, chosen: str) -> None:
    units = {name: int(n) for name, n in zip("abc", steps, strict=False)}
    with refused(Unreadable, rule="12.20", field="units"):
        dealt(units, lost, tuple(chosen), rule="12.20")


@given(st.lists(st.integers(1, 4), min_size=1, max_size=5), st.integers(0, 25), st.randoms())
def test_losses_are_even_and_complete(steps: list[int], lost: int, random: Any) -> None:
    """12.20: nobody loses a second step before all have lost one; 12.19: no more than there is."""
    units = {str(n): s for n, s in enumerate(steps)}
    order = list(units)
    random.shuffle(order)
    found: dict[str, int] = {}
    for size in range(len(order) + 1):
        try:
            found = dealt(units, lost, order[:size])
            break
        except Mistake:
            continue
    alive = [n for n in units if n in found or lost == 0] or order
    assert sum(found.values()) == min(lost, sum(steps)) or not set(alive) <= set(order)
    whole = [found.get(n, 0) for n in units if found.get(n, 0) < units[n]]
    assert not whole or max(found.values(), default=0) - min(whole) <= 1


def battle(table: Any, result: str, **options: Any) -> Any:
    """Two Soviets attack a panzer and an infantry division in 2510."""
    t = table(turn=3, phase="soviet-combat", result=result, fog=False, **options)
    t.enter("3 Pz", "german", "2510", army="6th Army", kind="panzer", af=8, df=6)
    t.enter("44", "german", "2510", army="6th Army", kind="infantry", af=4, df=5)
    t.enter("RD", "soviet", "2610", kind="rifle", af=9, df=3)
    t.enter("TB", "soviet", "2611", kind="tank", af=5, df=2)
    t.do("soviet", "resolve-combat", target="2510", attackers="soviet-rd, soviet-tb", die="2")
    return t


def test_points_for_german_steps(table: Any) -> None:
    """4.4: a mechanised step is worth two."""
    t = battle(table, "0/2")
    t.answer("german", how="stand")
    assert t.game["vp-soviet"] == 3
    assert {u.name: u.steps for u in t.game.units.values() if u.side == "german"} == {"3 Pz": 3, "44": 3}


def test_the_defender_goes_first(table: Any) -> None:
    """12.19."""
    t = battle(table, "1/2")
    with refused(NotNow, rule="12.19, 12.20") as first:
        t.answer("soviet", units="soviet-rd")
    assert "First: German defender: lose 2 steps at 2510" in str(first.value)
    t.answer("german", how="stand")
    t.answer("soviet", units="soviet-rd")
    assert t.game["vp-german"] == 1
    assert t.game.units["soviet-rd"].place == "box:dead"


def test_a_phase_says_what_is_owed_and_takes_it_along(table: Any) -> None:
    """12.19: losses never lapse."""
    t = battle(table, "1/2")
    with refused(StillOwed) as said:
        t.do("soviet", "next-phase")
    assert said.value.said == [
        "German defender: lose 2 steps at 2510",
        "Soviet attacker: lose 1 step at 2510",
    ]
    t.next()
    t.answer("german", how="stand")
    t.answer("soviet", units="soviet-tb")
    assert (t.game["vp-soviet"], t.game["vp-german"]) == (3, 1)


def test_another_battle_waits(table: Any) -> None:
    """12.5: one battle at a time."""
    t = battle(table, "1/2")
    with refused(NotNow, rule="12.5"):
        t.do("soviet", "resolve-combat", attack=5, defence=5, die="2")


@pytest.mark.parametrize(("reading", "steps_left"), [("2", 2), ("1", 1)])
def test_substitute_counters(table: Any, reading: str, steps_left: int) -> None:
    """2.13: the log says when to put the substitute in; factors follow the face."""
    faces = {"3 Pz": {f"{f}{n}": 2 * n for f in ("AF", "DF") for n in (4, 3, 2, 1)}}
    t = table(turn=3, phase="soviet-combat", result="0/1", fog=False, substitute=reading, faces=faces)
    t.enter("3 Pz", "german", "2510", kind="panzer", mf=8)
    t.enter("RD", "soviet", "2610", kind="rifle", af=9, df=3)
    said = {}
    for _ in range(3):
        t.do("table", "mark", marker="attacked", units="soviet-rd", value="off")
        t.do("soviet", "resolve-combat", target="2510", attackers="soviet-rd", die="2", anyway=True)
        done = t.answer("german", how="stand")
        left = t.game.units["german-3-pz"].steps
        said[left] = any("substitute" in getattr(event, "reason", "") for event in done)
        assert t.game.units["german-3-pz"].factors["DF"] == 2 * left
    assert [left for left, told in said.items() if told] == [steps_left]


def test_factors_of_an_unknown_face_are_forgotten(table: Any) -> None:
    """2.13: after a loss the old face's factors are not the unit's any more."""
    t = battle(table, "0/2")
    t.answer("german", how="stand")
    assert t.game.units["german-3-pz"].factors == {}


@pytest.mark.parametrize(("mech", "points"), [(0, 2), (1, 3), (2, 4)])
def test_bare_factors_ask_how_many_steps_were_mechanised(table: Any, mech: int, points: int) -> None:
    t = table(turn=3, phase="soviet-combat", result="0/2")
    t.do("soviet", "resolve-combat", attack=10, defence=3, die="3")
    with refused(Unreadable, field="mech", given="3"):
        t.answer("german", mech=3)
    t.answer("german", mech=mech)
    assert t.game["vp-soviet"] == points


def test_the_alternative_scenario_counts_no_points(table: Any) -> None:
    """13.5."""
    t = table("alternative", turn=3, phase="soviet-combat", result="1/2")
    t.do("soviet", "resolve-combat", attack=10, defence=3, die="3")
    t.answer("german")
    assert t.game["vp-soviet"] == t.game["vp-german"] == 0 and not t.game.asked


def test_losses_taken_are_asked_for_no_more(table: Any) -> None:
    """12.19: also through the API, without the card's own button; who has nobody on record is not asked who dies."""
    t = table(turn=3, phase="soviet-combat", result="1/2")
    t.do("soviet", "resolve-combat", target="2510", attack=9, defence=3, die="3")
    t.do("german", "german-losses", how="empty")
    with refused(NotNow, rule="12.20"):
        t.do("german", "german-losses", how="empty")
    t.do("soviet", "advance")
    assert not t.game.asked
    t.next()


def test_the_alternative_scenario_does_not_ask_for_what_only_points_need(table: Any) -> None:
    """13.5: no points, so nobody counts mechanised steps."""
    for scenario, asked in (("historical", True), ("alternative", False)):
        t = table(scenario, turn=3, phase="soviet-combat", result="0/2")
        t.do("soviet", "resolve-combat", attack=9, defence=3, die="3")
        form = t.asked("german")[0]["form"]
        assert ("mech" in [f["name"] for f in form]) is asked


def test_losses_may_be_taken_on_the_shared_screen(table: Any) -> None:
    """12.20: under fog of war too every unit of the battle can be chosen there, while the losses wait."""
    t = table(turn=3, phase="soviet-combat", result="2/0")
    force = [t.enter(f"RD{n}", "soviet", "2610", kind="rifle") for n in range(4)]
    t.do("soviet", "resolve-combat", target="2510", attackers=force, defence=3)
    t.answer("soviet", attack="2+2+1+1", die="3")

    def offered(seat: str) -> list[str]:
        form = [f for ask in t.asked(seat) for f in ask["form"]]
        return sorted(c["value"] for f in form if f["name"] == "units" for c in f["choices"])

    assert offered("table") == offered("soviet") == sorted(force)
    t.answer("table", units=force[:2])
    assert len(offered("table")) <= 1, "afterwards only the top unit lies open (7.6)"
