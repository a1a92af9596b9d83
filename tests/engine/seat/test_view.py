"""What a seat sees, and above all what it does not."""

import json
from dataclasses import replace
from typing import Any

import pytest
from harness import refused
from toykit import Table

from companion.engine import guard, once
from companion.engine.errors import NotNow, Unreadable
from companion.engine.forms.fields import Context
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING
from companion.engine.seat import offers, view

OTHERS = ("blue", "table", "watch")


def text_of(table: Table, seat: str) -> str:
    """Everything that ever leaves the engine for a seat: its view, its events, and every form it is offered."""
    forms = [
        table.rules.find(a["name"]).describe(Context(table.game, seat)) for a in table.sees(seat)["actions"]
    ]
    return json.dumps([table.sees(seat), table.hears(seat), forms], default=str)


def units(table: Table, seat: str) -> dict[str, list[str]]:
    """The names a seat sees, by place; a counter it cannot read is a question mark and comes last."""
    found: dict[str, list[str]] = {}
    for unit in sorted(table.sees(seat)["units"], key=lambda u: (u["name"] == "?", u["name"])):
        found.setdefault(unit["place"], []).append(unit["name"])
    return found


# -- fog of war ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seat", "red_stack", "blue_stack"),
    [
        ("red", ["Guards", "Tanks"], ["Flak", "?"]),
        ("blue", ["Tanks", "?"], ["Flak", "Jaeger"]),
        ("table", ["Tanks", "?"], ["Flak", "?"]),
        ("watch", ["Tanks", "?"], ["Flak", "?"]),
    ],
)
def test_of_an_enemy_stack_only_the_top_is_seen(
    seat: str, red_stack: list[str], blue_stack: list[str]
) -> None:
    seen = units(Table(), seat)
    assert (seen["0303"], seen["0505"]) == (red_stack, blue_stack)


def test_without_fog_everything_lies_open() -> None:
    assert units(Table(fog=False), "blue")["0303"] == ["Guards", "Tanks"]


def test_a_hidden_counter_tells_only_side_and_place() -> None:
    hidden = next(u for u in Table().sees("blue")["units"] if u["name"] == "?")
    assert hidden == {"id": "red-0303-2", "side": "red", "place": "0303", "hidden": True, "name": "?"}


def test_the_order_of_the_list_does_not_tell_which_unit_is_buried() -> None:
    """Swap two buried units: a stranger's list is the same to the last letter."""
    lists = []
    for first, second in (("Guards", "Tanks"), ("Tanks", "Guards")):
        table = Table()
        table.do("red", "add-unit", side="red", name="Militia", hex="0707")
        for unit, place in ((first, "0606"), (second, "0707"), ("Militia", "0606")):
            table.do("red", "place-unit", unit=unit, hex=place)
        table.do("red", "add-unit", side="red", name="Scouts", hex="0707")
        lists.append(json.dumps([u for u in table.sees("blue")["units"] if u["side"] == "red"]))
    assert "Guards" not in lists[0] and lists[0] == lists[1]


def test_off_the_map_a_unit_is_known_to_all() -> None:
    table = Table()
    table.do("red", "place-unit", unit="Guards", box="box:dead")
    assert "Guards" in units(table, "blue")["box:dead"]


def test_under_fog_a_move_says_that_a_unit_moved_not_which() -> None:
    table = Table()
    table.do("red", "place-unit", unit="Tanks", hex="0404")
    table.do("red", "place-unit", unit="Guards", hex="0404")
    assert table.hears("blue")[-2] == {
        "kind": "placed",
        "place": "0404",
        "was": "0303",
        "side": "red",
        "hidden": True,
    }
    assert units(table, "blue")["0404"] == ["Guards", "?"], "the later arrival lies on top"
    assert all("red-tanks" not in json.dumps(u) for u in table.sees("blue")["units"])


def test_a_buried_units_markers_are_hidden_with_it() -> None:
    table = Table()
    assert '"oos": 2' in text_of(table, "red")
    assert '"oos": 2' not in text_of(table, "blue")


def test_a_unit_for_some_eyes_only_stays_with_them_even_on_top() -> None:
    table = Table()
    table.game.apply(
        e.Placed("red-partisans", "0606", facts={"side": "red", "name": "Partisans", "only": ["red"]})
    )
    assert units(table, "red")["0606"] == ["Partisans"]
    assert all(units(table, seat)["0606"] == ["?"] for seat in OTHERS)


def test_nobody_knows_an_untried_units_factors() -> None:
    table = Table()
    table.game.apply(e.Placed("red-guards", facts={"untried": True}))
    mine = next(u for u in table.sees("red")["units"] if u["id"] == "red-guards")
    assert (mine["factors"], mine["untried"]) == ({}, True)


# -- secrets -------------------------------------------------------------------------------------------------

SECRETS: dict[str, tuple[list[tuple[str, dict[str, Any]]], list[str]]] = {
    "a sealed choice": ([("choose", {"mission": "operation-kremlin"})], ["operation-kremlin"]),
    "a whispered note and prompt": ([("whisper", {"text": "operation-kremlin"})], ["operation-kremlin"]),
    "a hidden number": ([("count-reserve", {"points": 19})], [": 19"]),
    "a hidden marker": ([("lay-mine", {"hex": "0808"})], ["mine-red", "0808"]),
}


@pytest.mark.parametrize("case", SECRETS)
@pytest.mark.parametrize("seat", OTHERS)
def test_a_secret_does_not_leave_its_seat(case: str, seat: str) -> None:
    actions, words = SECRETS[case]
    table = Table()
    for name, fields in actions:
        table.do("red", name, **fields)
    assert all(word in text_of(table, "red") for word in words), "its owner sees it"
    assert not [word for word in words if word in text_of(table, seat)]


@pytest.mark.parametrize("seat", OTHERS)
def test_a_hand_is_a_number_to_all_others(seat: str) -> None:
    table = Table()
    table.do("red", "draw-card")
    table.do("red", "draw-card")
    hand = table.game.piles["deck"]["hand:red"]
    assert len(hand) == 2
    zone = next(z for p in table.sees(seat)["piles"] for z in p["zones"] if z["zone"] == "hand:red")
    assert zone == {"zone": "hand:red", "label": "hand", "count": 2}
    assert not [card for card in hand if card in text_of(table, seat)]
    mine = next(z for p in table.sees("red")["piles"] for z in p["zones"] if z["zone"] == "hand:red")
    assert [t["id"] for t in mine["tokens"]] == hand


def test_the_deck_itself_is_a_number_even_to_its_players() -> None:
    table = Table()
    text = json.dumps([table.sees("red"), table.hears("red")])
    assert not [card for card in table.game.piles["deck"]["deck"] if card in text]


@pytest.mark.parametrize("seat", OTHERS)
def test_a_zone_seen_by_nobody_is_not_even_counted(seat: str) -> None:
    table = Table()
    (drawn,) = table.do("red", "hide-chit")
    cup = next(p for p in table.sees(seat)["piles"] if p["id"] == "cup")
    assert [z["zone"] for z in cup["zones"]] == ["cup"]
    assert drawn.tokens[0] not in text_of(table, seat)  # type: ignore[attr-defined]


def test_what_lies_under_a_unit_is_seen_by_its_side() -> None:
    table = Table()
    table.game.apply(e.Drawn("deck", ("STUKA",), "deck", "at:red-guards", 1, only=("red",)))

    def under(seat: str) -> dict[str, Any]:
        return next(z for p in table.sees(seat)["piles"] for z in p["zones"] if z["zone"] == "at:red-guards")

    assert [t["id"] for t in under("red")["tokens"]] == ["STUKA"]
    assert all("tokens" not in under(seat) and under(seat)["count"] == 1 for seat in OTHERS)


@pytest.mark.parametrize("seat", OTHERS)
def test_a_roll_behind_the_screen_shows_no_dice(seat: str) -> None:
    table = Table()
    table.do("red", "roll-dice", dice="1d6", result="2", purpose="open")
    table.do("red", "secret-roll")
    assert table.sees(seat)["last_roll"]["purpose"] == "open"
    assert "values" not in table.hears(seat)[-1]


def test_a_result_for_some_eyes_only_is_shown_to_them() -> None:
    table = Table()
    table.game.apply(e.Resolved("combat", {"title": "Ambush"}, "DE", only=("red",)))
    assert table.sees("red")["result"]["breakdown"] == {"title": "Ambush"}
    assert all(table.sees(seat)["result"] == {} for seat in OTHERS)


def test_a_hidden_dial_or_track_is_not_on_the_list() -> None:
    table = Table()
    table.game.apply(e.Set("weather", "mud", only=("red",)))
    assert [d["id"] for d in table.sees("red")["dials"]] == ["weather"]
    assert table.sees("blue")["dials"] == []
    assert "ledger" not in [t["id"] for t in table.sees("red")["tracks"]]


def test_the_seed_is_in_no_view() -> None:
    table = Table()
    assert all("5e5e5e" not in text_of(table, seat) for seat in ("red", *OTHERS))
    assert table.sees("watch")["commitment"] == table.game.commitment


# -- what is shown -------------------------------------------------------------------------------------------


def test_phases_say_what_is_done_now_to_come_and_skipped() -> None:
    table = Table().until("red-move")
    assert [(p["id"], p["state"], p["reason"]) for p in table.sees("watch")["phases"]] == [
        ("weather", "done", ""),
        ("red-move", "now", ""),
        ("air", "skipped", "no planes yet"),
        ("blue-move", "to come", ""),
        ("bog", "skipped", "not now"),
    ]
    assert table.sees("watch")["turn"] == {"number": 1, "last": 3, "date": "12 May"}


@pytest.mark.parametrize(
    ("seat", "offered", "missing"),
    [
        (
            "red",
            {"fight", "draw-card", "count-reserve", "next-phase"},
            {"ring", "blue-word", "roll-weather", "tick"},
        ),
        ("blue", {"draw-card", "blue-word"}, {"fight", "count-reserve", "next-phase"}),
        ("table", {"fight", "ring", "blue-word", "next-phase"}, {"draw-card", "whisper"}),
    ],
)
def test_a_seat_is_offered_what_it_may_do_now(seat: str, offered: set[str], missing: set[str]) -> None:
    names = {a["name"] for a in Table().until("red-move").sees(seat)["actions"]}
    assert offered <= names
    assert not missing & names


def test_a_watcher_is_offered_nothing() -> None:
    assert Table().sees("watch")["actions"] == []


def test_a_question_to_both_is_seen_by_all_but_waits_for_some() -> None:
    table = Table()
    line = table.game.revision
    table.do("red", "draw-card")
    table.do("red", "take-back", to=line)
    assert [(seat, table.sees(seat)["asked"][0]["mine"]) for seat in ("red", *OTHERS)] == [
        ("red", False),
        ("blue", True),
        ("table", True),
        ("watch", False),
    ]


def test_what_is_due_is_shown_to_its_own_side_and_the_table() -> None:
    table = Table().until("weather", 3)
    assert [d["text"] for d in table.sees("red")["due"]] == ["A supply drop"]
    for seat in ("blue", "table", "watch"):
        assert [d["text"] for d in table.sees(seat)["due"]] == ["The relief column", "A supply drop"], seat
    assert not any(d["open"] for d in table.sees("watch")["due"])


def test_what_is_due_can_be_brought_in_only_in_its_phases() -> None:
    table = Table().until("weather", 2)
    table.game.kit = replace(table.game.kit, arrival_phases=("red-move", "blue-move"))
    column = {seat: table.sees(seat)["due"][0] for seat in ("blue", "table")}
    assert {d["text"]: d["open"] for d in column.values()} == {"The relief column": False}
    with refused(NotNow, given="arrive"):
        table.do("table", "arrive", arrival="The relief column")
    table.game.kit = replace(
        table.game.kit, arrival_phases=("red-move", "blue-move")
    )  # a mistake loads it anew
    table.until("red-move", 2)  # the enemy's own movement is no time for it either
    assert {d["text"]: d["open"] for d in table.sees("table")["due"]} == {
        "The relief column": False,
        "A supply drop": True,
    }
    table.until("blue-move", 2)
    assert table.sees("blue")["due"][0]["open"]
    with refused(Unreadable, field="arrival", given="The relief column"):
        table.do("red", "arrive", arrival="The relief column")
    table.do("blue", "arrive", arrival="The relief column", hex="1010")
    assert table.game.unit("Relief").place == "1010"


def test_an_entry_hex_of_the_list_stands_in_the_form() -> None:
    table = Table().until("weather", 2)
    arrivals = tuple(replace(a, entry="hex 0110") for a in table.game.scenario.arrivals)
    table.game.scenario = replace(table.game.scenario, arrivals=arrivals)
    chosen = {"arrival": table.sees("blue")["due"][0]["id"]}
    rows = table.rules.find("arrive").describe(Context(table.game, "blue"), chosen)
    assert {r["name"]: r["value"] for r in rows}["hex"] == "0110"


def test_whose_move_it_is() -> None:
    table = Table()
    assert table.sees("red")["movers"] == ["red", "blue"]
    table.until("red-move")
    assert table.sees("blue")["movers"] == ["red"]


def test_a_phase_of_both_sides_waits_for_the_one_that_is_awaited(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table()
    monkeypatch.setattr(table.rules, "awaited", lambda game: ["blue"] if game.phase == "weather" else [])
    assert table.sees("red")["movers"] == ["blue"]
    with refused(NotNow, given="red"):
        table.do("red", "next-phase")
    table.do("blue", "next-phase")
    assert table.game.phase == "red-move"


def test_a_unit_speaks_the_game_s_words() -> None:
    table = Table()
    guards = next(u for u in table.sees("red")["units"] if u["name"] == "Guards")
    assert (guards["step_words"], guards["mark_words"]) == ("2 of 2 steps", ["Out of supply 2"])
    markers = tuple(
        replace(m, values=("hard",), words={"hard": "very hard"}) if m.id == "posture" else
        replace(m, quiet=True) if m.id == "oos" else m
        for m in table.game.kit.markers
    )  # fmt: skip
    table.game.kit = replace(table.game.kit, step_name="level", steps_name="levels", markers=markers)
    table.game.worked.clear()  # the kit is no part of the state
    table.do("red", "mark", marker="posture", units="red-guards", value="hard")
    guards = next(u for u in table.sees("red")["units"] if u["name"] == "Guards")
    assert (guards["step_words"], guards["mark_words"]) == ("2 of 2 levels", ["Posture very hard"])


def test_what_is_due_says_how_late_it_is() -> None:
    due = Table().until("weather", 3).sees("blue")["due"]
    assert [(d["text"], d["late"]) for d in due] == [("The relief column", 1), ("A supply drop", 2)]


def test_a_view_is_plain_json() -> None:
    table = Table().until("red-move")
    table.do("red", "fight", attack=8, defence=4, die="3")
    seen = table.sees("red")
    assert json.loads(json.dumps(seen)) == json.loads(json.dumps(seen, default=repr))


# -- the view's own manners ----------------------------------------------------------------------------------


def test_what_is_not_asked_for_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    unit = view._unit
    monkeypatch.setattr(view, "_unit", lambda *args: made.append(1) or unit(*args))
    seen = Table().view("red")
    assert seen.phase.name and seen.tracks and seen.actions and seen.has_units and not made
    assert seen.units is seen.units and len(made) == len(seen.units), "and made once"


@pytest.mark.parametrize("part", ["due", "notes", "units", "hexes", "piles", "movers", "panels"])
def test_a_part_that_fails_is_empty_and_named(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "strict", False)
    table = Table()
    table.do("red", "lay-mine", hex="0808")
    seen = table.view("red")

    def boom(*_: Any) -> None:
        raise RuntimeError("no such thing")

    for name in ("due", "in_force", "_unit", "_marks", "_zones"):
        monkeypatch.setattr(view, name, boom)
    monkeypatch.setattr(seen._rules, "panels", [boom])
    monkeypatch.setattr(seen._rules, "movers", boom)
    assert seen.faults == [], "nothing was asked for yet"
    assert not getattr(seen, part) and len(seen.faults) == 1
    told = seen.to_json()
    assert not told[part] and len(told["faults"]) == 7, "the whole of it is asked for before it tells"


def test_an_act_of_which_cannot_be_told_whether_it_can_be_done_is_named_to_those_who_may_do_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(guard, "strict", False)
    table = Table()
    rules, others = table.rules, {a.name for a in table.view("red").actions}

    def boom(_: Any) -> bool:
        raise RuntimeError("no such thing")

    name = next(n for n in others if rules.actions[n].by == "any")
    action = replace(rules.actions[name], by="red", when=boom, phases=())
    monkeypatch.setattr(rules, "actions", {**rules.actions, name: action})
    table.record(e.Ticked("something"))  # so that the offers are looked at again
    table.game.worked.clear()
    monkeypatch.setattr(offers, "_all_offers", offers._all_offers.__wrapped__)  # acts never change but here
    for _ in range(2):
        seen = table.view("red")
        assert {a.name for a in seen.actions} == others - {name}
        assert [fault.split(" cannot")[0] for fault in seen.faults] == [action.label]
    assert table.view("blue").actions and table.view("blue").faults == []


def test_a_panel_that_does_not_ask_whose_screen_it_is_is_made_once_for_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table, made = Table(), []
    monkeypatch.setattr(once, "checking", None)
    monkeypatch.setattr(table.rules, "panels", [])
    monkeypatch.setattr(table.rules, "for_all", set())
    table.rules.panel(lambda game: made.append("all"))
    table.rules.panel(lambda game, seat: made.append(seat))
    assert [table.view(seat).panels for seat in ("red", "blue", "table")] == [[], [], []]
    assert made == ["all", "red", "blue", "table"]


def test_a_part_that_is_the_same_for_all_is_made_once_and_again_when_the_game_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(once, "checking", None)
    table = Table()
    before = table.view("red").turn
    assert before is table.view("blue").turn is table.view("table").turn
    table.record(e.Advanced(table.game.turn + 1, table.game.phase))
    after = table.view("blue").turn
    assert after.number == before.number + 1 and after is table.view("red").turn


def test_what_a_seat_alone_may_know_is_no_part_for_all() -> None:
    own = {
        "awaits",
        "actions",
        "tracks",
        "dials",
        "due",
        "asked",
        "battles",
        "piles",
        "my_sealed",
        "result",
        "panels",
    }
    assert not any(isinstance(vars(view.SeatView)[name], once.ForAll) for name in own)


def test_every_part_is_answered_by_its_name() -> None:
    table = Table()
    assert set(table.sees("red")) == {*view.PARTS, "seat", "faults"}


def test_dials_and_markers_tell_what_they_do() -> None:
    table = Table()
    markers = tuple(replace(m, effect="halved") if m.id == "oos" else m for m in table.game.kit.markers)
    table.game.kit = replace(table.game.kit, markers=markers)
    guards = next(u for u in table.view("red").units if u.name == "Guards")
    assert [(sign.words, sign.effect) for sign in guards.signs] == [("Out of supply 2", "halved")]


def test_a_draw_in_passing_has_no_words_on_its_battles_card() -> None:
    table = Table()
    table.record(e.Engaged(title="Attack on 0303", attacker="red", defender="blue"))
    number = max(table.game.battles)
    for reason in (IN_PASSING, "two at dawn"):
        table.record(e.Drawn("cup", (), "cup", "drawn", 1, reason=reason, battle=number))
    assert [roll["purpose"] for roll in table.sees("red")["battles"][-1]["rolls"]] == ["", "two at dawn"]
