"""Victory [20.0, 27.3, 27.8]: automatic conditions, points, levels, edges, Hitler's goals."""

import pytest
from harness import consents, refused
from kb_bench import enrol, jump, mapped, synthetic_book, table

from companion.engine.errors import NotNow, Unreadable
from companion.systems.kharkov_battles.victory import eliminated_soviets, k_level, level_of, total


def own(t, side, *hexes):
    t.do(side, "own-hexes", side=side, hexes=list(hexes))


def to_the_end(t):
    while not t.game.ended:
        t.next()
    return t.game.ended


@pytest.mark.parametrize(
    ("scenario", "points", "level"),
    [
        ("operation-star", 125, "German Major"),
        ("operation-star", 124, "German Minor"),
        ("operation-star", 115, "German Minor"),
        ("operation-star", 114, "Draw"),
        ("operation-star", 100, "Draw"),
        ("operation-star", 99, "Soviet Minor"),
        ("operation-star", 80, "Soviet Minor"),
        ("operation-star", 79, "Soviet Major"),
        ("january-campaign", 42, "German Major"),
        ("january-campaign", 41, "German Minor"),
        ("january-campaign", 21, "German Minor"),
        ("january-campaign", 20, "Soviet Minor"),
        ("january-campaign", 19, "Soviet Minor"),
        ("january-campaign", 15, "Soviet Minor"),
        ("january-campaign", 14, "Soviet Major"),
        ("grand-campaign", 185, "German Major"),
        ("grand-campaign", 184, "German Minor"),
        ("grand-campaign", 165, "German Minor"),
        ("grand-campaign", 164, "Soviet Minor"),
        ("grand-campaign", 125, "Soviet Minor"),
        ("grand-campaign", 124, "Soviet Major"),
    ],
)
def test_thresholds(scenario, points, level):
    assert level_of(table(scenario).game, points) == level


@pytest.mark.parametrize(
    ("reading", "level"),
    [("german-minor", "German Minor"), ("draw", "Draw"), ("soviet-minor", "Soviet Minor")],
)
def test_januarys_gap_at_20_is_an_option(reading, level):
    assert level_of(table("january-campaign", j_gap=reading).game, 20) == level


STAR_SOVIET = ("KB3617", "KB3618", "KB1905", "KB1205")


@pytest.mark.parametrize(
    ("scenario", "side", "hexes", "last"),
    [
        ("operation-star", "soviet", STAR_SOVIET, "KB1024"),
        ("operation-star", "soviet", STAR_SOVIET, "KB3505"),
        ("operation-star", "axis", (), "KB3631"),  # the rest is Axis-owned in the synthetic book
        ("third-kharkov-l", "axis", ("KB3617", "KB3618", "KB4321"), "KB3126"),
        ("january-campaign", "soviet", ("A3621", "A2110"), "B2114"),
        ("grand-campaign", "soviet", ("B2114", "A3621", "B3050", "G3718"), "A4102"),
        ("grand-campaign", "soviet", ("B2114", "A3621", "B3050", "G3718"), "D1324"),  # Stalino on map D
        ("grand-campaign", "axis", ("B3050", "C2302"), "G2832"),
    ],
)
def test_automatic_victories_come_at_once(scenario, side, hexes, last):
    t = table(scenario)
    own(t, side, *hexes) if hexes else None
    assert t.game.ended is None
    own(t, side, last)
    assert t.game.ended is None  # both sides are told on what grounds, and agree
    t.agree()
    assert t.game.ended and t.game.ended.winner == side
    assert t.game.ended.level in ("Strategic Victory", "Victory")


def test_an_ending_that_no_longer_holds_is_withdrawn_and_a_disputed_one_plays_on():
    t = table("operation-star")
    own(t, "axis", "KB3631")
    assert consents(t.game)
    own(t, "soviet", "KB3631")
    assert not consents(t.game) and not t.game.ended
    own(t, "axis", "KB3631")
    t.do("soviet", "agree", ask=consents(t.game)[0].id, yes=False)
    assert not t.game.ended and not consents(t.game)


def test_an_entering_unit_wins_too():
    t = table("third-kharkov-l")
    own(t, "axis", "KB3617", "KB3618", "KB4321")
    unit = enrol(t, "axis", "LAH 1", "panzergrenadier", "KB3127", size="III", formation="LAH", strength=5)
    t.do("axis", "place-unit", unit=unit, hex="KB3126")
    t.agree()
    assert t.game.ended and t.game.ended.winner == "axis"


def test_points_of_operation_star():
    """20.1: 120 in the synthetic list; -5 a regiment; nothing for a hex without a line."""
    t = table("operation-star")
    assert total(t.game) == 120
    unit = enrol(t, "axis", "LAH 1", "panzergrenadier", "KB3010", size="III", formation="LAH", strength=5)
    stug = enrol(t, "axis", "203 StG", "assault gun", "KB3010", size="II", silhouette=True, strength=3)
    for name in (unit, stug):
        t.do("axis", "eliminate-unit", unit=name)
    assert total(t.game) == 115
    t.do("table", "victory-hex", hexes=["KB1905"], cut=True)
    assert total(t.game) == 90
    own(t, "soviet", "KB3505")
    assert total(t.game) == 85
    t.do("table", "correct", name="vp-other", value="-6")
    assert to_the_end(t).level == "Soviet Major"


def test_without_values_the_companion_does_not_judge():
    t = table("operation-star", synthetic_book(places={}))
    assert to_the_end(t).winner == "nobody"
    assert "by hand" in t.game.ended.why


def test_januarys_losses():
    """27.8: -5 a regiment, -10 a town west of the start line in Soviet hands."""
    t = table("january-campaign")
    assert total(t.game) == 35
    own(t, "soviet", "A2110")
    assert total(t.game) == 20
    assert to_the_end(t).level == "Soviet Minor"


def test_the_grand_campaigns_losses():
    t = table("grand-campaign")
    before = total(t.game)
    t.do("table", "correct", name="regiments-lost", value="2")
    t.do("table", "correct", name="okh", value="7")
    assert total(t.game) == before - 27


# -- Second Kharkov ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("axis", "soviet", "lost", "level"),
    [
        ((), (), 0, "Draw"),
        ((), (), 20, "Draw"),
        ((), (), 21, "German Minor"),
        (("KH2526",), (), 21, "German Major"),
        (("KH2526",), (), 0, "German Minor"),
        (("KH2526", "KH1923"), (), 0, "German Major"),
        ((), ("KH3017",), 0, "Draw"),  # both hexes make one condition
        ((), ("KH3017", "KH3018"), 0, "Soviet Minor"),
        ((), ("KH3017", "KH3018", "KH2905"), 0, "Soviet Major"),
        (("KH2526", "KH1923"), ("KH1305",), 0, "Soviet Minor"),  # both: Soviet
    ],
)
def test_two_condition_victory(axis, soviet, lost, level):
    """20.2"""
    t = table("second-kharkov-k")
    for side, hexes in (("axis", axis), ("soviet", soviet)):
        if hexes:
            own(t, side, *hexes)
    t.do("table", "correct", name="soviet-lost", value=str(lost))
    assert k_level(t.game) == level
    assert to_the_end(t).level == level


def test_units_without_supply_count_as_eliminated():
    t = table("second-kharkov-k")
    division = enrol(t, "soviet", "R", "rifle", "KH3020", strength=3)
    brigade = enrol(t, "soviet", "B", "tank", "KH3020", size="X", silhouette=True, strength=3)
    t.do("soviet", "eliminate-unit", unit=enrol(t, "soviet", "X", "rifle", "KH3020", strength=3))
    assert eliminated_soviets(t.game) == 1
    for unit in (division, brigade):
        t.do("table", "mark", marker="supply", units=[unit], value="oos")
    assert eliminated_soviets(t.game) == 2


def test_a_condition_needs_a_supply_line():
    t = table("second-kharkov-k")
    own(t, "axis", "KH2526")
    t.do("table", "victory-hex", hexes=["KH2526"], cut=True)
    assert k_level(t.game) == "Draw"


# -- edges -------------------------------------------------------------------------------------------------


def lose_edge(t, side, turn, **fields):
    t.until("end", turn)
    if t.game.scenario.id in ("second-kharkov-k", "third-kharkov-l"):
        fields.setdefault("edges", ["northern"])
    t.do("table", "edge-lost", side=side, **fields)


@pytest.mark.parametrize("scenario", ["operation-star", "third-kharkov-l"])
def test_two_turns_without_the_edge_end_the_game(scenario):
    """20.1, 20.3"""
    t = table(scenario)
    first = t.game.scenario.first
    lose_edge(t, "axis", first + 1)
    assert t.game.ended is None
    t.until("end", first + 2)  # held again: the count starts anew
    lose_edge(t, "axis", first + 3)
    assert t.game.ended is None and t.game["edge-axis"] == 1
    lose_edge(t, "axis", first + 4)
    t.agree()
    assert t.game.ended and t.game.ended.winner == "soviet"


@pytest.mark.parametrize(("side", "level"), [("axis", "Soviet Minor"), ("soviet", "German Minor")])
def test_second_kharkov_shifts_the_level(side, level):
    """20.2"""
    t = table("second-kharkov-k")
    lose_edge(t, side, 2)
    with refused(NotNow, rule="20.0", field="side", given=side):
        t.do("table", "edge-lost", side=side, edges=["northern"])
    lose_edge(t, side, 3)
    assert to_the_end(t).level == level  # the Draw moves


def test_januarys_shift_skips_the_draw_it_does_not_have():
    t = table("january-campaign")
    for turn in (62, 63):
        lose_edge(t, "axis", turn)
    assert to_the_end(t).level == "Soviet Minor"  # German Minor by points


def test_the_soviets_hold_no_edge_in_star():
    t = table("operation-star")
    t.until("end", 1)
    with refused(Unreadable, field="side", given="soviet"):
        t.do("table", "edge-lost", side="soviet")


def test_holding_both_edges_is_a_reading():
    t = table("third-kharkov-l", l_edge="both")
    t.until("end", 11)
    with refused(NotNow, rule="20.0", field="edges"):
        t.do("table", "edge-lost", side="axis", edges=["southern"])
    t.do("table", "edge-lost", side="axis", edges=["northern", "southern"])
    assert t.game["edge-axis"] == 1


def test_the_play_areas_edges_are_seen_on_the_map():
    t = table("third-kharkov-l")
    enrol(t, "axis", "N", "infantry", "KB4710", strength=3)
    assert t.calc("edges-held").facts == {"northern": True, "southern": False}
    enrol(t, "axis", "S", "infantry", "KB3110", strength=3)
    assert t.calc("edges-held").result == "held"


# -- Hitler's goals ----------------------------------------------------------------------------------------


def campaign(goal, **options):
    t = table("grand-campaign", mode_chits="physical", **options)
    t.do("axis", "draw-goal", drawn=goal)
    return t


def test_the_caucasus():
    t = campaign("caucasus")
    own(t, "axis", "B2114", "K0917", "C2302", "G3718")
    assert t.game.ended is None
    own(t, "axis", "G2832")
    t.agree()
    assert t.game.ended and "Caucasus" in t.game.ended.why


@pytest.mark.parametrize(
    ("goal", "hexes", "exits", "won"),
    [
        ("moscow", ("B2114", "A3621"), [("C", 3), ("D", 2)], False),
        ("moscow", ("B2114", "A3621"), [("C", 3), ("E", 3)], True),
        ("moscow", ("B2114",), [("C", 6)], True),  # Voronezh is Axis-owned in the synthetic list
        ("volga", ("B2114", "B3050"), [("H", 2), ("I", 1)], True),
        ("volga", ("B2114", "B3050"), [("H", 2)], False),
        ("volga", ("B2114", "B3050"), [("C", 3)], False),
    ],
)
def test_goals_with_exits(goal, hexes, exits, won):
    """27.3"""
    t = campaign(goal)
    own(t, "axis", *hexes)
    for area, number in exits:
        t.do("axis", "exit-units", area=area, number=number)
    t.agree()
    assert bool(t.game.ended) == won


def test_exits_without_supply_do_not_count_and_losses_are_none():
    t = campaign("volga")
    own(t, "axis", "B2114", "B3050")
    unit = enrol(t, "axis", "LAH 1", "panzergrenadier", "B3010", size="III", formation="LAH", strength=5)
    t.do("axis", "exit-units", area="H", units=[unit], no_line=True)
    assert t.game["exits-h"] == 0 and t.game["regiments-lost"] == 0
    assert t.game.units[unit].place == "box:exited"


def test_one_area_for_the_volga_is_a_reading():
    t = campaign("volga", volga_both="one")
    own(t, "axis", "B2114", "B3050")
    t.do("axis", "exit-units", area="H", number=2)
    t.do("axis", "exit-units", area="I", number=1)
    assert t.game.ended is None
    t.do("axis", "exit-units", area="H", number=1)
    t.agree()
    assert t.game.ended


def test_goals_are_drawn_on_four_turns_and_old_ones_leave():
    t = table("grand-campaign")
    tokens = set(t.game.piles["goals"].tokens())
    for turn in (1, 10, 28, 46):
        if turn > 1:
            t.until("weather", turn)
        t.do("axis", "draw-goal")
        assert len(t.game.piles["goals"]["current"]) == 1
        with refused(NotNow, given="draw-goal"):
            t.do("axis", "draw-goal")
    assert len(t.game.piles["goals"]["removed"]) == 3
    assert set(t.game.piles["goals"].tokens()) == tokens
    t.until("weather", 47)
    with refused(NotNow, given="draw-goal"):
        t.do("axis", "draw-goal")


@pytest.mark.parametrize(("option", "over"), [(True, True), (False, False)])
def test_hitler_takes_over(option, over):
    """27.3, optional"""
    t = campaign("volga", hitler_sack=option)
    own(t, "soviet", "B2114", "B3050")
    t.until("weather", 10)
    t.do("axis", "draw-goal", drawn="moscow")
    t.agree()
    assert bool(t.game.ended) == over


# -- January's events --------------------------------------------------------------------------------------


def test_the_rostov_fight():
    """27.8: +1 SP for the turn only, Soviet points doubled, never more."""
    t = table("january-campaign")
    enrol(t, "soviet", "R", "rifle", "B2119", strength=3)
    t.until("maintenance", 62)
    t.answer("table", [a["action"] for a in t.asked("table")].index("rostov-fight"))
    assert t.game["sp-free"] == 1
    t.do("table", "correct", name="star-units", value="3")
    t.until("reinforcement", 62)
    assert t.game["rp-soviet-foot"] == 8
    t.until("weather", 63)
    assert t.game["sp-free"] == 0


def test_star_hexes():
    t = table("january-campaign")
    t.until("axis-move", 62)
    t.do("axis", "star-hex", number=2)
    assert not t.asked("soviet")
    t.do("axis", "star-hex")
    assert "Star Optional" in t.asked("soviet")[0]["text"]
    t.until("reinforcement", 63)
    assert t.game["rp-soviet-mech"] == 2


def test_voronezh_brings_one_division_once():
    t = table("january-campaign")
    t.until("soviet-move", 62)
    own(t, "soviet", "A3621")
    t.until("reinforcement", 63)
    ask = next(a for a in t.asked("soviet") if "free rifle division" in a["text"])
    t.do("soviet", "dismiss", ask=ask["id"])
    own(t, "axis", "A3621")
    own(t, "soviet", "A3621")
    t.until("reinforcement", 64)
    assert not [a for a in t.asked("soviet") if "free rifle division" in a["text"]]


def test_the_rumanians_leave_on_turn_64():
    t = table("january-campaign")
    unit = enrol(t, "axis", "1 Rum", "infantry", "B3010", nationality="rumanian", steps=2, strength=3)
    t.until("reinforcement", 64)
    assert t.game.units[unit].place == "box:withdrawn"


def test_fortress_regions():
    """27.4"""
    t = table("january-campaign")
    t.do("table", "fortress-region", name="75", hex="A4317")
    unit = next(u for u in t.game.units.values() if u.kind == "fortress region")
    t.do("soviet", "eliminate-unit", unit=unit.id)
    assert t.game.units[unit.id].turn == 66
    with refused(NotNow, given="fortress-region"):
        table("third-kharkov-l").do("table", "fortress-region", name="75", hex="A4317")


def test_the_axis_point_panel_tells_the_level():
    t = table("operation-star")
    jump(t, "end", 1)
    panel = next(p for p in t.sees("watch")["panels"] if p["title"] == "Victory")
    assert panel["rows"][-1]["value"] == "120: German Minor"


def test_the_last_trace_counts_not_the_last_marker():
    """20.2: who can trace at the end is not eliminated, whatever its last supply phase said; HQs never count."""
    t = mapped(("source", "KH3031", "", "soviet"), scenario="second-kharkov-k")
    division = enrol(t, "soviet", "R", "rifle", "KH3020", strength=3)
    t.do("table", "mark", marker="supply", units=[division], value="oos")
    assert eliminated_soviets(t.game) == 0
    hq = enrol(t, "soviet", "Bobkin", "hq army", "KH3021", size="XXX", reach=5)
    t.do("soviet", "eliminate-unit", unit=hq)
    assert t.game["soviet-lost"] == 0


def test_only_multi_step_mechanized_units_count_when_they_leave():
    """27.3"""
    t = campaign("volga")
    names = [
        enrol(
            t, "axis", "LAH 1", "panzergrenadier", "B3010", size="III", formation="LAH", strength=5, steps=2
        ),
        enrol(t, "axis", "320 Inf", "infantry", "B3010", rating="A"),
        enrol(t, "axis", "203 StG", "assault gun", "B3010", size="II", silhouette=True, strength=3),
    ]
    t.do("axis", "exit-units", area="H", units=names)
    assert t.game["exits-h"] == 1


def test_the_panel_says_what_is_missing_to_win_at_once():
    """20.1: one look tells how far each side is."""
    t = table("operation-star")
    own(t, "soviet", "KB3617", "KB1905", "KB1024")

    panel = next(p for p in t.sees("table")["panels"] if p["title"] == "Victory")
    rows = {r["label"]: r["value"] for r in panel["rows"]}
    assert rows["Soviet wins at once with Kharkov, Zaporozh'ye"] == "2 to go"
    assert rows["Axis wins at once with Kharkov, Dnepropetrovsk, Stalino, Valuki"] == "4 to go"
    own(t, "soviet", "KB3618", "KB1205")
    t.agree()
    assert t.game.ended.why == "Soviet owns Kharkov, Dnepropetrovsk, Zaporozh'ye and Stalino."


def test_without_owners_the_panel_says_so():
    t = table("operation-star", synthetic_book(places={}))
    panel = next(p for p in t.sees("table")["panels"] if p["title"] == "Victory")
    assert {"owners?", "by hand"} == {r["value"] for r in panel["rows"]}


def test_second_kharkovs_panel_counts_the_lost():
    """20.2: 21 are needed; the panel says how many there are."""
    t = table("second-kharkov-k")
    t.do("table", "correct", name="soviet-lost", value="7")
    panel = next(p for p in t.sees("axis")["panels"] if p["title"] == "Victory")
    assert panel["rows"][0]["value"] == "7 of 21"


def test_the_goal_is_offered_once():
    """27.3: the prompt is enough; no second button beside it."""
    t = table("grand-campaign")
    assert [a["action"] for a in t.asked("axis")] == ["draw-goal"]
    assert "draw-goal" not in [a["name"] for a in t.sees("axis")["actions"]]
