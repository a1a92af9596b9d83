"""Support attacks [7, B7, B8.3]."""

from __future__ import annotations

import pytest
from harness import Bench, refused
from systems.panzer_keil.pk_bench import actions, go, mark, owners_book, put, reply, table, warned

from companion.engine.errors import NotNow, StillOwed, Unreadable, Warned

RESULTS = [("1", {}), ("4", {"d"}), ("6", {"d"})]


def ready(**options: object) -> Bench:
    t = table(owners_book(), **options)
    put(t, "ss-w-1", "2040", kind="armour")
    put(t, "voronezh-1", "2039")
    put(t, "voronezh-2", "2039")
    t.until("german-support")
    return t


@pytest.mark.parametrize(("die", "marks"), RESULTS)
def test_the_result_hits_every_unit_in_the_hex(die: str, marks: set[str]) -> None:
    t = ready()
    t.do("german", "allot-support", target="2039", points=2)
    t.answer("german", die=die, anyway=True)
    assert {t.game.mark(u, "disrupted") for u in ("voronezh-1", "voronezh-2")} - {None} == set(marks)
    assert t.game["german-sap"] == 1
    assert actions(t, "german") == (["retreat"] if die == "6" else [])  # 7.3.2: 1D, the firing player moves


def test_the_firing_player_retreats_a_1d() -> None:
    t = ready()
    t.do("german", "allot-support", target="2039", points=3)
    t.answer("german", die="6")
    assert set(t.game.duties()[0].units) == {"voronezh-1", "voronezh-2"} and not t.asked("soviet")
    reply(t, "german", "retreat", to="2038")
    assert {t.game.units[u].place for u in ("voronezh-1", "voronezh-2")} == {"2038"}


def test_already_attacker_disrupted_units_stay_so() -> None:
    t = ready()
    mark(t, "voronezh-1", "disrupted", "ad")
    t.do("german", "allot-support", target="2039", points=3)
    t.answer("german", die="4")
    assert t.game.mark("voronezh-1", "disrupted") == "ad"  # 5.3.3


def test_five_points_a_hex_within_the_pool() -> None:
    t = ready()
    t.do("table", "correct", name="german-sap", value="9")
    t.do("german", "allot-support", target="2039", points=4)
    with refused(NotNow, rule="7.2.3", field="points"):
        t.do("german", "allot-support", target="2039", points=2)
    t.do("table", "correct", name="german-sap", value="1")
    with warned("7.2.1"):
        t.do("german", "allot-support", target="2038", points=2)
    t.do("table", "correct", name="german-sap", value="0")
    with refused(NotNow, given="allot-support"):  # what is done goes away
        t.do("german", "allot-support", target="2039", points=1)


def test_all_points_are_allotted_before_the_first_roll() -> None:
    t = ready()
    t.do("german", "allot-support", target="2039", points=1)
    with warned("7.3"):  # said while there is still time
        t.answer("german", die="1")
    t.answer("german", die="1", anyway=True)
    with warned("7.3"):
        t.do("german", "allot-support", target="2039", points=1)
    t.do("german", "next-phase")  # what cannot be laid any more is not asked for


def test_a_full_target_takes_no_more_points() -> None:
    t = ready()
    t.do("table", "correct", name="german-sap", value="7")
    t.do("german", "allot-support", target="2039", points=5)
    t.answer("german", die="1")  # 7.2.3: there is no other target for the two that are left


def test_points_that_are_not_allotted_are_asked_about_before_they_are_lost() -> None:
    t = ready()
    with refused(StillOwed) as refusal:
        t.do("german", "next-phase")
    assert ["7.2.1" in words for words in refusal.value.said] == [True]
    t.do("german", "next-phase", anyway=True)
    assert t.game["german-sap"] == 0


def test_without_a_target_nobody_asks_for_points() -> None:
    t = table(owners_book())
    put(t, "ss-w-1", "2040", kind="armour")
    t.until("german-support")
    t.do("german", "next-phase")


@pytest.mark.parametrize(("marker", "value"), [("disrupted", "d"), ("disrupted", "ad"), ("oos", "on")])
def test_a_sponsor_is_undisrupted_and_in_supply(marker: str, value: str) -> None:
    t = ready()
    mark(t, "ss-w-1", marker, value)
    with refused(Warned):  # 7.1, B8.3
        t.do("german", "allot-support", target="2039", points=1)


def test_a_blank_table_is_read_by_the_player() -> None:
    t = table(owners_book(crt=False))
    put(t, "ss-w-1", "2040")
    put(t, "voronezh-1", "2039")
    t.until("german-support")
    with refused(NotNow, given="roll-support"):
        t.do("german", "roll-support", die="5")
    t.do("german", "allot-support", target="2039", points=3)
    t.answer("german", die="5")
    ask = t.asked("german")[0]
    assert "column 3, row 5" in ask["text"]
    t.answer("german", result="D")
    assert t.game.mark("voronezh-1", "disrupted") == "d"


def test_one_headquarters_to_a_target() -> None:
    t = table(owners_book())
    put(t, "voronezh-hq", "1409")
    put(t, "southwestern-hq", "1411")
    put(t, "voronezh-1", "1415")
    put(t, "ss-w-1", "1416", kind="armour")
    t.until("soviet-supply")
    t.do("soviet", "check-supply", anyway=True)
    t.until("soviet-support")
    t.do("soviet", "allot-support", target="1416", points=2, front="voronezh")
    with refused(Warned):  # B8.3.2
        t.do("soviet", "allot-support", target="1416", points=1, front="southwestern")
    with refused(Unreadable, rule="B8.3", field="front"):
        t.do("soviet", "allot-support", target="1416", points=1)
    reply(t, "soviet", "roll-support", die="4", anyway=True)
    assert t.game.mark("ss-w-1", "disrupted") == "d"


def test_a_target_needs_a_unit_of_that_command_beside_it() -> None:
    t = table(owners_book())
    put(t, "voronezh-hq", "1409")
    put(t, "southern-hq", "2906")
    put(t, "voronezh-1", "1415")
    put(t, "ss-w-1", "1416", kind="armour")
    t.until("soviet-supply")
    t.do("soviet", "check-supply", anyway=True)
    t.until("soviet-support")
    t.do("table", "correct", name="southern-sap", value="5")
    with refused(Warned):  # 7.1, B8.3
        t.do("soviet", "allot-support", target="1416", points=1, front="southern")
    t.do("soviet", "allot-support", target="1416", points=1, front="voronezh")


def test_the_form_offers_targets_and_the_one_headquarters_with_points() -> None:
    t = table(owners_book())
    put(t, "voronezh-hq", "1409")
    put(t, "southern-hq", "2906")
    put(t, "voronezh-1", "1415")
    put(t, "ss-w-1", "1416", kind="armour")
    put(t, "ss-w-2", "3040", kind="armour")  # nobody beside it
    go(t, "soviet-support")
    t.do("table", "correct", name="voronezh-sap", value="3")
    rows = {r["name"]: r for r in t.form("soviet", "allot-support")}
    assert rows["front"]["value"] == "voronezh"  # the others have none
    assert [c["value"] for c in rows["target"]["choices"]] == ["1416"]
    rows = {r["name"]: r for r in t.form("soviet", "allot-support", front="southern")}
    assert rows["target"]["choices"] == []  # B8.3: not in its command
    assert [c["value"] for c in rows["front"]["choices"]] == ["voronezh"]


# -- what was allotted is rolled for -------------------------------------------------------------------------


def test_points_that_are_allotted_do_not_vanish_with_the_phase() -> None:
    t = ready()
    t.do("german", "allot-support", target="2039", points=2)
    with refused(StillOwed) as refusal:
        t.do("german", "next-phase")
    assert refusal.value.said[0] == "Roll for the support attack on 2039"
    t.next()
    reply(t, "german", "roll-support", die="4")
    assert t.game.mark("voronezh-1", "disrupted") == "d"


def test_more_points_join_the_same_attack() -> None:
    t = ready()
    t.do("german", "allot-support", target="2039", points=1)
    t.do("german", "allot-support", target="2039", points=2)
    assert actions(t, "german") == ["roll-support"] and t.game["german-sap"] == 0
    assert t.sees("soviet")["battles"][0]["sheet"]["column"] == "3"  # everybody sees how it stands


def test_an_attack_that_is_not_fired_gives_its_points_back() -> None:
    t = ready()
    t.do("german", "allot-support", target="2039", points=2)
    t.do("german", "dismiss", ask=t.asked("german")[0]["id"], how="does not apply")
    assert t.game["german-sap"] == 3 and not t.game.fighting
