"""Result codes, losses, retreats, advances and the exchange at the table [9.6-9.9, B10.3]."""

from __future__ import annotations

import pytest
from harness import Bench, refused
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
    strike,
    table,
    warned,
)

from companion.engine.errors import NotYours, Unreadable, Warned
from companion.systems.panzer_keil.results import (
    ATTACKER,
    DEFENDER,
    RESULTS,
    advance_limit,
    beside_river,
    over_river,
    survivors_lost,
)


@pytest.mark.parametrize(
    ("code", "sufferer", "losses", "retreat", "by", "disrupts", "advance"),
    [
        ("AL2", ATTACKER, 2, 2, DEFENDER, True, 0),
        ("AL", ATTACKER, 1, 2, DEFENDER, True, 0),
        ("A2D", ATTACKER, 0, 2, DEFENDER, True, 0),
        ("A1D", ATTACKER, 0, 1, DEFENDER, True, 0),
        ("A2", ATTACKER, 0, 2, ATTACKER, False, 0),
        ("A1", ATTACKER, 0, 1, ATTACKER, False, 0),
        ("C", "", 0, 0, "", False, 0),
        ("EX", "", 0, 0, "", False, 0),
        ("D1", DEFENDER, 0, 1, DEFENDER, False, 1),
        ("D2", DEFENDER, 0, 2, DEFENDER, False, 2),
        ("D1D", DEFENDER, 0, 1, ATTACKER, True, 1),
        ("D2D", DEFENDER, 0, 2, ATTACKER, True, 2),
        ("DL", DEFENDER, 1, 2, ATTACKER, True, 2),
        ("DL2", DEFENDER, 2, 2, ATTACKER, True, 2),
    ],
)
def test_code(
    code: str, sufferer: str, losses: int, retreat: int, by: str, disrupts: bool, advance: int
) -> None:
    r = RESULTS[code]
    assert (r.sufferer, r.losses, r.retreat, r.by, r.disrupts, r.advance) == (
        sufferer,
        losses,
        retreat,
        by,
        disrupts,
        advance,
    )


@pytest.mark.parametrize(
    ("code", "raised"),
    [("A1", "A1D"), ("A2", "A2D"), ("A1D", "AL"), ("A2D", "AL2"), ("AL", "AE"), ("AL2", "AE")]
    + [(c, c) for c in ("C", "EX", "D1", "D2", "D1D", "D2D", "DL", "DL2", "AE")],
)
def test_over_a_major_river(code: str, raised: str) -> None:
    assert over_river(code) == raised  # B10.3.1


@pytest.mark.parametrize(("code", "others"), [("A1", "A1"), ("A2D", "A2D"), ("AL", "A2D"), ("AL2", "A2D")])
def test_those_who_did_not_cross(code: str, others: str) -> None:
    assert beside_river(code) == others


@pytest.mark.parametrize(
    ("code", "major", "limit"),
    [("D1", False, 1), ("D2", False, 2), ("D2", True, 1), ("DL", True, 1), ("C", False, 0)],
)
def test_advance_limit(code: str, major: bool, limit: int) -> None:
    assert advance_limit(code, major) == limit  # 9.8, B10.3.2


@pytest.mark.parametrize(
    ("units", "owed", "managed", "lost"),
    [(3, 2, 1, 1), (3, 2, 0, 2), (1, 2, 0, 1), (2, 2, 2, 0), (2, 2, 3, 0)],
)
def test_blocked_retreat(units: int, owed: int, managed: int, lost: int) -> None:
    assert survivors_lost(units, owed, managed) == lost  # 9.7.5, 9.7.3


MAP = """
rail 1450..1430
2040 2041 2042 2039 2140 clear
2040-2041 major river
2039-2038 major river
2040-2140 river
"""


def fight(defenders: int = 1, rails: str = MAP, **options: object) -> Bench:
    """Two Germans, one of them over a major river, against Soviets in 2040."""
    t = table(owners_book(rails, crt=False), **options)
    put(t, "ss-w-1", "2041", kind="armour", nation="german", attack=8, defence=6)
    put(t, "302id", "1941", kind="infantry", nation="german", attack=6, defence=4)
    for n in range(1, defenders + 1):
        put(t, f"voronezh-{n}", "2040", kind="infantry", attack=3, defence=3 + n)
    go(t, "german-combat")
    return t


def test_defender_retreats_himself_on_a_plain_result() -> None:
    t = fight()
    strike(t, "D1")
    assert actions(t, "soviet") == ["retreat"] and not t.asked("german")
    with refused(NotYours):
        t.do("german", "retreat", _asked=duty(t, "soviet", "retreat")["id"], to="2140")  # 9.7
    with refused(Unreadable, field="to", given="1940"):
        reply(t, "soviet", "retreat", to="1940")  # 9.7.2: beside 302 ID
    reply(t, "soviet", "retreat", to="2140")
    assert t.game.units["voronezh-1"].place == "2140"
    assert t.game.mark("voronezh-1", "disrupted") is None


def test_a_zone_from_over_the_river_does_not_stop_a_retreat() -> None:
    t = fight()
    strike(t, "D1")
    assert "2141" not in offered(t, "soviet", "retreat")  # beside the panzer
    t = fight(rails=MAP + "2041-2141 major river\n")
    strike(t, "D1")
    reply(t, "soviet", "retreat", to="2141")  # B10.1.2: the panzer stands on the other bank
    assert t.game.units["voronezh-1"].place == "2141"


def test_retreat_over_a_major_river_disrupts() -> None:
    t = fight()
    strike(t, "D2")
    assert "disrupted" in str(card(t, "soviet", "retreat")["to"]["choices"])
    reply(t, "soviet", "retreat", to="2038")
    assert t.game.mark("voronezh-1", "disrupted") == "d"  # B10.3.3


def test_disrupted_and_over_a_major_river_is_death() -> None:
    t = fight()
    strike(t, "D2D")
    assert "eliminated" in str(card(t, "german", "retreat")["to"]["choices"])
    reply(t, "german", "retreat", to="2038")
    assert t.game.units["voronezh-1"].place == "box:dead"  # B10.3.3


@pytest.mark.parametrize(("result", "place"), [("D1", "2140"), ("D1D", "box:dead")])
def test_a_river_that_no_map_book_tells_of_is_said(result: str, place: str) -> None:
    t = fight(rails="")
    strike(t, result)
    seat = "soviet" if result == "D1" else "german"
    reply(t, seat, "retreat", to="over")
    reply(t, seat, "retreat", to="2140")
    assert t.game.units["voronezh-1"].place == place  # B10.3.3
    assert place == "box:dead" or t.game.mark("voronezh-1", "disrupted") == "d"


def test_at_a_railroad_crossing_the_river_is_ordinary() -> None:
    t = fight(rails=MAP + "rail 2040 2039 2038\nrail 2040 2041\n")
    strike(t, "A1")
    assert {t.game.mark(u, "disrupted") for u in ("ss-w-1", "302id")} == {None}  # B10.4: no upgrade
    t = fight(rails=MAP + "rail 2040 2039 2038\n")
    strike(t, "D2")
    reply(t, "soviet", "retreat", to="2038")
    assert t.game.mark("voronezh-1", "disrupted") is None


def test_only_those_over_the_river_suffer_more() -> None:
    t = fight()
    strike(t, "A1")
    assert (t.game.mark("ss-w-1", "disrupted"), t.game.mark("302id", "disrupted")) == ("ad", None)
    moved_by = {duty.units: duty.to[0] for duty in t.game.duties(action="retreat")}
    assert moved_by == {("ss-w-1",): "soviet", ("302id",): "german"}  # A1D: the defender, A1: its owner


def test_by_another_reading_all_attackers_suffer_more() -> None:
    t = fight(river_upgrade="all")
    strike(t, "A1")
    assert {t.game.mark(u, "disrupted") for u in ("ss-w-1", "302id")} == {"ad"}


def test_al_over_a_major_river_destroys_the_crossers() -> None:
    t = fight()
    strike(t, "AL")
    assert t.game.units["ss-w-1"].place == "box:dead"
    assert t.game.mark("302id", "disrupted") == "ad"


def test_al_costs_one_attacker_of_the_owners_choice() -> None:
    t = fight(rails="")
    strike(t, "AL")
    assert actions(t, "german") == ["lose-units"]
    with refused(Unreadable, field="unit", given="voronezh-1"):
        reply(t, "german", "lose-units", unit="voronezh-1")
    reply(t, "german", "lose-units", unit="302id")
    assert t.game.units["302id"].place == "box:dead"
    assert t.game.mark("ss-w-1", "disrupted") == "ad" and t.game.mark("ss-w-1", "exhausted")
    assert duty(t, "soviet", "retreat")["args"]["hexes"] == 2


def test_al2_costs_two_attackers() -> None:
    t = fight(rails="")
    put(t, "88id", "1941", kind="infantry", nation="german", attack=4)
    strike(t, "AL2", attackers=["ss-w-1", "302id", "88id"])
    with refused(Unreadable, rule="9.6", field="units", given=1):
        reply(t, "german", "lose-units", units=["302id"])
    reply(t, "german", "lose-units", units=["302id", "88id"])
    assert t.game.mark("ss-w-1", "disrupted") == "ad"


@pytest.mark.parametrize(("code", "dead"), [("DL", 1), ("DL2", 2)])
def test_dl_kills_a_small_stack_whole(code: str, dead: int) -> None:
    t = fight(defenders=dead)
    strike(t, code)
    assert all(t.game.units[f"voronezh-{n}"].place == "box:dead" for n in range(1, dead + 1))
    assert actions(t, "german") == ["advance"]


def test_dl_leaves_the_rest_disrupted_and_driven_back() -> None:
    t = fight(defenders=3)
    strike(t, "DL")
    reply(t, "soviet", "lose-units", unit="voronezh-2")
    assert [t.game.mark(f"voronezh-{n}", "disrupted") for n in (1, 3)] == ["d", "d"]
    assert set(t.game.duties(action="retreat")[0].units) == {"voronezh-1", "voronezh-3"}


def test_no_room_costs_units() -> None:
    """Beyond the one hex that is open there is nothing but water: one hex of two [9.7.5]."""
    t = fight(defenders=3, rails="2039 2139 2239 2240 lake\n")
    strike(t, "D2")
    assert list(card(t, "soviet", "retreat")) == ["lost"]
    with refused(Unreadable, rule="9.7.5", field="lost"):
        reply(t, "soviet", "retreat", lost=["voronezh-1", "voronezh-2"])
    reply(t, "soviet", "retreat", lost=["voronezh-1"])
    assert duty(t, "soviet", "retreat")["args"]["hexes"] == 1  # the others go as far as they can
    reply(t, "soviet", "retreat", to="2140")
    places = [t.game.units[f"voronezh-{n}"].place for n in (1, 2, 3)]
    assert places == ["box:dead", "2140", "2140"]


def test_surrounded_units_die_where_they_stand() -> None:
    t = fight(rails="")
    strike(t, "D2")
    with refused(Unreadable, field="to"):
        reply(t, "soviet", "retreat")  # there is a way out
    put(t, "68id", "2139")
    assert t.game.units["voronezh-1"].place == "box:dead"  # no choice is left, so nobody is asked


def test_the_ways_to_retreat_are_offered() -> None:
    t = fight()
    strike(t, "D2")
    assert list(card(t, "soviet", "retreat")) == ["to"]  # nobody is short of hexes
    ends = offered(t, "soviet", "retreat")
    assert ends and all(t.game.maps.distance(end, "2040") == 2 for end in ends)  # 9.7.4
    reply(t, "soviet", "retreat", to=ends[0])
    assert t.game.units["voronezh-1"].place == ends[0]
    rows = card(t, "german", "advance")
    choices = [c["value"] for c in rows["to"]["choices"]]
    assert choices[0] == "2040" and "2039" in choices and rows["to"]["value"] == "2040"
    assert set(rows["units"]["value"]) == {"302id", "ss-w-1"}  # whoever fits is ticked
    reply(t, "german", "advance", units=["302id"], to="2039")
    assert t.game.units["302id"].place == "2039"


def test_advance_goes_through_the_vacated_hex_and_not_over_a_major_river() -> None:
    t = fight()
    t.do("table", "mark", marker="owner", hexes="2040", value="soviet")
    strike(t, "D2")
    reply(t, "soviet", "retreat", to="2239")
    assert duty(t, "german", "advance")["args"]["limit"] == 2
    assert not {"2041", "2038"} & set(offered(t, "german", "advance"))  # B10.3.2, 9.8.2
    with warned("B10.3.2"):
        reply(t, "german", "advance", units=["302id", "ss-w-1"], to="2039")  # the panzer crossed
    reply(t, "german", "advance", units=["302id"], to="2039")
    assert t.game.units["302id"].place == "2039"
    assert t.game.mark("2040", "owner") == "german"


def test_an_advance_that_stacks_too_high_is_warned_of() -> None:
    t = fight()
    for n in (1, 2, 3):
        put(t, f"6a-{n}", "1941", kind="infantry", nation="german", attack=3)
    names = ["ss-w-1", "302id", "6a-1", "6a-2"]
    strike(t, "D1", attackers=names)
    reply(t, "soviet", "retreat", to="2140")
    assert len(card(t, "german", "advance")["units"]["value"]) == 3  # as many as fit
    with refused(Warned) as refusal:
        reply(t, "german", "advance", units=names)
    assert "9.8.3" in refusal.value.said[0]
    reply(t, "german", "advance", units=names, anyway=True)
    assert len(t.game.units_at("2040")) == 4


def test_contact_changes_nothing_but_exhausts() -> None:
    t = fight()
    strike(t, "C")
    assert not t.asked("soviet") and not t.asked("german")
    assert t.game.mark("ss-w-1", "exhausted")


def test_exhaustion_of_unknown_types_is_asked() -> None:
    t = table(owners_book("", crt=False))
    put(t, "ss-w-1", "2041", attack=4)
    put(t, "ss-w-2", "2041", attack=4)
    put(t, "voronezh-1", "2040", defence=4)
    go(t, "german-combat")
    t.do("german", "resolve-combat", target="2040", attackers=["ss-w-1", "ss-w-2"], die="1")
    t.answer("german", result="C")
    assert actions(t, "german") == ["exhaust"]
    with refused(Unreadable, rule="9.9", field="units"):
        t.answer("german")
    t.answer("german", units=["ss-w-1"])
    assert t.game.mark("ss-w-1", "exhausted") and not t.game.mark("ss-w-2", "exhausted")


def test_exchange_takes_what_the_loss_covers() -> None:
    t = fight(defenders=3, rails="")  # defence 4, 5 and 6
    put(t, "voronezh-3", "2040", defence=5)
    strike(t, "EX")
    reply(t, "german", "exchange-attackers", units=["ss-w-1"])  # 8
    assert t.game.units["ss-w-1"].place == "box:dead"
    assert duty(t, "soviet", "exchange-defenders")["args"]["worth"] == 5  # 9.6
    with refused(Unreadable, field="which", given="voronezh-1"):
        reply(t, "soviet", "exchange-defenders", which="voronezh-1")
    assert card(t, "soviet", "exchange-defenders")["which"]["choices"] == [
        {"value": "voronezh-3", "label": "Lose Voronezh 3"},
        {"value": "voronezh-2", "label": "Lose Voronezh 2"},
    ]
    reply(t, "soviet", "exchange-defenders", which="voronezh-2")
    assert t.game.units["voronezh-2"].place == "box:dead"


def test_exchange_of_all_defenders_lets_the_rest_advance_two() -> None:
    t = fight(defenders=1, rails="")
    strike(t, "EX")
    reply(t, "german", "exchange-attackers", units=["302id"])
    assert t.game.units["voronezh-1"].place == "box:dead"
    assert duty(t, "german", "advance")["args"]["limit"] == 2  # 9.8.2


def noted(t: Bench) -> str:
    return " ".join(getattr(event, "text", "") for event in t.events[-20:] if event.KIND == "noted")


def test_exchange_uses_modified_strengths() -> None:
    t = fight(defenders=2)  # ss-w-1 attacks over the major river: 8 is 4
    mark(t, "voronezh-2", "disrupted", "d")  # 5 is 3
    strike(t, "EX")
    reply(t, "german", "exchange-attackers", units=["ss-w-1"])
    assert "gives up 4, the defender loses 4" in noted(t)


def test_small_loss_costs_the_defender_nothing() -> None:
    t = table(owners_book("", crt=False))
    put(t, "302id", "2041", kind="infantry", nation="german", attack=2)
    put(t, "voronezh-1", "2040", kind="infantry", defence=3)
    go(t, "german-combat")
    t.do("german", "resolve-combat", target="2040", attackers=["302id"], die="1")
    t.answer("german", result="EX")
    assert t.game.units["voronezh-1"].on_map  # 9.6 example


def test_exchange_by_hand() -> None:
    t = table(units=False)
    t.until("german-combat")
    t.do("german", "resolve-combat", full="6", defence=8, die="2")
    t.answer("german", result="EX")
    with refused(Unreadable, rule="9.6", field="strengths"):
        reply(t, "german", "exchange-attackers", loss=5)
    reply(t, "german", "exchange-attackers", loss=5, strengths="4 4")
    assert "gives up 5, the defender loses 4" in noted(t)
    assert [a["text"] for a in t.asked("soviet") if a["live"]] == ["Exchange: the defender loses 4"]
