"""Other knots, each played: stacks, supply, command, recovery, Stalingrad, the count [5-8, 10-11, B8-B15]."""

from __future__ import annotations

import pytest
from harness import refused
from systems.panzer_keil.pk_battle import FLAT, battle, hit
from systems.panzer_keil.pk_bench import (
    RAILS,
    actions,
    duty,
    go,
    mark,
    owners_book,
    put,
    reply,
    table,
    warned,
)

from companion.engine.errors import NotYours, Unreadable

# -- 5.1 stacking --------------------------------------------------------------------------------------------


def test_after_combat_both_sides_stacks_are_looked_at() -> None:
    """5.1.3: a retreat may have crowded the defender."""
    t = battle({"302id": "2041"}, [3])
    for n in (4, 5, 6, 7):
        put(t, f"voronezh-{n}", "2139", kind="infantry")
    t.next()
    assert actions(t, "soviet") == ["remove-surplus"] and not t.asked("german")
    with refused(NotYours):
        t.do("german", "remove-surplus", units=["voronezh-4"])
    reply(t, "soviet", "remove-surplus", units=["voronezh-4"])


def test_two_corps_with_a_division_lose_a_corps() -> None:
    t = table()
    for n, size in ((1, "XXX"), (2, "XXX"), (3, "XX")):
        put(t, f"voronezh-{n}", "1420", size=size)
    go(t, "soviet-move")
    t.next()
    with refused(Unreadable, rule="5.1.4, B4", field="units"):
        reply(t, "soviet", "remove-surplus", units=["voronezh-3"])
    reply(t, "soviet", "remove-surplus", units=["voronezh-1"])


# -- 6, B8 supply and command --------------------------------------------------------------------------------


def test_a_disrupted_headquarters_leaves_its_front_without_points_and_supply() -> None:
    """B8.4: until it recovers."""
    t = table(owners_book())
    put(t, "voronezh-hq", "1409")
    put(t, "voronezh-1", "1412", kind="armour")
    mark(t, "voronezh-hq", "disrupted", "d")
    t.until("soviet-supply")
    t.do("soviet", "check-supply", anyway=True)
    assert t.game["voronezh-sp"] == 0 and t.game.mark("voronezh-1", "oos")
    assert not t.game.mark("voronezh-hq", "oos")
    go(t, "soviet-recovery")
    t.do("soviet", "recover")
    t.until("soviet-supply", 2)
    t.do("soviet", "check-supply", anyway=True)
    assert t.game["voronezh-sp"] > 0 and not t.game.mark("voronezh-1", "oos")


def test_the_line_is_cut_before_headquarters_are_judged() -> None:
    """B9.3.3, B8.2.2: the marker goes back in the same tap, and the headquarters with it."""
    t = table(owners_book())
    put(t, "voronezh-hq", "1605")
    for place, n in (("1107", 1), ("1112", 2), ("1117", 3)):
        put(t, f"vii-{n}", place)
    put(t, "h2a-1", "1215")  # beside the line
    t.until("soviet-supply")
    t.do("soviet", "check-supply", anyway=True)
    assert next(iter(t.game.marked("railhead"))) != "1406"


def test_reinforcements_outlast_one_supply_check_without_a_headquarters() -> None:
    """B14.3: turn 3 and the check of turn 4; on turn 5 they are judged."""
    t = table(owners_book())
    put(t, "don-hq", "1405")
    go(t, "soviet-move", 3)
    t.do("soviet", "enter-units", units=["40a-1"], hex="0140")
    for turn, out in ((4, False), (5, True)):
        t.until("soviet-supply", turn)
        t.do("soviet", "check-supply", anyway=True)
        assert bool(t.game.mark("40a-1", "oos")) is out


def test_out_of_supply_lasts_until_the_own_next_supply_phase() -> None:
    """6.1.6: neither the enemy's phases nor a new position end it."""
    t = table(owners_book())
    put(t, "ss-w-1", "2110", kind="armour")
    t.until("german-supply")
    t.do("german", "check-supply")
    t.do("table", "place-unit", unit="ss-w-1", hex="2041")
    t.until("soviet-combat", 2)
    assert t.game.mark("ss-w-1", "oos")
    t.until("german-supply", 2)
    t.do("german", "check-supply")
    assert not t.game.mark("ss-w-1", "oos")


def test_checking_supply_again_does_not_give_back_what_was_spent() -> None:
    """B6.3.4: put right and traced anew, the points are those that are left."""
    t = table(owners_book())
    put(t, "voronezh-hq", "1409")
    put(t, "voronezh-1", "1412", kind="armour")
    mark(t, "voronezh-1", "exhausted")
    t.until("soviet-supply")
    t.do("soviet", "check-supply", anyway=True)
    t.do("soviet", "spend-supply", units=["voronezh-1"], front="voronezh")
    left = t.game["voronezh-sp"]
    t.do("soviet", "check-supply-again", anyway=True)
    assert t.game["voronezh-sp"] == left


def test_points_called_off_may_be_laid_elsewhere() -> None:
    """7.3: nothing has been resolved yet."""
    t = battle({"302id": "2041"}, [3])
    put(t, "voronezh-2", "2042", kind="infantry")
    t.until("german-support", 2)
    t.do("german", "allot-support", target="2040", points=2)
    t.do("german", "dismiss", ask=duty(t, "german", "roll-support")["id"], how="does not apply")
    t.do("german", "allot-support", target="2042", points=3)
    assert t.game["german-sap"] == 0


# -- 8, 10, 11 -----------------------------------------------------------------------------------------------


def test_who_attacked_does_not_move_again_and_who_did_not_does() -> None:
    """9.9, 10.1."""
    t = battle({}, [3])
    for n in (1, 2):
        put(t, f"ss-w-{n}", "2041", kind="armour", nation="german", attack=6)
    hit(t, "C", "ss-w-1")
    t.next()
    with warned("10.1"):
        t.do("german", "move-units", units=["ss-w-1"], way="2042")
    t.do("german", "move-units", units=["ss-w-2"], way="2042")


@pytest.mark.parametrize(
    ("marker", "value", "rule"), [("oos", "on", "6.2, 8.3.1"), ("disrupted", "d", "8.3.1")]
)
def test_a_forced_march_of_the_wrong_unit_is_said_first(marker: str, value: str, rule: str) -> None:
    t = table()
    put(t, "ss-w-1", "1440", kind="armour")
    mark(t, "ss-w-1", marker, value)
    go(t, "german-move")
    with warned(rule):
        t.do("german", "forced-march", units=["ss-w-1"])
    with warned(rule):
        t.do("german", "move-units", units=["ss-w-1"], way="1441", effort="forced")
    t.do("german", "forced-march", units=["ss-w-1"], anyway=True)
    assert t.game.mark("ss-w-1", "exhausted")


def test_too_few_points_are_good_for_one_hex() -> None:
    """8.5.3."""
    t = table()
    put(t, "ss-w-1", "1440", kind="armour")
    go(t, "german-move")
    with warned("8.5.3"):
        t.do("german", "move-units", units=["ss-w-1"], way="1441 1442", effort="one-hex")
    t.do("german", "move-units", units=["ss-w-1"], way="1441", effort="one-hex")
    assert t.game.mark("ss-w-1", "exhausted")


def test_recovery_of_a_unit_out_of_supply_is_said_first() -> None:
    t = table()
    put(t, "ss-w-1", "1440", kind="armour")
    mark(t, "ss-w-1", "disrupted", "d")
    mark(t, "ss-w-1", "oos")
    go(t, "german-recovery")
    with warned("11.1"):
        t.do("german", "recover-some", units=["ss-w-1"])
    t.do("german", "recover-some", units=["ss-w-1"], anyway=True)
    assert not t.game.mark("ss-w-1", "disrupted")


def test_the_sixth_army_recovers_though_marked_out_of_supply() -> None:
    """B13.1.2."""
    t = table()
    put(t, "6a-1", "1703")
    mark(t, "6a-1", "oos")
    mark(t, "6a-1", "disrupted", "d")
    go(t, "german-recovery")
    t.do("german", "recover")
    assert not t.game.mark("6a-1", "disrupted")


# -- B13, B15 ------------------------------------------------------------------------------------------------


def test_a_joint_attack_on_the_sixth_army_binds_every_front() -> None:
    """B13.2.1: and the bound unit is then commanded by the Don headquarters alone."""
    t = table(owners_book(RAILS + "1704 clear\n3040-3041 river\n", crt=False))
    put(t, "6a-1", "1704", kind="infantry", nation="german", defence=3)
    put(t, "don-1", "1705", kind="infantry", attack=4)
    put(t, "southern-1", "1604", kind="infantry", attack=4)
    put(t, "southern-hq", "1506")
    go(t, "soviet-combat")
    t.do("soviet", "resolve-combat", target="1704", attackers=["don-1", "southern-1"], die="1")
    reply(t, "soviet", "enter-result", result="C")
    assert t.game.mark("southern-1", "don")
    t.until("soviet-supply", 2)
    t.do("soviet", "check-supply", anyway=True)
    assert t.game.mark("southern-1", "oos")  # no Don headquarters on the map


def test_attackers_that_are_not_on_record_are_told_of_their_bond() -> None:
    t = table(owners_book(FLAT, crt=False))
    put(t, "6a-1", "1704", kind="infantry", nation="german", defence=3)
    go(t, "soviet-combat")
    t.do("soviet", "resolve-combat", target="1704", full="9", ground="clear", die="1")
    done = reply(t, "soviet", "enter-result", result="C")
    assert any(event.KIND == "noted" and event.rule == "B13.2.1" for event in done)


def test_a_contested_city_scores_for_nobody() -> None:
    """5.4.1, B15.1."""
    t = table(owners_book(track=["mud"]))
    put(t, "voronezh-1", "0941")
    put(t, "302id", "0942", kind="infantry", nation="german")
    assert t.calc("victory").facts["soviet"] == 0


def test_scoring_by_another_way_says_what_the_record_does_not_tell() -> None:
    """5.4, B15.2: also where the phase was set by hand and nobody was asked."""
    t = table()
    put(t, "hollidt-a-1", "1440")
    t.do("table", "set-weather", weather="mud", last=True)
    go(t, "scoring", 4)
    with warned("5.4", "B15.2"):
        t.do("table", "score-game")
