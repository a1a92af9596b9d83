"""Result codes [12.6], the loser's options, losses, advances [12.8]."""

import pytest
from harness import refused
from kb_bench import enrol, jump, synthetic_book, table

from companion.engine.errors import NotNow, NotYours, Unreadable
from companion.systems.kharkov_battles.results import Share, parse


@pytest.mark.parametrize(
    ("code", "shares"),
    [
        ("D(2)r2", [Share("D", 2, 2)]),
        ("Ar1", [Share("A", 0, 1)]),
        ("A(3)r2", [Share("A", 3, 2)]),
        ("D(1)", [Share("D", 1, 0)]),
        ("A(1) D(1)r2", [Share("D", 1, 2), Share("A", 1, 0)]),  # 12.65: the loser first
        ("A(1)/Dr1", [Share("D", 0, 1), Share("A", 1, 0)]),
        ("NE", []),
    ],
)
def test_codes_are_taken_apart(code, shares):
    assert parse(code) == shares


@pytest.mark.parametrize("code", ["X1", "D", "A", "r2", "D(1)r2 banana"])
def test_a_code_that_is_none_is_refused(code):
    with refused(Unreadable, rule="12.6", field="result", given=code):
        parse(code)


def test_the_options_of_the_rulebooks_example():
    """12.62: D(2)r2 after its two mandatory steps."""
    assert parse("D(2)r2")[0].options() == [(2, 0), (1, 1), (0, 2)]


def fought(die: str = "7", scenario: str = "operation-star"):
    """An Axis attack on two rifle divisions; 7 gives D(1)r2 in the synthetic table, 8 D(1)r3."""
    t = table(scenario)
    jump(t, "axis-combat", 1)
    first = enrol(t, "axis", "LAH 1", "panzergrenadier", "KB3010", size="III", formation="LAH", strength=20)
    one = enrol(t, "soviet", "6 Rifle", "rifle", "KB3011", strength=2)
    two = enrol(t, "soviet", "7 Rifle", "rifle", "KB3011", strength=2)
    t.do("axis", "declare-assault", target="KB3011", attackers=[first])
    t.answer("axis")
    t.answer("soviet")
    t.answer("axis", die=die)
    return t, first, one, two


def test_the_defender_chooses_and_the_victor_advances_as_far_as_was_retreated():
    t, _, one, two = fought("7")
    ask = t.asked("soviet")[0]
    assert "lose 1 step" in ask["text"] and "retreat 2" in ask["text"]
    t.answer("soviet", more=1)
    assert [a["text"] for a in t.asked("axis")] == ["Axis may advance up to 1 hex"]
    t.answer("soviet", unit=one)
    assert t.game.units[one].place == "box:pool"
    assert [a["action"] for a in t.asked("soviet")] == ["fall-back", "take-losses"]
    assert "1 step more to lose" in t.asked("soviet")[-1]["text"]
    t.answer("soviet", -1, unit=two, no_line=True)
    assert t.game.units[two].place == "box:dead"
    assert not t.asked("soviet")  # nobody is left to retreat


def test_counters_on_record_fall_back_and_follow():
    """12.7, 12.8"""
    t, first, one, two = fought("7")
    t.answer("soviet")
    t.answer("soviet", unit=one)
    with refused(NotNow, rule="12.71", field="hex"):
        t.answer("soviet", hex="KB3010")
    t.answer("soviet", hex="KB3013")
    assert t.game.units[two].place == "KB3013"
    ask = t.asked("axis")[0]
    with refused(NotYours, field="side", given="soviet"):
        t.do("soviet", "advance", **ask["args"], units=[first], hex="KB3011")
    with refused(NotNow, rule="12.82", field="hex"):
        t.answer("axis", units=[first], hex="KB3014")
    t.answer("axis", units=[first], hex="KB3011")
    assert t.game.units[first].place == "KB3011" and not t.asked("axis")


def test_example_1_two_one_step_units_and_r3():
    """Both die to satisfy D(1)r3: two hexes of the obligation remain for the advance."""
    t, _, one, two = fought("8")
    t.answer("soviet", more=1)
    assert "up to 2" in t.asked("axis")[0]["text"]


def test_example_2_standing_fast_allows_no_advance():
    t, *_ = fought("7")
    with refused(NotNow, rule="12.62", field="more", given="2"):
        t.answer("soviet", more=2)
    t.answer("soviet", more=1, unfulfilled=1)
    assert not [a for a in t.asked("axis") if "advance" in a["text"]]


def test_enemy_zones_cost_steps_besides():
    t, *_ = fought("7")
    t.answer("soviet", zones=1)
    assert "lose 2 step" in t.asked("soviet")[0]["text"]
    assert "up to 2" in t.asked("axis")[0]["text"]


def test_the_other_side_cannot_choose_for_the_loser():
    t, *_ = fought("7")
    ask = t.asked("soviet")[0]
    with refused(NotYours, field="side", given="axis"):
        t.do("axis", "settle-result", **ask["args"])


def test_an_attacker_loses_a_mechanized_unit_first():
    """12.63; a Tiger that shifted goes before all others [15.3]."""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    foot = enrol(t, "axis", "320 Inf", "infantry", "KB3010", strength=6)
    mech = enrol(t, "axis", "LAH 1", "panzergrenadier", "KB3010", size="III", formation="LAH", strength=6)
    enrol(t, "soviet", "6 Rifle", "rifle", "KB3011", strength=6)
    t.do("axis", "declare-assault", target="KB3011", attackers=[foot, mech])
    t.answer("axis")
    t.answer("soviet")
    t.answer("axis", die="1")  # A(1)r1
    t.answer("axis")
    assert t.asked("axis")[0]["args"] == {"side": "axis", "steps": 1, "combat": 1, "role": "A", "first": True}
    with refused(Unreadable, field="unit", given="axis-320-inf"):
        t.answer("axis", unit=foot)
    t.answer("axis", unit=mech)
    assert t.game["regiments-lost"] == 1


@pytest.mark.parametrize(
    ("fields", "mech", "others"),
    [
        ({"hexes": 3}, 3, 3),
        ({"hexes": 0}, 0, 0),
        ({"hexes": 3, "first_city": True}, 1, 1),
        ({"hexes": 3, "first_major": True}, 1, 1),
        ({"hexes": 3, "encirclement": True}, 3, 1),
        ({"hexes": 3, "first_ezoc": True}, 3, 1),
    ],
)
def test_advance_lengths(fields, mech, others):
    sheet = table("operation-star").calc("advance-length", **fields)
    assert (sheet.facts["mechanized"], sheet.facts["others"]) == (mech, others)


def test_fall_blaus_errata_drop_the_encirclement_limit():
    assert table("january-campaign").calc("advance-length", hexes=3, encirclement=True).facts["others"] == 3


def test_a_breakout_is_for_defenders_that_could_infiltrate():
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    enrol(t, "soviet", "6 Rifle", "rifle", "KB3011", strength=2)
    with refused(NotNow, given="breakout"):
        t.do("soviet", "breakout", side="soviet", hex="KB3011", die="7")
    t.do("axis", "resolve-assault", attack=9, defence=3, die="8")
    with refused(NotNow, rule="12.73", field="hex"):
        t.do("soviet", "breakout", side="soviet", hex="KB3011", die="7")
    enrol(t, "soviet", "3 Tank", "tank", "KB3011", size="XXX", rating="A")
    t.do("soviet", "breakout", side="soviet", hex="KB3011", die="7")
    assert t.game.last_result["result"] == "free"


def test_results_wait_for_a_split_hex():
    """12.23"""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    a = enrol(
        t,
        "axis",
        "D1",
        "panzergrenadier",
        "KB3010",
        size="III",
        formation="LAH",
        strength=9,
        steps=2,
        half=True,
    )
    b = enrol(t, "axis", "R1", "breakdown regiment", "KB3010", size="III", strength=3)
    enrol(t, "soviet", "6 Rifle", "rifle", "KB3011", strength=2)
    enrol(t, "soviet", "7 Rifle", "rifle", "KB3009", strength=2)
    t.do("axis", "declare-assault", target="KB3011", attackers=[a])
    t.do("axis", "declare-assault", target="KB3009", attackers=[b])
    for _ in range(2):
        t.answer("axis")
        t.answer("soviet")
    t.do("axis", "resolve-assault", target="KB3011", attack=9, defence=2, die="1")
    texts = [x["text"] for x in t.asked("axis") if x["action"] == "settle-result"]
    assert texts and "Wait for the attack on KB3009" in texts[0]


def test_the_loser_sees_his_options_in_words():
    """12.62: the form itself lists them."""
    from companion.engine.play.fields import Context

    t, *_ = fought("7")
    ask = t.asked("soviet")[0]
    form = t.system.rules.actions["settle-result"].describe(Context(t.game, "soviet"), ask["args"])
    more = next(f for f in form if f["name"] == "more")
    assert [c["label"] for c in more["choices"]] == [
        "retreat 2 hexes",
        "lose 1 more, retreat 1 hex",
        "lose 2 more, stand fast",
    ]


def test_mixed_results_settle_the_loser_first_then_the_victor():
    """12.65"""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    t.do("axis", "resolve-assault", attack=20, defence=5, terrain="marsh", die="3")
    t.answer("axis", result="A(1) D(1)r2")
    assert not t.asked("axis") and "retreat 2" in t.asked("soviet")[0]["text"]
    t.answer("soviet")
    assert [a["action"] for a in t.asked("axis")] == ["advance", "settle-result"]
    t.answer("axis", 1)
    assert "lose 1 step" in t.asked("axis")[-1]["text"]


def test_bystanders_share_the_result_but_not_the_first_loss():
    """12.63"""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    one = enrol(t, "axis", "320 Inf", "infantry", "KB3010", strength=4)
    idle = enrol(t, "axis", "298 Inf", "infantry", "KB3010", strength=4)
    enrol(t, "soviet", "6 Rifle", "rifle", "KB3011", strength=6)
    t.do("axis", "declare-assault", target="KB3011", attackers=[one])
    t.answer("axis")
    t.answer("soviet")
    t.answer("axis", die="1")  # A(1)r1
    t.answer("axis", more=1)
    with refused(Unreadable, field="unit", given="axis-298-inf"):
        t.answer("axis", unit=idle)
    t.answer("axis", unit=one)
    t.answer("axis", unit=idle)
    assert not [u for u in t.game.units.values() if u.side == "axis" and u.on_map]


def test_a_unit_attacks_once_a_phase():
    """12.0"""
    t, first, *_ = fought("4")  # no effect
    enrol(t, "soviet", "9 Rifle", "rifle", "KB3009", strength=2)
    with refused(NotNow, rule="12.0", field="attackers"):
        t.do("axis", "declare-assault", target="KB3009", attackers=[first])
    with refused(NotNow, rule="12.0", field="target"):
        t.do("axis", "declare-assault", target="KB3011")


def test_the_first_loss_falls_on_the_defender_that_fought():
    """6.22, 12.63: of two multi-step units one defends; the other only shares the result."""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    first = enrol(t, "axis", "LAH 1", "panzergrenadier", "KB3010", size="III", formation="LAH", strength=20)
    fights = enrol(t, "soviet", "3 Tank", "tank", "KB3011", size="XXX", strength=2, steps=2)
    idle = enrol(t, "soviet", "6 Cav", "cavalry", "KB3011", size="XXX", strength=2, steps=2)
    t.do("axis", "declare-assault", target="KB3011", attackers=[first])
    t.answer("axis")
    t.answer("soviet", units=[fights])
    t.answer("axis", die="7")
    t.answer("soviet", more=1)
    with refused(Unreadable, field="unit", given="soviet-6-cav"):
        t.answer("soviet", unit=idle)
    with refused(NotNow, rule="12.63", field="unit"):
        t.answer("soviet")
    t.answer("soviet", unit=fights)
    t.answer("soviet", -1, unit=idle)
    assert t.game.mark(idle, "cadre") and t.game.mark(fights, "cadre")


def test_example_2_of_the_rulebook():
    """12.81: a lone full-strength unit takes D(1)r2 wholly in steps and dies: nobody advances."""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    first = enrol(t, "axis", "LAH 1", "panzergrenadier", "KB3010", size="III", formation="LAH", strength=20)
    alone = enrol(t, "soviet", "3 Tank", "tank", "KB3011", size="XXX", rating="B")
    t.do("axis", "declare-assault", target="KB3011", attackers=[first])
    t.answer("axis")
    t.answer("soviet")
    t.answer("axis", die="7")  # D(1)r2
    t.answer("soviet", more=2)
    t.answer("soviet", unit=alone, lose_here=3)
    assert t.game.units[alone].place == "box:dead"
    assert not t.asked("axis") and not t.asked("soviet")


@pytest.mark.parametrize(
    ("fact", "rule"),
    [(("city", "KB3011", "", "C"), "12.82, 12.85"), (("side", "KB3010", "KB3011", "major river"), "12.82")],
)
def test_a_city_or_a_major_river_ends_the_advance(fact, rule):
    """12.82: no further than the first hex."""
    book = synthetic_book()
    book.map = {"facts": [[*fact, "owner"]], "removed": []}
    t = table("operation-star", book)
    jump(t, "axis-combat", 1)
    first = enrol(t, "axis", "LAH 1", "panzergrenadier", "KB3010", size="III", formation="LAH", strength=30)
    two = [enrol(t, "soviet", n, "rifle", "KB3011", strength=2) for n in ("6 Rifle", "7 Rifle")]
    t.do("axis", "declare-assault", target="KB3011", attackers=[first])
    t.answer("axis")
    t.answer("soviet")
    t.answer("axis", die="7", terrain="clear")  # D(1)r2
    t.answer("soviet")
    t.answer("soviet", unit=two[0])
    t.answer("soviet", hex="KB3013")
    assert t.asked("axis")[0]["args"]["vacated"] == ["KB3011"]
    with refused(NotNow, rule=rule, field="hex"):
        t.answer("axis", units=[first], hex="KB3012")
    t.answer("axis", units=[first], hex="KB3011")
    assert t.game.units[first].place == "KB3011"


def test_the_advance_starts_with_the_vacated_hex():
    """12.82: the first hex entered is the one the enemy left; nobody chosen means that nobody goes."""
    from companion.engine.play.fields import Context

    t, first, one, two = fought("7")
    t.answer("soviet")
    t.answer("soviet", unit=one)
    t.answer("soviet", hex="KB3013")
    ask = t.asked("axis")[0]
    form = t.system.rules.actions["advance"].describe(Context(t.game, "axis"), ask["args"])
    assert next(f for f in form if f["name"] == "hex")["value"] == "KB3011"
    t.answer("axis", hex="KB3011")
    assert t.game.units[first].place == "KB3010" and not t.asked("axis")
