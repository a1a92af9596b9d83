"""The rulebook's knots, each played from the declaration to the last duty [5-11, B8-B15]."""

from __future__ import annotations

from typing import Any

import pytest
from harness import Bench, refused
from systems.panzer_keil.pk_bench import (
    RAILS,
    actions,
    card,
    duty,
    go,
    mark,
    offered,
    owners_book,
    put,
    reply,
    strike,
    table,
    warned,
)

from companion.engine.errors import NotNow, NotYours, Unreadable

FLAT = "2040 2041 2042 2039 2140 2141 1941 1940 clear\n3040-3041 river\n3045-3046 major river\n"
"""A map without anything that matters; rivers far away tell that rivers are entered."""
Units = dict[str, tuple[str, dict[str, Any]]]
GERMANS = ("ss-w-1", "302id", "320id", "88id", "68id", "370id")


def battle(
    attackers: dict[str, str], defenders: list[int], ground: str = "", attack: int = 6, **options: Any
) -> Bench:
    """Germans around 2040, infantry of one strength; Soviets in it with these defences."""
    t = table(owners_book(FLAT + ground, crt=False), **options)
    for unit, place in attackers.items():
        put(t, unit, place, kind="infantry", nation="german", attack=attack, defence=4)
    for n, defence in enumerate(defenders, 1):
        put(t, f"voronezh-{n}", "2040", kind="infantry", attack=3, defence=defence)
    go(t, "german-combat")
    return t


def sheet(t: Bench, *attackers: str, **fields: Any) -> Any:
    return t.calc("combat", target="2040", attackers=list(attackers), **fields)


def hit(t: Bench, result: str, *attackers: str, **fields: Any) -> None:
    strike(t, result, attackers=list(attackers), **fields)


def places(t: Bench, *units: str) -> list[str]:
    return [t.game.units[u].place for u in units]


# -- 9.2 strengths -------------------------------------------------------------------------------------------


def test_a_stack_over_a_river_is_summed_before_it_is_halved() -> None:
    """9.2.1: 3 and 3 in one hex are 3, in two hexes 1 and 1."""
    t = battle({"302id": "2041", "320id": "2041"}, [2], "2040-2041 river\n", attack=3)
    assert sheet(t, "302id", "320id").facts["attack"] == "3"
    t = battle({"302id": "2041", "320id": "1941"}, [2], "2040-2041 river\n2040-1941 river\n", attack=3)
    assert sheet(t, "302id", "320id").facts["attack"] == "2"


def test_nothing_halves_an_attack_twice() -> None:
    """9.2.4: out of a marsh, over a river and out of supply: once."""
    t = battle({"302id": "2141"}, [2], "2141 marsh\n2040-2141 river\n", attack=8)
    mark(t, "302id", "oos")
    assert sheet(t, "302id").facts["attack"] == "4"


def test_of_a_stack_out_of_supply_each_part_is_summed_by_itself() -> None:
    """9.2.3 beside 9.2.1: 3 and 4 out of supply are 3, the supplied stack-mate counts whole."""
    t = battle({"302id": "2041", "320id": "2041", "88id": "2041"}, [2], attack=3)
    put(t, "320id", "2041", attack=4)
    for unit in ("302id", "320id"):
        mark(t, unit, "oos")
    assert sheet(t, "302id", "320id", "88id").facts["attack"] == str(3 + 3)


def test_disrupted_defenders_are_halved_together_and_their_stack_mate_not() -> None:
    """9.2.5, 5.3.2: 5 healthy, 3 and 2 disrupted: 5 + 3."""
    t = battle({"302id": "2041"}, [5, 3, 2])
    for unit in ("voronezh-2", "voronezh-3"):
        mark(t, unit, "disrupted", "d")
    assert sheet(t, "302id").facts["defence"] == 8


def test_an_exhausted_attacker_out_of_supply_halves_its_other_side() -> None:
    t = battle({"302id": "2041"}, [2])
    put(t, "ss-w-1", "1941", kind="armour", nation="german", attack=9, exhausted_attack=5)
    mark(t, "ss-w-1", "exhausted")
    mark(t, "ss-w-1", "oos")
    assert sheet(t, "ss-w-1").facts["attack"] == "2"


def test_a_marsh_on_record_counts_where_no_river_is_entered() -> None:
    """9.2.2: half a map book switches nothing off, and the rest is still asked for."""
    t = table(owners_book("2040 clear\n2141 marsh\n", crt=False))
    put(t, "302id", "2141", kind="infantry", nation="german", attack=6)
    put(t, "voronezh-1", "2040", kind="infantry", defence=2)
    go(t, "german-combat")
    assert sheet(t, "302id").facts["attack"] == "3"
    rows = {r["name"]: r for r in t.form("german", "resolve-combat", target="2040", attackers=["302id"])}
    assert "river" in [c["value"] for c in rows["halved"]["choices"]]


def test_a_defence_out_of_supply_is_not_halved() -> None:
    t = battle({"302id": "2041"}, [6])
    mark(t, "voronezh-1", "oos")
    assert sheet(t, "302id").facts["defence"] == 6


# -- 9.4, B11 armour, columns, concentric attack -------------------------------------------------------------


@pytest.mark.parametrize(
    ("mine", "theirs", "shift"),
    [
        ("armour", "infantry", 1),  # 9.4
        ("armour", "armour", 0),  # 9.4.3
        ("armour", "mechanized infantry", 0),  # 9.4.5: Soviet mechanized infantry counts as armour
        ("mechanized infantry", "armour", 0),  # B11.3: panzergrenadiers cancel it
        ("mechanized infantry", "infantry", 0),  # B11.3: and give nothing
        ("infantry", "mechanized infantry", -1),  # 9.4.5
        ("motorized infantry", "infantry", 0),
    ],
)
def test_who_shifts_the_column(mine: str, theirs: str, shift: int) -> None:
    t = battle({"302id": "2041"}, [3])
    t.do("table", "describe-unit", unit="302id", kind=mine)
    t.do("table", "describe-unit", unit="voronezh-1", kind=theirs)
    assert sheet(t, "302id").modifier == shift


def test_a_soviet_attack_with_mechanized_infantry_meets_panzergrenadiers() -> None:
    """B11.3 in defence; an ally's mechanized infantry cancels nothing."""
    for nation, shift in (("german", 0), ("hungarian", 1)):
        t = table(owners_book(FLAT, crt=False))
        put(t, "voronezh-1", "2041", kind="mechanized infantry", attack=6)
        put(t, "h2a-1", "2040", kind="mechanized infantry", nation=nation, defence=3)
        go(t, "soviet-combat")
        assert sheet(t, "voronezh-1").modifier == shift


def test_armour_over_a_river_gives_nothing_while_infantry_beside_it_does_not_matter() -> None:
    """9.4.4 by the suggested reading: what hinders the armour itself counts."""
    t = battle({"302id": "1941"}, [3], "2040-2041 river\n")
    put(t, "ss-w-1", "2041", kind="armour", nation="german", attack=8)
    assert sheet(t, "ss-w-1", "302id").modifier == 0
    put(t, "ss-w-2", "1940", kind="armour", nation="german", attack=8)
    assert sheet(t, "ss-w-1", "ss-w-2", "302id").modifier == 1  # one that is not hindered is enough


def test_one_german_lends_his_die_column_to_the_allies() -> None:
    t = battle({"302id": "2041"}, [3])
    put(t, "h2a-1", "1941", kind="infantry", nation="hungarian", attack=4)
    assert sheet(t, "h2a-1").chart == "crt-soviet-clear"
    assert sheet(t, "h2a-1", "302id").chart == "crt-german-clear"  # B11.1


def test_a_ring_of_disrupted_germans_with_a_soviet_in_it_still_doubles() -> None:
    """B11.2.1, B11.2.2."""
    t = battle({"302id": "2041", "320id": "2039"}, [3], attack=4)
    mark(t, "320id", "disrupted", "d")
    put(t, "voronezh-2", "2141", kind="infantry", defence=3)  # in a German zone, spoils nothing
    assert sheet(t, "302id").facts["attack"] == "8"


def test_a_doubled_attack_is_doubled_after_it_was_halved() -> None:
    t = battle({"302id": "2041", "320id": "2039"}, [3], "2040-2041 river\n", attack=5)
    assert sheet(t, "302id").facts["attack"] == "4"


# -- 9.1 who attacks -----------------------------------------------------------------------------------------


def test_stack_mates_that_do_not_attack_suffer_nothing() -> None:
    """9.1.4: A1D and exhaustion are for attackers only."""
    t = battle({"320id": "2041"}, [3])
    put(t, "ss-w-1", "2041", kind="armour", nation="german", attack=8)
    put(t, "ss-w-2", "2041", kind="armour", nation="german", attack=8)
    hit(t, "A1D", "ss-w-1")
    assert t.game.mark("ss-w-1", "disrupted") == "ad" and t.game.mark("ss-w-1", "exhausted")
    assert not t.game.mark("ss-w-2", "disrupted") and not t.game.mark("ss-w-2", "exhausted")
    assert [d.units for d in t.game.duties(action="retreat")] == [("ss-w-1",)]


def test_each_unit_and_each_hex_once_a_phase_and_again_next_turn() -> None:
    t = battle({"302id": "2041", "320id": "1941"}, [3])
    hit(t, "C", "302id")
    with warned("9.1.6", "9.1.5"):
        t.do("german", "resolve-combat", target="2040", attackers=["302id"], die="1")
    with warned("9.1.5"):
        t.do("german", "resolve-combat", target="2040", attackers=["320id"], die="1")
    go(t, "german-combat", 2)
    t.do("german", "resolve-combat", target="2040", attackers=["302id"], die="1")


def test_an_attack_taken_back_may_be_made_again() -> None:
    t = battle({"302id": "2041"}, [3])
    before = t.game.revision
    hit(t, "C", "302id")
    t.do("german", "take-back", to=before)
    t.agree()
    t.do("german", "resolve-combat", target="2040", attackers=["302id"], die="1")  # nothing was attacked


def test_nobody_attacks_over_a_lake() -> None:
    t = battle({"302id": "2041"}, [3], "2040-2041 sea or lake\n")
    with warned("9.1.7"):
        t.do("german", "resolve-combat", target="2040", attackers=["302id"], die="1")


def test_the_next_battle_waits_for_the_retreat_of_the_last() -> None:
    t = battle({"302id": "2041", "320id": "2042"}, [3, 3])
    put(t, "voronezh-3", "2143", defence=3)
    hit(t, "D1", "302id")
    with warned("Retreat"):
        t.do("german", "resolve-combat", target="2143", attackers=["320id"], die="1")


# -- 9.6, B10.3.1 results ------------------------------------------------------------------------------------

RIVER = "2040-2041 major river\n"


def test_al2_partly_over_a_major_river() -> None:
    """B10.3.1: AE for those over it; the others fall back two, disrupted, and pay no second time."""
    t = battle({"302id": "2041", "320id": "1941", "88id": "1940"}, [9], RIVER)
    hit(t, "AL2", "302id", "320id", "88id")
    assert places(t, "302id") == ["box:dead"]
    assert [t.game.mark(u, "disrupted") for u in ("320id", "88id")] == ["ad", "ad"]
    assert {d.units: d.args["hexes"] for d in t.game.duties(action="retreat")} == {
        ("320id",): 2,
        ("88id",): 2,
    }
    assert actions(t, "soviet") == ["retreat", "retreat"]  # the defender moves who is disrupted


def test_a1d_over_a_major_river_costs_one_of_those_who_crossed() -> None:
    """A1D becomes AL for the crossers: one of two is lost, the other goes back two; the third goes back one."""
    t = battle({"302id": "2041", "320id": "2041", "88id": "1941"}, [9], RIVER)
    hit(t, "A1D", "302id", "320id", "88id")
    reply(t, "german", "lose-units", unit="302id")
    hexes = {d.units: d.args["hexes"] for d in t.game.duties(action="retreat")}
    assert hexes == {("320id",): 2, ("88id",): 1}


def test_where_a_railroad_crosses_the_river_is_an_ordinary_one() -> None:
    """B10.4: halved, but neither a worse result nor a shorter advance."""
    t = battle({"302id": "2041"}, [2], RIVER + "rail 2040 2041\n", attack=9)
    assert sheet(t, "302id").facts["attack"] == "4"
    hit(t, "D2", "302id")
    reply(t, "soviet", "retreat", to=offered(t, "soviet", "retreat")[0])
    assert duty(t, "german", "advance")["args"]["limit"] == 2


def test_half_on_record_a_river_attack_tells_both_results() -> None:
    """Attackers typed, defenders on record: the others' plain result is not forgotten."""
    t = battle({}, [4])
    t.do("german", "resolve-combat", target="2040", full="6", halved="major", major="5", die="1")
    reply(t, "german", "enter-result", result="AL")
    text = t.asked("german")[0]["text"]
    assert "all attackers eliminated" in text and "A2D" in text and "exhausted" in text
    assert len(t.asked("german")) == 1


@pytest.mark.parametrize("defenders", [[], [4]])
def test_typed_attackers_partly_over_a_major_river_are_told_how_far_each_goes(defenders: list[int]) -> None:
    """B10.3.2: two hexes, those who crossed one."""
    t = battle({}, defenders)
    told = {} if defenders else {"defence": 4}
    t.do("german", "resolve-combat", target="2040", full="6", halved="major", major="5", die="1", **told)
    reply(t, "german", "enter-result", result="D2")
    if defenders:
        reply(t, "soviet", "retreat", to=offered(t, "soviet", "retreat")[0])
    texts = " ".join(a["text"] for a in t.asked("german"))
    assert "advance 2" in texts and "those over the major river 1" in texts


def test_attackers_of_two_hexes_retreat_by_themselves() -> None:
    t = battle({"302id": "2041", "320id": "1941", "88id": "1941"}, [9])
    hit(t, "A1", "302id", "320id", "88id")
    assert sorted(len(d.units) for d in t.game.duties(action="retreat")) == [1, 2]
    assert all(d.to[0] == "german" for d in t.game.duties(action="retreat"))  # A1: their owner


def test_dl2_takes_two_and_drives_the_third_away() -> None:
    t = battle({"302id": "2041"}, [3, 3, 3])
    hit(t, "DL2", "302id")
    reply(t, "soviet", "lose-units", units=["voronezh-1", "voronezh-3"])
    assert t.game.mark("voronezh-2", "disrupted") == "d"
    assert duty(t, "german", "retreat")["args"]["hexes"] == 2  # moved by the attacker


def test_a_support_attack_drives_out_and_nobody_advances() -> None:
    """7.3.2: 1D is D1D without an advance; surrounded the target dies."""
    t = battle({"302id": "2041"}, [3])
    go(t, "german-support")
    t.do("table", "correct", name="german-sap", value="3")
    t.do("german", "allot-support", target="2040", points=2)
    reply(t, "german", "roll-support", die="6")
    reply(t, "german", "enter-result", result="1D")
    reply(t, "german", "retreat", to=offered(t, "german", "retreat")[0])
    assert t.game.mark("voronezh-1", "disrupted") == "d" and not t.game.duties()


def test_a_surrounded_target_of_a_support_attack_dies() -> None:
    t = battle({"302id": "2041", "320id": "2039"}, [3])
    go(t, "german-support")
    t.do("table", "correct", name="german-sap", value="3")
    t.do("german", "allot-support", target="2040", points=2)
    reply(t, "german", "roll-support", die="6")
    reply(t, "german", "enter-result", result="1D")
    assert places(t, "voronezh-1") == ["box:dead"]  # 9.7.5, without being asked


# -- 9.6 exchange --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("reading", "paid"), [("each", 2), ("stack", 3)])
def test_what_a_halved_stack_pays_is_a_reading(reading: str, paid: int) -> None:
    """Two 3s over a river fight as 3; given up they are worth 1 and 1, or 3 together."""
    two = {"302id": "2041", "320id": "2041", "88id": "1941"}
    t = battle(two, [3, 4], "2040-2041 river\n", attack=3, exchange_halves=reading)
    assert sheet(t, "302id", "320id", "88id").facts["attack"] == "6"
    hit(t, "EX", "302id", "320id", "88id")
    reply(t, "german", "exchange-attackers", units=["302id", "320id"])
    assert ("voronezh-1" in [u.id for u in t.game.units_at("box:dead")]) is (paid == 3)


def test_a_doubled_attacker_pays_double() -> None:
    """9.6, B11.2: the strength as modified."""
    t = battle({"302id": "2041", "320id": "2039"}, [4, 4], attack=4)
    hit(t, "EX", "302id", "320id")
    reply(t, "german", "exchange-attackers", units=["302id"])
    assert places(t, "voronezh-1", "voronezh-2") == ["box:dead", "box:dead"]  # 8 against 8
    assert [d.units for d in t.game.duties(action="advance")] == [("320id",)]  # 9.8.2


def test_an_exchange_that_costs_every_attacker_leaves_nobody_to_advance() -> None:
    t = battle({"302id": "2041"}, [4])
    hit(t, "EX", "302id")  # the only one: given up without being asked
    assert places(t, "302id", "voronezh-1") == ["box:dead", "box:dead"] and not t.game.duties()


def test_whoever_crossed_a_major_river_follows_an_exchange_one_hex_only() -> None:
    t = battle({"302id": "2041", "320id": "2041"}, [3], RIVER)
    hit(t, "EX", "302id", "320id")
    reply(t, "german", "exchange-attackers", units=["302id"])
    assert duty(t, "german", "advance")["args"]["limit"] == 1  # B10.3.2


def test_only_the_attacker_chooses_whom_he_gives_up() -> None:
    t = battle({"302id": "2041", "320id": "1941"}, [4])
    hit(t, "EX", "302id", "320id")
    with refused(NotYours):
        t.do("soviet", "exchange-attackers", units=["302id"])
    with refused(Unreadable, rule="9.6", field="units"):
        reply(t, "german", "exchange-attackers")
    with refused(NotNow):
        t.do("soviet", "exchange-defenders", which="voronezh-1")


def test_a_single_victor_has_one_tap_to_advance() -> None:
    t = battle({"302id": "2041"}, [3])
    hit(t, "D1", "302id")
    reply(t, "soviet", "retreat", to="2140")
    assert card(t, "german", "advance") == {}  # neither who nor where is a question


# -- 9.7 retreats --------------------------------------------------------------------------------------------


def test_past_a_full_stack_the_retreat_goes_on() -> None:
    """9.7.3: the only open hex holds three; one further there is room."""
    t = battle({"302id": "2041", "320id": "1940"}, [3], "2139 2039 lake\n")
    for n in (4, 5, 6):
        put(t, f"voronezh-{n}", "2140", kind="infantry")
    hit(t, "D1", "302id", "320id")
    found = offered(t, "soviet", "retreat")
    assert found and "2140" not in found
    assert all(t.game.maps.distance(h, "2040") == 2 for h in found)


def test_with_nothing_open_beyond_a_full_hex_the_retreat_ends_in_it() -> None:
    """9.7.3 only lets it go on; 5.1.3 looks at stacks when the phase closes."""
    t = battle({"302id": "2041", "320id": "1940"}, [3], "2139 2039 2240 2239 2141 2241 2138 lake\n")
    for n in (4, 5, 6):
        put(t, f"voronezh-{n}", "2140", kind="infantry")
    hit(t, "D1", "302id", "320id")
    assert places(t, "voronezh-1") == ["2140"]
    t.next()
    assert actions(t, "soviet") == ["remove-surplus"]


def test_a_stack_may_part_before_a_hex_that_has_room_for_one() -> None:
    t = battle({"302id": "2041", "320id": "1940"}, [3, 3], "2139 2039 2239 2141 2241 2138 lake\n")
    for n in (4, 5):
        put(t, f"voronezh-{n}", "2140", kind="infantry")
    hit(t, "D1", "302id", "320id")
    assert offered(t, "soviet", "retreat") == ["2240", "apart"]  # together they must go on [9.7.3]
    reply(t, "soviet", "retreat", to="apart")
    assert sorted(places(t, "voronezh-1", "voronezh-2")) == ["2140", "2240"]


def test_two_hexes_lead_as_far_away_as_they_can() -> None:
    """9.7.4: never round the corner to a hex beside the battle."""
    t = battle({"302id": "2041"}, [3])
    hit(t, "D2", "302id")
    assert {t.game.maps.distance(h, "2040") for h in offered(t, "soviet", "retreat")} == {2}


@pytest.mark.parametrize(("reading", "limit"), [("result", 2), ("hexes", 1)])
def test_the_advance_after_a_d2_that_fell_short_is_a_reading(reading: str, limit: int) -> None:
    """9.6 grants two hexes, 9.8.2 asks for a retreat of two."""
    wall = "2039 2139 2239 2240 lake\n"
    t = battle({"302id": "2041", "320id": "1940"}, [3, 3], wall, advance_short=reading)
    hit(t, "D2", "302id", "320id")
    reply(t, "soviet", "retreat", lost=["voronezh-1"])
    assert places(t, "voronezh-2") == ["2140"]  # the one hex there is, without being asked
    assert duty(t, "german", "advance")["args"]["limit"] == limit


def test_a_rout_over_a_major_river_kills_and_lets_the_victor_go_two() -> None:
    """B10.3.3, 9.8.2."""
    sides = "2040-2140 major river\n2040-2141 major river\n2040-2039 major river\n"
    t = battle({"302id": "1941"}, [3], sides)
    hit(t, "D1D", "302id")
    labels = [c["label"] for c in card(t, "german", "retreat")["to"]["choices"]]
    assert all("eliminated" in label for label in labels)
    reply(t, "german", "retreat", to=offered(t, "german", "retreat")[0])
    assert places(t, "voronezh-1") == ["box:dead"]
    assert duty(t, "german", "advance")["args"]["limit"] == 2


def test_a_disrupted_unit_that_retreats_plainly_over_a_major_river_lives() -> None:
    """B10.3.3, 5.3.3: this result brings no disruption."""
    sides = "2040-2140 major river\n2040-2141 major river\n2040-2039 major river\n"
    t = battle({"302id": "1941"}, [3], sides)
    mark(t, "voronezh-1", "disrupted", "d")
    hit(t, "D1", "302id")
    reply(t, "soviet", "retreat", to=offered(t, "soviet", "retreat")[0])
    assert t.game.units["voronezh-1"].on_map and t.game.mark("voronezh-1", "disrupted") == "d"


# -- 9.8 advances --------------------------------------------------------------------------------------------


def test_an_enemy_who_comes_back_closes_the_hex() -> None:
    t = battle({"302id": "2041"}, [3])
    hit(t, "D1", "302id")
    reply(t, "soviet", "retreat", to="2140")
    put(t, "voronezh-2", "2040")
    assert not t.game.duties(action="advance")


def test_the_second_hex_never_crosses_a_major_river_nor_enters_an_enemys() -> None:
    t = battle({"302id": "2041"}, [3], "2040-2039 major river\n")
    put(t, "voronezh-9", "1940", defence=3)
    hit(t, "D2", "302id")
    reply(t, "soviet", "retreat", to=offered(t, "soviet", "retreat")[0])
    assert not {"2039", "1940"} & set(offered(t, "german", "advance"))  # B10.3.2, 9.8.2


def test_without_a_target_the_advance_is_told_in_words() -> None:
    """Attackers on record, the hex not named: nobody who waits off the map stands in it."""
    t = battle({"302id": "2041"}, [])
    t.do("german", "resolve-combat", attackers=["302id"], defence=3, die="1")
    reply(t, "german", "enter-result", result="D2")
    for ask in t.asked("soviet"):
        t.do("soviet", "dismiss", ask=ask["id"])
    assert "advance 2 hexes" in t.asked("german")[0]["text"]


def test_typed_strengths_leave_the_advance_over_a_major_river_at_one() -> None:
    """9.2, B10.3.2: the record knows who crossed."""
    t = table(owners_book(FLAT + RIVER, crt=False))
    put(t, "302id", "2041")
    put(t, "voronezh-1", "2040")
    go(t, "german-combat")
    hit(t, "D2", "302id", full="9", defence="3")
    reply(t, "soviet", "retreat", to=offered(t, "soviet", "retreat")[0])
    assert duty(t, "german", "advance")["args"]["limit"] == 1


# -- 5.1 stacking --------------------------------------------------------------------------------------------


def test_after_combat_both_sides_stacks_are_looked_at() -> None:
    """5.1.3: a retreat may have crowded the defender."""
    t = battle({"302id": "2041"}, [3])
    for n in (4, 5, 6, 7):
        put(t, f"voronezh-{n}", "2139", kind="infantry")
    t.next()
    assert actions(t, "soviet") == ["remove-surplus"] and not t.asked("german")
    with refused(NotYours):
        t.do("german", "remove-surplus", units=["voronezh-4"])
    reply(t, "soviet", "remove-surplus", units=["voronezh-4"])


def test_two_corps_with_a_division_lose_a_corps() -> None:
    t = table()
    for n, size in ((1, "XXX"), (2, "XXX"), (3, "XX")):
        put(t, f"voronezh-{n}", "1420", size=size)
    go(t, "soviet-move")
    t.next()
    with refused(Unreadable, rule="5.1.4, B4", field="units"):
        reply(t, "soviet", "remove-surplus", units=["voronezh-3"])
    reply(t, "soviet", "remove-surplus", units=["voronezh-1"])


# -- 6, B8 supply and command --------------------------------------------------------------------------------


def test_a_disrupted_headquarters_leaves_its_front_without_points_and_supply() -> None:
    """B8.4: until it recovers."""
    t = table(owners_book())
    put(t, "voronezh-hq", "1409")
    put(t, "voronezh-1", "1412", kind="armour")
    mark(t, "voronezh-hq", "disrupted", "d")
    t.until("soviet-supply")
    t.do("soviet", "check-supply", anyway=True)
    assert t.game["voronezh-sp"] == 0 and t.game.mark("voronezh-1", "oos")
    assert not t.game.mark("voronezh-hq", "oos")
    go(t, "soviet-recovery")
    t.do("soviet", "recover")
    t.until("soviet-supply", 2)
    t.do("soviet", "check-supply", anyway=True)
    assert t.game["voronezh-sp"] > 0 and not t.game.mark("voronezh-1", "oos")


def test_the_line_is_cut_before_headquarters_are_judged() -> None:
    """B9.3.3, B8.2.2: the marker goes back in the same tap, and the headquarters with it."""
    t = table(owners_book())
    put(t, "voronezh-hq", "1605")
    for place, n in (("1107", 1), ("1112", 2), ("1117", 3)):
        put(t, f"vii-{n}", place)
    put(t, "h2a-1", "1215")  # beside the line
    t.until("soviet-supply")
    t.do("soviet", "check-supply", anyway=True)
    assert next(iter(t.game.marked("railhead"))) != "1406"


def test_reinforcements_outlast_one_supply_check_without_a_headquarters() -> None:
    """B14.3: turn 3 and the check of turn 4; on turn 5 they are judged."""
    t = table(owners_book())
    put(t, "don-hq", "1405")
    go(t, "soviet-move", 3)
    t.do("soviet", "enter-units", units=["40a-1"], hex="0140")
    for turn, out in ((4, False), (5, True)):
        t.until("soviet-supply", turn)
        t.do("soviet", "check-supply", anyway=True)
        assert bool(t.game.mark("40a-1", "oos")) is out


def test_out_of_supply_lasts_until_the_own_next_supply_phase() -> None:
    """6.1.6: neither the enemy's phases nor a new position end it."""
    t = table(owners_book())
    put(t, "ss-w-1", "2110", kind="armour")
    t.until("german-supply")
    t.do("german", "check-supply")
    t.do("table", "place-unit", unit="ss-w-1", hex="2041")
    t.until("soviet-combat", 2)
    assert t.game.mark("ss-w-1", "oos")
    t.until("german-supply", 2)
    t.do("german", "check-supply")
    assert not t.game.mark("ss-w-1", "oos")


def test_checking_supply_again_does_not_give_back_what_was_spent() -> None:
    """B6.3.4: put right and traced anew, the points are those that are left."""
    t = table(owners_book())
    put(t, "voronezh-hq", "1409")
    put(t, "voronezh-1", "1412", kind="armour")
    mark(t, "voronezh-1", "exhausted")
    t.until("soviet-supply")
    t.do("soviet", "check-supply", anyway=True)
    t.do("soviet", "spend-supply", units=["voronezh-1"], front="voronezh")
    left = t.game["voronezh-sp"]
    t.do("soviet", "check-supply-again", anyway=True)
    assert t.game["voronezh-sp"] == left


def test_points_called_off_may_be_laid_elsewhere() -> None:
    """7.3: nothing has been resolved yet."""
    t = battle({"302id": "2041"}, [3])
    put(t, "voronezh-2", "2042", kind="infantry")
    t.until("german-support", 2)
    t.do("german", "allot-support", target="2040", points=2)
    t.do("german", "dismiss", ask=duty(t, "german", "roll-support")["id"], how="does not apply")
    t.do("german", "allot-support", target="2042", points=3)
    assert t.game["german-sap"] == 0


# -- 8, 10, 11 -----------------------------------------------------------------------------------------------


def test_who_attacked_does_not_move_again_and_who_did_not_does() -> None:
    """9.9, 10.1."""
    t = battle({}, [3])
    for n in (1, 2):
        put(t, f"ss-w-{n}", "2041", kind="armour", nation="german", attack=6)
    hit(t, "C", "ss-w-1")
    t.next()
    with warned("10.1"):
        t.do("german", "move-units", units=["ss-w-1"], way="2042")
    t.do("german", "move-units", units=["ss-w-2"], way="2042")


@pytest.mark.parametrize(
    ("marker", "value", "rule"), [("oos", "on", "6.2, 8.3.1"), ("disrupted", "d", "8.3.1")]
)
def test_a_forced_march_of_the_wrong_unit_is_said_first(marker: str, value: str, rule: str) -> None:
    t = table()
    put(t, "ss-w-1", "1440", kind="armour")
    mark(t, "ss-w-1", marker, value)
    go(t, "german-move")
    with warned(rule):
        t.do("german", "forced-march", units=["ss-w-1"])
    with warned(rule):
        t.do("german", "move-units", units=["ss-w-1"], way="1441", effort="forced")
    t.do("german", "forced-march", units=["ss-w-1"], anyway=True)
    assert t.game.mark("ss-w-1", "exhausted")


def test_too_few_points_are_good_for_one_hex() -> None:
    """8.5.3."""
    t = table()
    put(t, "ss-w-1", "1440", kind="armour")
    go(t, "german-move")
    with warned("8.5.3"):
        t.do("german", "move-units", units=["ss-w-1"], way="1441 1442", effort="one-hex")
    t.do("german", "move-units", units=["ss-w-1"], way="1441", effort="one-hex")
    assert t.game.mark("ss-w-1", "exhausted")


def test_recovery_of_a_unit_out_of_supply_is_said_first() -> None:
    t = table()
    put(t, "ss-w-1", "1440", kind="armour")
    mark(t, "ss-w-1", "disrupted", "d")
    mark(t, "ss-w-1", "oos")
    go(t, "german-recovery")
    with warned("11.1"):
        t.do("german", "recover-some", units=["ss-w-1"])
    t.do("german", "recover-some", units=["ss-w-1"], anyway=True)
    assert not t.game.mark("ss-w-1", "disrupted")


def test_the_sixth_army_recovers_though_marked_out_of_supply() -> None:
    """B13.1.2."""
    t = table()
    put(t, "6a-1", "1703")
    mark(t, "6a-1", "oos")
    mark(t, "6a-1", "disrupted", "d")
    go(t, "german-recovery")
    t.do("german", "recover")
    assert not t.game.mark("6a-1", "disrupted")


# -- B13, B15 ------------------------------------------------------------------------------------------------


def test_a_joint_attack_on_the_sixth_army_binds_every_front() -> None:
    """B13.2.1: and the bound unit is then commanded by the Don headquarters alone."""
    t = table(owners_book(RAILS + "1704 clear\n3040-3041 river\n", crt=False))
    put(t, "6a-1", "1704", kind="infantry", nation="german", defence=3)
    put(t, "don-1", "1705", kind="infantry", attack=4)
    put(t, "southern-1", "1604", kind="infantry", attack=4)
    put(t, "southern-hq", "1506")
    go(t, "soviet-combat")
    t.do("soviet", "resolve-combat", target="1704", attackers=["don-1", "southern-1"], die="1")
    reply(t, "soviet", "enter-result", result="C")
    assert t.game.mark("southern-1", "don")
    t.until("soviet-supply", 2)
    t.do("soviet", "check-supply", anyway=True)
    assert t.game.mark("southern-1", "oos")  # no Don headquarters on the map


def test_attackers_that_are_not_on_record_are_told_of_their_bond() -> None:
    t = table(owners_book(FLAT, crt=False))
    put(t, "6a-1", "1704", kind="infantry", nation="german", defence=3)
    go(t, "soviet-combat")
    t.do("soviet", "resolve-combat", target="1704", full="9", ground="clear", die="1")
    done = reply(t, "soviet", "enter-result", result="C")
    assert any(event.KIND == "noted" and event.rule == "B13.2.1" for event in done)


def test_a_contested_city_scores_for_nobody() -> None:
    """5.4.1, B15.1."""
    t = table(owners_book(track=["mud"]))
    put(t, "voronezh-1", "0941")
    put(t, "302id", "0942", kind="infantry", nation="german")
    assert t.calc("victory").facts["soviet"] == 0


def test_scoring_by_another_way_says_what_the_record_does_not_tell() -> None:
    """5.4, B15.2: also where the phase was set by hand and nobody was asked."""
    t = table()
    put(t, "hollidt-a-1", "1440")
    t.do("table", "set-weather", weather="mud", last=True)
    go(t, "scoring", 4)
    with warned("5.4", "B15.2"):
        t.do("table", "score-game")
