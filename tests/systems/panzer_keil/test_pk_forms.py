"""What is offered and asked when: no wall of buttons, no question that cannot apply."""

from __future__ import annotations

from typing import Any

import pytest
from harness import Bench, refused
from systems.panzer_keil.pk_bench import go, mark, owners_book, put, quiet, shown, table, warned

from companion.engine.errors import NotNow, Unreadable, Warned


def offered(t: Bench, seat: str = "table") -> list[str]:
    return [a["name"] for a in t.sees(seat)["actions"] if a["group"] in ("phase", "setup", "hand")]


PLAIN = {
    "weather": ["roll-weather", "set-up"],
    "soviet-supply": ["spend-supply"],
    "soviet-support": ["allot-support"],
    "soviet-move": ["extend-railroad", "exit-map"],
    "soviet-combat": ["resolve-combat"],
    "soviet-recovery": [],
    "german-supply": ["spend-supply"],
    "german-support": ["allot-support"],
    "german-move": ["rail-move"],
    "german-combat": ["resolve-combat"],
    "german-mech": [],
    "german-recovery": [],
}


@pytest.mark.parametrize("phase", PLAIN)
def test_without_units_a_phase_offers_what_needs_none(phase: str) -> None:
    t = table(units=False)
    t.until(phase)
    assert offered(t) == PLAIN[phase]


def test_with_units_the_movement_phase_offers_moving_first() -> None:
    t = table()
    put(t, "ss-w-1", "2050", kind="armour")
    t.until("german-move")
    assert offered(t) == ["move-units", "enter-units", "forced-march", "rail-move", "exit-map"]


def test_points_are_on_show_only_while_they_can_be_spent() -> None:
    t = table(units=False)
    seen = {}
    for phase in ("weather", "soviet-supply", "soviet-support", "soviet-combat", "german-support"):
        t.until(phase)
        seen[phase] = [x["id"] for x in t.sees("table")["tracks"]]
    assert seen["weather"] == ["weather-square"] and seen["soviet-combat"] == []
    assert len(seen["soviet-supply"]) == 8 and len(seen["soviet-support"]) == 4
    assert seen["german-support"] == ["german-sap"]


def test_the_length_of_the_game_is_not_promised() -> None:
    assert table(units=False).sees("table")["turn"]["last"] is None


# -- the combat form -----------------------------------------------------------------------------------------

BY_HAND = ["target", "full", "defence", "ground", "halved", "armour", "enemy_armour"]


def test_by_hand_each_side_is_asked_what_can_matter_to_it() -> None:
    t = table(units=False)
    go(t, "soviet-combat")
    assert list(shown(t, "soviet", "resolve-combat")) == [*BY_HAND, "die"]
    assert also(t, "soviet") == ["river", "major", "marsh", "oos", "disrupted"]
    go(t, "german-combat")
    assert list(shown(t, "german", "resolve-combat")) == [*BY_HAND, "die"]  # what is rare is folded
    assert also(t, "german") == ["river", "major", "marsh", "oos", "disrupted", "concentric", "allies"]


def test_no_field_is_called_optional_that_is_then_demanded() -> None:
    """9.2: strengths are wanted, unless all of them are told as halved."""
    t = table(units=False)
    go(t, "german-combat")

    def demanded(**fields: Any) -> list[str]:
        rows = shown(t, "german", "resolve-combat", **fields)
        return [name for name, row in rows.items() if row["required"]]

    assert demanded() == ["full", "defence"]
    assert demanded(halved=["river"], river="3", weak=4) == []
    t.calc("combat", halved="river", river="3", weak=4)


def test_a_command_without_fields_is_done_at_once() -> None:
    t = table(owners_book())
    put(t, "ss-w-1", "2041")
    t.until("german-supply")
    assert next(a["fields"] for a in t.sees("german")["actions"] if a["name"] == "check-supply") == 0


def also(t: Bench, seat: str, **fields: Any) -> list[str]:
    """What else may be said to count."""
    return [c["value"] for c in shown(t, seat, "resolve-combat", **fields)["halved"]["choices"]]


@pytest.mark.parametrize(
    ("ticked", "figures", "odds", "chart"),
    [
        ("", {"defence": 4}, "2:1", "crt-german-clear"),
        ("disrupted", {"weak": 4}, "4:1", "crt-german-clear"),  # 9.2.5
        ("concentric", {"defence": 4}, "4:1", "crt-german-clear"),  # B11.2
        ("allies", {"defence": 4}, "2:1", "crt-soviet-clear"),  # B11.1
    ],
)
def test_what_else_counts_is_one_tick(ticked: str, figures: dict[str, int], odds: str, chart: str) -> None:
    t = table(units=False)
    go(t, "german-combat")
    sheet = t.calc("combat", full="8", halved=ticked, **figures)
    assert (sheet.facts["odds"], sheet.chart) == (odds, chart)


@pytest.mark.parametrize(
    ("fields", "more", "fewer"),
    [
        ({"halved": ["river", "oos"]}, {"river", "oos"}, set()),
        ({"river": "3"}, {"river"}, set()),  # what was typed never goes out of sight
        ({"halved": ["disrupted"]}, {"weak"}, set()),
        ({"weak": 3}, {"weak"}, set()),
        ({"ground": "other"}, set(), {"armour", "enemy_armour"}),
        ({"armour": "free"}, {"grenadiers"}, set()),
    ],
)
def test_boxes_come_and_go_with_the_answers(fields: dict[str, Any], more: set[str], fewer: set[str]) -> None:
    t = table(units=False)
    go(t, "soviet-combat")
    assert set(shown(t, "soviet", "resolve-combat", **fields)) == {*BY_HAND, "die", *more} - fewer


def known_fight() -> Bench:
    t = table(owners_book("rail 1450..1430\n2040 clear\n3040-3041 river\n"))
    put(t, "302id", "2041", kind="infantry", nation="german", attack=6, defence=4)
    put(t, "ss-w-1", "2041")
    put(t, "voronezh-1", "2040", kind="infantry", nation="soviet", attack=3, defence=4)
    go(t, "german-combat")
    return t


def test_what_the_record_tells_is_not_asked() -> None:
    t = known_fight()
    fields = {"target": "2040", "attackers": ["302id"]}
    assert list(shown(t, "german", "resolve-combat", **fields)) == ["target", "attackers", "typed", "die"]
    by_hand = shown(t, "german", "resolve-combat", **fields, typed=True)
    assert {"full", "halved", "defence", "ground"} <= set(by_hand)
    assert "concentric" in also(t, "german", **fields, typed=True)
    assert t.calc("combat", **fields, typed=True, full="9", defence=2).facts["odds"] == "4:1"


def test_a_counter_without_figures_is_asked_about() -> None:
    t = known_fight()
    fields = {"target": "2040", "attackers": ["302id", "ss-w-1"]}
    asked = shown(t, "german", "resolve-combat", **fields)
    assert {"full", "armour"} <= set(asked) and "defence" not in asked


def test_attackers_are_those_beside_the_target_who_may_attack() -> None:
    t = known_fight()
    mark(t, "ss-w-1", "disrupted", "d")
    put(t, "320id", "2045")
    rows = {r["name"]: r for r in t.form("german", "resolve-combat", target="2040")}
    assert [c["value"] for c in rows["attackers"]["choices"]] == ["302id"]
    assert [c["value"] for c in rows["target"]["choices"]] == ["2040"]


def test_few_targets_are_tapped_and_others_can_be_typed() -> None:
    t = known_fight()
    rows = {r["name"]: r for r in t.form("german", "resolve-combat")}
    assert rows["target"]["type"] == "choice" and not rows["elsewhere"]["quiet"]
    assert (
        t.calc("combat", elsewhere="2142", full="8", defence=4, attackers=["302id"]).facts["target"] == "2142"
    )
    t.do("table", "place-unit", unit="voronezh-1", box="box:exit")
    rows = {r["name"]: r for r in t.form("german", "resolve-combat")}
    assert rows["target"]["type"] == "hex" and "elsewhere" not in rows  # nobody is beside an enemy


def test_long_lists_ask_for_the_hex_first() -> None:
    t = table()
    for n in range(1, 14):
        put(t, f"voronezh-{n}", f"10{n:02d}")
    put(t, "voronezh-14", "1001")
    go(t, "soviet-move")
    rows = {r["name"]: r for r in t.form("soviet", "move-units")}
    assert "at" in rows and rows["units"]["choices"] == []
    rows = {r["name"]: r for r in t.form("soviet", "move-units", at="1001")}
    assert {c["value"] for c in rows["units"]["choices"]} == {"voronezh-1", "voronezh-14"}


# -- moving ---------------------------------------------------------------------------------------------------


def test_a_stack_moves_and_may_be_exhausted_by_it() -> None:
    t = table()
    for unit in ("ss-w-1", "ss-w-2"):
        put(t, unit, "0942", kind="armour")
    go(t, "german-move")
    t.do("german", "move-units", units=["ss-w-1", "ss-w-2"], way="0941 0940", effort="forced")
    assert {t.game.units[u].place for u in ("ss-w-1", "ss-w-2")} == {"0940"}
    assert t.game.mark("ss-w-1", "exhausted") and t.game.mark("0941", "owner") == "german"  # 8.3, 5.4
    t.do("german", "move-units", units=["ss-w-1"], way="0939")
    with refused(Unreadable, field="units"):
        t.do("german", "move-units", units=["ss-w-1", "ss-w-2"], way="0938")


def test_a_move_from_zone_to_zone_is_warned_of() -> None:
    t = table()
    put(t, "ss-w-1", "1441", kind="armour")
    put(t, "voronezh-1", "1439")
    put(t, "voronezh-2", "1539")
    go(t, "german-move")
    with refused(Warned) as refusal:
        t.do("german", "move-units", units=["ss-w-1"], way="1440 1540")
    assert any("8.4.4" in reason for reason in refusal.value.said)
    t.do("german", "move-units", units=["ss-w-1"], way="1440 1540", anyway=True)
    assert t.game.units["ss-w-1"].place == "1540"  # advice, not a wall: it stands so on the map


@pytest.mark.parametrize("marker", ["", "exhausted", "oos"])
def test_mechanized_movement_of_others_is_warned_of(marker: str) -> None:
    t = table()
    put(t, "ss-w-1", "2041", kind="armour")
    if marker:
        mark(t, "ss-w-1", marker)
    go(t, "german-mech")
    if marker:
        with refused(Warned) as refusal:
            t.do("german", "move-units", units=["ss-w-1"], way="2042")
        assert "10.1" in refusal.value.said[0]
    else:
        t.do("german", "move-units", units=["ss-w-1"], way="2042")


def test_no_forced_march_in_mechanized_movement() -> None:
    t = table()
    put(t, "ss-w-1", "1441", kind="armour")
    put(t, "302id", "1441", kind="infantry")
    go(t, "german-mech")
    rows = {r["name"]: r for r in t.form("german", "move-units")}
    assert [c["value"] for c in rows["units"]["choices"]] == ["ss-w-1"]  # 10.1
    assert [c["value"] for c in rows["effort"]["choices"]] == ["", "one-hex"]  # 10.2


def test_exits_can_be_counted_without_units() -> None:
    t = table(units=False)
    t.until("soviet-move")
    t.do("soviet", "exit-map", west=True, count=2)
    assert t.game["exits"] == 2
    with refused(Unreadable, rule="8.8", field="count"):
        t.do("soviet", "exit-map", west=True)


def test_supply_is_marked_by_hex() -> None:
    t = table()
    for unit, place in (("voronezh-1", "1020"), ("voronezh-2", "1020"), ("voronezh-3", "1021")):
        put(t, unit, place)
    go(t, "soviet-supply")
    t.do("soviet", "mark-supply", hexes="1020", out=["voronezh-3"])
    assert [bool(t.game.mark(f"voronezh-{n}", "oos")) for n in (1, 2, 3)] == [True, True, True]
    go(t, "soviet-supply", 2)
    rows = {r["name"]: r for r in t.form("soviet", "mark-supply")}
    assert rows["hexes"]["value"] == ["1020", "1021"]
    t.do("soviet", "mark-supply", hexes="1021")
    assert [bool(t.game.mark(f"voronezh-{n}", "oos")) for n in (1, 2, 3)] == [False, False, True]


# -- set-up and arrivals --------------------------------------------------------------------------------------


def test_the_set_up_leads_from_formation_to_formation() -> None:
    t = table(units=False)
    t.do("table", "set-up")
    assert [a["text"] for a in t.asked("german")] == ["Set up FP: 3 units, within 5 hexes of 1722"]
    assert not t.asked("soviet")  # Germans first
    rows = [r["name"] for r in t.asked("german")[0]["form"] if not (r["quiet"] or r["hidden"])]
    assert rows == ["hexes", "each"]  # which formation is no question; which of counters alike neither
    t.answer("german", hexes="1722 1721", each=1)
    assert [a["text"] for a in t.asked("german")] == ["Set up FP: 1 unit, within 5 hexes of 1722"]
    with warned("B14"):
        t.answer("german", hexes="2722")  # not within 5 hexes of 1722
    t.answer("german", hexes="2722", anyway=True)
    assert t.asked("german")[0]["args"]["formation"] == "Hollidt-A"
    with refused(Unreadable, rule="B14", field="hexes"):
        t.answer("german", hexes="2319 2318 2320 2419", each=3)
    t.answer("german", hexes="2319 2318 2320", each=3)
    assert len(t.game.units_at("2319")) == 3
    for hexes in ("2516 2517", "2120 2220 2320", "1703 1803 1704 1804 1605 1705 1805"):
        t.answer("german", hexes=hexes, each=3)
    assert t.asked("soviet")[0]["args"]["formation"] == "Voronezh" and not t.asked("german")
    t.do("table", "dismiss", ask=t.asked("soviet")[0]["id"])
    t.do("soviet", "place-formation", formation="S.West", hexes="1520", units=["southwestern-hq"])
    assert t.game.units["southwestern-hq"].place == "1520"


def test_counters_can_be_loaded_in_the_middle_of_a_game() -> None:
    t = table(units=False)
    t.until("soviet-combat")
    with refused(NotNow, given="set-up"):
        t.do("table", "set-up")
    t.do("table", "load-counters")
    assert len(t.game.units) == 223
    quiet(t)


def test_a_whole_formation_comes_in_with_its_marks() -> None:
    t = table()
    t.until("soviet-move", 3)
    t.do("soviet", "arrive", arrival="40a", hex="0120")
    assert {t.game.units[f"40a-{n}"].place for n in range(1, 8)} == {"0120"}
    assert t.game.mark("40a-1", "grace") == 4 and t.game.mark("40a-1", "entered")  # B14.3
    assert "40a" not in [d["id"] for d in t.sees("table")["due"]]


def test_without_units_an_arrival_is_ticked_off() -> None:
    t = table(units=False)
    t.until("german-move")
    assert list(shown(t, "german", "arrive", arrival="ss-w")) == ["arrival"]
    t.do("german", "arrive", arrival="ss-w")
    assert [d["id"] for d in t.sees("table")["due"]] == ["west-1"]


# -- with nothing on record ----------------------------------------------------------------------------------

BY_TYPING: dict[str, dict[str, Any]] = {
    "roll-weather": {"die": "3"},
    "set-up": {},
    "spend-supply": {"front": "voronezh", "count": 1},
    "allot-support": {"front": "voronezh", "target": "2040", "points": 2},
    "extend-railroad": {"hexes": "1405 1404"},
    "exit-map": {"west": True, "count": 1},
    "resolve-combat": {"full": "8", "defence": 4, "die": "2"},
    "rail-move": {"count": 2, "hexes": 10},
}


@pytest.mark.parametrize("phase", PLAIN)
def test_without_units_whatever_is_offered_is_done_by_typing(phase: str) -> None:
    for name in PLAIN[phase]:
        t = table(units=False)
        t.until(phase)
        for front in ("voronezh-sp", "voronezh-sap"):
            t.do("table", "correct", name=front, value="3")
        fields = BY_TYPING[name]
        if phase.startswith("german"):
            fields = {k: v for k, v in fields.items() if k != "front"}
        t.do("table", name, **fields)


@pytest.mark.parametrize("units", [False, True])
@pytest.mark.parametrize("phase", PLAIN)
def test_no_form_wants_what_it_cannot_offer_or_asks_twice_by_one_name(phase: str, units: bool) -> None:
    t = table(units=False)
    if units:
        t.do("table", "set-up")
    t.until(phase)
    for action in t.sees("table")["actions"]:
        rows = [r for r in t.form("table", action["name"]) if not (r["hidden"] or r["quiet"])]
        wanting = [r["name"] for r in rows if r["type"] == "unit" and r["required"] and not r["choices"]]
        assert not wanting or "at" in {r["name"] for r in rows}, action["name"]  # a hex is asked for first
        labels = [r["label"] for r in rows]
        assert len(labels) == len(set(labels)), (action["name"], labels)


@pytest.mark.parametrize(
    ("phase", "action", "field"),
    [
        ("german-move", "exit-map", "units"),
        ("german-move", "rail-move", "end"),
        ("german-support", "allot-support", "target"),
    ],
)
def test_what_is_demanded_says_so(phase: str, action: str, field: str) -> None:
    t = table()
    put(t, "ss-w-1", "2050", kind="armour")
    t.until(phase)
    assert shown(t, "german", action)[field]["required"]
