"""What a strict owner tried and what fell: each point as it is played, with its rule."""

import pytest
from harness import refused
from kb_bench import (
    answer,
    battle,
    designate,
    duties,
    enrol,
    fight,
    jump,
    mapped,
    options,
    synthetic_book,
    table,
    total,
    warned,
)

from companion.engine.errors import NotNow, NotYours, StillOwed
from companion.engine.forms.fields import Context
from companion.engine.hexes.typed import HexError
from companion.engine.play.actions import describe_fields
from companion.systems.kharkov_battles import ground
from companion.systems.kharkov_battles.lines import can_trace, supplies
from companion.systems.kharkov_battles.moves import astray


def mark(t, unit, marker, value="on"):
    t.do("table", "mark", marker=marker, units=[unit], value=value)


# -- 8.3, 9.4: movement ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "marks", "points"),
    [
        ("panzer", {}, 8),
        ("panzer", {"supply": "oos"}, 3),
        ("panzer", {"supply": "isolated"}, 1),
        ("panzer", {"ls": "on"}, 4),
        ("infantry", {"supply": "oos"}, 4),
        ("infantry", {"supply": "isolated"}, 4),
    ],
)
def test_the_movement_worksheet_reads_the_chosen_counter(kind, marks, points):
    """8.32, 8.33, 9.4: class, state and support are the counter's, whatever else stands in the form."""
    t = table("operation-star")
    unit = enrol(t, "axis", "U", kind, "KB3010", movement=8)
    for marker, value in marks.items():
        mark(t, unit, marker, value)
    assert t.calc("movement", unit=unit).facts["mp"] == points
    assert t.calc("movement", unit=unit, printed=2, mech=False, state="ok").facts["mp"] == points
    sheet = t.rules.worksheets["movement"]
    asked = describe_fields(sheet.fields, sheet.defaults, Context(t.game), {"unit": unit})
    assert [row["name"] for row in asked] == ["unit"]


def test_an_allowance_that_nobody_copied_is_asked_for():
    """10.53: never taken as nothing."""
    t = table("operation-star")
    unit = enrol(t, "axis", "U", "panzer", "KB3010")
    with refused(NotNow, rule="10.53", field="printed"):
        t.calc("movement", unit=unit)
    mark(t, unit, "supply", "oos")
    assert t.calc("movement", unit=unit, printed=8).facts["mp"] == 3


def test_a_cadre_goes_home_at_full_speed():
    """9.42: asked of a cadre with Limited Support only."""
    t = table("operation-star")
    unit = enrol(t, "axis", "U", "panzer", "KB3010", movement=7, steps=2)
    mark(t, unit, "ls")
    assert t.calc("movement", unit=unit, homeward=True).facts["mp"] == 4
    mark(t, unit, "cadre")
    assert t.calc("movement", unit=unit, homeward=True).facts["mp"] == 7


# -- 15.2: breakdown regiments -----------------------------------------------------------------------------


def broken(**options):
    t = table("operation-star", **options)
    jump(t, "maintenance", 2)
    division = enrol(t, "axis", "320 Inf", "infantry", "KB3010", rating="A")
    t.do("axis", "break-down", unit=division)
    return t, division, [u.id for u in t.game.units_at("KB3010")]


def test_a_regiments_strength_is_asked_once_and_is_that_of_all():
    """15.2, 15.22: never 1 in silence; generic counters are alike, also those made later."""
    t, _, regiments = broken()
    assert not any(t.game.units[r].factors for r in regiments)
    enrol(t, "soviet", "R", "rifle", "KB3011", strength=4)
    jump(t, "axis-combat", 2)
    t.do("axis", "declare-assault", target="KB3011", attackers=regiments, anyway=True)
    answer(t, "axis", "begin-assault")
    assert total(t, "attack") is None
    answer(t, "axis", "tell-strength", strength=3)
    assert total(t, "attack") == 9 and not duties(t, "axis", "tell-strength")
    jump(t, "maintenance", 3)
    other = enrol(t, "axis", "298 Inf", "infantry", "KB3505", rating="A")
    t.do("axis", "break-down", unit=other, anyway=True)
    assert [u.factors["CS"] for u in t.game.units_at("KB3505")] == [3, 3, 3]


def test_an_ersatz_battalion_without_a_number_is_asked_about():
    """20.1: its printed strength is not made up."""
    t = table("operation-star")
    t.until("reinforcement", 2)
    t.do("axis", "place-ersatz", hex="KB3617")
    unit = next(u for u in t.game.units.values() if u.kind == "ersatz")
    assert "CS" not in unit.factors


# -- 8.3: supply that went stale ---------------------------------------------------------------------------


def test_a_division_from_the_breakdown_pool_brings_no_old_marker():
    """8.31, 15.22: broken down out of supply, put together again in supply."""
    t, division, regiments = broken()
    t.do("axis", "recombine", hex="KB3010", division=division)
    mark(t, division, "supply", "oos")
    t.do("axis", "break-down", unit=division)
    assert [t.game.mark(r, "supply") for r in regiments] == ["oos"] * 3
    assert not t.game.mark(division, "supply")
    for r in regiments:
        t.do("table", "mark", marker="supply", units=[r], value="off")
    t.do("axis", "recombine", hex="KB3010", division=division)
    assert not t.game.mark(division, "supply")


def test_a_recombined_division_is_judged_as_its_regiments_were():
    """8.3: the state of this turn's supply phase holds until the next."""
    t, division, regiments = broken()
    t.do("table", "mark", marker="supply", units=regiments, value="oos")
    t.do("axis", "recombine", hex="KB3010", division=division)
    assert t.game.mark(division, "supply") == "oos"
    assert not any(t.game.mark(r, "supply") for r in regiments)


@pytest.mark.parametrize("box", ["pool", "track", "entry"])
def test_who_comes_back_from_a_box_is_operational(box):
    """8.31: also who was put there by hand."""
    t = table("operation-star")
    unit = enrol(t, "soviet", "R", "rifle", "KB3010", strength=3)
    mark(t, unit, "supply", "isolated")
    t.do("table", "place-unit", unit=unit, box=f"box:{box}")
    t.do("table", "place-unit", unit=unit, hex="KB3012")
    assert not t.game.mark(unit, "supply")


# -- 18.2: pontoons ----------------------------------------------------------------------------------------


def test_second_kharkovs_pontoons_stand_where_the_chart_says():
    """18.21, 20.2: over a Major River too, and supply crosses there; off any river it is said."""
    facts = [("source", "KH3001", "", "soviet")]
    for row in range(4, 44):
        a = f"KH{row:02d}10"
        for b in [
            f"KH{row:02d}11",
            *([f"KH{r:02d}11" for r in (row - 1, row + 1) if 4 <= r <= 43] if row % 2 else []),
        ]:
            facts.append(("side", *sorted((a, b)), "major river"))
    t = mapped(*facts, scenario="second-kharkov-k")
    unit = enrol(t, "soviet", "R", "rifle", "KH3015", strength=3)
    assert can_trace(t.game, t.game.units[unit]) is False
    with warned("18.21", "no river"):
        t.do("soviet", "setup-pontoon", hex="KH3014", across="KH3015")
    t.do("soviet", "setup-pontoon", hex="KH3010", across="KH3011")
    assert can_trace(t.game, t.game.units[unit]) is True
    with refused(NotNow, rule="18.21", field="across"):
        t.do("soviet", "setup-pontoon", hex="KH3011", across="KH3010")


# -- 16.3: the pool, the dead, and who comes back ----------------------------------------------------------


def flag(t, seat, name):
    return next(r["value"] for r in duties(t, seat, "take-losses")[0]["form"] if r["name"] == name)


def test_a_pocket_that_starves_has_no_line():
    """8.4, 16.31: Isolated units are cut off by their very state; the card says so before it is asked."""
    t = table("operation-star")
    t.until("supply", 2)
    units = [enrol(t, "soviet", n, "rifle", "KB3010", strength=3) for n in ("R", "S")]
    for unit in units:
        mark(t, unit, "supply", "isolated")
    t.do("soviet", "judge-supply", side="soviet", cut=units)
    answer(t, "soviet", "roll-attrition", die="9")
    assert flag(t, "soviet", "no_line") is True
    answer(t, "soviet", "take-losses", how=f"{units[0]}:1", no_line=True)
    assert t.game.units[units[0]].place == "box:dead"


def test_an_encircled_stack_loses_its_first_step_for_good_and_the_next_perhaps_not():
    """16.31 and the combat example: no line out of the ring, one where the way back leads."""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    own = [enrol(t, "axis", h, "infantry", h, strength=3) for h in ("KB3010", "KB3012", "KB3111", "KB2911")]
    units = [enrol(t, "soviet", n, "rifle", "KB3011", strength=1) for n in ("R", "S", "T")]
    assert ground.encircled(t.game, "KB3011", "axis")
    fight(t, "KB3011", *own[:2], die="7")  # D(1)r2
    answer(t, "soviet", "settle-result", more=0)
    assert flag(t, "soviet", "no_line") is True
    answer(t, "soviet", "take-losses", how=f"{units[0]}:1", no_line=True)
    answer(t, "soviet", "fall-back", to=next(iter(options(t, "soviet", "fall-back", "to"))))
    assert flag(t, "soviet", "no_line") is False
    assert t.game.units[units[0]].place == "box:dead"


def test_a_loss_on_the_way_back_is_judged_where_it_falls():
    """12.73, 16.31: in the hex of the enemy zone, not where the retreat ends."""
    source = ("source", "KB3031", "", "soviet")
    t = mapped(source)
    jump(t, "axis-combat", 1)
    one = enrol(t, "axis", "LAH 1", "infantry", "KB3010", strength=9)
    for h in ("KB3013", "KB3211", "KB2811"):
        enrol(t, "axis", h, "security", h, strength=1)
    units = [enrol(t, "soviet", n, "rifle", "KB3011", strength=1) for n in ("R", "S", "T")]
    fight(t, "KB3011", one, die="6")  # Dr1
    answer(t, "soviet", "settle-result", more=0)
    ways = options(t, "soviet", "fall-back", "to")
    way = next(iter(ways))
    assert "lose" in ways[way]
    answer(t, "soviet", "fall-back", to=way)
    duty = t.game.asked[duties(t, "soviet", "take-losses")[0]["id"]]
    assert duty.args["traced"] and None not in duty.args["traced"]
    assert "no_line" not in [r["name"] for r in duties(t, "soviet", "take-losses")[0]["form"]]
    boxes = ["box:pool" if line else "box:dead" for line in duty.args["traced"]]
    answer(t, "soviet", "take-losses", how=f"{units[0]}:1+{units[1]}:1")
    assert [t.game.units[u].place for u in units[:2]] == boxes == ["box:dead", "box:pool"]


def lost_hq():
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    hq = enrol(t, "axis", "III. PzK", "hq panzerkorps", "KB3010", reach=4)
    t.do("axis", "eliminate-unit", unit=hq)
    t.until("reinforcement", 6)
    return t, hq


def test_an_hq_returns_to_a_friendly_city_by_its_own_side():
    """16.33: not to a town, not to the enemy's city, not by the other seat."""
    t, hq = lost_hq()
    with refused(NotYours, field="unit", given="soviet"):
        t.do("soviet", "return-unit", unit=hq, hex="KB1905")
    with refused(NotNow, rule="16.33, 16.35", field="hex"):
        t.do("axis", "return-unit", unit=hq)
    with warned("16.33", "KB4321 is no city"):
        t.do("axis", "return-unit", unit=hq, hex="KB4321")
    t.do("axis", "own-hexes", side="soviet", hexes=["KB1905"])
    with warned("16.33", "not owned by the Axis"):
        t.do("axis", "return-unit", unit=hq, hex="KB1905")
    t.do("axis", "return-unit", unit=hq, hex="KB1205")
    assert t.game.units[hq].place == "KB1205"


def test_the_wrong_seat_neither_rolls_the_mud_nor_takes_the_bridge():
    """4.1, 18.22"""
    t = table("operation-star")
    t.until("weather", 5)
    ask = next(a for a in t.game.asked.values() if a.action == "roll-mud")
    with refused(NotYours, given="axis"):
        t.do("axis", "roll-mud", _asked=ask.id, die="5")
    t.do("soviet", "roll-mud", _asked=ask.id, die="5")
    jump(t, "soviet-construction", 5)
    t.do("soviet", "place-pontoon", hex="KB3010", across="KB3011")
    enrol(t, "soviet", "R", "rifle", "KB3010", strength=3)
    with refused(NotYours, field="side", given="axis"):
        t.do("axis", "remove-pontoon", bridge="KB3010-KB3011", side="soviet")


# -- 11.27: stopped ----------------------------------------------------------------------------------------


def test_a_unit_stopped_by_an_ad_goes_no_further():
    """11.27: neither over a lone unit nor through a zone; the players may know better."""
    t = mapped()
    jump(t, "axis-move", 2)
    t.do("table", "correct", name="weather", value="clear")
    unit = enrol(t, "axis", "LAH 1", "panzer", "KB3010", size="III", formation="LAH", strength=9, steps=2)
    enrol(t, "soviet", "6 Rifle", "rifle", "KB3011", strength=9)
    hq = enrol(t, "soviet", "HQ", "hq army", "KB3009", reach=4)
    t.do("axis", "mobile-assault", unit=unit, target="KB3011", attack=9, defence=9, die="1")
    assert battle(t).result == "AD"
    with warned("11.27", "moves no further"):
        t.do("axis", "overrun", victim=hq, by_unit=unit)
    with warned("11.27", "moves no further"):
        t.do("axis", "infiltrate", units=[unit], hex="KB3110")
    t.do("axis", "infiltrate", units=[unit], hex="KB3110", anyway=True)
    assert t.game.units[unit].place == "KB3110"


# -- 18.14: builders ---------------------------------------------------------------------------------------


def test_a_builder_that_became_a_cadre_builds_no_more():
    """18.14: advanced only while the conditions are met."""
    t = table("operation-star")
    jump(t, "axis-construction", 2)
    unit = enrol(t, "axis", "320 Inf", "infantry", "KB3010", strength=5, steps=2)
    t.do("axis", "build-fz", units=[unit])
    t.do("axis", "lose-steps", unit=unit)
    assert t.game.mark(unit, "cadre")
    t.until("axis-construction", 3)
    assert t.game.mark("KB3010", "building-axis") == 3


# -- 16.0: a phase entered twice ---------------------------------------------------------------------------


def test_going_back_a_phase_and_on_again_gives_nothing_twice():
    """5.11, 16.0, 18.14, 20.1: points, battalions and works come once a turn."""
    t = table("operation-star")
    t.until("axis-construction", 2)
    t.do("axis", "build-fz", hexes=["KB3010"])
    t.until("air", 3)
    t.do("axis", "interdict", hexes=["KB3010", "KB3011"])
    t.do("table", "go-to", turn=3, phase="weather")
    t.until("air", 3)
    assert t.game["air-axis"] == 1  # two are spent
    t.until("reinforcement", 6)
    points, ersatz = t.game["rp-axis-mech"], t.game["ersatz"]
    t.do("soviet", "replace", side="soviet", what="rifle")
    left = t.game["rp-soviet-foot"]
    t.do("table", "go-to", turn=6, phase="maintenance")
    t.until("reinforcement", 6)
    assert (t.game["rp-axis-mech"], t.game["ersatz"], t.game["rp-soviet-foot"]) == (points, ersatz, left)
    t.until("axis-construction", 6)
    work = t.game.mark("KB3010", "building-axis"), t.game.mark("KB3010", "fz")
    t.do("table", "go-to", turn=6, phase="reinforcement")
    t.until("axis-construction", 6)
    assert (t.game.mark("KB3010", "building-axis"), t.game.mark("KB3010", "fz")) == work


def test_weather_that_was_put_right_changes_the_air_box():
    """19.15: the track's Mud column, though the phase is entered a second time."""
    t = table("operation-star")
    t.until("air", 3)
    assert t.game["air-axis"] == 3
    t.do("table", "go-to", turn=3, phase="weather")
    t.do("table", "correct", name="weather", value="mud")
    t.until("air", 3)
    assert t.game["air-axis"] == 1


# -- 20.1, 20.2: names -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "facts", "free"),
    [
        ("108 Light", {"kind": "light", "nationality": "hungarian"}, True),
        ("Hung. 108 Light", {"kind": "light", "nationality": "hungarian"}, True),
        ("Hung. 108 Le", {"kind": "infantry"}, True),
        ("108", {"kind": "infantry", "nationality": "hungarian"}, True),
        ("108 Inf", {"kind": "infantry"}, False),
        ("1108 Light", {"kind": "light", "nationality": "hungarian"}, False),
    ],
)
def test_the_hungarian_light_division_however_it_is_written(name, facts, free):
    """20.2"""
    t = table("second-kharkov-k")
    unit = enrol(t, "axis", name, hex="KH3010", strength=3, steps=2, **facts)
    t.until("maintenance", 2)
    assert bool(t.game.mark(unit, "full-support")) is free


@pytest.mark.parametrize(
    ("name", "kind", "formation", "free"),
    [
        ("LAH 1", "panzergrenadier", "LAH", True),
        ("1", "panzergrenadier", "Leibstandarte", True),
        ("1/1SS", "panzergrenadier", "1SS", True),
        ("Tiger", "tiger company", "Das Reich", True),
        ("DR Tiger", "tiger company", "", True),
        ("Tiger", "tiger company", "2SS", True),
        ("Der Fuehrer", "panzergrenadier", "Das Reich", False),
        ("Tiger", "tiger company", "GD", False),
        ("Drei", "tiger company", "11SS", False),
    ],
)
def test_lah_and_the_tigers_of_das_reich_however_they_are_written(name, kind, formation, free):
    """20.1"""
    t = table("operation-star")
    unit = enrol(t, "axis", name, kind, "KB3010", formation=formation)
    t.until("maintenance", 1)
    assert bool(t.game.mark(unit, "full-support")) is free


# -- 20.1: the map's limits --------------------------------------------------------------------------------


def test_the_map_reaches_beyond_38th_armys_row_and_says_who_sets_its_limits():
    """20.1"""
    t = table("operation-star")
    unit = enrol(t, "soviet", "38 Rifle", "rifle", "KB5010", formation="yellow", strength=3)
    assert t.game.units[unit].place == "KB5010"
    with refused(HexError, field="hex") as came:
        t.do("table", "place-unit", unit=unit, hex="KB9910")
    assert "map book" in str(came.value)


def test_no_encirclement_at_an_edge_that_nobody_confirmed():
    """12.5: the map may go on there; the owner's own limits settle it."""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    own = [enrol(t, "axis", h, "infantry", h, strength=9) for h in ("KB1009", "KB1011", "KB1110")]
    enrol(t, "soviet", "R", "rifle", "KB1010", strength=3)
    assert not ground.encircled(t.game, "KB1010", "axis")
    designate(t, "KB1010", own[0])
    answer(t, "axis", "begin-assault")
    asked = [r["name"] for r in t.form_of("axis", t.game.asked[duties(t, "axis", "roll-assault")[0]["id"]])]
    assert "encircled" in asked  # who sees the map may tick it


# -- 12.7, 12.8: back and after ----------------------------------------------------------------------------


def beaten(result="D(1)r2", kind="infantry", *facts, **more):
    """A Soviet stack in KB3011, attacked from KB3010, with a result read off the table."""
    t = mapped(*facts)
    jump(t, "axis-combat", 1)
    own = enrol(t, "axis", "A", kind, "KB3010", strength=9, **more)
    foe = enrol(t, "soviet", "Gds", "rifle", "KB3011", strength=3, steps=2, guards=True)
    fight(t, "KB3011", own, die={"D(1)r2": "7", "Dr1": "6"}[result])
    return t, own, foe


def test_a_way_back_is_a_path_and_the_advance_follows_it():
    """12.72, 12.82: the hexes between are on the card and in the record; foot advances along them."""
    t, own, foe = beaten()
    answer(t, "soviet", "settle-result", more=0)
    ways = options(t, "soviet", "fall-back", "to")
    assert ways["KB3013"] == "KB3013 by KB3012"
    answer(t, "soviet", "fall-back", to="KB3013")
    assert battle(t).facts["paths"] == {"KB3011": ["KB3012", "KB3013"]}
    offered = next(r for r in duties(t, "axis", "advance")[0]["form"] if r["name"] == "hex")
    assert [c["value"] for c in offered["choices"]] == ["KB3011", "KB3012"]
    with warned("12.82-12.85", "along the path of retreat"):
        answer(t, "axis", "advance", units=[own], hex="KB3111")
    answer(t, "axis", "advance", units=[own], hex="KB3012")
    assert t.game.units[own].place == "KB3012"


def test_mechanized_units_leave_the_path_but_stop_in_the_next_zone():
    """12.82: steps 2 and 3."""
    t, own, foe = beaten("D(1)r2", "panzer", size="III", formation="6 Pz", steps=2)
    enrol(t, "soviet", "Z", "rifle", "KB3212", strength=3)  # its zone covers KB3111
    answer(t, "soviet", "settle-result", more=0)
    answer(t, "soviet", "fall-back", to="KB3013")
    answer(t, "axis", "advance", units=[own], hex="KB3111")
    assert t.game.units[own].place == "KB3111"


def test_foot_stops_in_the_zone_of_the_first_hex():
    """12.82: step 2."""
    t, own, foe = beaten()
    enrol(t, "soviet", "Z", "rifle", "KB3111", strength=3)
    answer(t, "soviet", "settle-result", more=0)
    answer(t, "soviet", "fall-back", to="KB3013")
    with warned("12.82-12.85", "no further than an enemy zone"):
        answer(t, "axis", "advance", units=[own], hex="KB3012")


def test_no_advance_over_an_unbridged_major_river_after_the_first_hex():
    """12.83"""
    rivers = [("side", "KB3011", "KB3012", "major river")]
    t, own, foe = beaten("D(1)r2", "panzer", *rivers, size="III", formation="6 Pz", steps=2)
    answer(t, "soviet", "settle-result", more=0)
    answer(t, "soviet", "fall-back", to="map", hex=["KB3012", "KB3013"])
    with warned("12.82-12.85"):
        answer(t, "axis", "advance", units=[own], hex="KB3012")


def test_a_way_told_hex_by_hex_is_priced_by_the_companion():
    """12.71, 12.73: zones entered, and hexes not gone."""
    t, own, foe = beaten()
    enrol(t, "axis", "Z", "infantry", "KB3212", strength=3)
    answer(t, "soviet", "settle-result", more=0)
    card = t.game.asked[duties(t, "soviet", "fall-back")[0]["id"]]
    rows = [r["name"] for r in t.form_of("soviet", card, to="map", hex=["KB3111"])]
    assert "steps" not in rows
    answer(t, "soviet", "fall-back", to="map", hex=["KB3111"])  # a zone, and one hex short
    assert battle(t).facts["lost"]["D"] == 2 and not t.game.units[foe].on_map


def test_the_ways_are_buttons_and_elsewhere_asks_for_the_hexes():
    """12.72: one tap for a way that is offered; another is told hex by hex, and by the one who was asked."""
    t, own, foe = beaten()
    answer(t, "soviet", "settle-result", more=0)
    first = duties(t, "soviet", "fall-back")[0]
    assert first["at_once"]
    answer(t, "soviet", "fall-back", to="map")
    asked = [
        r["name"] for r in duties(t, "soviet", "fall-back")[0]["form"] if not r["quiet"] and not r["hidden"]
    ]
    assert asked[0] == "hex" and "to" not in asked
    with refused(NotYours, given="axis"):
        t.do("axis", "fall-back", _asked=duties(t, "soviet", "fall-back")[0]["id"], hex=["KB3111"])
    answer(t, "soviet", "fall-back", hex=["KB3111", "KB3212"])
    assert t.game.units[foe].place == "KB3212" and battle(t).facts["back"] == 2


def test_a_retreat_goes_on_to_the_first_free_hex():
    """12.74: beside an enemy whose own attack is still to come it may not end; the victor does not follow so far."""
    t = mapped()
    jump(t, "axis-combat", 1)
    own = enrol(t, "axis", "A", "infantry", "KB3010", strength=9)
    enrol(t, "soviet", "Gds", "rifle", "KB3011", strength=3, steps=2, guards=True)
    waits = [enrol(t, "axis", h, "hq armeekorps", h) for h in ("KB3013", "KB3211", "KB2811")]
    for h, target in zip(waits, ("KB3014", "KB3311", "KB2711"), strict=True):
        enrol(t, "soviet", target, "rifle", target, strength=3)
        designate(t, target, h, anyway=True)
    designate(t, "KB3011", own, anyway=True)
    ask = next(d for d in duties(t, "axis", "begin-assault") if "KB3011" in d["text"])
    t.do("axis", "begin-assault", _asked=ask["id"])
    answer(t, "axis", "roll-assault", die="6")  # Dr1
    answer(t, "soviet", "settle-result", more=0)
    for words in options(t, "soviet", "fall-back", "to").values():
        assert " by " in words or "Elsewhere" in words  # one hex is not enough
    answer(t, "soviet", "fall-back", to=next(iter(options(t, "soviet", "fall-back", "to"))))
    fought = next(b for b in t.game.battles.values() if b.title == "Attack on KB3011")
    assert fought.facts["back"] == 1 and len(fought.facts["paths"]["KB3011"]) > 1


# -- 7.26, 11.1, 11.3, 20.x: moves -------------------------------------------------------------------------


def test_a_major_river_crossed_into_a_zone_is_noticed():
    """7.26: from where it stood and stands; it goes off when the unit goes back, and is owed when it does not attack."""
    river = [("side", "KB3010", "KB3011", "major river"), ("side", "KB3011", "KB3110", "major river"),
             ("side", "KB2910", "KB3011", "major river")]  # fmt: skip
    t = mapped(*river)
    jump(t, "axis-construction", 2)
    unit = enrol(t, "axis", "U", "infantry", "KB3010", strength=5)
    enrol(t, "soviet", "R", "rifle", "KB3012", strength=3)
    t.next()
    t.do("axis", "place-unit", unit=unit, hex="KB3011")
    assert t.game.mark(unit, "must-attack")
    t.do("axis", "place-unit", unit=unit, hex="KB3010")
    assert not t.game.mark(unit, "must-attack")
    t.do("axis", "place-unit", unit=unit, hex="KB3011")
    t.next()
    with pytest.raises(StillOwed) as said:
        t.do("axis", "next-phase")
    assert any("[7.26]" in words for words in said.value.said)
    t.next("axis")
    assert [a.text for a in t.game.asked.values() if a.rule == "7.26"] == [
        "Axis: U did not attack, retreat it over the river"
    ]


@pytest.mark.parametrize(
    ("fact", "words", "rule"),
    [
        (("side", "KB3010", "KB3011", "major river"), "Major River into an empty hex", "11.1"),
        (("side", "KB3010", "KB3011", "dnepr"), "over the Dnepr", "11.1"),
        (("area", "KB3011", "", "fz soviet"), "empty enemy Fortified Zone", "11.1, 18.13"),
    ],
)
def test_where_infiltration_does_not_lead(fact, words, rule):
    """11.1, 18.13: the target is asked for; a friend in it opens river and works."""
    t = mapped(fact)
    jump(t, "axis-move", 2)
    unit = enrol(t, "axis", "U", "panzer", "KB3010", size="III", formation="6 Pz")
    with warned(rule, words):
        t.do("axis", "infiltrate", units=[unit], hex="KB3011")
    with warned("10.56", "not adjacent"):
        t.do("axis", "infiltrate", units=[unit], hex="KB3020")
    if "dnepr" not in fact:
        enrol(t, "axis", "F", "infantry", "KB3011", strength=3)
        t.do("axis", "infiltrate", units=[unit], hex="KB3011")
        assert t.game.units[unit].place == "KB3011" and t.game.mark(unit, "infiltrated")


def test_an_overrun_carries_the_unit_in():
    """11.31: into the hex, whether its victim is lost or displaced."""
    for friend in (False, True):
        t = table("operation-star")
        jump(t, "axis-move", 2)
        unit = enrol(t, "axis", "U", "panzer", "KB3010", size="III", formation="6 Pz", strength=9, steps=2)
        hq = enrol(t, "soviet", "HQ", "hq army", "KB3011", reach=4)
        if friend:
            enrol(t, "soviet", "R", "rifle", "KB3012", strength=3)
        t.do("axis", "overrun", victim=hq, by_unit=unit)
        if friend:
            answer(t, "soviet", "overrun-fate", fate="KB3012")
        assert t.game.units[unit].place == "KB3011"


def test_popovs_trucks():
    """20.1, optional: orange mechanized units do not move on turn 0; said of a Mobile Assault, and as the phase ends."""
    t = table("operation-star", popov_trucks=True)
    unit = enrol(t, "soviet", "3 Tank", "tank", "KB3010", size="XXX", formation="orange", strength=9, steps=2)
    free = enrol(t, "soviet", "6 Rifle", "rifle", "KB3010", formation="orange", strength=3)
    t.until("soviet-move", 0)
    enrol(t, "axis", "E", "infantry", "KB3012", strength=3)
    for name in (unit, free):
        t.do("soviet", "place-unit", unit=name, hex="KB3011")
    assert [(who, rule) for who, _, rule in astray(t.game)] == [("3 Tank", "20.1")]
    with warned("20.1", "Popov's trucks"):
        t.do("soviet", "declare-mobile", unit=unit, target="KB3012")
    with pytest.raises(StillOwed) as said:
        t.do("soviet", "next-phase")
    assert any("3 Tank" in words and "[20.1]" in words for words in said.value.said)


def test_38th_army_stays_north():
    """20.1: on row KB49 or north of it; every other army goes where it likes."""
    t = table("operation-star")
    units = {
        h: enrol(t, "soviet", h, "rifle", h, formation=colour, strength=3)
        for h, colour in (("KB4910", "yellow"), ("KB4810", "Yellow"), ("KB4811", "pink"))
    }
    t.until("soviet-move", 0)
    assert [who for who, *_ in astray(t.game)] == ["KB4810"] and len(units) == 3
    assert "Moves to put right" in [p["title"] for p in t.sees("soviet")["panels"]]


def test_januarys_prohibited_area():
    """27.8: round Stalingrad nobody stands, and nobody retreats there."""
    t = table("january-campaign")
    inside = [h for h in ("B2853", "B2846", "B3346", "B3352", "B3050") if ground.out_of_play(t.game, h)]
    outside = [h for h in ("B2753", "B2845", "B3345", "B3446", "A3050") if not ground.out_of_play(t.game, h)]
    assert (len(inside), len(outside)) == (5, 5)
    enrol(t, "soviet", "R", "rifle", "B3050", strength=3)
    t.until("soviet-move", 61)
    assert [rule for *_, rule in astray(t.game)] == ["20.3, 27.8"]


# -- at the table ------------------------------------------------------------------------------------------


def test_support_points_that_are_known_come_by_themselves():
    """9.2, 20.2: no tap where the track is the only source and its number is known; once a turn."""
    t = table("second-kharkov-k")
    t.until("maintenance", 2)
    before = t.game["sp"]
    assert before == 4  # turns 1 and 2
    with refused(NotNow, given="receive-support"):
        t.do("axis", "receive-support", source="track")
    t.do("table", "go-to", turn=2, phase="supply")
    t.until("maintenance", 2)
    assert t.game["sp"] == before
    blank = table("second-kharkov-k", synthetic_book(**{"trt-kh": {}}))
    blank.until("maintenance", 2)
    blank.do("axis", "receive-support", source="track", printed=3)
    assert blank.game["sp"] == 3


def test_an_attack_has_one_card_and_losses_one_tap():
    """12.0, 12.61: designated, fought, rolled; what nobody chooses is not asked."""
    t = table("operation-star")
    jump(t, "axis-combat", 1)
    own = enrol(t, "axis", "A", "infantry", "KB3010", strength=9)
    units = [enrol(t, "soviet", n, "rifle", "KB3011", strength=1) for n in ("R", "S")]
    designate(t, "KB3011", own)
    assert [a["action"] for a in duties(t, "axis")] == ["begin-assault"]
    answer(t, "axis", "begin-assault")
    assert [a["action"] for a in duties(t, "axis")] == ["roll-assault"] and not duties(t, "soviet")
    answer(t, "axis", "roll-assault", die="7")  # D(1)r2
    answer(t, "soviet", "settle-result", more=0)
    assert len(options(t, "soviet", "take-losses", "how")) == len(units)


# -- 14 ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scenario", ["january-campaign", "grand-campaign"])
def test_the_campaigns_trace_nothing_and_say_so(scenario):
    """Fall Blau's own supply rules are not in this book: nobody is judged, and the table's card says it."""
    t = mapped(("source", "A3010", "", "axis"), scenario=scenario)
    unit = enrol(t, "axis", "U", "infantry", "A3012", strength=3)
    assert supplies(t.game, "axis") == {} and can_trace(t.game, t.game.units[unit]) is None
    assert "nothing is traced" in t.game.scenario.partial


def test_who_cannot_be_chosen_is_told_why():
    """9.21, 13.11, 16.2: the reason that the code has, not that somebody cannot be chosen here."""
    t = table("second-kharkov-k")
    t.until("supply", 2)
    waits = enrol(t, "soviet", "R", "rifle", "KH3010", strength=3)
    mark(t, waits, "uncommitted")
    with warned("13.11", "R is uncommitted"):
        t.do("soviet", "judge-supply", side="soviet", cut=[waits])
    jump(t, "maintenance", 2)
    t.do("table", "correct", name="sp", value="3")
    hq = enrol(t, "axis", "III. PzK", "hq panzerkorps", "KH3020", reach=4)
    enrol(t, "axis", "LI. AK", "hq armeekorps", "KH3021", reach=4)
    t.do("axis", "support-hq", hqs=[hq])
    with warned("9.21", "III. PzK is supported already"):
        t.do("axis", "support-hq", hqs=[hq])
    t = table("operation-star")
    jump(t, "reinforcement", 6)
    t.do("table", "correct", name="rp-axis-foot", value="4")
    cadre = enrol(t, "axis", "10 It", "infantry", "KB3010", steps=2, strength=3)
    whole = enrol(t, "axis", "11 It", "infantry", "KB3012", steps=2, strength=3)
    t.do("axis", "lose-steps", unit=cadre)
    with refused(NotNow, rule="16.2, 16.3", field="unit", given=whole):
        t.do("axis", "replace", side="axis", what="cadre", unit=whole)
    assert t.game["rp-axis-foot"] == 4
