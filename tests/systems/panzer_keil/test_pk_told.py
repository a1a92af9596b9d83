"""What players are told of a battle: who does what, to whom, and what a tick still lacks."""

from __future__ import annotations

from systems.panzer_keil.pk_battle import battle, hit
from systems.panzer_keil.pk_bench import (
    card,
    duty,
    go,
    offered,
    owners_book,
    put,
    reply,
    shown,
    table,
    warned,
)

from companion.web.dutycards import question


def test_a_ticked_river_without_a_strength_is_said_before_the_die() -> None:
    """9.2.1: what is not entered for the river is not halved."""
    t = table(units=False)
    go(t, "german-combat")
    typed = {"full": "6", "defence": 3, "halved": ["river"], "die": "1"}
    with warned("9.2.1"):
        t.do("german", "resolve-combat", **typed)
    with warned("9.2.5"):
        t.do("german", "resolve-combat", **typed | {"halved": ["disrupted"]})
    t.do("german", "resolve-combat", **typed, river="4")
    assert t.game.battles


def test_the_halved_strength_is_told_apart_from_the_attack() -> None:
    """9.2: both are added up, so that nothing is entered twice."""
    t = table(units=False)
    go(t, "german-combat")
    plain = shown(t, "german", "resolve-combat")["full"]["help"]
    rows = shown(t, "german", "resolve-combat", halved=["river"])
    assert "not counted in Attack" in rows["river"]["help"] and rows["full"]["help"] != plain
    assert t.calc("combat", full="6", river="4", halved=["river"], defence=4).facts["attack"] == "8"


def test_a_new_attack_waits_for_who_ends_exhausted() -> None:
    """9.9 belongs to the battle before."""
    t = battle({"ss-w-1": "2041", "302id": "1941"}, [4])
    put(t, "ss-w-2", "2039", attack=5, nation="german")  # of unknown type
    put(t, "voronezh-6", "1942", kind="infantry", defence=4)
    hit(t, "C", "ss-w-2")
    assert duty(t, "german", "exhaust")
    with warned("not settled"):
        t.do("german", "resolve-combat", target="1942", attackers=["302id"], die="1")


def test_an_exchange_tells_who_is_lost() -> None:
    """9.6: a loss that leaves no choice is made at once, and said where the other waits."""
    t = battle({"ss-w-1": "2041", "302id": "1941"}, [4])
    hit(t, "EX", "ss-w-1", "302id")
    reply(t, "german", "exchange-attackers", units=["302id"])
    assert t.game.units["voronezh-1"].steps == 0
    assert any("Voronezh 1 eliminated" in words for words in t.sees("soviet")["battles"][-1]["others"])


def test_a_support_result_with_nothing_on_record_names_whom_it_hits() -> None:
    """7.3.2: the firing player moves the enemy, who is disrupted."""
    t = table(owners_book(crt=False), units=False)
    go(t, "soviet-support")
    t.do("soviet", "allot-support", front="voronezh", target="0824", points=2, anyway=True)
    reply(t, "soviet", "roll-support", die="1")
    reply(t, "soviet", "enter-result", result="1D")
    text = t.asked("soviet")[0]["text"]
    assert "German units in 0824" in text and "disrupted" in text


def test_a_loss_tells_what_the_rest_suffers() -> None:
    """9.6: AL costs one, and the others go back two hexes."""
    t = battle({"ss-w-1": "2041", "302id": "1941"}, [4])
    hit(t, "AL", "ss-w-1", "302id")
    assert "2 hexes" in duty(t, "german", "lose-units")["text"]


def test_a_retreat_that_the_enemy_moves_names_him() -> None:
    """9.7: what is still to do is his."""
    t = battle({"ss-w-1": "2041"}, [4])
    hit(t, "D2D", "ss-w-1")
    assert duty(t, "german", "retreat")["text"].startswith("German: ")


def test_none_of_two_is_mechanized_in_one_tap() -> None:
    """9.9"""
    t = battle({}, [4])
    for unit, place in {"ss-w-2": "2041", "ss-w-3": "1941"}.items():
        put(t, unit, place, attack=5, nation="german")
    hit(t, "C", "ss-w-2", "ss-w-3")
    asked = next(a for a in t.view("german").asked if a.action == "exhaust")
    assert question(asked).way == "buttons"
    assert offered(t, "german", "exhaust", "which") == ["ss-w-2", "ss-w-3", "both", "none"]
    reply(t, "german", "exhaust", which="none")
    assert {t.game.units[u].kind for u in ("ss-w-2", "ss-w-3")} == {"foot"}


def test_only_the_living_are_asked_for_their_type() -> None:
    """9.6, 9.9: one of two was given up."""
    t = battle({}, [4])
    for unit, place in {"ss-w-2": "2041", "ss-w-3": "1941"}.items():
        put(t, unit, place, attack=5, nation="german")
    hit(t, "EX", "ss-w-2", "ss-w-3")
    reply(t, "german", "exchange-attackers", units=["ss-w-3"])
    for ask in t.asked("german"):
        if ask["action"] == "advance":
            t.do("german", "dismiss", ask=ask["id"])
    asked = duty(t, "german", "exhaust")
    name = t.game.units["ss-w-3"].name
    labels = [c["label"] for c in card(t, "german", "exhaust")["kind"]["choices"]]
    assert name not in asked["text"] and all(t.game.units["ss-w-2"].name in label for label in labels)


def test_setting_the_points_ticks_its_line() -> None:
    """B6.3.2: the third line of the Soviet supply phase."""
    t = table(units=False)
    t.until("soviet-supply")
    reply(t, "soviet", "headquarters-points", voronezh_supply=3, voronezh_support=2)
    assert any(line.endswith("soviet-supply/2") for line in t.game.ticked)
