"""The combat examples of the rulebook, played from the attack to the last test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from harness import refused

from companion.engine.errors import Unreadable

Make = Callable[..., Any]


def division(t: Any, side: str, strengths: list[int], place: str, **marks: Any) -> list[str]:
    """Counters of one division; the first has the marks."""
    made = []
    for number, strength in enumerate(strengths):
        made.append(
            t.unit(side, f"{side[0]}{number} {place}", place, a=strength, **(marks if not number else {}))
        )
    return made


def test_armour_against_cavalry_in_the_woods(table: Make, map_book: Make) -> None:
    """5.2.1: 17 against 8, concentration and a black star, woods: 2:1, +2, -1 = 3:1; attacker -1, defender D2."""
    t = table(phase="attack-b", fog=False, book=map_book("terrain,3011,,forest"))
    tanks = division(t, "german", [9, 8], "3010", star="black")
    cavalry = division(t, "soviet", [4, 4], "3011")
    t.do(
        "german",
        "resolve-combat",
        target="3011",
        attackers=",".join(tanks),
        attack_star_units=tanks[0],
        attack_formations="3",
        die="4 6",  # 3:1, 10: -1 / D1 -1; the example's B2/-1 is a cell of its own
    )
    facts = t.breakdown["facts"]
    assert (facts["ratio"], facts["attack_shifts"], facts["defence_shifts"]) == ("2:1", 2, 1)
    assert t.breakdown["column"] == "3:1"
    with refused(Unreadable, rule="15.1.7", field="units"):
        t.settle("german", "take-losses", units=tanks[1])
    t.settle("german", "take-losses", units=tanks[0])
    t.settle("soviet", "take-losses", units=cavalry[0])
    assert t.offered("soviet", "retreat", "go") == [
        "Fall back 1",
        "Stand, lose 1 CEL",
        "Some go, the others stand and lose 1 CEL",
    ]


@pytest.mark.parametrize(
    ("go", "lost", "tests"), [(0, 2, 0), (1, 1, 0), (2, 0, 1)], ids=["stands", "one hex", "two hexes"]
)
def test_the_three_ways_out_of_a_d2(table: Make, go: int, lost: int, tests: int) -> None:
    """5.2.1, 5.3.7, 5.3.9: lose 2 and stay, lose 1 and go 1, or go 2 and test once."""
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "tanks", "3010", a=9)
    cavalry = [t.unit("german", n, "3011", a=2) for n in ("one", "two")]
    t.do("soviet", "resolve-combat", target="3011", attackers="tanks", die="3 3")  # 2:1, 6: - / D2
    t.settle("german", "retreat", go=go)
    if go:
        t.settle("german", "fall-back", to="3012" if go == 1 else "3013")
    if lost:
        t.settle("german", "take-losses", units=",".join(cavalry[:lost]))
    assert sum(t.game.units[u].steps for u in cavalry) == 4 - lost
    owed = [a for a in t.asked("german") if a["action"] == "take-tests"]
    assert [a["args"]["tests"] for a in owed] == [1] * tests


@pytest.mark.parametrize(("go", "cel"), [(3, 0), (2, 1), (1, 2), (0, 3)])
def test_the_four_options_of_a_d3(table: Make, go: int, cel: int) -> None:
    """5.3.7."""
    t = table(phase="attack-a")
    t.do("soviet", "resolve-combat", attack=24, defence=4, die="3 4")  # 6:1, 7: - / D3
    t.settle("german", "retreat", go=go)
    owed = [a["args"]["cel"] for a in t.asked("german") if a["action"] == "take-losses"]
    assert owed == ([cel] if cel else [])


@pytest.mark.parametrize(("ordered", "go", "tests"), [(4, 3, 2), (3, 1, 0), (2, 2, 1)])
def test_tests_after_a_retreat(table: Make, ordered: int, go: int, tests: int) -> None:
    """5.3.9 a-c."""
    t = table(phase="attack-a")
    dice = {4: (40, "3 4"), 3: (24, "3 4"), 2: (8, "3 3")}[ordered]
    t.do("soviet", "resolve-combat", attack=dice[0], defence=4, die=dice[1])
    assert t.duty("german", "retreat")["args"]["ordered"] == ordered
    t.settle("german", "retreat", go=go)
    owed = [a["args"]["tests"] for a in t.asked("german") if a["action"] == "take-tests"]
    assert owed == ([tests] if tests else [])


@pytest.mark.parametrize("stand", [0, 2, 3])
def test_three_battalions_thrown_back(table: Make, stand: int) -> None:
    """5.3.8: all stay and lose one, all go, or two stay and lose one between them."""
    t = table(phase="attack-b", fog=False)
    tanks = [t.unit("german", f"b{n}", h, a=1) for n, h in enumerate(("3010", "2911", "3111"))]
    t.unit("soviet", "guards", "3011", a=9)
    t.do("german", "resolve-combat", target="3011", attackers=",".join(tanks), die="3 4")  # 1:3, 7: A1 / -
    if stand == 2:
        t.settle("german", "retreat", go="some")
        t.settle("german", "part", units=tanks[0], far=1)
    else:
        t.settle("german", "retreat", go=0 if stand else 1)
    for way in [a for a in t.asked("german") if a["action"] == "fall-back"]:
        to = next(row["choices"][0]["value"] for row in way["form"] if row["name"] == "to")
        t.do("german", "fall-back", _asked=way["id"], to=to)
    if stand:
        t.settle("german", "take-losses", units=tanks[-1])
    assert sum(t.game.units[u].steps for u in tanks) == (5 if stand else 6)


def test_pursuit_of_a_regiment(table: Make) -> None:
    """5.4.6: D4, gone 3: the pursuit goes up to 3 hexes, the first of them the hex that was left."""
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "tanks", "3010", a=40)
    t.unit("german", "167", "3011", a=4)
    t.do("soviet", "resolve-combat", target="3011", attackers="tanks", die="3 4")  # 10:1, 7: D4
    t.settle("german", "retreat", go=3)
    t.settle("german", "fall-back", to="3014")
    assert t.game.unit("167").steps == 1
    hexes = t.ways("soviet", "pursue")
    assert hexes[0] == "3011" and "3013" in hexes and "3014" not in hexes
    t.settle("soviet", "pursue", to="3013")


def test_cavalry_and_lone_guns(table: Make) -> None:
    """6.6.3: cavalry of 5 and a hex of two 5/3 guns defend with 6; with a regular unit the guns add 6."""
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "tanks", "3010", a=12)
    t.unit("german", "cavalry", "3011", kind="CAV", a=5)
    for name in ("gun 1", "gun 2"):
        t.unit("german", name, "2910", kind="ART", a=5, d=3, cel=1)
    assert t.calc("combat", target="3011 2910", attackers="tanks").facts["defence"] == 6
    t.unit("german", "more", "2910", a=1)
    assert t.calc("combat", target="3011 2910", attackers="tanks").facts["defence"] == 5 + 6 + 1


def test_level_of_a_unit_out_of_supply(table: Make) -> None:
    """10.2.4: full move and failed full attack are three, a Dx in the next phase makes four."""
    t = table(phase="move-a", fog=False)
    a = t.unit("soviet", "lost", "3010", a=4, oos=1)
    t.unit("german", "landser", "3011", a=4)
    t.do("soviet", "pay-level", units=a, why="move")
    t.until("attack-a")
    t.do("soviet", "resolve-combat", target="3011", attackers=a, pay=a, die="3 4")
    t.until("attack-b")
    t.do(
        "german",
        "resolve-combat",
        target="3010",
        attackers="landser",
        attack_sp="4",
        defence_sp="4",
        die="3 3",
    )
    assert t.mark(a, "oos") == 1 + 4
