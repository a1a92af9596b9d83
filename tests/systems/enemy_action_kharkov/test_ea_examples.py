"""The rulebook's combat examples as whole battles, from the declaration to the advance, with its own numbers."""

from __future__ import annotations

from typing import Any

from harness import Bench, refused
from systems.enemy_action_kharkov.ea_bench import (
    activate,
    battle,
    command,
    fought,
    hand,
    mark,
    open_actions,
    owners_book,
    put,
)

from companion.engine.errors import Unreadable
from companion.systems.enemy_action_kharkov.posts import enemy_zone

MAP = "edge german 0115 1915 1715 1515 2115\ntown 1910 Lozovaia\nvp 1910 1\n"


def field(*reds: str, real: bool = True, **options: Any) -> Bench:
    """A table with Soviets of the 3rd Tank Army about to attack."""
    t = command(book=owners_book(MAP), mode_chits="physical" if real else "either", **options)
    mark(t, "1910", "owner", "soviet")
    for place in reds:
        put(t, "soviet", f"r{place}", place, formation="3T")
    return t


def choices(t: Bench, seat: str, action: str) -> list[str]:
    ask = next(a for a in t.asked(seat) if a["action"] == action and a["live"])
    return [choice["value"] for choice in ask["form"][0]["choices"]]


def attack(t: Bench, target: str, *units: str, hits: str) -> None:
    """Declare, play no tactics, enter the chits and stop as soon as the rules let one."""
    t.do("soviet", "declare-combat", hex=target, units=list(units))
    t.do("soviet", "draw-chits", hits=hits)
    if "declare-draws" in open_actions(t, "soviet"):
        t.answer("soviet", extra="0")


def test_five_soviet_units_draw_two_to_eight_chits() -> None:
    """9.3: one of them has three steps, two tactics, two defending steps."""
    t = field(real=False)
    activate(t, "P03", "3T")
    t.do(
        "soviet", "declare-combat", small=4, large=1, steps=2, attack=20, defence=4, terrain="clear", hexes=2
    )
    for tactic in ("artillery", "intelligence"):
        t.do("soviet", "play-tactic", card=hand(t, "soviet")[0], tactic=tactic)
    assert t.sees("german")["battles"][-1]["sheet"]["result"] == "2 required, 8 at most"
    t.do("soviet", "draw-chits")
    assert len(fought(t).chits) == 2
    assert choices(t, "soviet", "declare-draws") == ["0", "1", "2", "3", "4", "5", "6"]
    t.answer("soviet", extra="6")
    assert len(fought(t).chits) == 8 and battle(t).result  # he abides by the number declared


def test_a_hex_with_three_steps_takes_three_chits_whatever_the_maximum() -> None:
    """9.3: a two-step and a one-step unit; two attackers make a maximum of two."""
    t = field("2009", "2110")
    for name, steps in (("two", 2), ("one", 1)):
        put(t, "german", name, "2010", formation="XL", steps=steps, full=steps)
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", hex="2010", units=["r2009", "r2110"])
    assert t.sees("table")["battles"][-1]["sheet"]["result"] == "3 required, 2 at most"
    with refused(Unreadable, rule="9.3", field="hits"):
        t.do("soviet", "draw-chits", hits="-, -, -, -")
    t.do("soviet", "draw-chits", hits="D2, D2, D-1")
    assert battle(t).result == "A0 D3"


def test_stavka_gives_each_attack_its_own_bonus() -> None:
    """9.23: Intelligence for the first, Artillery for the second, which also plays Combat Engineers."""
    t = field(real=False)
    activate(t, "P01", "3T")
    for bonus, also in (("intelligence", ""), ("artillery", "combat engineers")):
        t.do("soviet", "declare-combat", small=2, steps=1, attack=6, defence=3, terrain="clear", ip=True)
        t.answer("soviet", tactic=bonus)
        if also:
            t.do("soviet", "play-tactic", card=hand(t, "soviet")[0], tactic=also)
        assert fought(t).attack_tactics == list(filter(None, [bonus, also]))
        assert fought(t).extra == (3 if also else 2)
        t.do("soviet", "draw-chits")
        t.do("soviet", "declare-draws", extra="0")
        while owed := [d for d in t.game.duties() if d.is_owed]:
            t.do("table", "dismiss", ask=owed[0].id)


def three_hits() -> Bench:
    """9.52: five Soviet units attack Germans of one and two steps; three hits on them, two on the attackers."""
    t = field("2009", "2110")
    for n in range(3):
        put(t, "soviet", f"s{n}", "2009" if n < 2 else "2110", formation="3T")
    for name, steps in (("one", 1), ("two", 2)):
        put(t, "german", name, "2010", formation="XL", steps=steps, full=2)
    activate(t, "P03", "3T")
    attack(t, "2010", "r2009", "r2110", "s0", "s1", "s2", hits="D2, A1 D1, A1")
    assert battle(t).result == "A2 D3"
    return t


def test_three_hits_taken_as_steps_eliminate_both() -> None:
    """9.52, option 1."""
    t = three_hits()
    t.answer("german", choice="stand")
    assert not [u for u in t.game.units.values() if u.side == "german" and u.on_map]
    assert open_actions(t, "soviet") == ["apply-attack"]


def test_three_hits_and_a_hex() -> None:
    """9.52, option 2: two more hits eliminate one of the two units."""
    t = three_hits()
    t.answer("german", choice="retreat-1")
    assert t.game.units["one"].place == "box:eliminated-german"  # one step each, no choice
    assert t.game.units["two"].steps == 1
    t.answer("german", route=choices(t, "german", "retreat")[0])
    assert t.game.units["two"].place != "2010"


def test_three_hits_and_two_hexes_preserve_both() -> None:
    """9.52, option 3: the stronger unit loses a step, both are dispersed two hexes away."""
    t = three_hits()
    t.answer("german", choice="retreat-2")
    t.answer("german", units=["two"])
    t.answer("german", route=choices(t, "german", "retreat")[0])
    for name in ("one", "two"):
        unit = t.game.units[name]
        assert unit.steps == 1 and t.game.mark(name, "dispersed") == "on"
        assert t.game.maps.distance(unit.place, "2010") == 2


def test_the_attackers_second_hit_by_dispersal_or_a_step() -> None:
    """9.52: dispersed they do not advance; with a second step lost they still may."""
    for choice, may in (("disperse", False), ("steps", True)):
        t = three_hits()
        t.answer("german", choice="retreat-1")
        t.answer("german", route=choices(t, "german", "retreat")[0])
        t.answer("soviet", choice=choice)
        t.do("soviet", "lose-steps", units=["s0"] if choice == "disperse" else ["s0", "s1"])
        lost = sum(2 - t.game.units[u].steps for u in ("r2009", "r2110", "s0", "s1", "s2"))
        assert lost == (1 if choice == "disperse" else 2)
        assert (open_actions(t, "soviet") == ["advance"]) is may


# -- 9.7: four retreats, one after the other ---------------------------------------------------------------


def test_retreats_a_and_d() -> None:
    """A goes west to 1912 by itself; D avoids elimination by 2011 and 1912, loses one step and is dispersed."""
    t = field("1910", "1810", "2112", "2009", "2110", "2211")
    for name, place in (("A", "1911"), ("D", "2010")):
        put(t, "german", name, place, formation="XL", steps=2, full=2)
    activate(t, "P03", "3T")
    attack(t, "1911", "r1910", hits="D1, -")
    t.answer("german", choice="retreat-1")
    assert t.game.units["a"].place == "1912"  # the only choice is not asked
    t.answer("soviet", units=["r1910"])
    assert t.game.units["r1910"].place == "1911"
    attack(t, "2010", "r2009", hits="D2, -")
    t.answer("german", choice="retreat-2")
    unit = t.game.units["d"]
    assert (unit.place, unit.steps, t.game.mark("d", "dispersed")) == ("1912", 1, "on")
    assert t.game.mark("d", "fell-back")  # 9.74
    assert open_actions(t, "soviet") == ["advance"]


def test_retreat_b_chooses_among_three_hexes() -> None:
    """B has three steps and two hits: 1612, 1713 or 1812, all free of enemy zones."""
    t = field("1710", "1810", "1610")
    put(t, "german", "B", "1711", formation="XL", steps=3, full=3)
    activate(t, "P03", "3T")
    attack(t, "1711", "r1710", hits="D2, -, -")
    t.answer("german", choice="retreat-2")
    offered = choices(t, "german", "retreat")
    assert {route.rpartition("-")[2] for route in offered} == {"1612", "1713", "1812"}
    t.answer("german", route="1712-1612")
    assert (t.game.units["b"].place, t.game.units["b"].steps) == ("1612", 3)


def test_retreat_c_pays_a_step_for_the_zone() -> None:
    """C: 1612 would hold seven steps; 1512 and 1712 lie in zones and cost a step of one of the two."""
    t = field("1610", "1511", "1711")
    put(t, "german", "B", "1612", formation="XL", steps=3, full=3)
    for name in ("C1", "C2"):
        put(t, "german", name, "1611", formation="XL", steps=2, full=2)
    activate(t, "P03", "3T")
    attack(t, "1611", "r1610", hits="D1, -, -, -")
    t.answer("german", choice="retreat-1")
    assert set(choices(t, "german", "retreat")) == {"1512", "1712"}
    t.answer("german", route="1512")
    assert open_actions(t, "german") == ["lose-steps"]
    t.answer("german", units=["c2"])
    assert [(t.game.units[n].place, t.game.units[n].steps) for n in ("c1", "c2")] == [
        ("1512", 2),
        ("1512", 1),
    ]


# -- 9.8: three advances ------------------------------------------------------------------------------------


def beaten(back: str, *germans: str, tank: str = "2009") -> Bench:
    """A German of 2010 retreats from an armoured and an infantry unit; other Germans stand around."""
    t = field()
    put(t, "soviet", "tank", tank, formation="3T", kind="armour")
    put(t, "soviet", "foot", "2009", formation="3T")
    put(t, "german", "D", "2010", formation="XL", steps=2, full=2)
    for place in germans:
        put(t, "german", f"g{place}", place, formation="III")
    activate(t, "P03", "3T")
    attack(t, "2010", "tank", "foot", hits="D2, -" if back == "retreat-2" else "D1, -")
    t.answer("german", choice=back)
    return t


def test_advance_a_one_hex_for_both_one_or_none() -> None:
    t = beaten("retreat-1")
    t.answer("german", route="2011")
    assert set(choices(t, "soviet", "advance")) == {"tank", "foot"}
    t.answer("soviet", units=["foot", "tank"])
    assert not t.game.duties()  # 9.81: after a one-hex retreat nobody goes on


def test_advance_b_armour_goes_on_off_the_path() -> None:
    """The first hex is in no enemy zone, so the armour may leave the path of retreat."""
    t = beaten("retreat-2")
    t.answer("german", route="2011-2012")
    t.answer("soviet", units=["foot", "tank"])
    offered = choices(t, "soviet", "go-on")
    assert {value.split()[0] for value in offered} == {"tank"}
    assert "tank 2111" in offered and "tank 2011" in offered
    t.answer("soviet", where="tank 2111")
    assert t.game.units["tank"].place == "2111" and t.game.units["foot"].place == "2010"


def test_advance_c_armour_follows_the_path_only() -> None:
    """In an enemy zone it may not go on into another zone, but for the path of retreat."""
    t = beaten("retreat-2", "2111")
    t.answer("german", route=next(r for r in choices(t, "german", "retreat") if r.startswith("2011")))
    t.answer("soviet", units=["tank"])
    zone, path = enemy_zone(t.game, "soviet"), "2011"
    assert {"2010", "2011", "2110"} <= zone
    offered = [value.split()[1] for value in choices(t, "soviet", "go-on")]
    assert path in offered and not [h for h in offered if h != path and h in zone]


def test_advance_stops_behind_a_big_river() -> None:
    """9.82: a unit that advanced over the unbridged Donets goes no further."""
    t = command(book=owners_book(MAP + "2010-2009 donets\n"), mode_chits="physical")
    put(t, "soviet", "tank", "2009", formation="3T", kind="armour")
    put(t, "german", "D", "2010", formation="XL", steps=1, full=1)
    activate(t, "P03", "3T")
    attack(t, "2010", "tank", hits="D2")
    t.answer("german", choice="stand")
    t.answer("soviet", units=["tank"])
    assert t.game.units["tank"].place == "2010" and not t.game.duties()
