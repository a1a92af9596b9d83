"""Every scenario from its first phase to its end, with what a turn is made of."""

import json

import pytest
from harness import SCENARIOS, bare
from kb_bench import duties, enrol, jump, synthetic_book, table

from companion.engine.forms.fields import Context
from companion.engine.kit.book import Book
from companion.systems import find_system

ALL = ("operation-star", "second-kharkov-k", "third-kharkov-l", "january-campaign", "grand-campaign")
PREPARATION = ["weather", "air", "supply", "maintenance", "reinforcement"]
AXIS = ["axis-construction", "axis-move", "axis-combat"]
SOVIET = ["soviet-command", "soviet-construction", "soviet-move", "soviet-combat"]


def phases_of(scenario, turn):
    t = table(scenario)
    seen = []
    while not t.game.ended and t.game.turn <= turn:
        if t.game.turn == turn:
            seen.append(t.game.phase)
        t.next()
    return seen


@pytest.mark.parametrize(
    ("scenario", "turn", "phases"),
    [
        ("operation-star", 0, [*SOVIET, "end"]),
        ("operation-star", 1, [*PREPARATION, *AXIS, *SOVIET, "end"]),
        ("second-kharkov-k", 1, [*PREPARATION, *SOVIET, "end"]),
        ("second-kharkov-k", 2, [*PREPARATION, *AXIS, *SOVIET, "end"]),
        ("third-kharkov-l", 11, [*PREPARATION, *AXIS, *SOVIET, "end"]),
        ("january-campaign", 61, [*PREPARATION, *AXIS, *SOVIET, "end"]),
    ],
)
def test_the_sequence_of_play(scenario, turn, phases):
    assert phases_of(scenario, turn) == phases


@pytest.mark.parametrize(
    ("scenario", "first", "last", "dates"),
    [
        (
            "operation-star",
            0,
            16,
            {0: "1 Feb 1943", 1: "2-4 Feb 1943", 11: "4-6 Mar 1943", 16: "19-21 Mar 1943"},
        ),
        ("second-kharkov-k", 1, 6, {1: "12-14 May 1942", 6: "27-28 May 1942"}),
        ("third-kharkov-l", 11, 16, {11: "4-6 Mar 1943", 16: "19-21 Mar 1943"}),
        ("january-campaign", 61, 73, {61: "25-27 Dec 1942"}),
        ("grand-campaign", 1, 74, {10: "25-27 Jul 1942", 74: "2-4 Feb 1943"}),
    ],
)
def test_turns_and_dates(scenario, first, last, dates):
    held = table(scenario).game.scenario
    assert (held.first, held.last) == (first, last)
    assert {turn: held.date(turn) for turn in dates} == dates


@pytest.mark.parametrize("scenario", ALL)
@pytest.mark.parametrize("filled", [True, False], ids=["with a book", "with blank charts"])
def test_every_scenario_plays_to_its_end(scenario, filled):
    """Every prompt is answered by its own button where it needs nothing more; every seat can look at any time."""
    kit = find_system("kharkov-battles", SCENARIOS).kit
    t = table(scenario, synthetic_book() if filled else Book(charts=kit.charts))
    prefix = t.game.scenario.extra["map"]
    enrol(
        t,
        "axis",
        "LAH 1",
        "panzergrenadier",
        f"{prefix}3510",
        size="III",
        formation="LAH",
        rating="A",
        half=True,
    )
    enrol(t, "axis", "III. PzK", "hq panzerkorps", f"{prefix}3509", size="XXX", reach=5)
    enrol(
        t,
        "soviet",
        "3 Tank",
        "tank",
        f"{prefix}3520",
        size="XXX",
        formation="orange",
        rating="A",
        guards=True,
    )
    enrol(t, "soviet", "6 Army", "hq army", f"{prefix}3521", formation="orange", reach=6)
    last_turn = min(t.game.scenario.last, t.game.scenario.first + 16)
    while not t.game.ended and t.game.turn <= last_turn:
        for seat in ("axis", "soviet", "table", "watch"):
            assert t.sees(seat)["turn"]["number"] == t.game.turn
        if t.game.phase == "supply":
            for side in ("axis", "soviet"):
                t.do(side, "judge-supply", side=side)
        if t.game.phase in ("axis-combat", "soviet-combat"):
            t.do("table", "resolve-assault", attack=10, defence=4)
            for ask in duties(t, "table", "commit-air"):
                t.do("table", "commit-air", _asked=ask["id"])
            for ask in duties(t, "table", "roll-assault"):
                t.do("table", "roll-assault", _asked=ask["id"])
            for ask in duties(t, "table", "settle-result"):
                t.do("table", "settle-result", more=0, _asked=ask["id"])
        if t.game.phase == "soviet-command":
            t.do("soviet", "roll-command", name="somebody")
        t.next()
    if last_turn == t.game.scenario.last:
        assert t.game.ended
    before = json.loads(json.dumps(t.game.dump()))
    t.refold()
    assert json.loads(json.dumps(t.game.dump())) == before


@pytest.mark.parametrize("scenario", ALL)
def test_every_form_can_be_drawn_for_every_seat_in_every_phase(scenario):
    t = table(scenario, popov_fuel=True) if scenario == "operation-star" else table(scenario)
    prefix = t.game.scenario.extra["map"]
    enrol(t, "axis", "LAH 1", "panzergrenadier", f"{prefix}3510", size="III", formation="LAH", rating="A")
    enrol(t, "soviet", "R", "rifle", f"{prefix}3511", formation="orange", strength=3)
    rules = t.system.rules
    for _ in range(26):
        for seat in ("axis", "soviet", "table"):
            for offer in t.sees(seat)["actions"]:
                rules.find(offer["name"]).describe(Context(t.game, seat))
        if t.game.ended:
            break
        t.next()


@pytest.mark.parametrize(
    "worksheet",
    [
        "prepared-assault",
        "mobile-odds",
        "support-cost",
        "movement",
        "advance-length",
        "attacks-owed",
        "edges-held",
        "strength",
    ],
)
def test_every_worksheet_works_without_a_table(worksheet):
    sheet = find_system("kharkov-battles", SCENARIOS).rules.worksheets[worksheet]
    needed = {"attack": 29, "defence": 5, "printed": 8}
    fields = {name: value for name, value in needed.items() if name in sheet.fields}
    assert sheet.work(fields, bare("kharkov-battles")).title


def test_campaigns_say_what_they_leave_to_fall_blau():
    for scenario in ALL:
        partial = table(scenario).game.scenario.partial
        assert bool(partial) == (scenario in ("january-campaign", "grand-campaign"))


@pytest.mark.parametrize("scenario", ALL)
def test_with_nothing_on_record_nothing_wants_a_counter(scenario):
    """Every act of the game works with a hex or a number, or is not offered; no form has two fields of one label."""
    t = table(scenario)
    engine = {"place-unit"}
    for _ in range(26):
        for seat in ("axis", "soviet", "table"):
            for offer in t.sees(seat)["actions"]:
                rows = t.form(seat, offer["name"])
                shown = [row for row in rows if not row["hidden"] and not row["quiet"]]
                empty = [r for r in shown if r["type"] == "unit" and r["required"] and not r["choices"]]
                assert not empty or offer["name"] in engine, (offer["name"], t.game.phase)
                labels = [row["label"] for row in shown]
                assert len(labels) == len(set(labels)), (offer["name"], labels)
        if t.game.ended:
            break
        t.next()


def test_commands_that_are_done_go_away():
    """4.1: the weather once set, points once received and spent, both sides judged."""
    t = table("second-kharkov-k")
    t.until("supply", 2)
    for side in ("axis", "soviet"):
        t.do(side, "judge-supply", side=side)
    offered = {a["name"] for a in t.sees("table")["actions"]}
    assert not {"judge-supply", "set-weather"} & offered
    t.until("maintenance", 2)
    assert "receive-support" not in {a["name"] for a in t.sees("axis")["actions"]}
    assert "support-hq" in {a["name"] for a in t.sees("axis")["actions"]}
    t.do("table", "correct", name="sp", value="0")
    assert "support-hq" not in {a["name"] for a in t.sees("axis")["actions"]}


def test_forms_ask_little_at_first():
    """3.0, 12.0: of a counter what its kind carries, of an assault what is usual; the rest on demand, and always read."""
    t = table("operation-star")
    jump(t, "axis-combat", 1)

    def shown(action, **filled):
        return {r["name"] for r in t.form("axis", action, **filled) if not r["hidden"] and not r["quiet"]}

    assert {"attack", "defence", "terrain", "more"} <= shown("resolve-assault") and len(
        shown("resolve-assault")
    ) <= 10
    assert "fz" not in shown("resolve-assault") and "fz" in shown("resolve-assault", more=True)
    assert "reach" in shown("enrol", kind="hq army") and "strength" not in shown("enrol", kind="hq army")
    assert not {"guards", "nkvd", "reach", "band"} & shown("enrol", side="axis", kind="infantry")
    t.do("axis", "resolve-assault", attack=9, defence=3, fz=True, die="4")
    assert t.game.battles[max(t.game.battles)].sheet["column"] == "2-1"
