"""What must not be lost, counted twice or taken for granted: follow-ups, supply checks, blank cards, half a chit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from harness import refused
from systems.enemy_action_kharkov.ea_bench import (
    activate,
    by_hand,
    calendar,
    cards,
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

from companion.engine.errors import NotNow, NotYours, StillOwed, Unreadable, Warned
from companion.systems.enemy_action_kharkov.fight import Fight
from companion.systems.enemy_action_kharkov.hits import adjust
from companion.systems.enemy_action_kharkov.manifest import check_chits, chits_ready, listed
from companion.systems.enemy_action_kharkov.retreat import routes
from companion.systems.enemy_action_kharkov.situations import words
from companion.systems.enemy_action_kharkov.taking import retreat_limit


def bare_cards() -> dict[str, dict[str, Any]]:
    """The five-minute manifest: kind and turn, nothing else."""
    return {n: {k: row[k] for k in ("kind", "turn")} for n, row in cards().items()}


def five_minutes(turn: int = 1) -> Any:
    return command(book=owners_book(cards=bare_cards()), turn=turn)


# -- cards of which the manifest tells only kind and turn --------------------------------------------------------


def test_a_card_without_type_and_value_is_asked_when_it_is_played() -> None:
    """9.4: chits look at the command value; 5.2-5.5 hang on the type. What was said is remembered (and public)."""
    t = five_minutes()
    take(t, "soviet", "P05")
    asked = {f["name"] for f in t.form("soviet", "play-card", card="P05", what="activate")}
    assert {"type", "value"} <= asked
    with refused(Unreadable, rule="5.2-5.5", field="type"):  # 5.2: a front names an army
        t.do("soviet", "play-card", card="P05", type="front", value=3, what="units", formations="40")
    fields = {"card": "P05", "type": "army", "value": 3, "what": "activate", "formations": "40"}
    t.do("soviet", "play-card", **fields)
    t.do("soviet", "declare-combat", small=2, steps=1, attack=6, defence=3, terrain="clear")
    assert fought(t).value == 3
    assert not {"type", "value"} & {f["name"] for f in t.form("soviet", "play-card", card="P05")}


def test_stavka_without_a_name_still_leaves_the_game_as_command_and_as_tactic() -> None:
    """15.35: the card's type is all it takes; as a tactic it is asked from turn 7 on."""
    for as_tactic in (False, True):
        t = five_minutes(turn=7)
        if as_tactic:
            take(t, "german", "P23")
            t.do("german", "play-card", card="P23", type="corps", value=2, what="activate", formations="XL")
            t.do("german", "declare-combat", small=2, steps=1, attack=6, defence=3, terrain="clear")
            decline(t)
            take(t, "soviet", "P01")
            assert "stavka" in {f["name"] for f in t.form("soviet", "play-tactic", card="P01")}
            t.do("soviet", "play-tactic", card="P01", tactic="artillery", stavka=True)
            by_hand(t)
        else:
            take(t, "german", "P23")
            t.do("german", "play-card", card="P23", type="corps", value=2, what="event", event="special")
            t.do("german", "end-impulse")
            take(t, "soviet", "P01")
            t.do("soviet", "play-card", card="P01", type="stavka", value=4, what="event", event="nkvd")
            t.do("soviet", "end-impulse")
        assert t.game.piles["soviet-cards"]["removed"] == ["P01"]


def test_manstein_without_a_name_is_free_of_the_bar() -> None:
    """6.3: told in the form, the type lifts the bar at once."""
    t = five_minutes(turn=7)
    set_(t, "last-german", "XL")
    take(t, "german", "P26")
    given: dict[str, Any] = {"card": "P26", "what": "activate"}
    forms = {
        kind: next(f for f in t.form("german", "play-card", type=kind, **given) if f["name"] == "formations")
        for kind in ("corps", "von manstein")
    }
    offers = {kind: {c["value"] for c in f["choices"]} for kind, f in forms.items()}
    assert "XL" not in offers["corps"] and "XL" in offers["von manstein"]


def test_one_line_says_who_plays_what() -> None:
    t = command()
    take(t, "soviet", "P03")
    done = t.do("soviet", "play-card", card="P03", what="activate", formations="3T")
    assert done[0].text == "Soviet plays P03 Test card 3: Activate, 3rd Tank Army"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("number", "armies"),
    [("P01", {"3T", "40", "69", "6", "1G", "MGP"}), ("P02", {"3T", "40", "69"})],
)
def test_fronts_and_stavka_deploy_all_they_have_without_a_question(number: str, armies: set[str]) -> None:
    """5.3: there is nothing to choose."""
    t = command()
    take(t, "soviet", number)
    asked = {f["name"] for f in t.form("soviet", "play-card", card=number, what="deploy")}
    assert "formations" not in asked
    t.do("soviet", "play-card", card=number, what="deploy")
    assert set(t.game["command"]["for"]) == armies


def test_a_kampfgruppe_of_nobody_is_refused_with_the_reason() -> None:
    """6.2."""
    t = command()
    put(t, "german", "far", "0101", formation="IISS")
    activate(t, "P03", "3T")
    t.do("soviet", "end-impulse")
    take(t, "german", "P24")
    t.do("german", "play-card", card="P24")
    with refused(NotNow, rule="6.2, 6.3", field="hex"):
        t.do("german", "give-command", what="kg", hex="1414")


def test_a_card_that_lists_no_event_offers_none() -> None:
    """5.4: `none` in the manifest is not the same as an empty cell."""
    assert listed("none", 3) == [] and listed("", 3) is None and listed("-", 3) == []


def test_cards_left_unplayed_are_not_laid_open() -> None:
    """A table that leaves the command phase early keeps its hands secret, also through heavy mud (15.34)."""
    t = command(turn=7)
    held = {s: set(t.game.piles[f"{s}-cards"][f"hand:{s}"]) for s in t.game.sides}
    t.do("table", "go-to", turn=8, phase="cards")
    set_(t, "ground", "heavy-mud")
    t.do("table", "prepare-cards")
    for side, numbers in held.items():
        seen = str(t.sees("table")) + str(t.sees(t.game.other(side)))
        assert not [n for n in numbers if f"'{n}'" in seen]


# -- half-filled lists -------------------------------------------------------------------------------------------


def test_half_a_chit_is_not_drawn() -> None:
    """9.4: a side that is not filled in would silently count as one that does not apply."""
    rows = chits()
    assert chits_ready(table(book=owners_book(chits=rows)).game)
    for column in ("back", "back_hits", "front_hits", "front_detail"):
        half = {k: dict(v) for k, v in rows.items()}
        half["C07"][column] = ""
        assert not chits_ready(table(book=owners_book(chits=half)).game)
        assert any("C07" in wrong for wrong in check_chits(half))


@pytest.mark.parametrize(("vp", "asked", "over"), [(20, True, False), (31, False, True), (0, True, False)])
def test_half_a_calendar_space_is_asked_for(vp: int, asked: bool, over: bool) -> None:
    """15.36: two values are compared; the one that is missing is read from the map."""
    rows = calendar()
    rows["4"] = {k: v for k, v in rows["4"].items() if not k.startswith("german_under")}
    t = table(book=owners_book(calendar=rows))
    t.do("table", "go-to", turn=4, phase="cards")
    set_(t, "vp", vp)
    t.until("end", 4)
    assert any(a["action"] == "calendar-verdict" for a in t.asked("table")) is asked
    t.agree()  # 15.36: put to both sides
    assert bool(t.game.ended) is over


# -- supply and mud, once each -----------------------------------------------------------------------------------


def test_supply_is_checked_once_a_side_and_turn() -> None:
    """10.2: two people who tap the same button must not send a unit from supplied to isolated."""
    t = table()
    t.do("table", "go-to", turn=4, phase="supply")
    lost = put(t, "german", "lost", "2010")
    t.do("german", "check-supply", side="german", by_hand=True, cut=[lost])
    with refused(Unreadable, field="side", given="german"):
        t.do("table", "check-supply", side="german", by_hand=True, cut=[lost])
    assert t.game.mark(lost, "supply") == "oos"
    t.do("table", "check-supply", side="soviet", by_hand=True)
    with refused(NotNow, given="check-supply"):
        t.do("table", "check-supply", side="soviet", by_hand=True)


def test_heavy_mud_gives_each_side_two_steps_and_no_more() -> None:
    """15.34: Soviet side first."""
    t = table()
    t.do("table", "go-to", turn=8, phase="cards")
    set_(t, "ground", "heavy-mud")
    a, b, c = (put(t, "soviet", n, "1005", formation="3T", steps=1, full=2) for n in "abc")
    t.next()
    t.next()
    side = next(f for f in t.form("table", "mud-replacements") if f["name"] == "side")
    assert side["value"] == "soviet"
    t.do("soviet", "mud-replacements", side="soviet", units=[a])
    with refused(Unreadable, rule="15.34", field="units"):
        t.do("soviet", "mud-replacements", side="soviet", units=[b, c])
    t.do("soviet", "mud-replacements", side="soviet", units=[b])
    with refused(Unreadable, field="side", given="soviet"):
        t.do("soviet", "mud-replacements", side="soviet", units=[c])
    t.do("german", "mud-replacements", side="german")
    with refused(NotNow, given="mud-replacements"):
        t.do("german", "mud-replacements", side="german")


# -- a combat's follow-ups ---------------------------------------------------------------------------------------


def fight_on_record(hits: str, **defender: Any) -> tuple[Any, str, str]:
    """A German unit in 2010 attacked from 2009 with a real cup."""
    t = command()
    target = put(t, "german", "D", "2010", formation="XL", **{"steps": 2, "full": 2, **defender})
    red = put(t, "soviet", "red", "2009", formation="3T")
    activate(t, "P03", "3T")
    set_(t, "mode-chits", "physical")
    t.do("soviet", "declare-combat", hex="2010", units=[red])
    t.do("soviet", "draw-chits", hits=hits)
    return t, target, red


def test_a_combat_does_not_end_before_the_defender_has_retreated() -> None:
    """9.0, 9.8: the advance is offered after the retreat, and the attacker cannot wave the retreat away."""
    t, d, red = fight_on_record("D1, -")
    t.answer("german", choice="retreat-1")
    assert [a["action"] for a in t.asked("soviet")] == []
    with refused(NotYours, given="soviet"):
        t.do("soviet", "retreat", route="2011")
    with refused(NotNow, rule="9.0"):
        t.do("soviet", "declare-combat", hex="2010", small=1, steps=1)
    with refused(StillOwed, field="anyway"):
        t.do("soviet", "end-impulse")
    t.do("german", "retreat", route="2011")
    assert t.game.units[d].place == "2011"
    assert open_actions(t, "soviet") == ["advance"] and not t.asked("german")
    t.answer("soviet", units=[red])
    assert t.game.units[red].place == "2010" and not t.game.fighting


def test_a_retreat_made_on_the_map_is_waved_away_and_the_combat_goes_on() -> None:
    t, _, _ = fight_on_record("D1, -")
    t.answer("german", choice="retreat-1")
    t.do("german", "place-unit", unit="d", hex="2012")
    assert not t.asked("german")  # nobody is left in the hex: nothing is owed
    t, _, _ = fight_on_record("D1, -")
    t.answer("german", choice="retreat-1")
    (ask,) = t.asked("german")
    t.do("german", "dismiss", ask=ask["id"])
    assert not t.asked("german")
    t.do("soviet", "end-impulse")


def test_every_step_of_a_bad_retreat_is_asked_for() -> None:
    """9.7: two hexes in enemy zones cost two steps, and both may fall on one unit."""
    t, d, _ = fight_on_record("D2, -, -", steps=3, full=3)
    mark(t, "1910", "owner", "soviet")  # Lozovaia: no points to be booked in between
    for place in ("1912", "2211", "1910", "1810", "2310"):
        put(t, "soviet", f"r {place}", place, formation="40")
    t.answer("german", choice="retreat-2")
    route, cost = next((r, c) for r, c in routes(t.game, [t.game.units[d]], 2))
    assert cost == 2
    t.do("german", "retreat", route="-".join(w.hex for w in route))
    assert t.game.units[d].steps == 1  # alone he pays both, and is not asked
    assert open_actions(t, "soviet") == ["advance"]


def test_units_that_fell_back_go_down_with_the_defenders() -> None:
    """9.74: they add no steps to the draw, and are eliminated when the defenders leave."""
    t = command()
    first = put(t, "german", "first", "2010", formation="XL", steps=1, full=2)
    second = put(t, "german", "second", "2011", formation="XL")
    red, other = (
        put(t, "soviet", "red", "2009", formation="3T"),
        put(t, "soviet", "o", "2112", formation="3T"),
    )
    activate(t, "P03", "3T")
    set_(t, "mode-chits", "physical")
    t.do("soviet", "declare-combat", hex="2010", units=[red])
    t.do("soviet", "draw-chits", hits="D1")
    t.answer("german", choice="retreat-1")
    t.do("table", "place-unit", unit=first, hex="2011")
    mark(t, first, "fell-back")
    t.do("soviet", "declare-combat", hex="2011", units=[other])
    assert fought(t).steps == 2
    t.do("soviet", "draw-chits", hits="D1, -")
    t.answer("german", choice="retreat-1")
    if t.asked("german"):
        t.answer("german", route=t.asked("german")[0]["form"][0]["choices"][0]["value"])
    assert t.game.units[first].place == "box:eliminated-german"
    assert t.game.units[second].on_map


def test_a_lesser_route_spares_a_unit_of_a_stack() -> None:
    """9.72: two one-step units that would pay a step lose a unit; a free route of lower priority is open to them."""
    t = command()
    for name in ("a", "b"):
        put(t, "german", name, "2010", formation="XL", steps=1, full=3)
    put(t, "soviet", "red", "2009", formation="3T")
    for place in ("1909", "2308", "1810", "1913", "2211"):
        put(t, "soviet", f"r {place}", place, formation="40")
    for place in ("2210", "2111"):
        put(t, "german", f"f {place}", place, formation="XL")
    units = [t.game.units[n] for n in ("a", "b")]

    def open_to(stack: list[Any]) -> list[tuple[str, int]]:
        return [(" ".join(w.hex for w in way), cost) for way, cost in routes(t.game, stack, 2)]

    assert open_to(units) == [("2111 2210", 0)]
    t.game.units["a"] = replace(units[0], steps=3)  # a stack that can pay keeps to the priorities
    strong = [t.game.units[n] for n in ("a", "b")]
    assert open_to(strong) == [("2011 2112", 1), ("2011 2012", 1), ("2011 1912", 1)]


def test_a_stack_in_poor_order_retreats_one_hex() -> None:
    """9.52: where each is dispersed or unsupplied, at least one is dispersed."""
    assert retreat_limit(command().game, Fight(status="poor")) == 1


def test_an_improved_position_that_takes_a_tactics_hit_is_spent() -> None:
    """9.51, 12.24: no hit on the chits, one by a tactic, none left: the position absorbed it."""
    book = owners_book(tactics={"rifle brigade": {"attack_d": 1}})
    t = command(book=book)
    fight = Fight(ip=True, attack_tactics=["rifle brigade"])
    assert adjust(t.game, fight, (0, 0)).facts == {"A": 0, "D": 0, "ip_spent": True}
    assert adjust(t.game, Fight(ip=True), (0, 0)).facts["ip_spent"] is False
    assert adjust(t.game, fight, (0, 1)).facts == {"A": 0, "D": 1, "ip_spent": True}


def test_units_that_join_make_a_flank_attack() -> None:
    """9.4: three hexes once the unit of Assault Coordination stands beside the target."""
    t = command()
    put(t, "german", "D", "2010", formation="XL")
    places = ("2009", "1910", "2011")
    a, b, c = (put(t, "soviet", f"s {p}", p, formation="3T" if p != "2011" else "40") for p in places)
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", hex="2010", units=[a, b], attack=4, defence=2)
    t.do("soviet", "play-tactic", card=hand(t, "soviet")[0], tactic="assault coordination")
    with refused(NotYours, given="german"):  # 9.1: each side brings its own
        t.do("german", "join-combat", units=["d"])
    t.do("soviet", "join-combat", units=[c])
    assert fought(t).hexes == 3 and fought(t).small == 3


# -- numbers by hand ---------------------------------------------------------------------------------------------


def test_nothing_is_claimed_of_what_nobody_told() -> None:
    """9.4: with a real cup the hexes are not asked, so neither flank nor one-hex attack is announced."""
    t = command(mode_chits="physical")
    activate(t, "P03", "3T")
    said = [x.label for x in t.calc("combat", small=3, steps=2).lines]
    assert not [x for x in said if "one-hex" in x or "flank" in x]
    assert "one-hex attack" in [x.label for x in t.calc("combat", small=3, steps=2, hexes=1).lines]


def test_the_companions_cup_needs_strengths() -> None:
    """9.4: nought against nought would make every `at least` chit apply."""
    t = command()
    activate(t, "P03", "3T")
    with refused(Unreadable, rule="9.4", field="strengths"):
        t.do("soviet", "declare-combat", small=3, steps=2, terrain="clear")
    first = {f["name"]: f["value"] for f in t.form("soviet", "declare-combat")}
    assert (first["terrain"], first["status"], first["hexes"]) == ("clear", "good", 1)


def test_real_tactics_are_offered_to_the_side_that_is_asked() -> None:
    """9.0: attacker first, then defender, then nobody."""
    t = command(mode_cards="physical", mode_chits="physical")
    t.do("table", "play-real-card", card="P03", what="activate", formations="3T")
    t.do("soviet", "declare-combat", small=2, steps=1, terrain="clear")

    def offered(seat: str) -> bool:
        return "play-real-tactic" in {a["name"] for a in t.sees(seat)["actions"]}

    assert offered("soviet") and offered("table") and not offered("german")
    for _ in range(2):
        decline(t)
    assert not any(offered(seat) for seat in ("soviet", "german", "table"))


def test_what_leaves_nothing_to_say_is_one_tap() -> None:
    """A prompt whose form would be empty is a button, not a form: no tactics, the end of the combat."""
    t, _, _ = fight_on_record("-, -")
    assert not t.asked("soviet") and not t.game.fighting  # a combat without hits is over
    t, _, _ = fight_on_record("D1, -")
    (ask,) = t.asked("german")
    assert (ask["action"], ask["fields"]) == ("apply-defence", 1)


def test_before_the_first_hand_the_table_says_who_deals() -> None:
    """An owner without a card manifest learns that the deck is his own, and what would change that."""
    for book, word in ((owners_book(), "The companion deals"), (owners_book(cards=None), "You deal")):
        t = table(book=book)
        t.until("cards")
        panel = next(p for p in t.sees("table")["panels"] if p["title"] == "Who deals")
        assert panel["rows"][0]["label"].startswith(word)
        t.do("table", "prepare-cards", soviet_supplementals=6)
        assert "Who deals" not in [p["title"] for p in t.sees("table")["panels"]]


def test_a_chit_reads_as_it_is_printed() -> None:
    """2.22, 9.4: a ratio with its number, terrain by name."""
    assert words("ratio at least", "3") == "\u2265 3:1" and words("ratio under", "1.5:1") == "< 1.5:1"
    assert words("terrain", "clear broken") == "clear, broken terrain"
    assert words("command value", "4") == "Command value 4" and words("nkvd", "") == "NKVD"


def test_the_attacker_is_not_offered_hits_before_the_defender_has_answered() -> None:
    """9.52."""
    t, _, _ = fight_on_record("A2 D1, -")
    (ask,) = t.asked("soviet")
    assert (ask["action"], ask["live"]) == ("apply-attack", False)
    with refused(NotNow, rule="9.52"):
        t.do("soviet", "apply-attack", choice="steps")
    t.answer("german", choice="stand")
    assert open_actions(t, "soviet") == ["apply-attack"]


def test_tactics_that_cannot_count_are_not_offered() -> None:
    """9.21: nothing twice; 9.3: Screen is the defender's."""
    t = command(turn=7)
    activate(t, "P26", "XL")
    t.do("german", "declare-combat", small=2, steps=1, attack=6, defence=3, terrain="clear")
    (free,) = next(a for a in t.asked("german") if a["action"] == "bonus-tactic")["form"]
    assert "screen" not in {c["value"] for c in free["choices"]}
    t.answer("german", tactic="artillery")
    take(t, "german", "P44")
    more = next(f for f in t.form("german", "play-tactic", card="P44") if f["name"] == "tactic")
    assert "artillery" not in {c["value"] for c in more["choices"]}


# -- on the ground -----------------------------------------------------------------------------------------------


def test_a_withdrawal_keeps_to_stacking() -> None:
    """8.1, 7.4."""
    t = command()
    unit = put(t, "soviet", "48G", "1510", formation="3T")
    for place in ("1408", "1412", "1608", "1612", "1409", "1411", "1609", "1610"):
        put(t, "german", f"g {place}", place, formation="XL")
    for name in "xyz":
        put(t, "soviet", name, "1511", formation="40")
    activate(t, "P03", "3T")
    with refused(Warned) as told:
        t.do("soviet", "withdraw", units=[unit], hex="1511")
    assert told.value.said == ["1511 would hold too many units or steps [7.4]"]


def test_positions_are_built_by_active_units_in_order() -> None:
    """12.21, 12.22: not where only inactive, or only unsupplied active, units stand."""
    t = command()
    put(t, "soviet", "idle", "1510", formation="40")
    poor = put(t, "soviet", "poor", "1310", formation="3T")
    put(t, "soviet", "fresh", "1310", formation="40")
    put(t, "soviet", "good", "1110", formation="3T")
    mark(t, poor, "supply", "oos")
    activate(t, "P03", "3T")
    for place in ("1510", "1310"):
        with refused(Warned) as told:
            t.do("soviet", "build-ip", hexes=place)
        assert f"{place}: no active unit there that stood still [12.21]" in told.value.said
    t.do("soviet", "build-ip", hexes="1110")


def test_kharkov_taken_by_hand_ends_the_initial_assault() -> None:
    """15.1: also at a table without positions."""
    t = command("initial-assault", owners_book("city 1012 Kharkov\nvp 1012 5\n"))
    t.do("table", "take-town", hex="1012", side="soviet")
    assert not t.game.ended
    t.agree()
    assert t.game.ended and t.game.ended.level == "Operational"


def test_a_check_ticks_its_line() -> None:
    """4-III.1: one look tells which side is still to be traced; in heavy mud one line stands for both."""
    for ground, after_one, after_both in (
        ("frozen", [True, False], [True, True]),
        ("heavy-mud", [False], [True]),
    ):
        t = table()
        t.do("table", "go-to", turn=8, phase="supply")
        set_(t, "ground", ground)
        seen = []
        for side in ("german", "soviet"):
            t.do("table", "check-supply", side=side, by_hand=True)
            lines = t.sees("table")["phase"]["checklist"]
            seen.append([line["done"] for line in lines if line["action"] == "check-supply"])
        assert seen == [after_one, after_both]


@pytest.mark.parametrize(
    ("side", "name", "formation"),
    [("soviet", "1GC.3T", "3T"), ("german", "679.333.XL", "XL"), ("german", "Wes/Wik/XL", "XL")]
    + [("german", "429-168-Raus", "Raus"), ("soviet", "270.69", "69"), ("soviet", "48th Guards", "")],
)
def test_a_designation_names_the_formation(side: str, name: str, formation: str) -> None:
    """2.21: a unit added by hand is activated with its army or corps."""
    t = command()
    t.do("table", "add-unit", side=side, name=name, hex="1510", steps=2)
    (unit,) = t.game.units.values()
    assert unit.formation == formation
