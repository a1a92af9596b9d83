"""What follows a combat: losses, retreats and their price, tests, pursuit, levels."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from harness import refused

from companion.engine.errors import NotNow, Unreadable

Make = Callable[..., Any]


def battle(t: Any, die: str = "3 4", **fields: Any) -> None:
    """Soviet 9 against German 4 at 3011: 2:1."""
    a = t.unit("soviet", "rifles", "3010", a=9)
    t.unit("german", "landser", "3011", a=4)
    t.do("soviet", "resolve-combat", target="3011", attackers=a, die=die, **fields)


def ways(t: Any, ask: dict[str, Any]) -> list[str]:
    """What the retreat's form offers."""
    return [c["label"] for c in t.shown(ask["to"][0], "retreat", **ask["args"])["go"]["choices"]]


def test_example_of_5_2_1(table: Make) -> None:
    """Attacker -1, defender D2: three ways out, one test when it goes all the way."""
    t = table(phase="attack-a", fog=False)
    battle(t, die="4 5")  # 2:1, 9: -1 / D1
    assert [a["action"] for a in t.asked("soviet")] == ["lose-cel"]
    german = t.asked("german")
    assert [a["action"] for a in german] == ["retreat"]
    assert german[0]["text"] == "German: fall back 1 from 3011, or pay 1 CEL a hex"
    assert ways(t, german[0]) == ["1 back", "stay, pay 1 CEL"]


def test_one_tap_retreat_moves_marks_tests_and_offers_pursuit(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    battle(t, die="2 3")  # 2:1, 5: dot / D2
    t.answer("german", to="3013")
    unit = next(u for u in t.game.units.values() if u.name == "landser")
    assert unit.place == "3013"
    assert t.mark(unit.id, "retreated")
    tests = [a for a in t.asked("german") if a["action"] == "test-order"]
    assert len(tests) == 1  # 5.3.9: two hexes, one test
    pursuit = [a for a in t.asked("soviet") if a["action"] == "pursue"]
    assert pursuit[0]["args"]["limit"] == 2
    t.do("soviet", "pursue", **pursuit[0]["args"], units="soviet-rifles", to="3012", _asked=pursuit[0]["id"])
    assert t.game.units["soviet-rifles"].place == "3012"


def test_standing_fast_costs_cel_and_brings_no_pursuit(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    battle(t, die="2 3")
    t.answer("german", go=0)
    assert not [a for a in t.asked("soviet") if a["action"] == "pursue"]
    assert not [a for a in t.asked("german") if a["action"] == "test-order"]
    t.answer("german")  # lose-cel, the only unit: no choice needed
    assert t.game.units["german-landser"].place == "box:dead"
    emptied = [a for a in t.asked("soviet") if a["action"] == "pursue"]
    assert emptied[0]["rule"] == "5.4.10"


def test_losses_are_the_owners_choice(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=9)
    t.unit("german", "one", "3011", a=2)
    t.unit("german", "two", "3011", a=2)
    t.do("soviet", "resolve-combat", target="3011", attackers=a, die="6 6")  # D -1 / -1
    ask = t.asked("german")[0]
    with refused(Unreadable, rule="5.1.8", field="units"):
        t.answer("german")
    with refused(Unreadable, field="units", given="german-one"):
        t.do("soviet", "lose-cel", **ask["args"], units="german-one")
    t.answer("german", units="german-two")
    assert (t.game.units["german-one"].steps, t.game.units["german-two"].steps) == (2, 1)
    assert t.mark(a, "disorganised")  # the first D is the attacker's


def test_star_users_share_the_losses(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "guards", "3010", a=5, star="black")
    b = t.unit("soviet", "rifles", "3010", a=5)
    t.unit("german", "landser", "3011", a=5)
    t.do("soviet", "resolve-combat", target="3011", attackers=f"{a},{b}", attack_stars="black", die="6 6")
    ask = next(x for x in t.asked("soviet") if x["action"] == "lose-cel")
    assert ask["args"]["starred"] is True
    with refused(Unreadable, rule="15.1.7", field="units"):
        t.do("soviet", "lose-cel", **ask["args"], units=b)
    t.do("soviet", "lose-cel", **ask["args"], units=a, _asked=ask["id"])
    assert t.game.units[a].steps == 1


def test_attackers_fall_back_together_or_pay(table: Make) -> None:
    """5.3.8: A1 on three attackers, two stay: one CEL in all."""
    t = table(phase="attack-a", fog=False)
    ids = [t.unit("soviet", f"b{n}", h, a=1) for n, h in enumerate(("3010", "2911", "3111"))]
    t.unit("german", "guards", "3011", a=9)
    t.do("soviet", "resolve-combat", target="3011", attackers=",".join(ids), die="3 4")  # 1:3, 7: A1 / -
    ask = t.asked("soviet")[0]
    assert ask["args"]["ordered"] == 1
    t.answer("soviet", go=0, hexes=ask["args"]["hexes"])
    loss = t.asked("soviet")[0]
    assert loss["args"]["cel"] == 1


def test_guns_in_firing_position_cannot_fall_back(table: Make) -> None:
    """6.2.4: D2 on infantry and a gun; infantry goes, the gun dies to the pursuit."""
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=9)
    t.unit("german", "landser", "3011", a=3)
    gun = t.unit("german", "gun", "3011", kind="ART", a=3, d=1, cel=1)
    t.do("soviet", "resolve-combat", target="3011", attackers=a, die="2 3")
    with refused(Unreadable, rule="6.2.4", field="units"):
        t.answer("german", to="3013", units=gun)
    t.answer("german", to="3013")
    assert t.game.units[gun].place == "3011"
    t.do("soviet", "pursue", side="soviet", units=a, to="3011", limit=2)
    assert t.game.units[gun].place == "box:dead"
    assert t.game.units["german-landser"].place == "3013"


def test_a_gun_given_up_saves_a_hex(table: Make) -> None:
    """6.2.4 b: the gun is the CEL, infantry goes one hex."""
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=9)
    t.unit("german", "landser", "3011", a=3)
    gun = t.unit("german", "gun", "3011", kind="ART", a=3, d=1, cel=1)
    t.do("soviet", "resolve-combat", target="3011", attackers=a, die="2 3")
    t.answer("german", go=1, to="3012")
    loss = next(x for x in t.asked("german") if x["action"] == "lose-cel")
    assert loss["args"]["cel"] == 1
    t.do("german", "lose-cel", **loss["args"], units=gun, _asked=loss["id"])
    assert t.game.units[gun].place == "box:dead"


def test_levels_after_combat(table: Make) -> None:
    """10.2.4: no Dx raises the attacker; Dx raises the defender."""
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=9, oos=1)
    d = t.unit("german", "landser", "3011", a=4, oos=3)
    t.do("soviet", "resolve-combat", target="3011", attackers=a, pay=a, die="6 5")  # 2:1, 11: -1 / -1
    assert (t.mark(a, "oos"), t.mark(d, "oos")) == (3, 3)  # +1 paid, +1 failed
    t.until("attack-a", 2)
    t.do("soviet", "resolve-combat", target="3011", attackers=a, pay=a, die="3 3")  # - / D2
    assert (t.mark(a, "oos"), t.mark(d, "oos")) == (4, 4)


def test_bought_off_disorganisation_is_an_option(table: Make) -> None:
    for stands in (True, False):
        t = table(phase="attack-a", fog=False, **{"bought-off": stands})
        battle(t, die="1 1")  # 2:1, 2: -1 / D3D
        assert bool(t.mark("german-landser", "disorganised")) is stands
        t.answer("german", go=3, to="3014")
        assert t.mark("german-landser", "disorganised")


def test_attackers_need_not_test_if_so_read(table: Make) -> None:
    for tests in (True, False):
        t = table(phase="attack-a", fog=False, **{"attacker-tests": tests})
        a = t.unit("soviet", "rifles", "3010", a=2)
        t.unit("german", "landser", "3011", a=8)
        t.do("soviet", "resolve-combat", target="3011", attackers=a, die="3 4")  # 1:4, 7: A2 -1
        ask = next(x for x in t.asked("soviet") if x["action"] == "retreat")
        t.do("soviet", "retreat", **ask["args"], to="3008", _asked=ask["id"])
        assert bool([x for x in t.asked("soviet") if x["action"] == "test-order"]) is tests


def test_pursuit_limits(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=9)
    gun = t.unit("soviet", "gun", "3010", kind="ART", a=3, d=1, cel=1)
    with refused(Unreadable, rule="5.4.6", field="to"):
        t.do("soviet", "pursue", side="soviet", units=a, to="3014", limit=3)
    with refused(Unreadable, field="units", given=gun):
        t.do("soviet", "pursue", side="soviet", units=gun, to="3011", limit=3)


def test_hand_only_play_still_asks(table: Make) -> None:
    t = table(phase="attack-a")
    t.do("table", "resolve-combat", attack=9, defence=4, die="2 3")  # dot / D2
    assert [a["action"] for a in t.asked("german")] == ["retreat"]
    t.answer("german", go=2)
    assert "pursue" in t.asks()
    done = t.answer("german", die="6 6")
    assert "German: 12 against 11, disorganised" in [e.to_json().get("text") for e in done]


def test_retreat_through_zones_costs_more(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    battle(t, die="2 3")
    t.answer("german", to="3013", in_zones=1)
    losses = [a for a in t.asked("german") if a["action"] == "lose-cel"]
    assert losses[0]["args"]["cel"] == 1  # 5.3.4
    assert losses[0]["args"]["hexes"] == ["3013"]


def test_a_lone_headquarters_pays_and_never_falls_back(table: Make) -> None:
    """5.1.9: the rightmost column, and every hex of the retreat is a CEL."""
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=2)
    hq = t.unit("german", "HQ x", "3011", kind="HQ", cel=1)
    t.do("soviet", "resolve-combat", target="3011", attackers=a, die="3 4")  # 10:1, 7: - / D4
    assert [x["action"] for x in t.asked("german")] == ["lose-cel"]
    t.answer("german")
    assert t.game.units[hq].place == "box:dead"
    assert t.mark("3011", "hq-pool-soviet") == "5 CM: day 1 phase 10, day 2 phase 4"


def test_moving_guns_with_infantry_may_fall_back(table: Make) -> None:
    """6.2.4: in travel position they go along; alone they are as helpless as a headquarters [6.6.4]."""
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=9)
    t.unit("german", "landser", "3011", a=4)
    gun = t.unit("german", "gun", "3011", kind="ART", a=3, d=1, cel=1, transport="on")
    t.do("soviet", "resolve-combat", target="3011", attackers=a, die="2 3")
    t.answer("german", to="3013")
    assert t.game.units[gun].place == "3013"
    alone = t.unit("german", "lone gun", "2911", kind="ART", a=3, d=1, cel=1, transport="on")
    b = t.unit("soviet", "others", "2910", a=2)
    t.do("soviet", "resolve-combat", target="2911", attackers=b, die="3 4")
    assert t.game.last_result["breakdown"]["facts"]["helpless"] is True
    assert t.game.units[alone].place == "2911"


def test_losses_on_the_march_stay_under_cover(table: Make) -> None:
    t = table(phase="move-a", turn=2)  # on the first day no German flies
    unit = t.unit("soviet", "column", "2020")
    t.unit("soviet", "top", "2020")
    done = t.do("soviet", "roll-harassment", unit=unit, die="1 1")
    assert t.game.units[unit].steps == 1
    assert "soviet-column" not in json.dumps([e.seen_by("german") for e in done])


def test_a_phase_does_not_end_over_open_losses(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    battle(t, die="4 5")
    with refused(NotNow, given=next(iter(t.game.asked))):
        t.do("soviet", "next-phase")
    for ask in list(t.game.asked):
        t.do("table", "dismiss", ask=ask)
    t.do("soviet", "next-phase")
    assert t.game.phase == "strategic-a"
