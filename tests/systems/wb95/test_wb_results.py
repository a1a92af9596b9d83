"""What follows a combat: losses, retreats and their price, pursuit, tests, levels [5.2-5.4]."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from harness import refused

from companion.engine.errors import NotNow, NotYours, StillOwed, Unreadable, Warned

Make = Callable[..., Any]


def battle(t: Any, die: str = "3 4", **fields: Any) -> None:
    """Soviet 9 against German 4 at 3011: 2:1."""
    a = t.unit("soviet", "rifles", "3010", a=9)
    t.unit("german", "landser", "3011", a=4)
    t.do("soviet", "resolve-combat", target="3011", attackers=a, die=die, **fields)


def test_losses_come_before_retreats(table: Make) -> None:
    """5.2.1 f: attacker -1, defender D1; each owes his own."""
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=5)
    b = t.unit("soviet", "others", "3010", a=4)
    t.unit("german", "landser", "3011", a=4)
    t.do("soviet", "resolve-combat", target="3011", attackers=f"{a},{b}", die="4 5")  # 2:1, 9: -1 / D1
    assert [x["action"] for x in t.asked("soviet")] == ["take-losses"]
    (back,) = t.asked("german")
    assert (back["action"], back["live"], back["duty"]) == ("retreat", False, "owed")
    assert back["text"] == "German: fall back 1 from 3011, or pay 1 CEL a hex"
    with refused(NotNow, rule="5.2.1"):
        t.settle("german", "retreat", go=1)
    t.settle("soviet", "take-losses", units=b)
    assert t.game.units[b].steps == 1
    assert t.offered("german", "retreat", "go") == ["Fall back 1", "Stand, lose 1 CEL"]


def test_a_retreat_moves_marks_tests_and_offers_pursuit(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    battle(t, die="2 3")  # 2:1, 5: dot / D2
    t.settle("german", "retreat", go=2)
    t.settle("german", "fall-back", to="3013")
    unit = t.game.unit("landser")
    assert unit.place == "3013"
    assert t.mark(unit.id, "retreated")
    test = t.duty("german", "take-tests")
    assert (test["args"]["tests"], test["live"]) == (1, False)  # 5.3.9: two hexes, one test, last of all
    assert t.duty("soviet", "pursue")["duty"] == "offered"
    t.settle("soviet", "pursue", to="3012")
    assert t.game.units["soviet-rifles"].place == "3012"
    t.settle("german", "take-tests", die="6 6")
    assert t.mark(unit.id, "disorganised")
    t.settle("soviet", "take-tests", die="1 1")
    assert not t.game.fighting


def test_standing_fast_costs_cel_and_brings_no_tests(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    battle(t, die="2 3")
    t.settle("german", "retreat", go=0)  # the price is the only unit's: no choice
    assert t.game.units["german-landser"].place == "box:dead"
    assert not [a for a in t.asked("german") if a["action"] == "take-tests"]
    assert "5.4" in t.duty("soviet", "pursue")["rule"]  # 5.4.10: the hex is empty


def test_losses_are_the_owners_choice(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=9)
    t.unit("german", "one", "3011", a=2)
    t.unit("german", "two", "3011", a=2)
    t.do("soviet", "resolve-combat", target="3011", attackers=a, die="6 6")  # D -1 / -1
    with refused(Unreadable, rule="5.1.8", field="units"):
        t.settle("german", "take-losses")
    with refused(NotYours, given="soviet"):
        t.do("soviet", "take-losses", _asked=t.duty("german", "take-losses")["id"], units="german-one")
    t.settle("german", "take-losses", units="german-two")
    assert (t.game.units["german-one"].steps, t.game.units["german-two"].steps) == (2, 1)
    assert t.game.units[a].steps == 1  # the attacker's only unit: no choice
    assert t.mark(a, "disorganised")  # the first D is the attacker's


def test_too_few_are_named(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=1)
    b = t.unit("soviet", "more", "3010", a=1, cel=1)
    c = t.unit("soviet", "most", "3010", a=1, cel=1)
    t.unit("german", "landser", "3011", a=12)
    t.do("soviet", "resolve-combat", target="3011", attackers=f"{a},{b},{c}", die="4 5")  # 1:4, 9: A2 -2
    with refused(Unreadable, rule="5.1.8", field="units"):
        t.settle("soviet", "take-losses", units=b)
    t.settle("soviet", "take-losses", units=f"{b},{c}")
    assert t.game.units[a].steps == 2


# -- stars


def test_star_users_share_one_loss_of_a_battle(table: Make) -> None:
    """15.1.7: at least one CEL, once; 15.1.6: to use a star is voluntary."""
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "guards", "3010", a=1, star="blue")
    b = t.unit("soviet", "rifles", "3010", a=2, cel=4)
    t.unit("german", "landser", "3011", a=14)
    fields = {"target": "3011", "attackers": f"{a},{b}", "attack_star_units": a}
    t.do("soviet", "resolve-combat", **fields, die="3 4")  # 1:4 and a shift: 1:3, 7: A1
    assert t.breakdown["facts"]["attack_shifts"] == 1
    t.settle("soviet", "retreat", go=0)
    assert "star" in t.duty("soviet", "take-losses")["text"]
    with refused(Unreadable, rule="15.1.7", field="units"):
        t.settle("soviet", "take-losses", units=b)
    t.settle("soviet", "take-losses", units=a)
    assert t.game.units[a].steps == 1


def test_the_star_is_not_asked_for_twice(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "guards", "3010", a=1, star="blue")
    b = t.unit("soviet", "rifles", "3010", a=2, cel=4)
    t.unit("german", "landser", "3011", a=14)
    fields = {"target": "3011", "attackers": f"{a},{b}", "attack_star_units": a}
    t.do("soviet", "resolve-combat", **fields, die="3 5")  # 1:3, 8: A1 -1
    t.settle("soviet", "take-losses", units=a)
    t.settle("soviet", "retreat", go=0)
    assert "star" not in t.duty("soviet", "take-losses")["text"]
    t.settle("soviet", "take-losses", units=b)
    assert (t.game.units[a].steps, t.game.units[b].steps) == (1, 3)


def test_a_star_that_is_not_used_owes_nothing(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "guards", "3010", a=5, star="black")
    b = t.unit("soviet", "rifles", "3010", a=5)
    t.unit("german", "landser", "3011", a=5)
    t.do("soviet", "resolve-combat", target="3011", attackers=f"{a},{b}", die="6 6")
    t.settle("soviet", "take-losses", units=b)
    assert t.game.units[b].steps == 1


def test_a_towed_unit_has_no_star_in_attack(table: Make) -> None:
    """15.1.5: the form offers it in defence only."""
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=5)
    flak = t.unit("soviet", "flak", "3010", kind="AT", klass="towed", a=3, star="white")
    t.unit("german", "landser", "3011", a=5)
    form = t.shown("soviet", "resolve-combat", target="3011", attackers=a)
    assert "attack_star_units" not in form
    with refused(Unreadable, field="attackers"):
        t.do("soviet", "resolve-combat", target="3011", attackers=f"{a},{flak}", attack_star_units=flak)


# -- who goes and who stands


def attackers_driven_back(table: Make, **options: Any) -> tuple[Any, list[str]]:
    """5.3.8: A1 on attackers from three hexes."""
    t = table(phase="attack-a", fog=False, **options)
    ids = [t.unit("soviet", f"b{n}", h, a=1) for n, h in enumerate(("3010", "2911", "3111"))]
    t.unit("german", "guards", "3011", a=9)
    t.do("soviet", "resolve-combat", target="3011", attackers=",".join(ids), die="3 4")  # 1:3, 7: A1 / -
    return t, ids


def test_all_stand_and_one_cel_is_lost_in_all(table: Make) -> None:
    t, ids = attackers_driven_back(table)
    t.settle("soviet", "retreat", go=0)
    assert t.duty("soviet", "take-losses")["args"]["cel"] == 1
    t.settle("soviet", "take-losses", units=ids[2])
    assert sum(t.game.units[u].steps for u in ids) == 5


def test_one_goes_and_two_stand_who_pay(table: Make) -> None:
    """5.3.8: the loss comes from those who remained."""
    t, ids = attackers_driven_back(table)
    t.settle("soviet", "retreat", go="some")
    t.settle("soviet", "part", units=ids[0], far=1)
    assert t.duty("soviet", "fall-back")["args"]["origin"] == "3010"
    t.settle("soviet", "fall-back", to="3009")
    with refused(Unreadable, field="units"):
        t.settle("soviet", "take-losses", units=ids[0])
    t.settle("soviet", "take-losses", units=ids[1])
    assert [t.game.units[u].steps for u in ids] == [2, 1, 2]
    assert [t.game.units[u].place for u in ids] == ["3009", "2911", "3111"]


def test_attackers_from_several_hexes_fall_back_from_each(table: Make) -> None:
    """5.3.2: each from the hex where it fought."""
    t, ids = attackers_driven_back(table)
    t.settle("soviet", "retreat", go=1)
    ways = [a for a in t.asked("soviet") if a["action"] == "fall-back"]
    assert [w["args"]["origin"] for w in ways] == ["2911", "3010", "3111"]
    for way in ways:
        found = [c["value"] for row in way["form"] if row["name"] == "to" for c in row["choices"]]
        hexes = [h for h in found if h.isdecimal()]
        origin = way["args"]["origin"]
        assert hexes and all(t.game.maps.distance(origin, h) == 1 for h in hexes)
        assert not {"3011"} & set(hexes)
        t.do("soviet", "fall-back", _asked=way["id"], to=hexes[0])
    assert len({t.game.units[u].place for u in ids} - {"2911", "3010", "3111"}) > 1
    assert not [a for a in t.asked("soviet") if a["action"] == "take-losses"]


def test_who_stays_does_not_fail_the_others_test(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=12)
    goes, stays = (t.unit("german", n, "3011", a=2) for n in ("goes", "stays"))
    t.do("soviet", "resolve-combat", target="3011", attackers=a, die="3 4")  # 3:1, 7: D2
    t.settle("german", "retreat", go="some")
    t.settle("german", "part", units=goes, far=2)
    t.settle("german", "fall-back", to="3013")  # who stays pays 2, all it has
    assert t.game.units[stays].place == "box:dead"
    t.do("table", "dismiss", ask=t.duty("soviet", "pursue")["id"])
    assert t.about("german", "take-tests") == [goes]


@pytest.mark.parametrize("to", ["3012", "3011", "3014"])
def test_a_retreat_ends_as_far_away_as_it_went(table: Make, to: str) -> None:
    """5.3.2: neither nearer, nor further, nor where it began; the board may know better."""
    t = table(phase="attack-a", fog=False)
    battle(t, die="2 3")
    t.settle("german", "retreat", go=2)
    with refused(Warned, field="anyway") as said:
        t.settle("german", "fall-back", to=to)
    assert "5.3.2" in str(said.value)
    if to == "3012":
        t.settle("german", "fall-back", to=to, anyway=True)
        assert t.game.unit("landser").place == to


def test_a_retreat_onto_the_enemy_or_into_his_zone_is_said_before(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "rider", "3013", a=1)
    battle(t, die="2 3")
    t.settle("german", "retreat", go=2)
    offered = t.ways("german", "fall-back")
    assert "3013" not in offered and "3012" not in offered
    for to, rule in (("3013", "3.1.8"), ("2912", "5.3.3")):
        with refused(Warned) as said:
            t.settle("german", "fall-back", to=to)
        assert rule in str(said.value)


def test_through_own_units_in_enemy_zones_each_loses_one(table: Make) -> None:
    """5.3.4."""
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "rider", "2910", a=1)
    t.unit("soviet", "lancer", "3110", a=1)
    t.unit("soviet", "raider", "3013", a=1)
    t.unit("german", "friend", "3012", a=1, cel=1)
    battle(t, die="3 4")  # 2:1, 7: D1
    t.settle("german", "retreat", go=1)  # the only way leads onto the friend, in the raider's zone
    unit = t.game.unit("landser")
    assert (unit.place, unit.steps) == ("3012", 1)


def test_stacking_at_the_end_of_a_retreat(table: Make) -> None:
    """5.3.6."""
    t = table(phase="attack-a", fog=False)
    t.unit("german", "crowd", "3012", a=1, cel=7)
    battle(t, die="3 4")
    t.settle("german", "retreat", go=1)
    assert "3012" not in t.ways("german", "fall-back")
    with refused(Warned) as said:
        t.settle("german", "fall-back", to="3012")
    assert "5.3.6" in str(said.value)


def test_a_stack_may_part_on_the_way(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=9)
    one, two = (t.unit("german", n, "3011", a=2) for n in ("one", "two"))
    t.do("soviet", "resolve-combat", target="3011", attackers=a, die="3 4")
    t.settle("german", "retreat", go=1)
    t.settle("german", "fall-back", to="elsewhere")
    assert t.offered("german", "part-ways", "units") == ["one (3011)", "two (3011)"]
    t.settle("german", "part-ways", units=one, to="3012")
    t.settle("german", "fall-back", to="2911")
    assert [t.game.units[u].place for u in (one, two)] == ["3012", "2911"]


# -- guns and headquarters


def with_a_gun(table: Make, **marks: Any) -> tuple[Any, str, str]:
    """6.2.4: infantry of 2 CEL and a gun; D2."""
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=9)
    t.unit("german", "landser", "3011", a=3)
    gun = t.unit("german", "gun", "3011", kind="ART", a=3, d=1, cel=1, **marks)
    t.do("soviet", "resolve-combat", target="3011", attackers=a, die="2 3")
    return t, a, gun


def test_a_gun_in_firing_position_is_left_to_the_pursuit(table: Make) -> None:
    """6.2.4 a."""
    t, a, gun = with_a_gun(table)
    t.settle("german", "retreat", go=2)
    t.settle("german", "fall-back", to="3013")
    assert t.game.units[gun].place == "3011"
    t.settle("soviet", "pursue", to="3011")
    assert t.game.units[gun].place == "box:dead"
    assert t.game.units["german-landser"].place == "3013"


def test_a_gun_given_up_saves_a_hex_and_asks_for_one_pursuit(table: Make) -> None:
    """6.2.4 b: the gun is the CEL, infantry goes one hex."""
    t, a, gun = with_a_gun(table)
    t.settle("german", "retreat", go=1)
    t.settle("german", "fall-back", to="3012")
    t.settle("german", "take-losses", units=gun)
    assert t.game.units[gun].place == "box:dead"
    assert [x["action"] for x in t.asked("soviet") if x["duty"] == "offered"] == ["pursue"]


def test_gun_and_infantry_hold_for_two(table: Make) -> None:
    """6.2.4 c."""
    t, a, gun = with_a_gun(table)
    t.settle("german", "retreat", go=0)
    t.settle("german", "take-losses", units=f"{gun},german-landser")
    landser = t.game.unit("landser")
    assert (t.game.units[gun].place, landser.place, landser.steps) == ("box:dead", "3011", 1)
    assert not [x for x in t.asked("soviet") if x["action"] == "pursue"]


def test_moving_guns_with_infantry_fall_back_with_it(table: Make) -> None:
    t, a, gun = with_a_gun(table, transport="on")
    t.settle("german", "retreat", go=2)
    t.settle("german", "fall-back", to="3013")
    assert t.game.units[gun].place == "3013"


def test_lone_guns_in_firing_position_pay_and_nobody_tests(table: Make) -> None:
    """6.2.3, 6.6.3: they cannot go, so they are not asked how far."""
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=2)
    guns = [t.unit("german", f"gun {n}", "3011", kind="ART", a=3, d=1, cel=1) for n in range(3)]
    t.do("soviet", "resolve-combat", target="3011", attackers=a, die="3 3")  # 2:1, 6: D2
    assert not [x for x in t.asked("german") if x["action"] in ("retreat", "take-tests")]
    t.settle("german", "take-losses", units=",".join(guns[:2]))
    assert [t.game.units[g].on_map for g in guns] == [False, False, True]


def test_a_lone_headquarters_pays_and_never_falls_back(table: Make) -> None:
    """5.1.9: the rightmost column, and every hex of the retreat is a CEL."""
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=2)
    hq = t.unit("german", "HQ x", "3011", kind="HQ", cel=1)
    t.do("soviet", "resolve-combat", target="3011", attackers=a, die="3 4")  # 10:1, 7: - / D4
    assert t.game.units[hq].place == "box:dead"
    assert not t.asked("german")
    assert t.panel("soviet", "For a fallen headquarters") == {
        "Soviet, within 8 hexes of 3011": "5 shifts in day 1 phase 10 and day 2 phase 4"
    }


def test_moving_guns_alone_are_helpless(table: Make) -> None:
    """6.6.4."""
    t = table(phase="attack-a", fog=False)
    alone = t.unit("german", "lone gun", "2911", kind="ART", a=3, d=1, cel=1, transport="on")
    b = t.unit("soviet", "others", "2910", a=2)
    t.do("soviet", "resolve-combat", target="2911", attackers=b, die="3 4")
    assert t.breakdown["facts"]["helpless"] is True
    assert t.game.units[alone].place == "box:dead"


# -- levels, disorganisation, tests


def test_levels_after_combat(table: Make) -> None:
    """10.2.4: no Dx raises the attacker; Dx raises the defender."""
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=9, oos=1)
    d = t.unit("german", "landser", "3011", a=4, oos=3)
    t.do("soviet", "resolve-combat", target="3011", attackers=a, pay=a, die="6 5")  # 2:1, 11: -1 / -1
    assert (t.mark(a, "oos"), t.mark(d, "oos")) == (3, 3)  # +1 paid, +1 failed
    t.until("attack-a", 2)
    t.do(
        "soviet",
        "resolve-combat",
        target="3011",
        attackers=a,
        pay=a,
        attack_sp="9",
        defence_sp="4",
        die="3 3",
    )  # D2
    assert (t.mark(a, "oos"), t.mark(d, "oos")) == (4, 4)


def test_bought_off_disorganisation_is_an_option(table: Make) -> None:
    for stands in (True, False):
        t = table(phase="attack-a", fog=False, **{"bought-off": stands})
        battle(t, die="1 1")  # 2:1, 2: -1 / D3D
        assert bool(t.mark("german-landser", "disorganised")) is stands
        t.settle("german", "retreat", go=3)
        t.settle("german", "fall-back", to="3014")
        assert t.mark("german-landser", "disorganised")
        assert t.duty("german", "take-tests")["args"]["tests"] == 2


def test_attackers_need_not_test_if_so_read(table: Make) -> None:
    for tests in (True, False):
        t = table(phase="attack-a", fog=False, **{"attacker-tests": tests})
        a = t.unit("soviet", "rifles", "3010", a=2)
        t.unit("german", "landser", "3011", a=8)
        t.do("soviet", "resolve-combat", target="3011", attackers=a, die="3 4")  # 1:4, 7: A2 -1
        t.settle("soviet", "retreat", go=2)
        t.settle("soviet", "fall-back", to="3008")
        assert bool([x for x in t.asked("soviet") if x["action"] == "take-tests"]) is tests


def test_losses_on_the_march_stay_under_cover(table: Make) -> None:
    t = table(phase="move-a", turn=2)  # on the first day no German flies
    unit = t.unit("soviet", "column", "2020")
    t.unit("soviet", "top", "2020")
    done = t.do("soviet", "roll-harassment", unit=unit, die="1 1")
    assert t.game.units[unit].steps == 1
    assert "soviet-column" not in json.dumps([e.seen_by("german") for e in done])


# -- pursuit


def beaten(table: Make, die: str = "2 3") -> Any:
    t = table(phase="attack-a", fog=False)
    battle(t, die=die)
    t.settle("german", "retreat", go=2)
    t.settle("german", "fall-back", to="3013")
    return t


def test_pursuit_goes_through_the_hex_that_was_left(table: Make) -> None:
    """5.4.2, 5.4.4, 5.4.6."""
    t = beaten(table)
    hexes = t.ways("soviet", "pursue")
    assert hexes[0] == "3011" and "3012" in hexes
    assert "3013" not in hexes and "3010" not in hexes
    assert all(t.game.maps.distance("3011", h) <= 1 for h in hexes)
    with refused(Warned) as said:
        t.settle("soviet", "pursue", to="3014")
    assert "5.4.6" in str(said.value)
    with refused(Warned) as said:
        t.settle("soviet", "pursue", to="3013")
    assert "3.1.8" in str(said.value)


def test_towed_units_do_not_pursue(table: Make) -> None:
    """5.4.9, 6.3.5: a gun that supports from beside the enemy is in the battle."""
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=9)
    gun = t.unit("soviet", "gun", "3010", kind="ART", a=1, d=1, cel=1)
    t.unit("german", "landser", "3011", a=4)
    t.do("soviet", "resolve-combat", target="3011", attackers=a, attack_guns=gun, die="2 3")
    assert gun in t.fight.units("soviet")
    t.settle("german", "retreat", go=2)
    t.settle("german", "fall-back", to="3013")
    assert t.about("soviet", "pursue") == [a]


def test_those_left_behind_may_still_pursue(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    a, b = (t.unit("soviet", n, h, a=6) for n, h in (("one", "3010"), ("two", "2910")))
    t.unit("german", "landser", "3011", a=4)
    t.do("soviet", "resolve-combat", target="3011", attackers=f"{a},{b}", die="2 3")
    t.settle("german", "retreat", go=2)
    t.settle("german", "fall-back", to="3013")
    t.settle("soviet", "pursue", units=a, to="3012")
    assert t.about("soviet", "pursue") == [b]
    t.settle("soviet", "pursue", to="3011")
    assert [t.game.units[u].place for u in (a, b)] == ["3012", "3011"]


def test_the_defender_pursues_too(table: Make) -> None:
    """5.4.1 note."""
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "rifles", "3010", a=2)
    d = t.unit("german", "landser", "3011", a=8)
    t.do("soviet", "resolve-combat", target="3011", attackers="rifles", die="3 4")  # A2 -1
    t.settle("soviet", "retreat", go=2)
    t.settle("soviet", "fall-back", to="3008")
    t.settle("german", "pursue", to="3010")
    assert t.game.units[d].place == "3010"


def test_shelling_a_hex_empty_invites_nobody_in(table: Make) -> None:
    """5.4.10 is about combat, not about fire at range."""
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "rifles", "3010", a=1)
    gun = t.unit("soviet", "gun", "3010", kind="ART", a=7, d=3, cel=1)
    foe = t.unit("german", "battery", "3012", kind="ART", a=4, d=2, cel=1)
    t.do("soviet", "fire-at-range", target="3012", guns=gun, die="1 1")  # 6-8, 2: -1D
    assert t.game.units[foe].place == "box:dead"
    assert not t.asked("soviet") and not t.game.fighting


# -- nothing on record


def test_hand_only_play(table: Make) -> None:
    t = table(phase="attack-a")
    t.do("table", "resolve-combat", attack=9, defence=4, die="2 3")  # dot / D2
    t.settle("german", "retreat", go=2)
    t.do("table", "dismiss", ask=t.duty("soviet", "pursue")["id"])
    done = t.settle("german", "take-tests", die="6 6")
    assert "German: 12 against 11, disorganised" in [e.to_json().get("text") for e in done]
    done = t.settle("soviet", "take-tests", troops="guards", die="5 5")
    assert "Soviet: 10 against 11, keeps order" in [e.to_json().get("text") for e in done]
    assert not t.game.fighting


def test_losses_that_empty_a_hex_off_record(table: Make) -> None:
    t = table(phase="attack-a")
    t.do("table", "resolve-combat", attack=9, defence=4, target="3011", die="4 6")  # 2:1, 10: -1 / D1 -1
    assert t.offered("german", "take-losses", "hex_is") == [
        "Lose 1 CEL, 3011 is held",
        "Lose 1 CEL, 3011 is empty now",
    ]
    assert not [a for a in t.asked("soviet") if a["action"] == "take-losses"]  # noted: nothing to choose
    t.settle("german", "take-losses", hex_is="empty")
    assert not [a for a in t.asked("german") if a["action"] == "retreat"]  # nobody is left to go
    assert t.duty("soviet", "pursue")["text"] == "Soviet: may pursue into 3011, up to 2 hexes"


def test_what_is_owed_is_said_before_the_phase_ends(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    battle(t, die="2 3")
    with refused(StillOwed) as said:
        t.do("soviet", "next-phase")
    assert any("fall back 2" in text for text in said.value.said)
    t.do("soviet", "next-phase", anyway=True)
    assert t.game.phase == "strategic-a"
    t.settle("german", "retreat", go=2)  # goes along, still answerable
    t.settle("german", "fall-back", to="3013")
    assert t.game.unit("landser").place == "3013"
