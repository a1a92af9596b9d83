"""Every duty: who owes it and when, in which order, and what becomes of it when the table moves on."""

from __future__ import annotations

import json
from typing import Any

import pytest
from games.expected import find, read
from harness import Bench, refused
from systems.panzer_keil.pk_bench import (
    actions,
    card,
    duty,
    go,
    mark,
    offered,
    owners_book,
    put,
    reply,
    shown,
    strike,
    table,
)

from companion.engine.errors import NotNow, NotYours, StillOwed, Unreadable, Warned
from companion.engine.kit.roster import Unit
from companion.engine.record import events as e
from companion.engine.record.game import Game, replay
from companion.engine.seat.view import view
from companion.systems.panzer_keil import base

RIVERS = """
2040 2041 2039 2140 clear
2142 marsh
2040-2041 major river
2040-1941 river
"""


def fight(defenders: int = 2, ground: str = "", **values: Any) -> Bench:
    """Two Germans against Soviets in 2040; every counter read."""
    t = table(owners_book(ground, crt=False), **values)
    put(t, "ss-w-1", "2041", kind="armour", nation="german", attack=8, defence=6)
    put(t, "302id", "1941", kind="infantry", nation="german", attack=6, defence=4)
    for n in range(1, defenders + 1):
        put(t, f"voronezh-{n}", "2040", kind="infantry", attack=3, defence=3 + n)
    go(t, "german-combat")
    return t


def surround(t: Bench) -> None:
    """Close the last ways out of 2040."""
    put(t, "68id", "2139")


def texts(t: Bench, seat: str) -> list[str]:
    return [a["text"] for a in t.asked(seat) if a["live"]]


# -- an owner's first game: positions and markers on record, strengths typed -----------------------------------


def first_game() -> Bench:
    t = table(owners_book(RIVERS, crt=False))
    for unit, place in (("ss-w-1", "2041"), ("302id", "1941"), ("320id", "2141")):
        put(t, unit, place)
    put(t, "voronezh-1", "2040")
    put(t, "voronezh-2", "2040")
    mark(t, "320id", "oos")
    mark(t, "voronezh-1", "disrupted", "d")
    go(t, "german-combat")
    return t


THREE = {"target": "2040", "attackers": ["ss-w-1", "302id", "320id"]}


def test_typed_strengths_are_halved_by_what_the_record_knows() -> None:
    t = first_game()
    rows = shown(t, "german", "resolve-combat", **THREE)
    assert {"full", "defence"} <= set(rows) and "halved" not in rows  # the map and the markers tell
    assert rows["full"]["help"].endswith('SS "W" PzD 1, 302 ID, 320 ID')
    sheet = t.calc("combat", **THREE, full="9 7 5", defence="4 5")  # Voronezh 2 lies on top
    assert sheet.facts["attack"] == str(4 + 3 + 2)  # B10.3, 9.2.1, 9.2.3: each halved, rounded down
    assert sheet.facts["defence"] == 4 + 3  # 9.2.5: the disrupted 5 is 3
    assert sheet.facts["crossers"] == ["ss-w-1"] and sheet.facts["major"]


def test_typed_strengths_still_make_crossers_suffer_more() -> None:
    t = first_game()
    strike(t, "A1", **THREE, full="9 7 5", defence="4 5")
    marks = [t.game.mark(u, "disrupted") for u in THREE["attackers"]]
    assert marks == ["ad", None, None]  # B10.3.1: A1 is A1D for the one over the major river


def test_what_was_typed_once_is_never_typed_again() -> None:
    t = first_game()
    strike(t, "C", **THREE, full="9 7 5", defence="4 5")
    kept = [t.game.units[u].factors["AF"] for u in THREE["attackers"]]
    assert kept == [9, 7, 5] and t.game.units["voronezh-1"].factors["DF"] == 5
    go(t, "german-combat", 2)
    assert not {"full", "defence"} & set(shown(t, "german", "resolve-combat", **THREE))


def test_one_number_for_each_counter_is_wanted() -> None:
    t = first_game()
    with refused(Unreadable, field="full", given=2):
        t.calc("combat", **THREE, full="9 7", defence="4 5")
    with refused(Unreadable, field="defence", given=1):
        t.calc("combat", **THREE, full="9 7 5", defence="9")


# -- order ---------------------------------------------------------------------------------------------------


def test_losses_then_retreat_then_advance_then_exhaustion() -> None:
    t = fight(3)
    put(t, "ss-w-2", "1941", attack=5)  # of unknown type
    strike(t, "DL", attackers=["ss-w-1", "302id", "ss-w-2"])
    assert actions(t, "soviet") == ["lose-units"] and actions(t, "german") == []
    with refused(NotNow, rule="9.6"):  # out of order
        reply(t, "german", "exhaust", kind="foot")
    reply(t, "soviet", "lose-units", unit="voronezh-3")
    assert actions(t, "german") == ["retreat"]
    reply(t, "german", "retreat", to="2139")
    assert actions(t, "german") == ["advance"]
    assert t.sees("soviet")["battles"][-1]["waits"] == [
        "German: advance into 2040 and one hex beyond, if you like: Voronezh 3 eliminated"
    ]
    reply(t, "german", "advance", units=["ss-w-1", "302id", "ss-w-2"])
    assert actions(t, "german") == ["exhaust"]
    reply(t, "german", "exhaust", kind="foot")
    assert not t.game.duties() and not t.game.fighting


def test_after_a_split_the_advance_waits_for_every_part() -> None:
    t = fight()
    strike(t, "D1")
    reply(t, "soviet", "retreat", to="apart")
    reply(t, "soviet", "retreat", to="2140")
    assert actions(t, "german", live=False) == []  # one is still there
    reply(t, "soviet", "retreat", to="2039")
    assert actions(t, "german") == ["advance"]


def test_no_advance_while_survivors_hold_the_hex() -> None:
    t = fight(3)
    strike(t, "D1")
    surround(t)
    reply(t, "soviet", "retreat", lost=["voronezh-1"])  # 9.7.5: one hex short, one unit
    assert len([u for u in t.game.units_at("2040") if u.side == "soviet"]) == 2
    assert not t.game.duties()  # they stay, and nobody advances [9.8.1]


@pytest.mark.parametrize("result", ["D1", "D1D"])
def test_when_the_last_defender_dies_the_advance_is_two_hexes(result: str) -> None:
    t = fight(1)
    strike(t, result)
    surround(t)
    assert t.game.units["voronezh-1"].place == "box:dead"
    assert duty(t, "german", "advance")["args"]["limit"] == 2  # 9.8.2
    assert offered(t, "german", "advance")[1:]


def test_the_shortfall_of_a_blocked_stack_is_charged_once() -> None:
    t = fight(3)
    strike(t, "D2")
    surround(t)
    assert list(card(t, "soviet", "retreat")) == ["lost"]  # no parting: the price is the stack's [9.7.5]
    reply(t, "soviet", "retreat", lost=["voronezh-1", "voronezh-2"])
    assert t.game.units["voronezh-3"].place == "2040" and not t.game.duties()


# -- whose it is ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("result", "mover", "other"), [("D1", "soviet", "german"), ("D1D", "german", "soviet")]
)
def test_only_the_player_who_moves_a_retreat_carries_it_out(result: str, mover: str, other: str) -> None:
    t = fight()
    strike(t, result)
    asked = duty(t, mover, "retreat")["id"]
    for seat in (other, "watch"):
        with refused(NotYours):
            t.do(seat, "retreat", _asked=asked, to="2140")  # 9.7
    t.do("table", "retreat", _asked=asked, to="2140")  # which lies before both
    assert t.game.units["voronezh-1"].place == "2140"
    with refused(NotNow):
        t.do(mover, "retreat", _asked=asked, to="2140")  # not twice


def test_nothing_is_answered_that_was_not_asked() -> None:
    t = fight()
    for action in ("retreat", "advance", "lose-units", "exchange-attackers", "exhaust", "remove-surplus"):
        with refused(NotNow):
            t.do("german", action, units=["ss-w-1"], to="2040")


# -- units that died meanwhile -------------------------------------------------------------------------------


def test_a_retreat_of_units_that_are_gone_is_withdrawn() -> None:
    t = fight()
    strike(t, "D1")
    for unit in ("voronezh-1", "voronezh-2"):
        done = t.do("table", "place-unit", unit=unit, box="box:dead")
    assert not t.game.duties(action="retreat")
    assert any(isinstance(x, e.Answered) and x.answer == "no longer applies" and x.text for x in done)


def test_losses_are_chosen_among_those_who_are_left() -> None:
    t = fight(3)
    strike(t, "DL")
    t.do("table", "place-unit", unit="voronezh-2", box="box:dead")
    assert set(offered(t, "soviet", "lose-units", "unit")) == {"voronezh-1", "voronezh-3"}
    t.do("table", "place-unit", unit="voronezh-3", box="box:dead")
    assert t.game.units["voronezh-1"].place == "box:dead"  # no choice is left


def test_stalingrad_falls_and_nobody_of_the_don_front_advances() -> None:
    t = table(owners_book("", crt=False))
    for n in range(2, 22):
        t.do("table", "place-unit", unit=f"6a-{n}", box="box:dead")
    put(t, "6a-1", "1703", kind="infantry", defence=2)
    put(t, "don-1", "1704", kind="infantry", attack=9)
    put(t, "don-2", "1803", kind="infantry", attack=9)
    mark(t, "don-1", "don")
    mark(t, "don-2", "don")
    go(t, "soviet-combat")
    t.do("soviet", "resolve-combat", target="1703", attackers=["don-1"], die="1")
    reply(t, "soviet", "enter-result", result="DL")
    assert t.game["stalingrad"] == "fallen"  # B13.2.3
    assert t.game.units["don-1"].place == "box:don-gone"
    assert not t.game.duties()
    with refused(NotNow):
        t.do("soviet", "advance", units=["don-1"])


# -- phases, hands on the map, taking back -------------------------------------------------------------------


def test_what_is_owed_goes_along_and_what_is_offered_lapses() -> None:
    t = fight()
    strike(t, "D1")
    with refused(StillOwed) as refusal:
        t.do("german", "next-phase")
    assert refusal.value.said == ["Retreat 1 hex: Voronezh 2, Voronezh 1 (German attack on 2040)"]
    t.next()
    reply(t, "soviet", "retreat", to="2140")
    assert actions(t, "german") == ["advance"]
    t.next()
    assert not t.game.duties()


def test_losses_taken_on_the_map_leave_the_rest_of_the_result() -> None:
    t = fight(3)
    strike(t, "DL")
    t.do("soviet", "dismiss", ask=duty(t, "soviet", "lose-units")["id"], how="done on the map")
    assert {t.game.mark(f"voronezh-{n}", "disrupted") for n in (1, 2, 3)} == {"d"}
    assert actions(t, "german") == ["retreat"]


def test_a_retreat_done_on_the_map_opens_the_advance_once_the_hex_is_empty() -> None:
    t = fight()
    strike(t, "D1")
    for unit in ("voronezh-1", "voronezh-2"):
        t.do("soviet", "place-unit", unit=unit, hex="2039")
    assert actions(t, "german") == ["advance"]


def test_no_to_an_advance_ends_the_battle() -> None:
    t = fight()
    strike(t, "D1")
    reply(t, "soviet", "retreat", to="2140")
    t.do("german", "dismiss", ask=duty(t, "german", "advance")["id"])
    assert not t.game.fighting


def test_the_next_battle_leaves_the_last_ones_offers() -> None:
    t = fight()
    strike(t, "D1")
    reply(t, "soviet", "retreat", to="2140")
    put(t, "88id", "2240", kind="infantry", nation="german", attack=9)
    t.do("german", "resolve-combat", target="2140", attackers=["88id"], die="3")
    assert not t.game.duties(action="advance")


def test_a_retreat_taken_back_is_owed_again() -> None:
    t = fight()
    strike(t, "D1")
    before = t.game.revision
    reply(t, "soviet", "retreat", to="2140")
    t.do("soviet", "take-back", to=before)
    assert actions(t, "soviet") == ["retreat"] and actions(t, "german", live=False) == []
    assert t.game.units["voronezh-1"].place == "2040"
    reply(t, "soviet", "retreat", to="2039")
    assert actions(t, "german") == ["advance"]


def test_partly_on_record_the_rest_is_told_in_words() -> None:
    t = table(owners_book("", crt=False))
    put(t, "302id", "2041", kind="infantry", nation="german", attack=6)
    go(t, "german-combat")
    t.do("german", "resolve-combat", target="2040", attackers=["302id"], defence=3, die="1")
    reply(t, "german", "enter-result", result="D2D")
    assert texts(t, "german")[:1] == ["D2D: defenders back 2 and disrupted, moved by the German player"]
    assert texts(t, "soviet") == []
    assert t.sees("soviet")["battles"][-1]["others"][0].startswith("German: D2D")
    t.do("german", "dismiss", ask=t.asked("german")[0]["id"])
    assert actions(t, "german") == ["advance"]


# -- stacking ------------------------------------------------------------------------------------------------


def crowded(**sizes: str) -> Bench:
    t = table()
    for n in range(1, 6):
        put(t, f"voronezh-{n}", "1420", **({"size": sizes[f"u{n}"]} if f"u{n}" in sizes else {}))
    put(t, "voronezh-6", "1421")
    go(t, "soviet-move")
    return t


def test_too_high_a_stack_is_said_before_it_costs_units() -> None:
    t = crowded()
    with refused(StillOwed) as refusal:
        t.do("soviet", "next-phase")
    assert refusal.value.said == ["1420 holds 2 units too many [5.1.3, B4]"]
    t.next()
    assert actions(t, "soviet") == ["remove-surplus"]
    assert "voronezh-6" not in offered(t, "soviet", "remove-surplus", "units")  # of that stack alone
    for wrong in (["voronezh-1"], ["voronezh-1", "voronezh-2", "voronezh-3"]):
        with refused(Unreadable, rule="5.1.4, B4", field="units"):
            reply(t, "soviet", "remove-surplus", units=wrong)
    with refused(Unreadable, field="units", given="voronezh-6"):
        reply(t, "soviet", "remove-surplus", units=["voronezh-1", "voronezh-6"])
    with refused(NotYours):
        t.do("german", "remove-surplus", units=["voronezh-1", "voronezh-2"])
    reply(t, "soviet", "remove-surplus", units=["voronezh-1", "voronezh-2"])
    assert len(t.game.units_at("1420")) == 3


def test_the_second_corps_must_be_among_those_who_go() -> None:
    t = crowded(u1="XXX", u2="XXX")
    t.next()
    with refused(Unreadable, rule="5.1.4, B4", field="units"):
        reply(t, "soviet", "remove-surplus", units=["voronezh-4", "voronezh-5"])
    reply(t, "soviet", "remove-surplus", units=["voronezh-1", "voronezh-5"])


def test_a_stack_put_right_on_the_map_is_asked_for_no_more() -> None:
    t = crowded()
    t.next()
    t.do("table", "place-unit", unit="voronezh-1", hex="1320")
    assert actions(t, "soviet") == ["remove-surplus"]
    t.do("table", "place-unit", unit="voronezh-2", hex="1320")
    assert not t.asked("soviet")


# -- supply, types, Hitler -----------------------------------------------------------------------------------


def test_without_headquarters_on_record_supply_is_not_checked() -> None:
    t = table(owners_book())
    put(t, "voronezh-1", "1020")
    go(t, "soviet-supply")
    with refused(NotNow, given="check-supply"):
        t.do("soviet", "check-supply")
    put(t, "voronezh-hq", "1409")
    with refused(Warned) as refusal:  # the other Fronts' are still missing
        t.do("soviet", "check-supply")
    assert "Southwestern" in refusal.value.said[0] and "Voronezh" not in refusal.value.said[0]


@pytest.mark.parametrize("action", ["check-supply", "mark-supply"])
def test_supply_is_judged_before_its_phase_ends(action: str) -> None:
    t = table(owners_book())
    put(t, "ss-w-1", "2041")
    t.until("german-supply")
    with refused(StillOwed) as refusal:
        t.do("german", "next-phase")
    assert refusal.value.said == ["Check supply [6.1]"]
    t.do("german", action)
    t.do("german", "next-phase")
    assert t.game.phase == "german-support"


def test_a_unit_of_unknown_type_does_not_move_as_mechanized_in_silence() -> None:
    t = table()
    put(t, "ss-w-1", "2041", move=6)
    go(t, "german-move")
    with refused(Unreadable, field="kind", rule="2.2.1, B5.2"):
        t.calc("movement", unit="ss-w-1", path="2042")
    with refused(Unreadable, field="kind", rule="2.2.1"):
        t.do("german", "one-hex-move", units=["ss-w-1"])
    assert "kind" in shown(t, "german", "one-hex-move", units=["ss-w-1"])
    t.do("german", "one-hex-move", units=["ss-w-1"], kind="foot")
    assert not t.game.mark("ss-w-1", "exhausted") and t.game.units["ss-w-1"].kind == "foot"  # 8.5.3
    assert "kind" not in shown(t, "german", "one-hex-move", units=["ss-w-1"])


@pytest.mark.parametrize(
    ("written", "mechanized"),
    [
        ("Panzer", True),
        ("Mechanised infantry", True),
        ("mot inf", True),
        ("Rifle", False),
        ("HQ", False),
        ("elite", None),
    ],
)
def test_types_are_read_however_they_are_written(written: str, mechanized: bool | None) -> None:
    assert (
        base.mechanized(Unit("x", "german", kind=written)) is mechanized
    )  # 2.2.1; an unknown word is asked about


def test_mechanized_movement_asks_whether_a_unit_is() -> None:
    t = table()
    put(t, "ss-w-1", "2041")
    go(t, "german-mech")
    with refused(Unreadable, field="kind", rule="2.2.1"):
        t.do("german", "move-units", units=["ss-w-1"], way="2042")
    t.do("german", "move-units", units=["ss-w-1"], way="2042", kind="mechanized")
    assert t.game.units["ss-w-1"].kind == "mechanized"
    go(t, "german-move")
    t.do("german", "move-units", units=["ss-w-1"], way="2043")  # where it does not matter nobody asks


def hitler_is_met() -> Bench:
    t = table()
    go(t, "german-support", 7)
    t.next()
    t.until("soviet-move", 8)
    put(t, "voronezh-1", "2547")
    return t


def test_the_roll_for_hitler_is_owed_once_and_outlasts_the_phase() -> None:
    t = hitler_is_met()
    with refused(NotYours):
        t.do("german", "roll-for-hitler", die="6")
    t.until("german-combat", 8)  # he has flown home, but the unit was there in time [B15.3.3]
    assert actions(t, "soviet") == ["roll-for-hitler"]
    t.answer("soviet", die="6")
    t.do("german", "agree", ask=next(a.id for a in t.game.asked.values()), yes=False)
    assert not t.game.ended  # whoever refuses plays on


def test_hitler_is_not_rolled_for_again_once_it_was_put_away() -> None:
    t = hitler_is_met()
    t.do("soviet", "dismiss", ask=t.asked("soviet")[0]["id"], how="does not apply")
    assert t.game["hitler"] == "missed" and not t.asked("soviet")


# -- scoring -------------------------------------------------------------------------------------------------


def last_turn(**options: Any) -> Bench:
    t = table(owners_book("major city 0920 Big\n", track=["mud"]), **options)
    put(t, "voronezh-1", "0941")
    put(t, "hollidt-a-1", "1440")
    put(t, "hollidt-a-2", "1442")
    t.do("soviet", "roll-weather", die="2")
    return t


def test_the_weather_is_due_before_its_phase_ends() -> None:
    t = table(units=False)
    with refused(StillOwed) as refusal:
        t.do("soviet", "next-phase")
    assert "B5.1" in refusal.value.said[0]


@pytest.mark.parametrize("end", ["turn", "at-once"])
def test_what_the_record_does_not_tell_is_settled_before_the_count(end: str) -> None:
    t = last_turn(weather_end=end)
    t.until("scoring")
    assert actions(t, "soviet") == ["settle-cities"] and actions(t, "german") == ["settle-units"]
    with refused(Warned):
        t.do("table", "score-game")
    with refused(NotYours):
        t.do("german", "settle-cities", soviet=["0920"])
    reply(t, "soviet", "settle-cities", soviet=["0920", "1703"])
    assert t.game.mark("0920", "owner") == "soviet" and t.game.mark("2147", "owner") == "german"
    reply(t, "german", "settle-units", mech=["hollidt-a-1"], allies=["hollidt-a-2"])
    assert t.game.units["hollidt-a-1"].kind == "mechanized" and t.game.units["hollidt-a-1"].klass == "german"
    assert t.game.units["hollidt-a-2"].klass == "allied"
    t.do("table", "score-game")
    assert t.game.ended.why == "Soviet 26, German 2 points"  # Kharkiv, Big, Stalingrad; 1 + 1 [B15.1, B15.2]


def test_a_list_that_was_settled_on_the_map_is_asked_for_no_more() -> None:
    t = last_turn()
    t.until("scoring")
    t.do("table", "describe-unit", unit="hollidt-a-1", kind="infantry", nation="german")
    t.do("table", "describe-unit", unit="hollidt-a-2", kind="infantry", nation="hungarian")
    assert not t.asked("german")


# -- games from before ---------------------------------------------------------------------------------------


def test_questions_of_old_games_can_be_put_away() -> None:
    copy = json.loads(read(find("panzer-keil-winter-1943", "game")))
    events = [e.Event.from_json(item["body"]) for item in copy["events"]]
    t, tried = table(units=False), set()
    for number, event in enumerate(events, 1):
        if not isinstance(event, e.Asked) or event.is_consent or event.action in tried:
            continue
        tried.add(event.action)
        t.events, t.stream.position = events[:number], 0
        t.refold()
        for seat in ("soviet", "german", "table", "watch"):
            view(t.rules, t.game, seat).to_json()
        t.do(event.to[0], "dismiss", ask=event.id)
        assert event.id not in t.game.asked
    assert {"retreat", "advance", "exchange-attackers"} <= tried
    assert replay(Game(t.kit, "winter-1943"), events).ended
