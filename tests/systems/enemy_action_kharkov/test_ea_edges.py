"""Small rules and the table's readings: each option changes something, each edge has its refusal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness import SCENARIOS, Bench, refused
from systems.enemy_action_kharkov.ea_bench import (
    SYSTEM,
    activate,
    battle,
    blank_table,
    by_hand,
    calendar,
    chits,
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

import companion.systems.enemy_action_kharkov as package
from companion.engine.errors import NotNow, NotYours, StillOwed, Unreadable, Warned
from companion.systems.enemy_action_kharkov.fight import Fight
from companion.systems.enemy_action_kharkov.hits import adjust, judged_chits
from companion.systems.enemy_action_kharkov.manifest import listed, parse_hits
from companion.systems.enemy_action_kharkov.taking import retreat_limit


def test_every_option_is_read_somewhere() -> None:
    """By the rules, or by a note that is shown while it holds."""
    kit = table().game.kit
    folder = Path(str(package.__file__)).parent
    code = "".join(p.read_text(encoding="utf-8") for p in folder.glob("*.py"))
    notes = "".join(n.when for n in kit.notes)
    unread = [o.id for o in kit.options if f'"{o.id}"' not in code and o.id not in notes]
    assert unread == []


def test_all_three_scenarios_open_with_nothing_filled_in() -> None:
    for scenario in ("initial-assault", "star-and-gallop", "campaign"):
        t = blank_table(scenario)
        assert t.game["vp"] == 2 and t.game.phase == "reserve"
        for seat in ("soviet", "german", "table", "watch"):
            assert t.sees(seat)["phase"]["checklist"]


def test_armies_that_come_along_are_named_without_positions() -> None:
    t = command()
    take(t, "soviet", "P02")
    t.do("soviet", "play-card", card="P02")
    with refused(Unreadable, field="also", given="MGP"):
        t.do("soviet", "give-command", what="activate", formations="3T", also="MGP")  # another front
    t.do("soviet", "give-command", what="activate", formations="3T", also="69")
    t.do("soviet", "end-impulse")
    assert t.game["last-soviet"] == "3T, 69"


def test_one_unit_needs_a_supplied_hex() -> None:
    t = command(book=owners_book("edge german 2001\n"), turn=7)
    put(t, "german", "near", "2004", formation="XL")
    put(t, "german", "far", "1512", formation="XL")
    take(t, "german", "P23")
    t.do("german", "play-card", card="P23")
    with refused(Warned) as told:
        t.do("german", "give-command", what="one-unit", units=["far"])
    assert told.value.said == ["1512 cannot trace supply now [6.1]"]
    t.do("german", "give-command", what="one-unit", units=["near"])


def test_deploy_limits_by_card() -> None:
    t = command(turn=7)
    take(t, "german", "P44")
    t.do("german", "play-card", card="P44")
    with refused(Warned) as told:
        t.do("german", "give-command", what="deploy", formations="XL III IISS")
    assert told.value.said == ["this card names 2 formations at most [5.3, 5.5]"]
    t.do("german", "give-command", what="deploy", formations="XL III")
    assert t.game["command"]["for"] == ["XL", "III"]


def test_raus_reading() -> None:
    t = command(turn=7, raus_by_4pz=False)
    take(t, "german", "P25")
    t.do("german", "play-card", card="P25")
    with refused(Warned) as told:
        t.do("german", "give-command", what="deploy", formations="Raus")
    assert told.value.said == ["Corps Raus stands alone for deployment at this table [2.21]"]


def test_attackers_must_stand_beside_the_target() -> None:
    t = command()
    far = put(t, "soviet", "far", "1207", formation="3T", factors={"CS2": 3})
    put(t, "german", "target", "1210", formation="XL", factors={"CS2": 3})
    activate(t, "P03", "3T")
    with refused(Warned) as told:
        t.do("soviet", "declare-combat", hex="1210", units=[far])
    assert told.value.said == ["far: not next to 1210 [9.1]"]
    t.do("soviet", "declare-combat", hex="1210", units=[far], anyway=True)  # the cardboard may know better


def test_a_defender_beside_an_active_enemy_cannot_reinforce() -> None:
    t = command()
    red = put(t, "soviet", "red", "1209", formation="3T", factors={"CS2": 6})
    put(t, "german", "target", "1210", formation="XL", factors={"CS2": 3})
    pinned = put(t, "german", "pinned", "1109", formation="XL", factors={"CS2": 3})
    free = put(t, "german", "free", "1211", formation="XL", factors={"CS2": 3})
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", hex="1210", units=[red])
    t.do("german", "play-tactic", card=hand(t, "german")[0], tactic="reinforce battle")
    with refused(Warned) as told:
        t.do("german", "join-combat", units=[pinned])
    assert told.value.said == ["pinned stands beside an active enemy [9.1]"]
    with refused(NotYours, given="soviet"):  # 9.1, 9.0: the enemy adds no defenders
        t.do("soviet", "join-combat", units=[free])
    t.do("german", "join-combat", units=[free])
    assert fought(t).steps == 4 and fought(t).defence == 6
    assert any("draw 4 chits" in a["text"] for a in t.asked("soviet"))


def test_the_defender_is_asked_for_tactics_before_the_draw() -> None:
    t = command()
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", small=2, steps=1, attack=6, defence=3, terrain="clear")
    assert open_actions(t, "soviet") == ["no-tactics"]  # 9.0: the attacker first
    assert not open_actions(t, "german")
    with refused(NotYours, given="german"):
        Bench.do(t, "german", "play-tactic", card=hand(t, "german")[0], tactic="artillery")
    with refused(NotNow, given="draw-chits"):
        Bench.do(t, "soviet", "draw-chits")
    decline(t)
    assert open_actions(t, "german") == ["no-tactics"]
    with refused(NotYours, given="soviet"):
        Bench.do(t, "soviet", "play-tactic", card=hand(t, "soviet")[0], tactic="artillery")
    with refused(NotYours, given="soviet"):
        Bench.do(t, "soviet", "no-tactics")
    t.answer("german")  # none for the rest of this impulse
    assert not t.asked("german")
    assert open_actions(t, "soviet") == ["draw-chits"]
    t.answer("soviet")
    by_hand(t)
    t.do("soviet", "declare-combat", small=2, steps=1, attack=6, defence=3, terrain="clear")
    assert open_actions(t, "soviet") == ["no-tactics"]
    assert not t.asked("german")  # 9.2: said once for the impulse


def test_stavka_played_as_a_real_tactic_leaves_the_game() -> None:
    t = blank_table(mode_chits="physical")
    t.do("table", "go-to", turn=7, phase="cards")
    fields: dict[str, Any] = {"soviet_supplementals": 5, "german_supplementals": 4, "german_hand_size": 5}
    t.do("table", "prepare-cards", **fields)
    t.until("command")
    t.do("german", "play-real-card", card="P30", kind="supplemental")
    t.do("german", "give-command", what="activate", formations="XL")
    t.do("german", "declare-combat", small=2, steps=1, attack=4, defence=2, terrain="clear")
    decline(t)
    with refused(NotYours):
        t.do("german", "play-real-tactic", card="P01", tactic="artillery", kind="stavka")
    t.do("table", "play-real-tactic", card="P01", tactic="artillery", kind="stavka")
    by_hand(t)
    assert t.game.piles["soviet-cards"]["removed"] == ["P01"]


def test_engineers_of_both_sides() -> None:
    """12.21, 12.24 and the table's reading."""
    for reading, stands in (("new-stays", True), ("none", False)):
        t = command(both_engineers=reading)
        activate(t, "P03", "3T")
        t.do("soviet", "declare-combat", small=2, steps=1, attack=6, defence=3, terrain="clear", ip=True)
        t.do("soviet", "play-tactic", card=hand(t, "soviet")[0], tactic="combat engineers")
        assert not fought(t).ip
        t.do("german", "play-tactic", card=hand(t, "german")[0], tactic="combat engineers")
        assert fought(t).ip is stands


@pytest.mark.parametrize(
    ("option", "value", "fight", "raw", "final"),
    [
        ("ip-first", False, {"ip": True, "river": True}, (0, 1), (0, 0)),
        ("dispersed-and-oos", "two", {"status": "dispersed-oos"}, (3, 0), (1, 0)),
        ("floor", "before", {"attack_tactics": ["rifle brigade"], "status": "oos"}, (0, 0), (0, 0)),
    ],
)
def test_readings_of_the_adjustments(option: str, value: Any, fight: Any, raw: Any, final: Any) -> None:
    t = command(**{option.replace("-", "_"): value})
    sheet = adjust(t.game, Fight(**fight), raw)
    assert (sheet.facts["A"], sheet.facts["D"]) == final
    if option == "ip-first":
        assert not sheet.facts["ip_spent"]


def test_large_attack_is_judged_again_after_the_last_chit() -> None:
    """9.4: chits of the required draw count too, unless the table reads it so far as drawn."""
    rows = chits()
    for number in range(1, 61):
        rows[f"C{number:02d}"] = {"front": "large attack", "front_hits": "D1", "dark": number in (1, 2, 3)}
    for reading, hits in (("final", 7), ("so-far", 1)):
        t = command(book=owners_book(chits=rows), large_attack=reading)
        fight = Fight(chits=[f"C{n:02d}" for n in range(1, 8)], steps=2, declared=5, small=7)
        assert sum(c.defender for c in judged_chits(t.game, fight)) == hits


def test_how_far_a_stack_may_retreat() -> None:
    """9.52, 9.7, 9.75, 10.22."""
    t = command()
    foot, tank = put(t, "german", "foot", "1510"), put(t, "german", "tank", "1510", kind="armour")
    fight = Fight(defenders=[foot, tank])
    assert retreat_limit(t.game, fight) == 2
    mark(t, foot, "dispersed", "on")
    assert retreat_limit(t.game, fight) == 1
    mark(t, foot, "supply", "isolated")
    assert retreat_limit(t.game, fight) == 1
    mark(t, tank, "supply", "isolated")
    assert retreat_limit(t.game, fight) == 0
    assert retreat_limit(t.game, Fight(attacker="german", defence_tactics=["nkvd"])) == 0


def test_armour_lost_with_a_step() -> None:
    """2.21: some armour becomes mechanised infantry."""
    from companion.systems.enemy_action_kharkov.base import armour

    t = command()
    unit = t.game.units[put(t, "german", "11Pz", "1510", kind="armour", klass="A2", steps=2, full=2)]
    assert armour(unit, t.game)
    unit.steps = 1
    assert not armour(unit, t.game)


def test_empty_hand_readings() -> None:
    """5.1: all cards spent as tactics while the pile is not empty."""
    t = blank_table(empty_hand="draw-first")
    t.until("cards")
    t.do("table", "prepare-cards", soviet_supplementals=6)
    t.until("command")
    set_(t, "german-hand", 0)
    t.do("soviet", "play-real-card", card="P07", kind="supplemental")
    t.do("soviet", "give-command", what="event", event="special")
    t.do("soviet", "end-impulse")
    assert t.game["german-hand"] == 4


def test_dates_three_days_apart() -> None:
    rows = {k: {**v, "date": ""} for k, v in calendar().items()}
    rows["1"]["date"] = "2 February 1943"
    t = table(book=owners_book(calendar=rows))
    assert [t.game.date(n) for n in (1, 2, 10)] == ["2 February 1943", "5 February 1943", "1 March 1943"]


@pytest.mark.parametrize(
    ("text", "hits"), [("A1 D-1", {"A": 1, "D": -1}), ("g2", {"G": 2}), ("", {}), ("S\u22121", {"S": -1})]
)
def test_hits_are_read_as_printed(text: str, hits: dict[str, int]) -> None:
    assert parse_hits(text) == hits


def test_lists_of_a_card_by_turn() -> None:
    assert listed("engineers, forward support (5+)", 4) == ["engineers"]
    assert listed("engineers, forward support (5+)", 5) == ["engineers", "forward support"]
    assert listed("", 5) is None


def test_taking_back_gives_the_card_to_its_hand_again() -> None:
    t = command(solo=True)
    before = t.game.revision
    cards = hand(t, "soviet")
    t.do("soviet", "play-card", card=cards[0])
    t.do("soviet", "take-back", to=before)
    assert hand(t, "soviet") == cards and not t.game["command"]


def test_no_rulebook_value_is_guessed() -> None:
    """The shipped lists hold only what the rulebook prints."""
    text = (SCENARIOS / SYSTEM / "books" / "chits.csv").read_text(encoding="utf-8")
    assert all(set(line.split(",")[1:]) == {""} for line in text.splitlines()[1:])


def test_leaving_the_phase_early_puts_everything_away() -> None:
    t = command("star-and-gallop")
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", small=2, steps=1, attack=6, defence=3, terrain="clear")
    t.do("soviet", "play-tactic", card=hand(t, "soviet")[0], tactic="artillery")
    t.do("soviet", "draw-chits")
    with refused(StillOwed):
        t.do("soviet", "next-phase")
    t.next("soviet")
    assert t.game.phase == "end" and not t.game["command"]
    assert t.asked("soviet")  # what is owed goes along, and its cards stay out
    by_hand(t)
    t.until("cards", 2)
    t.do("table", "prepare-cards")
    assert len(t.game.piles["soviet-cards"]["draw"]) + len(hand(t, "soviet")) == 6 + 7


def test_a_watcher_sees_counts_only() -> None:
    t = command()
    cards = next(p for p in t.sees("watch")["piles"] if p["id"] == "soviet-cards")
    counts = {z["zone"]: z["count"] for z in cards["zones"]}
    assert (counts["hand:soviet"], counts["draw"], counts["avail"]) == (5, 7, 5)
    assert not any(z.get("tokens") for z in cards["zones"] if z["zone"] not in ("entering",))


def test_real_cards_are_counted_on_a_panel() -> None:
    t = command(mode_cards="physical")
    panel = next(p for p in t.sees("watch")["panels"] if p["title"] == "Cards")
    assert [(r["label"], r["value"]) for r in panel["rows"][:2]] == [
        ("Soviet hand + pile", "5 of 5 + 7"),
        ("Soviet available; discards", "5; 0 P, 0 S"),
    ]


def test_what_was_told_of_a_real_card_is_not_asked_again() -> None:
    t = blank_table()
    t.until("cards")
    t.do("table", "prepare-cards", soviet_supplementals=6)
    t.until("command")
    asked = {f["name"] for f in t.form("table", "play-real-card", card="P05")}
    assert {"kind", "type"} <= asked and "value" not in asked  # a real cup: nobody needs the value
    t.do("table", "play-real-card", card="P05", kind="primary", type="army", what="activate", formations="40")
    assert t.game["command"]["for"] == ["40"]
    t.do("soviet", "end-impulse")
    assert not {"kind", "type"} & {f["name"] for f in t.form("table", "play-real-card", card="P05")}


def test_a_card_and_its_command_in_one_go() -> None:
    t = command()
    take(t, "soviet", "P03")
    asked = {f["name"]: f for f in t.form("soviet", "play-card", card="P03", what="activate")}
    assert asked["card"]["quiet"] and asked["formations"]["value"] == ["3T"]
    t.do("soviet", "play-card", card="P03", what="activate", formations="3T")
    assert t.game["command"]["what"] == "activate"
    with refused(NotNow, given="give-command"):
        t.do("soviet", "give-command", what="activate", formations="3T")


def test_an_impulse_does_not_end_in_the_middle_of_a_combat() -> None:
    t = command()
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", small=2, steps=1, attack=6, defence=3, terrain="clear")
    with refused(StillOwed) as told:
        t.do("soviet", "end-impulse")
    assert told.value.said[-1] == "Soviet: draw 1 chit"
    by_hand(t)
    t.do("soviet", "end-impulse")
    assert t.game.active == "german"


def test_the_chits_of_a_real_cup_by_their_sum() -> None:
    t = command(mode_chits="physical")
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", small=2, steps=2, terrain="clear")
    t.do("soviet", "draw-chits", attacker=1, defender=2, was_dark=True)
    assert fought(t).drawn == 2 and battle(t).facts["dark"]
    assert battle(t).result == "A1 D2"


def test_a_blank_record_asks_for_no_units() -> None:
    """Without positions a form has no unit fields, and losses are plain reminders."""
    t = command()
    activate(t, "P03", "3T")
    asked = {f["name"] for f in t.form("soviet", "declare-combat")}
    assert "units" not in asked and {"small", "steps", "attack"} <= asked
    real = command(mode_chits="physical")
    activate(real, "P03", "3T")
    shown = {f["name"] for f in real.form("soviet", "declare-combat") if not f["quiet"]}
    assert "small" in shown and not {"attack", "hexes", "adjacent"} & shown
