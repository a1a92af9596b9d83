"""What each phase offers on the main screen, and what its forms ask: only what can apply."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from harness import SCENARIOS, refused

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Context
from companion.engine.record import events as e
from companion.engine.seat.words import describe
from companion.systems import find_system

Make = Callable[..., Any]

MENUS = {
    "air-a": ["assign-air"],
    "move-a": ["mark-strategic", "dig-in", "flip-artillery"],
    "attack-a": ["resolve-combat", "fire-at-range"],
    "strategic-a": [],
    "supply-a": ["trace-supply", "check-supply"],
}


def labels(field: dict[str, Any]) -> list[str]:
    return [c["label"] for c in field["choices"]]


@pytest.mark.parametrize("phase", MENUS)
def test_a_phase_offers_its_own_actions_to_the_side_that_acts(table: Make, phase: str) -> None:
    t = table(phase=phase)
    t.do("table", "set-up")
    t.do(
        "table",
        "start-control",
        german="4909",
        soviet="5022 4804 3322 2915 2319 3132 0713 2609 2008 1705 1410 1306",
    )
    offered = {
        s: [a["name"] for a in t.sees(s)["actions"] if a["group"] in {"phase", "setup"}] for s in t.game.sides
    }
    assert offered["soviet"] == MENUS[phase]
    assert offered["german"] == []


def test_every_action_named_by_a_checklist_exists() -> None:
    system = find_system("wb95", SCENARIOS)
    for phase in system.kit.system.phases:
        for line in phase.checklist:
            if line.action:
                action = system.rules.find(line.action)
                assert not action.phases or phase.id in action.phases, (phase.id, line.action)


def test_every_action_is_two_taps_away(table: Make) -> None:
    """On the main screen, on More or Units, or asked for: no action is out of reach."""
    groups = {a.group for a in find_system("wb95", SCENARIOS).rules.actions.values()}
    reached = {
        "phase",
        "setup",
        "next",
        "units",
        "arrive",
        "book-keeping",
        "dice",
        "fix",
        "talk",
        "settings",
        "map",
        "clock",
    }
    assert groups - reached <= {"hidden"}


def test_set_up_says_so_first_and_asks_nothing(table: Make) -> None:
    t = table()
    events = t.do("table", "set-up")
    assert events[0].text == "Kharkov 1942 is set up: 167 counters on the map, 48 to come"
    assert not t.game.asked
    assert "take-missing" not in [a["name"] for a in t.sees("table")["actions"]]  # nothing is short in 1942


def test_the_front_is_confirmed_by_taps(table: Make) -> None:
    t = table()
    t.do("table", "set-up")
    form = t.shown("table", "start-control")
    assert len(form["german"]["choices"]) == 13
    assert set(form["german"]["value"]) | set(form["soviet"]["value"]) <= {
        c["value"] for c in form["german"]["choices"]
    }
    with refused(Unreadable, rule="4.3.1", field="soviet"):
        t.do("table", "start-control", german="4909", soviet="4909")


# -- air


def test_missions_are_asked_for_one_after_the_other(table: Make) -> None:
    t = table()
    assert list(t.shown("soviet", "assign-air")) == ["mission_1"]
    first = {"mission_1": "attack", "hex_1": "1705", "sp_1": 4}
    assert list(t.shown("soviet", "assign-air", **first)) == ["mission_1", "hex_1", "sp_1", "mission_2"]
    assert t.shown("soviet", "assign-air", **first)["sp_1"]["max"] == 8
    spread = {"mission_1": "crossing", "hex_1": "1705", "sp_1": 4}
    assert "more" in t.shown("soviet", "assign-air", **spread)


def test_an_attack_asked_for_on_a_phone_needs_no_side(table: Make) -> None:
    t = table()
    t.do("soviet", "assign-air", mission_1="attack", hex_1="1705", sp_1=4)
    (ask,) = t.asked("soviet")
    shown = Context(t.game, "soviet", duty=t.game.asked[ask["id"]])
    rows = t.rules.find("bomb-hex").describe(shown)
    assert [r["name"] for r in rows if not r["hidden"] and not r["quiet"]] == ["terrain", "die"]


def test_a_bridge_on_record_is_named_by_itself(table: Make) -> None:
    t = table("kharkov-1942", turn=6, phase="air-a")
    t.record(e.Marked("1602", "bridge", "soviet"))  # a stray mark of an early record is no bridge
    t.game.marks.pop("1602")
    t.do("table", "set-up")
    t.do("german", "assign-air", mission_1="object", hex_1="1602", sp_1=4)
    t.do("soviet", "assign-air")
    (ask,) = t.asked("german")
    t.do("german", "bomb-bridge", _asked=ask["id"], die="1 1")
    assert t.breakdown["facts"]["bridge"] == "1602-1603"
    assert t.mark("1602-1603", "bridge") == "down"


# -- combat


def battlefield(table: Make) -> Any:
    t = table(phase="attack-a")
    t.unit("soviet", "rifles", "3010", a=9)
    t.unit("soviet", "far away", "3020", a=9)
    t.unit("soviet", "battery", "3009", a=3, kind="ART", cel=1)
    t.unit("german", "landser", "3011", a=4)
    t.do("table", "mark", marker="fort", hexes="3011", value="if")
    return t


def test_the_combat_form_is_short(table: Make) -> None:
    t = table(phase="attack-a")
    bare = ["target", "attack", "defence", "terrain", "fort", "attack_hq", "defence_hq", "also"]
    assert list(t.shown("soviet", "resolve-combat")) == bare
    t = battlefield(table)
    form = t.shown("soviet", "resolve-combat")
    assert labels(form["target"]) == ["3011 IF, must"]
    assert "attackers" not in form
    form = t.shown("soviet", "resolve-combat", target="3011")
    assert labels(form["attackers"]) == ["rifles (3010)"]
    assert labels(form["attack_guns"]) == ["battery (3009)"]
    assert "fort" not in form  # it is on record
    assert "defence_guns" not in form and "pay" not in form
    named = {"target": "3011", "attackers": "soviet-rifles"}
    also = t.shown("soviet", "resolve-combat", **named)["also"]
    assert labels(also) == [
        "units not on record",
        "artillery",
        "aircraft",
        "river, Doniec",
        "other fortification",
    ]


def test_half_on_record_the_rest_is_a_tap_away(table: Make) -> None:
    """Attackers beside those on record: their strength, what halves them, their division and stars."""
    t = battlefield(table)
    named = {"target": "3011", "attackers": "soviet-rifles"}
    assert "attack" not in t.shown("soviet", "resolve-combat", **named)
    form = t.shown("soviet", "resolve-combat", **named, also=["more"])
    assert "attack" in form and {"halved units", "same division", "stars"} <= set(labels(form["also"]))
    form = t.shown("soviet", "resolve-combat", **named, also=["more", "halved"])
    assert "attack_halved" in form
    sheet = t.calc("combat", **named, also="more halved", attack=3, attack_halved="5")
    assert sheet.lines[1].effect == "3 SP" and sheet.lines[2].effect == "3 SP"


@pytest.mark.parametrize(
    ("part", "fields"),
    [
        ("guns", {"attack_artillery", "defence_artillery"}),
        ("air", {"attack_air", "defence_air"}),
        ("halved", {"attack_halved", "defence_halved"}),
        ("water", {"river", "doniec"}),
        ("division", {"attack_formations", "defence_formations"}),
        ("stars", {"attack_stars", "defence_stars", "attack_mech", "defence_mech"}),
        ("alone", {"lone_guns", "helpless"}),
        ("special", {"special"}),
    ],
)
def test_a_tap_opens_what_else_counts(table: Make, part: str, fields: set[str]) -> None:
    t = table(phase="attack-a", **{"rare-units": part == "special"})
    before, after = t.shown("soviet", "resolve-combat"), t.shown("soviet", "resolve-combat", also=part)
    assert set(after) - set(before) == fields


def test_rules_not_played_are_not_offered(table: Make) -> None:
    t = table(phase="attack-a", **{"special-units": False, "concentration": False})
    offered = labels(t.shown("soviet", "resolve-combat")["also"])
    assert not {"stars", "RG, VS, FU", "same division"} & set(offered)


def test_what_is_filled_in_stays_in_sight(table: Make) -> None:
    t = table(phase="attack-a")
    assert "river" in t.shown("soviet", "resolve-combat", river=3)


def test_support_flown_over_the_target_counts_by_itself(table: Make) -> None:
    t = table()
    t.do("soviet", "assign-air", mission_1="support", hex_1="3011", sp_1=5)
    t.until("attack-a")
    assert t.calc("combat", target="3011", attack=9, defence=4).facts["attack"] == 14
    assert t.calc("combat", target="3012", attack=9, defence=4).facts["attack"] == 9
    assert t.calc("ranged-fire", target="3011", sp=3).column == "6-8"  # 8.2.3


def test_a_unit_that_fought_is_not_offered_again(table: Make) -> None:
    t = battlefield(table)
    t.do("soviet", "resolve-combat", target="3011", attackers="rifles", die="3 4")
    assert "attackers" not in t.shown("soviet", "resolve-combat", target="3011")


def asked_for(t: Any, seat: str, action: str) -> list[str]:
    """The fields of a card; dice apart."""
    rows = t.duty(seat, action)["form"]
    return [r["name"] for r in rows if not r["hidden"] and not r["quiet"] and r["type"] != "dice"]


def test_cards_ask_only_what_is_open(table: Make) -> None:
    t = battlefield(table)
    t.do("table", "mark", marker="fort", hexes="3011", value="off")
    t.do("soviet", "resolve-combat", target="3011", attackers="rifles", die="2 3")
    assert asked_for(t, "german", "retreat") == ["go"]
    t.settle("german", "retreat", go=2)
    assert asked_for(t, "german", "fall-back") == ["to"]
    t.settle("german", "fall-back", to="3013")
    assert asked_for(t, "soviet", "pursue") == ["to"]
    t.settle("soviet", "pursue")
    assert t.game.unit("rifles").place == "3011"
    assert asked_for(t, "german", "take-tests") == []


def test_the_panel_says_when_a_unit_recovers(table: Make) -> None:
    t = battlefield(table)
    t.do("table", "disorganise", units=t.game.unit("rifles").id)
    title = "Disorganised, recover if they rest"
    assert t.panel("soviet", title) == {"rifles 3010": "end of day 2 phase 4"}
    assert t.panel("german", title) == {}


# -- supply


def test_a_pocket_is_named_by_its_hexes(table: Make) -> None:
    t = table(phase="supply-a")
    inside = t.unit("soviet", "cut off", "3010")
    outside = t.unit("soviet", "free", "3020")
    assert list(t.shown("soviet", "check-supply")) == ["hexes", "named"]
    t.do("soviet", "check-supply", hexes="3010")
    assert (t.mark(inside, "oos"), t.mark(outside, "oos")) == (1, None)


def test_tracks_and_dials_of_a_scenario_are_its_own(table: Make) -> None:
    summer, winter = table().sees("table"), table("black-snow", phase="supply-a").sees("table")
    assert [t["id"] for t in summer["tracks"]] == ["air-german", "air-soviet", "kharkov-captured"]
    assert [d["id"] for d in summer["dials"]] == ["izjum"]
    assert [d["id"] for d in winter["dials"]] == ["kharkov", "bielgorod", "izjum"]
    assert "city-vp-german" in [t["id"] for t in winter["tracks"]]


def test_guns_on_trucks_are_told_from_the_others(table: Make) -> None:
    """6.2.2: who turns a gun over sees which side lies up."""
    t = table(phase="move-a", fog=False)
    gun = t.unit("soviet", "gun", "3010", kind="ART", cel=1)
    t.unit("soviet", "howitzer", "3110", kind="ART", cel=1)
    t.do("soviet", "flip-artillery", units=gun)
    told = labels(t.shown("soviet", "flip-artillery")["units"])
    assert told == ["gun (3010), transport", "howitzer (3110)"]


def test_a_phase_without_attacks_owed_has_no_panel_of_them(table: Make) -> None:
    """5.1.3, 5.1.4."""
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "rifles", "3010")
    assert not t.panel("soviet", "Attacks that must be made")
    t.unit("german", "landser", "3011")
    assert t.panel("soviet", "Attacks that must be made")


def test_the_front_line_is_told_in_a_line_a_side(table: Make) -> None:
    """4.3.1: not a line for each hex."""
    t = table(phase="move-a")
    done = t.do("table", "start-control", german="4909 5022", soviet="4804")
    told = [describe(event.seen_by("soviet"), t.game) for event in done]
    assert [line for line in told if line] == ["German holds 4909, 5022", "Soviet holds 4804"]


def test_the_panels_first_fact_is_what_matters(table: Make) -> None:
    """A folded panel shows its first fact: the score; who still has to choose his missions [8.1.7]."""
    t = table(phase="air-a")
    assert next(iter(t.panel("soviet", "Victory"))) == "VP"
    assert next(iter(t.panel("soviet", "Air missions"))) == "Soviet"


def test_a_defender_is_not_told_that_he_is_asked(table: Make) -> None:
    """5.2.1: the question stands on his phone; nothing else says so above it."""
    t = table(phase="attack-a", fog=False)
    rifles = t.unit("soviet", "rifles", "3010", a=6)
    t.unit("german", "landser", "3011")
    t.do("soviet", "resolve-combat", target="3011", attackers=rifles)
    (battle,) = t.sees("german")["battles"]
    assert battle["waits"] and not battle["sheet"].get("warnings")
