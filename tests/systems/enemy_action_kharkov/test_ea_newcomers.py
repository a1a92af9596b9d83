"""What two newcomers stumbled over: units known by name alone, a combat that told one side nothing, words and buttons."""

from __future__ import annotations

from typing import Any

import pytest
from harness import Bench, refused
from systems.enemy_action_kharkov.ea_bench import (
    SIDES,
    activate,
    battle,
    blank_table,
    cards,
    command,
    decline,
    fought,
    open_actions,
    owners_book,
    put,
    take,
)

from companion.engine.errors import NotNow, StillOwed, Unreadable, Warned
from companion.engine.record import events as e
from companion.engine.seat.words import describe
from companion.systems.enemy_action_kharkov.command import types_of
from companion.systems.enemy_action_kharkov.hits import tally


def bare(t: Bench, side: str, name: str, hex: str) -> str:
    """A unit as a line of the entry page puts it on record: its name, and nothing else."""
    unit = name.lower().replace(".", "-")
    t.record(e.Placed(unit, hex, facts={"side": side, "name": name}, side=side))
    return unit


def meeting(cup: str = "physical", **options: Any) -> tuple[Bench, str, str]:
    """Two bare names beside each other, and the Soviet one attacks."""
    t = command(mode_chits=cup, **options)
    red, grey = bare(t, "soviet", "25G.3T", "2009"), bare(t, "german", "GD.Raus", "2010")
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", hex="2010", units=[red])
    return t, red, grey


def attacked(*, steps: int = 2, red: int = 2, hits: str = "", **defender: Any) -> Bench:
    """One German unit in 2010 attacked from 2009, with a real cup."""
    t = command(mode_chits="physical")
    put(t, "german", "d", "2010", formation="XL", steps=steps, full=steps, **defender)
    put(t, "soviet", "red", "2009", formation="3T", steps=red, full=red)
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", hex="2010", units=["red"])
    if hits:
        t.do("soviet", "draw-chits", hits=hits)
    return t


def labels(t: Bench, seat: str, action: str, field: str) -> dict[str, str]:
    """The answers to a field of an open duty."""
    (ask,) = [a for a in t.asked(seat) if a["action"] == action and a["live"]]
    (row,) = [row for row in ask["form"] if row["name"] == field]
    return {choice["value"]: choice["label"] for choice in row["choices"]}


def heading(t: Bench, seat: str) -> str:
    return str(t.sees(seat)["battles"][-1]["title"])


def told(t: Bench, seat: str) -> list[str]:
    """What a seat reads under a battle's result."""
    return [line["label"] for line in t.sees(seat)["battles"][-1]["sheet"]["effects"]]


# -- units known by their name alone [9.3, 9.6, 9.81] ------------------------------------------------------


def test_steps_and_type_of_a_bare_name_are_asked_before_anything_else() -> None:
    """9.3: one chit for each defending step, two for an attacker of three: neither is guessed, real cup or not."""
    t, red, grey = meeting()
    assert open_actions(t, "german") == open_actions(t, "soviet") == ["tell-strength"]  # each of his own
    with refused(NotNow):
        Bench.do(t, "soviet", "draw-chits", defender=1, attacker=0)
    (first,) = [a for a in t.asked("soviet") if a["live"]]
    assert first["text"].endswith("25G.3T")
    assert [row["name"] for row in first["form"]] == ["steps", "kind"]
    with refused(Unreadable, rule="9.3", field="steps"):
        t.do("soviet", "tell-strength", _asked=first["id"], kind="infantry")
    t.answer("soviet", steps=3, kind="infantry")
    t.answer("german", steps=2, kind="mechanised")
    assert (fought(t).small, fought(t).large, fought(t).steps) == (0, 1, 2)
    assert (t.game.units[red].full, t.game.units[grey].full) == (3, 2)
    (chits,) = t.game.duties(action="draw-chits")
    assert chits.text.endswith("draw 2 chits")


def test_a_counter_of_one_step_is_asked_once() -> None:
    """9.3: the answer One is as good as any other, also where the type stays open."""
    t, _, grey = meeting()
    t.answer("soviet", steps=1, kind="infantry")
    t.answer("german", steps=1)
    assert t.game["one-step"] and fought(t).steps == 1
    (still,) = t.game.duties(action="tell-strength")  # its type
    (ask,) = [a for a in t.asked("german") if a["id"] == still.id]
    assert [row["name"] for row in ask["form"]] == ["kind"] and still.units == (grey,)


def test_typed_steps_stay_as_they_are_typed() -> None:
    """9.3: whoever counted on the map is not corrected by the counter."""
    t = command(mode_chits="physical")
    red, _ = bare(t, "soviet", "25G.3T", "2009"), bare(t, "german", "GD.Raus", "2010")
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", hex="2010", units=[red], by_hand=True, steps=4, small=1)
    t.answer("soviet", steps=3, kind="infantry")
    t.answer("german", steps=3, kind="infantry")
    assert (fought(t).small, fought(t).large, fought(t).steps) == (1, 0, 4)


def test_a_loss_never_takes_a_bare_name_for_one_step() -> None:
    """9.6: put away unanswered, the steps are asked again when the first of them is lost."""
    t, _, grey = meeting()
    for ask in [a for a in t.asked("table") if a["action"] == "tell-strength"]:
        t.do("table", "dismiss", ask=ask["id"], how="does not apply")
    t.do("soviet", "draw-chits", defender=1, attacker=0)
    t.answer("german", choice="stand")
    assert t.game.units[grey].on_map
    with refused(Unreadable, rule="9.6", field="counter"):
        t.answer("german")
    t.answer("german", counter="2")
    assert (t.game.units[grey].steps, t.game.units[grey].full) == (1, 2)
    assert not t.game.duties(action="lose-steps")


def test_a_bare_name_is_warned_of_in_the_form() -> None:
    """9.3: the sheet says whose steps it does not know."""
    t = command(mode_chits="physical")
    red, _ = bare(t, "soviet", "25G.3T", "2009"), bare(t, "german", "GD.Raus", "2010")
    activate(t, "P03", "3T")
    sheet = t.calc("combat", hex="2010", units=[red])
    assert any("25G.3T" in w and "GD.Raus" in w for w in sheet.warnings)


def test_a_unit_of_unknown_type_may_be_the_one_that_goes_on() -> None:
    """9.81: where the type was put away unanswered, the second hex is offered all the same."""
    t, red, grey = meeting()
    t.answer("soviet", steps=2)
    t.answer("german", steps=1, kind="infantry")
    for ask in [a for a in t.asked("table") if a["action"] == "tell-strength"]:
        t.do("table", "dismiss", ask=ask["id"], how="does not apply")
    t.do("soviet", "draw-chits", defender=1, attacker=0)
    t.answer("german", choice="stand")
    assert not t.game.units[grey].on_map
    t.answer("soviet", units=[red])
    assert open_actions(t, "soviet") == ["go-on"]
    found = labels(t, "soviet", "go-on", "where")
    assert found and all("if mechanised" in label for label in found.values())


# -- what both sides see of a combat [9.0, 9.52, 9.8] -------------------------------------------------------


def test_both_sides_read_the_tactics_before_and_after_the_chits() -> None:
    """9.0: the defender decides knowing what the attacker played; in order, in words, on the card and in the log."""
    t = command()
    for side, number in (("soviet", "P05"), ("german", "P27")):
        take(t, side, number)
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", small=2, steps=1, attack=6, defence=3, terrain="clear")
    said = t.do("soviet", "play-tactic", card="P05", tactic="soviet airpower")
    lines = [describe(event.to_json(), t.game) for event in said]
    assert [w for w in lines if w.startswith("Soviet plays P05") and w.endswith(": Soviet airpower")]
    decline(t)
    assert "Soviet: Soviet airpower" in heading(t, "german")
    t.do("german", "play-tactic", card="P27", tactic="screen")
    decline(t)
    t.do("soviet", "draw-chits")
    for seat in (*SIDES, "watch"):
        assert heading(t, seat) == "Attack; Soviet: Soviet airpower; German: Screen"
    lines = [line.label for line in tally(t.game, fought(t)).lines]
    assert lines[:2] == ["attacker's tactics: Soviet airpower", "defender's tactics: Screen"]


def test_both_sides_read_how_hits_were_taken_and_who_advanced() -> None:
    """9.52, 9.8: the attacker chooses after the defender, and knows what he chose."""
    t = attacked(steps=3, hits="A2 D2,-,-")
    t.answer("german", choice="retreat-2")
    assert told(t, "soviet")[0] == "German retreats two hexes, dispersed"
    if t.game.duties(action="retreat"):
        t.answer("german", route=next(iter(labels(t, "german", "retreat", "route"))))
    assert any("back to" in words for words in told(t, "soviet"))
    t.answer("soviet", choice="steps")
    assert "red is eliminated" in told(t, "german")
    assert "red (eliminated)" in t.sees("german")["battles"][-1]["forces"]["soviet"]


@pytest.mark.parametrize("moves", [True, False])
def test_the_advance_is_told_and_so_is_staying_behind(moves: bool) -> None:
    """9.8."""
    t = attacked(steps=1, hits="D1")
    t.answer("german", choice="stand")
    (ask,) = t.game.duties(action="advance")
    if moves:
        t.answer("soviet", units=["red"])
    else:
        t.do("soviet", "dismiss", ask=ask.id)
    assert told(t, "german")[-1] == ("red: advance into 2010" if moves else "Soviet does not advance")


# -- buttons and words ----------------------------------------------------------------------------------------


def test_the_plain_no_to_tactics_is_the_usual_one_and_the_first() -> None:
    """9.2: later combats of the impulse are given away only by whoever says so."""
    t = command()
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", small=2, steps=1, attack=6, defence=3, terrain="clear")
    (ask,) = [a for a in t.asked("soviet") if a["action"] == "no-tactics" and a["live"]]
    (row,) = ask["form"]
    assert [c["value"] for c in row["choices"]] == ["here", "rest"] and row["value"] == "here"
    t.answer("soviet", until="here")
    assert t.game["no-tactics"] == []
    t.answer("german", until="rest")
    assert t.game["no-tactics"] == ["german"]


def test_what_waits_reads_the_same_for_both_sides() -> None:
    """9.2: nobody is told to tap the cards in the other side's hand."""
    t = command()
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", small=2, steps=1, attack=6, defence=3, terrain="clear")
    assert t.sees("german")["battles"][-1]["others"] == ["Soviet: play a tactic, or No"]


def test_real_chits_begin_with_nothing_chosen() -> None:
    """9.5: a tap on the button alone records no hits."""
    t = attacked()
    decline(t)
    decline(t)
    (ask,) = [a for a in t.asked("soviet") if a["action"] == "draw-chits"]
    rows = {row["name"]: row for row in ask["form"]}
    assert ask["label"] == "Enter the chits"
    for name in ("attacker", "defender"):
        assert rows[name]["value"] is None
    with refused(Unreadable, rule="9.5", field="defender"):
        t.do("soviet", "draw-chits")
    assert "-1" in [c["value"] for c in rows["defender"]["choices"]]


def test_a_sum_below_nought_and_its_line() -> None:
    """9.5, 9.51: chits print D-1; a sum of several chits is one line, and no chit that nobody entered."""
    t = attacked(steps=3)
    t.do("soviet", "draw-chits", defender=-1, attacker=1)
    lines = [(line.label, line.effect) for line in tally(t.game, fought(t)).lines]
    assert lines == [("chits 1 to 3 together: A1 D-1", "A1 D-1")]
    assert battle(t).result == "A1 D0"


def test_the_hits_so_far_stand_where_more_chits_are_declared() -> None:
    """9.3."""
    t = attacked(steps=1, red=3)
    t.do("soviet", "draw-chits", defender=1, attacker=0)
    (ask,) = t.game.duties(action="declare-draws")
    assert "A0 D1 so far" in ask.text


def test_losing_all_steps_is_called_what_it_is() -> None:
    """9.52, 9.63."""
    t = attacked(steps=2, red=1, hits="A1 D3,-")
    found = labels(t, "german", "apply-defence", "choice")
    assert "eliminated" in found["stand"] and "eliminated" in found["retreat-1"]
    assert "lose 1 step" in found["retreat-2"]


def test_the_one_who_loses_a_step_is_one_tap() -> None:
    """9.62."""
    t = command(mode_chits="physical")
    for name in ("d0", "d1"):
        put(t, "german", name, "2010", formation="XL")
    put(t, "soviet", "red", "2009", formation="3T")
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", hex="2010", units=["red"])
    t.do("soviet", "draw-chits", defender=1, attacker=0)
    t.answer("german", choice="stand")
    (ask,) = [a for a in t.asked("german") if a["action"] == "lose-steps"]
    (row,) = [row for row in ask["form"] if not row["hidden"]]
    assert row["exactly"] == 1 and row["help"] == ""


def test_a_phase_left_early_says_what_is_given_away() -> None:
    """4-IV.3, 5.1: cards in hand are not played by leaving; with a combat open both are said."""
    t = command()
    with refused(Warned) as early:
        t.do("table", "next-phase")
    assert [w.partition(":")[0] for w in early.value.said] == ["Soviet", "German"]
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", small=2, steps=1, attack=6, defence=3, terrain="clear")
    with refused(StillOwed) as both:
        t.do("table", "next-phase")
    assert "Soviet: draw 1 chit" in both.value.said and any("in hand" in w for w in both.value.said)
    t.do("table", "next-phase", anyway=True)
    assert t.game.phase != "command"


def test_digital_cards_without_a_manifest_are_said_at_once() -> None:
    """2.3, 4-II: in the first phase of the table, with where to fill it in."""
    t = blank_table(mode_cards="digital")
    (panel,) = [p for p in t.sees("soviet")["panels"] if p["title"] == "Who deals"]
    words = " ".join(row["label"] for row in panel["rows"])
    assert t.game.phase == "reserve" and panel["first"]
    assert (
        "cannot deal" in words
        and "Chart book" in words
        and "your own deck, the companion counts" not in words
    )


def test_a_tapped_command_is_not_asked_again() -> None:
    """5.2: the card's number stands there, an army is named once, and Soviets have no corps."""
    rows = cards()
    rows["P02"] |= {"type": "front", "formation": "Voronezh"}
    t = command(book=owners_book(cards=rows))
    take(t, "soviet", "P02")

    def shown(**chosen: Any) -> dict[str, dict[str, Any]]:
        form = t.form("soviet", "play-card", card="P02", what="activate", **chosen)
        return {row["name"]: row for row in form if not row["quiet"] and not row["hidden"]}

    first = shown()
    assert "what" not in first and "also" not in first
    assert first["formations"]["label"] == "Army" and "P02" in first["formations"]["help"]
    then = shown(formations="40")
    assert "40" not in [c["value"] for c in then["also"]["choices"]]


def test_more_names_only_what_it_opens() -> None:
    """9.51: with a real cup on turn 1 neither supply nor armour nor halving are in it."""
    t = command(mode_chits="physical")
    activate(t, "P03", "3T")
    (more,) = [row for row in t.form("soviet", "declare-combat") if row["name"] == "more"]
    assert more["label"] == "More: dispersed, position, river"


def test_proper_names() -> None:
    """2.3, 5.4, 9.2."""
    assert dict(types_of("german"))["von manstein"] == "Von Manstein"
    t = command()
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", small=2, steps=1, attack=6, defence=3, terrain="clear")
    take(t, "soviet", "P05")
    (row,) = [r for r in t.form("soviet", "play-tactic", card="P05") if r["name"] == "tactic"]
    found = {c["value"]: c["label"] for c in row["choices"]}
    assert found["nkvd"] == "NKVD" and found["soviet airpower"] == "Soviet airpower"


# -- what a combat came to, for whoever did not decide it [9.52, 9.8] ---------------------------------------


def test_the_attacker_reads_what_became_of_a_combat_by_numbers() -> None:
    """9.8: that the defenders fall back, what it costs and that he may advance stays on the combat's card."""
    t = command(mode_chits="physical", mode_cards="physical")
    t.do("soviet", "play-real-card", card="P03", what="activate", formations="3T")
    t.do("soviet", "declare-combat", small=2, steps=2, terrain="clear")
    for side in SIDES:
        if "no-tactics" in open_actions(t, side):
            t.answer(side, until="here")
    t.do("soviet", "draw-chits", hits="A1 D1, D2")
    ways = labels(t, "german", "apply-defence", "choice")
    assert ways["stand"].endswith("eliminated") and ways["retreat-1"].endswith(
        "eliminated"
    )  # two steps [9.63]
    t.answer("german", choice="retreat-2")
    assert told(t, "soviet") == [
        "German retreats two hexes, dispersed, loses 1 step",
        "Soviet may advance into the hex if it is empty, mechanised units a hex further",
        "Soviet loses 1 step",
    ]


def test_a_loss_of_units_on_record_is_told_once() -> None:
    """9.6: the unit's own line says it."""
    t = attacked(hits="A1 D1, D1")
    t.answer("german", choice="retreat-1")
    assert told(t, "soviet") == ["German retreats one hex", "d loses 1 step"]


def test_a_real_tactic_card_is_played_beside_the_question() -> None:
    """9.2: not folded away among other acts; and No after one is no more."""
    t = command(mode_chits="physical", mode_cards="physical")
    t.do("soviet", "play-real-card", card="P03", what="activate", formations="3T")
    t.do("soviet", "declare-combat", small=2, steps=2, terrain="clear")
    (play,) = [a for a in t.sees("soviet")["actions"] if a["name"] == "play-real-tactic"]
    assert play["primary"]
    t.do("soviet", "play-real-tactic", card="P07", tactic="combat engineers")
    done = t.answer("soviet", until="here")
    assert [d.text for d in done if isinstance(d, e.Noted)] == ["Soviet: no more tactics"]


# -- real cards: what the hands have to do, and nothing twice [4-II, 4-IV] -----------------------------------


def spoken(t: Bench, done: list[e.Event]) -> list[str]:
    return [line for event in done if (line := describe(event.to_json(), t.game))]


def test_players_of_real_cards_are_told_what_to_take() -> None:
    """4-II, 4-IV: how many supplementals and cards, in three lines; at the impulse's end how many to draw."""
    t = blank_table(mode_cards="physical", mode_chits="physical")
    t.until("cards")
    assert spoken(t, t.do("table", "prepare-cards", soviet_supplementals=6)) == [
        "Cards prepared for game-turn 1",
        "Soviet: 6 supplementals into the draw pile, 5 cards in hand",
        "German: 2 supplementals into the draw pile, 4 cards in hand",
    ]
    t.until("command")
    card = {"card": "P05", "kind": "primary", "type": "army", "what": "activate", "formation": "3T"}
    assert spoken(t, t.do("soviet", "play-real-card", **card)) == [
        "Soviet plays P05: Activate, 3rd Tank Army"
    ]
    assert spoken(t, t.do("soviet", "end-impulse")) == [
        "Soviet impulse over",
        "Soviet draws 1 card: 5 in hand",
    ]


def test_the_only_reserve_is_chosen_already() -> None:
    """11.1: one unit waits, so its hex is all there is to say."""
    t = command()
    red = put(t, "soviet", "red", "box:reserve-soviet", formation="3T")
    take(t, "soviet", "P03")
    t.do("soviet", "play-card", card="P03", what="deploy", formations="3T")
    (row,) = [row for row in t.form("soviet", "deploy-reserve") if row["name"] == "unit"]
    assert row["value"] == red


@pytest.mark.parametrize(("what", "lines"), [("", False), ("deploy", False), ("activate", True)])
def test_only_a_card_that_activates_brings_a_list_of_what_to_do(what: str, lines: bool) -> None:
    """5.2: reserves and events move nobody, and before any card nobody does."""
    t = command(mode_cards="physical")
    if what:
        t.do("soviet", "play-real-card", card="P05", kind="primary", type="army", what=what, formation="40")
    checks = t.view("soviet").phase.checklist
    assert [check.rule for check in checks] == (["7.0, 7.4", "9.0", "8.1", "12.21", "9.9"] if lines else [])
