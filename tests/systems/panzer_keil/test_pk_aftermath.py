"""Knots of a result, each played to its last duty: losses, exchanges, retreats, advances [9.6-9.8, B10.3]."""

from __future__ import annotations

import pytest
from harness import refused
from systems.panzer_keil.pk_battle import FLAT, battle, hit, places, sheet
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
    table,
)

from companion.engine.errors import NotNow, NotYours, Unreadable

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
    t.do("table", "correct", name="german-sap", value="2")
    t.do("german", "allot-support", target="2040", points=2)
    reply(t, "german", "roll-support", die="6")
    reply(t, "german", "enter-result", result="1D")
    reply(t, "german", "retreat", to=offered(t, "german", "retreat")[0])
    assert t.game.mark("voronezh-1", "disrupted") == "d" and not t.game.duties()


def test_a_surrounded_target_of_a_support_attack_dies() -> None:
    t = battle({"302id": "2041", "320id": "2039"}, [3])
    go(t, "german-support")
    t.do("table", "correct", name="german-sap", value="2")
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


def test_no_advance_leads_on_into_a_full_hex() -> None:
    """9.8.3, B4: three units stand there already."""
    t = battle({"302id": "2041", "320id": "2140", "15id": "2140", "106id": "2140"}, [2], attack=9)
    hit(t, "DL", "302id")
    assert "2140" in t.game.maps.neighbours("2040")
    assert "2039" in offered(t, "german", "advance") and "2140" not in offered(t, "german", "advance")
