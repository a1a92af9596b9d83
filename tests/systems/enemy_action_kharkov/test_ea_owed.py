"""Every duty of the game: its order and its seat, what withdraws it, and that nothing owed is lost on the way."""

from __future__ import annotations

from typing import Any

import pytest
from harness import Bench, refused
from systems.enemy_action_kharkov.ea_bench import (
    SIDES,
    activate,
    battle,
    command,
    decline,
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

from companion.engine.errors import Mistake, NotNow, NotYours, StillOwed, Unreadable, Warned
from companion.engine.record import events as e
from companion.systems.enemy_action_kharkov.base import kind_of

AROUND = ("1910", "1911", "2009", "2011", "2110", "2111")
"""The hexes around 2010."""


def attacked(*defenders: dict[str, Any], hits: str = "", red: Any = None, **options: Any) -> Bench:
    """Germans d0, d1 ... in 2010, attacked from 2009 with a real cup; with `hits`, the chits are entered."""
    t = command(mode_chits="physical", book=owners_book("town 1910 Lozovaia\nvp 1910 1\n"), **options)
    mark(t, "1910", "owner", "soviet")
    for number, facts in enumerate(defenders or ({},)):
        put(t, "german", f"d{number}", "2010", **{"formation": "XL", **facts})
    put(t, "soviet", "red", "2009", formation="3T", **(red or {}))
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", hex="2010", units=["red"])
    if hits:
        t.do("soviet", "draw-chits", hits=hits)
    return t


def routes_offered(t: Bench) -> list[str]:
    (ask,) = [a for a in t.asked("german") if a["action"] == "retreat"]
    return [choice["value"] for choice in ask["form"][0]["choices"]]


# -- the points of a town [14.1] -----------------------------------------------------------------------


def test_the_points_of_a_town_wait_for_their_number() -> None:
    """14.1: the question outlives the impulse and the turn, is booked when it is answered, and not asked twice."""
    t = command(book=owners_book("town 1910 Lozovaia\n"))
    red = put(t, "soviet", "red", "1909", formation="3T")
    activate(t, "P03", "3T")
    t.do("soviet", "place-unit", unit=red, hex="1910")
    with refused(StillOwed) as told:
        t.do("soviet", "end-impulse")
    assert told.value.said == ["Lozovaia is Soviet now: enter its printed VP"]
    t.do("soviet", "end-impulse", anyway=True)
    t.until("reserve", 2)
    assert not t.asked("german")  # whoever took it looks at the map
    t.answer("soviet", vp=3)
    assert t.game["vp"] == 2 + 3
    t.do("table", "go-to", turn=2, phase="command")
    t.do("table", "place-unit", unit=red, hex="1909")
    t.do("table", "take-town", hex="1910", side="german")
    assert t.game["vp"] == 2 and not t.game.duties()  # told once, known at this table


# -- strengths that nobody told [9.4] ------------------------------------------------------------------


def test_unknown_strengths_are_asked_and_kept() -> None:
    """9.4: two units without strengths are no 0:0, against which every `at least` chit would count."""
    t = command()
    put(t, "german", "D", "2010", formation="XL", factors={"CS1": 1})
    put(t, "soviet", "red", "2009", formation="3T")
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", hex="2010", units=["red"])
    assert fought(t).attack is None and fought(t).defence is None
    with refused(NotNow, rule="9.4"):
        Bench.do(t, "soviet", "draw-chits")
    assert "not known yet: red, D [9.4]" in t.sees("german")["battles"][-1]["sheet"]["warnings"]
    assert open_actions(t, "soviet") == open_actions(t, "german") == ["tell-strength"]
    t.answer("soviet", points=6)
    t.answer("german", points=2)
    assert (fought(t).attack, fought(t).defence) == (6, 2)
    assert t.game.units["red"].factors["CS2"] == 6
    assert t.game.units["d"].factors == {"CS1": 1, "CS2": 2}
    t.do("soviet", "draw-chits")


@pytest.mark.parametrize(
    ("spelled", "kind"),
    [("Tank", "armour"), ("armor", "armour"), ("Panzer", "armour"), ("armoured cavalry", "armoured cavalry")]
    + [("Mech.", "mechanised"), ("panzergrenadier", "mechanised"), ("Cav", "cavalry"), ("Rifle", "infantry")]
    + [("", ""), ("whatever", "")],
)
def test_a_type_is_read_as_people_write_it(spelled: str, kind: str) -> None:
    """2.21."""
    t = command()
    assert kind_of(t.game.units[put(t, "german", "u", "1510", kind=spelled)]) == kind


def test_an_unknown_type_is_asked_where_armour_matters() -> None:
    """9.4: chits look for armour; a unit without a type is not taken for infantry in silence."""
    t = command()
    put(t, "german", "D", "2010", formation="XL", factors={"CS2": 3})
    put(t, "soviet", "red", "2009", formation="3T", kind="", factors={"CS2": 3})
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", hex="2010", units=["red"])
    (ask,) = [a for a in t.asked("soviet") if a["live"]]
    assert [row["name"] for row in ask["form"]] == ["kind"]
    t.answer("soviet", kind="armour")
    assert fought(t).attacker_armour and t.game.units["red"].kind == "armour"


def test_a_strength_that_is_not_told_matches_no_ratio() -> None:
    """Put away unanswered, it is still not taken for nought."""
    rows = {
        f"C{n:02d}": {
            "front": "ratio at least", "front_detail": "1", "front_hits": "D1",
            "back": "ratio under", "back_detail": "9", "back_hits": "A1", "dark": n <= 3,
        }
        for n in range(1, 61)
    }  # fmt: skip
    t = command(book=owners_book(chits=rows))
    put(t, "german", "D", "2010", formation="XL")
    put(t, "soviet", "red", "2009", formation="3T")
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", hex="2010", units=["red"])
    for ask in t.asked("table"):
        if ask["action"] == "tell-strength":
            t.do("table", "dismiss", ask=ask["id"], how="does not apply")
    t.do("soviet", "draw-chits")
    assert battle(t).result == "A0 D0"


def test_typed_totals_keep_what_the_record_knows() -> None:
    """9.4: with the strength typed, river, supply and terrain of the units still count."""
    t = command(book=owners_book("2010 woods\n2010-2009 donets\n"), turn=4)
    unit = put(t, "german", "D", "2010", formation="XL")
    mark(t, unit, "supply", "oos")
    put(t, "soviet", "red", "2009", formation="3T", kind="armour")
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", hex="2010", units=["red"], attack=9, defence=3, by_hand=True)
    fight = fought(t)
    assert (fight.attack, fight.defence, fight.terrain, fight.status) == (9, 3, "woods", "oos")
    assert fight.river and fight.attacker_armour and fight.steps == 2 and fight.small == 1


def test_a_combat_goes_on_without_a_unit_that_was_swept_off_the_map() -> None:
    """A unit taken off by hand in the middle of a combat neither counts nor stops the chits."""
    t = command()
    put(t, "german", "D", "2010", formation="XL", factors={"CS2": 3})
    for name in ("a", "b"):
        put(t, "soviet", name, "2009", formation="3T", factors={"CS2": 4}, kind="armour")
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", hex="2010", units=["a", "b"])
    t.record(e.Placed("a", "box:out", side="soviet"))
    assert fought(t).attack == 4
    t.do("soviet", "draw-chits")
    t.record(e.Placed("b", "box:out", side="soviet"))
    for seat in SIDES:
        assert t.sees(seat)["battles"]
    assert fought(t).attack is None


# -- tactics [9.2] ---------------------------------------------------------------------------------------


def last_card(number: str, formation: str, turn: int = 1) -> Bench:
    """The active side plays its last card and attacks."""
    t = command(turn=turn)
    side = t.game.active
    take(t, side, number)
    for other in [n for n in hand(t, side) if n != number]:
        t.record(e.Drawn(f"{side}-cards", (other,), f"hand:{side}", "draw", 1))
    t.do(side, "play-card", card=number, what="activate", formations=formation)
    t.do(side, "declare-combat", small=2, steps=1, attack=6, defence=3, terrain="clear")
    return t


@pytest.mark.parametrize(("number", "formation", "turn"), [("P01", "3T", 1), ("P26", "XL", 7)])
def test_the_free_tactic_of_the_last_card(number: str, formation: str, turn: int) -> None:
    """9.23: with no card left in hand the bonus is asked for, and taken; nothing can be said that loses it."""
    t = last_card(number, formation, turn)
    side, other = t.game.active, t.game.other(t.game.active)
    assert open_actions(t, side) == ["bonus-tactic"]
    for action in ("no-tactics", "draw-chits"):
        with pytest.raises(Mistake):
            Bench.do(t, side, action)
    with refused(NotYours, given=other):
        t.do(other, "bonus-tactic", tactic="artillery")
    t.answer(side, tactic="artillery")
    assert fought(t).attack_tactics == ["artillery"]
    assert open_actions(t, other) == ["no-tactics"]  # the attacker has no card: the defender follows


def test_no_more_tactics_does_not_come_before_the_bonus() -> None:
    """9.23: with cards in hand the bonus is still first."""
    t = command()
    activate(t, "P01", "3T")
    t.do("soviet", "declare-combat", small=2, steps=1, attack=6, defence=3, terrain="clear")
    with refused(NotNow, rule="9.23"):
        t.do("soviet", "no-tactics")
    t.answer("soviet", tactic="intelligence")
    assert open_actions(t, "soviet") == ["no-tactics"]


def test_none_for_the_rest_of_the_impulse_is_said_once() -> None:
    """9.2: it holds for later combats of the impulse, and no longer."""
    t = command()
    activate(t, "P03", "3T")
    for first in (True, False):
        t.do("soviet", "declare-combat", small=2, steps=1, attack=6, defence=3, terrain="clear")
        assert (open_actions(t, "soviet") == ["no-tactics"]) is first
        if first:
            t.answer("soviet")
        decline(t)  # the defender says it for this combat only
        t.do("soviet", "draw-chits")
        while owed := [d for d in t.game.duties() if d.is_owed]:
            t.do("table", "dismiss", ask=owed[0].id)
    t.do("soviet", "end-impulse")
    assert not t.game["no-tactics"]


def test_the_last_card_played_ends_the_tactics() -> None:
    """9.2: nobody is asked for a card he does not have."""
    t = last_card("P03", "3T")
    assert open_actions(t, "german") == ["no-tactics"] and not [
        d for d in t.game.duties(action="no-tactics") if d.to[0] == "soviet"
    ]
    for other in hand(t, "german")[1:]:
        t.record(e.Drawn("german-cards", (other,), "hand:german", "draw", 1))
    t.do("german", "play-tactic", card=hand(t, "german")[0], tactic="artillery")
    assert not t.asked("german") and open_actions(t, "soviet") == ["draw-chits"]


# -- losses [9.52, 9.6, 10.23] ---------------------------------------------------------------------------


def test_nothing_is_lost_before_a_chit_is_drawn() -> None:
    """9.52: no hits, no steps, no retreat: for either seat."""
    t = attacked({}, {})
    for seat in (*SIDES, "table"):
        for action, fields in (("lose-steps", {"units": ["d0"]}), ("retreat", {"route": "2011"})):
            with refused(NotNow, given=action):
                t.do(seat, action, **fields)


def test_as_many_steps_as_are_owed() -> None:
    """9.52: one hit, three units: one step."""
    t = attacked({}, {}, {}, hits="D1, -, -, -, -, -")
    t.answer("german", choice="stand")
    with refused(Unreadable, field="units", rule="9.62"):
        t.answer("german", units=["d0", "d1", "d2"])
    with refused(NotYours, given="soviet"):
        t.do("soviet", "lose-steps", units=["d0"])
    t.answer("german", units=["d1"])
    assert [t.game.units[f"d{n}"].steps for n in range(3)] == [2, 1, 2]
    with refused(NotNow, given="lose-steps"):  # once is enough
        t.do("german", "lose-steps", units=["d0"])


def test_surrender_steps_go_along_from_the_supply_phase() -> None:
    """10.23, 4-III: a stack beside an enemy owes one step, of one unit, also after the phase."""
    t = table()
    t.do("table", "go-to", turn=4, phase="supply")
    for name in ("a", "b"):
        mark(t, put(t, "german", name, "2010"), "supply", "isolated")
    put(t, "soviet", "red", "2011")
    with refused(StillOwed) as told:
        t.do("table", "next-phase")
    assert [text for text in told.value.said if "not checked" in text] == [
        "German supply is not checked [4-III]",
        "Soviet supply is not checked [4-III]",
    ]
    t.do("table", "check-supply", side="german", by_hand=True, cut=["a", "b"])
    t.do("table", "check-supply", side="soviet", by_hand=True)
    with refused(StillOwed) as told:
        t.do("table", "next-phase")
    assert told.value.said == ["German: lose a step in 2010, isolated beside an enemy"]
    t.next()
    assert t.game.phase == "command"
    with refused(Unreadable, field="units"):
        t.answer("german", units=["a", "b"])
    t.answer("german", units=["b"])
    assert [t.game.units[n].steps for n in ("a", "b")] == [2, 1] and not t.game.duties()


def test_a_step_owed_by_units_that_died_is_withdrawn() -> None:
    """10.23: the stack is gone: so is what it owed, and the log says so."""
    t = table()
    t.do("table", "go-to", turn=4, phase="supply")
    for name in ("a", "b"):
        mark(t, put(t, "german", name, "2010"), "supply", "isolated")
    put(t, "soviet", "red", "2011")
    t.do("table", "check-supply", side="german", by_hand=True, cut=["a", "b"])
    for name in ("a", "b"):
        t.record(e.Placed(name, "box:out", side="german"))
    done = t.do("german", "note", text="swept off the map")
    assert not t.game.duties()
    assert any(isinstance(event, e.Answered) and event.answer == "no longer applies" for event in done)


def test_a_withdrawal_is_paid_after_the_impulse_too() -> None:
    """8.1: the step is owed until it is lost."""
    t = command()
    for name in ("a", "b"):
        put(t, "soviet", name, "1510", formation="3T")
    for place in ("1408", "1412", "1608", "1612", "1409", "1411", "1609", "1610"):
        put(t, "german", f"g {place}", place, formation="XL")
    activate(t, "P03", "3T")
    t.do("soviet", "withdraw", units=["a", "b"], hex="1511")
    with refused(StillOwed):
        t.do("soviet", "end-impulse")
    t.do("soviet", "end-impulse", anyway=True)
    assert t.game.active == "german"
    with refused(NotYours, given="german"):
        t.do("german", "lose-steps", units=["a"])
    t.answer("soviet", units=["a"])
    assert [t.game.units[n].steps for n in ("a", "b")] == [1, 2]


def test_an_event_is_carried_out_or_stays_owed() -> None:
    """5.4, 10.3: the follow-up of an event does not vanish with the impulse."""
    t = command()
    put(t, "german", "D", "2010", formation="XL")
    take(t, "soviet", "P02")
    t.do("soviet", "play-card", card="P02", what="event", event="partisan uprising")
    with refused(StillOwed):
        t.do("soviet", "end-impulse")
    t.do("soviet", "end-impulse", anyway=True)
    with refused(NotYours, given="german"):
        t.do("german", "disperse", units=["d"])
    t.answer("soviet", units=["d"])
    assert t.game.mark("d", "dispersed") == "on" and not t.game.duties()


# -- retreat [9.7] -----------------------------------------------------------------------------------------


def test_the_retreat_is_the_defenders() -> None:
    """9.7: it is never on the attacker's phone, and not there before the hits."""
    t = attacked(hits="")
    for seat in (*SIDES, "table"):
        assert "retreat" not in {a["action"] for a in t.asked(seat)}
        assert "retreat" not in {a["name"] for a in t.sees(seat)["actions"]}
    t.do("soviet", "draw-chits", hits="D1, -")
    t.answer("german", choice="retreat-1")
    assert "retreat" not in {a["action"] for a in t.asked("soviet")}
    with refused(NotYours, given="soviet"):
        t.do("soviet", "retreat", route="2011")


def test_no_way_out_is_no_way_to_take_a_hit() -> None:
    """9.7: with all six hexes around it held, a unit stands; nobody is asked, and every hit costs a step."""
    t = command(mode_chits="physical")
    put(t, "german", "D", "2010", formation="XL", steps=3, full=3)
    for place in AROUND:
        put(t, "soviet", f"r{place}", place, formation="3T")
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", hex="2010", units=["r2009"])
    t.do("soviet", "draw-chits", hits="D2, -, -")
    assert battle(t).facts["retreat"] == 0
    assert t.game.units["d"].steps == 1 and t.game.units["d"].place == "2010"


def test_a_stack_that_must_split_goes_in_parts() -> None:
    """9.73: no one hex takes all of them, so each goes where stacking lets it; none is forgotten."""
    t = attacked({}, {}, hits="")
    for place in ("1911", "2011", "2111"):  # friends leave room for two steps
        put(t, "german", f"f{place}", place, formation="III", steps=3, full=3)
        put(t, "german", f"g{place}", place, formation="III", steps=1, full=1)
    put(t, "soviet", "north", "1910", formation="40")
    put(t, "soviet", "south", "2110", formation="40")
    t.do("soviet", "draw-chits", hits="D1, -, -, -")
    t.answer("german", choice="retreat-1")
    offered = routes_offered(t)
    assert offered and all(value.startswith(("d0 ", "d1 ")) for value in offered)
    t.answer("german", route=next(v for v in offered if v.startswith("d0 ")))
    assert t.game.units["d0"].place != "2010" and t.game.units["d1"].place == "2010"
    assert "advance" not in open_actions(t, "soviet")
    for value in routes_offered(t)[:1]:
        t.answer("german", route=value)
    assert t.game.units["d1"].place not in ("2010", t.game.units["d0"].place)
    assert open_actions(t, "soviet") == ["advance"]


def test_losses_come_before_the_retreat_and_the_price_after_it() -> None:
    """9.52, 9.7: who is left retreats, and pays for a zone outside the order of losses."""
    t = attacked({"steps": 1, "full": 1}, {"steps": 2}, {"steps": 2}, hits="")
    for place in ("1912", "2112", "2212", "1812"):
        put(t, "soviet", f"r{place}", place, formation="40")
    t.do("soviet", "draw-chits", hits="D2, -, -, -, -")
    t.answer("german", choice="retreat-1")
    assert [(a["action"], a["live"]) for a in t.asked("german")] == [("lose-steps", True), ("retreat", False)]
    with refused(NotNow, rule="9.6"):
        t.do("german", "retreat", route="2011")
    t.answer("german", units=["d0"])
    if "retreat" in open_actions(t, "german"):
        t.answer("german", route=routes_offered(t)[0])
    assert open_actions(t, "german") == ["lose-steps"]
    t.answer("german", units=["d2"])
    assert [t.game.units[n].steps for n in ("d1", "d2")] == [2, 1]
    assert t.game.units["d1"].place == t.game.units["d2"].place != "2010"


def test_a_retreat_left_undone_goes_along() -> None:
    """9.0, 9.7: neither the next combat nor the end of the impulse makes it vanish."""
    t = attacked(hits="D1, -")
    t.answer("german", choice="retreat-1")
    with refused(NotNow, rule="9.0"):
        t.do("soviet", "declare-combat", small=1, steps=1)
    with refused(NotNow, rule="9.0"):
        t.do("soviet", "build-ip", hexes="2009")
    t.do("soviet", "end-impulse", anyway=True)
    t.until("end")
    assert open_actions(t, "german") == ["retreat"]
    t.answer("german", route=routes_offered(t)[0])
    assert t.game.units["d0"].place != "2010"


def test_what_an_impulse_left_open_does_not_hold_up_the_next() -> None:
    """9.0: the other side attacks, although a retreat from before is still owed."""
    t = attacked(hits="D1, -")
    t.answer("german", choice="retreat-1")
    t.do("soviet", "end-impulse", anyway=True)
    activate(t, "P23", "XL")
    t.do("german", "declare-combat", small=1, steps=1)
    t.do("german", "draw-chits", hits="D1")
    assert "retreat" in open_actions(t, "german")
    t.do("soviet", "apply-defence", choice="stand")
    t.do("german", "retreat", route="2011")
    assert t.game.units["d0"].place == "2011"


def test_hits_taken_back_are_owed_again() -> None:
    """An answer taken back is open again, with what followed from it gone."""
    t = attacked(hits="D1, -", solo=True)
    before = t.game.revision
    t.answer("german", choice="retreat-1")
    t.do("german", "take-back", to=before)
    assert open_actions(t, "german") == ["apply-defence"]
    t.answer("german", choice="stand")
    assert t.game.units["d0"].steps == 1


# -- advance [9.8] -----------------------------------------------------------------------------------------


def test_no_advance_for_dispersed_attackers() -> None:
    """9.8: when every attacker is dispersed, nobody is offered to move in."""
    t = attacked(hits="A2 D1, -")
    t.answer("german", choice="retreat-1")
    t.answer("german", route=routes_offered(t)[0])
    assert open_actions(t, "soviet") == ["apply-attack"]
    t.answer("soviet", choice="disperse")
    assert t.game.mark("red", "dispersed") == "fresh"
    assert not t.asked("soviet") and not t.game.fighting


def test_the_advance_keeps_to_stacking_and_leaves_joiners_behind() -> None:
    """9.8, 7.4: units of Assault Coordination do not advance."""
    t = command(mode_chits="physical", book=owners_book("town 1910 Lozovaia\nvp 1910 1\n"))
    mark(t, "1910", "owner", "soviet")
    put(t, "german", "D", "2010", formation="XL", steps=1, full=1)
    for n in range(4):
        put(t, "soviet", f"s{n}", "2009" if n < 3 else "1910", formation="3T")
    put(t, "soviet", "helper", "2110", formation="40")
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", hex="2010", units=["s0", "s1", "s2", "s3"])
    t.do("soviet", "play-tactic", card=hand(t, "soviet")[0], tactic="assault coordination")
    t.do("soviet", "join-combat", units=["helper"])
    t.do("soviet", "draw-chits", hits="D1")
    t.answer("soviet", extra="0")
    t.answer("german", choice="stand")
    (ask,) = t.asked("soviet")
    assert {c["value"] for c in ask["form"][0]["choices"]} == {"s0", "s1", "s2", "s3"}
    with refused(Warned) as told:
        t.answer("soviet", units=["s0", "s1", "s2", "s3"])
    assert told.value.said == ["2010 would hold too many units or steps [7.4]"]
    t.answer("soviet", units=["s0", "s1", "s2"])
    assert {u.id for u in t.game.units_at("2010")} == {"s0", "s1", "s2"}


def test_an_offer_lapses_with_the_impulse() -> None:
    """9.8: the advance is no duty."""
    t = attacked({"steps": 1, "full": 1}, hits="D1")
    t.answer("german", choice="stand")
    assert open_actions(t, "soviet") == ["advance"]
    t.do("soviet", "end-impulse")
    assert not t.game.duties()


# -- stacking [7.4] ----------------------------------------------------------------------------------------


def test_too_many_in_a_hex_is_said_once_as_the_impulse_ends() -> None:
    """7.4: then owed by the side whose stack it is, until the hex holds them."""
    t = command()
    for n in range(4):
        put(t, "soviet", f"u{n}", "1005", formation="3T", steps=1, full=2)
    activate(t, "P03", "3T")
    with refused(StillOwed) as told:
        t.do("soviet", "end-impulse")
    assert told.value.said == ["1005 holds too many: 4 units, 4 steps [7.4]"]
    t.do("soviet", "end-impulse", anyway=True)
    assert [d.text for d in t.game.duties()] == ["Soviet: reduce 1005, 4 units, 4 steps"]
    activate(t, "P23", "XL")
    with refused(StillOwed) as told:
        t.do("german", "end-impulse")
    assert told.value.said == ["Soviet: reduce 1005, 4 units, 4 steps"]  # once, not twice
    with refused(NotYours, given="german"):
        t.do("german", "reduce-stack", units=["u0"])
    t.answer("soviet", units=["u3"])
    assert t.game.units["u3"].place == "box:eliminated-soviet" and not t.game.duties()


def test_a_stack_moved_apart_owes_nothing() -> None:
    """7.4: what no longer applies is withdrawn."""
    t = command()
    for n in range(4):
        put(t, "soviet", f"u{n}", "1005", formation="3T", steps=1, full=2)
    activate(t, "P03", "3T")
    t.do("soviet", "end-impulse", anyway=True)
    t.do("soviet", "place-unit", unit="u0", hex="1006")
    assert not t.game.duties()


# -- calling a combat off ----------------------------------------------------------------------------------


def test_a_declared_combat_is_called_off_by_both() -> None:
    """9.0: that it does not apply needs the other side; cards and chits are put away, nobody has attacked."""
    t = attacked()
    t.do("soviet", "play-tactic", card=hand(t, "soviet")[0], tactic="artillery")
    (ask,) = [a for a in t.asked("soviet") if a["action"] == "draw-chits"]
    t.do("soviet", "dismiss", ask=ask["id"], how="does not apply")
    assert not battle(t).result
    t.agree()
    assert battle(t).result == "called off" and not t.game.duties()
    assert not t.game.marked("attacked") and not t.game.piles["soviet-cards"]["tactics"]


def test_a_combat_settled_on_the_map_counts_as_fought() -> None:
    t = attacked()
    (ask,) = [a for a in t.asked("soviet") if a["action"] == "draw-chits"]
    t.do("soviet", "dismiss", ask=ask["id"])
    assert battle(t).result == "settled on the map" and not t.game.fighting
    assert t.game.mark("red", "attacked") and t.game.mark("d0", "struck")


def test_the_aid_is_read_by_anybody() -> None:
    """9.51: what only the tactics aid tells is asked before the hits; put away, it adds nothing."""
    for answer in (True, False):
        t = attacked()
        t.do("soviet", "play-tactic", card=hand(t, "soviet")[0], tactic="tank brigade")
        t.do("soviet", "draw-chits", hits="D1, -")
        if not answer:
            (ask,) = [a for a in t.asked("table") if a["action"] == "total-hits"]
            t.do("table", "dismiss", ask=ask["id"])
        else:
            t.do("german", "total-hits", defender=1)
        assert battle(t).result == ("A0 D2" if answer else "A0 D1")


def test_every_refusal_leaves_the_battle_as_it_was() -> None:
    """Answers by the wrong seat, out of order or twice change nothing."""
    t = attacked({}, {}, hits="A1 D2, -, -, -")
    before = t.game.dump()
    for seat in (*SIDES, "table", "watch"):
        for action in ("retreat", "lose-steps", "apply-attack", "advance", "go-on", "draw-chits"):
            with pytest.raises(Mistake):
                Bench.do(t, seat, action)
    assert t.game.dump() == before


def test_old_questions_of_a_combat_can_be_put_away() -> None:
    """A game recorded before there were battles."""
    t = command()
    for name in ("no-tactics", "end-combat", "apply-defence", "lose-steps"):
        t.record(e.Asked(f"{name}-1", ("soviet", "table"), name, name))
    set_(t, "vp", 3)
    t.do("soviet", "note", text="years later")
    assert len(t.game.duties()) == 4
    for ask in list(t.asked("soviet")):
        t.do("soviet", "dismiss", ask=ask["id"])
    assert not t.game.duties()
