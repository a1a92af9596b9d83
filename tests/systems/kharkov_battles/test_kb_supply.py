"""Supply [8.0]: states over several turns, sharing, attrition, lines over rivers and through zones."""

import pytest
from harness import refused
from kb_bench import answer, enrol, jump, mapped, options, table, warned

from companion.engine.errors import NotNow, NotYours
from companion.engine.forms.fields import Context
from companion.systems.kharkov_battles.lines import can_trace, sources, soviet_arc
from companion.systems.kharkov_battles.supply import allowance


def judged(t, turn, cut, side="axis"):
    jump(t, "supply", turn)
    t.do(side, "judge-supply", side=side, cut=cut)


def test_a_pocket_over_four_turns():
    """8.3, 8.4: OOS, Isolated, then attrition every turn, and all well again after relief."""
    t = table("operation-star")
    unit = enrol(t, "axis", "320 Inf", "infantry", "KB3010", strength=5)
    other = enrol(t, "axis", "298 Inf", "infantry", "KB3010", strength=5)
    states = []
    for turn in (2, 3, 4):
        judged(t, turn, [unit])
        states.append(t.game.mark(unit, "supply"))
        owed = [a for a in t.asked("axis") if a["action"] == "roll-attrition"]
        assert len(owed) == (1 if turn == 4 else 0)
    assert states == ["oos", "isolated", "isolated"]
    assert t.game.mark(other, "supply") is None
    judged(t, 5, [])
    assert t.game.mark(unit, "supply") is None
    judged(t, 6, [unit])
    assert t.game.mark(unit, "supply") == "oos"


def test_supply_is_judged_once_a_turn_and_by_its_own_side():
    t = table("operation-star")
    judged(t, 2, [])
    with refused(NotNow, rule="8.3", field="side"):
        t.do("table", "judge-supply", side="axis")
    with refused(NotYours, given="axis"):
        t.do("axis", "judge-supply", side="soviet")


def test_judging_is_offered_to_the_side_that_has_not():
    """8.3: once both have, the line of the checklist is done with, and not before."""
    t = table("operation-star")
    jump(t, "supply", 2)

    def offered(seat):
        return "judge-supply" in [a["name"] for a in t.sees(seat)["actions"]]

    def ticked():
        lines = t.sees("table")["phase"]["checklist"]
        return [line["done"] for line in lines if line["action"] == "judge-supply"]

    assert offered("axis") and offered("soviet") and ticked() == [False]
    t.do("axis", "judge-supply", side="axis")
    assert not offered("axis") and offered("soviet") and offered("table") and ticked() == [False]
    t.do("soviet", "judge-supply", side="soviet")
    assert not offered("soviet") and ticked() == [True]


def test_stacks_off_the_record_are_kept_by_hex():
    t = table("operation-star")
    for turn, state in ((2, "oos"), (3, "isolated"), (4, "isolated")):
        jump(t, "supply", turn)
        t.do("soviet", "judge-supply", side="soviet", hexes=["KB3010"])
        assert t.game.mark("KB3010", "supply-soviet") == state
    assert t.asked("soviet")[0]["args"] == {"side": "soviet", "hex": "KB3010"}
    jump(t, "supply", 5)
    t.do("soviet", "judge-supply", side="soviet")
    assert t.game.mark("KB3010", "supply-soviet") is None


@pytest.mark.parametrize(
    ("weather", "die", "row"), [("clear", 8, "8"), ("freeze", 8, "9"), ("freeze", 9, "9"), ("mud", 0, "0")]
)
def test_freeze_makes_attrition_worse(weather, die, row):
    """19.22"""
    t = table("operation-star")
    jump(t, "supply", 4)
    t.do("table", "correct", name="weather", value=weather)
    for turn in (2, 3, 4):
        jump(t, "supply", turn)
        t.do("axis", "judge-supply", side="axis", hexes=["KB3010"])
    answer(t, "axis", "roll-attrition", die=str(die))
    assert t.game.last_result["breakdown"]["row"] == row


def test_attrition_hits_isolated_units_only():
    t = table("operation-star")
    unit = enrol(t, "axis", "320 Inf", "infantry", "KB3010", strength=5)
    oos = enrol(t, "axis", "298 Inf", "infantry", "KB3010", strength=5)
    for turn in (2, 3):
        judged(t, turn, [unit])
    judged(t, 4, [unit, oos])
    t.answer("axis", die="8")
    assert not t.asked("axis")  # one unit is hit: nothing to choose
    assert t.game.units[unit].place == "box:dead" and t.game.units[oos].on_map


@pytest.mark.parametrize(("reading", "able"), [("all", True), ("old", False)])
def test_units_isolated_just_now_are_a_reading(reading, able):
    """8.4: one unit was Isolated before, the other becomes so in the phase that rolls."""
    t = table("operation-star", attrition_who=reading)
    old = enrol(t, "axis", "320 Inf", "infantry", "KB3010", strength=5)
    new = enrol(t, "axis", "298 Inf", "infantry", "KB3010", strength=5)
    judged(t, 2, [old])
    judged(t, 3, [old, new])
    judged(t, 4, [old, new])
    t.answer("axis", die="8")
    if able:
        assert set(options(t, "axis", "take-losses", "how")) == {f"{old}:1", f"{new}:1"}
        t.answer("axis", how=f"{new}:1")
    assert t.game.units[old if not able else new].place == "box:dead"


def test_a_divisions_regiments_share_the_better_state():
    """8.34"""
    t = table("operation-star")
    one = enrol(t, "axis", "LAH 1", "panzergrenadier", "KB3010", size="III", formation="LAH", strength=5)
    two = enrol(t, "axis", "LAH 2", "panzergrenadier", "KB3011", size="III", formation="LAH", strength=5)
    judged(t, 2, [one])
    jump(t, "axis-move", 2)
    t.next()
    assert t.game.mark(one, "supply") == "oos"  # not stacked
    jump(t, "axis-move", 2)
    t.do("axis", "place-unit", unit=one, hex="KB3011")
    t.next()
    assert t.game.mark(one, "supply") is None and t.game.mark(two, "supply") is None


@pytest.mark.parametrize(("reading", "expected"), [("better", "oos"), ("strict", "isolated")])
def test_oos_and_isolated_together_are_a_reading(reading, expected):
    t = table("operation-star", shared_oos=reading)
    one = enrol(t, "axis", "LAH 1", "panzergrenadier", "KB3011", size="III", formation="LAH", strength=5)
    two = enrol(t, "axis", "LAH 2", "panzergrenadier", "KB3011", size="III", formation="LAH", strength=5)
    judged(t, 2, [one])
    judged(t, 3, [one, two])
    jump(t, "axis-move", 3)
    t.next()
    assert t.game.mark(one, "supply") == expected


def test_uncommitted_units_neither_trace_nor_suffer():
    """13.11, 13.13"""
    t = table("second-kharkov-k")
    unit = enrol(t, "soviet", "38 Army", "rifle", "KH3010", formation="yellow", strength=3)
    t.do("table", "setup-uncommitted", units=[unit])
    jump(t, "supply", 2)
    with warned("13.11"):
        t.do("soviet", "judge-supply", side="soviet", cut=[unit])
    jump(t, "soviet-construction", 2)
    t.until("soviet-command", 3)
    assert t.game.mark(unit, "uncommitted") is None


def test_the_raiders_at_tatsinskaya_start_out_of_supply():
    """27.8"""
    for reading, expected in (("oos", "oos"), ("isolated", "isolated")):
        t = table("january-campaign", j_24tank=reading)
        unit = enrol(t, "soviet", "24 Tank", "tank", "B3020", size="XXX", rating="A")
        t.do("table", "mark", marker="supply", units=[unit], value="oos")
        judged(t, 61, [unit], "soviet")
        assert t.game.mark(unit, "supply") == expected
        judged(t, 62, [unit], "soviet")
        assert t.game.mark(unit, "supply") == "isolated"


@pytest.mark.parametrize(
    ("printed", "mech", "state", "limited", "homeward", "points"),
    [
        (8, True, "", False, False, 8),
        (8, True, "oos", False, False, 3),
        (8, True, "isolated", False, False, 1),
        (7, False, "oos", False, False, 3),
        (7, False, "isolated", False, False, 3),
        (7, True, "", True, False, 4),
        (7, True, "", True, True, 7),
    ],
)
def test_movement_allowances(printed, mech, state, limited, homeward, points):
    assert allowance(printed, mech, state, limited, homeward)[0] == points
    fields = {
        "printed": printed,
        "mech": mech,
        "state": state or "ok",
        "limited": limited,
        "homeward": homeward,
    }
    assert table("operation-star").calc("movement", **fields).facts["mp"] == points


# -- lines on a map ----------------------------------------------------------------------------------------


def lined(*facts):
    t = mapped(("source", "KB3001", "", "axis"), ("source", "KB3031", "", "soviet"), *facts)
    jump(t, "supply", 2)
    return t


WALL = ("KB1010",)


def river(kind, *bridged, columns=(10, 11)):
    """A river down the whole map between two columns."""
    west, east = columns
    facts = []
    for row in range(10, 55):
        a = f"KB{row}{west:02d}"
        across = [f"KB{row}{east:02d}"]
        if row % 2:
            across += [f"KB{r}{east:02d}" for r in (row - 1, row + 1) if 10 <= r <= 54]
        for b in across:
            facts.append(("side", *sorted((a, b)), kind))
            if f"{a}-{b}" in bridged:
                facts.append(("side", *sorted((a, b)), "bridge"))
    return facts


@pytest.mark.parametrize(
    ("kind", "bridged", "hex_id", "supplied"),
    [
        ("minor river", (), "KB3015", True),
        ("major river", (), "KB3015", False),
        ("major river", (), "KB3011", True),  # 8.11: the first hexside may be an unbridged Major River
        ("major river", ("KB3010-KB3011",), "KB3015", True),
        ("dnepr", (), "KB3011", False),  # that favour does not extend to the Dnepr
        ("dnepr", ("KB3010-KB3011",), "KB3015", True),
        ("impassable", (), "KB3011", False),
    ],
)
def test_rivers_and_lines(kind, bridged, hex_id, supplied):
    t = lined(*river(kind, *bridged))
    unit = enrol(t, "axis", "U", "infantry", hex_id, strength=3)
    assert can_trace(t.game, t.game.units[unit]) is supplied


def test_a_pontoon_carries_supply():
    t = lined(*river("dnepr"))
    unit = enrol(t, "axis", "U", "infantry", "KB3015", strength=3)
    assert can_trace(t.game, t.game.units[unit]) is False
    t.do("table", "go-to", turn=t.game.turn, phase="soviet-construction")
    t.do("soviet", "place-pontoon", hex="KB3010", across="KB3011")
    assert can_trace(t.game, t.game.units[unit]) is True


def test_zones_cut_a_line_and_friends_open_it():
    """7.41, 7.42"""
    t = lined()
    unit = enrol(t, "axis", "U", "infantry", "KB3015", strength=3)
    ring = [enrol(t, "soviet", h, "rifle", h, strength=3) for h in ("KB3013", "KB3017", "KB3215", "KB2815")]
    assert len(ring) == 4 and can_trace(t.game, t.game.units[unit]) is False
    enrol(t, "axis", "friend", "infantry", "KB3114", strength=3)  # 3114-3113.. still ringed
    enrol(t, "axis", "friend 2", "infantry", "KB3214", strength=3)
    enrol(t, "axis", "friend 3", "infantry", "KB3313", strength=3)
    assert can_trace(t.game, t.game.units[unit]) is True


def test_the_form_starts_with_what_the_map_shows():
    t = lined(*river("dnepr"))
    unit = enrol(t, "axis", "U", "infantry", "KB3015", strength=3)
    enrol(t, "axis", "V", "infantry", "KB3005", strength=3)
    form = t.system.rules.actions["judge-supply"].describe(Context(t.game, "axis"), {"side": "axis"})
    assert next(f for f in form if f["name"] == "cut")["value"] == [unit]


def test_without_sources_nobody_is_judged():
    t = table("operation-star")
    unit = enrol(t, "axis", "U", "infantry", "KB3015", strength=3)
    assert can_trace(t.game, t.game.units[unit]) is None


def test_third_kharkovs_sources_and_rows():
    """20.3"""
    t = table("third-kharkov-l")
    arc = soviet_arc(t.game)
    assert {"KB4820", "KB3022", "KB4831", "KB3031", "KB4031"} <= set(arc)
    assert not {"KB4819", "KB3021", "KB4931", "KB2931"} & set(arc)
    west = enrol(t, "axis", "U", "infantry", "KB3505", strength=3)
    assert can_trace(t.game, t.game.units[west]) is True
    east = enrol(t, "soviet", "S", "rifle", "KB3525", strength=3)
    assert can_trace(t.game, t.game.units[east]) is True


def test_third_kharkovs_soviets_are_supplied_from_the_arc_alone():
    """20.3: printed Soviet sources are not among them, and sources out of play serve nobody."""
    facts = [("source", "KB3505", "", "soviet"), ("source", "KB2910", "", "axis")]
    t = mapped(*facts, scenario="third-kharkov-l")
    assert "KB3505" not in sources(t.game, "soviet") and "KB4820" in sources(t.game, "soviet")
    assert "KB2910" not in sources(t.game, "axis") and "KB3010" in sources(t.game, "axis")
