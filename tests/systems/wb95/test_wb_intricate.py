"""The rulebook's most intricate turns, each played: out of order, by the wrong seat, early, late, twice, taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness import refused, warned

from companion.engine.errors import NotNow, NotYours, Several, StillOwed, Unreadable
from companion.engine.record import events as e

Make = Callable[..., Any]


def fought(t: Any, die: str, attack: int = 9, defence: int = 4, **fields: Any) -> tuple[str, str]:
    """Soviets in 3010 attack Germans in 3011."""
    a = t.unit("soviet", "rifles", "3010", a=attack)
    d = t.unit("german", "landser", "3011", a=defence)
    t.do("soviet", "resolve-combat", target="3011", attackers=a, die=die, **fields)
    return a, d


def back(t: Any, seat: str, to: int) -> None:
    """Take back to a line; the other side agrees where it is asked."""
    t.do(seat, "take-back", to=to)
    t.agree()


# -- retreats and the big river


def river(table: Make, map_book: Make, lines: str, **options: Any) -> Any:
    return table(phase="attack-a", fog=False, book=map_book(lines), **options)


RING = "\n".join(f"side,3011,{h},doniec" for h in ("3012", "2911", "3111", "2910", "3110"))


def test_a_retreat_crosses_the_big_river_by_a_bridge_only(table: Make, map_book: Make) -> None:
    """5.3.5: a printed one, a built one; not one that was blown."""
    t = river(table, map_book, RING + "\nside,3011,3012,bridge")
    _, d = fought(t, "3 4")  # 2:1, 7: D1
    t.settle("german", "retreat", go=1)  # the bridge is the only way
    assert t.game.units[d].place == "3012"
    t = river(table, map_book, RING + "\nside,3011,3012,bridge")
    t.do("table", "set-bridge", hexes="3011 3012", state="down")
    _, d = fought(t, "3 4")
    with warned("5.3.3, 5.3.6"):
        t.settle("german", "retreat", go=1)
    t = river(table, map_book, RING)
    t.do("table", "set-bridge", hexes="3011 3012", state="german")
    _, d = fought(t, "3 4")
    t.settle("german", "retreat", go=1)
    assert t.game.units[d].place == "3012"


def test_where_the_doniec_is_no_big_river_it_is_crossed(table: Make, map_book: Make) -> None:
    t = river(table, map_book, RING, **{"doniec-is-big": False})
    fought(t, "3 4", terrain="clear")
    t.settle("german", "retreat", go=1)
    assert "3012" in t.ways("german", "fall-back")


def test_who_attacked_across_the_big_river_stops_behind_it(table: Make, map_book: Make) -> None:
    """5.4.8: the emptied hex and no further; another attacker goes on."""
    t = river(table, map_book, "side,3010,3011,doniec")
    a = t.unit("soviet", "swimmers", "3010", a=20)
    b = t.unit("soviet", "dry", "2910", a=21)
    t.unit("german", "landser", "3011", a=4)
    t.do("soviet", "resolve-combat", target="3011", attackers=f"{a},{b}", die="3 4")  # 10:1, 7: D4
    t.settle("german", "retreat", go=3)
    t.settle("german", "fall-back", to="3014")
    with warned("5.4.8"):
        t.settle("soviet", "pursue", units=a, to="3012")
    t.settle("soviet", "pursue", units=b, to="3012")
    assert t.ways("soviet", "pursue") == ["3011"]
    t.settle("soviet", "pursue", to="3011")
    assert [t.game.units[u].place for u in (a, b)] == ["3011", "3012"]


def test_a_pursuit_that_meets_the_river_on_its_way_ends_there(table: Make, map_book: Make) -> None:
    """5.4.2, 5.4.6, 5.4.8."""
    t = river(table, map_book, "side,3012,3013,doniec\nside,3012,3013,bridge")
    fought(t, "3 4", attack=40)
    t.settle("german", "retreat", go=4)
    t.settle("german", "fall-back", to="3015")
    offered = t.ways("soviet", "pursue")
    assert "3013" in offered and "3014" not in offered


def test_motors_do_not_pursue_into_summer_swamp(table: Make, map_book: Make) -> None:
    """5.4.7."""
    t = river(table, map_book, "terrain,3011,,swamp")
    tanks = t.unit("soviet", "tanks", "3010", a=30, kind="ARM", klass="mechanized")
    foot = t.unit("soviet", "foot", "2910", a=2, klass="foot")
    t.unit("german", "landser", "3011", a=2, klass="foot")
    t.do("soviet", "resolve-combat", target="3011", attackers=f"{tanks},{foot}", die="3 4")
    t.settle("german", "retreat", go=t.game.asked[t.duty("german", "retreat")["id"]].args["ordered"])
    if "fall-back" in t.asks():
        t.settle("german", "fall-back", to=t.ways("german", "fall-back")[0])
    with warned("5.4.7"):
        t.settle("soviet", "pursue", units=tanks, to="3011")
    t.settle("soviet", "pursue", units=foot, to="3011")


def test_stars_are_not_used_across_the_big_river(table: Make, map_book: Make) -> None:
    """15.1.8: of each unit that attacks so; another's count."""
    t = river(table, map_book, "side,3010,3011,doniec")
    wet = t.unit("soviet", "wet", "3010", a=4, star="blue")
    dry = t.unit("soviet", "dry", "2910", a=5, star="blue")
    t.unit("german", "landser", "3011", a=4)
    fields = {"target": "3011", "attackers": f"{wet},{dry}"}
    assert t.calc("combat", **fields, attack_star_units=f"{wet},{dry}").facts["attack_shifts"] == 1
    assert t.calc("combat", **fields, attack_star_units=wet).facts["attack_shifts"] == 0
    assert t.calc("combat", **fields, attack_star_units=f"{wet},{dry}").facts["attack_users"] == [dry]


# -- order, seat, early, late, twice


def test_the_whole_battle_in_its_order_by_its_seats(table: Make) -> None:
    """5.2.1: whoever answers out of turn, or for the other, is told; the table may answer for both."""
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "rifles", "3010", a=28)
    one, two = (t.unit("german", n, "3011", a=2) for n in ("one", "two"))
    t.do("soviet", "resolve-combat", target="3011", attackers="rifles", die="4 4")  # 7:1, 8: - / D3 -1
    for action, fields in (
        ("fall-back", {"to": "3014"}),
        ("pursue", {"to": "3011"}),
        ("take-tests", {"die": "1 1"}),
    ):
        with refused(NotNow):
            t.do("german", action, **fields)  # nothing of the kind is open yet
    with refused(NotYours, given="soviet"):
        t.do("soviet", "take-losses", _asked=t.duty("german", "take-losses")["id"], units=one)
    t.do("table", "take-losses", _asked=t.duty("german", "take-losses")["id"], units=one)
    t.settle("german", "retreat", go=2)
    with refused(NotNow, rule="5.3.2"):
        t.settle("german", "take-losses", units=two)  # the price comes after the way back
    t.settle("german", "fall-back", to="3013")
    t.settle("german", "take-losses", units=two)
    with refused(NotNow):
        t.settle("german", "take-tests", die="1 1")  # pursuit first
    t.settle("soviet", "pursue", to="3011")
    t.settle("german", "take-tests", die="1 1")
    assert not t.game.fighting and [t.game.units[u].steps for u in (one, two)] == [1, 1]


def test_every_step_taken_back_and_done_otherwise(table: Make) -> None:
    """After an undo the same duty is open again, with the same choices, and nothing is owed twice."""
    t = table(phase="attack-a", fog=False)
    a, d = fought(t, "2 3")  # dot / D2
    before = t.game.revision
    t.settle("german", "retreat", go=0)
    assert t.game.units[d].place == "box:dead"
    back(t, "german", before)
    assert (t.game.units[d].place, t.game.units[d].steps) == ("3011", 2)
    t.settle("german", "retreat", go=2)
    before = t.game.revision
    t.settle("german", "fall-back", to="3013")
    t.settle("soviet", "pursue", to="3011")
    back(t, "soviet", before)
    assert (t.game.units[a].place, t.game.units[d].place) == ("3010", "3011")
    assert sorted(t.asks()) == ["fall-back", "take-tests", "take-tests"]
    t.settle("german", "fall-back", to="2912", anyway=True)
    t.settle("soviet", "pursue", to="3011")
    t.settle("soviet", "take-tests", die="1 1")
    t.settle("german", "take-tests", die="1 1")
    assert not t.game.fighting and t.replayed().dump() == t.game.dump()


def test_an_attack_taken_back_can_be_made_again(table: Make) -> None:
    """5.1.1, 6.1.4: neither attackers nor guns nor the hex have fought then."""
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=9)
    gun = t.unit("soviet", "gun", "3009", kind="ART", a=3, d=1, cel=1)
    t.unit("german", "landser", "3011", a=4)
    before = t.game.revision
    t.do("soviet", "resolve-combat", target="3011", attackers=a, attack_guns=gun, die="6 5")
    back(t, "soviet", before)
    assert not t.mark(a, "fought") and not t.mark(gun, "fired") and not t.mark("3011", "attacked")
    t.do("soviet", "resolve-combat", target="3011", attackers=a, attack_guns=gun, die="6 5")


def test_a_phase_left_in_the_midst_goes_on_in_the_enemys(table: Make) -> None:
    """What is owed is answered in the enemy's combat phase, and his own attack waits for a word only."""
    t = table(phase="attack-a", fog=False)
    a, d = fought(t, "2 3")
    with refused(StillOwed):
        t.do("soviet", "next-phase")
    t.until("attack-b")
    with warned("5.2.1"):
        t.do("german", "resolve-combat", target="3010", attackers=d, die="3 4")
    t.settle("german", "retreat", go=1)
    t.settle("german", "fall-back", to="3012")
    assert t.game.units[d].steps == 1


def test_the_second_tap_on_check_supply_is_refused(table: Make) -> None:
    """10.2.1, 10.2.7: nobody recovers four levels twice in one phase; a taken-back check may be made again."""
    t = table(phase="supply-a", fog=False)
    unit = t.unit("soviet", "back", "3010", oos=9)
    before = t.game.revision
    t.do("soviet", "check-supply")
    with refused(NotNow, given="check-supply"):
        t.do("soviet", "check-supply")
    assert t.mark(unit, "oos") == 5
    back(t, "soviet", before)
    t.do("soviet", "check-supply", hexes="3010")
    assert t.mark(unit, "oos") == 9


def test_levels_rise_at_once_and_the_dice_see_them(table: Make) -> None:
    """10.2.4-10.2.6: full move, failed full attack, driven back: level 5, and it falls to a 4."""
    t = table(phase="move-a", fog=False)
    a = t.unit("soviet", "pocket", "3010", a=9, cel=8, oos=1)
    t.unit("german", "landser", "3011", a=4)
    t.do("soviet", "pay-level", units=a)
    t.next()
    t.do("soviet", "resolve-combat", target="3011", attackers=a, pay=a, die="6 5")  # 2:1, 11: no Dx
    assert t.mark(a, "oos") == 4
    t.until("attack-b")
    t.unit("german", "panzers", "2910", a=40)
    t.do(
        "german", "resolve-combat", target="3010", attackers="panzers", defence_sp="4", die="3 4"
    )  # 10:1, 7: D4
    assert t.mark(a, "oos") == 5
    t.settle("soviet", "retreat", go=0)
    t.until("supply-a", 2)
    t.do("soviet", "check-supply", hexes="3010")
    t.settle("soviet", "surrender-tests", dice="2 2")
    assert t.game.units[a].place == "box:dead"


def test_who_may_yet_surrender_takes_no_hex(table: Make) -> None:
    """4.3.4: the phase ended over its test; a unit beside it that is sure does."""
    t = table(phase="supply-a", fog=False)
    t.do("table", "set-control", hexes="2915", by="german")
    t.unit("soviet", "doomed", "2915", oos=9)
    t.do("soviet", "check-supply", hexes="2915")
    t.next()
    assert t.mark("2915", "owner") == "german"
    t.settle("soviet", "surrender-tests", dice="1 1")
    assert t.mark("2915", "owner") == "german"


def test_field_works_of_the_board_stay(table: Make) -> None:
    """7.1.5: half on record; works that no counter on record ever stood in are not taken away."""
    t = table(phase="move-a", fog=False)
    t.unit("soviet", "elsewhere", "3020")
    t.do("soviet", "dig-in", hexes="3010", anyway=True)
    t.next()
    assert t.mark("3010", "fort") == "ff"


def test_bombs_that_empty_a_trench_remove_it(table: Make) -> None:
    """7.1.5: at the end of any phase, the air phase too."""
    t = table(fog=False)
    unit = t.unit("german", "landser", "1705", cel=1)
    t.do("table", "mark", marker="fort", hexes="1705", value="ff")
    t.do("soviet", "attack-from-air", sp=8, target="1705", side="soviet", die="6 6")  # -1D
    assert t.game.units[unit].place == "box:dead"
    t.next()
    assert t.mark("1705", "fort") is None


# -- defence from everywhere


def test_two_hexes_attacked_by_one(table: Make) -> None:
    """5.1.5, 6.6.3: cavalry 5 and two lone guns defend with 6; both hexes have then been attacked."""
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=12)
    t.unit("german", "cavalry", "3011", kind="CAV", a=5)
    guns = [t.unit("german", f"gun {n}", "2910", kind="ART", a=5, d=3, cel=1) for n in (1, 2)]
    t.do("soviet", "resolve-combat", target="3011 2910", attackers=a, die="3 4")  # 2:1, 7: D1
    assert t.breakdown["facts"]["defence"] == 6
    assert t.mark("3011", "attacked") and t.mark("2910", "attacked")
    t.settle("german", "retreat", go=1)  # the cavalry; the guns cannot
    assert {t.game.units[g].place for g in guns} == {"2910"}


def test_a_gun_in_one_hex_supports_the_attacked_other(table: Make) -> None:
    """6.3.3, 6.6.1: not while its own hex is attacked too and it is alone there."""
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=12)
    t.unit("german", "landser", "3011", a=5)
    t.unit("german", "gun", "2910", kind="ART", a=5, d=3, cel=1)
    t.do("soviet", "resolve-combat", target="3011", attackers=a)
    assert t.offered("german", "defend", "guns") == ["gun (2910)"]
    t.settle("german", "defend", guns="gun")
    t.settle("soviet", "roll-combat", die="6 5")
    assert t.breakdown["facts"]["defence"] == 8
    u = table(phase="attack-a", fog=False)
    a = u.unit("soviet", "rifles", "3010", a=12)
    u.unit("german", "landser", "3011", a=5)
    u.unit("german", "gun", "2910", kind="ART", a=5, d=3, cel=1)
    u.do("soviet", "resolve-combat", target="3011 2910", attackers=a, die="6 5")  # nobody is asked
    assert u.breakdown["facts"]["defence"] == 6


def test_a_supporting_gun_beside_the_enemy_shares_the_result(table: Make) -> None:
    """5.6.3, 6.3.4, 6.3.5: the D of a 12 falls on the gun beside, not on the one behind."""
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=9)
    beside = t.unit("soviet", "beside", "2910", kind="ART", a=1, d=1, cel=1)
    behind = t.unit("soviet", "behind", "3008", kind="ART", a=1, d=1, cel=1)
    t.unit("german", "landser", "3011", a=4)
    t.do("soviet", "resolve-combat", target="3011", attackers=a, attack_guns=f"{beside},{behind}", die="6 6")
    assert t.mark(beside, "disorganised") and not t.mark(behind, "disorganised")
    assert t.about("soviet", "take-losses") == [a, beside]


def test_support_is_flown_once(table: Make) -> None:
    """8.2.2: over the attackers' hex or the target, with the first combat that it can join."""
    t = table(fog=False)
    t.do("soviet", "assign-air", mission_1="support", hex_1="3010", sp_1=5)
    t.until("attack-a")
    a, b = (t.unit("soviet", n, "3010", a=4) for n in ("one", "two"))
    for place in ("3011", "2910"):
        t.unit("german", f"at {place}", place, a=4)
    t.do("soviet", "resolve-combat", target="3011", attackers=a, die="6 5")
    assert t.breakdown["facts"]["attack"] == 9
    t.do("soviet", "resolve-combat", target="2910", attackers=b, die="6 5", anyway=True)
    assert t.breakdown["facts"]["attack"] == 4


def test_german_aircraft_defend_with_half_and_soviet_ones_never(table: Make) -> None:
    """8.2.4, 8.2.5."""
    t = table("kharkov-1943", fog=False)
    t.do("german", "assign-air", mission_1="defence", hex_1="3011", sp_1=5)
    with refused(Unreadable, field="mission_1"):
        t.do("soviet", "assign-air", mission_1="defence", hex_1="3010", sp_1=2)
    t.do("soviet", "assign-air")
    t.until("attack-b")
    t.do("table", "mark", marker="fort", hexes="2000", value="ff")
    a = t.unit("soviet", "rifles", "3010", a=9)
    t.unit("german", "landser", "3011", a=4)
    assert not t.panel("table", "In the air")  # the second air phase took yesterday's missions off
    assert t.calc("combat", target="3011", attackers=a).facts["defence"] == 4


def test_the_pool_serves_both_sides_of_a_battle(table: Make) -> None:
    """9.1.6: five shifts in one combat, attack and defence; not a sixth, not nine hexes away."""
    t = table(fog=False)
    t.until("attack-a", 2)
    t.do("table", "lose-hq", side="soviet", hex="3015")
    t.until("attack-b", 2)
    g = t.unit("german", "landser", "3011", a=4)
    t.unit("soviet", "rifles", "3010", a=4)
    with refused(Unreadable, rule="9.1.6, 9.1.7", field="attack_pool"):
        t.do("german", "resolve-combat", target="3010", attackers=g, attack_pool=6, die="3 4")
    t.do("german", "resolve-combat", target="3010", attackers=g, attack_pool=5, die="3 4")
    assert t.breakdown["column"] == "6:1" and not t.game.marked("hq-pool-german")


def test_a_disorganised_and_unsupplied_attacker_in_swamp(table: Make, map_book: Make) -> None:
    """1.7, 5.6.4, 10.2.2, summer table: 13 is 7, is 4, with a gun of 3 is 7, is 4."""
    t = river(table, map_book, "terrain,3011,,swamp")
    a = t.unit("soviet", "rifles", "3010", a=13, oos=1)
    t.do("table", "disorganise", units=a)
    gun = t.unit("soviet", "gun", "3009", kind="ART", a=3, d=1, cel=1)
    t.unit("german", "landser", "3011", a=4)
    assert t.calc("combat", target="3011", attackers=a, attack_guns=gun).facts["attack"] == 4


def test_mandatory_attacks_are_met_by_the_hex_that_fell_back(table: Make) -> None:
    """5.1.4, 5.1.7: whoever was attacked is done with, also when it falls back beside another of yours."""
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=9)
    t.unit("soviet", "watch", "3015", a=9)
    t.unit("german", "landser", "3011", a=4)
    t.do("soviet", "resolve-combat", target="3011", attackers=a, die="2 3")  # D2
    t.settle("german", "retreat", go=2)
    t.settle("german", "fall-back", to="3013")
    t.settle("soviet", "pursue", to="3012")
    t.settle("soviet", "take-tests", die="1 1")
    t.settle("german", "take-tests", die="1 1")
    t.do("soviet", "next-phase")


def test_an_entrenched_unit_must_attack_for_another(table: Make) -> None:
    """5.1.5 c: unit 1 attacked B alone, so A must still be attacked, and it is said before the phase ends."""
    t = table(phase="attack-a", fog=False)
    t.unit("german", "A", "3011", a=3)
    t.unit("german", "B", "2910", a=3)
    one = t.unit("soviet", "one", "3010", a=9)
    two = t.unit("soviet", "two", "3111", a=9)
    t.do("table", "mark", marker="fort", hexes="3111", value="ff")
    t.do("soviet", "resolve-combat", target="2910", attackers=one, die="6 5")
    with refused(StillOwed) as said:
        t.do("soviet", "next-phase")
    assert said.value.said == ["must be attacked: 3011 (5.1.4)"]
    t.do("soviet", "resolve-combat", target="3011", attackers=two, die="6 5")
    t.do("soviet", "next-phase")


def test_a_price_higher_than_those_who_stand(table: Make) -> None:
    """5.3.7, 5.3.8: one of one CEL stays on D3, pays all it has, and nobody else pays for it."""
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "rifles", "3010", a=28)
    goes, stays = t.unit("german", "goes", "3011", a=2), t.unit("german", "stays", "3011", a=2, cel=1)
    t.do("soviet", "resolve-combat", target="3011", attackers="rifles", die="3 4")  # 7:1, 7: D3
    t.settle("german", "retreat", go="some")
    t.settle("german", "part", units=goes, far=3)
    t.settle("german", "fall-back", to="3014")
    assert (t.game.units[goes].steps, t.game.units[stays].place) == (2, "box:dead")


def test_a_blank_cell_is_read_off_the_chart_and_goes_the_same_way(table: Make) -> None:
    """Rows 3, 4 and 11: the battle stays open until the printed chart was read."""
    t = table(phase="attack-a", fog=False)
    a, d = fought(t, "1 2", attack=40)  # 10:1, 3: lost in our text
    with refused(StillOwed):
        t.do("soviet", "next-phase")
    t.next()
    with refused(NotYours, given="german"):
        t.do("german", "enter-result", _asked=t.duty("soviet", "enter-result")["id"], result="• / D5 -1")
    t.settle("soviet", "enter-result", result="• / D5 -1")  # a phase later, it goes the same way
    assert t.game.units[d].steps == 1 and "retreat" in t.asks()
    assert a in t.about("soviet", "take-tests")


def test_strategic_movement_leaves_no_mark_behind(table: Make) -> None:
    """12.1.4: marks go when the side's strategic movement ends; the enemy's stay."""
    t = table(phase="move-a", fog=False)
    mine = t.unit("soviet", "mine", "3010")
    theirs = t.unit("german", "theirs", "2020")
    t.do("table", "mark", marker="strategic", units=theirs, value="on")
    t.do("soviet", "mark-strategic", units=mine)
    t.until("supply-a")
    assert not t.mark(mine, "strategic") and t.mark(theirs, "strategic")


def test_an_overrun_opens_the_pool_and_needs_an_empty_guard(table: Make) -> None:
    """6.1.7, 9.1.5: a towed anti-tank gun is a regular unit and guards the headquarters."""
    t = table(phase="move-a", fog=False)
    t.unit("german", "HQ x", "3011", kind="HQ", cel=1)
    pak = t.unit("german", "pak", "3011", kind="AT", klass="towed", cel=1)
    with refused(NotNow, rule="6.1.7, 9.1.5", field="hex"):
        t.do("soviet", "overrun-hex", hex="3011")
    t.do("table", "lose-cel", units=pak)
    t.do("soviet", "overrun-hex", hex="3011")
    assert t.mark("3011", "hq-pool-soviet") == 5


def test_crossing_attacks_roll_a_die_each(table: Make) -> None:
    """8.2.18, 8.2.20: two points are four attacks; every six costs a CEL, dealt to whoever crossed."""
    t = table("kharkov-1943", fog=False)
    t.do("soviet", "assign-air", more="crossing 3010:3 3011:1 2")
    t.do("german", "assign-air")
    t.until("move-a")
    unit = t.unit("german", "swimmers", "3010", cel=4)
    with refused(Unreadable, field="dice"):
        t.do("german", "roll-crossing", hex="3010", unit=unit, dice="6 6")  # three attacks are there
    t.do("german", "roll-crossing", hex="3010", unit=unit, dice="6 5 6")
    assert t.game.units[unit].steps == 2


def test_air_points_are_spent_once_a_day(table: Make) -> None:
    """8.1.5: what flew in phase 1 is gone in phase 7; what was beaten does not come back [8.1.9]."""
    t = table("kharkov-1943", fog=False)
    t.do("german", "assign-air", mission_1="support", hex_1="3010", sp_1=6)
    t.do("soviet", "assign-air", mission_1="support", hex_1="3011", sp_1=3)
    t.settle("table", "fight-in-the-air", german_die=1, soviet_die=6)  # 7 against 9
    t.until("air-b")
    assert (t.game["air-german"], t.game["air-soviet"]) == (2, 0)
    with refused(NotNow, rule="8.1.5", field="sp_1"):
        t.do("german", "assign-air", mission_1="support", hex_1="3010", sp_1=3)


def test_a_bridge_under_guns_then_a_retreat_over_it(table: Make, map_book: Make) -> None:
    """6.4.7, 5.3.5, 14.1.1: shelled down in the same phase, it carries nobody."""
    t = river(table, map_book, RING + "\nside,3011,3012,bridge")
    t.do("soviet", "hit-bridge", bridge="3011 3012", sp=9, die="2 3")
    fought(t, "3 4")
    with warned("5.3.3, 5.3.6"):
        t.settle("german", "retreat", go=1)
    t.settle("german", "retreat", go=0)
    assert t.game.unit("landser").steps == 1


def test_zones_do_not_reach_over_the_big_river_even_by_a_bridge(table: Make, map_book: Make) -> None:
    """4.1.3: so nobody must attack across it; he may."""
    t = river(table, map_book, "side,3010,3011,doniec\nside,3010,3011,bridge")
    a = t.unit("soviet", "rifles", "3010", a=9)
    t.unit("german", "landser", "3011", a=4)
    t.do("soviet", "next-phase")
    t.until("attack-a", 2)
    t.do("soviet", "resolve-combat", target="3011", attackers=a, die="6 5")
    assert t.breakdown["facts"]["defence_shifts"] == 1


def test_nothing_on_record_from_attack_to_test(table: Make) -> None:
    """Strengths unknown to the attacker, retreat, pursuit and test all by hand, in order, each by its seat."""
    t = table(phase="attack-a")
    t.do("soviet", "resolve-combat", attack=40)
    t.settle("german", "defend", defence=4)
    t.settle("soviet", "roll-combat", die="3 4")  # 10:1, 7: D4
    t.settle("german", "retreat", go=3)
    t.settle("german", "take-losses", hex_is="held")
    with refused(NotYours, given="german"):
        t.do("german", "pursue", _asked=t.duty("soviet", "pursue")["id"])
    t.settle("soviet", "pursue")
    done = t.settle("german", "take-tests", troops="romanian", die="5 4", die_2="5 3")
    told = [event.text for event in done if isinstance(event, e.Noted)]
    assert told == ["German: 9 against 9, disorganised", "German: 8 against 9, keeps order"]
    assert not t.game.fighting


def test_half_on_record_the_rest_is_typed(table: Make) -> None:
    """Known attackers and typed ones add up; what the record knows of the known ones still counts."""
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=9, oos=1)
    t.unit("german", "landser", "3011", a=4)
    sheet = t.calc("combat", target="3011", attackers=a, attack=3, attack_halved="5")
    assert sheet.facts["attack"] == 5 + 3 + 3


def test_forms_say_all_that_is_wrong_at_once(table: Make) -> None:
    t = table(phase="attack-a")
    with refused(Several):
        t.do("soviet", "resolve-combat", target="9999", attack="many", die="3 4")
