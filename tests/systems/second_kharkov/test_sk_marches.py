"""Moves and entries by a strict owner: stacks, costs, lines crossed on the way, wrong hexes, early, late, twice."""

from __future__ import annotations

from typing import Any

import pytest
from harness import refused

from companion.engine.errors import NotNow, NotYours, Unreadable, Warned

TOWN = ("town", "2612", "", "Here")
SOUTH_AND_WEST = tuple(("area", h, "", name) for h in ("2511", "2512") for name in ("south", "west"))


def stack(table: Any, **options: Any) -> Any:
    """Turn 4: tanks with 8 and rifles with 5 in 2510, nobody near."""
    t = table(turn=4, phase="soviet-move", fog=False, **options)
    t.enter("TB", "soviet", "2510", kind="tank", mf=8)
    t.enter("RD", "soviet", "2510", kind="rifle", mf=5)
    return t


def next_turn(t: Any) -> None:
    t.do("table", "correct", name="perimeter", value="crossed")
    t.until("soviet-move", 5)


BOTH = "soviet-tb, soviet-rd"


# -- stacks [11.5-11.8] ----------------------------------------------------------------------------


def test_a_stack_moves_at_its_slowest_unit_each_paying_by_its_class(table: Any) -> None:
    """11.7, 11.8: forest costs the tanks 2 and the rifles 1; the tanks have 8, the rifles 5."""
    path = "2511 2512 2513 2514 2515"
    t = stack(table, ground=tuple(("terrain", h, "", "forest") for h in path.split()[:4]))
    sheet = t.calc("movement", unit=BOTH, hexes=path)
    assert sheet.facts["steps"] == 4 and sheet.facts["costs"] == {"soviet-tb": 8, "soviet-rd": 5}
    assert any(line.rule == "11.7" and "TB" in line.label for line in sheet.lines), "the rifles may go on"
    assert t.calc("movement", unit=BOTH, hexes="2511 2512").facts["left"] == 3, "what the slowest has"
    assert t.calc("movement", unit=BOTH, hexes="2511 2512").facts["mf"] == 5


def test_only_units_of_one_hex_move_together(table: Any) -> None:
    """11.5."""
    t = stack(table)
    t.enter("CD", "soviet", "2509", kind="cavalry", mf=8)
    for act in (
        lambda: t.calc("movement", unit="soviet-tb, soviet-cd", hexes="2511"),
        lambda: t.do("soviet", "make-move", unit="soviet-tb, soviet-cd", hexes="2511", anyway=True),
    ):
        with refused(Unreadable, rule="11.5", field="unit", given="soviet-cd"):
            act()


def test_the_move_is_made_from_its_sheet(table: Any) -> None:
    """11.1, 3.5: placed at the end, and the town on the way is taken though nobody stayed there."""
    t = stack(table, ground=(TOWN,))
    t.do("table", "take-hex", hexes="2612", side="german")
    t.do("soviet", "make-move", unit=BOTH, hexes="2511 2612 2613")
    assert {t.game.units[n].place for n in ("soviet-tb", "soviet-rd")} == {"2613"}
    assert t.game.mark("2612", "owner") == "soviet"


def test_the_way_is_found_where_only_its_end_is_told(table: Any) -> None:
    """11.1, 11.13, 8.7: around marsh, enemies and their zones, and as cheaply as can be; hexes named are kept to."""
    ground = (("terrain", "2511", "", "marsh"), TOWN)
    t = stack(table, ground=ground)
    t.do("soviet", "make-move", unit="soviet-tb", to="2512", mf=8)
    tanks = next(e for e in t.events[::-1] if e.KIND == "placed")
    assert tanks.place == "2512" and tanks.reason in ("by 2411 2412", "by 2611 2612")
    t.do("soviet", "make-move", unit="soviet-rd", hexes="2612", to="2513")
    assert t.game.mark("2612", "owner") == "soviet", "by way of the town"
    assert t.game.mark("soviet-rd", "spent") == 4
    t.enter("44", "german", "2709", kind="infantry")
    for hex_id in ("2609", "2509", "2409", "2410", "2411", "2511", "2611", "2610"):
        if not t.game.units_at(hex_id):
            t.enter(f"G{hex_id}", "german", hex_id, kind="infantry")
    t.enter("CD", "soviet", "2510", kind="cavalry", mf=8)
    with refused(Unreadable, rule="11.1", field="to", given="2910"):
        t.do("soviet", "make-move", unit="soviet-cd", to="2910")
    with refused(Unreadable, rule="11.1", field="to"):
        t.do("soviet", "make-move", unit="soviet-cd")


def test_a_halted_stack_goes_on_with_what_is_left(table: Any) -> None:
    """11.2, 11.6: nothing is saved, nothing is given twice; the next phase begins anew."""
    t = stack(table)
    t.do("soviet", "make-move", unit=BOTH, hexes="2511 2512 2513")
    t.do("soviet", "make-move", unit="soviet-tb", hexes="2514 2515 2516 2517 2518")
    with refused(Warned) as said:
        t.do("soviet", "make-move", unit="soviet-rd", hexes="2514 2515 2516")
    assert "(11.2)" in said.value.said[0] and t.game.units["soviet-rd"].place == "2513"
    t.do("soviet", "make-move", unit="soviet-rd", hexes="2514 2515 2516", anyway=True)
    assert t.game.units["soviet-rd"].place == "2516", "the map knew better"
    next_turn(t)
    assert t.calc("movement", unit="soviet-rd", hexes="2517").facts["left"] == 4


@pytest.mark.parametrize(
    ("ground", "hexes", "rule"),
    [
        ((("terrain", "2511", "", "marsh"),), "2511", "11.13"),
        ((("side", "2511", "2512", "major river"),), "2511 2512", "11.14"),
        ((), "2511 2512 2513 2514 2515 2516", "11.2"),
    ],
)
def test_what_a_move_cannot_do_is_said_before_it_is_made(
    table: Any, ground: Any, hexes: str, rule: str
) -> None:
    t = stack(table, ground=ground)
    with refused(Warned) as said:
        t.do("soviet", "make-move", unit=BOTH, hexes=hexes)
    assert any(f"({rule})" in words for words in said.value.said), said.value.said


def test_a_major_river_is_crossed_at_the_start_only_and_takes_all(table: Any) -> None:
    """11.14: also not by a stack that was halted beside it."""
    t = stack(table, ground=(("side", "2511", "2512", "major river"),))
    t.do("soviet", "make-move", unit="soviet-rd", hexes="2511")
    with refused(Warned) as said:
        t.do("soviet", "make-move", unit="soviet-rd", hexes="2512")
    assert "(11.14)" in said.value.said[0]
    next_turn(t)
    t.do("soviet", "make-move", unit="soviet-rd", hexes="2512")
    with refused(Warned):
        t.do("soviet", "make-move", unit="soviet-rd", hexes="2513")


@pytest.mark.parametrize(("side", "rule"), [("soviet", "8.7"), ("german", "8.3")])
def test_who_was_halted_in_an_enemy_zone_stays_there(table: Any, side: str, rule: str) -> None:
    """8.3, 8.7: the zone ended the move, however it is cut up."""
    t = table(turn=4, phase=f"{side}-move", fog=False)
    mine = t.enter("A", side, "2510", kind="cavalry", mf=8, army="6th Army" if side == "german" else "")
    t.enter("B", "german" if side == "soviet" else "soviet", "2512", kind="cavalry")
    t.do(side, "make-move", unit=mine, hexes="2511")
    with refused(Warned) as said:
        t.do(side, "make-move", unit=mine, hexes="2411")
    assert f"({rule})" in said.value.said[0]


def test_a_judged_unit_slows_its_stack(table: Any) -> None:
    """9.8: half of 8 is 4, slower than the rifles' 5; and of one stack only he is halved."""
    t = stack(table)
    t.do("soviet", "judge-supply", units="soviet-tb", state="out")
    assert t.calc("movement", unit=BOTH, hexes="2511").facts["mf"] == 4
    t.do("soviet", "judge-supply", hexes="2510", state="out")
    assert t.calc("movement", unit=BOTH, hexes="2511").facts["mf"] == 3


def test_one_hex_is_always_possible_but_not_after_a_halt(table: Any) -> None:
    """11.3: with the whole factor, at the very start."""
    t = table(turn=4, fog=False, ground=(("side", "2510", "2511", "minor river"),))
    t.enter("TB", "soviet", "2510", kind="tank", mf=2)
    t.do("soviet", "make-move", unit="soviet-tb", hexes="2511")
    next_turn(t)
    t.do("soviet", "make-move", unit="soviet-tb", hexes="2512")
    with refused(Warned):
        t.do("soviet", "make-move", unit="soviet-tb", hexes="2513 2514")


def test_a_factor_nobody_told_is_not_needed(table: Any) -> None:
    """The ladder of effort: the costs are added up, how far that gets the players see."""
    t = table(turn=4, fog=False, ground=(("terrain", "2511", "", "forest"),))
    t.enter("TB", "soviet", "2510", kind="tank")
    assert t.calc("movement", unit="soviet-tb", hexes="2511 2512").result == "costs 3 MP"
    t.do("soviet", "make-move", unit="soviet-tb", hexes="2511 2512")
    assert t.game.units["soviet-tb"].place == "2512" and t.game.mark("soviet-tb", "spent") == 3


def test_armies_do_not_travel_together(table: Any) -> None:
    """11.18, 7.3: in one hex by mistake they still move apart."""
    t = table(turn=4, phase="german-move", fog=False)
    for name, army in (("A", "6th Army"), ("B", "17th Army")):
        t.enter(name, "german", "2510", army=army, kind="infantry", mf=5)
    with refused(Warned) as said:
        t.do("german", "make-move", unit="german-a, german-b", hexes="2511")
    assert any("(11.18)" in words for words in said.value.said)


def test_restricted_and_frozen_units_are_pointed_out(table: Any) -> None:
    """5.5, 6.2."""
    lines = (("area", "2510", "", "south"), ("area", "2610", "", "west"))
    t = table(fog=False, ground=lines)
    t.enter("CD", "soviet", "2510", kind="cavalry")
    with refused(Warned) as said:
        t.do("soviet", "make-move", unit="soviet-cd", hexes="2511")
    assert "(5.5)" in said.value.said[0]
    t.do("table", "go-to", turn=1, phase="german-move")
    t.enter("17", "german", "2610", army="17th Army", kind="infantry")
    with refused(Warned) as said:
        t.do("german", "make-move", unit="german-17", hexes="2611")
    assert "(6.2)" in said.value.said[0]
    t.enter("17b", "german", "2611", army="17th Army", kind="infantry")
    t.do("german", "make-move", unit="german-17b", hexes="2610")  # behind the line he may


def test_a_full_hex_and_an_enemy_hex_on_the_way(table: Any) -> None:
    """7.2, 11.4: the whole moving stack counts, also in passing."""
    t = stack(table)
    for n in range(3):
        t.enter(f"R{n}", "soviet", "2511", kind="rifle")
    with refused(Warned) as said:
        t.do("soviet", "make-move", unit=BOTH, hexes="2511 2512")
    assert "(7.2)" in said.value.said[0]
    t.do("soviet", "make-move", unit="soviet-tb", hexes="2511 2512")  # one of them finds room
    t.enter("44", "german", "2509", kind="infantry")
    with refused(Warned) as said:
        t.do("soviet", "make-move", unit="soviet-rd", hexes="2509")
    assert any("(11.4)" in words for words in said.value.said)


def test_only_the_side_to_move_moves_and_only_its_own(table: Any) -> None:
    """11.1: no movement in the other's player turn."""
    t = stack(table)
    t.enter("44", "german", "2710", kind="infantry")
    with refused(NotYours):
        t.do("german", "make-move", unit="german-44", hexes="2711")
    with refused(Unreadable, field="unit"):
        t.do("soviet", "make-move", unit="german-44", hexes="2711")
    t.do("table", "go-to", turn=4, phase="soviet-combat")
    with refused(NotNow):
        t.do("soviet", "make-move", unit="soviet-tb", hexes="2511")


def test_nothing_on_record_nothing_to_move(table: Any) -> None:
    """Rung 1: not offered; the calculator still adds up."""
    t = table(turn=4)
    with refused(NotNow, rule="11.1"):
        t.do("soviet", "make-move", unit="x", hexes="2511")
    assert t.calc("movement", side="soviet", klass="mech", route="forest, clear").result == "costs 3 MP"


# -- lines crossed on the way [3.5, 4.2, 4.3, 6.3] -------------------------------------------------


def test_passing_a_line_is_crossing_it(table: Any) -> None:
    """4.3, 6.3: in and out again in one move counts for both."""
    ground = (*SOUTH_AND_WEST, ("area", "2511", "", "perimeter"))
    t = table(turn=2, fog=False, ground=ground)
    t.enter("TB", "soviet", "2510", kind="tank", mf=8)
    before = len(t.events)
    t.do("soviet", "make-move", unit="soviet-tb", hexes="2511 2611")
    assert t.game["first-panzer"] == t.game["seventeenth"] == "released"
    assert t.game["perimeter"] == "crossed" and t.game.units["soviet-tb"].place == "2611"
    t.do("soviet", "take-back", to=before)
    assert t.game["first-panzer"] == "restricted" and t.game["perimeter"] == "intact"


def test_a_german_in_the_same_hexes_crosses_nothing(table: Any) -> None:
    """4.3, 6.3: Soviets alone."""
    t = table(
        turn=2, phase="german-move", fog=False, ground=(*SOUTH_AND_WEST, ("area", "2511", "", "perimeter"))
    )
    t.enter("44", "german", "2510", army="6th Army", kind="infantry", mf=6)
    t.do("german", "make-move", unit="german-44", hexes="2511 2611")
    assert t.game["first-panzer"] == "restricted" and t.game["perimeter"] == "intact"


def test_marching_through_kharkov_is_enough(table: Any) -> None:
    """4.2: entered is controlled, even by one who moved on; both are asked, and a refusal plays on."""
    t = table(turn=2, fog=False)
    t.enter("TB", "soviet", "2505", kind="tank", mf=8)
    t.do("soviet", "make-move", unit="soviet-tb", hexes="2406 2405")
    assert "4.2" in t.asked("german")[0]["text"]
    t.do("german", "agree", ask=t.asked("german")[0]["id"], yes=False)
    assert t.game.ended is None and t.game["perimeter"] == "crossed"


def test_moving_declares_the_order(table: Any) -> None:
    """5.3: whoever has moved fights second; taken back, the choice is open again."""
    t = table(turn=4, phase="german-move", fog=False)
    t.enter("44", "german", "2510", army="6th Army", kind="infantry", mf=6)
    before = len(t.events)
    t.do("german", "make-move", unit="german-44", hexes="2511")
    with refused(NotNow, rule="5.3"):
        t.do("german", "fight-first")
    t.do("german", "take-back", to=before)
    t.do("german", "fight-first")
    assert t.game.phase == "german-combat"


def test_a_delayed_reinforcement_is_movement_too(table: Any) -> None:
    """5.3, 10.2: those of turn 2 ticked in on turn 3; but one that came last turn declares nothing."""
    t = table(turn=3, phase="german-move")
    t.do("german", "arrive", arrival="german-2")
    with refused(NotNow, rule="5.3"):
        t.do("german", "fight-first")
    t.until("german-move", 4)
    t.do("german", "fight-first")


# -- entry [3.2, 10.1] -----------------------------------------------------------------------------


@pytest.mark.parametrize("held", ["control", "unit"])
def test_the_regiment_does_not_enter_a_soviet_hex(table: Any, held: str) -> None:
    """10.1, 9.12: 172/75 comes by 1402 to 2402, where they work; never onto the enemy (7.1)."""
    t = table(fog=False)
    t.do("table", "set-up")
    t.do("table", "go-to", turn=3, phase="german-move")
    if held == "control":
        t.do("table", "take-hex", hexes="1402", side="soviet")
    else:
        t.enter("RD", "soviet", "1402", kind="rifle")
    with refused(Warned) as said:
        t.do("german", "bring-in", unit="172-75", hex="1402")
    assert any("no working German edge source" in words for words in said.value.said)
    assert any("(7.1)" in words for words in said.value.said) == (held == "unit")
    t.do("german", "bring-in", unit="172-75", hex="1602")


@pytest.mark.parametrize("name", ["172/75", "172-75 IR", "172 / 75 Regiment", "IR 172/75"])
def test_the_regiment_however_it_is_written(table: Any, name: str) -> None:
    """3.4, 7.5, 10.1: one step, free in a 6th Army stack, by its own edge."""
    t = table(turn=3, phase="german-move", fog=False)
    with refused(Warned):
        t.do("german", "bring-in", name=name, kind="infantry", army="6th Army", hex="2602")
    for n in range(3):
        t.enter(f"{n} ID", "german", "1602", army="6th Army", kind="infantry")
    t.do("german", "bring-in", name=name, kind="infantry", army="6th Army", hex="1602")
    assert {u.steps for u in t.game.units.values() if u.name == name} == {1}


@pytest.mark.parametrize(
    ("kind", "ground", "left"),
    [
        ("rifle", (), 7),
        ("tank", (("terrain", "3202", "", "forest"),), 6),
        ("rifle", (("town", "3202", "", "T"),), 7),
    ],
)
def test_the_entry_hex_is_paid_for(table: Any, kind: str, ground: Any, left: int) -> None:
    """10.1, 11.12: the first hex comes off the factor; going on costs as usual."""
    t = table(turn=4, ground=ground)
    t.do("soviet", "bring-in", name="New", kind=kind, hex="3202")
    assert t.calc("movement", unit="soviet-new", hexes="3203", mf=9).facts["left"] == left
    t.until("soviet-combat")
    assert t.game.mark("soviet-new", "spent") is None


def test_interdiction_makes_the_entry_dearer_and_a_zone_ends_it(table: Any) -> None:
    """10.1, 11.19, 8.7."""
    t = table(turn=4, fog=False)
    t.record(_mark("3203", "interdiction"))
    t.do("soviet", "bring-in", name="New", kind="rifle", hex="3202")
    assert t.game.mark("soviet-new", "spent") == 2
    t.enter("44", "german", "3204", kind="infantry")
    t.enter("In zone", "soviet", "3203", kind="rifle", mf=6)
    t.record(_mark("soviet-in-zone", "spent", 1))
    assert t.calc("movement", unit="soviet-in-zone", hexes="3302").facts["steps"] == 0


def _mark(target: str, marker: str, value: object = True) -> Any:
    from companion.engine.record import events as e

    return e.Marked(target, marker, value)


def test_closed_ground_is_no_entry(table: Any) -> None:
    """10.1, 11.13: mechanised units never enter marsh, the map's edge or not."""
    t = table(turn=4, ground=(("terrain", "3202", "", "marsh"),))
    with refused(Warned) as said:
        t.do("soviet", "bring-in", name="TB", kind="tank", hex="3202")
    assert any("(11.13)" in words for words in said.value.said)
    t.do("soviet", "bring-in", name="RD", kind="rifle", hex="3202")


def test_what_cannot_be_checked_is_said(table: Any) -> None:
    """10.1: no front line entered, so nobody knows whose town it was; no boundary, so nobody knows which edge."""
    t = table(turn=4, ground=(("town", "3510", "", "Here"),))
    form = {f["name"]: f for f in t.form("soviet", "bring-in", kind="rifle", hex="3510")}
    assert form["hex"]["help"].startswith("not checked")
    done = t.do("soviet", "bring-in", kind="rifle", hex="3510")
    assert any("not checked" in event.text for event in done if event.KIND == "noted")
    t.until("german-move")
    form = {
        f["name"]: f
        for f in t.form("german", "bring-in", name="X", kind="infantry", army="6th Army", hex="1402")
    }
    assert form["hex"]["help"].startswith("not checked")
    edge = t.form("german", "bring-in", name="X", kind="infantry", army="17th Army", hex="1402")
    assert {f["name"]: f for f in edge}["hex"]["help"] == "", "17th Army enters anywhere (A6)"


def test_eight_soviets_arrive_in_all(table: Any) -> None:
    """3.2, 10.1: six on turns 2, 4 and 5 together, then two; who was delayed is none too many."""
    t = table(fog=False)
    t.do("table", "set-up")
    t.do("table", "go-to", turn=2, phase="soviet-move")
    for n in range(6):
        t.do("soviet", "bring-in", name=f"N{n}", kind="rifle", hex=f"3{2 + 2 * (n // 4)}02")
    with refused(Warned) as said:
        t.do("soviet", "bring-in", name="N6", kind="rifle", hex="3602")
    assert "(3.2)" in said.value.said[0]
    t.do("table", "go-to", turn=6, phase="soviet-move")
    t.do("soviet", "hold-back", units="rifle-turn-6")
    t.do("soviet", "bring-in", unit="tank-turn-6", hex="3602")
    t.do("table", "go-to", turn=7, phase="soviet-move")
    t.do("soviet", "bring-in", unit="rifle-turn-6", hex="3602")
    t.do("table", "go-to", turn=2, phase="soviet-move")


def test_the_list_s_own_button_is_warned_too(table: Any) -> None:
    """10.1: units named by the track, brought in beside it with a hex."""
    t = table(fog=False)
    t.do("table", "set-up")
    t.do("table", "go-to", turn=6, phase="soviet-move")
    with refused(Warned):
        t.do("soviet", "arrive", arrival="soviet-6", hex="2510")
    t.do("soviet", "arrive", arrival="soviet-6", hex="3202")
    assert t.game.units["tank-turn-6"].place == "3202"
    assert t.game.mark("tank-turn-6", "spent") == 1, "and paid for"


def test_an_arrival_ticked_off_may_still_be_put_on_record(table: Any) -> None:
    """10.1: 'in' was tapped for the lot; its counters get their names and hexes in the same turn."""
    t = table(turn=4)
    for arrival in ("soviet-2", "soviet-4"):
        t.do("soviet", "arrive", arrival=arrival)
    t.do("soviet", "bring-in", name="A", kind="rifle", hex="3202")
    t.do("table", "go-to", turn=7, phase="soviet-move")
    t.do("soviet", "arrive", arrival="soviet-5")
    t.do("soviet", "arrive", arrival="soviet-6")
    with refused(NotNow, rule="10.2"):
        t.do("soviet", "bring-in", name="B", kind="rifle", hex="3202")


def test_the_last_entry_hex_is_offered_again(table: Any) -> None:
    """Nothing known is typed again."""
    t = table(turn=4)
    t.do("soviet", "bring-in", name="A", kind="rifle", hex="3202")
    form = {f["name"]: f for f in t.form("soviet", "bring-in")}
    assert form["hex"]["value"] == "3202" and form["hex"]["choices"] == [{"value": "3202", "label": "3202"}]


# -- steps by hand [2.13] --------------------------------------------------------------------------


def test_nobody_has_more_steps_than_his_counter(table: Any) -> None:
    """2.13, 3.4: not by hand either; without any he is in the dead pile."""
    t = table(turn=2, fog=False)
    t.enter("44", "german", "2510", kind="infantry")
    t.enter("97 J", "german", "2511", kind="jaeger", steps=2)
    t.do("german", "set-steps", unit="german-97-j", steps=4)
    assert (t.game.units["german-97-j"].steps, t.game.units["german-97-j"].full) == (2, 2)
    t.do("german", "set-steps", unit="german-44", steps=0)
    assert t.game.units["german-44"].place == "box:dead"


def test_a_hex_that_the_enemy_holds_is_not_offered(table: Any) -> None:
    """7.1, 11.1: nobody moves there; the others around the start are one tap."""
    t = table(turn=3, phase="soviet-move")
    rifle = t.enter("RD", "soviet", "2718", kind="rifle")
    t.enter("44", "german", "2619", kind="infantry")
    form = {f["name"]: f for f in t.form("soviet", "make-move", unit=rifle)}
    offered = {choice["value"] for choice in form["to"]["choices"]}
    assert "2619" not in offered and {"2717", "2818"} <= offered
