"""The rulebook's examples of combat as whole battles, played from the declaration to the last step [12.3-12.23]."""

from __future__ import annotations

from typing import Any

import pytest
from systems.second_kharkov.test_sk_battle import newest, owed

GERMANS = (("3 Pz", "panzer"), ("44", "infantry"), ("113", "infantry"))


def facing(
    table: Any, attack: tuple[int, ...], defence: tuple[int, ...], result: str = "", **more: Any
) -> Any:
    """Turn 3: Soviets in 2610 and 2611 with these attack factors against Germans in 2510 with these defence factors."""
    t = table(turn=3, phase="soviet-combat", result=result, **more)
    for (name, kind), df in zip(GERMANS, defence, strict=False):
        t.enter(name, "german", "2510", army="6th Army", kind=kind, af=3, df=df)
    for n, af in enumerate(attack):
        t.enter(f"RD{n}", "soviet", "2610" if n < 4 else "2611", kind="rifle", af=af, df=2)
    return t


def attack(t: Any, die: str) -> str:
    """The Soviets' whole force attacks; what comes of it. Stacks are opened first, where they hide something."""
    force = [u.id for u in t.game.units.values() if u.side == "soviet"]
    t.do("soviet", "resolve-combat", target="2510", attackers=force, die=die)
    if not newest(t).result:
        t.answer("soviet", die=die)
    return str(newest(t).result)


def test_26_against_7_at_3_to_1_rolling_3_is_1_2(table: Any) -> None:
    """12.7, 12.18: the one battle whose result the rulebook gives; 12.19-12.21 and 12.23 follow."""
    t = facing(table, (10, 9, 7), (4, 3), fog=True)
    assert attack(t, "3") == "1/2"
    sheet = t.game.last_result["breakdown"]
    assert (sheet["facts"]["attack"], sheet["facts"]["defence"], sheet["column"]) == (26, 7, "3:1")
    t.answer("german", how="back", units="german-44")
    assert t.game.units["german-44"].steps == 3 and t.game.units["german-3-pz"].steps == 4
    assert t.game["vp-soviet"] == 1, "12.23: falling back saves one of two steps"
    assert {t.game.units[n].place for n in ("german-44", "german-3-pz")} == {"2509"}
    t.answer("soviet", units="soviet-rd0")
    assert t.game["vp-german"] == 1
    t.answer("soviet", units="soviet-rd1, soviet-rd2")
    assert {t.game.units[n].place for n in ("soviet-rd1", "soviet-rd2")} == {"2510"}
    assert not t.game.asked and t.game.is_over(newest(t))


def test_5_against_11_is_1_to_3(table: Any) -> None:
    """12.8: poor odds round up."""
    t = facing(table, (3, 2), (6, 5), result="2/0")
    assert attack(t, "4") == "2/0" and t.game.last_result["breakdown"]["column"] == "1:3"
    assert t.game["vp-german"] == 2, "both Soviets are lost, and nobody is asked which"


def test_8_to_1_is_rolled_at_6_to_1_with_two_less(table: Any) -> None:
    """12.9."""
    t = facing(table, (40,), (5,), result="0/1")
    attack(t, "5")
    sheet = t.game.last_result["breakdown"]
    assert (sheet["column"], sheet["modifier"], sheet["row"]) == ("6:1", -2, "3")


def test_worse_than_1_to_3_loses_two_steps_without_a_roll(table: Any) -> None:
    """12.9."""
    t = facing(table, (1, 1), (5, 4))
    assert attack(t, "") == "2/0" and not newest(t).rolls
    assert {t.game.units[n].place for n in ("soviet-rd0", "soviet-rd1")} == {"box:dead"}


def test_four_losses_on_three_germans(table: Any) -> None:
    """12.20: one each, and the fourth on whom he likes; 4.4: the panzer's count double."""
    t = facing(table, (30,), (4, 3, 3), result="0/4")
    attack(t, "2")
    t.answer("german", how="stand", units="german-3-pz")
    assert {u.name: u.steps for u in t.game.units.values() if u.side == "german"} == {
        "3 Pz": 2,
        "44": 3,
        "113": 3,
    }
    assert t.game["vp-soviet"] == 2 * 2 + 1 + 1


def test_2_3_is_a_grand_total(table: Any) -> None:
    """12.19: two steps of all attackers together, three of all defenders; the defender's first."""
    t = facing(table, (9, 9, 9), (6, 6), result="2/3", fog=False)
    assert attack(t, "2") == "2/3"
    t.answer("german", how="stand", units="german-44")
    t.answer("soviet", units="soviet-rd0, soviet-rd2")
    assert sum(u.steps for u in t.game.units.values() if u.side == "german") == 5
    assert sum(u.steps for u in t.game.units.values() if u.side == "soviet") == 1


def test_who_fell_back_defends_again_with_the_stack_he_joined(table: Any) -> None:
    """12.23: an exception to 12.4."""
    t = facing(table, (20, 20), (5,), result="0/1", fog=False)
    t.enter("113", "german", "2509", army="6th Army", kind="infantry", af=3, df=4)
    t.do("soviet", "resolve-combat", target="2510", attackers="soviet-rd0", die="2")
    t.answer("german", how="back")
    assert t.game.units["german-3-pz"].place == "2509"
    sheet = t.calc("combat", target="2509", attackers="soviet-rd1")
    assert sheet.facts["defence"] == 9 and not [w for w in sheet.warnings if "12.4" in w]


def test_exploitation_reaches_two_hexes_beyond_the_won_one(table: Any) -> None:
    """12.21, 12.22: marsh stops panzers, enemy zones do not."""
    t = table(
        turn=4, phase="german-combat", result="0/1", ground=(("terrain", "2711", "", "marsh"),), fog=False
    )
    t.enter("3 Pz", "german", "2510", army="6th Army", kind="panzer", af=8, df=6)
    t.enter("RD", "soviet", "2610", kind="rifle", af=2, df=2)
    t.enter("RD2", "soviet", "2809", kind="rifle", af=2, df=2)
    t.do("german", "resolve-combat", target="2610", attackers="german-3-pz", die="2")
    assert owed(t, "german")["units"]["value"] == ["german-3-pz"], "chosen already"
    t.answer("german", units="german-3-pz")
    t.answer("german", unit="german-3-pz", hexes="2710 2811")
    assert t.game.units["german-3-pz"].place == "2811"


@pytest.mark.parametrize(("river", "modifier"), [("minor", 1), ("major", 2)])
def test_a_river_counts_when_every_attacker_crosses_one(table: Any, river: str, modifier: int) -> None:
    """12.14: from the map book; one attacker over dry ground, and it is lost."""
    ground = (("side", "2510", "2610", f"{river} river"), ("side", "2510", "2611", "minor river"))
    t = facing(table, (9, 9, 9, 9, 9), (6,), result="0/0", ground=ground)
    attack(t, "2")
    assert t.game.last_result["breakdown"]["modifier"] == modifier - 1, "45 against 6 is 7:1 (12.9)"
    t = facing(table, (9, 9, 9, 9, 9), (6,), result="0/0", ground=ground[:1])
    attack(t, "2")
    assert t.game.last_result["breakdown"]["modifier"] == -1
