"""Zones of control [7.0], the encirclement test [12.5] and forced attacks [12.1]."""

import pytest
from kb_bench import battle, enrol, jump, mapped, table, total, warned

from companion.systems.kharkov_battles import ground, lines
from companion.systems.kharkov_battles.designate import owed

# Row 30 is even: KB3010 touches 3009, 3011, 3109, 3110, 2909, 2910.


def at_odds(*facts, **options):
    """An Axis combat phase on this map."""
    t = mapped(*facts, **options)
    jump(t, "axis-combat", 1)
    t.do("table", "correct", name="weather", value="clear")
    return t


def test_the_rulebooks_zone_example():
    """7.4: its claims, on a map of our own: K is Axis-held, F and O Soviet-held, a river before N."""
    k, f, o, n, second = "KB3010", "KB3110", "KB2910", "KB3014", "KB3013"
    t = at_odds(("side", second, n, "major river"))
    enrol(t, "axis", "K", "infantry", k, strength=3)
    enrol(t, "axis", "other", "infantry", second, strength=3)
    enrol(t, "soviet", "F", "rifle", f, strength=3)
    enrol(t, "soviet", "O", "rifle", o, strength=3)
    axis, soviet = ground.zones(t.game, "axis"), ground.zones(t.game, "soviet")
    assert {f, o, "KB3011", "KB3009", n} <= set(axis)  # also into enemy-held hexes
    assert k in soviet and "KB3011" in soviet and "KB3011" in axis  # both control the same empty hex
    # during combat phases the unbridged Major River stops the zone into N
    assert n not in ground.zones(t.game, "axis", combat=True)
    # friends cancel the zone in their own hex for supply lines only
    assert k not in lines.closed_hexes(t.game, "axis") and "KB3011" in lines.closed_hexes(t.game, "axis")
    assert ground.in_ezoc(t.game, t.game.unit("K"))


def test_a_city_swallows_its_garrisons_zone():
    """7.14: were K a city, its neighbours would not be controlled from it."""
    t = at_odds(("city", "KB3010", "", "K"))
    unit = enrol(t, "axis", "K", "infantry", "KB3010", strength=3)
    enrol(t, "soviet", "F", "rifle", "KB3110", strength=3)
    assert not ground.zones(t.game, "axis")
    assert not ground.in_ezoc(t.game, t.game.units[unit])


@pytest.mark.parametrize(
    ("facts", "combat", "reaches"),
    [
        ((), True, True),
        ((("side", "KB3010", "KB3011", "impassable"),), False, False),
        ((("side", "KB3010", "KB3011", "dnepr"),), False, False),
        ((("side", "KB3010", "KB3011", "dnepr"), ("side", "KB3010", "KB3011", "bridge")), False, False),
        ((("side", "KB3010", "KB3011", "dnepr"), ("side", "KB3010", "KB3011", "pontoon")), True, True),
        ((("side", "KB3010", "KB3011", "major river"),), False, True),
        ((("side", "KB3010", "KB3011", "major river"),), True, False),
        ((("side", "KB3010", "KB3011", "major river"), ("side", "KB3010", "KB3011", "bridge")), True, True),
        ((("side", "KB3010", "KB3011", "minor river"),), True, True),
    ],
)
def test_hexsides_and_zones(facts, combat, reaches):
    t = at_odds(*facts)
    enrol(t, "axis", "U", "infantry", "KB3010", strength=3)
    assert ("KB3011" in ground.zones(t.game, "axis", combat)) == reaches


def test_a_pontoon_laid_in_play_opens_the_dnepr():
    t = at_odds(("side", "KB3010", "KB3011", "dnepr"))
    enrol(t, "soviet", "U", "rifle", "KB3010", strength=3)
    assert "KB3011" not in ground.zones(t.game, "soviet")
    jump(t, "soviet-construction")
    t.do("soviet", "place-pontoon", hex="KB3010", across="KB3011")
    assert "KB3011" in ground.zones(t.game, "soviet", combat=True)
    assert ground.river(t.game, "KB3010", "KB3011") == "major"


@pytest.mark.parametrize(
    ("facts", "has"),
    [
        ({"kind": "infantry"}, True),
        ({"kind": "infantry", "stripe": True}, False),
        ({"kind": "hq army"}, False),
        ({"kind": "tiger company"}, False),
        ({"kind": "ersatz"}, True),
        ({"kind": "fortress region"}, True),
    ],
)
def test_who_has_a_zone(facts, has):
    t = at_odds()
    enrol(t, "axis", "U", hex="KB3010", **facts)
    assert bool(ground.zones(t.game, "axis")) == has


def test_three_cadres_together_have_a_zone():
    """7.13"""
    t = at_odds()
    for number in range(3):
        unit = enrol(t, "soviet", f"{number} Gds", "rifle", "KB3010", steps=2, guards=True, strength=4)
        t.do("soviet", "lose-steps", unit=unit)
        assert bool(ground.zones(t.game, "soviet")) == (number == 2)


def test_a_fortified_zone_gives_everybody_a_zone():
    """18.12"""
    t = at_odds()
    enrol(t, "soviet", "6 Army", "hq army", "KB3010", reach=5)
    t.do("table", "mark", marker="fz", hexes=["KB3010"], value="soviet")
    assert len(ground.zones(t.game, "soviet")) == 6


def test_encirclement():
    """12.5: every usable hex taken or controlled, no friend of the defender beside him, no city."""
    t = at_odds()
    enrol(t, "soviet", "U", "rifle", "KB3010", strength=3)
    for hex_id in ("KB3008", "KB3012"):
        enrol(t, "axis", hex_id, "infantry", hex_id, strength=3)
    assert not ground.encircled(t.game, "KB3010", "axis")
    enrol(t, "axis", "north", "infantry", "KB3210", strength=3)
    assert not ground.encircled(t.game, "KB3010", "axis")
    south = enrol(t, "axis", "south", "infantry", "KB2810", strength=3)
    assert ground.encircled(t.game, "KB3010", "axis")
    friend = enrol(t, "soviet", "friend", "rifle", "KB3109", strength=3)
    assert not ground.encircled(t.game, "KB3010", "axis")
    t.do("table", "place-unit", unit=friend, box="box:dead")
    t.do("table", "place-unit", unit=south, box="box:dead")
    assert not ground.encircled(t.game, "KB3010", "axis")


def test_impassable_sides_are_not_usable():
    t = at_odds(
        *(("side", *sorted(("KB3010", h)), "impassable") for h in ("KB3109", "KB3110", "KB2909", "KB2910"))
    )
    enrol(t, "soviet", "U", "rifle", "KB3010", strength=3)
    for hex_id in ("KB3009", "KB3011"):
        enrol(t, "axis", hex_id, "infantry", hex_id, strength=3)
    assert ground.encircled(t.game, "KB3010", "axis")


def test_every_enemy_whose_zone_reaches_an_attacker_is_owed_an_attack():
    """12.1"""
    t = at_odds(("city", "KB3009", "", "D"))
    a = enrol(t, "axis", "6", "infantry", "KB3010", strength=5)
    for hex_id in ("KB3011", "KB3110", "KB3009"):
        enrol(t, "soviet", hex_id, "rifle", hex_id, strength=3)
    t.do("axis", "declare-assault", target="KB3011", attackers=[a])
    assert owed(t.game) == {"KB3110": ["6"]}  # the stack in the city exerts no zone
    assert t.calc("attacks-owed").result == "1 stack"
    titles = [p["title"] for p in t.sees("axis")["panels"]]
    assert "Must be attacked as well" in titles
    b = enrol(t, "axis", "4", "infantry", "KB3210", strength=5)
    t.do("axis", "declare-assault", target="KB3110", attackers=[b])
    assert not owed(t.game)


def test_the_major_river_excuses_an_attacker_in_the_combat_phase():
    t = at_odds(("side", "KB3010", "KB3110", "major river"))
    a = enrol(t, "axis", "1", "infantry", "KB3010", strength=5)
    enrol(t, "soviet", "E", "rifle", "KB3110", strength=3)
    enrol(t, "soviet", "D", "rifle", "KB3011", strength=3)
    t.do("axis", "declare-assault", target="KB3011", attackers=[a])
    assert not owed(t.game)


@pytest.mark.parametrize(
    ("facts", "unit", "rule"),
    [
        ((), {"hex": "KB3015"}, "12.21"),
        ((("side", "KB3010", "KB3011", "impassable"),), {}, "12.35, 12.36"),
        ((("side", "KB3010", "KB3011", "dnepr"),), {}, "12.35, 12.36"),
        (
            (("terrain", "KB3011", "", "marsh"),),
            {"kind": "assault gun", "silhouette": True, "size": "II"},
            "12.33",
        ),
        ((), {"kind": "hq armeekorps"}, "15.11"),
        ((), {"kind": "ersatz"}, "20.1, 27.4"),
    ],
)
def test_who_cannot_attack(facts, unit, rule):
    t = at_odds(*facts)
    enrol(t, "soviet", "D", "rifle", "KB3011", strength=3)
    one = enrol(t, "axis", "U", **{"kind": "infantry", "hex": "KB3010", "strength": 5, **unit})
    with warned(rule):
        t.do("axis", "declare-assault", target="KB3011", attackers=[one])


def test_a_road_lets_silhouettes_into_the_marsh():
    t = at_odds(("terrain", "KB3011", "", "marsh"), ("link", "KB3010", "KB3011", "road"))
    enrol(t, "soviet", "D", "rifle", "KB3011", strength=3)
    one = enrol(t, "axis", "StuG", "assault gun", "KB3010", silhouette=True, size="II", strength=4)
    t.do("axis", "declare-assault", target="KB3011", attackers=[one])
    t.answer("axis")
    assert total(t, "attack") == 2  # halved all the same


def test_one_multi_step_unit_fights_from_a_hex():
    """6.21: or two with a white size symbol."""
    t = at_odds()
    enrol(t, "soviet", "D", "rifle", "KB3011", strength=3)
    big = [enrol(t, "axis", f"{n} Inf", "infantry", "KB3010", rating="A") for n in (1, 2)]
    with warned("6.21"):
        t.do("axis", "declare-assault", target="KB3011", attackers=big)
    half = [
        enrol(
            t,
            "axis",
            f"LAH {n}",
            "panzergrenadier",
            "KB3110",
            rating="A",
            half=True,
            formation="LAH",
            size="III",
        )
        for n in (1, 2)
    ]
    t.do("axis", "declare-assault", target="KB3011", attackers=half)


def test_colours_attack_separately_in_second_kharkov():
    """20.2"""
    t = table("second-kharkov-k")
    jump(t, "soviet-combat", 1)
    enrol(t, "axis", "D", "infantry", "KH3011", strength=3)
    units = [
        enrol(t, "soviet", c, "rifle", "KH3010", formation=c, strength=3) for c in ("red", "green", "beige")
    ]
    with warned("20.2", "green and red"):
        t.do("soviet", "declare-assault", target="KH3011", attackers=units)
    t.do("soviet", "declare-assault", target="KH3011", attackers=[units[0], units[2]])


def two_hexes(*facts):
    t = at_odds(*facts)
    a = enrol(t, "axis", "6", "infantry", "KB3010", strength=9)
    for hex_id in ("KB3011", "KB3110"):
        enrol(t, "soviet", hex_id, "rifle", hex_id, strength=3)
    t.do("axis", "declare-assault", target="KB3011", attackers=[a], also=["KB3110"])
    return t, a


def test_a_further_hex_is_attacked_as_much_as_the_first():
    """12.0, 12.21: not twice in a phase, and once it is attacked it is owed nothing."""
    t, _ = two_hexes()
    other = enrol(t, "axis", "7", "infantry", "KB3210", strength=9)
    with warned("12.21", "7 is not adjacent to KB3011"):  # it would join this attack
        t.do("axis", "declare-assault", target="KB3110", attackers=[other])
    t.answer("axis")
    t.answer("axis", die="4")
    assert not owed(t.game)
    with warned("12.0", "KB3110 is attacked already"):
        t.do("axis", "declare-assault", target="KB3110", attackers=[other])


def test_several_hexes_defend_with_the_best_of_their_ground():
    """12.24, 12.34: the better line, and a town or works in any of them."""
    t, _ = two_hexes(("terrain", "KB3110", "", "woods"), ("town", "KB3110", "", "T"))
    t.do("table", "mark", marker="fz", hexes=["KB3110"], value="soviet")
    t.answer("axis")
    t.answer("axis", die="4")
    lines = [line["label"] for line in battle(t).sheet["lines"]]
    assert {"woods line", "town", "Fortified Zone"} <= set(lines)


def test_encirclement_is_judged_when_the_assault_is_resolved():
    """12.5: an earlier combat may close the ring after the strengths were announced."""
    t = at_odds()
    enrol(t, "soviet", "U", "rifle", "KB3010", strength=3)
    friend = enrol(t, "soviet", "friend", "rifle", "KB3109", strength=3)
    force = [enrol(t, "axis", h, "infantry", h, strength=9) for h in ("KB3009", "KB3011")]
    for hex_id in ("KB3210", "KB2810"):
        enrol(t, "axis", hex_id, "infantry", hex_id, strength=3)
    t.do("axis", "declare-assault", target="KB3010", attackers=force)
    t.answer("axis")
    said = lambda: [line["label"] for line in t.sees("axis")["battles"][-1]["sheet"]["lines"]]  # noqa: E731
    assert "Encirclement" not in said()
    t.do("table", "place-unit", unit=friend, box="box:dead")
    assert "Encirclement" in said()
    t.answer("axis", die="4")
    assert "Encirclement" in [line["label"] for line in battle(t).sheet["lines"]]


def test_rows_out_of_play_are_not_usable():
    """20.3, 12.5"""
    t = table("third-kharkov-l")
    jump(t, "axis-combat", 12)
    enrol(t, "soviet", "U", "rifle", "KB3010", strength=3)
    for hex_id in ("KB3009", "KB3011"):
        enrol(t, "axis", hex_id, "infantry", hex_id, strength=3, stripe=True)
    enrol(t, "axis", "north", "infantry", "KB3210", strength=3)
    assert ground.encircled(t.game, "KB3010", "axis")


def test_a_printed_fortified_zone_serves_its_side_and_stays():
    """18.1, 18.12: drawn on the map, it cannot be destroyed."""
    t = at_odds(("area", "KB3010", "", "fz soviet"))
    hq = enrol(t, "soviet", "6 Army", "hq army", "KB3010", reach=5)
    assert len(ground.zones(t.game, "soviet")) == 6
    t.do("table", "place-unit", unit=hq, box="box:dead")
    enemy = enrol(t, "axis", "320 Inf", "infantry", "KB3010", strength=3)
    t.do("table", "place-unit", unit=enemy, box="box:dead")
    enrol(t, "soviet", "7 Army", "hq army", "KB3010", reach=5)
    assert len(ground.zones(t.game, "soviet")) == 6


def test_a_silhouette_without_support_bars_its_hex():
    """9.41: limited support or none, a mechanized unit keeps its hex from a Prepared Assault."""
    t = at_odds()
    hq = enrol(t, "axis", "XXX. AK", "hq armeekorps", "KB3005", size="XXX", reach=6)
    t.do("table", "mark", marker="supported", units=[hq], value="on")
    foot = enrol(t, "axis", "320 Inf", "infantry", "KB3010", strength=5)
    enrol(t, "soviet", "R", "rifle", "KB3011", strength=3)
    tigers = enrol(t, "axis", "DR Tigers", "tiger company", "KB3010", size="I", formation="DR")
    with warned("9.41"):
        t.do("axis", "declare-assault", target="KB3011", attackers=[foot])
    t.do("table", "place-unit", unit=tigers, box="box:dead")
    t.do("axis", "declare-assault", target="KB3011", attackers=[foot])
