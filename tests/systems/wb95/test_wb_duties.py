"""The duties of a battle: who joins, in which order, which seat, what is withdrawn, what goes along [5.2.1, 16.1]."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from harness import consents, refused

from companion.engine.errors import NotNow, NotYours, StillOwed, Unreadable, Warned
from companion.engine.record import events as e

Make = Callable[..., Any]


def field(table: Make, **options: Any) -> Any:
    """Soviet 9 before German 4 at 3011, a German gun in range at 3013 and a Soviet one at 3009."""
    t = table(phase="attack-a", **{"fog": False, **options})
    t.unit("soviet", "rifles", "3010", a=9)
    t.unit("soviet", "battery", "3009", a=3, kind="ART", cel=1)
    t.unit("german", "landser", "3011", a=4)
    t.unit("german", "gun", "3013", a=4, d=3, kind="ART", cel=1)
    return t


def attack(t: Any, **more: Any) -> None:
    t.do("soviet", "resolve-combat", target="3011", attackers="rifles", **more)


# -- the defender joins


def test_the_defenders_guns_are_named_on_his_own_phone(table: Make) -> None:
    """6.3.3: the attacker's form does not ask for them."""
    t = field(table)
    assert "defence_guns" not in t.shown("soviet", "resolve-combat", target="3011", attackers="rifles")
    attack(t)
    assert t.offered("german", "defend", "guns") == ["gun (3013)"]
    assert not t.duty("soviet", "roll-combat")["live"]
    with refused(NotNow, rule="6.3.3, 9.2, 15.1"):
        t.settle("soviet", "roll-combat", die="3 4")
    with refused(NotYours, given="soviet"):
        t.do("soviet", "defend", _asked=t.duty("german", "defend")["id"], guns="gun")
    t.settle("german", "defend", guns="gun")
    for seat in ("soviet", "german", "table"):
        assert t.sees(seat)["battles"][-1]["sheet"]["column"] == "1:1"  # live: 9 against 7
    t.settle("soviet", "roll-combat", die="3 4")
    assert t.breakdown["facts"]["defence"] == 7


def test_a_defender_who_says_no_brings_nothing(table: Make) -> None:
    t = field(table)
    attack(t)
    t.do("german", "dismiss", ask=t.duty("german", "defend")["id"])
    t.settle("soviet", "roll-combat", die="3 4")
    assert t.breakdown["facts"]["defence"] == 4


def test_a_defending_gun_supports_one_combat_a_phase(table: Make) -> None:
    """6.1.4."""
    t = field(table)
    t.unit("soviet", "others", "3110", a=9)
    t.unit("german", "flank", "3111", a=4)
    attack(t)
    t.settle("german", "defend", guns="gun")
    t.settle("soviet", "roll-combat", die="4 3")  # 1:1, 7: -1 / -1, nothing to choose
    t.do("soviet", "resolve-combat", target="3111", attackers="others", die="6 5")
    assert t.breakdown["facts"]["defence"] == 4  # nobody is asked: the only gun has fired
    assert not [a for a in t.asked("german") if a["action"] == "defend"]


def test_a_gun_that_fired_may_be_named_once_it_was_said(table: Make) -> None:
    t = field(table)
    t.unit("german", "other gun", "3012", a=4, d=2, kind="ART", cel=1)
    t.do("table", "mark", marker="fought", units="german-gun", value="on")
    attack(t)
    assert t.offered("german", "defend", "guns") == ["other gun (3012)"]
    with refused(Warned) as said:
        t.settle("german", "defend", guns="gun")
    assert said.value.said == ["gun has fired in this phase (6.1.4)"]
    t.settle("german", "defend", guns="gun", anyway=True)


def test_the_defenders_stars_come_from_his_counters(table: Make) -> None:
    """15.1.2, 15.1.5: towed units use theirs in defence; yellow ones are for attack."""
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "tanks", "3010", a=9, kind="ARM", klass="mechanized")
    t.unit("german", "landser", "3011", a=4)
    flak = t.unit("german", "flak", "3011", a=1, kind="AT", klass="towed", star="white")
    t.unit("german", "stug", "3011", a=1, kind="AG", klass="mechanized", star="yellow")
    t.do("soviet", "resolve-combat", target="3011", attackers="tanks")
    assert t.offered("german", "defend", "stars") == ["flak (3011)"]
    t.settle("german", "defend", stars=flak)
    t.settle("soviet", "roll-combat", die="6 5")  # 9 : 6 = 2:1, less 1: 1:1, 11: A1 -1
    assert t.breakdown["facts"]["defence_shifts"] == 1
    assert t.fight.facts["starred"]["german"] == [flak]


def test_a_hidden_headquarters_is_the_defenders_to_use(table: Make) -> None:
    """9.2.1: he may add 1; before he says so nobody learns that there is one."""
    t = field(table, fog=True)
    t.unit("german", "HQ x", "3012", kind="HQ", cel=1)
    t.unit("german", "cover", "3012", a=1)
    attack(t)
    duty = t.duty("german", "defend")
    assert "headquarters" in duty["text"]
    before = t.sees("soviet")["battles"][-1]["sheet"]
    assert before.get("modifier", 0) == 0
    t.settle("german", "defend", hq=True)
    t.settle("soviet", "roll-combat", die="3 4")
    assert t.breakdown["modifier"] == 1


def test_a_defence_that_is_not_on_record_is_asked_of_its_owner(table: Make) -> None:
    t = table(phase="attack-a")
    t.do("soviet", "resolve-combat", attack=20)
    assert t.duty("german", "defend")["duty"] == "owed"
    with refused(Unreadable, field="defence"):
        t.settle("german", "defend")
    t.settle("german", "defend", defence=6, artillery=3, star_words="blue 1", hq=True)
    t.settle("soviet", "roll-combat", die="3 4")
    assert (t.breakdown["facts"]["defence"], t.breakdown["modifier"]) == (9, 1)
    assert t.breakdown["facts"]["defence_shifts"] == 1


def test_a_battle_whose_defender_never_told_can_still_be_rolled(table: Make) -> None:
    t = table(phase="attack-a")
    t.do("soviet", "resolve-combat", attack=20)
    t.do("german", "dismiss", ask=t.duty("german", "defend")["id"])
    with refused(Unreadable, field="defence"):
        t.settle("soviet", "roll-combat", die="3 4")
    t.settle("soviet", "roll-combat", defence=5, die="3 4")
    assert t.breakdown["column"] == "4:1"


def test_a_strength_that_nobody_told_is_typed_with_the_roll(table: Make) -> None:
    """Also after the phase has ended: it is about the attacker of the battle, not about whose phase it is."""
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "rifles", "3010", a=9)
    landser = t.unit("german", "landser", "3011")
    attack(t)
    t.do("german", "dismiss", ask=t.duty("german", "defend")["id"])
    t.until("move-b")
    with refused(Unreadable, field="defence_sp"):
        t.settle("soviet", "roll-combat", die="3 4")
    t.settle("soviet", "roll-combat", defence_sp="3", die="3 4")
    assert t.breakdown["column"] == "3:1" and t.game.units[landser].factors["D"] == 3


# -- closed stacks


def closed(table: Make) -> Any:
    t = table(phase="attack-a")
    t.unit("soviet", "rifles", "3010", a=9)
    for place in ("3011", "3030"):
        t.unit("german", f"secret {place}", place, a=4)
        t.unit("german", f"top {place}", place, a=1)
    return t


def test_no_stack_is_opened_by_an_attack_that_cannot_be_made(table: Make) -> None:
    """16.1.1, 16.1.3: not twenty hexes away, however often it is said anyway."""
    t = closed(table)
    with refused(Warned):
        t.do("soviet", "resolve-combat", target="3030", attackers="rifles")
    with refused(NotNow, rule="5.1.2, 16.1.1", field="target"):
        t.do("soviet", "resolve-combat", target="3030", attackers="rifles", anyway=True)
    with refused(NotNow, rule="5.1.2, 16.1.1", field="target"):
        t.do("soviet", "resolve-combat", target="3030", attack=9, anyway=True)
    assert "secret 3030" not in json.dumps(t.sees("soviet"))


def test_an_attack_opens_both_stacks_and_stands(table: Make) -> None:
    t = closed(table)
    done = t.do("soviet", "resolve-combat", target="3011", attackers="rifles")
    assert any(isinstance(event, e.Engaged) and event.opens for event in done)
    assert "secret 3011" in json.dumps(t.sees("soviet")["units"])
    assert "secret 3030" not in json.dumps(t.sees("soviet"))
    t.do("soviet", "take-back", to=t.game.revision - len(done))
    assert [ask.to for ask in consents(t.game)]  # what was seen cannot be unseen: the other side is asked
    t.do("soviet", "dismiss", ask=t.duty("soviet", "roll-combat")["id"], how="does not apply")
    assert "roll-combat" in t.asks()  # calling it off needs the other side, too


def test_a_battle_that_both_give_up_is_called_off(table: Make) -> None:
    t = closed(table)
    t.do("soviet", "resolve-combat", target="3011", attackers="rifles")
    t.do("soviet", "dismiss", ask=t.duty("soviet", "roll-combat")["id"], how="does not apply")
    t.agree()
    assert t.fight.result == "called off" and not t.game.fighting
    assert not t.mark("3011", "attacked")  # 5.1.4: it is still to be attacked
    assert "secret 3011" not in json.dumps(t.sees("soviet")["units"])


def test_what_fought_is_told_until_the_phase_ends(table: Make) -> None:
    """16.1.3."""
    t = closed(table)
    t.do("soviet", "resolve-combat", target="3011", attackers="rifles")
    t.settle("soviet", "roll-combat", die="6 5")  # 9 : 5 = 2:1, 11: -1 / -1
    t.settle("german", "take-losses", units="german-top-3011")
    assert "secret 3011" in t.panel("soviet", "What you are told")["3011"]
    t.next()
    assert "secret 3011" not in json.dumps(t.sees("soviet"))


# -- what is said before


@pytest.mark.parametrize(
    ("prepare", "fields", "rule"),
    [
        ({}, {"target": "3011", "attackers": "far"}, "5.1.2"),
        ({"marker": "shelled", "hexes": "3011", "value": "on"}, {"target": "3011", "attackers": "rifles"}, "6.4.5"),
        ({"marker": "attacked", "hexes": "3011", "value": "on"}, {"target": "3011", "attackers": "rifles"}, "5.1.1"),
        ({"marker": "fought", "units": "soviet-rifles", "value": "on"}, {"target": "3011", "attackers": "rifles"}, "5.1.1"),
        ({"marker": "fought", "units": "soviet-battery", "value": "on"},
         {"target": "3011", "attackers": "rifles", "attack_guns": "battery"}, "6.1.4"),
        ({}, {"target": "3011 2911", "attackers": "rifles,flank"}, "5.1.5"),
        ({}, {"target": "3012", "attackers": "rifles"}, "5.1.2"),
    ],
)  # fmt: skip
def test_what_the_rules_have_against_an_attack_is_said_before_it(
    table: Make, prepare: dict[str, str], fields: dict[str, str], rule: str
) -> None:
    t = field(table)
    t.unit("soviet", "far", "3021", a=9)
    t.unit("soviet", "flank", "2910", a=3)
    t.unit("german", "neighbour", "2911", a=3)
    if prepare:
        t.do("table", "mark", **prepare)
    before = len(t.events)
    with refused(Warned) as said:
        t.do("soviet", "resolve-combat", **fields)
    assert f"({rule})" in str(said.value)
    assert len(t.events) == before and not t.game.battles
    t.do("soviet", "resolve-combat", **fields, anyway=True)
    assert t.game.battles


def test_the_next_combat_waits_for_the_last_unless_told_otherwise(table: Make) -> None:
    t = field(table)
    t.unit("soviet", "others", "3110", a=9)
    t.unit("german", "flank", "3111", a=4)
    attack(t)
    with refused(Warned) as said:
        t.do("soviet", "resolve-combat", target="3111", attackers="others")
    assert "5.2.1" in str(said.value)
    t.do("soviet", "resolve-combat", target="3111", attackers="others", anyway=True)
    assert len(t.game.fighting) == 2  # each keeps its own duties
    assert len([a for a in t.asked("german") if a["action"] == "defend"]) == 2


def test_unmet_attack_duties_are_said_as_the_phase_ends(table: Make) -> None:
    """5.1.7."""
    t = field(table)
    with refused(StillOwed) as said:
        t.do("soviet", "next-phase")
    assert said.value.said == ["must attack: 3010 (5.1.3)", "must be attacked: 3011 (5.1.4)"]
    attack(t)
    t.do("german", "dismiss", ask=t.duty("german", "defend")["id"])
    with refused(StillOwed) as said:  # 5.1.4: declaring alone is no attack
        t.do("soviet", "next-phase")
    assert "must be attacked: 3011 (5.1.4)" in said.value.said
    t.settle("soviet", "roll-combat", die="6 5")
    t.do("soviet", "next-phase")


def test_a_stack_that_is_too_high_is_said_as_the_phase_ends(table: Make) -> None:
    """3.2.1, 3.2.2: eight CEL, a headquarters counts one."""
    t = table(phase="move-a", fog=False)
    for name in ("one", "two"):
        t.unit("soviet", name, "3010", cel=4)
    t.do("soviet", "next-phase")
    t.unit("soviet", "HQ x", "3010", kind="HQ", cel=1)
    with refused(StillOwed) as said:
        t.do("soviet", "next-phase")
    assert said.value.said == ["3010 holds more than 8 CEL (3.2.1)"]


def test_reinforcements_onto_the_enemy_are_said_before(table: Make) -> None:
    """3.1.8."""
    t = table(fog=False)
    t.do("table", "set-up")
    t.until("move-a", 2)
    t.unit("german", "raiders", "6000")
    due = t.sees("soviet")["due"][0]["id"]
    with refused(Warned) as said:
        t.do("soviet", "arrive", arrival=due, hex="6000")
    assert said.value.said == ["the enemy stands in 6000 (3.1.8)"]
    t.do("soviet", "arrive", arrival=due, hex="6000", anyway=True)


# -- when things change meanwhile


def beaten(table: Make) -> Any:
    """D2 on two German units."""
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "rifles", "3010", a=9)
    t.unit("german", "one", "3011", a=2)
    t.unit("german", "two", "3011", a=2)
    t.do("soviet", "resolve-combat", target="3011", attackers="rifles", die="3 3")  # 2:1, 6: - / D2
    return t


def test_a_retreat_of_the_dead_is_withdrawn_and_told(table: Make) -> None:
    t = beaten(table)
    done = t.do("german", "lose-cel", units="german-one,german-two", cel=4)
    told = [event for event in done if isinstance(event, e.Answered)]
    assert [event.answer for event in told] == ["no longer applies"] and "fall back" in told[0].text
    assert t.duty("soviet", "pursue")  # 5.4.10


def test_a_gun_that_died_before_the_dice_fell_does_not_count(table: Make) -> None:
    t = field(table)
    attack(t, attack_guns="battery")
    t.settle("german", "defend", guns="gun")
    t.do("german", "lose-cel", units="german-gun")
    t.do("soviet", "lose-cel", units="soviet-battery")
    t.settle("soviet", "roll-combat", die="3 4")
    assert (t.breakdown["facts"]["attack"], t.breakdown["facts"]["defence"]) == (9, 4)


def test_an_attack_without_attackers_is_called_off(table: Make) -> None:
    t = field(table)
    attack(t)
    t.do("soviet", "lose-cel", units="soviet-rifles", cel=2)
    assert t.fight.result == "called off" and t.asks() == []


def test_a_way_back_is_worked_out_for_those_who_are_left(table: Make) -> None:
    """5.2.1 f: losses first; the retreat that follows is about whoever is left."""
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "rifles", "3010", a=28)
    one, two = (t.unit("german", n, "3011", a=2) for n in ("one", "two"))
    t.do("soviet", "resolve-combat", target="3011", attackers="rifles", die="4 4")  # 7:1, 8: - / D3 -1
    with refused(NotNow, rule="5.2.1"):  # answering the retreat before the loss
        t.settle("german", "retreat", go=3)
    t.settle("german", "take-losses", units=one)
    t.settle("german", "retreat", go=3)
    t.do("german", "lose-cel", units=one)
    assert t.game.units[one].place == "box:dead"
    t.settle("german", "fall-back", to="3014")
    assert t.game.units[two].place == "3014"
    assert t.about("german", "take-tests") == [one, two]  # the dead are passed over
    t.do("soviet", "dismiss", ask=t.duty("soviet", "pursue")["id"])
    t.settle("german", "take-tests", die="6 6", die_2="1 1")
    assert t.mark(two, "disorganised") and not t.mark(one, "disorganised")


def test_moved_by_hand_means_fallen_back_already(table: Make) -> None:
    t = beaten(table)
    t.settle("german", "retreat", go=2)
    for name in ("german-one", "german-two"):
        t.do("german", "place-unit", unit=name, hex="3013")
    assert "fall-back" not in t.asks()
    assert "take-tests" in t.asks()


def test_done_on_the_map_goes_on_to_what_follows(table: Make) -> None:
    t = beaten(table)
    t.do("german", "dismiss", ask=t.duty("german", "retreat")["id"])
    assert t.asks() == []  # nobody left the hex as far as the record knows
    assert not t.game.fighting


def test_duties_are_answered_once(table: Make) -> None:
    t = beaten(table)
    duty = t.duty("german", "retreat")["id"]
    t.do("german", "retreat", _asked=duty, go=0)
    with refused(NotNow):
        t.do("german", "retreat", _asked=duty, go=0)


def test_everything_goes_along_into_the_next_phases(table: Make) -> None:
    """Losses, retreat, price and tests are answered two phases later in the same order."""
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "rifles", "3010", a=28)
    for name in ("one", "two"):
        t.unit("german", name, "3011", a=2)
    t.do("soviet", "resolve-combat", target="3011", attackers="rifles", die="4 4")  # D3 -1
    t.until("air-b")
    assert t.asks() == ["take-losses", "retreat"]
    t.settle("german", "take-losses", units="german-one")
    t.settle("german", "retreat", go=2)
    t.settle("german", "fall-back", to="3013")
    t.settle("german", "take-losses", units="german-two")
    t.next()  # the pursuit is an offer: it lapses
    assert t.asks() == ["take-tests"]
    t.settle("german", "take-tests", die="1 1")
    assert not t.game.fighting


def test_taken_back_a_duty_is_open_again(table: Make) -> None:
    t = beaten(table)
    before = t.game.revision
    t.settle("german", "retreat", go=2)
    t.do("german", "take-back", to=before)
    t.agree()
    assert t.asks() == ["retreat"]
    t.settle("german", "retreat", go=1)
    t.settle("german", "fall-back", to="3012")


def test_a_spectator_and_the_table(table: Make) -> None:
    t = beaten(table)
    duty = t.duty("german", "retreat")["id"]
    with refused(NotYours, given="watch"):
        t.do("watch", "retreat", _asked=duty, go=0)
    t.do("table", "retreat", _asked=duty, go=2)  # the table's screen speaks for both


def test_who_fell_back_is_not_attacked_again_without_a_word(table: Make) -> None:
    """5.1.1: a unit fights once in a phase, wherever it stands now."""
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "rifles", "3010", a=9)
    t.unit("soviet", "riders", "3014", a=9)
    t.unit("german", "landser", "3011", a=4)
    t.do("soviet", "resolve-combat", target="3011", attackers="rifles", die="3 4")  # D1
    t.settle("german", "retreat", go=1)
    t.settle("german", "fall-back", to="3012", anyway=True)
    t.unit("soviet", "lancers", "3013", a=9)
    with refused(Warned) as said:
        t.do("soviet", "resolve-combat", target="3012", attackers="lancers")
    assert said.value.said == ["somebody in 3012 was attacked in this phase (5.1.1)"]


@pytest.mark.parametrize("word", ["ART", "art.", "Artillery", "guns"])
def test_types_are_read_as_people_write_them(table: Make, word: str) -> None:
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "rifles", "3010", a=9)
    t.unit("german", "landser", "3011", a=4)
    t.unit("german", "gun", "3013", a=4, d=3, kind=word, cel=1)
    attack(t)
    assert t.offered("german", "defend", "guns") == ["gun (3013)"]


# -- digital dice


def test_compulsory_tests_roll_themselves_after_the_pursuit(table: Make) -> None:
    """5.2.1 g, 5.3.9: with digital dice nobody is asked to tap for them; the way back and the pursuit still come first."""
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "rifles", "3010", a=40)
    t.unit("german", "landser", "3011", a=4)
    t.do("soviet", "resolve-combat", target="3011", attackers="rifles", die="3 4")  # 10:1, 7: - / D4
    t.record(e.Set("mode-dice", "digital"))
    t.settle("german", "retreat", go=4)
    t.settle("german", "fall-back", to="3015")
    assert "take-tests" in t.asks() and not rolled_tests(t)
    t.do("soviet", "dismiss", ask=t.duty("soviet", "pursue")["id"])
    assert len(rolled_tests(t)) == 3 and not t.game.fighting


def rolled_tests(t: Any) -> list[e.Event]:
    return [event for event in t.events if getattr(event, "purpose", "") == "disorganisation test"]


def test_surrender_rolls_itself_with_digital_dice(table: Make) -> None:
    """10.2.6: level 13 surrenders whatever the dice say, level 3 on a 2 alone."""
    t = table(phase="supply-a", fog=False, mode_dice="digital")
    lost, held = t.unit("soviet", "lost", "3010", oos=13), t.unit("soviet", "held", "3110", oos=2)
    t.do("soviet", "check-supply", hexes="3010 3110")
    assert t.asks() == []
    assert (t.game.units[lost].place, t.game.units[held].place) == ("box:dead", "3110")


def test_typed_dice_are_asked_for(table: Make) -> None:
    t = table(phase="supply-a", fog=False, mode_dice="physical")
    t.unit("soviet", "lost", "3010", oos=13)
    t.do("soviet", "check-supply", hexes="3010")
    assert t.asks() == ["surrender-tests"]
