"""What a battle leaves to do: nothing of it gets lost, mixed up or asked in vain [9.6-9.9, 11.1, B10.3]."""

from __future__ import annotations

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
    shown,
    strike,
    table,
)

from companion.engine.errors import NotNow, Unreadable, Warned
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


# -- strengths typed in, units on record, the map book empty -------------------------------------------------


def test_typed_over_a_major_river_all_named_attackers_crossed_it() -> None:
    every = {"full": "8 6", "halved": ["major"], "over": ["ss-w-1", "302id"], "defence": "3 2"}
    t = fight(values=False)
    strike(t, "A1", **every)
    assert {t.game.mark(u, "disrupted") for u in ("ss-w-1", "302id")} == {"ad"}  # B10.3.1: A1 is A1D
    t = fight(values=False)
    strike(t, "D2", **every)
    reply(t, "soviet", "retreat", to="2139")
    assert duty(t, "german", "advance")["args"]["limit"] == 1  # B10.3.2


def test_partly_over_a_major_river_the_form_asks_who_crossed() -> None:
    t = fight(values=False)
    fields = {"target": "2040", "attackers": ["ss-w-1", "302id"], "full": "8 6", "defence": "3 2"}
    assert "over" not in shown(t, "german", "resolve-combat", **fields)  # nobody crossed
    rows = shown(t, "german", "resolve-combat", **fields, halved=["major"])
    assert {c["value"] for c in rows["over"]["choices"]} == {"ss-w-1", "302id"}
    with refused(Unreadable, rule="B10.3.1", field="over"):
        t.do("german", "resolve-combat", **fields, halved=["major"], die="1")
    strike(t, "A1", **fields, halved=["major"], over=["ss-w-1"])
    assert (t.game.mark("ss-w-1", "disrupted"), t.game.mark("302id", "disrupted")) == ("ad", None)


# -- exchange ------------------------------------------------------------------------------------------------


def test_typed_strengths_are_kept_and_serve_the_exchange() -> None:
    t = fight(values=False)
    with refused(Unreadable, field="defence", given=1):
        t.do("german", "resolve-combat", target="2040", attackers=["302id"], full="6", defence="9", die="1")
    strike(t, "EX", full="8 6", defence="5 4")
    assert t.game.units["302id"].factors["AF"] == 6
    assert [t.game.units[f"voronezh-{n}"].factors["DF"] for n in (1, 2)] == [4, 5]  # the stack from its top
    reply(t, "german", "exchange-attackers", units=["302id"])
    assert t.game.units["voronezh-2"].place == "box:dead"  # 9.6: worth 5, and only it is: no choice
    assert not t.asked("soviet")


def test_an_exchange_asks_nothing_the_record_tells() -> None:
    t = fight()
    strike(t, "EX")
    assert set(card(t, "german", "exchange-attackers")) == {"units"}


def test_typed_strengths_overrule_the_record_in_an_exchange_too() -> None:
    t = fight()
    strike(t, "EX", typed=True, full="3", defence="5 4", attackers=["302id"])  # the counter said 6
    assert t.game.units["302id"].place == "box:dead"  # the only attacker: nobody is asked
    assert all(t.game.units[f"voronezh-{n}"].on_map for n in (1, 2))  # 3 is less than any of them


def test_an_exchange_stays_with_its_battle() -> None:
    t = fight()
    strike(t, "EX")
    put(t, "88id", "2239", kind="infantry", nation="german", attack=9)
    put(t, "voronezh-3", "2238", kind="infantry", defence=9)
    with refused(Warned):  # 9: one battle after the other
        t.do("german", "resolve-combat", target="2238", attackers=["88id"], die="2")
    t.do("german", "resolve-combat", target="2238", attackers=["88id"], die="2", anyway=True)
    reply(t, "german", "enter-result", result="C")
    assert offered(t, "german", "exchange-attackers", "units") == ["302id", "ss-w-1"]
    reply(t, "german", "exchange-attackers", units=["302id"])  # 6 of 4 and 5
    assert t.game.units["voronezh-2"].place == "box:dead"


# -- retreat and advance -------------------------------------------------------------------------------------


def test_units_of_a_stack_may_retreat_to_different_hexes() -> None:
    t = fight()
    strike(t, "D1")
    reply(t, "soviet", "retreat", to="apart")
    assert actions(t, "soviet") == ["retreat", "retreat"]  # 9.7.1
    reply(t, "soviet", "retreat", to="2140")
    reply(t, "soviet", "retreat", to="2039")
    assert {t.game.units[f"voronezh-{n}"].place for n in (1, 2)} == {"2140", "2039"}
    assert not t.asked("soviet")


def test_the_card_of_a_retreat_is_one_choice() -> None:
    t = fight()
    strike(t, "D1")
    assert list(card(t, "soviet", "retreat")) == ["to"]


def test_worked_example_the_attackers_advance_to_different_hexes() -> None:
    t = fight()
    strike(t, "D2D")
    reply(t, "german", "retreat", to="2239")
    reply(t, "german", "advance", units=["ss-w-1"], to="2140")
    assert t.game.duties(action="advance")[0].units == ("302id",)  # 9.6 example
    reply(t, "german", "advance", units=["302id"], to="2039")
    assert (t.game.units["ss-w-1"].place, t.game.units["302id"].place) == ("2140", "2039")
    assert not t.asked("german")


def test_those_over_a_major_river_are_asked_to_advance_one_hex() -> None:
    t = fight(values=False)
    strike(t, "D2D", full="8 6", halved=["major"], over=["ss-w-1"], defence="3 2")
    reply(t, "german", "retreat", to="2239")
    reply(t, "german", "advance", units=["302id"], to="2039")
    ask = duty(t, "german", "advance")
    assert ask["args"]["limit"] == 1 and "beyond" not in ask["text"]  # B10.3.2


def test_one_hex_of_advance_is_asked_for_once() -> None:
    t = fight()
    strike(t, "D1")
    reply(t, "soviet", "retreat", to="2140")
    reply(t, "german", "advance", units=["ss-w-1"])
    assert not t.asked("german")  # who was left out stays


def test_the_advance_comes_when_the_defenders_have_left() -> None:
    t = fight()
    strike(t, "D1")
    assert actions(t, "german", live=False) == []
    reply(t, "soviet", "retreat", to="2140")
    assert actions(t, "german") == ["advance"]  # 9.8.1


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
    reply(t, "soviet", "retreat", to=sorted(ends)[0])
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
    put(t, "ss-w-1", "2041", attack=4, exhausted_attack=4)
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
    reply(t, "german", "lose-units", unit="ss-w-2")
    reply(t, "soviet", "retreat", to=offered(t, "soviet", "retreat")[0])
    assert list(card(t, "german", "exhaust")) == ["kind"]  # of the one who is left
    reply(t, "german", "exhaust", kind="mechanized")
    assert t.game.mark("ss-w-1", "exhausted") and not t.game.mark("ss-w-2", "exhausted")  # 9.9


def test_a_question_about_the_dead_goes_away() -> None:
    t = unknown_types()
    strike(t, "EX", attackers=["ss-w-1", "ss-w-2"])
    assert actions(t, "german", live=False) == ["exchange-attackers", "exhaust"]
    assert actions(t, "german") == ["exchange-attackers"]
    reply(t, "german", "exchange-attackers", units=["ss-w-1", "ss-w-2"])
    assert not t.asked("german")  # both were given up: nobody is left to be exhausted or to advance


def test_who_is_mechanized_is_asked_once_and_remembered() -> None:
    t = unknown_types()
    strike(t, "C", attackers=["ss-w-1", "ss-w-2"])
    reply(t, "german", "exhaust", units=["ss-w-1"])
    assert [t.game.units[u].kind for u in ("ss-w-1", "ss-w-2")] == ["mechanized", "foot"]
    go(t, "german-combat", 2)
    t.do("table", "mark", marker="exhausted", units=["ss-w-1"], value="off")
    fields = {"target": "2040", "attackers": ["ss-w-2"]}
    assert "armour" not in shown(t, "german", "resolve-combat", **fields)  # foot is no armour
    fields = {"target": "2040", "attackers": ["ss-w-1"]}
    assert "armour" in shown(t, "german", "resolve-combat", **fields)  # mechanized may be
    strike(t, "C", attackers=["ss-w-1", "ss-w-2"], die="2")
    assert not t.asked("german")
    assert t.game.mark("ss-w-1", "exhausted") and not t.game.mark("ss-w-2", "exhausted")  # 9.9
    t = unknown_types()
    strike(t, "C", attackers=["ss-w-1", "ss-w-2"])
    reply(t, "german", "exhaust", none=True)
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


def test_of_many_attackers_all_or_none_is_one_answer_and_some_are_ticked() -> None:
    """9.9: who is mechanized is asked once, and remembered."""
    units = ["ss-w-1", "ss-w-2", "ss-w-3"]
    for answer, tired in (("both", units), ("none", []), ("some", ["ss-w-2"])):
        t = unknown_types()
        put(t, "ss-w-3", t.game.units["ss-w-1"].place, attack=5, defence=5)
        strike(t, "C", attackers=units)
        assert offered(t, "german", "exhaust", "which") == ["both", "none", "some"]
        reply(t, "german", "exhaust", which=answer)
        if answer == "some":
            reply(t, "german", "exhaust", units=tired)
        assert [u for u in units if t.game.mark(u, "exhausted")] == tired and not t.game.duties()
