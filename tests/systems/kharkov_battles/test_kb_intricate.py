"""The intricate ones, tried out of order, by the wrong seat, twice, half on record, and after a take-back."""

import pytest
from harness import refused
from kb_bench import (
    answer,
    battle,
    designate,
    duties,
    enrol,
    fight,
    jump,
    mapped,
    options,
    synthetic_book,
    table,
    total,
    warned,
)

from companion.engine.errors import NotNow, NotYours, Unreadable
from companion.systems.kharkov_battles import ground
from companion.systems.kharkov_battles.full_support import no_attack
from companion.systems.kharkov_battles.reach import supported_now


def axis_combat(turn=1, **options):
    t = table("operation-star", **options)
    jump(t, "axis-combat", turn)
    return t


def column(t):
    return battle(t).sheet["column"]


def mark(t, unit, marker, value="on"):
    t.do("table", "mark", marker=marker, units=[unit], value=value)


def take_back(t, seat, to):
    """What was done since a line never was; the other side agrees where it must."""
    t.do(seat, "take-back", to=to)
    t.agree()


# -- 2: chits and steps ------------------------------------------------------------------------------------


def test_three_steps_at_once_kill_a_unit_that_never_drew():
    """2.7: the cup keeps its chits, and the unit is gone for good [16.36]."""
    t = axis_combat()
    unit = enrol(t, "axis", "320 Inf", "infantry", "KB3010", rating="A")
    cup = list(t.game.piles["chits"]["pool"])
    t.do("axis", "lose-steps", unit=unit, steps=3)
    assert t.game.units[unit].place == "box:dead" and list(t.game.piles["chits"]["pool"]) == cup


def test_a_reduced_chit_is_not_worth_what_a_full_one_is_after_a_take_back():
    """2.7: the take-back turns the same chit again; nothing new is drawn."""
    t = axis_combat()
    unit = enrol(t, "axis", "320 Inf", "infantry", "KB3010", rating="A")
    t.do("axis", "draw-chits", units=[unit])
    under = list(t.game.piles["chits"][f"at:{unit}"])
    before = t.game.revision
    t.do("axis", "lose-steps", unit=unit)
    assert t.game.mark(unit, "chit") == "reduced"
    take_back(t, "axis", before)
    assert t.game.mark(unit, "chit") == "full" and list(t.game.piles["chits"][f"at:{unit}"]) == under


def test_the_other_side_takes_no_steps_off_ones_units():
    """2.7, and neither does anybody turn another's chit."""
    t = axis_combat()
    unit = enrol(t, "axis", "320 Inf", "infantry", "KB3010", rating="A")
    with refused(Unreadable, field="unit"):
        t.do("soviet", "lose-steps", unit=unit)
    t.do("axis", "draw-chits", units=[unit])
    with refused(Unreadable, field="unit"):
        t.do("soviet", "set-chit", unit=unit, face="reduced")


# -- 5: air ------------------------------------------------------------------------------------------------


def test_air_that_is_promised_is_not_there_for_the_next_attack():
    """5.12, 5.22: two points, two to the first attack, none to the second."""
    t = axis_combat()
    one, two = (enrol(t, "axis", n, "infantry", h, strength=9) for n, h in (("A", "KB3010"), ("B", "KB3020")))
    for h in ("KB3011", "KB3021"):
        enrol(t, "soviet", h, "rifle", h, strength=3)
    t.do("table", "correct", name="air-axis", value="2")
    designate(t, "KB3011", one)
    designate(t, "KB3021", two)
    first, second = (d["id"] for d in duties(t, "axis", "begin-assault"))
    t.do("axis", "begin-assault", _asked=first, points="2")
    answer(t, "axis", "roll-assault", die="4")
    assert t.game.battles[min(t.game.battles)].sheet["column"] == "5-1"
    t.do("axis", "begin-assault", _asked=second, points="1")
    assert battle(t).facts["form"]["attacker_air"] == 0 and t.game["air-axis"] == 0


def test_two_air_points_on_a_city_rubble_it_for_the_next_combat_only():
    """5.41, 5.44: not for this one."""
    t = mapped(("city", "KB3011", "", "K"))
    jump(t, "axis-combat", 1)
    t.do("table", "correct", name="air-axis", value="2")
    one = enrol(t, "axis", "A", "infantry", "KB3010", strength=9)
    enrol(t, "soviet", "R", "rifle", "KB3011", strength=3)
    designate(t, "KB3011", one)
    answer(t, "axis", "begin-assault", points="2")
    answer(t, "axis", "roll-assault", die="4")
    assert column(t) == "5-1" and t.game.mark("KB3011", "rubble")


# -- 6, 7: stacks and zones --------------------------------------------------------------------------------


def test_two_white_symbols_are_one_unit_and_a_third_is_too_many():
    """6.21, 2.2"""
    t = axis_combat()
    three = [enrol(t, "axis", f"{n}", "infantry", "KB3010", strength=4, steps=2, half=True) for n in "ABC"]
    enrol(t, "soviet", "R", "rifle", "KB3011", strength=3)
    with warned("6.21"):
        designate(t, "KB3011", *three)
    designate(t, "KB3011", *three[:2])
    with warned("6.21"):
        designate(t, "KB3011", three[2])


def test_a_split_stack_keeps_the_limit_over_both_attacks():
    """6.21, 12.23: one multi-step unit a hex in the phase, whichever hexes it attacks."""
    t = axis_combat()
    big = [enrol(t, "axis", n, "infantry", "KB3010", strength=4, steps=2) for n in "AB"]
    for h in ("KB3011", "KB3009"):
        enrol(t, "soviet", h, "rifle", h, strength=3)
    designate(t, "KB3011", big[0])
    with warned("6.21"):
        designate(t, "KB3009", big[1])


def test_a_garrison_is_free_of_the_zones_round_its_city():
    """7.14: for support, breakdown and Mobile Assaults alike."""
    t = mapped(("city", "KB3010", "", "K"))
    jump(t, "axis-move", 2)
    t.do("table", "correct", name="weather", value="clear")
    unit = enrol(t, "axis", "U", "panzer", "KB3010", size="III", formation="6 Pz", strength=9, steps=2)
    for h in ("KB3011", "KB3009"):
        enrol(t, "soviet", h, "rifle", h, strength=3)
    t.do("axis", "declare-mobile", unit=unit, target="KB3011")  # the other's zone does not hold it
    assert battle(t).hexes == ("KB3011",)


# -- 8, 9: supply and support ------------------------------------------------------------------------------


def test_a_hex_judged_cut_off_marks_the_units_on_record_and_not_whoever_comes_by():
    """8.3: the state of one unit is not that of the rest of its stack."""
    t = table("operation-star")
    t.until("supply", 2)
    unit = enrol(t, "axis", "U", "infantry", "KB3010", strength=3)
    late = enrol(t, "axis", "V", "infantry", "KB3020", strength=3)
    t.do("axis", "judge-supply", side="axis", hexes=["KB3010", "KB3015"])
    assert t.game.mark(unit, "supply") == "oos" and t.game.mark("KB3015", "supply-axis") == "oos"
    t.do("axis", "place-unit", unit=late, hex="KB3015")
    jump(t, "axis-combat", 2)
    enrol(t, "soviet", "R", "rifle", "KB3016", strength=1)
    fight(t, "KB3016", late, die="4")
    assert total(t, "attack") == 3  # not halved


def test_supply_judged_after_a_take_back_is_judged_once():
    """8.3: OOS, taken back, judged again: still only OOS."""
    t = table("operation-star")
    t.until("supply", 2)
    unit = enrol(t, "axis", "U", "infantry", "KB3010", strength=3)
    before = t.game.revision
    t.do("axis", "judge-supply", side="axis", cut=[unit])
    with refused(NotNow, rule="8.3", field="side"):
        t.do("table", "judge-supply", side="axis", cut=[unit])
    take_back(t, "axis", before)
    t.do("axis", "judge-supply", side="axis", cut=[unit])
    assert t.game.mark(unit, "supply") == "oos"


def test_third_panzer_is_a_regiment_in_second_kharkov():
    """20.2: a single counter, however it was enrolled: it checks for support and counts when lost."""
    t = table("second-kharkov-k")
    jump(t, "maintenance", 2)
    unit = enrol(t, "axis", "3.Panzer", "panzer", "KH3010", size="XX", strength=9, steps=2)
    t.do("axis", "check-support", limited=[unit])
    assert no_attack(t.game, t.game.units[unit]).rule == "9.4"


def test_third_kharkovs_hqs_serve_from_the_moment_they_stand():
    """20.3: also those that came on record after the maintenance phase."""
    t = table("third-kharkov-l")
    jump(t, "axis-combat", 11)
    enrol(t, "axis", "I. AK", "hq armeekorps", "KB3510", reach=4)
    near = enrol(t, "axis", "320 Inf", "infantry", "KB3512", strength=3)
    assert supported_now(t.game, t.game.units[near]) is True


# -- 12: the assault ---------------------------------------------------------------------------------------


def test_an_attacker_that_went_away_is_said_before_its_die():
    """12.21: designated beside its target, moved by hand, still in the record."""
    t = axis_combat()
    one = enrol(t, "axis", "A", "infantry", "KB3010", strength=9)
    enrol(t, "soviet", "R", "rifle", "KB3011", strength=3)
    designate(t, "KB3011", one)
    t.do("axis", "place-unit", unit=one, hex="KB3020")
    with warned("12.21", "A stands in KB3020"):
        answer(t, "axis", "begin-assault")


def test_a_roll_taken_back_leaves_the_attack_to_be_fought_again():
    """12.0: the other side agrees; losses that were asked are asked no more."""
    t = axis_combat()
    one = enrol(t, "axis", "A", "infantry", "KB3010", strength=9)
    enrol(t, "soviet", "G", "rifle", "KB3011", strength=3, steps=2, guards=True)
    designate(t, "KB3011", one)
    answer(t, "axis", "begin-assault")
    before = t.game.revision
    answer(t, "axis", "roll-assault", die="7")
    assert duties(t, "soviet", "settle-result")
    take_back(t, "axis", before)
    assert not duties(t, "soviet") and [d["action"] for d in duties(t, "axis")] == ["roll-assault"]
    assert not battle(t).result


def test_the_ring_may_open_between_designation_and_die():
    """12.5: judged at the moment of resolution."""
    t = axis_combat()
    own = [enrol(t, "axis", h, "infantry", h, strength=3) for h in ("KB3010", "KB3012", "KB3111", "KB2911")]
    enrol(t, "soviet", "R", "rifle", "KB3011", strength=3)
    designate(t, "KB3011", *own)
    assert ground.encircled(t.game, "KB3011", "axis")
    enrol(t, "soviet", "Friend", "hq army", "KB2910", reach=3)
    answer(t, "axis", "begin-assault")
    answer(t, "axis", "roll-assault", die="4")
    assert column(t) == "4-1"


def test_minor_and_major_rivers_together_shift_and_halve():
    """12.31, 12.32, 12.5: the one over the Major River is halved, all attack over rivers, and close the ring."""
    t = mapped(("side", "KB3010", "KB3011", "major river"), ("side", "KB3011", "KB3012", "minor river"))
    jump(t, "axis-combat", 1)
    t.do("table", "correct", name="weather", value="clear")
    own = [enrol(t, "axis", h, "infantry", h, strength=6) for h in ("KB3010", "KB3012")]
    enrol(t, "soviet", "R", "rifle", "KB3011", strength=3)
    fight(t, "KB3011", *own, die="4")
    shifts = {line["rule"]: line["effect"] for line in battle(t).sheet["lines"]}
    assert total(t, "attack") == 9 and (shifts["12.32"], shifts["12.5"], column(t)) == ("-1", "+1", "3-1")


def test_a_combined_arms_defence_takes_the_bonus_and_gives_none():
    """12.44"""
    t = axis_combat()
    tank = enrol(t, "axis", "P", "panzer", "KB3010", size="III", formation="6 Pz", strength=9, band="yellow")
    enrol(t, "soviet", "T", "tank", "KB3011", size="XXX", strength=3, band="yellow")
    fight(t, "KB3011", tank, die="4")
    assert column(t) == "3-1"


def test_a_tiger_without_its_division_shifts_nothing_and_goes_when_its_owner_says():
    """15.3, 12.63: only a Tiger that used its shift is the first loss."""
    t = table("operation-star")
    jump(t, "soviet-combat", 1)
    tiger = enrol(t, "axis", "T", "tiger company", "KB3010", size="I", formation="DR")
    foot = enrol(t, "axis", "F", "infantry", "KB3010", strength=3)
    foe = enrol(t, "soviet", "R", "rifle", "KB3011", strength=3)
    fight(t, "KB3010", foe, die="5")  # D(1)
    assert column(t) == "1-1"
    assert set(options(t, "axis", "take-losses", "how")) == {f"{tiger}:1", f"{foot}:1"}


def test_the_first_loss_is_mechanized_for_an_attacker_and_free_for_a_defender():
    """12.63"""
    for attacking in (True, False):
        t = table("operation-star")
        jump(t, "axis-combat" if attacking else "soviet-combat", 1)
        tank = enrol(t, "axis", "P", "panzer", "KB3010", size="II", strength=3, silhouette=True)
        foot = enrol(t, "axis", "F", "security", "KB3010", strength=3)
        foe = enrol(t, "soviet", "R", "rifle", "KB3011", strength=6)
        if attacking:
            t.do("axis", "declare-assault", target="KB3011", attackers=[tank, foot], anyway=True)
        else:
            designate(t, "KB3010", foe)
        side = t.game.active
        answer(t, side, "begin-assault")
        answer(t, side, "roll-assault", die="3" if attacking else "5")  # A(1), D(1)
        if attacking:
            assert not t.game.units[tank].on_map and t.game.units[foot].on_map
        else:
            assert set(options(t, "axis", "take-losses", "how")) == {f"{tank}:1", f"{foot}:1"}


def test_the_losers_price_is_worked_out_for_who_is_left():
    """12.62: one of two dies by hand before the choice; four steps are no longer there to give."""
    t = axis_combat()
    one = enrol(t, "axis", "A", "infantry", "KB3010", strength=9)
    two = [enrol(t, "soviet", n, "rifle", "KB3011", strength=1, steps=2, guards=True) for n in "RS"]
    fight(t, "KB3011", one, die="7")  # D(1)r2
    assert len(options(t, "soviet", "settle-result", "more")) == 3
    t.do("soviet", "eliminate-unit", unit=two[0])
    assert len(options(t, "soviet", "settle-result", "more")) == 2


def test_a_retreat_does_not_cross_the_dnepr_nor_leave_the_play_area():
    """12.36, 20.3: such hexes cost a step each; a pontoon opens the way."""
    sides = [
        ("side", *sorted(("KB3011", h)), "dnepr") for h in ("KB3012", "KB3110", "KB3111", "KB2910", "KB2911")
    ]
    t = mapped(*sides)
    jump(t, "axis-combat", 1)
    one = enrol(t, "axis", "A", "infantry", "KB3010", strength=9)
    foe = enrol(t, "soviet", "G", "rifle", "KB3011", strength=3, steps=2, guards=True)
    fight(t, "KB3011", one, die="6")  # Dr1
    answer(t, "soviet", "settle-result", more=0)
    assert options(t, "soviet", "fall-back", "to")["KB3011"] == "Stays in KB3011, lose 1"
    t.do("table", "go-to", turn=1, phase="soviet-construction")
    t.do("soviet", "place-pontoon", hex="KB3011", across="KB3012")
    assert t.game.units[foe].place == "KB3012"  # the one way, and it costs nothing


def test_a_retreat_onto_friends_is_free_of_the_zone_there():
    """7.32, 12.73"""
    t = axis_combat()
    one = enrol(t, "axis", "A", "infantry", "KB3010", strength=9)
    enrol(t, "axis", "B", "infantry", "KB3211", strength=3)
    enrol(t, "axis", "C", "infantry", "KB2811", strength=3)
    enrol(t, "axis", "D", "infantry", "KB3013", strength=3)
    foe = enrol(t, "soviet", "G", "rifle", "KB3011", strength=3, steps=2, guards=True)
    enrol(t, "soviet", "Friend", "rifle", "KB3012", strength=3)
    fight(t, "KB3011", one, die="6")  # Dr1
    answer(t, "soviet", "settle-result", more=0)
    assert t.game.units[foe].place == "KB3012"  # the only way that costs nothing


def test_each_stack_of_a_beaten_force_finds_its_own_way():
    """12.72, 12.82: the victor may follow either."""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    two = [enrol(t, "axis", h, "infantry", h, strength=1, steps=2) for h in ("KB3010", "KB3012")]
    foe = enrol(t, "soviet", "G", "rifle", "KB3011", strength=9, steps=2, guards=True)
    fight(t, "KB3011", *two, die="2")  # Ar1
    answer(t, "axis", "settle-result", more=0)
    while duties(t, "axis", "fall-back"):
        answer(t, "axis", "fall-back", to=next(iter(options(t, "axis", "fall-back", "to"))))
    assert set(battle(t).facts["paths"]) == {"KB3010", "KB3012"}
    offered = next(r for r in duties(t, "soviet", "advance")[0]["form"] if r["name"] == "hex")
    assert [c["value"] for c in offered["choices"]] == ["KB3010", "KB3012"]
    answer(t, "soviet", "advance", units=[foe], hex="KB3012")
    assert t.game.units[foe].place == "KB3012"


def test_nobody_advances_into_a_hex_that_was_not_given_up():
    """12.8: the rest stood fast."""
    t = axis_combat()
    one = enrol(t, "axis", "A", "infantry", "KB3010", strength=9)
    enrol(t, "soviet", "G", "rifle", "KB3011", strength=3, steps=2, guards=True)
    fight(t, "KB3011", one, die="6")  # Dr1
    answer(t, "soviet", "settle-result", more=1)
    assert not duties(t, "axis", "advance") and not t.game.fighting


def split():
    """Two attacks out of one hex, and a unit in it that attacks nobody."""
    t = axis_combat()
    one, two = (enrol(t, "axis", n, "infantry", "KB3010", strength=4) for n in "AB")
    idle = enrol(t, "axis", "Idle", "infantry", "KB3010", strength=4)
    for h in ("KB3011", "KB3009"):
        enrol(t, "soviet", h, "rifle", h, strength=4)
    designate(t, "KB3011", one)
    designate(t, "KB3009", two)
    for die in ("2", "4"):  # Ar1, then no effect
        answer(t, "axis", "begin-assault")
        answer(t, "axis", "roll-assault", die=die)
    return t, one, two, idle


def test_an_idle_unit_of_a_split_hex_shares_the_result_that_its_owner_chooses():
    """12.23: the beaten stack goes back without it."""
    t, one, two, idle = split()
    with refused(NotYours, given="soviet"):
        t.do("soviet", "share-result", _asked=duties(t, "axis", "share-result")[0]["id"])
    answer(t, "axis", "share-result")
    answer(t, "axis", "settle-result", more=0)
    first, second = (t.game.battles[n] for n in sorted(t.game.battles))
    assert first.facts["beside"] == [] and second.facts["beside"] == [idle]
    answer(t, "axis", "fall-back", to=next(iter(options(t, "axis", "fall-back", "to"))))
    assert [t.game.units[u].place == "KB3010" for u in (one, two, idle)] == [False, True, True]


def test_an_idle_unit_that_nobody_speaks_for_goes_with_the_first_result():
    """12.23: and the offer is gone once that result is being applied."""
    t, one, two, idle = split()
    answer(t, "axis", "settle-result", more=0)
    assert not duties(t, "axis", "share-result")
    answer(t, "axis", "fall-back", to=next(iter(options(t, "axis", "fall-back", "to"))))
    assert [t.game.units[u].place == "KB3010" for u in (one, two, idle)] == [False, True, False]


# -- 11: on the move ---------------------------------------------------------------------------------------


def moving(**options):
    t = table("operation-star", **options)
    jump(t, "axis-move", 2)
    t.do("table", "correct", name="weather", value="clear")
    unit = enrol(t, "axis", "U", "panzer", "KB3010", size="III", formation="6 Pz", strength=9, steps=2)
    return t, unit


def test_infiltration_and_assault_exclude_each_other_either_way():
    """11.2, 11.1: not in the same phase, whichever came first."""
    t, unit = moving()
    enrol(t, "soviet", "R", "rifle", "KB3012", strength=3)
    t.do("axis", "infiltrate", units=[unit], hex="KB3011")
    with warned("11.2", "Mobile Infiltration"):
        t.do("axis", "declare-mobile", unit=unit, target="KB3012")
    with warned("11.1", "one hex"):
        t.do("axis", "infiltrate", units=[unit], hex="KB3010")
    t, unit = moving()
    enrol(t, "soviet", "R", "rifle", "KB3011", strength=3)
    t.do("axis", "mobile-assault", unit=unit, target="KB3011", attack=9, defence=3, die="7")
    with warned("11.2", "has made its Mobile Assault"):
        t.do("axis", "infiltrate", units=[unit], hex="KB3110")


def test_an_overrun_that_the_owner_answers_is_not_answered_for_him():
    """11.32: where to is the owner's."""
    t, unit = moving()
    hq = enrol(t, "soviet", "HQ", "hq army", "KB3011", reach=4)
    enrol(t, "soviet", "R", "rifle", "KB3012", strength=3)
    t.do("axis", "overrun", victim=hq, by_unit=unit)
    with refused(NotYours, given="axis"):
        t.do("axis", "overrun-fate", _asked=t.asked("soviet")[0]["id"], fate="lost")
    assert t.game.units[unit].place == "KB3010"  # not in before it is empty
    answer(t, "soviet", "overrun-fate", fate="lost")
    assert t.game.units[unit].place == "KB3011" and t.game.units[hq].place == "box:track"


def test_a_retreat_by_the_attackers_hand_takes_no_steps_for_hexes():
    """11.26: Dr3 requires three hexes; zones and walls on the way still cost [12.71, 12.73]."""
    t, unit = moving()
    foe = enrol(t, "soviet", "G", "rifle", "KB3011", strength=3, steps=2, guards=True)
    t.do("axis", "mobile-assault", unit=unit, target="KB3011", attack=9, defence=3, die="5")
    assert not duties(t, "soviet") and duties(t, "axis", "fall-back")
    answer(t, "axis", "fall-back", to=next(iter(options(t, "axis", "fall-back", "to"))))
    assert ground.distance(t.game, "KB3011", t.game.units[foe].place) == 3
    assert t.game.units[unit].place == "KB3011"


# -- 13: command -------------------------------------------------------------------------------------------


def test_an_army_is_the_same_in_capitals():
    """13.12, 13.22: pink and Pink; a unit without a colour wakes nobody else."""
    t = table("second-kharkov-k")
    units = {
        n: enrol(t, "soviet", n, "rifle", h, formation=f, strength=3)
        for n, h, f in (
            ("A", "KH3011", "pink"),
            ("B", "KH3511", "Pink"),
            ("C", "KH2511", ""),
            ("D", "KH2011", ""),
        )
    }
    for unit in units.values():
        mark(t, unit, "uncommitted")
    jump(t, "axis-combat", 2)
    own = enrol(t, "axis", "X", "infantry", "KH3010", strength=9)
    foot = enrol(t, "axis", "Y", "infantry", "KH2510", strength=9)
    designate(t, "KH3011", own)
    assert [n for n, u in units.items() if t.game.mark(u, "uncommitted")] == ["C", "D"]
    designate(t, "KH2511", foot)
    assert [n for n, u in units.items() if t.game.mark(u, "uncommitted")] == ["D"]


def test_an_hq_of_another_colour_commands_nobody_but_the_reserve():
    """13.22"""
    t = table("operation-star")
    jump(t, "soviet-command", 2)
    enrol(t, "soviet", "HQ", "hq army", "KB3009", formation="pink", reach=6)
    enrol(t, "axis", "X", "infantry", "KB3012", strength=3)
    late = [
        enrol(t, "soviet", c, "rifle", "KB3010", formation=c, strength=3) for c in ("Pink", "beige", "green")
    ]
    assert [u for d in t.game.duties(action="command-rolls") for u in d.units] == late[2:]


# -- 15, 16: regiments and replacements --------------------------------------------------------------------


def test_a_regiment_becomes_a_named_division_or_nothing():
    """16.34: points are not spent on nobody."""
    t = table("operation-star")
    jump(t, "maintenance", 6)
    division = enrol(t, "axis", "320 Inf", "infantry", "KB3010", rating="A")
    t.do("axis", "break-down", unit=division)
    regiment = t.game.units_at("KB3010")[0].id
    jump(t, "reinforcement", 6)
    t.do("table", "correct", name="rp-axis-foot", value="4")
    with refused(NotNow, rule="16.34", field="division"):
        t.do("axis", "replace", side="axis", what="regiment", unit=regiment)
    assert t.game["rp-axis-foot"] == 4
    t.do("axis", "replace", side="axis", what="regiment", unit=regiment, division=division)
    assert t.game.units[division].place == "KB3010" and t.game["rp-axis-foot"] == 2
    assert t.game.units[regiment].place == "box:regiments"


def test_points_are_the_sides_own_and_are_not_overdrawn():
    """16.0, 16.2"""
    t = table("operation-star")
    jump(t, "reinforcement", 6)
    t.do("table", "correct", name="rp-axis-foot", value="1")
    with refused(NotYours, field="side", given="soviet"):
        t.do("soviet", "replace", side="axis", what="cadre")
    with refused(NotNow, rule="16.2", field="what"):
        t.do("axis", "replace", side="axis", what="cadre")


def test_a_unit_with_a_repl_marker_is_warned_of_everywhere():
    """16.22: it neither attacks nor moves."""
    t, unit = moving()
    mark(t, unit, "repl")
    hq = enrol(t, "soviet", "HQ", "hq army", "KB3011", reach=4)
    for action, fields in (
        ("declare-mobile", {"unit": unit, "target": "KB3011"}),
        ("overrun", {"victim": hq, "by_unit": unit}),
        ("infiltrate", {"units": [unit], "hex": "KB3110"}),
    ):
        with warned("16.22", "U is taking replacements"):
            t.do("axis", action, **fields)


# -- 18, 19: works and weather -----------------------------------------------------------------------------


def test_an_attack_called_off_gives_the_builders_nothing_back():
    """18.16: being attacked stops the work; the pair agrees to call it off, and may put the marker back by hand."""
    t = table("operation-star")
    jump(t, "soviet-construction", 1)
    foe = enrol(t, "soviet", "R", "rifle", "KB3011", strength=3)
    t.do("soviet", "build-fz", units=[foe])
    jump(t, "axis-combat", 2)
    own = enrol(t, "axis", "A", "infantry", "KB3010", strength=9)
    designate(t, "KB3011", own)
    assert t.game.mark("KB3011", "building-soviet") is None and not t.game.mark(foe, "builder")


def test_works_started_twice_in_a_hex_are_refused():
    """18.14: one marker to a hex."""
    t = table("operation-star")
    jump(t, "axis-construction", 2)
    t.do("axis", "build-fz", hexes=["KB3010"])
    with refused(NotNow, rule="18.14", field="hexes"):
        t.do("axis", "build-fz", hexes=["KB3010"])


def test_mud_rolled_and_taken_back_is_rolled_again_by_the_same_seat():
    """19.11: from Freeze it is for good, unless it never was."""
    t = table("operation-star")
    t.until("weather", 5)
    before = t.game.revision
    answer(t, "soviet", "roll-mud", die="2")
    assert (t.game["weather"], t.game["mud"]) == ("mud", "yes")
    take_back(t, "soviet", before)
    assert t.game["mud"] == "no" and duties(t, "soviet", "roll-mud")
    answer(t, "soviet", "roll-mud", die="5")
    assert (t.game["weather"], t.game["mud"]) == ("freeze", "no")


# -- 20, 27: scenarios -------------------------------------------------------------------------------------


def test_the_rostov_fight_needs_a_soviet_near_rostov():
    """27.8: said where positions are on record; with nothing on record the players' word counts."""
    t = table("january-campaign")
    t.until("maintenance", 62)
    enrol(t, "soviet", "R", "rifle", "A3010", strength=3)
    with warned("27.8", "five hexes"):
        t.do("axis", "rostov-fight")
    bare = table("january-campaign")
    bare.until("maintenance", 62)
    bare.do("axis", "rostov-fight")
    assert bare.game["sp-free"] == 1


def test_a_victory_taken_back_is_put_again_when_it_comes_again():
    """20.1: withdrawn with its ground, proposed anew."""
    t = table("operation-star")
    t.do("axis", "own-hexes", side="axis", hexes=["KB3631"])
    assert any("Strategic Victory" in a.text for a in t.game.asked.values())
    t.do("soviet", "own-hexes", side="soviet", hexes=["KB3631"])
    assert not any("Strategic Victory" in a.text for a in t.game.asked.values())
    t.do("axis", "own-hexes", side="axis", hexes=["KB3631"])
    t.agree()
    assert t.game.ended and t.game.ended.winner == "axis"


def test_a_blank_book_still_plays_an_assault_to_its_end():
    """Nothing of the owner's on record: two numbers, the result off the printed table, the loser's word."""
    t = table("operation-star", synthetic_book(chits={}, places={}))
    jump(t, "soviet-combat", 1)
    t.do("soviet", "resolve-assault", attack=9, defence=3, die="7")
    answer(t, "axis", "settle-result", more=1)
    assert not t.game.duties(battle(t), "settle-result")
    with refused(NotNow):
        t.do("axis", "settle-result", _asked="settle-result-1", more=1)


@pytest.mark.parametrize("scenario", ["operation-star", "second-kharkov-k", "third-kharkov-l"])
def test_half_on_record_the_other_half_is_asked(scenario):
    """12.0: attackers on record, a defender nobody entered: his total is asked of him."""
    t = table(scenario)
    prefix = t.game.scenario.extra["map"]
    jump(t, "axis-combat", t.game.turn + 1)
    own = enrol(t, "axis", "A", "infantry", f"{prefix}3010", strength=9)
    t.do("axis", "declare-assault", target=f"{prefix}3011", attackers=[own], anyway=True)
    answer(t, "axis", "begin-assault")
    assert total(t, "attack") == 9
    answer(t, "soviet", "announce-strength", total=3)
    answer(t, "axis", "roll-assault", die="7")
    assert battle(t).result == "D(1)r2"


def test_a_declared_assault_asks_for_the_die_alone():
    """11.2, 12.0: what the record and the owner's tables tell is not asked again, in either kind of attack."""
    t, unit = moving()
    enrol(t, "soviet", "R", "rifle", "KB3011", strength=3)
    t.do("axis", "declare-mobile", unit=unit, target="KB3011")

    def shown(action):
        form = duties(t, "axis", action)[0]["form"]
        return [r["name"] for r in form if not r["hidden"] and not r["quiet"]]

    assert shown("roll-mobile") == ["die"]
    t = axis_combat()
    own = enrol(t, "axis", "A", "infantry", "KB3010", strength=9)
    enrol(t, "soviet", "R", "rifle", "KB3011", strength=3)
    designate(t, "KB3011", own)
    assert shown("begin-assault") == ["terrain", "shelter", "river"]  # a map that nobody entered
    answer(t, "axis", "begin-assault", terrain="woods", shelter=["town"], river="minor")
    assert shown("roll-assault") == ["die"]
    answer(t, "axis", "roll-assault", die="4")
    shifts = {line["label"] for line in battle(t).sheet["lines"]}
    assert {"town", "all attackers over rivers", "woods line"} <= shifts
