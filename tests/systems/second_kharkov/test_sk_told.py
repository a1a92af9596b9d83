"""What a battle came to is told: on its card as it was done, in the log as one sentence [12.18-12.23]."""

from __future__ import annotations

from typing import Any

from systems.second_kharkov.test_sk_battle import germans_attack, newest

from companion.engine.seat.story import battle_story
from companion.engine.seat.words import describe


def card(t: Any, seat: str) -> list[str]:
    """The lines under the newest battle's result."""
    return [line.label for line in t.view(seat).battles[-1].sheet.effects]


def sentence(t: Any, seat: str) -> str:
    """The newest battle as the log tells a seat."""
    return battle_story([event.seen_by(seat) for event in t.events], newest(t).id, t.game)


def bare(table: Any, result: str = "1/2") -> Any:
    """A battle of which nobody is on record."""
    t = table(turn=3, phase="soviet-combat", result=result)
    t.do("soviet", "resolve-combat", attack=26, defence=7, die="4")
    return t


def brigades(t: Any, number: int, hex: str = "2719") -> list[str]:
    before = set(t.game.units)
    for _ in range(number):
        t.do("table", "add-unit", side="soviet", name="Tank brigade", hex=hex, kind="tank")
    return [u for u in t.game.units if u not in before]


def fell_back(table: Any) -> Any:
    """12.23: 454 takes the one step that is left, 294 falls back from 2619; one of two brigades is lost."""
    t = table(turn=1, phase="soviet-combat", result="1/2")
    t.enter("294 Inf", "german", "2619", army="6th Army", kind="infantry", af=4, df=5)
    t.enter("454", "german", "2619", army="6th Army", kind="security", steps=1, af=1, df=1)
    first, second, _ = brigades(t, 3)
    t.do("soviet", "declare-attack", target="2619", attackers=[first, second])
    t.answer("soviet", attack="9+9", die="3")
    t.answer("german", how="back", units="german-454")
    t.answer("soviet", units=first)
    return t


def test_a_bare_battle_says_what_was_done_and_not_what_was_printed(table: Any) -> None:
    """12.19, 12.23: he fell back, so that one step was lost of the two printed."""
    t = bare(table)
    assert card(t, "german") == ["German defender: lose 2 steps", "Soviet attacker: lose 1 step"]
    t.answer("german", how="back")
    for seat in ("german", "soviet", "table"):
        assert card(t, seat) == ["German: falls back one hex, 1 step lost", "Soviet: 1 unit lost"]


def test_a_loss_put_away_still_says_what_was_printed(table: Any) -> None:
    """12.19: nobody has told what was done on the map."""
    t = bare(table)
    t.do("german", "dismiss", ask=t.asked("german")[0]["id"], how="done on the map")
    assert card(t, "soviet") == ["German defender: lose 2 steps", "Soviet: 1 unit lost"]


def test_the_log_of_a_bare_battle_tells_losses_retreat_and_advance(table: Any) -> None:
    """12.18-12.23: one battle, one sentence."""
    t = bare(table)
    t.answer("german", how="back")
    t.answer("soviet")
    for seat in ("german", "soviet", "table"):
        told = sentence(t, seat)
        assert told.startswith("Soviet attack, 3:1, die 4: 1/2.")
        for part in ("falls back one hex, 1 step lost", "Soviet: 1 unit lost", "Soviet: moves into the hex"):
            assert part in told, told


def test_an_emptied_hex_is_told(table: Any) -> None:
    """12.21."""
    t = bare(table, "0/2")
    t.answer("german", how="empty", mech="1")
    assert card(t, "soviet") == ["German: 2 steps lost, the hex is empty"]


def test_who_falls_back_reads_where_his_counters_go(table: Any) -> None:
    """12.23: the hex was taken by itself; he must push the counter."""
    t = fell_back(table)
    assert t.game.units["german-294-inf"].place == "2620"
    assert {"454: eliminated", "294 Inf: to 2620"} <= set(card(t, "german"))


def test_the_other_side_reads_no_more_of_it_than_of_any_stack(table: Any) -> None:
    """7.6: under a stack that he joined, nobody else knows who it was."""
    t = fell_back(table)
    assert "294 Inf: to 2620" in card(t, "soviet"), "alone in 2620 he is the top of his stack"
    t.enter("44", "german", "2620", army="6th Army", kind="infantry", af=4, df=5)
    for seat in ("soviet", "table", "watch"):
        assert "a German unit: to 2620" in card(t, seat) and "294 Inf: to 2620" not in card(t, seat)
        heard = [b for b in t.hears(seat) if "294" in str(b.get("facts", ""))]
        assert not any("2620" in str(b["facts"]) for b in heard)
    assert "294 Inf: to 2620" in card(t, "german")


def test_steps_and_hex_stand_on_one_line(table: Any) -> None:
    """12.20, 12.23: '294 Inf: 3 steps, to 2620'."""
    t = table(turn=1, phase="soviet-combat", result="0/2")
    t.enter("294 Inf", "german", "2619", army="6th Army", kind="infantry", af=4, df=5)
    t.do("soviet", "declare-attack", target="2619", attackers=brigades(t, 1))
    t.answer("soviet", attack="30", die="3")
    t.answer("german", how="back")
    assert card(t, "german") == ["294 Inf: 3 steps, to 2620"]


def test_advance_and_exploitation_are_on_the_card(table: Any) -> None:
    """12.21, 12.22."""
    t = germans_attack(table)
    t.do("german", "resolve-combat", target="2610", attackers="german-3-pz, german-44", die="3")
    t.answer("german", units="german-3-pz")
    t.answer("german", unit="german-3-pz", hexes="2611 2612")
    assert card(t, "german") == ["TB: eliminated", "3 Pz: to 2610, on to 2611 and 2612"]


def test_two_of_a_name_are_two_lines(table: Any) -> None:
    """12.20: two brigades lost are not one."""
    t = table(turn=1, phase="soviet-combat", result="2/0")
    t.enter("294 Inf", "german", "2619", army="6th Army", kind="infantry", af=4, df=5)
    t.do("soviet", "declare-attack", target="2619", attackers=brigades(t, 2))
    t.answer("soviet", attack="15+15", die="3")
    assert card(t, "german") == ["Tank brigade: eliminated"] * 2


def test_who_fought_is_read_on_the_card_whatever_became_of_him(table: Any) -> None:
    """7.6: all lay open in the battle; neither death nor a counter on top takes one off the list."""
    t = fell_back(table)
    for seat in ("german", "soviet", "table"):
        forces = t.view(seat).battles[-1].forces
        alive = {
            side: [name.removesuffix(" (eliminated)") for name in names] for side, names in forces.items()
        }
        assert alive["soviet"] == ["Tank brigade", "Tank brigade"], seat
        assert set(alive["german"]) == {"294 Inf", "454"}, seat
        assert "454 (eliminated)" in forces["german"], seat


# -- the forms -------------------------------------------------------------------------------------


def going_on(table: Any) -> tuple[Any, Any]:
    """12.22: 3 Pz has moved into 2610 and may go on."""
    t = germans_attack(table)
    t.do("german", "resolve-combat", target="2610", attackers="german-3-pz, german-44", die="3")
    t.answer("german", units="german-3-pz")
    return t, next(iter(t.game.duties(action="exploit")))


def hexes_of(t: Any, duty: Any, **filled: Any) -> dict[str, Any]:
    return next(f for f in t.form_of("german", duty, **filled) if f["name"] == "hexes")


def test_the_first_hexes_of_an_exploitation_keep_their_places(table: Any) -> None:
    """12.22: a list that is drawn again under the finger ticks no other hex."""
    t, duty = going_on(table)
    before = [c["value"] for c in hexes_of(t, duty)["choices"]]
    for place, first in enumerate(before):
        drawn = hexes_of(t, duty, hexes=["", first])
        after = [c["value"] for c in drawn["choices"]]
        assert after[place] == first and [h.removeprefix("then ") for h in after[: len(before)]] == before
        assert [v for v in after if v in drawn["value"]] == [first], "one tick"
        near = t.game.maps.neighbours(first)
        assert {v.removeprefix("then ") for v in after if v.startswith("then ")} <= set(near)


def test_the_second_hex_is_the_second_wherever_it_stands_in_the_list(table: Any) -> None:
    """12.22: the browser sends ticks in the order of the list."""
    t, duty = going_on(table)
    first = next(c["value"] for c in reversed(hexes_of(t, duty)["choices"]))
    after = [c["value"] for c in hexes_of(t, duty, hexes=["", first])["choices"]]
    second = next(v for v in after if v.startswith("then "))
    assert after.index(second) < after.index(first)
    ticked = [v for v in after if v in (first, second)]
    assert [v for v in after if v in hexes_of(t, duty, hexes=["", *ticked])["value"]] == ticked
    t.answer("german", unit="german-3-pz", hexes=["", *ticked])
    assert t.game.units["german-3-pz"].place == second.removeprefix("then ")


def field(form: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(f for f in form if f["name"] == name)


def test_brigades_of_one_hex_can_be_told_apart(table: Any) -> None:
    """2.14, 12.4, 12.20: by factors, as untried, as one that has attacked."""
    t = table(turn=1, phase="soviet-combat", result="1/1")
    t.enter("294 Inf", "german", "2619", army="6th Army", kind="infantry", af=4, df=5)
    t.enter("44", "german", "2720", army="6th Army", kind="infantry", af=4, df=5)
    first, second, third = brigades(t, 3)
    t.do("soviet", "declare-attack", target="2619", attackers=[first, second])
    t.answer("soviet", attack="13+17", die="3")
    t.answer("german", how="stand")
    (which,) = t.asked("soviet")[0]["form"]
    assert [c["label"] for c in which["choices"]] == [
        "Tank brigade (2719), AF 13",
        "Tank brigade (2719), AF 17",
    ], "all of them have attacked"
    t.answer("soviet", units=first)
    ticks = field(t.form("soviet", "declare-attack", target="2720"), "attackers")
    assert {c["value"]: c["label"] for c in ticks["choices"]} == {
        second: "Tank brigade (2719), AF 17, has attacked",
        third: "Tank brigade (2719), untried",
    }
    t.enter("Rifles", "soviet", "2719", kind="rifle")
    ticks = field(t.form("soviet", "declare-attack", target="2720"), "attackers")
    assert "Rifles (2719)" in [c["label"] for c in ticks["choices"]], "a name that says enough stays short"
    t.do("soviet", "declare-attack", target="2720", attackers="soviet-rifles")
    t.answer("soviet", attack="9", die="3")
    ticks = field(t.form("soviet", "declare-attack", target="2720"), "attackers")
    assert "Rifles (2719), has attacked" in [c["label"] for c in ticks["choices"]], "whoever has, says so"


def test_a_new_turn_is_told_without_its_bookkeeping(table: Any) -> None:
    """5.3, 11.19: the order is open again and aircraft are back, which nobody reads as news."""
    t = table(turn=3, phase="german-combat")
    events = t.next("german")
    told = [line for event in events if (line := describe(event.seen_by("german"), t.game))]
    assert t.game.turn == 4 and told == ["Turn 4, 18-19 May 1942: Air interdiction"]


def won(table: Any) -> Any:
    """12.21: 2610 is empty, and another hex can be attacked."""
    t = germans_attack(table)
    t.enter("RD", "soviet", "2611", kind="rifle", af=5, df=2)
    t.enter("57", "german", "2511", army="6th Army", kind="infantry", af=9, df=5)
    t.do("german", "resolve-combat", target="2610", attackers="german-3-pz, german-44", die="3")
    return t


def test_an_advance_is_given_up_in_so_many_words(table: Any) -> None:
    """12.21: said on the form of the next attack, and in the log when it is declared."""
    for action, extra in (("declare-attack", {}), ("resolve-combat", {"die": "3"})):
        t = won(table)
        assert "the advance into 2610" in field(t.form("german", action), "target")["help"]
        done = t.do("german", action, target="2611", attackers="german-57", **extra)
        lines = [describe(event.seen_by("soviet"), t.game) for event in done]
        assert "Given up: the advance into 2610" in lines
        assert not [d for d in t.game.duties(action="advance") if t.game.battles[d.battle].hexes == ("2610",)]


def test_an_exploitation_is_given_up_in_so_many_words(table: Any) -> None:
    """12.22."""
    t = won(table)
    t.answer("german", units="german-3-pz")
    assert "the exploitation" in field(t.form("german", "declare-attack"), "target")["help"]
    done = t.do("german", "declare-attack", target="2611", attackers="german-57")
    assert "Given up: the exploitation" in [describe(event.seen_by("german"), t.game) for event in done]


def test_nothing_is_given_up_where_nothing_is_offered(table: Any) -> None:
    t = won(table)
    t.do("german", "dismiss", ask=t.asked("german")[0]["id"], how="no")
    assert not field(t.form("german", "declare-attack"), "target")["help"]


def test_a_target_named_later_brings_its_attackers(table: Any) -> None:
    """12.1, 12.3: with two targets in reach none is chosen; until one is, nobody is asked who attacks it."""
    t = table(turn=4, phase="german-combat", fog=False)
    t.enter("3 Pz", "german", "2510", army="6th Army", kind="panzer", af=8, df=6)
    for hex_id in ("2610", "2509"):
        t.enter(f"TB {hex_id}", "soviet", hex_id, kind="tank", af=5, df=2)
    for action in ("declare-attack", "resolve-combat"):
        blank = field(t.form("german", action), "attackers")
        assert blank["quiet"] and not blank["value"], "nothing is sent, so that nobody has said: none of them"
        named = field(t.form("german", action, target="2610"), "attackers")
        assert not named["quiet"] and named["value"] == ["german-3-pz"]


def test_factors_of_untried_units_are_asked_once_they_are_turned_over(table: Any) -> None:
    """2.14: not on the form that declares the attack."""
    t = table(turn=4, phase="soviet-combat", fog=False)
    t.enter("44", "german", "2510", army="6th Army", kind="infantry", af=4, df=5)
    t.enter("RD", "soviet", "2610", kind="rifle")
    assert field(t.form("soviet", "resolve-combat", target="2510", attackers=["soviet-rd"]), "attack")[
        "quiet"
    ]
    t.do("soviet", "resolve-combat", target="2510", attackers="soviet-rd")
    duty = next(iter(t.game.duties(action="roll-combat")))
    asked = field(t.form_of("soviet", duty), "attack")
    assert not asked["quiet"] and asked["required"] and "RD" in asked["help"]


def test_only_the_halved_side_is_told_of_halving(table: Any) -> None:
    """9.9, 12.13: marsh halves attackers; a defender stands in one hex."""
    t = table(turn=4, phase="soviet-combat")
    form = t.form("soviet", "resolve-combat", terrain="marsh")
    assert field(form, "attack")["help"] and not field(form, "defence")["help"]
    assert "+" in field(form, "attack")["placeholder"] and "+" not in field(form, "defence")["placeholder"]
    assert field(t.form("soviet", "resolve-combat", out=True), "defence")["help"]
    assert all(field(form, name)["keys"] == "tel" for name in ("attack", "defence"))


def test_the_two_ways_to_attack_and_the_roll_say_different_things(table: Any) -> None:
    """12.5, 12.7: one act stands out; the roll's sheet does not say its title three times."""
    t = table(turn=4, phase="soviet-combat")
    offered = {a.name: a for a in t.view("soviet").actions}
    assert offered["resolve-combat"].primary and not offered["declare-attack"].primary
    assert "roll later" in offered["declare-attack"].label
    assert "Roll for the attack" not in t.rules.actions["roll-combat"].doc


def test_the_sentence_counts_units_of_one_name(table: Any) -> None:
    """2.14: two brigades turned over are not one."""
    t = table(turn=1, phase="soviet-combat", result="0/2")
    t.enter("294 Inf", "german", "2619", army="6th Army", kind="infantry", af=4, df=5)
    t.do("soviet", "declare-attack", target="2619", attackers=brigades(t, 2))
    assert "2 \u00d7 Tank brigade: turned over in battle" in sentence(t, "german")


def test_what_is_asked_of_the_other_side_is_not_said_as_ones_own_to_do(table: Any) -> None:
    """12.17: the Soviet reads whom the question of aircraft waits for."""
    t = table(turn=4, phase="soviet-combat")
    t.do("table", "correct", name="air-free", value=2)
    t.enter("294 Inf", "german", "2619", army="6th Army", kind="infantry", af=4, df=5)
    t.do("soviet", "declare-attack", target="2619", attackers=brigades(t, 1))
    lines = [describe(event.seen_by("soviet"), t.game) for event in t.events]
    assert any(line.startswith("German to do:") and "aircraft" in line for line in lines)


def test_the_card_says_when_a_substitute_counter_goes_in(table: Any) -> None:
    """2.13: the third loss of a division swaps its counter, and its owner reads so where the battle ended."""
    t = table(turn=1, phase="soviet-combat", result="0/2")
    t.enter("294 Inf", "german", "2619", army="6th Army", kind="infantry", af=4, df=5)
    t.do("soviet", "declare-attack", target="2619", attackers=brigades(t, 1))
    t.answer("soviet", attack="30", die="3")
    t.answer("german", how="stand")
    assert card(t, "german") == ["294 Inf: 2 steps: put its substitute counter in"]


def test_setting_up_is_told_in_one_line(table: Any) -> None:
    """3.1: who stands where is on the map."""
    t = table(turn=1, phase="soviet-move")
    events = t.do("soviet", "set-up")
    told = [line for event in events if (line := describe(event.seen_by("soviet"), t.game))]
    assert len(told) == 1 and "on their set-up hexes" in told[0]
