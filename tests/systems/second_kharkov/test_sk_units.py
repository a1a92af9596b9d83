"""Stacking, supply as judged, reinforcements, control (3.4, 3.5, 7.x, 9.x, 10.x)."""

from __future__ import annotations

from typing import Any

import pytest
from harness import refused

from companion.engine.errors import NotNow, NotYours, Unreadable, Warned
from companion.engine.kit.roster import Unit
from companion.engine.record import events as e
from companion.systems.second_kharkov.stacking import excess, overstacked

LINES = (
    ("area", "2510", "", "west"),
    ("area", "1430", "", "south"),
    ("area", "3030", "", "south"),
    ("area", "3030", "", "west"),
)


def stack(*armies: str) -> list[Unit]:
    return [
        Unit("172-75" if a == "172/75" else f"u{n}", "german", formation="6th Army" if a == "172/75" else a)
        for n, a in enumerate(armies)
    ]


@pytest.mark.parametrize(
    ("side", "armies", "over", "broken", "rule"),
    [
        ("german", ["6th Army"] * 3, 0, "", "7.1"),
        ("german", ["6th Army"] * 4, 1, "7.1", "7.1"),
        ("soviet", [""] * 4, 0, "", "7.1"),
        ("soviet", [""] * 6, 2, "7.1", "7.1"),
        ("german", ["6th Army", "17th Army"], 0, "7.3", "7.3"),
        ("german", ["6th Army"] * 3 + ["172/75"], 0, "", "7.5"),
        ("german", ["6th Army"] * 4 + ["172/75"], 1, "7.1", "7.5"),
        ("german", ["17th Army"] * 3 + ["172/75"], 1, "7.1", "7.5: only with 6th Army"),
    ],
)
def test_stacking(side: str, armies: list[str], over: int, broken: str, rule: str) -> None:
    assert excess(side, stack(*armies)) == over
    wrong = overstacked(side, stack(*armies))
    assert (wrong.rule if wrong else "") == broken


@pytest.mark.parametrize(("counts", "points"), [(True, 8), (False, 0)])
def test_overstacking_costs_units_of_the_enemys_choice(table: Any, counts: bool, points: int) -> None:
    """7.2, A20: noticed as a phase opens."""
    t = table(turn=3, phase="soviet-move", overstack_vp=counts)
    for n in range(4):
        t.enter(f"{n} Pz", "german", "2510", army="6th Army", kind="panzer")
    rows = next(p for p in t.sees("soviet")["panels"] if p["title"] == "Stacking")["rows"]
    assert rows == [{"label": "2510", "value": "1 unit too many", "rule": "7.1"}]
    t.next()
    ask = t.asked("soviet")[0]
    assert "Soviet removes 1 unit" in ask["text"]
    assert [c["label"] for c in ask["form"][0]["choices"]] == [
        "3 Pz", "second from the top", "third from the top", "4th from the top"
    ], "he may choose any, and learns the name of none (7.6)"  # fmt: skip
    with refused(Unreadable, rule="7.2", field="units"):
        t.answer("soviet", units="german-3-pz, 2510#2")
    with refused(Unreadable, field="units"):
        t.answer("soviet", units="german-1-pz")  # a hidden unit's name cannot be sounded out
    with refused(NotYours):
        t.do("german", "remove-overstack", units="german-1-pz")
    t.answer("soviet", units="2510#2")
    assert t.game.units["german-1-pz"].place == "box:dead"
    assert t.game["vp-soviet"] == points
    t.next()
    assert not [a for a in t.asked("soviet") if a["action"] == "remove-overstack"]


def test_mixed_armies_are_shown_to_those_who_may_see_them(table: Any) -> None:
    """7.3, 7.6."""
    t = table(turn=3)
    t.enter("A", "german", "2510", army="6th Army")
    t.enter("B", "german", "2510", army="17th Army")
    assert any(p["title"] == "Stacking" for p in t.sees("german")["panels"])
    assert not any(p["title"] == "Stacking" for p in t.sees("soviet")["panels"])


# -- supply ----------------------------------------------------------------------------------------------


def test_supply_judged_by_hand_lasts_for_the_phase(table: Any) -> None:
    """9.1, 9.8."""
    t = table(turn=2)
    unit = t.enter("TB", "soviet", "2510", kind="tank", mf=7)
    t.do("soviet", "judge-supply", units=unit)
    panel = next(p for p in t.sees("soviet")["panels"] if p["title"] == "Out of supply")
    assert panel["rows"][0]["value"] == "MF 7 \u2192 4"
    t.do("soviet", "judge-supply", units=unit, state="trace")
    assert not t.game.marked("oos")
    t.do("soviet", "judge-supply", hexes="2510")
    t.next()
    assert not t.game.marked("oos")


def test_everybody_is_supplied_on_turn_1(table: Any) -> None:
    """5.5."""
    t = table()
    with refused(NotNow, rule="5.5"):
        t.do("soviet", "judge-supply", hexes="2510")


def test_the_hand_wins_over_the_trace(table: Any) -> None:
    """9.4 example: 2904 is cut off behind the picket, unless the players say otherwise."""
    t = table(turn=3, phase="soviet-combat", fog=False)
    for row in range(3, 30, 2):
        t.enter(f"P{row}", "german", f"29{row:02d}")
    unit = t.enter("RD", "soviet", "2904", kind="rifle", af=8, df=4)
    assert t.calc("combat", target="2903", attackers=unit, defence=2).facts["attack"] == 4
    t.do("soviet", "judge-supply", units=unit, state="in")
    assert t.calc("combat", target="2903", attackers=unit, defence=2).facts["attack"] == 8
    assert not t.system.rules.supply(t.game, "soviet")[unit].supplied


@pytest.mark.parametrize(("reading", "supplied"), [("crossing", True), ("hex", False)])
def test_german_held_banks(table: Any, reading: str, supplied: bool) -> None:
    """9.6, A4: an empty bank that was German last is barred whole, or only its crossing."""
    ground = (("side", "3510", "3610", "major river"), ("side", "3510", "3610", "crossing"))
    t = table(turn=3, ground=ground, crossing_bar=reading)
    around = [h for h in t.game.maps.neighbours("3510") if h != "3610"]
    t.do("table", "take-hex", hexes=around, side="german")
    unit = t.enter("RD", "soviet", "3511")
    t.do("table", "take-hex", hexes="3610", side="german")
    assert t.system.rules.supply(t.game, "soviet")[unit].supplied
    held = t.system.rules.supply(t.game, "soviet")[unit].found
    assert held is not None and held.supplied("3610") == supplied


# -- reinforcements --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("unit", "army", "hex", "doubt"),
    [
        ("172-75", "", "1802", ""),
        ("172-75", "", "2602", "1402 to 2402"),
        ("new", "6th Army", "1402", ""),
        ("new", "6th Army", "1430", "north of its boundary"),
        ("new", "1st Panzer Army", "1430", ""),
        ("new", "1st Panzer Army", "1402", "south of the 6th Army Boundary"),
        ("new", "17th Army", "1402", ""),
        ("new", "17th Army", "2010", "no working German edge source"),
    ],
)
def test_german_entry(table: Any, unit: str, army: str, hex: str, doubt: str) -> None:
    """10.1, A6: a doubtful entry is said first, then made all the same and written down, never refused."""
    t = table(ground=LINES)
    t.do("table", "set-up")
    t.do("table", "go-to", turn=2, phase="german-move")
    given = {"unit": unit} if unit != "new" else {"name": "23 Pz", "kind": "panzer", "army": army}
    if doubt:
        with refused(Warned) as said:
            t.do("german", "bring-in", hex=hex, **given)
        assert doubt in said.value.said[0]
    done = t.do("german", "bring-in", hex=hex, **given, anyway=bool(doubt))
    notes = [event.text for event in done if event.KIND == "noted"]
    assert (doubt in notes[0]) if doubt else not notes
    assert any(u.place == hex for u in t.game.units.values())


def test_the_boundary_may_end_with_the_release(table: Any) -> None:
    """A26."""
    t = table(turn=3, phase="german-move", ground=LINES, boundary_entry="until-release")
    t.do("table", "note", text="on")  # any action: the watchers release the armies
    done = t.do("german", "bring-in", hex="1430", name="23 Pz", army="6th Army")
    assert not [event for event in done if event.KIND == "noted"]


@pytest.mark.parametrize(
    ("hex", "extra", "doubt"),
    [
        ("3202", "", ""),
        ("3202", "3203", "neither"),
        ("3510", "", ""),
        ("3510", "3511", "German zone"),
        ("2510", "", "not Soviet at the start"),
        ("3310", "", "neither"),
    ],
)
def test_soviet_entry(table: Any, hex: str, extra: str, doubt: str) -> None:
    """10.1: an edge source that works, or a home town, supplied and clear of German zones."""
    towns = (*LINES, ("town", "3510", "", "Here"), ("town", "2510", "", "There"))
    t = table(turn=2, ground=towns, fog=False)
    if extra:
        t.enter("44", "german", extra)
    if doubt:
        with refused(Warned):
            t.do("soviet", "bring-in", name="RD", kind="rifle", hex=hex)
    done = t.do("soviet", "bring-in", name="RD", kind="rifle", hex=hex, anyway=bool(doubt))
    notes = [event.text for event in done if event.KIND == "noted"]
    assert (doubt in " ".join(notes)) if doubt else not notes
    assert t.game.units["soviet-rd"].untried


def test_reinforcements_may_be_held_back_and_never_hurried(table: Any) -> None:
    """10.2."""
    t = table()
    t.do("table", "set-up")
    t.do("table", "go-to", turn=5, phase="soviet-move")
    with refused(Unreadable, field="unit"):
        t.do("soviet", "bring-in", unit="rifle-turn-6", hex="3202")
    t.do("table", "go-to", turn=6, phase="soviet-move")
    assert any(a["id"] == "soviet-6" for a in t.sees("soviet")["due"])
    t.do("soviet", "hold-back", units="rifle-turn-6")
    assert t.game.units["rifle-turn-6"].place == "box:delayed"
    t.do("table", "go-to", turn=7, phase="soviet-move")
    t.do("soviet", "bring-in", unit="rifle-turn-6", hex="3202")
    t.do("soviet", "bring-in", unit="tank-turn-6", hex="3202")
    assert not any(a["id"] == "soviet-6" for a in t.sees("soviet")["due"])


def test_a_soviet_type_is_name_enough(table: Any) -> None:
    """2.14: nobody knows an untried unit by name."""
    t = table(turn=2)
    done = t.do("soviet", "bring-in", kind="rifle", hex="3202")
    unit = t.game.units["soviet-rifle-division"]
    assert (unit.name, unit.klass, unit.untried, unit.place) == ("Rifle division", "non-mech", True, "3202")
    assert [type(event) for event in done] == [e.Placed, e.Marked, e.Ticked]
    with refused(Unreadable, rule="10.1", field="name"):
        t.do("soviet", "bring-in", hex="3202")


def test_closed_edge_sources_are_listed(table: Any) -> None:
    """9.12, 9.13: a zone closes a Soviet source and no German one; control closes both."""
    t = table(turn=2, fog=False)

    def panel(seat: str) -> list[tuple[str, str]]:
        found = [p for p in t.sees(seat)["panels"] if p["title"] == "Edge sources closed"]
        return [(row["label"], row["value"]) for p in found for row in p["rows"]]

    t.enter("RD", "soviet", "1515", kind="rifle")
    assert panel("soviet") == []
    t.enter("Pz", "german", "4115", kind="panzer")
    assert panel("german") == [("Soviet, in a German zone", "4215 4216")]
    t.do("table", "take-hex", hexes="1415", side="soviet")
    t.do("table", "take-hex", hexes="3202", side="german")
    assert panel("table") == [
        ("Soviet, German-held", "3202"),
        ("Soviet, in a German zone", "4215 4216"),
        ("German, Soviet-held", "1415"),
    ]


@pytest.mark.parametrize("unit", [{"unit": "tank-turn-6"}, {"kind": "rifle"}])
def test_an_entry_needs_its_hex(table: Any, unit: dict[str, str]) -> None:
    """10.1: without one nothing would happen, and nobody would be told."""
    t = table()
    t.do("table", "set-up")
    t.do("table", "go-to", turn=6, phase="soviet-move")
    with refused(Unreadable, rule="10.1", field="hex"):
        t.do("soviet", "bring-in", **unit)
    form = {f["name"]: f for f in t.form("soviet", "bring-in")}
    assert form["hex"]["required"]


def test_a_lost_source_is_judged_before_the_unit_stands_there(table: Any) -> None:
    """10.1, 9.13."""
    t = table(turn=2)
    t.do("table", "take-hex", hexes="3202", side="german")
    done = t.do("soviet", "bring-in", kind="rifle", hex="3202", anyway=True)
    assert any("neither a working Soviet edge source" in str(event) for event in done)


def test_held_back_units_stay_in_sight(table: Any) -> None:
    """10.2."""
    t = table()
    t.do("table", "set-up")
    t.do("table", "go-to", turn=6, phase="soviet-move")
    t.do("soviet", "hold-back", units="rifle-turn-6")
    panel = next(p for p in t.sees("german")["panels"] if p["title"] == "Held back")
    assert [row["label"] for row in panel["rows"]] == ["Rifle division"]


def test_set_up_is_offered_on_turn_1_only(table: Any) -> None:
    t = table(turn=2)
    with refused(NotNow, rule="3.1"):
        t.do("table", "set-up")


def test_set_up_names_only_what_the_rulebook_names(table: Any) -> None:
    """3.2-3.4 with errata: steps of the weak units, corrected set-up hexes."""
    t = table()
    t.do("table", "set-up")
    units = t.game.units
    assert (units["100-jaeger"].place, units["101-jaeger"].place, units["3-panzer"].place) == (
        "2529",
        "3327",
        "2408",
    )
    weak = {
        "6-romanian": 2,
        "97-jaeger": 2,
        "100-jaeger": 2,
        "101-jaeger": 2,
        "108-hungarian": 1,
        "172-75": 1,
        "454-security": 1,
    }
    assert {name: units[name].steps for name in weak} == weak
    assert len(t.game.units_at("2719")) == 4 and len(t.game.units_at("2822")) == 3
    assert all(u.untried and not u.factors for u in units.values() if u.side == "soviet")


# -- control ---------------------------------------------------------------------------------------------


def test_entering_takes_a_hex_that_matters(table: Any) -> None:
    """3.5, 3.4: towns, cities, sources; plain hexes are nobody's business; a zone takes nothing."""
    t = table(turn=2, ground=(*LINES, ("town", "3510", "", "Here")), fog=False)
    unit = t.enter("44", "german", "3511")
    assert not t.game.marked("owner")
    t.do("german", "place-unit", unit=unit, hex="3510")
    assert t.game.marked("owner") == {"3510": "german"}
    t.do("german", "place-unit", unit=unit, hex="3511")
    assert t.game.marked("owner") == {"3510": "german"}
    assert {"label": "Here 3510", "value": "German", "rule": "3.5"} in next(
        p for p in t.sees("table")["panels"] if p["title"] == "Control"
    )["rows"]


@pytest.mark.parametrize(
    ("hex_id", "kind", "takers", "words"),
    [
        ("3510", "town", ("german", "soviet"), ("put a control marker there, German side up", "lift the")),
        ("2015", "town", ("soviet", "german"), ("", "")),
        ("2015", "city", ("soviet", "german"), ("put a control marker there, Soviet side up", "lift the")),
        ("2406", "city", ("soviet",), ("",)),
        ("3202", "source", ("german", "soviet"), ("", "")),
    ],
)
def test_control_markers(
    table: Any, hex_id: str, kind: str, takers: tuple[str, ...], words: tuple[str, ...]
) -> None:
    """3.4: Germans mark towns that began Soviet, Soviets cities other than Kharkov; the first owner lifts them."""
    ground = (("area", "2015", "", "west"), ("town" if kind == "source" else kind, hex_id, "", "Here"))
    t = table("alternative", turn=2, ground=ground[:1] if kind == "source" else ground)
    for side, expected in zip(takers, words, strict=True):
        mark, *_ = t.do("table", "take-hex", hexes=hex_id, side=side)
        assert (expected in mark.reason) if expected else mark.reason == "entered"


def test_banks_of_crossings_are_marked_too(table: Any) -> None:
    """9.6; and a unit that began the game there takes nothing."""
    ground = (("side", "3010", "3011", "crossing"), ("side", "3010", "3011", "major river"))
    t = table(ground=ground, fog=False)
    began = t.do("table", "add-unit", side="german", name="44", hex="3010", steps=4)
    assert not any("marker" in event.reason for event in began if event.KIND == "marked")
    t.do("table", "go-to", turn=2, phase="german-move")
    mark, *_ = t.do("table", "take-hex", hexes="3011", side="german")
    assert "German side up" in mark.reason


def test_hexes_change_hands_by_hand_too(table: Any) -> None:
    t = table(turn=2)
    with refused(NotYours):
        t.do("german", "take-hex", hexes="4202", side="german")  # nobody enters hexes in the other's turn
    t.do("table", "take-hex", hexes="4202", side="german")
    assert t.game.mark("4202", "owner") == "german"
    assert t.do("table", "take-hex", hexes="4202", side="german") == []


def test_who_falls_back_into_a_town_takes_it(table: Any) -> None:
    """3.5, 12.23: in the Soviet combat phase, with nobody on record, the German says so himself."""
    t = table(turn=4, phase="soviet-combat", ground=(("town", "2510", "", "T"),))
    t.do("soviet", "take-hex", hexes="2510", side="soviet")
    t.do("german", "take-hex", hexes="2510", side="german")
    assert t.game.mark("2510", "owner") == "german"


def test_seats_keep_to_their_side(table: Any) -> None:
    t = table(turn=2)
    with refused(NotYours):
        t.do("german", "bring-in", name="X")


def test_turn_1_answers_for_everybody(table: Any) -> None:
    """5.5: even behind the picket of the 9.4 example."""
    t = table()
    for row in range(3, 30, 2):
        t.enter(f"P{row}", "german", f"29{row:02d}")
    unit = t.enter("RD", "soviet", "2904")
    assert t.system.rules.supply(t.game, "soviet")[unit].supplied
    t.do("table", "go-to", turn=2, phase="soviet-move")
    assert not t.system.rules.supply(t.game, "soviet")[unit].supplied
