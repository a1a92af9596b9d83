"""Counters on record by their name alone, and battles with nobody on record: what is asked, and what both sides read."""

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
    options,
    synthetic_book,
    table,
    warned,
)

from companion.engine.errors import NotNow, StillOwed, Unreadable
from companion.engine.seat.story import battle_story


def typed(t, *lines):
    """Counters as players type them under Enter positions."""
    for line in lines:
        t.do("table", "enter-positions", text=line)
    return [t.game.unit(line.split()[1]).id for line in lines]


def assault(*lines, defence=3, die="5", attack=9, **settings):
    """Typed Axis counters in KB3010 attack typed Soviet ones in KB3011; both totals by hand."""
    t = table("operation-star", **settings)
    jump(t, "axis-combat", 1)
    ids = typed(t, *lines)
    designate(t, "KB3011", *[i for i in ids if t.game.units[i].side == "axis"])
    answer(t, "axis", "begin-assault")
    answer(t, "axis", "announce-strength", total=attack)
    answer(t, "soviet", "announce-strength", total=defence)
    answer(t, "axis", "roll-assault", die=die, terrain="clear")
    return t, ids


def card(t, seat):
    """What the card of the newest battle says came of it."""
    return [line["label"] for line in t.sees(seat)["battles"][-1]["sheet"].get("effects", ())]


# -- steps and types ---------------------------------------------------------------------------------------


def test_steps_that_nobody_told_are_asked_of_the_owner_before_a_loss():
    """2.7: a division with a Combat Rating has three steps, and one loss does not kill it; asked once, and kept."""
    t, (axis, soviet) = assault("axis 320Inf KB3010", "soviet 195Rifle KB3011", die="3")
    assert battle(t).result == "A(1)"
    assert [d["action"] for d in duties(t, "axis")] == ["tell-counter"] and t.game.units[axis].on_map
    assert not duties(t, "soviet")
    answer(t, "axis", "tell-counter", kind="infantry", steps="rated", letter="b")
    unit = t.game.units[axis]
    assert unit.on_map and (unit.kind, unit.full) == ("infantry", 3) and t.game.mark(axis, "rating") == "B"
    assert t.game.mark(axis, "chit") == "reduced"
    assert not duties(t, "axis")


@pytest.mark.parametrize(("steps", "place", "cadre"), [("1", "box:dead", False), ("2", "KB3010", True)])
def test_a_loss_is_taken_as_the_counter_says(steps, place, cadre):
    """2.7, 2.71: of one step it is gone, of two it is a cadre."""
    t, (axis, _) = assault("axis 320Inf KB3010", "soviet 195Rifle KB3011", die="3")
    answer(t, "axis", "tell-counter", kind="infantry", steps=steps)
    assert t.game.units[axis].place == place and bool(t.game.mark(axis, "cadre")) is cadre


def test_steps_and_letter_are_not_taken_for_granted():
    """2.7: neither a silent 1, nor a letter that nobody read."""
    t, _ = assault("axis 320Inf KB3010", "soviet 195Rifle KB3011", die="3")
    with refused(Unreadable, rule="2.7", field="steps"):
        answer(t, "axis", "tell-counter", kind="infantry")
    with refused(Unreadable, rule="2.7", field="letter"):
        answer(t, "axis", "tell-counter", kind="infantry", steps="rated")


def test_a_rifle_division_goes_to_the_pool_and_its_line_is_asked():
    """16.31: where the map cannot tell whether a supply line reaches it, its owner says."""
    t, (_, rifle) = assault("axis 320Inf KB3010", "soviet 195Rifle KB3011", die="5")
    assert battle(t).result == "D(1)"
    ask = duties(t, "soviet", "tell-counter")[0]
    first = {row["name"]: row["value"] for row in ask["form"]}
    assert (first["kind"], first["steps"]) == ("rifle", "1")
    answer(t, "soviet", "tell-counter", kind="rifle", steps="1")
    assert t.game.units[rifle].on_map
    answer(t, "soviet", "take-losses", how=f"{rifle}:1")
    assert t.game.units[rifle].place == "box:pool"


def test_the_attackers_mechanized_units_lose_first():
    """12.63: types that nobody told are asked, and then only they are offered."""
    t, (tanks, foot, _) = assault(
        "axis 19Pz KB3010", "axis 41Inf KB3010", "soviet 195Rifle KB3011", die="3", attack=9
    )
    assert len(duties(t, "axis", "tell-counter")) == 2
    for _ in range(2):
        ask = duties(t, "axis", "tell-counter")[0]
        kind = next(row["value"] for row in ask["form"] if row["name"] == "kind")
        answer(t, "axis", "tell-counter", kind=kind, steps="2")
    assert t.game.mark(tanks, "cadre") and not t.game.mark(foot, "cadre")


def test_a_loss_by_hand_says_first_that_nobody_knows_the_counter():
    """2.7, 16.3: done anyway if the players wish."""
    t = table("operation-star")
    (unit,) = typed(t, "soviet 195Rifle KB3011")
    for action in ("lose-steps", "eliminate-unit"):
        with warned("2.7, 16.3"):
            t.do("soviet", action, unit=unit)
    t.do("soviet", "describe-counter", unit=unit, kind="rifle", steps="1", strength=4)
    t.do("soviet", "lose-steps", unit=unit)
    assert t.game.units[unit].place == "box:pool" and t.game.units[unit].factors["CS"] == 4


def test_a_counter_gets_its_rating_later():
    """3.0, 2.6: no second counter is needed for a chit; enrolling one of that name is warned of."""
    t = table("operation-star")
    (unit,) = typed(t, "axis 19Pz KB3010")
    with warned("3.0", "19Pz"):
        enrol(t, "axis", "19Pz", "panzer", "KB3011", rating="A")
    t.do("axis", "describe-counter", unit=unit, kind="panzer", steps="rated", letter="A")
    t.do("axis", "draw-chits", units=[unit])
    assert t.game.mark(unit, "chit") == "full" and len(t.game.units) == 1


def test_what_was_told_as_a_strength_is_the_number_of_the_chit():
    """2.6: of a counter that turns out to have a letter."""
    t = table("operation-star", mode_chits="physical")
    (unit,) = typed(t, "axis 19Pz KB3010")
    t.do("axis", "describe-counter", unit=unit, kind="panzer", steps="2", strength=7)
    t.do("axis", "describe-counter", unit=unit, kind="panzer", steps="rated", letter="A")
    assert "CS" not in t.game.units[unit].factors and t.game.mark(unit, "chit-number") == 7
    assert not any(x.get("marker") == "chit-number" and "value" in x for x in t.hears("soviet")), (
        "seen by its owner alone"
    )


def test_counters_of_one_name_are_told_apart():
    """12.61: by their hex, where losses are dealt."""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    one = enrol(t, "axis", "19Pz", "panzer", "KB3010", strength=9)
    t.do("table", "enrol", side="axis", name="19Pz", kind="panzer", hex="KB3012", strength=9, anyway=True)
    two = next(u for u in t.game.units if u != one)
    enrol(t, "soviet", "6 Rifle", "rifle", "KB3011", strength=6)
    fight(t, "KB3011", one, two, die="3", terrain="clear")
    labels = list(options(t, "axis", "take-losses", "how").values())
    assert len(set(labels)) == len(labels) == 2


# -- what both sides read ----------------------------------------------------------------------------------


def test_what_happened_by_itself_is_told_on_the_card():
    """12.61, 12.7: a loss without a choice, and a retreat with one way only, to both sides and the table."""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    strong = enrol(t, "axis", "320 Inf", "infantry", "KB3010", strength=9)
    weak = enrol(t, "soviet", "41 Gds", "rifle", "KB3011", strength=3, steps=2, guards=True)
    fight(t, "KB3011", strong, die="5", terrain="clear")
    assert t.game.mark(weak, "cadre")
    for seat in ("axis", "soviet", "table"):
        assert any("41 Gds" in line and "cadre" in line for line in card(t, seat)), card(t, seat)


def test_a_retreat_names_the_hex_on_the_card():
    """12.7: for the side that did not choose it."""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    strong = enrol(t, "axis", "320 Inf", "infantry", "KB3010", strength=9)
    weak = enrol(t, "soviet", "41 Gds", "rifle", "KB3011", strength=3, steps=2, guards=True)
    fight(t, "KB3011", strong, die="6", terrain="clear")
    answer(t, "soviet", "settle-result", more="0")
    for ask in duties(t, "soviet", "fall-back"):
        answer(t, "soviet", "fall-back", to=next(iter(options(t, "soviet", "fall-back", "to"))))
        assert ask
    there = t.game.units[weak].place
    assert there != "KB3011" and any("41 Gds" in line and there in line for line in card(t, "axis"))


def test_a_chit_that_turns_is_not_named_on_the_card():
    """2.6: that a step went is seen, whose it was is not."""
    t, (axis, _) = assault("axis 320Inf KB3010", "soviet 195Rifle KB3011", die="3")
    answer(t, "axis", "tell-counter", kind="infantry", steps="rated", letter="B")
    lines = card(t, "soviet")
    assert "Axis: 1 step taken" in lines and not any("320Inf" in line for line in lines)


def test_a_battle_with_nobody_on_record_tells_losses_retreat_and_advance():
    """12.62, 12.8: in the log, and on the card of every seat; and nobody is asked whether he breaks out."""
    t = table("operation-star")
    jump(t, "soviet-combat", 1)
    t.do("soviet", "resolve-assault", attack=20, defence=5, terrain="clear", die="7")
    assert battle(t).result == "D(1)r2"
    answer(t, "axis", "settle-result", more="0")
    for seat in ("axis", "soviet", "table"):
        lines = card(t, seat)
        assert "Axis loses 1 step and retreats 2 hexes" in lines
        assert "Soviet may advance up to 2 hexes" in lines
        panel = next(p for p in t.sees(seat)["panels"] if p["title"] == "Attack: on the map")
        assert panel["first"] and [row["label"] for row in panel["rows"]] == lines
    noted = [x.text for x in t.events if x.KIND == "noted"]
    assert noted[-2:] == ["Axis loses 1 step and retreats 2 hexes", "Soviet may advance up to 2 hexes"]
    assert not t.asked("axis")


def test_the_column_is_shifted_once():
    """12.0, 5.21: 3-1 and an Air Point are 4-1, and nothing more."""
    t = table("operation-star")
    sheet = t.calc("prepared-assault", attack=9, defence=3, attacker_air=1)
    assert (sheet.column, sheet.modifier) == ("4-1", 0)


def test_both_totals_stand_on_the_card_once_they_are_announced():
    """12.0: for both sides, before the die."""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    own, _ = typed(t, "axis 320Inf KB3010", "soviet 195Rifle KB3011")
    designate(t, "KB3011", own)
    answer(t, "axis", "begin-assault")
    answer(t, "axis", "announce-strength", total=24)
    assert t.sees("soviet")["battles"][-1]["sheet"]["column"] == "24 : ?"
    answer(t, "soviet", "announce-strength", total=9)
    for seat in ("axis", "soviet"):
        assert t.sees(seat)["battles"][-1]["sheet"]["column"] == "24 : 9 = 2-1"


def test_what_hangs_on_a_type_that_nobody_told_is_said_before_the_die():
    """12.43, 14.2, 15.3: not counted in silence."""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    own, enemy = typed(t, "axis 19Pz KB3010", "soviet 195Rifle KB3011")
    designate(t, "KB3011", own)
    answer(t, "axis", "begin-assault")
    answer(t, "axis", "announce-strength", total=24)
    answer(t, "soviet", "announce-strength", total=9)
    warnings = t.sees("axis")["battles"][-1]["sheet"]["warnings"]
    assert any("19Pz, 195Rifle" in words and "[12.43" in words for words in warnings)
    for unit, kind in ((own, "panzer"), (enemy, "rifle")):
        t.do("table", "describe-counter", unit=unit, kind=kind, steps="1")
    assert not any("12.43" in words for words in t.sees("axis")["battles"][-1]["sheet"].get("warnings", ()))


# -- who is awaited ----------------------------------------------------------------------------------------


def test_the_head_names_whoever_is_really_awaited():
    """12.0: not the attacks that are still to be begun, but the strength that the begun one needs."""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    one = enrol(t, "axis", "320 Inf", "infantry", "KB3010", strength=9)
    two = enrol(t, "axis", "298 Inf", "infantry", "KB3013", strength=9)
    typed(t, "soviet 195Rifle KB3011")
    enrol(t, "soviet", "7 Rifle", "rifle", "KB3014", strength=3)
    designate(t, "KB3014", two)
    designate(t, "KB3011", one)
    t.do("axis", "begin-assault", _asked=duties(t, "axis", "begin-assault")[-1]["id"])
    assert t.sees("table")["awaits"]["words"].startswith("waiting for Soviet")
    answer(t, "soviet", "announce-strength", total=4)
    assert "roll" in t.sees("table")["awaits"]["words"]


def test_what_is_still_to_do_names_its_battle():
    """12.61: as the phase is to end."""
    t, _ = assault("axis 320Inf KB3010", "soviet 195Rifle KB3011", die="6")
    with pytest.raises(StillOwed) as said:
        t.do("axis", "next-phase")
    assert any("KB3011" in words for words in said.value.said), said.value.said


# -- smaller things ----------------------------------------------------------------------------------------


def test_nothing_is_drawn_without_a_chit_list():
    """2.6: the action is not offered, and says why."""
    t = table("operation-star", chitless())
    enrol(t, "axis", "LAH 1", "panzergrenadier", "KB3010", rating="A")
    assert "draw-chits" not in [a["name"] for a in t.sees("axis")["actions"]]
    with refused(NotNow, rule="2.6"):
        t.do("axis", "draw-chits", units=["axis-lah-1"])


def chitless():
    return synthetic_book(chits={})


def test_a_command_roll_is_somebodys():
    """13.2: the unit, or the name of one that is not on record."""
    t = table("operation-star")
    jump(t, "soviet-command", 1)
    with refused(Unreadable, rule="13.2", field="name"):
        t.do("soviet", "roll-command", die="5")
    t.do("soviet", "roll-command", name="6 Gds", die="5")


def test_the_start_line_is_one_sentence():
    """2.3"""
    t = table("operation-star", without_places())
    ask = next(a for a in t.asked("table") if a["action"] == "start-line")
    done = t.do("table", "start-line", axis=["KB3617"], _asked=ask["id"])
    told = [x for x in done if x.KIND == "noted"]
    assert len(told) == 1 and "KB3617" in told[0].text
    assert all(x.reason == "in passing" for x in done if x.KIND == "marked")


def without_places():
    return synthetic_book(places={})


def test_last_turns_weather_is_in_sight_until_it_is_set():
    """19.11: on every seat's screen, and said as the phase is to end."""
    t = table("operation-star", synthetic_book(**{"trt-kb": {}}))
    t.do("table", "correct", name="weather", value="freeze")
    jump(t, "weather", 1)
    for seat in ("axis", "soviet", "table"):
        panel = next(p for p in t.sees(seat)["panels"] if p["title"] == "Weather")
        assert panel["first"] and "last turn" in panel["rows"][0]["value"]
    with pytest.raises(StillOwed):
        t.do("table", "next-phase")
    t.do("table", "set-weather", printed="mud")
    t.do("table", "next-phase")
    panel = next(p for p in t.sees("axis")["panels"] if p["title"] == "Weather")
    assert not panel["first"] and panel["rows"][0]["value"] == "Mud"
    assert "Weather" not in [p["title"] for p in t.sees("table")["panels"]]  # its track is in sight there


def test_on_the_first_turn_there_is_no_last_turns_weather():
    """19.11"""
    t = table("third-kharkov-l", synthetic_book(**{"trt-kb": {}}))
    jump(t, "weather", 11)
    panel = next(p for p in t.sees("axis")["panels"] if p["title"] == "Weather")
    assert panel["first"] and "last turn" not in panel["rows"][0]["value"]


def test_the_log_tells_a_battle_with_nobody_on_record_in_one_sentence():
    """12.62, 12.8: losses, retreat and advance stand in the battle's own entry, for both sides."""
    t = table("operation-star")
    jump(t, "soviet-combat", 1)
    t.do("soviet", "resolve-assault", attack=20, defence=5, terrain="clear", die="7")
    answer(t, "axis", "settle-result", more="0")
    for seat in ("axis", "soviet"):
        heard = t.hears(seat)
        begun = next(n for n, x in enumerate(heard) if x["kind"] == "engaged")
        story = battle_story(heard[begun:], battle(t).id, t.game)
        assert (
            "Axis loses 1 step and retreats 2 hexes" in story and "Soviet may advance up to 2 hexes" in story
        )


def test_an_overrun_counter_is_known_before_it_is_lost():
    """11.32, 16.3: its type says to which box it goes."""
    t = table("operation-star")
    jump(t, "axis-move", 1)
    rider = enrol(t, "axis", "LAH 1", "panzergrenadier", "KB3010", size="III", steps=2, strength=9)
    enrol(t, "soviet", "7 HQ", "hq army", "KB3017")
    (victim,) = typed(t, "soviet 6HQ KB3011")
    t.do("axis", "overrun", victim=victim, by_unit=rider, anyway=True)
    assert [d["action"] for d in duties(t, "soviet")] == ["tell-counter"]
    answer(t, "soviet", "tell-counter", kind="hq army")
    assert t.game.units[victim].place == "box:track"
