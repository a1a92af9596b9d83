"""The rulebook's combat examples, played from the declaration to the last duty."""

from __future__ import annotations

import pytest
from harness import refused
from systems.panzer_keil.pk_bench import actions, card, go, offered, owners_book, put, reply, table

from companion.engine.errors import NotYours
from companion.web.dutycards import question

GROUND = """
2040 2041 1941 clear
2041-2040 river
"""


def test_the_combat_example_from_declaration_to_advance() -> None:
    """9.6: infantry 3 over a river and panzers 8 against infantry 4: 9 to 4 is 2:1, armour makes it 3:1, D2D."""
    t = table(owners_book(GROUND, crt=False))
    put(t, "302id", "2041", kind="infantry", nation="german", attack=3, defence=3)
    put(t, "ss-w-1", "1941", kind="armour", nation="german", attack=8, defence=6)
    put(t, "voronezh-1", "2040", kind="infantry", attack=3, defence=4)
    go(t, "german-combat")
    t.do("german", "resolve-combat", target="2040", attackers=["302id", "ss-w-1"], die="4")
    battle = t.view("soviet").battles[-1]
    lines = {line.rule: line.effect for line in battle.sheet.lines}
    assert lines["9.2.1"] == "1" and lines["9.3"] == "2:1" and lines["9.4"] == "+1"
    assert battle.sheet.column == "3:1"
    reply(t, "german", "enter-result", result="D2D")
    assert t.game.mark("voronezh-1", "disrupted") == "d"
    with refused(NotYours):  # the attacker retreats who is disrupted
        t.do("soviet", "retreat", to="2239")
    reply(t, "german", "retreat", to=offered(t, "german", "retreat")[0])
    assert t.game.maps.distance(t.game.units["voronezh-1"].place, "2040") == 2  # 9.7.4
    first, *beyond = offered(t, "german", "advance")
    assert first == "2040"
    reply(t, "german", "advance", units=["302id"], to=beyond[0])
    reply(t, "german", "advance", units=["ss-w-1"], to=beyond[1])  # any direction they wish
    assert [t.game.units[u].place for u in ("302id", "ss-w-1")] == beyond[:2]
    assert t.game.mark("ss-w-1", "exhausted") and not t.game.mark("302id", "exhausted")  # 9.9
    assert not t.game.duties() and not t.game.fighting
    told = t.game.battles[battle.id]
    assert told.result == "D2D" and [r["values"] for r in told.rolls] == [(4,)]


@pytest.mark.parametrize(
    ("given", "lost"),
    [
        (2, []),  # 9.6: a 2 against units of 3 or more costs nobody
        (5, ["voronezh-1"]),
        (8, ["voronezh-1", "voronezh-2"]),  # as much as all of them
    ],
)
def test_the_exchange_examples(given: int, lost: list[str]) -> None:
    t = table(owners_book(GROUND, crt=False))
    put(t, "302id", "1941", kind="infantry", nation="german", attack=given)
    put(t, "88id", "1941", kind="infantry", nation="german", attack=9)
    for n in (1, 2):
        put(t, f"voronezh-{n}", "2040", kind="infantry", defence=4)
    go(t, "german-combat")
    t.do("german", "resolve-combat", target="2040", attackers=["302id", "88id"], die="4")
    reply(t, "german", "enter-result", result="EX")
    assert f"302 ID (1941): {given}" in [
        c["label"] for c in card(t, "german", "exchange-attackers")["units"]["choices"]
    ]
    reply(t, "german", "exchange-attackers", units=["302id"])
    if len(lost) == 1:
        reply(t, "soviet", "exchange-defenders", which=lost[0])
    dead = [n for n in ("voronezh-1", "voronezh-2") if t.game.units[n].place == "box:dead"]
    assert dead == lost
    assert actions(t, "german") == (["advance"] if len(lost) == 2 else [])  # 9.8.2


def test_eight_attackers_and_three_stacks_retreating_take_few_taps() -> None:
    """What a card asks is what a player taps: target, roll, and one button for each stack."""
    t = table(owners_book("2040 clear\n3040-3041 major river\n"))
    places = ["2041", "2041", "2041", "1941", "1941", "1941", "2141", "2141"]
    for n, place in enumerate(places, 1):
        put(t, f"6a-{n}", place, kind="infantry", nation="german", attack=1, defence=3)
    put(t, "voronezh-1", "2040", kind="infantry", nation="soviet", defence=30)
    go(t, "german-combat")
    rows = {r["name"]: r for r in t.form("german", "resolve-combat")}
    assert rows["target"]["value"] == "2040" and len(rows["attackers"]["value"]) == 8  # ticked already
    asked = [r["name"] for r in t.form("german", "resolve-combat", target="2040", attackers=rows["attackers"]["value"])
             if r["required"] and not (r["quiet"] or r["hidden"])]  # fmt: skip
    assert asked == []
    t.do("german", "resolve-combat", target="2040", attackers=rows["attackers"]["value"], die="1")
    assert t.game.last_result["result"] == "A2D"
    stacks = t.game.duties(action="retreat")
    assert len(stacks) == 3
    for _ in stacks:
        assert question(t.view("soviet").asked[0]).way == "buttons"  # one tap each
        t.answer("soviet", to=offered(t, "soviet", "retreat")[0])
    assert not t.game.duties()


def test_with_nothing_on_record_a_combat_is_two_numbers_a_roll_and_one_line() -> None:
    t = table(units=False)
    go(t, "german-combat")
    t.do("german", "resolve-combat", full="12", defence=4, die="3")
    reply(t, "german", "enter-result", result="D1")
    assert [a["text"] for a in t.asked("german")] == [
        "D1: defenders back 1, moved by the Soviet player; attackers may advance 1; "
        "attacking mechanized units end exhausted"
    ]
    t.do("german", "dismiss", ask=t.asked("german")[0]["id"])
    assert not t.game.fighting
