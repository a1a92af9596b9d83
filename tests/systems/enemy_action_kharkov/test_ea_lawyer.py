"""What a strict owner would hold against the companion, one objection after the other: each fell once."""

from __future__ import annotations

from typing import Any

import pytest
from harness import Bench, refused
from systems.enemy_action_kharkov.ea_bench import (
    activate,
    battle,
    blank_table,
    cards,
    command,
    fought,
    hand,
    mark,
    open_actions,
    owners_book,
    put,
    set_,
    table,
    take,
)

from companion.engine.errors import NotNow, NotYours, StillOwed, Unreadable, Warned
from companion.engine.record import events as e

EDGE = owners_book("vp 2804 3\n")
"""An edge hex worth 3, and no edge of either side entered: supply cannot be told."""


def choices(t: Bench, seat: str, action: str, field: str, **filled: Any) -> list[str]:
    """What a form offers in one of its fields."""
    rows = [f for f in t.form(seat, action, **filled) if f["name"] == field]
    return [c["value"] for f in rows for c in f["choices"]]


def said(t: Bench, seat: str, action: str, **fields: Any) -> list[str]:
    """What the rules have against something, before it is done."""
    with refused(Warned) as told:
        t.do(seat, action, **fields)
    return list(told.value.said)


# -- edge hexes [14.1] ---------------------------------------------------------------------------------


def test_an_edge_hex_does_not_score_while_nobody_knows_its_supply() -> None:
    """14.1: it is asked, by whoever looks at the map, and tested again in the supply phase."""
    t = command(book=EDGE)
    red = put(t, "soviet", "red", "2703")
    t.do("soviet", "place-unit", unit=red, hex="2804")
    assert t.game["vp"] == 2
    (ask,) = t.asked("german")
    assert ask["action"] == "judge-edge" and ask["duty"] == "owed"
    t.do("soviet", "note", text="asked once")
    assert len(t.game.duties(action="judge-edge")) == 1
    t.answer("german", supplied=True)
    assert t.game["vp"] == 5 and not t.game.duties()
    t.do("table", "go-to", turn=5, phase="cards")
    t.next()
    t.answer("table", supplied=False)
    assert t.game["vp"] == 2 and t.game.mark("2804", "edge-vp") == "cut"
    t.do("table", "go-to", turn=6, phase="cards")
    t.next()
    t.answer("table", supplied=True)  # supply came through
    assert t.game["vp"] == 5
    t.do("soviet", "place-unit", unit=red, hex="2703")
    assert t.game["vp"] == 2 and not t.game.duties(action="judge-edge")


def test_an_edge_hex_that_was_left_is_not_asked_about() -> None:
    """14.1: the question goes with the unit; put away, it does not score and is not asked at every tap."""
    t = command(book=EDGE)
    red = put(t, "soviet", "red", "2703")
    t.do("soviet", "place-unit", unit=red, hex="2804")
    t.do("soviet", "place-unit", unit=red, hex="2703")
    assert not t.game.duties() and t.game["vp"] == 2
    t.do("soviet", "place-unit", unit=red, hex="2804")
    t.do("table", "dismiss", ask=t.asked("table")[0]["id"])
    assert not t.game.duties() and t.game["vp"] == 2


def test_a_town_taken_back_before_its_points_were_told() -> None:
    """14.1: nothing is gained or lost, and nobody is asked; what was told of a town is not asked again."""
    t = command(book=owners_book("town 1910 Lozovaia\n"))
    t.do("table", "take-town", hex="1910", side="soviet")
    t.do("table", "take-town", hex="1910", side="german")
    assert t.game["vp"] == 2 and not t.game.duties()
    t.do("table", "take-town", hex="1910", side="soviet")
    t.answer("soviet", vp=4)
    assert t.game["vp"] == 6
    with refused(NotNow, field="side", rule="12.1"):
        t.do("table", "take-town", hex="1910", side="soviet")


def test_points_of_an_edge_hex_by_hand_are_demanded_where_they_are_asked() -> None:
    """14.1: a field that is needed is not called optional, and no hex scores twice."""
    t = command()
    (row,) = [f for f in t.form("table", "score-edge", hex="2804", held=True) if f["name"] == "vp"]
    assert row["required"]
    assert "vp" not in {f["name"] for f in t.form("table", "score-edge", hex="2804")}
    with refused(Unreadable, field="vp", rule="14.1"):
        t.do("table", "score-edge", hex="2804", held=True)
    t.do("table", "score-edge", hex="2804", held=True, vp=3)
    assert t.game["vp"] == 5
    with refused(NotNow, field="held", rule="14.1"):
        t.do("table", "score-edge", hex="2804", held=True)
    t.do("table", "score-edge", hex="2804", held=False)
    assert t.game["vp"] == 2
    t.do("table", "score-edge", hex="2804", held=True)  # its number is known by now
    assert t.game["vp"] == 5


# -- supply and ground that were forgotten [4-III, 15.33] --------------------------------------------------


def test_supply_left_unchecked_is_checked_later() -> None:
    """4-III: owed beyond its phase, once a side, German before Soviet, and replaced by the next turn's check."""
    t = table()
    t.do("table", "go-to", turn=4, phase="supply")
    lost = put(t, "german", "lost", "2010")
    with refused(StillOwed) as warned:
        t.do("table", "next-phase")
    t.next()
    assert warned.value.after == StillOwed(["any"]).after  # it is kept open, and that is what is said
    assert [d.args["side"] for d in t.game.duties(action="check-late")] == ["german", "soviet"]
    assert [a["args"]["side"] for a in t.asked("german")] == ["german"]  # each is asked about his own
    late = {d.args["side"]: d.id for d in t.game.duties(action="check-late")}
    words = said(t, "table", "check-late", _asked=late["soviet"])
    assert words == ["German units are checked first [4-III]"]
    t.do("german", "check-late", _asked=late["german"], by_hand=True, cut=[lost])
    assert t.game.mark(lost, "supply") == "oos"
    with refused(NotNow, given="check-late"):
        t.do("german", "check-late", _asked=late["german"], by_hand=True, cut=[lost])
    assert t.game.mark(lost, "supply") == "oos"
    t.do("table", "go-to", turn=5, phase="supply")
    t.do("table", "note", text="the next check takes its place")
    assert not t.game.duties(action="check-late")


def test_a_forgotten_ground_marker_is_laid_late() -> None:
    """15.33: on turn 7 the companion mixes after all; nothing is asked of its own markers, then or later."""
    t = table()
    t.do("table", "go-to", turn=6, phase="end")
    t.next()
    assert t.game.turn == 7
    (ask,) = t.asked("table")
    assert ask["action"] == "turn-up-late" and not ask["form"]
    t.answer("table")
    pile = t.game.piles["ground-markers"]
    assert {z: len(x) for z, x in pile.zones.items() if x} == {
        "shown": 1, "turn:8": 1, "turn:9": 1, "turn:10": 1, "unseen": 1,
    }  # fmt: skip
    assert t.game["ground"] == t.game.face("ground-markers", pile["shown"][0])["face"]
    t.do("table", "go-to", turn=7, phase="end")
    assert not [f for f in t.form("table", "reveal-ground") if f["name"] == "shows"]
    t.do("table", "reveal-ground")
    assert t.game["ground-next"] in ("frozen", "light-mud", "heavy-mud")


def test_the_second_mix_made_good() -> None:
    """15.33: forgotten at the end of turn 10, on turn 12 too: three of four, a frozen one out."""
    t = table()
    t.do("table", "go-to", turn=6, phase="end")
    t.do("table", "reveal-ground")
    t.do("table", "go-to", turn=12, phase="reserve")
    t.do("table", "reveal-ground")
    zones = t.game.piles["ground-markers"].zones
    assert {z: len(x) for z, x in zones.items() if x} == {
        "aside": 1, "turn:11": 1, "shown": 1, "turn:13": 1, "unseen": 1,
    }  # fmt: skip


# -- cards and commands [5.1-5.5] --------------------------------------------------------------------------


def test_an_army_units_card_is_for_its_army() -> None:
    """5.2: the 69th's card does not activate the 40th; they are not offered, and it is said before it is done."""
    t = command()
    ours = put(t, "soviet", "180.69", "0606", formation="69")
    theirs = put(t, "soviet", "340.40", "0607", formation="40")
    take(t, "soviet", "P04")
    assert choices(t, "soviet", "play-card", "units", card="P04", what="units") == [ours]
    words = said(t, "soviet", "play-card", card="P04", what="units", units=[theirs])
    assert words == ["340.40 is not of 69th Army [5.2]"]
    t.do("soviet", "play-card", card="P04", what="units", units=[ours])
    assert t.game.mark(ours, "active") and not t.game.mark(theirs, "active")


def test_wild_cards_have_no_special_event() -> None:
    """5.4: any command event, never a special one; a card that lists none is not played for one."""
    rows = cards()
    rows["P07"]["events"], rows["P08"]["events"] = "none", "air supply (4+)"
    rows["P09"]["events"] = "scorched earth"
    t = command(book=owners_book(cards=rows))
    for number in ("P01", "P02"):
        take(t, "soviet", number)
        assert "special" not in choices(t, "soviet", "play-card", "event", card=number, what="event")
    for number in ("P07", "P08"):  # printed for no turn, or for later ones
        take(t, "soviet", number)
        assert "event" not in choices(t, "soviet", "play-card", "what", card=number)
        with refused(Unreadable, field="what", given="event"):
            t.do("soviet", "play-card", card=number, what="event", event="special")
    take(t, "soviet", "P09")
    assert choices(t, "soviet", "play-card", "event", card="P09", what="event") == ["scorched earth"]
    take(t, "soviet", "P10")  # an empty cell is unknown: everything is offered
    assert "special" in choices(t, "soviet", "play-card", "event", card="P10", what="event")


def test_an_empty_hand_draws_and_does_not_pass() -> None:
    """5.1: with cards in the pile there is no pass; the words say that a hand is drawn."""
    t = command()
    held = hand(t, "soviet")
    for number in held:
        t.record(e.Drawn("soviet-cards", (number,), "hand:soviet", "draw", 1))
    names = {a["name"] for a in t.sees("soviet")["actions"]}
    assert "draw-hand" in names and "pass-impulse" not in names
    (panel,) = [p for p in t.sees("soviet")["panels"] if p["title"] == "Impulse"]
    assert "pass" not in panel["rows"][0]["value"] and "draws" in panel["rows"][0]["value"]
    with refused(NotNow, given="pass-impulse"):
        t.do("soviet", "pass-impulse")
    t.do("soviet", "draw-hand")
    assert len(hand(t, "soviet")) == 5 and t.game.active == "german"
    with refused(NotNow, given="draw-hand"):
        t.do("german", "draw-hand")


def test_a_card_whose_army_is_barred_is_not_played_to_activate_it() -> None:
    """6.3: nothing is offered that would only be refused."""
    t = command()
    set_(t, "last-soviet", "3T")
    take(t, "soviet", "P03")
    assert "activate" not in choices(t, "soviet", "play-card", "what", card="P03")
    assert "deploy" in choices(t, "soviet", "play-card", "what", card="P03")
    put(t, "soviet", "48.3T", "0606", formation="3T")
    words = said(t, "soviet", "play-card", card="P03", what="one-unit", units=["48.3t"])
    assert words == ["48.3T: 3T was activated in the last impulse [6.3]"]


def test_a_card_of_one_army_is_two_taps() -> None:
    """5.2: the army that is printed is not asked for; a front's is."""
    t = command()
    put(t, "soviet", "48.3T", "0606", formation="3T")
    for number, shown in (("P03", False), ("P02", True)):
        take(t, "soviet", number)
        rows = {f["name"]: f for f in t.form("soviet", "play-card", card=number, what="activate")}
        assert (not rows["formations"]["quiet"]) is shown
    take(t, "soviet", "P03")
    t.do("soviet", "play-card", card="P03", what="activate")
    assert t.game["command"]["for"] == ["3T"] and t.game.mark("48.3t", "active")


@pytest.mark.parametrize(("number", "steps"), [("P04", 1), ("P24", 2)])
def test_printed_steps_make_a_replacement_card(number: str, steps: int) -> None:
    """5.5: an Army Units or KG card replaces steps where its commands say so."""
    rows = cards()
    rows[number]["steps"] = steps
    for book, offered in ((owners_book(cards=rows), True), (owners_book(), False)):
        t = command(book=book, turn=3 if number == "P04" else 7)
        side = t.game.active
        take(t, side, number)
        assert ("replace" in choices(t, side, "play-card", "what", card=number)) is offered


# -- units that a tactic brings [9.0, 9.1] -------------------------------------------------------------------


def joining(book: Any = None, **places: str) -> Bench:
    """Soviets attack 2010 from 1910 and bring units by Assault Coordination; `places` says where others stand."""
    t = command(book=book)
    mark(t, "1910", "owner", "soviet")
    put(t, "german", "D", "2010", formation="XL", factors={"CS2": 3})
    put(t, "soviet", "red", "1910", formation="3T", factors={"CS2": 6})
    for name, place in places.items():
        put(t, "soviet", name, place, formation="40", factors={"CS2": 7})
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", hex="2010", units=["red"], terrain="clear")
    t.do("soviet", "play-tactic", card=hand(t, "soviet")[0], tactic="assault coordination")
    return t


def test_only_units_that_may_fight_join() -> None:
    """9.1, 9.9, 10.22: dispersed, isolated and spent units are not offered, and it is said when one is chosen."""
    t = joining(good="2009", dizzy="2009", lost="2110", spent="2110")
    for unit, marker, value in (("dizzy", "dispersed", "on"), ("lost", "supply", "isolated")):
        mark(t, unit, marker, value)
    mark(t, "spent", "attacked")
    duty = t.game.duties(action="join-combat")[0]
    (row,) = [f for f in t.form_of("soviet", duty) if f["name"] == "units"]
    assert [c["value"] for c in row["choices"]] == ["good"]
    assert said(t, "soviet", "join-combat", units=["dizzy", "lost", "spent"]) == [
        "dizzy is dispersed [9.9]",
        "lost is isolated [10.22]",
        "spent has attacked in this activation [9.1]",
    ]


def test_joiners_from_afar_are_moved_up() -> None:
    """9.0: the player identifies and moves them; the combat is fought from where they end."""
    t = joining(far="1708")
    duty = t.game.duties(action="join-combat")[0]
    (row,) = [f for f in t.form_of("soviet", duty, units=["far"]) if f["name"] == "hex"]
    assert "2010" not in {c["value"] for c in row["choices"]} and row["value"] == "1910"
    t.do("soviet", "join-combat", units=["far"], hex="2009")
    assert t.game.units["far"].place == "2009" and fought(t).hexes == 2


def test_a_joiner_over_the_dniepr_is_halved() -> None:
    """9.4: like every other attacker; seven across the river are three."""
    t = joining(book=owners_book("2009-2010 dniepr\n"), wet="2009")
    t.do("soviet", "join-combat", units=["wet"])
    assert fought(t).attack == 6 + 3


def test_a_reinforcing_defender_comes_into_the_hex() -> None:
    """9.0, 7.4: he is moved; three units and six steps hold, and the friend next door is no longer next door."""
    t = command()
    for name in ("d0", "d1"):
        put(t, "german", name, "2010", formation="XL", factors={"CS2": 3})
    for name, place, steps in (("near", "2111", 2), ("big", "2012", 3)):
        put(t, "german", name, place, formation="XL", steps=steps, full=3, factors={"CS2": 4, "CS3": 6})
    put(t, "soviet", "red", "2009", formation="3T", factors={"CS2": 6})
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", hex="2010", units=["red"], terrain="clear")
    assert fought(t).adjacent
    t.do("german", "play-tactic", card=hand(t, "german")[0], tactic="reinforce battle")
    words = said(t, "german", "join-combat", units=["big"])
    assert words == ["2010 would hold too many units or steps [7.4]"]
    t.do("german", "join-combat", units=["near"])
    assert t.game.units["near"].place == "2010" and not fought(t).adjacent
    assert (fought(t).steps, fought(t).defence) == (6, 10)


def test_reinforce_battle_needs_somebody_to_reinforce() -> None:
    """9.21: the attacker does not play it for the chit alone."""
    for fit in (True, False):
        t = joining(other="1708")
        t.do("soviet", "dismiss", ask=t.game.duties(action="join-combat")[0].id)
        if not fit:
            mark(t, "other", "dispersed", "on")
        take(t, "soviet", "P02")
        offered = choices(t, "soviet", "play-tactic", "tactic", card="P02")
        assert ("reinforce battle" in offered) is fit


# -- withdrawal [8.1] ----------------------------------------------------------------------------------------


def pocket(**options: Any) -> Bench:
    """Germans a and b in 2003 with nothing but Soviets and their zones around; the edge lies two hexes east."""
    t = command(book=owners_book("edge german 2001\n"), turn=7, **options)
    for name in ("a", "b"):
        put(t, "german", name, "2003", formation="XL")
    put(t, "german", "guard", "2002", formation="III")
    for place in ("1903", "1904", "2103", "2104", "2006"):
        put(t, "soviet", f"r{place}", place, formation="3T")
    return t


def test_a_whole_active_stack_withdraws() -> None:
    """8.1: no half stack, no inactive unit."""
    t = pocket()
    activate(t, "P23", "XL")
    words = said(t, "german", "withdraw", units=["a"], hex="2002")
    assert words == ["b would stay behind: the whole stack withdraws [8.1]"]
    t.record(e.Marked("b", "active", None))
    words = said(t, "german", "withdraw", units=["a", "b"], hex="2002")
    assert words == ["b is not active [8.1]"]
    t.record(e.Marked("b", "active", "on"))
    t.do("german", "withdraw", units=["a", "b"], hex="2002")
    assert not t.game.duties()  # a supplied friend is there: no step is paid


def test_supply_is_not_traced_through_the_hex_that_is_left() -> None:
    """8.1: from where they would all stand; the hex they leave lies in enemy zones, and empty."""
    t = pocket()
    activate(t, "P23", "XL")
    words = said(t, "german", "withdraw", units=["a", "b"], hex="2004")
    assert words == ["no supply from 2004 [8.1]"]


def test_the_only_surrounded_stack_is_chosen() -> None:
    """8.1: what the record knows is not typed again."""
    t = pocket()
    activate(t, "P23", "XL")
    (row,) = [f for f in t.form("german", "withdraw") if f["name"] == "units"]
    assert row["value"] == ["a", "b"] and {c["value"] for c in row["choices"]} == {"a", "b"}


# -- retreat [9.7] -------------------------------------------------------------------------------------------


def test_a_route_is_one_of_those_offered() -> None:
    """9.7: no hex is typed that costs nothing although it lies in a zone."""
    t = command(mode_chits="physical", book=owners_book("town 1910 Lozovaia\nvp 1910 1\n"))
    mark(t, "1910", "owner", "soviet")
    put(t, "german", "D", "2010", formation="XL")
    for place in ("2009", "1809", "2209"):
        put(t, "soviet", f"r{place}", place, formation="3T")
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", hex="2010", units=["r2009"])
    t.do("soviet", "draw-chits", hits="D1, -")
    t.answer("german", choice="retreat-1")
    for typed in ("2110", "1910", "2009", "2012"):  # a zone, an enemy town, an enemy, too far
        with refused(Unreadable, field="route", given=typed):
            t.do("german", "retreat", route=typed)
    t.do("german", "retreat", route="2011")
    assert t.game.units["d"].steps == 2


# -- reserves, engineers, mud [11.1, 12.24, 15.34, 4-I] -------------------------------------------------------


def test_a_reserve_falls_back_on_its_army() -> None:
    """11.1: with no legal hex near the corps, a hex near the army will do; before that it is said which would."""
    t = command(book=owners_book("edge german 2815 2814 2813 2812 2811 0115 0114\n"), turn=7)
    put(t, "german", "corps", "0113", formation="IISS")
    put(t, "german", "army", "2713", formation="XLVIII")
    new = put(t, "german", "new", "box:reserve-german", formation="IISS")
    take(t, "german", "P24")
    t.do("german", "play-card", card="P24", what="deploy")
    words = said(t, "german", "deploy-reserve", unit=new, hex="2813")
    assert len(words) == 1 and "own formation is on the map" in words[0]
    for place in ("0213", "0215"):
        put(t, "soviet", f"r{place}", place, formation="3T")  # nothing near the corps is far enough now
    t.do("german", "deploy-reserve", unit=new, hex="2813")
    assert t.game.units[new].place == "2813"


def test_reserves_are_placed_by_the_side_whose_impulse_it_is() -> None:
    """5.3, 11.1: the other side has no card for it."""
    t = command()
    put(t, "german", "g", "box:reserve-german", formation="XL")
    put(t, "soviet", "s", "box:reserve-soviet", formation="3T")
    take(t, "soviet", "P03")
    t.do("soviet", "play-card", card="P03", what="deploy")
    with refused(NotYours, given="german"):
        t.do("german", "deploy-reserve", unit="g", hex="0606", anyway=True)
    t.do("soviet", "deploy-reserve", unit="s", hex="0606", anyway=True)


def test_an_isolated_enemy_keeps_his_own_hex() -> None:
    """10.22, 11.1: he keeps nobody at a distance, but no reserve is placed on top of him."""
    t = command()
    mark(t, put(t, "german", "lost", "0606", formation="XL"), "supply", "isolated")
    put(t, "soviet", "s", "box:reserve-soviet", formation="3T")
    put(t, "soviet", "friend", "0607", formation="3T")
    take(t, "soviet", "P03")
    t.do("soviet", "play-card", card="P03", what="deploy")
    assert "0606: no enemy unit there [11.1]" in said(t, "soviet", "deploy-reserve", unit="s", hex="0606")
    t.do("soviet", "deploy-reserve", unit="s", hex="0605")


def test_overdue_soviet_reserves_come_first() -> None:
    """4-I, 11.3."""
    t = table()
    t.do("table", "go-to", turn=4, phase="reserve")
    for side, name in (("german", "g"), ("soviet", "s")):
        put(t, side, name, f"box:reserve-{side}", turn=1)
    words = said(t, "german", "deploy-reserve", unit="g", hex="2010")
    assert "the Soviet side comes first: s [4-I]" in words


def test_engineers_do_what_the_event_says_and_no_more() -> None:
    """12.21, 12.24: an enemy's position beside one's own unit, up to three hexes, once."""
    t = command()
    put(t, "german", "g0", "2010", formation="XL")
    put(t, "german", "g1", "1510", formation="XL")
    put(t, "soviet", "red", "2009", formation="3T")
    for place in ("2010", "1510"):
        mark(t, place, "ip", "german")
    take(t, "soviet", "P02")
    t.do("soviet", "play-card", card="P02", what="event", event="engineers")
    words = said(t, "soviet", "engineers", what="remove", hexes="2010 1510")
    assert words == ["1510 is not beside a friendly unit on record [12.24]"]
    assert said(t, "soviet", "engineers", what="remove", hexes="2009") == [
        "2009 has no improved position on record [12.24]",
        "2009: no enemy unit on record there [12.24]",
        "2009 is not beside a friendly unit on record [12.24]",
    ]
    words = said(t, "soviet", "engineers", what="place", hexes="0606")
    assert words == ["0606: no supplied friendly unit on record there [12.21]"]
    with refused(NotYours, given="german"):
        t.do("german", "engineers", what="remove", hexes="2010")
    t.do("soviet", "engineers", what="remove", hexes="2010")
    assert list(t.game.marked("ip")) == ["1510"]
    with refused(NotNow, given="engineers"):
        t.do("soviet", "engineers", what="remove", hexes="1510")


def test_each_side_spends_its_own_mud_steps() -> None:
    """15.34: the German seat has nothing to say about Soviet steps; the Soviet side is first."""
    t = table()
    t.do("table", "go-to", turn=8, phase="cards")
    set_(t, "ground", "heavy-mud")
    put(t, "soviet", "s", "1005", formation="3T", steps=1, full=2)
    t.until("mud-replacements")
    assert choices(t, "german", "mud-replacements", "side") == ["german"]
    with refused(Unreadable, field="side", given="soviet"):
        t.do("german", "mud-replacements", side="soviet", units=["s"])
    assert said(t, "german", "mud-replacements", side="german") == [
        "the Soviet side assigns its steps first [15.34]"
    ]
    t.do("soviet", "mud-replacements", side="soviet", units=["s"])
    assert t.game.units["s"].steps == 2


def test_a_roster_set_up_in_mid_game_brings_earlier_units() -> None:
    """4-I: those whose turn has come are reserves at once, later ones wait."""
    t = command(turn=5)
    for name, turn in (("one", 1), ("five", 5), ("six", 6)):
        put(t, "german", name, turn=turn)
    t.do("german", "note", text="rosters are in")
    places = {n: t.game.units[n].place for n in ("one", "five", "six")}
    assert places == {"one": "box:reserve-german", "five": "box:reserve-german", "six": ""}


# -- advance and stacking [9.8, 7.4, 12.1] --------------------------------------------------------------------


def won(book: Any = None, kinds: Any = (), turn: int = 1, tactic: str = "") -> Bench:
    """The lone defender of 2010 is eliminated by attackers a0, a1 ... of some kinds from 2009."""
    t = command(mode_chits="physical", book=book or owners_book("town 1910 Lozovaia\nvp 1910 1\n"), turn=turn)
    side, other, formation = ("soviet", "german", "3T") if turn < 7 else ("german", "soviet", "XL")
    put(t, other, "D", "2010", formation="", steps=1, full=1)
    names = [put(t, side, f"a{n}", "2009", formation=formation, kind=kind) for n, kind in enumerate(kinds)]
    activate(t, "P03" if side == "soviet" else "P23", formation)
    t.do(side, "declare-combat", hex="2010", units=names)
    if tactic:
        t.do(side, "play-tactic", card=hand(t, side)[0], tactic=tactic)
    t.do(side, "draw-chits", hits="D2")
    while open_actions(t, side) == ["declare-draws"]:
        t.answer(side, extra="0")
    if t.game.duties(action="apply-defence"):
        t.do(other, "apply-defence", choice="stand")
    return t


def test_whoever_takes_an_enemy_town_stops_in_it() -> None:
    """12.1: the hex is friendly at once, so that those behind him go on."""
    t = won(owners_book("town 2010 Town\nvp 2010 2\n"), ("armour", "armour"))
    t.answer("soviet", units=["a0", "a1"])
    assert t.game["vp"] == 4
    moves = choices_of(t, "go-on")
    assert moves
    t.answer("soviet", where=moves[0])
    assert not t.game.duties(action="go-on")  # the other one holds the town
    t = won(owners_book("town 2010 Town\nvp 2010 2\n"), ("armour",))
    t.answer("soviet", units=["a0"])
    assert not t.game.duties(action="go-on")
    t = won(owners_book("town 2010 Town\nvp 2010 2\n"), ("armour", "infantry"))
    t.answer("soviet", units=["a0", "a1"])
    assert t.game.duties(action="go-on")  # the infantry went in first


def choices_of(t: Bench, action: str) -> list[str]:
    duty = t.game.duties(action=action)[0]
    return [c["value"] for c in t.form_of(duty.to[0], duty)[0]["choices"]]


def test_no_advance_over_the_blocked_dniepr_nor_the_front_boundary() -> None:
    """7.31, 7.6: one may attack across both."""
    for lines in ("2009-2010 blocked dniepr\n", 'area "voronezh front" 2009 2008\n'):
        t = won(owners_book(lines), ("infantry",))
        assert battle(t).result == "A0 D2" and not t.game.duties()


def test_panzer_battalion_carries_one_infantry_unit() -> None:
    """9.81: as if it were mechanised, one of them."""
    t = won(None, ("infantry", "infantry"), turn=7, tactic="panzer battalion")
    t.answer("german", units=["a0", "a1"])
    assert {m.split()[0] for m in choices_of(t, "go-on")} == {"a0", "a1"}
    t.answer("german", where=choices_of(t, "go-on")[0])
    assert not t.game.duties(action="go-on")
    t = won(None, ("infantry", "infantry"), turn=7)
    t.answer("german", units=["a0", "a1"])
    assert not t.game.duties(action="go-on")


def test_nobody_is_nagged_while_units_move() -> None:
    """7.4: too many in a hex are said as the impulse ends."""
    t = command()
    for n in range(4):
        put(t, "soviet", f"u{n}", "1005", formation="3T", steps=1, full=2)
    activate(t, "P03", "3T")
    for seat in ("soviet", "german", "table"):
        assert "Too many in a hex" not in [p["title"] for p in t.sees(seat)["panels"]]
    with refused(StillOwed):
        t.do("soviet", "end-impulse")


def test_a_plain_advance_on_the_map_asks_nobody() -> None:
    """9.8: with nothing on record there is nothing to tell; the battle says that one may advance."""
    t = blank_table(mode_chits="physical")
    t.until("cards")
    t.do("table", "prepare-cards", soviet_supplementals=6)
    t.until("command")
    t.do(
        "soviet",
        "play-real-card",
        card="P07",
        kind="supplemental",
        type="army",
        what="activate",
        formations="40",
    )
    t.do("soviet", "declare-combat", small=2, steps=1)
    t.do("soviet", "draw-chits", defender=1)
    t.answer("soviet", extra="0")
    told = t.answer("german", choice="retreat-1")
    assert any("may advance" in getattr(event, "reason", "") for event in told)
    assert not t.game.duties() and not t.game.fighting


# -- readings [4-IV, 6.2, 12.24] ------------------------------------------------------------------------------


@pytest.mark.parametrize(("reading", "active"), [("all", {"near", "also"}), ("may", {"near"})])
def test_units_in_range_are_or_may_be_activated(reading: str, active: set[str]) -> None:
    """4-IV against 6.2: whom the player leaves out is not barred later either."""
    t = command(turn=7, kg_units=reading)
    put(t, "german", "near", "1414", formation="IISS")
    put(t, "german", "also", "1413", formation="IISS")
    put(t, "german", "far", "0101", formation="IISS")
    take(t, "german", "P24")
    rows = {f["name"]: f for f in t.form("german", "play-card", card="P24", what="kg", hex="1414")}
    assert rows["units"]["quiet"] is (reading == "all")
    assert set(rows["units"]["value"]) == {"near", "also"}
    t.do("german", "play-card", card="P24", what="kg", hex="1414", units=["near"])
    assert set(t.game.marked("active")) == active


@pytest.mark.parametrize(("reading", "left"), [("stays", True), ("goes", False)])
def test_a_position_whose_units_attack_in_two_combats(reading: str, left: bool) -> None:
    """12.24: all units of the hex have attacked, but not in one combat."""
    t = command(ip_two_combats=reading, mode_chits="physical")
    for name in ("a", "b"):
        put(t, "soviet", name, "2009", formation="3T")
    for name, place in (("d0", "2010"), ("d1", "2008")):
        put(t, "german", name, place, formation="XL")
    mark(t, "2009", "ip", "soviet")
    activate(t, "P03", "3T")
    for name, place in (("a", "2010"), ("b", "2008")):
        t.do("soviet", "declare-combat", hex=place, units=[name])
        t.do("soviet", "draw-chits", hits="-, -")
    assert bool(t.game.mark("2009", "ip")) is left


def test_inactive_units_are_no_attackers_where_the_activated_ones_are_not_on_record() -> None:
    """9.1: half on record: the 40th is activated, only the 3rd Tank Army stands on record."""
    t = command(mode_chits="physical")
    put(t, "soviet", "other", "2009", formation="3T")
    put(t, "german", "D", "2010", formation="XL")
    take(t, "soviet", "P05")
    t.do("soviet", "play-card", card="P05", type="army", value=2, what="activate", formations="40")
    assert "units" not in {f["name"] for f in t.form("soviet", "declare-combat")}
    with refused(Unreadable, field="small"):
        t.do("soviet", "declare-combat", hex="2010")
    t.do("soviet", "declare-combat", hex="2010", small=2)
    assert fought(t).steps == 2  # the defender is known


def test_combat_engineers_dig_in_units_that_are_not_on_record() -> None:
    """12.21: the position stays although nobody is on record in the hex."""
    t = command(mode_chits="physical")
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", hex="2010", small=2, steps=2)
    t.do("german", "play-tactic", card=hand(t, "german")[0], tactic="combat engineers")
    assert t.game.mark("2010", "ip") == "on" and fought(t).ip
    t.do("soviet", "draw-chits", hits="D1, -")
    assert battle(t).result == "A0 D0" and not t.game.mark("2010", "ip")


def test_attackers_the_rules_speak_against() -> None:
    """9.1, 9.9, 10.22: they are not offered; named all the same, it is said, and the cardboard may know better."""
    t = command(mode_chits="physical")
    for name, formation in (("fit", "3T"), ("idle", "40"), ("dizzy", "3T"), ("lost", "3T"), ("spent", "3T")):
        put(t, "soviet", name, "2009", formation=formation, steps=1)
    put(t, "german", "D", "2010", formation="XL")
    activate(t, "P03", "3T")
    for unit, marker, value in (("dizzy", "dispersed", "on"), ("lost", "supply", "isolated")):
        mark(t, unit, marker, value)
    mark(t, "spent", "attacked")
    assert choices(t, "soviet", "declare-combat", "units", hex="2010") == ["fit"]
    everybody = ["fit", "idle", "dizzy", "lost", "spent"]
    assert said(t, "soviet", "declare-combat", hex="2010", units=everybody) == [
        "idle is not active [9.1]",
        "dizzy is dispersed [9.9]",
        "lost is isolated [10.22]",
        "spent has attacked in this activation [9.1]",
    ]
    t.do("soviet", "declare-combat", hex="2010", units=["fit", "idle"], anyway=True)
    assert fought(t).small == 2


def test_who_fell_back_does_not_reinforce_his_own_hex() -> None:
    """9.74: he contributes nothing to this defence, whatever is played."""
    t = command(mode_chits="physical")
    put(t, "german", "D", "2010", formation="XL")
    mark(t, put(t, "german", "back", "2010", formation="XL"), "fell-back")
    put(t, "soviet", "red", "2009", formation="3T")
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", hex="2010", units=["red"])
    t.do("german", "play-tactic", card=hand(t, "german")[0], tactic="reinforce battle")
    assert "back retreated in this activation [9.74]" in said(t, "german", "join-combat", units=["back"])
