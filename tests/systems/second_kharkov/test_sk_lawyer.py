"""Intricate rules of battle and victory, played: out of order, by the wrong seat, twice, half on record, taken back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from harness import refused
from systems.second_kharkov.test_sk_battle import newest, owed, resolve, soviets_attack, stacks_are_open

from companion.engine.errors import NotNow, NotYours, StillOwed, Unreadable, Warned
from companion.engine.record import events as e


def fight(table: Any, side: str, turn: int = 4, **options: Any) -> Any:
    return table(turn=turn, phase=f"{side}-combat", fog=False, **options)


def last(t: Any) -> Any:
    return t.game.last_result["breakdown"]


# -- factors and halvings [1.5, 9.9, 12.13, 12.16, 13.4] -------------------------------------------


def test_causes_of_halving_add_up_stack_by_stack(table: Any) -> None:
    """1.5, 9.9, 12.16: out of supply 9 -> 5; tanks into the city 7 -> 4; both 5 -> 3 -> 2; the rest whole."""
    t = fight(table, "soviet", result="0/0")
    t.enter("44", "german", "2510", kind="infantry", df=5)
    for name, kind, af in (("R1", "rifle", 9), ("R2", "rifle", 3), ("T1", "tank", 7), ("T2", "tank", 5)):
        t.enter(name, "soviet", "2610", kind=kind, af=af)
    t.do("soviet", "judge-supply", units="soviet-r1, soviet-t2", state="out")
    names = "soviet-r1, soviet-r2, soviet-t1, soviet-t2"
    t.do("soviet", "resolve-combat", target="2510", attackers=names, terrain="city", die="3")
    assert last(t)["facts"]["attack"] == 5 + 3 + 4 + 2


def test_an_army_in_haste_is_halved_whoever_attacks_along(table: Any) -> None:
    """13.4, 12.24: as if out of supply, twice if it really is; the other army is not."""
    t = table("alternative", fog=False, result="0/0", aircraft_turn_2="0")
    t.until("german-move", 2)
    t.do("german", "voluntary-release", armies="first-panzer")
    t.enter("A", "german", "2510", army="1st Panzer Army", kind="infantry", af=9)
    t.enter("B", "german", "2509", army="6th Army", kind="infantry", af=6)
    t.enter("RD", "soviet", "2610", kind="rifle", df=2)
    t.do("german", "fight-first")
    t.do("german", "judge-supply", units="german-a", state="out")
    sheet = t.calc("combat", attacker="german", target="2610", attackers="german-a, german-b")
    assert sheet.facts["attack"] == 3 + 6
    assert {"12.24"} <= {w.rsplit("(", 1)[1][:-1] for w in sheet.warnings}


def test_hasty_units_do_not_exploit(table: Any) -> None:
    """12.22, 13.4: as if out of supply."""
    t = table("alternative", fog=False, result="0/1", aircraft_turn_2="0")
    t.until("german-move", 2)
    t.do("german", "voluntary-release", armies="first-panzer")
    t.enter("23 Pz", "german", "2510", army="1st Panzer Army", kind="panzer", af=20)
    t.enter("RD", "soviet", "2610", kind="rifle", df=2)
    t.do("german", "fight-first")
    t.do("german", "resolve-combat", target="2610", attackers="german-23-pz", die="3")
    t.answer("german", units="german-23-pz")
    assert not t.asked("german")


def test_mixed_armies_do_not_hide_that_one_is_restricted(table: Any) -> None:
    """6.2, 12.24: both are said."""
    t = fight(table, "german", turn=2)
    t.enter("A", "german", "2510", army="17th Army", kind="infantry", af=9)
    t.enter("B", "german", "2509", army="6th Army", kind="infantry", af=6)
    t.enter("RD", "soviet", "2610", kind="rifle")
    with refused(Warned) as said:
        t.do("german", "declare-attack", target="2610", attackers="german-a, german-b")
    assert [words.rsplit("(", 1)[1] for words in said.value.said] == ["12.24)", "6.2)"]


@pytest.mark.parametrize(
    ("sides", "modifier"),
    [
        ({"2610": "minor river", "2611": "minor river"}, 1),
        ({"2610": "minor river", "2611": "major river"}, 2),
        ({"2610": "crossing", "2611": "minor river"}, 2),
        ({"2610": "major river"}, 0),
    ],
)
def test_rivers_count_when_everybody_crosses_one(table: Any, sides: dict[str, str], modifier: int) -> None:
    """12.14: a bridge is a major river in combat; one dry attacker spoils it."""
    t = fight(table, "soviet", result="0/0", ground=tuple(("side", "2510", h, r) for h, r in sides.items()))
    t.enter("44", "german", "2510", kind="infantry", df=5)
    for name, hex_id in (("A", "2610"), ("B", "2611")):
        t.enter(name, "soviet", hex_id, kind="rifle", af=9)
    t.do("soviet", "resolve-combat", target="2510", attackers="soviet-a, soviet-b", die="3")
    assert last(t)["modifier"] == modifier


@pytest.mark.parametrize(("side", "modifier"), [("soviet", 1), ("german", -3)])
def test_panic_and_odds_above_six(table: Any, side: str, modifier: int) -> None:
    """12.9, 12.26: 8:1 helps the German by 2 and panic by 1; the Soviet gets +1 and no bonus."""
    t = fight(table, side, turn=5, result="0/0")
    t.do(side, "resolve-combat", attack=80, defence=10, die="3")
    assert (last(t)["column"], last(t)["modifier"]) == ("6:1", modifier)


@pytest.mark.parametrize(("reading", "used"), [("spent", 1), ("kept", 0)])
def test_aircraft_in_an_automatic_result(table: Any, reading: str, used: int) -> None:
    """12.9, A23: promised before anybody knew that no die is cast."""
    t = fight(table, "german", air_in_automatic=reading)
    t.do("table", "correct", name="air-free", value=2)
    t.do("german", "resolve-combat", attack=1, defence=4, air="1")
    assert newest(t).result == "2/0" and t.game["air-used"] == used and t.game["air-free"] == 2 - used


def test_a_battle_keeps_the_turn_and_the_order_it_was_declared_in(table: Any) -> None:
    """5.5, 5.7: rolled late, surprise and fighting first count as when the attack was declared."""
    t = table(phase="soviet-combat", fog=False, result="0/0", aircraft_turn_2="0")
    t.do("soviet", "declare-attack", target="2510")
    t.until("soviet-move", 2)
    t.answer("soviet", attack=10, defence=5, die="3")
    assert [line["rule"] for line in last(t)["lines"] if line["effect"] == "-1"] == ["5.5"]
    t.until("german-move", 2)
    t.do("german", "fight-first")
    t.do("german", "declare-attack", target="2610")
    t.until("soviet-combat", 3)
    t.answer("german", attack=10, defence=5, die="3")
    assert "5.7" in [line["rule"] for line in last(t)["lines"]]


def test_a_battle_keeps_the_supply_it_began_with(table: Any) -> None:
    """9.1, 9.9: judged out of supply in its phase, and rolled for in a later one."""
    t = fight(table, "soviet", result="0/0")
    t.enter("44", "german", "2510", kind="infantry", df=5)
    t.enter("RD", "soviet", "2610", kind="rifle")
    t.do("soviet", "declare-attack", target="2510", attackers="soviet-rd")
    t.do("soviet", "judge-supply", units="soviet-rd", state="out")
    t.next()
    assert t.game.mark("soviet-rd", "oos") is None
    t.answer("soviet", attack=9, die="3")
    assert last(t)["facts"]["attack"] == 5


def test_an_army_in_haste_stays_so_in_its_battle(table: Any) -> None:
    """13.4: declared in the player turn it was freed in, rolled for after it."""
    t = table("alternative", fog=False, result="0/0", aircraft_turn_2="0")
    t.until("german-move", 2)
    t.do("german", "voluntary-release", armies="first-panzer")
    t.enter("A", "german", "2510", army="1st Panzer Army", kind="infantry")
    t.enter("RD", "soviet", "2610", kind="rifle", df=2)
    t.do("german", "fight-first")
    t.do("german", "declare-attack", target="2610", attackers="german-a")
    t.until("soviet-move", 3)
    t.answer("german", attack=9, die="3")
    assert last(t)["facts"]["attack"] == 5


def test_an_army_is_freed_before_anything_is_done(table: Any) -> None:
    """13.4: as the player turn opens; after an attack it is late, and said so."""
    t = table("alternative", fog=False, result="0/0", aircraft_turn_2="0")
    t.until("german-move", 2)
    t.do("german", "fight-first")
    t.do("german", "resolve-combat", attack=10, defence=5, army="6th Army", die="3")
    with refused(Warned) as said:
        t.do("german", "voluntary-release", armies="first-panzer")
    assert "(13.4)" in said.value.said[0] and t.game["first-panzer"] == "restricted"


# -- aircraft [10.4, 11.19, 12.17] -----------------------------------------------------------------


def test_the_german_may_want_no_more_questions(table: Any) -> None:
    """12.17: none in this phase is said once; he may think again, and the next turn asks anew."""
    t = soviets_attack(table, result="0/0")
    t.enter("RD2", "soviet", "2611", kind="rifle")
    t.do("soviet", "declare-attack", target="2510", attackers="soviet-rd")
    t.answer("german", aircraft="off")
    assert stacks_are_open(t) and t.game["air-free"] == 2
    t.answer("soviet", attack=9, die="3")
    t.enter("45", "german", "2612", kind="infantry")
    t.do("soviet", "declare-attack", target="2612", attackers="soviet-rd2")
    assert stacks_are_open(t) and not t.game.duties(action="defend-by-air")
    t.answer("soviet", attack=9, defence=5, die="3")
    with refused(NotYours):
        t.do("soviet", "aircraft-defend-again")
    t.do("german", "aircraft-defend-again")
    with refused(NotNow, rule="12.17"):
        t.do("german", "aircraft-defend-again")
    t.do("soviet", "declare-attack", target="2409", anyway=True)
    assert t.game.duties(action="defend-by-air")


def test_waived_aircraft_are_asked_for_in_the_next_turn(table: Any) -> None:
    t = soviets_attack(table, result="0/0")
    t.do("table", "correct", name="perimeter", value="crossed")
    t.do("soviet", "declare-attack", target="2510", attackers="soviet-rd")
    t.answer("german", aircraft="off")
    t.answer("soviet", attack=9, die="3")
    t.until("soviet-combat", 5)
    t.do("soviet", "declare-attack", target="2510", attackers="soviet-rd")
    assert t.game.duties(action="defend-by-air")


def test_an_aircraft_flies_once_a_turn(table: Any) -> None:
    """11.19, 12.17: who interdicts does not defend; who defended does not attack; the new turn frees all."""
    t = table(turn=3, phase="air-placement", fog=False, result="0/0")
    t.do("table", "correct", name="air-free", value=2)
    t.do("table", "correct", name="perimeter", value="crossed")
    t.do("german", "interdict", hexes="2719")
    with refused(NotNow, rule="11.19", field="hexes"):
        t.do("german", "interdict", hexes="2719")
    t.until("soviet-combat")
    t.do("soviet", "resolve-combat", target="2510", attack=9, defence=5)
    t.answer("german", aircraft="1")
    t.answer("soviet", die="3")
    t.do("table", "correct", name="german-order", value="move-fight")
    t.do("table", "go-to", turn=3, phase="german-combat")
    names = {f["name"] for f in t.form("german", "resolve-combat")}
    assert "air" not in names or int(t.game["air-free"]) > 0
    t.until("air-placement", 4)
    assert t.game["air-used"] == 0 and t.game["air-interdicting"] == 0


def test_aircraft_called_off_after_the_turn_are_not_counted_twice(table: Any) -> None:
    """12.17, 11.19: the new turn had freed them already."""
    t = soviets_attack(table)
    t.do("table", "correct", name="perimeter", value="crossed")
    t.do("soviet", "declare-attack", target="2510", attackers="soviet-rd")
    t.answer("german", aircraft="1")
    t.until("soviet-move", 5)
    assert (t.game["air-free"], t.game["air-used"]) == (2, 0)
    t.do("soviet", "dismiss", ask=t.asked("soviet")[0]["id"], how="does not apply")
    t.agree()
    assert (t.game["air-free"], t.game["air-used"]) == (2, 0)


def test_aircraft_told_unasked_are_not_asked_for(table: Any) -> None:
    """10.4: said under More, the question is gone; six in all."""
    t = table()
    t.until("german-move", 2)
    assert [a["action"] for a in t.asked("german")] == ["aircraft-arrive"]
    t.do("german", "aircraft-arrive", aircraft=2)
    assert t.asked("german") == [] and t.game["air-free"] == 2
    with refused(Unreadable, rule="10.4", field="aircraft"):
        t.do("german", "aircraft-arrive", aircraft=5)


def test_aircraft_set_by_hand_are_not_asked_for(table: Any) -> None:
    """10.4: there are six, so the question has no answer any more."""
    t = table()
    t.until("german-move", 2)
    t.do("table", "correct", name="air-free", value=6)
    assert t.asked("german") == []


# -- who may be attacked, by whom, how often [12.2-12.6] -------------------------------------------


def test_members_of_a_stack_attack_different_hexes(table: Any) -> None:
    """12.6, 12.4: one each; the second attack of one and the second on one are warned of."""
    t = fight(table, "soviet", result="0/0")
    t.enter("44", "german", "2510", kind="infantry", df=5)
    t.enter("45", "german", "2511", kind="infantry", df=5)
    for name in ("A", "B"):
        t.enter(name, "soviet", "2611", kind="rifle", af=9)
    t.do("soviet", "resolve-combat", target="2510", attackers="soviet-a", die="3")
    form = {f["name"]: f for f in t.form("soviet", "resolve-combat")}
    assert form["target"]["value"] == "2511", "the only hex left to attack"
    with refused(Warned) as said:
        t.do("soviet", "resolve-combat", target="2511", attackers="soviet-a, soviet-b", die="3")
    assert "(12.4)" in said.value.said[0]
    t.do("soviet", "resolve-combat", target="2511", attackers="soviet-b", die="3")
    with refused(Warned) as said:
        t.do("soviet", "resolve-combat", target="2510", attackers="soviet-b", die="3")
    assert len([w for w in said.value.said if "(12.4)" in w]) == 2


def test_the_next_phase_knows_nothing_of_it(table: Any) -> None:
    """12.4: once a combat phase."""
    t = fight(table, "soviet", result="0/0")
    t.enter("44", "german", "2510", kind="infantry", df=5, af=4, army="6th Army")
    t.enter("A", "soviet", "2611", kind="rifle", af=9, df=3)
    t.do("soviet", "resolve-combat", target="2510", attackers="soviet-a", die="3")
    t.until("german-combat")
    t.do("german", "resolve-combat", target="2611", attackers="german-44", die="3")
    assert newest(t).attacker == "german"


def test_whoever_comes_after_the_declaration_does_not_defend(table: Any) -> None:
    """12.2, 7.6: the stack that was opened fights."""
    t = fight(table, "soviet", result="0/2")
    t.enter("44", "german", "2510", kind="infantry", df=5)
    t.enter("A", "soviet", "2611", kind="rifle")
    t.do("soviet", "resolve-combat", target="2510", attackers="soviet-a")
    t.enter("45", "german", "2510", kind="infantry", df=9)
    t.answer("soviet", attack=20, die="3")
    assert last(t)["facts"]["defence"] == 5
    t.answer("german", how="stand")
    assert t.game.units["german-44"].steps == 2 and t.game.units["german-45"].steps == 4


def test_half_on_record(table: Any) -> None:
    """12.19: attackers by counter, the defender by number; each side's losses are its own, and the hex is asked for."""
    t = fight(table, "soviet", result="1/2")
    for name in ("A", "B"):
        t.enter(name, "soviet", "2611", kind="rifle", af=9)
    t.do("soviet", "resolve-combat", target="2510", attackers="soviet-a, soviet-b", defence=5, die="3")
    t.answer("german", how="empty", mech="1")
    assert t.game["vp-soviet"] == 3
    t.answer("soviet", units="soviet-a")
    t.answer("soviet", units="soviet-b")
    assert t.game.units["soviet-b"].place == "2510" and t.game["vp-german"] == 1


# -- losses and retreat [12.19, 12.20, 12.23] ------------------------------------------------------


def test_losses_beyond_the_steps_are_ignored(table: Any) -> None:
    """12.19: 3/3 on one unit of one step each; no more points than steps."""
    t = fight(table, "german", result="3/3")
    t.enter("454 Sec", "german", "2510", kind="security", steps=1, af=9, army="6th Army")
    t.enter("RD", "soviet", "2610", kind="rifle", df=2)
    t.do("german", "resolve-combat", target="2610", attackers="german-454-sec", die="3")
    assert (t.game["vp-german"], t.game["vp-soviet"]) == (1, 1) and not t.game.duties()


def test_even_rounds_pass_over_the_dead(table: Any) -> None:
    """12.20: five on 4 + 4 + 1: one each, one each again, nobody else is left to choose for; then nothing is odd."""
    t = fight(table, "german", result="5/0")
    for name, steps in (("A", 4), ("B", 4), ("454 Sec", 1)):
        t.enter(name, "german", "2510", kind="infantry", steps=steps, af=1, army="6th Army")
    t.enter("RD", "soviet", "2610", kind="rifle", df=9)
    t.do("german", "resolve-combat", target="2610", attackers="german-a, german-b, german-454-sec", die="3")
    assert {n: t.game.units[f"german-{n}"].steps for n in ("a", "b", "454-sec")} == {
        "a": 2,
        "b": 2,
        "454-sec": 0,
    }


def test_only_those_are_offered_who_can_take_the_odd_step(table: Any) -> None:
    """12.20: four on 4 + 4 + 1: the security division is gone after the first round."""
    t = fight(table, "german", result="4/0")
    for name, steps in (("A", 4), ("B", 4), ("454 Sec", 1)):
        t.enter(name, "german", "2510", kind="infantry", steps=steps, af=1, army="6th Army")
    t.enter("RD", "soviet", "2610", kind="rifle", df=9)
    t.do("german", "resolve-combat", target="2610", attackers="german-a, german-b, german-454-sec", die="3")
    field = owed(t, "german")["units"]
    assert [c["value"] for c in field["choices"]] == ["german-a", "german-b"] and not field["many"], "one tap"
    t.answer("german", units="german-b")
    assert t.game.units["german-b"].steps == 2


def test_a_retreat_goes_toward_the_nearest_working_source(table: Any) -> None:
    """12.23, 9.12: sources that the Soviet took do not count."""
    t = soviets_attack(table, result="0/1", aircraft=0, fog=False)
    resolve(t, "2510", "soviet-rd", attack=30)
    north = [f"{column}02" for column in range(14, 29)]
    for hex_id in north:
        t.record(e.Marked(hex_id, "owner", "soviet"))
    t.answer("german", how="back")
    assert {c["value"] for c in owed(t, "german")["to"]["choices"]} == {"2410", "2411"}, "west, not north"


def test_a_force_parts_so_that_everybody_finds_room(table: Any) -> None:
    """12.23, 7.1: one place is left in the nearest hex; the infantry leaves it to the panzer, who cannot enter marsh."""
    t = fight(table, "soviet", result="0/1", ground=(("terrain", "2410", "", "marsh"),))
    t.enter("3 Pz", "german", "2510", army="6th Army", kind="panzer", df=5)
    t.enter("44", "german", "2510", army="6th Army", kind="infantry", df=5)
    t.enter("RD", "soviet", "2610", kind="rifle", af=30)
    for hex_id in t.game.maps.neighbours("2510"):
        if hex_id not in ("2509", "2410", "2610"):
            t.enter(f"G{hex_id}", "soviet", hex_id, kind="rifle")
    for n in range(2):
        t.enter(f"full {n}", "german", "2509", army="6th Army", kind="infantry")
    t.do("soviet", "resolve-combat", target="2510", attackers="soviet-rd", die="4")
    t.answer("german", how="back")
    assert t.game.units["german-3-pz"].place == "2509" and t.game.units["german-44"].place == "2410"


def test_no_falling_back_for_soviets_nor_attackers_nor_out_of_cities(table: Any) -> None:
    """8.9, 12.23."""
    t = fight(table, "german", result="1/1")
    t.enter("A", "german", "2510", army="6th Army", kind="infantry", af=9)
    t.enter("RD", "soviet", "2610", kind="rifle", df=2)
    t.enter("RD2", "soviet", "2610", kind="rifle", df=2)
    t.do("german", "resolve-combat", target="2610", attackers="german-a", die="3")
    assert "how" not in owed(t, "soviet")
    t.answer("soviet", units="soviet-rd")
    assert t.game.units["german-a"].steps == 3, "the attacker has no choice"


def test_nobody_else_answers_and_nobody_twice(table: Any) -> None:
    """12.19: each seat its own, once."""
    t = soviets_attack(table, result="0/1", aircraft=0, fog=False)
    resolve(t, "2510", "soviet-rd", attack=30)
    ask = t.asked("german")[0]["id"]
    for seat in ("soviet", "watch"):
        with refused(NotYours):
            t.do(seat, "german-losses", _asked=ask, how="stand", units="german-44")
    t.do("table", "german-losses", _asked=ask, how="stand", units="german-44")
    with refused(NotNow, rule="12.20"):
        t.do("german", "german-losses", _asked=ask, how="stand", units="german-44")


# -- advance and exploitation [12.21, 12.22] -------------------------------------------------------


def test_an_advance_onto_another_army_is_warned_of(table: Any) -> None:
    """7.3, 12.21: two armies attacked anyway; they still do not stack."""
    t = fight(table, "german", result="0/1")
    for name, army in (("A", "6th Army"), ("B", "17th Army")):
        t.enter(name, "german", "2510", army=army, kind="infantry", af=9)
    t.enter("RD", "soviet", "2610", kind="rifle", df=2)
    t.do("german", "resolve-combat", target="2610", attackers="german-a, german-b", die="3", anyway=True)
    with refused(Warned) as said:
        t.answer("german", units="german-a, german-b")
    assert "(7.3)" in said.value.said[0]
    t.answer("german", units="german-a")


def test_exploitation_hex_by_hex(table: Any) -> None:
    """12.22, 3.5, 7.1: never onto the enemy, past his zones; a town on the way is taken; each unit once."""
    t = fight(table, "german", result="0/1", ground=(("town", "2710", "", "T"),))
    for name in ("P1", "P2"):
        t.enter(name, "german", "2510", army="6th Army", kind="panzer", af=9)
    t.enter("RD", "soviet", "2610", kind="rifle", df=2)
    t.enter("Wall", "soviet", "2611", kind="rifle", df=2)
    t.do("table", "take-hex", hexes="2710", side="soviet")
    t.do("german", "resolve-combat", target="2610", attackers="german-p1, german-p2", die="3")
    t.answer("german", units="german-p1, german-p2")
    with refused(NotNow, rule="7.1", field="hexes", given="2611"):
        t.answer("german", unit="german-p1", hexes="2611", anyway=True)
    t.answer("german", unit="german-p1", hexes="2710 2811")
    assert t.game.mark("2710", "owner") == "german" and t.game.units["german-p1"].place == "2811"
    with refused(Unreadable, field="unit"):
        t.answer("german", unit="german-p1", hexes="2710")
    t.answer("german", unit="german-p2", hexes="2710")
    assert not t.asked("german")


def test_no_advance_into_a_hex_that_is_still_held(table: Any) -> None:
    """12.21: one of two defenders is left."""
    t = fight(table, "german", result="0/1")
    t.enter("A", "german", "2510", army="6th Army", kind="infantry", af=9)
    for name in ("R1", "R2"):
        t.enter(name, "soviet", "2610", kind="rifle", df=2)
    t.do("german", "resolve-combat", target="2610", attackers="german-a", die="3")
    t.answer("soviet", units="soviet-r1")
    assert not t.asked("german") and t.view("german").battles[0].over


# -- taken back ------------------------------------------------------------------------------------


def test_a_battle_taken_back_by_both_leaves_nothing(table: Any) -> None:
    """5.1, 12.4: markers, points, steps, the perimeter and the aircraft are as before."""
    t = fight(table, "soviet", result="1/1")
    t.do("table", "correct", name="air-free", value=1)
    t.enter("44", "german", "2406", kind="infantry", df=5)
    t.enter("RD", "soviet", "2506", kind="rifle", af=9)
    before, then = len(t.events), json.dumps(t.sees("table")["tracks"])
    t.do("soviet", "resolve-combat", target="2406", attackers="soviet-rd")
    t.answer("german", aircraft="1")
    t.answer("soviet", die="3")
    assert t.game["perimeter"] == "crossed"
    t.do("soviet", "take-back", to=before)
    assert t.game["perimeter"] == "crossed", "the German is asked first"
    t.agree()
    assert t.game["perimeter"] == "intact" and json.dumps(t.sees("table")["tracks"]) == then
    assert t.game.mark("soviet-rd", "attacked") is None and not t.game.duties() and not t.game.fighting


# -- fog and untried units [2.14, 7.2, 7.6] --------------------------------------------------------


def test_a_defender_is_turned_over_for_good(table: Any) -> None:
    """2.14: attacked once, a veteran ever after, even if the attack was called off."""
    t = table(turn=4, phase="german-combat")
    t.enter("A", "german", "2510", army="6th Army", kind="infantry", af=9)
    t.enter("RD", "soviet", "2610", kind="rifle")
    with refused(NotNow, rule="2.14"):
        t.do("table", "go-to", turn=4, phase="german-move")
        t.do("soviet", "copy-counter", unit="soviet-rd", af=5)
    t.do("table", "go-to", turn=4, phase="german-combat")
    t.do("german", "declare-attack", target="2610", attackers="german-a")
    assert not t.game.units["soviet-rd"].untried
    t.do("german", "dismiss", ask=t.asked("german")[0]["id"], how="does not apply")
    t.agree()
    t.next()
    assert not t.game.units["soviet-rd"].untried and t.game.mark("soviet-rd", "veteran")


def test_overstacked_soviets_are_thinned_by_the_german_who_sees_the_top_alone(table: Any) -> None:
    """7.2, 7.6: five in a hex; he may take one from below without learning its name."""
    t = table(turn=4, phase="soviet-move")
    for n in range(5):
        t.enter(f"Secret{n}", "soviet", "2610", kind="rifle")
    t.next()
    choices = owed(t, "german")["units"]["choices"]
    assert len(choices) == 5 and sum("Secret" in c["label"] for c in choices) == 1
    t.answer("german", units=choices[2]["value"])
    assert len(t.game.units_at("2610")) == 4 and t.game["vp-german"] == 1


def test_the_regiment_is_free_in_its_own_army_only(table: Any) -> None:
    """7.5, 7.1: with three of 17th Army it is the fourth unit, and the wrong army."""
    t = table(turn=4, phase="soviet-move", fog=False)
    for n in range(3):
        t.enter(f"{n} ID", "german", "2510", army="17th Army", kind="infantry")
    t.enter("172/75", "german", "2510", army="6th Army", kind="infantry", steps=1)
    t.next()
    assert [a["action"] for a in t.asked("soviet")] == ["remove-overstack"]


def test_a_march_s_warning_names_nobody_hidden(table: Any) -> None:
    """7.3, 7.6: on the shared screen the army of a covered unit is not told."""
    t = table(turn=4, phase="german-move")
    t.enter("Covered", "german", "2511", army="17th Army", kind="infantry")
    t.enter("Top", "german", "2511", kind="infantry")
    t.enter("Mover", "german", "2510", army="6th Army", kind="infantry", mf=6)
    t.do("table", "make-move", unit="german-mover", hexes="2511")
    heard = json.dumps(t.hears("soviet"))
    assert "17th" not in heard and "german-covered" not in heard


# -- victory [4.2-4.6, 13.5] -----------------------------------------------------------------------


def test_retaken_kharkov_is_asked_no_more(table: Any) -> None:
    """4.2: the question stands while the hex does; retaken before both agreed, it goes."""
    t = table(turn=4, phase="soviet-move", fog=False)
    t.do("soviet", "take-hex", hexes="2406", side="soviet")
    assert t.asked("german") and t.asked("soviet")
    t.do("soviet", "take-hex", hexes="2406", side="german")
    assert not t.asked("german") and t.game.ended is None


def test_a_refused_ending_is_asked_again_on_new_grounds(table: Any) -> None:
    """4.2: tapped by mistake, refused and put right; when a hex really falls later nobody is passed over."""
    t = table(turn=4, phase="soviet-move", fog=False)

    def refuse() -> None:
        t.do("german", "agree", ask=t.asked("german")[0]["id"], yes=False)

    t.do("soviet", "take-hex", hexes="2406", side="soviet")
    refuse()
    t.do("table", "note", text="play on")
    assert not t.asked("german"), "the same hex is asked about once"
    t.do("soviet", "take-hex", hexes="2306", side="soviet")
    refuse()
    t.do("soviet", "take-hex", hexes="2306 2406", side="german")
    t.do("soviet", "take-hex", hexes="2406", side="soviet")
    t.agree()
    assert t.game.ended and t.game.ended.winner == "soviet"


def test_the_perimeter_is_no_matter_after_turn_4(table: Any) -> None:
    """4.3: the button is gone with the question."""
    t = table(turn=5, phase="soviet-move", fog=False)
    with refused(NotNow, rule="4.3"):
        t.do("soviet", "cross-perimeter")


def test_all_of_kharkov_at_one_time(table: Any) -> None:
    """13.5: one after the other is not together; and points are nothing."""
    t = table("alternative", turn=4, phase="soviet-move", fog=False)
    t.do("soviet", "take-hex", hexes="2306 2406", side="soviet")
    t.do("soviet", "take-hex", hexes="2306", side="german")
    t.do("soviet", "take-hex", hexes="2407", side="soviet")
    assert not t.asked("german") and t.game["perimeter"] == "ignored"
    t.do("soviet", "take-hex", hexes="2306", side="soviet")
    t.agree()
    assert t.game.ended and t.game.ended.winner == "soviet"


@pytest.mark.parametrize(("german", "winner"), [(5, "german"), (4, "soviet")])
def test_exactly_125_percent(table: Any, german: int, winner: str) -> None:
    """4.6: 5 against 4 is enough; the last points may come from the supply check."""
    t = table(turn=8, phase="german-combat", fog=False)
    t.do("table", "correct", name="vp-soviet", value=4)
    t.do("table", "correct", name="vp-german", value=german - 2)
    t.do("table", "terminal-check", units=2)
    t.next()
    assert t.game.ended.winner == winner


def test_the_terminal_check_believes_the_hand(table: Any) -> None:
    """4.5, 9.1: judged in supply by both, a unit that the trace calls cut off is not counted."""
    t = table(turn=8, phase="german-combat", fog=False)
    t.enter("RD", "soviet", "1710", kind="rifle")
    ring = t.game.maps.neighbours("1710")
    for n, hex_id in enumerate(ring):
        t.enter(f"G{n}", "german", hex_id, kind="infantry")
    found = {f["name"]: f for f in t.form("table", "terminal-check")}["units"]
    assert found["value"] == 1
    t.do("table", "judge-supply", units="soviet-rd", state="in")
    assert {f["name"]: f for f in t.form("table", "terminal-check")}["units"]["value"] == 0


def test_the_game_is_not_ended_over_what_is_owed(table: Any) -> None:
    """4.5, 12.19: the last phase says both, and a second tap ends it."""
    t = table(turn=8, phase="german-combat", result="0/1")
    t.do("german", "resolve-combat", target="2610", attack=10, defence=2, die="3")
    with refused(StillOwed) as said:
        t.do("german", "next-phase")
    assert len(said.value.said) == 2
    t.answer("soviet", how="stand")
    t.do("german", "terminal-check", units=0)
    t.do("german", "next-phase")
    assert t.game.ended


def test_the_perimeter_is_asked_about_before_the_german_wins(table: Any) -> None:
    """4.3: a Soviet who disagrees plays on into turn 5, and is asked no more once it was crossed."""
    t = table(turn=4, phase="german-combat", fog=False)
    t.next()
    assert t.game.ended is None
    t.do("soviet", "agree", ask=t.asked("soviet")[0]["id"], yes=False)
    assert t.game.turn == 5 and t.game.ended is None
