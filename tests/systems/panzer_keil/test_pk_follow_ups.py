"""What a battle leaves to do: nothing of it gets lost, mixed up or asked in vain [9.6-9.9, 11.1, B10.3]."""

from __future__ import annotations

from typing import Any

from harness import Bench, refused
from systems.panzer_keil.pk_bench import go, mark, owners_book, put, shown, strike, table

from companion.engine.errors import NotNow, Unreadable
from companion.engine.seat.words import describe
from companion.systems.panzer_keil.retreat import retreat_ends


def fight(values: bool = True, rails: str = "") -> Bench:
    """Two Germans against two Soviets in 2040, on a map without a word about rivers."""
    t = table(owners_book(rails, crt=False))
    known = {"attack": 8, "defence": 6} if values else {}
    put(t, "ss-w-1", "2041", kind="armour", nation="german", **known)
    put(t, "302id", "1941", kind="infantry", nation="german", **({"attack": 6} if values else {}))
    put(t, "voronezh-1", "2040", kind="infantry", **({"defence": 4} if values else {}))
    put(t, "voronezh-2", "2040", kind="infantry", **({"defence": 5} if values else {}))
    go(t, "german-combat")
    return t


def actions(t: Bench, seat: str) -> list[str]:
    return [a["action"] for a in t.asked(seat)]


def asked_for(t: Bench, seat: str, ask: dict[str, Any], **fields: Any) -> dict[str, dict[str, Any]]:
    """The fields of a follow-up's form that a player sees."""
    return shown(t, seat, ask["action"], **{**ask["args"], **fields})


# -- strengths typed in, units on record, the map book empty -------------------------------------------------


def test_typed_over_a_major_river_all_named_attackers_crossed_it() -> None:
    t = fight(values=False)
    strike(t, "A1", major="8 6", defence=5)
    assert {t.game.mark(u, "disrupted") for u in ("ss-w-1", "302id")} == {"ad"}  # B10.3.1: A1 is A1D
    t = fight(values=False)
    strike(t, "D2", major="8 6", defence=5)
    assert next(a for a in t.asked("german") if a["action"] == "advance")["args"]["limit"] == 1  # B10.3.2


def test_typed_partly_over_a_major_river_the_form_asks_who_crossed() -> None:
    t = fight(values=False)
    fields = {"target": "2040", "attackers": ["ss-w-1", "302id"], "full": "6", "defence": 5}
    rows = {r["name"]: r for r in t.form("german", "resolve-combat", **fields)}
    assert rows["over"]["quiet"]  # nobody crossed
    rows = {r["name"]: r for r in t.form("german", "resolve-combat", **fields, major="8")}
    assert not rows["over"]["quiet"]
    assert {c["value"] for c in rows["over"]["choices"]} == {"ss-w-1", "302id"}
    with refused(Unreadable, rule="B10.3.1", field="over"):
        t.do("german", "resolve-combat", **fields, major="8", die="1")
    strike(t, "A1", full="6", major="8", defence=5, over=["ss-w-1"])
    assert (t.game.mark("ss-w-1", "disrupted"), t.game.mark("302id", "disrupted")) == ("ad", None)


# -- exchange ------------------------------------------------------------------------------------------------


def test_an_exchange_asks_for_strengths_the_record_lacks() -> None:
    t = fight(values=False)
    strike(t, "EX", full="8 6", defence=9)
    ask = t.asked("german")[0]
    rows = asked_for(t, "german", ask)
    assert {"units", "loss", "strengths"} <= set(rows)
    assert rows["strengths"]["help"].endswith("Voronezh 2, Voronezh 1")  # the stack from its top
    with refused(Unreadable, rule="9.6", field="strengths"):
        t.answer("german", units=["302id"], loss=6, strengths="4")
    t.answer("german", units=["302id"], loss=6, strengths="5 4")
    ask = t.asked("soviet")[0]
    assert ask["args"]["worth"] == 5  # 9.6
    with refused(Unreadable, rule="9.6", field="units"):
        t.answer("soviet", units=["voronezh-1"])
    t.answer("soviet", units=["voronezh-2"])
    assert t.game.units["voronezh-2"].place == "box:dead"


def test_an_exchange_asks_nothing_the_record_tells() -> None:
    t = fight()
    strike(t, "EX")
    assert set(asked_for(t, "german", t.asked("german")[0])) == {"units"}


def test_typed_strengths_overrule_the_record_in_an_exchange_too() -> None:
    t = fight()
    strike(t, "EX", typed=True, full="3", defence=9, attackers=["302id"])  # the counter says 6
    assert "loss" not in asked_for(t, "german", t.asked("german")[0])  # one attacker: the whole attack is his
    t.answer("german", units=["302id"], strengths="4 5")
    assert t.game.last_result["result"] == "defender loses nothing"


def test_an_exchange_stays_with_its_battle() -> None:
    t = fight()
    strike(t, "EX", attackers=["302id"])
    put(t, "88id", "2239", kind="infantry", nation="german", attack=9)
    put(t, "voronezh-3", "2238", kind="infantry", defence=9)
    t.do("german", "resolve-combat", target="2238", attackers=["88id"], die="1")
    ask = next(a for a in t.asked("german") if a["action"] == "enter-result")
    t.do("german", "enter-result", ask=ask["id"], result="C")
    first = next(a for a in t.asked("german") if a["action"] == "exchange-attackers")
    assert [c["value"] for c in asked_for(t, "german", first)["units"]["choices"]] == ["302id"]
    index = t.asked("german").index(first)
    t.answer("german", index=index, units=["302id"])  # 6 of 4 and 5
    assert t.asked("soviet")[0]["args"]["worth"] == 5


# -- retreat and advance -------------------------------------------------------------------------------------


def test_units_of_a_stack_may_retreat_to_different_hexes() -> None:
    t = fight()
    strike(t, "D1")
    t.answer("soviet", units=["voronezh-1"], to="2140")
    assert actions(t, "soviet") == ["retreat"]  # 9.7.1: the other one is not forgotten
    ask = t.asked("soviet")[0]
    assert ask["args"]["units"] == ["voronezh-2"] and ask["args"]["owed"] == 1
    t.answer("soviet", to="2039")
    assert [t.game.units[f"voronezh-{n}"].place for n in (1, 2)] == ["2140", "2039"]
    assert not t.asked("soviet")


def test_a_unit_unticked_in_the_retreat_form_can_be_ticked_again() -> None:
    t = fight()
    strike(t, "D1")
    rows = asked_for(t, "soviet", t.asked("soviet")[0], units=["voronezh-1"])
    assert {c["value"] for c in rows["units"]["choices"]} == {"voronezh-1", "voronezh-2"}


def test_worked_example_the_attackers_advance_to_different_hexes() -> None:
    t = fight()
    strike(t, "D2D")
    t.answer("german", index=actions(t, "german").index("retreat"), hexes="2140 2239")
    t.answer("german", units=["ss-w-1"], to="2140")
    again = t.asked("german")
    assert [a["action"] for a in again] == ["advance"] and again[0]["args"]["units"] == [
        "302id"
    ]  # 9.6 example
    t.answer("german", to="2039")
    assert (t.game.units["ss-w-1"].place, t.game.units["302id"].place) == ("2140", "2039")
    assert not t.asked("german")


def test_those_over_a_major_river_are_asked_to_advance_one_hex() -> None:
    t = fight(values=False)
    strike(t, "D2D", full="6", major="8", defence=5, over=["ss-w-1"])
    t.answer("german", index=actions(t, "german").index("retreat"), hexes="2140 2239")
    t.answer("german", units=["302id"], to="2039")
    ask = t.asked("german")[0]
    assert ask["args"]["limit"] == 1 and "beyond" not in ask["text"]  # B10.3.2


def test_one_hex_of_advance_is_asked_for_once() -> None:
    t = fight()
    strike(t, "D1")
    t.answer("soviet", to="2140")
    t.answer("german", units=["ss-w-1"])
    assert not t.asked("german")  # who was left out stays


def test_the_advance_waits_until_the_defenders_have_left() -> None:
    t = fight()
    strike(t, "D1")
    with refused(NotNow, rule="9.8.1", field="hexes"):
        t.answer("german")


def test_a_retreat_goes_on_beyond_full_hexes() -> None:
    t = fight()
    # Only 2039 and 2140 are open, and three units stand in each of them.
    for place, first in (("2039", 3), ("2140", 6)):
        for n in range(first, first + 3):
            put(t, f"voronezh-{n}", place)
    ends = retreat_ends(t.game, ["voronezh-1"], 1, "2040")
    assert ends and all(len(way) == 2 for way in ends.values())  # 9.7.3
    assert not set(ends) & {"2039", "2140"}
    strike(t, "D1")
    t.answer("soviet", to=sorted(ends)[0])
    assert t.game.units["voronezh-1"].place == sorted(ends)[0]


def test_a_corps_does_not_retreat_onto_another() -> None:
    t = fight()
    for unit, place in (("voronezh-1", "2040"), ("voronezh-3", "2140")):
        put(t, unit, place, size="XXX")
    assert "2140" not in retreat_ends(t.game, ["voronezh-1"], 1, "2040")  # B4
    assert "2140" in retreat_ends(t.game, ["voronezh-2"], 1, "2040")


def test_overstacked_defenders_are_asked_after_the_enemys_combat_too() -> None:
    t = table()
    for n in range(1, 5):
        put(t, f"voronezh-{n}", "1420")
    go(t, "german-combat")
    t.next()
    assert actions(t, "soviet") == ["remove-surplus"]  # 5.1.3
    t.answer("soviet", units=["voronezh-4"])
    assert t.game.units["voronezh-4"].place == "box:dead"


# -- exhaustion ----------------------------------------------------------------------------------------------


def unknown_types() -> Bench:
    t = table(owners_book("", crt=False))
    put(t, "ss-w-1", "2041", attack=4)
    put(t, "ss-w-2", "2041", attack=4)
    put(t, "voronezh-1", "2040", defence=4)
    go(t, "german-combat")
    return t


def test_the_dead_are_not_exhausted() -> None:
    t = unknown_types()
    strike(t, "AL2", attackers=["ss-w-1", "ss-w-2"])
    assert not t.asked("german")
    t = unknown_types()
    strike(t, "AL", attackers=["ss-w-1", "ss-w-2"])
    t.answer("german", index=actions(t, "german").index("lose-units"), units=["ss-w-2"])
    ask = t.asked("german")[actions(t, "german").index("exhaust")]
    assert [c["value"] for c in asked_for(t, "german", ask)["units"]["choices"]] == ["ss-w-1"]
    t.answer("german", index=actions(t, "german").index("exhaust"), units=["ss-w-1"])
    assert t.game.mark("ss-w-1", "exhausted") and not t.game.mark("ss-w-2", "exhausted")  # 9.9


def test_a_question_about_the_dead_goes_away() -> None:
    t = unknown_types()
    strike(t, "EX", attackers=["ss-w-1"])
    assert actions(t, "german") == ["exchange-attackers", "exhaust"]
    t.answer("german", units=["ss-w-1"])
    assert not t.asked("german")  # he was given up: nobody is left to be exhausted or to advance


def test_who_is_mechanized_is_asked_once_and_remembered() -> None:
    t = unknown_types()
    strike(t, "C", attackers=["ss-w-1", "ss-w-2"])
    t.answer("german", units=["ss-w-1"])
    assert [t.game.units[u].kind for u in ("ss-w-1", "ss-w-2")] == ["mechanized", "foot"]
    go(t, "german-combat", 2)
    for unit in ("ss-w-1", "ss-w-2"):
        t.do("table", "mark", marker="attacked", units=[unit], value="off")
    t.do("table", "mark", marker="exhausted", units=["ss-w-1"], value="off")
    fields = {"target": "2040", "attackers": ["ss-w-2"]}
    assert "armour" not in shown(t, "german", "resolve-combat", **fields)  # foot is no armour
    fields = {"target": "2040", "attackers": ["ss-w-1"]}
    assert "armour" in shown(t, "german", "resolve-combat", **fields)  # mechanized may be
    strike(t, "C", attackers=["ss-w-1", "ss-w-2"])
    assert not t.asked("german")
    assert t.game.mark("ss-w-1", "exhausted") and not t.game.mark("ss-w-2", "exhausted")  # 9.9
    t = unknown_types()
    strike(t, "C", attackers=["ss-w-1", "ss-w-2"])
    t.answer("german", none=True)
    assert {t.game.units[u].kind for u in ("ss-w-1", "ss-w-2")} == {"foot"}
    t.do("table", "describe-unit", unit="ss-w-1", kind="armour")  # a slip is put right in one step
    assert t.game.units["ss-w-1"].kind == "armour"


def test_a_forced_march_tells_that_a_unit_is_mechanized() -> None:
    t = unknown_types()
    go(t, "german-move")
    t.do("german", "forced-march", units=["ss-w-1"])
    assert t.game.units["ss-w-1"].kind == "mechanized"  # 8.3.1
    t.do("table", "describe-unit", unit="ss-w-2", kind="foot")
    with refused(NotNow, rule="8.3.1", field="units"):
        t.do("german", "forced-march", units=["ss-w-2"])


# -- the words of the log ------------------------------------------------------------------------------------


def test_a_battle_tells_who_attacked_where() -> None:
    t = fight()
    strike(t, "D1")
    lines = [line for event in t.events[-25:] if (line := describe(event.seen_by("table"), t.game))]
    assert "German attack on 2040 at 2:1: D1" in lines
    assert not any("as attacked" in line for line in lines)  # no line for what the battle says itself


# -- recovery ------------------------------------------------------------------------------------------------


def test_attacker_disrupted_cannot_be_recovered_twice_in_a_phase() -> None:
    t = table()
    put(t, "ss-w-1", "2041")
    put(t, "ss-w-2", "2041")
    mark(t, "ss-w-1", "disrupted", "ad")
    mark(t, "ss-w-2", "disrupted", "d")
    go(t, "german-recovery")
    t.do("german", "recover")
    assert (t.game.mark("ss-w-1", "disrupted"), t.game.mark("ss-w-2", "disrupted")) == ("d", None)
    with refused(NotNow, given="recover"):
        t.do("german", "recover")  # 11.1: turned in this phase
    t.until("german-recovery", 2)
    t.do("german", "recover")
    assert t.game.mark("ss-w-1", "disrupted") is None


def test_recovery_says_when_nobody_is_able() -> None:
    t = table()
    put(t, "ss-w-1", "2041")
    mark(t, "ss-w-1", "disrupted", "d")
    mark(t, "ss-w-1", "oos")
    go(t, "german-recovery")
    with refused(NotNow, given="recover"):
        t.do("german", "recover")


def test_recovery_is_one_tap() -> None:
    t = table()
    put(t, "ss-w-1", "2041")
    mark(t, "ss-w-1", "disrupted", "d")
    go(t, "german-recovery")
    assert t.form("german", "recover") == []
