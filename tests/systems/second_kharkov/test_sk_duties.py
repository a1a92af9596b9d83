"""Every duty of a battle: its order, its seat, early, late, twice, over the end of a phase, put away, taken back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from harness import refused
from systems.second_kharkov.test_sk_battle import (
    germans_attack,
    newest,
    owed,
    resolve,
    soviets_attack,
    stacks_are_open,
)

from companion.engine.errors import NotNow, NotYours, StillOwed, Unreadable, Warned
from companion.engine.people.units import due
from companion.engine.record import events as e

LINES = (("area", "2315", "", "south"), ("area", "2316", "", "south"))


def actions(t: Any, seat: str) -> list[str]:
    return [a["action"] for a in t.asked(seat)]


def declared(table: Any, **options: Any) -> Any:
    """A Soviet attack on 2510 that the German may defend by air."""
    t = soviets_attack(table, **options)
    t.do("soviet", "declare-attack", target="2510", attackers="soviet-rd")
    return t


# -- the declaration [7.6, 12.4, 12.24, 6.2, 5.5] --------------------------------------------------


@pytest.mark.parametrize("action", ["declare-attack", "resolve-combat"])
@pytest.mark.parametrize(
    ("case", "rule"),
    [
        ("mixed", "12.24"),
        ("restricted", "6.2"),
        ("again", "12.4"),
        ("defended", "12.4"),
        ("empty", "12.1"),
        ("nobody", "9.9, 12.4"),
    ],
)
def test_what_the_rules_have_against_an_attack_is_said_before_a_stack_opens(
    table: Any, action: str, case: str, rule: str
) -> None:
    """6.2, 12.1, 12.4, 12.24: one tap says it, another does it anyway."""
    t = table(turn=2, phase="german-combat", result="0/0")
    t.enter("3 Pz", "german", "2510", army="6th Army", kind="panzer", af=8, df=6)
    t.enter("17", "german", "2509", army="17th Army", kind="infantry", af=4, df=5)
    for name in ("Lower", "Top"):
        t.enter(name, "soviet", "2610", kind="rifle")
    fields: dict[str, Any] = {"target": "2610", "attackers": "german-3-pz"}
    if case == "mixed":
        fields["attackers"] = "german-3-pz, german-17"
    if case == "restricted":
        fields["attackers"] = "german-17"
    if case == "again":
        t.do("table", "mark", marker="attacked", units="german-3-pz")
    if case == "defended":
        t.record(e.Marked("soviet-lower", "defended", "2610"))
    if case == "empty":
        fields |= {"target": "2410", **({"defence": 3} if action == "resolve-combat" else {})}
    if case == "nobody":
        fields |= {"attackers": "", **({"attack": 3} if action == "resolve-combat" else {})}
    with refused(Warned) as said:
        t.do("german", action, **fields)
    assert any(f"({rule})" in words for words in said.value.said), said.value.said
    assert not any("Lower" in words for words in said.value.said), "and tells nothing of the stack"
    assert not t.game.battles
    t.do("german", action, **fields, anyway=True)
    assert stacks_are_open(t)


def test_frozen_soviets_are_pointed_at_before_the_stack_opens(table: Any) -> None:
    """5.5."""
    t = table(phase="soviet-combat", ground=LINES)
    t.enter("44", "german", "2415", kind="infantry")
    t.enter("CD", "soviet", "2315", kind="cavalry")
    with refused(Warned) as said:
        t.do("soviet", "declare-attack", target="2415", attackers="soviet-cd")
    assert "(5.5)" in said.value.said[0] and not t.game.battles


def test_only_a_hex_next_to_ones_own_units_can_be_opened(table: Any) -> None:
    """7.6, 12.1: no looking at stacks far away by declaring attacks on them, whatever is wished."""
    t = soviets_attack(table, aircraft=0)
    for name in ("Lower", "Top"):
        t.enter(name, "german", "3010", kind="infantry")
    for action in ("declare-attack", "resolve-combat"):
        extra = {"attack": 3} if action == "resolve-combat" else {}
        with refused(NotNow, rule="12.1, 7.6", field="target", given="3010"):
            t.do("soviet", action, target="3010", anyway=True, **extra)


def test_the_attacker_alone_cannot_escape(table: Any) -> None:
    """7.6: not by the reminder's own button, not by another attack, not by Undo, not by the phase's end."""
    t = declared(table, aircraft=2)
    before = len(t.events)
    t.answer("german", aircraft="1")
    roll = t.asked("soviet")[0]["id"]
    t.do("soviet", "dismiss", ask=roll, how="does not apply")
    assert roll in t.game.asked, "the German is asked"
    with refused(NotNow, rule="12.5"):
        t.do("soviet", "resolve-combat", target="2511", attack=3, defence=3)
    t.do("soviet", "agree", ask=next(a.id for a in t.game.asked.values() if a.is_consent), yes=False)
    t.do("soviet", "take-back", to=before)
    assert any(a.by == "take-back" for a in t.game.asked.values()) and stacks_are_open(t)
    t.next()
    assert roll in t.game.asked


def test_called_off_by_both_the_aircraft_return(table: Any) -> None:
    """7.6, 12.17."""
    t = declared(table)
    t.answer("german", aircraft="1")
    assert (t.game["air-free"], t.game["air-used"]) == (1, 1)
    t.do("soviet", "dismiss", ask=t.asked("soviet")[0]["id"], how="does not apply")
    t.agree()
    assert newest(t).result == "called off" and (t.game["air-free"], t.game["air-used"]) == (2, 0)
    assert t.game.mark("soviet-rd", "attacked") is None and t.game.mark("soviet-rd", "veteran"), (
        "2.14: it was seen"
    )
    t.do("soviet", "declare-attack", target="2510", attackers="soviet-rd")


def test_called_off_before_the_german_has_answered(table: Any) -> None:
    t = declared(table)
    t.do(
        "table", "dismiss", ask=next(d.id for d in t.game.duties(action="roll-combat")), how="does not apply"
    )
    t.agree()
    assert newest(t).result == "called off" and not t.game.duties() and t.game["air-free"] == 2


def test_fought_on_the_map_counts_as_fought(table: Any) -> None:
    """12.4, 4.3: who rolled on the map alone has attacked; the aircraft have flown."""
    t = table(turn=4, phase="soviet-combat", fog=False)
    t.enter("44", "german", "2406", kind="infantry")
    t.enter("RD", "soviet", "2506", kind="rifle")
    t.do("table", "correct", name="air-free", value=1)
    t.do("soviet", "declare-attack", target="2406", attackers="soviet-rd")
    t.answer("german", aircraft="1")
    t.do("soviet", "dismiss", ask=t.asked("soviet")[0]["id"], how="done on the map")
    assert newest(t).result == "fought on the map" and t.game["air-used"] == 1
    assert t.game.mark("soviet-rd", "attacked") and t.game["perimeter"] == "crossed"


def test_a_chart_read_on_the_map_does_not_call_the_battle_off(table: Any) -> None:
    """12.17, 12.18: the die has fallen, so the aircraft have flown."""
    t = table(turn=4, phase="german-combat")
    t.do("table", "correct", name="air-free", value=1)
    t.do("german", "resolve-combat", attack=20, defence=10, air="1", die="5")
    t.do("german", "dismiss", ask=t.asked("german")[0]["id"], how="done on the map")
    assert newest(t).result == "" and t.game["air-used"] == 1
    t.do("german", "resolve-combat", attack=20, defence=10, die="5")


# -- aircraft [12.17] ------------------------------------------------------------------------------


def test_resolve_asks_the_german_first_and_tells_him_nothing(table: Any) -> None:
    """12.17, 7.6: what the Soviet typed is not on any other seat before aircraft are decided."""
    t = table(turn=4, phase="soviet-combat", result="0/0")
    t.do("table", "correct", name="air-free", value=1)
    assert "air" not in {f["name"] for f in t.form("soviet", "resolve-combat")}
    t.do("soviet", "resolve-combat", target="2510", attack=83, defence=41, air="1")
    assert t.game["air-free"] == 1, "the Soviet spends none"
    for seat in ("german", "table", "watch"):
        heard = json.dumps([t.sees(seat), t.hears(seat)])
        assert "83" not in heard and "41" not in heard, seat
    assert t.view("soviet").battles[0].sheet.facts["odds"] == "2:1"
    assert [c["label"] for c in owed(t, "german")["aircraft"]["choices"]] == [
        "None defend",
        "1 defends",
        "None in this phase",
    ]
    t.answer("german", aircraft="1")
    assert t.view("german").battles[0].sheet.facts["attack"] == 83, "now the stacks lie open"
    t.answer("soviet", die="3")
    assert t.game.last_result["breakdown"]["modifier"] == 1


def test_aircraft_lost_meanwhile_are_not_asked_for(table: Any) -> None:
    """12.17: none is the only answer left, so it is given."""
    t = declared(table)
    t.do("table", "correct", name="air-free", value=0)
    assert stacks_are_open(t) and actions(t, "german") == []


def test_the_question_about_aircraft_outlives_the_phase(table: Any) -> None:
    """12.17: the Soviet cannot end the phase over the German's answer."""
    t = declared(table)
    t.next()
    assert actions(t, "german") == ["defend-by-air"]
    t.answer("german", aircraft="1")
    t.answer("soviet", attack=30, die="3")
    assert t.game.last_result["breakdown"]["facts"]["air"] == 1


@pytest.mark.parametrize(("aircraft", "told"), [("1", ["1 aircraft"]), ("0", [])])
def test_the_battle_says_that_aircraft_defend(table: Any, aircraft: str, told: list[str]) -> None:
    """12.17: both sides read it on the card before the dice fall, not only in the calculation."""
    t = declared(table)
    t.answer("german", aircraft=aircraft)
    for seat in ("german", "soviet", "table"):
        (battle,) = t.view(seat).battles
        assert [name for name in battle.forces["german"] if "aircraft" in name] == told, seat


def test_units_of_one_name_are_counted_on_the_card(table: Any) -> None:
    """2.5: Soviet tank brigades have no names of their own."""
    t = soviets_attack(table)
    units = [t.enter("Tank brigade", "soviet", "2511", kind="tank brigade") for _ in range(3)]
    t.do("soviet", "declare-attack", target="2510", attackers=units)
    assert t.view("soviet").battles[0].forces["soviet"] == ["3 \u00d7 Tank brigade"]


# -- the card of the roll [2.10, 2.14] -------------------------------------------------------------


def test_all_untried_counters_are_on_one_card(table: Any) -> None:
    """2.14: each factor typed once, at its unit, and kept; those known are not asked."""
    t = table(turn=3, phase="soviet-combat", result="0/0", fog=False)
    t.enter("44", "german", "2510", army="6th Army", kind="infantry")
    t.enter("45", "german", "2510", army="6th Army", kind="infantry", af=4, df=5)
    for name, hex_id, kind in (("RD", "2610", "rifle"), ("TB", "2610", "tank"), ("CD", "2611", "cavalry")):
        t.enter(name, "soviet", hex_id, kind=kind)
    form = {f["name"]: f for f in t.form("soviet", "resolve-combat", target="2510")}
    assert sorted(form["attackers"]["value"]) == ["soviet-cd", "soviet-rd", "soviet-tb"], "chosen already"
    t.do(
        "soviet", "resolve-combat", target="2510", attackers="soviet-rd, soviet-tb, soviet-cd", terrain="city"
    )
    (ask,) = t.asked("soviet")
    form = {f["name"]: f for f in t.rules.find("roll-combat").describe(_at(t, "soviet", ask["id"]))}
    assert form["attack"]["help"].endswith("RD, TB, CD") and form["defence"]["help"].endswith("each: 44")
    with refused(Unreadable, field="attack"):
        t.answer("soviet", die="3")
    with refused(Unreadable, field="attack", given="14"):
        t.answer("soviet", attack=14, defence=6, die="3")
    t.answer("soviet", attack="6 5 3", defence=6, die="3")
    facts = t.game.last_result["breakdown"]["facts"]
    assert (facts["attack"], facts["defence"]) == (6 + 3 + 3, 11), "the tanks are halved in the city (12.16)"
    assert t.game.units["soviet-tb"].factors == {"AF": 5} and t.game.units["german-44"].factors == {"DF": 6}


def _at(t: Any, seat: str, duty: str) -> Any:
    from companion.engine.forms.fields import Context

    return Context(t.game, seat, duty=t.game.asked[duty])


def test_declaring_with_nothing_on_record_asks_for_everything_at_the_roll(table: Any) -> None:
    """The ladder of effort: 7.6 binds all the same."""
    t = table(turn=3, phase="german-combat", result="0/1")
    t.do("german", "declare-attack", target="2510")
    names = {
        f["name"] for f in t.rules.find("roll-combat").describe(_at(t, "german", t.asked("german")[0]["id"]))
    }
    assert {"attack", "defence", "terrain", "river", "attack_oos", "die"} <= names and "target" not in names
    with refused(Unreadable, rule="12.7", field="attack"):
        t.answer("german", die="3")
    t.answer("german", attack=20, defence=5, die="3")
    assert newest(t).result == "0/1"


def test_a_type_nobody_told_is_asked_once(table: Any) -> None:
    """2.10, 4.4: at its first battle, of its own side, before the roll."""
    t = table(turn=3, phase="soviet-combat", result="0/1", fog=False)
    t.do("german", "add-unit", side="german", name="23", hex="2510", steps=1)
    t.enter("RD", "soviet", "2610", kind="rifle", af=20, df=3)
    t.do("soviet", "resolve-combat", target="2510", attackers="soviet-rd", defence=3)
    with refused(NotNow, rule="2.10"):
        t.answer("soviet", defence=3, die="3")
    with refused(NotYours):
        t.do("soviet", "name-type", kind="panzer")
    t.answer("german", kind="Pz")
    t.answer("soviet", defence=3, die="3")
    t.answer("german", how="stand")
    assert t.game["vp-soviet"] == 2, "a panzer step"


def test_what_is_known_of_a_type_put_away_is_nothing(table: Any) -> None:
    """2.10: whoever does not say it fights on as not mechanised."""
    t = table(turn=3, phase="soviet-combat", result="0/1", fog=False)
    t.do("german", "add-unit", side="german", name="23", hex="2510")
    t.enter("RD", "soviet", "2610", kind="rifle", af=20, df=3)
    t.do("soviet", "resolve-combat", target="2510", attackers="soviet-rd")
    t.do("german", "dismiss", ask=t.asked("german")[0]["id"])
    t.answer("soviet", defence=3, die="3")
    assert newest(t).result == "0/1"


# -- losses, retreat, advance [12.19-12.23] --------------------------------------------------------


def after(table: Any, result: str, **options: Any) -> Any:
    """A roll against 3 Pz and 44 in 2510 by two Soviets."""
    t = soviets_attack(table, result=result, aircraft=0, fog=False, **options)
    t.enter("RD2", "soviet", "2611", kind="rifle", af=5, df=5)
    resolve(t, "2510", "soviet-rd, soviet-rd2", attack=20)
    return t


def test_the_order_of_a_battle(table: Any) -> None:
    """12.19, 12.21-12.23: each seat sees who must do what, and what comes then."""
    t = after(table, "1/2", ground=(("terrain", "2509", "", "marsh"), ("terrain", "2410", "", "marsh")))
    (battle,) = t.view("watch").battles
    assert battle.waits == ["German defender: lose 2 steps at 2510"]
    assert battle.then == ["Soviet attacker: lose 1 step at 2510"]
    with refused(NotYours):
        t.do("soviet", "german-losses", how="stand")
    t.answer("german", how="back", units="german-44")
    assert t.view("watch").battles[0].waits == ["German: fall back from 2510"]
    with refused(NotNow, rule="12.23"):
        t.do("soviet", "soviet-losses", units="soviet-rd")
    t.answer("german", to=owed(t, "german")["to"]["choices"][0]["value"])
    t.answer("soviet", units="soviet-rd")
    with refused(NotNow, rule="12.20"):
        t.do("soviet", "soviet-losses", units="soviet-rd2")
    t.answer("soviet", units="soviet-rd2")
    assert t.view("watch").battles[0].over and t.game.units["soviet-rd2"].place == "2510"


def test_retreat_hexes_are_those_of_the_survivors(table: Any) -> None:
    """12.19, 12.23: once the panzer is lost, marsh is open to the infantry that is left."""
    ground = tuple(("terrain", h, "", "marsh") for h in ("2509", "2410", "2411", "2511"))

    def struck(result: str) -> Any:
        t = soviets_attack(table, result=result, aircraft=0, fog=False, ground=ground)
        t.do("german", "set-steps", unit="german-3-pz", steps=1)
        t.enter("Guard", "soviet", "2611", kind="rifle")
        resolve(t, "2510", "soviet-rd", attack=30)
        return t

    t = struck("0/1")
    assert "how" not in owed(t, "german"), "saving the only step leaves a panzer with nowhere to go"
    t = struck("0/2")
    with refused(NotNow, rule="12.23", field="how"):
        t.answer("german", how="back", units="german-44")
    t.answer("german", how="back", units="german-3-pz")
    assert t.game.units["german-3-pz"].place == "box:dead"
    assert t.game.units["german-44"].place == "2509", "the nearest hex, marsh or not, and no other choice"
    t = struck("0/3")
    t.answer("german", how="back")
    assert t.game.units["german-3-pz"].place == "box:dead", "one each (12.20)"
    assert t.game.units["german-44"].place == "2509"


def test_units_that_died_meanwhile_are_asked_nothing(table: Any) -> None:
    """12.19: losses of units that are gone are withdrawn, and the log says so."""
    t = after(table, "1/2")
    for unit in ("german-3-pz", "german-44"):
        done = t.do("german", "place-unit", unit=unit, box="box:dead")
    gone = [event for event in done if isinstance(event, e.Answered)]
    assert [(event.answer, event.text) for event in gone] == [
        ("no longer applies", "German defender: lose 2 steps at 2510")
    ]
    assert actions(t, "german") == [] and actions(t, "soviet") == ["soviet-losses"]


def test_a_retreat_moved_by_hand_opens_the_hex_too(table: Any) -> None:
    """12.21, 12.23: whoever moves his counters on the map page has fallen back."""
    ground = (("terrain", "2509", "", "marsh"), ("terrain", "2410", "", "marsh"))
    t = soviets_attack(table, result="0/1", aircraft=0, fog=False, ground=ground)
    resolve(t, "2510", "soviet-rd", attack=30)
    t.answer("german", how="back")
    t.do("german", "place-unit", unit="german-44", hex="2411")
    assert actions(t, "german") == ["fall-back"], "one of them is still there"
    t.do("german", "place-unit", unit="german-3-pz", hex="2411")
    assert actions(t, "german") == [] and actions(t, "soviet") == ["advance"]


def test_losses_cross_the_end_of_the_phase_and_the_turn(table: Any) -> None:
    t = after(table, "1/2")
    t.do("table", "correct", name="perimeter", value="crossed")
    t.until("soviet-move", 5)
    t.answer("german", how="stand")
    t.answer("soviet", units="soviet-rd")
    assert t.game.units["german-44"].steps == 3 and t.game.units["soviet-rd"].place == "box:dead"


def test_a_battle_carried_along_holds_nobody_up(table: Any) -> None:
    """12.5: a Soviet who never rolls does not keep the German from attacking; each battle keeps its own order."""
    t = declared(table, aircraft=0, result="0/1")
    t.enter("TB", "soviet", "2611", kind="tank", af=5, df=2)
    t.until("german-combat", 4)
    t.do("german", "resolve-combat", target="2611", attackers="german-3-pz", die="3")
    assert [b.title for b in t.game.fighting] == ["Attack on 2510"]
    assert {d.action for d in t.game.duties()} == {"roll-combat", "advance"}
    t.answer("soviet", attack=30, die="3")
    assert t.game.last_result["breakdown"]["facts"]["attacker"] == "soviet"
    assert t.game.duties(action="german-losses")[0].battle != newest(t).id


def test_an_advance_lapses_with_its_phase_or_the_next_battle(table: Any) -> None:
    """12.21: decided at once, before another battle is begun."""
    for leave in ("phase", "battle"):
        t = germans_attack(table)
        t.enter("TB2", "soviet", "2611", kind="tank", af=5, df=2)
        t.do("german", "resolve-combat", target="2610", attackers="german-3-pz", die="3")
        assert actions(t, "german") == ["advance"]
        if leave == "phase":
            t.do("german", "next-phase")
        else:
            t.do("german", "resolve-combat", target="2611", attackers="german-44", die="3")
        assert "german-3-pz" not in json.dumps(t.asked("german"))


def test_a_loss_taken_back_is_owed_again(table: Any) -> None:
    t = after(table, "0/2")
    before = len(t.events)
    t.answer("german", how="stand")
    assert not t.game.duties()
    t.do("german", "take-back", to=before)
    assert actions(t, "german") == ["german-losses"] and t.game["vp-soviet"] == 0


def test_put_away_losses_are_told(table: Any) -> None:
    """What was done on the map is logged, and the battle goes on with what comes next."""
    t = after(table, "1/2")
    t.do("table", "dismiss", ask=t.asked("german")[0]["id"], how="done on the map")
    assert any(getattr(event, "answer", "") == "done on the map" for event in t.events)
    assert actions(t, "soviet") == ["soviet-losses"]


# -- what is owed outside battles ------------------------------------------------------------------


def crowd(t: Any, army: str = "6th Army") -> None:
    for n in range(4):
        t.enter(f"{n} ID", "german", "2510", army=army, kind="infantry")


def test_the_overstack_question_stays_until_the_stack_is_within_limits(table: Any) -> None:
    """7.2, 7.5: 172/75 is free in a 6th Army stack, so its going changes nothing; too few or too many are refused."""
    t = table(turn=3, phase="soviet-move", fog=False)
    crowd(t)
    t.enter("172/75", "german", "2510", army="6th Army", kind="infantry")
    t.next()
    free = next(u.id for u in t.game.units.values() if u.name == "172/75")
    assert free not in [c["value"] for c in owed(t, "soviet")["units"]["choices"]]
    for wrong in (free, "", "german-0-id, german-1-id"):
        with refused(Unreadable, field="units"):
            t.answer("soviet", units=wrong)
    t.next()
    assert actions(t, "soviet") == ["remove-overstack"], "it goes along, asked once"
    t.answer("soviet", units="german-0-id")
    assert actions(t, "soviet") == [] and len(t.game.units_at("2510")) == 4


def test_an_overstack_mended_by_hand_is_asked_no_more(table: Any) -> None:
    t = table(turn=3, phase="soviet-move", fog=False)
    crowd(t)
    t.next()
    t.do("german", "place-unit", unit="german-0-id", hex="2511")
    assert actions(t, "soviet") == []


def test_fight_first_is_too_late_once_a_reinforcement_is_in(table: Any) -> None:
    """5.3: the order is declared before anything is done."""
    for action, fields in (
        ("bring-in", {"name": "23 Pz", "army": "6th Army", "hex": "1402"}),
        ("arrive", {"arrival": "german-2"}),
    ):
        t = table(turn=2, phase="german-move")
        t.do("german", action, **fields)
        assert t.game["german-order"] == "move-fight"
        with refused(NotNow, rule="5.3"):
            t.do("german", "fight-first")


# -- the terminal check [4.5] ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("order", "phase"), [("move-first", "german-combat"), ("fight-first", "german-move")]
)
def test_the_terminal_check_is_the_last_step(table: Any, order: str, phase: str) -> None:
    """4.5, 5.4: not before the last phase, in the order that was declared."""
    t = table(turn=8, phase="german-move")
    with refused(NotNow, rule="4.5"):
        t.do("table", "terminal-check", units=0)
    t.do("german", order)
    while t.game.phase != phase:
        with refused(NotNow, rule="4.5"):
            t.do("table", "terminal-check", units=0)
        t.do("table", "next-phase")
    with refused(StillOwed):
        t.do("table", "next-phase")
    t.do("table", "terminal-check", units=2)
    t.do("table", "next-phase")
    assert t.game.ended and t.game["vp-german"] == 2


def test_a_unit_lost_after_the_check_does_not_count_twice(table: Any) -> None:
    """4.5: it was one of those counted, so the check is made again."""
    t = table(turn=8, phase="german-combat", result="0/1")
    t.do("table", "terminal-check", units=3)
    assert t.game["vp-german"] == 3
    t.do("german", "resolve-combat", target="2610", attack=10, defence=2, die="3")
    t.answer("soviet", how="stand")
    assert t.game["vp-german"] == 1 and t.game["terminal-check"] == "open"
    with refused(StillOwed):
        t.do("table", "next-phase")
    t.do("table", "terminal-check", units=2)
    t.do("table", "next-phase")
    assert t.game["vp-german"] == 3 and t.game.ended


# -- the perimeter [4.3] ---------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["attack", "enter", "german phase"])
def test_kharkov_lies_within_its_perimeter(table: Any, how: str) -> None:
    """4.2, 4.3: without any area in the map book; and the Soviet may remember it in the German's phase."""
    t = table(turn=4, phase="german-move" if how == "german phase" else "soviet-combat", result="1/0")
    if how == "attack":
        t.do("soviet", "resolve-combat", target="2306", attack=5, defence=5, terrain="city", die="3")
    if how == "enter":
        t.enter("TB", "soviet", "2306")
        t.do("german", "agree", ask=next(iter(t.game.asked)), yes=False)  # 4.2 is disputed
    if how == "german phase":
        t.do("soviet", "cross-perimeter", who="5th Guards")
    assert t.game["perimeter"] == "crossed"


def test_a_crossing_remembered_late_takes_the_ending_back(table: Any) -> None:
    """4.3: both are asked whether the game is over; the Soviet remembers."""
    t = table(turn=4, phase="german-combat")
    t.next()
    assert "By rule 4.3 the game is over" in t.asked("soviet")[0]["text"]
    t.do("soviet", "cross-perimeter")
    assert not t.asked("soviet") and t.game.ended is None


# -- counters however they enter [2.10, 2.13, 3.4] -------------------------------------------------


@pytest.mark.parametrize(
    ("side", "name", "steps", "kind"),
    [
        ("german", "44", 4, ""),
        ("german", "3rd Panzer", 4, "panzer"),
        ("german", "97 J\u00e4ger", 2, "jaeger"),
        ("german", "101J", 2, "jaeger"),
        ("german", "6 Rom", 2, ""),
        ("german", "Romanian VI Corps", 2, ""),
        ("german", "Sec 454", 1, "security"),
        ("german", "Jg 100", 2, "jaeger"),
        ("german", "16 Pz", 4, "panzer"),
        ("german", "108 H Inf", 1, "infantry"),
        ("german", "454 Sec", 1, "security"),
        ("soviet", "TB", 1, "tank"),
        ("soviet", "78 Rifle", 1, "rifle"),
        ("soviet", "MIB", 1, "motorised"),
    ],
)
def test_steps_and_type_are_right_however_a_unit_enters(
    table: Any, side: str, name: str, steps: int, kind: str
) -> None:
    """2.10, 2.13, 3.4: added by hand, typed with a hex, brought in."""
    for way in ("add-unit", "enter-positions", "bring-in"):
        t = table(turn=2, phase=f"{side}-move")
        if way == "add-unit":
            t.do(side, way, side=side, name=name, hex="2510")
        elif way == "enter-positions":
            t.do(side, way, text=f"+{name} 2510")
        else:
            extra = {"army": "6th Army", "kind": kind or "infantry"} if side == "german" else {}
            t.do(side, way, name=name, hex="2510", anyway=True, **extra)
        (unit,) = t.game.units_at("2510")
        assert (unit.steps, unit.full) == (steps, steps), way
        assert unit.kind == (kind or ("infantry" if way == "bring-in" else "")), way
        assert unit.untried == (side == "soviet")


@pytest.mark.parametrize("kind", ["Panzer", "PZ", "armour", "tank", "Motorized", "mot."])
def test_types_are_spelled_any_way(table: Any, kind: str) -> None:
    """2.10, 4.4: a mechanised step is worth two points whatever the fingers wrote."""
    from companion.systems.second_kharkov.dead import step_value

    t = table(turn=2)
    t.do("german", "add-unit", side="german", name="X", kind=kind, hex="2510")
    assert step_value(t.game.units["german-x"]) == 2
    with refused(Unreadable, field="kind", given="panzre"):
        t.do("german", "add-unit", side="german", name="Y", kind="panzre")


def test_a_unit_in_play_may_come_on_record_reduced(table: Any) -> None:
    t = table(turn=4)
    t.do("german", "add-unit", side="german", name="44", kind="infantry", hex="2510", steps=2)
    assert (t.game.units["german-44"].steps, t.game.units["german-44"].full) == (2, 4)
    with refused(Unreadable, rule="2.10", field="kind"):
        t.do("table", "go-to", turn=2, phase="german-move")
        t.do("german", "bring-in", name="45", army="6th Army", hex="1402")
    with refused(Unreadable, rule="2.7", field="army"):
        t.do("german", "bring-in", name="45", kind="infantry", hex="1402")


def test_movement_does_not_end_over_forgotten_reinforcements_in_silence(table: Any) -> None:
    """10.1, 10.2: what the turn brings is said before its movement ends; what was held back is said no more."""
    t = table(turn=2, phase="soviet-move")
    with refused(Warned) as said:
        t.do("soviet", "next-phase")
    assert any("turn 2" in words for words in said.value.said)
    t.next("soviet")
    assert t.game.phase == "soviet-combat"
    t = table(turn=2, phase="soviet-move")
    (arrival,) = [name for name, item in due(t.game) if (item.side, item.turn) == ("soviet", 2)]
    t.do("soviet", "arrive", arrival=arrival)
    t.do("soviet", "next-phase")
    assert t.game.phase == "soviet-combat"


def test_an_advance_nobody_made_is_given_up_with_the_phase_and_told(table: Any) -> None:
    """12.21: it is decided before anything else is done; the log says that it was not."""
    t = table(turn=3, phase="soviet-combat", result="0/2")
    t.do("soviet", "resolve-combat", attack=26, defence=7, die="4")
    t.answer("german", how="back")
    offers = {duty.id for duty in t.game.duties() if duty.action == "advance"}
    assert offers
    events = t.do("soviet", "next-phase")
    assert [(ev.answer, ev.text) for ev in events if isinstance(ev, e.Answered) and ev.id in offers] == [
        ("given up", "the advance")
    ]
