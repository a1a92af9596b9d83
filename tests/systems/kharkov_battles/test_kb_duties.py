"""Every duty of a battle [12.0-12.8]: its order, its seat, what withdraws it, what carries it over a phase."""

import pytest
from harness import refused
from kb_bench import answer, battle, designate, duties, enrol, fight, jump, options, table, total, warned

from companion.engine.errors import NotNow, NotYours, StillOwed
from companion.systems.kharkov_battles.designate import owed


def combat(second=True):
    """An Axis combat phase with one or two attackers, on either side of a Soviet hex."""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    one = enrol(t, "axis", "320 Inf", "infantry", "KB3010", strength=9)
    two = enrol(t, "axis", "298 Inf", "infantry", "KB3012", strength=9) if second else ""
    enemy = enrol(t, "soviet", "6 Rifle", "rifle", "KB3011", strength=3)
    return t, one, two, enemy


# -- designating -------------------------------------------------------------------------------------------


def test_a_second_stack_joins_and_there_is_one_card():
    """12.0, 12.21: one set of duties for a combat, and everybody is counted."""
    t, one, two, _ = combat()
    designate(t, "KB3011", one)
    designate(t, "KB3011", two)
    assert len(duties(t, "axis", "begin-assault")) == 1
    assert battle(t).units("axis") == (one, two)
    answer(t, "axis", "begin-assault")
    assert total(t, "attack") == 18
    assert [a["action"] for a in duties(t, "axis")] == ["roll-assault"]


def test_joining_an_attack_on_two_hexes_keeps_both():
    """12.21: by whichever hex it is named; who joins must be adjacent to both."""
    t, one, two, _ = combat()
    enrol(t, "soviet", "7 Rifle", "rifle", "KB3110", strength=3)
    near = enrol(t, "axis", "LAH 1", "infantry", "KB3111", strength=5)
    designate(t, "KB3011", one, also=("KB3110",))
    with warned("12.21", "298 Inf is not adjacent to KB3110"):
        designate(t, "KB3011", two)
    designate(t, "KB3110", near)
    assert battle(t).hexes == ("KB3011", "KB3110") and battle(t).units("axis") == (one, near)
    answer(t, "axis", "begin-assault")
    assert (total(t, "attack"), total(t, "defence")) == (14, 6)


def test_attacks_are_designated_before_any_is_resolved():
    """12.0: said before, done anyway if the players wish."""
    t, one, two, _ = combat()
    enrol(t, "soviet", "7 Rifle", "rifle", "KB3013", strength=3)
    designate(t, "KB3011", one)
    answer(t, "axis", "begin-assault")
    with warned("12.0", "designated before any is resolved"):
        designate(t, "KB3013", two)
    answer(t, "axis", "roll-assault", die="4")
    with warned("12.0", "designated before any is resolved"):
        designate(t, "KB3013", two)
    designate(t, "KB3013", two, anyway=True)
    assert duties(t, "axis", "begin-assault")


def test_a_second_multi_step_unit_of_the_hex_does_not_attack_after_the_first():
    """6.21: in a combat phase, however its attack has gone."""
    t, *_ = combat()
    big = [enrol(t, "axis", f"{n} Inf", "infantry", "KB3110", strength=9, steps=2) for n in (1, 2)]
    enrol(t, "soviet", "7 Rifle", "rifle", "KB3111", strength=3)
    enrol(t, "soviet", "8 Rifle", "rifle", "KB3210", strength=3)
    fight(t, "KB3111", big[0], die="4")
    with warned("6.21", "KB3110"):
        designate(t, "KB3210", big[1])


def test_what_must_be_attacked_besides_stays_owed_when_the_die_has_fallen():
    """12.1: on the panel, and as the phase is to end."""
    t, one, two, _ = combat()
    enrol(t, "soviet", "7 Rifle", "rifle", "KB3009", strength=3)
    fight(t, "KB3011", one, die="4")
    assert owed(t.game) == {"KB3009": ["320 Inf"]}
    assert "Must be attacked as well" in [p["title"] for p in t.sees("axis")["panels"]]
    with pytest.raises(StillOwed) as said:
        t.do("axis", "next-phase")
    assert said.value.said == ["attack KB3009: its zone reaches 320 Inf [12.1]"]
    t.next("axis")
    assert t.game.phase == "soviet-command"


def test_a_unit_over_a_major_river_must_attack():
    """7.26: said as the phase is to end, unless it does."""
    t, one, *_ = combat()
    t.do("table", "mark", marker="must-attack", units=[one], value="on")
    with pytest.raises(StillOwed) as said:
        t.do("axis", "next-phase")
    assert "320 Inf crossed a Major River and must attack [7.26]" in said.value.said
    fight(t, "KB3011", one, die="4")
    assert not t.game.mark(one, "must-attack")


def test_a_refusal_says_why():
    """The reason, not only that a unit cannot be chosen."""
    t, one, *_ = combat()
    t.do("table", "mark", marker="repl", units=[one], value="on")
    with warned("16.22", "320 Inf is taking replacements"):
        designate(t, "KB3011", one)


# -- order and seats ---------------------------------------------------------------------------------------


def everybody_speaks():
    """Air on both sides, a chit of each side real, two defenders to choose from: nothing tells itself."""
    t = table("operation-star", mode_chits="physical")
    jump(t, "axis-combat", 1)
    for side in ("axis", "soviet"):
        t.do("table", "correct", name=f"air-{side}", value="2")
    own = enrol(t, "axis", "LAH 1", "panzergrenadier", "KB3010", size="III", formation="LAH", rating="A")
    both = [enrol(t, "soviet", f"{n} Gds", "cavalry", "KB3011", size="XXX", rating="B") for n in (1, 2)]
    designate(t, "KB3011", own)
    return t, own, both


ORDER = ["begin-assault", "commit-air", "announce-strength", "announce-strength", "roll-assault"]


def test_the_order_of_a_battle():
    """5.21, 12.0: attacker's air, defender's air, attacker's strength, defender's, the die; only the next is live."""
    t, own, both = everybody_speaks()
    seen = []

    def live():
        return sorted({a["action"] for s in ("axis", "soviet") for a in duties(t, s)} - {"tell-strength"})

    for seat, action, fields in (
        ("axis", "begin-assault", {"points": 1}),
        ("soviet", "commit-air", {"points": 1}),
        ("axis", "announce-strength", {"total": 12}),
        ("soviet", "announce-strength", {"total": 4, "units": [both[0]]}),
        ("axis", "roll-assault", {"die": "7"}),
    ):
        assert live() == [action]
        seen.append(action)
        answer(t, seat, action, **fields)
    assert seen == ORDER and live() == ["settle-result"]
    assert [a["mine"] for a in t.asked("soviet")] == [True]


def test_out_of_order_and_by_the_wrong_seat_is_refused():
    t, own, both = everybody_speaks()
    begin = duties(t, "axis", "begin-assault")[0]["id"]
    with refused(NotYours, given="soviet"):
        t.do("soviet", "begin-assault", _asked=begin)
    t.do("axis", "begin-assault", _asked=begin, points=0)
    with refused(NotNow):  # it was done
        t.do("axis", "begin-assault", _asked=begin)
    later = {a["action"]: a["id"] for a in t.asked("axis") if not a["live"]}
    for action, fields in (
        ("announce-strength", {"total": 9}),
        ("roll-assault", {"attack": 9, "defence": 3}),
    ):
        with refused(NotNow, rule="5.21"):
            t.do("axis", action, _asked=later[action], **fields)
    with refused(NotYours, given="axis"):
        t.do("axis", "commit-air", _asked=duties(t, "soviet", "commit-air")[0]["id"], points=1)


@pytest.mark.parametrize("action", ["settle-result", "take-losses", "fall-back", "advance"])
def test_what_nobody_is_asked_cannot_be_answered(action):
    t, *_ = combat()
    with refused(NotNow, given=action):
        t.do("axis", action)


def test_each_follow_up_belongs_to_one_side():
    t, one, two, enemy = combat(second=False)
    enrol(t, "soviet", "7 Rifle", "rifle", "KB3011", strength=3)
    fight(t, "KB3011", one, die="7")  # D(1)r2
    for mine, theirs, action, fields in (
        ("soviet", "axis", "settle-result", {"more": 0}),
        ("soviet", "axis", "take-losses", {"how": f"{enemy}:1"}),
        ("soviet", "axis", "fall-back", {"to": "KB3112"}),
        ("axis", "soviet", "advance", {"units": [one]}),
    ):
        ask = duties(t, mine, action)[0]["id"]
        assert not duties(t, theirs)
        with refused(NotYours, given=theirs):
            t.do(theirs, action, _asked=ask, **fields)
        t.do(mine, action, _asked=ask, **fields)
    assert not t.game.fighting


def test_a_result_is_applied_before_the_next_attack_is_begun():
    """12.0: the players are told; the exception is a split hex [12.23]."""
    t, one, two, _ = combat()
    enrol(t, "soviet", "7 Rifle", "rifle", "KB3013", strength=3)
    designate(t, "KB3011", one)
    designate(t, "KB3013", two)
    first, second = [d["id"] for d in duties(t, "axis", "begin-assault")]
    t.do("axis", "begin-assault", _asked=first)
    answer(t, "axis", "roll-assault", die="7")
    with warned("12.0", "first finish the Attack on KB3011"):
        t.do("axis", "begin-assault", _asked=second)
    t.do("axis", "begin-assault", _asked=second, anyway=True)
    assert len(t.game.fighting) == 2


def test_several_battles_are_open_at_once_each_with_its_own_duties():
    t, one, two, _ = combat()
    enrol(t, "soviet", "7 Rifle", "rifle", "KB3013", strength=3)
    designate(t, "KB3011", one)
    designate(t, "KB3013", two)
    assert [b["title"] for b in t.sees("soviet")["battles"]] == ["Attack on KB3011", "Attack on KB3013"]
    assert len({t.game.asked[d["id"]].battle for d in duties(t, "axis", "begin-assault")}) == 2


# -- what no longer makes sense ----------------------------------------------------------------------------


def test_an_attack_whose_attackers_are_gone_is_called_off():
    t, one, *_ = combat()
    designate(t, "KB3011", one)
    t.do("table", "place-unit", unit=one, box="box:dead")
    assert battle(t).result == "called off" and not t.asked("axis")
    assert any(x.KIND == "answered" and x.answer == "no longer applies" and x.text for x in t.events)


def test_an_attack_whose_defenders_are_gone_is_called_off():
    t, one, _, enemy = combat()
    designate(t, "KB3011", one)
    t.do("table", "place-unit", unit=enemy, hex="KB3020")
    assert battle(t).result == "called off" and not t.asked("axis")
    designate(t, "KB3020", anyway=True)  # who was called off has not attacked, nor been attacked


def test_losses_of_those_who_died_meanwhile_are_no_longer_asked():
    t, one, _, enemy = combat(second=False)
    fight(t, "KB3011", one, die="7")  # the only step there is: no choice but its supply line
    assert duties(t, "soviet", "take-losses")
    t.do("table", "place-unit", unit=enemy, box="box:dead")
    assert not t.asked("soviet")
    assert [a["text"] for a in duties(t, "axis")] == ["Axis: advance up to 2 hexes?"]


def test_a_retreat_of_those_who_left_by_hand_is_no_longer_asked():
    t, one, _, enemy = combat()
    other = enrol(t, "soviet", "7 Rifle", "rifle", "KB3011", strength=3)
    fight(t, "KB3011", one, die="7")
    answer(t, "soviet", "settle-result", more=0)
    answer(t, "soviet", "take-losses", how=f"{enemy}:1")
    t.do("soviet", "place-unit", unit=other, hex="KB3113")
    assert not t.asked("soviet") and duties(t, "axis", "advance")


def test_an_advance_into_a_hex_that_is_taken_again_is_withdrawn():
    t, one, _, enemy = combat()
    fight(t, "KB3011", one, die="7")
    answer(t, "soviet", "take-losses", how=f"{enemy}:1")
    assert duties(t, "axis", "advance")
    enrol(t, "soviet", "9 Rifle", "rifle", "KB3011", strength=3)
    assert not t.asked("axis")


# -- phases, dismissals, undo ------------------------------------------------------------------------------


def test_what_is_owed_goes_along_into_the_next_phases():
    t, one, _, enemy = combat(second=False)
    enrol(t, "soviet", "7 Rifle", "rifle", "KB3011", strength=3)
    fight(t, "KB3011", one, die="7")
    with pytest.raises(StillOwed):
        t.do("axis", "next-phase")
    for _ in range(4):
        t.next()
    assert t.game.phase == "soviet-combat"
    answer(t, "soviet", "settle-result", more=0)
    answer(t, "soviet", "take-losses", how=f"{enemy}:1")
    answer(t, "soviet", "fall-back", to="KB3112")
    answer(t, "axis", "advance", units=[one])
    assert t.game.units[one].place == "KB3011"


def test_a_designated_attack_is_fought_in_a_later_phase_too():
    """Its attacker is the one who designated it, whoever moves now."""
    t, one, _, _ = combat()
    designate(t, "KB3011", one)
    t.next()
    t.next()
    answer(t, "axis", "begin-assault")
    assert (total(t, "attack"), total(t, "defence")) == (9, 3)
    answer(t, "axis", "roll-assault", die="1")  # A(1)r1
    assert not t.game.units[one].on_map  # its only step: nothing to choose


def test_offers_lapse_with_the_phase_and_when_the_next_battle_begins():
    t, one, two, enemy = combat()
    enrol(t, "soviet", "7 Rifle", "rifle", "KB3013", strength=3)
    designate(t, "KB3011", one)
    designate(t, "KB3013", two)
    first, second = [d["id"] for d in duties(t, "axis", "begin-assault")]
    t.do("axis", "begin-assault", _asked=first)
    answer(t, "axis", "roll-assault", die="7")
    answer(t, "soviet", "take-losses", how=f"{enemy}:1")
    assert duties(t, "axis", "advance")
    t.do("axis", "begin-assault", _asked=second)
    assert not duties(t, "axis", "advance")


def test_done_on_the_map_goes_on_with_the_battle():
    t, one, _, enemy = combat()
    other = enrol(t, "soviet", "7 Rifle", "rifle", "KB3011", strength=3)
    fight(t, "KB3011", one, die="7")
    answer(t, "soviet", "settle-result", more=0)
    t.do("soviet", "dismiss", ask=duties(t, "soviet", "take-losses")[0]["id"], how="done on the map")
    t.do("soviet", "dismiss", ask=duties(t, "soviet", "fall-back")[0]["id"], how="done on the map")
    t.do("soviet", "place-unit", unit=enemy, hex="KB3112")
    assert t.game.units[other].place == "KB3011"
    assert not [a for a in t.asked("soviet") if a["live"]]


def test_a_battle_done_on_the_map_counts_as_fought():
    t, one, *_ = combat()
    designate(t, "KB3011", one)
    t.do("axis", "dismiss", ask=duties(t, "axis", "begin-assault")[0]["id"], how="done on the map")
    assert battle(t).result == "done on the map" and not t.game.fighting
    with warned("12.0", "320 Inf attacks KB3011"):
        designate(t, "KB3011", one)


def test_calling_an_attack_off_needs_the_other_side():
    t, one, *_ = combat()
    designate(t, "KB3011", one)
    ask = duties(t, "axis", "begin-assault")[0]["id"]
    t.do("axis", "dismiss", ask=ask, how="does not apply")
    assert ask in t.game.asked and not battle(t).result
    t.agree()
    assert battle(t).result == "called off"
    designate(t, "KB3011", one)  # and may be designated anew


def test_taking_back_opens_the_duty_again():
    t, one, _, enemy = combat()
    enrol(t, "soviet", "7 Rifle", "rifle", "KB3011", strength=3)
    fight(t, "KB3011", one, die="7")
    before = t.game.revision
    answer(t, "soviet", "settle-result", more=1)
    t.do("soviet", "take-back", to=before)
    answer(t, "soviet", "settle-result", more=0)
    assert list(options(t, "soviet", "take-losses", "how"))
    assert t.replayed().dump() == t.game.dump()


def test_an_overrun_unit_that_vanished_is_asked_about_no_more():
    t = table("operation-star")
    jump(t, "axis-move", 2)
    unit = enrol(t, "axis", "LAH 1", "panzer", "KB3010", size="III", formation="LAH", strength=9, steps=2)
    enrol(t, "soviet", "6 Rifle", "rifle", "KB3013", strength=3)
    hq = enrol(t, "soviet", "6 Army", "hq army", "KB3012", reach=5)
    t.do("axis", "overrun", victim=hq, by_unit=unit)
    assert duties(t, "soviet", "overrun-fate")
    t.do("table", "place-unit", unit=hq, box="box:dead")
    assert not t.asked("soviet") and not t.game.fighting


def test_dead_units_leave_their_markers_and_keep_what_is_printed():
    t, one, _, enemy = combat()
    t.do("table", "mark", marker="disorganized", units=[one], value="on")
    t.do("table", "mark", marker="silhouette", units=[one], value="on")
    t.do("axis", "eliminate-unit", unit=one)
    assert t.game.mark(one, "disorganized") is None and t.game.mark(one, "silhouette")


# -- direct ------------------------------------------------------------------------------------------------


def test_a_combat_with_nothing_on_record():
    """One form, the loser's choice, and the rest is on the board."""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    t.do("axis", "resolve-assault", attack=14, defence=5, die="7")  # D(1)r2
    answer(t, "soviet", "settle-result", more=0)
    assert not any(a["duty"] == "owed" for seat in ("axis", "soviet") for a in t.asked(seat))
    assert not t.game.fighting or not [d for d in t.game.duties() if d.is_owed]
    t.do("axis", "resolve-assault", attack=14, defence=5, die="7")  # the next one may begin
    assert len(duties(t, "soviet", "settle-result")) == 1


def test_a_designated_hex_is_not_resolved_past_its_own_card():
    t, one, *_ = combat()
    designate(t, "KB3011", one)
    with refused(NotNow, rule="12.0", field="target", given="KB3011"):
        t.do("axis", "resolve-assault", target="KB3011", attack=9, defence=3, die="4", anyway=True)


def test_typed_totals_keep_what_the_map_knows():
    """A target on record brings its works and its ring, whoever typed the strengths."""
    t, one, two, enemy = combat()
    t.do("table", "mark", marker="fz", hexes=["KB3011"], value="soviet")
    t.do("axis", "resolve-assault", target="KB3011", attack=15, defence=3, die="4")
    assert "Fortified Zone" in [line["label"] for line in battle(t).sheet["lines"]]
    assert battle(t).units("soviet") == (enemy,)


# -- what is due as a phase ends ---------------------------------------------------------------------------


def said_at_the_end(t, seat="table"):
    with pytest.raises(StillOwed) as said:
        t.do(seat, "next-phase")
    return said.value.said


def test_supply_that_was_not_judged_is_said():
    """8.3: of sides that have something on record."""
    t = table("operation-star")
    jump(t, "supply", 2)
    enrol(t, "axis", "320 Inf", "infantry", "KB3010", strength=9)
    assert said_at_the_end(t) == ["judge Axis supply [8.3]"]
    t.do("axis", "judge-supply", side="axis")
    t.do("table", "next-phase")


def test_full_support_that_was_not_checked_is_said():
    """9.3"""
    t = table("operation-star")
    jump(t, "maintenance", 2)
    enrol(t, "axis", "LAH 1", "panzergrenadier", "KB3010", size="III", formation="LAH", strength=5)
    assert "check full support [9.3]" in said_at_the_end(t, "axis")


def test_stacks_over_the_limit_are_said():
    """6.0"""
    t = table("operation-star")
    jump(t, "axis-move", 2)
    for number in range(4):
        enrol(t, "axis", f"{number} Sec", "security", "KB3010", strength=2)
    assert any("4 combat units, 3 at most" in text and "[6.0]" in text for text in said_at_the_end(t, "axis"))


def test_beaten_attackers_of_two_hexes_fall_back_stack_by_stack():
    """12.72: each stack as a whole; the defender may follow into either hex [12.82]."""
    t, one, two, enemy = combat()
    designate(t, "KB3011", one, two)
    answer(t, "axis", "begin-assault")
    answer(t, "axis", "roll-assault", die="2")  # Ar1
    answer(t, "axis", "settle-result", more=0)
    cards = duties(t, "axis", "fall-back")
    assert {t.game.asked[c["id"]].args["origin"] for c in cards} == {"KB3010", "KB3012"}
    for card in cards:
        way = next(r["choices"][0]["value"] for r in card["form"] if r["name"] == "to")
        t.do("axis", "fall-back", _asked=card["id"], to=way)
    answer(t, "soviet", "advance", units=[enemy], hex="KB3012")
    assert t.game.units[enemy].place == "KB3012"


def test_units_that_never_move_die_instead_of_retreating():
    """20.1, 27.4"""
    t, one, *_ = combat(second=False)
    fort = enrol(t, "soviet", "75 FR", "fortress region", "KB3011", strength=1)
    fight(t, "KB3011", one, die="6")  # Dr1
    answer(t, "soviet", "settle-result", more=0)
    assert t.game.units[fort].place == "box:track" and duties(t, "soviet", "fall-back")


# -- who attacks, who follows ------------------------------------------------------------------------------


def offered_units(t, action, **given):
    rows = {r["name"]: r for r in t.form(t.game.active, action, **given)}
    return [c["value"] for c in rows["attackers"]["choices"]], rows["attackers"]["value"]


def test_whoever_stands_beside_the_hex_is_offered_where_nobody_may_attack():
    """9.3, 12.1: unticked, and the form says why not; an attack by nobody is spoken against, too."""
    t, one, two, _ = combat()
    for unit in (one, two):
        t.do("table", "mark", marker="ls", units=[unit])
    shown, ticked = offered_units(t, "declare-assault", target="KB3011")
    assert shown == [one, two] and not ticked
    with warned("9.4"):
        t.do("axis", "declare-assault", target="KB3011", attackers=[one])
    with warned("12.0"):
        t.do("axis", "declare-assault", target="KB3011")


def test_after_typed_totals_whoever_stands_beside_the_hex_may_follow():
    """12.81: the last defender died, and nobody said who attacked."""
    t, one, two, enemy = combat()
    t.do("table", "correct", name="air-soviet", value=0)
    t.do("axis", "resolve-assault", target="KB3011", attack=36, defence=3)  # D(3)r4 without a die [12.64]
    answer(t, "soviet", "take-losses", how=f"{enemy}:1")
    assert not t.game.units[enemy].on_map
    form = {r["name"]: r for r in duties(t, "axis", "advance")[0]["form"]}
    assert [c["value"] for c in form["units"]["choices"]] == [one, two] and not form["units"]["value"]
    answer(t, "axis", "advance", units=[one])
    assert t.game.units[one].place == "KB3011"
    assert list(options(t, "axis", "advance", "units")) == [two]


def test_who_was_left_out_of_an_advance_is_not_ticked_for_the_next():
    """12.8"""
    t, one, two, enemy = combat()
    fight(t, "KB3011", one, two, die="6")  # Dr1
    answer(t, "soviet", "settle-result", more="0")
    answer(t, "soviet", "fall-back", to=next(iter(options(t, "soviet", "fall-back", "to"))))
    if duties(t, "soviet"):  # the zones it went through
        answer(t, "soviet", "take-losses", how=f"{enemy}:1")
    first = {r["name"]: r["value"] for r in duties(t, "axis", "advance")[0]["form"]}
    assert first["units"] == [one, two]
    answer(t, "axis", "advance", units=[one])
    then = {r["name"]: r["value"] for r in duties(t, "axis", "advance")[0]["form"]}
    assert not then["units"]


def test_no_air_is_said():
    """5.21: the attacker reads it, and no Air Point is committed."""
    t, one, _, _ = combat(second=False)
    t.do("table", "correct", name="air-soviet", value=1)
    designate(t, "KB3011", one)
    answer(t, "axis", "begin-assault")
    done = answer(t, "soviet", "commit-air", points="0")
    assert [x.rule for x in done if x.KIND == "noted"][0] == "5.21"
    assert t.game["air-soviet"] == 1


def test_the_card_tells_the_ratio_and_what_it_is_shifted_to():
    """12.0, 5.21: 9 to 3 is 3-1; an Air Point makes it 4-1."""
    t, one, _, _ = combat(second=False)
    for side, points in (("axis", 1), ("soviet", 0)):
        t.do("table", "correct", name=f"air-{side}", value=points)
    designate(t, "KB3011", one)
    answer(t, "axis", "begin-assault", points="1")
    assert t.sees("soviet")["battles"][0]["sheet"]["column"] == "9 : 3 = 3-1 \u2192 4-1"
