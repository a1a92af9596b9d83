"""Replacements [16.0], returns, breakdown [15.2], Ersatz battalions [20.1]."""

import pytest
from harness import refused
from kb_bench import answer, designate, enrol, jump, synthetic_book, table, warned

from companion.engine.errors import NotNow, NotYours
from companion.engine.forms.fields import Context
from companion.systems.kharkov_battles.breakdown import may_break_down
from companion.systems.kharkov_battles.replacements import cost_of, schedule


@pytest.mark.parametrize(
    ("what", "rated", "cost"),
    [
        ("reduced", True, 1),
        ("cadre", True, 2),
        ("cadre", False, 1),
        ("rifle", False, 2),
        ("silhouette", False, 1),
        ("regiment", False, 2),
    ],
)
def test_prices(what, rated, cost):
    """16.21, 16.32, 16.34"""
    assert cost_of(what, rated) == cost


@pytest.mark.parametrize(
    ("scenario", "totals"),
    [
        ("operation-star", (8, 9)),
        ("second-kharkov-k", (0, 0)),
        ("third-kharkov-l", (2, 4)),
        ("january-campaign", (8, 9)),
    ],
)
def test_axis_points_over_the_whole_scenario(scenario, totals):
    t = table(scenario)
    while not t.game.ended:
        last = (t.game["rp-axis-mech"], t.game["rp-axis-foot"])
        t.next()
    assert last == totals


def test_the_realistic_schedule():
    """27.7: 12 mechanized and 18 German non-mechanized points by turn 74."""
    t = table("grand-campaign", rp_schedule=True)
    given = []
    for turn in range(1, 75):
        t.game.turn = turn
        given.append(schedule(t.game))
    assert tuple(map(sum, zip(*given, strict=True))) == (12, 18, 3)


def test_star_grants_everything_on_turn_6_and_soviet_points_lapse():
    t = table("operation-star")
    t.until("reinforcement", 5)
    assert t.game["rp-axis-mech"] == 0 and t.game["rp-soviet-foot"] == 4
    pool = enrol(t, "soviet", "6 Rifle", "rifle", "KB3010", strength=2)
    t.do("table", "place-unit", unit=pool, box="box:pool")
    enrol(t, "soviet", "6 Army", "hq army", "KB3020", reach=5)
    t.do("soviet", "replace", side="soviet", what="rifle", unit=pool, hex="KB3020")
    assert t.game["rp-soviet-foot"] == 2 and t.game.mark(pool, "repl")
    t.until("reinforcement", 6)
    assert (t.game["rp-axis-mech"], t.game["rp-axis-foot"], t.game["rp-soviet-foot"]) == (8, 9, 4)
    assert not t.game.mark(pool, "repl")


def test_a_rated_cadre_takes_two_points_or_none():
    t = table("operation-star")
    jump(t, "reinforcement", 6)
    unit = enrol(t, "axis", "6 Pz 4", "panzer", "KB3010", size="III", formation="6 Pz", rating="A")
    t.do("axis", "lose-steps", unit=unit, steps=2)
    t.do("table", "correct", name="rp-axis-mech", value="1")
    with refused(NotNow, rule="16.2", field="what", given=2):
        t.do("axis", "replace", side="axis", what="cadre", unit=unit)
    t.do("table", "correct", name="rp-axis-mech", value="2")
    t.do("axis", "replace", side="axis", what="cadre", unit=unit)
    assert t.game.units[unit].steps == 3 and not t.game.mark(unit, "cadre") and t.game["rp-axis-mech"] == 0


def test_eligibility():
    """16.1"""
    t = table("operation-star")
    jump(t, "reinforcement", 6)
    t.do("table", "correct", name="rp-axis-foot", value="5")
    unit = enrol(t, "axis", "10 It", "infantry", "KB3010", steps=2, nationality="italian", strength=3)
    t.do("axis", "lose-steps", unit=unit)
    enemy = enrol(t, "soviet", "E", "rifle", "KB3011", strength=1)
    with warned("16.1"):
        t.do("axis", "replace", side="axis", what="cadre", unit=unit)
    t.do("table", "place-unit", unit=enemy, hex="KB3020")
    t.do("table", "mark", marker="supply", units=[unit], value="oos")
    with warned("16.1"):
        t.do("axis", "replace", side="axis", what="cadre", unit=unit)


def test_second_kharkov_has_none():
    t = table("second-kharkov-k")
    jump(t, "reinforcement", 2)
    with refused(NotNow, given="replace"):
        t.do("axis", "replace", side="axis", what="cadre")


def test_by_hand_without_counters_on_record():
    t = table("operation-star")
    t.until("reinforcement", 6)
    t.do("axis", "replace", side="axis", what="cadre", klass="mech")
    assert t.game["rp-axis-mech"] == 6


@pytest.mark.parametrize(
    ("side", "facts", "no_line", "box"),
    [
        ("soviet", {"kind": "rifle"}, False, "box:pool"),
        ("soviet", {"kind": "rifle"}, True, "box:dead"),
        ("soviet", {"kind": "rifle", "guards": True, "steps": 2}, False, "box:dead"),
        ("soviet", {"kind": "tank", "silhouette": True, "size": "X"}, False, "box:pool"),
        ("soviet", {"kind": "tank", "silhouette": True, "no_repl": True, "size": "X"}, False, "box:dead"),
        ("soviet", {"kind": "tank", "rating": "A", "size": "XXX"}, False, "box:dead"),
        ("soviet", {"kind": "hq army"}, False, "box:track"),
        ("axis", {"kind": "assault gun", "silhouette": True, "size": "II"}, True, "box:track"),
        ("axis", {"kind": "tiger company", "size": "I", "formation": "DR"}, True, "box:track"),
        ("axis", {"kind": "breakdown regiment"}, False, "box:regiments"),
        ("axis", {"kind": "security"}, False, "box:dead"),
        ("axis", {"kind": "infantry", "rating": "A"}, False, "box:dead"),
    ],
)
def test_where_lost_units_go(side, facts, no_line, box):
    """15.13, 16.31, 16.35, 16.36"""
    t = table("operation-star")
    unit = enrol(t, side, "U", hex="KB3010", strength=2, **facts)
    t.do(side, "eliminate-unit", unit=unit, no_line=no_line)
    assert t.game.units[unit].place == box


def test_hqs_and_silhouettes_return_after_five_turns():
    """16.33, 16.35"""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    hqs = [enrol(t, "axis", f"{n}. AK", "hq armeekorps", "KB3010", reach=4) for n in ("I", "II")]
    stugs = [
        enrol(t, "axis", f"{n} StG", "assault gun", "KB3010", silhouette=True, size="II") for n in range(5)
    ]
    for unit in (*hqs, *stugs):
        t.do("axis", "eliminate-unit", unit=unit)
    t.until("reinforcement", 5)
    with refused(NotNow, given="return-unit"):
        t.do("axis", "return-unit", unit=hqs[0], hex="KB1905")
    t.until("reinforcement", 6)
    assert "Due this turn" in [p["title"] for p in t.sees("axis")["panels"]]
    with refused(NotYours, field="unit", given="soviet"):  # its own side brings it back
        t.do("soviet", "return-unit", unit=hqs[0], hex="KB1905")
    t.do("axis", "return-unit", unit=hqs[0], hex="KB1905")
    with warned("16.33"):
        t.do("axis", "return-unit", unit=hqs[1], hex="KB1905")
    for unit in stugs[:3]:
        t.do("axis", "return-unit", unit=unit, area="S1")
    with warned("16.35"):
        t.do("axis", "return-unit", unit=stugs[3], area="S1")
    t.next()
    assert [t.game.units[s].place for s in stugs[3:]] == ["box:dead", "box:dead"]
    t.until("reinforcement", 7)
    t.do("axis", "return-unit", unit=hqs[1], hex="KB1905")
    with_owner = t.game.mark("KB1905", "owner")
    assert with_owner == "axis"


def test_breaking_down_and_recombining():
    """15.2"""
    t = table("operation-star")
    jump(t, "maintenance", 2)
    unit = enrol(t, "axis", "320 Inf", "infantry", "KB3010", rating="A")
    t.do("axis", "break-down", unit=unit)
    regiments = [u.id for u in t.game.units_at("KB3010")]
    assert len(regiments) == 3 and t.game.units[unit].place == "box:breakdown"
    t.do("axis", "recombine", hex="KB3010", division=unit)
    assert t.game.units[unit].place == "KB3010" and not t.game.mark(unit, "chit")
    t.do("axis", "break-down", unit=unit)  # the same three counters serve again
    assert {u.id for u in t.game.units_at("KB3010")} == set(regiments)
    t.do("table", "place-unit", unit=regiments[0], hex="KB3013")
    with warned("15.22"):
        t.do("axis", "recombine", hex="KB3010", division=unit)
    jump(t, "reinforcement", 6)
    t.do("table", "correct", name="rp-axis-foot", value="4")
    t.do("axis", "replace", side="axis", what="regiment", unit=regiments[0], division=unit)
    assert t.game.units[unit].place == "KB3013" and t.game.mark(unit, "repl")
    with warned("16.34"):
        t.do("axis", "replace", side="axis", what="regiment", unit=regiments[1])


@pytest.mark.parametrize(
    ("facts", "mark", "rule"),
    [
        ({"kind": "light", "rating": "A"}, None, "15.21"),
        ({"kind": "infantry", "rating": "A"}, ("supply", "isolated"), "15.23"),
        ({"kind": "infantry", "rating": "A", "nationality": "hungarian"}, None, "15.21"),
        ({"kind": "infantry", "rating": "A"}, ("cadre", "on"), "15.23"),
    ],
)
def test_who_cannot_break_down(facts, mark, rule):
    """15.21, 15.23: the reason is said, and the players may know better."""
    t = table("operation-star")
    jump(t, "maintenance", 2)
    unit = enrol(t, "axis", "U", hex="KB3010", **facts)
    enrol(t, "axis", "W", "infantry", "KB3020", rating="A")
    if mark:
        t.do("table", "mark", marker=mark[0], units=[unit], value=mark[1])
    with warned(rule, "U is"):
        t.do("axis", "break-down", unit=unit)
    t.do("axis", "break-down", unit=unit, anyway=True)
    assert t.game.units[unit].place == "box:breakdown"


def test_some_divisions_never_break_down_and_counters_run_out():
    t = table("second-kharkov-k")
    jump(t, "maintenance", 2)
    unit = enrol(t, "axis", "57 Inf", "infantry", "KH3010", rating="A")
    with warned("20.2", "57 Inf"):
        t.do("axis", "break-down", unit=unit)
    for number in range(2):
        t.do(
            "axis",
            "break-down",
            unit=enrol(t, "axis", f"9{number} Inf", "infantry", f"KH301{number}", rating="A"),
        )
    with warned("15.23"):
        t.do("axis", "break-down", unit=enrol(t, "axis", "99 Inf", "infantry", "KH3015", rating="A"))


def test_ersatz_battalions():
    """20.1"""
    t = table("operation-star")
    for turn, available in ((2, 1), (3, 1), (4, 1), (5, 0)):
        t.until("reinforcement", turn)
        if turn == 5:
            with refused(NotNow, given="place-ersatz"):
                t.do("axis", "place-ersatz", hex="KB3505")
            break
        assert t.game["ersatz"] == available
        t.do("axis", "place-ersatz", hex="KB3505")
        with refused(NotNow, given="place-ersatz"):
            t.do("axis", "place-ersatz", hex="KB3505")
    units = [u for u in t.game.units.values() if u.kind == "ersatz"]
    assert len(units) == 3
    t.do("axis", "eliminate-unit", unit=units[0].id)
    assert t.game["ersatz"] == 1
    t.do("axis", "place-ersatz", hex="KB3617")
    assert len([u for u in t.game.units.values() if u.kind == "ersatz"]) == 3


def test_untried_divisions_come_at_random():
    """2.72"""
    t = table("operation-star", synthetic_book(), untried=True)
    for number in range(4):
        unit = enrol(t, "soviet", f"{number} Rifle", "rifle", "KB3010", strength=number + 1)
        t.do("table", "place-unit", unit=unit, box="box:pool")
    t.do("soviet", "draw-untried", hex="KB3020", number=2)
    drawn = t.game.units_at("KB3020")
    assert len(drawn) == 2 and all(u.untried for u in drawn)
    for seat in ("axis", "soviet", "table"):
        shown = [u for u in t.sees(seat)["units"] if u["place"] == "KB3020"]
        assert all(u["factors"] == {} for u in shown)
    enrol(t, "axis", "A", "infantry", "KB3021", strength=5)
    jump(t, "soviet-combat", 1)
    designate(t, "KB3021", *[u.id for u in drawn])
    answer(t, "soviet", "begin-assault")
    assert not any(u.untried for u in t.game.units_at("KB3020"))


def test_a_blank_track_is_asked_for():
    t = table("january-campaign", synthetic_book(**{"trt-gc": {}}))
    t.do("table", "correct", name="star-units", value="3")
    t.until("reinforcement", 61)
    answer(t, "soviet", "take-replacements", mech=1, foot=3)
    assert (t.game["rp-soviet-mech"], t.game["rp-soviet-foot"]) == (2, 6)


def test_each_satellite_has_its_own_points():
    """27.7: one each; a Hungarian step is not paid for by the Italians."""
    t = table("grand-campaign", rp_schedule=True)
    t.until("reinforcement", 10)
    assert [t.game[f"rp-{n}"] for n in ("hungarian", "italian", "rumanian")] == [1, 1, 1]
    cadre = enrol(t, "axis", "7 Light", "light", "A3010", nationality="hungarian", strength=3, steps=2)
    t.do("axis", "lose-steps", unit=cadre)
    t.do("axis", "replace", side="axis", what="cadre", unit=cadre)
    assert [t.game[f"rp-{n}"] for n in ("hungarian", "italian", "rumanian")] == [0, 1, 1]


@pytest.mark.parametrize(("scenario", "hex_id", "rule"), [("third-kharkov-l", "KB3505", "20.3"),
                                                          ("january-campaign", "A3010", "27.8")])  # fmt: skip
def test_points_for_germans_only(scenario, hex_id, rule):
    t = table(scenario)
    t.until("reinforcement")
    cadre = enrol(t, "axis", "Ravenna", "infantry", hex_id, nationality="italian", strength=3, steps=2)
    t.do("axis", "lose-steps", unit=cadre)
    with warned(rule):
        t.do("axis", "replace", side="axis", what="cadre", unit=cadre)


def test_divisions_without_three_regiments_however_they_are_written():
    """20.2"""
    t = table("second-kharkov-k")
    jump(t, "maintenance", 2)
    for name, able in (("168.Inf", False), ("57ID", False), ("62.Inf", True)):
        unit = enrol(t, "axis", name, "infantry", "KH3010", rating="A")
        assert may_break_down(t.game, t.game.units[unit]) is able, name


def test_nothing_is_for_sale_without_points():
    """16.0: Axis points of Operation Star come on turn 6; with none on either side the form stays away."""
    t = table("operation-star", synthetic_book(**{"trt-kb": {}}))
    t.until("reinforcement", 1)
    assert "replace" not in [a["name"] for a in t.sees("axis")["actions"]]
    answer(t, "soviet", "take-replacements", foot=4)
    assert "replace" in [a["name"] for a in t.sees("soviet")["actions"]]


@pytest.mark.parametrize(
    ("side", "kind", "facts", "asked"),
    [
        ("soviet", "rifle", {"strength": 3}, True),
        ("soviet", "tank", {"rating": "B", "size": "XXX"}, False),
        ("axis", "infantry", {"rating": "B"}, False),
    ],
)
def test_the_supply_line_is_asked_for_where_it_decides(side, kind, facts, asked):
    """16.31: only Soviet rifle divisions and silhouettes go by it."""
    t = table("operation-star")
    unit = enrol(t, side, "U", kind, "KB3010", **facts)
    form = t.system.rules.actions["lose-steps"].describe(Context(t.game, side), {"unit": unit})
    assert ("no_line" in [f["name"] for f in form]) is asked
