"""A strict owner's questions: what once fell, played so that it cannot fall again."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from harness import refused, warned

from companion.engine.errors import NotNow, Unreadable
from companion.engine.record import events as e
from companion.engine.seat.words import describe

Make = Callable[..., Any]


def due(t: Any, seat: str = "german") -> list[str]:
    """What is due, and by which zone."""
    return [f"{a['text']}: {a['entry']}" for a in t.sees(seat)["due"]]


# -- reinforcements go where they are sent


def test_a_redirected_unit_is_due_where_and_when_it_was_sent(table: Make) -> None:
    """11.2.2: four zones from D are two turns; it neither enters today nor stays due in its old zone."""
    t = table()
    t.do("table", "set-up")
    t.until("move-b", 2)
    assert due(t) == ["Romanian 20 INF: zone D"]
    t.do("german", "redirect-entry", units="k42-gr-01", zone="H")
    assert due(t) == []
    with refused(NotNow, given="arrive"):
        t.do("german", "arrive", arrival="german-2-0")
    t.until("move-b", 4)
    assert "Romanian 20 INF: zone H" in due(t)
    assert not [
        text for text in due(t, "soviet") if "zone H" in text
    ]  # where it went is its own side's business
    item = next(a["id"] for a in t.sees("german")["due"] if a["entry"] == "zone H")
    t.do("german", "arrive", arrival=item, hex="5930")
    assert t.game.units["k42-gr-01"].place == "5930"
    assert not [text for text in due(t) if "20 INF" in text]


def test_the_next_zone_at_once_for_half_the_movement(table: Make) -> None:
    """11.2.1: still due today; further zones are not offered so."""
    t = table()
    t.do("table", "set-up")
    t.until("move-b", 2)
    assert "now" not in t.shown("german", "redirect-entry", units="k42-gr-01", zone="F")
    assert "now" in t.shown("german", "redirect-entry", units="k42-gr-01", zone="E")
    t.do("german", "redirect-entry", units="k42-gr-01", zone="E", now=True)
    assert due(t) == ["Romanian 20 INF: zone E"]


def test_a_list_that_names_two_zones_counts_from_the_nearer(table: Make) -> None:
    """11.2.2: 216 INF enters by S or T; where the zones run in a circle C is three from T and four from S."""
    t = table(**{"zones-circle": True})
    t.do("table", "set-up")
    t.until("move-a", 15)
    t.do("soviet", "redirect-entry", units="k42-sr-11", zone="C")
    assert t.game.units["k42-sr-11"].turn == 16


def test_the_others_of_its_line_still_come_today(table: Make) -> None:
    t = table()
    t.do("table", "set-up")
    t.until("move-a", 15)
    (line,) = [a for a in t.sees("soviet")["due"] if a["text"].startswith("216 INF")]
    t.do("soviet", "redirect-entry", units="k42-sr-11", zone="P")
    t.do("soviet", "arrive", arrival=line["id"], hex="6000")
    placed = {u: t.game.units[u].place for u in ("k42-sr-11", "k42-sr-12", "k42-sr-13", "k42-sr-14")}
    assert placed == {"k42-sr-11": "", "k42-sr-12": "6000", "k42-sr-13": "6000", "k42-sr-14": "6000"}
    t.until("move-a", 16)
    assert "216 INF: zone P" in due(t, "soviet")


def test_a_division_opened_before_it_arrives_is_due_as_its_counters(table: Make) -> None:
    """1.3."""
    t = table()
    t.do("table", "set-up")
    t.do("german", "open-formation", unit="k42-gr-18", counters="I/2, 64, 79, Art.")  # 16 ARM, 17 May
    t.until("move-b", 6)
    (item,) = [a for a in t.sees("german")["due"] if "64/16 ARM" in a["text"]]
    assert item["entry"] == t.game.units["k42-gr-18-64"].entry and "Art." in item["text"]
    t.do("german", "arrive", arrival=item["id"], hex="6320")
    assert {u.place for u in t.game.units.values() if u.id.startswith("k42-gr-18-")} == {"6320"}


def test_reserves_that_izjum_holds_back_are_neither_due_nor_opened(table: Make) -> None:
    t = table()
    t.do("table", "set-up")
    with refused(Unreadable, field="unit"):
        t.do("soviet", "open-formation", unit="k42-sr-15", counters="1, 2")
    t.until("move-a", 3)
    t.do("soviet", "redirect-entry", units="k42-sr-15", zone="S")
    t.until("move-a", 8)
    assert not [text for text in due(t, "soviet") if "218" in text]
    t.do("german", "izjum-falls")
    t.until("move-a", 9)
    assert "218 INF: zone S" in due(t, "soviet")


def test_who_left_the_map_is_due_again(table: Make) -> None:
    """11.2.3: from the next movement phase, by the same zone; or it goes on to another."""
    t = table(fog=False)
    t.do("table", "set-up")
    t.until("move-b", 2)
    t.do("german", "leave-map", units="k42-g-055", zone="P")
    assert not [text for text in due(t) if "zone P" in text]
    t.until("move-b", 3)
    (item,) = [a for a in t.sees("german")["due"] if a["entry"] == "zone P"]
    t.do("german", "redirect-entry", units="k42-g-055", zone="N")
    assert not [text for text in due(t) if "zone P" in text]
    t.until("move-b", 4)
    (item,) = [a for a in t.sees("german")["due"] if a["entry"] == "zone N"]
    t.do("german", "arrive", arrival=item["id"], hex="0110")
    assert t.game.units["k42-g-055"].place == "0110"


def test_opened_counters_keep_what_their_formation_suffered(table: Make) -> None:
    """1.3, 5.6.5, 10.2: neither disorganisation nor levels are shaken off by being counted."""
    t = table("kharkov-1943", fog=False)
    t.do("table", "set-up")
    t.until("attack-b")
    t.do("german", "disorganise", units="k43-g-021-a")
    t.do("german", "set-supply", units="k43-g-021-a", now=3)
    t.do("german", "open-formation", unit="k43-g-021-a", counters="DF, D")
    for new in ("k43-g-021-a-df", "k43-g-021-a-d"):
        assert (t.mark(new, "oos"), t.mark(new, "troops")) == (3, "ss")
        assert t.mark(new, "disorganised") and t.mark(new, "rests-until")


def test_a_formation_in_battle_is_not_opened(table: Make) -> None:
    """What is owed points at the very counter: it would lapse with it."""
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "rifles", "3010", a=9)
    one = t.unit("german", "division", "3011", a=4)
    t.do("soviet", "resolve-combat", target="3011", attackers="rifles", die="2 3")
    with refused(NotNow, rule="1.3", field="unit"):
        t.do("german", "open-formation", unit=one, counters="1, 2")
    t.settle("german", "retreat", go=2)
    t.settle("german", "fall-back", to="3013")
    t.do("soviet", "dismiss", ask=t.duty("soviet", "pursue")["id"])
    t.settle("soviet", "take-tests", die="1 1")
    t.settle("german", "take-tests", die="1 1")
    t.do("german", "open-formation", unit=one, counters="1, 2")
    assert t.mark("german-division-1", "retreated")  # 5.3.10: its counters do not dig either


# -- headquarters


@pytest.mark.parametrize(("own", "modifier"), [(True, 1), (False, 0)])
def test_a_lone_headquarters_is_attacked_in_the_last_column(table: Make, own: bool, modifier: int) -> None:
    """5.1.9: also in forest and works; whether it stands in its own range is a table's reading [9.2.1]."""
    t = table(phase="attack-a", fog=False, **{"hq-own-range": own})
    a = t.unit("soviet", "rifles", "3010", a=1)
    t.unit("german", "HQ x", "3011", kind="HQ", cel=1)
    t.do("table", "mark", marker="fort", hexes="3011", value="if")
    t.do("soviet", "resolve-combat", target="3011", attackers=a, terrain="forest", die="3 4")
    assert (t.breakdown["column"], t.breakdown["modifier"]) == ("10:1", modifier)


def test_another_headquarters_in_range_counts_either_way(table: Make) -> None:
    t = table(phase="attack-a", fog=False, **{"hq-own-range": False})
    a = t.unit("soviet", "rifles", "3010", a=1)
    t.unit("german", "HQ x", "3011", kind="HQ", cel=1)
    t.unit("german", "HQ y", "3013", kind="HQ", cel=1)
    assert t.calc("combat", target="3011", attackers=a).modifier == 1
    b = t.unit("soviet", "others", "3020", a=1)
    t.unit("german", "landser", "3021", a=1)
    t.unit("german", "HQ z", "3021", kind="HQ", cel=1)
    assert t.calc("combat", target="3021", attackers=b).modifier == 1  # stacked, it commands those with it


@pytest.mark.parametrize(("klass", "result"), [("foot", "2 MP"), ("mechanized", "2 MP"), ("trucked", "2 MP")])
def test_a_headquarters_moves_like_trucks(table: Make, klass: str, result: str) -> None:
    """9.1.2, 9.1.3: whatever else the form says."""
    t = table()
    assert t.calc("hex-cost", klass=klass, hq=True).result == result
    assert t.calc("hex-cost", klass=klass, hq=True, terrain="swamp").result == "5 MP"
    assert t.calc("hex-cost", klass=klass, hq=True, terrain="forest").result == "4 MP"


# -- disorganisation


@pytest.mark.parametrize(
    "phase", ["air-a", "move-a", "attack-a", "strategic-a", "supply-a", "move-b", "supply-b"]
)
def test_disorganisation_of_any_phase_lifts(table: Make, phase: str) -> None:
    """5.6.5: the end of the same phase next turn, of its next combat phase where it was hit in one."""
    t = table(phase=phase, fog=False)
    by_action, by_hand = t.unit("soviet", "one", "3010"), t.unit("soviet", "two", "3110")
    t.do("soviet", "disorganise", units=by_action)
    t.do("table", "mark", marker="disorganised", units=by_hand, value="on")
    t.until(phase, 2)
    assert t.mark(by_action, "disorganised") and t.mark(by_hand, "disorganised")
    t.next()
    assert not t.mark(by_action, "disorganised") and not t.mark(by_hand, "disorganised")
    assert not t.game.marked("rests-until") and not t.game.marked("rests-at")


def test_a_phase_that_is_skipped_does_not_keep_it(table: Make) -> None:
    """Hit in strategic movement, which the table then stops playing."""
    t = table(phase="strategic-a", fog=False)
    unit = t.unit("soviet", "one", "3010")
    t.do("soviet", "disorganise", units=unit)
    t.record(e.Set("strategic-movement", False, was=True))
    t.until("supply-a", 2)
    t.next()
    assert not t.mark(unit, "disorganised")


def test_a_disorganised_gun_that_fires_does_not_recover(table: Make) -> None:
    """5.6.5: support, defence and fire at range are no rest."""
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "rifles", "3010", a=9)
    support = t.unit("soviet", "support", "3009", kind="ART", a=3, d=1, cel=1)
    shells = t.unit("soviet", "shells", "2010", kind="ART", a=3, d=1, cel=1)
    idle = t.unit("soviet", "idle", "2020", kind="ART", a=3, d=1, cel=1)
    t.unit("german", "landser", "3011", a=4)
    cover = t.unit("german", "cover", "3013", kind="ART", a=3, d=1, cel=1)
    t.do("table", "disorganise", units=f"{support},{shells},{idle}")
    t.until("attack-a", 2)
    t.do("table", "disorganise", units=cover)
    assert t.mark(cover, "rests-until") == 210
    t.record(e.Marked(cover, "rests-until", 209))
    t.do("soviet", "resolve-combat", target="3011", attackers="rifles", attack_guns=support)
    t.settle("german", "defend", guns=cover, anyway=True)
    t.settle("soviet", "roll-combat", die="6 5")
    t.do("soviet", "fire-at-range", target="2012", guns=shells, die="3 4")
    t.next()
    marks = {u: bool(t.mark(u, "disorganised")) for u in (support, shells, idle)}
    assert marks == {support: True, shells: True, idle: False}
    assert t.mark(cover, "rests-until") == 210  # the defender's rest began anew, too


def test_a_disturbed_rest_never_ends_the_sooner(table: Make) -> None:
    """5.6.5: bombed in phase 1, at rest until phase 1 of the next day, attacked in phase 4: not phase 10 of the same day."""
    t = table(phase="air-a", fog=False)
    unit = t.unit("german", "landser", "3011", a=4)
    t.do("german", "disorganise", units=unit)
    t.until("attack-a")
    t.unit("soviet", "rifles", "3010", a=9)
    t.do("soviet", "resolve-combat", target="3011", attackers="rifles", die="6 5")
    assert t.mark(unit, "rests-until") == 201


def test_morale_limits_are_tapped(table: Make) -> None:
    """5.6.2: each unit's own, or a nation's; SS, allies and Volkssturm only where a scenario has them."""
    t = table(phase="attack-a", fog=False)
    soldiers = t.shown("german", "test-order", units=t.unit("german", "staff", "3009"))["limit"]["choices"]
    assert [c["value"] for c in soldiers] == ["own", "wehrmacht", "romanian", "hungarian", "italian"]
    t = table("kharkov-1943", phase="attack-a", fog=False)
    unit = t.unit("german", "landser", "3010")
    labels = [c["label"] for c in t.shown("german", "test-order", units=unit)["limit"]["choices"]]
    assert labels == ["each unit's own", "Wehrmacht 11", "SS 12"]
    t.do("german", "test-order", units=unit, limit="ss", die="6 5")
    assert not t.mark(unit, "disorganised")
    t.do("german", "test-order", units=unit, die="6 5")
    assert t.mark(unit, "disorganised")


# -- levels


def test_a_gun_that_pays_counts_in_full(table: Make) -> None:
    """10.2.3: and pays the level once."""
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=4)
    gun = t.unit("soviet", "gun", "3009", kind="ART", a=7, d=1, cel=1, oos=1)
    t.unit("german", "landser", "3011", a=4)
    fields = {"target": "3011", "attackers": a, "attack_guns": gun}
    assert t.calc("combat", **fields).facts["attack"] == 4 + 4
    assert t.calc("combat", **fields, pay=gun).facts["attack"] == 4 + 7
    assert [c["value"] for c in t.shown("soviet", "resolve-combat", **fields)["pay"]["choices"]] == [gun]
    t.do("soviet", "resolve-combat", **fields, pay=gun, die="3 3")
    assert t.mark(gun, "oos") == 2


def test_a_gun_that_pays_shells_in_full(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    gun = t.unit("soviet", "gun", "3009", kind="ART", a=7, d=1, cel=1, oos=2)
    assert t.calc("ranged-fire", target="3012", guns=gun).facts["strength"] == 4
    t.do("soviet", "fire-at-range", target="3012", guns=gun, pay=gun, die="3 4")
    assert t.breakdown["facts"]["strength"] == 7 and t.mark(gun, "oos") == 3


def test_a_supplied_unit_has_nothing_to_pay(table: Make) -> None:
    """10.2.3: it is neither offered nor taken, and nobody becomes out of supply by paying."""
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=4)
    t.unit("german", "landser", "3011", a=4)
    assert "pay" not in t.shown("soviet", "resolve-combat", target="3011", attackers=a)
    with refused(Unreadable, field="pay", given=a):
        t.do("soviet", "resolve-combat", target="3011", attackers=a, pay=a, die="3 3")
    t.do("soviet", "set-supply", units=a, now=1)
    with refused(Unreadable, field="units"):
        t.do("soviet", "pay-level", units="german-landser")


# -- strategic movement


def test_who_is_set_aside_does_not_fight_without_a_word(table: Make) -> None:
    """12.1.2: nor support, shell or dig; who fights anyway does not move after combat."""
    t = table(phase="move-a", fog=False)
    a = t.unit("soviet", "rifles", "3005", a=9)
    gun = t.unit("soviet", "gun", "3006", kind="ART", a=3, d=1, cel=1)
    t.do("soviet", "mark-strategic", units=f"{a},{gun}")
    with warned("12.1.2"):
        t.do("soviet", "dig-in", hexes="3005")
    t.next()
    t.unit("german", "landser", "3004", a=4)
    with warned("12.1.2"):
        t.do("soviet", "resolve-combat", target="3004", attackers=a, die="3 3")
    with warned("12.1.2"):
        t.do("soviet", "fire-at-range", target="3008", guns=gun, die="3 3")
    t.do("soviet", "resolve-combat", target="3004", attackers=a, die="3 3", anyway=True)
    assert not t.mark(a, "strategic") and t.mark(gun, "strategic")


# -- concentration, stars, several hexes


def test_guns_that_take_no_part_do_not_concentrate(table: Make) -> None:
    """13.1.2, 13.1.5, 6.2.4: in transport setup they do not fight; in combat setup they do."""
    t = table(fog=False)
    t.do("table", "set-up")
    t.until("attack-a")
    division = ["k42-g-052", "k42-g-053"]
    for unit in division:
        t.do("table", "place-unit", unit=unit, hex="3011")
        t.do("table", "set-counter", unit=unit, attack=4)
    gun = t.unit("german", "Art./75", "3011", kind="ART", a=4, d=2, cel=1)
    t.record(e.Placed(gun, facts={"formation": t.game.units["k42-g-052"].formation}, side="german"))
    a = t.unit("soviet", "rifles", "3010", a=9)
    assert t.calc("combat", target="3011", attackers=a).facts["defence_shifts"] == 1
    t.do("table", "mark", marker="transport", units=gun, value="on")
    assert t.calc("combat", target="3011", attackers=a).facts["defence_shifts"] == 0
    t.do("table", "mark", marker="transport", units=gun, value="off")
    t.do("table", "mark", marker="fired", units=gun, value="on")  # it supported others [6.1.4]
    assert t.calc("combat", target="3011", attackers=a).facts["defence_shifts"] == 0


def test_stars_of_counters_on_record_are_not_typed(table: Make) -> None:
    """15.1.5: what is typed counts for strength that is not on record, never for a towed unit that is."""
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=9)
    t.unit("german", "landser", "3011", a=4)
    named = {"target": "3011", "attackers": a, "also": "stars"}
    assert "attack_stars" not in t.shown("soviet", "resolve-combat", **named)
    assert t.calc("combat", **named, attack_stars="blue 2").facts["attack_shifts"] == 0
    assert t.calc("combat", **named, attack=3, attack_stars="blue 2").facts["attack_shifts"] == 2


def two_hexes(t: Any) -> str:
    """One attacker beside 3011, held by 2 in improved works, and 2910, held by 5 in the open."""
    a = t.unit("soviet", "rifles", "3010", a=14)
    t.unit("german", "weak", "3011", a=2)
    t.unit("german", "strong", "2910", a=5)
    t.do("table", "mark", marker="fort", hexes="3011", value="if")
    return str(a)


@pytest.mark.parametrize("order", ["3011 2910", "2910 3011"])
def test_the_strongest_hex_decides_the_works(table: Make, order: str) -> None:
    """5.5.3: whichever is named first."""
    t = table(phase="attack-a", fog=False)
    a = two_hexes(t)
    assert t.calc("combat", target=order, attackers=a).facts["defence_shifts"] == 0
    t.unit("german", "more", "3011", a=4)
    assert t.calc("combat", target=order, attackers=a).facts["defence_shifts"] == 2


@pytest.mark.parametrize("order", ["3011 2910", "2910 3011"])
def test_the_strongest_hex_decides_ground_and_water(table: Make, map_book: Make, order: str) -> None:
    """5.5.3, 5.5.4: guns in the hex are among its strength."""
    t = table(phase="attack-a", fog=False, book=map_book("terrain,3011,,forest\nside,3010,3011,river"))
    a = two_hexes(t)
    t.do("table", "mark", marker="fort", hexes="3011", value="off")
    assert t.calc("combat", target=order, attackers=a).facts["defence_shifts"] == 0
    t.unit("german", "gun", "3011", kind="ART", a=1, d=4, cel=1)
    assert t.calc("combat", target=order, attackers=a).facts["defence_shifts"] == 1 + 2


# -- the air


def test_the_second_mission_is_offered_what_the_first_leaves(table: Make) -> None:
    t = table()
    first = {"mission_1": "attack", "hex_1": "1705", "sp_1": 5, "mission_2": "support"}
    row = t.shown("soviet", "assign-air", **first)["sp_2"]
    assert (row["max"], row["help"]) == (3, "of 3 left today")
    assert t.shown("soviet", "assign-air", **first, sp_2=2)["sp_1"]["max"] == 6
    labels = [r["label"] for r in t.shown("soviet", "assign-air", **first).values()]
    assert len(labels) == len(set(labels))  # no two fields of one name


def test_a_side_without_points_chooses_nothing_in_secret(table: Make) -> None:
    """8.1.7: on 12 May no German flies, and nothing is said of a German choice."""
    t = table()
    assert not [event for event in t.events if isinstance(event, e.Sealed)]
    assert t.panel("table", "Air missions")["German"] == "nothing to choose"
    t.do("soviet", "assign-air", mission_1="attack", hex_1="1705", sp_1=8)
    assert t.duty("soviet", "bomb-hex")  # open at once: nobody else is waited for
    assert [event.seat for event in t.events if isinstance(event, e.Sealed)] == ["soviet"]


# -- nothing on record


@pytest.mark.parametrize(
    ("phase", "action", "marker"),
    [
        ("move-a", "mark-strategic", "strategic"),
        ("move-a", "flip-artillery", "transport"),
        ("supply-a", "check-supply", "oos"),
        ("attack-a", "set-supply", "oos"),
        ("attack-a", "disorganise", "disorganised"),
    ],
)
def test_counters_are_named_on_the_spot(table: Make, phase: str, action: str, marker: str) -> None:
    """The ladder of effort: what is marked comes on record, by name and hex or by its hex alone."""
    t = table(phase=phase)
    assert t.shown("soviet", action)["named"]
    t.do("soviet", action, named="57 INF 2408, 2507")
    rifles, stack = t.game.unit("57 INF"), t.game.unit("stack at 2507")
    assert (rifles.place, rifles.kind, rifles.side) == ("2408", "INF", "soviet")
    assert t.mark(rifles.id, marker) and t.mark(stack.id, marker)
    assert "57 INF" not in json.dumps(t.hears("german"))


def test_a_name_without_a_hex_is_asked_for_it(table: Make) -> None:
    t = table(phase="attack-a")
    with refused(Unreadable, field="named", given="57 INF"):
        t.do("soviet", "set-supply", named="57 INF")
    with refused(Unreadable, field="named"):
        t.do("soviet", "set-supply")


def test_the_table_is_asked_whose_counters_it_names(table: Make) -> None:
    t = table(phase="air-a")
    with refused(Unreadable, field="named"):
        t.do("table", "set-supply", named="57 INF 2408")
    t.until("move-a")
    t.do("table", "set-supply", named="57 INF 2408")  # the side that moves
    assert t.game.unit("57 INF").side == "soviet"


def test_a_name_that_is_on_record_is_that_unit(table: Make) -> None:
    t = table(phase="attack-a")
    unit = t.unit("soviet", "57 INF", "2408")
    t.do("soviet", "set-supply", named="57 inf 2408", now=2)
    assert t.mark(unit, "oos") == 2 and len(t.game.units) == 1
    t.do("soviet", "set-supply", named="2408", now=3)  # all that stands there
    assert t.mark(unit, "oos") == 3 and len(t.game.units) == 1


def test_what_needs_counters_is_not_offered_without_any(table: Make) -> None:
    t = table(phase="move-a")
    offered = {a["name"] for a in t.sees("soviet")["actions"]}
    assert not offered & {
        "leave-map", "redirect-entry", "pay-level", "test-order", "lose-cel", "set-counter", "open-formation",
        "mask-stack", "begin-bridge", "declare-bridge", "complete-bridge", "take-missing",
    }  # fmt: skip


def test_no_form_of_an_empty_table_demands_what_it_calls_optional(table: Make) -> None:
    """Every book-keeping form of a phase: what it shows as not required can be left out, or the dice do it."""
    for phase in ("move-a", "attack-a", "supply-a"):
        t = table(phase=phase)
        for action in [a["name"] for a in t.sees("soviet")["actions"]]:
            if t.rules.find(action).group not in {"phase", "book-keeping"} or action == "resolve-combat":
                continue
            shown = t.shown("soviet", action)
            assert not any(row["type"] == "unit" for row in shown.values()), action
            if any(row["required"] for row in shown.values()):
                continue
            typed = {n: "1" for n, row in shown.items() if row["type"] == "whole"}
            t.do("soviet", action, **typed)


# -- control


@pytest.mark.parametrize(("reading", "holder"), [(True, "soviet"), (False, "german")])
def test_control_by_a_unit_back_in_line_is_a_switch(table: Make, reading: bool, holder: str) -> None:
    """4.3.5, 10.2.7: it traces supply again but is still at level 2."""
    t = table(phase="supply-a", fog=False, **{"recovering-controls": reading})
    t.do("table", "set-control", hexes="2915", by="german")
    t.unit("soviet", "back", "2914", oos=6)
    t.do("soviet", "check-supply")
    t.next()
    assert t.mark("2915", "owner") == holder


def test_who_is_still_cut_off_takes_nothing_under_either_reading(table: Make) -> None:
    t = table(phase="supply-a", fog=False, **{"recovering-controls": True})
    t.do("table", "set-control", hexes="2915", by="german")
    t.unit("soviet", "lost", "2914", oos=2)
    t.do("soviet", "check-supply", hexes="2914")
    t.next()
    assert t.mark("2915", "owner") == "german"


# -- words


def test_rare_things_are_offered_where_a_scenario_has_them(table: Make) -> None:
    """7.3, 15.2-15.4: none here has any."""
    for rare in (False, True):
        t = table(phase="attack-a", **{"rare-units": rare})
        form = t.shown("soviet", "resolve-combat")
        assert ("fixed (FP)" in [c["label"] for c in form["fort"]["choices"]]) is rare
        assert ("RG, VS, FU" in [c["label"] for c in form["also"]["choices"]]) is rare


def test_guns_have_a_combat_and_a_transport_setup(table: Make) -> None:
    """6.2.2: in the rulebook's own words, wherever the companion speaks of them."""
    t = table(phase="move-a", fog=False)
    gun = t.unit("soviet", "gun", "3010", kind="ART", cel=1)
    done = t.do("soviet", "flip-artillery", units=gun)
    assert describe(done[0].seen_by("soviet"), t.game).count("ransport setup") == 1
    done = t.do("soviet", "flip-artillery", units=gun)
    assert done[0].reason.startswith("combat setup")
    said = json.dumps([*t.kit.system.phases, *t.kit.system.markers, *t.kit.system.notes], default=str)
    assert "travel position" not in said and "firing position" not in said
