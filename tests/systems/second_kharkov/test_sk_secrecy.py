"""Nothing hidden reaches the wrong seat: lower units, untried factors, declared attackers (2.14, 7.6)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from harness import refused

from companion.engine.errors import NotNow, Unknown
from companion.engine.forms.fields import Context

SECRET = "SECRETNAME"


def told(t: Any, seat: str) -> str:
    """Everything a seat is given: its view, its log, and every form it can open."""
    events = [event.seen_by(seat) for event in t.events]
    forms = []
    for action in t.system.rules.actions.values():
        if action.refusal(t.game, seat) is None:
            forms.append(action.describe(Context(t.game, seat), {"target": "2510", "hexes": "2510"}))
    return json.dumps([t.sees(seat), events, forms], default=str)


def stacked(table: Any, phase: str = "soviet-combat") -> Any:
    """A German stack in 2510 whose lower unit is secret; it came on record from the German phone."""
    t = table(turn=4, phase=phase, result="1/1")
    t.do("german", "add-unit", side="german", name=SECRET, hex="2510", steps=4)
    unit = next(u for u in t.game.units if SECRET.lower() in u)
    t.do("german", "copy-counter", unit=unit, kind="panzer", army="6th Army", af=77, df=78)
    t.do("german", "add-unit", side="german", name="Top", hex="2510", steps=4)
    t.do("german", "copy-counter", unit="german-top", kind="infantry", army="6th Army", af=3, df=3)
    return t


@pytest.mark.parametrize("seat", ["soviet", "watch"])
def test_lower_units_of_a_stack_stay_hidden(table: Any, seat: str) -> None:
    """7.6."""
    t = stacked(table)
    text = told(t, seat)
    assert SECRET not in text and SECRET.lower() not in text and "78" not in text
    assert "Top" in text
    assert SECRET in told(t, "german")


def test_a_preview_does_not_look_into_the_stack(table: Any) -> None:
    """7.6: before the attack is declared the defence has to be guessed."""
    t = stacked(table)
    sheet = t.system.rules.worksheets["combat"]
    closed = sheet.work({"target": "2510", "attack": 90}, Context(t.game, "soviet"))
    assert not closed.column and closed.lines[-1].rule == "7.6"
    guess = sheet.work({"target": "2510", "attack": 90, "defence": 5}, Context(t.game, "soviet"))
    assert guess.facts["defence"] == 5 and guess.facts["defenders"] == []


def test_declaring_opens_the_stack_once_aircraft_are_settled(table: Any) -> None:
    """7.6, 12.17."""
    t = stacked(table)
    t.do("table", "correct", name="air-free", value=1)
    t.do("soviet", "add-unit", side="soviet", name="RD", hex="2610")
    t.do("soviet", "declare-attack", target="2510", attackers="soviet-rd")
    (before,) = t.view("soviet").battles
    assert before.forces["soviet"] == ["RD"] and "german" not in before.forces
    assert SECRET not in told(t, "soviet") and "78" not in told(t, "soviet")
    t.answer("german", aircraft="0")
    (battle,) = t.view("soviet").battles
    assert SECRET in battle.forces["german"]
    t.answer("soviet", attack=90, die="3")
    assert t.game.last_result["breakdown"]["facts"]["defence"] == 81


def test_a_quick_battle_opens_the_stack_before_the_die_is_cast(table: Any) -> None:
    """7.6: a guess at a closed stack is none; what is in it is known when the attack stands, and counts."""
    t = stacked(table)
    t.do("soviet", "resolve-combat", target="2510", attack=90, defence=5, die="3")
    assert not t.game.last_result and SECRET in told(t, "soviet")
    t.answer("soviet", die="3")
    assert t.game.last_result["breakdown"]["facts"]["defence"] == 81
    form = {f["name"] for f in t.asked("german")[0]["form"]}
    assert "units" in form and "mech" not in form
    t.answer("german", how="stand", units="german-top")
    assert t.game.units["german-top"].steps == 3


def test_declared_attackers_are_not_named_to_the_enemy(table: Any) -> None:
    """12.17: the German promises aircraft before he knows what comes."""
    t = table(turn=4, phase="soviet-combat")
    t.do("table", "correct", name="air-free", value=1)
    t.do("soviet", "add-unit", side="soviet", name=SECRET, hex="2610")
    t.do("soviet", "add-unit", side="soviet", name="Top", hex="2610")
    t.do("soviet", "declare-attack", target="2510", attackers=f"soviet-{SECRET.lower()}")
    for seat in ("german", "watch"):
        assert SECRET not in told(t, seat) and SECRET.lower() not in told(t, seat)


def test_untried_factors_are_nowhere(table: Any) -> None:
    """2.14: even its owner does not see them, not even when a roster gives them."""
    t = table(turn=3, phase="soviet-combat")
    t.do("soviet", "add-unit", side="soviet", name="RD", hex="2610")
    t.game.units["soviet-rd"].factors = {"AF": 87, "DF": 88}  # as if an owner's roster had named them
    for seat in ("soviet", "german", "table", "watch"):
        view = json.dumps(t.sees(seat))
        assert "87" not in view and "88" not in view
    sheet = t.calc("combat", target="2510", attackers="soviet-rd", defence=5)
    assert not sheet.column and "attack factor of RD, once turned over" in [
        line.label for line in sheet.lines
    ]


def test_revealed_factors_are_seen_by_all(table: Any) -> None:
    """2.14: turned over in battle for everybody."""
    t = table(turn=3, phase="soviet-combat")
    t.do("soviet", "add-unit", side="soviet", name="RD", hex="2610")
    t.do("soviet", "copy-counter", unit="soviet-rd", name="41 Rifle", af=6, df=4)
    unit = next(u for u in t.sees("german")["units"] if u["id"] == "soviet-rd")
    assert (unit["name"], unit["factors"], unit["untried"]) == ("41 Rifle", {"AF": 6, "DF": 4}, False)


def test_the_overstack_form_offers_only_the_crowd(table: Any) -> None:
    """7.2: the enemy chooses from the overstacked hex and from no other, and only when there is one."""
    t = stacked(table)
    with refused(NotNow, rule="7.2"):
        t.do("soviet", "remove-overstack", units="german-top")


@pytest.mark.parametrize("seat", ["soviet", "watch", "table"])
def test_who_may_exploit_is_not_told_to_the_enemy(table: Any, seat: str) -> None:
    """7.6, 12.22: after the advance only the top unit lies open, so the reminder names the hex alone."""
    t = table(turn=4, phase="german-combat", result="0/1")
    names = ("11 Pz", "22 Pz", "44 ID")
    kinds = ("panzer", "panzer", "infantry")
    force = [
        t.enter(name, "german", "2510", army="6th Army", kind=kind, af=8, df=6)
        for name, kind in zip(names, kinds, strict=True)
    ]
    t.enter("TB", "soviet", "2610", kind="tank", af=5, df=2)
    t.do("german", "resolve-combat", target="2610", attackers=force, die="3")
    done = t.answer("german", units=force)
    heard = json.dumps([event.seen_by(seat) for event in done])
    assert "Supplied mechanised units in 2610" in heard
    assert not any(unit in heard for unit in force[:2]), heard
    t.do("german", "exploit", unit=force[0], hexes="2710", _asked=t.asked("german")[0]["id"])
    assert [a["text"] for a in t.asked("german")] == [
        "Supplied mechanised units in 2610 may go on one or two hexes"
    ]


@pytest.mark.parametrize("action", ["declare-attack", "resolve-combat"])
def test_the_shared_screen_says_that_it_does_not_know_the_whole_stack(table: Any, action: str) -> None:
    """7.6: whoever picks attackers on the tablet must not believe that the one offered is all there is."""
    t = table(turn=2, phase="soviet-combat")
    for n in range(3):
        t.enter(f"RD{n}", "soviet", "2610", kind="rifle")

    def attackers(seat: str, target: str) -> dict[str, Any]:
        form = t.form(seat, action, target=target)
        return next(f for f in form if f["name"] == "attackers")

    assert len(attackers("soviet", "2510")["choices"]) == 3 and not attackers("soviet", "2510").get("help")
    assert len(attackers("table", "2510")["choices"]) == 1
    assert "on the Soviet phone" in attackers("table", "2510")["help"]
    t.enter("RD9", "soviet", "3010", kind="rifle")
    assert not attackers("table", "3009").get("help"), "a single unit lies open"


@pytest.mark.parametrize("seat", ["soviet", "table", "watch"])
def test_a_unit_judged_out_of_supply_in_secret_is_on_no_other_screen(table: Any, seat: str) -> None:
    """9.9: its mark is hidden under fog of war, so the panel of halved factors must not tell of it."""
    t = stacked(table)
    t.do("german", "judge-supply", units="german-top", state="out")

    def titles(who: str) -> list[str]:
        return [p["title"] for p in t.sees(who)["panels"]]

    assert "Out of supply" in titles("german")
    assert "Out of supply" not in titles(seat)
    t.do("german", "judge-supply", hexes="2510", state="out")
    assert "Out of supply" in titles(seat), "a hex is judged in the open"


def test_the_shared_screen_fights_with_the_declared_attackers_once_stacks_lie_open(table: Any) -> None:
    """12.17: then everybody may know them, so they can be named there too, and not before."""
    t = table(turn=4, phase="soviet-combat", result="1/1")
    t.do("table", "correct", name="air-free", value=1)
    for name in (SECRET, "Top"):
        t.do("soviet", "add-unit", side="soviet", name=name, hex="2610")
    hidden = f"soviet-{SECRET.lower()}"
    with refused(Unknown, field="attackers"):
        t.do("table", "resolve-combat", target="2510", attackers=hidden, attack=20, defence=5, die="3")
    t.do("soviet", "declare-attack", target="2510", attackers=hidden)
    t.answer("german", aircraft="0")
    t.do("soviet", "name-type", kind="rifle")
    t.answer("table", attack=20, defence=5, die="3")
    assert hidden in t.game.last_result["breakdown"]["facts"]["attackers"]


def test_nobody_moves_into_a_hex_before_a_battle(table: Any) -> None:
    """12.21: called by hand it is refused with words."""
    t = table(turn=4, phase="soviet-combat")
    with refused(NotNow, rule="12.21"):
        t.do("soviet", "advance")


def test_who_comes_to_an_opened_stack_stays_hidden(table: Any) -> None:
    """7.6: what was opened is opened, and nothing else; a unit put there by hand takes no part."""
    t = stacked(table)
    t.do("soviet", "add-unit", side="soviet", name="RD", hex="2610")
    t.do("german", "add-unit", side="german", name="LATECOMER", kind="infantry", hex="2408")
    t.do("german", "add-unit", side="german", name="Lid", kind="infantry", hex="2408")
    t.do("soviet", "declare-attack", target="2510", attackers="soviet-rd")
    t.do("german", "place-unit", unit="german-latecomer", hex="2510")
    t.do("german", "place-unit", unit="german-lid", hex="2510")
    assert SECRET in told(t, "soviet") and "LATECOMER" not in told(t, "soviet")
    t.answer("soviet", attack=90, die="3")
    assert t.game.last_result["breakdown"]["facts"]["defence"] == 81
    assert "LATECOMER" not in told(t, "soviet")
