"""Knots of an attack: who may attack, with what, in which column [9.1-9.5, B11]."""

from __future__ import annotations

import re

import pytest
from systems.panzer_keil.pk_battle import FLAT, battle, hit, sheet
from systems.panzer_keil.pk_bench import (
    go,
    mark,
    owners_book,
    put,
    table,
    warned,
)

# -- 9.2 strengths -------------------------------------------------------------------------------------------


def test_a_stack_over_a_river_is_summed_before_it_is_halved() -> None:
    """9.2.1: 3 and 3 in one hex are 3, in two hexes 1 and 1."""
    t = battle({"302id": "2041", "320id": "2041"}, [2], "2040-2041 river\n", attack=3)
    assert sheet(t, "302id", "320id").facts["attack"] == "3"
    t = battle({"302id": "2041", "320id": "1941"}, [2], "2040-2041 river\n2040-1941 river\n", attack=3)
    assert sheet(t, "302id", "320id").facts["attack"] == "2"


def test_nothing_halves_an_attack_twice() -> None:
    """9.2.4: out of a marsh, over a river and out of supply: once."""
    t = battle({"302id": "2141"}, [2], "2141 marsh\n2040-2141 river\n", attack=8)
    mark(t, "302id", "oos")
    assert sheet(t, "302id").facts["attack"] == "4"


def test_of_a_stack_out_of_supply_each_part_is_summed_by_itself() -> None:
    """9.2.3 beside 9.2.1: 3 and 4 out of supply are 3, the supplied stack-mate counts whole."""
    t = battle({"302id": "2041", "320id": "2041", "88id": "2041"}, [2], attack=3)
    put(t, "320id", "2041", attack=4)
    for unit in ("302id", "320id"):
        mark(t, unit, "oos")
    assert sheet(t, "302id", "320id", "88id").facts["attack"] == str(3 + 3)


def test_disrupted_defenders_are_halved_together_and_their_stack_mate_not() -> None:
    """9.2.5, 5.3.2: 5 healthy, 3 and 2 disrupted: 5 + 3."""
    t = battle({"302id": "2041"}, [5, 3, 2])
    for unit in ("voronezh-2", "voronezh-3"):
        mark(t, unit, "disrupted", "d")
    assert sheet(t, "302id").facts["defence"] == 8


def test_an_exhausted_attacker_out_of_supply_halves_its_other_side() -> None:
    t = battle({"302id": "2041"}, [2])
    put(t, "ss-w-1", "1941", kind="armour", nation="german", attack=9, exhausted_attack=5)
    mark(t, "ss-w-1", "exhausted")
    mark(t, "ss-w-1", "oos")
    assert sheet(t, "ss-w-1").facts["attack"] == "2"


def test_a_marsh_on_record_counts_where_no_river_is_entered() -> None:
    """9.2.2: half a map book switches nothing off, and the rest is still asked for."""
    t = table(owners_book("2040 clear\n2141 marsh\n", crt=False))
    put(t, "302id", "2141", kind="infantry", nation="german", attack=6)
    put(t, "voronezh-1", "2040", kind="infantry", defence=2)
    go(t, "german-combat")
    assert sheet(t, "302id").facts["attack"] == "3"
    rows = {r["name"]: r for r in t.form("german", "resolve-combat", target="2040", attackers=["302id"])}
    assert "river" in [c["value"] for c in rows["halved"]["choices"]]


def test_a_defence_out_of_supply_is_not_halved() -> None:
    t = battle({"302id": "2041"}, [6])
    mark(t, "voronezh-1", "oos")
    assert sheet(t, "302id").facts["defence"] == 6


# -- 9.4, B11 armour, columns, concentric attack -------------------------------------------------------------


def shift_of(found) -> int:
    """By how many columns armour moves the odds. The column has moved already: nothing beside it tells so again."""
    assert found.modifier == 0
    return sum(int(line.effect) for line in found.lines if re.fullmatch(r"[+-]\d", line.effect))


@pytest.mark.parametrize(
    ("mine", "theirs", "shift"),
    [
        ("armour", "infantry", 1),  # 9.4
        ("armour", "armour", 0),  # 9.4.3
        ("armour", "mechanized infantry", 0),  # 9.4.5: Soviet mechanized infantry counts as armour
        ("mechanized infantry", "armour", 0),  # B11.3: panzergrenadiers cancel it
        ("mechanized infantry", "infantry", 0),  # B11.3: and give nothing
        ("infantry", "mechanized infantry", -1),  # 9.4.5
        ("motorized infantry", "infantry", 0),
    ],
)
def test_who_shifts_the_column(mine: str, theirs: str, shift: int) -> None:
    t = battle({"302id": "2041"}, [3])
    t.do("table", "describe-unit", unit="302id", kind=mine)
    t.do("table", "describe-unit", unit="voronezh-1", kind=theirs)
    assert shift_of(sheet(t, "302id")) == shift


def test_a_soviet_attack_with_mechanized_infantry_meets_panzergrenadiers() -> None:
    """B11.3 in defence; an ally's mechanized infantry cancels nothing."""
    for nation, shift in (("german", 0), ("hungarian", 1)):
        t = table(owners_book(FLAT, crt=False))
        put(t, "voronezh-1", "2041", kind="mechanized infantry", attack=6)
        put(t, "h2a-1", "2040", kind="mechanized infantry", nation=nation, defence=3)
        go(t, "soviet-combat")
        assert shift_of(sheet(t, "voronezh-1")) == shift


def test_armour_over_a_river_gives_nothing_while_infantry_beside_it_does_not_matter() -> None:
    """9.4.4 by the suggested reading: what hinders the armour itself counts."""
    t = battle({"302id": "1941"}, [3], "2040-2041 river\n")
    put(t, "ss-w-1", "2041", kind="armour", nation="german", attack=8)
    assert shift_of(sheet(t, "ss-w-1", "302id")) == 0
    put(t, "ss-w-2", "1940", kind="armour", nation="german", attack=8)
    assert shift_of(sheet(t, "ss-w-1", "ss-w-2", "302id")) == 1  # one that is not hindered is enough


def test_one_german_lends_his_die_column_to_the_allies() -> None:
    t = battle({"302id": "2041"}, [3])
    put(t, "h2a-1", "1941", kind="infantry", nation="hungarian", attack=4)
    assert sheet(t, "h2a-1").chart == "crt-soviet-clear"
    assert sheet(t, "h2a-1", "302id").chart == "crt-german-clear"  # B11.1


def test_a_ring_of_disrupted_germans_with_a_soviet_in_it_still_doubles() -> None:
    """B11.2.1, B11.2.2."""
    t = battle({"302id": "2041", "320id": "2039"}, [3], attack=4)
    mark(t, "320id", "disrupted", "d")
    put(t, "voronezh-2", "2141", kind="infantry", defence=3)  # in a German zone, spoils nothing
    assert sheet(t, "302id").facts["attack"] == "8"


def test_a_doubled_attack_is_doubled_after_it_was_halved() -> None:
    t = battle({"302id": "2041", "320id": "2039"}, [3], "2040-2041 river\n", attack=5)
    assert sheet(t, "302id").facts["attack"] == "4"


# -- 9.1 who attacks -----------------------------------------------------------------------------------------


def test_stack_mates_that_do_not_attack_suffer_nothing() -> None:
    """9.1.4: A1D and exhaustion are for attackers only."""
    t = battle({"320id": "2041"}, [3])
    put(t, "ss-w-1", "2041", kind="armour", nation="german", attack=8)
    put(t, "ss-w-2", "2041", kind="armour", nation="german", attack=8)
    hit(t, "A1D", "ss-w-1")
    assert t.game.mark("ss-w-1", "disrupted") == "ad" and t.game.mark("ss-w-1", "exhausted")
    assert not t.game.mark("ss-w-2", "disrupted") and not t.game.mark("ss-w-2", "exhausted")
    assert [d.units for d in t.game.duties(action="retreat")] == [("ss-w-1",)]


def test_each_unit_and_each_hex_once_a_phase_and_again_next_turn() -> None:
    t = battle({"302id": "2041", "320id": "1941"}, [3])
    hit(t, "C", "302id")
    with warned("9.1.6", "9.1.5"):
        t.do("german", "resolve-combat", target="2040", attackers=["302id"], die="1")
    with warned("9.1.5"):
        t.do("german", "resolve-combat", target="2040", attackers=["320id"], die="1")
    go(t, "german-combat", 2)
    t.do("german", "resolve-combat", target="2040", attackers=["302id"], die="1")


def test_an_attack_taken_back_may_be_made_again() -> None:
    t = battle({"302id": "2041"}, [3])
    before = t.game.revision
    hit(t, "C", "302id")
    t.do("german", "take-back", to=before)
    t.agree()
    t.do("german", "resolve-combat", target="2040", attackers=["302id"], die="1")  # nothing was attacked


def test_nobody_attacks_over_a_lake() -> None:
    t = battle({"302id": "2041"}, [3], "2040-2041 sea or lake\n")
    with warned("9.1.7"):
        t.do("german", "resolve-combat", target="2040", attackers=["302id"], die="1")


def test_the_next_battle_waits_for_the_retreat_of_the_last() -> None:
    t = battle({"302id": "2041", "320id": "2042"}, [3, 3])
    put(t, "voronezh-3", "2143", defence=3)
    hit(t, "D1", "302id")
    with warned("Retreat"):
        t.do("german", "resolve-combat", target="2143", attackers=["320id"], die="1")
